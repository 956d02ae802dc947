/**
 * Four programs that place one order each and then want to know what became of it, by the client order id alone: ccxt on
 * v3 contracts and v2 pairs, bitget-api on v2 and v3 contracts.
 *
 * The order   0.1 BTC: a bid at 59000, or one at 60000 against what Bob offers there
 * Told        the venue's code, dug out of what each client throws; `00000` for an order that was taken
 */
import ccxt, { type bitget } from 'ccxt'
import type { RestClientV2, RestClientV3 } from 'bitget-api'
import type { Person } from '../../support/person.ts'
import { btcInverse, btcPerpetual, btcSpot, btcUsdc, type Market, takenInBatch } from '../../support/trading.ts'
import type { Funds, Venue } from '../../support/venue.ts'
import { clientV2, clientV3 } from './bitget-api.ts'
import { ccxtAt } from './ccxt.ts'

/** What one order becomes, and how it is written so that it does. */
export type Fate = 'live' | 'partly filled' | 'filled' | 'canceled' | 'rejected'
export type Found = Exclude<Fate, 'rejected'> | 'absent'

export interface Sender {
  readonly name: string
  readonly market: Market
  readonly person: Person
  /** Answers the venue's code. */
  send(clientOid: string, fate: Fate): Promise<string>
  /** Asks by the client order id. */
  find(clientOid: string): Promise<Found>
  /** How many orders of this id there are, open and ended. */
  count(clientOid: string): Promise<number>
}

interface Kind {
  readonly name: string
  readonly market: Market
  readonly mode: 'unified' | 'classic'
  readonly funds: Funds
  readonly connect: (venue: Venue, person: Person) => Omit<Sender, 'name' | 'market' | 'person'>
}

const dollars = '100000'

const kinds: readonly Kind[] = [
  {
    name: 'ccxt, uta, linear',
    market: btcPerpetual,
    mode: 'unified',
    funds: { uta: { USDT: dollars } },
    connect: (venue, person) => byCcxt(ccxtAt(venue, 'uta', person.key), 'BTC/USDT:USDT'),
  },
  {
    name: 'ccxt, classic, spot',
    market: btcSpot,
    mode: 'classic',
    funds: { spot: { USDT: dollars } },
    connect: (venue, person) => byCcxt(ccxtAt(venue, 'classic', person.key), 'BTC/USDT'),
  },
  {
    name: 'bitget-api, RestClientV2, USDC',
    market: btcUsdc,
    mode: 'classic',
    funds: { usdc_futures: { USDC: dollars } },
    connect: (venue, person) => byV2(clientV2(venue, person.key)),
  },
  {
    name: 'bitget-api, RestClientV3, inverse',
    market: btcInverse,
    mode: 'unified',
    funds: { uta: { BTC: '10' } },
    connect: (venue, person) => byV3(clientV3(venue, person.key)),
  },
]

/** What is offered or bid for is 0.1 BTC; of the inverse contract 6000 USD. */
export const tenthOf = (market: Market) => (market === btcInverse ? '6000' : '0.1')

/** Their accounts; `connect` makes clients that know where the venue is now, and its markets. */
export async function hireSenders(venue: Venue) {
  const people = await Promise.all(kinds.map(({ name, mode, funds }) => venue.person(name, { mode, funds })))
  return {
    connect: async (): Promise<readonly Sender[]> => {
      const senders = kinds.map(({ name, market, connect }, index) => {
        const person = people[index]
        return { name, market, person, ...connect(venue, person) }
      })
      await Promise.all(senders.map((sender) => sender.find('nothing-yet')))
      return senders
    },
  }
}

/** The other side of every fate. */
export async function prepare(maker: Person, fate: Fate, market: Market): Promise<void> {
  const half = market === btcInverse ? '3000' : '0.05'
  if (fate === 'partly filled') await takenInBatch(maker, `sell ${half} @ 60000`, market)
  if (fate === 'filled' || fate === 'canceled') await takenInBatch(maker, `sell ${tenthOf(market)} @ 60000`, market)
}

const priceOf = (fate: Fate) => (fate === 'live' || fate === 'rejected' ? 59_000 : 60_000)
/** More than anybody can pay. */
const timesOf = (fate: Fate) => (fate === 'rejected' ? 100_000 : 1)

