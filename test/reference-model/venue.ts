/**
 * What is traded in the runs, as the model has it: figures of risk-engine.md §3, §4, §10 and §17.
 *
 * Coarse   prices and lots are coarse in some markets, so that orders meet; fine in others, so that everything rounds
 * Bounds   ETHPERP has a minimum, a maximum and a price band, the others have none
 */
import type { Chain, Coin, Line, Market, Network } from './catalog.ts'
import { fraction, zero } from './rational.ts'

function chain(
  network: Network,
  step: string,
  [fee, depositMin, withdrawalMin]: readonly [fee: string, depositMin: string, withdrawalMin: string],
  [depositBlocks, withdrawalBlocks]: readonly [deposit: number, withdrawal: number],
): Chain {
  return {
    network,
    step: fraction(step),
    withdrawalFee: fraction(fee),
    depositMin: fraction(depositMin),
    withdrawalMin: fraction(withdrawalMin),
    depositBlocks,
    withdrawalBlocks,
  }
}

const chains: Readonly<Record<string, readonly Chain[]>> = {
  BTC: [chain('BTC', '0.00000001', ['0.0001', '0.0001', '0.001'], [1, 2])],
  ETH: [chain('ERC20', '0.00000001', ['0.00123457', '0.0001', '0.01'], [12, 3])],
  USDT: [
    chain('TRC20', '0.000001', ['1.5', '0.01', '10'], [20, 20]),
    chain('ERC20', '0.000001', ['3', '1', '10'], [12, 64]),
  ],
  USDC: [chain('SOL', '0.000001', ['1', '0.01', '2'], [32, 1])],
}

function coin(
  name: string,
  price: string,
  [dailyInterest, limit, leverageMax]: readonly [daily: string, limit: string, leverageMax: number],
  ratios: readonly string[],
): Coin {
  const bounds = ['200000', '1000000', '1000000000']
  return {
    name,
    listingPrice: fraction(price),
    borrowable: name !== 'USDC',
    dailyInterest: fraction(dailyInterest),
    borrowLimit: fraction(limit),
    poolLimit: fraction(limit).times(fraction(2)),
    leverageMax,
    collateral: ratios.map((ratio, index) => ({
      to: fraction(bounds[bounds.length - ratios.length + index]),
      ratio: fraction(ratio),
    })),
    debtInitial: fraction('0.1'),
    debtMaintenance: fraction('0.04'),
    chains: chains[name],
  }
}

export const coins: readonly Coin[] = [
  coin('BTC', '60000', ['0.00007', '5', 2], ['0.98', '0.95']),
  coin('ETH', '3000', ['0.00007', '60', 5], ['0.95', '0.9', '0.8']),
  coin('USDT', '1', ['0.00012', '150000', 3], ['1']),
  coin('USDC', '1', ['0.0001', '1', 3], ['0.99']),
]

const tiers = [
  ['0', '200000', 125, '0.004'],
  ['200000', '1000000', 100, '0.005'],
  ['1000000', '5000000', 50, '0.01'],
  ['5000000', '20000000', 25, '0.02'],
] as const

interface Shape {
  readonly tick: string
  readonly lot: string
  readonly fees?: readonly [maker: string, taker: string]
}

function market(name: string, kind: Market['kind'], [base, quote]: readonly [string, string], shape: Shape): Market {
  const line = `${kind === 'inverse' ? 'COIN' : quote}-FUTURES` as Line
  const [maker, taker] = shape.fees ?? (kind === 'spot' ? ['0.001', '0.001'] : ['0.0002', '0.0006'])
  return {
    name,
    kind,
    line: kind === 'spot' ? undefined : line,
    base,
    quote,
    settle: kind === 'inverse' ? base : quote,
    tick: fraction(shape.tick),
    lot: fraction(shape.lot),
    sizeStep: fraction('0.0001'),
    quantityMin: fraction(shape.lot),
    quantityMax: zero,
    marketQuantityMax: zero,
    notionalMin: zero,
    limitBand: zero,
    marketBand: fraction('0.05'),
    makerFee: fraction(maker),
    takerFee: fraction(taker),
    marginable: kind === 'spot' && quote === 'USDT',
    leverageMax: 125,
    leverageDefault: 20,
    tiers: tiers.map(([from, to, leverageMax, rate]) => ({
      from: fraction(from),
      to: fraction(to),
      leverageMax,
      rate: fraction(rate),
    })),
    fundingHours: 8,
    fundingCap: fraction('0.003'),
  }
}

export const markets: readonly Market[] = [
  market('BTC/USDT', 'spot', ['BTC', 'USDT'], { tick: '0.01', lot: '0.000001' }),
  market('ETH/USDT', 'spot', ['ETH', 'USDT'], { tick: '0.01', lot: '0.0001' }),
  { ...market('BTC/USDC', 'spot', ['BTC', 'USDC'], { tick: '0.01', lot: '0.00001' }), notionalMin: fraction(5) },
  market('BTCUSDT', 'linear', ['BTC', 'USDT'], { tick: '0.1', lot: '0.0001' }),
  /** Its maker fee is a rebate. */
  market('ETHUSDT', 'linear', ['ETH', 'USDT'], { tick: '0.01', lot: '0.001', fees: ['-0.00005', '0.0006'] }),
  market('BTCPERP', 'linear', ['BTC', 'USDC'], { tick: '0.5', lot: '0.001' }),
  {
    ...market('ETHPERP', 'linear', ['ETH', 'USDC'], { tick: '0.01', lot: '0.001' }),
    quantityMin: fraction('0.01'),
    quantityMax: fraction(1000),
    marketQuantityMax: fraction(100),
    notionalMin: fraction(50),
    limitBand: fraction('0.1'),
    fundingHours: 4,
  },
  market('BTCUSD', 'inverse', ['BTC', 'USD'], { tick: '0.1', lot: '1' }),
  { ...market('ETHUSD', 'inverse', ['ETH', 'USD'], { tick: '0.01', lot: '1' }), fundingHours: 1 },
]
