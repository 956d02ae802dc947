/**
 * Who may speak: headers, signature, time window, keys and permissions.
 *
 * Source  interface.md Authentication; design §4.1, §4.2, §4.21, §4.38; wire/auth.md §1-§5, §7
 */
import { expect } from 'vitest'
import type { Answer } from '../support/http.ts'
import { type Person, type SendOptions, sign } from '../support/person.ts'
import { btcPerpetual, btcSpot, paths, singleOrder } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const signature = {
  rule: 'Authentication signature',
  decision:
    'HMAC-SHA256 over timestamp, method, path with query as received or percent-decoded, and the raw body; base64',
} as const

const clientSecret = 'dummy-secret-0001'
const clientBody =
  '{"productType":"USDT-FUTURES","symbol":"BTCUSDT","marginMode":"crossed","marginCoin":"USDT","size":"0.01",' +
  '"price":"20000","side":"buy","orderType":"limit","force":"gtc","clientOid":"wire-1"}'

table(
  signature,
  [
    // what                                 method  target                                               body        signature
    [
      'vector 1: a query',
      'GET',
      '/api/v3/trade/fills?category=USDT-FUTURES&limit=10',
      '',
      '66XSpxJWAjSME+PVEhpgMOVWX5ZatPIQhw1Xx/POZgE=',
    ],
    [
      'vector 2: a body',
      'POST',
      '/api/v2/mix/order/place-order',
      clientBody,
      '9DzpvM0xnUOxQcplRWzHLGB/Kdu+PoRVa3jug0VJ0+o=',
    ],
    [
      'vector 3a: an encoded query',
      'GET',
      '/api/v3/trade/order-info?clientOid=a%3Ab%2Fc',
      '',
      '8se6usjReA3xo21fBUgNH2uyfpmopadxmxCkAwwPFi4=',
    ],
    [
      'vector 3b: a decoded query',
      'GET',
      '/api/v3/trade/order-info?clientOid=a:b/c',
      '',
      'LXw6lTjkVfcxDf01dzEvleNbHAZh4X/IpX8chmHGInA=',
    ],
  ],
  async (method, target, body, expected) => {
    expect(sign(clientSecret, '1750000000000', method, target, body)).toBe(expected)
  },
)

const encoded = `${paths.orderHistory}?productType=USDT-FUTURES&clientOid=a%3Ab%2Fc`
const decoded = `${paths.orderHistory}?productType=USDT-FUTURES&clientOid=a:b/c`
const unsorted = `${paths.orderHistory}?productType=USDT-FUTURES&limit=10&clientOid=x`
const bare = '/api/v3/account/settings'
const sorted = `${paths.orderHistory}?clientOid=x&limit=10&productType=USDT-FUTURES`

table(
  signature,
  [
    // what                                           sent      signed            answer
    ['the query as it is sent may be signed', encoded, { target: encoded }, 'ok'],
    ['its percent-decoded form may be signed too', encoded, { target: decoded }, 'ok'],
    ['a ? with nothing behind it may be signed', `${bare}?`, { target: `${bare}?` }, 'ok'],
    ['it may be left away', `${bare}?`, { target: bare }, 'ok'],
    ['where there is none it may not be added', bare, { target: `${bare}?` }, '40009'],
    ['a ? at the end of a query may not be left away', `${unsorted}?`, { target: unsorted }, '40009'],
    ['a query need not be sorted', unsorted, { target: unsorted }, 'ok'],
    ['a signature over a re-sorted query is wrong', unsorted, { target: sorted }, '40009'],
    ['a signature over another path is wrong', unsorted, { target: '/api/v3/trade/fills' }, '40009'],
    ['a signature without the query is wrong', unsorted, { target: paths.orderHistory }, '40009'],
    ['a signature over another method is wrong', unsorted, { method: 'POST' }, '40009'],
    ['a signature over a lower-case method is wrong', unsorted, { method: 'get' }, '40009'],
    ['a signature over a body that is not there is wrong', unsorted, { body: '{}' }, '40009'],
  ],
  async (target, signed, expected) => {
    const alice = await at.person('Alice')
    answers(await alice.send('GET', target, undefined, { signed }), expected)
  },
)

