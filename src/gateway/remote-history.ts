/**
 * History as a gateway has it: the core reads it. What a gateway was answered, the core has recorded before, so a read at any
 * gateway sees it. Nothing is recorded here, and nothing is pruned.
 */
import type { History } from '../history/history.ts'
import { historyReadBy, readNames } from '../history/read-elsewhere.ts'

type Ask = (what: string, ...args: readonly unknown[]) => Promise<unknown>

export function remoteHistory(ask: Ask): History {
  return historyReadBy((name, query) => ask('history', name, query))
}

/** What the core answers. Only reads are answered, whatever somebody names. */
export function historyAnswers(history: History): (name: string, query: never) => Promise<unknown> {
  return (name, query) => {
    const found = readNames.find((one) => one === name)
    if (found === undefined) throw new Error(`history has no ${name}`)
    return (history[found] as (query: never) => Promise<unknown>)(query)
  }
}
