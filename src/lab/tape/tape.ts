/**
 * A recorded market in the book of one instrument. The door of the room.
 *
 *   moments.ts  rows, a millisecond at a time       impact.ts  how far the book is from the record
 *   ../../house-book/                               trades and levels in the book, by orders of the house
 *
 * Accounts  `lab-tape-SYMBOL-1` and on, each with room for its open orders, and `lab-tape-SYMBOL-taker`, which trades
 *
 * When      at the time that the record says, behind the engine's timers and the scripts of that millisecond, before the simulated agents
 * Index     of the base coin: as recorded, else the middle of the recorded book, else the last recorded trade; once a second. Mark
 *           and funding rate with it: as recorded, else by the venue's formulas
 * Agents    leave this book and this coin to the tape
 * End       the book stays as it was last, the tape begins anew, or the simulated agents take the book over
 * Saved     with the venue. A fork of the past reads the tape up to there, and takes the orders that it finds
 * Source    lab.md §4.9; docs/recorded-markets.md
 */
import { type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import { amount } from '../../engine/numbers/numbers.ts'
import {
  BookPlay,
  givenOf,
  House,
  type HouseOrder,
  inDollars,
  leastAt,
  type Level,
  type MomentRows,
  type SavedHouse,
} from '../../house-book/house-book.ts'
import { Tape } from '../../tape/tape.ts'
import { houseAccount } from '../market/house.ts'
import { marketFaultsOf } from '../market-faults/market-faults.ts'
import { play } from '../rehearsal.ts'
import { instrumentOf } from '../things.ts'
import type { LabVenue } from '../venue.ts'
import type { Planned } from '../way/agenda.ts'
import { Moments, type SavedMoments } from './moments.ts'
import type { TapeSettings } from './settings.ts'

type SavedLevel = Omit<Level, 'orders'> & { readonly orders: readonly Omit<HouseOrder, 'level'>[] }

interface SavedTape {
  readonly moments: SavedMoments
  readonly house: SavedHouse
  readonly levels: readonly SavedLevel[]
  readonly shiftMs: number
  readonly indexAt: number
  readonly prices: LastPrices
  readonly isOver: boolean
  readonly mustClear: boolean
}

/** What the record said last. */
interface LastPrices {
  /** Of 1e-8. */
  readonly index: number | undefined
  readonly mark: number | undefined
  /** Of 1e-12. */
  readonly funding: number | undefined
  /** In ticks. */
  readonly traded: number | undefined
}

const indexEveryMs = 1_000
/** Mark and funding rate hold so long when nobody gives them any more: a venue that is opened again without its tape. */
const givenMs = 60_000
/** Steps in which half of what was taken comes back. */
const healSteps = 16
const healMsMin = 20
/** Between two rounds of a tape. */
const roundMs = 1_000
/** What the last tier of a contract reaches to, so that the house can hold any record. */
const tierMost = 2n ** 60n

const opened = new WeakMap<LabVenue, TapePart>()

/** To be called once, behind the scripts. Throws LabRefusal, and TapeWrong for a file that is none. */
export function addTape(venue: LabVenue, settings: TapeSettings): TapePart {
  const part = new TapePart(venue, settings)
  opened.set(venue, part)
  venue.agenda.add(part)
  return part
}

/** Undefined: the venue plays none. */
export function tapeOf(venue: LabVenue): TapePart | undefined {
  return opened.get(venue)
}

export class TapePart implements Planned {
  readonly name = 'tape'
  readonly tape: Tape
  readonly instrument: Instrument
  readonly settings: TapeSettings
  readonly moments: Moments
  readonly house: House
  readonly book: BookPlay
  readonly #venue: LabVenue
  /** The venue's time less the tape's. */
  #shiftMs = 0
  #indexAt = 0
  #prices: LastPrices = { index: undefined, mark: undefined, funding: undefined, traded: undefined }
  #isOver = false
  #mustClear = false
  #healsAt = 0
  /** Between two settings of the index, in the move of the clock that is under way. */
  #leastMs = 0
  #underWay: Promise<unknown> | undefined

  constructor(venue: LabVenue, settings: TapeSettings) {
    this.#venue = venue
    this.settings = settings
    this.tape = new Tape(settings.file)
    const { symbol, category } = this.tape.contents
    this.instrument = instrumentOf(venue, symbol, 'market', (category as Instrument['category'] | null) ?? undefined)
    this.moments = new Moments(this.tape, this.instrument)
    this.house = new House(venue.parts.runtime, this.instrument, settings.healMs)
    this.book = new BookPlay(this.house, settings.queue, (price) => leastAt(this.instrument, price))
    venue.parts.runtime.addConsumer({
      record: (sequence, at, events, _command, reply) => {
        const before = this.house.dirty.size
        this.house.record(sequence, at, events, reply)
        if (before === 0 && this.house.dirty.size > 0 && this.#underWay === undefined) venue.agenda.arm()
      },
    })
  }

  get prices(): LastPrices {
    return this.#prices
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Unix milliseconds of the tape, for a time of the venue. */
  tapeTime(now: number): number {
    return now - this.#shiftMs
  }

  /** Of a new venue: all that the record says up to now stands in the book when it resolves. Throws LabRefusal. */
  async begin(): Promise<void> {
    const { runtime } = this.#venue.parts
    const { symbol, category, id } = this.instrument
    const { facts } = await play(this.#venue, (rehearsal) => {
      if (isFutures(this.instrument)) {
        const { tiers } = this.instrument
        const wide = tiers.map((tier, at) => (at === tiers.length - 1 ? { ...tier, to: amount(tierMost) } : tier))
        rehearsal.submit({
          kind: 'set-instrument',
          instrument: id,
          status: undefined,
          tiers: wide,
          makerFeeRate: undefined,
          takerFeeRate: undefined,
          limitBand: undefined,
          marketBand: undefined,
        })
      }
      return houseAccount(rehearsal, `lab-tape-${category}-${symbol}-taker`, this.instrument)
    })
    this.house.open(facts)
    this.#takePlace()
    const now = runtime.now()
    // What lies before the beginning is not traded: the book is as it was then.
    for (let at = this.moments.nextAt; at !== undefined && at < now; at = this.moments.nextAt)
      this.#pass(this.moments.take())
    if (this.moments.nextAt === now) {
      const first = this.moments.take()
      if (first !== undefined) {
        this.#pass(first)
        await this.#setIndex(now)
        await this.#makeRoom(first)
        await this.book.play(first, now)
      }
    } else {
      await this.#setIndex(now)
      await this.#makeRoom(undefined)
      await this.book.settle(now)
    }
    await this.#venue.settle()
  }

  nextAt(leastMs: number): number | undefined {
    if (this.#isOver && this.settings.atEnd === 'simulator') return undefined
    const next = this.#isOver ? undefined : (this.moments.nextAt ?? this.#endsAt())
    const index = this.#indexAt + Math.max(indexEveryMs, leastMs)
    const heal = this.#hasToHeal ? this.#healsAt : undefined
    return Math.min(next === undefined ? index : next + this.#shiftMs, index, heal ?? index)
  }

  get #hasToHeal(): boolean {
    return this.house.dirty.size > 0 || (this.book.taken.size > 0 && Number.isFinite(this.settings.healMs))
  }

  async runDue(now: number, leastMs: number): Promise<void> {
    this.#leastMs = leastMs
    const run = this.#runDue(now)
    this.#underWay = run
    try {
      await run
    } catch {
      // The venue is stopping or going back, or it has said why it takes no commands.
    } finally {
      this.#underWay = undefined
    }
  }

  async settled(): Promise<void> {
    await this.#underWay?.catch(() => {})
  }

  async #runDue(now: number): Promise<void> {
    if (marketFaultsOf(this.#venue).hasBook(this.instrument.id)) return this.#withhold(now)
    for (;;) {
      const next = this.moments.nextAt
      if (next === undefined) {
        if (this.#isOver || now < this.#endsAt() + this.#shiftMs) break
        await this.#end()
        if (this.#isOver) break
        continue
      }
      if (next + this.#shiftMs > now) break
      const rows = this.#take()
      if (rows === undefined) break
      if (this.#indexAt + indexEveryMs <= now) await this.#setIndex(now)
      if (this.house.room < rows.changes.length || this.house.room <= 0) await this.#makeRoom(rows)
      await this.book.play(rows, now)
    }
    if (this.#indexAt + indexEveryMs <= now) await this.#setIndex(now)
    if (!this.#hasToHeal) return
    await this.book.settle(now)
    this.#healsAt = now + Math.max(healMsMin, Math.floor(this.settings.healMs / healSteps))
  }

  /** A fault has the book to itself: the record goes on, and is laid when the fault has ended. */
  #withhold(now: number): void {
    for (
      let next = this.moments.nextAt;
      next !== undefined && next + this.#shiftMs <= now;
      next = this.moments.nextAt
    ) {
      const rows = this.#take()
      if (rows !== undefined) this.#pass(rows)
    }
    this.#indexAt = now
  }

  #take(): MomentRows | undefined {
    const rows = this.moments.take()
    if (rows === undefined) return undefined
    this.#note(rows)
    if (!this.#mustClear) return rows
    this.#mustClear = false
    return { ...rows, isCleared: true }
  }

  #note({ index, mark, funding, trades }: MomentRows): void {
    const last = this.#prices
    this.#prices = {
      index: index ?? last.index,
      mark: mark ?? last.mark,
      funding: funding ?? last.funding,
      traded: trades.at(-1)?.price ?? last.traded,
    }
  }

  #pass(rows: MomentRows | undefined): void {
    if (rows === undefined) return
    this.#note(rows)
    this.book.record(rows)
  }

  /** When the last row has been shown for a while. */
  #endsAt(): number {
    return this.tape.contents.to + roundMs
  }

  async #end(): Promise<void> {
    const { atEnd } = this.settings
    if (atEnd === 'loop') {
      this.#shiftMs += this.#endsAt() - this.tape.contents.from
      this.moments.rewind()
      this.#mustClear = true
      return
    }
    this.#isOver = true
    if (atEnd !== 'simulator') return
    await this.book.leave()
    await this.#give(0)
    marketFaultsOf(this.#venue).leaveTo(undefined)
  }

  #takePlace(): void {
    const isLeft = this.#isOver && this.settings.atEnd === 'simulator'
    marketFaultsOf(this.#venue).leaveTo(isLeft ? undefined : { book: this.instrument.id, coin: this.instrument.base })
  }

  /** Of 1e-8 of the quote. */
  #indexE8(): bigint | undefined {
    const { index, traded } = this.#prices
    if (index !== undefined) return BigInt(index)
    const { priceStep, priceDecimals } = this.instrument
    const tickE8 = BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals)
    const recorded = (levels: readonly Level[]) => levels.findLast((level) => level.recorded > 0)?.price
    const [bid, ask] = [recorded(this.book.bids.sorted), recorded(this.book.asks.sorted)]
    if (bid !== undefined && ask !== undefined) return (BigInt(bid + ask) * tickE8) / 2n
    const one = traded ?? bid ?? ask
    return one === undefined ? undefined : BigInt(one) * tickE8
  }

  async #setIndex(now: number): Promise<void> {
    this.#indexAt = now
    const priceE8 = this.#indexE8()
    if (priceE8 === undefined || priceE8 <= 0n) return
    const { runtime } = this.#venue.parts
    const command = {
      kind: 'set-index-prices',
      prices: [[this.instrument.base, inDollars(runtime, this.instrument, priceE8)]],
    } as const
    // One that jumps too far is confirmed by the same once more.
    if ((await runtime.submit(command)).kind === 'prices-held-back') await runtime.submit(command)
    await this.#give(now + givenMs + 10 * this.#leastMs)
  }

  /** Mark and funding rate as recorded, where the record has them, until a moment. */
  async #give(until: number): Promise<void> {
    const { mark, funding } = this.#prices
    const one = givenOf(
      this.instrument,
      mark === undefined ? undefined : BigInt(mark),
      funding === undefined ? undefined : BigInt(funding),
    )
    const { runtime } = this.#venue.parts
    if (one !== undefined) await runtime.submit({ kind: 'set-given-prices', until, contracts: [one] })
  }

  /** Accounts for all levels that there are, and that these rows bring. */
  async #makeRoom(rows: MomentRows | undefined): Promise<void> {
    const needed = this.book.levels + (rows?.changes.length ?? 0) - this.house.uids.reduce((sum) => sum + roomOf, 0)
    for (let missing = needed; missing > 0 || this.house.room <= 0; missing -= roomOf) {
      const { symbol, category } = this.instrument
      const name = `lab-tape-${category}-${symbol}-${this.house.uids.length + 1}`
      const { facts } = await play(this.#venue, (rehearsal) => houseAccount(rehearsal, name, this.instrument))
      this.house.add(facts)
    }
  }

  save(): SavedTape {
    const levels = [...this.book.bids.sorted, ...this.book.asks.sorted].map((level): SavedLevel => {
      const orders = level.orders.map(({ level: _, ...order }) => ({ ...order }))
      return { ...level, orders }
    })
    return {
      moments: this.moments.save(),
      house: this.house.save(),
      levels,
      shiftMs: this.#shiftMs,
      indexAt: this.#indexAt,
      prices: this.#prices,
      isOver: this.#isOver,
      mustClear: this.#mustClear,
    }
  }

  restore(saved: unknown, dueBefore: number): void {
    if (saved === undefined) return
    const { moments, house, levels, shiftMs, indexAt, prices, isOver, mustClear } = saved as SavedTape
    this.#shiftMs = shiftMs
    this.#indexAt = indexAt
    this.#prices = prices
    this.#isOver = isOver
    this.#mustClear = mustClear
    this.#healsAt = 0
    this.moments.restore(moments)
    const { book } = this
    for (const side of [book.bids, book.asks]) side.clear()
    book.taken.clear()
    this.house.dirty.clear()
    const orders: HouseOrder[] = []
    for (const { orders: known, ...rest } of levels) {
      const level = (rest.side === 'buy' ? book.bids : book.asks).get(rest.price)
      Object.assign(level, rest)
      for (const order of known) {
        const restored = { ...order, level }
        level.orders.push(restored)
        orders.push(restored)
      }
      if (level.taken > 0) book.taken.add(level)
    }
    this.house.restore(house, orders)
    this.#takePlace()
    if (dueBefore > 0) this.#catchUp(dueBefore)
  }

  /** On the way to the past others carried out what this tape did then: the record is read up to there, orders are looked up. */
  #catchUp(dueBefore: number): void {
    for (
      let next = this.moments.nextAt;
      next !== undefined && next + this.#shiftMs <= dueBefore;
      next = this.moments.nextAt
    ) {
      this.#pass(this.#take())
    }
    const { runtime } = this.#venue.parts
    const orders = this.book.adopt(runtime, this.instrument, this.house.uids, dueBefore)
    this.house.restore(this.house.save(), orders)
  }

  close(): void {
    this.tape.close()
  }
}

/** Orders that an account has room for. */
const roomOf = 360
