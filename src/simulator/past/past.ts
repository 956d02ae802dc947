/**
 * A market that was there before the venue: prices, trades and funding of the demo venue's instruments up to its beginning.
 *
 * Made     where somebody looks, of the seed alone: nothing is stored, and a venue that starts makes none of it
 * Same     seed, listing prices and the minute in which the venue began answer the same past, in any order, in any process
 * Ends     at the listing price, with the minute in which the first instrument was listed; so much before it begins
 * Whose    instruments of the demo venue. What the operator lists later has none
 * Source   docs/market.md; docs/decisions/0040-a-past-that-is-made.md
 */
import { type Catalog, type Instrument, type InstrumentId, isFutures } from '../../engine/catalog/catalog.ts'
import type { Millis, Ticks } from '../../engine/numbers/numbers.ts'
import type { FundingSettled } from '../../engine/protocol/event.ts'
import type { PriceKind } from '../../history/history.ts'
import type { Past, PriceOf } from '../../market/market.ts'
import { defaultParameters } from '../parameters.ts'
import { Basis } from './basis.ts'
import { CoinWalk, type WalkSpan } from './coin-walk.ts'
import { Draws } from './draws.ts'
import { InstrumentPast } from './instrument-past.ts'
import { usualNotional } from './shape.ts'

/** What a past is made of besides the catalogue: kept with the venue, since its settings may change. */
export interface PastTerms {
  readonly seed: number
  readonly days: number
}

export interface SimulatedPastOptions extends PastTerms {
  readonly catalog: () => Catalog
  /** `CATEGORY SYMBOL` of the instruments that have a past. */
  readonly instruments: ReadonlySet<string>
}

const minuteMs = 60_000
const hourMs = 3_600_000

type Span = WalkSpan & { readonly end: Millis }

interface Parts {
  readonly basis: Basis
  readonly prices: Partial<Record<PriceKind, InstrumentPast>>
  settled?: readonly FundingSettled[]
}

export class SimulatedPast implements Past {
  readonly #options: SimulatedPastOptions
  readonly #walks = new Map<string, CoinWalk>()
  readonly #parts = new Map<InstrumentId, Parts>()
  #span: Span | undefined
  #hoursMade = 0

  constructor(options: SimulatedPastOptions) {
    this.#options = options
  }

  get terms(): PastTerms {
    const { seed, days } = this.#options
    return { seed, days }
  }

  /** Unix milliseconds; undefined: nothing is listed yet. */
  get bounds(): { readonly from: Millis; readonly to: Millis } | undefined {
    const span = this.#spanOf()
    return span && { from: span.firstHour * hourMs, to: span.end }
  }

  spanOf(instrument: InstrumentId): ReturnType<Past['spanOf']> {
    return this.#instrument(instrument) && this.bounds
  }

  candles({ instrument, priceKind, bounds }: Parameters<Past['candles']>[0]): ReturnType<Past['candles']> {
    const of = this.#pricesOf(instrument, priceKind)
    if (of === undefined) return []
    const made = of.hoursMade
    const candles = bounds.slice(1).flatMap((to, place) => of.candle(bounds[place], to) ?? [])
    this.#hoursMade += of.hoursMade - made
    return candles
  }

  priceBefore({ instrument, priceKind }: PriceOf, moment: Millis): Ticks | undefined {
    return this.#pricesOf(instrument, priceKind)?.priceBefore(moment)
  }

  get hoursMade(): number {
    return this.#hoursMade
  }

  fundingRates(id: InstrumentId): readonly FundingSettled[] {
    const instrument = this.#instrument(id)
    const span = this.#spanOf()
    const marks = this.#pricesOf(id, 'mark')
    if (instrument === undefined || span === undefined || marks === undefined || !isFutures(instrument)) return []
    const parts = this.#partsOf(instrument, span)
    if (parts.settled !== undefined) return parts.settled
    const { basis } = parts
    const interval = instrument.fundingIntervalHours
    const settled: FundingSettled[] = []
    const newest = Math.floor(span.end / hourMs / interval) * interval
    for (let hour = newest; hour - interval >= span.firstHour; hour -= interval) {
      const at = hour * hourMs
      const markPrice = (marks.priceAt(at) ?? marks.priceBefore(at)) as Ticks
      const fundingRate = basis.fundingRate(instrument, hour)
      settled.push({ kind: 'funding-settled', instrument: id, fundingRate, markPrice, at })
    }
    return (parts.settled = settled)
  }

  #instrument(id: InstrumentId): Instrument | undefined {
    const { catalog, instruments } = this.#options
    const found = catalog().instruments[id]
    return found !== undefined && instruments.has(`${found.category} ${found.symbol}`) ? found : undefined
  }

  /** Of all books that have a past. */
  #bases(): readonly string[] {
    const { coins, instruments } = this.#options.catalog()
    return instruments.filter(({ id }) => this.#instrument(id) !== undefined).map(({ base }) => coins[base].name)
  }

  /** Whole hours back from the one that the venue began in. */
  #spanOf(): Span | undefined {
    const first = this.#span === undefined ? this.#options.catalog().instruments[0] : undefined
    if (first === undefined) return this.#span
    const end = first.listedAt - (first.listedAt % minuteMs)
    const hour = Math.floor(end / hourMs)
    const intoHour = (end % hourMs) / minuteMs
    const last = intoHour === 0 ? { lastHour: hour - 1, lastMinutes: 60 } : { lastHour: hour, lastMinutes: intoHour }
    // Nothing was before 1970.
    return (this.#span = { firstHour: Math.max(0, hour - 24 * this.#options.days), ...last, end })
  }

  #pricesOf(id: InstrumentId, priceKind: PriceKind): InstrumentPast | undefined {
    const instrument = this.#instrument(id)
    const span = this.#spanOf()
    if (instrument === undefined || span === undefined) return undefined
    const { basis, prices } = this.#partsOf(instrument, span)
    return (prices[priceKind] ??= this.#make(instrument, priceKind, basis, span))
  }

  #partsOf(instrument: Instrument, span: Span): Parts {
    let parts = this.#parts.get(instrument.id)
    if (parts === undefined) {
      parts = { basis: new Basis(instrument, this.#drawsOf(instrument), span), prices: {} }
      this.#parts.set(instrument.id, parts)
    }
    return parts
  }

  #make(instrument: Instrument, priceKind: PriceKind, basis: Basis, span: Span): InstrumentPast {
    const { coins } = this.#options.catalog()
    const dollarsOf = (id: number) => Number(coins[id].listingPriceE8) / 1e8
    const { base, quote, priceDecimals, priceStep } = instrument
    const price = dollarsOf(base) / (quote === -1 ? 1 : dollarsOf(quote))
    const terms = {
      instrument,
      priceKind,
      usualNotional: usualNotional(coins[base].name, this.#bases()),
      listingTicks: (price * 10 ** priceDecimals) / priceStep,
      walk: this.#walkOf(coins[base].name, span),
      draws: this.#drawsOf(instrument),
      basisAt: (hour: number) => basis.at(hour),
    }
    return new InstrumentPast(terms, span)
  }

  #drawsOf({ category, symbol }: Instrument): Draws {
    return new Draws(this.#options.seed, `${category} ${symbol}`)
  }

  #walkOf(coin: string, span: Span): CoinWalk {
    let walk = this.#walks.get(coin)
    if (walk === undefined) {
      const { volatility, volatilityElse } = defaultParameters
      walk = new CoinWalk({
        seed: this.#options.seed,
        coin,
        volatility: volatility[coin] ?? volatilityElse,
        span,
      })
      this.#walks.set(coin, walk)
    }
    return walk
  }
}
