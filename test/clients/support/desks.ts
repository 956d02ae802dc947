/**
 * Where ccxt trades in the tests of this folder: each kind of instrument in each mode, with two accounts that can afford
 * it, and what the same trade looks like there.
 *
 * One trade   0.1 BTC at 60000; of the inverse contract 6000 USD, which classic mode calls 0.1 (BTC)
 * Clients     take their markets from one that has loaded them, and leave out ccxt's own rate limit
 * After each  test nothing of its people is left in a book, and every coin sums to zero (conformance.ts)
 */
import type { bitget, Dict } from 'ccxt'
import { type Stage, stage } from '../../conformance/conformance.ts'
import type { Funds, Venue } from '../../support/venue.ts'
import { ccxtAt } from './ccxt.ts'

export interface Desk {
  readonly mode: 'classic' | 'uta'
  readonly kind: 'spot' | 'margin' | 'linear' | 'USDC' | 'inverse'
  readonly symbol: string
  /** What ccxt has to be told with every call. */
  readonly words: Dict
  readonly funds: Funds
  /** How ccxt asks for the balance that trades here. */
  readonly balance: Dict
}

const linear = { kind: 'linear', symbol: 'BTC/USDT:USDT', words: {} } as const
const usdc = { kind: 'USDC', symbol: 'BTC/USDC:USDC', words: {} } as const
const inverse = { kind: 'inverse', symbol: 'BTC/USD:BTC', words: {} } as const
const spot = { kind: 'spot', symbol: 'BTC/USDT', words: {} } as const
const margin = { kind: 'margin', symbol: 'BTC/USDT', words: { marginMode: 'cross' } } as const

const pair = { USDT: '100000', BTC: '10' } as const
const swap = { type: 'swap' } as const

export const desks: readonly Desk[] = [
  { mode: 'classic', ...spot, funds: { spot: pair }, balance: {} },
  { mode: 'classic', ...margin, funds: { crossed_margin: pair }, balance: { marginMode: 'cross' } },
  { mode: 'classic', ...linear, funds: { usdt_futures: { USDT: '100000' } }, balance: swap },
  {
    mode: 'classic',
    ...usdc,
    funds: { usdc_futures: { USDC: '100000' } },
    balance: { ...swap, productType: 'USDC-FUTURES' },
  },
  {
    mode: 'classic',
    ...inverse,
    funds: { coin_futures: { BTC: '10' } },
    balance: { ...swap, productType: 'COIN-FUTURES' },
  },
  { mode: 'uta', ...spot, funds: { uta: pair }, balance: {} },
  { mode: 'uta', ...margin, funds: { uta: pair }, balance: {} },
  { mode: 'uta', ...linear, funds: { uta: { USDT: '100000' } }, balance: {} },
  { mode: 'uta', ...usdc, funds: { uta: { USDC: '100000' } }, balance: {} },
  { mode: 'uta', ...inverse, funds: { uta: { BTC: '10' } }, balance: {} },
]

export const futuresDesks = desks.filter(({ kind }) => kind !== 'spot' && kind !== 'margin')

export const isFutures = ({ kind }: Desk) => kind !== 'spot' && kind !== 'margin'

/** The coin that a contract settles in; of a pair the one that it is priced in. */
export function moneyOf({ kind }: Desk): 'USDT' | 'USDC' | 'BTC' {
  return kind === 'inverse' ? 'BTC' : kind === 'USDC' ? 'USDC' : 'USDT'
}

/** How many BTC there are called in this mode; inverse contracts of `uta` are counted in USD, at 60000. */
export function amountOf({ mode, kind }: Desk, btc: number): number {
  return mode === 'uta' && kind === 'inverse' ? Math.round(btc * 60_000) : btc
}

/** A fee as ccxt tells it: in `uta` it turns the sign of what was paid. */
export function feeOf({ mode }: Desk, paid: number, currency: string) {
  return { cost: mode === 'uta' ? -paid : paid, currency }
}

export const clientNotes = {
  averages: 'ccxt finds no average price and turns the sign of fees',
  marginFree: 'ccxt looks for `transferable` and finds no free amount',
} as const

export interface Floor {
  readonly stage: Stage
  readonly venue: Venue
  /** A fresh account with the desk's funds, and its client. */
  client(desk: Desk, name: string, funds?: Funds): Promise<bitget>
}

/** The venue of a test file, and clients on it. */
export function floor(): Floor {
  const at = stage()
  const loaded = new Map<Desk['mode'], Promise<bitget>>()
  const markets = (mode: Desk['mode']) => {
    let exchange = loaded.get(mode)
    if (exchange === undefined) {
      const fresh = ccxtAt(at.venue, mode)
      exchange = fresh.loadMarkets().then(() => fresh)
      loaded.set(mode, exchange)
    }
    return exchange
  }
  return {
    stage: at,
    get venue() {
      return at.venue
    },
    async client({ mode, funds }, name, others = funds) {
      const person = await at.person(name, { mode: mode === 'uta' ? 'unified' : 'classic', funds: others })
      person.hasTraded = true // through its client
      const exchange = ccxtAt(at.venue, mode, person.key)
      exchange.enableRateLimit = false
      exchange.setMarketsFromExchange(await markets(mode))
      return exchange
    },
  }
}
