/**
 * The market around a bot: a maker with a few levels on each side of a price that wanders a little, and a taker who trades with
 * whatever rests, now near, now farther away.
 *
 * Seeded    the same seed is the same wandering and the same trades: a bot and its twin meet the same market
 * Accounts  two others of the demo venue, through the interface, as anybody
 * Trouble   of the maker is no trouble of the bot: what is refused is tried again at the next step
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role, Venue } from './laboratory.ts'
import type { OpenOrder } from './account.ts'
import type { Steps } from './evidence.ts'

const maker: Role = 'unified-peer'
const taker: Role = 'unified-sub'
export const marketRoles: readonly Role[] = [maker, taker]
const stepMs = 500
/** Of the price: one basis point. */
const basisPoint = 1e-4
const levels = [2, 4, 7, 12, 20] as const
/** In quote coin, so that each instrument has its own size. */
const levelValue = 30_000
const tradeValue = 600
/** How far a trade goes, in basis points; mostly it stays near. */
const reaches = [2, 2, 2, 4, 2, 7, 2, 12] as const

interface Book {
  readonly symbol: string
  readonly steps: Steps
  price: number
  /** What the maker's levels stand around. */
  quoted: number
}

export interface MarketOptions {
  readonly category: string
  readonly symbols: Readonly<Record<string, Steps>>
  readonly seed: number
  readonly now: () => number
}

export class Market {
  readonly prices: { readonly at: number; readonly symbol: string; readonly price: number }[] = []
  readonly #venue: Venue
  readonly #options: MarketOptions
  readonly #books: Book[] = []
  readonly #ending = new AbortController()
  #random: () => number
  #isPaused = false
  #running: Promise<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(venue: Venue, options: MarketOptions) {
    this.#venue = venue
    this.#options = options
    this.#random = seeded(options.seed)
  }

  async open(): Promise<void> {
    const { category, symbols } = this.#options
    for (const [symbol, steps] of Object.entries(symbols)) {
      const target = `/api/v3/market/tickers?category=${category}&symbol=${symbol}`
      const [ticker] = await this.#venue.request<{ readonly markPrice: string; readonly lastPrice: string }[]>(
        maker,
        'GET',
        target,
      )
      const price = Number(ticker.markPrice || ticker.lastPrice)
      const book = { symbol, steps, price, quoted: 0 }
      this.#books.push(book)
      this.#tell(book)
      await this.#quote(book)
    }
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  /** Nobody trades and nothing wanders until `resume`. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#inTurn(async () => {})
  }

  resume(): void {
    this.#isPaused = false
  }

  priceOf(symbol: string): number {
    return this.#book(symbol).price
  }

  /** Fills a part of an order that rests, and nothing else of the book. */
  take(order: OpenOrder, part: number): Promise<void> {
    return this.#inTurn(async () => {
      const book = this.#book(order.symbol)
      await this.#clear(book)
      const lots = Math.max(1, Math.round((order.quantity * part) / book.steps.quantity))
      const side = order.side === 'buy' ? 'sell' : 'buy'
      await this.#place(taker, book, [
        { side, price: order.price, quantity: lots * book.steps.quantity, isTaker: true },
      ])
      await this.#quote(book)
    })
  }

  /** The price jumps by a share of itself, and so does the book: what rests on the way is met. */
  jump(symbol: string, share: number, move: (price: string) => Promise<unknown>): Promise<void> {
    return this.#inTurn(async () => {
      const book = this.#book(symbol)
      await this.#clear(book)
      book.price = rounded(book.price * (1 + share), book.steps.price)
      await move(text(book.price, book.steps.price))
      this.#tell(book)
      await this.#quote(book)
    })
  }

  /** The book goes away, and comes back around another price. */
  around(symbol: string, act: () => Promise<number | undefined>): Promise<void> {
    return this.#inTurn(async () => {
      const book = this.#book(symbol)
      await this.#clear(book)
      try {
        const price = await act()
        if (price !== undefined) book.price = price
      } finally {
        this.#tell(book)
        await this.#quote(book)
      }
    })
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    let step = 0
    for (;;) {
      await sleep(stepMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      step += 1
      const [wander, reach, turn] = [this.#random(), this.#random(), this.#random()]
      if (!this.#isPaused) await this.#inTurn(() => this.#step(step, { wander, reach, turn }))
    }
  }

  async #step(
    step: number,
    drawn: { readonly wander: number; readonly reach: number; readonly turn: number },
  ): Promise<void> {
    for (const book of this.#books) {
      book.price = rounded(book.price * (1 + (drawn.wander - 0.5) * basisPoint), book.steps.price)
      const isAway = Math.abs(book.price / book.quoted - 1) > 1.5 * basisPoint
      if (isAway || step % 8 === 0) {
        this.#tell(book)
        await this.#clear(book)
        await this.#quote(book)
      }
      const side = drawn.turn < 0.5 ? 'buy' : 'sell'
      const reach = reaches[Math.floor(drawn.reach * reaches.length)]
      const price = book.quoted * (1 + (side === 'buy' ? reach : -reach) * basisPoint)
      const quantity = tradeValue / book.price
      await this.#place(taker, book, [{ side, price, quantity, isTaker: true }])
    }
  }

  async #quote(book: Book): Promise<void> {
    book.quoted = book.price
    await this.#place(
      maker,
      book,
      levels.flatMap((level) =>
        (['buy', 'sell'] as const).map((side) => ({
          side,
          price: book.price * (1 + (side === 'buy' ? -level : level) * basisPoint),
          quantity: levelValue / book.price,
          isTaker: false,
        })),
      ),
    )
  }

  async #clear({ symbol }: Book): Promise<void> {
    const { category } = this.#options
    await this.#send(maker, '/api/v3/trade/cancel-symbol-order', { category, symbol })
  }

  async #place(
    role: Role,
    { symbol, steps }: Book,
    orders: readonly {
      readonly side: string
      readonly price: number
      readonly quantity: number
      readonly isTaker: boolean
    }[],
  ): Promise<void> {
    const { category } = this.#options
    const rows = orders.map(({ side, price, quantity, isTaker }) => ({
      category,
      symbol,
      side,
      orderType: 'limit',
      timeInForce: isTaker ? 'ioc' : 'gtc',
      price: text(rounded(price, steps.price), steps.price),
      qty: text(Math.max(steps.quantity, rounded(quantity, steps.quantity)), steps.quantity),
    }))
    if (rows.length === 1) await this.#send(role, '/api/v3/trade/place-order', rows[0])
    else await this.#send(role, '/api/v3/trade/place-batch', rows)
  }

  async #send(role: Role, path: string, body: object): Promise<void> {
    try {
      await this.#venue.request(role, 'POST', path, body)
    } catch (error) {
      if ((error as Error).name !== 'LabError') throw error
    }
  }

  #book(symbol: string): Book {
    const found = this.#books.find((book) => book.symbol === symbol)
    if (found === undefined) throw new TypeError(`there is no market in ${symbol}`)
    return found
  }

  #tell({ symbol, price }: Book): void {
    this.prices.push({ at: this.#options.now(), symbol, price })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

function rounded(value: number, step: number): number {
  return Math.round(value / step) * step
}

function text(value: number, step: number): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return value.toFixed(decimals)
}

/** mulberry32: from 0 up to 1. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
