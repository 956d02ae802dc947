/**
 * Exposures and positions as rows of tables, and the handles that read and write a row.
 *
 * Links     `first`/`next` chain an account's exposures in the order in which they were kept; `long`/`short` are rows of positions
 * Layout    side by side, as long as their columns need: an exposure is two lines of memory, whoever it belongs to. An entry is
 *           found in one step, for an order asks for a hundred
 * Handles   the one of a position is not to be used once the position has ended: its row is another's by then
 * Holds     an exposure's row is never given back, a position's when it ends · no amount in a row is beyond 64 bits
 *           · nothing is ever written to row 0 of the positions: whoever has none has none of anything
 * Source    design.md §2
 */
import { type Side } from '../vocabulary.ts'
import { e12PerUnit, type InstrumentId } from '../catalog/catalog.ts'
import { amount, type Amount, cappedAmount, type Lots, type Millis } from '../numbers/numbers.ts'
import { noRow, type Row, Table } from '../storage/storage.ts'
import { type AccountHandle, type MarginMode, type PositionSide, type WalletType, walletTypes } from '../vocabulary.ts'
import type { Exposure, Position } from './exposure.ts'

/** Length of an exposure's row, and in entries of eight, four and two bytes. Compilers know constants that are not exported. */
const exposureBytes = 88
const exposureWords = exposureBytes / 8
const exposureHalves = exposureBytes / 4
const exposureQuarters = exposureBytes / 2

/** As of an exposure's. */
const positionBytes = 120
const positionWords = positionBytes / 8

export class ExposureTable extends Table {
  account = new Int32Array()
  instrument = new Int32Array()
  /** Place among `walletTypes`. */
  wallet = new Uint8Array()
  /** 1: isolated, 0: cross. */
  isolated = new Uint8Array()
  autoMargin = new Uint8Array()
  leverage = new Uint16Array()
  leverageLong = new Uint16Array()
  leverageShort = new Uint16Array()
  long = new Int32Array()
  short = new Int32Array()
  buyQuantity = new Float64Array()
  buyFreeze = new BigInt64Array()
  sellQuantity = new Float64Array()
  sellFreeze = new BigInt64Array()
  closingLong = new Float64Array()
  closingShort = new Float64Array()
  held = new BigInt64Array()
  next = new Int32Array()
  /** By account handle. */
  first: Row[] = []

  constructor() {
    super(exposureBytes)
    this.layOut()
  }

  /** Row of what an account has in a contract, 0 when there is none. Every order asks. */
  find(account: AccountHandle, wallet: WalletType, instrument: InstrumentId): Row {
    let row = this.first[account] ?? noRow
    while (row !== noRow && (this.instrument[row * exposureHalves] !== instrument || this.walletOf(row) !== wallet)) {
      row = this.after(row)
    }
    return row
  }

  /** Writes all of a row; it has no positions, and stands in nobody's chain. */
  fill(row: Row, exposure: ExposureFields): void {
    this.account[row * exposureHalves] = exposure.account
    this.instrument[row * exposureHalves] = exposure.instrument
    this.wallet[row * exposureBytes] = walletTypes.indexOf(exposure.wallet)
    this.isolated[row * exposureBytes] = exposure.marginMode === 'isolated' ? 1 : 0
    this.autoMargin[row * exposureBytes] = exposure.autoMargin ? 1 : 0
    this.leverage[row * exposureQuarters] = exposure.leverage
    this.leverageLong[row * exposureQuarters] = exposure.leverageLong
    this.leverageShort[row * exposureQuarters] = exposure.leverageShort
    this.buyQuantity[row * exposureWords] = exposure.buyQuantity
    this.buyFreeze[row * exposureWords] = amount(exposure.buyHold)
    this.sellQuantity[row * exposureWords] = exposure.sellQuantity
    this.sellFreeze[row * exposureWords] = amount(exposure.sellHold)
    this.closingLong[row * exposureWords] = exposure.closingLong
    this.closingShort[row * exposureWords] = exposure.closingShort
    this.held[row * exposureWords] = amount(exposure.held)
    this.long[row * exposureHalves] = noRow
    this.short[row * exposureHalves] = noRow
    this.next[row * exposureHalves] = noRow
  }

