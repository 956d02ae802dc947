/**
 * Looking at one's own orders and fills through v3.
 *
 * Writes    what was acknowledged before a read began is in its answer (design §4.27)
 * Paging    newest first; the cursor of an answer is null at the end of the list
 * Unknown   the order of a request whose outcome is unknown is found here by its `clientOid` (design §4.5)
 * Source    interface.md E1; design.md §4.7; wire/v3-endpoints.md §2
 */
import Type from 'typebox'
import type { Category, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { FillEvent, OrderRecord, PositionClosed } from '../../engine/protocol/event.ts'
import type { Page, RowForm } from '../../history/history.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { ApiError, type V3Dialect, orderNotFound, unknownSymbol } from '../errors/errors.ts'
import { isCursor } from '../parsing/cursor.ts'
import * as field from '../parsing/fields.ts'
import { checkTimes, timeWindow } from '../parsing/time-window.ts'
import * as wire from './dictionary.ts'
import { namedInstrument } from './market.ts'
import { before, nextCursor, pageFields, recordedWallets, spanDays, writtenList } from './pages.ts'
import * as records from './records.ts'

const access = { permission: 'uta_trade', level: 'read' } as const
const limit = { perSecond: 20, per: 'uid' } as const
const source = 'wire/v3-endpoints §2'

type FillForm = RowForm<FillEvent, CatalogIndex>
const fillForms: Readonly<Record<V3Dialect, FillForm>> = {
  interface: { write: (fill, catalog) => wire.fillRecord(fill, catalog, 'interface') },
  live: { write: (fill, catalog) => wire.fillRecord(fill, catalog, 'live') },
}
const orderForm: RowForm<OrderRecord, CatalogIndex> = { write: wire.orderRecord }

const fills = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/fills',
  summary: "The caller's fills of the last 90 days, newest first",
  source: 'interface E1; design §4.7',
  access,
  limit,
  request: Type.Object({
    category: Type.Optional(field.category()),
    orderId: Type.Optional(field.id()),
    ...pageFields,
  }),
  response: records.pageOf(records.Fill),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const query = {
      uid: account.uid,
      categories: input.category === undefined ? undefined : [input.category],
      orderId: input.orderId,
      beforeExecId: before('fills', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    }
    return writtenList(dialect, 'fills', await history.written('fills', query, fillForms[dialect], catalog))
  },
})

const orderInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/order-info',
  summary: 'One order, open or ended, by orderId or clientOid',
  source,
  access,
  limit,
  request: Type.Object({ orderId: Type.Optional(field.id()), clientOid: Type.Optional(field.clientOidV3()) }),
  response: records.Order,
  handle: async ({ account, catalog, core, history }, { orderId, clientOid }) => {
    if (orderId === undefined && clientOid === undefined) throw new ApiError('40924')
    const { uid } = account
    const open = core.query({ kind: 'order', uid, order: { orderId, clientOid: clientOid ?? '' } })
    const order =
      open ?? (await history.order(orderId === undefined ? { uid, clientOid: clientOid ?? '' } : { uid, orderId }))
    if (order === undefined) throw orderNotFound('v3')
    return wire.orderRecord(order, catalog)
  },
})

const unfilledOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/unfilled-orders',
  summary: 'Open orders, newest first',
  source,
  access,
  limit,
  request: Type.Object({
    category: Type.Optional(field.category()),
    symbol: Type.Optional(field.symbol()),
    ...pageFields,
  }),
  response: records.pageOf(records.OpenOrder),
  handle: ({ account, catalog, core, dialect }, input) => {
    checkTimes(input)
    const wanted = instrumentsNamed(catalog, input.category, input.symbol)
    const older = before('open-orders', input.cursor, dialect)
    const open = core
      .query({
        kind: 'open-orders',
        uid: account.uid,
        interface: 'v3',
        category: input.category,
        instrument: wanted?.length === 1 ? wanted[0] : undefined,
      })
      .filter((order) => isWanted(order, { wanted, older, from: input.startTime, to: input.endTime }))
    const rows = open.slice(0, input.limit)
    const last = rows.at(-1)?.orderId
    return {
      list: rows.map((order) => wire.openOrderRecord(order, catalog)),
      cursor: nextCursor(dialect, 'open-orders', { next: open.length > rows.length ? last : undefined, last }),
    }
  },
})

interface OpenOrderFilter {
  readonly wanted: readonly InstrumentId[] | undefined
  readonly older: number | undefined
  readonly from: number | undefined
  readonly to: number | undefined
}

