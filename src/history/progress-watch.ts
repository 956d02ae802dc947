/**
 * How far a history in PostgreSQL is, for those who read it there and must not see too little.
 *
 * Told     by whoever writes it, as it commits; and asked twice a second, so that neither a message that was lost nor a server that
 *          hangs goes unnoticed
 * Away     the connection is made again until it stands. What was known holds meanwhile: rows do not go
 */
import type pg from 'pg'
import {
  appliedChannel,
  assertReadable,
  connectionBeside,
  letGo,
  type PostgresRows,
  progressOf,
  progressText,
} from './postgres.ts'
import type { Progress } from './row-export.ts'

const askEveryMs = 500
const answerMsMax = 2_000

interface Waiting {
  readonly sequence: number
  readonly resolve: (isThere: boolean) => void
  readonly timeout: NodeJS.Timeout
}

export class ProgressWatch {
  readonly #store: PostgresRows
  readonly #venue: string
  readonly #asks: NodeJS.Timeout
  readonly #waiting = new Set<Waiting>()
  #progress: Progress = { sequence: 0, at: 0 }
  /** Undefined: the server is away, or was when it was last asked. */
  #client: pg.Client | undefined
  #isAsking = false
  #isClosed = false

  private constructor(store: PostgresRows, venue: string) {
    this.#store = store
    this.#venue = venue
    this.#asks = setInterval(() => void this.#look(), askEveryMs)
  }

  /** Rejects with WrongDatabase, or with what PostgreSQL says. */
  static async open(store: PostgresRows, venue: string): Promise<ProgressWatch> {
    const watch = new ProgressWatch(store, venue)
    // However long it takes, no second connection is made meanwhile: nobody would end the first.
    watch.#isAsking = true
    try {
      await watch.#connect()
      return watch
    } catch (error) {
      await watch.close()
      throw error
    } finally {
      watch.#isAsking = false
    }
  }

  get progress(): Progress {
    return this.#progress
  }

  /** Whether the history has come to this command, at the latest when so much time has passed. */
  reaches(sequence: number, withinMs: number): Promise<boolean> {
    if (this.#progress.sequence >= sequence) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiting: Waiting = {
        sequence,
        resolve,
        timeout: setTimeout(() => this.#end(waiting, false), withinMs),
      }
      this.#waiting.add(waiting)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#asks)
    for (const waiting of this.#waiting) this.#end(waiting, false)
    if (this.#client !== undefined) await letGo(this.#client)
  }

  async #look(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return
    this.#isAsking = true
    try {
      if (this.#client === undefined) await this.#connect()
      else this.#take(progressOf(await this.#client.query(progressText)))
    } catch {
      // Whoever reads is told; here it is tried again.
      const client = this.#client
      this.#client = undefined
      if (client !== undefined) await letGo(client)
    } finally {
      this.#isAsking = false
    }
  }

  async #connect(): Promise<void> {
    const client = connectionBeside(this.#store, { query_timeout: answerMsMax })
    try {
      await client.connect()
      await assertReadable(client, this.#venue)
      client.on('notification', ({ payload = '' }) => {
        const [sequence, at] = payload.split(' ').map(Number)
        this.#take({ sequence, at })
      })
      await client.query(`listen ${appliedChannel}`)
      this.#take(progressOf(await client.query(progressText)))
    } catch (error) {
      await letGo(client)
      throw error
    }
    if (this.#isClosed) await letGo(client)
    else this.#client = client
  }

  #take(progress: Progress): void {
    this.#progress = progress
    for (const waiting of this.#waiting) if (waiting.sequence <= progress.sequence) this.#end(waiting, true)
  }

  #end(waiting: Waiting, isThere: boolean): void {
    this.#waiting.delete(waiting)
    clearTimeout(waiting.timeout)
    waiting.resolve(isThere)
  }
}
