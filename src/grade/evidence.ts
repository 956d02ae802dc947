/**
 * What a run left behind: the venue's journal of the bot's account, the traffic with the bot, what faults did, and what became of
 * the bot's process. Judges know nothing else.
 *
 * Times     Unix milliseconds of the venue
 * Numbers   lines of the journal have ticks and lots; `steps` says what one of each is worth
 * Source    lab.md §4.2 (journal), §4.5 (firings), §4.11
 */

type Fields = Readonly<Record<string, unknown>>

/** A command of the bot's account, or one that concerned it, and what came of it. */
export interface JournalLine {
  readonly sequence: number
  readonly at: number
  readonly command: Fields & { readonly kind: string }
  readonly reply?: (Fields & { readonly kind: string }) | undefined
  readonly events: readonly (Fields & { readonly kind: string })[]
}

/** A line of `/_lab/traffic`. */
export interface TrafficLine {
  readonly number: number
  readonly at: number
  readonly kind: 'request' | 'call' | 'handshake' | 'opened' | 'closed' | 'in' | 'out'
  readonly endpoint?: string
  readonly target?: string
  readonly key?: string
  readonly uid?: number
  readonly socket?: number
  readonly text?: string
  readonly answeredAt?: number
  readonly status?: number
  readonly code?: string
  readonly answer?: string
}

/** A line of `/_lab/firings`: where a fault met something. */
export interface Firing {
  readonly firing: number
  readonly rule: string
  readonly fault: string
  readonly at: number
  /** Of the first command of the call. */
  readonly sequence?: number
  readonly endpoint?: string
  readonly uid?: string
  /** In truth: `placed`, `filled`, `done`, `refused`, `not-sequenced`. */
  readonly outcome?: string
  /** Of each command, where there were several. */
  readonly outcomes?: readonly string[]
  /** How many calls or messages a fault struck that lasts. */
  readonly struck?: number
}

/** A stretch of time. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** The process ended, and nobody had asked it to. */
export interface Exit {
  readonly at: number
  readonly code: number | null
  readonly signal: string | null
}

/** What one tick and one lot of an instrument are. */
export interface Steps {
  readonly price: number
  readonly quantity: number
}

export interface Evidence {
  readonly uid: number
  /** Its API key. */
  readonly key: string
  /** By symbol. */
  readonly steps: Readonly<Record<string, Steps>>
  readonly journal: readonly JournalLine[]
  readonly traffic: readonly TrafficLine[]
  readonly firings: readonly Firing[]
  /** What the market held to be the price, from a moment on, oldest first. */
  readonly prices: readonly { readonly at: number; readonly symbol: string; readonly price: number }[]
  readonly exits: readonly Exit[]
  /** While the venue or the way to it was down. */
  readonly outages: readonly Span[]
  /** How long a second of the world is here. */
  readonly scale: number
  /** When the bot began to trade in earnest: what was before is not judged. */
  readonly warm: number
  /** When the fault began to act; of a run without one, `warm`. */
  readonly struck: number
  /** When it had ended. */
  readonly over: number
  /** When the bot has had its time to recover: from here on it is as it is. */
  readonly recovered: number
  readonly ended: number
}

/** Requests of the bot, and those that anybody may make: nobody else makes such in a fork. */
export function requestsOf({ traffic, key }: Evidence): readonly TrafficLine[] {
  return traffic.filter((line) => {
    return (line.kind === 'request' || line.kind === 'call') && (line.key === undefined || line.key === key)
  })
}

/** The price of a symbol at a time, as the market held it; undefined: there was none yet. */
export function priceAt({ prices }: Pick<Evidence, 'prices'>, symbol: string, at: number): number | undefined {
  return prices.findLast((price) => price.symbol === symbol && price.at <= at)?.price
}
