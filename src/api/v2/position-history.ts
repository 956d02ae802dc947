/**
 * Closed futures positions of the last 90 days, the last closed first.
 *
 * Named     by nothing: every product line; by a symbol alone: the contract of that name in whichever line has it
 * Times     under both spellings that clients read
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §5
 */
import Type from 'typebox'
import { type InstrumentId, type ProductLine, productLines } from '../../engine/catalog/catalog.ts'
import { type Context, defineEndpoint, type Endpoint } from '../endpoint.ts'
import { unknownSymbol } from '../errors/errors.ts'
import { id, limit, productType, symbol, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { contractNamed, historyWindow, recordedWallets } from './lookups.ts'
import * as records from './records.ts'

const historyPosition = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/position/history-position',
  summary: 'Closed positions of the last 90 days',
  source: 'wire/client-endpoints §4',
  access: { permission: 'contract_trade', level: 'read' },
  limit: { perSecond: 20, per: 'uid' },
  request: Type.Object({
    symbol: Type.Optional(symbol()),
    productType: Type.Optional(productType()),
    idLessThan: Type.Optional(id()),
    startTime: Type.Optional(timestamp()),
    endTime: Type.Optional(timestamp()),
    limit: limit(20, 100),
  }),
  response: records.ClosedPositions,
  async handle(context, input) {
    const { rows, next } = await context.history.positions({
      uid: context.account.uid,
      wallets: recordedWallets(context.account, ...productLines),
      instruments: contractsMeant(context, input.productType, input.symbol),
      beforeId: input.idLessThan,
      limit: input.limit,
      ...historyWindow(context.now, input),
    })
    return {
      list: rows.map((position) => dictionary.closedPosition(context.catalog.catalog, position)),
      endId: next === undefined ? '' : String(next),
    }
  },
})

function contractsMeant(
  context: Context,
  line: ProductLine | undefined,
  name: string | undefined,
): readonly InstrumentId[] | undefined {
  if (line !== undefined) {
    const meant = name === undefined ? context.catalog.list(line) : [contractNamed(context, line, name)]
    return meant.map((instrument) => instrument.id)
  }
  if (name === undefined) return undefined
  const found = productLines.flatMap((productLine) => context.catalog.find(productLine, name) ?? [])
  if (found.length === 0) throw unknownSymbol(name)
  return found.map((instrument) => instrument.id)
}

export const positionHistoryEndpoints: readonly Endpoint[] = [historyPosition]
