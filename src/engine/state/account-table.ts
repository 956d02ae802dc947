/**
 * Accounts as rows of a table, and the handle that reads and writes one.
 *
 * Layout    what every order asks for lies side by side, half a line of memory, whoever it belongs to; the rest is an object of
 *           each account, and `noted` says which of that an order has to look at
 * Rows      an account's row is its handle; it is never given back
 * Handles   are made for whoever asks, so that nothing is kept of them, and two of one account are different objects
 */
import { accountModes } from '../vocabulary.ts'
import { stpModes } from '../vocabulary.ts'
import { productLines } from '../catalog/catalog.ts'
import type { Millis } from '../numbers/numbers.ts'
import { type Row, Table } from '../storage/storage.ts'
import type {
  AccountHandle,
  AccountMode,
  CollateralChoice,
  HoldMode,
  HoldModes,
  OrderId,
  StpMode,
  Uid,
} from '../vocabulary.ts'
import type { Account } from './account.ts'

/** Account numbers are this plus the handle. */
export const uidBase = 1_000_000_000

/** Length of a row, and in entries of four bytes. Compilers know constants that are not exported. */
const rowBytes = 32
const rowHalves = rowBytes / 4

/** The place of one is the bits of its product lines, 1: hedge mode. */
const holdModesByLine: readonly HoldModes[] = Array.from({ length: 1 << productLines.length }, (_, bits) => {
  const modeOf = (line: number): HoldMode => (((bits >> line) & 1) === 1 ? 'hedge_mode' : 'one_way_mode')
  return { 'USDT-FUTURES': modeOf(0), 'COIN-FUTURES': modeOf(1), 'USDC-FUTURES': modeOf(2) }
})

/** Bits of `noted`: the account has something of its own there. */
const hasCollateral = 1
const hasCopyTrader = 2
const hasClientOids = 4

/** Bits of `frozen`: who froze the account. Neither undoes the other. */
const byOwner = 1
const byOperator = 2

type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] }

/** What few commands ask for. */
type Details = Writable<
  Pick<
    Account,
    | 'kind'
    | 'leavesHybrid'
    | 'name'
    | 'note'
    | 'createdAt'
    | 'updatedAt'
    | 'permissions'
    | 'broker'
    | 'boundAt'
    | 'collateral'
    | 'copyTrader'
    | 'clientOids'
  >
>

export class AccountTable extends Table {
  main = new Int32Array()
  openFutures = new Int32Array()
  openSpot = new Int32Array()
  firstOrder = new Int32Array()
  ordersDay = new Int32Array()
  ordersOfDay = new Int32Array()
  mode = new Uint8Array()
  stpMode = new Uint8Array()
  holdMode = new Uint8Array()
  frozen = new Uint8Array()
  noted = new Uint8Array()
  /** By handle; the first account's is the first. */
  details: Details[] = []

  constructor() {
    super(rowBytes)
    this.layOut()
  }

  newestOrderOf(handle: AccountHandle): Row {
    return this.firstOrder[handle * rowHalves]
  }

  /** The next account: what the fields say, under the next handle. */
  add(fields: Omit<Account, 'handle' | 'uid' | 'frozen'>): AccountRow {
    const { kind, name, note, createdAt } = fields
    const row = this.allocate()
    this.main[row * rowHalves] = fields.main
    this.details.push({ ...noDetails, kind, name, note, createdAt })
    const account = new AccountRow(this, row)
    account.mode = fields.mode
    account.leavesHybrid = fields.leavesHybrid
    account.frozenByOwner = fields.frozenByOwner
    account.frozenByOperator = fields.frozenByOperator
    account.stpMode = fields.stpMode
    account.holdMode = fields.holdMode
    account.collateral = fields.collateral
    account.copyTrader = fields.copyTrader
    account.clientOids = fields.clientOids as Map<string, OrderId> | undefined
    account.openFutures = fields.openFutures
    account.openSpot = fields.openSpot
    account.firstOrder = fields.firstOrder
    account.ordersDay = fields.ordersDay
    account.ordersOfDay = fields.ordersOfDay
    account.updatedAt = fields.updatedAt
    account.permissions = fields.permissions
    account.broker = fields.broker
    account.boundAt = fields.boundAt
    return account
  }
}

const noDetails: Omit<Details, 'kind' | 'name' | 'note' | 'createdAt'> = {
  leavesHybrid: undefined,
  updatedAt: 0,
  permissions: undefined,
  broker: undefined,
  boundAt: undefined,
  collateral: 'all',
  copyTrader: undefined,
  clientOids: undefined,
}

/** The one kind of account that there is: code that reads them knows where everything lies. */
export class AccountRow implements Account {
  readonly handle: AccountHandle
  private readonly table: AccountTable

  constructor(table: AccountTable, handle: AccountHandle) {
    this.handle = handle
    this.table = table
  }

  get uid(): Uid {
    return uidBase + this.handle
  }

  get main(): AccountHandle {
    return this.table.main[this.handle * rowHalves]
  }

