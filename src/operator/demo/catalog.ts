/**
 * What the demo venue trades, as the operator would list it: the coins and instruments of design §6 in plain decimals.
 *
 * Limits   a limit price lies at most half of the mark beyond it (pairs), a fifth (contracts)
 * Futures  leverage 1 to 125 (20 by default), four tiers, funding every 8 hours capped at 0.3 %
 * Inverse  sized in contracts of 1 USD
 * Source   design.md §6; risk-engine.md §3 (tiers, here scaled to the coin), §17 (interest); wire/rate-limits-and-filters.md
 */
import { formatDecimal, parseDecimal } from '../../engine/numbers/numbers.ts'

export interface DemoCoin {
  readonly coin: string
  /** Listing price in USD: where the index stands until the first price comes. */
  readonly price: string
  readonly dailyInterestRate: string
  readonly borrowLimit: string
  readonly lendingPoolLimit: string
  readonly maxLeverage: number
  readonly collateral: readonly { readonly to: string; readonly ratio: string }[]
  /** Capital of the insurance fund. */
  readonly insurance: string
}

const coinTerms = [
  // coin, price, daily interest rate, borrow limit, insurance, collateral ratio
  ['BTC', '60000', '0.00007', '100', '20', '0.98'],
  ['ETH', '3000', '0.00008', '1000', '400', '0.95'],
  ['SOL', '150', '0.0001', '20000', '8000', '0.9'],
  ['XRP', '0.6', '0.0001', '5000000', '2000000', '0.9'],
  ['DOGE', '0.15', '0.0001', '20000000', '8000000', '0.85'],
  ['USDT', '1', '0.00012', '5000000', '10000000', '1'],
  ['USDC', '1', '0.00012', '5000000', '10000000', '1'],
] as const

/** An account may owe `borrowLimit`, all of them together a hundred times that. */
export const demoCoins = coinTerms.map((terms): DemoCoin => {
  const [coin, price, dailyInterestRate, borrowLimit, insurance, ratio] = terms
  const lendingPoolLimit = `${borrowLimit}00`
  const collateral = slices(ratio)
  return { coin, price, dailyInterestRate, borrowLimit, lendingPoolLimit, maxLeverage: 3, collateral, insurance }
})

/** Two million USD of a coin at its full ratio, what lies beyond at 0.03 less; cash counts whole (risk-engine §16). */
function slices(ratio: string): DemoCoin['collateral'] {
  if (ratio === '1') return [{ to: '10000000000', ratio }]
  const less = formatDecimal((parseDecimal(ratio, 2) as bigint) - 3n, 2)
  return [
    { to: '2000000', ratio },
    { to: '10000000000', ratio: less },
  ]
}

/** Position values up to which 125, 100, 50 and 25 times leverage may be used, in quote coin or USD. */
type TierBounds = readonly [string, string, string, string]

const largeTiers: TierBounds = ['200000', '1000000', '5000000', '20000000']
const smallTiers: TierBounds = ['50000', '250000', '1250000', '5000000']

function tiersOf(bounds: TierBounds) {
  const brackets = [
    [125, '0.004'],
    [100, '0.005'],
    [50, '0.01'],
    [25, '0.02'],
  ] as const
  return brackets.map(([maxLeverage, maintenanceRate], index) => ({
    from: index === 0 ? '0' : bounds[index - 1],
    to: bounds[index],
    maxLeverage,
    maintenanceRate,
  }))
}

function spot(baseCoin: string, pricePrecision: number, quantityPrecision: number, minOrderQty: string) {
  return {
    category: 'SPOT',
    symbol: `${baseCoin}USDT`,
    baseCoin,
    quoteCoin: 'USDT',
    pricePrecision,
    quantityPrecision,
    quotePrecision: 6,
    minOrderQty,
    minOrderAmount: '1',
    makerFeeRate: '0.001',
    takerFeeRate: '0.001',
    limitPriceRatio: '0.5',
    marginable: true,
  }
}

interface Contract {
  readonly category: string
  readonly symbol: string
  readonly baseCoin: string
  readonly quoteCoin: string
  readonly pricePrecision: number
  readonly quantityPrecision: number
  readonly minOrderQty: string
  readonly tiers: TierBounds
  readonly sizePrecision?: number
}

function futures({ tiers, ...contract }: Contract) {
  return {
    ...contract,
    minOrderAmount: '5',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    limitPriceRatio: '0.2',
    marketPriceRatio: '0.05',
    minLeverage: 1,
    maxLeverage: 125,
    defaultLeverage: 20,
    tiers: tiersOf(tiers),
    fundInterval: '8',
    fundingRateCap: '0.003',
  }
}

const steps = {
  // of USDT- and USDC-margined contracts: decimals of the price, decimals of the quantity, least quantity
  BTC: [1, 4, '0.0001'],
  ETH: [2, 2, '0.01'],
  SOL: [3, 1, '0.1'],
  XRP: [4, 0, '1'],
  DOGE: [5, 0, '1'],
} as const

function linear(category: string, baseCoin: keyof typeof steps, quoteCoin: string, symbol: string) {
  const [pricePrecision, quantityPrecision, minOrderQty] = steps[baseCoin]
  const tiers = baseCoin === 'BTC' || baseCoin === 'ETH' ? largeTiers : smallTiers
  return futures({ category, symbol, baseCoin, quoteCoin, pricePrecision, quantityPrecision, minOrderQty, tiers })
}

function inverse(baseCoin: string, pricePrecision: number, sizePrecision: number) {
  const names = { category: 'COIN-FUTURES', symbol: `${baseCoin}USD`, baseCoin, quoteCoin: 'USD' }
  return futures({
    ...names,
    pricePrecision,
    quantityPrecision: 0,
    sizePrecision,
    minOrderQty: '1',
    tiers: largeTiers,
  })
}

/** Bodies of `POST /operator/instruments`. */
export const demoInstruments = [
  spot('BTC', 2, 6, '0.000001'),
  spot('ETH', 2, 4, '0.0001'),
  spot('SOL', 3, 4, '0.0001'),
  spot('XRP', 4, 2, '0.01'),
  spot('DOGE', 5, 1, '0.1'),
  linear('USDT-FUTURES', 'BTC', 'USDT', 'BTCUSDT'),
  linear('USDT-FUTURES', 'ETH', 'USDT', 'ETHUSDT'),
  linear('USDT-FUTURES', 'SOL', 'USDT', 'SOLUSDT'),
  linear('USDT-FUTURES', 'XRP', 'USDT', 'XRPUSDT'),
  linear('USDT-FUTURES', 'DOGE', 'USDT', 'DOGEUSDT'),
  inverse('BTC', 1, 4),
  inverse('ETH', 2, 3),
  linear('USDC-FUTURES', 'BTC', 'USDC', 'BTCPERP'),
  linear('USDC-FUTURES', 'ETH', 'USDC', 'ETHPERP'),
]
