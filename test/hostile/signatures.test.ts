/**
 * Signed requests with one byte changed, anywhere in what is signed or in what signs it: every single one is refused, for
 * each kind of key. And the same request once more.
 *
 * Changed    every byte into several others, each byte taken away, one put in at each place
 * Allowed    what HTTP itself takes for the same (the case of a header's name, blanks around its value) is not tried
 */
import { generateKeyPairSync, sign as signWith } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Authentication, type SignedRequest } from '../../src/api/keys/authentication.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { ApiKey } from '../../src/api/keys/keys.ts'
import { keyOf } from '../api/edge.ts'
import { sign } from '../support/person.ts'
import { House } from './house.ts'

const at = 1_750_000_000_000

type Signer = (message: string) => string

function keyPair(kind: 'rsa' | 'ed25519'): readonly [ApiKey, Signer] {
  const pair = kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')
  const secret = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return [
    keyOf({ kind, secret }),
    (message) => signWith(kind === 'rsa' ? 'sha256' : null, Buffer.from(message), pair.privateKey).toString('base64'),
  ]
}

const hmacKey = keyOf()
const signers: readonly (readonly [string, ApiKey, Signer])[] = [
  ['HMAC', hmacKey, (message) => sign(hmacKey.secret, message, '', '', '')],
  ['RSA', ...keyPair('rsa')],
  ['Ed25519', ...keyPair('ed25519')],
]

/** The text with one byte changed, each way once. */
function* changes(text: string): Generator<string> {
  for (let index = 0; index <= text.length; index++) {
    const [before, byte, after] = [text.slice(0, index), text.charCodeAt(index), text.slice(index + 1)]
    yield `${before}0${text.slice(index)}`
    if (index === text.length) return
    yield before + after
    for (const bit of [1, 2, 4, 16, 32]) {
      const changed = byte ^ bit
      if (changed > 0x20 && changed < 0x7f) yield before + String.fromCharCode(changed) + after
    }
  }
}

describe.each(signers)('%s', (_kind, key, signer) => {
  const authentication = new Authentication({
    keys: { find: (name) => (name === key.apiKey ? key : undefined) },
    venueClock: () => at,
    systemClock: () => at,
  })

  const passes = (request: SignedRequest): boolean => {
    try {
      authentication.authenticate(request)
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  const bodyText = '{"category":"SPOT","symbol":"BTCUSDT","qty":"1","side":"buy","clientOid":"a-1"}'

  test.each([
    ['POST', '/api/v3/trade/place-order', bodyText],
    ['GET', '/api/v3/trade/order-info?clientOid=a%3Ab%2Fc&symbol=BTCUSDT', ''],
  ])('%s %s', (method, target, body) => {
    const timestamp = String(at)
    const headers = {
      'access-key': key.apiKey,
      'access-sign': signer(timestamp + method + target + body),
      'access-timestamp': timestamp,
      'access-passphrase': key.passphrase,
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
    }
    const good = { method, target, body: body === '' ? undefined : Buffer.from(body), headers }
    expect(passes(good)).toBe(true)

    let tried = 0
    const refused = (changed: Partial<SignedRequest>, what: string) => {
      tried += 1
      expect(passes({ ...good, ...changed }), what).toBe(false)
    }
    for (const change of changes(method)) refused({ method: change }, `method ${change}`)
    for (const change of changes(target)) refused({ target: change }, `target ${change}`)
    for (const change of changes(body)) refused({ body: Buffer.from(change) }, `body ${change}`)
    for (const name of ['access-key', 'access-sign', 'access-timestamp', 'access-passphrase'] as const) {
      for (const change of changes(headers[name]))
        refused({ headers: { ...headers, [name]: change } }, `${name} ${change}`)
      const { [name]: _gone, ...without } = headers
      refused({ headers: without }, `without ${name}`)
      refused({ headers: { ...headers, [name]: [headers[name], headers[name]] } }, `${name} twice`)
      refused({ headers: { ...headers, [name]: `${headers[name]}, ${headers[name]}` } }, `${name} joined`)
    }
    expect(tried).toBeGreaterThan(700)
  })
})

describe('once more', () => {
  let house: House

  beforeAll(async () => {
    house = await House.open({ refuseRepeats: true })
  })

  afterAll(() => house?.close())

  test('a request that changes something is taken once; asking may be repeated', async () => {
    const key = house.demoKey('unified-main')
    const order = JSON.stringify({
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      qty: '0.01',
      price: '50000',
      side: 'buy',
      orderType: 'limit',
    })
    const sent = house.signed(key, 'POST', '/api/v3/trade/place-order', order)
    expect((await house.send(sent)).code).toBe('00000')
    const { sequence } = house.runtime
    for (const again of [
      sent,
      { ...sent, headers: { ...sent.headers, locale: 'zh-CN' } },
      { ...sent, from: '10.0.0.1' },
    ]) {
      expect(await house.send(again)).toMatchObject({ status: 400, code: '40009' })
    }
    expect(house.runtime.sequence).toBe(sequence)
    expect(
      (await house.send(house.signed(key, 'POST', '/api/v3/trade/place-order', order, house.runtime.now() + 1))).code,
    ).toBe('00000')
    const asked = house.signed(key, 'GET', '/api/v3/account/assets')
    for (let count = 0; count < 3; count++) expect((await house.send(asked)).code).toBe('00000')
  })
})

test.each(['api/keys/authentication.ts', 'operator/listener.ts'])(
  '%s compares what is secret in constant time',
  (file) => {
    const source = readFileSync(fileURLToPath(new URL(`../../src/${file}`, import.meta.url)), 'utf8')
    expect(source).toContain('timingSafeEqual(')
    const early = /\b(?:\w*secret|\w*passphrase|\w*token|\w*signature|expected|given)\s*[!=]==(?!\s*(?:''|undefined))/i
    // The canonical spelling of a signature is its own text, nothing that the venue keeps secret.
    expect(early.exec(source.replace("bytes.toString('base64') !== signature", ''))?.[0]).toBeUndefined()
  },
)
