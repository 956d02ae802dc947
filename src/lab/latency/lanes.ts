/**
 * Who comes behind whom: what goes one way on one connection arrives in the order in which it left.
 *
 * Lane      of a connection and a direction. What is behind something that waits waits at least as long
 * Apart     two connections, and what a rule lets overtake
 * Source    lab.md §4.7
 */
interface Lane {
  /** When the last one arrives that is on its way. */
  last: number
  waiting: number
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /** Whether something is on its way there. */
  isBusy(name: string): boolean {
    return this.#lanes.has(name)
  }

  /** When what would arrive at `due` does. */
  enter(name: string, due: number): number {
    const lane = this.#lanes.get(name) ?? { last: due, waiting: 0 }
    this.#lanes.set(name, lane)
    lane.waiting += 1
    lane.last = Math.max(lane.last, due)
    return lane.last
  }

  /** One has arrived. */
  leave(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) return
    lane.waiting -= 1
    if (lane.waiting === 0) this.#lanes.delete(name)
  }
}
