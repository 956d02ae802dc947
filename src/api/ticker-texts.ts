/**
 * Tickers as JSON: the text of an instrument's ticker is kept, and made anew when anything that it shows has changed.
 *
 * Same   every figure of the day and of the prices, and the best level of both sides, are compared; the time alone is put into
 *        the kept text
 * Kept   one text for each instrument as it is listed: a changed catalogue begins anew
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { DepthView, PricesView } from '../engine/protocol/query.ts'
import type { Ticker } from '../market/market.ts'
import type { Context } from './endpoint.ts'
import { type JsonText, listText } from './json-text.ts'

/** What a ticker is made of; `day` is undefined while nothing has traded yet. */
export interface Quoted {
  readonly day: Ticker | undefined
  readonly best: DepthView
  readonly prices: PricesView
  readonly now: number
}

interface KeptTicker {
  readonly quoted: Quoted
  /** The text up to its time, and what comes after it. */
  readonly before: string
  readonly after: string
}

const timeField = '"ts":"'

export class TickerTexts<Listed extends Instrument, Shown extends { readonly ts: string }> {
  readonly #show: (instrument: Listed, quoted: Quoted) => Shown
  readonly #kept = new WeakMap<Listed, KeptTicker>()

  /** `show` writes the time as milliseconds, in `ts`, and nowhere else. */
  constructor(show: (instrument: Listed, quoted: Quoted) => Shown) {
    this.#show = show
  }

  listOf(context: Context, instruments: readonly Listed[]): JsonText<Shown[]> {
    return listText(instruments.map((instrument) => this.#text(instrument, quotedIn(context, instrument))))
  }

  #text(instrument: Listed, quoted: Quoted): string {
    let kept = this.#kept.get(instrument)
    if (kept === undefined || !showsSame(kept.quoted, quoted)) {
      kept = this.#made(instrument, quoted)
      this.#kept.set(instrument, kept)
    }
    return `${kept.before}${quoted.now}${kept.after}`
  }

  #made(instrument: Listed, quoted: Quoted): KeptTicker {
    const text = JSON.stringify(this.#show(instrument, quoted))
    const from = text.indexOf(timeField) + timeField.length
    return { quoted, before: text.slice(0, from), after: text.slice(text.indexOf('"', from)) }
  }
}

function quotedIn({ core, market, now }: Context, { id }: Instrument): Quoted {
  return {
    day: market.ticker(id, now),
    best: core.query({ kind: 'depth', instrument: id, limit: 1 }),
    prices: core.query({ kind: 'prices', instrument: id }),
    now,
  }
}

function showsSame(one: Quoted, other: Quoted): boolean {
  return (
    sameFields(one.day, other.day) &&
    sameFields(one.prices, other.prices) &&
    sameFields(one.best.bids[0], other.best.bids[0]) &&
    sameFields(one.best.asks[0], other.best.asks[0])
  )
}

function sameFields<Shown extends object>(one: Shown | undefined, other: Shown | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}