  get mode(): AccountMode {
    return accountModes[this.table.mode[this.handle * rowBytes]]
  }

  set mode(mode: AccountMode) {
    this.table.mode[this.handle * rowBytes] = accountModes.indexOf(mode)
  }

  get leavesHybrid(): true | undefined {
    return this.details.leavesHybrid
  }

  set leavesHybrid(leaves: true | undefined) {
    this.details.leavesHybrid = leaves
  }

  get frozen(): boolean {
    return this.table.frozen[this.handle * rowBytes] !== 0
  }

  get frozenByOwner(): boolean {
    return (this.table.frozen[this.handle * rowBytes] & byOwner) !== 0
  }

  set frozenByOwner(frozen: boolean) {
    this.setFrozen(byOwner, frozen)
  }

  get frozenByOperator(): true | undefined {
    return (this.table.frozen[this.handle * rowBytes] & byOperator) !== 0 || undefined
  }

  set frozenByOperator(frozen: true | undefined) {
    this.setFrozen(byOperator, frozen === true)
  }

  get stpMode(): StpMode {
    return stpModes[this.table.stpMode[this.handle * rowBytes]]
  }

  set stpMode(mode: StpMode) {
    this.table.stpMode[this.handle * rowBytes] = stpModes.indexOf(mode)
  }

  get holdMode(): HoldModes {
    return holdModesByLine[this.table.holdMode[this.handle * rowBytes]]
  }

  set holdMode(wanted: HoldModes) {
    this.table.holdMode[this.handle * rowBytes] = holdModesByLine.findIndex((modes) =>
      productLines.every((line) => modes[line] === wanted[line]),
    )
  }

  get openFutures(): number {
    return this.table.openFutures[this.handle * rowHalves]
  }

  set openFutures(count: number) {
    this.table.openFutures[this.handle * rowHalves] = count
  }

  get openSpot(): number {
    return this.table.openSpot[this.handle * rowHalves]
  }

  set openSpot(count: number) {
    this.table.openSpot[this.handle * rowHalves] = count
  }

  get firstOrder(): Row {
    return this.table.firstOrder[this.handle * rowHalves]
  }

  set firstOrder(row: Row) {
    this.table.firstOrder[this.handle * rowHalves] = row
  }

  get ordersDay(): number {
    return this.table.ordersDay[this.handle * rowHalves]
  }

  set ordersDay(day: number) {
    this.table.ordersDay[this.handle * rowHalves] = day
  }

  get ordersOfDay(): number {
    return this.table.ordersOfDay[this.handle * rowHalves]
  }

  set ordersOfDay(count: number) {
    this.table.ordersOfDay[this.handle * rowHalves] = count
  }

  get collateral(): CollateralChoice {
    return this.has(hasCollateral) ? this.details.collateral : 'all'
  }

  set collateral(choice: CollateralChoice) {
    this.details.collateral = choice
    this.mark(hasCollateral, choice !== 'all')
  }

  get copyTrader(): Account['copyTrader'] {
    return this.has(hasCopyTrader) ? this.details.copyTrader : undefined
  }

  set copyTrader(instruments: Account['copyTrader']) {
    this.details.copyTrader = instruments
    this.mark(hasCopyTrader, instruments !== undefined)
  }

  get clientOids(): Map<string, OrderId> | undefined {
    return this.has(hasClientOids) ? (this.details.clientOids as Map<string, OrderId>) : undefined
  }

  set clientOids(taken: Map<string, OrderId> | undefined) {
    this.details.clientOids = taken
    this.mark(hasClientOids, taken !== undefined)
  }

  get kind(): Account['kind'] {
    return this.details.kind
  }

  get name(): string {
    return this.details.name
  }

  get note(): string {
    return this.details.note
  }

  get createdAt(): Millis {
    return this.details.createdAt
  }

  get updatedAt(): Millis {
    return this.details.updatedAt
  }

  set updatedAt(at: Millis) {
    this.details.updatedAt = at
  }

  get permissions(): Account['permissions'] {
    return this.details.permissions
  }

  set permissions(permissions: Account['permissions']) {
    this.details.permissions = permissions
  }

  get broker(): Account['broker'] {
    return this.details.broker
  }

  set broker(broker: Account['broker']) {
    this.details.broker = broker
  }

  get boundAt(): Account['boundAt'] {
    return this.details.boundAt
  }

  set boundAt(boundAt: Account['boundAt']) {
    this.details.boundAt = boundAt
  }

  private get details(): Details {
    return this.table.details[this.handle - 1]
  }

  private setFrozen(bit: number, frozen: boolean): void {
    const at = this.handle * rowBytes
    this.table.frozen[at] = frozen ? this.table.frozen[at] | bit : this.table.frozen[at] & ~bit
  }

  private has(bit: number): boolean {
    return (this.table.noted[this.handle * rowBytes] & bit) !== 0
  }

  private mark(bit: number, has: boolean): void {
    const { noted } = this.table
    const at = this.handle * rowBytes
    noted[at] = has ? noted[at] | bit : noted[at] & ~bit
  }
}
