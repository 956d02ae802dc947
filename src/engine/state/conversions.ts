/**
 * Conversions of coins by the house: the terms, and the quotes that were given.
 *
 * Bounds    an account has at most `quotesMax` quotes, the oldest goes first. A quote that is over or used is remembered
 *           for another minute, so that whoever comes late hears why it is refused
 * Saved     once there is something that is not as in a new venue
 * Source    docs/decisions/0031-conversions.md
 */
import { type CoinId, type ConversionSettings, defaultConversionSettings } from '../catalog/catalog.ts'
import type { Amount, Millis } from '../numbers/numbers.ts'
import type { AccountHandle } from '../vocabulary.ts'

/** What the house promised: this much of one coin for that much of another. */
export interface ConversionQuote {
  readonly quoteId: number
  readonly fromCoin: CoinId
  readonly fromAmount: Amount
  readonly toCoin: CoinId
  readonly toAmount: Amount
  /** Of `toCoin` for one `fromCoin`, 1e-12; it may be wider than 64 bits. */
  readonly price: bigint
  /** It holds up to and including this moment. */
  readonly until: Millis
  readonly used: boolean
}

const quotesMax = 20
const rememberedMs = 60_000
const firstQuote = 9_000_000_000_000_001

export class Conversions {
  settings: ConversionSettings = defaultConversionSettings
  /** Of the next quote. */
  nextQuote = firstQuote
  /** By account, whoever asked last comes last; of each the oldest first. */
  quotes = new Map<AccountHandle, readonly ConversionQuote[]>()

  find(account: AccountHandle, quoteId: number): ConversionQuote | undefined {
    return this.quotes.get(account)?.find((quote) => quote.quoteId === quoteId)
  }

  /** Adds a quote, and forgets what nobody will come for any more. */
  add(account: AccountHandle, quote: ConversionQuote, now: Millis): void {
    const kept = (this.quotes.get(account) ?? []).filter((known) => isRemembered(known, now))
    this.quotes.delete(account)
    this.quotes.set(account, [...kept, quote].slice(-quotesMax))
    for (const [other, quotes] of this.quotes) {
      if (quotes.some((known) => isRemembered(known, now))) return
      this.quotes.delete(other)
    }
  }

  use(account: AccountHandle, { quoteId }: ConversionQuote): void {
    const quotes = this.quotes.get(account) ?? []
    this.quotes.set(
      account,
      quotes.map((known) => (known.quoteId === quoteId ? { ...known, used: true } : known)),
    )
  }

  /** Quotes that are remembered. */
  get count(): number {
    return [...this.quotes.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Undefined: as in a new venue. */
  save(): Record<string, unknown> | undefined {
    const { settings, nextQuote, quotes } = this
    if (nextQuote === firstQuote && settings === defaultConversionSettings) return undefined
    return { settings, nextQuote, quotes }
  }

  load(saved: Record<string, unknown> | undefined): void {
    if (saved !== undefined) Object.assign(this, saved)
  }
}

function isRemembered({ until }: ConversionQuote, now: Millis): boolean {
  return now <= until + rememberedMs
}
