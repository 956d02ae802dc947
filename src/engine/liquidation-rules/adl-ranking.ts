/**
 * The order of auto-deleveraging: how a position scores against the others of its side.
 *
 * Score  pnl% × effLev when winning, pnl% / effLev when losing, 1e-12; effLev = mark / |mark − bankruptcy price|. A cross
 *        position has the bankruptcy price of its share of the pool (backing.ts)
 * Order  score, then the older position, then uid
 * Source risk-engine.md §15
 */
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { bankruptcyPrice } from '../margin/margin.ts'
import { priceTicksMax, rateOne } from '../numbers/numbers.ts'
import { entryPriceE8, type Exposure, type Position, positionOf, type Ranking, type Reading } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'
import { crossBacking } from './backing.ts'

/** Exposures by index and their scores, in the order in which they are taken from. */
export function inRankOrder(
  reading: Reading,
  { exposures, scores }: Pick<Ranking, 'exposures' | 'scores'>,
  side: PositionSide,
): number[] {
  const facts = exposures.map((index, place) => {
    const exposure = reading.futures.at(index)
    const { uid } = reading.accounts.byHandle(exposure.account)
    return { index, score: scores[place], opened: positionOf(exposure, side)?.id ?? 0, uid }
  })
  facts.sort((a, b) => (a.score === b.score ? a.opened - b.opened || a.uid - b.uid : a.score > b.score ? -1 : 1))
  return facts.map(({ index }) => index)
}

/** All positions of a side as they rank now, for queries. */
export function rankedNow(reading: Reading, instrument: InstrumentId, side: PositionSide): readonly Exposure[] {
  const open = [...reading.futures.ofInstrument(instrument)].filter(
    (exposure) => positionOf(exposure, side) !== undefined,
  )
  const exposures = open.map(({ index }) => index)
  const scores = open.map((exposure) => scoreOf(reading, exposure, positionOf(exposure, side) as Position))
  return inRankOrder(reading, { exposures, scores }, side).map((index) => reading.futures.at(index))
}

/** The score of a position, in 1e-12: the higher, the sooner it is taken from. */
export function scoreOf(reading: Reading, exposure: Exposure, position: Position): bigint {
  return scorePartsOf(reading, exposure, position).score
}

/** The score, and what it is made of: prices in ticks, the entry and mark price also in 1e-8. */
export function scorePartsOf(reading: Reading, exposure: Exposure, position: Position) {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const scale = reading.scale(instrument.id)
  const mark = BigInt(reading.prices.markPrice(instrument.id))
  const entry = entryPriceE8(scale, position)
  const markE8 = mark * scale.tickE8
  const gain = entry === 0n ? 0n : ((markE8 - entry) * rateOne) / entry
  const pnl = position.side === 'long' ? gain : -gain
  // Without a bankruptcy price: as far away as there are prices.
  const none = position.side === 'long' ? 1 : priceTicksMax
  const bankrupt = BigInt(bankruptcyPrice(instrument, scale, position, backingOf(reading, exposure, position)) || none)
  const distance = mark > bankrupt ? mark - bankrupt : bankrupt - mark
  const winning = distance === 0n ? pnl * mark : (pnl * mark) / distance
  const score = pnl > 0n ? winning : (pnl * distance) / mark
  return { score, pnl, entry, mark, markE8, bankrupt }
}

/** What stands behind a position besides its own PnL. */
function backingOf(reading: Reading, exposure: Exposure, position: Position): bigint {
  if (exposure.marginMode === 'isolated') return position.margin
  return crossBacking(reading, exposure, position.side).backing
}
