/** How a venue runs in lockstep. Source: lab.md §4.14. */
export interface LockstepSettings {
  /** A client that says nothing is taken as idle after so much real time; undefined: never. */
  readonly quietMs: number | undefined
  /** Pushes of a step leave in one write. */
  readonly fastFeed: boolean
}
