/**
 * What the venue's 64-bit amounts carry of futures: bounds that lie far beyond any market, and are refused all the same.
 *
 * Orders     the opening orders of one margin account ask for at most 2^61 units, also for what they do not hold now. When
 *            the position closes that they would only have reduced, all of it is held at once
 * Positions  are worth at most 2^62 units at the mark price. An index that would make one worth more is refused, and a
 *            mark that would is not taken
 * Source     design.md §2 (overflow is checked, never wrapped)
 */
import { type FuturesInstrument, type InstrumentId, isFutures, lotWorthMax, positionsMax } from '../catalog/catalog.ts'
import { big, type Ticks } from '../numbers/numbers.ts'
import type { SetIndexPrices } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { type Exposure, largerSide, type Reading } from '../state/state.ts'
import type { AccountHandle } from '../vocabulary.ts'

export const holdMax = 2n ** 61n
export const positionWorthMax = 2n ** 62n

/** Whether a margin account's opening orders may ask for `more` units. Of `exposure` the orders of the given copy count. */
export function canHold(reading: Reading, exposure: Exposure, more: bigint): boolean {
  const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
  const { futures } = reading
  let sum = more
  for (let other = futures.first(exposure.account); other !== undefined; other = futures.next(other)) {
    const counted = other.index === exposure.index ? exposure : other
    if (counted.buyQuantity + counted.sellQuantity === 0 || counted.wallet !== exposure.wallet) continue
    const instrument = reading.instrument(counted.instrument) as FuturesInstrument
    if (instrument.settle === settle) sum += counted.buyHold + counted.sellHold
  }
  return sum <= holdMax
}

/** Why the account may begin no other position. Orders that rest were let in before, and begin theirs when they fill. */
export function refuseOneMorePosition({ futures }: Reading, account: AccountHandle): Refusal | undefined {
  if (futures.positionsPossible() <= positionsMax || futures.positionCount(account) < positionsMax) return undefined
  return { kind: 'positions-max', maximum: positionsMax }
}

/** Whether the open positions of a contract could be carried at a price. */
export function carriedAt(reading: Reading, instrument: FuturesInstrument, price: Ticks): boolean {
  const scale = reading.scale(instrument.id)
  const worth = lotWorthMax(scale, price)
  if (worth <= lotWorthMax(scale, reading.prices.markPrice(instrument.id))) return true
  if (big(reading.futures.openInterest[instrument.id] ?? 0) * worth <= positionWorthMax) return true
  for (const exposure of reading.futures.ofInstrument(instrument.id)) {
    if (big(largerSide(exposure)) * worth > positionWorthMax) return false
  }
  return true
}

/** Whether every open position could be carried at the indexes that these prices make. */
export function isCarried(
  reading: Reading,
  prices: SetIndexPrices['prices'],
  priced: readonly InstrumentId[],
): boolean {
  const usd = new Map(prices)
  return priced.every((id) => {
    const instrument = reading.instrument(id)
    // One that is out of range is not taken.
    const index = isFutures(instrument) ? reading.prices.indexOf(instrument, usd) : undefined
    return index === undefined || carriedAt(reading, instrument as FuturesInstrument, index)
  })
}
