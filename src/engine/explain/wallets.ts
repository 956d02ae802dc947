/**
 * Wallets explained, coin by coin: balance, hold, debt, and what of it may be used.
 *
 *   debt = principal + interest booked + hours begun × ⌈principal × daily / 24⌉
 *
 * Source  risk-engine.md §6, §11, §17, §21; design.md §3
 */
import { transferable } from '../account-rules/account-rules.ts'
import { spendable } from '../lending/lending.ts'
import { crossMargin } from '../margin/margin.ts'
import { amountMax, maxAmount, rateOne, zero } from '../numbers/numbers.ts'
import { debtOf, hourlyInterest, hoursBegun, pendingInterest } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { lineOfWallet } from '../vocabulary.ts'
import { coinName } from './contract.ts'
import { money, type Page, type Part, ratio, textOf } from './lines.ts'

export function explainWallets(reading: Reading, page: Page, account: Account): void {
  for (const row of rowsInUse(reading, account)) explainBalance(reading, page, account, row)
}

/** Ledger rows of the account with a balance, a hold or a debt, in the order of wallets and coins. */
export function rowsInUse(reading: Reading, account: Account): Row[] {
  const { ledger } = reading
  const used = (row: Row) => ledger.balanceOf(row) !== 0n || ledger.heldOf(row) !== 0n || debtOf(reading, row) !== 0n
  return [...ledger.rowsOf(account.handle)].filter(used).toSorted((a, b) => ledger.place[a] - ledger.place[b])
}

function explainBalance(reading: Reading, page: Page, account: Account, row: Row): void {
  const { ledger } = reading
  const wallet = ledger.walletOf(row)
  const coin = ledger.coinOf(row)
  const measure = money(coinName(reading, coin))
  const text = (units: bigint) => textOf(measure, units)
  const part = page.about(`wallet ${wallet} ${measure.unit}`)
  const balance = ledger.balanceOf(row)
  const held = ledger.heldOf(row)
  part.amount('balance', measure, balance)
  part.amount('held', measure, held)
  part.input('updatedAt', ledger.updatedAt[row])
  part.line('free', {
    source: 'What an order needs',
    formula: 'free = balance − held',
    values: { balance: text(balance), held: text(held) },
    exact: [balance - held, 1n],
    measure,
    result: ledger.freeOf(row),
  })
  if (debtOf(reading, row) !== 0n) debtLines(reading, part, row)

  const available = maxAmount(zero, spendable(reading, account, wallet, coin))
  if (lineOfWallet(wallet) === undefined) {
    const formula = wallet === 'uta' ? 'free, at most what the margin can spare: (adj − IMR part) / index' : 'free'
    part.line('available', {
      source: wallet === 'uta' ? 'The unified account' : 'What an order needs',
      formula,
      values: {},
      measure,
      result: available,
    })
  } else {
    availableLine(reading, part, account, row, available)
  }
  part.line('transferable', {
    source: wallet === 'uta' || wallet === 'crossed_margin' ? 'Cross margin: loans' : 'Cross',
    formula:
      wallet === 'uta' || wallet === 'crossed_margin'
        ? 'with debt at most what keeps the transfer level: (assets − level × debt) / index'
        : 'what lies free; of futures less IM and losses',
    values: { available: text(available) },
    measure,
    result: maxAmount(zero, transferable(reading, account, wallet, coin)),
  })
}

/** Of a classic futures wallet: risk-engine §6. */
function availableLine(reading: Reading, part: Part, account: Account, row: Row, result: bigint): void {
  const wallet = reading.ledger.walletOf(row)
  const coin = reading.ledger.coinOf(row)
  const measure = money(coinName(reading, coin))
  const free = reading.ledger.freeOf(row)
  const { unrealizedPnl, initialMargin } = crossMargin(reading, account.handle, wallet, coin)
  const { profitAsMargin } = reading.settings.risk
  const counted = profitAsMargin || unrealizedPnl < 0n ? unrealizedPnl : 0n
  part.line('available', {
    source: 'Cross',
    formula: profitAsMargin ? 'avail = max(0, free + Σ uPnL − IM)' : 'avail = max(0, free + min(0, Σ uPnL) − IM)',
    values: {
      free: textOf(measure, free),
      'Σ uPnL': textOf(measure, unrealizedPnl),
      IM: textOf(measure, initialMargin),
    },
    exact: [free + counted - initialMargin, 1n],
    within: [0n, amountMax],
    measure,
    result,
  })
}

function debtLines(reading: Reading, part: Part, row: Row): void {
  const { ledger, loans } = reading
  const coin = reading.catalog.coins[ledger.coinOf(row)]
  const measure = money(coin.name)
  const text = (units: bigint) => textOf(measure, units)
  part.amount('principal', measure, ledger.principal[row])
  part.amount('interest booked', measure, ledger.interest[row])
  part.amount('dailyInterestRate', ratio, coin.dailyInterestRate)
  for (const loan of loans.ofRow.get(row) ?? []) {
    const name = `loan ${loans.loanId[loan]}`
    const principal = loans.principal[loan]
    part.amount(`${name} principal`, measure, principal)
    part.input(`${name} startedAt`, loans.startedAt[loan])
    part.input(`${name} next hour at`, loans.dueAt[loan])
    const hours = hoursBegun(loans.dueAt[loan], reading.at)
    part.line(`${name} hourly interest`, {
      source: 'Cross margin: loans',
      formula: 'h = principal × daily / 24',
      values: { principal: text(principal), daily: textOf(ratio, coin.dailyInterestRate) },
      exact: [principal * coin.dailyInterestRate, rateOne * 24n],
      rounding: 'up',
      measure,
      result: hourlyInterest(principal, coin.dailyInterestRate),
    })
    if (hours > 0) part.input(`${name} hours pending`, hours)
  }
  const pending = pendingInterest(reading, row)
  part.line('debt', {
    source: 'Cross margin: loans',
    formula: 'debt = principal + interest booked + Σ hours pending × h',
    values: { principal: text(ledger.principal[row]), interest: text(ledger.interest[row]), pending: text(pending) },
    exact: [ledger.principal[row] + ledger.interest[row] + pending, 1n],
    measure,
    result: debtOf(reading, row),
  })
}
