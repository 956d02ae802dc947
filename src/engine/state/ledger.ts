/**
 * Double-entry ledger: wallets of accounts, and the house's accounts. The only place that writes a balance.
 *
 * Layout    one row per (account, wallet, coin) in use, chained per account; house accounts per coin
 * Words     balance = available + held; a hold is what an open order may still spend; principal and interest are debt
 * Holds     every posting has two legs, so per coin the sum over wallets and house accounts is zero at all times
 *           · held and debts are never negative · a balance leaves 64 bits never, it stops the command instead
 * Bills     ledger-postings/bills.ts reports what was posted
 * Futures   orders hold what they may need (`held`), positions their isolated margin (house account `isolatedMargin`);
 *           `held` may exceed the balance after a loss: such a wallet has nothing available
 * Source    design.md §2, §3; risk-engine.md §20
 */
import type { CoinId } from '../catalog/catalog.ts'
import { type Amount, amount, assert } from '../numbers/numbers.ts'
import { noRow, type Row, Table } from '../storage/storage.ts'
import { type WalletType, walletTypes } from '../vocabulary.ts'

/**
 * external        the world outside: deposits and withdrawals (its balance is minus all that came in)
 * fees            fees of trades and withdrawals, less rebates
 * interest        interest on loans
 * insurance       the insurance fund                        lendingPool    lent out: minus the principal owed
 * clearing        entry value of open positions             isolatedMargin margin kept with isolated positions
 * rounding        what rounding leaves over                 conversion     what the house took and gave for other coins
 * inTransit       deposits and withdrawals that are under way
 */
export const houseAccounts = [
  'external',
  'fees',
  'interest',
  'insurance',
  'lendingPool',
  'clearing',
  'isolatedMargin',
  'rounding',
  'conversion',
  'inTransit',
] as const
export type HouseAccount = (typeof houseAccounts)[number]

/** House accounts that stand in one list, in this order; those that came later have a list each. */
const firstAccounts = 8
const houseIndex = Object.fromEntries(houseAccounts.map((name, index) => [name, index])) as Record<HouseAccount, number>
const walletIndex = Object.fromEntries(walletTypes.map((name, index) => [name, index])) as Record<WalletType, number>
const coinBits = 8
const coinsMax = 1 << coinBits

export class Ledger extends Table {
  account = new Int32Array(64)
  /** wallet × 256 + coin */
  place = new Int32Array(64)
  /** Next row of the same account. */
  next = new Int32Array(64)
  balance = new BigInt64Array(64)
  held = new BigInt64Array(64)
  principal = new BigInt64Array(64)
  interest = new BigInt64Array(64)
  updatedAt = new Float64Array(64)
  /** First row of each account, by account handle. */
  first: Row[] = []
  /** Balance by coin × the first house accounts. */
  house: bigint[] = []
  /** By coin, of house accounts that came later, once they have been posted to. */
  laterHouse = new Map<HouseAccount, bigint[]>()
  /** Highest balance that the insurance fund has had, by coin. */
  peaks: bigint[] = []
  /** By account handle: 0 nobody watches, 1 its margin is watched, 2 watched and changed since it was last looked at. */
  watch: number[] = []
  /** Watched accounts of which something changed, in order. */
  changed: number[] = []

  /** Later accounts are saved once there is something in them. */
  override save(): Record<string, unknown> {
    const { laterHouse, ...saved } = super.save()
    return this.laterHouse.size === 0 ? saved : { ...saved, laterHouse }
  }

  /** The row of a place for reading: 0 when it does not exist, and row 0 reads as nothing of everything. */
  find(account: number, wallet: WalletType, coin: CoinId): Row {
    const place = walletIndex[wallet] * coinsMax + coin
    let row = this.first[account] ?? noRow
    while (row !== noRow && this.place[row] !== place) row = this.next[row]
    return row
  }

  /** The row of a place for posting, made when it does not exist. */
  slot(account: number, wallet: WalletType, coin: CoinId): Row {
    const found = this.find(account, wallet, coin)
    if (found !== noRow) return found
    const row = this.allocate()
    this.account[row] = account
    this.place[row] = walletIndex[wallet] * coinsMax + coin
    while (this.first.length <= account) this.first.push(noRow)
    this.next[row] = this.first[account]
    this.first[account] = row
    return row
  }

  /** Reads each column of these rows (engine/prefetch.ts). */
  touchRows(rows: Int32Array, count: number): number {
    const { account, place, next, balance, held, principal, interest, updatedAt } = this
    let sum = 0
    for (let at = 0; at < count; at++) sum += account[rows[at]] + place[rows[at]] + next[rows[at]]
    for (let at = 0; at < count; at++) sum += balance[rows[at]] === held[rows[at]] ? 1 : 0
    for (let at = 0; at < count; at++) sum += principal[rows[at]] === interest[rows[at]] ? 1 : 0
    for (let at = 0; at < count; at++) sum += updatedAt[rows[at]]
    return sum
  }

  /** Rows of an account, newest first. */
  rowsOf(account: number): Row[] {
    const rows: Row[] = []
    for (let row = this.first[account] ?? noRow; row !== noRow; row = this.next[row]) rows.push(row)
    return rows
  }

  /** Whether the account has a wallet of this kind that owes something of any coin. */
  owes(account: number, wallet: WalletType): boolean {
    const walletNumber = walletIndex[wallet]
    for (let row = this.first[account] ?? noRow; row !== noRow; row = this.next[row]) {
      if (this.place[row] >> coinBits !== walletNumber) continue
      if (this.principal[row] !== 0n || this.interest[row] !== 0n) return true
    }
    return false
  }

