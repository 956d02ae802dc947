/** Gateways tell one another, by way of the core, how many reads each let pass: ten times a second, where there was one. */
import type { ReadCount, SharedReads } from '../api/api.ts'

const everyMs = 100

/** What passed at a gateway. */
export interface ReadsTold {
  /** Its session. */
  readonly from: number
  readonly counts: readonly ReadCount[]
}

/** Answers what ends it. Without a core nothing is told. */
export function tellReads(
  reads: SharedReads,
  session: number,
  ask: (what: string, ...args: readonly unknown[]) => Promise<unknown>,
): () => void {
  const telling = setInterval(() => {
    const counts = reads.changed()
    if (counts !== undefined) ask('reads', session, counts).catch(() => undefined)
  }, everyMs)
  return () => clearInterval(telling)
}

/** What the core passes on; what this gateway told comes back to it, and is known here. */
export function hearReads(reads: SharedReads, session: number, { from, counts }: ReadsTold): void {
  if (from !== session) reads.heard(from, counts)
}
