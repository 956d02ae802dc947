/**
 * What moved an account's money, as v3 lists it: bills of the unified and of the funding wallet, transfers between main
 * and sub-accounts, conversions. Of the last 90 days, newest first.
 *
 * Category  OTHER is what belongs to no product: transfers, deposits and withdrawals
 * Type      the words of the answer, in any case; one that the venue never makes matches nothing
 * Convert   coins that the house converted, and those that were sold for a debt, by request or in a liquidation
 * Source    wire/v3-endpoints.md §4
 */
import Type from 'typebox'
import type { Category } from '../../engine/catalog/catalog.ts'
import type { AccountBill, RowForm } from '../../history/history.ts'
import { billKinds } from '../bill-kinds.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { type V3Dialect, unknownCoin, unknownSymbol } from '../errors/errors.ts'
import { ownOrSub } from '../own-sub-accounts.ts'
import * as field from '../parsing/fields.ts'
import { timeWindow } from '../parsing/time-window.ts'
import * as wire from './dictionary.ts'
import { before, nextCursor, pageFields, spanDays, writtenList } from './pages.ts'
import * as records from './records.ts'

const access = { permission: 'uta_mgt', level: 'read' } as const
const source = 'wire/v3-endpoints §4'
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

function coinId(catalog: CatalogIndex, name: string | undefined): number | undefined {
  if (name === undefined) return undefined
  const found = catalog.coinNamed(name)
  if (found === undefined) throw unknownCoin(name)
  return found.id
}

const billForm: RowForm<AccountBill, CatalogIndex> = { write: wire.financialRecord }
const fundingForm: RowForm<AccountBill, CatalogIndex> = { write: wire.fundingBill }

const financialRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/financial-records',
  summary: 'Every change of the unified wallet, with the balance after it',
  source,
  access,
  limit: perSecond(20),
  request: Type.Object({
    category: field.oneOf([...field.categories, 'OTHER'] as const),
    coin: Type.Optional(field.coin()),
    symbol: Type.Optional(field.symbol()),
    type: Type.Optional(field.text(64)),
    ...pageFields,
  }),
  response: records.pageOf(records.FinancialRecord),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const type = input.type?.toUpperCase()
    const query = {
      uid: account.uid,
      wallet: 'uta',
      categories: [input.category],
      coin: coinId(catalog, input.coin),
      instrument: input.symbol === undefined ? undefined : instrumentNamed(catalog, input.category, input.symbol),
      kinds: type === undefined ? undefined : billKinds((shape) => wire.billType(shape) === type),
      beforeId: beforeBill('bills', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    } as const
    return writtenList(dialect, 'bills', await history.written('bills', query, billForm, catalog))
  },
})

/** Some clients page by the `id` of the last bill that they have seen: it is taken as well. */
function beforeBill(
  list: 'bills' | 'funding-bills',
  cursor: string | undefined,
  dialect: V3Dialect,
): number | undefined {
  return cursor !== undefined && /^\d{1,16}$/.test(cursor) ? Number(cursor) : before(list, cursor, dialect)
}

function instrumentNamed(catalog: CatalogIndex, category: Category | 'OTHER', symbol: string): number {
  const found = category === 'OTHER' ? undefined : catalog.find<Category>(category, symbol)
  if (found === undefined) throw unknownSymbol(symbol)
  return found.id
}

const fundingFinancialRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/funding-financial-records',
  summary: 'Every change of the funding wallet, with the balance after it',
  source,
  access,
  limit: perSecond(10),
  request: Type.Object({ coin: Type.Optional(field.coin()), ...pageFields }),
  response: records.pageOf(records.FundingRecord),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const query = {
      uid: account.uid,
      wallet: 'spot',
      coin: coinId(catalog, input.coin),
      beforeId: beforeBill('funding-bills', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    } as const
    return writtenList(dialect, 'funding-bills', await history.written('bills', query, fundingForm, catalog))
  },
})

const subTransferRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/sub-transfer-record',
  summary: 'Transfers between the main account and its sub-accounts',
  source,
  access,
  limit: perSecond(5),
  request: Type.Object({
    subUid: Type.Optional(field.id()),
    role: Type.Optional(field.oneOf(['initiator', 'receiver'])),
    coin: Type.Optional(field.coin()),
    clientOid: Type.Optional(field.text(64)),
    ...pageFields,
  }),
  response: Type.Object({
    list: Type.Array(records.FamilyTransfer),
    // Clients read the list under either name.
    items: Type.Array(records.FamilyTransfer),
    cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  handle: async (context, input) => {
    const { catalog, dialect, history, now } = context
    const page = await history.transfers({
      uid: ownOrSub(context, input.subUid),
      between: 'accounts',
      role: input.role === undefined ? undefined : input.role === 'initiator' ? 'sender' : 'receiver',
      coin: coinId(catalog, input.coin),
      clientOid: input.clientOid,
      beforeId: before('transfers', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    })
    const list = page.rows.map((transfer) => wire.familyTransfer(transfer, catalog))
    return {
      list,
      items: list,
      cursor: nextCursor(dialect, 'transfers', page),
    }
  },
})

const convertRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/convert-records',
  summary: 'Coins of the unified wallet that became others: by a quote of the house, or to pay debt',
  source,
  access,
  limit: perSecond(20),
  request: Type.Object({
    fromCoin: Type.Optional(field.coin()),
    toCoin: Type.Optional(field.coin()),
    ...pageFields,
  }),
  response: records.pageOf(records.ConvertRecord),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const page = await history.conversions({
      uid: account.uid,
      wallets: ['uta'],
      fromCoin: coinId(catalog, input.fromCoin),
      toCoin: coinId(catalog, input.toCoin),
      beforeId: before('conversions', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    })
    return {
      list: page.rows.map((conversion) => wire.convertRecord(conversion, catalog)),
      cursor: nextCursor(dialect, 'conversions', page),
    }
  },
})

export const billEndpoints: readonly Endpoint[] = [
  financialRecords,
  fundingFinancialRecords,
  subTransferRecords,
  convertRecords,
]
