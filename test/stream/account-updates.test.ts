/** What the events of one command mean to an account: its orders at each step, in the order of things. */
import { expect, test } from 'vitest'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import { amount, lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event, FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { Core } from '../../src/runtime/core.ts'
import { accountUpdatesOf } from '../../src/stream/account-updates.ts'

const linear = { kind: 'linear', priceDecimals: 1, quantityStep: 1, quantityDecimals: 3 } as Instrument
const inverse = { kind: 'inverse', priceDecimals: 1, quantityStep: 1, quantityDecimals: 0 } as Instrument
const uid = 7
const coin = 100_000_000n

function orderOf(fields: Partial<OrderRecord>): OrderRecord {
  const sizes = { quantity: lots(10), cut: lots(0), baseAmount: amount(0n), filled: lots(0) }
  return { orderId: 1, uid, instrument: 0, status: 'live', ...sizes, ...fields } as OrderRecord
}

/** So many lots at a price, as a fill of the order. */
function fillOf(quantity: number, notional: bigint, orderId = 1): FillEvent {
  const fill = { kind: 'fill', orderId, uid, instrument: 0, price: ticks(1), quantity: lots(quantity) }
  return { ...fill, notional: amount(notional), fee: amount(1n), realizedPnl: amount(10n) } as FillEvent
}

function updatesOf(events: readonly Event[], resting: readonly OrderRecord[], instrument: Instrument = linear) {
  const query = ({ order }: { readonly order: { readonly orderId: number } }) =>
    resting.find(({ orderId }) => orderId === order.orderId)
  const found = accountUpdatesOf(events, uid, { query: query as unknown as Core['query'] }, () => instrument)
  return found.flatMap((update) => {
    if (update.kind !== 'order') return []
    const { orderId, status, filled, averagePriceE8, fee, realizedPnl } = update.order
    const sums = filled === 0 ? '' : ` ${filled} at ${averagePriceE8} fee ${fee} pnl ${realizedPnl}`
    return [`${orderId} ${status}${sums}`]
  })
}

const accepted = { kind: 'order-accepted', uid, orderId: 1 } as const
const ended = (fields: Partial<OrderRecord>): Event => ({ kind: 'order-ended', order: orderOf(fields) })
// One lot of 0.001 at 60,000 is 60; two at 60,300 are 120.6: 60,200 on average.
const steps = [fillOf(1, 60n * coin), fillOf(2, 12_060_000_000n)]
const both = {
  filled: lots(3),
  filledNotional: amount(18_060_000_000n),
  averagePriceE8: 60_200n * coin,
  fee: amount(2n),
  realizedPnl: amount(20n),
}
const first = '1 partially_filled 1 at 6000000000000 fee 1 pnl 10'
const second = '3 at 6020000000000 fee 2 pnl 20'

test.each<[string, readonly Event[], readonly OrderRecord[], readonly string[]]>([
  ['it rests', [accepted], [orderOf({})], ['1 live']],
  ['it rests and goes at once', [accepted, ended({ status: 'canceled' })], [], ['1 canceled']],
  ['it fills whole', [...steps, ended({ ...both, status: 'filled' })], [], [first, `1 filled ${second}`]],
  [
    'it fills and what is left rests',
    [...steps, accepted],
    [orderOf({ ...both, status: 'partially_filled' })],
    [first, `1 partially_filled ${second}`],
  ],
  [
    'it fills and what is left goes',
    [...steps, ended({ ...both, status: 'canceled', cancelReason: 'no-liquidity' })],
    [],
    [first, `1 partially_filled ${second}`, `1 canceled ${second}`],
  ],
  [
    'it was found by others',
    steps.slice(0, 1),
    [
      orderOf({
        ...both,
        filled: lots(1),
        filledNotional: amount(60n * coin),
        averagePriceE8: 60_000n * coin,
        fee: amount(1n),
        realizedPnl: amount(10n),
        status: 'partially_filled',
      }),
    ],
    [first],
  ],
  [
    'of two orders each has its own steps',
    [fillOf(1, 60n * coin, 2), ...steps, accepted],
    [
      orderOf({ ...both, status: 'partially_filled' }),
      orderOf({ ...both, orderId: 2, filled: lots(1), averagePriceE8: 1n, status: 'partially_filled' }),
    ],
    ['2 partially_filled 1 at 1 fee 2 pnl 20', first, `1 partially_filled ${second}`],
  ],
])('%s', (_what, events, resting, expected) => {
  expect(updatesOf(events, resting)).toEqual(expected)
})

test('inverse: dollars over coins', () => {
  // 100 USD at 50,000 are 0.002 BTC, 100 at 40,000 are 0.0025.
  const fills = [fillOf(100, 200_000n), fillOf(100, 250_000n)]
  const whole = { ...both, filled: lots(200), filledNotional: amount(450_000n), averagePriceE8: 4_444_444_444_444n }
  expect(updatesOf([...fills, ended({ ...whole, status: 'filled' })], [], inverse)).toEqual([
    '1 partially_filled 100 at 5000000000000 fee 1 pnl 10',
    '1 filled 200 at 4444444444444 fee 2 pnl 20',
  ])
})

test('cut: each step shows the size that the order had then', () => {
  const cut = (gone: number): Event => {
    return { kind: 'order-cut', uid, orderId: 1, cut: lots(gone), baseCut: amount(5n) }
  }
  // Ten, of which three are filled, then four are cut: three are left to fill.
  const resting = orderOf({ ...both, quantity: lots(6), cut: lots(4), status: 'partially_filled' })
  const sizes = (events: readonly Event[], order: OrderRecord) => {
    const query = (() => order) as unknown as Core['query']
    return accountUpdatesOf(events, uid, { query }, () => linear).flatMap((update) => {
      if (update.kind !== 'order') return []
      const { status, quantity, baseAmount, cut: gone } = update.order
      return [`${status} ${update.order.filled} of ${quantity}, ${baseAmount} base, cut ${gone}`]
    })
  }
  expect(sizes([...steps, cut(4)], resting)).toEqual([
    'partially_filled 1 of 10, 5 base, cut 0',
    'partially_filled 3 of 10, 5 base, cut 0',
    'partially_filled 3 of 6, 0 base, cut 4',
  ])
  // Nothing of it is filled.
  const nothing = { filledNotional: amount(0n), fee: amount(0n), realizedPnl: amount(0n) }
  const whole = orderOf({ ...nothing, quantity: lots(3), cut: lots(7) })
  expect(sizes([cut(5), cut(2)], whole)).toEqual(['live 0 of 5, 5 base, cut 5', 'live 0 of 3, 0 base, cut 7'])
  // It rests, and is cut by the same command.
  expect(sizes([accepted, cut(7)], whole)).toEqual(['live 0 of 10, 5 base, cut 0', 'live 0 of 3, 0 base, cut 7'])
})