const leverage = { productType: 'USDT-FUTURES', leverage: '10' }

table(
  signature,
  [
    // what                                           sent                             signed                        answer
    [
      'the raw body is signed, with its blanks',
      JSON.stringify(leverage, null, 2),
      JSON.stringify(leverage, null, 2),
      'ok',
    ],
    ['a re-serialized body is not what was sent', JSON.stringify(leverage, null, 2), JSON.stringify(leverage), '40009'],
    [
      'a body of other characters is signed as bytes',
      '{"productType":"USDT-FUTURES","leverage":"10","note":"прилив 🌊"}',
      undefined,
      'ok',
    ],
    ['an empty signature body for a sent body is wrong', JSON.stringify(leverage), '', '40009'],
  ],
  async (body, signedBody, expected) => {
    const alice = await at.person('Alice')
    const signed = signedBody === undefined ? {} : { body: signedBody }
    answers(await alice.post(paths.allLeverage, body, { signed }), expected)
  },
)

table(
  signature,
  [
    // what                                           header                                                answer
    ['hexadecimal is not base64', 'a'.repeat(64), '40009'],
    ['a signature of another length is wrong', 'AAAA', '40009'],
    ['text that is no base64 is wrong', '***', '40009'],
    ['a very long signature is wrong', 'A'.repeat(4000), '40009'],
  ],
  async (header, expected) => {
    const alice = await at.person('Alice')
    refuses(await alice.get(paths.settings, {}, { headers: { 'ACCESS-SIGN': header } }), expected)
  },
)

row(signature, 'the secret of another key does not sign for this one', async () => {
  const alice = await at.person('Alice')
  const bob = await at.person('Bob')
  refuses(await alice.get(paths.settings, {}, { key: { ...alice.key, secret: bob.key.secret } }), '40009')
})

const headerRule = {
  rule: 'Authentication headers',
  decision:
    'Each missing or wrong header has its own code; wire/auth.md §4 gives the order in which they are looked at',
} as const

table(
  headerRule,
  [
    // what                                    headers                                            answer
    ['no ACCESS-KEY', { 'ACCESS-KEY': undefined }, '40001'],
    ['an empty ACCESS-KEY', { 'ACCESS-KEY': '' }, '40001'],
    ['no ACCESS-SIGN', { 'ACCESS-SIGN': undefined }, 'no signature'],
    ['an empty ACCESS-SIGN', { 'ACCESS-SIGN': '' }, 'no signature'],
    ['no ACCESS-TIMESTAMP', { 'ACCESS-TIMESTAMP': undefined }, '40005'],
    ['an ACCESS-TIMESTAMP of words', { 'ACCESS-TIMESTAMP': 'now' }, '40005'],
    ['an ACCESS-TIMESTAMP with a fraction', { 'ACCESS-TIMESTAMP': '1750000000000.5' }, '40005'],
    ['an ACCESS-TIMESTAMP with an exponent', { 'ACCESS-TIMESTAMP': '1.75e12' }, '40005'],
    ['an ACCESS-TIMESTAMP in hexadecimal', { 'ACCESS-TIMESTAMP': '0x1976f2a3c00' }, '40005'],
    ['a negative ACCESS-TIMESTAMP', { 'ACCESS-TIMESTAMP': '-1750000000000' }, '40005|40008'],
    ['an ACCESS-TIMESTAMP in seconds', { 'ACCESS-TIMESTAMP': '1750000000' }, '40005|40008'],
    ['an unknown ACCESS-KEY', { 'ACCESS-KEY': 'tm_nobody' }, 'a key'],
    ['no ACCESS-PASSPHRASE', { 'ACCESS-PASSPHRASE': undefined }, '40011|400172'],
    ['an empty ACCESS-PASSPHRASE', { 'ACCESS-PASSPHRASE': '' }, '40011|400172'],
    ['a wrong ACCESS-PASSPHRASE', { 'ACCESS-PASSPHRASE': 'opensesame1' }, 'a passphrase'],
  ],
  async (headers, expected) => {
    const alice = await at.person('Alice')
    const answer = await alice.get(paths.settings, {}, { headers })
    refuses(answer, expected)
  },
)

