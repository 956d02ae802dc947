/**
 * Which prices a margin account is watched by, and how far they may go before it must be checked again.
 *
 * Room    each contract may use an equal part of the pool's buffer, so while none has, the pool is sound; a bound, not an
 *         estimate
 * Source  risk-engine.md §5, §6, §16
 */
import type { CoinId, FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { steepestRate } from '../margin/margin.ts'
import { divCeil, priceTicksMax, rateOne } from '../numbers/numbers.ts'
import type { Exposure, Reading, WatchedPrices } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'

/** Marks of one contract outside which a pool with this buffer (1e-12 units, above zero) must be checked again. */
export function roomOf(
  reading: Reading,
  exposure: Exposure,
  side: PositionSide | undefined,
  buffer: bigint,
): { readonly below: number; readonly above: number } {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  const long = side === 'short' ? 0 : (exposure.long?.quantity ?? 0)
  const short = side === 'long' ? 0 : (exposure.short?.quantity ?? 0)
  const net = BigInt(Math.abs(long - short))
  const larger = BigInt(Math.max(long, short))
  // What one tick (linear), or one unit of 1/price (inverse), can cost at most: PnL of the net, maintenance of the larger.
  const steepness = net * rateOne + larger * steepestRate(instrument)
  if (!scale.inverse) {
    const ticks = buffer / (steepness * scale.unit)
    const room = ticks < 1n ? 1 : Number(ticks > BigInt(priceTicksMax) ? BigInt(priceTicksMax) : ticks)
    return { below: mark - room, above: mark + room }
  }
  const weight = (steepness * scale.numerator) / scale.priceStep + 1n
  const below = divCeil(weight * BigInt(mark), weight + buffer * BigInt(mark))
  const upward = weight - buffer * BigInt(mark)
  const above = upward <= 0n ? BigInt(priceTicksMax) + 1n : (weight * BigInt(mark)) / upward
  return { below: Math.min(Number(below), mark - 1), above: Math.max(Number(above), mark + 1) }
}

/** Prices of coins and marks of contracts, each at a place of its own. */
export function unifiedPrices({ catalog: { coins, instruments }, prices }: Reading): WatchedPrices {
  return {
    places: 2 * Math.max(coins.length, instruments.length),
    joined: coins.length + instruments.length,
    at(place) {
      const id = place >> 1
      if (place === coinPlace(id)) return id < coins.length ? prices.usdE8(id) : 0n
      return id < instruments.length && instruments[id].kind !== 'spot' ? BigInt(prices.markPrice(id)) : 0n
    },
  }
}

/** The place of a coin's index price in `unifiedPrices`. */
export function coinPlace(coin: CoinId): number {
  return 2 * coin
}

/** The place of a contract's mark in `unifiedPrices`. */
export function markPlace(instrument: InstrumentId): number {
  return 2 * instrument + 1
}
