/**
 * The list of commands that broke the engine. Each was taken back and answered as refused; every replay passes over it.
 *
 * File      <data>/poisoned.json, written beside itself, synced and renamed before the answer to the command leaves
 * Why       a restart need not break on them again, and a later release whose engine would take one passes over it too,
 *           as its sender was answered. Without the file they are found again, each at the price of one rebuild (rebuild.ts)
 * Whole     the file ends with a checksum of its list: a changed note would be a command passed over that was carried out
 * Belongs   to one journal: the command of that number must have the stamp and the kind that are noted. What the journal
 *           lost at its end (durability `os` and a power cut) is forgotten, because its numbers are given again
 */
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Disk, readWhole, writeWhole } from '../journal/journal.ts'
import type { CommandPoisoned } from './trouble.ts'
import { RecoveryFailed } from './trouble.ts'

interface PoisonedCommand {
  readonly sequence: number
  readonly at: number
  readonly kind: string
  /** What the engine threw, for whoever looks. */
  readonly reason: string
}

const reasonLengthMax = 300

export class PoisonedCommands {
  /** Undefined: the list is in memory alone. */
  readonly #disk: Disk | undefined
  readonly #file: string
  readonly #commands = new Map<number, PoisonedCommand>()
  #found = 0
  #last: PoisonedCommand | undefined

  private constructor(disk: Disk | undefined, file: string) {
    this.#disk = disk
    this.#file = file
  }

  static inMemory(): PoisonedCommands {
    return new PoisonedCommands(undefined, 'the list of commands that broke the engine')
  }

  static async open(disk: Disk, dataDirectory: string, lastSequence: number): Promise<PoisonedCommands> {
    const list = new PoisonedCommands(disk, join(dataDirectory, 'poisoned.json'))
    const kept = await list.#read(disk)
    for (const command of kept) if (command.sequence <= lastSequence) list.#commands.set(command.sequence, command)
    if (list.#commands.size < kept.length) await list.#write(disk)
    return list
  }

  /** Since the list was opened. */
  get found(): number {
    return this.#found
  }

  /** The last one found since then. */
  get last(): PoisonedCommand | undefined {
    return this.#last
  }

  has(sequence: number, kind: string, at: number): boolean {
    const known = this.#commands.get(sequence)
    if (known === undefined) return false
    if (known.kind === kind && known.at === at) return true
    throw new RecoveryFailed(
      `${this.#file} is of another journal: its command ${sequence} is not the one that is there`,
    )
  }

  /** Resolves when it is on disk. */
  async add({ sequence, at, kind, cause }: CommandPoisoned): Promise<void> {
    const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, reasonLengthMax)
    this.#last = { sequence, at, kind, reason }
    this.#found += 1
    this.#commands.set(sequence, this.#last)
    if (this.#disk !== undefined) await this.#write(this.#disk)
  }

  /** All that are known, for `goBackTo`. */
  list(): readonly PoisonedCommand[] {
    return [...this.#commands.values()]
  }

  /** In memory: those were all. */
  goBackTo(list: readonly PoisonedCommand[]): void {
    this.#commands.clear()
    for (const command of list) this.#commands.set(command.sequence, command)
  }

  async #read(disk: Disk): Promise<readonly PoisonedCommand[]> {
    try {
      const file = await disk.open(this.#file)
      try {
        const bytes = Buffer.alloc(await file.size())
        await readWhole(file, bytes, 0)
        return readList(bytes.toString())
      } finally {
        await file.close()
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new RecoveryFailed(`${this.#file} cannot be read: ${reason}`, { cause })
    }
  }

  async #write(disk: Disk): Promise<void> {
    const beside = `${this.#file}.new`
    await disk.unlink(beside).catch(() => {}) // what a crash has left
    const file = await disk.create(beside)
    try {
      await writeWhole(file, Buffer.from(textOf([...this.#commands.values()])), 0)
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.rename(beside, this.#file)
    await disk.syncDirectory(dirname(this.#file))
  }
}

function textOf(commands: readonly PoisonedCommand[]): string {
  const lines = commands.map((command) => `    ${JSON.stringify(command)}`).join(',\n')
  const checksum = crc32(lines).toString(16).padStart(8, '0')
  return `{\n  "commands": [\n${lines}\n  ],\n  "crc32": "${checksum}"\n}\n`
}

function readList(text: string): readonly PoisonedCommand[] {
  const { commands } = JSON.parse(text) as { readonly commands?: unknown }
  if (!Array.isArray(commands) || !commands.every(isPoisonedCommand)) throw new Error('it is not a list of commands')
  if (text !== textOf(commands)) throw new Error('it does not match its checksum')
  return commands
}

function isPoisonedCommand(value: unknown): value is PoisonedCommand {
  const { sequence, at, kind } = (value ?? {}) as Partial<PoisonedCommand>
  return Number.isSafeInteger(sequence) && typeof at === 'number' && typeof kind === 'string'
}
