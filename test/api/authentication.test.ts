/**
 * Signatures as clients make them (wire/auth.md §7), and every check in its order (§4).
 */
import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { PrivateAccess } from '../../src/api/endpoint.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { Authentication, authorize, type SignedRequest } from '../../src/api/keys/authentication.ts'
import { HmacSha256 } from '../../src/api/keys/hmac.ts'
import type { ApiKey } from '../../src/api/keys/keys.ts'
import { parseQuery } from '../../src/api/parsing/input.ts'
import { alice, keyOf } from './edge.ts'

const at = 1_750_000_000_000

function authentication(
  key: ApiKey = keyOf(),
  options: { refuseRepeats?: boolean; now?: number } = {},
): Authentication {
  return new Authentication({
    keys: { find: (name) => (name === key.apiKey ? key : undefined) },
    venueClock: () => options.now ?? at,
    systemClock: () => options.now ?? at,
    refuseRepeats: options.refuseRepeats ?? false,
  })
}

function request(method: string, target: string, sign: string, parts: { body?: string; headers?: object } = {}) {
  return {
    method,
    target,
    body: parts.body === undefined ? undefined : Buffer.from(parts.body),
    headers: {
      'access-key': 'bg_dummykey',
      'access-sign': sign,
      'access-timestamp': String(at),
      'access-passphrase': 'dummypass1',
      ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...parts.headers,
    },
  } satisfies SignedRequest
}

