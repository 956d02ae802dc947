/**
 * What the HTTP benches ask a venue for: orders in futures on bitcoin, and the reads that go with them.
 *
 * Resting   far below the market, of all people in turn, each at a price of its own neighbourhood
 * Crossing  pairs of people sell to and buy of each other at one price, four orders after which each has what they had: every
 *           second order a match, and positions stay small however many are played
 * Mixed     of ten requests five crossing orders, three positions (E5), a page of fills (E1) and one of public fills (E8)
 */
import type { LoadRequest } from './requests.ts'

export const peopleCount = 128
export const batchOrders = 20

export type Requests = (index: number) => LoadRequest

interface Order {
  readonly person: number
  readonly side: 'buy' | 'sell'
  readonly price: number
}

const placing = '/api/v2/mix/order/place-order'
const batching = '/api/v3/trade/place-batch'

function restingOrder(index: number): Order {
  return { person: index % peopleCount, side: 'buy', price: 50_000 - (index % 997) / 10 }
}

function crossingOrder(index: number): Order {
  const pair = Math.floor(index / 4) % (peopleCount / 2)
  const [person, side] = (
    [
      [0, 'sell'],
      [1, 'buy'],
      [1, 'sell'],
      [0, 'buy'],
    ] as const
  )[index % 4]
  return { person: 2 * pair + person, side, price: 60_000 }
}

function single({ person, side, price }: Order): LoadRequest {
  const market = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }
  const terms = { size: '0.001', price: price.toFixed(1), side, orderType: 'limit', force: 'gtc' }
  return { key: person, target: placing, body: JSON.stringify({ ...market, ...terms }) }
}

let batchesMade = 0

function batch(order: Order): LoadRequest {
  const number = batchesMade++
  const entries = Array.from({ length: batchOrders }, (_, index) => ({
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    qty: '0.001',
    price: (order.price < 60_000 ? order.price - index / 10 : order.price).toFixed(1),
    side: order.side,
    orderType: 'limit',
    timeInForce: 'gtc',
    clientOid: `b${number}-${index}`,
  }))
  return { key: order.person, target: batching, body: JSON.stringify(entries) }
}

export function read(path: string, query: Readonly<Record<string, string>>): Requests {
  const target = `${path}?${new URLSearchParams(query).toString()}`
  return (index) => ({ key: index % peopleCount, target })
}

export const restingOrders: Requests = (index) => single(restingOrder(index))
export const crossingOrders: Requests = (index) => single(crossingOrder(index))
export const restingBatches: Requests = (index) => batch(restingOrder(index))
export const crossingBatches: Requests = (index) => batch(crossingOrder(index))
export const positions = read('/api/v2/mix/position/single-position', {
  symbol: 'BTCUSDT',
  productType: 'USDT-FUTURES',
  marginCoin: 'USDT',
})
export const ownFills = read('/api/v3/trade/fills', { category: 'USDT-FUTURES', limit: '100' })
export const endedOrders = read('/api/v3/trade/history-orders', { category: 'USDT-FUTURES', limit: '100' })
export const bills = read('/api/v3/account/financial-records', { category: 'USDT-FUTURES', limit: '100' })
export const ownFillsV2 = read('/api/v2/mix/order/fills', { productType: 'USDT-FUTURES', limit: '100' })
export const publicFills = read('/api/v3/market/fills', { category: 'USDT-FUTURES', symbol: 'BTCUSDT', limit: '100' })

export const mixed: Requests = (index) => {
  const place = index % 10
  if (place % 2 === 0) return crossingOrders(index / 2)
  if (place === 1) return ownFills(index)
  return place === 3 ? publicFills(index) : positions(index)
}

export function requestsOf(requests: Requests, count: number): LoadRequest[] {
  return Array.from({ length: count }, (_, index) => requests(index))
}
