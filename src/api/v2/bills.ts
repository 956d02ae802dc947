/**
 * Bills of v2: every change of a spot or futures account with the balance after it, of the last 90 days, newest first.
 *
 * Unified   its one wallet is shown in parts: spot bills are what belongs to no contract, futures bills what belongs to
 *           the product line
 * Filters   a business type that the venue never makes matches nothing
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §5
 */
import Type from 'typebox'
import { billKinds } from '../bill-kinds.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { listText, objectText } from '../json-text.ts'
import { coin, id, limit, oneOf, oneOfOr, productType, symbol, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, contractNamed, historyWindow, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { formOf } from './written.ts'

const source = 'wire/client-endpoints §4'
const tenPerSecond = { perSecond: 10, per: 'uid' } as const

const windowFields = {
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  idLessThan: Type.Optional(id()),
}

const spotForm = formOf(dictionary.spotBill)
const mixForm = formOf(dictionary.mixBill)

const spotBills = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/bills',
  summary: 'Every change of the spot account, with the balance after it',
  source,
  access: { permission: 'spot_trade', level: 'read' },
  limit: tenPerSecond,
  request: Type.Object({
    coin: Type.Optional(coin()),
    groupType: Type.Optional(oneOf(dictionary.spotGroups)),
    businessType: Type.Optional(oneOf(dictionary.spotBusinessTypes)),
    ...windowFields,
    limit: limit(100, 500),
  }),
  response: Type.Array(records.SpotBill),
  async handle(context, { groupType, businessType, ...input }) {
    const wallet = walletOf(context.account, 'SPOT')
    const query = {
      uid: context.account.uid,
      wallet,
      coin: input.coin === undefined ? undefined : coinNamed(context, input.coin).id,
      categories: wallet === 'uta' ? (['SPOT', 'MARGIN', 'OTHER'] as const) : undefined,
      kinds:
        groupType === undefined && businessType === undefined
          ? undefined
          : billKinds((shape) => {
              const words = dictionary.spotBillWords(shape)
              return (
                (groupType ?? words.groupType) === words.groupType &&
                (businessType ?? words.businessType) === words.businessType
              )
            }),
      ...historyWindow(context.now, input),
      beforeId: input.idLessThan,
      limit: input.limit,
    } as const
    const { texts } = await context.history.written('bills', query, spotForm, context.catalog.catalog)
    return listText<records.SpotBill>(texts)
  },
})

const mixBill = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/bill',
  summary: 'Every change of a futures account, with the balance after it',
  source,
  access: { permission: 'contract_trade', level: 'read' },
  limit: tenPerSecond,
  request: Type.Object({
    productType: productType(),
    symbol: Type.Optional(symbol()),
    coin: Type.Optional(coin()),
    businessType: Type.Optional(oneOf(dictionary.mixBusinessTypes)),
    onlyFunding: oneOfOr(['yes', 'no'], 'no', { description: 'yes: without moves of margin' }),
    ...windowFields,
    limit: limit(20, 100),
  }),
  response: records.MixBills,
  async handle(context, { productType: line, businessType, ...input }) {
    const wallet = walletOf(context.account, line)
    const withoutMoves = input.onlyFunding === 'yes'
    const query = {
      uid: context.account.uid,
      wallet,
      coin: input.coin === undefined ? undefined : coinNamed(context, input.coin).id,
      categories: wallet === 'uta' ? [line] : undefined,
      instrument: input.symbol === undefined ? undefined : contractNamed(context, line, input.symbol).id,
      kinds:
        businessType === undefined && !withoutMoves
          ? undefined
          : billKinds((shape) => {
              const word = dictionary.mixBillWord(shape)
              return (businessType ?? word) === word && !(withoutMoves && dictionary.marginMoves.includes(word))
            }),
      ...historyWindow(context.now, input),
      beforeId: input.idLessThan,
      limit: input.limit,
    } as const
    const page = await context.history.written('bills', query, mixForm, context.catalog.catalog)
    return objectText({ bills: listText<records.MixBill>(page.texts), endId: String(page.last ?? '') })
  },
})

export const billEndpoints: readonly Endpoint[] = [spotBills, mixBill]
