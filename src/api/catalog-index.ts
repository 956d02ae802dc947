/**
 * The catalogue with the lookups that every request makes: instruments by category and symbol, coins by name and number.
 *
 * Holds    built once per version of the catalogue; the picture behind it never changes
 * MARGIN   shares the spot pairs: a pair is found there when it is marginable
 * Symbols  upper case, as parsing/fields.ts delivers them
 */
import type {
  Catalog,
  Category,
  Coin,
  CoinId,
  FuturesInstrument,
  Instrument,
  InstrumentId,
  ProductLine,
  SpotInstrument,
} from '../engine/catalog/catalog.ts'

/** The instrument type of a category, where the category is known to the compiler. */
export type InstrumentOf<C extends Category> = C extends ProductLine ? FuturesInstrument : SpotInstrument

export class CatalogIndex {
  readonly catalog: Catalog
  readonly #bySymbol = new Map<Category, Map<string, Instrument>>()
  readonly #byCategory = new Map<Category, Instrument[]>()
  readonly #coins = new Map<string, Coin>()

  constructor(catalog: Catalog) {
    this.catalog = catalog
    for (const coin of catalog.coins) this.#coins.set(coin.name, coin)
    for (const instrument of catalog.instruments) {
      this.#add(instrument.category, instrument)
      if (instrument.kind === 'spot' && instrument.marginable) this.#add('MARGIN', instrument)
    }
  }

  #add(category: Category, instrument: Instrument): void {
    const listed = this.#byCategory.get(category)
    if (listed) listed.push(instrument)
    else this.#byCategory.set(category, [instrument])
    const named = this.#bySymbol.get(category) ?? new Map<string, Instrument>()
    this.#bySymbol.set(category, named.set(instrument.symbol, instrument))
  }

  find<C extends Category>(category: C, symbol: string): InstrumentOf<C> | undefined {
    return this.#bySymbol.get(category)?.get(symbol) as InstrumentOf<C> | undefined
  }

  /** Everything of a category, in order of listing. */
  list<C extends Category>(category: C): readonly InstrumentOf<C>[] {
    return (this.#byCategory.get(category) ?? []) as unknown as readonly InstrumentOf<C>[]
  }

  instrument(id: InstrumentId): Instrument {
    const found = this.catalog.instruments[id]
    if (found === undefined) throw new Error(`no instrument ${id} in the catalogue`)
    return found
  }

  coin(id: CoinId): Coin {
    const found = this.catalog.coins[id]
    if (found === undefined) throw new Error(`no coin ${id} in the catalogue`)
    return found
  }

  coinNamed(name: string): Coin | undefined {
    return this.#coins.get(name)
  }

  /** Name of a coin; -1 is the US dollar, the quote of inverse contracts. */
  coinName(id: CoinId | -1): string {
    return id === -1 ? 'USD' : this.coin(id).name
  }
}
