/**
 * What the newest commands came to: their replies and events, in memory.
 *
 * Bounded   by commands; the oldest go first, some at a time
 * Saved     a mark stays good in whatever venue: what is kept is shared, and nobody changes it
 * Source    lab.md §4.2 (journal), §4.4
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { EventConsumer } from '../runtime/runtime.ts'

export interface Told {
  readonly sequence: number
  /** Unix milliseconds. */
  readonly at: number
  /** Empty: it was passed over, since the engine broke on it. */
  readonly kind: Command['kind'] | ''
  readonly reply: Reply | undefined
  readonly events: readonly Event[]
}

/** A place in it: all up to the end of the last chunk. */
export interface SavedJournal {
  readonly chunks: readonly (readonly Told[])[]
  readonly last: number
}

const chunkLength = 500
const chunksMax = 41

export class LabJournal implements EventConsumer {
  #chunks: Told[][] = [[]]

  record(sequence: number, at: number, events: readonly Event[], kind: Command['kind'] | '', reply?: Reply): void {
    let chunk = this.#chunks[this.#chunks.length - 1]
    if (chunk.length === chunkLength) this.#chunks.push((chunk = []))
    if (this.#chunks.length > chunksMax) this.#chunks.shift()
    chunk.push({ sequence, at, kind, reply, events })
  }

  mark(): SavedJournal {
    return { chunks: [...this.#chunks], last: this.#chunks[this.#chunks.length - 1].length }
  }

  goBackTo({ chunks, last }: SavedJournal): void {
    this.#chunks = [...chunks.slice(0, -1).map((chunk) => chunk as Told[]), (chunks.at(-1) ?? []).slice(0, last)]
  }

  /** Those behind a sequence, oldest first. */
  *after(sequence: number): Generator<Told> {
    for (const chunk of this.#chunks) {
      if ((chunk.at(-1)?.sequence ?? 0) <= sequence) continue
      for (const told of chunk) if (told.sequence > sequence) yield told
    }
  }
}
