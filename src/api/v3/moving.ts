/**
 * Moving positions within a family in v3, and what was moved.
 *
 * Who        the key of the main account, between it and its sub-accounts or between two of these
 * Entries    each moves or fails alone, answered in request order in both lists; `side` is the position's: buy for long
 * History    moves that the caller made, gave or took; `orderId` is the order on the caller's side of it
 * Source     wire/v3-endpoints.md §3
 */
import Type from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { MovePosition } from '../../engine/protocol/command.ts'
import type { PositionMoved } from '../../engine/protocol/event.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, entryError, refusalError, wrongParameter } from '../errors/errors.ts'
import { formatLots, formatTicks } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import { parseQuantity } from '../parsing/orders.ts'
import { timeWindow } from '../parsing/time-window.ts'
import { namedInstrument } from './market.ts'
import { before, nextCursor } from './pages.ts'
import * as records from './records.ts'

const source = 'wire/v3-endpoints §3'
const entriesMax = 20
/** Longest span of one query. */
const spanDays = 30

const movePositions = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/move-positions',
  summary: 'Moves positions to another account of the family at the mark price',
  source,
  access: { permission: 'uta_mgt', level: 'write', mainAccount: true },
  limit: { perSecond: 1, per: 'uid' },
  request: Type.Object({
    fromUid: field.id(),
    toUid: field.id(),
    category: field.productType(),
    positionList: field.list(
      Type.Object({ symbol: field.symbol(), side: field.oneOf(['buy', 'sell']), qty: field.decimal() }),
      1,
      entriesMax,
    ),
  }),
  response: records.MovedPositions,
  handle: async (context, { fromUid, toUid, category, positionList }) => {
    const { account, catalog, core } = context
    for (const uid of [fromUid, toUid]) {
      const found = core.query({ kind: 'account', uid })
      if (found === undefined || (found.parentUid ?? found.uid) !== account.uid) throw new ApiError('43127')
    }
    if (fromUid === toUid) throw wrongParameter('v3', 'toUid', 'should be another account than fromUid')
    const wanted = positionList.map(({ symbol, side, qty }) => {
      const instrument = namedInstrument(catalog, category, symbol)
      const quantity = parseQuantity(qty, instrument, 'qty')
      if (quantity === 0) throw wrongParameter('v3', 'qty', 'should be greater than 0')
      return { instrument, side: side === 'buy' ? 'long' : 'short', quantity } as const
    })
    const commands = wanted.map(({ instrument, side, quantity }): MovePosition => {
      return { kind: 'move-position', actorUid: account.uid, fromUid, toUid, instrument: instrument.id, side, quantity }
    })
    const replies = await core.submitAll(commands)
    const entries = (which: 'closed' | 'opened') =>
      replies.map((reply, index) => entryOf(reply, which, context, wanted[index]?.instrument))
    return { closePosition: entries('closed'), openPosition: entries('opened') }
  },
})

function entryOf(
  reply: Reply,
  which: 'closed' | 'opened',
  context: PrivateContext,
  instrument: FuturesInstrument | undefined,
) {
  if (reply.kind === 'position-moved') {
    const orderId = String(reply[which])
    return { orderId, clientOid: orderId, code: '00000', msg: 'success' }
  }
  if (reply.kind !== 'refused') throw new Error(`a move was answered with ${reply.kind}`)
  const error = refusalError(reply.refusal, 'v3', { catalog: context.catalog, instrument })
  return { orderId: '', clientOid: '', ...entryError(error, context) }
}

const moveHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/move-position-history',
  summary: 'Positions that were moved by, from or to the account, newest first',
  source,
  access: { permission: 'uta_mgt', level: 'read' },
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    category: field.productType(),
    symbol: Type.Optional(field.symbol()),
    startTime: Type.Optional(field.timestamp()),
    endTime: Type.Optional(field.timestamp()),
    limit: field.limit(100, 100),
    cursor: Type.Optional(field.cursor()),
  }),
  response: records.pageOf(records.MovedPosition),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const { category, symbol, cursor } = input
    const page = await history.positionMoves({
      uid: account.uid,
      category,
      instrument: symbol === undefined ? undefined : namedInstrument(catalog, category, symbol).id,
      beforeId: before('position-moves', cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    })
    return {
      list: page.rows.map((move) => moveRecord(move, account.uid, catalog)),
      cursor: nextCursor(dialect, 'position-moves', page),
    }
  },
})

function moveRecord(move: PositionMoved, reader: number, catalog: CatalogIndex) {
  const instrument = catalog.instrument(move.instrument)
  const at = String(move.at)
  return {
    category: move.category,
    fromUid: String(move.fromUid),
    toUid: String(move.toUid),
    orderId: String(move.toUid === reader ? move.openOrderId : move.closeOrderId),
    openExecId: String(move.openExecId),
    closeExecId: String(move.closeExecId),
    symbol: instrument.symbol,
    posSide: move.side,
    qty: formatLots(move.quantity, instrument),
    price: formatTicks(move.price, instrument),
    status: 'completed',
    createdTime: at,
    updatedTime: at,
  }
}

export const movingEndpoints: readonly Endpoint[] = [movePositions, moveHistory]
