/**
 * What the verifier found: faults, each with its place, and what it could not check, with the reason.
 *
 * Places  a file of the data directory with an offset in it, or a row by its table and key
 * Bound   many faults of one kind say no more than some: each check names its first ones and counts the rest
 */
export interface Fault {
  /** Below the data directory. */
  readonly file: string
  readonly offset?: number
  /** Table and key of a row, or the part of a snapshot's state. */
  readonly row?: string
  readonly what: string
}

/** What is done one after the other, in words for whoever waits. */
export const parts = ['journal', 'snapshots', 'rows', 'trades', 'postings', 'balances', 'conversions'] as const
export type OnPart = (part: (typeof parts)[number]) => void

export type Place = Omit<Fault, 'what'>

const shownOfACheckMax = 20

export class Findings {
  readonly faults: Fault[] = []
  /** Facts that are no faults, such as an unfinished batch that the next start cuts off. */
  readonly notes: string[] = []
  readonly unchecked: string[] = []
  readonly counts: Record<string, number> = {}
  #faultCount = 0
  readonly #ofCheck = new Map<string, number>()

  get faultCount(): number {
    return this.#faultCount
  }

  /** `check` groups faults of one kind. */
  fault(check: string, place: Place, what: string): void {
    this.#faultCount += 1
    const before = this.#ofCheck.get(check) ?? 0
    this.#ofCheck.set(check, before + 1)
    if (before < shownOfACheckMax) this.faults.push({ ...place, what })
  }

  count(what: string, units = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + units
  }

  note(text: string): void {
    this.notes.push(text)
  }

  skip(what: string): void {
    if (!this.unchecked.includes(what)) this.unchecked.push(what)
  }
}
