/**
 * What the house gives of one coin for another, and when a quote may be taken.
 *
 * Price     index(from) / index(to) × (1 − spread), of `toCoin` for one `fromCoin`
 * Rounding  the price down to 1e-12 and to 15 digits, which survive a double; what comes down, what goes up: in favour of
 *           the house by less than a unit each
 * Wallet    the one that trades spot by v2; of `uta` no more than may leave it, so that margin never falls short
 * Source    docs/decisions/0031-conversions.md
 */
import type { CoinId } from '../catalog/catalog.ts'
import {
  type Amount,
  amountMax,
  cappedAmount,
  coinInsideMax,
  divCeil,
  divFloor,
  maxAmount,
  pow10,
  rateOne,
  zero,
} from '../numbers/numbers.ts'
import { isCoinHalted } from '../price-rules/price-rules.ts'
import type { ConvertCoins, QuoteConversion } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { tradingWallet } from '../records/records.ts'
import type { Account, ConversionQuote, Reading } from '../state/state.ts'
import type { Uid, WalletType } from '../vocabulary.ts'
import { coinInside, transferable } from './transfers.ts'

export type ConversionTerms = Pick<ConversionQuote, 'fromAmount' | 'toAmount' | 'price'>

/** What the house offers. */
export function admitQuote(
  reading: Reading,
  command: QuoteConversion,
): { readonly account: Account; readonly terms: ConversionTerms } | Refusal {
  const converter = converterOf(reading, command.uid)
  if ('kind' in converter) return converter
  const { fromCoin, toCoin } = command
  if (reading.catalog.coins[fromCoin] === undefined || reading.catalog.coins[toCoin] === undefined) {
    return { kind: 'coin-unknown' }
  }
  if (fromCoin === toCoin) return { kind: 'conversion-same-coin' }
  if ((command.fromAmount ?? command.toAmount ?? zero) <= 0n) return { kind: 'amount-not-positive' }
  if (!isConvertible(reading, fromCoin) || !isConvertible(reading, toCoin)) return { kind: 'index-stale' }
  const price = housePrice(reading, fromCoin, toCoin)
  const wanted = price > 0n ? termsAt(price, command) : undefined
  const { minimum, maximum } = conversionRange(reading, fromCoin)
  if (wanted === undefined || wanted.fromAmount > maximum) return { kind: 'conversion-above-maximum', maximum }
  if (wanted.fromAmount < minimum || wanted.toAmount <= 0n) return { kind: 'conversion-below-minimum', minimum }
  return { account: converter.account, terms: wanted }
}

/** Both amounts at a price; undefined: more than the venue's numbers carry. */
function termsAt(price: bigint, { fromAmount, toAmount }: QuoteConversion): ConversionTerms | undefined {
  const from = fromAmount ?? divCeil((toAmount ?? zero) * rateOne, price)
  const to = fromAmount === undefined ? (toAmount ?? zero) : divFloor(fromAmount * price, rateOne)
  if (from > amountMax || to > amountMax) return undefined
  return { fromAmount: cappedAmount(from), toAmount: cappedAmount(to), price }
}

/** The quote, and the wallet in which it is carried out. */
export function admitConversion(
  reading: Reading,
  command: ConvertCoins,
): { readonly account: Account; readonly wallet: WalletType; readonly quote: ConversionQuote } | Refusal {
  const converter = converterOf(reading, command.uid)
  if ('kind' in converter) return converter
  const { account, wallet } = converter
  const quote = reading.conversions.find(account.handle, command.quoteId)
  if (quote === undefined) return { kind: 'quote-unknown' }
  if (quote.used) return { kind: 'quote-used' }
  if (reading.at > quote.until) return { kind: 'quote-over' }
  for (const field of ['fromCoin', 'toCoin', 'fromAmount', 'toAmount'] as const) {
    if (quote[field] !== command[field]) return { kind: 'quote-differs', field }
  }
  const available = maxAmount(zero, transferable(reading, account, wallet, quote.fromCoin))
  if (quote.fromAmount > available) return { kind: 'insufficient-available', required: quote.fromAmount, available }
  // What the house gives is made by its own account: all of a coin stays within 64 bits, as with deposits.
  if (coinInside(reading, quote.toCoin) + quote.toAmount > coinInsideMax) return { kind: 'deposits-exceeded' }
  return { account, wallet, quote }
}

/** Of `to` for one `from`, 1e-12. */
function housePrice(reading: Reading, from: CoinId, to: CoinId): bigint {
  const { prices, conversions } = reading
  return fifteenDigits(divFloor(prices.usdE8(from) * (rateOne - conversions.settings.spread), prices.usdE8(to)))
}

function fifteenDigits(price: bigint): bigint {
  const unit = pow10(Math.max(0, price.toString().length - 15))
  return price - (price % unit)
}

/** The least and the most of a coin that one conversion takes. */
export function conversionRange(
  { prices, conversions: { settings } }: Reading,
  coin: CoinId,
): { readonly minimum: Amount; readonly maximum: Amount } {
  const usd = prices.usdE8(coin)
  if (usd <= 0n) return { minimum: zero, maximum: zero }
  return {
    minimum: cappedAmount(divCeil(settings.leastUsd * pow10(8), usd)),
    maximum: cappedAmount(divFloor(settings.mostUsd * pow10(8), usd)),
  }
}

/** Whether the coin has a price that can be believed. */
export function isConvertible(reading: Reading, coin: CoinId): boolean {
  return reading.prices.usdE8(coin) > 0n && !isCoinHalted(reading, coin)
}

function converterOf(reading: Reading, uid: Uid): { readonly account: Account; readonly wallet: WalletType } | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen) return { kind: 'account-frozen' }
  const wallet = tradingWallet(account, 'v2', 'SPOT')
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  return wallet === 'unsuitable' ? { kind: 'account-mode-unsuitable' } : { account, wallet }
}
