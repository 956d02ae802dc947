/**
 * What the simulated agents believe: the index price of every coin, and from these what each instrument is worth.
 *
 * Starts    from the prices that the venue shows, so that a restart goes on where it stood
 * Grows     with the catalogue: coins and instruments that are listed later join in
 */
import type { Catalog, Coin, CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { SetIndexPrices } from '../engine/command.ts'
import type { Core } from '../runtime/runtime.ts'
import type { Chance } from './chance.ts'
import type { SimulatorParameters } from './parameters.ts'
import { type CoinPrice, coinPrice, inUnits } from './prices.ts'
import { priceOf } from './scale.ts'

/** Half of a premium over the index is gone after this many seconds. */
const premiumHalfLifeS = 120

export class World {
  readonly #core: Core
  readonly #chance: Chance
  readonly #market: Chance
  readonly #parameters: SimulatorParameters
  readonly #prices = new Map<CoinId, CoinPrice>()
  readonly #premiums = new Map<number, { bps: number; readonly chance: Chance }>()

  constructor(core: Core, chance: Chance, parameters: SimulatorParameters) {
    this.#core = core
    this.#chance = chance
    this.#market = chance.for('market')
    this.#parameters = parameters
  }

  /** The instruments that can be traded now; what is new among them gets a price. */
  instruments(): readonly Instrument[] {
    const catalog = this.#core.query({ kind: 'catalog' })
    for (const coin of catalog.coins) {
      if (this.#prices.has(coin.id)) continue
      const listed = Number(coin.listingPriceE8) / 1e8
      const now = this.#shownPrice(coin, catalog) ?? listed
      const chance = this.#chance.for(`coin ${coin.name}`)
      this.#prices.set(coin.id, coinPrice(coin.name, { listed, now }, chance, this.#parameters))
    }
    return catalog.instruments.filter((one) => one.status === 'online' && this.fair(one) > 0)
  }

  /** Lets time pass. */
  move(seconds: number): void {
    const shock = this.#market.normal()
    for (const price of this.#prices.values()) price.move(seconds, shock)
    for (const premium of this.#premiums.values()) {
      const keep = 2 ** (-seconds / premiumHalfLifeS)
      const shift = this.#parameters.premiumBps * Math.sqrt(1 - keep ** 2) * premium.chance.normal()
      premium.bps = premium.bps * keep + shift
    }
  }

  indexPrices(): SetIndexPrices {
    return {
      kind: 'set-index-prices',
      prices: [...this.#prices].map(([coin, price]) => [coin, inUnits(price)] as const),
    }
  }

  /** What an instrument is worth in its quote; zero when nobody knows. */
  fair(instrument: Instrument): number {
    const base = this.#prices.get(instrument.base)?.dollars ?? 0
    const quote = instrument.quote === -1 ? 1 : (this.#prices.get(instrument.quote)?.dollars ?? 0)
    if (quote === 0) return 0
    return (base / quote) * (1 + (instrument.kind === 'spot' ? 0 : this.#premiumBps(instrument)) / 1e4)
  }

  nervousness(instrument: Instrument): number {
    return this.#prices.get(instrument.base)?.nervousness ?? 1
  }

  #premiumBps({ id, category, symbol }: Instrument): number {
    let premium = this.#premiums.get(id)
    if (premium === undefined) {
      premium = { bps: 0, chance: this.#chance.for(`premium ${category} ${symbol}`) }
      this.#premiums.set(id, premium)
    }
    return premium.bps
  }

  /** From an instrument that prices the coin in dollars or in a coin that is held at one. */
  #shownPrice(coin: Coin, { coins, instruments }: Catalog): number | undefined {
    const dollars = (quote: number) => quote === -1 || this.#parameters.pegged[coins[quote]?.name ?? ''] === 0
    const instrument = instruments.find((one) => one.base === coin.id && dollars(one.quote))
    if (instrument === undefined) return undefined
    const { indexPrice } = this.#core.query({ kind: 'prices', instrument: instrument.id })
    return indexPrice > 0 ? priceOf(instrument, indexPrice) : undefined
  }
}
