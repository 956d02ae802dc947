/**
 * Public reads over HTTP beside a bare server: tickers, books and candles of v2 and v3: `npm run bench -- public [--quick]`.
 *
 * Venue     as of the http bench; two hundred levels rest on each side of one book; candles are those of its few minutes
 * Rounds    bare, one kind, bare, the next kind and so on in turns, 64 connections; medians, and the median of each round's
 *           share of the bare round before it, by rate and by processor time
 * Changing  every twentieth request is an order that trades or rests, so that what is kept has to be made again in part
 */
import { BareServer } from './http/bare.ts'
import { Generator } from './http/generator.ts'
import { House } from './http/house.ts'
import { crossingOrders, peopleCount, read, type Requests, requestsOf, restingOrders } from './http/kinds.ts'
import type { Round, RoundMeasured } from './http/load.ts'
import { cpuSeconds, loadCore, pin, serverCore } from './http/server.ts'
import { median, report, rounded } from './measure.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const count = quick ? 3_000 : 12_000
const connections = 64
const levels = 200

const v3 = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const v2 = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }

const kinds: Readonly<Record<string, Requests>> = {
  'v3 tickers': read('/api/v3/market/tickers', { category: 'USDT-FUTURES' }),
  'v2 tickers': read('/api/v2/mix/market/tickers', { productType: 'USDT-FUTURES' }),
  'v3 book, 200 levels': read('/api/v3/market/orderbook', { ...v3, limit: '200' }),
  'v2 book, 100 levels': read('/api/v2/mix/market/merge-depth', { ...v2, limit: '100' }),
  'v2 book, merged': read('/api/v2/mix/market/merge-depth', { ...v2, precision: 'scale1', limit: '50' }),
  'v3 candles, 100': read('/api/v3/market/candles', { ...v3, interval: '1m' }),
  'v2 candles, 100': read('/api/v2/mix/market/candles', { ...v2, granularity: '1m' }),
}

interface Samples {
  readonly perSecond: number[]
  readonly cpuUs: number[]
  readonly p99Ms: number[]
  readonly share: number[]
  readonly cpuShare: number[]
}

await using cleanUp = new AsyncDisposableStack()
const house = cleanUp.use(await House.open())
pin(house.server.pid, serverCore)
const bare = cleanUp.use(await BareServer.start())
pin(bare.pid, serverCore)
const load = cleanUp.use(new Generator<Round, RoundMeasured>('load.ts', loadCore))

await fillBook()
await playBare()
for (const requests of Object.values(kinds)) await playVenue(requests)
const measured = new Map<string, Samples>()
for (let round = 0; round < rounds; round++) {
  for (const [name, requests] of Object.entries(kinds)) {
    const none: Samples = { perSecond: [], cpuUs: [], p99Ms: [], share: [], cpuShare: [] }
    const samples = measured.get(name) ?? none
    measured.set(name, samples)
    const least = await playBare()
    const rate = await playVenue(requests)
    samples.perSecond.push(rate.perSecond)
    samples.cpuUs.push(rate.cpuUs)
    samples.p99Ms.push(rate.p99Ms)
    samples.share.push(rate.perSecond / least.perSecond)
    samples.cpuShare.push(least.cpuUs / rate.cpuUs)
  }
}
for (const [name, samples] of measured) {
  report({
    bench: 'public',
    case: name,
    count: rounds * count,
    figures: {
      requestsPerSecond: rounded(median(samples.perSecond)),
      p99Ms: rounded(median(samples.p99Ms)),
      cpuUs: rounded(median(samples.cpuUs)),
      shareOfBare: rounded(median(samples.share)),
      cpuShareOfBare: rounded(median(samples.cpuShare)),
    },
  })
}

/** Both sides of the book, around a price at which people trade. */
async function fillBook(): Promise<void> {
  const place = async (index: number, side: 'buy' | 'sell') => {
    const price = side === 'buy' ? 59_990 - index / 10 : 60_010 + index / 10
    const market = { ...v2, marginMode: 'crossed', marginCoin: 'USDT', orderType: 'limit', force: 'gtc' }
    const order = { ...market, side, size: '0.013', price: price.toFixed(1) }
    const answer = await house.people[index % peopleCount].post('/api/v2/mix/order/place-order', order)
    if (answer.code !== '00000') throw new Error(answer.text)
  }
  for (let index = 0; index < levels; index++) await Promise.all([place(index, 'buy'), place(index, 'sell')])
}

function playBare(): Promise<Rate> {
  const { port, keys, pid } = bare
  return play({ port, keys, connections, requests: bare.asked(requestsOf(restingOrders, count)) }, pid)
}

function playVenue(requests: Requests): Promise<Rate> {
  const { port, pid } = house.server
  const changing: Requests = (index) => (index % 20 === 19 ? crossingOrders((index - 19) / 20) : requests(index))
  return play({ port, keys: house.keys, connections, requests: requestsOf(changing, count) }, pid)
}

interface Rate {
  readonly perSecond: number
  readonly cpuUs: number
  readonly p99Ms: number
}

async function play(round: Round, pid: number): Promise<Rate> {
  const before = cpuSeconds(pid)
  const { seconds, p99Ms, failed, firstFailure } = await load.ask(round)
  if (failed > 0) throw new Error(`${failed} requests were refused, first:\n${firstFailure}`)
  return { perSecond: count / seconds, cpuUs: ((cpuSeconds(pid) - before) * 1e6) / count, p99Ms }
}
