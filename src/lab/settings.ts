/**
 * What `tidemark dev` takes besides the settings of every venue.
 *
 * Names     one setting has one name in three spellings, as those have: `--lab-token`, `TIDEMARK_LAB_TOKEN`, `labToken`
 * Light     the command line loads this for its help, so it loads little
 * Source    lab.md §4.1
 */
import { resolve } from 'node:path'
import { ConfigurationWrong, optionOf, variableOf } from '../operator/config/settings.ts'
import { type QueueModel, queueModels } from '../house-book/house-book.ts'
import type { LockstepSettings } from './lockstep/settings.ts'
import { endings, type TapeSettings } from './tape/settings.ts'
import { type Moment, readDuration, readMoment, readTime } from './times.ts'

export { readMoment } from './times.ts'

export interface LabSettings {
  readonly deterministic: boolean
  /** Unix milliseconds; undefined: now, on a deterministic venue the first of January 2026. */
  readonly startAt: number | undefined
  readonly labToken: string
  readonly venuesMax: number
  readonly snapshotsBytesMax: number
  /** What the first venue is made of: the path of a file or directory, or an address. */
  readonly from: string | undefined
  /** As that was then; its keys come along. */
  readonly at: Moment | undefined
  readonly withKeys: boolean
  /** The path of a snapshot file: read at the start if it is there, written at the end. */
  readonly state: string | undefined
  /** The directory that the first venue is kept in; undefined: in memory. */
  readonly data: string | undefined
  readonly pruneBranches: boolean
  /** It was said when the venue begins. */
  readonly isStartTold: boolean
  /** All venues are reached behind the first one's port, below /v/ID. */
  readonly onePort: boolean
  /** Each venue keeps what it did lately, so that it can be saved afterwards. */
  readonly recording: boolean
  /** A file that the first venue is recorded in, from its beginning to its end. */
  readonly record: string | undefined
  /** Recordings have answers whole. */
  readonly fullBodies: boolean
  /** The process ends when nobody holds `GET /_lab/attached` any more. */
  readonly endsWithClients: boolean
  /** The clock goes on when all clients wait; undefined: it does not follow them. */
  readonly lockstep: LockstepSettings | undefined
  /** A recorded market; undefined: none is played. */
  readonly market: MarketSettings | undefined
}

interface MarketSettings extends TapeSettings {
  /** Whether it is in the book, or simulated prices follow it. */
  readonly mode: 'tape' | 'anchor'
}

