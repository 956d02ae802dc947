/**
 * One market of another venue in the local book: what it says becomes orders of the house, one moment at a time.
 *
 * Accounts  `mirror-CATEGORY-SYMBOL-1` and on, and `mirror-CATEGORY-SYMBOL-taker`: ordinary ones, found again after a restart
 * Moments   what has come while the one before was carried out is one: its trades, then its levels
 * Trouble   where it is unknown what was carried out, the house's orders are read from the engine and the book begins anew
 * Stale     the house's orders leave the book; orders of others stay. A snapshot brings them back, behind those
 */
import { type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import { amount } from '../engine/numbers/numbers.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Uid } from '../engine/vocabulary.ts'
import {
  BookPlay,
  type Change,
  House,
  leastAt,
  type MomentRows,
  type QueueModel,
  type Trade,
} from '../house-book/house-book.ts'
import type { Core } from '../runtime/runtime.ts'
import type { TickerReading } from './readings.ts'
import { VerifiedBook } from './verified-book.ts'

/** Orders that an account has room for. */
const roomOf = 360
/** What the last tier of a contract reaches to, so that the house can hold any market. */
const tierMost = 2n ** 60n
/** Steps in which half of what was taken comes back. */
const healSteps = 16

const noTicker: TickerReading = { indexE8: undefined, markE8: undefined, fundingRate: undefined }

export interface MarketSettings {
  readonly queue: QueueModel
  readonly healMs: number
}

export interface MarketHooks {
  /** Before a whole book is laid: with an index that is stale its orders would be refused. */
  readonly begins: () => Promise<void>
  /** It is unknown what came about; the book is given up. */
  readonly lost: (error: unknown) => void
}

export class MirroredMarket {
  readonly instrument: Instrument
  readonly source = new VerifiedBook()
  readonly #core: Core
  readonly #house: House
  readonly #book: BookPlay
  readonly #healMs: number
  readonly #hooks: MarketHooks
  #trades: Trade[] = []
  #changes: Change[] = []
  #isCleared = false
  #isDue = false
  #isLeaving = false
  /** Orders of the house are to be read from the engine before anything else. */
  #mustAdopt = true
  #run: Promise<void> | undefined
  #heals: NodeJS.Timeout | undefined
  #isClosed = false
  #refusedBefore = 0
  ticker: TickerReading = noTicker
  /** Looks since the book was last followed; 0: it is. */
  looksWithout = 1
  resyncs = 0
  moments = 0

  constructor(core: Core, instrument: Instrument, { queue, healMs }: MarketSettings, hooks: MarketHooks) {
    this.#core = core
    this.instrument = instrument
    this.#healMs = healMs
    this.#hooks = hooks
    this.#house = new House(core, instrument, healMs)
    this.#book = new BookPlay(this.#house, queue, (price) => leastAt(instrument, price))
  }

  get refused(): number {
    return this.#house.refused
  }

  get lastRefusal(): string | undefined {
    return this.#house.lastRefusal
  }

  /** What was refused since the last look, such as for an index in doubt, is tried again. */
  retry(): void {
    if (this.#house.refused === this.#refusedBefore) return
    this.#refusedBefore = this.#house.refused
    this.#book.lookAtAll()
    this.#soon()
  }

  get isFollowed(): boolean {
    return this.source.sequence !== undefined
  }

  /** Middle of the source's book, in 1e-8 of the quote. */
  get middleE8(): bigint | undefined {
    const bid = Math.max(...this.source.bids.keys())
    const ask = Math.min(...this.source.asks.keys())
    if (!Number.isFinite(bid) || !Number.isFinite(ask)) return undefined
    const { priceStep, priceDecimals } = this.instrument
    return (BigInt(bid + ask) * BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals)) / 2n
  }

  /** Its accounts are there when it resolves. Throws for a venue that takes no commands. */
  async open(): Promise<void> {
    const { id } = this.instrument
    if (isFutures(this.instrument) && this.instrument.tiers.at(-1)?.to !== amount(tierMost)) {
      const { tiers } = this.instrument
      const wide = tiers.map((tier, at) => (at === tiers.length - 1 ? { ...tier, to: amount(tierMost) } : tier))
      const unchanged = { status: undefined, makerFeeRate: undefined, takerFeeRate: undefined }
      const bands = { limitBand: undefined, marketBand: undefined }
      await this.#submit({ kind: 'set-instrument', instrument: id, tiers: wide, ...unchanged, ...bands })
    }
    this.#house.open(await this.#account('taker'))
    await this.#makeRoom()
    for (const account of this.#core.query({ kind: 'accounts' })) {
      if (account.name === this.#nameOf(String(this.#house.uids.length + 1))) this.#house.add(account.uid)
    }
    this.#lookForOthers()
  }

  /** As a consumer of the runtime. */
  record(sequence: number, at: number, events: readonly Event[], reply: Reply | undefined): void {
    this.#house.record(sequence, at, events, reply)
    if (this.#house.dirty.size > 0 && this.#run === undefined) this.#soon()
  }

  trade(trades: readonly Trade[]): void {
    // Before a snapshot there is no book that they could meet.
    if (!this.isFollowed) return
    this.#trades.push(...trades)
    this.#soon()
  }

  change(changes: readonly Change[], isSnapshot: boolean): void {
    if (isSnapshot) {
      this.#isCleared = true
      this.#changes = []
      this.#trades = []
      this.#isLeaving = false
    }
    this.#changes.push(...changes)
    this.looksWithout = 0
    this.#soon()
  }

  /** What comes is worth nothing until a snapshot. */
  lose(): void {
    this.source.forget()
    this.#trades = []
    this.#changes = []
    this.#isCleared = false
  }

  /** The venue is not heard: its prices are worth nothing either. */
  forget(): void {
    this.lose()
    this.ticker = noTicker
  }

  /** The house's orders leave the book. */
  leave(): void {
    this.lose()
    this.#isLeaving = true
    this.#soon()
  }

  /** What was begun is carried out when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#heals)
    await this.#run
  }

  /** What is to be done is done when it resolves. */
  async settled(): Promise<void> {
    while (this.#run !== undefined) await this.#run
  }

  /** What others took comes back by as much as the time has brought. */
  heal(): void {
    this.#soon()
  }

  #soon(): void {
    if (this.#isClosed) return
    this.#isDue = true
    this.#run ??= this.#carryOut().finally(() => (this.#run = undefined))
  }

  async #carryOut(): Promise<void> {
    // What comes in one turn of the loop is one moment.
    await Promise.resolve()
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      try {
        if (this.#mustAdopt) this.#adopt()
        await this.#moment()
      } catch (error) {
        this.#house.forgetActs()
        this.#mustAdopt = true
        this.lose()
        this.#hooks.lost(error)
        return
      }
    }
    this.#healLater()
  }

  async #moment(): Promise<void> {
    const now = this.#core.now()
    if (this.#isLeaving) {
      this.#isLeaving = false
      this.#book.record({ isCleared: true, changes: [] })
      await this.#book.settle(now)
      return
    }
    const rows: MomentRows = {
      at: now,
      rows: this.#trades.length + this.#changes.length,
      trades: this.#trades,
      isCleared: this.#isCleared,
      changes: this.#changes,
      index: undefined,
      mark: undefined,
      funding: undefined,
    }
    this.#trades = []
    this.#changes = []
    this.#isCleared = false
    if (this.#house.room < rows.changes.length || this.#house.room <= 0) await this.#makeRoom(rows.changes.length)
    if (rows.rows === 0 && !rows.isCleared) {
      this.#house.lookAtOthers()
      await this.#book.settle(now)
      return
    }
    if (rows.isCleared) await this.#hooks.begins()
    await this.#book.play(rows, now)
    this.moments += 1
  }

  #healLater(): void {
    clearTimeout(this.#heals)
    if (this.#isClosed || this.#book.taken.size === 0 || !Number.isFinite(this.#healMs)) return
    this.#heals = setTimeout(() => this.heal(), Math.max(20, this.#healMs / healSteps)).unref()
  }

  #adopt(): void {
    const saved = this.#house.save()
    const orders = this.#book.adopt(this.#core, this.instrument, saved.uids, this.#core.now())
    this.#house.restore(saved, orders)
    this.#lookForOthers()
    this.#mustAdopt = false
  }

  /** Orders that rested before events were heard. */
  #lookForOthers(): void {
    const { category, id } = this.instrument
    for (const { uid } of this.#core.query({ kind: 'accounts' })) {
      for (const speaker of ['v2', 'v3'] as const) {
        const query = { kind: 'open-orders', uid, interface: speaker, category, instrument: id } as const
        for (const { orderId } of this.#core.query(query)) this.#house.met(orderId, uid)
      }
    }
  }

  async #makeRoom(coming = 0): Promise<void> {
    const needed = this.#book.levels + coming
    while (this.#house.uids.length === 0 || this.#house.uids.length * roomOf < needed || this.#house.room <= 0) {
      this.#house.add(await this.#account(String(this.#house.uids.length + 1)))
    }
  }

  #nameOf(suffix: string): string {
    return `mirror-${this.instrument.category}-${this.instrument.symbol}-${suffix}`
  }

  async #account(suffix: string): Promise<Uid> {
    const name = this.#nameOf(suffix)
    const known = this.#core.query({ kind: 'accounts' }).find((account) => account.name === name)
    const create = { kind: 'create-account', account: 'main', parentUid: undefined, mode: 'unified', name } as const
    const reply = known === undefined ? await this.#submit(create) : undefined
    const uid = known?.uid ?? (reply?.kind === 'account-created' ? reply.uid : undefined)
    if (uid === undefined) throw new Error(`an account was answered with ${reply?.kind}`)
    if (isFutures(this.instrument)) {
      const { id, leverageMin: leverage } = this.instrument
      const [now] = this.#core.query({ kind: 'symbol-settings', uid, interface: 'v3', instrument: id })
      const terms = { interface: 'v3', instrument: id, positionSide: undefined, marginMode: undefined } as const
      if (now?.leverage !== leverage) await this.#submit({ kind: 'set-leverage', uid, leverage, ...terms })
    }
    return uid
  }

  async #submit(command: Command): Promise<Reply> {
    const reply = await this.#core.submit(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
    return reply
  }
}
