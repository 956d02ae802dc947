/**
 * Rate limits: the interface's table, counted per second and per account or address, on a venue that enforces them.
 *
 * A burst may straddle two windows, so a row sends limit + 1 requests until one burst falls into a single window; no
 * burst may ever let fewer through than the limit.
 *
 * Source  interface.md Limits; design §4.19, §4.23, §4.38; wire/rate-limits-and-filters.md §1, §3
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Answer } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { paths, singleOrder } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ rateLimits: true })

const decision = 'HTTP 429 and code 429 in the envelope; counted before work is done, refused calls included'
const nextWindowMs = 1100

async function burst(count: number, request: () => Promise<Answer>): Promise<{ passed: number; limited: Answer[] }> {
  const answered = await Promise.all(Array.from({ length: count }, request))
  const limited = answered.filter((answer) => answer.status === 429)
  return { passed: count - limited.length, limited }
}

/** Sends limit + 1 at once until a burst falls into one window. */
async function expectLimit(limit: number, request: () => Promise<Answer>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { passed, limited } = await burst(limit + 1, request)
    expect(passed, 'fewer pass than the limit').toBeGreaterThanOrEqual(limit)
    if (passed === limit) {
      const [refused] = limited
      expect(refused?.envelope).toEqual({
        code: '429',
        msg: 'Too Many Requests',
        requestTime: expect.any(Number),
        data: null,
      })
      return
    }
    expect(attempt, `${limit + 1} in one second were never limited`).toBeLessThan(5)
    await sleep(nextWindowMs)
  }
}

const requests: Readonly<Record<string, (person: Person) => Promise<Answer>>> = {
  E1: (person) => person.get(paths.fills),
  E2: (person) => person.post(paths.placeBatch, []),
  E3: (person) => person.post(paths.placeOrder, {}),
  E4: (person) => person.get(paths.subAssets, {}),
  E5: (person) => person.get(paths.position, { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }),
  E6: (person) => person.get(paths.settings),
  E7: (person) => person.post(paths.batchCancel, {}),
  E9: (person) => person.post(paths.subTransfer, {}),
  E11: (person) => person.post(paths.repay, {}),
  E12: (person) => person.post(paths.allLeverage, {}),
  E13: (person) => person.get(paths.orderHistory, { productType: 'USDT-FUTURES' }),
}

table(
  { rule: 'Limits per UID', decision },
  [
    // endpoint                        limit per second
    ['E1 20 per second', 'E1', 20],
    ['E2 5 per second', 'E2', 5],
    ['E3 10 per second', 'E3', 10],
    ['E4 10 per second', 'E4', 10],
    ['E5 10 per second', 'E5', 10],
    ['E6 20 per second', 'E6', 20],
    ['E7 5 per second', 'E7', 5],
    ['E9 5 per second', 'E9', 5],
    ['E11 10 per second', 'E11', 10],
    ['E12 5 per second', 'E12', 5],
    ['E13 10 per second', 'E13', 10],
  ],
  async (endpoint, limit) => {
    const alice = await at.person('Alice')
    await expectLimit(limit, () => requests[endpoint](alice))
  },
)

table(
  { rule: 'Limits of v2 per UID (wire/rate-limits-and-filters §3)', decision },
  [
    ['virtual-subaccount-list 1 per second', '/api/v2/user/virtual-subaccount-list', 1],
    ['virtual-subaccount-apikey-list 5 per second', '/api/v2/user/virtual-subaccount-apikey-list', 5],
  ],
  async (path, limit) => {
    const alice = await at.person('Alice')
    await expectLimit(limit, () => alice.get(path))
  },
)

row(
  { rule: 'Limits of v2 per UID (wire/rate-limits-and-filters §3)', decision },
  'sub-account-assets 1 per 10 seconds',
  async () => {
    const alice = await at.person('Alice')
    const ask = () => alice.get('/api/v2/mix/account/sub-account-assets', { productType: 'USDT-FUTURES' })
    succeeds(await ask())
    await sleep(nextWindowMs)
    refuses(await ask(), '429', 429)
  },
)

