/**
 * A venue as it was: an engine, a history and market data of their own, that stay behind.
 *
 * Begins    with the venue as it stands when it is opened, and comes no further than it is told. It knows nothing from before
 * Follows   by the records of the venue's commands: what it answers the venue would have answered then
 * Source    lab.md §4.5 (stale-reads, stale-prices), §6
 */
import type { Inside } from '../../api/api.ts'
import { Engine } from '../../engine/engine.ts'
import type { Event } from '../../engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../../engine/protocol/query.ts'
import { type History, openHistoryInMemory } from '../../history/history.ts'
import { Market } from '../../market/market.ts'
import type { Core } from '../../runtime/core.ts'
import { decodeCommand } from '../../runtime/runtime.ts'
import type { LabVenue } from '../venue.ts'

export class Behind {
  readonly #engine: Engine
  readonly #venue: LabVenue
  readonly #history: History
  readonly #market: Market
  #events: Event[] = []

  private constructor(venue: LabVenue, engine: Engine, history: History, market: Market) {
    this.#venue = venue
    this.#engine = engine
    this.#history = history
    this.#market = market
  }

  static async open(venue: LabVenue): Promise<Behind> {
    const { runtime, history, market } = venue.parts
    // All of it within one turn of the event loop, as it is saved for a snapshot.
    const { state } = runtime.save()
    const historySaved = history.save()
    const marketSaved = market.save()
    let behind: Behind | undefined
    const engine = Engine.load([...state], (event) => {
      if (behind !== undefined) behind.#events.push(event)
    })
    const ownHistory = await openHistoryInMemory(await historySaved)
    const ownMarket = new Market((instrument) => engine.query({ kind: 'holders', instrument }), market.past)
    ownMarket.restoreFrom(marketSaved)
    return (behind = new Behind(venue, engine, ownHistory, ownMarket))
  }

  /** All that was sequenced up to a time of the venue. */
  advanceTo(at: number): void {
    const { runtime } = this.#venue.parts
    for (;;) {
      const sequence = this.#engine.sequence + 1
      const record = sequence > runtime.sequence ? undefined : runtime.record(sequence)
      if (record === undefined) return
      const { command, at: when } = decodeCommand(record)
      if (when > at) return
      this.#events = []
      this.#engine.apply(command, sequence, when)
      this.#history.record(sequence, when, this.#events, command.kind)
      this.#market.record(this.#events)
    }
  }

  /** What is asked of these instruments is asked here, the rest of the venue; undefined: all. The time is the venue's. */
  inside(inside: Inside, instruments?: ReadonlySet<number>): Inside {
    const isHere = (asked: unknown) => {
      if (instruments === undefined) return true
      const { instrument } = (typeof asked === 'object' ? asked : { instrument: asked }) as { instrument?: unknown }
      return typeof instrument === 'number' && instruments.has(instrument)
    }
    return {
      ...inside,
      core: new BehindCore(inside.core, (query) => (isHere(query) ? this.#engine : inside.core)),
      history: either(this.#history, inside.history, isHere),
      market: either(this.#market, inside.market, isHere),
    }
  }

  close(): Promise<void> {
    return this.#history.close()
  }
}

/** The one or the other, by the first argument of the method that is called. */
function either<T extends object>(here: T, there: T, isHere: (asked: unknown) => boolean): T {
  return new Proxy(there, {
    get: (_there, name) => {
      if (typeof Reflect.get(there, name, there) !== 'function') return Reflect.get(there, name, there)
      return (...given: unknown[]) => {
        const chosen = isHere(given[0]) ? here : there
        return (Reflect.get(chosen, name, chosen) as (...rest: unknown[]) => unknown).apply(chosen, given)
      }
    },
  })
}

class BehindCore implements Core {
  readonly submit: Core['submit']
  readonly submitAll: Core['submitAll']
  readonly #core: Core
  readonly #whom: (query: object) => Pick<Core, 'query'>

  constructor(core: Core, whom: (query: object) => Pick<Core, 'query'>) {
    this.#core = core
    this.#whom = whom
    this.submit = core.submit.bind(core)
    this.submitAll = core.submitAll.bind(core)
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#core.rebuilt
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#whom(query).query(query)
  }

  now(): number {
    return this.#core.now()
  }
}
