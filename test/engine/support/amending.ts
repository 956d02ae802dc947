/**
 * New terms for resting orders, in the words of the tests.
 *
 * Terms    `8 @ 110`, `8` (the price stays), `@ 110` (the quantity stays), then `or-cancel`
 * Answer   `amended`, `filled 3`, `filled 3, rests 5`, `canceled post-only`, `refused insufficient-margin`,
 *          `canceled instead: insufficient-margin`
 */
import type { AmendOrder, ReplaceOrder } from '../../../src/engine/protocol/command.ts'
import type { Refusal, Reply } from '../../../src/engine/protocol/reply.ts'
import { type Exchange, instrumentId } from './exchange.ts'
import { lotsOf, ticksOf } from './order-commands.ts'

export function amend(exchange: Exchange, who: string, clientOid: string, terms: string, requestId = ''): string {
  const { price, quantity, words } = read(exchange, terms)
  const command: AmendOrder = {
    kind: 'amend-order',
    uid: exchange.uid(who),
    order: { orderId: undefined, clientOid },
    category: undefined,
    instrument: undefined,
    price,
    quantity,
    attachedTpsl: undefined,
    autoCancel: words.includes('or-cancel'),
    requestId,
  }
  return cameOf(exchange, who, exchange.apply(command))
}

/** The new order is called `as`. */
export function replace(exchange: Exchange, who: string, clientOid: string, terms: string, as = 'new'): string {
  const { price, quantity } = read(exchange, terms)
  const { category } = exchange.instrument()
  const command: ReplaceOrder = {
    kind: 'replace-order',
    uid: exchange.uid(who),
    interface: 'v2',
    order: { orderId: undefined, clientOid },
    categories: category === 'SPOT' ? ['SPOT', 'MARGIN'] : [category],
    instrument: instrumentId(exchange.market),
    price,
    quantity: quantity === undefined ? undefined : { unit: 'lots', lots: quantity },
    attachedTpsl: undefined,
    clientOid: as,
    channelCode: '',
  }
  return cameOf(exchange, who, exchange.apply(command))
}

function read(exchange: Exchange, terms: string) {
  const [, quantity, price, words = ''] = /^([\d.]+)? ?(?:@ ([\d.]+))?((?: [a-z-]+)*)$/.exec(terms) ?? []
  const instrument = exchange.instrument()
  return {
    price: price === undefined ? undefined : ticksOf(instrument, price),
    quantity: quantity === undefined ? undefined : lotsOf(instrument, quantity),
    words,
  }
}

function cameOf(exchange: Exchange, who: string, reply: Reply): string {
  if (reply.kind === 'refused') return `refused ${kindOf(reply.refusal)}`
  if (reply.kind === 'canceled-instead') return `canceled instead: ${kindOf(reply.refusal)}`
  if (reply.kind !== 'modified' && reply.kind !== 'placed') return reply.kind
  const { clientOid } = reply
  const uid = exchange.uid(who)
  const own = (item: { readonly uid: number; readonly clientOid: string }) =>
    item.uid === uid && item.clientOid === clientOid
  const filled = exchange
    .fills()
    .filter(own)
    .reduce((sum, fill) => sum + fill.quantity, 0)
  const parts = filled > 0 ? [`filled ${exchange.quantity(filled)}`] : []
  const end = exchange.ended().find(own)
  if (end?.status === 'canceled') parts.push(`canceled ${end.cancelReason}`)
  if (end?.status === 'filled' && filled === 0) parts.push('ended as filled')
  const order = exchange.query({ kind: 'order', uid, order: { orderId: undefined, clientOid } })
  if (filled > 0 && order !== undefined) parts.push(`rests ${exchange.quantity(order.quantity - order.filled)}`)
  return parts.join(', ') || (reply.kind === 'placed' ? 'rests' : 'amended')
}

function kindOf(refusal: Refusal): string {
  return refusal.kind
}
