/**
 * The log that several cores share: one order of messages, which decides who leads. The port, and what can go wrong with it.
 *
 * Positions  1, 2, 3, … without a gap; the end is 0 while nothing was ever appended
 * Fence      every append names the position that it expects as the end. Whoever is wrong stores nothing
 * Unknown    an append without an answer may be stored or not, and may still come: the place behind what was expected says it
 * Not here   what a message says (message.ts), and who may append (log-writer.ts)
 */
export interface LogEntry {
  readonly position: number
  readonly message: Uint8Array
}

export interface Log {
  /** Stores a message behind `expected`, durably; answers its position. Rejects with Fenced, LogUnknown or LogDown. */
  append(expected: number, message: Uint8Array): Promise<number>
  /** What stands at a position now; undefined: nothing yet. Rejects with LogDown, or LogBroken for what was lost. */
  at(position: number): Promise<Uint8Array | undefined>
  /** From a position on, now and as it comes, until `return` is called. What fails on the way is tried again. */
  follow(from: number): AsyncIterableIterator<LogEntry>
  /** Forgets what stands before a position. */
  removeBefore(position: number): Promise<void>
}

/** Another message stands where this one was expected to go: this one is not stored, and was not before. */
export class Fenced extends Error {
  override name = 'Fenced'
}

/** No answer came: it may be stored, or be stored later. */
export class LogUnknown extends Error {
  override name = 'LogUnknown'
}

/** The log cannot be reached. Nothing was asked of it. */
export class LogDown extends Error {
  override name = 'LogDown'
}

/** What the log has is not what it must have. Nobody goes on behind that: a person has to look. */
export class LogBroken extends Error {
  override name = 'LogBroken'

  constructor(position: number, reason: string) {
    super(`position ${position} of the log: ${reason}`)
  }
}
