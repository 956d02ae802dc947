/**
 * Checks the books: what must hold after every command, checked from the state alone.
 *
 * Source  risk-engine.md §20 (invariants 1-5, 8); design.md §2
 */
import { bestPrice, firstAt, nextPrice, quantityAt } from './book/book.ts'
import { isFutures } from './catalog/catalog.ts'
import { isHedged, requiredHold } from './margin/margin.ts'
import type { Amount } from './numbers/numbers.ts'
import type { CoinSums, VerifyView } from './protocol/query.ts'
import { type HouseAccount, houseAccounts, type Reading } from './state/state.ts'
import { noRow } from './storage/storage.ts'

/** Every fault in the books, in words. Reads the whole state. */
export function verify(reading: Reading): VerifyView {
  const faults: string[] = []
  const coins = coinSums(reading)
  checkCoins(reading, coins, faults)
  checkHolds(reading, faults)
  checkLoans(reading, faults)
  checkTransit(reading, faults)
  checkFutures(reading, faults)
  checkTriggers(reading, faults)
  checkBooks(reading, faults)
  return { balanced: faults.length === 0, faults, coins }
}

/** What wallets and house accounts have of each coin; together it is zero. Reads every wallet once. */
export function coinSums({ catalog, ledger }: Reading): CoinSums[] {
  const accounts = catalog.coins.map(() => 0n)
  for (let row = 1; row < ledger.rows; row++) accounts[ledger.coinOf(row)] += ledger.balance[row]
  return catalog.coins.map(({ id, name }) => {
    const house = Object.fromEntries(
      houseAccounts.map((account) => [account, ledger.houseBalance(account, id)]),
    ) as Record<HouseAccount, Amount>
    const sum = houseAccounts.reduce((total, account) => total + house[account], accounts[id])
    return { coin: name, sum: sum as Amount, accounts: accounts[id] as Amount, house }
  })
}

function checkCoins({ catalog, ledger }: Reading, coins: readonly CoinSums[], faults: string[]): void {
  const principal = catalog.coins.map(() => 0n)
  for (let row = 1; row < ledger.rows; row++) {
    const coin = ledger.coinOf(row)
    principal[coin] += ledger.principal[row]
    if (ledger.balance[row] < 0n) faults.push(`${catalog.coins[coin].name}: a wallet is below zero`)
  }
  for (const [id, { coin, sum, house }] of coins.entries()) {
    if (sum !== 0n) faults.push(`${coin}: the books do not balance, off by ${sum}`)
    if (house.lendingPool !== -principal[id]) faults.push(`${coin}: the lending pool is not the principal owed`)
    if (house.rounding < 0n) faults.push(`${coin}: rounding gave away money`)
  }
}

/** What each wallet holds is what its open orders hold. */
function checkHolds(reading: Reading, faults: string[]): void {
  const { ledger, orders } = reading
  const expected = new Map<number, bigint>()
  const add = (row: number, units: bigint) => expected.set(row, (expected.get(row) ?? 0n) + units)
  for (const row of orders.live()) {
    const instrument = reading.instrument(orders.instrument.at(row))
    if (isFutures(instrument)) continue
    const coin = orders.sideOf(row) === 'buy' ? instrument.quote : instrument.base
    add(ledger.find(orders.accountOf(row), orders.walletOf(row), coin), orders.hold.at(row))
  }
  for (const exposure of reading.futures.all()) {
    const instrument = reading.instrument(exposure.instrument)
    if (!isFutures(instrument)) continue
    if (exposure.held !== requiredHold(exposure, isHedged(reading, exposure))) {
      faults.push(`${instrument.symbol}: an exposure holds ${exposure.held}, not what its orders ask for`)
    }
    add(ledger.find(exposure.account, exposure.wallet, instrument.settle), exposure.held)
  }
  for (let row = 1; row < ledger.rows; row++) {
    if (ledger.held[row] !== (expected.get(row) ?? 0n)) faults.push(`wallet row ${row}: holds differ from open orders`)
  }
}

/** Principal is that of the loans, interest is only where principal is; loans wait in the order of their next hour. */
function checkLoans(reading: Reading, faults: string[]): void {
  const { ledger, loans } = reading
  const owed = new Map<number, bigint>()
  let before = 0
  for (let loan = loans.first; loan !== 0; loan = loans.next[loan]) {
    owed.set(loans.owedBy[loan], (owed.get(loans.owedBy[loan]) ?? 0n) + loans.principal[loan])
    if (loans.principal[loan] <= 0n) faults.push(`loan ${loans.loanId[loan]}: nothing is left of it`)
    if (loans.dueAt[loan] < before) faults.push(`loan ${loans.loanId[loan]}: its next hour is out of order`)
    before = loans.dueAt[loan]
  }
  for (let row = 1; row < ledger.rows; row++) {
    if (ledger.principal[row] !== (owed.get(row) ?? 0n))
      faults.push(`wallet row ${row}: principal is not that of its loans`)
    if (ledger.principal[row] === 0n && ledger.interest[row] !== 0n)
      faults.push(`wallet row ${row}: interest without a loan`)
  }
}

