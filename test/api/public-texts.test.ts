/**
 * Kept texts of tickers and levels: the same as made anew, over random trading; made again only when what they show has
 * changed.
 */
import { expect, test } from 'vitest'
import { CatalogIndex } from '../../src/api/catalog-index.ts'
import type { Context, Endpoint } from '../../src/api/endpoint.ts'
import { dataOf, jsonOf } from '../../src/api/json-text.ts'
import { keptLevelsMax, LevelTexts, singleLevels } from '../../src/api/level-texts.ts'
import { type Quoted, TickerTexts } from '../../src/api/ticker-texts.ts'
import { v2Endpoints } from '../../src/api/v2/v2.ts'
import { v3Endpoints } from '../../src/api/v3/v3.ts'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import { type Lots, lots, type Ticks, ticks } from '../../src/engine/numbers/numbers.ts'
import { Market } from '../../src/market/market.ts'
import { Exchange } from '../engine/support/exchange.ts'
import { admitRandomTraders, fillFunds, RandomTraders } from '../engine/support/random-traders.ts'

function endpoint(path: string): Endpoint {
  const found = [...v2Endpoints, ...v3Endpoints].find((one) => one.path === path)
  if (found === undefined) throw new Error(`no endpoint ${path}`)
  return found
}

const v2Mix = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
const inverse = { symbol: 'BTCUSD', productType: 'COIN-FUTURES' }

const asked: readonly (readonly [path: string, ...inputs: object[]])[] = [
  ['/api/v3/market/tickers', { category: 'SPOT' }, { category: 'USDT-FUTURES' }, { category: 'COIN-FUTURES' }],
  ['/api/v2/spot/market/tickers', {}, { symbol: 'BTCUSDT' }],
  ['/api/v2/mix/market/ticker', v2Mix, inverse],
  ['/api/v2/mix/market/tickers', { productType: 'USDT-FUTURES' }, { productType: 'COIN-FUTURES' }],
  [
    '/api/v3/market/orderbook',
    { category: 'SPOT', symbol: 'BTCUSDT', limit: 5 },
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', limit: 200 },
    { category: 'COIN-FUTURES', symbol: 'BTCUSD', limit: 200 },
  ],
  [
    '/api/v2/spot/market/orderbook',
    { symbol: 'BTCUSDT', type: 'step0', limit: 150 },
    { symbol: 'BTCUSDT', type: 'step2', limit: 3 },
  ],
  ['/api/v2/spot/market/merge-depth', { symbol: 'BTCUSDT', precision: 'scale1', limit: 'max' }],
  [
    '/api/v2/mix/market/merge-depth',
    { ...v2Mix, precision: 'scale0' },
    { ...v2Mix, precision: 'scale1', limit: '5' },
    { ...inverse, precision: 'scale3' },
  ],
]

test.each([1, 2, 3])('answers are those of texts made anew, seed %i', async (seed) => {
  const exchange = new Exchange()
  fillFunds(exchange)
  admitRandomTraders(exchange)
  const market = new Market()
  const traders = new RandomTraders(exchange, seed)
  let catalog = new CatalogIndex(exchange.query({ kind: 'catalog' }))
  for (let turn = 0; turn < 150; turn++) {
    for (let times = 0; times < 4; times++) {
      exchange.apply(traders.next())
      market.record(exchange.lastEvents)
    }
    const listed = exchange.query({ kind: 'catalog' })
    if (catalog.catalog !== listed) catalog = new CatalogIndex(listed)
    const core = { query: exchange.query }
    const context = { core, market, catalog, now: exchange.at } as unknown as Context
    // Texts are kept by the instrument as it is listed: a copy of it has none.
    const anew = { ...context, catalog: new CatalogIndex(structuredClone(listed)) }
    for (const [path, ...inputs] of asked) {
      for (const input of inputs) {
        const [kept, made] = [endpoint(path).handle(context, input), endpoint(path).handle(anew, input)]
        expect(jsonOf(await kept), `${path} ${JSON.stringify(input)}`).toBe(jsonOf(await made))
      }
    }
  }
})

const pair = { id: 0 } as Instrument

test('a ticker is made again for what it shows, not for the time', () => {
  const made: number[] = []
  const texts = new TickerTexts((_: Instrument, { now, prices }: Quoted) => {
    made.push(now)
    return { symbol: 'A"ts":"B', ts: String(now), last: prices.lastPrice }
  })
  let [lastPrice, bids] = [1, [[7, 2]] as [number, number][]]
  const at = (now: number) => {
    const query = ({ kind }: { readonly kind: string }) => (kind === 'depth' ? { bids, asks: [] } : { lastPrice })
    const context = { core: { query }, market: { ticker: () => ({ lastPrice }) }, now } as unknown as Context
    return dataOf(texts.listOf(context, [pair]))
  }
  expect(at(10)).toEqual([{ symbol: 'A"ts":"B', ts: '10', last: 1 }])
  expect(at(200)).toEqual([{ symbol: 'A"ts":"B', ts: '200', last: 1 }])
  expect(made).toEqual([10])
  lastPrice = 2
  expect(at(201)).toEqual([{ symbol: 'A"ts":"B', ts: '201', last: 2 }])
  bids = [[7, 3]]
  at(202)
  bids = []
  at(203)
  at(204)
  expect(made).toEqual([10, 201, 202, 203])
})

test('a level is made again for its quantity and what it is merged of, and when there were too many', () => {
  let made = 0
  const texts = new LevelTexts((_, { price, quantity, nearest }) => {
    made += 1
    return [price, quantity, nearest]
  })
  const listed = (levels: [number, number][]) => singleLevels(levels.map(([p, q]) => [ticks(p), lots(q)] as const))
  expect(
    dataOf(
      texts.listOf(
        pair,
        listed([
          [5, 1],
          [4, 2],
        ]),
      ),
    ),
  ).toEqual([
    [5, 1, 5],
    [4, 2, 4],
  ])
  expect(
    dataOf(
      texts.listOf(
        pair,
        listed([
          [4, 2],
          [5, 3],
        ]),
      ),
    ),
  ).toEqual([
    [4, 2, 4],
    [5, 3, 5],
  ])
  expect(made).toBe(3)
  const merged = { price: 5 as Ticks, quantity: 3 as Lots, nearest: 6 as Ticks }
  expect(dataOf(texts.listOf(pair, [merged]))).toEqual([[5, 3, 6]])
  expect(made).toBe(4)
  texts.listOf(pair, listed(Array.from({ length: keptLevelsMax }, (_, place) => [10 + place, 1])))
  made = 0
  expect(dataOf(texts.listOf(pair, listed([[4, 2]])))).toEqual([[4, 2, 4]])
  expect(made).toBe(1)
})
