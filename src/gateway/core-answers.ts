/**
 * What the core tells its gateways beside the batches: history, keys, and how often somebody may still call.
 *
 * Limits   of calls that change state are counted here for all gateways together: exactly, in memory. Of reads each gateway is
 *          told what passed at the others (shared-reads.ts)
 * Repeats  what any gateway was sent is known here for as long as its signature is good: in memory, so a core that is started anew,
 *          or takes over, knows of none
 */
import {
  type Allowance,
  type ApiKey,
  endpoints,
  type KeyKeeper,
  RateLimits,
  type ReadCount,
  SeenSignatures,
  type RateLimitOptions,
} from '../api/api.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { History } from '../history/history.ts'
import type { PastTerms } from '../simulator/simulator.ts'
import type { CoreServicePorts } from '../replication/replication.ts'
import { historyAnswers } from './remote-history.ts'
import type { ReadsTold } from './told-reads.ts'
import { rowAnswers } from './row-answers.ts'
import { keyAnswers } from './remote-keys.ts'
import { proofAnswers } from './shared-proof.ts'

interface Sources {
  /** Which venue it is, for who keeps something of it elsewhere. */
  readonly venue: string
  readonly history: History
  /** The file of the history. */
  readonly historyFile: string
  /** Undefined: gateways have them from PostgreSQL. */
  readonly keys: (KeyKeeper & { all(): Iterable<ApiKey> }) | undefined
  /** Of keys in PostgreSQL: those that are revoked, whatever is said there. */
  readonly revokedKeys: () => readonly string[]
  readonly rateLimits: RateLimitOptions
  /** How far the timestamp of a signed request may lie from the clock, either way. */
  readonly timestampWindowMs: number
  /** Tells all gateways. */
  readonly tell: (what: string, value: unknown) => void
  /** The venue's time. */
  readonly now: () => number
  /** Of the simulated past, which each gateway makes itself; undefined: there is none. */
  readonly past: PastTerms | undefined
  /** Of several cores, none of which runs the simulated market: the kind of the venue. Absent: the core runs it. */
  readonly marketAtGateways?: { readonly kind: string } | undefined
}

export function coreAnswers({
  venue,
  history,
  historyFile,
  keys,
  revokedKeys,
  rateLimits,
  timestampWindowMs,
  tell,
  now,
  past,
  marketAtGateways,
}: Sources): Omit<CoreServicePorts, 'runtime'> {
  const limits = new RateLimits(rateLimits)
  const signatures = new SeenSignatures(2 * timestampWindowMs)
  const byName = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
  const count = (name: string, uid: Uid, copyTrader: boolean): Allowance => {
    const endpoint = byName.get(name)
    if (endpoint === undefined) throw new Error(`no endpoint ${name}`)
    return limits.count(endpoint, uid, copyTrader)
  }
  return {
    asks: {
      venue: () => venue,
      history: historyAnswers(history),
      ...(keys && { keys: keyAnswers(keys) }),
      keysIn: () => (keys === undefined ? 'postgres' : 'directory'),
      revokedKeys,
      count,
      seen: (hash: string) => signatures.before(hash, performance.now()),
      reads: (from: number, counts: readonly ReadCount[]) => tell('reads', { from, counts } satisfies ReadsTold),
      ...proofAnswers(now),
      past: () => past,
      marketAtGateways: () => marketAtGateways,
      ...rowAnswers(history, historyFile),
    },
    greeting: () => (keys === undefined ? {} : { keys: [...keys.all()] }),
  }
}
