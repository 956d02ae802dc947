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
import { priceTicksMax, rateOne } from '../numbers/numbers.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { SetGivenPrices, SetIndexPrices } from '../protocol/command.ts'
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

/** The first rule that given prices break. An interval of eight hours pays at most what a position is worth. */
export function givenPricesFault(reading: Reading, { contracts }: SetGivenPrices): Refusal | undefined {
  for (const { instrument: id, markPrice, fundingRate } of contracts) {
    const instrument = reading.catalog.instruments[id]
    if (instrument === undefined) return { kind: 'instrument-unknown' }
    const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
    if (!isFutures(instrument)) return fault('symbol', 'must be a futures contract')
    if (markPrice !== undefined && (markPrice < 1 || markPrice > priceTicksMax)) {
      return fault('markPrice', `lies between 1 and ${priceTicksMax} ticks`)
    }
    const rateMost = (rateOne * BigInt(instrument.fundingIntervalHours)) / 8n
    if (fundingRate !== undefined && (fundingRate < -rateMost || fundingRate > rateMost)) {
      return fault(
        'fundingRate',
        `lies between -${instrument.fundingIntervalHours}/8 and ${instrument.fundingIntervalHours}/8`,
      )
    }
  }
  return undefined
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
