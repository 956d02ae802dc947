/**
 * Futures of v2: new terms for an order, positions closed at once and turned round.
 *
 * Modify    a new price or size is a new order, with a number and the `newClientOid` of its own, in the place of the old
 *           one; attached take-profit and stop-loss alone change the order itself. `newSize` is the size of the new order, left out: what the old one
 *           has left. An attached price of `0` is removed
 * Close     one order for each position; every position answers in one of the two lists
 * Reverse   answers the order that closes, which has the `clientOid`; in one-way mode it opens as well
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §1
 */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import type { Command, AttachedTpsl } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { TpslTerms } from '../../engine/vocabulary.ts'
import { checkAttachedTpsl, openedBy } from '../attached-tpsl.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, messageOf, refusalError } from '../errors/errors.ts'
import { isOfOtherVersion } from '../own-orders.ts'
import { clientOidV2, coin, decimal, id, oneOf, productType, symbol } from '../parsing/fields.ts'
import { parseExecutePrice, parsePrice } from '../parsing/orders.ts'
import { receiveWindowFields } from '../parsing/receive-window.ts'
import { checkMarginCoin, contractNamed, orderReference } from './lookups.ts'
import { mixQuantity, mixSide } from './placing.ts'
import * as records from './records.ts'
import { accepted, acknowledgement, numbered } from './replies.ts'

const access = { permission: 'contract_trade', level: 'write' } as const
const source = 'wire/client-endpoints §4'
const contractFields = { productType: productType(), symbol: symbol() }

const ModifyRequest = Type.Object({
  ...contractFields,
  orderId: Type.Optional(id()),
  clientOid: Type.Optional(clientOidV2()),
  newClientOid: Type.Optional(clientOidV2({ description: 'required for a new price or size' })),
  newSize: Type.Optional(decimal({ description: 'in base coin' })),
  newPrice: Type.Optional(decimal()),
  newPresetStopSurplusPrice: Type.Optional(decimal({ description: '0 removes it' })),
  newPresetStopLossPrice: Type.Optional(decimal({ description: '0 removes it' })),
  ...receiveWindowFields,
})
type ModifyRequest = Static<typeof ModifyRequest>

const modifyOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/modify-order',
  summary: 'Gives a resting futures order another price, size or presets',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: ModifyRequest,
  response: records.Placed,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    const reply = await context.core.submit(modifyCommand(context, contract, input))
    if (reply.kind === 'modified') return numbered(reply)
    return acknowledgement(accepted(reply, 'placed', 'futures', { catalog: context.catalog, instrument: contract }))
  },
})

function modifyCommand(context: PrivateContext, contract: FuturesInstrument, input: ModifyRequest): Command {
  const { newSize, newPrice, newPresetStopSurplusPrice: newProfit, newPresetStopLossPrice: newLoss } = input
  const replaces = newSize !== undefined || newPrice !== undefined
  const changesTpsl = newProfit !== undefined || newLoss !== undefined
  if (!replaces && !changesTpsl) {
    throw new ApiError('40913', ['newSize, newPrice, newPresetStopSurplusPrice, newPresetStopLossPrice'])
  }
  if (replaces && input.newClientOid === undefined) throw new ApiError('22003')
  const { uid } = context.account
  const found = context.core.query({ kind: 'order', uid, order: orderReference(input) })
  if (found === undefined || found.instrument !== contract.id || isOfOtherVersion(context.account, 'v2', found))
    throw refusalError({ kind: 'order-unknown' }, 'futures')
  const order = { orderId: found.orderId, clientOid: '' }
  const price = newPrice === undefined ? undefined : parsePrice(newPrice, contract, 'newPrice')
  const attachedTpsl = changesTpsl ? attachedTpslAsked(contract, found, input) : undefined
  const asked = {
    ...(attachedTpsl ?? found),
    instrument: contract.id,
    opens: openedBy(found),
    price: price ?? found.price,
  }
  checkAttachedTpsl(context, asked, ['newPresetStopSurplusPrice', 'newPresetStopLossPrice'])
  if (!replaces) {
    const none = { price: undefined, quantity: undefined, autoCancel: false, requestId: '' }
    return {
      kind: 'amend-order',
      uid,
      order,
      category: contract.category,
      instrument: contract.id,
      attachedTpsl,
      ...none,
    }
  }
  return {
    kind: 'replace-order',
    uid,
    interface: 'v2',
    order,
    categories: [contract.category],
    instrument: contract.id,
    price,
    quantity: newSize === undefined ? undefined : mixQuantity(newSize, contract, 'newSize'),
    attachedTpsl,
    clientOid: input.newClientOid ?? '',
    channelCode: context.channelCode,
  }
}

