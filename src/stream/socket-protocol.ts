/**
 * What each version of the socket protocol has to say: which channels there are, and how a push is written.
 *
 * Engine's  everything comes in the engine's terms; the words of a version live in v2/ and v3/, on the dictionaries of api/
 * Private   a channel shows an account's state (all of it, each time something of it may have changed), each
 *           update of it, or both
 */
import type { CatalogIndex, PrivateAccess, Version } from '../api/api.ts'
import type { Category, CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { Millis } from '../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, PositionClosed, TradeEvent, TriggerRecord } from '../engine/protocol/event.ts'
import type { AccountView, DepthView, PricesView } from '../engine/protocol/query.ts'
import type { LiquidationOffer } from '../history/history.ts'
import type { Candle, Interval, Ticker } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import type { Sides } from './levels.ts'
import type { Argument } from './requests.ts'
import type { Action } from './topic.ts'

export type Channel = PublicChannel | PrivateChannel

/** Two arguments with one key mean the same channel. */
interface ChannelName {
  readonly key: string
  readonly version: Version
}

export interface PublicChannel extends ChannelName {
  readonly scope: 'public'
  /** One instrument; of what is shown for many, also all of a category. */
  readonly about: Instrument | Category
  readonly show: Shown
}

/** `rpi`: with what retail price improvement offers told apart. */
export type Shown =
  | { readonly kind: 'ticker' | 'trades' | 'auction' }
  | { readonly kind: 'liquidations' | 'index-prices' }
  | { readonly kind: 'books'; readonly rpi: boolean }
  /** The best levels, all of them in each push. */
  | { readonly kind: 'top'; readonly levels: number; readonly rpi: boolean }
  | { readonly kind: 'candles'; readonly interval: Interval }

export interface PrivateChannel extends ChannelName {
  readonly scope: 'private'
  readonly access: PrivateAccess
  /** Rows of the account as it stands. */
  readonly state?: (picture: AccountPicture, channelState: ChannelState) => readonly unknown[]
  /** The positions that its state pushes once more when they have closed. */
  readonly pushesClosed?: (position: PositionClosed) => boolean
  /** The row of an update; undefined: it does not belong to this channel. */
  readonly rowOf?: (update: AccountUpdate, picture: AccountPicture) => unknown
  /** What a push of updates is called; `snapshot` if absent. */
  readonly action?: Action
  /** Its state changes with prices too, and is then pushed, at a pace of its own. */
  readonly followsPrices?: boolean
}

/** What an account's pushes are written from. */
export interface AccountPicture {
  readonly core: Core
  readonly catalog: CatalogIndex
  readonly account: AccountView
  readonly now: Millis
}

/** What a channel that shows state has to remember from one push to the next. */
export interface ChannelState {
  /** Shown once, and from then on also when nothing is left of them. */
  readonly coins: Set<CoinId>
  /** Positions that have closed since the last push, of those that the channel pushes. */
  closed: readonly PositionClosed[]
}

/** Something that happened to an account. */
export type AccountUpdate =
  /** An order as it stood then; `fill`: what of it was filled just then; `requestId`: of the change that made it so. */
  | {
      readonly kind: 'order'
      readonly order: OrderRecord
      readonly fill: FillEvent | undefined
      readonly requestId?: string
    }
  | { readonly kind: 'fill'; readonly fill: FillEvent }
  /** `partner`: the take-profit or stop-loss that waits together with it; `partnerFollows`: its own update is the next. */
  | {
      readonly kind: 'trigger'
      readonly trigger: TriggerRecord
      readonly partner: TriggerRecord | undefined
      readonly partnerFollows: boolean
    }
  /** A take-profit or stop-loss waits alone from now on: its partner has ended. */
  | { readonly kind: 'partner-ended'; readonly trigger: TriggerRecord }
  | { readonly kind: 'position-closed'; readonly position: PositionClosed }

export interface TickerPicture {
  readonly instrument: Instrument
  /** Undefined while nothing has traded yet. */
  readonly ticker: Ticker | undefined
  readonly depth: DepthView
  readonly prices: PricesView
  readonly now: Millis
}

export interface BookPush {
  readonly instrument: Instrument
  readonly rpi: boolean
  /** The levels to write. */
  readonly rows: Sides
  /** The book as it is with them. */
  readonly whole: Sides
  /** Levels that a side has at most. */
  readonly levelsMax: number
  readonly sequence: number
  /** Of the push that it follows; zero: it follows none. */
  readonly previous: number
  readonly at: Millis
}

export interface Protocol {
  /** Undefined: there is no such channel. */
  channelOf(argument: Argument, catalog: CatalogIndex): Channel | undefined
  /** The argument as pushes repeat it: its own spelling, in one order of fields. */
  echo(argument: Argument): string
  ticker(picture: TickerPicture): unknown
  trade(trade: TradeEvent, catalog: CatalogIndex): unknown
  book(push: BookPush): unknown
  candle(instrument: Instrument, candle: Candle): unknown
  /** Undefined: the version has no such channel, here and below. */
  readonly indexPrice?: (prices: PricesView, catalog: CatalogIndex, now: Millis) => unknown
  readonly liquidation?: (offer: LiquidationOffer, catalog: CatalogIndex) => unknown
}