  walletOf(row: Row): WalletType {
    return walletTypes[this.place[row] >> coinBits]
  }

  coinOf(row: Row): CoinId {
    return this.place[row] & (coinsMax - 1)
  }

  balanceOf(row: Row): Amount {
    return this.balance[row] as Amount
  }

  heldOf(row: Row): Amount {
    return this.held[row] as Amount
  }

  /** Balance less holds; may be negative in futures wallets after a loss. */
  freeOf(row: Row): Amount {
    return (this.balance[row] - this.held[row]) as Amount
  }

  debtOf(row: Row): Amount {
    return amount(this.principal[row] + this.interest[row])
  }

  houseBalance(account: HouseAccount, coin: CoinId): Amount {
    const index = houseIndex[account]
    if (index >= firstAccounts) return (this.laterHouse.get(account)?.[coin] ?? 0n) as Amount
    return (this.house[coin * firstAccounts + index] ?? 0n) as Amount
  }

  /** The highest that the insurance fund of a coin has been. */
  insurancePeak(coin: CoinId): bigint {
    while (this.peaks.length <= coin) this.peaks.push(0n)
    return this.peaks[coin]
  }

  /** Moves money between two wallets of one coin. */
  transfer(from: Row, to: Row, units: Amount): void {
    this.take(from, units)
    this.add(to, units)
  }

  /** Moves money from a house account into a wallet; a negative amount goes the other way. */
  post(house: HouseAccount, to: Row, units: Amount): void {
    this.addHouse(house, this.coinOf(to), 0n - units)
    this.add(to, units)
  }

  /** Moves money from a wallet to a house account, as `post` of a negative amount does. */
  charge(from: Row, house: HouseAccount, units: Amount): void {
    this.addHouse(house, this.coinOf(from), units)
    this.take(from, units)
  }

  /** Moves money between two house accounts. */
  postHouse(from: HouseAccount, to: HouseAccount, coin: CoinId, units: Amount): void {
    this.addHouse(from, coin, 0n - units)
    this.addHouse(to, coin, units)
  }

  hold(row: Row, units: Amount): void {
    this.setHeld(row, this.held[row] + units)
  }

  release(row: Row, units: Amount): void {
    this.setHeld(row, this.held[row] - units)
  }

  /** Principal lent from the pool into the wallet. */
  lend(row: Row, units: Amount): void {
    this.post('lendingPool', row, units)
    this.principal[row] = amount(this.principal[row] + units)
  }

  /** Interest that has come due: owed, not yet paid. */
  accrue(row: Row, units: Amount): void {
    this.interest[row] = amount(this.interest[row] + units)
    this.touch(this.account[row])
  }

  /** Pays interest first, then principal, out of the wallet. `units` is at most the debt. */
  payDebt(row: Row, units: Amount): { readonly interest: Amount; readonly principal: Amount } {
    const owed = this.interest[row]
    const interest = amount(units < owed ? units : owed)
    const principal = amount(units - interest)
    assert(principal <= this.principal[row], 'a repayment is at most the debt')
    this.post('interest', row, amount(-interest))
    this.post('lendingPool', row, amount(-principal))
    this.interest[row] = owed - interest
    this.principal[row] = this.principal[row] - principal
    return { interest, principal }
  }

  /** The insurance fund pays what is owed, to the pool and as interest. */
  coverDebt(row: Row): { readonly interest: Amount; readonly principal: Amount } {
    const interest = amount(this.interest[row])
    const principal = amount(this.principal[row])
    this.postHouse('insurance', 'lendingPool', this.coinOf(row), principal)
    this.postHouse('insurance', 'interest', this.coinOf(row), interest)
    this.interest[row] = 0n
    this.principal[row] = 0n
    return { interest, principal }
  }

  /** From now on changes of the account's margin are noted in `changed`. */
  watchAccount(account: number): void {
    while (this.watch.length <= account) this.watch.push(0)
    if (this.watch[account] === 0) this.watch[account] = 1
    this.touch(account)
  }

  /** Something that its margin depends on has changed. */
  touch(account: number): void {
    if (this.watch[account] !== 1) return
    this.watch[account] = 2
    this.changed.push(account)
  }

  /** The account is looked at now. */
  lookedAt(account: number): void {
    this.watch[account] = 1
  }

  private add(row: Row, units: bigint): void {
    this.balance[row] = amount(this.balance[row] + units)
    this.touch(this.account[row])
  }

  private take(row: Row, units: bigint): void {
    this.balance[row] = amount(this.balance[row] - units)
    this.touch(this.account[row])
  }

  private addHouse(account: HouseAccount, coin: CoinId, units: bigint): void {
    if (houseIndex[account] >= firstAccounts) return this.addLater(account, coin, units)
    while (this.house.length < (coin + 1) * firstAccounts) this.house.push(0n)
    const index = coin * firstAccounts + houseIndex[account]
    this.house[index] = this.house[index] + units
    if (account === 'insurance' && this.house[index] > this.insurancePeak(coin)) this.peaks[coin] = this.house[index]
  }

  private addLater(account: HouseAccount, coin: CoinId, units: bigint): void {
    const balances = this.laterHouse.get(account) ?? []
    while (balances.length <= coin) balances.push(0n)
    balances[coin] += units
    this.laterHouse.set(account, balances)
  }

  private setHeld(row: Row, held: bigint): void {
    assert(held >= 0n, 'holds are never negative')
    this.held[row] = amount(held)
  }
}
