/**
 * Orders over a socket: each is a call of the endpoint that would take it over HTTP, with its limits, permissions and
 * rules.
 *
 * v3       one request with an `id`, its orders in `args`; the category and the time it was sent at stand beside them. The answer
 *          names the symbol of each order, also where the request did not; of a batch each entry says how it went
 * v2       each of `args` is a request of its own
 * Codes    of an answer: text "0" in v3, the number 0 in v2; of a refusal what HTTP says. In v3 every refusal has the `id`,
 *          also that nobody has logged in
 * Presets  an order may name its take-profit and stop-loss in lower case too
 * Broker   `apiCode` is what a header tells over HTTP
 * Source   wire/websocket.md §5
 */
import type { Caller, Endpoint, Version } from '../api/api.ts'
import type { OrderReference } from '../engine/protocol/command.ts'
import type { Uid } from '../engine/vocabulary.ts'
import { errorFacts, StreamError } from './errors.ts'
import { argumentsOf, isObject, textOf, withoutAliases } from './requests.ts'

type Fields = Readonly<Record<string, unknown>>
type Path = Endpoint['path']

export interface TradingParts {
  readonly call: (path: Path, caller: Caller, input: unknown) => Promise<unknown>
  /** The symbol of a live order, as a request names it; empty: there is none. */
  readonly symbolOf: (uid: Uid, order: OrderReference) => string
  /** The symbol of an order that has ended. */
  readonly symbolOfEnded: (uid: Uid, orderId: number) => Promise<string>
  readonly now: () => number
}

/** Who asks; throws before there was a login. */
type Asking = () => Omit<Caller, 'channelCode'>

/** The answer to a trading message, one text for each request in it. */
export async function trade(version: Version, message: Fields, asking: Asking, parts: TradingParts): Promise<string[]> {
  const caller = () => ({ ...asking(), channelCode: textOf(message, 'apiCode') })
  return version === 'v3' ? tradeV3(message, caller, parts) : tradeV2(message, caller(), parts)
}

interface Topic {
  readonly path: Path
  readonly batch: boolean
}

function v3Topic(name: string): Topic {
  switch (name) {
    case 'place-order':
      return { path: '/api/v3/trade/place-order', batch: false }
    case 'batch-place':
    case 'batch-place-order':
      return { path: '/api/v3/trade/place-batch', batch: true }
    case 'modify-order':
      return { path: '/api/v3/trade/modify-order', batch: false }
    case 'batch-modify':
    case 'batch-modify-order':
      return { path: '/api/v3/trade/batch-modify-order', batch: true }
    case 'cancel-order':
      return { path: '/api/v3/trade/cancel-order', batch: false }
    case 'batch-cancel':
    case 'batch-cancel-order':
      return { path: '/api/v3/trade/cancel-batch', batch: true }
    default:
      throw new StreamError(30001, `topic:${name.slice(0, 64)}`)
  }
}

async function tradeV3(message: Fields, asking: () => Caller, parts: TradingParts): Promise<string[]> {
  const { call, symbolOf, now } = parts
  const [id, topic] = ['id', 'topic'].map((name) => textOf(message, name))
  const beside = sentOf(message, 'category', 'requestTime')
  try {
    const caller = asking()
    const { path, batch } = v3Topic(topic)
    const args = argumentsOf(message)
    if (!batch && args.length > 1) throw new StreamError(30016, `args of ${topic} should be a list of one object`)
    const orders = args.map((order): Fields => {
      checkAgreed(order, 'category', textOf(message, 'category'))
      return { ...beside, ...withPresets(order) }
    })
    const { uid } = caller.key
    // Found before the call: what it cancels is not live any more after it.
    const symbols = orders.map((order) => textOf(order, 'symbol') || symbolOf(uid, orderNamed(order)))
    const data = await call(path, caller, batch ? orders : orders[0])
    const at = String(now())
    const answers = (Array.isArray(data) ? data : [data]).map((item: unknown) => (isObject(item) ? item : {}))
    const acknowledged = await Promise.all(
      answers.map(async (answer, index) => {
        const symbol = symbols[index] || (await symbolAfter(uid, answer, parts))
        return { ...(batch ? { code: '0', msg: 'Success' } : {}), symbol, ...answer, cTime: at }
      }),
    )
    const request = { event: 'trade', id, ...sentOf(message, 'category'), topic }
    const msg = topic === 'place-order' ? 'success' : 'Success'
    return [JSON.stringify({ ...request, args: acknowledged, code: '0', msg, ts: at })]
  } catch (error) {
    const { code, text } = errorFacts(error)
    return [JSON.stringify({ event: 'error', id, code, msg: text })]
  }
}

