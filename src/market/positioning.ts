/**
 * Who stands on which side of one contract, period by period: what takers bought, sold and opened, and how many accounts hold
 * it long and short.
 *
 * Periods   of UTC; a trade counts in the shortest, and longer ones are sums of those. The newest thirty of each are kept
 * Holders   as they were when a period ended: nothing changes between two commands, so it does not matter when it is closed
 * Bounds    what is kept does not grow with time or accounts. It is in memory: after a restart it begins anew
 * Source    fidelity §2
 */
import type { Side } from '../engine/vocabulary.ts'
import type { Millis } from '../engine/numbers/numbers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const positioningPeriods = ['5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d'] as const
export type PositioningPeriod = (typeof positioningPeriods)[number]

const lengths: Readonly<Record<PositioningPeriod, Millis>> = {
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '2h': 2 * hour,
  '4h': 4 * hour,
  '6h': 6 * hour,
  '12h': 12 * hour,
  '1d': day,
}
const shortest = lengths['5m']
const rowsMax = 30
/** Older than all that is kept. */
const reach = rowsMax * day

export interface Holders {
  readonly long: number
  readonly short: number
}

/** Lots, and accounts. */
export interface PositioningRow {
  /** When the period began. */
  readonly at: Millis
  /** What takers bought and sold. */
  readonly bought: number
  readonly sold: number
  /** What takers opened. */
  readonly longOpened: number
  readonly shortOpened: number
  /** As the period ended, or now. */
  readonly holders: Holders
}

/** All of it: plain data. */
export interface SavedPositioning {
  readonly rows: ReadonlyMap<PositioningPeriod, readonly PositioningRow[]>
  readonly running: ReadonlyMap<PositioningPeriod, PositioningRow>
  readonly holders: Holders
}

export class Positioning {
  #rows = new Map<PositioningPeriod, readonly PositioningRow[]>()
  /** The row of each period that has not ended; of longer ones without that of the shortest. */
  #running = new Map<PositioningPeriod, PositioningRow>()
  #holders: Holders

  constructor(holders: Holders, now: Millis) {
    this.#holders = holders
    for (const period of positioningPeriods) this.#running.set(period, this.#empty(period, now))
  }

  /** What a taker did. */
  add(
    at: Millis,
    { side, lots, opens }: { readonly side: Side; readonly lots: number; readonly opens: boolean },
  ): void {
    this.#close(at)
    const opened = opens ? lots : 0
    const more = side === 'buy' ? { bought: lots, longOpened: opened } : { sold: lots, shortOpened: opened }
    this.#running.set('5m', sumOf(this.#runningOf('5m'), { ...noRow, ...more }))
  }

  /** From now on; until now it was what it was before. */
  setHolders(at: Millis, holders: Holders): void {
    this.#close(at)
    this.#holders = holders
  }

  /** Oldest first, the period that runs last. To ask changes nothing. */
  rows(period: PositioningPeriod, now: Millis): readonly PositioningRow[] {
    if (now >= this.#runningOf('5m').at + shortest) return this.#closedAt(now).rows(period, now)
    const own = this.#runningOf(period)
    const running = period === '5m' ? own : sumOf(own, this.#runningOf('5m'))
    return [...(this.#rows.get(period) ?? []), { ...running, holders: this.#holders }].slice(-rowsMax)
  }

  save(): SavedPositioning {
    return { rows: new Map(this.#rows), running: new Map(this.#running), holders: this.#holders }
  }

  restore({ rows, running, holders }: SavedPositioning): void {
    this.#rows = new Map(rows)
    this.#running = new Map(running)
    this.#holders = holders
  }

  /** A copy in which every period that is over has ended. */
  #closedAt(now: Millis): Positioning {
    const copy = new Positioning(this.#holders, now)
    copy.restore(this.save())
    copy.#close(now)
    return copy
  }

  /** Ends every period that is over. */
  #close(now: Millis): void {
    let base = this.#runningOf('5m')
    if (now < base.at + shortest) return
    // What nobody asked for in longer than a month leaves nothing but who holds what.
    if (now - base.at > reach) return this.#beginAnew(now)
    while (base.at + shortest <= now) {
      this.#push('5m', base)
      for (const period of positioningPeriods) if (period !== '5m') this.#take(period, base)
      base = this.#empty('5m', base.at + shortest)
      this.#running.set('5m', base)
    }
  }

  /** A longer period with one of the shortest in it. */
  #take(period: PositioningPeriod, base: PositioningRow): void {
    const row = sumOf(this.#runningOf(period), base)
    const next = base.at + shortest
    if (next < row.at + lengths[period]) {
      this.#running.set(period, row)
      return
    }
    this.#push(period, row)
    this.#running.set(period, this.#empty(period, next))
  }

  #push(period: PositioningPeriod, row: PositioningRow): void {
    const rows = this.#rows.get(period) ?? []
    this.#rows.set(period, [...rows, { ...row, holders: this.#holders }].slice(-rowsMax))
  }

  #beginAnew(now: Millis): void {
    for (const period of positioningPeriods) {
      this.#rows.set(period, [])
      this.#running.set(period, this.#empty(period, now))
    }
  }

  #empty(period: PositioningPeriod, now: Millis): PositioningRow {
    return { ...noRow, at: now - (now % lengths[period]) }
  }

  #runningOf(period: PositioningPeriod): PositioningRow {
    return this.#running.get(period) ?? noRow
  }
}

const noRow: PositioningRow = {
  at: 0,
  bought: 0,
  sold: 0,
  longOpened: 0,
  shortOpened: 0,
  holders: { long: 0, short: 0 },
}

/** The first row with what the second counts. */
function sumOf(row: PositioningRow, more: PositioningRow): PositioningRow {
  return {
    ...row,
    bought: row.bought + more.bought,
    sold: row.sold + more.sold,
    longOpened: row.longOpened + more.longOpened,
    shortOpened: row.shortOpened + more.shortOpened,
  }
}
