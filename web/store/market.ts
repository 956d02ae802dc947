/**
 * The market as it is shown: what there is to trade, the instrument in view, its ticker, book and trades, and the tickers of
 * other contracts that somebody holds.
 *
 * Streams   v3 for everything; books of pairs and linear contracts come from v2, which carries a checksum. Coin-margined
 *           books come from v3, which counts contracts as orders do
 * Pace      pushes change plain data, signals change once per frame (frames.ts)
 * Address   `#USDT-FUTURES/BTCUSDT` names the instrument. What names none is told, and another one is shown
 * Bounds    80 trades; a broken book is asked for anew once, and shown as it was until then
 */
import { batch, computed, effect, signal, untracked } from '@preact/signals'
import { Book, type Level } from '../venue/book.ts'
import { categories, type Category } from '../venue/categories.ts'
import { type Instrument, isFutures, loadInstruments, streamType } from '../venue/instruments.ts'
import {
  loadTickers,
  type Ticker,
  tickerOf,
  type TickerRecord,
  type Trade,
  tradeOf,
  type TradeRow,
} from '../venue/market-records.ts'
import { type Argument, type Push, type SocketState, VenueSocket } from '../venue/sockets.ts'
import { atNextFrame } from './frames.ts'
import { notify } from './notices.ts'
import { lastInstrument } from './preferences.ts'
import { t } from '../words/words.ts'

const tradesMax = 80

export const instruments = signal<readonly Instrument[]>([])
export const loadFault = signal('')
export const currentInstrument = signal<Instrument | undefined>(undefined)
export const ticker = signal<Ticker | undefined>(undefined)
export const trades = signal<readonly Trade[]>([])
/** By key; of all instruments, as old as the last time the picker was open, except those that are streamed. */
export const tickers = signal<ReadonlyMap<string, Ticker>>(new Map())

export interface BookView {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}
const emptyBook: BookView = { bids: [], asks: [] }
export const book = signal<BookView>(emptyBook)

const states = { v2: signal<SocketState>('closed'), v3: signal<SocketState>('closed') }
export const marketState = computed<SocketState>(() => {
  const both = [states.v2.value, states.v3.value]
  return both.includes('closed') ? 'closed' : both.includes('connecting') ? 'connecting' : 'open'
})

const byKey = computed(() => new Map(instruments.value.map((instrument) => [instrument.key, instrument])))

export function instrumentNamed(category: string, symbol: string): Instrument | undefined {
  return byKey.value.get(`${category.toUpperCase()}/${symbol}`)
}

let sockets: { readonly v2: VenueSocket; readonly v3: VenueSocket } | undefined

export async function openMarket(): Promise<void> {
  let found: readonly Instrument[]
  try {
    found = await loadInstruments()
    loadFault.value = ''
  } catch (error) {
    loadFault.value = error instanceof Error ? error.message : String(error)
    setTimeout(() => void openMarket(), 3_000)
    return
  }
  sockets = {
    v2: new VenueSocket({ path: '/v2/ws/public', onState: (state) => (states.v2.value = state) }),
    v3: new VenueSocket({ path: '/v3/ws/public', onState: (state) => (states.v3.value = state) }),
  }
  const asked = addressed()
  const wanted = asked === '' ? lastInstrument.value : asked
  // Together, and once there are sockets: whoever sees an instrument asks for its streams.
  batch(() => {
    instruments.value = found
    currentInstrument.value = byKey.value.get(wanted) ?? byKey.value.get('USDT-FUTURES/BTCUSDT') ?? found[0]
    if (asked !== '' && !byKey.value.has(asked)) tellUnknown(asked)
  })
  addEventListener('hashchange', followAddress)
  effect(() => watch(currentInstrument.value))
  await loadAllTickers()
}

