/**
 * A recording as one file, `.tide`: what the venue was, the commands that it carried out, and what came in and went out.
 *
 * Form      a line of text (`tidemark-recording` and, as JSON, the head with the checksum and length of what follows), then the
 *           content as a structured clone, in zstd
 * Version   another one reads it as far as its form is the same; its answers may differ
 * Secrets   of keys other than the demo accounts' never: in their place are some that are good for nothing else
 * Source    lab.md §4.8
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'
import type { ApiKey } from '../../api/api.ts'
import type { Configuration } from '../../operator/operator.ts'
import { recordOf } from '../../journal/journal.ts'
import { LabRefusal } from '../refusals.ts'
import type { SavedVenue } from '../saved.ts'
import type { LabVenue } from '../venue.ts'
import { stateHashOf } from '../../runtime/runtime.ts'
import type { Piece } from './recorder.ts'
import { isDemoKey, rowsOf } from './rows-of.ts'
import { type Row, RowReader, RowWriter } from './rows.ts'

const magic = 'tidemark-recording'
/** Of what the content is: another one is read by nobody. */
const form = 2
const headBytesMax = 100_000
const contentBytesMax = 4 * 2 ** 30 - 1
const compress = promisify(zstdCompress)

/** What of a venue's configuration decides its answers. */
const optionNames = [
  'seed',
  'noRateLimits',
  'trustedProxies',
  'endpointLimits',
  'callsPerAddressPerMinuteMax',
  'timestampWindowMs',
  'refuseReplays',
  'dailyOrdersReminder',
  'dailyOrdersWarning',
  'dailyOrdersRestriction',
  'v3Dialect',
  'streamConnectionsPerAddressMax',
  'streamSubscriptionsMax',
] as const satisfies readonly (keyof Configuration)[]

interface TideHead {
  readonly form: number
  readonly version: string
  readonly options: Readonly<Pick<Configuration, (typeof optionNames)[number]>>
  /** Its clock stood still at the beginning. */
  readonly frozen: boolean
  readonly simulator: boolean
  /** Of the beginning and of the end, Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly sequence: number
  readonly lastSequence: number
  readonly stateHash: string
  readonly requests: number
  /** Names of keys. */
  readonly keys: readonly string[]
}

export interface Tide {
  readonly head: TideHead
  readonly base: SavedVenue
  /** The records behind the beginning. */
  readonly journal: readonly Uint8Array[]
  /** The first sequence of each batch. */
  readonly batches: readonly number[]
  readonly rows: readonly Row[]
  /** What is saved of the layers at its end, by name: rules of faults and their firings. */
  readonly told: Readonly<Record<string, unknown>>
}

interface Content {
  readonly base: SavedVenue
  readonly lengths: Uint32Array
  readonly records: Uint8Array
  readonly batches: readonly number[]
  readonly trace: string
  readonly told: Tide['told']
}

export interface Packed {
  readonly file: Buffer
  readonly head: TideHead
}

/** What was recorded in these pieces, up to now. */
export async function packRecording(venue: LabVenue, pieces: readonly Piece[], version: string): Promise<Packed> {
  const { runtime, keys, configuration, simulator } = venue.parts
  // All of it is of one turn of the event loop.
  const saved = runtime.save()
  const known = pieces.findIndex(({ base }) => base!.runtime.sequence + 1 >= saved.journal.firstSequence)
  const kept = pieces.slice(Math.max(0, known)).map((piece) => ({ ...piece, entries: [...piece.entries] }))
  const writer = new RowWriter()
  const lines: string[] = []
  let requests = 0
  const find = (apiKey: string) => keys.find(apiKey)
  for (const row of rowsOf(kept, { find, fullBodies: venue.recorder?.fullBodies === true })) {
    lines.push(writer.line(row))
    if (row.kind === 'request') requests += 1
  }
  const base = kept[0].base!
  const { sequence } = base.runtime
  const records: Uint8Array[] = []
  for (let at = sequence + 1; at <= saved.sequence; at++) records.push(recordOf(saved.journal, at)!)
  const content: Content = {
    base: bareOf(base),
    lengths: Uint32Array.from(records, ({ length }) => length),
    records: Buffer.concat(records),
    batches: kept.flatMap(({ batches }) => batches).filter((first) => first > sequence),
    trace: lines.join('\n'),
    told: venue.way.save(),
  }
  const head: TideHead = {
    form,
    version,
    options: Object.fromEntries(optionNames.map((name) => [name, configuration[name]])) as TideHead['options'],
    frozen: kept[0].frozen,
    simulator: simulator !== undefined,
    from: base.runtime.now,
    to: saved.now,
    sequence,
    lastSequence: saved.sequence,
    stateHash: await stateHashOf(saved.state),
    requests,
    keys: base.keys.map(({ apiKey }) => apiKey),
  }
  return { file: await packTide(head, content), head }
}

