/**
 * Samples of equity as a table: what an account was worth, and what was moved in or out with the command that it was sampled after.
 *
 * Units   USDT in 1e-8, at index prices of that moment
 * Kept    as the curve of a day, a week or 90 days needs them; all that is kept goes after 91 days (operator/pruning.ts)
 * Source  docs/decisions/0069-samples-of-equity.md
 */
import { type Amount, amount, type Millis } from '../engine/numbers/numbers.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { Answering } from '../runtime/parts.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

const dayMs = 86_400_000

/** How much earlier it goes than all history: a day and a week are served, and pruned by whole days. */
const goesEarlierMs = { day: 90 * dayMs, week: 83 * dayMs, all: 0 } as const

export interface EquitySample {
  readonly kind: 'equity'
  readonly uid: Uid
  /** Every wallet with its open positions, less what is owed. */
  readonly equity: Amount
  /** Moved into the account by this command, less what was moved out of it. */
  readonly moved: Amount
  /** How long it is of use. */
  readonly keptFor: keyof typeof goesEarlierMs
  readonly at: Millis
}

/** What history takes: what the engine tells, and what was sampled after it. */
export type HistoryEvent = Event | EquitySample

/** The events of a command with the samples that follow it; `before`: the time of the command before it, zero if nobody knows. */
export type Sampling = (
  before: Millis,
  at: Millis,
  events: readonly Event[],
  engine: Answering | undefined,
) => readonly HistoryEvent[]

const sample = columnKinds<EquitySample>()

export const equityColumns = {
  uid: sample.owner((row) => row.uid),
  equity_e8: sample.money((row) => row.equity),
  moved_e8: sample.money((row) => row.moved),
  at_ms: sample.number((row) => row.at),
  /** It goes with the rows of this time. */
  goes_with_ms: sample.number((row) => row.at - goesEarlierMs[row.keptFor]),
}

export function readEquity(cells: Pick<CellsOf<typeof equityColumns>, 'equity_e8' | 'moved_e8' | 'at_ms'>) {
  return {
    equity: amount(BigInt(cells.equity_e8)),
    moved: BigInt(cells.moved_e8),
    at: whole(cells.at_ms),
  }
}
