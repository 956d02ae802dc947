/**
 * History: what happened, in SQL. A projection of the events, written off the hot path on a thread of its own.
 *
 * Exactly once  the events of a command and its sequence are committed together; `record` drops what was applied
 *               before, so that after a crash the journal may simply be replayed into it
 * Own writes    a read sees everything that was recorded before it was asked: of an account all that is its own, else all there is.
 *               Of what came since it may see a part
 * Failure       the venue goes on: `record` lets events go, reads and flushes reject with HistoryFailed, `health` says
 *               so. What is missing comes from the journal when the history is opened again: a segment of it goes
 *               only after `flushDurably` has answered a later sequence
 * Kept       newest rows of accounts that ask are answered on the venue's thread (kept-rows.ts), as the database would
 * Pressure      whoever records faster than the disk takes it watches `pendingEvents`, and waits with `flush`
 * Not here      state (engine/), tickers (market/)
 * Source        design.md §1, §4.7, §4.17, §4.27, §5
 */
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads'
import type { Millis } from '../engine/numbers/numbers.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { RulesNote } from '../runtime/runtime.ts'
import { RowPacker } from './columns.ts'
import type { HistoryEvent } from './equity-table.ts'
import type { RowForm } from './kept-list.ts'
import { type KeptPage, type KeptRead, KeptRows, type RowOf } from './kept-rows.ts'
import { readPage } from './page-text.ts'
import { ownReads } from './own-reads.ts'
import type { FromService, Question, Read, ThreadOptions, ToService } from './protocol.ts'
import type { Answer, Page, ReadName, ReadQuery } from './reads.ts'
import { serveHistory } from './service.ts'
import { SqliteStore } from './sqlite.ts'
import { packEvent } from './tables.ts'
import type { Progress } from './row-export.ts'
import { HistoryAway, HistoryFailed } from './trouble.ts'

export type * from './reads.ts'
export type { Page, RowForm, RowOf }
export * from './candles.ts'
export type { EquitySample, HistoryEvent, Sampling } from './equity-table.ts'
export { offersOf } from './liquidation-table.ts'
export { copyHistory, copyHistoryTo } from './copied.ts'
export { exportHistory, type HistoryExport } from './history-export.ts'
export type { Chunk, Progress } from './row-export.ts'
export { readRulesNote } from './rules-note.ts'

export { HistoryAway, HistoryFailed }

export interface HistoryHealth {
  readonly state: 'working' | 'failed' | 'closed'
  /** Why it failed, in words. */
  readonly fault: string | undefined
  readonly recordedSequence: number
  /** Events up to here are committed: they survive a crash of the process. */
  readonly committedSequence: number
  readonly pendingEvents: number
  /** Events let go by the failure and since; the journal has them. */
  readonly droppedEvents: number
  /** Memory that newest rows of accounts that ask take, about. */
  readonly keptBytes: number
}

export interface History {
  /** As of opening: the last command whose events are in it. */
  readonly appliedSequence: number
  /** Events recorded that the thread has not written yet. */
  readonly pendingEvents: number
  /** Another number once rows that were there have gone: they were pruned, or it went back. Undefined: nobody here is told. */
  readonly generation: number | undefined
  /** The time of the last command recorded, or found in it; zero: there is none. */
  readonly recordedAt: Millis
  health(): HistoryHealth

  /**
   * Takes the events of one command, in the order of sequences; a command without events may be left out or not.
   * Never blocks and never throws. Drops the events of a sequence at or below the last one applied or recorded. Every
   * row keeps the sequence and the kind of its command.
   */
  record(sequence: number, at: Millis, events: readonly HistoryEvent[], command?: Command['kind'] | ''): void

