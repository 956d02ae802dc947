/**
 * A snapshot as one file: for `dev --from` and `--state`, for a further venue, for a bug report.
 *
 * Form      a line of text (`tidemark-lab-snapshot` and, as JSON, version, the checksum and length of what follows), then the
 *           snapshot as a structured clone, in zstd
 * Version   it is read by the version that wrote it and by no other
 * Secrets   keys of the venue are in it: the file is for its owner only
 * Source    lab.md §4.2, §4.4
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { LabRefusal } from './refusals.ts'
import type { SavedVenue } from './saved.ts'

const magic = 'tidemark-lab-snapshot'
const headBytesMax = 1_000
const contentBytesMax = 4 * 2 ** 30 - 1

interface Head {
  readonly version: string
  readonly sha256: string
  readonly bytes: number
}

/** Snapshots that the runtime keeps for itself hand out their chunks one by one: a file has them all. */
type Packed = Omit<SavedVenue, 'runtime'> & {
  readonly runtime: Omit<SavedVenue['runtime'], 'snapshots'> & {
    readonly snapshots: readonly (Omit<RuntimeSnapshot, 'chunks'> & { readonly chunks: readonly Uint8Array[] })[]
  }
}
type RuntimeSnapshot = SavedVenue['runtime']['snapshots'][number]

export async function packSnapshot(saved: SavedVenue, version: string): Promise<Buffer> {
  const snapshots = await Promise.all(
    saved.runtime.snapshots.map(async (snapshot) => {
      const { sequence, stateHash, file } = snapshot
      return { sequence, stateHash, file, chunks: await Array.fromAsync(snapshot.chunks()) }
    }),
  )
  const packed: Packed = { ...saved, runtime: { ...saved.runtime, snapshots } }
  const content = zstdCompressSync(serialize(packed))
  const head: Head = { version, sha256: sha256(content), bytes: content.length }
  return Buffer.concat([Buffer.from(`${magic} ${JSON.stringify(head)}\n`), content])
}

/** Throws LabRefusal: `file-wrong`, `snapshot-of-other-version`. `named` is what messages call it. */
export function unpackSnapshot(file: Buffer, version: string, named: string): SavedVenue {
  const headEnd = file.subarray(0, headBytesMax).indexOf('\n')
  const head = headEnd < 0 ? undefined : readHead(file.subarray(0, headEnd).toString('utf8'))
  if (head === undefined) throw damaged(named, 'it is no snapshot of the laboratory')
  if (head.version !== version) {
    const message = `${named}: made by ${head.version}, this is ${version}; make it anew with this version`
    throw new LabRefusal(409, 'snapshot-of-other-version', message, { version: head.version })
  }
  const content = file.subarray(headEnd + 1)
  if (content.length !== head.bytes) throw damaged(named, `it has ${content.length} bytes of ${head.bytes}`)
  if (sha256(content) !== head.sha256) throw damaged(named, 'its checksum does not match')
  const packed = deserialize(zstdDecompressSync(content, { maxOutputLength: contentBytesMax })) as Packed
  const snapshots = packed.runtime.snapshots.map(({ chunks, ...snapshot }): RuntimeSnapshot => {
    return { ...snapshot, chunks: () => copiesOf(chunks) }
  })
  return { ...packed, runtime: { ...packed.runtime, snapshots } }
}

/** Throws LabRefusal. */
export async function readSnapshotFile(path: string, version: string): Promise<SavedVenue> {
  return unpackSnapshot(await contentOf(path), version, path)
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new LabRefusal(404, 'unknown-file', `there is no file ${path}`, { field: 'from' })
    throw damaged(path, `it cannot be read (${code})`)
  }
}

function readHead(line: string): Head | undefined {
  if (!line.startsWith(`${magic} `)) return undefined
  try {
    const head = JSON.parse(line.slice(magic.length)) as Partial<Head>
    const { version, sha256: sum, bytes } = head
    const isHead = typeof version === 'string' && typeof sum === 'string' && typeof bytes === 'number'
    return isHead ? { version, sha256: sum, bytes } : undefined
  } catch {
    return undefined
  }
}

/** Whoever reads a snapshot owns what he gets. */
async function* copiesOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk.slice()
}

function damaged(named: string, why: string): LabRefusal {
  return new LabRefusal(400, 'file-wrong', `${named}: ${why}`, { file: named })
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