function byCcxt(exchange: bitget, symbol: string) {
  exchange.enableRateLimit = false
  return {
    send: (clientOrderId: string, fate: Fate) => {
      const more = { clientOrderId, ...(fate === 'canceled' ? { postOnly: true } : {}) }
      return told(exchange.createOrder(symbol, 'limit', 'buy', 0.1 * timesOf(fate), priceOf(fate), more))
    },
    async find(clientOrderId: string): Promise<Found> {
      try {
        const { status, filled } = await exchange.fetchOrder('', symbol, { clientOrderId })
        return foundAs(String(status), Number(filled))
      } catch (refusal) {
        if (refusal instanceof ccxt.OrderNotFound) return 'absent'
        throw refusal
      }
    },
    async count(clientOrderId: string) {
      const open = await exchange.fetchOpenOrders(symbol)
      const ended = await exchange.fetchCanceledAndClosedOrders(symbol)
      return [...open, ...ended].filter((order) => order.clientOrderId === clientOrderId).length
    },
  }
}

function byV2(client: RestClientV2) {
  const { symbol, category, marginCoin } = btcUsdc
  const asked = { symbol, productType: category as 'USDC-FUTURES' }
  return {
    send: (clientOid: string, fate: Fate) => {
      const force = fate === 'canceled' ? 'post_only' : 'gtc'
      const order = { marginMode: 'crossed', marginCoin, side: 'buy', orderType: 'limit', force, clientOid } as const
      const figures = { size: String(0.1 * timesOf(fate)), price: String(priceOf(fate)) }
      return told(client.futuresSubmitOrder({ ...asked, ...order, ...figures }))
    },
    find: (clientOid: string) =>
      foundBy(client.getFuturesOrder({ ...asked, clientOid }), ({ state, baseVolume }) =>
        foundAs(state, Number(baseVolume)),
      ),
    async count(clientOid: string) {
      const { data: open } = await client.getFuturesOpenOrders(asked)
      const { data: ended } = await client.getFuturesHistoricOrders(asked)
      const all = [...(open.entrustedList ?? []), ...(ended.entrustedList ?? [])]
      return all.filter((order) => order.clientOid === clientOid).length
    },
  }
}

function byV3(client: RestClientV3) {
  const { symbol, category } = btcInverse
  const asked = { symbol, category: category as 'COIN-FUTURES' }
  return {
    send: (clientOid: string, fate: Fate) => {
      const timeInForce = fate === 'canceled' ? 'post_only' : 'gtc'
      const order = { side: 'buy', orderType: 'limit', timeInForce, clientOid } as const
      const figures = { qty: String(6000 * timesOf(fate)), price: String(priceOf(fate)) }
      return told(client.submitNewOrder({ ...asked, ...order, ...figures }))
    },
    find: (clientOid: string) =>
      foundBy(client.getOrderInfo({ clientOid }), ({ orderStatus, cumExecQty }) =>
        foundAs(orderStatus, Number(cumExecQty)),
      ),
    async count(clientOid: string) {
      const { data: open } = await client.getUnfilledOrders(asked)
      const { data: ended } = await client.getHistoryOrders(asked)
      return [...open.list, ...ended.list].filter((order) => order.clientOid === clientOid).length
    },
  }
}

function foundAs(status: string, filled: number): Found {
  if (status === 'closed' || status === 'filled') return 'filled'
  if (status === 'canceled' || status === 'cancelled') return 'canceled'
  return filled > 0 ? 'partly filled' : 'live'
}

/** The venue's code for an order that was sent. */
async function told(answer: Promise<unknown>): Promise<string> {
  try {
    await answer
    return '00000'
  } catch (refusal) {
    return codeOf(refusal)
  }
}

function codeOf(refusal: unknown): string {
  const text = refusal instanceof Error ? refusal.message : String(JSON.stringify((refusal as { body?: unknown }).body))
  return /"code":"(\d+)"/.exec(text)?.[1] ?? text
}

async function foundBy<Data>(answer: Promise<{ readonly data: Data }>, read: (data: Data) => Found): Promise<Found> {
  try {
    return read((await answer).data)
  } catch (refusal) {
    if (['40109', '43001'].includes(codeOf(refusal))) return 'absent'
    throw refusal
  }
}
