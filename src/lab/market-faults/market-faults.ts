/**
 * Market faults: what a market does to those who trade in it, by ordinary journaled commands. The door of the room.
 *
 *   asked.ts  what is asked of each       acts.ts  what each does        held.ts  what it changed, and how that goes back
 *
 * Ends      after `for` of the venue's time, or when somebody ends it; then all that it changed is what it was
 * Whole     a fault that is refused has changed nothing (rehearsal.ts)
 * Agents    leave a book to the fault that has taken it, and follow an index that was moved. They come back when it ends
 * Saved     with the venue: what goes back goes back after a revert, too
 * Source    lab.md §4.5
 */
import type { Planned } from '../way/agenda.ts'
import { play } from '../rehearsal.ts'
import { LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import { scenes } from './acts.ts'
import { checkMarketFault, type MarketFaultAsk, type MarketFaultName } from './asked.ts'
import { type Held, putBack } from './held.ts'

export { checkMarketFault, marketFaultNames } from './asked.ts'

/** One that is in force. */
interface ActiveFault {
  readonly id: number
  readonly fault: MarketFaultName
  readonly symbol: string
  readonly category: string
  /** When it began, and goes back, Unix milliseconds; undefined: when somebody ends it. */
  readonly since: number
  readonly until: number | undefined
  readonly held: readonly Held[]
  /** Why it could not go back yet. */
  readonly stuck?: string
}

interface SavedMarketFaults {
  readonly counted: number
  readonly active: readonly ActiveFault[]
}

const nothing: SavedMarketFaults = { counted: 0, active: [] }

interface AppliedFault {
  readonly sequences: readonly number[]
  readonly facts: Readonly<Record<string, unknown>>
  /** Puts back what it changed, if that is still to be done; undefined: there is nothing. */
  readonly undo: (() => Promise<void>) | undefined
}

/** What could not go back is tried again after this time. */
const retryMs = 60_000

/** Throws LabRefusal. */
export function applyMarketFault(venue: LabVenue, fault: string, ask: MarketFaultAsk, at = ''): Promise<AppliedFault> {
  return marketFaultsOf(venue).apply(fault, ask, at)
}

const opened = new WeakMap<LabVenue, MarketFaults>()

/** To be called once, before anything is asked of them. */
export function openMarketFaults(venue: LabVenue): void {
  const faults = new MarketFaults(venue)
  opened.set(venue, faults)
  venue.agenda.add(faults)
}

export function marketFaultsOf(venue: LabVenue): MarketFaults {
  const found = opened.get(venue)
  if (found === undefined) throw new Error('the market faults of this venue were never opened')
  return found
}

class MarketFaults implements Planned {
  readonly name = 'market-faults'
  readonly #venue: LabVenue
  #active: ActiveFault[] = []
  #counted = 0
  /** Another one after each revert: what was under way then is none of the venue's business any more. */
  #epoch = 0
  #last: Promise<unknown> = Promise.resolve()
  #underWay = 0
  /** What a recorded market has to itself. */
  #leftTo: { readonly book: number; readonly coin: number } | undefined

  constructor(venue: LabVenue) {
    this.#venue = venue
  }

  /** Throws LabRefusal. */
  async apply(fault: string, sent: MarketFaultAsk, at: string): Promise<AppliedFault> {
    const ask = checkMarketFault(this.#venue, fault, sent, at)
    return this.#oneByOne(async (isStill) => {
      const { sequences, facts: act } = await play(this.#venue, ...scenes[ask.fault](ask))
      const { symbol, category } = ask.instrument
      const since = this.#venue.parts.runtime.now()
      const until = ask.forMs === undefined ? undefined : since + ask.forMs
      const { held } = act
      const facts = { fault: ask.fault, symbol, category, until: until ?? null, ...act.facts }
      if (held.length === 0 || !isStill()) return { sequences, facts: { id: null, ...facts }, undo: undefined }
      const id = ++this.#counted
      this.#set([...this.#active, { id, fault: ask.fault, symbol, category, since, until, held }])
      return { sequences, facts: { id, ...facts }, undo: () => this.#endIfThere(id) }
    })
  }

  list() {
    return this.#active.map(({ id, fault, symbol, category, since, until, stuck }) => {
      return { id, fault, symbol, category, since, until: until ?? null, ...(stuck !== undefined && { stuck }) }
    })
  }

  /** One of them, or all; answers the sequences of the commands. Throws LabRefusal. */
  end(which: number | 'all'): Promise<readonly number[]> {
    return this.#oneByOne(async () => {
      const ended = this.#active.filter(({ id }) => which === 'all' || id === which)
      if (ended.length === 0 && which !== 'all') {
        throw new LabRefusal(404, 'unknown-fault', `end: there is no market fault ${which}`, { field: 'end' })
      }
      const sequences: number[] = []
      // The newest first: what it found is what the one before it made.
      for (const { id } of ended.toReversed()) sequences.push(...(await this.#putBack(id)))
      return sequences
    })
  }

  /** Whether a fault has the book of an instrument to itself. */
  hasBook(instrument: number): boolean {
    return this.#active.some(({ held }) => held.some(({ what, of }) => what === 'book' && of === instrument))
  }

  /** A recorded market has a book and the index of a coin to itself; undefined: none has any more. */
  leaveTo(market: { readonly book: number; readonly coin: number } | undefined): void {
    this.#leftTo = market
    this.#set(this.#active)
  }

  nextAt(): number | undefined {
    const moments = this.#active.flatMap(({ until }) => until ?? [])
    return moments.length === 0 ? undefined : Math.min(...moments)
  }

  async runDue(now: number): Promise<void> {
    await this.#oneByOne(async () => {
      const due = this.#active
        .filter(({ until }) => until !== undefined && until <= now)
        .toSorted((a, b) => (a.until ?? 0) - (b.until ?? 0) || b.id - a.id)
      for (const { id } of due) {
        try {
          await this.#putBack(id)
        } catch (error) {
          const stuck = (error as Error).message
          const later = (fault: ActiveFault) => (fault.id === id ? { ...fault, until: now + retryMs, stuck } : fault)
          this.#set(this.#active.map(later))
        }
      }
    })
  }

  async settled(): Promise<void> {
    while (this.#underWay > 0) await this.#last
  }

  save(): SavedMarketFaults {
    return { counted: this.#counted, active: [...this.#active] }
  }

  restore(saved: unknown, dueBefore: number): void {
    const { counted, active } = (saved ?? nothing) as SavedMarketFaults
    this.#epoch += 1
    this.#counted = counted
    this.#set(active.filter(({ until }) => until === undefined || until > dueBefore))
  }

  async #endIfThere(id: number): Promise<void> {
    if (this.#active.some((fault) => fault.id === id)) await this.end(id)
  }

  async #putBack(id: number): Promise<readonly number[]> {
    const place = this.#active.findIndex((fault) => fault.id === id)
    const { held } = this.#active[place]
    const later = this.#active.slice(place + 1)
    const isCovered = (one: Held) => later.some((fault) => fault.held.some((other) => isSame(one, other)))
    const free = held.filter((one) => !isCovered(one))
    const epoch = this.#epoch
    const { sequences } =
      free.length === 0
        ? { sequences: [] }
        : await play(this.#venue, (rehearsal) => {
            for (const one of free) putBack(rehearsal, one)
          })
    if (epoch !== this.#epoch) return sequences
    let left = this.#active.filter((fault) => fault.id !== id)
    for (const one of held.filter(isCovered)) left = handOver(left, place, one)
    this.#set(left)
    return sequences
  }

  #set(active: ActiveFault[]): void {
    this.#active = active
    const all = active.flatMap(({ held }) => held)
    const shifts = new Map<number, number>()
    for (const held of all) if (held.what === 'index') shifts.set(held.of, (shifts.get(held.of) ?? 1) * held.factor)
    const of = (what: Held['what']) => new Set(all.flatMap((held) => (held.what === what ? [held.of] : [])))
    const [books, coins] = [of('book'), of('freshness')]
    if (this.#leftTo !== undefined) {
      books.add(this.#leftTo.book)
      coins.add(this.#leftTo.coin)
    }
    this.#venue.parts.simulator?.leave({ books, coins, shifts })
    this.#venue.agenda.arm()
  }

  #oneByOne<T>(work: (isStill: () => boolean) => Promise<T>): Promise<T> {
    const epoch = this.#epoch
    this.#underWay += 1
    const done = this.#last.then(() => work(() => epoch === this.#epoch)).finally(() => (this.#underWay -= 1))
    this.#last = done.catch(() => {})
    return done
  }
}

function isSame(one: Held, other: Held): boolean {
  return one.what === other.what && one.of === other.of
}

/** The next fault behind a place that changed the same finds what the one that ended had found. */
function handOver(active: readonly ActiveFault[], place: number, found: Held): ActiveFault[] {
  const heir = active.findIndex((fault, at) => at >= place && fault.held.some((held) => isSame(held, found)))
  return active.map((fault, at) => {
    if (at !== heir) return fault
    return { ...fault, held: fault.held.map((held) => (isSame(held, found) ? inherited(held, found) : held)) }
  })
}

/** A factor of an index stays the fault's own. */
function inherited(held: Held, found: Held): Held {
  return held.what === 'index' && found.what === 'index' ? { ...held, before: found.before } : found
}
