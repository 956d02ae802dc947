/**
 * Where a cross margin wallet would be liquidated by the price of one of its coins, all others standing.
 *
 * Level       assets over debt; at 1.1 it is liquidated (no endpoint tells another level; this is what it is by default)
 * Order       borrows what it lacks of the coin that it spends, and repays what it owes of the coin that it receives
 * Left out    interest that has yet to run up
 * Source      risk-engine.md §17
 */
import { divCeil, floorTo, maxOf, minOf, oneE8, timesCeil, timesFloor, units } from '../numbers/decimal.ts'
import type { Wallet } from '../venue/account-records.ts'
import type { Instrument } from '../venue/instruments.ts'

const liquidationLevel = (oneE8 * 11n) / 10n

/** What a wallet has of a coin, and what it owes. */
interface Holding {
  readonly balance: bigint
  readonly debt: bigint
}

/** What a wallet has and owes, all but the base coin in quote coin. */
export interface LoanBook {
  readonly base: Holding
  readonly quote: Holding
  /** Of all other coins, at their prices. */
  readonly others: Holding
}

/** `priceOf`: of a coin in quote coin, in units; zero: unknown, and such a coin counts nothing. */
export function loanBookOf({ base, quote }: Instrument, wallet: Wallet, priceOf: (coin: string) => bigint): LoanBook {
  const none: Holding = { balance: 0n, debt: 0n }
  let others = none
  const own = new Map<string, Holding>()
  for (const { coin, balance, debt } of wallet.coins) {
    const holding = { balance: units(balance), debt: units(debt) }
    if (coin === base || coin === quote) {
      own.set(coin, holding)
      continue
    }
    const price = priceOf(coin)
    others = {
      balance: others.balance + timesFloor(holding.balance, price),
      debt: others.debt + timesCeil(holding.debt, price),
    }
  }
  return { base: own.get(base) ?? none, quote: own.get(quote) ?? none, others }
}

export interface LoanOrder {
  readonly side: 'buy' | 'sell'
  readonly price: bigint
  readonly quantity: bigint
  readonly feeRate: bigint
}

/** As its fill would leave it. */
export function afterOrder(book: LoanBook, { side, price, quantity, feeRate }: LoanOrder): LoanBook {
  const notional = timesCeil(price, quantity)
  const received = (gross: bigint) => gross - timesCeil(gross, feeRate)
  return side === 'buy'
    ? { ...book, quote: spent(book.quote, notional), base: got(book.base, received(quantity)) }
    : { ...book, base: spent(book.base, quantity), quote: got(book.quote, received(timesFloor(price, quantity))) }
}

function spent({ balance, debt }: Holding, amount: bigint): Holding {
  return { balance: maxOf(0n, balance - amount), debt: debt + maxOf(0n, amount - balance) }
}

function got({ balance, debt }: Holding, amount: bigint): Holding {
  const repaid = minOf(debt, amount)
  return { balance: balance + amount - repaid, debt: debt - repaid }
}

/** `P = (level × D − A) / (a − level × d)`, of the base coin `a` and `d`: the earlier tick; undefined: there is none. */
export function marginLiquidation({ base, quote, others }: LoanBook, priceStep: bigint): bigint | undefined {
  const needed = timesCeil(liquidationLevel, quote.debt + others.debt) - quote.balance - others.balance
  const coins = base.balance - timesCeil(liquidationLevel, base.debt)
  // Coins that are held are lost by a falling price, coins that are owed by a rising one.
  if (needed === 0n || needed > 0n !== coins > 0n || coins === 0n) return undefined
  const price = divCeil(needed * oneE8, coins)
  return coins > 0n ? -floorTo(-price, priceStep) : floorTo(price, priceStep)
}