  /** Fills of an account, newest first. */
  fills(query: ReadQuery<'fills'>): Promise<Answer<'fills'>>
  /** Ended orders of an account, newest first by number; windows are over the time of creation. */
  orders(query: ReadQuery<'orders'>): Promise<Answer<'orders'>>
  /** Ended trigger orders of an account, newest first by number; windows are over the time of creation. */
  triggers(query: ReadQuery<'triggers'>): Promise<Answer<'triggers'>>
  /** One ended order of an account; of several with a client order id the newest. */
  order(query: ReadQuery<'order'>): Promise<Answer<'order'>>
  /** Public trades of an instrument, newest first. */
  trades(query: ReadQuery<'trades'>): Promise<Answer<'trades'>>
  /** What a price of an instrument did between bounds of time. */
  candles(query: ReadQuery<'candles'>): Promise<Answer<'candles'>>
  /** Settled funding rates of a contract, newest first. */
  fundingRates(query: ReadQuery<'fundingRates'>): Promise<Answer<'fundingRates'>>
  /** Transfers that an account sent or received, newest first. */
  transfers(query: ReadQuery<'transfers'>): Promise<Answer<'transfers'>>
  /** Positions that an account moved, gave or took, newest first. */
  positionMoves(query: ReadQuery<'positionMoves'>): Promise<Answer<'positionMoves'>>
  /** Deposits and withdrawals of an account, newest first. */
  externalFlows(query: ReadQuery<'externalFlows'>): Promise<Answer<'externalFlows'>>
  /** Deposits or withdrawals of an account that have ended, newest first; windows are over the time of creation. */
  chainTransfers(query: ReadQuery<'chainTransfers'>): Promise<Answer<'chainTransfers'>>
  loans(query: ReadQuery<'loans'>): Promise<Answer<'loans'>>
  repayments(query: ReadQuery<'repayments'>): Promise<Answer<'repayments'>>
  /** Interest charged to an account, newest first. */
  interest(query: ReadQuery<'interest'>): Promise<Answer<'interest'>>
  /** Every change of a wallet's balance, newest first. */
  bills(query: ReadQuery<'bills'>): Promise<Answer<'bills'>>
  /** Coins of a wallet with debt that became others, newest first. */
  conversions(query: ReadQuery<'conversions'>): Promise<Answer<'conversions'>>
  /** What the insurance fund of a coin gave and took, newest first, since its balance is noted. */
  insurance(query: ReadQuery<'insurance'>): Promise<Answer<'insurance'>>
  /** The same by the hour, those in which nothing happened left out. */
  insuranceHours(query: ReadQuery<'insuranceHours'>): Promise<Answer<'insuranceHours'>>
  /** What liquidations offered to the books, newest first. */
  liquidationOffers(query: ReadQuery<'liquidationOffers'>): Promise<Answer<'liquidationOffers'>>
  /** Liquidations of an account's margin wallet, newest first. */
  marginLiquidations(query: ReadQuery<'marginLiquidations'>): Promise<Answer<'marginLiquidations'>>
  /** Funding paid and received by an account, newest first. */
  fundingPayments(query: ReadQuery<'fundingPayments'>): Promise<Answer<'fundingPayments'>>
  /** Closed positions of an account, the last closed first; windows are over the time of closing. */
  positions(query: ReadQuery<'positions'>): Promise<Answer<'positions'>>
  /** Rebates of a broker, newest first. */
  rebates(query: ReadQuery<'rebates'>): Promise<Answer<'rebates'>>
  /** What an account was worth, and what was moved in and out, step by step. */
  equity(query: ReadQuery<'equity'>): Promise<Answer<'equity'>>
  /** What moved an account or one of its positions, with the commands that caused it, newest first. */
  lineage(query: ReadQuery<'lineage'>): Promise<Answer<'lineage'>>
  /** An ended order of anybody with its fills, and the liquidation that it was part of. */
  orderTimeline(query: ReadQuery<'orderTimeline'>): Promise<Answer<'orderTimeline'>>
  /** Liquidations of every account, of pools and of wallets with debt, newest first. */
  liquidations(query: ReadQuery<'liquidations'>): Promise<Answer<'liquidations'>>
  /** A liquidation by its number, with all that belongs to it. */
  liquidationTimeline(query: ReadQuery<'liquidationTimeline'>): Promise<Answer<'liquidationTimeline'>>

