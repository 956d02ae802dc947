/**
 * The venue's whole state, and what every command handler works on.
 *
 * Holds     everything that decides an outcome is in here and is saved; `emit` and what is derived are not state
 * Time      `at` is the stamp of the command being applied; nothing else knows the time
 * Source    design.md §1, §2
 */
import { type Book, emptyBook } from '../book/book.ts'
import {
  type Catalog,
  defaultLevels,
  defaultRiskSettings,
  emptyCatalog,
  type Instrument,
  type InstrumentId,
  type MarginLevels,
  type RiskSettings,
  type Scale,
  scaleOf,
} from '../catalog/catalog.ts'
import type { Amount, Millis } from '../numbers/numbers.ts'
import type { Event } from '../protocol/event.ts'
import { firstRules } from '../protocol/rules.ts'
import type { AccountHandle, WalletType } from '../vocabulary.ts'
import { Accounts } from './accounts.ts'
import { Conversions } from './conversions.ts'
import { ChainTransfers } from './chain-transfers.ts'
import { Debtors } from './debtors.ts'
import { Futures } from './exposures.ts'
import { Ledger } from './ledger.ts'
import { LiquidationState } from './liquidation-queue.ts'
import { Loans } from './loans.ts'
import { OrderTable } from './order-table.ts'
import { type GivenPrices, Prices } from './prices.ts'
import { Scratch } from './scratch.ts'
import type { SeenPart } from './seen.ts'
import { Timers } from './timers.ts'
import { TrailingTable } from './trailing-table.ts'
import { TriggerTable } from './trigger-table.ts'

export { AccountRow } from './account-table.ts'
export type { Account } from './account.ts'
export type { KnownWithdrawal, OpenTransfer } from './chain-transfers.ts'
export { ExposureRow, PositionRow } from './exposure-table.ts'
export {
  closingOf,
  entryNotional,
  entryPriceE8,
  type Exposure,
  inUse,
  largerSide,
  leverageOf,
  newPosition,
  openingQuantity,
  type Position,
  positionOf,
  positionQuantity,
  unrealizedPnl,
} from './exposure.ts'
export type { ConversionQuote } from './conversions.ts'
export { type HouseAccount, houseAccounts } from './ledger.ts'
export type { Breached, Ranking } from './liquidation-queue.ts'
export { Loans } from './loans.ts'
export { tpslTermsOf } from './order-extras.ts'
export { orderCodes } from './order-table.ts'
export {
  distanceOne,
  everybody,
  isWaiting,
  measure,
  reached,
  waitFor,
  waitNoMore,
  type WatchedPrices,
} from './price-watch.ts'
export { bandPrice, type MadeMark, never, priceNear, Prices, type Samples } from './prices.ts'
export { type MatchResult, noMatch } from './sweep.ts'
export type { Timer } from './timers.ts'
export type { PricesNow, TrailingTerms } from './trailing-table.ts'
export { triggerCodes } from './trigger-table.ts'

/** Next numbers of everything that is numbered. */
export interface Counters {
  order: number
  match: number
  exec: number
  transfer: number
  flow: number
  loan: number
  repay: number
  position: number
}

/** A transfer that a repeat would be recognised by. */
export interface KnownTransfer {
  readonly content: string
  readonly transferId: number
  readonly at: Millis
}

export interface Settings {
  /** Orders per family and UTC day from which more are refused; zero: none are. */
  dailyOrdersRestriction: number
  /** What a family may withdraw on chain in a UTC day, USD of 1e-8; zero: any amount. Absent: as the venue began. */
  withdrawnUsdPerDayMax?: Amount
  /** Of cross margin. */
  margin: MarginLevels
  risk: RiskSettings
}

/** Of the saved state: another one whenever its parts change. */
const savedVersion = 4
/** Those that are read: before the fourth, exposures were objects (exposures.ts). */
const readVersions: readonly unknown[] = [3, savedVersion]

/** The rules at which a state stands, and the release that brought it there. */
export interface RulesAt {
  readonly number: number
  readonly release: string | undefined
}

/** Whose first repayment the command being applied asks for, and its number once it was made. */
export interface RepaymentWatch {
  readonly account: AccountHandle
  readonly wallet: WalletType
  repayId: number | undefined
}

export class State {
  sequence = 0
  at: Millis = 0
  catalog: Catalog = emptyCatalog
  accounts = new Accounts()
  ledger = new Ledger()
  orders = new OrderTable()
  triggers = new TriggerTable()
  trailing = new TrailingTable()
  books: Book[] = []
  prices = new Prices()
  /** What rules fill anew for each order; not saved. */
  readonly scratch = new Scratch()
  futures = new Futures(this.scratch.supposed)
  timers = new Timers()
  counters: Counters = {
    order: 1_000_000_000_000_001,
    match: 2_000_000_000_000_001,
    exec: 3_000_000_000_000_001,
    transfer: 4_000_000_000_000_001,
    flow: 5_000_000_000_000_001,
    loan: 6_000_000_000_000_001,
    repay: 7_000_000_000_000_001,
    position: 8_000_000_000_000_001,
  }
  /** By which it goes on (protocol/rules.ts). */
  rules: RulesAt = { number: firstRules, release: undefined }
  settings: Settings = { dailyOrdersRestriction: 0, margin: defaultLevels, risk: defaultRiskSettings }
  loans = new Loans()
  debtors = new Debtors()
  /** Leverage of borrowing that accounts chose, by account × 256 + coin. */
  coinLeverages = new Map<number, number>()
  liquidation = new LiquidationState()
  chainTransfers = new ChainTransfers()
  /** Main-sub transfers by main account and client order id, oldest first, so that a repeat answers the first. */
  transfers = new Map<string, KnownTransfer>()
  conversions = new Conversions()
  /** Instruments in which the command being applied has traded; empty between commands, so it is not saved. */
  readonly traded: InstrumentId[] = []
  /** The command that last changed each book, as `bookSequence` tells it; it decides nothing, so it is not saved. */
  readonly bookSequences: number[] = []
  /** What the answer to the command being applied has to say; undefined between commands, so it is not saved. */
  repaymentWatch: RepaymentWatch | undefined
  readonly emit: (event: Event) => void
  private loadedSequence = 0
  private scales: Scale[] = []

