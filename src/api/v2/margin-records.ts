/**
 * What happened in the cross-margin account, of the last 90 days, newest first: loans, repayments, interest, liquidations,
 * and every posting with the balance after it.
 *
 * Pages     `idLessThan` takes the `minId` of the page before
 * Lists     from a time on, which has to be named. Clients ask from 90 days before their own clock: older times are cut,
 *           not refused
 * USD       a liquidation's totals and fee are in US dollars at index prices, for it may touch many coins
 * Source    wire/client-endpoints.md §4 "Cross margin"; risk-engine.md §17
 */
import Type, { type Static } from 'typebox'
import { billKinds } from '../bill-kinds.ts'
import { type Endpoint, type PrivateContext, defineEndpoint } from '../endpoint.ts'
import { listText, objectText } from '../json-text.ts'
import { coin, id, limit, oneOf, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindowCut, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { formOf } from './written.ts'

const access = { permission: 'margin_trade', level: 'read' } as const
const tenPerSecond = { perSecond: 10, per: 'uid' } as const
const source = 'wire/client-endpoints §4'

const pageFields = {
  startTime: timestamp(),
  endTime: Type.Optional(timestamp()),
  idLessThan: Type.Optional(id()),
  limit: limit(100, 500),
}
const Page = Type.Object(pageFields)
const coinFields = { coin: Type.Optional(coin()), ...pageFields }
const CoinPage = Type.Object(coinFields)

function pageAsk(context: PrivateContext, input: Static<typeof Page>) {
  return {
    uid: context.account.uid,
    wallet: walletOf(context.account, 'MARGIN'),
    beforeId: input.idLessThan,
    limit: input.limit,
    ...historyWindowCut(context.now, input),
  }
}

function coinAsk(context: PrivateContext, input: Static<typeof CoinPage>) {
  const wanted = input.coin === undefined ? undefined : coinNamed(context, input.coin).id
  return { ...pageAsk(context, input), coin: wanted }
}

/** A list with the newest and the oldest number of its rows. */
function listOf<Row, Shown>(rows: readonly Row[], show: (row: Row) => Shown, numberOf: (row: Row) => number) {
  return { resultList: rows.map(show), ...bounds(rows.map(numberOf)) }
}

function bounds(numbers: readonly number[]): { maxId: string; minId: string } {
  return { maxId: String(numbers[0] ?? ''), minId: String(numbers.at(-1) ?? '') }
}

const borrowHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/borrow-history',
  summary: 'Loans of the cross-margin account',
  source,
  access,
  limit: tenPerSecond,
  request: Type.Object({ loanId: Type.Optional(id()), ...coinFields }),
  response: records.marginList(records.MarginLoan),
  async handle(context, input) {
    const { rows } = await context.history.loans({ ...coinAsk(context, input), id: input.loanId })
    return listOf(
      rows,
      (loan) => dictionary.marginLoan(context.catalog.catalog, loan),
      (loan) => loan.loanId,
    )
  },
})

const repayHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/repay-history',
  summary: 'Repayments of the cross-margin account',
  source,
  access,
  limit: tenPerSecond,
  request: Type.Object({ repayId: Type.Optional(id()), ...coinFields }),
  response: records.marginList(records.MarginRepayment),
  async handle(context, input) {
    const { rows } = await context.history.repayments({ ...coinAsk(context, input), id: input.repayId })
    return listOf(
      rows,
      (repayment) => dictionary.marginRepayment(context.catalog.catalog, repayment),
      (repayment) => repayment.repayId,
    )
  },
})

const interestHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/interest-history',
  summary: 'Interest of the cross-margin account, hour by hour',
  source,
  access,
  limit: tenPerSecond,
  request: CoinPage,
  response: records.marginList(records.MarginInterest),
  async handle(context, input) {
    const { rows } = await context.history.interest(coinAsk(context, input))
    return listOf(
      rows,
      (interest) => dictionary.marginInterest(context.catalog.catalog, interest),
      (interest) => interest.id,
    )
  },
})

const liquidationHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/liquidation-history',
  summary: 'Liquidations of the cross-margin account',
  source,
  access,
  limit: tenPerSecond,
  request: Page,
  response: records.marginList(records.MarginLiquidation),
  async handle(context, input) {
    const { rows } = await context.history.marginLiquidations(pageAsk(context, input))
    return listOf(rows, dictionary.marginLiquidation, (liquidation) => liquidation.liquidationId)
  },
})

const billForm = formOf(dictionary.marginBill)

const financialRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/financial-records',
  summary: 'Postings of the cross-margin account, each with the balance after it',
  source,
  access,
  limit: tenPerSecond,
  request: Type.Object({ marginType: Type.Optional(oneOf(dictionary.marginBillTypes)), ...coinFields }),
  response: records.marginList(records.MarginBill),
  async handle(context, input) {
    const { marginType } = input
    const query = {
      ...coinAsk(context, input),
      categories: ['MARGIN', 'OTHER'] as const,
      kinds: billKinds((shape) => {
        const word = dictionary.marginBillWord(shape)
        return word !== '' && (marginType ?? word) === word
      }),
    }
    const { ids, texts } = await context.history.written('bills', query, billForm, context.catalog.catalog)
    return objectText({ resultList: listText<records.MarginBill>(texts), ...bounds(ids) })
  },
})

export const marginRecordEndpoints: readonly Endpoint[] = [
  borrowHistory,
  repayHistory,
  interestHistory,
  liquidationHistory,
  financialRecords,
]