row(headerRule, 'header names are accepted in any case', async () => {
  const alice = await at.person('Alice')
  const timestamp = String(at.venue.now())
  const target = paths.settings
  succeeds(
    await at.venue.exchange({
      method: 'GET',
      target,
      headers: {
        'access-key': alice.key.apiKey,
        'Access-Sign': sign(alice.key.secret, timestamp, 'GET', target, ''),
        'access-timestamp': timestamp,
        'aCCESS-pASSPHRASE': alice.key.passphrase,
      },
    }),
  )
})

table(
  { rule: 'Authentication time window', decision: '30 seconds either side of the venue’s clock (design §4.1)' },
  [
    // what                              ahead    answer
    ['this moment is in time', 0, 'ok'],
    ['28 seconds late is in time', -28_000, 'ok'],
    ['28 seconds early is in time', 28_000, 'ok'],
    ['31 seconds late is expired', -31_000, '40008|40004'],
    ['32 seconds early is refused', 32_000, '40008|40004'],
    ['a year late is expired', -31_536_000_000, '40008|40004'],
  ],
  async (clockAhead, expected) => {
    const alice = await at.person('Alice')
    answers(await alice.get(paths.settings, {}, { clockAhead }), expected)
  },
)

const wrongSign = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

table(
  { rule: 'Authentication order of checks', decision: 'the order of wire/auth.md §4: the first fault answers' },
  [
    // what                                                  headers                                                                           ahead      answer
    ['no key before no signature', { 'ACCESS-KEY': undefined, 'ACCESS-SIGN': undefined }, 0, '40001'],
    ['no signature before a bad timestamp', { 'ACCESS-SIGN': undefined, 'ACCESS-TIMESTAMP': 'now' }, 0, 'no signature'],
    ['a bad timestamp before an unknown key', { 'ACCESS-TIMESTAMP': 'now', 'ACCESS-KEY': 'tm_nobody' }, 0, '40005'],
    ['an unknown key before an expired timestamp', { 'ACCESS-KEY': 'tm_nobody' }, -60_000, 'a key'],
    ['an expired timestamp before a wrong signature', { 'ACCESS-SIGN': wrongSign }, -60_000, '40008|40004'],
    [
      'a wrong signature before a missing passphrase',
      { 'ACCESS-SIGN': wrongSign, 'ACCESS-PASSPHRASE': undefined },
      0,
      '40009',
    ],
    [
      'a wrong signature before a wrong passphrase',
      { 'ACCESS-SIGN': wrongSign, 'ACCESS-PASSPHRASE': 'opensesame1' },
      0,
      '40009',
    ],
  ],
  async (headers, clockAhead, expected) => {
    const alice = await at.person('Alice')
    refuses(await alice.get(paths.settings, {}, { headers, clockAhead }), expected)
  },
)

table(
  { rule: 'Authentication order of checks', decision: 'the order of wire/auth.md §4: the first fault answers' },
  [
    // what                                                        permissions    body               options                                               answer
    [
      'a wrong passphrase before a missing permission',
      ['read'],
      leverage,
      { headers: { 'ACCESS-PASSPHRASE': 'opensesame1' } },
      'a passphrase',
    ],
    ['a missing permission before a bad body', ['read'], { leverage: 'ten' }, {}, '40014'],
    [
      'a wrong signature before broken JSON',
      ['contract_trade'],
      '{',
      { headers: { 'ACCESS-SIGN': wrongSign } },
      '40009',
    ],
  ],
  async (permissions, body, options, expected) => {
    const alice = await at.person('Alice', { permissions })
    refuses(await alice.post(paths.allLeverage, body, options), expected)
  },
)

