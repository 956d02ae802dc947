/**
 * What an order would take, before it is sent: its value, what it costs, what is held for it, its fee, and where the
 * position that it makes would be liquidated. The engine's own formulas on exact integers; the venue decides.
 *
 * Contracts   hold `= ⌈V/L⌉ + ⌈V·f⌉ + opening loss`, with the taker's rate; what reduces holds nothing
 * Pairs       a buy holds what it spends, a sell the coins; the fee is taken from what is received
 * Market      priced at the worst level that it would take, as the venue does
 * Source      risk-engine.md §10, §11; liquidation.ts, margin-loans.ts
 */
import {
  divCeil,
  divFloor,
  floorTo,
  maxOf,
  minOf,
  oneE8,
  parseUnits,
  timesCeil,
  timesFloor,
} from '../numbers/decimal.ts'
import type { Level } from '../venue/book.ts'
import { type Instrument, isFutures, type Tier } from '../venue/instruments.ts'
import {
  crossLiquidation,
  type CrossPool,
  isolatedLiquidation,
  maintenanceMargin,
  type OpenPosition,
} from './liquidation.ts'
import { afterOrder, type LoanBook, marginLiquidation } from './margin-loans.ts'

interface HeldPosition extends OpenPosition {
  readonly margin: bigint
}

export interface PreviewInput {
  readonly instrument: Instrument
  readonly side: 'buy' | 'sell'
  /** Of a limit order its own, else `worstPrice` of the book. */
  readonly price: bigint
  readonly quantity: bigint
  /** It rests as a maker: post-only. */
  readonly maker: boolean
  readonly leverage: bigint
  readonly marginMode: 'crossed' | 'isolated'
  readonly markPrice: bigint
  readonly tiers: readonly Tier[]
  /** Only reduces: reduce-only, or closing in hedge mode. */
  readonly reduces: boolean
  /** What is open already: of the same symbol, in hedge mode of the same side. */
  readonly position: HeldPosition | undefined
  /** In hedge mode: what is open on the other side. */
  readonly opposite: bigint
  /** Of a cross position: the pool as it stands, with what is open in it. */
  readonly pool: CrossPool | undefined
  /** Of an order of cross margin: what its wallet has and owes. */
  readonly loans?: LoanBook | undefined
}

export interface Preview {
  /** In quote coin; of coin-margined contracts in USD. */
  readonly notional: bigint
  /** What it takes at its fill, in `coin`: margin and fee, or what is spent. */
  readonly cost: bigint
  readonly hold: bigint
  readonly coin: string
  readonly fee: bigint
  readonly feeCoin: string
  /** `none`: the position has none; undefined: there is no position to speak of. */
  readonly liquidationPrice: bigint | 'none' | undefined
}

export function previewOrder(input: PreviewInput): Preview {
  return isFutures(input.instrument) ? previewContract(input) : previewPair(input)
}

function previewPair({ instrument, side, price, quantity, maker, loans }: PreviewInput): Preview {
  const { base, quote, makerFeeRate, takerFeeRate, priceStep } = instrument
  const notional = timesCeil(price, quantity)
  const rate = maker ? makerFeeRate : takerFeeRate
  const buys = side === 'buy'
  const spent = buys ? notional : quantity
  return {
    notional,
    cost: spent,
    hold: spent,
    coin: buys ? quote : base,
    fee: timesCeil(buys ? quantity : notional, rate),
    feeCoin: buys ? base : quote,
    liquidationPrice:
      loans && (marginLiquidation(afterOrder(loans, { side, price, quantity, feeRate: rate }), priceStep) ?? 'none'),
  }
}

function previewContract(input: PreviewInput): Preview {
  const { instrument, side, price, quantity, maker, leverage, position } = input
  const { settle, makerFeeRate, takerFeeRate } = instrument
  const direction = side === 'buy' ? 'long' : 'short'
  const opposite = position !== undefined && position.side !== direction ? position.quantity : 0n
  const opens = input.reduces ? 0n : maxOf(0n, quantity - opposite)
  const coins = shareOfNotional(instrument, price)
  const margin = coins(opens, oneE8, maxOf(leverage, 1n))
  const fee = coins(quantity, maker ? makerFeeRate : takerFeeRate, 1n)
  return {
    notional: instrument.kind === 'inverse' ? quantity : timesFloor(quantity, price),
    cost: margin + fee,
    hold: openingHold(input, opens),
    coin: settle,
    fee,
    feeCoin: settle,
    liquidationPrice: liquidationAfter(input, { direction, margin, fee, opens }),
  }
}

/** A share of the value of so many lots, in the coin of margin: one division, rounded up once, as it is booked. */
function shareOfNotional({ kind }: Instrument, price: bigint) {
  return (lots: bigint, rate: bigint, divisor: bigint): bigint =>
    kind === 'inverse'
      ? divCeil(lots * rate, maxOf(price, 1n) * divisor)
      : divCeil(lots * price * rate, oneE8 * oneE8 * divisor)
}

type Opening = Pick<PreviewInput, 'instrument' | 'side' | 'price' | 'leverage' | 'markPrice'>

/** `⌈V/L⌉ + ⌈V·f⌉ + opening loss` of what opens. */
function openingHold({ instrument, side, price, leverage, markPrice }: Opening, quantity: bigint): bigint {
  const coins = shareOfNotional(instrument, price)
  const direction = side === 'buy' ? 'long' : 'short'
  return (
    coins(quantity, oneE8, maxOf(leverage, 1n)) +
    coins(quantity, instrument.takerFeeRate, 1n) +
    openingLoss(instrument, direction, { quantity, price, markPrice })
  )
}

