/**
 * Bills out of two tables: what is emitted as a bill, and what fills did to their wallets, in one order.
 *
 * Source  wire/client-endpoints.md §4; src/history/bill-table.ts
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { amount, lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Bill, Event, Liquidation } from '../../src/engine/protocol/event.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import { alice, bill, bob, conversion, fill, fillNumber, noon } from './samples.ts'

let history: History
let sequence = 0
beforeAll(async () => {
  history = await openHistory(':memory:')
})
afterEach(() => history.prune(Number.MAX_SAFE_INTEGER))
afterAll(() => history.close())

function record(...events: readonly Event[]): void {
  history.record(++sequence, noon, events)
}

const futures = { uid: alice, wallet: 'usdt_futures', limit: 10 } as const
const spot = { uid: alice, wallet: 'spot', limit: 10 } as const
const contract = { paidCoin: undefined, paidBalance: amount(0n), baseAmount: amount(0n) } as const

function billNumber(id: number, changes: Partial<Bill> = {}): Bill {
  return { ...bill, id, at: noon + id, ...changes }
}

/** Bought 90 of coin 5 for 5,000,000,000,000 of coin 4; one of the 90 is the fee. */
const bought = {
  category: 'SPOT',
  wallet: 'spot',
  effect: 'spot',
  bookSide: 'buy',
  feeCoin: 5,
  fee: amount(1n),
  realizedPnl: amount(0n),
  paidCoin: 4,
} as const

const ids = async (query: Parameters<History['bills']>[0]) => (await history.bills(query)).rows.map(({ id }) => id)

test('a bill comes back as it was recorded', async () => {
  record(bill)
  const { kind: _kind, ...recorded } = bill
  expect(await history.bills(futures)).toEqual({
    rows: [{ ...recorded, fill: undefined }],
    next: undefined,
    last: bill.id,
  })
  expect(await history.bills({ ...futures, uid: bob })).toEqual({ rows: [], next: undefined })
  expect(await history.bills({ ...futures, wallet: 'uta' })).toEqual({ rows: [], next: undefined })
})

test('a fill of a contract is one bill: its profit less its fee', async () => {
  const contractFill = { ...fill, ...contract }
  record(contractFill)
  const { rows } = await history.bills(futures)
  expect(rows).toEqual([
    {
      id: 501,
      uid: alice,
      wallet: 'usdt_futures',
      coin: 4,
      type: 'trade',
      category: 'USDT-FUTURES',
      amount: -3_000_001_250n,
      fee: 3_000_000_000n,
      balance: -70n,
      instrument: 3,
      otherWallet: '',
      fill: contractFill,
      at: noon,
    },
  ])
})

test.each([
  ['buy', 89n, -5_000_000_000_000n],
  ['sell', 4_999_999_999_999n, -90n],
] as const)(
  'a spot %s is two bills: what came in less the fee, and what went out',
  async (bookSide, received, paid) => {
    const coins = bookSide === 'buy' ? { feeCoin: 5, paidCoin: 4 } : { feeCoin: 4, paidCoin: 5 }
    record({ ...fill, ...bought, ...coins, bookSide })
    const { rows } = await history.bills(spot)
    expect(rows).toMatchObject([
      { id: 502, coin: coins.paidCoin, type: 'deal_out', amount: paid, fee: 0n, balance: 80n },
      { id: 501, coin: coins.feeCoin, type: 'deal_in', amount: received, fee: 1n, balance: -70n },
    ])
  },
)

test('bills and fills lie in one order, and pages neither repeat nor miss one', async () => {
  record(billNumber(1, { wallet: 'spot' }), fillNumber(2, bought), billNumber(4, { wallet: 'spot' }))
  record(fillNumber(5, bought), billNumber(7, { wallet: 'spot' }))
  const seen: number[] = []
  let beforeId: number | undefined
  do {
    const page = await history.bills({ ...spot, limit: 2, beforeId })
    seen.push(...page.rows.map(({ id }) => id))
    beforeId = page.next
  } while (beforeId !== undefined)
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
})

