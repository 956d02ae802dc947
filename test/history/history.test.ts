/**
 * What goes into the history comes out of it: every kind of event, every field, every filter, own writes at once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { amount, amountMax, lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event, FillEvent } from '../../src/engine/protocol/event.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import {
  alice,
  bob,
  deposit,
  everyKind,
  fill,
  fillNumber,
  fundingPayment,
  fundingRate,
  interest,
  loan,
  noon,
  order,
  orderNumber,
  position,
  rebate,
  repayment,
  trade,
  trailing,
  transfer,
  trigger,
  withdrawal,
} from './samples.ts'

// One for all tests, emptied in between: starting the thread takes longer than they do.
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

const ofAlice = { uid: alice, limit: 10 }
const only = <Row>(row: Row) => ({ rows: [row], next: undefined, last: expect.any(Number) })

test('a trailing order comes back with what it has besides', async () => {
  record({ kind: 'trigger-ended', trigger: trailing })
  expect(await history.triggers({ ...ofAlice, kinds: ['trailing-plan'] })).toEqual(only(trailing))
})

test('every kind of event comes back as it was, without a wait in between', async () => {
  record(...everyKind)
  expect(await history.fills(ofAlice)).toEqual(only(fill))
  expect(await history.orders(ofAlice)).toEqual(only(order))
  expect(await history.triggers(ofAlice)).toEqual(only(trigger))
  expect(await history.triggers({ ...ofAlice, kinds: ['plan'] })).toEqual({ rows: [], next: undefined })
  expect(await history.triggers({ ...ofAlice, statuses: ['failed'], clientOid: 'stop' })).toEqual(only(trigger))
  expect(await history.order({ uid: alice, orderId: 301 })).toEqual(order)
  expect(await history.trades({ instrument: 3, limit: 10 })).toEqual(only(trade))
  expect(await history.transfers(ofAlice)).toEqual(only(transfer))
  expect(await history.transfers({ uid: bob, limit: 10 })).toEqual(only(transfer))
  expect(await history.externalFlows(ofAlice)).toEqual({
    rows: [withdrawal, deposit],
    next: undefined,
    last: expect.any(Number),
  })
  expect(await history.externalFlows({ ...ofAlice, kind: 'deposit' })).toEqual(only(deposit))
  expect(await history.loans(ofAlice)).toEqual(only(loan))
  expect(await history.repayments(ofAlice)).toEqual(only(repayment))
  expect(await history.interest(ofAlice)).toEqual(only(interest))
  expect(await history.fundingRates({ instrument: 3, offset: 0, limit: 10 })).toEqual([fundingRate])
  expect(await history.fundingPayments(ofAlice)).toEqual(only(fundingPayment))
  expect(await history.positions(ofAlice)).toEqual(only(position))
  expect(await history.rebates({ uid: bob, limit: 10 })).toEqual(only(rebate))
})

test('questions asked at once are each answered with their own answer, again and again', async () => {
  record(...[alice, bob].flatMap((uid) => [{ ...fill, uid, execId: fill.execId + uid }]))
  for (const asked of [[alice], [bob, alice, bob], [alice, bob, bob, alice]]) {
    const answers = await Promise.all(asked.map((uid) => history.fills({ uid, limit: 1 })))
    expect(answers.map(({ rows }) => rows.map(({ uid }) => uid))).toEqual(asked.map((uid) => [uid]))
  }
})

test('an order without take-profit and stop-loss comes back without them', async () => {
  const plain = { ...order, takeProfit: undefined, stopLoss: undefined, reduceOnly: false, price: 0 as const }
  record({ kind: 'order-ended', order: plain })
  expect(await history.order({ uid: alice, clientOid: 'alice-1' })).toEqual(plain)
})

test('integers are exact to the ends of their range', async () => {
  const wide: FillEvent = {
    ...fill,
    execId: Number.MAX_SAFE_INTEGER,
    uid: Number.MAX_SAFE_INTEGER,
    price: ticks(Number.MAX_SAFE_INTEGER),
    quantity: lots(Number.MAX_SAFE_INTEGER),
    notional: amount(amountMax),
    fee: amount(-amountMax),
    realizedPnl: amount(2n ** 53n + 1n),
  }
  record(wide)
  expect(await history.fills({ uid: Number.MAX_SAFE_INTEGER, limit: 1 })).toEqual(only(wide))
})

describe('filters', () => {
  const spot = { category: 'SPOT', wallet: 'spot', instrument: 1 } as const
  const margin = { category: 'MARGIN', wallet: 'crossed_margin', instrument: 1 } as const

  test('of fills', async () => {
    record(
      fillNumber(1),
      fillNumber(2, spot),
      fillNumber(3, margin),
      fillNumber(4, { uid: bob }),
      fillNumber(5, { orderId: 1 }),
    )
    const ids = async (query: object) => (await history.fills({ ...ofAlice, ...query })).rows.map((row) => row.execId)
    expect(await ids({})).toEqual([5, 3, 2, 1])
    expect(await ids({ categories: ['SPOT', 'MARGIN'] })).toEqual([3, 2])
    expect(await ids({ categories: [] })).toEqual([])
    expect(await ids({ wallets: ['crossed_margin'] })).toEqual([3])
    expect(await ids({ instrument: 1 })).toEqual([3, 2])
    expect(await ids({ orderId: 1 })).toEqual([5, 1])
    expect(await ids({ orderId: 1, from: noon + 2, to: noon + 5 })).toEqual([5])
    expect(await ids({ beforeExecId: 3 })).toEqual([2, 1])
  })

  test('of orders', async () => {
    record(
      orderNumber(1, { clientOid: 'again' }),
      orderNumber(2, spot),
      orderNumber(3, { cause: 'user', orderType: 'market', bookSide: 'buy', positionSide: 'short', status: 'filled' }),
      orderNumber(4, { uid: bob }),
      orderNumber(5, { clientOid: 'again' }),
    )
    const ids = async (query: object) => (await history.orders({ ...ofAlice, ...query })).rows.map((row) => row.orderId)
    expect(await ids({})).toEqual([5, 3, 2, 1])
    expect(await ids({ categories: ['SPOT'] })).toEqual([2])
    expect(await ids({ wallets: ['usdt_futures'] })).toEqual([5, 3, 1])
    expect(await ids({ instrument: 1 })).toEqual([2])
    expect(await ids({ orderId: 3 })).toEqual([3])
    expect(await ids({ clientOid: 'again' })).toEqual([5, 1])
    expect(await ids({ causes: ['user', 'adl'] })).toEqual([3])
    expect(await ids({ orderTypes: ['market'] })).toEqual([3])
    expect(await ids({ positionSides: ['short', 'net'] })).toEqual([3])
    expect(await ids({ bookSide: 'buy' })).toEqual([3])
    expect(await ids({ statuses: ['filled'] })).toEqual([3])
    expect(await ids({ beforeOrderId: 3 })).toEqual([2, 1])
    expect((await history.order({ uid: alice, clientOid: 'again' }))?.orderId).toBe(5)
    expect(await history.order({ uid: alice, orderId: 4 })).toBeUndefined()
  })

  test('of transfers', async () => {
    record(
      { ...transfer, transferId: 1 },
      { ...transfer, transferId: 2, fromUid: bob, toUid: alice, fromWallet: 'uta', toWallet: 'spot' },
      { ...transfer, transferId: 3, toUid: alice, clientOid: '', coin: 5 },
      { ...transfer, transferId: 4, fromUid: bob },
    )
    const ids = async (query: object) =>
      (await history.transfers({ ...ofAlice, ...query })).rows.map((row) => row.transferId)
    expect(await ids({})).toEqual([3, 2, 1])
    expect(await ids({ limit: 2 })).toEqual([3, 2])
    expect(await ids({ coin: 5 })).toEqual([3])
    expect(await ids({ fromWallet: 'uta' })).toEqual([2])
    expect(await ids({ toWallet: 'uta' })).toEqual([3, 1])
    expect(await ids({ clientOid: 'move-1' })).toEqual([2, 1])
    expect(await ids({ beforeId: 3 })).toEqual([2, 1])
  })

  test('of loans, repayments and closed positions', async () => {
    record(loan, { ...loan, loanId: 31, coin: 5, wallet: 'uta' }, repayment, position)
    const ids = async (query: object) => (await history.loans({ ...ofAlice, ...query })).rows.map((row) => row.loanId)
    expect(await ids({})).toEqual([31, 21])
    expect(await ids({ coin: 5 })).toEqual([31])
    expect(await ids({ wallet: 'crossed_margin' })).toEqual([21])
    expect(await ids({ id: 21 })).toEqual([21])
    expect((await history.repayments({ ...ofAlice, id: 1 })).rows).toEqual([])
    expect((await history.positions({ ...ofAlice, instruments: [3], wallets: ['usdt_futures'] })).rows).toHaveLength(1)
    expect((await history.positions({ ...ofAlice, instruments: [4] })).rows).toEqual([])
  })
})

test('funding rates are paged by their place, newest first', async () => {
  const rates = [1, 2, 3, 4, 5].map((n) => ({ ...fundingRate, at: noon + n }))
  record(...rates, { ...fundingRate, instrument: 4 })
  expect(await history.fundingRates({ instrument: 3, offset: 0, limit: 2 })).toEqual([rates[4], rates[3]])
  expect(await history.fundingRates({ instrument: 3, offset: 4, limit: 2 })).toEqual([rates[0]])
})

describe('windows include both ends', () => {
  test.each([
    // from      to          fills at +1, +2, +2, +4
    [1, 4, [4, 3, 2, 1]],
    [2, 2, [3, 2]],
    [3, 3, []],
    [2, undefined, [4, 3, 2]],
    [undefined, 2, [3, 2, 1]],
    [5, undefined, []],
    [undefined, 0, []],
  ])('from %j to %j', async (from, to, expected) => {
    record(fillNumber(1), fillNumber(2), fillNumber(3, { at: noon + 2 }), fillNumber(4))
    record(orderNumber(1), orderNumber(2), orderNumber(3, { createdAt: noon + 2 }), orderNumber(4))
    const window = { from: from && noon + from, to: to === undefined ? undefined : noon + to }
    expect((await history.fills({ ...ofAlice, ...window })).rows.map((row) => row.execId)).toEqual(expected)
    expect((await history.orders({ ...ofAlice, ...window })).rows.map((row) => row.orderId)).toEqual(expected)
  })
})
