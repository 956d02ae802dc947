/**
 * The pen of one leadership: every append of a core goes through it, from its claim on.
 *
 * Fence     each append expects what this writer knows as the end, so it stores nothing once another core has written
 * One       append is under way at a time; the others wait for it
 * Unknown   an append without an answer is settled before anything else is written: the place behind the end is read. Own
 *           bytes there: it is done. Others: fenced. Nothing: the same bytes are sent again (they can be stored only once)
 * Fenced    is for good, and definite: the message is not in the log and will never be
 * Lease     counts from when the last acknowledged append *began*: no other core can have claimed before that
 */
import { JournalFenced } from '../journal/journal.ts'
import type { LogCounts } from './counts.ts'
import type { LogEnd } from './log-check.ts'
import { Fenced, type Log, LogBroken } from './log.ts'
import { encodeMessage, type Message } from './message.ts'
import { sleep, type Timers } from './timers.ts'

/** What a message says of itself; the rest the writer knows. */
export type Draft = Pick<Message, 'kind'> &
  Partial<Pick<Message, 'records' | 'origins' | 'note' | 'firstSequence' | 'at'>>

export interface LogWriterPorts {
  readonly log: Log
  readonly timers: Timers
  /** By which rules the next command is applied here. */
  readonly stateVersion: () => number
  /** The last command that was applied here. */
  readonly appliedThrough: () => number
  /** Where what was stored ends: told in order, each message once. */
  readonly onStored: (end: LogEnd, bytes: Uint8Array) => void
  /** Absent: nobody asks. */
  readonly counts?: LogCounts | undefined
}

/** Between two looks at a log that does not answer. */
const retryMs = 50
const nothing = new Uint8Array(0)

export class LogWriter {
  readonly #ports: LogWriterPorts
  #end: LogEnd
  #epoch: number
  #turn: Promise<void> = Promise.resolve()
  #fenced: JournalFenced | undefined
  /** When the last append that was acknowledged began. */
  #leasedMs = Number.NEGATIVE_INFINITY
  #appendedMs = 0

  constructor(end: LogEnd, ports: LogWriterPorts) {
    this.#end = end
    this.#epoch = end.epoch
    this.#ports = ports
  }

  get end(): LogEnd {
    return this.#end
  }

  get isFenced(): boolean {
    return this.#fenced !== undefined
  }

  /** How long ago the last acknowledged append began, in milliseconds. */
  get leaseAgeMs(): number {
    return this.#ports.timers.now() - this.#leasedMs
  }

  /** How long ago the last append ended. */
  get silentMs(): number {
    return this.#ports.timers.now() - this.#appendedMs
  }

  /** Takes the log for this core: whoever led before is fenced by it. Rejects with JournalFenced. */
  claim(note: Uint8Array): Promise<void> {
    this.#epoch = this.#end.epoch + 1
    return this.append({ kind: 'claim', note })
  }

  /** Resolves when it is stored. Rejects with JournalFenced, then and for good, and with LogBroken. */
  append(draft: Draft): Promise<void> {
    const done = this.#turn.then(() => this.#append(draft))
    this.#turn = done.catch(() => {})
    return done
  }

  async #append(draft: Draft): Promise<void> {
    if (this.#fenced !== undefined) throw this.#fenced
    const { stateVersion, appliedThrough, onStored, timers, counts } = this.#ports
    const { kind, records = [], origins = [], note = nothing } = draft
    const before = this.#end
    const message: Message = {
      kind,
      stateVersion: stateVersion(),
      epoch: this.#epoch,
      appliedThrough: appliedThrough(),
      at: Math.max(draft.at ?? 0, before.lastAt),
      firstSequence: draft.firstSequence ?? before.lastSequence + 1,
      origins,
      records,
      note,
      previousChain: before.chain,
    }
    const bytes = encodeMessage(message)
    const sinceMs = timers.now()
    const begunMs = await this.#store(before.position, bytes)
    this.#leasedMs = begunMs
    this.#appendedMs = timers.now()
    counts?.append.add(this.#appendedMs - sinceMs)
    this.#end = {
      position: before.position + 1,
      chain: bytes.readUInt32LE(68),
      epoch: this.#epoch,
      lastSequence: before.lastSequence + records.length,
      lastAt: message.at,
    }
    onStored(this.#end, bytes)
  }

  /** Answers when the attempt began that is known to have succeeded. */
  async #store(expected: number, bytes: Buffer): Promise<number> {
    const { log, timers, counts } = this.#ports
    const begunMs = timers.now()
    for (let isUnknown = false; ; isUnknown = true) {
      try {
        await log.append(expected, bytes)
        return begunMs
      } catch (error) {
        if (error instanceof LogBroken) throw error
        if (error instanceof Fenced && !isUnknown) throw this.#fence(error)
      }
      if (counts !== undefined) counts.unknown += 1
      const there = await this.#read(expected + 1)
      if (there === undefined) continue
      if (bytes.equals(there)) return begunMs
      throw this.#fence(undefined)
    }
  }

  async #read(position: number): Promise<Uint8Array | undefined> {
    const { log, timers } = this.#ports
    for (;;) {
      try {
        return await log.at(position)
      } catch (error) {
        if (error instanceof LogBroken) throw error
        await sleep(timers, retryMs)
      }
    }
  }

  #fence(cause: unknown): JournalFenced {
    const { counts } = this.#ports
    if (counts !== undefined && this.#fenced === undefined) counts.fenced += 1
    return (this.#fenced ??= new JournalFenced({ cause }))
  }
}