  /** The row becomes the account's last. */
  link(account: AccountHandle, row: Row): void {
    while (this.first.length <= account) this.first.push(noRow)
    let last = this.first[account]
    if (last === noRow) {
      this.first[account] = row
      return
    }
    while (this.after(last) !== noRow) last = this.after(last)
    this.next[last * exposureHalves] = row
  }

  /** The account's next after this one. */
  after(row: Row): Row {
    return this.next[row * exposureHalves]
  }

  /** Puts a position (or none) on its side; answers the row of the one that was there. */
  setPosition(row: Row, side: PositionSide, position: Row): Row {
    const column = side === 'long' ? this.long : this.short
    const before = column[row * exposureHalves]
    column[row * exposureHalves] = position
    return before
  }

  /** Reads something in each line of these rows, and notes a position of each. */
  touchRows(rows: Int32Array, count: number, positions: Int32Array): number {
    const { long, short, buyQuantity } = this
    let sum = 0
    for (let at = 0; at < count; at++) sum += buyQuantity[rows[at] * exposureWords]
    for (let at = 0; at < count; at++) {
      const row = rows[at] * exposureHalves
      positions[at] = long[row] === noRow ? short[row] : long[row]
    }
    return sum
  }

  walletOf(row: Row): WalletType {
    return walletTypes[this.wallet[row * exposureBytes]]
  }
}

export class PositionTable extends Table {
  id = new Float64Array()
  /** 1: short, 0: long. */
  isShort = new Uint8Array()
  /** 1 once funding was charged. */
  funded = new Uint8Array()
  quantity = new Float64Array()
  flow = new BigInt64Array()
  margin = new BigInt64Array()
  realizedPnl = new BigInt64Array()
  openFees = new BigInt64Array()
  closeFees = new BigInt64Array()
  funding = new BigInt64Array()
  openedQuantity = new Float64Array()
  openedNotional = new BigInt64Array()
  closedNotional = new BigInt64Array()
  closedFine = new BigInt64Array()
  openedAt = new Float64Array()
  updatedAt = new Float64Array()

  constructor() {
    super(positionBytes)
    this.layOut()
  }

  override load(saved: Record<string, unknown>): void {
    super.load(saved)
    if ('closedFine' in saved) return
    for (let row = 1; row < this.rows; row++) {
      this.closedFine[row * positionWords] = closedNotionalE12Of(this.closedNotional[row * positionWords])
    }
  }

  /** Reads something in each line of these rows. */
  touchRows(rows: Int32Array, count: number): number {
    const { quantity, openedQuantity, updatedAt } = this
    let sum = 0
    for (let at = 0; at < count; at++) sum += quantity[rows[at] * positionWords]
    for (let at = 0; at < count; at++) sum += openedQuantity[rows[at] * positionWords]
    for (let at = 0; at < count; at++) sum += updatedAt[rows[at] * positionWords]
    return sum
  }

  /** Writes all of a row. */
  fill(row: Row, position: Position): void {
    this.id[row * positionWords] = position.id
    this.isShort[row * positionBytes] = position.side === 'short' ? 1 : 0
    this.openedAt[row * positionWords] = position.openedAt
    const kept = new PositionRow(this, row)
    kept.quantity = position.quantity
    kept.entryValue = position.entryValue
    kept.margin = position.margin
    kept.realizedPnl = position.realizedPnl
    kept.openFees = position.openFees
    kept.closeFees = position.closeFees
    kept.funding = position.funding
    kept.openedQuantity = position.openedQuantity
    kept.openedNotional = position.openedNotional
    kept.closedNotional = position.closedNotional
    kept.closedNotionalE12 = position.closedNotionalE12
    kept.updatedAt = position.updatedAt
  }
}

/** Of a state that was saved before it was kept: what was booked, in 1e-12. */
export function closedNotionalE12Of(closedNotional: bigint): Amount {
  return cappedAmount(closedNotional * e12PerUnit)
}

