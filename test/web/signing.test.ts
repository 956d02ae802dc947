/** The terminal's signatures by WebCrypto against the vectors of published clients (wire/auth.md §7). */
import { expect, test } from 'vitest'
import { loginText, requestText, signerOf } from '../../web/venue/signing.ts'
import { withQuery } from '../../web/venue/query.ts'

const secret = 'dummy-secret-0001'
const timestamp = '1750000000000'
const order =
  '{"productType":"USDT-FUTURES","symbol":"BTCUSDT","marginMode":"crossed","marginCoin":"USDT","size":"0.01",' +
  '"price":"20000","side":"buy","orderType":"limit","force":"gtc","clientOid":"wire-1"}'

test.each([
  [
    'GET',
    withQuery('/api/v3/trade/fills', { category: 'USDT-FUTURES', limit: 10 }),
    '',
    '66XSpxJWAjSME+PVEhpgMOVWX5ZatPIQhw1Xx/POZgE=',
  ],
  ['POST', '/api/v2/mix/order/place-order', order, '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o='],
  [
    'GET',
    withQuery('/api/v3/trade/order-info', { clientOid: 'a:b/c' }),
    '',
    '8se6usjReA3xo21fBUgNH2uyfpmopadxmxCkAwwPFi4=',
  ],
] as const)('wire/auth §7: %s %s', async (method, target, body, signature) => {
  const sign = await signerOf(secret)
  expect(await sign(requestText({ timestamp, method, target, body }))).toBe(signature)
})

test('wire/auth §7: the login of a socket', async () => {
  const sign = await signerOf(secret)
  expect(await sign(loginText('1750000000'))).toBe('UT0V9VnHw4YZ3aeK5Dwo9ZlBfuMjdbtV5WT+5FI3JUM=')
})

test('a query leaves out what is absent, and encodes what it says', () => {
  expect(withQuery('/x', { a: undefined, b: '' })).toBe('/x')
  expect(withQuery('/x', { a: 1, b: 'c&d' })).toBe('/x?a=1&b=c%26d')
})
