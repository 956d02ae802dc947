/**
 * Index, mark and funding rate of each market, and what time adds to them.
 *
 * Index    USD of the base coin over USD of the quote coin, to the nearest tick, at least one
 * Mark     contracts: the median of last trade, index with funding, index with the mean basis of five minutes, each to the
 *          nearest tick; taken anew when an index is set, a second after a book has changed, and with each sample until the
 *          mean stands where the book does · spot: the index
 * Basis    (bid + ask)/2 − I each 5 s, 0 while a side is empty; the last 60 count
 * Premium  ( max(0, ImpactBid − I) − max(0, I − ImpactAsk) ) / I each minute, 0 while a side has less than 10,000
 * Rate     F = clamp( (P̄ + clamp(0.01 % − P̄, ±0.05 %)) ÷ (8 / Nh), ±cap ), P̄ = Σ i·premium_i / Σ i
 * Source   risk-engine.md §12, §13; design.md §6
 */
import { bandPrice, type Market, type Side, worth } from './catalog.ts'
import { opposite, priceOf } from './books.ts'
import type { TriggerPrice } from './commands.ts'
import { type Fraction, fraction, least, most, nearestTo, sum, zero } from './rational.ts'
import { Samples, type World } from './world.ts'

export const hourMs = 3_600_000
export const sampleMs = 5_000
const basisMax = 60
const premiumMs = 60_000
const impactNotional = fraction(10_000)
/** Rates have twelve decimals. */
const rateStep = fraction('0.000000000001')
const interest = fraction('0.0001')
const pull = fraction('0.0005')
const ticksMax = fraction(2n ** 30n - 1n)

/** To the nearest tick that the book carries. */
function tickPrice(market: Market, exact: Fraction): Fraction {
  return least(most(market.tick, nearestTo(market.tick, exact)), market.tick.times(ticksMax))
}

export function indexPrice(world: World, market: Market): Fraction {
  const base = world.usdOf(market.base)
  return tickPrice(market, market.kind === 'inverse' ? base : base.over(world.usdOf(market.quote)))
}

/** As it was last taken. */
export function markPrice(world: World, market: Market): Fraction {
  return world.marks.get(market) ?? indexPrice(world, market)
}

/** What an order waits for; undefined: nothing was traded yet. */
export function latestPrice(world: World, market: Market, by: TriggerPrice): Fraction | undefined {
  return by === 'last' ? world.lastPrice.get(market.name) : markPrice(world, market)
}

/** Takes all marks anew; answers the markets whose mark is another. */
export function refreshMarks(world: World): Market[] {
  return world.markets.filter((market) => {
    const before = markPrice(world, market)
    const mark = market.kind === 'spot' ? indexPrice(world, market) : medianMark(world, market)
    world.marks.set(market, mark)
    return !mark.equals(before)
  })
}

function medianMark(world: World, market: Market): Fraction {
  const index = indexPrice(world, market)
  const { latest, basis } = samplesOf(world, market)
  const last = world.lastPrice.get(market.name) ?? index
  const interval = market.fundingHours * hourMs
  const left = fraction(nextFunding(market, world.at) - world.at).over(fraction(interval))
  const withFunding = tickPrice(market, index.plus(index.times(latest).times(left)))
  const mean = basis.length === 0 ? zero : sum(basis).over(fraction(basis.length))
  const withBasis = tickPrice(market, index.plus(mean))
  const [, middle] = [last, withFunding, withBasis].sort((a, b) => a.compare(b))
  const highest = bandPrice(market, index, 'buy', market.marketBand)
  return most(least(middle, highest), bandPrice(market, index, 'sell', market.marketBand))
}

export function nextFunding({ fundingHours }: Market, at: number): number {
  const interval = fundingHours * hourMs
  return (Math.floor(at / interval) + 1) * interval
}

export function samplesOf(world: World, market: Market): Samples {
  const known = world.samples.get(market)
  if (known !== undefined) return known
  const samples = new Samples()
  world.samples.set(market, samples)
  return samples
}

