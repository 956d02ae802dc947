/** Where rows come from: the command of each, what moved an account, and the timeline of a liquidated order. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amount, lots, rate, ticks, zero } from '../../src/engine/numbers/numbers.ts'
import type { InsuranceEvent, Liquidation, MarginLiquidation } from '../../src/engine/protocol/event.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import { alice, bob, deposit, fill, fillNumber, fundingPayment, noon, orderNumber, transfer } from './samples.ts'

let history: History
beforeAll(async () => {
  history = await openHistory(':memory:')
})
afterAll(() => history.close())

const liquidation: Liquidation = {
  kind: 'liquidation',
  liquidationId: 95,
  uid: alice,
  wallet: 'usdt_futures',
  pool: 'unified',
  coin: undefined,
  equity: -(10n ** 25n),
  maintenance: 10n ** 24n + 1n,
  positions: [
    {
      instrument: 3,
      side: 'long',
      quantity: lots(5),
      flow: amount(-300n),
      margin: zero,
      indexPrice: ticks(500_000),
      markPrice: ticks(500_001),
      unrealizedPnl: -(10n ** 22n),
      counted: lots(5),
      rate: 4_600_000_000n,
      deduction: 0n,
      maintenance: 7n,
    },
  ],
  balances: [{ coin: 4, balance: amount(12n), debt: zero, usdE8: 100_000_000n }],
  steps: [
    {
      kind: 'hand-over',
      instrument: 3,
      side: 'long',
      open: lots(5),
      flow: amount(-300n),
      quantity: lots(5),
      price: ticks(490_000),
      markPrice: ticks(500_001),
      backing: -1n,
      equity: 2n,
      worth: 10n ** 30n,
      total: 10n ** 30n,
    },
  ],
  firstOrder: 700,
  lastOrder: 702,
  firstFlow: 90,
  at: noon,
}
const marginLiquidation: MarginLiquidation = {
  kind: 'margin-liquidation',
  liquidationId: 110,
  uid: bob,
  wallet: 'crossed_margin',
  level: rate(1n),
  riskRate: rate(2n),
  assetsUsd: amount(3n),
  debtUsd: amount(4n),
  feeUsd: amount(5n),
  coveredUsd: amount(6n),
  balances: [{ coin: 4, balance: amount(7n), debt: amount(8n), usdE8: 9n }],
  liquidationLevel: rate(10n),
  feeRate: rate(11n),
  firstOrder: 800,
  lastOrder: 800,
  lastFlow: 112,
  at: noon + 9,
}
const insured: InsuranceEvent = {
  kind: 'insurance',
  id: 93,
  uid: alice,
  wallet: 'usdt_futures',
  coin: 4,
  amount: amount(-5n),
  balance: amount(6n),
  at: noon,
}

test('every row keeps the sequence and the kind of its command; the newest cause comes first', async () => {
  history.record(41, noon, [deposit], 'deposit')
  history.record(42, noon + 1, [{ ...fill, at: noon + 1 }], 'place-order')
  history.record(43, noon + 2, [{ ...fundingPayment, at: noon + 2 }, transfer], 'run-timers')
  history.record(44, noon + 3, [fillNumber(900, { at: noon + 3, wallet: 'uta', orderId: 5 })])
  const all = await history.lineage({ uid: alice, limit: 10 })
  expect(all.map(({ sequence, command, what }) => [sequence, command, what])).toEqual([
    [44, '', 'fills'],
    [43, 'run-timers', 'funding_payments'],
    [42, 'place-order', 'fills'],
    [43, 'run-timers', 'transfers'],
    [41, 'deposit', 'external_flows'],
  ])
  expect(all[4]?.event).toEqual(deposit)
  const ofPosition = await history.lineage({ uid: alice, instrument: 3, wallet: 'usdt_futures', limit: 10 })
  expect(ofPosition.map(({ sequence }) => sequence)).toEqual([43, 42])
  expect(await history.lineage({ uid: alice, limit: 1 })).toHaveLength(1)
  expect((await history.lineage({ uid: bob, limit: 10 })).map(({ what }) => what)).toEqual(['transfers'])
})

test('an order has the liquidation that it was part of, with all that belongs to it', async () => {
  const forced = orderNumber(701, { cause: 'liquidation' })
  const counterparty = orderNumber(702, { cause: 'adl', uid: bob })
  const itsFill = fillNumber(901, { orderId: 701 })
  const other = { ...insured, id: 96 }
  history.record(50, noon, [itsFill, forced, counterparty, insured, liquidation, other], 'set-index-prices')
  const timeline = await history.orderTimeline({ orderId: 701 })
  expect(timeline.order).toMatchObject({ sequence: 50, command: 'set-index-prices' })
  expect(timeline.fills).toEqual([{ sequence: 50, command: 'set-index-prices', event: itsFill }])
  expect(timeline.liquidation).toMatchObject({ sequence: 50, fills: [itsFill], insurance: [insured] })
  expect(timeline.liquidation?.event).toEqual(liquidation)
  expect(timeline.liquidation?.orders.map(({ orderId }) => orderId)).toEqual([701, 702])
  expect((await history.orderTimeline({ orderId: 703 })).liquidation).toBeUndefined()
})

test('a liquidation is found by its number as well', async () => {
  expect((await history.liquidationTimeline({ liquidationId: 95 }))?.orders).toHaveLength(2)
  expect(await history.liquidationTimeline({ liquidationId: 96 })).toBeUndefined()
})

test('so does an order of a margin wallet', async () => {
  history.record(60, noon + 9, [orderNumber(800, { uid: bob }), marginLiquidation], 'run-timers')
  const { liquidation: found } = await history.orderTimeline({ orderId: 800 })
  expect(found?.event).toEqual(marginLiquidation)
  expect(found?.insurance).toEqual([])
})