test('filters look at both', async () => {
  record(
    billNumber(1, { wallet: 'spot', coin: 4, otherWallet: '', type: 'deposit' }),
    billNumber(2, { wallet: 'spot', coin: 5, type: 'transfer_out', amount: amount(-1n) }),
    fillNumber(3, bought),
    fillNumber(5, { ...bought, bookSide: 'sell', feeCoin: 4, paidCoin: 5, category: 'MARGIN', instrument: 8 }),
  )
  expect(await ids({ ...spot, coin: 4 })).toEqual([5, 4, 1])
  expect(await ids({ ...spot, coin: 5 })).toEqual([6, 3, 2])
  expect(await ids({ ...spot, categories: ['OTHER'] })).toEqual([2, 1])
  expect(await ids({ ...spot, categories: ['MARGIN', 'OTHER'] })).toEqual([6, 5, 2, 1])
  expect(await ids({ ...spot, instrument: 8 })).toEqual([6, 5])
  expect(await ids({ ...spot, from: noon + 2, to: noon + 3 })).toEqual([4, 3, 2])
  const none = { bills: [], fills: [] }
  expect(await ids({ ...spot, kinds: none })).toEqual([])
  expect(await ids({ ...spot, kinds: { ...none, fills: [{ type: 'deal_in' }] } })).toEqual([5, 3])
  expect(await ids({ ...spot, kinds: { ...none, fills: [{ type: 'deal_out', bookSide: 'buy' }] } })).toEqual([4])
  const out = { type: 'transfer_out', comes: 'out', otherWallet: 'spot' } as const
  expect(await ids({ ...spot, kinds: { ...none, bills: [out] } })).toEqual([2])
  expect(await ids({ ...spot, kinds: { ...none, bills: [{ ...out, comes: 'in' }] } })).toEqual([])
  expect(await ids({ ...spot, kinds: { ...none, bills: [{ ...out, otherWallet: 'uta' }] } })).toEqual([])
})

test('conversions, the insurance fund by movement and by hour, and offers of liquidations', async () => {
  const hour = 3_600_000
  const start = noon - (noon % hour)
  const paid = (id: number, at: number, units: bigint, balance: bigint): Event => ({
    kind: 'insurance',
    id,
    uid: alice,
    wallet: 'usdt_futures',
    coin: 4,
    amount: amount(units),
    balance: amount(balance),
    at,
  })
  const moves = [paid(1, start, 5n, 95n), paid(2, start + 1, -7n, 102n), paid(3, start + hour, 2n, 100n)] as const
  record(conversion, { ...conversion, id: 28, fromCoin: 6 }, ...moves, { ...moves[0], id: 4, coin: 5 } as Event)
  expect((await history.conversions({ uid: alice, wallets: ['uta'], fromCoin: 4, limit: 5 })).rows).toEqual([
    conversion,
  ])
  expect((await history.conversions({ uid: alice, wallets: ['uta'], limit: 5 })).rows.map(({ id }) => id)).toEqual([
    28, 27,
  ])
  expect(await history.insurance({ coin: 4, limit: 2 })).toEqual([moves[2], moves[1]])
  expect(await history.insuranceHours({ coin: 4, limit: 24 })).toEqual([
    { start: start + hour, amount: 2n, balance: 100n },
    { start, amount: -2n, balance: 102n },
  ])
  const step = { instrument: 3, side: 'long', open: lots(9), flow: amount(0n), markPrice: ticks(5) } as const
  const offered = { ...step, quantity: lots(4), price: ticks(7), backing: 0n, equity: 0n, worth: 0n, total: 0n }
  const liquidation: Liquidation = {
    kind: 'liquidation',
    liquidationId: 30,
    uid: alice,
    wallet: 'usdt_futures',
    pool: 'cross',
    coin: 4,
    equity: 1n,
    maintenance: 2n,
    positions: [],
    balances: [],
    steps: [
      { ...offered, kind: 'offset' },
      { ...offered, kind: 'reduce' },
      { ...offered, kind: 'close', quantity: lots(5) },
      { ...offered, kind: 'hand-over' },
    ],
    firstOrder: 1,
    lastOrder: 2,
    firstFlow: 3,
    at: noon,
  }
  record(liquidation)
  const offer = { liquidationId: 30, instrument: 3, side: 'long', quantity: 4, price: 7, at: noon }
  const first = await history.liquidationOffers({ instruments: [3, 4], limit: 1 })
  expect(first.rows).toEqual([{ ...offer, quantity: 5 }])
  const second = await history.liquidationOffers({ instruments: [3], limit: 1, beforeId: first.next })
  expect(second).toEqual({ rows: [offer], next: undefined, last: expect.any(Number) })
  expect((await history.liquidationOffers({ instruments: [4], limit: 1 })).rows).toEqual([])
})

test('they go with their day', async () => {
  const dayLater = noon + 86_400_000
  record(billNumber(1), billNumber(9, { at: dayLater }), { ...conversion, at: noon + 1 })
  await history.prune(dayLater)
  expect(await ids(futures)).toEqual([9])
  expect((await history.conversions({ uid: alice, wallets: ['uta'], limit: 5 })).rows).toEqual([])
})
