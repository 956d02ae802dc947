/**
 * The sockets of ccxt (ccxt.pro) against a venue, with nothing changed but their address.
 *
 * Promises   a `watch` resolves with what comes next, so it is called before whatever makes it come
 */
import ccxt, { type bitget, type Dict } from 'ccxt'
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import type { Person } from '../support/person.ts'
import { btcPerpetual, btcSpot, takenInBatch } from '../support/trading.ts'
import type { Venue } from '../support/venue.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes, ccxtWatching } from './support/ccxt.ts'
import { startMarket } from './support/market.ts'

const markets = [
  { kind: 'spot', type: 'spot', symbol: 'BTC/USDT', market: btcSpot },
  { kind: 'linear', type: 'swap', symbol: 'BTC/USDT:USDT', market: btcPerpetual },
] as const

let venue: Venue
let maker: Person

beforeAll(async () => {
  venue = await startMarket()
  maker = await venue.person('Maker', { funds: { uta: { USDT: '10000000', BTC: '100' } } })
})
afterAll(async () => {
  await venue?.remove()
})

const subscriptions = () => venue.gauge('tidemark_stream_subscriptions')

/** A subscription is in force: the only one, as those of earlier tests are gone. */
const settle = () => vi.waitFor(async () => expect(await subscriptions()).toBe(1), { interval: 10 })

/** What comes of watching again after each error, and the names of the errors. */
async function watchedAgain<T>(first: Promise<T>, watch: () => Promise<T>) {
  const thrown: string[] = []
  for (let watched = first; ; watched = watch()) {
    try {
      return { value: await watched, thrown }
    } catch (error) {
      thrown.push((error as Error).name)
      if (thrown.length > 3) throw error
    }
  }
}

/** One mode of the client, which loads the markets once, and whose sockets go after each test. */
function clientIn(mode: (typeof ccxtModes)[number]) {
  const open: bitget[] = []
  let marketsOf: bitget
  beforeAll(async () => {
    marketsOf = ccxtAt(venue, mode)
    await marketsOf.loadMarkets()
  })
  afterEach(async () => {
    for (const exchange of open.splice(0)) await exchange.close()
    await vi.waitFor(async () => expect(await subscriptions()).toBe(0), { interval: 10 })
  })
  return {
    works: callsOf('ccxt', mode).works,
    words: { uta: mode === 'uta' },
    watching: async (type: 'spot' | 'swap', person?: Person): Promise<bitget> => {
      const exchange = await ccxtWatching(venue, { mode, defaultType: type, key: person?.key, marketsOf })
      open.push(exchange)
      return exchange
    },
  }
}

describe.each(ccxtModes)('the market, %s', (mode) => {
  const { works, words, watching } = clientIn(mode)

  for (const { kind, type, symbol, market } of markets) {
    works(`watchTicker, ${kind}`, async () => {
      const exchange = await watching(type)
      expect(await exchange.watchTicker(symbol, words)).toMatchObject({ symbol, bid: 59900, ask: 60100, last: 60000 })
    })

    works(`watchTickers and watchBidsAsks, ${kind}`, async () => {
      const exchange = await watching(type)
      expect((await exchange.watchTickers([symbol], words))[symbol]).toMatchObject({ bid: 59900, ask: 60100 })
      expect((await exchange.watchBidsAsks([symbol], words))[symbol]).toMatchObject({ bid: 59900, ask: 60100 })
    })

    works(`watchTrades, ${kind}`, async () => {
      const exchange = await watching(type)
      const [trade] = await exchange.watchTrades(symbol, undefined, undefined, words)
      expect(trade).toMatchObject({ symbol, price: 60000, amount: 1, side: 'buy' })
    })

    works(`watchOHLCV, ${kind}`, async () => {
      const exchange = await watching(type)
      const candles = await exchange.watchOHLCV(symbol, '1m', undefined, undefined, words)
      expect(candles.at(-1)?.slice(1, 5)).toEqual([60000, 60000, 60000, 60000])
    })

    works(
      `watchOrderBook, ${kind}`,
      async () => {
        const exchange = await watching(type)
        const book = await exchange.watchOrderBook(symbol, undefined, words)
        expect(book.bids[0]?.slice(0, 2)).toEqual([59900, 1])
        for (const order of ['buy 3 @ 59850', 'sell 3 @ 60150']) {
          const { orderId } = await takenInBatch(maker, order, market)
          const deeper = await exchange.watchOrderBook(symbol, undefined, words)
          expect([...deeper.bids, ...deeper.asks].some((level) => level[1] === 3)).toBe(true)
          await maker.post('/api/v3/trade/cancel-order', { orderId, category: market.category })
          const without = await exchange.watchOrderBook(symbol, undefined, words)
          expect([...without.bids, ...without.asks].every((level) => level[1] !== 3)).toBe(true)
        }
      },
      'it checks the checksum of every update',
    )

    works(
      `watchOrderBook after a lost connection, ${kind}`,
      async () => {
        const exchange = await watching(type)
        const book = () => exchange.watchOrderBook(symbol, undefined, words)
        const { orderId: gone } = await takenInBatch(maker, 'buy 3 @ 59850', market)
        expect((await book()).bids).toContainEqual([59850, 3, expect.anything()])
        for (const { connection } of Object.values(exchange.clients)) connection.terminate()
        await expect(book()).rejects.toThrow(ccxt.NetworkError)
        await maker.post('/api/v3/trade/cancel-order', { orderId: gone, category: market.category })

        // The first book of the new connection still has what is gone; what changes then tells that by its checksum.
        expect((await book()).bids).toContainEqual([59850, 3, expect.anything()])
        const changed = book()
        const { orderId } = await takenInBatch(maker, 'buy 2 @ 59840', market)
        const { value: healed, thrown } = await watchedAgain(changed, book)
        await maker.post('/api/v3/trade/cancel-order', { orderId, category: market.category })
        expect(thrown.length, thrown.join()).toBeGreaterThan(0)
        expect(['UnsubscribeError', 'ChecksumError']).toEqual(expect.arrayContaining(thrown))
        expect(healed.bids.map((level) => level.slice(0, 2))).toEqual([
          [59900, 1],
          [59840, 2],
          [59800, 1],
        ])
      },
      'what went meanwhile stays until the next change; then it throws `UnsubscribeError` or `ChecksumError`, and begins anew',
    )

    works(`watchOrderBook of 1, 5, 15 and 50 levels, ${kind}`, async () => {
      for (const levels of [1, 5, 15, 50]) {
        const exchange = await watching(type)
        const { bids } = await exchange.watchOrderBook(symbol, levels, words)
        expect(bids.map((level) => level.slice(0, 2))).toEqual([[59900, 1], ...(levels === 1 ? [] : [[59800, 1]])])
      }
    })

    works(`unWatchTicker, unWatchTrades and unWatchOrderBook, ${kind}`, async () => {
      const exchange = await watching(type)
      await exchange.watchTicker(symbol, words)
      expect(await exchange.unWatchTicker(symbol, words)).toBe(true)
      await exchange.watchTrades(symbol, undefined, undefined, words)
      expect(await exchange.unWatchTrades(symbol, words)).toBe(true)
      await exchange.watchOrderBook(symbol, undefined, words)
      expect(await exchange.unWatchOrderBook(symbol, words)).toBe(true)
    })
  }
})

