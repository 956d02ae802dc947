/**
 * Whether index prices may be set, and funding settled.
 *
 * Source  design.md §6; risk-engine.md §12, §13
 */
import {
  type CoinId,
  type FuturesInstrument,
  type InstrumentId,
  instrumentsUsing,
  isFutures,
} from '../catalog/catalog.ts'
import { isCarried } from '../margin/margin.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { SetIndexPrices } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

/** The coins whose index is set, and the instruments that use them. The new indexes must carry every open position. */
export function admitIndexPrices(
  reading: Reading,
  command: SetIndexPrices,
): { readonly coins: readonly CoinId[]; readonly priced: readonly InstrumentId[] } | Refusal {
  for (const [coin, price] of command.prices) {
    if (reading.catalog.coins[coin] === undefined) return { kind: 'coin-unknown' }
    if (price <= 0n) return { kind: 'amount-not-positive' }
  }
  const coins = command.prices.map(([coin]) => coin)
  const priced = coins.length === 0 ? [] : instrumentsUsing(reading.catalog, coins)
  return isCarried(reading, command.prices, priced) ? { coins, priced } : { kind: 'price-beyond-positions' }
}

/** The contract whose funding is settled. */
export function contractToSettle(
  reading: Reading,
  id: InstrumentId,
): { readonly instrument: FuturesInstrument } | Refusal {
  const instrument = reading.catalog.instruments[id]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  if (isHalted(reading, id)) return { kind: 'index-stale' }
  return { instrument }
}
