/**
 * What the account was worth over a time, as the venue sampled it. A call of this venue beside the interface, signed as any.
 *
 * Source  docs/terminal.md, Performance
 */
import type { Caller } from './rest.ts'

/** In USDT. */
export interface EquitySample {
  readonly at: number
  readonly equity: number
  /** Moved in since the sample before, less what was moved out. */
  readonly moved: number
}

interface EquityRecord {
  readonly ts: string
  readonly equity: string
  readonly moved: string
}

const pointsMax = 1_000

/** Oldest first, the present last. Without `from` all that is kept. */
export async function readEquity(caller: Caller, from: number | undefined): Promise<EquitySample[]> {
  const query = { limit: pointsMax, startTime: from }
  const points = await caller.get<EquityRecord[]>('/terminal/equity', query)
  return points.map(({ ts, equity, moved }) => ({ at: Number(ts), equity: Number(equity), moved: Number(moved) }))
}
