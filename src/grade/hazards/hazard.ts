/**
 * What a hazard is: a row of a table, with the fault rules that make it, or what is done when.
 *
 * Durations  are those of the world; `scene.ms` makes those of the run of them (--scale)
 * Reached    by a firing that an order, a message or a read has met, or as `act` says
 */
import type { Firing } from '../evidence.ts'
import type { Letter } from '../judge/judge.ts'
import type { Rule, Scene } from '../scene.ts'

type Group = 'unknown outcome' | 'refusals' | 'connection' | 'streams' | 'reads' | 'venue and market'

export interface Hazard {
  readonly id: string
  readonly group: Group
  readonly name: string
  /** For whoever reads the report: what happens, in a sentence. */
  readonly says: string
  /** What counts as reached, in words. */
  readonly reached: string
  /** Added once the bot is warm. The first firing that counts is when it struck. */
  readonly rules?: (scene: Scene) => readonly Rule[]
  /** Which firings count; absent: each. The rules are added again until one does. */
  readonly counts?: (firing: Firing) => boolean
  /** In place of waiting for a firing, or with the rules in force. False: it was not reached. */
  readonly act?: (scene: Scene) => Promise<boolean>
  /** What follows the firing that counts. False: that was not reached. */
  readonly follow?: (scene: Scene, firing: Firing) => Promise<boolean>
  /** How long it goes on after it struck; absent: it is over at once. */
  readonly lasts?: number
  /** The venue or the way to it is down meanwhile. */
  readonly isOutage?: true
  /** Absent: all of them. */
  readonly judged?: readonly Letter[]
}

/** The call put an order into the venue. */
export const hasEffect = ({ outcome }: Firing): boolean => outcome === 'placed' || outcome === 'filled'

export const second = 1_000