  /** A page of newest rows as JSON texts: those of rows that are kept beside the venue are made once in each form. */
  written<Name extends KeptRead, Under>(
    name: Name,
    query: ReadQuery<Name>,
    form: RowForm<RowOf<Name>, Under>,
    under: Under,
  ): Promise<WrittenPage>

  /** Bytes that the heap of its thread takes; undefined: it has none of its own, or that has ended. */
  heapBytes(): Promise<number | undefined>

  /** Everything recorded so far is committed. */
  flush(): Promise<void>
  /** Everything recorded so far is on disk, safe from a loss of power; answers the sequence that it reaches. */
  flushDurably(): Promise<number>
  /**
   * Rows of the days (UTC) that are over by `before` go, in steps between which writing and reading go on. Orders count from their
   * end. A read that was asked before may come after it.
   */
  prune(before: Millis): Promise<void>
  /** Everything recorded so far, to be restored later or opened as another history. Of one in memory only. */
  save(): Promise<SavedHistory>
  /** As it stood when that was saved, in place of what it is; reads asked before it are answered before it. In memory only. */
  restore(saved: SavedHistory): Promise<void>
  /** Notes by which rules commands are carried out from one on; resolves when it is on disk. */
  noteRules(note: RulesNote): Promise<void>
  /** Commits and syncs what is pending, then lets go of the file. Also the end of a failed history. */
  close(): Promise<void>
  /** Ends at once, as a crash would: what is pending is lost here, and replayed from the journal into the next one. */
  abandon(): Promise<void>
}

/** Newest first; the numbers of rows, and each row as JSON. */
export interface WrittenPage {
  readonly ids: readonly number[]
  readonly texts: readonly string[]
  /** As of a page of rows. */
  readonly next: number | undefined
  readonly last: number | undefined
}

export interface HistoryOptions {
  /** Memory for newest rows of accounts that ask, about; zero: none are kept. */
  readonly keptBytesMax?: number | undefined
}

const keptBytesUsual = 64 * 2 ** 20

/** A history as bytes, with the last command that it has. */
export interface SavedHistory {
  readonly bytes: Uint8Array
  readonly sequence: number
  readonly at: Millis
}

/**
 * A history in memory, on the thread of its venue; of what was saved, or an empty one. It costs a tenth of a thread, and
 * what it writes the venue waits for. Rejects with HistoryFailed.
 */
export async function openHistoryInMemory(saved?: SavedHistory, options?: HistoryOptions): Promise<History> {
  const rows = new MessageChannel()
  const reads = new MessageChannel()
  try {
    const store = saved === undefined ? await SqliteStore.open(inMemory) : SqliteStore.restored(saved.bytes)
    serveHistory(store, rows.port2, reads.port2)
  } catch (error) {
    throw failure('cannot open it in memory', error)
  }
  const service: Service = {
    post: (message, moved) => rows.port1.postMessage(message, moved),
    heapBytes: async () => undefined,
    end: async () => [rows.port1, reads.port1].forEach((port) => port.close()),
  }
  const history = new ServedHistory(service, reads.port1, saved, options)
  rows.port1.on('message', (message: FromService) => history.hear(message))
  return history
}

const inMemory = ':memory:'

/** Of its thread, whose rows live for a moment. V8's own size is twice that, which it comes to after days and keeps. */
const maxYoungGenerationSizeMb = 24

