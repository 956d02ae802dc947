/**
 * Which index updates are taken, and what is halted while a coin has no trusted price.
 *
 * Suspect   the coin's last update jumped by more than the factor, and is held back
 * Stale     the last price that was taken is older than the coin's limit
 * Range     an index that a book does not carry is not taken: the instrument keeps the last that one did
 * Halted    an instrument that uses a suspect or stale coin, or whose index is out of range: no funding, no liquidation, no
 *           trigger by mark, and only orders that reduce; a suspect coin is not lent, nor lent against. A pair goes on, but
 *           not out of range: nobody could name its price
 * Source    risk-engine.md §12; reliability.md F6
 */
import { type CoinId, type Instrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { Reading } from '../state/state.ts'
import type { IndexHalt } from '../vocabulary.ts'

/** Why an instrument is halted: the first of its coins that has no trusted price, or its range; undefined: it is not. */
export function haltOf(reading: Reading, id: InstrumentId): IndexHalt | undefined {
  const instrument: Instrument = reading.instrument(id)
  return (
    coinHalt(reading, instrument.base) ??
    (instrument.quote === -1 ? undefined : coinHalt(reading, instrument.quote)) ??
    (isFutures(instrument) ? coinHalt(reading, instrument.settle) : undefined) ??
    (reading.prices.isBeyondRange(id) ? 'out-of-range' : undefined)
  )
}

export function isHalted(reading: Reading, id: InstrumentId): boolean {
  return haltOf(reading, id) !== undefined
}

/** Why a coin has no trusted price; undefined: it has one. */
export function coinHalt({ prices }: Reading, coin: CoinId): IndexHalt | undefined {
  if (prices.heldBack[coin] !== 0n) return 'suspect'
  return prices.stale[coin] ? 'stale' : undefined
}

export function isCoinHalted(reading: Reading, coin: CoinId): boolean {
  return coinHalt(reading, coin) !== undefined
}

/** Instruments and why each is halted, to be compared with what it is later. */
export type Halts = ReadonlyMap<InstrumentId, IndexHalt | undefined>

/** The halts of these instruments, in their order; of all, when none are named. */
export function halts(reading: Reading, instruments?: readonly InstrumentId[]): Halts {
  const ids = instruments ?? reading.catalog.instruments.map(({ id }) => id)
  return new Map(ids.map((id) => [id, haltOf(reading, id)]))
}

/** Whether a new price lies further from the present one than the factor allows. */
export function jumps({ prices }: Reading, coin: CoinId, priceE8: bigint): boolean {
  const { jumpFactor } = prices.settings
  const present = prices.usdE8(coin)
  return priceE8 * rateOne > present * jumpFactor || priceE8 * jumpFactor < present * rateOne
}

/** Whether a new price lies within 10 % of the one that was held back. */
export function confirms(heldBack: bigint, priceE8: bigint): boolean {
  return heldBack !== 0n && priceE8 * 10n >= heldBack * 9n && priceE8 * 10n <= heldBack * 11n
}