/** What the address names; what is no text of an address is taken as it is. */
function addressed(): string {
  const text = location.hash.slice(1)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function followAddress(): void {
  const asked = addressed()
  const found = byKey.value.get(asked)
  if (found !== undefined) {
    currentInstrument.value = found
    return
  }
  const shown = currentInstrument.value
  if (shown !== undefined) history.replaceState(null, '', `#${shown.key}`)
  if (asked !== '') tellUnknown(asked)
}

function tellUnknown(asked: string): void {
  const shown = currentInstrument.value?.symbol ?? ''
  notify('bad', t.page.notListed(asked.slice(0, 40)), t.page.shownInstead(shown))
}

export function choose(chosen: Instrument): void {
  currentInstrument.value = chosen
}

/** Streams of the instrument in view; answers how to end them. */
function watch(shown: Instrument | undefined): (() => void) | undefined {
  if (shown === undefined) return undefined
  return untracked(() => {
    lastInstrument.value = shown.key
    history.replaceState(null, '', `#${shown.key}`)
    document.title = `${shown.symbol} · Tidemark`
    ticker.value = tickers.value.get(shown.key)
    book.value = emptyBook
    trades.value = []
    const ends = [
      watchTicker(shown, (next) => {
        ticker.value = next
        document.title = `${next.last} ${shown.symbol} · Tidemark`
      }),
      watchBook(shown),
      watchTrades(shown),
    ]
    return () => {
      for (const end of ends) end()
    }
  })
}

const tickerWatchers = new Map<string, Set<(next: Ticker) => void>>()
const tickerEnds = new Map<string, () => void>()

/** Several may watch one ticker: it is one channel. */
function watchTicker(shown: Instrument, take: (next: Ticker) => void): () => void {
  const { key } = shown
  const watchers = tickerWatchers.get(key) ?? new Set()
  tickerWatchers.set(key, watchers.add(take))
  if (watchers.size === 1) {
    const arg = { instType: streamType(shown).toLowerCase(), topic: 'ticker', symbol: shown.symbol }
    const end = subscribe(arg, ({ data }) => {
      const next = tickerOf(data[0] as TickerRecord)
      atNextFrame(`ticker ${key}`, () => {
        tickers.value = new Map(tickers.value).set(key, next)
        for (const watcher of watchers) watcher(next)
      })
    })
    tickerEnds.set(key, end)
  }
  return () => {
    watchers.delete(take)
    if (watchers.size > 0) return
    tickerEnds.get(key)?.()
    tickerEnds.delete(key)
  }
}

/** Keeps the tickers of these instruments up to date; answers how to end that. */
export function follow(wanted: readonly Instrument[]): () => void {
  const ends = wanted.map((instrument) => watchTicker(instrument, () => {}))
  return () => {
    for (const end of ends) end()
  }
}

function watchBook(shown: Instrument): () => void {
  const kept = new Book()
  let restarting = false
  const counted = shown.kind !== 'inverse'
  const arg: Argument = counted
    ? { instType: streamType(shown), channel: 'books', instId: shown.symbol }
    : { instType: shown.category.toLowerCase(), topic: 'books', symbol: shown.symbol }
  const socket = counted ? sockets?.v2 : sockets?.v3
  if (socket === undefined) return () => {}
  const end = socket.subscribe(arg, ({ action, data }) => {
    if (action === 'snapshot') restarting = false
    if (restarting) return
    if (kept.apply(bookPush(action, data[0] as BookRow))) {
      atNextFrame('book', () => (book.value = { bids: [...kept.bids], asks: [...kept.asks] }))
    } else {
      restarting = true
      socket.restart(arg)
    }
  })
  return () => {
    end()
    atNextFrame('book', () => {})
  }
}

interface BookRow {
  readonly bids?: Level[]
  readonly asks?: Level[]
  readonly b?: Level[]
  readonly a?: Level[]
  readonly seq: number | string
  readonly pseq?: number | string
  readonly checksum?: number
}

function bookPush(action: 'snapshot' | 'update', row: BookRow) {
  return {
    action,
    bids: row.bids ?? row.b ?? [],
    asks: row.asks ?? row.a ?? [],
    seq: Number(row.seq),
    previous: row.pseq === undefined ? undefined : Number(row.pseq),
    checksum: row.checksum,
  }
}

function watchTrades(shown: Instrument): () => void {
  let kept: Trade[] = []
  const arg = { instType: streamType(shown).toLowerCase(), topic: 'publicTrade', symbol: shown.symbol }
  const end = subscribe(arg, ({ action, data }) => {
    const news = (data as TradeRow[]).map(tradeOf)
    kept = (action === 'snapshot' ? news : [...news, ...kept]).slice(0, tradesMax)
    atNextFrame('trades', () => (trades.value = kept))
  })
  return () => {
    end()
    atNextFrame('trades', () => {})
  }
}

/** A channel of the v3 market socket. */
export function subscribe(arg: Argument, take: (push: Push) => void): () => void {
  return sockets?.v3.subscribe(arg, take) ?? (() => {})
}

export async function loadAllTickers(): Promise<void> {
  const lists = await Promise.all(categories.map(loadTickers)).catch(() => [])
  if (lists.length > 0) tickers.value = new Map([...tickers.value, ...lists.flat()])
}

/** What a position is valued at, and an order without a price. */
export function markOf(instrument: Instrument): string | undefined {
  const known = tickers.value.get(instrument.key)
  return isFutures(instrument) ? known?.mark : known?.last
}

interface Named {
  readonly category: Category
  readonly symbol: string
}

/** Decimals of its prices. */
export function pricePlaces({ category, symbol }: Named): number {
  return precisionOf(category, symbol).price
}

/** Decimals of its quantities. */
export function quantityPlaces({ category, symbol }: Named): number {
  return precisionOf(category, symbol).quantity
}

export function precisionOf(category: Category, symbol: string): { price: number; quantity: number } {
  const instrument = instrumentNamed(category, symbol)
  return { price: instrument?.pricePrecision ?? 2, quantity: instrument?.quantityPrecision ?? 4 }
}
