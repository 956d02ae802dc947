/**
 * The venue's data directory: who has it, what kind of venue lives in it, and files that are written whole or not at all.
 *
 * One venue  a lock that the operating system drops with the process; the next start waits for a dying predecessor
 * Kinds      a new directory becomes a demo venue at its first start, an empty one by `tidemark init`; the kind never changes
 * Lost       a directory that holds a venue's files and no venue.json is not taken for a new one (losses.ts)
 * Modes      0600 for files, 0700 for directories, also of a directory that was there before (modes.ts)
 */
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { holdsVenue, venueFileAdvice, venueFileLost } from './losses.ts'
import { type Modes, narrowModes } from './modes.ts'

/** The venue cannot start and a person can do something about it: one line, exit 1, no stack. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}

export type VenueKind = 'demo' | 'empty'

/** What the directory remembers of its venue besides the journal. */
export interface VenueRecord {
  readonly kind: VenueKind
  /** Of a core: the name of the log that it shares. Absent: it has none but its own. */
  readonly log?: string
  /** The demo venue's coins, accounts and keys are all there. */
  readonly complete?: boolean
  /** The simulated agents have their accounts and funds. */
  readonly agents?: boolean
  /** The thresholds that the engine was last told. */
  readonly dailyOrdersRestriction?: number
  readonly dailyWithdrawalsUsdMax?: number
  /** The engine expects prices from the simulator, and takes them for stale when they do not come. */
  readonly fed?: boolean
  /** It was started as a mirror: the engine expects prices of the mirrored coins. */
  readonly mirrored?: boolean
  /** The journal had this command, at the last start or stop: one that ends before it has lost some. */
  readonly reached?: number
  /** By which rules commands from `rulesFrom` on were carried out, and by which release. */
  readonly rules?: number
  readonly rulesFrom?: number
  readonly release?: string
  /** The simulated past that it began with: how long, and of which seed. Absent: none. */
  readonly pastDays?: number
  readonly pastSeed?: number
  /** Lost files that the venue may go on without, at its next start; separated by commas. */
  readonly accepted?: string
  /** venue.json was lost and made anew: what the engine was told is not known. */
  readonly remade?: boolean
  /** By which it is known where something of it is kept elsewhere. */
  readonly id?: string
  /** Its keys are in PostgreSQL, and keys.sqlite holds no more than what they were before. */
  readonly keysInPostgres?: boolean
  /** Of a core: the command at which its state was not that of the others. It does not start again. */
  readonly differed?: number
}

/** What is undefined is forgotten, what is absent stays. */
export type VenueChange = { readonly [Name in keyof VenueRecord]?: VenueRecord[Name] | undefined }

const recordTypes = {
  kind: 'string',
  log: 'string',
  complete: 'boolean',
  agents: 'boolean',
  dailyOrdersRestriction: 'number',
  dailyWithdrawalsUsdMax: 'number',
  fed: 'boolean',
  mirrored: 'boolean',
  reached: 'number',
  rules: 'number',
  rulesFrom: 'number',
  release: 'string',
  pastDays: 'number',
  pastSeed: 'number',
  accepted: 'string',
  remade: 'boolean',
  id: 'string',
  keysInPostgres: 'boolean',
  differed: 'number',
} as const satisfies Record<keyof VenueRecord, string>

export const venueFile = 'venue.json'

/** How long a start waits for another venue that is about to end. */
const lockWaitMsMax = 3_000

export class DataDirectory {
  readonly path: string
  /** As they were found. */
  readonly modes: Modes
  readonly #lock: DatabaseSync
  #record: VenueRecord | undefined

  private constructor(path: string, lock: DatabaseSync, modes: Modes) {
    this.path = path
    this.#lock = lock
    this.modes = modes
  }

