/**
 * What the runtime drives and feeds, by the shape it needs: the engine below it, history and other consumers above it.
 *
 * Why       rooms above may not be imported, and the tests of the sequencer put a small engine in place of the real one
 * Fits      `Engine` of engine/engine.ts, `History` of history/history.ts, `Market` of market/market.ts, as they are
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { RulesNote } from './rules.ts'

/** Questions to the engine. */
export type Answering = Pick<StateMachine, 'query'>

export interface StateMachine {
  /** The last command applied or skipped. */
  readonly sequence: number
  /** By which rules the next one is applied. */
  readonly rules: number
  /** Gets ready for some of these commands, from a place on; answers the place behind them. Changes nothing that is seen. */
  prefetch(commands: readonly Command[], from: number): number
  /** Throws on a defect, and RulesBeyond; it is not used after that. */
  apply(command: Command, sequence: number, at: number): Reply
  /** Counts the sequence and the time of a command that is passed over, and changes nothing else. */
  skip(sequence: number, at: number): void
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K>
  /** When the next timer falls due; undefined: none is set. */
  nextTimerAt(): number | undefined
  /** The whole state as bytes, always the same for the same state. They are copies: later commands do not change them. */
  save(): Uint8Array[]
}

/** The engine's class. */
export interface StateMachineClass {
  new (emit: (event: Event) => void): StateMachine
  /** From what `save` gave. The chunks are the engine's from then on. */
  load(chunks: readonly Uint8Array[], emit: (event: Event) => void): StateMachine
}

/** Takes the events of every command in order, those of replayed commands included. Never blocks, never throws. */
export interface EventConsumer {
  /**
   * `events` is the consumer's to keep, and empty for a command that caused none. A command that was passed over has neither kind
   * nor reply. Of others `engine` answers as of this command until `record` returns.
   */
  record(
    sequence: number,
    at: number,
    events: readonly Event[],
    command: Command['kind'] | '',
    reply?: Reply,
    engine?: Answering,
  ): void
}

/** The consumer whose rows outlive the process: a snapshot stands only on what it has made durable. */
export interface HistoryConsumer extends EventConsumer {
  /** As of opening. It drops what it is given again. */
  readonly appliedSequence: number
  /** Recorded and not yet written. */
  readonly pendingEvents: number
  /** Resolves when everything recorded so far is written. */
  flush(): Promise<void>
  /** Everything recorded so far is on disk; answers the last sequence of it. */
  flushDurably(): Promise<number>
  /** Notes by which rules commands are carried out from one on; resolves when it is on disk. */
  noteRules?(note: RulesNote): Promise<void>
}

/** Where the runtime reports; a pino logger is one. */
export interface RuntimeLog {
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}

export const silentLog: RuntimeLog = { info() {}, warn() {}, error() {} }