/** What a row has besides its positions. */
export type ExposureFields = Omit<Exposure, 'index' | Of<'long'> | Of<'short'>>
type Of<Name extends string> = Name | `${Name}Row` | `${Name}Quantity`

/** The one kind of exposure that there is: code that reads them knows where everything lies. */
export class ExposureRow implements Exposure {
  readonly index: number
  readonly row: Row
  private readonly table: ExposureTable
  private readonly positions: PositionTable

  constructor(table: ExposureTable, positions: PositionTable, row: Row, index: number) {
    this.index = index
    this.row = row
    this.table = table
    this.positions = positions
  }

  /** Whether it is a row of this table; a supposed one is a row of another. */
  isIn(table: ExposureTable): boolean {
    return this.table === table
  }

  get account(): AccountHandle {
    return this.table.account[this.row * exposureHalves]
  }

  get wallet(): WalletType {
    return this.table.walletOf(this.row)
  }

  get instrument(): InstrumentId {
    return this.table.instrument[this.row * exposureHalves]
  }

  get marginMode(): MarginMode {
    return this.table.isolated[this.row * exposureBytes] === 1 ? 'isolated' : 'cross'
  }

  set marginMode(mode: MarginMode) {
    this.table.isolated[this.row * exposureBytes] = mode === 'isolated' ? 1 : 0
  }

  get leverage(): number {
    return this.table.leverage[this.row * exposureQuarters]
  }

  set leverage(leverage: number) {
    this.table.leverage[this.row * exposureQuarters] = leverage
  }

  get leverageLong(): number {
    return this.table.leverageLong[this.row * exposureQuarters]
  }

  set leverageLong(leverage: number) {
    this.table.leverageLong[this.row * exposureQuarters] = leverage
  }

  get leverageShort(): number {
    return this.table.leverageShort[this.row * exposureQuarters]
  }

  set leverageShort(leverage: number) {
    this.table.leverageShort[this.row * exposureQuarters] = leverage
  }

  get long(): PositionRow | undefined {
    const row = this.longRow
    return row === noRow ? undefined : new PositionRow(this.positions, row)
  }

  get short(): PositionRow | undefined {
    const row = this.shortRow
    return row === noRow ? undefined : new PositionRow(this.positions, row)
  }

  get longRow(): Row {
    return this.table.long[this.row * exposureHalves]
  }

  get shortRow(): Row {
    return this.table.short[this.row * exposureHalves]
  }

  get longQuantity(): number {
    return this.positions.quantity[this.longRow * positionWords]
  }

  get shortQuantity(): number {
    return this.positions.quantity[this.shortRow * positionWords]
  }

  get buyQuantity(): number {
    return this.table.buyQuantity[this.row * exposureWords]
  }

  set buyQuantity(lots: number) {
    this.table.buyQuantity[this.row * exposureWords] = lots
  }

  get buyHold(): bigint {
    return this.table.buyFreeze[this.row * exposureWords]
  }

  set buyHold(units: bigint) {
    this.table.buyFreeze[this.row * exposureWords] = amount(units)
  }

  get sellQuantity(): number {
    return this.table.sellQuantity[this.row * exposureWords]
  }

  set sellQuantity(lots: number) {
    this.table.sellQuantity[this.row * exposureWords] = lots
  }

  get sellHold(): bigint {
    return this.table.sellFreeze[this.row * exposureWords]
  }

  set sellHold(units: bigint) {
    this.table.sellFreeze[this.row * exposureWords] = amount(units)
  }

  get closingLong(): number {
    return this.table.closingLong[this.row * exposureWords]
  }

  set closingLong(lots: number) {
    this.table.closingLong[this.row * exposureWords] = lots
  }

  get closingShort(): number {
    return this.table.closingShort[this.row * exposureWords]
  }

  set closingShort(lots: number) {
    this.table.closingShort[this.row * exposureWords] = lots
  }

  get held(): bigint {
    return this.table.held[this.row * exposureWords]
  }

  /** Within 64 bits: the ledger, which holds as much for it, was asked first. */
  set held(units: bigint) {
    this.table.held[this.row * exposureWords] = units
  }

