/**
 * What the small exchange of the tests lists. Figures are round, fees and tiers those of risk-engine.md §3, §4 and §10.
 *
 * Debt     every coin is collateral in full; debts need 10 % of initial and 4 % of maintenance margin (risk-engine.md §16)
 * Names    tests write a spot pair with a slash (BTC/USDT) and a contract without (BTCUSDT)
 * SOL      stands at 100 and trades in whole ticks of 1 USDT and whole lots of 1 SOL, for tables done in one's head
 */
import type { Coin, MaintenanceTier } from '../../../src/engine/catalog/catalog.ts'
import { type Amount, type Lots, rate, rateOne } from '../../../src/engine/numbers/numbers.ts'
import type { ListInstrument } from '../../../src/engine/protocol/command.ts'
import { share, units } from './figures.ts'

type SpotRecord = Extract<ListInstrument['instrument'], { kind: 'spot' }>
export type FuturesRecord = Exclude<ListInstrument['instrument'], { kind: 'spot' }>

/** In the order of their handles. */
export const coinNames = ['BTC', 'ETH', 'SOL', 'USDT', 'USDC'] as const
export type CoinName = (typeof coinNames)[number]
const handle = Object.fromEntries(coinNames.map((name, index) => [name, index])) as Record<CoinName, number>

function coin(name: CoinName, price: string, dailyInterest: string, limit: string): Omit<Coin, 'id'> {
  return {
    name,
    listingPriceE8: units(price),
    borrowable: name !== 'USDC',
    dailyInterestRate: share(dailyInterest),
    borrowLimit: units(limit),
    lendingPoolLimit: units(`${limit}0`),
    marginLeverageMax: 3,
    collateral: [{ to: (10n ** 18n) as Amount, ratio: rate(rateOne) }],
    debtInitialRate: rate(rateOne / 10n),
    debtMaintenanceRate: rate(rateOne / 25n),
  }
}

export const coinListings: readonly Omit<Coin, 'id'>[] = [
  coin('BTC', '60000', '0.00007', '10'),
  coin('ETH', '3000', '0.00007', '100'),
  coin('SOL', '100', '0.0001', '1000'),
  coin('USDT', '1', '0.00012', '200000'),
  coin('USDC', '1', '0.0001', '1'),
]

/** risk-engine.md §3: quote units for linear contracts, USD for inverse ones. */
export const tiers: readonly MaintenanceTier[] = [
  { from: units('0'), to: units('200000'), leverageMax: 125, maintenanceRate: share('0.004') },
  { from: units('200000'), to: units('1000000'), leverageMax: 100, maintenanceRate: share('0.005') },
  { from: units('1000000'), to: units('5000000'), leverageMax: 50, maintenanceRate: share('0.01') },
  { from: units('5000000'), to: units('20000000'), leverageMax: 25, maintenanceRate: share('0.02') },
]

const common = {
  priceStep: 1,
  quantityStep: 1,
  quantityMin: 1 as Lots,
  quantityMax: 0 as Lots,
  marketQuantityMax: 0 as Lots,
  notionalMin: units('0'),
  limitBand: share('0'),
  marketBand: share('0.05'),
  status: 'online',
} as const

function spot(base: CoinName, quote: CoinName, priceDecimals: number, quantityDecimals: number): SpotRecord {
  return {
    ...common,
    kind: 'spot',
    category: 'SPOT',
    symbol: base + quote,
    base: handle[base],
    quote: handle[quote],
    priceDecimals,
    quantityDecimals,
    quoteDecimals: 8,
    makerFeeRate: share('0.001'),
    takerFeeRate: share('0.001'),
    marginable: quote === 'USDT',
  }
}

const contract = {
  ...common,
  makerFeeRate: share('0.0002'),
  takerFeeRate: share('0.0006'),
  leverageMin: 1,
  leverageMax: 125,
  leverageDefault: 20,
  tiers,
  fundingIntervalHours: 8,
  fundingRateCap: share('0.003'),
} as const

function linear(
  symbol: string,
  base: CoinName,
  settle: 'USDT' | 'USDC',
  priceDecimals: number,
  quantityDecimals: number,
): FuturesRecord {
  return {
    ...contract,
    kind: 'linear',
    category: `${settle}-FUTURES`,
    symbol,
    base: handle[base],
    quote: handle[settle],
    settle: handle[settle],
    priceDecimals,
    quantityDecimals,
    sizeDecimals: quantityDecimals,
  }
}

function inverse(symbol: string, base: CoinName, priceDecimals: number, sizeDecimals: number): FuturesRecord {
  return {
    ...contract,
    kind: 'inverse',
    category: 'COIN-FUTURES',
    symbol,
    base: handle[base],
    quote: -1,
    settle: handle[base],
    priceDecimals,
    quantityDecimals: 0,
    sizeDecimals,
  }
}

/** In the order of their handles. */
export const markets = {
  'BTC/USDT': spot('BTC', 'USDT', 2, 6),
  'ETH/USDT': spot('ETH', 'USDT', 2, 4),
  'SOL/USDT': spot('SOL', 'USDT', 0, 0),
  /** Lots of 0.00001, as in risk-engine.md §10; not traded on margin; worth at least 5. */
  'BTC/USDC': { ...spot('BTC', 'USDC', 2, 5), notionalMin: units('5') },
  BTCUSDT: linear('BTCUSDT', 'BTC', 'USDT', 1, 4),
  ETHUSDT: linear('ETHUSDT', 'ETH', 'USDT', 2, 3),
  SOLUSDT: linear('SOLUSDT', 'SOL', 'USDT', 0, 0),
  BTCUSD: inverse('BTCUSD', 'BTC', 1, 4),
  /** Between a minimum, a maximum and a price band, each of its own. */
  ETHPERP: {
    ...linear('ETHPERP', 'ETH', 'USDC', 2, 3),
    quantityMin: 10 as Lots,
    quantityMax: 1_000_000 as Lots,
    marketQuantityMax: 100_000 as Lots,
    notionalMin: units('50'),
    limitBand: share('0.1'),
  },
} satisfies Record<string, SpotRecord | FuturesRecord>
export type MarketName = keyof typeof markets