table(
  { rule: 'Authentication Content-Type', decision: '40007 for a POST that is not JSON; not looked at on GET' },
  [
    // what                                    content type                        answer
    ['application/json', 'application/json', 'ok'],
    ['application/json with a charset', 'application/json; charset=utf-8', 'ok'],
    ['upper case', 'Application/JSON', 'ok'],
    ['text/plain', 'text/plain', '40007'],
    ['a form', 'application/x-www-form-urlencoded', '40007'],
    ['XML', 'application/xml', '40007'],
  ],
  async (type, expected) => {
    const alice = await at.person('Alice')
    answers(await alice.post(paths.allLeverage, leverage, { headers: { 'Content-Type': type } }), expected)
  },
)

table(
  { rule: 'Authentication Content-Type', decision: '40007 for a POST that is not JSON; not looked at on GET' },
  [
    ['a GET without it', undefined],
    ['a GET with application/json', 'application/json'],
    ['a GET with anything', 'text/plain'],
  ],
  async (type) => {
    const alice = await at.person('Alice')
    succeeds(await alice.get(paths.settings, {}, { headers: { 'Content-Type': type } }))
  },
)

const keys = {
  rule: 'Authentication keys',
  decision: 'a key may be tied to addresses and revoked (design §6)',
} as const

table(
  keys,
  [
    // what                                          ip list                   answer
    ['a key without an ip list', undefined, 'ok'],
    ['an ip list with the caller', ['127.0.0.1'], 'ok'],
    ['an ip list without the caller', ['10.1.2.3'], 'an address'],
    ['the caller among others', ['10.1.2.3', '127.0.0.1'], 'ok'],
  ],
  async (ipList, expected) => {
    const alice = await at.person('Alice', ipList === undefined ? {} : { ipList })
    answers(await alice.get(paths.settings), expected)
  },
)

row(keys, 'a forged X-Forwarded-For does not get past an ip list', async () => {
  const alice = await at.person('Alice', { ipList: ['10.1.2.3'] })
  refuses(await alice.get(paths.settings, {}, { headers: { 'X-Forwarded-For': '10.1.2.3' } }), 'an address')
})

row(keys, 'a revoked key is unknown from then on, and its sibling still works', async () => {
  const alice = await at.person('Alice')
  const second = await at.venue.makeKey(alice.uid)
  await at.venue.operator('keys/revoke', { apiKey: alice.key.apiKey })
  refuses(await alice.get(paths.settings), 'a key')
  succeeds(await alice.get(paths.settings, {}, { key: second }))
})

row(keys, 'the demo keys of every role are written down and work', async () => {
  const roles = ['unified-main', 'unified-sub', 'classic-sub', 'hybrid-main', 'classic-main']
  for (const role of [...roles, 'broker-main', 'broker-sub', 'copy-trader', 'read-only', 'unified-peer']) {
    succeeds(await at.venue.as(role).get(paths.orderHistory, { productType: 'USDT-FUTURES' }))
  }
})

table(
  {
    rule: 'Authentication other headers',
    decision: 'locale, channel code and paptrading never decide about a request',
  },
  [
    // what                                     headers
    ['no locale', { locale: undefined }],
    ['locale en-US', { locale: 'en-US' }],
    ['locale zh-CN: success stays success', { locale: 'zh-CN' }],
    ['an unknown locale', { locale: 'tlh-QO' }],
    ['an unknown channel code', { 'X-CHANNEL-API-CODE': 'nobody' }],
    ['paptrading', { PAPTRADING: '1' }],
  ],
  async (headers) => {
    const alice = await at.person('Alice')
    succeeds(await alice.get(paths.settings, {}, { headers }))
  },
)

row(
  { rule: 'Authentication locale', decision: 'en-US by default, zh-CN at least (design §4.21)' },
  'the language of a refusal',
  async () => {
    const alice = await at.person('Alice')
    const said = async (locale: string | undefined) =>
      (await alice.get(paths.orderHistory, { productType: 'NO-SUCH' }, { headers: { locale } })).msg
    expect(await said('zh-CN')).toMatch(/\p{Script=Han}/u)
    expect(await said('zh-CN')).not.toMatch(/should|one of/)
    expect(await said('en-US')).not.toMatch(/\p{Script=Han}/u)
    for (const locale of ['zh_CN', 'zh', 'ZH-cn', 'zh-Hans-CN']) expect(await said(locale)).toBe(await said('zh-CN'))
    expect(await said('zhx')).toBe(await said('en-US'))
    expect(await said('tlh-QO')).toBe(await said('en-US'))
    expect(await said(undefined)).toBe(await said('en-US'))
  },
)

