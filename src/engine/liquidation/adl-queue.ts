/**
 * The queue of auto-deleveraging: positions of one side of a contract, the first to be taken from first.
 *
 * Order     by score: liquidation-rules/adl-ranking.ts
 * Ranked    anew in each command that asks. A contract with more than `scoresMax` exposures is ranked by so many a command,
 *           so that no command takes long; its queue is then good for a second
 * Kept      an account that was taken from keeps its place with what is left; one whose position is gone is passed over
 * Source    risk-engine.md §15
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import { inRankOrder, scoreOf } from '../liquidation-rules/liquidation-rules.ts'
import { type Exposure, positionOf, type Ranking, type Reading, type State } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'

const scoresMax = 1_000
const goodMs = 1_000

/** The queue as it stands, or undefined while it is being made: then ask again with the next command. */
export function queueAgainst(
  state: State,
  instrument: InstrumentId,
  side: PositionSide,
): readonly Exposure[] | undefined {
  const listed = state.futures.byInstrument[instrument] ?? []
  const ranking = rankingOf(state, instrument, side)
  if (!isGood(state, ranking, listed.length)) begin(state, ranking)
  if (ranking.seen >= 0) continueRanking(state, ranking, listed, side)
  if (ranking.seen >= 0) return undefined
  return ranking.exposures.map((index) => state.futures.at(index))
}

function rankingOf(state: State, instrument: InstrumentId, side: PositionSide): Ranking {
  const { rankings } = state.liquidation
  const place = instrument * 2 + (side === 'long' ? 0 : 1)
  while (rankings.length <= place) rankings.push({ sequence: 0, at: 0, seen: -1, exposures: [], scores: [] })
  return rankings[place]
}

function isGood(reading: Reading, ranking: Ranking, listed: number): boolean {
  if (ranking.sequence === reading.sequence || ranking.seen >= 0) return true
  return listed > scoresMax && ranking.sequence > 0 && reading.at - ranking.at < goodMs
}

function begin(state: State, ranking: Ranking): void {
  ranking.sequence = state.sequence
  ranking.at = state.at
  ranking.seen = 0
  ranking.exposures = []
  ranking.scores = []
}

function continueRanking(state: State, ranking: Ranking, listed: readonly number[], side: PositionSide): void {
  if (ranking.seen > 0 && ranking.sequence === state.sequence) return
  ranking.sequence = state.sequence
  let left = scoresMax
  for (; ranking.seen < listed.length && left > 0; ranking.seen++) {
    const exposure = state.futures.at(listed[ranking.seen])
    const position = positionOf(exposure, side)
    if (position === undefined) continue
    ranking.exposures.push(exposure.index)
    ranking.scores.push(scoreOf(state, exposure, position))
    left--
  }
  if (ranking.seen < listed.length) return
  ranking.exposures = inRankOrder(state, ranking, side)
  ranking.scores = []
  ranking.seen = -1
  ranking.at = state.at
}
