/**
 * What is saved of a venue, and what another one begins with.
 *
 * Source  lab.md §4.4
 */
import type { Api, ApiKey, SeededRandom } from '../api/api.ts'
import type { SavedHistory } from '../history/history.ts'
import type { SavedMarket } from '../market/market.ts'
import type { SavedRuntime, Through } from '../runtime/runtime.ts'
import type { PastTerms, SavedSimulator } from '../simulator/simulator.ts'
import type { Stream } from '../stream/stream.ts'
import type { SavedJournal } from './journal-ring.ts'
import type { SavedAgenda } from './way/agenda.ts'
import type { SavedWay } from './way/way.ts'

/** A venue at one moment, good as often as it is used. */
export interface SavedVenue {
  readonly runtime: SavedRuntime
  readonly history: SavedHistory
  readonly market: SavedMarket
  /** What was before the venue; undefined: nothing. */
  readonly past: PastTerms | undefined
  readonly keys: readonly ApiKey[]
  readonly random: ReturnType<SeededRandom['save']>
  readonly api: ReturnType<Api['save']>
  readonly stream: ReturnType<Stream['save']>
  readonly simulator: SavedSimulator | undefined
  /** Replies and events of the newest commands. */
  readonly told: SavedJournal
  /** What stands around its calls. */
  readonly way: SavedWay
  /** What the laboratory is to do at moments to come. */
  readonly agenda: SavedAgenda
  readonly stateHash: string
  readonly bytes: number
}

/** What is known of a venue somewhere else; the rest begins anew. Without `runtime` the records lead there from nothing. */
export type Known = { readonly [Part in keyof SavedVenue]?: SavedVenue[Part] | undefined }

export function isWhole(known: Known): known is SavedVenue {
  return known.stateHash !== undefined
}

/** Where a venue begins. */
export interface Beginning {
  /** Absent: a new demo venue. */
  readonly from?: Known | undefined
  /** It came from another directory or process: demo accounts get the keys of this one. */
  readonly isFromElsewhere?: boolean
  /** On from there, by the records of the venue that it is forked from; then it has this time. */
  readonly through?: (Through & { readonly now: number }) | undefined
  /** Where its clock stands at first, unless that follows from the above. */
  readonly now?: number | undefined
  /** What it goes back to with a reset; absent: what it begins with now. */
  readonly begun?: SavedVenue | undefined
}