/** By name: how the command line shows it, and what it does. */
export const labSettings = {
  deterministic: {
    value: '',
    meaning: 'manual clock, seeded ids, no simulator unless told: the same calls, the same bytes',
  },
  startAt: {
    value: ' <time>',
    meaning: 'the first moment, on a manual clock: Unix milliseconds, or ISO 8601 with a zone',
  },
  labToken: {
    value: ' <token>',
    meaning: 'token of /_lab; on another host than loopback at least 16 characters (default dev)',
  },
  data: { value: ' <dir>', meaning: 'keep the venue there: a revert begins a branch, and a restart goes on' },
  pruneBranches: { value: '', meaning: 'with --data: remove branches that do not lead to the present one' },
  onePort: { value: '', meaning: 'reach every venue behind one port: /v/ID is the venue ID' },
  venuesMax: { value: ' <n>', meaning: 'venues of this process at a time (default 64)' },
  from: {
    value: ' <origin>',
    meaning: 'begin with a snapshot file, the directory of a venue, or the URL of a laboratory',
  },
  at: { value: ' <moment>', meaning: 'with --from: as it was after a command (its number), or at a time' },
  withKeys: { value: '', meaning: 'with --from: the keys of that venue come along' },
  state: { value: ' <file>', meaning: 'begin with this snapshot file if it is there, and write it at the end' },
  snapshotsBytesMax: { value: ' <bytes>', meaning: 'bytes of all snapshots of a venue (default 1073741824)' },
  record: {
    value: ' <file>',
    meaning: 'record the first venue from its beginning, and write the recording at the end',
  },
  recording: { value: ' <on|off>', meaning: 'keep the last 15 minutes for `lab save-recording` (default on)' },
  fullBodies: { value: '', meaning: 'recordings have answers whole, not by their digest alone' },
  market: {
    value: ' <file>',
    meaning: 'play a recorded market (.tmk, made by `tidemark market import`) from its first moment on',
  },
  marketMode: {
    value: ' <mode>',
    meaning: 'tape: its levels and trades are in the book (default); anchor: simulated prices follow it',
  },
  queue: {
    value: ' <model>',
    meaning: 'who leaves a level of a tape without a trade: back, front, pro-rata (default), log',
  },
  heal: {
    value: ' <duration>',
    meaning: 'of what you take from a tape half is back after so long: 2s (default), 0 at once, never',
  },
  atEnd: { value: ' <what>', meaning: 'at the end of a tape: hold (default), loop, simulator' },
  lockstep: {
    value: '',
    meaning: 'deterministic, and the clock goes on when every client has nothing more to do',
  },
  quiet: {
    value: ' <duration>',
    meaning: 'with --lockstep: a client that says nothing for so much real time waits, too; not exact',
  },
  fastFeed: { value: '', meaning: 'with --lockstep: one push of each channel for all of a step' },
  endsWithClients: { value: '', meaning: 'end 5 s after the last client that held GET /_lab/attached has left' },
} as const

export type LabSettingName = keyof typeof labSettings
export const labSettingNames = Object.keys(labSettings) as LabSettingName[]

/** TIDEMARK_DATA is where `tidemark start` keeps its venue. */
const flagsOnly: ReadonlySet<LabSettingName> = new Set(['data'])

const tokenLengthMin = 16
/** Of a deterministic venue, unless told. */
const firstMoment = Date.UTC(2026, 0, 1)

