/**
 * Where in the log a core's file stands: so that a core that begins goes on from there, and never from a file that the log
 * does not bear out.
 *
 * Kept     <data>/positions: some of the newest places, each a second or more from the next, and the newest where another core is given
 *          them. It is not synced, and not needed: the messages of the log say it all
 * Checked  the place by its chain, and each record of the file behind it against the log's. A place that the log does not have so is
 *          passed over: then more of the file is compared
 * Removed  what this core lacks may be gone from the log (LogBeginsLater): then it begins with another core's state
 * Lost     a file that has more than the log: records were lost there, and nobody goes on (`tidemark log repair`)
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Journal } from '../journal/journal.ts'
import {
  decodeMessage,
  type Log,
  LogBroken,
  type LogEnd,
  logStart,
  type ReadMessage,
  readNext,
} from '../replication/replication.ts'

/** The log with its bounds: what a core can still read of it. */
export interface BoundedLog extends Pick<Log, 'at'> {
  bounds(): Promise<{ readonly first: number; readonly last: number }>
  noteSeen(position: number): void
}

/** What this core would have to read next was removed. */
export class LogBeginsLater extends LogBroken {
  override name = 'LogBeginsLater'
}

const placesMax = 32
const apartMs = 1_000

/** The file of places. */
export class PlacesFile {
  readonly #file: string
  readonly #now: () => number
  #places: LogEnd[]
  #newest: LogEnd | undefined
  #writtenMs = Number.NEGATIVE_INFINITY

  /** `now`: monotonic milliseconds. */
  constructor(file: string, now: () => number) {
    this.#file = file
    this.#now = now
    this.#places = readPlaces(file)
  }

  /** Oldest first. */
  get places(): readonly LogEnd[] {
    return this.#places
  }

  /** The core's file has everything up to here. */
  note(end: LogEnd): void {
    this.#newest = end
    if (this.#now() - this.#writtenMs >= apartMs) this.write()
  }

  /** The newest that was noted is in the file. */
  write(): void {
    const newest = this.#newest
    if (newest === undefined) return
    this.#writtenMs = this.#now()
    if (newest !== this.#places.at(-1)) this.#places = [...this.#places, newest].slice(-placesMax)
    const next = `${this.#file}.next`
    writeFileSync(next, JSON.stringify(this.#places), { mode: 0o600 })
    renameSync(next, this.#file)
  }
}

function readPlaces(file: string): LogEnd[] {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as LogEnd[]
    return found.filter(({ position, chain, lastSequence }) =>
      [position, chain, lastSequence].every(Number.isSafeInteger),
    )
  } catch {
    return []
  }
}

/** The end of the log from which a core with this file has to read on. Rejects with LogBroken, naming the position: LogBeginsLater. */
export async function placeOf(log: BoundedLog, journal: Journal, places: readonly LogEnd[]): Promise<LogEnd> {
  const { first, last } = await log.bounds()
  const kept = await keptPlace(log, journal, places, first, last)
  const place = kept ?? (await placeBefore(log, first, last))
  const { lastSequence } = journal
  if (place.lastSequence > lastSequence) {
    const reason = `the log begins behind command ${place.lastSequence}, and this core has ${lastSequence}`
    throw new LogBeginsLater(first, reason)
  }
  // What was removed may have said that a command is passed over.
  const read = places.at(-1)?.position ?? first
  if (kept === undefined && read < first - 1) {
    throw new LogBeginsLater(first, `the log begins with it, and this core has read up to ${read}`)
  }
  await compare(log, journal, place, last)
  return place
}

/** The newest that was kept, that the file reaches, and where the log has the same. One of before a repair has others behind it. */
async function keptPlace(
  log: BoundedLog,
  journal: Journal,
  places: readonly LogEnd[],
  first: number,
  last: number,
): Promise<LogEnd | undefined> {
  for (const place of places.toReversed()) {
    const { position, chain, lastSequence } = place
    if (lastSequence > journal.lastSequence || position < first || position > last) continue
    if ((await messageAt(log, position)).chain !== chain) continue
    // The file proves that this position stood in the log.
    log.noteSeen(position)
    return place
  }
  return undefined
}

/** Before the first message that is there, as that one says. */
export async function placeBefore(log: Pick<Log, 'at'>, first: number, last: number): Promise<LogEnd> {
  for (let position = first; position <= last; position++) {
    const message = await messageAt(log, position)
    // It names a command of before, and says nothing of where it stands itself.
    if (message.kind === 'skip') continue
    const { previousChain: chain, kind, firstSequence } = message
    const epoch = kind === 'claim' ? message.epoch - 1 : message.epoch
    return { position: position - 1, chain, epoch, lastSequence: firstSequence - 1, lastAt: 0 }
  }
  if (first <= 1) return logStart
  throw new LogBroken(first, 'it does not say where it stands')
}

/** The message behind an end, checked. */
export async function readOn(log: Pick<Log, 'at'>, end: LogEnd) {
  const position = end.position + 1
  return readNext(end, position, (await log.at(position)) ?? new Uint8Array(0))
}

/** Rejects with LogBroken where there is none. */
export async function messageAt(log: Pick<Log, 'at'>, position: number): Promise<ReadMessage> {
  const bytes = await log.at(position)
  const message = bytes === undefined ? 'nothing stands there' : decodeMessage(bytes)
  if (typeof message === 'string') throw new LogBroken(position, message)
  return message
}

/** Each record that the file has behind a place, with the log's. */
async function compare(log: BoundedLog, journal: Journal, place: LogEnd, last: number): Promise<void> {
  const { lastSequence } = journal
  const sums: number[] = []
  const positions: number[] = []
  let end = place
  while (end.lastSequence < lastSequence) {
    const position = end.position + 1
    if (position > last) {
      const reason = `this core's file has commands up to ${lastSequence}, and the log ends with ${end.lastSequence}`
      throw new LogBroken(position, `records were lost: ${reason}; tidemark log repair puts them back`)
    }
    const next = await readOn(log, end)
    for (const record of next.message.records) {
      sums.push(crc32(record))
      positions.push(position)
    }
    ;({ end } = next)
  }
  if (sums.length === 0) return
  const from = place.lastSequence + 1
  // Of what its snapshot has replaced nothing is in the file.
  const begin = Math.max(from, journal.stats().firstSequence)
  if (begin > lastSequence) return
  await journal.replay(begin, (sequence, payload) => {
    if (crc32(payload) === sums[sequence - from]) return
    throw new LogBroken(
      positions[sequence - from],
      `command ${sequence} of this core's file is another one than the log's`,
    )
  })
}
