/**
 * The files of a recording, unpacked: as they are, gzip, zstd, or each file of a zip. Which it is its first bytes say, not its name.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { TapeWrong, wrongFile } from './wrong.ts'
import { zipEntries, zipEntry } from './zip.ts'

export interface Source {
  /** What messages call it; of a file in a zip `day.zip/day.csv`. */
  readonly name: string
  /** Throws TapeWrong. */
  chunks(): AsyncGenerator<Uint8Array>
}

const chunkBytes = 1 << 18

/** Throws TapeWrong for a file that cannot be opened. */
export async function sourcesOf(file: string): Promise<readonly Source[]> {
  try {
    const handle = await open(file)
    const head = Buffer.alloc(4)
    try {
      await handle.read(head, 0, 4, 0)
    } finally {
      await handle.close()
    }
    if (head.readUInt32BE(0) === 0x504b0304 || head.readUInt32BE(0) === 0x504b0506) {
      const entries = await zipEntries(file)
      if (entries.length === 0) throw new TapeWrong(`${file}: has no file in it`)
      return entries.map((entry) => ({
        name: `${file}/${entry.name}`,
        chunks: () => told(`${file}/${entry.name}`, zipEntry(file, entry)),
      }))
    }
    if (head.readUInt16BE(0) === 0x1f8b) return [unpacked(file, createGunzip)]
    if (head.readUInt32BE(0) === 0x28b52ffd) return [unpacked(file, createZstdDecompress)]
    return [{ name: file, chunks: () => told(file, createReadStream(file, { highWaterMark: chunkBytes })) }]
  } catch (cause) {
    throw wrongFile(file, cause)
  }
}

function unpacked(file: string, create: (options: { chunkSize: number }) => ReturnType<typeof createGunzip>): Source {
  return {
    name: file,
    chunks() {
      const unpacking = create({ chunkSize: chunkBytes })
      const packed = createReadStream(file, { highWaterMark: chunkBytes })
      packed.on('error', (cause) => unpacking.destroy(cause))
      return told(file, packed.pipe(unpacking))
    },
  }
}

/** What goes wrong on the way is said of the file. */
async function* told(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) yield chunk
  } catch (cause) {
    throw wrongFile(name, cause)
  }
}
