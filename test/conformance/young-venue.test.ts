/**
 * What a venue tells on its first day, before anybody has traded: lists that describe the venue have rows, and no limit is
 * zero or empty. Clients read those as "not offered", and fail.
 *
 * Asked      every public list of the table of endpoints, in each category; a new one is asked without a word here
 * Nothing    yet of what people do: such lists are named, and are lists all the same
 * Source     fidelity §1 rows 14 to 16
 */
import { expect } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { row, stage } from './conformance.ts'

const at = stage()

/** Lists of what people do: nobody has done anything. */
const deeds = [
  '/api/v2/mix/market/candles',
  '/api/v2/mix/market/fills',
  '/api/v2/mix/market/fills-history',
  '/api/v2/mix/market/history-candles',
  '/api/v2/mix/market/history-fund-rate',
  '/api/v2/mix/market/merge-depth',
  '/api/v2/spot/market/candles',
  '/api/v2/spot/market/fills',
  '/api/v2/spot/market/fills-history',
  '/api/v2/spot/market/history-candles',
  '/api/v2/spot/market/merge-depth',
  '/api/v2/spot/market/orderbook',
  '/api/v3/market/candles',
  '/api/v3/market/fills',
  '/api/v3/market/history-candles',
  '/api/v3/market/history-fund-rate',
  '/api/v3/market/liquidations',
  '/api/v3/market/orderbook',
  '/api/v3/market/risk-reserve',
  '/api/v3/market/risk-reserve-hour',
]

const isLimit = (name: string) => /^(?:max|min)[A-Z]|Limit$|Cap$/.test(name)

/** Limits that are zero or empty, and why. */
const without: Readonly<Record<string, string>> = {
  maxIsolatedLeverage: 'there is no isolated margin of pairs',
  minAmount: 'the first slice begins at nothing',
  minTierValue: 'the first tier begins at nothing',
}

const categories = {
  SPOT: { symbol: 'BTCUSDT' },
  MARGIN: { symbol: 'BTCUSDT' },
  'USDT-FUTURES': { symbol: 'BTCUSDT', marginCoin: 'USDT' },
  'COIN-FUTURES': { symbol: 'BTCUSD', marginCoin: 'BTC' },
  'USDC-FUTURES': { symbol: 'BTCPERP', marginCoin: 'USDC' },
} as const
type Category = keyof typeof categories

interface Fields {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** What is asked of an endpoint in a category; undefined: it has none of that category. */
function askedOf(path: string, { properties = {}, required = [] }: Fields, category: Category) {
  const isSpot = category === 'SPOT' || category === 'MARGIN'
  if ('productType' in properties ? isSpot : category !== 'SPOT' && !('category' in properties)) return undefined
  const words: Readonly<Record<string, string>> = {
    ...categories[category],
    category,
    productType: category,
    coin: 'USDT',
    interval: '1m',
    granularity: path.includes('/spot/') ? '1min' : '1m',
    period: path.includes('/margin/') ? '24h' : '5m',
    language: 'en_US',
    endTime: String(at.venue.now()),
  }
  // Its schema leaves open which of the two it is.
  const tierOf = path.endsWith('/position-tier') ? [isSpot ? 'coin' : 'symbol'] : []
  const names = [...required, 'category', 'productType', ...tierOf].filter((name) => name in properties)
  return Object.fromEntries(names.map((name) => [name, words[name] ?? '']))
}

const lists = endpoints.filter(({ method, access }) => method === 'GET' && access === 'public')

row('fidelity §1 rows 14 to 16', 'a young venue tells what it is: no list of it is empty, no limit zero', async () => {
  const faults: string[] = []
  const empty = new Set<string>()
  for (const { path, request } of lists) {
    let isAnswered = false
    for (const category of Object.keys(categories) as Category[]) {
      const asked = askedOf(path, request, category)
      if (asked === undefined) continue
      const target = `${path}?${new URLSearchParams(asked).toString()}`
      const answer = await at.venue.exchange({ method: 'GET', target })
      // Not every list has every category.
      if (answer.code !== '00000') continue
      isAnswered = true
      for (const fault of faultsOf(answer.data, 'data')) {
        if (deeds.includes(path) && fault.endsWith('[]')) empty.add(path)
        else faults.push(`${path} ${category} ${fault}`)
      }
    }
    if (!isAnswered) faults.push(`${path} is not answered`)
  }
  expect(faults).toEqual([])
  expect([...empty].sort(), 'lists of what nobody has done').toEqual(deeds)
})

function faultsOf(value: unknown, where: string): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${where} []`]
    return [...new Set(value.flatMap((entry: unknown) => faultsOf(entry, where)))]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (typeof part === 'object') return faultsOf(part, `${where}.${name}`)
    return isLimit(name) && !(name in without) && Number(part) === 0 ? [`${where}.${name} 0`] : []
  })
}
