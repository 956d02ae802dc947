/**
 * What a person does with a venue of several cores: see how it is, have another core lead, and look after the log.
 *
 * Verify   reads the whole log as every reader checks it, and holds each record against those of cores' files. Nothing is changed;
 *          files of running cores are read from a copy. What was removed from its beginning is nobody's fault
 * Repair   appends what the log has lost at its end and a core's file still has: behind a claim, so that nobody who led goes on.
 *          All cores are to be stopped: a log that somebody writes to is refused
 * Rebuild  a new log, of another name, from a core's file: when the log has lost something in its middle
 */
import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type JetStreamLog, type LogCopy, NatsLink, removeStream, streamOf } from '../jetstream/jetstream.ts'
import { type Journal, openFileJournal } from '../journal/journal.ts'
import { CannotStart, DataDirectory, startTrouble } from '../operator/operator.ts'
import { LogBroken, type LogEnd, logStart } from '../replication/replication.ts'
import { initCluster } from './beginning.ts'
import { appendCommands, writerAt } from './journal-to-log.ts'
import {
  asCannotStart,
  assertQuiet,
  assertVenueThere,
  type LogAddress,
  openedLog,
  patiently,
  tlsOf,
  untilAnswered,
} from './log-address.ts'
import { placeBefore, readOn } from './log-place.ts'

export interface LogStatus {
  readonly stream: string
  readonly leader: string
  readonly first: number
  readonly last: number
  readonly bytes: number
  /** What each of its servers has of it. */
  readonly copies: readonly LogCopy[]
}

/** Whoever looks how all stands does not wait for long. */
const statusMsMax = 3_000

export async function logStatus(address: LogAddress): Promise<LogStatus> {
  const log = await openedLog(address, statusMsMax)
  try {
    const { first, last, bytes } = await asCannotStart(() => untilAnswered(() => log.bounds()))
    const { copies } = await asCannotStart(() => untilAnswered(() => log.copies()))
    const leader = copies.find(({ leads }) => leads)?.server ?? 'none'
    return { stream: streamOf(address.venue), leader, first, last, bytes, copies }
  } finally {
    await log.close()
  }
}

export interface LogVerified {
  readonly first: number
  readonly last: number
  readonly epoch: number
  /** The first and the last command in it. */
  readonly from: number
  readonly through: number
  /** Servers of NATS that lack what others have. */
  readonly damaged: readonly string[]
  /** Each says where. None: everything holds. */
  readonly faults: readonly string[]
}

/** `directories`: of cores. `eachServer`: the log is read by each of its servers in turn, which takes the lead for it. */
export function verifyLog(
  address: LogAddress,
  directories: readonly string[],
  eachServer: boolean,
): Promise<LogVerified> {
  return asCannotStart(() => verified(address, directories, eachServer))
}

async function verified(
  address: LogAddress,
  directories: readonly string[],
  eachServer: boolean,
): Promise<LogVerified> {
  const log = await openedLog(address)
  try {
    await using files = new AsyncDisposableStack()
    // Before the log: what a core writes meanwhile is in the log first.
    const copies: CopiedFile[] = []
    for (const directory of directories) copies.push(await copiedFile(directory, files))
    const servers = eachServer ? await log.servers() : [undefined]
    const faults: string[] = []
    let walked: Walked | undefined
    for (const server of servers) {
      if (server !== undefined && !(await log.leadBy(server)))
        faults.push(`the NATS server ${server} did not take the lead`)
      walked = await walk(log, faults)
    }
    const { first, end, from } = walked!
    for (const copy of copies) {
      const fault = await faultOfFile(copy, walked!)
      if (fault !== undefined) faults.push(`${copy.directory}: ${fault}`)
    }
    return {
      first,
      last: end.position,
      epoch: end.epoch,
      from,
      through: end.lastSequence,
      damaged: log.damaged.map(({ server, from: lacking, to }) => `${server}: ${lacking}..${to}`),
      faults,
    }
  } finally {
    await log.close()
  }
}

interface Walked {
  readonly first: number
  /** Of the first command. */
  readonly from: number
  readonly end: LogEnd
  /** Of each record. */
  readonly sums: readonly number[]
}

/** The whole log, up to the first fault, which is added. */
async function walk(shared: JetStreamLog, faults: string[]): Promise<Walked> {
  const log = patiently(shared)
  for (;;) {
    const { first, last } = await log.bounds()
    const walked = { first, from: 0, end: logStart, sums: [] as number[] }
    try {
      walked.end = await placeBefore(log, first, last)
      walked.from = walked.end.lastSequence + 1
      while (walked.end.position < last) {
        const { message, end } = await readOn(log, walked.end)
        for (const record of message.records) walked.sums.push(crc32(record))
        walked.end = end
      }
      return walked
    } catch (error) {
      if (!(error instanceof LogBroken)) throw error
      // Meanwhile the core that leads has removed what is old, up to behind that place.
      if ((await log.bounds()).first > Math.max(first, walked.end.position + 1)) continue
      faults.push(error.message)
      return walked
    }
  }
}

/** A core's file, as it was at one moment; a text says why there is none. */
interface CopiedFile {
  readonly directory: string
  readonly journal: Journal | string
}

async function copiedFile(directory: string, opened: AsyncDisposableStack): Promise<CopiedFile> {
  const own = join(directory, 'journal')
  if (!existsSync(own)) return { directory, journal: 'there is no journal' }
  const copy = mkdtempSync(join(tmpdir(), 'tidemark-log-'))
  opened.defer(() => rmSync(copy, { recursive: true, force: true }))
  const copied = join(copy, 'journal')
  try {
    cpSync(own, copied, { recursive: true })
    const { journal } = await openFileJournal(copied, { sync: 'os' })
    opened.defer(() => journal.close())
    return { directory, journal }
  } catch (error) {
    return { directory, journal: (error as Error).message.replaceAll(copied, own) }
  }
}

