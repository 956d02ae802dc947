/**
 * What is cheap enough to be checked after every single command, read off the engine's state itself.
 *
 * Sums      per coin everything adds up to zero: wallets and house accounts
 * Below     no wallet, debt or hold is below zero, and rounding never gave money away
 * Holds     of the accounts that the command touched: what each wallet holds is what its open orders ask for
 * Books     of the instruments that it touched: not crossed
 */
import { bestPrice } from '../../src/engine/book/book.ts'
import { isFutures } from '../../src/engine/catalog/catalog.ts'
import { isHedged } from '../../src/engine/margin/account-margin.ts'
import { requiredHold } from '../../src/engine/margin/order-margin.ts'
import { houseAccounts } from '../../src/engine/state/ledger.ts'
import type { State } from '../../src/engine/state/state.ts'
import type { Uid } from '../../src/engine/vocabulary.ts'

/** A fault in words; undefined: there is none. */
export function booksFault({ ledger, catalog }: State): string | undefined {
  const { rows, balance, held, principal, place } = ledger
  const halves = new Int32Array(balance.buffer, balance.byteOffset, rows * 2)
  const heldHalves = new Int32Array(held.buffer, held.byteOffset, rows * 2)
  const owedHalves = new Int32Array(principal.buffer, principal.byteOffset, rows * 2)
  const coins = catalog.coins.length
  const low = new Float64Array(coins)
  const high = new Float64Array(coins)
  for (let row = 1; row < rows; row++) {
    const coin = place[row] % 256
    const top = halves[row * 2 + 1]
    if (top < 0) return `wallet row ${row} is below zero`
    if (heldHalves[row * 2 + 1] < 0) return `the hold of wallet row ${row} is below zero`
    if (owedHalves[row * 2 + 1] < 0) return `the debt of wallet row ${row} is below zero`
    low[coin] = low[coin] + (halves[row * 2] >>> 0)
    high[coin] = high[coin] + top
  }
  for (let coin = 0; coin < coins; coin++) {
    let sum = BigInt(high[coin]) * 0x1_0000_0000n + BigInt(low[coin])
    for (const account of houseAccounts) sum += ledger.houseBalance(account, coin)
    if (sum !== 0n) return `the books of coin ${coin} are off by ${sum}`
    if (ledger.houseBalance('rounding', coin) < 0n) return `rounding gave away coin ${coin}`
  }
  return undefined
}

export function holdsFault(venue: State, uids: ReadonlySet<Uid>): string | undefined {
  for (const uid of uids) {
    const account = venue.accounts.byUid(uid)
    if (account === undefined) continue
    const fault = accountFault(venue, account.handle, account.firstOrder)
    if (fault !== undefined) return `account ${uid}: ${fault}`
  }
  return undefined
}

function accountFault(venue: State, handle: number, firstOrder: number): string | undefined {
  const { ledger, orders } = venue
  const expected = new Map<number, bigint>()
  const add = (row: number, units: bigint) => void expected.set(row, (expected.get(row) ?? 0n) + units)
  for (const row of orders.of(firstOrder)) {
    const instrument = venue.instrument(orders.instrument.at(row))
    if (isFutures(instrument)) continue
    const coin = orders.sideOf(row) === 'buy' ? instrument.quote : instrument.base
    add(ledger.find(handle, orders.walletOf(row), coin), orders.hold.at(row))
  }
  for (const exposure of venue.futures.ofAccount(handle)) {
    const instrument = venue.instrument(exposure.instrument)
    if (!isFutures(instrument)) continue
    if (exposure.held !== requiredHold(exposure, isHedged(venue, exposure)))
      return `${instrument.symbol} holds ${exposure.held}, not what its orders ask for`
    if (
      exposure.closingLong > (exposure.long?.quantity ?? 0) ||
      exposure.closingShort > (exposure.short?.quantity ?? 0)
    )
      return `${instrument.symbol}: closing orders exceed their position`
    add(ledger.find(handle, exposure.wallet, instrument.settle), exposure.held)
  }
  for (const row of ledger.rowsOf(handle)) {
    const wanted = expected.get(row) ?? 0n
    if (ledger.held[row] !== wanted) return `wallet row ${row} holds ${ledger.held[row]}, its orders ask for ${wanted}`
  }
  return undefined
}

export function crossedFault(venue: State, instruments: ReadonlySet<number>): string | undefined {
  for (const id of instruments) {
    const book = venue.books[id]
    if (book === undefined) continue
    const bid = bestPrice(book, 'buy')
    const ask = bestPrice(book, 'sell')
    if (bid !== 0 && ask !== 0 && bid >= ask) return `${venue.instrument(id).symbol}: the book is crossed`
  }
  return undefined
}
