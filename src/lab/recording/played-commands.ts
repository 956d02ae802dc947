/**
 * The commands of a recording, carried out in the order of its journal, in the same batches with the same stamps.
 *
 * Calls      what a call of the recording sent has to come from it now, byte for byte
 * Layers     what one of them sends by itself waits for the same record
 * Elsewhere  all other commands (timers, the simulated market, cheats) are taken from the journal
 * Source     lab.md §4.8; decisions/0038
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { decodeCommand, encodedCommand, type Runtime } from '../../runtime/runtime.ts'
import type { LabVenue } from '../venue.ts'
import type { Differences } from './differences.ts'
import type { Gate, Submission } from './gate.ts'
import type { OwnCommands } from './own-commands.ts'
import { type PlayedTime, settled } from './played-time.ts'
import { firstApart } from './player-words.ts'
import type { Tide } from './tide-file.ts'

/** Who has to send what the journal has at a place. */
export interface Sender {
  readonly gate: () => Gate | undefined
  readonly count: number
  readonly where: string
  /** The number of the request before it, or its own. */
  readonly order: number
}

/** Turns in which a layer sends a command by itself. */
const ownTurnsMax = 3
/** Real time that a command may take to come. */
const commandMsMax = 5_000

interface Parts {
  readonly tide: Tide
  readonly runtime: Runtime
  readonly time: PlayedTime
  readonly agenda: () => LabVenue['agenda']
  readonly own: OwnCommands
  /** Layers may send commands by themselves: they are given time to. */
  readonly mayOwn: boolean
  /** By the first sequence of what they sent. */
  readonly senders: ReadonlyMap<number, Sender>
  readonly differences: Differences
}

export class PlayedCommands {
  readonly #parts: Parts
  #batch = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Carries them out up to this one. False: a call did not send what it sent then. */
  async through(last: number): Promise<boolean> {
    const { tide, runtime, time } = this.#parts
    const { batches } = tide
    while (runtime.sequence < last) {
      const first = runtime.sequence + 1
      while (this.#batch < batches.length && batches[this.#batch] <= first) this.#batch += 1
      const end = Math.min(last, (batches[this.#batch] ?? Number.POSITIVE_INFINITY) - 1)
      const { at } = decodeCommand(this.#recordOf(first)!)
      await time.fallDue(at, false)
      time.set(at)
      if (!(await this.#playBatch(first, end))) return false
      await time.fallDue(at, true)
    }
    return true
  }

  async #playBatch(first: number, end: number): Promise<boolean> {
    const { runtime, senders } = this.#parts
    const sending: (() => Promise<unknown>)[] = []
    for (let sequence = first; sequence <= end; ) {
      const sender = senders.get(sequence)
      if (sender === undefined) {
        const own = await this.#ownAt(sequence)
        const commands = own?.commands ?? [decodeCommand(this.#recordOf(sequence)!).command]
        const sent = () => runtime.submitAll(commands, own?.trace)
        sending.push(own === undefined ? sent : () => sent().then(own.resolve, own.reject))
        sequence += commands.length
        continue
      }
      const submission = await this.#submissionOf(sender)
      if (submission === undefined || !this.#isSame(submission, sequence, sender)) return false
      sending.push(() =>
        runtime.submitAll(submission.commands, submission.trace).then(submission.resolve, submission.reject),
      )
      sequence += sender.count
    }
    await Promise.all(sending.map((send) => send()))
    // Whoever waited for a reply goes on before anything else happens.
    await nextTurn()
    return true
  }

  /** What a layer sends by itself at this place of the journal. */
  async #ownAt(sequence: number): Promise<Submission | undefined> {
    const { own, mayOwn } = this.#parts
    if (mayOwn) await settled(() => own.isWaiting, ownTurnsMax)
    if (!own.isWaiting) return undefined
    const { at } = decodeCommand(this.#recordOf(sequence)!)
    return own.take((place) => this.#recordOf(sequence + place), at)
  }

  #recordOf(sequence: number): Uint8Array | undefined {
    const { journal, head } = this.#parts.tide
    return journal[sequence - head.sequence - 1]
  }

  /** What a call sends next; undefined: it sends nothing, which is the difference. */
  async #submissionOf({ gate, where, order }: Sender): Promise<Submission | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const late = setTimeout(() => resolve(undefined), commandMsMax)
    // What comes late is due by now.
    void this.#parts.agenda().runEntries()
    try {
      const submission = await Promise.race([gate()?.next(), promise])
      if (submission === undefined) this.#parts.differences.tell(where, 'command', 'a command', 'none', order)
      return submission
    } finally {
      clearTimeout(late)
    }
  }

  #isSame({ commands }: Submission, first: number, { count, where, order }: Sender): boolean {
    const records = Array.from({ length: count }, (_, place) => this.#recordOf(first + place)!)
    const recorded = records.map((record) => decodeCommand(record))
    const isSame =
      commands.length === count &&
      recorded.every(
        ({ at }, place) => records[place].length > 0 && encodedCommand(commands[place], at).equals(records[place]),
      )
    if (isSame) return true
    const [expected, got] = firstApart(
      recorded.map(({ command }) => command),
      commands,
    )
    this.#parts.differences.tell(where, 'command', expected, got, order)
    return false
  }
}