/** Of a core's file, against the log. */
async function faultOfFile({ journal }: CopiedFile, { from, sums, end }: Walked): Promise<string | undefined> {
  if (typeof journal === 'string') return journal
  const apart = apartFrom(journal, from)
  if (apart !== undefined) return apart
  const other = await firstOther(journal, from, sums)
  if (other !== undefined) return `command ${other} is another one than the log's`
  if (journal.lastSequence <= end.lastSequence) return undefined
  return `commands ${end.lastSequence + 1} to ${journal.lastSequence} are not in the log`
}

/** Why nothing of a file can be compared with a log that begins with a command. */
function apartFrom({ lastSequence }: Journal, from: number): string | undefined {
  if (lastSequence >= from - 1) return undefined
  return `it ends with command ${lastSequence}, and the log begins with command ${from}: what is between was removed`
}

/** The first command that is another one in the file than in the log, of those that both have. */
async function firstOther(journal: Journal, from: number, sums: readonly number[]): Promise<number | undefined> {
  const begin = Math.max(from, journal.stats().firstSequence)
  let other: number | undefined
  if (journal.lastSequence < begin) return undefined
  await journal.replay(begin, (sequence, payload) => {
    const sum = sums[sequence - from]
    if (other === undefined && sum !== undefined && crc32(payload) !== sum) other = sequence
  })
  return other
}

export interface LogRepaired {
  /** The commands that the log has lost; `through` before `from`: none. */
  readonly from: number
  readonly through: number
  readonly done: boolean
}

/** `really`: else it is only said what would be done. */
export function repairLog(address: LogAddress, data: string, really: boolean): Promise<LogRepaired> {
  return asCannotStart(() => repaired(address, data, really))
}

async function repaired(address: LogAddress, data: string, really: boolean): Promise<LogRepaired> {
  await using opened = new AsyncDisposableStack()
  const directory = coreDirectory(data, opened)
  const log = await openedLog(address)
  opened.defer(() => log.close())
  const { log: name, id } = directory.venue() ?? {}
  if (name !== address.venue || (id !== undefined && id !== log.venueId)) {
    throw new CannotStart(`${data} is no core of the venue ${address.venue}`)
  }
  await assertQuiet(log)
  const faults: string[] = []
  const { from, sums, end } = await walk(log, faults)
  if (faults.length > 0) throw new CannotStart(`only its end can be repaired: ${faults.join('; ')}`)
  const journal = await journalOf(directory, opened)
  const apart = apartFrom(journal, from)
  if (apart !== undefined) throw new CannotStart(`${data}: ${apart}`)
  const other = await firstOther(journal, from, sums)
  if (other !== undefined) throw new CannotStart(`command ${other} of ${data} is another one than the log's`)
  const { firstSequence, lastSequence } = journal.stats()
  if (firstSequence > end.lastSequence + 1) {
    throw new CannotStart(`${data} begins with command ${firstSequence}, and the log ends with ${end.lastSequence}`)
  }
  const found = { from: end.lastSequence + 1, through: lastSequence }
  if (!really || found.through < found.from) return { ...found, done: false }
  await write(log, end, journal)
  rmSync(directory.file('positions'), { force: true })
  return { ...found, done: true }
}

export interface LogRebuilt {
  readonly from: number
  readonly through: number
}

/** A new log with everything that a core's file has; the directory belongs to it from then on. What fails leaves no log. */
export function rebuildLog(address: LogAddress, data: string): Promise<LogRebuilt> {
  return asCannotStart(() => rebuilt(address, data))
}

async function rebuilt(address: LogAddress, data: string): Promise<LogRebuilt> {
  await using opened = new AsyncDisposableStack()
  const directory = coreDirectory(data, opened)
  const record = directory.venue()
  if (record?.log === undefined) throw new CannotStart(`${data} holds no core`)
  const journal = await journalOf(directory, opened)
  // It is the same venue, whatever its log is called.
  const { venueId } = await initCluster({ ...address, venueId: address.venueId ?? record.id })
  await using undo = new AsyncDisposableStack()
  undo.defer(() => removeLog(address))
  const log = await openedLog(address)
  opened.defer(() => log.close())
  const { firstSequence, lastSequence } = journal.stats()
  const start: LogEnd = { position: 0, chain: 0, epoch: 0, lastSequence: firstSequence - 1, lastAt: 0 }
  await write(log, start, journal)
  directory.remember({ log: address.venue, id: venueId })
  undo.move()
  rmSync(directory.file('positions'), { force: true })
  return { from: firstSequence, through: lastSequence }
}

function coreDirectory(data: string, opened: AsyncDisposableStack): DataDirectory {
  assertVenueThere(data, '--from')
  const directory = DataDirectory.open(data)
  opened.defer(() => directory.close())
  return directory
}

async function journalOf(directory: DataDirectory, opened: AsyncDisposableStack): Promise<Journal> {
  const { journal } = await openFileJournal(directory.file('journal')).catch((cause: unknown) => {
    throw startTrouble(cause)
  })
  opened.defer(() => journal.close())
  return journal
}

async function removeLog(address: LogAddress): Promise<void> {
  const link = await NatsLink.open(address.urls, 'log rebuild', tlsOf(address))
  try {
    await removeStream(link, address.venue)
  } finally {
    await link.close()
  }
}

/** What the file has behind an end of the log, behind a claim. */
async function write(log: JetStreamLog, end: LogEnd, journal: Journal): Promise<void> {
  const writer = writerAt(log, end)
  await writer.claim(Buffer.from(`repair ${randomUUID()}`))
  await appendCommands(writer, journal)
}
