/**
 * Conversions by the house: quotes, and the trades that take them.
 *
 * Posted    both legs against the house account `conversion`, which takes one coin and gives the other
 * Debt      what comes into a unified wallet pays its debt of that coin
 * Source    docs/decisions/0031-conversions.md
 */
import { admitConversion, admitQuote } from '../account-rules/account-rules.ts'
import { bill } from '../ledger-postings/ledger-postings.ts'
import { noteDebtor, publishConversion, reduceDebt } from '../loans/loans.ts'
import { amount } from '../numbers/numbers.ts'
import type { ConvertCoins, QuoteConversion } from '../protocol/command.ts'
import { refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function quoteConversion(state: State, command: QuoteConversion): Reply {
  const decided = admitQuote(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, terms } = decided
  const { conversions } = state
  const { fromCoin, toCoin } = command
  const quoteId = conversions.nextQuote++
  const until = state.at + conversions.settings.quoteMs
  conversions.add(account.handle, { quoteId, fromCoin, toCoin, ...terms, until, used: false }, state.at)
  return { kind: 'conversion-quoted', quoteId, ...terms }
}

export function convertCoins(state: State, command: ConvertCoins): Reply {
  const decided = admitConversion(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, wallet, quote } = decided
  const { fromCoin, fromAmount, toCoin, toAmount, price } = quote
  const { ledger, conversions } = state
  conversions.use(account.handle, quote)
  const given = ledger.slot(account.handle, wallet, fromCoin)
  const received = ledger.slot(account.handle, wallet, toCoin)
  ledger.charge(given, 'conversion', fromAmount)
  ledger.post('conversion', received, toAmount)
  ledger.updatedAt[given] = state.at
  ledger.updatedAt[received] = state.at
  const conversionId = publishConversion(state, { account, wallet }, { fromCoin, fromAmount, toCoin, toAmount, price })
  bill(state, given, 'convert_out', amount(-fromAmount))
  bill(state, received, 'convert_in', toAmount)
  noteDebtor(state, given)
  noteDebtor(state, received)
  reduceDebt(state, account, wallet, toCoin, toAmount)
  return { kind: 'converted', conversionId, toAmount, price, at: state.at }
}
