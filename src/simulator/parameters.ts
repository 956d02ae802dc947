/**
 * Everything that shapes the simulated market, in one place. The defaults keep the demo venue lively at a few percent of
 * one core: some ten small steps a second, each with about a dozen commands.
 *
 * Units   bps are 1e-4 of a price; money is US dollars; volatility is per year, as traders quote it
 */
export interface SimulatorParameters {
  /** Length of one step. */
  readonly stepMs: number
  /** Steps between two index prices. */
  readonly stepsPerPrice: number

  /** Yearly volatility of a coin's index price; coins that are not named have `volatilityElse`. */
  readonly volatility: Readonly<Record<string, number>>
  readonly volatilityElse: number
  /** Coins held near one dollar: how far they may stray, in bps; zero is exactly one dollar. */
  readonly pegged: Readonly<Record<string, number>>
  /** How much of a coin's movement is the whole market's, 0 to 1. */
  readonly correlation: number
  /** Volatility itself wanders: how strongly, and in how many seconds half of a deviation is gone. */
  readonly volatilityOfVolatility: number
  readonly volatilityHalfLifeS: number
  /** Prices go back to the listing price: half of a deviation is gone after this time. */
  readonly priceHalfLifeS: number
  /** Small jumps: how often per coin, and how large on average. */
  readonly jumpEveryS: number
  readonly jumpBps: number
  /** Index prices stay within this share of the listing price, whatever happens. */
  readonly deviationMax: number

  /** Levels that a maker quotes on each side. */
  readonly levels: number
  /** From the fair price to the first level; then between levels, growing outwards. */
  readonly halfSpreadBps: number
  readonly levelGapBps: number
  /** Value of a first-level quote; further ones are larger. */
  readonly quoteNotional: number
  /** Books that makers look after in one step, in turn. */
  readonly visitsPerStep: number
  /** New quotes on one side of a book in one visit. */
  readonly quotesPerVisit: number
  /** How likely a maker replaces a quote that is still good, so that sizes change too. */
  readonly refreshChance: number
  /** How far a contract trades from its index, in bps. */
  readonly premiumBps: number

  /** Orders of takers per second, over all books. */
  readonly takesPerS: number
  /** Typical value of such an order, and the largest. */
  readonly takeNotional: number
  readonly takeNotionalMax: number
  /** The rest are limit orders that are filled at once or not at all. */
  readonly marketOrderShare: number
  /** How much more often a coin is traded than others. */
  readonly popularity: Readonly<Record<string, number>>
  /** A taker that holds this value leans towards getting rid of it. */
  readonly inventoryNotional: number
}

export const defaultParameters: SimulatorParameters = {
  stepMs: 100,
  stepsPerPrice: 10,

  volatility: { BTC: 0.5, ETH: 0.65, SOL: 0.9, XRP: 0.9, DOGE: 1 },
  volatilityElse: 0.8,
  pegged: { USDT: 0, USDC: 2 },
  correlation: 0.7,
  volatilityOfVolatility: 0.5,
  volatilityHalfLifeS: 300,
  priceHalfLifeS: 4 * 3600,
  jumpEveryS: 900,
  jumpBps: 12,
  deviationMax: 0.3,

  levels: 7,
  halfSpreadBps: 0.8,
  levelGapBps: 1.2,
  quoteNotional: 12_000,
  visitsPerStep: 1,
  quotesPerVisit: 2,
  refreshChance: 0.04,
  premiumBps: 2,

  takesPerS: 4,
  takeNotional: 1_200,
  takeNotionalMax: 40_000,
  marketOrderShare: 0.6,
  popularity: { BTC: 4, ETH: 2.5, SOL: 1.5 },
  inventoryNotional: 1_000_000,
}