function attachedTpslAsked(contract: FuturesInstrument, order: OrderRecord, input: ModifyRequest): AttachedTpsl {
  const asked = (before: TpslTerms | undefined, name: 'newPresetStopSurplusPrice' | 'newPresetStopLossPrice') => {
    const text = input[name]
    if (text === undefined) return before
    const trigger = parseExecutePrice(text, contract, name)
    return trigger === 0 ? undefined : { execute: 0 as const, by: 'mark' as const, ...before, trigger }
  }
  return {
    takeProfit: asked(order.takeProfit, 'newPresetStopSurplusPrice'),
    stopLoss: asked(order.stopLoss, 'newPresetStopLossPrice'),
  }
}

const closePositions = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/close-positions',
  summary: 'Closes all positions of a product line, of one contract, or of one side of it, at market',
  source,
  access,
  limit: { perSecond: 1, per: 'uid' },
  request: Type.Object({
    productType: productType(),
    symbol: Type.Optional(symbol()),
    holdSide: Type.Optional(oneOf(['long', 'short'], { description: 'hedge mode only' })),
  }),
  response: records.PositionsClosed,
  async handle(context, { productType: line, symbol: name, holdSide }) {
    const { account, catalog, core, channelCode, locale } = context
    const contract = name === undefined ? undefined : contractNamed(context, line, name)
    const reply = await core.submit({
      kind: 'close-positions',
      uid: account.uid,
      interface: 'v2',
      line,
      instrument: contract?.id,
      positionSide: holdSide,
      channelCode,
    })
    const { positions } = accepted(reply, 'positions-closed', 'futures', { catalog, instrument: contract })
    const answer: Static<typeof records.PositionsClosed> = { successList: [], failureList: [], result: false }
    for (const { instrument: closed, reply: closing } of positions) {
      const instrument = catalog.instrument(closed)
      if (closing.kind === 'placed') answer.successList.push({ ...numbered(closing), symbol: instrument.symbol })
      else if (closing.kind === 'refused') {
        const error = refusalError(closing.refusal, 'futures', { catalog, instrument })
        const said = { errorMsg: messageOf(error, locale), errorCode: error.code }
        answer.failureList.push({ orderId: '', clientOid: '', symbol: instrument.symbol, ...said })
      }
    }
    return answer
  },
})

const clickBackhand = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/order/click-backhand',
  summary: 'Turns a position round: closes it, or a part of it, and opens as much the other way',
  source,
  access,
  limit: { perSecond: 10, per: 'uid', copyTraderPerSecond: 1 },
  request: Type.Object({
    ...contractFields,
    marginCoin: coin(),
    size: Type.Optional(decimal({ description: 'in base coin; absent: all of the position' })),
    side: mixSide('one-way mode: of the order; hedge mode: direction of the position that is closed (open: opened)'),
    tradeSide: Type.Optional(oneOf(['open', 'close'], { description: 'hedge mode only; close when absent' })),
    clientOid: Type.Optional(clientOidV2()),
  }),
  response: records.Acknowledgement,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const reply = await context.core.submit({
      kind: 'reverse-position',
      uid: context.account.uid,
      instrument: contract.id,
      marginCoin: contract.settle,
      side: input.side,
      tradeSide: input.tradeSide,
      quantity: input.size === undefined ? undefined : mixQuantity(input.size, contract),
      clientOid: input.clientOid ?? '',
      channelCode: context.channelCode,
    })
    const subject = { catalog: context.catalog, instrument: contract }
    const { opened, ...closed } = accepted(reply, 'reversed', 'futures', subject)
    if (opened !== undefined) accepted(opened, 'placed', 'futures', subject)
    return numbered(closed)
  },
})

export const mixAmendingEndpoints: readonly Endpoint[] = [modifyOrder, closePositions, clickBackhand]