/**
 * The most that could be opened now, in whole lots: what its hold leaves of what is available, and no more than the tier of
 * this leverage takes; and before that what there is to reduce. The venue counts open orders too.
 * Source  risk-engine.md §11 `maxOpen`; docs/risk.md "Initial and maintenance margin"
 */
export function mostToOpen(
  input: Opening & {
    readonly available: bigint
    readonly tiers: readonly Tier[]
    /** Open already on this side. */
    readonly held: bigint
    /** In one-way mode: open on the other side. */
    readonly reducible: bigint
  },
): bigint {
  const { instrument, price, markPrice, leverage, available, tiers, held, reducible } = input
  const { quantityStep, kind } = instrument
  // What costs nothing has no most.
  if (price <= 0n) return reducible
  const fits = (quantity: bigint) => openingHold(input, quantity) <= available
  // The hold of so much is nearly proportional: the quotient is at most a few lots off.
  const sample = oneE8 * 1_000_000n
  let most = floorTo(divFloor(available * sample, maxOf(openingHold(input, sample), 1n)), quantityStep)
  while (most > 0n && !fits(most)) most -= quantityStep
  while (fits(most + quantityStep)) most += quantityStep
  const tier = tiers.findLast(({ leverageMax }) => BigInt(leverageMax) >= leverage)
  if (tier === undefined) return most + reducible
  const below = tier.to - 1n
  const inTier = floorTo(kind === 'inverse' ? below : divFloor(below * oneE8, maxOf(markPrice, 1n)), quantityStep)
  return minOf(most, maxOf(0n, inTier - held)) + reducible
}

/** `q·max(0, s·(p − Pm))`, inverse `N·max(0, s·(1/Pm − 1/p))`. */
function openingLoss(
  { kind }: Instrument,
  direction: 'long' | 'short',
  { quantity, price, markPrice }: { quantity: bigint; price: bigint; markPrice: bigint },
): bigint {
  if (quantity === 0n || markPrice === 0n || price === 0n) return 0n
  const worse = direction === 'long' ? price - markPrice : markPrice - price
  if (worse <= 0n) return 0n
  return kind === 'inverse' ? divCeil(quantity * worse * oneE8, price * markPrice) : timesCeil(quantity, worse)
}

/** Of the position as the order's fill would leave it. */
function liquidationAfter(
  input: PreviewInput,
  { direction, margin, fee, opens }: { direction: 'long' | 'short'; margin: bigint; fee: bigint; opens: bigint },
): Preview['liquidationPrice'] {
  const { instrument, price, quantity, markPrice, tiers, position, pool } = input
  if (tiers.length === 0 || price === 0n || quantity === 0n) return undefined
  const after = positionAfter(input, direction, opens)
  if (after === undefined) return undefined
  if (input.marginMode === 'isolated') {
    const kept = position?.side === after.side ? keptMargin(position, after.quantity) : 0n
    const own = after.side === direction ? margin : 0n
    return isolatedLiquidation(instrument, after, kept + own, tiers) ?? 'none'
  }
  if (pool === undefined || markPrice === 0n) return undefined
  const inverse = instrument.kind === 'inverse'
  const usd = (coins: bigint) => (inverse ? timesCeil(coins, markPrice) : coins)
  const notionalAtMark = (lots: bigint) => (inverse ? lots : timesFloor(lots, markPrice))
  const larger = maxOf(position?.quantity ?? 0n, input.opposite)
  const own = maintenanceMargin(notionalAtMark(larger), tiers, instrument.takerFeeRate)
  const loss = openingLoss(instrument, direction, { quantity: opens, price, markPrice })
  const poolAfter: CrossPool = {
    ...pool,
    settleValue: pool.settleValue - usd(fee + loss),
    maintenanceOfOthers: maxOf(0n, pool.maintenanceOfOthers - own),
  }
  return crossLiquidation(instrument, { ...after, opposite: input.opposite }, poolAfter, tiers) ?? 'none'
}

/** Adds to what is there, takes from it, or turns it around. */
function positionAfter(input: PreviewInput, direction: 'long' | 'short', opens: bigint): OpenPosition | undefined {
  const { instrument, price, quantity, position } = input
  if (position === undefined || position.quantity === 0n) {
    return opens === 0n ? undefined : { side: direction, quantity: opens, entryPrice: price }
  }
  if (position.side !== direction) {
    if (opens > 0n) return { side: direction, quantity: opens, entryPrice: price }
    const left = position.quantity - minOf(quantity, position.quantity)
    return left === 0n ? undefined : { ...position, quantity: left }
  }
  const total = position.quantity + opens
  // Coins of USD contracts add up, not their prices.
  const entryPrice =
    instrument.kind === 'inverse'
      ? divFloor(
          total * oneE8,
          maxOf(1n, divFloor(position.quantity * oneE8, position.entryPrice) + divFloor(opens * oneE8, price)),
        )
      : divFloor(position.quantity * position.entryPrice + opens * price, total)
  return { side: direction, quantity: total, entryPrice }
}

/** Closing a part gives back the same part of the margin. */
function keptMargin({ margin, quantity }: HeldPosition, left: bigint): bigint {
  return left >= quantity ? margin : divFloor(margin * left, quantity)
}

/** The worst price that a market order of this quantity would take; undefined: the side is empty. */
export function worstPrice(levels: readonly Level[], quantity: bigint): bigint | undefined {
  let left = quantity
  let worst: bigint | undefined
  for (const [price, size] of levels) {
    worst = parseUnits(price)
    left -= parseUnits(size) ?? 0n
    if (left <= 0n) break
  }
  return worst
}
