/**
 * What the model trades: coins and markets, and what a quantity of one is worth at a price.
 *
 * Linear   quantity in base coin, worth q·p of the quote; spot likewise
 * Inverse  quantity in US dollars (contracts), worth N/p of the base coin
 * Source   risk-engine.md §2, §3, §8, §10
 */
import { down, type Fraction, fraction, one, up, zero } from './rational.ts'

export type Side = 'buy' | 'sell'
export type Hold = 'long' | 'short'
export type Line = 'USDT-FUTURES' | 'USDC-FUTURES' | 'COIN-FUTURES'

export type Network = 'BTC' | 'ERC20' | 'TRC20' | 'SOL'

/** A coin on a network: amounts have whole steps there. */
export interface Chain {
  readonly network: Network
  readonly step: Fraction
  readonly withdrawalFee: Fraction
  readonly depositMin: Fraction
  readonly withdrawalMin: Fraction
  /** Blocks that confirm it. */
  readonly depositBlocks: number
  readonly withdrawalBlocks: number
}

export interface Coin {
  readonly name: string
  readonly listingPrice: Fraction
  readonly borrowable: boolean
  readonly dailyInterest: Fraction
  readonly borrowLimit: Fraction
  readonly poolLimit: Fraction
  readonly leverageMax: number
  /** Slices of value in US dollars with the ratio at which each counts in a unified account. */
  readonly collateral: readonly { readonly to: Fraction; readonly ratio: Fraction }[]
  /** Initial and maintenance margin of a unified account's debt. */
  readonly debtInitial: Fraction
  readonly debtMaintenance: Fraction
  readonly chains: readonly Chain[]
}

/** A slice of position value with its own maintenance rate. */
export interface Tier {
  readonly from: Fraction
  readonly to: Fraction
  readonly leverageMax: number
  readonly rate: Fraction
}

export interface Market {
  readonly name: string
  readonly kind: 'spot' | 'linear' | 'inverse'
  /** Undefined: spot. */
  readonly line: Line | undefined
  readonly base: string
  /** `USD` of an inverse contract. */
  readonly quote: string
  /** Margin coin of a contract. */
  readonly settle: string
  readonly tick: Fraction
  readonly lot: Fraction
  /** Step of the sizes in base coin that an inverse contract shows. */
  readonly sizeStep: Fraction
  readonly quantityMin: Fraction
  /** Zero: none. */
  readonly quantityMax: Fraction
  readonly marketQuantityMax: Fraction
  readonly notionalMin: Fraction
  /** Share around the mark that a limit price may reach; zero: any. */
  readonly limitBand: Fraction
  /** Share around the mark that a market order reaches. */
  readonly marketBand: Fraction
  readonly makerFee: Fraction
  readonly takerFee: Fraction
  readonly marginable: boolean
  readonly leverageMax: number
  readonly leverageDefault: number
  readonly tiers: readonly Tier[]
  readonly fundingHours: number
  readonly fundingCap: Fraction
}

/** Exact worth of a quantity at a price, in the coin that pays for it. */
export function worth(market: Market, quantity: Fraction, price: Fraction): Fraction {
  return market.kind === 'inverse' ? quantity.over(price) : quantity.times(price)
}

/** fee = ⌈worth × rate⌉; a rebate (rate below zero) is thereby rounded toward the house. */
export function feeOf(market: Market, quantity: Fraction, price: Fraction, rate: Fraction): Fraction {
  return up(worth(market, quantity, price).times(rate))
}

/** IM = ⌈worth / L⌉ */
export function initialMargin(market: Market, quantity: Fraction, price: Fraction, leverage: number): Fraction {
  return up(worth(market, quantity, price).over(fraction(leverage)))
}

/** The value that tiers and minimums go by: quote coin, or US dollars of an inverse contract. */
export function tierValue(market: Market, quantity: Fraction, price: Fraction): Fraction {
  return market.kind === 'inverse' ? quantity : quantity.times(price)
}

/** The tier that a value lies in; undefined beyond the last. */
export function tierOf(market: Market, value: Fraction): Tier | undefined {
  return market.tiers.find((tier) => value.isBelow(tier.to))
}

/** Highest leverage that a value allows; 0 beyond the last tier. */
export function leverageCap(market: Market, value: Fraction): number {
  return tierOf(market, value)?.leverageMax ?? 0
}

/** cum_k = cum_{k−1} + lower_k × (mmr_k − mmr_{k−1}) */
export function deduction(market: Market, tier: Tier): Fraction {
  let cum = zero
  let before = zero
  for (const other of market.tiers) {
    cum = cum.plus(other.from.times(other.rate.minus(before)))
    before = other.rate
    if (other === tier) break
  }
  return cum
}

/** What a market order may reach from the mark: down for a buy, up for a sell, to whole ticks. */
export function bandPrice(market: Market, mark: Fraction, side: Side, band: Fraction): Fraction {
  const edge = mark.times(side === 'buy' ? one.plus(band) : one.minus(band)).over(market.tick)
  const ticks = side === 'buy' ? edge.floor() : edge.ceil()
  return market.tick.times(fraction(ticks < 1n ? 1n : ticks))
}

/** Worth as a fill is recorded. */
export function notionalOf(market: Market, quantity: Fraction, price: Fraction): Fraction {
  return down(worth(market, quantity, price))
}
