/**
 * The queue of auto-deleveraging: positions of one side of a contract, the first to be taken from first.
 *
 * Score     pnl% × effLev when winning, pnl% / effLev when losing, 1e-12; effLev = mark / |mark − bankruptcy price|, of a cross
 *           position that of its share of the pool (backing.ts)
 * Order     score, then the older position, then uid (risk-engine §15)
 * Ranked    anew in each command that asks; of a contract with more than `scoresMax` exposures in steps of so many a
 *           command, and then good for a second: a queue is never so long that making it holds others up
 * Kept      whoever was taken from keeps his place with what is left; whose position is gone is passed over
 */
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { bankruptcyPrice } from '../futures/futures.ts'
import { priceTicksMax, rateOne } from '../numbers/numbers.ts'
import { entryPriceE8, type Exposure, type Position, positionOf, type Ranking, type Reading } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'
import { crossBacking } from './backing.ts'

const scoresMax = 1_000
const goodMs = 1_000

/** The queue as it stands, or undefined while it is being made: then ask again with the next command. */
export function queueAgainst(
  venue: Reading,
  instrument: InstrumentId,
  side: PositionSide,
): readonly Exposure[] | undefined {
  const listed = venue.futures.byInstrument[instrument] ?? []
  const ranking = rankingOf(venue, instrument, side)
  if (!isGood(venue, ranking, listed.length)) begin(venue, ranking)
  if (ranking.seen >= 0) goOn(venue, ranking, listed, side)
  if (ranking.seen >= 0) return undefined
  return ranking.exposures.map((index) => venue.futures.at(index))
}

function rankingOf(venue: Reading, instrument: InstrumentId, side: PositionSide): Ranking {
  const { rankings } = venue.liquidation
  const place = instrument * 2 + (side === 'long' ? 0 : 1)
  while (rankings.length <= place) rankings.push({ sequence: 0, at: 0, seen: -1, exposures: [], scores: [] })
  return rankings[place]
}

function isGood(venue: Reading, ranking: Ranking, listed: number): boolean {
  if (ranking.sequence === venue.sequence || ranking.seen >= 0) return true
  return listed > scoresMax && ranking.sequence > 0 && venue.at - ranking.at < goodMs
}

function begin(venue: Reading, ranking: Ranking): void {
  ranking.sequence = venue.sequence
  ranking.at = venue.at
  ranking.seen = 0
  ranking.exposures = []
  ranking.scores = []
}

function goOn(venue: Reading, ranking: Ranking, listed: readonly number[], side: PositionSide): void {
  if (ranking.seen > 0 && ranking.sequence === venue.sequence) return
  ranking.sequence = venue.sequence
  let left = scoresMax
  for (; ranking.seen < listed.length && left > 0; ranking.seen++) {
    const exposure = venue.futures.at(listed[ranking.seen])
    const position = positionOf(exposure, side)
    if (position === undefined) continue
    ranking.exposures.push(exposure.index)
    ranking.scores.push(scoreOf(venue, exposure, position))
    left--
  }
  if (ranking.seen < listed.length) return
  sort(venue, ranking, side)
  ranking.seen = -1
  ranking.at = venue.at
}

function sort(venue: Reading, ranking: Ranking, side: PositionSide): void {
  const { exposures, scores } = ranking
  const facts = exposures.map((index, place) => {
    const exposure = venue.futures.at(index)
    const { uid } = venue.accounts.byHandle(exposure.account)
    return { index, score: scores[place], opened: positionOf(exposure, side)?.id ?? 0, uid }
  })
  facts.sort((a, b) => (a.score === b.score ? a.opened - b.opened || a.uid - b.uid : a.score > b.score ? -1 : 1))
  ranking.exposures = facts.map(({ index }) => index)
  ranking.scores = []
}

/** All positions of a side as they rank now, for whoever asks. */
export function rankedNow(venue: Reading, instrument: InstrumentId, side: PositionSide): readonly Exposure[] {
  const open = [...venue.futures.ofInstrument(instrument)].filter((one) => positionOf(one, side) !== undefined)
  const ranking: Ranking = {
    sequence: 0,
    at: 0,
    seen: -1,
    exposures: open.map(({ index }) => index),
    scores: open.map((one) => scoreOf(venue, one, positionOf(one, side) as Position)),
  }
  sort(venue, ranking, side)
  return ranking.exposures.map((index) => venue.futures.at(index))
}

export function scoreOf(venue: Reading, exposure: Exposure, position: Position): bigint {
  return scorePartsOf(venue, exposure, position).score
}

/** The score, and what it is made of: prices in ticks, the entry and mark price also in 1e-8. */
export function scorePartsOf(venue: Reading, exposure: Exposure, position: Position) {
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  const scale = venue.scale(instrument.id)
  const mark = BigInt(venue.prices.markPrice(instrument.id))
  const entry = entryPriceE8(scale, position)
  const markE8 = mark * scale.tickE8
  const gain = entry === 0n ? 0n : ((markE8 - entry) * rateOne) / entry
  const pnl = position.side === 'long' ? gain : -gain
  // Without a bankruptcy price: as far away as there are prices.
  const none = position.side === 'long' ? 1 : priceTicksMax
  const bankrupt = BigInt(bankruptcyPrice(instrument, scale, position, backingOf(venue, exposure, position)) || none)
  const distance = mark > bankrupt ? mark - bankrupt : bankrupt - mark
  const winning = distance === 0n ? pnl * mark : (pnl * mark) / distance
  const score = pnl > 0n ? winning : (pnl * distance) / mark
  return { score, pnl, entry, mark, markE8, bankrupt }
}

/** What stands behind a position besides its own PnL. */
function backingOf(venue: Reading, exposure: Exposure, position: Position): bigint {
  if (exposure.marginMode === 'isolated') return position.margin
  return crossBacking(venue, exposure, position.side).backing
}
