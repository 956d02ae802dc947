/**
 * The file of the next segment, full of zeros before it is used: a sync of what is written over them has no new size to
 * write, which takes half as long (docs/decisions/0008-segments-of-zeros.md).
 *
 * When      from the half of the current segment on, in steps, twice as fast as that one fills. Of one that grows, as the
 *           first does, from a sixteenth on and eight times as fast: it ends when the spare is whole. A small journal has none
 * Whole     or not used: then the next segment begins empty, and grows
 * Failure   of the disk here costs nobody anything: there is no spare
 * Name      `spare` until it is a segment, with its header on disk before; what an earlier run left is removed (recovery.ts)
 */
import { join } from 'node:path'
import { type Disk, type DiskFile, writeWhole } from './disk.ts'

export const spareName = 'spare'

/** What is written and synced in one go: a batch that is synced beside it waits behind it. */
const zeros = Buffer.alloc(256 * 1024)

export class Spare {
  readonly #disk: Disk
  readonly #path: string
  readonly #bytes: number
  #file: DiskFile | undefined
  #filled = 0
  #step: Promise<void> | undefined
  #failed = false

  /** For segments of so many bytes. */
  constructor(disk: Disk, directory: string, bytes: number) {
    this.#disk = disk
    this.#path = join(directory, spareName)
    this.#bytes = bytes
  }

  get isWhole(): boolean {
    return this.#filled === this.#bytes
  }

  /** The current segment has `used` bytes: takes the next step if one is due. Never fails, and waits for nothing. */
  keepUp(used: number, grows: boolean): void {
    const due = grows ? 8 * (used - this.#bytes / 16) : 2 * used - this.#bytes
    if (this.isWhole || this.#filled >= due || this.#step !== undefined || this.#failed) return
    this.#step = this.#fill()
  }

  /** The spare under its name as a segment, durably, with this header; undefined: there is none. The next one may begin. */
  async become(path: string, header: Buffer): Promise<DiskFile | undefined> {
    await this.#step
    this.#failed = false
    const file = this.#file
    if (file === undefined || !this.isWhole) return undefined
    await writeWhole(file, header, 0)
    await file.sync()
    await file.close()
    await this.#disk.rename(this.#path, path)
    this.#file = undefined
    this.#filled = 0
    return this.#disk.open(path)
  }

  /** Removes it. */
  async discard(): Promise<void> {
    await this.#step
    const file = this.#file
    this.#file = undefined
    this.#filled = 0
    if (file === undefined) return
    await file.close()
    await this.#disk.unlink(this.#path)
  }

  async #fill(): Promise<void> {
    try {
      this.#file ??= await this.#disk.create(this.#path)
      const step = zeros.subarray(0, this.#bytes - this.#filled)
      await writeWhole(this.#file, step, this.#filled)
      await this.#file.sync()
      this.#filled += step.length
    } catch {
      this.#failed = true
    } finally {
      this.#step = undefined
    }
    // What it has must not be in the way of those who need room.
    if (this.#failed) await this.discard().catch(() => {})
  }
}
