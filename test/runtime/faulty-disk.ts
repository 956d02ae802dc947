/** The real disk, with writes and syncs that can be made to fail or to wait. */
import { fileDisk, type Disk, type DiskFile } from '../../src/journal/journal.ts'

export class FaultyDisk implements Disk {
  /** What every write does before it writes. */
  beforeWrite: () => Promise<void> = async () => {}
  /** What every sync does before it syncs. */
  beforeSync: () => Promise<void> = async () => {}

  makeDirectory = (directory: string) => fileDisk.makeDirectory(directory)
  list = (directory: string) => fileDisk.list(directory)
  rename = (from: string, to: string) => fileDisk.rename(from, to)
  unlink = (path: string) => fileDisk.unlink(path)
  syncDirectory = (directory: string) => fileDisk.syncDirectory(directory)

  async create(path: string): Promise<DiskFile> {
    return this.#wrap(await fileDisk.create(path))
  }

  async open(path: string): Promise<DiskFile> {
    return this.#wrap(await fileDisk.open(path))
  }

  /** All syncs wait until the function that is answered is called. */
  holdSyncs(): () => void {
    const held = Promise.withResolvers<void>()
    this.beforeSync = () => held.promise
    return () => {
      this.beforeSync = async () => {}
      held.resolve()
    }
  }

  #wrap(file: DiskFile): DiskFile {
    return {
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      write: async (bytes, position) => {
        await this.beforeWrite()
        return file.write(bytes, position)
      },
      truncate: (size) => file.truncate(size),
      sync: async () => {
        await this.beforeSync()
        await file.sync()
      },
      close: () => file.close(),
    }
  }
}