  constructor(emit: (event: Event) => void) {
    this.emit = emit
  }

  instrument(id: InstrumentId): Instrument {
    return this.catalog.instruments[id]
  }

  book(id: InstrumentId): Book {
    return this.books[id]
  }

  /** The command that last changed a book; of one that has not changed since the state was loaded, the last before that. */
  bookSequence(id: InstrumentId): number {
    return this.bookSequences[id] ?? this.loadedSequence
  }

  /** Timers that are set. */
  get timersSet(): number {
    return this.timers.due.length
  }

  /** Units and steps of an instrument; they never change once it is listed. */
  scale(id: InstrumentId): Scale {
    let scale = this.scales[id]
    if (scale === undefined) {
      scale = scaleOf(this.instrument(id))
      this.scales[id] = scale
    }
    return scale
  }

  /** A new book for a new instrument. */
  openBook(id: InstrumentId): void {
    while (this.books.length <= id) this.books.push(emptyBook())
  }

  /** Everything that is state, as plain data. */
  save(): Record<string, unknown> {
    const { sequence, at, catalog, books, counters, settings, transfers } = this
    const conversions = this.conversions.save()
    const chainTransfers = this.chainTransfers.save()
    return {
      version: savedVersion,
      sequence,
      at,
      catalog,
      books,
      counters,
      settings,
      transfers,
      coinLeverages: this.coinLeverages,
      loans: this.loans.save(),
      debtors: fieldsOf(this.debtors),
      accounts: this.accounts.save(),
      ledger: this.ledger.save(),
      liquidation: fieldsOf(this.liquidation),
      orders: this.orders.save(),
      triggers: this.triggers.save(),
      ...(this.rules.number !== firstRules && { rules: this.rules }),
      // A venue without them has the bytes that it had before there were any.
      ...(this.trailing.isUsed ? { trailing: this.trailing.save() } : {}),
      prices: fieldsOf(this.prices),
      ...(this.prices.given.size > 0 ? { givenPrices: this.prices.given } : {}),
      futures: this.futures.save(),
      timers: fieldsOf(this.timers),
      ...(conversions && { conversions }),
      ...(chainTransfers !== undefined && { chainTransfers }),
    }
  }

  load(saved: Record<string, unknown>): void {
    if (!readVersions.includes(saved['version']))
      throw new Error(
        `saved state has version ${String(saved['version'])}, this program reads ${readVersions.join(', ')}`,
      )
    const data = saved as Record<string, never>
    this.sequence = data['sequence']
    this.loadedSequence = this.sequence
    this.at = data['at']
    this.catalog = data['catalog']
    this.books = data['books']
    this.counters = data['counters']
    this.settings = data['settings']
    if (data['rules'] !== undefined) this.rules = data['rules']
    this.transfers = withTimes(data['transfers'], this.at)
    this.coinLeverages = data['coinLeverages']
    this.conversions.load(data['conversions'])
    this.loans.load(data['loans'])
    Object.assign(this.debtors, data['debtors'])
    this.accounts.load(data['accounts'])
    this.ledger.load(data['ledger'])
    this.orders.load(data['orders'])
    this.triggers.load(data['triggers'])
    if (data['trailing'] !== undefined) this.trailing.load(data['trailing'])
    Object.assign(this.prices, data['prices'])
    this.prices.judgeRanges(this.catalog.instruments)
    for (const [instrument, given] of (data['givenPrices'] ?? []) as Iterable<[InstrumentId, GivenPrices]>) {
      this.prices.given.set(instrument, given)
    }
    Object.assign(this.liquidation, data['liquidation'])
    this.futures.load(data['futures'])
    Object.assign(this.timers, data['timers'])
    this.chainTransfers.load(data['chainTransfers'])
  }
}

/** States that were saved before transfers had their time count it from their own. */
function withTimes(transfers: Map<string, Partial<KnownTransfer>>, at: Millis): Map<string, KnownTransfer> {
  for (const [name, known] of transfers) {
    if (known.at === undefined) transfers.set(name, { ...(known as KnownTransfer), at })
  }
  return transfers as Map<string, KnownTransfer>
}

/** The fields of a part as plain data. */
function fieldsOf(part: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(part))
}

/** What rules do not see: events, and what is noted for the end of the command. */
type Hidden = 'emit' | 'traded' | 'bookSequences' | 'repaymentWatch'

/** The state as rules and readers see it: nothing can be told, numbered, timed, posted or written through it. */
export type Reading = SeenPart<Omit<State, Hidden | 'futures' | 'scratch'>> & {
  /** The one thing that rules write. */
  readonly scratch: Scratch
  /** A copy to suppose something with is written by whoever asked for it: it is no part of the state. */
  readonly futures: SeenPart<Futures> & Pick<Futures, 'copyOf'>
}
