/**
 * Transfers of the last 90 days, newest first: within the account, and between it and its family.
 *
 * Type      `fromType` is the wallet that the money left
 * Pages     `idLessThan` takes the last `transferId` of the page before; `pageNum` leaves whole pages out
 * Family    a main account may look at one of its sub-accounts: what that one sent to anybody and received
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §5
 */
import Type from 'typebox'
import { walletTypes } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { ownOrSub } from '../own-sub-accounts.ts'
import { coin, id, limit, oneOf, page, text, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindow } from './lookups.ts'
import * as records from './records.ts'

const source = 'wire/client-endpoints §4'
const twentyPerSecond = { perSecond: 20, per: 'uid' } as const
const access = { permission: 'spot_trade', level: 'read' } as const

const listFields = {
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  clientOid: Type.Optional(text(64)),
  idLessThan: Type.Optional(id()),
}

const pagesMax = 20

const transferRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/transferRecords',
  summary: 'Transfers that the account sent or received',
  source,
  access,
  limit: twentyPerSecond,
  request: Type.Object({
    coin: coin(),
    fromType: Type.Optional(oneOf(walletTypes)),
    ...listFields,
    pageNum: page(pagesMax),
    limit: limit(100, 500),
  }),
  response: Type.Array(records.TransferRecord),
  async handle(context, input) {
    const ask = {
      uid: context.account.uid,
      coin: coinNamed(context, input.coin).id,
      fromWallet: input.fromType,
      clientOid: input.clientOid,
      limit: input.limit,
      ...historyWindow(context.now, input),
    }
    let found = await context.history.transfers({ ...ask, beforeId: input.idLessThan })
    for (let passed = 1; passed < input.pageNum; passed++) {
      if (found.next === undefined) return []
      found = await context.history.transfers({ ...ask, beforeId: found.next })
    }
    return found.rows.map((transfer) => dictionary.transferRecord(context.catalog.catalog, transfer))
  },
})

const subMainTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/sub-main-trans-record',
  summary: 'Transfers between the main account and its sub-accounts',
  source,
  access,
  limit: twentyPerSecond,
  request: Type.Object({
    coin: Type.Optional(coin()),
    role: Type.Optional(
      oneOf(['initiator', 'receiver'], { description: 'who sent, or who received; both by default' }),
    ),
    subUid: Type.Optional(id()),
    ...listFields,
    limit: limit(100, 100),
  }),
  response: Type.Array(records.FamilyTransferRecord),
  async handle(context, input) {
    const { rows } = await context.history.transfers({
      uid: ownOrSub(context, input.subUid),
      between: 'accounts',
      role: input.role === undefined ? undefined : input.role === 'initiator' ? 'sender' : 'receiver',
      coin: input.coin === undefined ? undefined : coinNamed(context, input.coin).id,
      clientOid: input.clientOid,
      beforeId: input.idLessThan,
      limit: input.limit,
      ...historyWindow(context.now, input),
    })
    return rows.map((transfer) => dictionary.familyTransferRecord(context.catalog.catalog, transfer))
  },
})

export const transferRecordEndpoints: readonly Endpoint[] = [transferRecords, subMainTransfers]
