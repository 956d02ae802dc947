/**
 * Everything that shapes the simulated market, in one place (docs/market.md). The defaults keep the demo venue lively at a
 * few percent of one core: some ten small steps a second, each with about a dozen commands.
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
  /** Volatility itself wanders, a coin's own and the whole market's: how strongly, and how long half of a deviation lasts. */
  readonly volatilityOfVolatility: number
  readonly volatilityHalfLifeS: number
  readonly marketVolatilityHalfLifeS: number
  /** Prices go back to the listing price: half of a deviation is gone after this time. */
  readonly priceHalfLifeS: number
  /** Jumps of one coin: how often, and how large on average. */
  readonly jumpEveryS: number
  readonly jumpBps: number
  /** Jumps of the whole market. */
  readonly marketJumpEveryS: number
  readonly marketJumpBps: number
  /** How much more volatile a coin is right after a jump, as a power of e. */
  readonly jumpExcitement: number
  /** A coin is never more than so many times as volatile as usual. */
  readonly nervousnessMax: number
  /** Index prices stay within this share of the listing price, whatever happens. */
  readonly deviationMax: number

  /** Levels that a maker quotes on each side. */
  readonly levels: number
  /** From the fair price to the first level; then between levels, growing outwards. */
  readonly halfSpreadBps: number
  readonly levelGapBps: number
  /** Value of a first-level quote in a book of usual depth; further ones are larger. */
  readonly quoteNotional: number
  /** What all makers offer on a side within two per cent, by coin, times the share of the category that it is traded in. */
  readonly depths: Readonly<Record<string, number>>
  readonly depthElse: number
  readonly depthShares: Readonly<Record<string, number>>
  /** Far quotes of a maker on a side: how many, and from where to where. */
  readonly farLevels: number
  readonly farBps: readonly [nearest: number, furthest: number]
  /** Books that makers look after in one step, in turn. */
  readonly visitsPerStep: number
  /** New quotes on one side of a book in one visit. */
  readonly quotesPerVisit: number
  /** How likely a maker replaces a quote that is still good, so that sizes change too. */
  readonly refreshChance: number
  /** What makers hold in a book moves their quotes: by this much at most, which they do when they hold this value each. */
  readonly skewBps: number
  readonly makerInventoryNotional: number

  /** Orders of takers per second on average, over all books. */
  readonly takesPerS: number
  /** Share of these orders that come because others came just before, and how long half of that eagerness lasts. */
  readonly burstShare: number
  readonly burstHalfLifeS: number
  /** How often an order within a burst goes the way of the one before it. */
  readonly burstSameSide: number
  /** Takers of futures are bullish or bearish for a while: how strongly, and how long half of a mood lasts. */
  readonly mood: number
  readonly moodHalfLifeS: number
  /** Typical value of such an order, and the largest. */
  readonly takeNotional: number
  readonly takeNotionalMax: number
  /** The rest are limit orders that are filled at once or not at all. */
  readonly marketOrderShare: number
  /** How much more often a coin is traded than others, and what share of that each category has. */
  readonly popularity: Readonly<Record<string, number>>
  readonly takeShares: Readonly<Record<string, number>>
  /** A taker that holds this value leans towards getting rid of it. */
  readonly inventoryNotional: number

  /** The arbitrageur trades when one place pays this much more than another asks; the index counts as a place. */
  readonly arbitrageBps: number
  /** What trading at the index, on other venues, costs. */
  readonly elsewhereBps: number
  /** Value of one such trade at most. */
  readonly arbitrageNotional: number
  /** How often it looks at each coin. */
  readonly arbitrageEveryS: number

  /** Leverages that a leveraged trader chooses from. */
  readonly traderLeverages: readonly number[]
  /** Margin that it puts into a position, typically; how long it stays, and how long it waits after. */
  readonly traderMargin: number
  readonly traderHoldS: number
  readonly traderIdleS: number
  /** It takes its profit when the position has earned this share of its margin. */
  readonly traderProfitShare: number
  /** A trader with less than a quarter of this is topped up to it before it opens. */
  readonly traderFunds: number
}

export const defaultParameters: SimulatorParameters = {
  stepMs: 100,
  stepsPerPrice: 10,

  volatility: { BTC: 0.5, ETH: 0.65, SOL: 0.9, XRP: 0.9, DOGE: 1 },
  volatilityElse: 0.8,
  pegged: { USDT: 0, USDC: 2 },
  correlation: 0.7,
  volatilityOfVolatility: 0.4,
  volatilityHalfLifeS: 300,
  marketVolatilityHalfLifeS: 1800,
  priceHalfLifeS: 4 * 3600,
  jumpEveryS: 900,
  jumpBps: 12,
  marketJumpEveryS: 3600,
  marketJumpBps: 20,
  jumpExcitement: 0.5,
  nervousnessMax: 6,
  deviationMax: 0.3,

  levels: 7,
  halfSpreadBps: 0.8,
  levelGapBps: 1.2,
  quoteNotional: 16_000,
  depths: { BTC: 16_000_000, ETH: 10_000_000, SOL: 5_000_000 },
  depthElse: 2_500_000,
  depthShares: { 'USDT-FUTURES': 1, SPOT: 0.4, 'COIN-FUTURES': 0.3, 'USDC-FUTURES': 0.25 },
  farLevels: 12,
  farBps: [24, 205],
  visitsPerStep: 1,
  quotesPerVisit: 2,
  refreshChance: 0.04,
  skewBps: 15,
  makerInventoryNotional: 600_000,

  takesPerS: 15,
  burstShare: 0.6,
  burstHalfLifeS: 3,
  burstSameSide: 0.8,
  mood: 0.5,
  moodHalfLifeS: 1800,
  takeNotional: 800,
  takeNotionalMax: 40_000,
  marketOrderShare: 0.6,
  popularity: { BTC: 4, ETH: 2.5, SOL: 1.5 },
  takeShares: { 'USDT-FUTURES': 1, SPOT: 0.3, 'COIN-FUTURES': 0.2, 'USDC-FUTURES': 0.12 },
  inventoryNotional: 1_000_000,

  arbitrageBps: 6,
  elsewhereBps: 2,
  arbitrageNotional: 15_000,
  arbitrageEveryS: 0.5,

  traderLeverages: [20, 50, 75, 100, 125],
  traderMargin: 600,
  traderHoldS: 1500,
  traderIdleS: 120,
  traderProfitShare: 0.6,
  traderFunds: 10_000,
}
