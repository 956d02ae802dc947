/**
 * Conversions of v2: convertible coins, quotes, trades and their records.
 *
 * Fee      the house takes its share in the price: `fee` is 0
 * Source   docs/decisions/0031-conversions.md
 */
import type { Catalog } from '../../../engine/catalog/catalog.ts'
import type { Conversion } from '../../../engine/protocol/event.ts'
import type { ConvertibleView } from '../../../engine/protocol/query.ts'
import type { Reply } from '../../../engine/protocol/reply.ts'
import type * as records from '../records.ts'
import { amountText, coinName, rateText } from './figures.ts'

type ReplyOf<Kind> = Extract<Reply, { readonly kind: Kind }>

export function convertCurrency(
  catalog: Catalog,
  { coin, minimum, maximum }: ConvertibleView,
  available: bigint,
): records.ConvertCurrency {
  return {
    coin: coinName(catalog, coin),
    available: amountText(available),
    maxAmount: amountText(maximum),
    minAmount: amountText(minimum),
  }
}

export function convertQuote(
  { quoteId, fromAmount, toAmount, price }: ReplyOf<'conversion-quoted'>,
  fromCoin: string,
  toCoin: string,
): records.ConvertQuote {
  return {
    fee: '0',
    fromCoinSize: amountText(fromAmount),
    fromCoin,
    cnvtPrice: rateText(price),
    toCoinSize: amountText(toAmount),
    toCoin,
    traceId: String(quoteId),
  }
}

export function convertTrade({ toAmount, price, at }: ReplyOf<'converted'>, toCoin: string): records.ConvertTrade {
  return { ts: String(at), cnvtPrice: rateText(price), toCoinSize: amountText(toAmount), toCoin }
}

export function convertRecord(
  catalog: Catalog,
  { id, at, price = 0n, fromAmount, fromCoin, toAmount, toCoin }: Conversion,
): records.ConvertRecord {
  return {
    id: String(id),
    ts: String(at),
    cnvtPrice: rateText(price),
    fee: '0',
    fromCoinSize: amountText(fromAmount),
    fromCoin: coinName(catalog, fromCoin),
    toCoinSize: amountText(toAmount),
    toCoin: coinName(catalog, toCoin),
  }
}
