/**
 * What one caller submitted at once and waits for: one command, or several that stay together.
 *
 * Holds     settled exactly once; whatever comes later (a reply after the caller's time ran out) is dropped
 *           · its commands share a batch, so they become durable together or not at all
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Trace } from './core.ts'

export class Submission {
  readonly commands: readonly Command[]
  /** On the monotonic clock. */
  readonly submittedMs: number
  readonly trace: Trace | undefined
  readonly #resolve: (replies: readonly Reply[]) => void
  readonly #reject: (error: Error) => void
  #settled = false

  constructor(
    commands: readonly Command[],
    submittedMs: number,
    resolve: (replies: readonly Reply[]) => void,
    reject: (error: Error) => void,
    trace?: Trace,
  ) {
    this.commands = commands
    this.submittedMs = submittedMs
    this.trace = trace
    this.#resolve = resolve
    this.#reject = reject
  }

  answer(replies: readonly Reply[]): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(replies)
  }

  fail(error: Error): void {
    if (this.#settled) return
    this.#settled = true
    this.#reject(error)
  }
}

/** What is sequenced, written and synced together. */
export interface Batch {
  readonly firstSequence: number
  /** The stamp of all its commands, Unix milliseconds. */
  readonly at: number
  readonly submissions: readonly Submission[]
  readonly payloads: readonly Uint8Array[]
}
