/**
 * Looks at what is shown, each at its pace: one timer for each pace, however many are looked at.
 *
 * Rebuilt   while the engine is being rebuilt nothing is looked at
 * Clock     real time, also on a venue whose own clock is moved by hand
 */
import type { Core } from '../runtime/core.ts'

/** What can be looked at. */
export interface Paced {
  look(): void
}

export interface PacerOptions {
  readonly core: Pick<Core, 'rebuilt'>
  /** Something could not be looked at, and is not looked at again. */
  readonly onTrouble: (trouble: unknown) => void
}

export class Pacer {
  readonly #options: PacerOptions
  readonly #paces = new Map<number, { readonly timer: NodeJS.Timeout; readonly members: Set<Paced> }>()

  constructor(options: PacerOptions) {
    this.#options = options
  }

  add(paced: Paced, everyMs: number): void {
    let pace = this.#paces.get(everyMs)
    if (pace === undefined) {
      const members = new Set<Paced>()
      pace = { members, timer: setInterval(() => this.#lookAt(members), everyMs).unref() }
      this.#paces.set(everyMs, pace)
    }
    pace.members.add(paced)
  }

  remove(paced: Paced, everyMs: number): void {
    const pace = this.#paces.get(everyMs)
    if (!pace?.members.delete(paced) || pace.members.size > 0) return
    clearInterval(pace.timer)
    this.#paces.delete(everyMs)
  }

  /** At once, whatever the pace. */
  lookAtAll(): void {
    for (const { members } of this.#paces.values()) this.#lookAt(members)
  }

  close(): void {
    for (const { timer } of this.#paces.values()) clearInterval(timer)
    this.#paces.clear()
  }

  #lookAt(members: Set<Paced>): void {
    if (this.#options.core.rebuilt !== undefined) return
    for (const paced of members) {
      try {
        paced.look()
      } catch (trouble) {
        members.delete(paced)
        this.#options.onTrouble(trouble)
      }
    }
  }
}