/** What is in transit is what waits to be confirmed or sent; each of these has its timer. */
function checkTransit({ catalog, ledger, chainTransfers }: Reading, faults: string[]): void {
  const expected = new Map<number, bigint>()
  for (const { coin, direction, status, amount } of chainTransfers.open.values()) {
    if (direction === 'deposit' || status === 'pending') expected.set(coin, (expected.get(coin) ?? 0n) + amount)
  }
  for (const { id, name } of catalog.coins) {
    if (ledger.houseBalance('inTransit', id) === (expected.get(id) ?? 0n)) continue
    faults.push(`${name}: what is in transit is not what deposits and withdrawals wait for`)
  }
}

/** Longs equal shorts; clearing is the entry value of all positions; isolated margin is the margin of all positions. */
function checkFutures(reading: Reading, faults: string[]): void {
  const entryValues = new Map<number, bigint>()
  const margins = new Map<number, bigint>()
  for (const instrument of reading.catalog.instruments) {
    if (!isFutures(instrument)) continue
    let net = 0
    for (const exposure of reading.futures.ofInstrument(instrument.id)) {
      net += (exposure.long?.quantity ?? 0) - (exposure.short?.quantity ?? 0)
      for (const position of [exposure.long, exposure.short]) {
        if (position === undefined) continue
        entryValues.set(instrument.settle, (entryValues.get(instrument.settle) ?? 0n) + position.entryValue)
        margins.set(instrument.settle, (margins.get(instrument.settle) ?? 0n) + position.margin)
        if (position.margin < 0n) faults.push(`${instrument.symbol}: a position's margin is below zero`)
      }
      const { closingLong, closingShort } = exposure
      if (closingLong > (exposure.long?.quantity ?? 0) || closingShort > (exposure.short?.quantity ?? 0)) {
        faults.push(`${instrument.symbol}: closing orders exceed their position`)
      }
    }
    if (net !== 0) faults.push(`${instrument.symbol}: longs and shorts differ by ${net} lots`)
  }
  for (const coin of reading.catalog.coins) {
    if (reading.ledger.houseBalance('clearing', coin.id) !== (entryValues.get(coin.id) ?? 0n)) {
      faults.push(`${coin.name}: clearing is not the entry value of the positions`)
    }
    if (reading.ledger.houseBalance('isolatedMargin', coin.id) !== (margins.get(coin.id) ?? 0n)) {
      faults.push(`${coin.name}: isolated margin is not what the positions keep`)
    }
  }
}

/** Trigger orders count among open orders; a position's take-profit or stop-loss belongs to an open position. */
function checkTriggers(reading: Reading, faults: string[]): void {
  const { triggers, trailing, orders } = reading
  for (const account of reading.accounts.all()) {
    let futures = 0
    let spot = 0
    const count = (instrument: number) => (isFutures(reading.instrument(instrument)) ? futures++ : spot++)
    for (const row of orders.of(account.firstOrder)) count(orders.instrument.at(row))
    for (const row of triggers.of(account.handle)) {
      count(triggers.instrument.at(row))
      if (triggers.isTrailing(row) !== (trailing.find(row) !== noRow)) {
        faults.push(`trigger order ${triggers.id.at(row)}: trails, or does not, unlike its kind`)
      }
      if (triggers.isPlan(row) || triggers.isSpotTpsl(row)) continue
      const exposure = reading.futures.find(account.handle, triggers.walletOf(row), triggers.instrument.at(row))
      const side = triggers.positionSideOf(row)
      const open = side === 'long' ? exposure?.long : exposure?.short
      if (open === undefined) faults.push(`trigger order ${triggers.id.at(row)}: its position is not open`)
    }
    if (futures !== account.openFutures || spot !== account.openSpot) {
      faults.push(`account ${account.uid}: open orders are miscounted`)
    }
  }
}

/** Books are uncrossed, and every level is the sum of its orders. */
function checkBooks(reading: Reading, faults: string[]): void {
  const { orders } = reading
  for (const instrument of reading.catalog.instruments) {
    const book = reading.book(instrument.id)
    const bid = bestPrice(book, 'buy')
    const ask = bestPrice(book, 'sell')
    if (bid !== 0 && ask !== 0 && bid >= ask) faults.push(`${instrument.symbol}: the book is crossed`)
    for (const side of ['buy', 'sell'] as const) {
      for (let price = bestPrice(book, side); price !== 0; price = nextPrice(book, side, price)) {
        let sum = 0
        for (let row = firstAt(book, side, price); row !== 0; row = orders.next.at(row)) {
          sum += orders.remaining.at(row)
        }
        if (sum !== quantityAt(book, side, price)) faults.push(`${instrument.symbol}: a level is not its orders' sum`)
      }
    }
  }
}