/** What an order names itself has to be what stands beside it (design §4.43); either may be absent. */
function checkAgreed(order: Fields, name: string, beside: string): void {
  const own = textOf(order, name)
  if (own === '' || beside === '' || own.toUpperCase() === beside.toUpperCase()) return
  throw new StreamError(30016, `${name} of an order should be ${beside.slice(0, 64)}, as its request says`)
}

/** Of a message, the fields of these names that are there. */
function sentOf(message: Fields, ...names: string[]): Fields {
  const sent = names.map((name) => [name, textOf(message, name)]).filter(([, value]) => value !== '')
  return Object.fromEntries(sent) as Fields
}

const presets = [
  ['takeprofit', 'takeProfit'],
  ['stoploss', 'stopLoss'],
] as const

function withPresets(order: Fields): Fields {
  const named = presets.filter(([lower, name]) => Object.hasOwn(order, lower) && !Object.hasOwn(order, name))
  return { ...order, ...Object.fromEntries(named.map(([lower, name]) => [name, order[lower]])) }
}

/** Of an order that was on its way in when it was named, as who does not wait for answers names it. */
async function symbolAfter(uid: Uid, answer: Fields, { symbolOf, symbolOfEnded }: TradingParts): Promise<string> {
  const order = orderNamed(answer)
  if (answer['code'] !== undefined || order.orderId === undefined) return ''
  return symbolOf(uid, order) || symbolOfEnded(uid, order.orderId)
}

/** What is no number names no order by it; whether that is right the endpoint says. */
function orderNamed(order: Fields): OrderReference {
  const orderId = Number(textOf(order, 'orderId'))
  return {
    orderId: Number.isSafeInteger(orderId) && orderId > 0 ? orderId : undefined,
    clientOid: textOf(order, 'clientOid'),
  }
}

function tradeV2(message: Fields, caller: Caller, { call, now }: TradingParts): Promise<string[]> {
  return Promise.all(
    argumentsOf(message).map(async (sent) => {
      const argument = withoutAliases(sent)
      const [id, instType, instId, channel] = ['id', 'instType', 'instId', 'channel'].map((name) =>
        textOf(argument, name),
      )
      const arg = { id, instType, channel, instId }
      try {
        const path = v2Path(channel, instType.toUpperCase())
        const params = argument['params']
        if (!isObject(params)) throw new StreamError(30016, 'params should be an object')
        checkAgreed(params, 'productType', instType)
        checkAgreed(params, 'symbol', instId)
        const data = await call(path, caller, { productType: instType, symbol: instId, ...params })
        const answer = { event: 'trade', arg: [{ ...arg, params: data }], code: 0, msg: 'Success', ts: now() }
        return JSON.stringify(answer)
      } catch (error) {
        const { code, text } = errorFacts(error)
        return JSON.stringify({ event: 'error', arg: [arg], code: Number(code), msg: text, ts: now() })
      }
    }),
  )
}

function v2Path(channel: string, instType: string): Path {
  if (channel !== 'place-order' && channel !== 'cancel-order')
    throw new StreamError(30001, `channel:${channel.slice(0, 64)}`)
  if (instType === 'SPOT') return `/api/v2/spot/trade/${channel}`
  if (instType === 'MARGIN') return `/api/v2/margin/crossed/${channel}`
  return `/api/v2/mix/order/${channel}`
}
