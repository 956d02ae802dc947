/**
 * What a gateway and a core say to each other over their link, in order. A connection is used once: what was sent on one that
 * broke belongs to it, and nobody carries it out later.
 *
 * Up     hello · submit · barrier
 * Down   welcome (with the state, when the core cannot tell all that was missed) · batch, applied · refused · fresh · goodbye. Of a
 *        core that follows: state · goodbye
 */
import type { Command } from '../engine/protocol/command.ts'
import type { RulesRange } from '../engine/protocol/rules.ts'
import type { Origin } from './message.ts'

/** What a process says of itself. */
export interface ProcessAbout {
  /** How a person calls it. */
  readonly process: string
  readonly release: string
  /** What it applies. */
  readonly rules: RulesRange
}

export interface Hello {
  readonly kind: 'hello'
  /** Of the process, a random safe integer: its submissions are known by it in the log. */
  readonly session: number
  /** Absent: of a release that did not say it. */
  readonly about?: ProcessAbout
  /** What this replica has; undefined: nothing, it needs a state. */
  readonly appliedThrough: number | undefined
}

export type FrameUp =
  | Hello
  /** Commands that stay together; the counter rises with each submission of a session. */
  | { readonly kind: 'submit'; readonly counter: number; readonly commands: readonly Command[] }
  /** Answered by `fresh` with the same number. */
  | { readonly kind: 'barrier'; readonly number: number }

export interface SavedState {
  readonly sequence: number
  readonly lastAt: number
  readonly chunks: readonly Uint8Array[]
}

/** Records that were committed, and whose they are. */
export interface CommittedBatch {
  readonly firstSequence: number
  readonly records: readonly Uint8Array[]
  readonly origins: readonly Origin[]
}

export type FrameDown =
  /**
   * This core leads, in this epoch. When everything up to `end` has come, the gateway knows what became of all that it sent
   * on earlier connections: what is not there never was. `state`: what comes before that is not told one by one.
   */
  | { readonly kind: 'welcome'; readonly epoch: number; readonly end: number; readonly state: SavedState | undefined }
  /**
   * The state of a core that follows, for one who has none: the core that leads tells the rest. `passedOver`: the commands that it was
   * made without.
   */
  | { readonly kind: 'state'; readonly state: SavedState; readonly passedOver: readonly number[] }
  | ({ readonly kind: 'batch' } & CommittedBatch)
  /** Applied by the core that leads: what stands up to there may be answered. */
  | { readonly kind: 'applied'; readonly sequence: number }
  /** A command is passed over everywhere. Who has applied it begins anew. */
  | { readonly kind: 'skip'; readonly sequence: number }
  /** Never sequenced on this connection; `overloaded`: for want of room. */
  | { readonly kind: 'refused'; readonly counter: number; readonly overloaded: boolean; readonly reason: string }
  | { readonly kind: 'fresh'; readonly number: number; readonly sequence: number }
  /**
   * `leader`: the core that claimed last, by its name, where this one knows it. `beyond`: for good, as the gateway does not apply the
   * rules at which the venue stands, and a release that does.
   */
  | {
      readonly kind: 'goodbye'
      readonly reason: string
      readonly leader?: string
      readonly beyond?: { readonly rules: number; readonly release: string }
    }