/** Takes the samples that fell due since the last command; books and indexes stood still. */
export function catchUp(world: World, at: number): void {
  if (at < world.sampledAt + sampleMs) return
  for (const market of world.markets) {
    if (market.kind === 'spot') continue
    const samples = samplesOf(world, market)
    const basis = basisOf(world, market)
    const premium = premiumOf(world, market)
    for (let time = world.sampledAt + sampleMs; time <= at; time += sampleMs) {
      samples.basis.push(basis)
      if (samples.basis.length > basisMax) samples.basis.shift()
      if (time % premiumMs === 0) samples.premiums.push(premium)
      if (time % (market.fundingHours * hourMs) !== 0) continue
      samples.due ??= runningRate(world, market)
      samples.premiums = []
    }
  }
  while (world.sampledAt + sampleMs <= at) world.sampledAt += sampleMs
}

/** Whether samples of what stands now will move the mean basis of a contract. */
export function isBasisMoving(world: World): boolean {
  return world.markets.some((market) => {
    if (market.kind === 'spot') return false
    const { basis } = samplesOf(world, market)
    const now = basisOf(world, market)
    return basis.length === 0 ? !now.isZero() : basis.some((value) => !value.equals(now))
  })
}

function basisOf(world: World, market: Market): Fraction {
  const ask = opposite(world, market, 'buy')[0]
  const bid = opposite(world, market, 'sell')[0]
  if (ask === undefined || bid === undefined) return zero
  return priceOf(ask).plus(priceOf(bid)).over(fraction(2)).minus(indexPrice(world, market))
}

function premiumOf(world: World, market: Market): Fraction {
  const index = indexPrice(world, market)
  const bid = impactPrice(world, market, 'sell')
  const ask = impactPrice(world, market, 'buy')
  if (bid === undefined || ask === undefined) return zero
  const gap = most(zero, bid.minus(index)).minus(most(zero, index.minus(ask)))
  return nearestTo(rateStep, gap.over(index))
}

/** Average price at which an order of a side would trade the impact notional, to 1e-8 of a tick; undefined: not so much there. */
function impactPrice(world: World, market: Market, side: Side): Fraction | undefined {
  let left = impactNotional
  let quantity = zero
  const step = market.tick.times(fraction('0.00000001'))
  for (const { price, remaining } of levels(world, market, side)) {
    const value = market.kind === 'inverse' ? remaining : worth(market, remaining, price)
    const part = least(value, left)
    // Base coin for that part; an inverse contract's is taken to 1e-20 of a dollar over a tick.
    const base = part.over(price)
    quantity = quantity.plus(
      market.kind === 'inverse' ? nearestTo(fraction('0.00000000000000000001').over(market.tick), base) : base,
    )
    left = left.minus(part)
    if (left.isZero()) return nearestTo(step, impactNotional.over(quantity))
  }
  return undefined
}

/** What rests against an order of a side, one line per price, best first. */
function levels(
  world: World,
  market: Market,
  side: Side,
): { readonly price: Fraction; readonly remaining: Fraction }[] {
  const found: { readonly price: Fraction; remaining: Fraction }[] = []
  for (const order of opposite(world, market, side)) {
    const last = found.at(-1)
    if (last?.price.equals(priceOf(order)) === true) last.remaining = last.remaining.plus(order.remaining)
    else found.push({ price: priceOf(order), remaining: order.remaining })
  }
  return found
}

/** The rate that the running interval would be settled at if it ended now. */
export function runningRate(world: World, market: Market): Fraction {
  const { premiums } = samplesOf(world, market)
  const weights = premiums.map((_, index) => fraction(index + 1))
  const mean =
    premiums.length === 0
      ? zero
      : sum(premiums.map((premium, index) => premium.times(fraction(index + 1)))).over(sum(weights))
  const pulled = mean.plus(clamp(interest.minus(mean), pull))
  const scaled = nearestTo(rateStep, pulled.times(fraction(market.fundingHours)).over(fraction(8)))
  return clamp(scaled, market.fundingCap)
}

function clamp(value: Fraction, bound: Fraction): Fraction {
  return most(bound.negative(), least(bound, value))
}
