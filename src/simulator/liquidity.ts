/**
 * How liquid an instrument is: what all makers offer on a side within two per cent, how large their nearest quotes are,
 * and how often it is traded. Of a coin the linear contract in USDT has most, as on real venues.
 *
 * Ladder   far quotes lie geometrically between the nearest ones and two per cent. What is offered a basis point falls off
 *          with the distance (its power -0.6), so that depth grows ever more slowly
 * Source   docs/market.md
 */
import type { Catalog, Instrument } from '../engine/catalog/catalog.ts'
import type { SimulatorParameters } from './parameters.ts'

/** Depth at which quotes have their usual size. */
const usualDepth = 2_500_000
const densityPower = -0.6

export interface Liquidity {
  /** US dollars (or quote coin) of one side within two per cent, of all makers together. */
  readonly depth: number
  /** The nearest quotes, and what makers hold before they move them, are so many times the usual. */
  readonly size: number
  /** Weight among all that are traded. */
  readonly traded: number
}

export function liquidityOf(
  { base, category }: Pick<Instrument, 'base' | 'category'>,
  { coins }: Pick<Catalog, 'coins'>,
  { depths, depthElse, depthShares, popularity, takeShares }: SimulatorParameters,
): Liquidity {
  const name = coins[base]?.name ?? ''
  const depth = (depths[name] ?? depthElse) * (depthShares[category] ?? 1)
  return {
    depth,
    size: Math.max(1, depth / usualDepth),
    traded: (popularity[name] ?? 1) * (takeShares[category] ?? 1),
  }
}

/** One far quote of a maker: how far from the fair price, and what share of the maker's far quotes of a side it is. */
export interface Rung {
  readonly bps: number
  readonly share: number
}

/**
 * Far quotes of the maker with a place among so many, best first: makers lie between each other. Everything beyond `nearest`
 * is theirs, to two per cent.
 */
export function ladderOf(
  { farLevels, farBps }: Pick<SimulatorParameters, 'farLevels' | 'farBps'>,
  place: number,
  makers: number,
): Rung[] {
  const [nearest, furthest] = farBps
  const ratio = (furthest / nearest) ** (1 / farLevels)
  const bpsAt = (level: number) => nearest * ratio ** (level + (place + 0.5) / makers)
  const weights = Array.from({ length: farLevels }, (_, level) => bpsAt(level) ** (densityPower + 1))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight, level) => ({ bps: bpsAt(level), share: weight / all }))
}