table(
  { rule: 'E8 and E10 authentication', decision: 'public endpoints ignore authentication headers (design §4.2)' },
  [
    ['E8 with no headers', paths.publicFills, {}],
    [
      'E8 with a forged signature',
      paths.publicFills,
      { 'ACCESS-KEY': 'tm_nobody', 'ACCESS-SIGN': 'x', 'ACCESS-TIMESTAMP': '1' },
    ],
    ['E10 with no headers', paths.fundingHistory, {}],
    [
      'E10 with a forged signature',
      paths.fundingHistory,
      { 'ACCESS-KEY': 'tm_nobody', 'ACCESS-SIGN': 'x', 'ACCESS-TIMESTAMP': '1' },
    ],
  ],
  async (path, headers) => {
    succeeds(await at.venue.get(path, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }, headers))
  },
)

table(
  'Authentication private endpoints',
  [
    ['E1', 'GET', paths.fills],
    ['E2', 'POST', paths.placeBatch],
    ['E3', 'POST', paths.placeOrder],
    ['E4', 'GET', paths.subAssets],
    ['E5', 'GET', paths.position],
    ['E6', 'GET', paths.settings],
    ['E7', 'POST', paths.batchCancel],
    ['E9', 'POST', paths.subTransfer],
    ['E11', 'POST', paths.repay],
    ['E12', 'POST', paths.allLeverage],
    ['E13', 'GET', paths.orderHistory],
  ],
  async (method, target) => {
    const post = method === 'POST'
    const headers = post ? { 'content-type': 'application/json' } : {}
    refuses(await at.venue.exchange({ method, target, headers, body: post ? '{}' : undefined }), '40001')
  },
)

/** One well-meant request per endpoint: what it answers is decided by the key alone, or by a rule after the key's. */
const requests: Readonly<Record<string, (person: Person, options?: SendOptions) => Promise<Answer>>> = {
  E1: (person) => person.get(paths.fills),
  E2: (person) => person.post(paths.placeBatch, [{ ...batchEntry }]),
  E3: (person) => person.post(paths.placeOrder, singleOrder('buy 0.01 @ 59000', btcPerpetual)),
  E5: (person) => person.get(paths.position, { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }),
  E6: (person) => person.get(paths.settings),
  E7: (person) => person.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'none' }] }),
  E9: (person) =>
    person.post(paths.subTransfer, {
      fromType: 'spot',
      toType: 'spot',
      amount: '1',
      coin: 'USDT',
      fromUserId: person.uid,
      toUserId: person.uid,
      clientOid: 'none',
    }),
  E11: (person) => person.post(paths.repay, { coin: 'USDT', repayAmount: '1' }),
  E12: (person) => person.post(paths.allLeverage, leverage),
  E13: (person) => person.get(paths.orderHistory, { productType: 'USDT-FUTURES' }),
}

const batchEntry = {
  category: btcSpot.category,
  symbol: btcSpot.symbol,
  qty: '0.001',
  price: '59000',
  side: 'buy',
  orderType: 'limit',
}

