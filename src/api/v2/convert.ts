/**
 * Conversions of v2: which coins the house converts, what it gives, the trade that takes it, and the records.
 *
 * Quote     of one amount, the house says the other and a `traceId`; it holds for a few seconds, once
 * Trade     repeats the quote word by word, so that nobody converts at a price that was not seen
 * Wallet    `uta` of a unified account, else `spot`; nothing is borrowed for it, nothing open loses its margin
 * Source    fidelity §2; docs/decisions/0031-conversions.md
 */
import Type from 'typebox'
import { type Amount, formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { missingParameter, wrongParameter } from '../errors/errors.ts'
import { coin, decimal, id, limit, nothing, timestamp } from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindow, recordedWallets, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { accepted } from './replies.ts'

const source = 'fidelity §2'
const tenPerSecond = { perSecond: 10, per: 'uid' } as const
const read = { permission: 'spot_trade', level: 'read' } as const

const currencies = defineEndpoint({
  method: 'GET',
  path: '/api/v2/convert/currencies',
  summary: 'Coins that the house converts: what the account has of each, and how much one conversion takes',
  source,
  access: read,
  limit: tenPerSecond,
  request: nothing,
  response: Type.Array(records.ConvertCurrency),
  handle({ account, catalog, core }) {
    const held = core.query({ kind: 'balances', uid: account.uid, wallet: walletOf(account, 'SPOT') })
    return core.query({ kind: 'convertible' }).map((convertible) => {
      const available = held.find(({ coin: which }) => which === convertible.coin)?.transferable ?? 0n
      return dictionary.convertCurrency(catalog.catalog, convertible, available)
    })
  },
})

const quotedPrice = defineEndpoint({
  method: 'GET',
  path: '/api/v2/convert/quoted-price',
  summary: 'What the house gives of one coin for another, for a few seconds',
  source,
  access: read,
  limit: tenPerSecond,
  request: Type.Object({
    fromCoin: coin(),
    toCoin: coin(),
    fromCoinSize: Type.Optional(decimal({ description: 'this or toCoinSize' })),
    toCoinSize: Type.Optional(decimal({ description: 'this or fromCoinSize' })),
  }),
  response: records.ConvertQuote,
  async handle(context, { fromCoin, toCoin, fromCoinSize, toCoinSize }) {
    if (fromCoinSize === undefined && toCoinSize === undefined) throw missingParameter('fromCoinSize')
    if (fromCoinSize !== undefined && toCoinSize !== undefined) {
      throw wrongParameter('v2', 'toCoinSize', 'should not be given with fromCoinSize')
    }
    const reply = await context.core.submit({
      kind: 'quote-conversion',
      uid: context.account.uid,
      fromCoin: coinNamed(context, fromCoin).id,
      toCoin: coinNamed(context, toCoin).id,
      fromAmount: optionalAmount(fromCoinSize, 'fromCoinSize'),
      toAmount: optionalAmount(toCoinSize, 'toCoinSize'),
    })
    return dictionary.convertQuote(accepted(reply, 'conversion-quoted', 'spot'), fromCoin, toCoin)
  },
})

function optionalAmount(text: string | undefined, field: string): Amount | undefined {
  return text === undefined ? undefined : parseAmount(text, 'v2', field)
}

const trade = defineEndpoint({
  method: 'POST',
  path: '/api/v2/convert/trade',
  summary: 'Takes a quote',
  source,
  access: { permission: 'spot_trade', level: 'write' },
  limit: tenPerSecond,
  request: Type.Object({
    fromCoin: coin(),
    fromCoinSize: decimal(),
    cnvtPrice: decimal(),
    toCoin: coin(),
    toCoinSize: decimal(),
    traceId: id(),
  }),
  response: records.ConvertTrade,
  async handle(context, input) {
    const command = {
      kind: 'convert-coins',
      uid: context.account.uid,
      quoteId: input.traceId,
      fromCoin: coinNamed(context, input.fromCoin).id,
      toCoin: coinNamed(context, input.toCoin).id,
      fromAmount: parseAmount(input.fromCoinSize, 'v2', 'fromCoinSize'),
      toAmount: parseAmount(input.toCoinSize, 'v2', 'toCoinSize'),
    } as const
    checkPrice(context, command.quoteId, input.cnvtPrice)
    const converted = accepted(await context.core.submit(command), 'converted', 'spot')
    return dictionary.convertTrade(converted, input.toCoin)
  },
})

/** The price of a quote may be wider than a command carries, and never changes: it is looked at here. */
function checkPrice({ account, core }: PrivateContext, quoteId: number, cnvtPrice: string): void {
  const price = core.query({ kind: 'quoted-price', uid: account.uid, quoteId })
  if (price !== undefined && plainDecimal(cnvtPrice) !== formatDecimal(price, rateDecimals)) {
    throw wrongParameter('v2', 'cnvtPrice', 'should be that of the quote')
  }
}

/** Without zeros that say nothing: `01.50` is `1.5`. */
function plainDecimal(text: string): string {
  const [whole, fraction = ''] = text.split('.')
  const decimals = fraction.replace(/0+$/, '')
  return `${BigInt(whole)}${decimals === '' ? '' : `.${decimals}`}`
}

const convertRecord = defineEndpoint({
  method: 'GET',
  path: '/api/v2/convert/convert-record',
  summary: 'Conversions of the last 90 days, newest first',
  source,
  access: read,
  limit: tenPerSecond,
  request: Type.Object({
    startTime: Type.Optional(timestamp()),
    endTime: Type.Optional(timestamp()),
    idLessThan: Type.Optional(id()),
    limit: limit(20, 100),
  }),
  response: records.ConvertRecords,
  async handle(context, input) {
    const { rows } = await context.history.conversions({
      uid: context.account.uid,
      wallets: recordedWallets(context.account, 'SPOT'),
      quoted: true,
      beforeId: input.idLessThan,
      limit: input.limit,
      ...historyWindow(context.now, input),
    })
    const dataList = rows.map((conversion) => dictionary.convertRecord(context.catalog.catalog, conversion))
    return { dataList, endId: dataList.at(-1)?.id ?? '' }
  },
})

export const convertEndpoints: readonly Endpoint[] = [currencies, quotedPrice, trade, convertRecord]