function isWanted(order: OrderRecord, { wanted, older, from, to }: OpenOrderFilter): boolean {
  return (
    (wanted === undefined || wanted.includes(order.instrument)) &&
    (older === undefined || order.orderId < older) &&
    (from === undefined || order.createdAt >= from) &&
    (to === undefined || order.createdAt <= to)
  )
}

/** The instruments that a category and a symbol name, either of which may be absent; undefined: all. */
function instrumentsNamed(
  catalog: CatalogIndex,
  category: Category | undefined,
  symbol: string | undefined,
): readonly InstrumentId[] | undefined {
  if (symbol === undefined) return undefined
  if (category !== undefined) return [namedInstrument(catalog, category, symbol).id]
  const found = catalog.catalog.instruments.filter((instrument) => instrument.symbol === symbol)
  if (found.length === 0) throw unknownSymbol(symbol)
  return found.map((instrument) => instrument.id)
}

const historyOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v3/trade/history-orders',
  summary: 'Ended orders of the last 90 days, newest first',
  source,
  access,
  limit,
  request: Type.Object({ category: field.category(), symbol: Type.Optional(field.symbol()), ...pageFields }),
  response: records.pageOf(records.Order),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const { category, symbol } = input
    const query = {
      uid: account.uid,
      categories: [category],
      instrument: symbol === undefined ? undefined : namedInstrument<Category>(catalog, category, symbol).id,
      beforeOrderId: before('orders', input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    }
    return writtenList(dialect, 'orders', await history.written('orders', query, orderForm, catalog))
  },
})

/** In the live dialect a closed position is named by its own id, in the list by the number of its closing. */
function beforePosition(cursor: string | undefined, dialect: V3Dialect) {
  const named = before('positions', cursor, dialect)
  const isOwn = cursor !== undefined && isCursor('positions', cursor)
  return dialect === 'interface' || isOwn ? { beforeId: named } : { beforePositionId: named }
}

function nextPosition({ next, last, rows }: Page<PositionClosed>, dialect: V3Dialect): string | null {
  if (dialect === 'interface') return nextCursor(dialect, 'positions', { next, last })
  const positionId = rows.at(-1)?.positionId
  return nextCursor(dialect, 'positions', { next: positionId, last: positionId })
}

const historyPosition = defineEndpoint({
  method: 'GET',
  path: '/api/v3/position/history-position',
  summary: 'Closed positions of the last 90 days, newest first',
  source: 'wire/v3-endpoints §3',
  access,
  limit,
  request: Type.Object({ category: field.productType(), symbol: Type.Optional(field.symbol()), ...pageFields }),
  response: records.pageOf(records.ClosedPosition),
  handle: async ({ account, catalog, dialect, history, now }, input) => {
    const { category, symbol } = input
    const instruments = symbol === undefined ? catalog.list(category) : [namedInstrument(catalog, category, symbol)]
    const page = await history.positions({
      uid: account.uid,
      wallets: recordedWallets(account),
      instruments: instruments.map((instrument) => instrument.id),
      ...beforePosition(input.cursor, dialect),
      limit: input.limit,
      ...timeWindow(input, { now, spanDays }),
    })
    return {
      list: page.rows.map((position) => wire.closedPositionRecord(position, catalog)),
      cursor: nextPosition(page, dialect),
    }
  },
})

const currentPosition = defineEndpoint({
  method: 'GET',
  path: '/api/v3/position/current-position',
  summary: 'Open positions of a product line',
  source: 'wire/v3-endpoints §3',
  access,
  limit,
  request: Type.Object({
    category: field.productType(),
    symbol: Type.Optional(field.symbol()),
    posSide: Type.Optional(field.oneOf(['long', 'short'])),
  }),
  response: Type.Object({ list: Type.Union([Type.Array(records.Position), Type.Null()]) }),
  handle: ({ account, catalog, core }, { category, symbol, posSide }) => {
    const instrument = symbol === undefined ? undefined : namedInstrument(catalog, category, symbol).id
    const positions = core.query({ kind: 'positions', uid: account.uid, interface: 'v3', line: category, instrument })
    const list = positions
      .filter((position) => posSide === undefined || position.side === posSide)
      .map((position) => wire.positionRecord(position, catalog))
    // With none the live venue answers null.
    return { list: list.length === 0 ? null : list }
  },
})

export const orderListEndpoints: readonly Endpoint[] = [
  fills,
  orderInfo,
  unfilledOrders,
  historyOrders,
  currentPosition,
  historyPosition,
]
