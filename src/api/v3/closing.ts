/**
 * Closing positions at once through v3, and the switch that cancels everything unless it is set anew.
 *
 * Positions   each is closed by an order of its own and answers in the list; none to close is a refusal (22002)
 * Countdown   for the whole account; 0 disarms it
 * Source      wire/v3-endpoints.md §2; wire/rate-limits-and-filters.md §1
 */
import Type from 'typebox'
import type { ProductLine } from '../../engine/catalog/catalog.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { entryError, refusalError, wrongParameter } from '../errors/errors.ts'
import * as field from '../parsing/fields.ts'
import { namedInstrument } from './market.ts'
import * as records from './records.ts'

const access = { permission: 'uta_trade', level: 'write' } as const
const source = 'wire/v3-endpoints §2'

const closePositions = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/close-positions',
  summary: 'Closes all positions of a category, of one symbol, or of one side of it, at market',
  source,
  access,
  limit: { perSecond: 5, per: 'uid', copyTraderPerSecond: 1 },
  request: Type.Object({
    category: field.productType(),
    symbol: Type.Optional(field.symbol()),
    posSide: Type.Optional(field.oneOf(['long', 'short'], { description: 'Hedge mode only' })),
  }),
  response: Type.Object({ list: Type.Array(records.Canceled) }),
  handle: async (context, { category, symbol, posSide }) => {
    const { account, catalog, core, channelCode } = context
    const reply = await core.submit({
      kind: 'close-positions',
      uid: account.uid,
      interface: 'v3',
      line: category,
      instrument: symbol === undefined ? undefined : namedInstrument<ProductLine>(catalog, category, symbol).id,
      positionSide: posSide,
      channelCode,
    })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    if (reply.kind !== 'positions-closed') throw new Error(`close-positions was answered with ${reply.kind}`)
    return { list: reply.positions.map((closed) => entry(context, closed.instrument, closed.reply)) }
  },
})

function entry(context: PrivateContext, instrument: number, reply: Reply) {
  if (reply.kind === 'placed') {
    return { orderId: String(reply.orderId), clientOid: reply.clientOid, code: '00000', msg: 'success' }
  }
  if (reply.kind !== 'refused') throw new Error(`an order that closes was answered with ${reply.kind}`)
  const { catalog } = context
  const error = refusalError(reply.refusal, 'v3', { catalog, instrument: catalog.instrument(instrument) })
  return { orderId: '', clientOid: '', ...entryError(error, context) }
}

const secondsMin = 5
const secondsMax = 60

const countdownCancelAll = defineEndpoint({
  method: 'POST',
  path: '/api/v3/trade/countdown-cancel-all',
  summary: 'Cancels all open orders of the account after some seconds, unless it is called again before',
  source,
  access,
  limit: { perSecond: 1, per: 'uid' },
  request: Type.Object({
    countdown: field.whole(0, secondsMax, { description: `Seconds, ${secondsMin} to ${secondsMax}; 0 disarms` }),
  }),
  response: records.Done,
  handle: async ({ account, core }, { countdown }) => {
    if (countdown > 0 && countdown < secondsMin) {
      throw wrongParameter('v3', 'countdown', `should be 0, or between ${secondsMin} and ${secondsMax}`)
    }
    const reply = await core.submit({ kind: 'set-countdown', uid: account.uid, ms: countdown * 1000 })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return 'success' as const
  },
})

export const closingEndpoints: readonly Endpoint[] = [closePositions, countdownCancelAll]
