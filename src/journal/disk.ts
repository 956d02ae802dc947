/**
 * The disk as the journal and the snapshots see it: a port of a dozen calls, and the real disk behind it.
 *
 * Durability  bytes are on disk only after `sync`, names only after `syncDirectory`; nothing here implies either
 * Failures    every call rejects with the system's own error; what that means is decided by the caller
 * Why a port  the tests put in disks that lose power, tear writes and fail at the n-th call
 */
import { fdatasync, writeSync } from 'node:fs'
import { constants, mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises'

export interface Disk {
  /** Makes the directory and its parents where missing, for their owner alone. */
  makeDirectory(directory: string): Promise<void>
  /** Names of the entries, in no particular order. */
  list(directory: string): Promise<string[]>
  /** A new empty file for its owner alone; fails if the name is taken. */
  create(path: string): Promise<DiskFile>
  /** An existing file, for reading and writing. */
  open(path: string): Promise<DiskFile>
  /** Replaces `to` in one step if it exists. */
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Makes the names in a directory durable: files created, renamed and unlinked. */
  syncDirectory(directory: string): Promise<void>
}

export interface DiskFile {
  size(): Promise<number>
  /** Fills `into` from `position`; answers how many bytes it got, fewer than asked at the end of the file or at whim. */
  read(into: Uint8Array, position: number): Promise<number>
  /** Answers how many bytes were written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>
  truncate(size: number): Promise<void>
  /** Makes the content and the size durable. */
  sync(): Promise<void>
  close(): Promise<void>
}

export const fileDisk: Disk = {
  async makeDirectory(directory) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  },

  list: (directory) => readdir(directory),

  async create(path) {
    return new FileOnDisk(await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
  },

  // Not opened for appending: Linux then ignores the position of a write.
  async open(path) {
    return new FileOnDisk(await open(path, constants.O_RDWR))
  },

  rename,
  unlink,

  async syncDirectory(directory) {
    // Windows can neither open nor sync a directory; its file systems journal the names themselves.
    if (process.platform === 'win32') return
    const handle = await open(directory, constants.O_RDONLY)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

class FileOnDisk implements DiskFile {
  readonly #handle: FileHandle

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    return (await this.#handle.read(into, 0, into.length, position)).bytesRead
  }

  /** At once: what is written goes into memory, and the way to another thread and back takes longer than that. */
  async write(bytes: Uint8Array, position: number): Promise<number> {
    return writeSync(this.#handle.fd, bytes, 0, bytes.length, position)
  }

  truncate(size: number): Promise<void> {
    return this.#handle.truncate(size)
  }

  /** By the older call of Node's, which costs the processor less than the handle's own. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#handle.fd, (error) => (error === null ? resolve() : reject(error)))
    })
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/**
 * Writes all of `bytes`. A short write is continued once, as a signal may cause one; the second time the disk is full
 * or sick, and the caller has a file that ends in the middle of something.
 */
export async function writeWhole(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  const first = await file.write(bytes, position)
  if (first === bytes.length) return
  const second = await file.write(bytes.subarray(first), position + first)
  if (first + second !== bytes.length) {
    throw new Error(`short write: ${first + second} of ${bytes.length} bytes at offset ${position}`)
  }
}

/**
 * What of a large file is synced, or freed, in one go: a journal's sync on the same disk waits behind it, for milliseconds with
 * this much and for 150 with a large snapshot (docs/performance/pauses.md).
 */
export const gentleBytes = 4 * 1024 * 1024

/** Removes a file, whose content is freed before its name goes: whoever finds it after a crash must not need it. */
export async function removeGently(disk: Disk, path: string): Promise<void> {
  const file = await disk.open(path)
  try {
    let size = await file.size()
    while (size > gentleBytes) {
      size -= gentleBytes
      await file.truncate(size)
      await file.sync()
    }
  } finally {
    await file.close()
  }
  await disk.unlink(path)
}

/** Fills `into` from `position` and answers how many bytes there were: fewer only where the file ends. */
export async function readWhole(file: DiskFile, into: Uint8Array, position: number): Promise<number> {
  let filled = 0
  while (filled < into.length) {
    const got = await file.read(into.subarray(filled), position + filled)
    if (got === 0) break
    filled += got
  }
  return filled
}
