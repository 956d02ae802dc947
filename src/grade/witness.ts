/**
 * Whoever watches a run while it goes: reads the journal and the firings little by little, and waits for what is to come about.
 *
 * Tolerant  a venue that refuses connections is asked again later: what was missed is in the next answer
 * Time      the venue's, as far ahead of this process's as it was at the beginning
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LabError, type Role, type Venue } from './laboratory.ts'
import { accountNow, type OpenOrder } from './account.ts'
import type { Evidence, Firing, JournalLine, Steps, TrafficLine } from './evidence.ts'

const everyMs = 100
const linesMax = 10_000

export class Witness {
  readonly journal: JournalLine[] = []
  readonly firings: Firing[] = []
  readonly #venue: Venue
  readonly #role: Role
  readonly #uid: number
  readonly #steps: Readonly<Record<string, Steps>>
  #ahead = 0
  #after = 0
  #isOver = false
  #watching: Promise<void> | undefined

  constructor(venue: Venue, { role, steps }: { readonly role: Role; readonly steps: Readonly<Record<string, Steps>> }) {
    this.#venue = venue
    this.#role = role
    this.#uid = Number(venue.keys[role].uid)
    this.#steps = steps
  }

  async begin(): Promise<void> {
    const { now, sequence } = await this.#venue.call<{ readonly now: number; readonly sequence: number }>('GET', '')
    this.#ahead = now - Date.now()
    this.#after = sequence
    await this.#venue.call('POST', '/traffic', { watch: true })
    this.#watching = this.#watch()
    // `end` tells it; a run that is given up needs nothing of it.
    this.#watching.catch(() => undefined)
  }

  readonly now = (): number => Date.now() + this.#ahead

  /** Looks no more, whatever became of the run. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#watching?.catch(() => undefined)
  }

  /** The last look; then it is over. */
  async end(): Promise<readonly TrafficLine[]> {
    this.#isOver = true
    await this.#watching
    await this.#look()
    return this.traffic()
  }

  traffic(after = 0): Promise<readonly TrafficLine[]> {
    return this.#ask<readonly TrafficLine[]>(`/traffic?after=${after}`)
  }

  /** What holds, once it does; undefined: it did not come about in time. */
  async until<Found>(look: () => Found | undefined, ms: number): Promise<Found | undefined> {
    const last = Date.now() + ms
    for (;;) {
      const found = look()
      if (found !== undefined || this.#isOver || Date.now() > last) return found
      await sleep(everyMs / 2)
    }
  }

  get account(): ReturnType<typeof accountNow> {
    return accountNow(this.#evidence)
  }

  /** Orders that rest, oldest first. */
  resting(symbol: string): readonly OpenOrder[] {
    return this.account.orders.filter((order) => order.symbol === symbol && !order.isTrigger)
  }

  /** How many orders were placed with effect. */
  get placed(): number {
    return this.journal.filter(({ command, reply }) => {
      return command['uid'] === this.#uid && command.kind.startsWith('place-') && reply?.kind === 'placed'
    }).length
  }

  get fills(): number {
    return this.journal.flatMap(({ events }) => events).filter(({ kind, uid }) => kind === 'fill' && uid === this.#uid)
      .length
  }

  /** How many fills an order has had. */
  filledOf(orderId: string): number {
    return this.journal
      .flatMap(({ events }) => events)
      .filter((event) => event.kind === 'fill' && String(event['orderId']) === orderId).length
  }

  get #evidence(): Evidence {
    const { journal, firings } = this
    const times = { scale: 1, warm: 0, struck: 0, over: 0, recovered: 0, ended: 0 }
    const nothing = { traffic: [], prices: [], exits: [], outages: [] }
    return { uid: this.#uid, key: '', steps: this.#steps, journal, firings, ...nothing, ...times }
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await this.#look()
      await sleep(everyMs)
    }
  }

  async #look(): Promise<void> {
    const lines = await this.#ask<readonly JournalLine[]>(
      `/journal?uid=${this.#role}&after=${this.#after}&limit=${linesMax}`,
    )
    this.journal.push(...lines)
    this.#after = lines.at(-1)?.sequence ?? this.#after
    // What became of one is known later than that it fired: all of them are read anew.
    const firings = await this.#ask<readonly Firing[]>('/firings')
    if (firings.length > 0) this.firings.splice(0, this.firings.length, ...firings)
  }

  async #ask<Lines extends readonly unknown[]>(path: string): Promise<Lines | readonly never[]> {
    try {
      return await this.#venue.call<Lines>('GET', path)
    } catch (error) {
      if (error instanceof LabError && (error.status === 0 || error.status >= 500 || error.status === 404)) return []
      throw error
    }
  }
}
