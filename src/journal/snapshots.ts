/**
 * Snapshots: the whole state at one sequence, so that a restart replays only the journal's tail.
 *
 * Invariants  a file with a snapshot's name was whole and durable when it got that name · the newest `keep` are kept,
 *             damaged ones not counted
 * Failure     a save that fails leaves the older snapshots as they are, and the next save is free to succeed
 * Reading     a snapshot is verified to its end before its first chunk is handed out; a damaged one is reported and the
 *             next older one taken
 * Format      snapshot-file.ts
 */
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { fileDisk, removeGently, type Disk } from './disk.ts'
import { readChunks, readHead, verifyFrames, writeSnapshot, type SnapshotHead } from './snapshot-file.ts'
import { SnapshotDamaged, SnapshotFailed, type Damage } from './trouble.ts'

export interface Snapshot {
  readonly sequence: number
  readonly stateHash: string
  readonly file: string
  /** The chunks as they were saved, read and unpacked while they are asked for. Throws SnapshotDamaged, SnapshotFailed. */
  chunks(): AsyncGenerator<Uint8Array>
}

interface FoundSnapshot {
  /** The newest snapshot that verifies. */
  readonly snapshot: Snapshot | undefined
  /** Newer ones that do not, newest first. */
  readonly damaged: readonly Damage[]
}

interface SnapshotEntry {
  readonly sequence: number
  readonly file: string
}

export interface Snapshots {
  /**
   * Saves the state that stands after the record `sequence`, and removes what is then beyond `keep`. Resolves when it is
   * durable; one call at a time. Between two chunks other work goes on: the caller sees to it that they belong together.
   */
  save(sequence: number, stateHash: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>
  newest(): Promise<FoundSnapshot>
  /** What is there, newest first, unverified except that those found damaged by `newest` are left out. */
  list(): Promise<SnapshotEntry[]>
}

const namePattern = /^(\d{20})\.snapshot$/
const unfinishedPattern = /^\d{20}\.snapshot\.unfinished$/

export async function openSnapshots(
  directory: string,
  { disk = fileDisk, keep = 2 }: { readonly disk?: Disk; readonly keep?: number } = {},
): Promise<Snapshots> {
  assert(keep >= 1, 'at least the newest snapshot is kept')
  return trouble('opening', async () => {
    await disk.makeDirectory(directory)
    await disk.syncDirectory(dirname(directory))
    return new SnapshotDirectory(disk, directory, keep)
  })
}

class SnapshotDirectory implements Snapshots {
  readonly #disk: Disk
  readonly #directory: string
  readonly #keep: number
  readonly #damagedFiles = new Set<string>()
  #saving = false

  constructor(disk: Disk, directory: string, keep: number) {
    this.#disk = disk
    this.#directory = directory
    this.#keep = keep
  }

  async save(
    sequence: number,
    stateHash: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    assert(!this.#saving, 'one snapshot is saved at a time')
    assert(Number.isSafeInteger(sequence) && sequence >= 0, 'a sequence is a whole number')
    this.#saving = true
    const path = join(this.#directory, `${String(sequence).padStart(20, '0')}.snapshot`)
    try {
      await trouble('saving', async () => {
        await this.#removeUnfinished()
        await this.#write(path, sequence, stateHash, chunks)
      })
      this.#damagedFiles.delete(path)
      await trouble('removing old snapshots', () => this.#removeOld())
    } finally {
      this.#saving = false
    }
  }

  async newest(): Promise<FoundSnapshot> {
    const damaged: Damage[] = []
    for (const { sequence, file: path } of await this.#listAll()) {
      try {
        const head = await this.#verify(path, sequence)
        const chunks = () => this.#chunks(path, head)
        return { snapshot: { ...head.description, file: path, chunks }, damaged }
      } catch (error) {
        if (!(error instanceof SnapshotDamaged)) throw error
        this.#damagedFiles.add(path)
        damaged.push({ file: error.file, offset: error.offset, reason: error.reason })
      }
    }
    return { snapshot: undefined, damaged }
  }

  async list(): Promise<SnapshotEntry[]> {
    return (await this.#listAll()).filter((entry) => !this.#damagedFiles.has(entry.file))
  }

  async #listAll(): Promise<SnapshotEntry[]> {
    const names = await trouble('listing', () => this.#disk.list(this.#directory))
    return names
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
      .map((name) => ({ sequence: Number(namePattern.exec(name)![1]), file: join(this.#directory, name) }))
  }

  async #verify(path: string, sequence: number): Promise<SnapshotHead> {
    return trouble('reading', async () => {
      const file = await this.#disk.open(path)
      try {
        const head = await readHead(file, path)
        if (head.description.sequence !== sequence) {
          throw new SnapshotDamaged(path, 0, `the snapshot is of ${head.description.sequence}, which its name denies`)
        }
        await verifyFrames(file, path, head)
        return head
      } finally {
        await file.close()
      }
    })
  }

  async *#chunks(path: string, head: SnapshotHead): AsyncGenerator<Uint8Array> {
    const file = await trouble('reading', () => this.#disk.open(path))
    try {
      const chunks = readChunks(file, path, head)
      while (true) {
        const next = await trouble('reading', () => chunks.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await trouble('reading', () => file.close())
    }
  }

  async #write(
    path: string,
    sequence: number,
    stateHash: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const unfinished = `${path}.unfinished`
    const file = await this.#disk.create(unfinished)
    try {
      await writeSnapshot(file, { sequence, stateHash }, chunks)
    } finally {
      await file.close()
    }
    await this.#disk.rename(unfinished, path)
    await this.#disk.syncDirectory(this.#directory)
  }

  /** What a crash, a failed save or an interrupted removal has left. */
  async #removeUnfinished(): Promise<void> {
    for (const name of await this.#disk.list(this.#directory)) {
      if (unfinishedPattern.test(name)) await removeGently(this.#disk, join(this.#directory, name))
    }
  }

  /** It has lost its name for good before any of it goes. */
  async #remove(path: string): Promise<void> {
    const unfinished = `${path}.unfinished`
    await this.#disk.rename(path, unfinished)
    await this.#disk.syncDirectory(this.#directory)
    await removeGently(this.#disk, unfinished)
  }

  async #removeOld(): Promise<void> {
    let kept = 0
    for (const { file } of await this.#listAll()) {
      const isDamaged = this.#damagedFiles.has(file)
      if (!isDamaged && kept < this.#keep) {
        kept += 1
      } else {
        await this.#remove(file)
        this.#damagedFiles.delete(file)
      }
    }
  }
}

async function trouble<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof SnapshotDamaged || cause instanceof SnapshotFailed) throw cause
    throw new SnapshotFailed(doing, cause)
  }
}
