/**
 * What the core tells its gateways beside the batches: history, keys, and how often somebody may still call.
 *
 * Limits   of calls that change state are counted here for all gateways together: exactly, in memory
 */
import {
  type Allowance,
  type ApiKey,
  endpoints,
  type KeyKeeper,
  RateLimits,
  type RateLimitOptions,
} from '../api/api.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { History } from '../history/history.ts'
import type { PastTerms } from '../simulator/simulator.ts'
import type { CoreServicePorts } from '../replication/replication.ts'
import { historyAnswers } from './remote-history.ts'
import { keyAnswers } from './remote-keys.ts'

interface Sources {
  readonly history: History
  readonly keys: KeyKeeper & { all(): Iterable<ApiKey> }
  readonly rateLimits: RateLimitOptions
  /** Of the simulated past, which each gateway makes itself; undefined: there is none. */
  readonly past: PastTerms | undefined
}

export function coreAnswers({ history, keys, rateLimits, past }: Sources): Omit<CoreServicePorts, 'runtime'> {
  const limits = new RateLimits(rateLimits)
  const byName = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
  const count = (name: string, uid: Uid, copyTrader: boolean): Allowance => {
    const endpoint = byName.get(name)
    if (endpoint === undefined) throw new Error(`no endpoint ${name}`)
    return limits.count(endpoint, uid, copyTrader)
  }
  return {
    asks: { history: historyAnswers(history), keys: keyAnswers(keys), count, past: () => past },
    greeting: () => ({ keys: [...keys.all()] }),
  }
}