  /** Makes the directory if need be and takes it for this process alone. */
  static open(path: string): DataDirectory {
    let modes: Modes
    try {
      makeDirectory(path)
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
      // Before the lock, whose own files get the modes of what is there.
      modes = narrowModes(path)
    } catch (cause) {
      throw new CannotStart(`the data directory ${path} cannot be used: ${reasonOf(cause)}`, { cause })
    }
    return new DataDirectory(path, takeLock(path), modes)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** What lives here; undefined in a new directory. */
  venue(): VenueRecord | undefined {
    const file = this.file(venueFile)
    if (!existsSync(file)) {
      if (existsSync(this.file('branches.json'))) {
        throw new CannotStart(`${this.path} holds a venue of "tidemark dev": tidemark dev --data ${this.path}`)
      }
      if (holdsVenue(this.path)) throw new CannotStart(venueFileLost(this.path))
      return undefined
    }
    let record: Partial<VenueRecord> | null
    try {
      record = readRecord(readFileSync(file, 'utf8'))
    } catch (cause) {
      throw new CannotStart(`${file} cannot be read: ${reasonOf(cause)}; ${venueFileAdvice(this.path)}`, { cause })
    }
    if (record?.kind !== 'demo' && record?.kind !== 'empty') {
      throw new CannotStart(`${file} does not say what kind of venue this is: "demo" or "empty"`)
    }
    // A name that got lost would let a part of the set-up be done again, and pay in what was spent since.
    for (const [name, value] of Object.entries(record)) {
      const wanted = recordTypes[name as keyof VenueRecord]
      if (typeof value === wanted && (wanted !== 'number' || Number.isSafeInteger(value))) continue
      const what = `${JSON.stringify(name)} is nothing that a venue notes so`
      throw new CannotStart(`${file} is damaged, or of a later release: ${what}; ${venueFileAdvice(this.path)}`)
    }
    return (this.#record = record as VenueRecord)
  }

  /** Answers all that is noted now. */
  remember(change: VenueChange): VenueRecord {
    const noted = Object.entries({ ...this.#record, ...change }).filter(([, value]) => value !== undefined)
    const record = Object.fromEntries(noted) as unknown as VenueRecord
    const text = textOf(record)
    if (this.#record === undefined || text !== textOf(this.#record)) writeWholeFile(this.file(venueFile), text)
    return (this.#record = record)
  }

  close(): void {
    this.#lock.close()
  }
}

/** One line of JSON that ends with a checksum of the rest. */
function textOf(record: VenueRecord): string {
  const plain = JSON.stringify(record)
  return `${plain.slice(0, -1)},"crc32":"${checksumOf(plain)}"}\n`
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** Files of releases that wrote no checksum, or that a person wrote, have none. */
function readRecord(text: string): Partial<VenueRecord> | null {
  const parsed = JSON.parse(text) as (Partial<VenueRecord> & { readonly crc32?: unknown }) | null
  if (parsed === null) return null
  const { crc32: checksum, ...record } = parsed
  if (checksum !== undefined && checksum !== checksumOf(JSON.stringify(record))) {
    throw new Error('it does not match its checksum')
  }
  return record
}

/** Step by step from the first parent that is there: Node's `recursive` never returns where nothing can be made, as in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
    return
  }
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another start may have been quicker.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw cause
  }
}

/** An exclusive transaction that is never ended: the lock of its file lives and dies with this process. */
function takeLock(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    const file = join(path, 'lock.sqlite')
    closeSync(openSync(file, 'a', 0o600))
    database = new DatabaseSync(file, { timeout: lockWaitMsMax })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (cause) {
    database?.close()
    const busy = (cause as { errcode?: number }).errcode === sqliteBusy
    const why = busy ? 'another venue is running in it' : reasonOf(cause)
    throw new CannotStart(`the data directory ${path} cannot be used: ${why}`, { cause })
  }
}

const sqliteBusy = 5

/**
 * Writes beside the file and renames: a reader, the owner alone, sees the old text or the new one, also after a crash. Durable
 * when it returns.
 */
export function writeWholeFile(file: string, text: string | Uint8Array): void {
  const beside = `${file}.${randomUUID()}.new`
  try {
    const descriptor = openSync(beside, 'wx', 0o600)
    try {
      // All of it: a single write may stop short where the disk ends.
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(beside, file)
    syncNames(dirname(file))
  } catch (cause) {
    rmSync(beside, { force: true })
    throw new CannotStart(`${file} cannot be written: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes what was renamed survive a loss of power: without master.key no key would open again. */
function syncNames(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The secret kept in the file; made at first use, and in place of one that is not `sound`. */
export function secretFile(file: string, make: () => string, sound: (secret: string) => boolean = () => true): string {
  try {
    const kept = readFileSync(file, 'utf8').trim()
    if (sound(kept)) return kept
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new CannotStart(`${file} cannot be read: ${reasonOf(cause)}`, { cause })
    }
  }
  const secret = make()
  writeWholeFile(file, `${secret}\n`)
  return secret
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
