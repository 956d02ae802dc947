/**
 * The ways by which a client's order comes to a venue of the laboratory: v2 and v3, over HTTP and over sockets, one and a batch.
 * Each row of a generated table goes through all of them.
 */
import { Socket } from '../support/socket.ts'
import type { LabVenue } from './laboratory.ts'

/** As a client sees it: a code, and what the answer says of the order. */
export interface Answered {
  /** `00000` for a success; empty: a page that is no envelope. */
  readonly code: string
  readonly status: number | undefined
  readonly clientOid: string | undefined
}

export interface WayIn {
  readonly name: string
  readonly role: 'unified-main' | 'classic-main'
  readonly over: 'http' | 'ws'
  /** Sends an order that rests; resolves with its answer. */
  place(venue: LabVenue, now: () => number, clientOid: string, price?: string, side?: string): Promise<Answered>
}

const category = 'USDT-FUTURES'

function order(clientOid: string, price: string, side: string) {
  return { category, symbol: 'BTCUSDT', side, orderType: 'limit', qty: '0.01', price, clientOid }
}

function orderOfV2(clientOid: string, price: string, side: string) {
  const { qty: size, category: productType, ...rest } = order(clientOid, price, side)
  return { ...rest, size, productType, marginMode: 'crossed', marginCoin: 'USDT', force: 'gtc' }
}

/** What a batch is: an order without what all of it have in common. */
function batchOfV2(clientOid: string, price: string, side: string) {
  const { symbol, productType, marginMode, marginCoin, ...one } = orderOfV2(clientOid, price, side)
  return { symbol, productType, marginMode, marginCoin, orderList: [one] }
}

function overHttp(
  name: string,
  role: WayIn['role'],
  path: string,
  bodyOf: (clientOid: string, price: string, side: string) => unknown,
): WayIn {
  return {
    name,
    role,
    over: 'http',
    async place(venue, now, clientOid, price = '50000', side = 'buy') {
      const answer = await venue.person(role, now).post(path, bodyOf(clientOid, price, side))
      const found = /"clientOid":"([^"]*)"/.exec(answer.text)?.[1]
      return { code: answer.code ?? '', status: answer.status, clientOid: found }
    },
  }
}

function overSocket(
  name: string,
  role: WayIn['role'],
  path: '/v2/ws/private' | '/v3/ws/private',
  messageOf: (clientOid: string, price: string, side: string) => object,
): WayIn {
  return {
    name,
    role,
    over: 'ws',
    async place(venue, now, clientOid, price = '50000', side = 'buy') {
      const socket = await Socket.of(venue.person(role, now), path)
      try {
        socket.send(messageOf(clientOid, price, side))
        const { event, code, ...answer } = await socket.next(({ event: said }) => said === 'trade' || said === 'error')
        const found = /"clientOid":"([^"]*)"/.exec(JSON.stringify(answer))?.[1]
        return { code: event === 'trade' ? '00000' : String(code), status: undefined, clientOid: found }
      } finally {
        socket.close()
      }
    },
  }
}

export const waysIn: readonly WayIn[] = [
  overHttp('v3 HTTP', 'unified-main', '/api/v3/trade/place-order', order),
  overHttp('v3 HTTP batch', 'unified-main', '/api/v3/trade/place-batch', (...given) => [order(...given)]),
  overHttp('v2 HTTP', 'classic-main', '/api/v2/mix/order/place-order', orderOfV2),
  overHttp('v2 HTTP batch', 'classic-main', '/api/v2/mix/order/batch-place-order', batchOfV2),
  overSocket('v3 socket', 'unified-main', '/v3/ws/private', (...given) => {
    const { category: _, ...args } = order(...given)
    return { op: 'trade', id: '1', category: 'usdt-futures', topic: 'place-order', args: [args] }
  }),
  overSocket('v2 socket', 'classic-main', '/v2/ws/private', (...given) => {
    const { symbol, productType, ...params } = orderOfV2(...given)
    const named = { id: '1', instType: productType, instId: symbol, channel: 'place-order' }
    return { op: 'trade', args: [{ ...named, params }] }
  }),
]

/** Client order ids of the orders that were placed, in the order in which they were sequenced. */
export async function placed(venue: LabVenue, after = 0): Promise<readonly string[]> {
  const { text } = await venue.call('GET', `/journal?after=${after}&limit=10000`)
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => {
    const { command } = JSON.parse(line) as { readonly command: Readonly<Record<string, string>> }
    return command['kind'] === 'place-order' ? [command['clientOid']] : []
  })
}