/** Opens or makes the database file. Rejects with HistoryFailed. */
export async function openHistory(file: string, options?: HistoryOptions): Promise<History> {
  const { port1: reads, port2 } = new MessageChannel()
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { file, reads: port2 } satisfies ThreadOptions,
    transferList: [port2],
    resourceLimits: { maxYoungGenerationSizeMb },
    name: 'history',
  })
  const reached = await new Promise<Progress>((resolve, reject) => {
    const fail = (error: unknown) => reject(failure(`cannot open ${file}`, error))
    thread.once('error', fail)
    thread.once('exit', (code) => fail(new Error(`its thread ended with code ${code}`)))
    thread.once('message', (message: FromService) => {
      if (message.kind === 'opened') resolve(message.reached)
      else fail(message.kind === 'failed' ? message.error : new Error('its thread spoke out of turn'))
    })
  })
  const service: Service = {
    post: (message, moved) => thread.postMessage(message, moved),
    heapBytes: async () => (await thread.getHeapStatistics().catch(() => undefined))?.total_heap_size,
    end: async () => void (await thread.terminate()),
  }
  const history = new ServedHistory(service, reads, reached, options)
  thread.on('message', (message: FromService) => history.hear(message))
  thread.on('error', (error) => history.fail('its thread broke', error))
  thread.on('exit', (code) => history.fail('its thread ended', new Error(`exit code ${code}`)))
  return history
}

/** Events gathered before they are handed over: whichever comes first, or a read. Waking the thread costs as much as a request. */
const batchEventsMax = 500
const batchWaitMs = 50
/** Beyond this the disk is too slow for the venue, and memory is worth more than an up-to-date history. */
const pendingEventsMax = 2_000_000
/** Beyond this a read waits for all of them, so that those who read do not keep the thread from writing. */
const passedEventsMax = 100_000

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** The history at work, wherever that is. */
interface Service {
  post(message: ToService, moved?: readonly Transferable[]): void
  heapBytes(): Promise<number | undefined>
  end(): Promise<void>
}

/** The door itself; whoever opens a history makes it. */
export class ServedHistory implements History {
  readonly appliedSequence: number
  readonly #service: Service
  readonly #reads: MessagePort
  /** By the question's number, which is used again once it is answered. */
  readonly #waiting: (Waiting | undefined)[] = []
  readonly #answered: number[] = []
  readonly #kept: KeptRows

  // The batch that gathers.
  readonly #packer = new RowPacker()
  #gathered = 0
  #unsentSequence = false
  #timer: NodeJS.Timeout | undefined

  #generation = 0
  #recordedSequence: number
  #recordedAt: Millis = 0
  #committedSequence: number
  #pendingEvents = 0
  #droppedEvents = 0
  #failure: HistoryFailed | undefined
  #closed = false

