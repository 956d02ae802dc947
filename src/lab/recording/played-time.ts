/**
 * Time while a recording is played: that of what happens next, and on the way there what layers have to do, each at its own time.
 *
 * Source  lab.md §4.7, §4.8
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Runtime } from '../../runtime/runtime.ts'
import type { LabVenue } from '../venue.ts'

/** Turns of the event loop in which a call ends, or sends a command, or waits for something else. */
export const turnsMax = 200

/** Turns pass until it is so, or so many have. */
export async function settled(isSo: () => boolean, turns: number): Promise<void> {
  for (let turn = 0; turn < turns && !isSo(); turn += 1) await nextTurn()
}

export class PlayedTime {
  readonly #runtime: Runtime
  readonly #agenda: () => LabVenue['agenda']
  /** What the system's clock is ahead of the venue's. */
  #offset = 0

  constructor(runtime: Runtime, agenda: () => LabVenue['agenda']) {
    this.#runtime = runtime
    this.#agenda = agenda
  }

  /** Of the venue; that of the system is ahead of it as it was, unless it is said. */
  set(at: number, system = at + this.#offset): void {
    const { steered } = this.#runtime.clock
    this.#offset = system - at
    steered!.goTo(at)
    steered!.pin(system)
  }

  /** From now on it passes as it does for anybody. */
  leave(): void {
    this.#runtime.clock.steered!.unpin()
  }

  /** What layers do before a time of the venue, or up to it. */
  async fallDue(at: number, isThatToo: boolean): Promise<void> {
    const agenda = this.#agenda()
    for (let last = agenda.size; last > 0; last = agenda.size) {
      const dueAt = agenda.nextEntryAt ?? Number.POSITIVE_INFINITY
      if (dueAt > at || (dueAt === at && !isThatToo)) return
      this.set(dueAt)
      void agenda.runEntries()
      // Whoever waited for it goes on at that time.
      await nextTurn()
      await settled(() => agenda.size < last, turnsMax)
      if (agenda.size >= last) return
    }
  }
}
