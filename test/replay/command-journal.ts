/**
 * Commands in a journal of a venue, written and read without the venue: the real files and the real records.
 *
 * Writing   into an empty directory; nothing waits for the disk
 * Reading   changes nothing on the disk, whatever a crash has left there
 */
import { dirname } from 'node:path'
import type { Command } from '../../src/engine/protocol/command.ts'
import { type Disk, fileDisk, type Journal, openFileJournal } from '../../src/journal/journal.ts'
import { encodeCommand } from '../../src/runtime/command-codec.ts'
import { PoisonedCommands } from '../../src/runtime/poisoned-commands.ts'
import { RecordWriter } from '../../src/runtime/record-bytes.ts'

const batchMax = 4_096

export class CommandJournal {
  readonly #journal: Journal
  readonly #writer = new RecordWriter()
  #records: Uint8Array[] = []

  private constructor(journal: Journal) {
    this.#journal = journal
  }

  static async create(directory: string): Promise<CommandJournal> {
    const { journal } = await openFileJournal(directory, { sync: 'os' })
    if (journal.lastSequence > 0) {
      await journal.close()
      throw new Error(`there is a journal in ${directory}`)
    }
    return new CommandJournal(journal)
  }

  get length(): number {
    return this.#journal.lastSequence + this.#records.length
  }

  add(command: Command, at: number): void {
    const start = this.#writer.position
    encodeCommand(this.#writer, command, at)
    this.#records.push(this.#writer.slice(start, this.#writer.position))
  }

  /** Writes what was added, when it has become a batch; or in any case. */
  async flush(always = false): Promise<void> {
    if (this.#records.length === 0 || (this.#records.length < batchMax && !always)) return
    await this.#journal.append(this.#journal.lastSequence + 1, this.#records)
    this.#records = []
    this.#writer.rewind(0)
  }

  async close(): Promise<void> {
    await this.flush(true)
    await this.#journal.close()
  }
}

export interface RecordedCommands {
  readonly journal: Journal
  readonly poisoned: PoisonedCommands
}

/** The journal of a venue that stands still. Its poisoned commands are those of the data directory around it. */
export async function readCommands(directory: string): Promise<RecordedCommands> {
  const { journal } = await openFileJournal(directory, { disk: readingDisk, sync: 'os' })
  const { firstSequence, lastSequence } = journal.stats()
  if (firstSequence !== 1) throw new Error(`the journal in ${directory} begins with command ${firstSequence}`)
  return { journal, poisoned: await PoisonedCommands.open(readingDisk, dirname(directory), lastSequence) }
}

/** What would change a file is left undone; what would make one fails. */
const readingDisk: Disk = {
  makeDirectory: async () => {},
  list: (directory) => fileDisk.list(directory),
  create: async (path) => {
    throw new Error(`${path} is not there`)
  },
  open: async (path) => {
    const file = await fileDisk.open(path)
    return {
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      write: async (bytes) => bytes.length,
      truncate: async () => {},
      sync: async () => {},
      close: () => file.close(),
    }
  },
  rename: async () => {},
  unlink: async () => {},
  syncDirectory: async () => {},
}