async function packTide(head: TideHead, content: Content): Promise<Buffer> {
  const packed = await compress(serialize(content), { params: { [constants.ZSTD_c_compressionLevel]: 6 } })
  const sealed = { ...head, sha256: sha256(packed), bytes: packed.length }
  return Buffer.concat([Buffer.from(`${magic} ${JSON.stringify(sealed)}\n`), packed])
}

/** Of what is saved, what a replay goes on from: no records of before, and nobody's secret. */
function bareOf(saved: SavedVenue): SavedVenue {
  const { runtime } = saved
  const { sequence } = runtime
  return {
    ...saved,
    runtime: {
      ...runtime,
      journal: { firstSequence: sequence + 1, lastSequence: sequence, chunks: [] },
      snapshots: [],
    },
    keys: saved.keys.map(withoutSecret),
    told: { chunks: [], last: 0 },
  }
}

function withoutSecret(key: ApiKey): ApiKey {
  if (isDemoKey(key)) return key
  const secret = key.kind === 'hmac' ? randomBytes(32).toString('hex') : key.secret
  return { ...key, secret, passphrase: randomBytes(8).toString('hex') }
}

/** Throws LabRefusal: `file-wrong`. `named` is what messages call it. */
export function unpackRecording(file: Buffer, named: string): Tide {
  const headEnd = file.subarray(0, headBytesMax).indexOf('\n')
  const sealed = headEnd < 0 ? undefined : readHead(file.subarray(0, headEnd).toString('utf8'))
  if (sealed === undefined) throw wrong(named, 'it is no recording of the laboratory')
  const { sha256: sum, bytes, ...head } = sealed
  if (head.form !== form) {
    throw wrong(named, `it was made by ${head.version} in another form than this version reads; record it anew`)
  }
  const packed = file.subarray(headEnd + 1)
  if (packed.length !== bytes) throw wrong(named, `it is cut off: ${packed.length} bytes of ${bytes}`)
  if (sha256(packed) !== sum) throw wrong(named, 'its checksum does not match')
  const content = deserialize(zstdDecompressSync(packed, { maxOutputLength: contentBytesMax })) as Content
  const { base, lengths, records, batches, trace, told } = content
  const journal: Uint8Array[] = []
  let start = 0
  for (const length of lengths) journal.push(records.subarray(start, (start += length)))
  const reader = new RowReader()
  const rows = trace === '' ? [] : trace.split('\n').map((line) => reader.row(line))
  return { head, base, journal, batches, rows, told }
}

/** Packs it again: for whoever changes a recording. */
export function repackRecording({ head, base, journal, batches, rows, told }: Tide): Promise<Buffer> {
  const writer = new RowWriter()
  const trace = rows.map((row) => writer.line(row)).join('\n')
  const lengths = Uint32Array.from(journal, ({ length }) => length)
  return packTide(head, { base, lengths, records: Buffer.concat(journal), batches, trace, told })
}

/** Throws LabRefusal. */
export async function readRecording(path: string): Promise<Tide> {
  let file: Buffer
  try {
    file = await readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new LabRefusal(404, 'unknown-file', `there is no file ${path}`, { field: 'file' })
    throw wrong(
      path,
      code === 'EISDIR' ? 'it is a directory, and a recording is a file' : `it cannot be read (${code})`,
    )
  }
  return unpackRecording(file, path)
}

/** What a recording begins with, for another venue to begin with. Throws LabRefusal. */
export async function beginningOfRecording(path: string, version: string): Promise<SavedVenue> {
  const { head, base } = await readRecording(path)
  if (head.version === version) return base
  const message = `${path}: made by ${head.version}, this is ${version}; record it anew with this version`
  throw new LabRefusal(409, 'snapshot-of-other-version', message, { version: head.version })
}

type Sealed = TideHead & { readonly sha256: string; readonly bytes: number }

function readHead(line: string): Sealed | undefined {
  if (!line.startsWith(`${magic} `)) return undefined
  try {
    const head = JSON.parse(line.slice(magic.length)) as Partial<Sealed>
    const isHead = typeof head.version === 'string' && typeof head.sha256 === 'string' && typeof head.bytes === 'number'
    return isHead && typeof head.form === 'number' ? (head as Sealed) : undefined
  } catch {
    return undefined
  }
}

function wrong(named: string, why: string): LabRefusal {
  return new LabRefusal(400, 'file-wrong', `${named}: ${why}`, { file: named })
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
