/**
 * What the simulated agents believe: the index price of every coin, and from these what each instrument is worth.
 *
 * Starts    from the prices that the venue shows, so that a restart goes on where it stood; a coin with a recording from
 *           the recording's beginning
 * Shifted   by a factor, as long as somebody wants a coin elsewhere: what the market does to it goes on below that
 * Grows     with the catalogue: coins and instruments that are listed later join in
 */
import type { Catalog, Coin, CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { SetIndexPrices } from '../engine/protocol/command.ts'
import type { Core } from '../runtime/runtime.ts'
import type { MarketConditions } from './market-conditions.ts'
import type { SimulatorParameters } from './parameters.ts'
import { type CoinPrice, coinPrice, inUnits, MarketFactor, type SavedMarketFactor, type SavedPrice } from './prices.ts'
import type { Random } from './random.ts'
import { RecordedPrice, type Recordings } from './recordings.ts'
import { priceOf } from './scale.ts'

export interface SavedFairValues {
  readonly market: SavedMarketFactor
  /** In the order in which the coins joined in. */
  readonly prices: readonly (readonly [CoinId, SavedPrice])[]
}

export class FairValues {
  readonly #core: Core
  readonly #random: Random
  readonly #marketFactor: MarketFactor
  readonly #parameters: SimulatorParameters
  readonly #recordings: Recordings | undefined
  readonly #prices = new Map<CoinId, CoinPrice>()
  #shifts: ReadonlyMap<CoinId, number> = new Map()

  constructor(core: Core, random: Random, parameters: SimulatorParameters, recordings?: Recordings) {
    this.#core = core
    this.#random = random
    this.#marketFactor = new MarketFactor(random.for('market'), parameters)
    this.#parameters = parameters
    this.#recordings = recordings
  }

  save(): SavedFairValues {
    return {
      market: this.#marketFactor.save(),
      prices: [...this.#prices].map(([coin, price]) => [coin, price.save()] as const),
    }
  }

  /** Times what each of these coins would be worth, until told otherwise. */
  shift(factors: ReadonlyMap<CoinId, number>): void {
    this.#shifts = factors
  }

  /** Coins that joined in later are forgotten. */
  restore({ market, prices }: SavedFairValues): void {
    const catalog = this.#core.query({ kind: 'catalog' })
    this.#marketFactor.restore(market)
    this.#prices.clear()
    for (const [id, saved] of prices) {
      const price = this.#priceOf(catalog.coins[id], catalog)
      price.restore(saved)
      this.#prices.set(id, price)
    }
  }

  /** The instruments that can be traded now; what is new among them gets a price. */
  instruments(): readonly Instrument[] {
    const catalog = this.#core.query({ kind: 'catalog' })
    for (const coin of catalog.coins) {
      if (!this.#prices.has(coin.id)) this.#prices.set(coin.id, this.#priceOf(coin, catalog))
    }
    return catalog.instruments.filter((instrument) => instrument.status === 'online' && this.fair(instrument) > 0)
  }

  /** Lets time pass. */
  move(seconds: number, conditionsOf: (coin: CoinId) => MarketConditions): void {
    const market = this.#marketFactor.move(seconds)
    for (const [coin, price] of this.#prices) price.move(market, conditionsOf(coin))
  }

  indexPrices(conditionsOf: (coin: CoinId) => MarketConditions): SetIndexPrices {
    const published = [...this.#prices].filter(([coin]) => !conditionsOf(coin).isHidden)
    return {
      kind: 'set-index-prices',
      prices: published.map(([coin, price]) => [coin, this.#inUnits(coin, price)] as const),
    }
  }

  dollars(coin: CoinId): number {
    return (this.#prices.get(coin)?.dollars ?? 0) * (this.#shifts.get(coin) ?? 1)
  }

  /** How much more often a coin is traded than others. */
  popularity(coin: CoinId): number {
    const { coins } = this.#core.query({ kind: 'catalog' })
    return this.#parameters.popularity[coins[coin]?.name ?? ''] ?? 1
  }

  deviation(coin: CoinId): number {
    return this.#prices.get(coin)?.deviation ?? 0
  }

  /** What an instrument is worth in its quote; zero when nobody knows. */
  fair({ base, quote }: Instrument): number {
    const inQuote = quote === -1 ? 1 : this.dollars(quote)
    return inQuote === 0 ? 0 : this.dollars(base) / inQuote
  }

  nervousness(coin: CoinId): number {
    return this.#prices.get(coin)?.nervousness ?? 1
  }

  #inUnits(coin: CoinId, price: CoinPrice): bigint {
    const shift = this.#shifts.get(coin)
    return shift === undefined ? inUnits(price) : inUnits({ dollars: price.dollars * shift })
  }

  #priceOf(coin: Coin, catalog: Catalog): CoinPrice {
    const listed = Number(coin.listingPriceE8) / 1e8
    const random = this.#random.for(`coin ${coin.name}`)
    const recording = this.#recordings?.of.get(coin.name)
    if (recording !== undefined) {
      return new RecordedPrice(coin.name, recording, this.#recordings?.beginsAt ?? 0, random, this.#parameters)
    }
    const now = this.#shownPrice(coin, catalog) ?? listed
    return coinPrice(coin.name, { listed, now }, random, this.#parameters)
  }

  /** From an instrument that prices the coin in dollars or in a coin that is held at one. */
  #shownPrice(coin: Coin, { coins, instruments }: Catalog): number | undefined {
    const dollars = (quote: number) => quote === -1 || this.#parameters.pegged[coins[quote]?.name ?? ''] === 0
    const instrument = instruments.find((candidate) => candidate.base === coin.id && dollars(candidate.quote))
    if (instrument === undefined) return undefined
    const { indexPrice } = this.#core.query({ kind: 'prices', instrument: instrument.id })
    return indexPrice > 0 ? priceOf(instrument, indexPrice) : undefined
  }
}
