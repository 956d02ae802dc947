/**
 * Delivery: a dated or delisted contract ends at a price; every position is closed at it, free of fees.
 *
 * Order     its open orders are canceled first; then longs and shorts are closed in the order in which they were opened
 * After     the contract is halted and holds no position
 * Source    design.md §6 (`operator/deliveries`), §4.26; interface.md tradeSide `delivery_*`
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { insure } from '../ledger-postings/ledger-postings.ts'
import { admitDelivery } from '../liquidation-rules/liquidation-rules.ts'
import { amount, rate } from '../numbers/numbers.ts'
import { closeOrder, fillForced, cancelUncoveredOrders } from '../orders/orders.ts'
import type { Deliver } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { type Exposure, positionOf, type State } from '../state/state.ts'
import { scanRisk } from './scan.ts'

export function deliver(state: State, command: Deliver): Reply {
  const decided = admitDelivery(state, command)
  if ('kind' in decided) return refused(decided)

  const { instrument } = decided
  const { orders } = state
  const open = [...orders.live()].filter((row) => orders.instrument.at(row) === instrument.id)
  for (const row of open.sort((a, b) => orders.id.at(a) - orders.id.at(b))) closeOrder(state, row, 'canceled', 'system')
  let positions = 0
  for (const exposure of state.futures.ofInstrument(instrument.id)) {
    for (const side of ['long', 'short'] as const) {
      const position = positionOf(exposure, side)
      if (position === undefined) continue
      positions++
      fillForced(state, {
        exposure,
        side,
        effect: 'close',
        quantity: position.quantity,
        price: command.price,
        feeRate: rate(0n),
        cause: 'delivery',
        matchId: state.counters.match++,
        scope: 'taker',
      })
      if (exposure.account === state.liquidation.fund) sweep(state, exposure, instrument)
    }
  }
  halt(state, instrument)
  for (const exposure of state.futures.ofInstrument(instrument.id)) cancelUncoveredOrders(state, exposure)
  scanRisk(state, [])
  return { kind: 'delivered', positions }
}

/** What the fund's account has is the insurance fund's. */
function sweep(state: State, fund: Exposure, { id, settle }: FuturesInstrument): void {
  const slot = state.ledger.slot(fund.account, fund.wallet, settle)
  insure(state, slot, amount(-state.ledger.balanceOf(slot)), { instrument: id })
}

function halt(state: State, instrument: FuturesInstrument): void {
  const { catalog } = state
  const instruments = catalog.instruments.map((listed) =>
    listed.id === instrument.id ? { ...instrument, status: 'halted' as const } : listed,
  )
  state.catalog = { ...catalog, version: catalog.version + 1, instruments }
  state.emit({ kind: 'catalog-changed' })
}