/** The code that an act throws, or `ok`. */
function outcome(act: () => unknown): string {
  try {
    act()
    return 'ok'
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

const orderBody =
  '{"productType":"USDT-FUTURES","symbol":"BTCUSDT","marginMode":"crossed","marginCoin":"USDT","size":"0.01",' +
  '"price":"20000","side":"buy","orderType":"limit","force":"gtc","clientOid":"wire-1"}'
const fillsTarget = '/api/v3/trade/fills?category=USDT-FUTURES&limit=10'
const fillsSign = '66XSpxJWAjSME+PVEhpgMOVWX5ZatPIQhw1Xx/POZgE='
const infoTarget = '/api/v3/trade/order-info?clientOid=a%3Ab%2Fc'

test.each([
  // vector                        method  target       signature                                       body
  ['1: a query', 'GET', fillsTarget, fillsSign, undefined],
  ['2: a body', 'POST', '/api/v2/mix/order/place-order', '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o=', orderBody],
  ['3a: a query as encoded', 'GET', infoTarget, '8se6usjReA3xo21fBUgNH2uyfpmopadxmxCkAwwPFi4=', undefined],
  ['3b: a query decoded', 'GET', infoTarget, 'LXw6lTjkVfcxDf01dzEvleNbHAZh4X/IpX8chmHGInA=', undefined],
])('wire/auth.md §7, vector %s', (_name, method, target, sign, body) => {
  const parts = body === undefined ? {} : { body }
  expect(authentication().authenticate(request(method, target, sign, parts)).uid).toBe(alice.uid)
})

test('wire/auth.md §7, vector 4: a WebSocket login', () => {
  const login = { apiKey: 'bg_dummykey', passphrase: 'dummypass1', timestamp: '1750000000' }
  const sign = 'UT0V9VnHw4YZ3aeK5Dwo9ZlBfuMjdbtV5WT+5FI3JUM='
  expect(authentication().authenticateLogin({ ...login, sign }, '127.0.0.1').uid).toBe(alice.uid)
  expect(outcome(() => authentication().authenticateLogin({ ...login, sign: fillsSign }, '127.0.0.1'))).toBe('40009')
})

test.each([
  // what                              headers                                                            code
  ['no key', { 'access-key': undefined, 'access-sign': undefined }, '40001'],
  ['an empty key', { 'access-key': '' }, '40001'],
  ['no signature, bad timestamp', { 'access-sign': undefined, 'access-timestamp': 'x' }, '40002'],
  ['an empty signature', { 'access-sign': '' }, '40003'],
  ['no timestamp, unknown key', { 'access-timestamp': undefined, 'access-key': 'x' }, '40005'],
  ['a timestamp in seconds', { 'access-timestamp': '1750000000' }, '40005'],
  ['an unknown key, too late', { 'access-key': 'x', 'access-timestamp': String(at - 60_000) }, '40006'],
  ['30 seconds late', { 'access-timestamp': String(at - 30_000) }, '40009'],
  ['30.001 seconds late', { 'access-timestamp': String(at - 30_001) }, '40008'],
  ['30.001 seconds early', { 'access-timestamp': String(at + 30_001) }, '40008'],
  ['a wrong signature, no passphrase', { 'access-sign': 'AAAA', 'access-passphrase': undefined }, '40009'],
  ['no passphrase', { 'access-passphrase': undefined }, '40011'],
  ['a wrong passphrase', { 'access-passphrase': 'dummypass2' }, '40012'],
  ['nothing wrong', {}, 'ok'],
])('the first fault answers: %s', (_name, headers, code) => {
  expect(outcome(() => authentication().authenticate(request('GET', fillsTarget, fillsSign, { headers })))).toBe(code)
})

/** As a client does that signs the query before it encodes it. */
function signedDecoded(target: string): string {
  const { secret } = keyOf()
  return outcome(() =>
    authentication().authenticate(
      request('GET', target, new HmacSha256(secret).digest(`${at}GET${decodeURIComponent(target)}`, undefined)),
    ),
  )
}

const asks = '/api/v3/trade/order-info?'

describe('a signature over the decoded query', () => {
  test.each([
    // query as received                      what is in it                                         code
    ['clientOid=a%3Ab%2Fc', 'what encoders encode alike', 'ok'],
    ['clientOid=a%2Cb%24', 'what some of them spare, encoded', 'ok'],
    ['clientOid=a%2Cb,c:%24$', 'encoded here and spared there', 'ok'],
    ['symbol=BTCUSDT&clientOid=a%20b', 'a blank', 'ok'],
    ['clientOid=%E6%9D%AD', 'a character of several bytes', 'ok'],
    ['clientOid=a%7Eb%27%28%29%2A%21', 'what encodeURIComponent spares', 'ok'],
    ['client%5B0%5D=a', 'a name', 'ok'],
    ['clientOid=a%3Db', 'an equals sign in a value', 'ok'],
    ['clientOid=a%2Bb', 'a plus', 'ok'],
    ['clientOid=a%26symbol=b', 'what would begin another field', '40009'],
    ['clientOid=a%26symbol%3Db', 'the same, encoded whole', '40009'],
    ['client%3DOid=a', 'what would end its name', '40009'],
    ['clientOid%3Da', 'the same without a value', '40009'],
    ['clientOid=%2541', 'what would be decoded once more', '40009'],
    ['clientOid=100%25', 'a percent sign that encodes nothing', 'ok'],
    ['clientOid=a%23b', 'what would end the query', '40009'],
    ['clientOid=%61bc', 'a letter, which nobody encodes', '40009'],
    ['clientOid=a%2db', 'a dash, which nobody encodes', '40009'],
    ['clientOid=a%3ab', 'digits in lower case', '40009'],
  ])('%s: %s', (query, _what, code) => {
    expect(signedDecoded(asks + query)).toBe(code)
    // As it is on the wire every one of them is signed well.
    const sign = new HmacSha256(keyOf().secret).digest(`${at}GET${asks}${query}`, undefined)
    expect(outcome(() => authentication().authenticate(request('GET', asks + query, sign)))).toBe('ok')
  })

  test('never counts for a request with other fields than the signed text has', () => {
    const parts = [
      'a',
      'b',
      '=',
      '&',
      '%',
      '%26',
      '%3D',
      '%25',
      '%2541',
      '%41',
      '%3A',
      '%20',
      '+',
      ',',
      '%2C',
      '?',
      '#',
    ]
    let [seed, taken] = [7, 0]
    for (let tried = 0; tried < 20_000; tried++) {
      let query = ''
      for (let length = 1 + (tried % 7); length > 0; length--) {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
        query += parts[(seed >> 8) % parts.length]
      }
      let signed: string
      try {
        signed = decodeURIComponent(query)
        if (signed === query || signedDecoded(asks + query) !== 'ok') continue
        taken += 1
        // A percent sign that encodes nothing makes the signed text no query, and so no other one.
        const meant = fieldsOf(signed)
        if (typeof meant !== 'string') expect(meant, query).toEqual(fieldsOf(query))
      } catch (error) {
        if (!(error instanceof URIError)) throw error
      }
    }
    expect(taken).toBeGreaterThan(500)
  })
})

/** The fields of a query, or that it is refused. */
function fieldsOf(query: string): unknown {
  try {
    return parseQuery(query, 'v3')
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

test('a public key that would not be taken any more works no more', () => {
  const unfit = authentication(keyOf({ fault: 'RSA of 1024 bits' }))
  expect(outcome(() => unfit.authenticate(request('GET', fillsTarget, fillsSign)))).toBe('40037')
  const login = { apiKey: 'bg_dummykey', passphrase: 'dummypass1', timestamp: '1750000000', sign: '' }
  expect(outcome(() => unfit.authenticateLogin(login, '127.0.0.1'))).toBe('40006')
})

test('a revoked key does not exist any more', () => {
  const revoked = authentication(keyOf({ revokedAt: 1 }))
  expect(outcome(() => revoked.authenticate(request('GET', fillsTarget, fillsSign)))).toBe('40037')
})

test('a venue on a manual clock takes its own time as well as the system’s', () => {
  const key = keyOf()
  const manual = new Authentication({ keys: { find: () => key }, venueClock: () => at, systemClock: () => at + 1e9 })
  expect(outcome(() => manual.authenticate(request('GET', fillsTarget, fillsSign)))).toBe('ok')
})

const day = 86_400_000

describe.each([
  ['ahead', day],
  ['back', -day],
])('a leap of the system clock a day %s', (_direction, ms) => {
  // Requests are signed at `at`.
  test.each([
    ['is wrong and undecided: clients go by the venue’s time', at, at + ms, 'ok'],
    ['is right and undecided: clients go by the system’s', at - ms, at, 'ok'],
    ['was wrong and is refused', at, at, 'ok'],
    ['is right, was refused, and clients go by the system’s', at - ms, at - ms, '40008'],
    ['is wrong, was accepted, and clients go by the time before', at + ms, at + ms, '40008'],
  ])('%s', (_case, venueNow, systemNow, code) => {
    const key = keyOf()
    const clocks = { venueClock: () => venueNow, systemClock: () => systemNow }
    const leapt = new Authentication({ keys: { find: () => key }, ...clocks })
    expect(outcome(() => leapt.authenticate(request('GET', fillsTarget, fillsSign)))).toBe(code)
    // In time for a receive window by the clock that the client has.
    if (code === 'ok') expect(leapt.isOver(at + 1000)).toBe(false)
  })
})

test('a repeat is refused whatever the system clock does between the two', () => {
  const order = request('POST', '/api/v2/mix/order/place-order', '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o=', {
    body: orderBody,
  })
  let system = at
  const key = keyOf()
  const clocks = { venueClock: () => at, systemClock: () => system }
  const leapt = new Authentication({ keys: { find: () => key }, refuseRepeats: true, ...clocks })
  const seen = [0, day, -day, day, 0].map((ms) => {
    system = at + ms
    return outcome(() => leapt.authenticate(order))
  })
  expect(seen).toEqual(['ok', '40009', '40009', '40009', '40009'])
})

test.each([
  ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['ed25519', generateKeyPairSync('ed25519')],
] as const)('%s keys sign the same message', (kind, pair) => {
  const key = keyOf({ kind, secret: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString() })
  const message = Buffer.from(`${at}POST/api/v3/trade/place-order{}`)
  const sign = signWith(kind === 'rsa' ? 'sha256' : null, message, pair.privateKey).toString('base64')
  const signed = (text: string) => request('POST', '/api/v3/trade/place-order', text, { body: '{}' })
  expect(outcome(() => authentication(key).authenticate(signed(sign)))).toBe('ok')
  expect(
    outcome(() => authentication(key).authenticate(signed(`${sign.startsWith('A') ? 'B' : 'A'}${sign.slice(1)}`))),
  ).toBe('40009')
  expect(outcome(() => authentication(key).authenticate(signed(sign.replace(/=+$/, ''))))).toBe(
    sign.endsWith('=') ? '40009' : 'ok',
  )
  expect(outcome(() => authentication(key).authenticate(signed('***')))).toBe('40009')
})

test('an identical order is refused only when asked for, an identical read never', () => {
  const order = request('POST', '/api/v2/mix/order/place-order', '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o=', {
    body: orderBody,
  })
  const lenient = authentication()
  const strict = authentication(keyOf(), { refuseRepeats: true })
  for (const policy of [lenient, strict]) expect(outcome(() => policy.authenticate(order))).toBe('ok')
  expect(outcome(() => lenient.authenticate(order))).toBe('ok')
  expect(outcome(() => strict.authenticate(order))).toBe('40009')
  for (let i = 0; i < 2; i++) {
    expect(outcome(() => strict.authenticate(request('GET', fillsTarget, fillsSign)))).toBe('ok')
  }
})

describe('what a key may do', () => {
  const trade = { permission: 'uta_trade', level: 'write' } as const
  const reading = { permission: 'uta_trade', level: 'read' } as const
  const classicTrade = { permission: 'contract_trade', level: 'write' } as const
  const sub = { ...alice, kind: 'sub', parentUid: 1 } as const
  const classic = { ...alice, mode: 'classic' } as const

  test.each([
    // what                                              access         version  permissions          account   code
    ['its field writes', trade, 'v3', ['uta_trade'], alice, 'ok'],
    ['its field reads', reading, 'v3', ['uta_trade'], alice, 'ok'],
    ['read reads', reading, 'v3', ['read'], alice, 'ok'],
    ['read does not write', trade, 'v3', ['read'], alice, '40014'],
    ['another field does not', trade, 'v3', ['uta_mgt', 'spot_trade', 'transfer'], alice, '40014'],
    ['a unified account on v2', classicTrade, 'v2', ['uta_trade'], alice, 'ok'],
    ['a unified account’s spot key on v2 futures', classicTrade, 'v2', ['spot_trade'], alice, '40014'],
    ['a classic account’s v3 key on v2', classicTrade, 'v2', ['uta_trade'], classic, '40014'],
    ['a classic account on v3, before its permission', trade, 'v3', ['read'], classic, '40084'],
    [
      'a sub-account where a main account is needed',
      { ...trade, mainAccount: true },
      'v3',
      ['uta_trade'],
      sub,
      '40048',
    ],
  ] as const)('%s', (_name, access: PrivateAccess, version, permissions, account, code) => {
    const key = keyOf({ permissions })
    expect(outcome(() => authorize(access, version, { key, account, ip: '127.0.0.1' }))).toBe(code)
  })

  test.each([
    // list                           address             code
    [[], '203.0.113.9', 'ok'],
    [['203.0.113.9'], '203.0.113.9', 'ok'],
    [['::ffff:203.0.113.9'], '203.0.113.9', 'ok'],
    [['203.0.113.0/24'], '203.0.113.9', 'ok'],
    [['198.51.100.1', '203.0.113.9'], '203.0.113.9', 'ok'],
    [['2001:db8::1'], '2001:db8:0::1', 'ok'],
    [['2001:DB8:0:0::1'], '2001:db8::1', 'ok'],
    [['::ffff:cb00:7109'], '203.0.113.9', 'ok'],
    [['::ffff:203.0.113.0/120'], '203.0.113.9', 'ok'],
    [['::ffff:203.0.113.0/120'], '203.0.114.9', '40018'],
    [['203.0.113.8'], '203.0.113.9', '40018'],
    [['203.0.113.0/29'], '203.0.113.9', '40018'],
    [['2001:db8::/32'], '203.0.113.9', '40018'],
    [['nonsense'], '203.0.113.9', '40018'],
  ])('a key for %j used from %s', (ipList, ip, code) => {
    const key = keyOf({ ipList })
    expect(outcome(() => authorize(trade, 'v3', { key, account: alice, ip }))).toBe(code)
  })
})

test('what was signed before is saved and comes back', () => {
  const order = (text: string) => {
    const body = orderBody.replace('wire-1', text)
    const sign = createHmac('sha256', keyOf().secret).update(`${at}POST/api/v2/mix/order/place-order${body}`)
    return request('POST', '/api/v2/mix/order/place-order', sign.digest('base64'), { body })
  }
  const strict = authentication(keyOf(), { refuseRepeats: true })
  const sent = (name: string, by = strict) => outcome(() => by.authenticate(order(name)))
  expect(sent('before')).toBe('ok')
  const saved = strict.save()
  expect([sent('after'), sent('after')]).toEqual(['ok', '40009'])
  const other = authentication(keyOf(), { refuseRepeats: true })
  for (const one of [strict, other]) {
    one.restore(structuredClone(saved))
    expect([sent('before', one), sent('after', one), sent('after', one)]).toEqual(['40009', 'ok', '40009'])
  }
  strict.restore(saved)
  expect(sent('after')).toBe('ok')
  expect(authentication().save()).toBeUndefined()
})

describe('by the venue’s clock alone', () => {
  function manual(clock: { venue: number; system: number }) {
    return new Authentication({
      keys: { find: () => keyOf() },
      venueClock: () => clock.venue,
      systemClock: () => clock.system,
      refuseRepeats: true,
      isByVenue: true,
    })
  }

  test('a receive window is over, whatever the system’s says', () => {
    const clock = { venue: at, system: at + 1e9 }
    const venue = manual(clock)
    expect(venue.isOver(at)).toBe(false)
    clock.venue += 1
    clock.system = at - 1e9
    expect(venue.isOver(at)).toBe(true)
  })

  test('repeats are forgotten', () => {
    const clock = { venue: at, system: at }
    const venue = manual(clock)
    const order = request('POST', '/api/v2/mix/order/place-order', '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o=', {
      body: orderBody,
    })
    const sent = () => outcome(() => venue.authenticate(order))
    expect([sent(), sent()]).toEqual(['ok', '40009'])
    clock.venue += 120_001
    expect([sent(), sent()]).toEqual(['ok', '40009'])
  })
})
