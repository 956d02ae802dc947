/**
 * The two ports between the outside and the core: `submit` changes, `query` asks. Handlers know nothing else.
 *
 * Durable   a reply is given only after its command is durable and applied (design §1)
 * Outcomes  `CommandNotSequenced`: it never happened and never will (`VenueOverloaded`: for want of room); `OutcomeUnknown`: it may have (design §4.5)
 * Rebuilt   while the engine is rebuilt after a poisoned command, commands wait and questions throw `EngineRebuilding`;
 *           who is about to begin something waits for `rebuilt` first
 * Fresh     who asks for an account at a copy of the venue (a gateway's) waits for `fresh` first; who asks for what is public sees
 *           by `assertHeard` that it is not too old
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'

/** For whoever wants to say later which command was whose. */
export interface Trace {
  /** What the journal has the command as (the first of several); undefined until it is sequenced. */
  sequence: number | undefined
}

export interface Core {
  submit(command: Command, trace?: Trace): Promise<Reply>
  /** Sequenced one after the other without anything between; replies in the same order. */
  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]>
  /** Answers from the state after everything that was acknowledged so far. */
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K>
  /** The venue's time in Unix milliseconds: the system's or the manual clock's. */
  now(): number
  /** There only while the engine is being rebuilt; resolves when that has ended, well or not. */
  readonly rebuilt?: Promise<void> | undefined
  /**
   * Of a copy of the venue in another process: resolves when everything that anybody was answered before this call is in it.
   * Absent: there is no copy. Rejects with CommandNotSequenced.
   */
  readonly fresh?: (() => Promise<void>) | undefined
  /**
   * Of a copy: throws CommandNotSequenced when nothing new can have come for so long that what it has is too old even for what is
   * public. Absent: there is no copy.
   */
  readonly assertHeard?: (() => void) | undefined
}

/** The command was never sequenced: it has no effect and will have none. */
export class CommandNotSequenced extends Error {
  override name = 'CommandNotSequenced'
}

/** More is waiting than can be served soon. Whoever lightens the load is still taken (sequencer.ts). */
export class VenueOverloaded extends CommandNotSequenced {
  override name = 'VenueOverloaded'
}

/** A question that came while the engine is being rebuilt: the same question has an answer in a moment. */
export class EngineRebuilding extends Error {
  override name = 'EngineRebuilding'
}

/** The command left, and what became of it is not known here. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
  readonly reason: 'timed-out' | 'link-failed' | 'unexpected'
  constructor(reason: OutcomeUnknown['reason'], options?: ErrorOptions) {
    super(`outcome unknown: ${reason}`, options)
    this.reason = reason
  }
}