table(
  {
    rule: 'Authentication permissions',
    decision:
      'read reads everything of its account; uta_trade v3 trading; uta_mgt v3 account; contract_trade v2 futures; ' +
      'spot_trade v2 spot; margin_trade v2 margin; a unified account may use uta_trade and uta_mgt on v2 as well',
  },
  [
    // endpoint, key                    endpoint  permissions            permitted
    ['E1 with read', 'E1', ['read'], true],
    ['E1 with uta_trade', 'E1', ['uta_trade'], true],
    ['E1 with uta_mgt alone', 'E1', ['uta_mgt'], false],
    ['E1 with spot_trade alone', 'E1', ['spot_trade'], false],
    ['E2 with uta_trade', 'E2', ['uta_trade'], true],
    ['E2 with read', 'E2', ['read'], false],
    ['E2 with uta_mgt', 'E2', ['uta_mgt'], false],
    ['E2 with read, uta_mgt and transfer', 'E2', ['read', 'uta_mgt', 'transfer'], false],
    ['E3 with contract_trade', 'E3', ['contract_trade'], true],
    ['E3 with uta_trade of a unified account', 'E3', ['uta_trade'], true],
    ['E3 with read', 'E3', ['read'], false],
    ['E3 with spot_trade', 'E3', ['spot_trade'], false],
    ['E5 with read', 'E5', ['read'], true],
    ['E5 with contract_trade', 'E5', ['contract_trade'], true],
    ['E5 with spot_trade alone', 'E5', ['spot_trade'], false],
    ['E6 with uta_mgt', 'E6', ['uta_mgt'], true],
    ['E6 with read', 'E6', ['read'], true],
    ['E6 with uta_trade alone', 'E6', ['uta_trade'], false],
    ['E7 with spot_trade', 'E7', ['spot_trade'], true],
    ['E7 with read', 'E7', ['read'], false],
    ['E7 with contract_trade', 'E7', ['contract_trade'], false],
    ['E9 with uta_mgt', 'E9', ['uta_mgt'], true],
    ['E9 with read', 'E9', ['read'], false],
    ['E9 with uta_trade', 'E9', ['uta_trade'], false],
    ['E11 with margin_trade', 'E11', ['margin_trade'], true],
    ['E11 with read', 'E11', ['read'], false],
    ['E11 with spot_trade', 'E11', ['spot_trade'], false],
    ['E12 with contract_trade', 'E12', ['contract_trade'], true],
    ['E12 with read', 'E12', ['read'], false],
    ['E12 with margin_trade', 'E12', ['margin_trade'], false],
    ['E13 with read', 'E13', ['read'], true],
    ['E13 with contract_trade', 'E13', ['contract_trade'], true],
    ['E13 with margin_trade alone', 'E13', ['margin_trade'], false],
  ],
  async (endpoint, permissions, permitted) => {
    const alice = await at.person('Alice', { permissions, funds: { uta: { USDT: '10000' } } })
    const answer = await requests[endpoint](alice)
    if (permitted) expect(answer.code, answer.text).not.toBe('40014')
    else expect(refuses(answer, '40014').msg).toMatch(/need/)
  },
)

row('Authentication permissions', 'the demo read-only key reads its main account and places nothing', async () => {
  const reader = at.venue.as('read-only')
  succeeds(await reader.get(paths.settings))
  expect(reader.uid).toBe(at.venue.as('unified-main').uid)
  refuses(await reader.post(paths.placeOrder, singleOrder('buy 0.01 @ 59000')), '40014')
  refuses(await reader.post(paths.placeBatch, [batchEntry]), '40014')
})

table(
  { rule: 'Authentication signature', decision: 'query as received or percent-decoded (design §4.1)' },
  [
    // what                                            clientOid in the query    signed as
    ['a blank as %20, signed raw', 'a%20b', 'a%20b'],
    ['a blank as %20, signed decoded', 'a%20b', 'a b'],
    ['other characters, signed raw', '%E2%9C%93', '%E2%9C%93'],
    ['other characters, signed decoded', '%E2%9C%93', '✓'],
    ['a percent sign, signed raw', '100%25', '100%25'],
    ['a percent sign, signed decoded', '100%25', '100%'],
    ['a dollar left as it is', 'a$b', 'a$b'],
  ],
  async (sent, signedAs) => {
    const alice = await at.person('Alice')
    const path = `${paths.orderHistory}?productType=USDT-FUTURES&clientOid=`
    const answer = await alice.send('GET', path + sent, undefined, { signed: { target: path + signedAs } })
    expect(answer.code, answer.text).not.toBe('40009')
    expect(answer.status).toBeLessThan(500)
  },
)

row('Authentication signature', 'a query that cannot be decoded is refused, not trouble', async () => {
  const alice = await at.person('Alice')
  const answer = await alice.send('GET', `${paths.orderHistory}?productType=USDT-FUTURES&clientOid=%zz`, undefined)
  expect([200, 400]).toContain(answer.status)
  expect(answer.envelope).toBeDefined()
})
