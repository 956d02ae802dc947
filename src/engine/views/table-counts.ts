/**
 * How many entries each table of the state has, for whoever watches that none grows without end.
 *
 * Bounds   by accounts: wallets, exposures, waits · by what is open: orders, extras, triggers, positions, loans, client order ids
 *          of live orders, transfers over networks · by a time: client order ids of ended orders, transfers and withdrawals
 *          that a repeat would be recognised by
 * Cost     reads every account, not their orders
 */
import type { TableCounts } from '../protocol/query.ts'
import type { Reading } from '../state/state.ts'

interface Rows {
  readonly rows: number
  readonly freed: readonly number[]
}

export function tableCounts(reading: Reading): TableCounts {
  const { accounts, ledger, orders, triggers, futures, loans, debtors, liquidation } = reading
  const everyone = accounts.all()
  const heaps = [...liquidation.below, ...liquidation.above]
  const watches = [debtors.waiting, liquidation.unions]
  return {
    accounts: everyone.length,
    wallets: liveRows(ledger),
    orders: liveRows(orders),
    'order-extras': orders.extras.size,
    triggers: liveRows(triggers),
    exposures: liveRows(futures.exposures),
    positions: liveRows(futures.positions),
    loans: liveRows(loans),
    timers: reading.timersSet,
    'client-order-ids': everyone.reduce((sum, { clientOids }) => sum + (clientOids?.size ?? 0), 0),
    'client-order-ids-ended': accounts.ended.clientOids.length - accounts.endedFrom,
    transfers: reading.transfers.size,
    'conversion-quotes': reading.conversions.count,
    'chain-transfers': reading.chainTransfers.open.size,
    'withdrawals-known': reading.chainTransfers.known.size,
    'coin-leverages': reading.coinLeverages.size,
    'price-waits':
      heaps.reduce((sum, { items }) => sum + items.length, 0) +
      watches.reduce((sum, { far, near }) => sum + far.items.length + near.size, 0),
    breached: liquidation.queue.length + debtors.breached.size,
  }
}

/** Rows in use; the unused row 0 is none. */
function liveRows({ rows, freed }: Rows): number {
  return rows - 1 - freed.length
}