/** Throws ConfigurationWrong with every fault. */
export function readLabSettings(
  given: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
  isLoopback: boolean,
): LabSettings {
  const faults: string[] = []
  const read = <T>(name: LabSettingName, rule: string, otherwise: T, parse: (text: string) => T | undefined): T => {
    const isGiven = given[name] !== undefined || flagsOnly.has(name)
    const [as, text] = isGiven ? [optionOf(name), given[name]] : [variableOf(name), environment[variableOf(name)]]
    if (text === undefined) return otherwise
    const value = parse(text)
    if (value === undefined) faults.push(`${as} must be ${rule}, not ${JSON.stringify(text)}`)
    return value ?? otherwise
  }
  const isLockstep = read('lockstep', 'true or false', false, yesOrNo)
  const deterministic = read('deterministic', 'true or false', isLockstep, yesOrNo)
  const startAt = read<number | undefined>('startAt', 'Unix milliseconds, or ISO 8601 with a zone', undefined, readTime)
  const labToken = read('labToken', '1 to 200 visible characters', 'dev', (text) =>
    /^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined,
  )
  const venuesMax = read('venuesMax', 'a whole number from 1 to 1000', 64, (text) => whole(text, 1, 1_000))
  const bytesMax = 64 * 2 ** 30
  const snapshotsBytesMax = read('snapshotsBytesMax', `a whole number of bytes up to ${bytesMax}`, 2 ** 30, (text) =>
    whole(text, 0, bytesMax),
  )
  const path = (text: string) => (text === '' || text.includes('\0') ? undefined : resolve(text))
  const from = read<string | undefined>('from', 'a path or an address', undefined, (text) =>
    /^https?:\/\//i.test(text) ? text : path(text),
  )
  const at = read<Moment | undefined>(
    'at',
    'a sequence, Unix milliseconds, or ISO 8601 with a zone',
    undefined,
    readMoment,
  )
  const withKeys = read('withKeys', 'true or false', false, yesOrNo)
  if (from === undefined && at !== undefined) faults.push('--at says when of --from: it goes with that')
  if (from === undefined && withKeys) faults.push('--with-keys is for keys of --from: it goes with that')
  const state = read<string | undefined>('state', 'a path', undefined, path)
  const data = read<string | undefined>('data', 'a path', undefined, path)
  const pruneBranches = read('pruneBranches', 'true or false', false, yesOrNo)
  if (data !== undefined && state !== undefined) faults.push('--state is for a venue in memory: --data keeps it anyway')
  if (data === undefined && pruneBranches) faults.push('--prune-branches is for a venue on disk: it goes with --data')
  const onePort = read('onePort', 'true or false', false, yesOrNo)
  const record = read<string | undefined>('record', 'a path', undefined, path)
  const recording = read('recording', 'on or off', true, (text) => ({ on: true, off: false })[text])
  const fullBodies = read('fullBodies', 'true or false', false, yesOrNo)
  const endsWithClients = read('endsWithClients', 'true or false', false, yesOrNo)
  const file = read<string | undefined>('market', 'a path', undefined, path)
  const mode = read<MarketSettings['mode']>('marketMode', 'tape or anchor', 'tape', oneOf(['tape', 'anchor']))
  const queue = read<QueueModel>('queue', queueModels.join(', '), 'pro-rata', oneOf(queueModels))
  const healMs = read('heal', 'a duration such as 2s, 0 or never', 2_000, (text) =>
    text === 'never' ? Number.POSITIVE_INFINITY : readDuration(text),
  )
  if (file !== undefined && record !== undefined)
    faults.push('--record is of what clients do: it goes without --market')
  const atEnd = read<TapeSettings['atEnd']>('atEnd', endings.join(', '), 'hold', oneOf(endings))
  const market = file === undefined ? undefined : { file, mode, queue, healMs, atEnd }
  for (const name of ['marketMode', 'queue', 'heal', 'atEnd'] as const) {
    if (market === undefined && given[name] !== undefined) faults.push(`${optionOf(name)} goes with --market`)
  }
  if (market !== undefined && from !== undefined) faults.push('--market is for a new venue: it goes without --from')
  const quietMs = read<number | undefined>('quiet', 'a duration from 1ms to 10s', undefined, (text) => {
    const ms = readDuration(text)
    return ms !== undefined && ms >= 1 && ms <= 10_000 ? ms : undefined
  })
  const fastFeed = read('fastFeed', 'true or false', false, yesOrNo)
  if (!isLockstep && quietMs !== undefined) faults.push('--quiet is for clients in lockstep: it goes with --lockstep')
  if (!isLockstep && fastFeed) faults.push('--fast-feed is for clients in lockstep: it goes with --lockstep')
  if (isLockstep && !deterministic)
    faults.push('--lockstep moves the clock itself: it goes without --deterministic false')
  if (!isLoopback && labToken.length < tokenLengthMin) {
    faults.push(`${optionOf('labToken')} must have at least ${tokenLengthMin} characters on another host than loopback`)
  }
  if (faults.length > 0) throw new ConfigurationWrong(faults.join('; '))
  return {
    deterministic,
    startAt: startAt ?? (deterministic ? firstMoment : undefined),
    labToken,
    venuesMax,
    snapshotsBytesMax,
    from,
    at,
    withKeys,
    state,
    data,
    pruneBranches,
    onePort,
    record,
    recording: market?.mode !== 'tape' && (recording || record !== undefined),
    fullBodies,
    isStartTold: startAt !== undefined,
    endsWithClients,
    lockstep: isLockstep ? { quietMs, fastFeed } : undefined,
    market,
  }
}

function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word | undefined {
  return (text) => words.find((word) => word === text)
}

function yesOrNo(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function whole(text: string, minimum: number, maximum: number): number | undefined {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1
  return number >= minimum && number <= maximum ? number : undefined
}