  /** What is in it already, by its last command; undefined: nothing. */
  constructor(
    service: Service,
    reads: MessagePort,
    known: Pick<SavedHistory, 'sequence' | 'at'> | undefined,
    { keptBytesMax = keptBytesUsual }: HistoryOptions = {},
  ) {
    const { sequence, at } = known ?? { sequence: 0, at: 0 }
    this.appliedSequence = sequence
    this.#recordedSequence = sequence
    this.#recordedAt = at
    this.#committedSequence = sequence
    this.#service = service
    this.#reads = reads
    this.#kept = new KeptRows(keptBytesMax, (name, uid, limit) =>
      this.#read(name === 'bills' ? 'ownBills' : name, { uid, limit }),
    )
  }

  #rowsGo(): void {
    this.#kept.clear()
    this.#generation += 1
  }

  get generation(): number {
    return this.#generation
  }

  get recordedAt(): Millis {
    return this.#recordedAt
  }

  get pendingEvents(): number {
    return this.#pendingEvents
  }

  health(): HistoryHealth {
    return {
      state: this.#closed ? 'closed' : this.#failure === undefined ? 'working' : 'failed',
      fault: this.#failure?.message,
      recordedSequence: this.#recordedSequence,
      committedSequence: this.#committedSequence,
      pendingEvents: this.#pendingEvents,
      droppedEvents: this.#droppedEvents,
      keptBytes: this.#kept.bytes,
    }
  }

  record(sequence: number, at: Millis, events: readonly HistoryEvent[], command: Command['kind'] | '' = ''): void {
    if (sequence <= this.#recordedSequence) return
    if (this.#failure !== undefined || this.#closed) {
      this.#droppedEvents += events.length
      return
    }
    this.#recordedSequence = sequence
    this.#recordedAt = at
    this.#unsentSequence = true
    try {
      this.#packer.begin({ sequence, command })
      for (const event of events) {
        if (!packEvent(this.#packer, event)) continue
        if (event.kind !== 'equity') this.#kept.record(event)
        this.#gathered++
        this.#pendingEvents++
      }
    } catch (error) {
      this.fail('an event does not fit', error)
    }
    if (this.#pendingEvents > pendingEventsMax) this.fail('it fell too far behind', undefined)
    else if (this.#gathered >= batchEventsMax) this.#handOver()
    else this.#timer ??= setTimeout(() => this.#handOver(), batchWaitMs)
  }

  fills(query: ReadQuery<'fills'>): Promise<Answer<'fills'>> {
    return this.#page('fills', query)
  }

  orders(query: ReadQuery<'orders'>): Promise<Answer<'orders'>> {
    return this.#page('orders', query)
  }

  triggers(query: ReadQuery<'triggers'>): Promise<Answer<'triggers'>> {
    return this.#read('triggers', query)
  }

  order(query: ReadQuery<'order'>): Promise<Answer<'order'>> {
    return this.#read('order', query)
  }

  trades(query: ReadQuery<'trades'>): Promise<Answer<'trades'>> {
    return this.#read('trades', query)
  }

  candles(query: ReadQuery<'candles'>): Promise<Answer<'candles'>> {
    return this.#read('candles', query)
  }

  fundingRates(query: ReadQuery<'fundingRates'>): Promise<Answer<'fundingRates'>> {
    return this.#read('fundingRates', query)
  }

  transfers(query: ReadQuery<'transfers'>): Promise<Answer<'transfers'>> {
    return this.#read('transfers', query)
  }

  positionMoves(query: ReadQuery<'positionMoves'>): Promise<Answer<'positionMoves'>> {
    return this.#read('positionMoves', query)
  }

  externalFlows(query: ReadQuery<'externalFlows'>): Promise<Answer<'externalFlows'>> {
    return this.#read('externalFlows', query)
  }

  chainTransfers(query: ReadQuery<'chainTransfers'>): Promise<Answer<'chainTransfers'>> {
    return this.#read('chainTransfers', query)
  }

  loans(query: ReadQuery<'loans'>): Promise<Answer<'loans'>> {
    return this.#read('loans', query)
  }

  repayments(query: ReadQuery<'repayments'>): Promise<Answer<'repayments'>> {
    return this.#read('repayments', query)
  }

  interest(query: ReadQuery<'interest'>): Promise<Answer<'interest'>> {
    return this.#read('interest', query)
  }

  bills(query: ReadQuery<'bills'>): Promise<Answer<'bills'>> {
    return this.#page('bills', query)
  }

  conversions(query: ReadQuery<'conversions'>): Promise<Answer<'conversions'>> {
    return this.#read('conversions', query)
  }

  insurance(query: ReadQuery<'insurance'>): Promise<Answer<'insurance'>> {
    return this.#read('insurance', query)
  }

  insuranceHours(query: ReadQuery<'insuranceHours'>): Promise<Answer<'insuranceHours'>> {
    return this.#read('insuranceHours', query)
  }

  liquidations(query: ReadQuery<'liquidations'>): Promise<Answer<'liquidations'>> {
    return this.#read('liquidations', query)
  }

  liquidationOffers(query: ReadQuery<'liquidationOffers'>): Promise<Answer<'liquidationOffers'>> {
    return this.#read('liquidationOffers', query)
  }

  marginLiquidations(query: ReadQuery<'marginLiquidations'>): Promise<Answer<'marginLiquidations'>> {
    return this.#read('marginLiquidations', query)
  }

  fundingPayments(query: ReadQuery<'fundingPayments'>): Promise<Answer<'fundingPayments'>> {
    return this.#read('fundingPayments', query)
  }

  positions(query: ReadQuery<'positions'>): Promise<Answer<'positions'>> {
    return this.#read('positions', query)
  }

  rebates(query: ReadQuery<'rebates'>): Promise<Answer<'rebates'>> {
    return this.#read('rebates', query)
  }

  equity(query: ReadQuery<'equity'>): Promise<Answer<'equity'>> {
    return this.#read('equity', query)
  }

  lineage(query: ReadQuery<'lineage'>): Promise<Answer<'lineage'>> {
    return this.#read('lineage', query)
  }

  orderTimeline(query: ReadQuery<'orderTimeline'>): Promise<Answer<'orderTimeline'>> {
    return this.#read('orderTimeline', query)
  }

  liquidationTimeline(query: ReadQuery<'liquidationTimeline'>): Promise<Answer<'liquidationTimeline'>> {
    return this.#read('liquidationTimeline', query)
  }

  async written<Name extends KeptRead, Under>(
    name: Name,
    query: ReadQuery<Name>,
    form: RowForm<RowOf<Name>, Under>,
    under: Under,
  ): Promise<WrittenPage> {
    const kept = this.#keptPage(name, query)
    if (kept !== undefined) {
      const { ids, next } = kept
      return { ids, texts: kept.texts(form, under), next, last: ids.at(-1) }
    }
    return writtenPage((await this.#read(name, query)) as Page<RowOf<Name>>, form, under)
  }

  async #page<Name extends KeptRead>(name: Name, query: ReadQuery<Name>): Promise<Answer<Name>> {
    const kept = this.#keptPage(name, query)
    if (kept === undefined) return this.#read(name, query)
    return { rows: kept.rows(), next: kept.next, last: kept.ids.at(-1) } as unknown as Answer<Name>
  }

  #keptPage<Name extends KeptRead>(name: Name, query: ReadQuery<Name>): KeptPage<RowOf<Name>> | undefined {
    return this.#closed || this.#failure !== undefined ? undefined : this.#kept.page(name, query)
  }

  async heapBytes(): Promise<number | undefined> {
    if (this.#closed) return undefined
    return this.#service.heapBytes()
  }

  async flush(): Promise<void> {
    await this.#ask({ kind: 'flush' })
  }

  async flushDurably(): Promise<number> {
    const sequence = this.#recordedSequence
    await this.#ask({ kind: 'sync' })
    return sequence
  }

  async prune(before: Millis): Promise<void> {
    let more = true
    while (more) {
      this.#rowsGo()
      more = (await this.#ask({ kind: 'prune', before })) as boolean
    }
    // What was asked meanwhile may have been read before it went.
    this.#rowsGo()
  }

  async save(): Promise<SavedHistory> {
    const [sequence, at] = [this.#recordedSequence, this.#recordedAt]
    const bytes = (await this.#ask({ kind: 'save' })) as Uint8Array
    return { bytes, sequence, at }
  }

  async restore({ bytes, sequence, at }: SavedHistory): Promise<void> {
    this.#rowsGo()
    await this.#ask({ kind: 'restore', saved: bytes })
    this.#recordedSequence = sequence
    this.#recordedAt = at
    this.#committedSequence = sequence
    this.#unsentSequence = false
    this.#rowsGo()
  }

  async noteRules(note: RulesNote): Promise<void> {
    await this.#ask({ kind: 'rules', note })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    try {
      if (this.#failure === undefined) {
        const asked = this.#ask({ kind: 'close' })
        this.#closed = true
        await asked
      }
    } finally {
      await this.abandon()
    }
  }

  async abandon(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#service.end()
  }

  #read<Name extends ReadName>(name: Name, query: ReadQuery<Name>): Promise<Answer<Name>> {
    return this.#wait((id) => {
      const after = this.#batchToSee(name, query)
      if (after === this.#packer.batch) this.#handOver()
      this.#reads.postMessage({ id, name, query, after } satisfies Read)
    }) as Promise<Answer<Name>>
  }

  /** The last batch that a read has to see, that which gathers perhaps. */
  #batchToSee(name: ReadName, query: ReadQuery<ReadName>): number {
    if (ownReads.has(name) && this.#pendingEvents <= passedEventsMax) {
      return this.#packer.lastOf((query as { readonly uid: number }).uid)
    }
    return this.#unsentSequence ? this.#packer.batch : this.#packer.batch - 1
  }

  #ask(question: Question): Promise<unknown> {
    return this.#wait((id) => {
      this.#handOver()
      this.#service.post({ id, ...question } satisfies ToService)
    })
  }

  #wait(send: (id: number) => void): Promise<unknown> {
    if (this.#closed) return Promise.reject(new HistoryFailed('it is closed'))
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const id = this.#answered.pop() ?? this.#waiting.length
    return new Promise((resolve, reject) => {
      this.#waiting[id] = { resolve, reject }
      send(id)
    })
  }

  /** The batch that gathered goes to the thread, and the next one begins. */
  #handOver(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#unsentSequence || this.#failure !== undefined || this.#closed) return
    const rows = this.#packer.take()
    this.#service.post(
      {
        kind: 'write',
        sequence: this.#recordedSequence,
        at: this.#recordedAt,
        rows,
        events: this.#gathered,
      } satisfies ToService,
      [rows.numbers.buffer, rows.money.buffer],
    )
    this.#gathered = 0
    this.#unsentSequence = false
  }

  /** What the history at work says. */
  hear(message: FromService): void {
    switch (message.kind) {
      case 'written':
        this.#pendingEvents -= message.events
        return
      case 'committed':
        this.#committedSequence = message.sequence
        return
      case 'answered':
        this.#settle(message.id)?.resolve(message.answer)
        return
      case 'page':
        return this.#showPage(message)
      case 'unanswered':
        this.#settle(message.id)?.reject(failure('a read was refused', message.error))
        return
      case 'failed':
        this.fail('the database refused', message.error)
        return
      case 'opened':
        return
    }
  }

  /** Rows that cannot be read concern nobody but whoever asked for them. */
  #showPage({ id, page }: Extract<FromService, { kind: 'page' }>): void {
    const waiting = this.#settle(id)
    try {
      waiting?.resolve(readPage(page))
    } catch (error) {
      waiting?.reject(failure('a read was refused', error))
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting[id]
    this.#waiting[id] = undefined
    this.#answered.push(id)
    return waiting
  }

  /** For good: whatever is not committed now is missing until the journal is replayed into a history opened anew. */
  fail(what: string, cause: unknown): void {
    this.#failure ??= failure(what, cause)
    this.#droppedEvents += this.#pendingEvents
    this.#pendingEvents = 0
    this.#gathered = 0
    for (const waiting of this.#waiting.splice(0)) waiting?.reject(this.#failure)
    this.#answered.length = 0
  }
}

/** Of rows that are not kept: texts made for this answer. */
export function writtenPage<Row extends RowOf<KeptRead>, Under>(
  { rows, next, last }: Page<Row>,
  form: RowForm<Row, Under>,
  under: Under,
): WrittenPage {
  return { ids: rows.map(idOf), texts: rows.map((row) => JSON.stringify(form.write(row, under))), next, last }
}

function idOf(row: RowOf<KeptRead>): number {
  return 'execId' in row ? row.execId : 'orderId' in row ? row.orderId : row.id
}

function failure(what: string, cause: unknown): HistoryFailed {
  const reason = cause instanceof Error ? `${what}: ${cause.message}` : what
  return new HistoryFailed(reason, cause)
}
