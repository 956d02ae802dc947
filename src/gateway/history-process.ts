/**
 * The process that writes history into PostgreSQL: a copy of the engine that hears what the core commits, and nobody's door.
 *
 * Begins    where the database stands. What it lacks before the stream goes on comes out of the core's history, in one transaction
 * Written   a command's rows when the core has applied it: what breaks the core's engine leaves none
 * Away      without the database what comes waits in memory, two million events of it; beyond that the process ends and begins anew.
 *           Without the core it waits for that. No order waits for either
 * Stands by while another process writes: without an engine, which is begun when the other one is gone
 * Refused   a database that is ahead of the core, or has another venue: nothing of this venue can follow there
 * Source    scale.md §2, §8
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { type History, HistoryFailed, type Progress, type Sampling } from '../history/history.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { isAway, isWritten, openHistoryInPostgres, WriterTaken } from '../history/postgres-history.ts'
import type { Answering, EventConsumer } from '../runtime/parts.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'
import { CoreConnection, type CorePlace } from './core-connection.ts'
import { GatewayRuntime, type GatewayRuntimeOptions } from './gateway-runtime.ts'
import { LinkWatch } from './link-watch.ts'
import { rowsOfCore } from './row-answers.ts'
import { whileCoresChange } from './while-cores-change.ts'

interface HistoryProcessOptions extends Omit<GatewayRuntimeOptions, 'onBegun' | 'onConfirmed' | 'replyTimeoutMs'> {
  /** Where the core listens. */
  readonly place: CorePlace
  readonly postgres: string
  /** Adds samples to the events of a command (operator/equity.ts). */
  readonly sampled: Sampling
  /** Loaded by whoever has a database. */
  readonly database: {
    readonly openHistoryInPostgres: typeof openHistoryInPostgres
    readonly isAway: typeof isAway
    readonly isWritten: typeof isWritten
    readonly WriterTaken: typeof WriterTaken
  }
}

const lookEveryMs = 1_000
const againMs = 250

export type HistoryProcess = Awaited<ReturnType<typeof openWriter>>

/**
 * Resolves when it follows, or with `taken` where another process writes: that resolves when this one has taken over from it.
 * Rejects with HistoryFailed.
 */
export async function openHistoryProcess(
  options: HistoryProcessOptions,
): Promise<{ readonly process: HistoryProcess } | { readonly taken: Promise<HistoryProcess> }> {
  const process = await unlessTaken(options)
  return process === undefined ? { taken: standBy(options) } : { process }
}

/** Without the database nobody is gone: it is asked again. */
async function standBy(options: HistoryProcessOptions): Promise<HistoryProcess> {
  const { database, postgres } = options
  for (;;) {
    await sleep(againMs)
    if (await database.isWritten(postgres).catch(() => true)) continue
    const process = await unlessTaken(options).catch((error: unknown) => {
      // It went away while this one was taking over.
      if (error instanceof HistoryFailed && database.isAway(error.cause)) return undefined
      throw error
    })
    if (process !== undefined) return process
  }
}

async function unlessTaken(options: HistoryProcessOptions): Promise<HistoryProcess | undefined> {
  const { database, postgres } = options
  if (await database.isWritten(postgres).catch(() => false)) return undefined
  try {
    return await openWriter(options)
  } catch (error) {
    if (error instanceof HistoryFailed && error.cause instanceof database.WriterTaken) return undefined
    throw error
  }
}

async function openWriter({ place, postgres, database, sampled, onLost, log, ...options }: HistoryProcessOptions) {
  const confirmed = new ConfirmedEvents(sampled)
  const onConfirmed = (sequence: number) => confirmed.confirm(sequence)
  const onBegun = (lastAt: number) => confirmed.begin(lastAt)
  const runtime = new GatewayRuntime({ ...options, replyTimeoutMs: 0, onLost, log, onBegun, onConfirmed })
  runtime.addConsumer(confirmed)
  const connection = new CoreConnection(
    place,
    runtime.remote,
    (what, value) => runtime.hear(what, value),
    (trouble) => log.error({ err: trouble }, 'what the core said could not be taken'),
  )
  connection.open()
  const stopFollowing = () => {
    connection.close()
    runtime.stop()
  }
  let history: History
  const away = new AwayTold(log)
  try {
    await Promise.race([runtime.begun, connection.refused])
    const fill = (from: Progress) => filling(connection, from, log)
    history = await whileCoresChange(async () => {
      const venue = (await connection.ask('venue')) as string
      return database.openHistoryInPostgres(postgres, { venue, fill, keptBytesMax: 0, onAway: away.tell })
    })
  } catch (error) {
    stopFollowing()
    throw error
  }
  confirmed.goTo(history)
  const watch = new LinkWatch(runtime.remote)
  const looks = setInterval(() => {
    const { state, fault } = history.health()
    if (state === 'failed') onLost(fault ?? 'history failed')
  }, lookEveryMs)
  const stop = async () => {
    clearInterval(looks)
    watch.stop()
    stopFollowing()
    // What a database that is away does not have comes out of the core's history when this begins anew.
    await history
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'what is not written yet is written at the next start'))
  }
  return { runtime, history, connection, watch, isDatabaseAway: () => away.isSo, stop }
}

async function filling(connection: CoreConnection, from: Progress, log: RuntimeLog) {
  const rows = await rowsOfCore((what, ...args) => connection.ask(what, ...args), from)
  if (rows.sequence < from.sequence) {
    throw new HistoryFailed(
      `it reaches command ${from.sequence}, and the core only ${rows.sequence}: what follows there is not what followed here; name an empty database`,
    )
  }
  if (rows.sequence === from.sequence) return undefined
  log.info(
    { from: from.sequence, to: rows.sequence },
    'rows that the database lacks come out of the history of the core',
  )
  return rows
}

/** Whether the database is away; a line in the log when that begins, and when it is over. */
class AwayTold {
  readonly #log: RuntimeLog
  isSo = false

  constructor(log: RuntimeLog) {
    this.#log = log
  }

  readonly tell = (trouble: unknown): void => {
    if (trouble === undefined) this.#log.warn({}, 'PostgreSQL is back')
    else if (!this.isSo) this.#log.warn({ err: trouble }, 'PostgreSQL is away: history waits')
    this.isSo = trouble !== undefined
  }
}

/** Holds what the own engine told until the core has applied it, too. */
class ConfirmedEvents implements EventConsumer {
  readonly #waiting: Parameters<History['record']>[] = []
  readonly #sampled: Sampling
  #through = 0
  #lastAt = 0
  #next: Pick<History, 'record'> | undefined

  constructor(sampled: Sampling) {
    this.#sampled = sampled
  }

  record(
    sequence: number,
    at: number,
    events: readonly Event[],
    command: Command['kind'] | '',
    _reply?: Reply,
    engine?: Answering,
  ): void {
    this.#waiting.push([sequence, at, this.#sampled(this.#lastAt, at, events, engine), command])
    this.#lastAt = at
  }

  begin(lastAt: number): void {
    this.#lastAt = lastAt
  }

  confirm(through: number): void {
    this.#through = Math.max(this.#through, through)
    this.#handOn()
  }

  /** Who knows what it has drops that. */
  goTo(next: Pick<History, 'record'>): void {
    this.#next = next
    this.#handOn()
  }

  #handOn(): void {
    if (this.#next === undefined) return
    let handed = 0
    while (handed < this.#waiting.length && this.#waiting[handed][0] <= this.#through) {
      this.#next.record(...this.#waiting[handed])
      handed += 1
    }
    this.#waiting.splice(0, handed)
  }
}