  /** Opening orders of a side come, or ask for more. */
  addOpening(side: Side, quantity: number, hold: bigint): void {
    if (side === 'buy') {
      this.buyQuantity += quantity
      this.buyHold += hold
    } else {
      this.sellQuantity += quantity
      this.sellHold += hold
    }
  }

  removeOpening(side: Side, quantity: number, hold: bigint): void {
    this.addOpening(side, -quantity, -hold)
  }

  /** Lots of orders that take from a position come, or with a number below zero go. */
  addClosing(side: PositionSide, quantity: number): void {
    if (side === 'long') this.closingLong += quantity
    else this.closingShort += quantity
  }

  get autoMargin(): boolean {
    return this.table.autoMargin[this.row * exposureBytes] === 1
  }

  set autoMargin(on: boolean) {
    this.table.autoMargin[this.row * exposureBytes] = on ? 1 : 0
  }
}

export class PositionRow implements Position {
  private readonly table: PositionTable
  private readonly row: Row

  constructor(table: PositionTable, row: Row) {
    this.table = table
    this.row = row
  }

  get id(): number {
    return this.table.id[this.row * positionWords]
  }

  get side(): PositionSide {
    return this.table.isShort[this.row * positionBytes] === 1 ? 'short' : 'long'
  }

  get quantity(): Lots {
    return this.table.quantity[this.row * positionWords] as Lots
  }

  set quantity(lots: Lots) {
    this.table.quantity[this.row * positionWords] = lots
  }

  get entryValue(): Amount {
    return this.table.flow[this.row * positionWords] as Amount
  }

  set entryValue(units: Amount) {
    this.table.flow[this.row * positionWords] = units
  }

  get margin(): Amount {
    return this.table.margin[this.row * positionWords] as Amount
  }

  set margin(units: Amount) {
    this.table.margin[this.row * positionWords] = units
  }

  get realizedPnl(): Amount {
    return this.table.realizedPnl[this.row * positionWords] as Amount
  }

  set realizedPnl(units: Amount) {
    this.table.realizedPnl[this.row * positionWords] = units
  }

  get openFees(): Amount {
    return this.table.openFees[this.row * positionWords] as Amount
  }

  set openFees(units: Amount) {
    this.table.openFees[this.row * positionWords] = units
  }

  get closeFees(): Amount {
    return this.table.closeFees[this.row * positionWords] as Amount
  }

  set closeFees(units: Amount) {
    this.table.closeFees[this.row * positionWords] = units
  }

  get funding(): Amount | undefined {
    return this.table.funded[this.row * positionBytes] === 0
      ? undefined
      : (this.table.funding[this.row * positionWords] as Amount)
  }

  set funding(units: Amount | undefined) {
    this.table.funded[this.row * positionBytes] = units === undefined ? 0 : 1
    this.table.funding[this.row * positionWords] = units ?? 0n
  }

  get openedQuantity(): Lots {
    return this.table.openedQuantity[this.row * positionWords] as Lots
  }

  set openedQuantity(lots: Lots) {
    this.table.openedQuantity[this.row * positionWords] = lots
  }

  get openedNotional(): Amount {
    return this.table.openedNotional[this.row * positionWords] as Amount
  }

  set openedNotional(units: Amount) {
    this.table.openedNotional[this.row * positionWords] = units
  }

  get closedNotional(): Amount {
    return this.table.closedNotional[this.row * positionWords] as Amount
  }

  set closedNotional(units: Amount) {
    this.table.closedNotional[this.row * positionWords] = units
  }

  get closedNotionalE12(): Amount {
    return this.table.closedFine[this.row * positionWords] as Amount
  }

  set closedNotionalE12(notional: Amount) {
    this.table.closedFine[this.row * positionWords] = notional
  }

  get openedAt(): Millis {
    return this.table.openedAt[this.row * positionWords]
  }

  get updatedAt(): Millis {
    return this.table.updatedAt[this.row * positionWords]
  }

  set updatedAt(at: Millis) {
    this.table.updatedAt[this.row * positionWords] = at
  }
}
