/**
 * Delivery: a dated or delisted contract ends at a price; every position is closed at it, free of fees.
 *
 * Order     its open orders go first; then longs and shorts are closed in the order in which they were opened
 * After     the contract is halted and holds no position
 * Source    design.md §6 (`operator/deliveries`), §4.26; interface.md tradeSide `delivery_*`
 */
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import { insure } from '../ledger-postings/ledger-postings.ts'
import { carriedAt } from '../margin/margin.ts'
import { amount, priceTicksMax, rate } from '../numbers/numbers.ts'
import { endOrder, fillForced, shedOrders } from '../orders/orders.ts'
import type { Deliver } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import { type Exposure, positionOf, type Venue } from '../state/state.ts'
import { scanRisk } from './scan.ts'

export function deliver(venue: Venue, command: Deliver): Reply {
  const instrument = venue.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return refused({ kind: 'instrument-unknown' })
  if (command.price < 1 || command.price > priceTicksMax) {
    return refused({ kind: 'instrument-record-wrong', field: 'price', rule: 'is a price of the contract' })
  }
  if (!carriedAt(venue, instrument, command.price)) return refused({ kind: 'price-beyond-positions' })

  const { orders } = venue
  const open = [...orders.live()].filter((row) => orders.instrument.at(row) === instrument.id)
  for (const row of open.sort((a, b) => orders.id.at(a) - orders.id.at(b))) endOrder(venue, row, 'canceled', 'system')
  let positions = 0
  for (const exposure of venue.futures.ofInstrument(instrument.id)) {
    for (const side of ['long', 'short'] as const) {
      const position = positionOf(exposure, side)
      if (position === undefined) continue
      positions++
      fillForced(venue, {
        exposure,
        side,
        effect: 'close',
        quantity: position.quantity,
        price: command.price,
        feeRate: rate(0n),
        cause: 'delivery',
        matchId: venue.counters.match++,
        scope: 'taker',
      })
      if (exposure.account === venue.liquidation.fund) sweep(venue, exposure, instrument)
    }
  }
  halt(venue, instrument)
  for (const exposure of venue.futures.ofInstrument(instrument.id)) shedOrders(venue, exposure)
  scanRisk(venue, [])
  return { kind: 'delivered', positions }
}

function sweep(venue: Venue, fund: Exposure, { id, settle }: FuturesInstrument): void {
  const slot = venue.ledger.slot(fund.account, fund.wallet, settle)
  insure(venue, slot, amount(-venue.ledger.balanceOf(slot)), { instrument: id })
}

function halt(venue: Venue, instrument: FuturesInstrument): void {
  const { catalog } = venue
  const instruments = catalog.instruments.map((one) =>
    one.id === instrument.id ? { ...instrument, status: 'halted' as const } : one,
  )
  venue.catalog = { ...catalog, version: catalog.version + 1, instruments }
  venue.emit({ kind: 'catalog-changed' })
}
