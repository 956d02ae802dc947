/**
 * Whether a contract may be delivered at a price.
 *
 * Source  design.md §6 (`operator/deliveries`)
 */
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import { carriedAt } from '../margin/margin.ts'
import { priceTicksMax } from '../numbers/numbers.ts'
import type { Deliver } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

/** The contract that ends. */
export function admitDelivery(
  reading: Reading,
  command: Deliver,
): { readonly instrument: FuturesInstrument } | Refusal {
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  if (command.price < 1 || command.price > priceTicksMax) {
    return { kind: 'instrument-record-wrong', field: 'price', rule: 'is a price of the contract' }
  }
  if (!carriedAt(reading, instrument, command.price)) return { kind: 'price-beyond-positions' }
  return { instrument }
}
