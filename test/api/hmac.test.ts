/** HMAC-SHA256 against the vectors of RFC 4231 and against node:crypto. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import fc from 'fast-check'
import { HmacSha256 } from '../../src/api/keys/hmac.ts'

test.each([
  // RFC 4231  key                message                          hex
  ['4.2', '\u000b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  ['4.3', 'Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
])('RFC 4231 §%s', (_section, key, message, hex) => {
  expect(new HmacSha256(key).digest(message, undefined)).toBe(Buffer.from(hex, 'hex').toString('base64'))
})

test('as node:crypto, whatever the secret, the text and the bytes', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  const bytes = fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined })
  fc.assert(
    fc.property(text, text, bytes, (secret, start, body) => {
      const expected = createHmac('sha256', secret).update(start)
      if (body !== undefined) expected.update(body)
      expect(new HmacSha256(secret).digest(start, body)).toBe(expected.digest('base64'))
    }),
  )
})

test.each([
  // secret of bytes, message of bytes: a block and one more, what fits the buffer that is kept and what does not
  [64, 100],
  [65, 100],
  [64, 16_000],
  [64, 16_384],
  [64, 1_048_576],
])('a secret of %i bytes, a message of %i', (secretBytes, messageBytes) => {
  const [secret, body] = ['k'.repeat(secretBytes), Buffer.alloc(messageBytes, 7)]
  const hmac = new HmacSha256(secret)
  const expected = createHmac('sha256', secret).update('start').update(body).digest('base64')
  expect([hmac.digest('start', body), hmac.digest('start', body)]).toEqual([expected, expected])
})
