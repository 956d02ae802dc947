/**
 * What fell due while time was moved, by what happened: the answer of the clock's calls.
 *
 * Once     what happens to many accounts at one moment is one entry
 * Bounded  the first thousand of a call; `more` says that there were others
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { EventConsumer } from '../runtime/runtime.ts'

export interface Fired {
  readonly kind: 'funding' | 'interest' | 'delivery' | 'liquidation' | 'timer'
  /** Unix milliseconds. */
  readonly at: number
  /** The number of the instrument, where it is of one. */
  readonly instrument?: number
}

const firedMax = 1_000

export class FiredTimers implements EventConsumer {
  #fired: Map<string, Fired> | undefined

  /** From here on. */
  begin(): void {
    this.#fired = new Map()
  }

  take(): readonly Fired[] {
    const fired = [...(this.#fired?.values() ?? [])]
    this.#fired = undefined
    return fired
  }

  forget(): void {
    this.#fired?.clear()
  }

  record(_sequence: number, at: number, events: readonly Event[], command: Command['kind'] | ''): void {
    if (this.#fired === undefined || command !== 'run-timers') return
    let named = false
    for (const event of events) {
      const fired = firedBy(event, at)
      if (fired === undefined) continue
      named = true
      this.#add(fired)
    }
    if (!named && events.length > 0) this.#add({ kind: 'timer', at })
  }

  #add(fired: Fired): void {
    const name = `${fired.kind} ${fired.at} ${fired.instrument ?? ''}`
    if ((this.#fired?.size ?? firedMax) < firedMax) this.#fired?.set(name, fired)
  }
}

function firedBy(event: Event, at: number): Fired | undefined {
  switch (event.kind) {
    case 'funding-settled':
      return { kind: 'funding', at, instrument: event.instrument }
    case 'interest':
      return { kind: 'interest', at }
    case 'liquidation':
    case 'margin-liquidation':
      return { kind: 'liquidation', at }
    case 'fill':
      return event.cause === 'delivery' ? { kind: 'delivery', at, instrument: event.instrument } : undefined
    default:
      return undefined
  }
}
