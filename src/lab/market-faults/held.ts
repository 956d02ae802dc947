/**
 * What a market fault changed, and how that goes back to what it was: plain data, so that it is saved with the venue.
 *
 * Overlap   two faults may change the same. The one that ends first hands what it found to the one that came after it, so that
 *           all is as before when both have ended
 * Source    lab.md §4.5
 */
import type { CoinId, InstrumentId, InstrumentStatus, MaintenanceTier } from '../../engine/catalog/catalog.ts'
import { type Lots, type Rate, type Ticks, lots } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import { indexPrice, setIndexPrice } from '../cheats/prices.ts'
import { clearHouse, layLevels, type Levels, tradeAt, uncrossed } from '../market/book.ts'
import { leastLots } from '../market/house.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** `before`: as the fault found it. */
export type Held =
  | { readonly what: 'status'; readonly of: InstrumentId; readonly before: InstrumentStatus }
  | { readonly what: 'fees'; readonly of: InstrumentId; readonly before: Fees }
  | { readonly what: 'tiers'; readonly of: InstrumentId; readonly before: readonly MaintenanceTier[] }
  | { readonly what: 'minimum'; readonly of: InstrumentId; readonly before: Lots }
  /** How old an index may be. */
  | { readonly what: 'freshness'; readonly of: CoinId; readonly before: number }
  /** In USD of 1e-8; the fault made it `factor` times as much. */
  | { readonly what: 'index'; readonly of: CoinId; readonly before: bigint; readonly factor: number }
  /** What the laboratory had in the book, and the last price, 0 if the fault let it alone. */
  | { readonly what: 'book'; readonly of: InstrumentId; readonly before: Levels & { readonly lastPrice: Ticks | 0 } }

interface Fees {
  readonly maker: Rate
  readonly taker: Rate
}

type Change = Partial<Omit<Extract<Command, { kind: 'set-instrument' }>, 'kind' | 'instrument'>>

/** What is not named stays. */
export function changeInstrument(rehearsal: Rehearsal, instrument: InstrumentId, change: Change): void {
  rehearsal.submit({
    kind: 'set-instrument',
    instrument,
    status: undefined,
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
    ...change,
  })
}

export function setFreshness(rehearsal: Rehearsal, coin: CoinId, indexAgeMsMax: number): void {
  rehearsal.submit({
    kind: 'configure-pricing',
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [{ coin, indexAgeMsMax }],
    instruments: [],
  })
}

export function putBack(rehearsal: Rehearsal, held: Held): void {
  switch (held.what) {
    case 'status':
      return changeInstrument(rehearsal, held.of, { status: held.before })
    case 'fees':
      return changeInstrument(rehearsal, held.of, { makerFeeRate: held.before.maker, takerFeeRate: held.before.taker })
    case 'tiers':
      return changeInstrument(rehearsal, held.of, { tiers: held.before })
    case 'minimum':
      rehearsal.submit({ kind: 'set-order-minimum', instrument: held.of, quantityMin: lots(held.before) })
      return
    case 'freshness':
      return setFreshness(rehearsal, held.of, held.before)
    case 'index':
      if (indexPrice(rehearsal, held.of) !== held.before) setIndexPrice(rehearsal, held.of, held.before)
      return
    case 'book':
      return putBookBack(rehearsal, held.of, held.before)
  }
}

/** Users may have come meanwhile: levels that would meet them stay away. */
function putBookBack(
  rehearsal: Rehearsal,
  of: InstrumentId,
  { lastPrice, ...levels }: Levels & { lastPrice: Ticks | 0 },
) {
  const instrument = rehearsal.query({ kind: 'catalog' }).instruments[of]
  clearHouse(rehearsal, instrument)
  const now = rehearsal.query({ kind: 'prices', instrument: of }).lastPrice
  if (lastPrice !== 0 && now !== lastPrice) {
    tradeAt(rehearsal, instrument, now < lastPrice ? 'buy' : 'sell', lastPrice, leastLots(instrument, lastPrice))
  }
  layLevels(rehearsal, instrument, uncrossed(rehearsal, instrument, levels))
}