table(
  { rule: 'Limits per UID', decision: '1 per second for a copy trader (design §4.23)' },
  [
    ['E3 1 per second for a copy trader', paths.placeOrder],
    ['a batch of v2 1 per second for a copy trader', '/api/v2/mix/order/batch-place-order'],
    ['a batch of v3 1 per second for a copy trader', paths.placeBatch],
    ['closing in v2 1 per second for a copy trader', '/api/v2/mix/order/close-positions'],
    ['closing in v3 1 per second for a copy trader', '/api/v3/trade/close-positions'],
    ['turning round 1 per second for a copy trader', '/api/v2/mix/order/click-backhand'],
  ],
  async (path) => {
    const trader = await at.person('Elite', { mode: 'classic' })
    await at.venue.operator('accounts/copy-trader', { uid: trader.uid, symbols: ['BTCUSDT'] })
    await expectLimit(1, () => trader.post(path, {}))
  },
)

table(
  { rule: 'Limits per IP', decision },
  [
    ['E8 20 per second', paths.publicFills],
    ['E10 20 per second', paths.fundingHistory],
  ],
  async (path) => {
    await expectLimit(20, () => at.venue.get(path, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }))
  },
)

const scope = {
  rule: 'Limits scope',
  decision: 'per endpoint and account; keys of one account share, sub-accounts do not (design §4.19)',
} as const

row(scope, 'two keys of one account share the limit', async () => {
  const alice = await at.person('Alice')
  const second = await at.venue.makeKey(alice.uid)
  let turn = 0
  await expectLimit(20, () => {
    turn += 1
    return turn % 2 === 0 ? alice.get(paths.settings) : alice.get(paths.settings, {}, { key: second })
  })
})

row(scope, 'a sub-account has its own', async () => {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main })
  await expectLimit(20, () => main.get(paths.settings))
  succeeds(await sub.get(paths.settings))
})

row(scope, 'another endpoint has its own', async () => {
  const alice = await at.person('Alice')
  await expectLimit(20, () => alice.get(paths.settings))
  succeeds(await alice.get(paths.fills))
})

row(scope, 'the next second begins anew', async () => {
  const alice = await at.person('Alice')
  await expectLimit(20, () => alice.get(paths.settings))
  await sleep(nextWindowMs)
  const { passed } = await burst(20, () => alice.get(paths.settings))
  expect(passed).toBe(20)
})

row(
  { rule: 'Limits scope', decision: 'forged calls count only against the address (design §4.38)' },
  'forged calls do not use up an account’s limit',
  async () => {
    const alice = await at.person('Alice')
    const forged = () => alice.get(paths.settings, {}, { key: { ...alice.key, secret: 'wrong' } })
    await burst(30, forged)
    const { passed } = await burst(20, () => alice.get(paths.settings))
    expect(passed).toBe(20)
  },
)

row(
  { rule: 'Limits scope', decision: 'X-Forwarded-For counts only from configured proxies (design §4.38)' },
  'a forged X-Forwarded-For is the same address',
  async () => {
    let turn = 0
    await sleep(nextWindowMs)
    await expectLimit(20, () => {
      turn += 1
      const headers = { 'X-Forwarded-For': `10.0.0.${turn}` }
      return at.venue.get(paths.publicFills, { category: 'SPOT', symbol: 'BTCUSDT' }, headers)
    })
  },
)

row(
  { rule: 'Limits', decision: 'counted before work is done: a limited order does not exist' },
  'an order over the limit is not placed',
  async () => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '1000000' } } })
    let name = 0
    const { passed } = await burst(40, () => {
      name += 1
      return alice.post(paths.placeOrder, { ...singleOrder('buy 0.001 @ 59000'), clientOid: `n${name}` })
    })
    expect(passed).toBeLessThan(40)
    await sleep(nextWindowMs)
    const answer = await alice.get('/api/v2/mix/order/orders-pending', { productType: 'USDT-FUTURES', limit: '100' })
    expect(answer.list('entrustedList')).toHaveLength(passed)
  },
)

row(
  { rule: 'Limits', decision: 'the header tells what is left of this second (wire/rate-limits-and-filters.md §1)' },
  'x-mbx-used-remain-limit counts down',
  async () => {
    const alice = await at.person('Alice')
    await sleep(nextWindowMs)
    const first = await alice.get(paths.settings)
    expect(first.headers['x-mbx-used-remain-limit']).toBe('19')
  },
)