// After the market: what is bought here changes it.
describe.each(ccxtModes)('accounts, %s', (mode) => {
  const { works, words, watching } = clientIn(mode)
  const funds =
    mode === 'uta'
      ? { uta: { USDT: '100000', BTC: '1' } }
      : { spot: { USDT: '100000', BTC: '1' }, usdt_futures: { USDT: '100000' } }
  const alice = () => venue.person('Alice', { mode: mode === 'uta' ? 'unified' : 'classic', funds })

  for (const { kind, type, symbol } of markets) {
    works(`watchOrders, ${kind}`, async () => {
      const exchange = await watching(type, await alice())
      const orders = () => exchange.watchOrders(symbol, undefined, undefined, words)
      const live = orders()
      await settle()
      const { id } = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59000)
      expect((await live)[0]).toMatchObject({ id, symbol, status: 'open', price: 59000, amount: 0.1, filled: 0 })
      const gone = orders()
      await exchange.cancelOrder(String(id), symbol)
      expect((await gone).at(-1)).toMatchObject({ id, status: 'canceled' })
      const filled = orders()
      const bought = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 60100)
      expect((await filled).at(-1)).toMatchObject({ id: bought.id, status: 'closed', amount: 0.1, filled: 0.1 })
    })

    works(`watchMyTrades, ${kind}`, async () => {
      const exchange = await watching(type, await alice())
      const mine = exchange.watchMyTrades(symbol, undefined, undefined, words)
      await settle()
      const { id } = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 60100)
      const trade = { order: id, symbol, side: 'buy', price: 60100, amount: 0.1, takerOrMaker: 'taker' }
      const fee = { currency: kind === 'spot' ? 'BTC' : 'USDT', cost: kind === 'spot' ? 0.0001 : 3.606 }
      expect((await mine)[0]).toMatchObject({ ...trade, fee })
    })

    works(`watchBalance, ${kind}`, async () => {
      const exchange = await watching(type, await alice())
      const asked: Dict = { type, ...words }
      expect((await exchange.watchBalance(asked))['USDT']).toMatchObject({ free: 100000, used: 0 })
      const held = exchange.watchBalance(asked)
      await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 59000)
      expect(Number((await held)['USDT']?.used)).toBeGreaterThan(0)
    })
  }

  works('watchPositions', async () => {
    const symbol = 'BTC/USDT:USDT'
    const exchange = await watching('swap', await alice())
    const positions = () => exchange.watchPositions([symbol], undefined, undefined, words)
    expect(await positions()).toEqual([])
    const long = positions()
    await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 60100)
    expect((await long)[0]).toMatchObject({ symbol, side: 'long', contracts: 0.1, entryPrice: 60100 })
  })

  works('errors of a socket', async () => {
    const stranger = await watching('swap', await alice())
    stranger.secret = 'wrong'
    await expect(stranger.watchBalance(words)).rejects.toThrow(ccxt.AuthenticationError)
    const lost = await watching('spot')
    await expect(lost.watchTicker('BTC/USDT', { ...words, instType: 'NOWHERE' })).rejects.toThrow(ccxt.BadRequest)
  })
})
