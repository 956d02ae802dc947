/**
 * Another venue's markets in the books of this one: followed over its public interface, verified, and stale when it is not heard.
 * The door of the room.
 *
 *   source.ts         the socket, opened again       instruments.ts      which instruments, and whether their rules fit
 *   readings.ts       pushes, read whole or refused  verified-book.ts    sequence and checksum of a book
 *   mirrored-market.ts  one market in the local book, by the room house-book
 *
 * Followed  books, trades, index, mark and funding rate. Of a contract for which the other venue says no mark or rate it follows
 *           from the local formulas
 * Local     accounts, margin, liquidation, history, the clock
 * Stale     a market without its book for `staleLooks` seconds: the house's orders leave it. Its index is set no more from the moment
 *           that its book is lost, so that it is stale by the engine's own rule
 * Journal   accounts, deposits, orders and prices are ordinary commands: a mirrored day replays without the other venue
 * Source    docs/mirror.md; docs/decisions/0044-mirror-of-a-live-venue.md
 */
import { type CoinId, type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import { formatDecimal, rateDecimals } from '../engine/numbers/numbers.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { givenOf, inDollars, type QueueModel } from '../house-book/house-book.ts'
import type { Core, EventConsumer, RuntimeLog } from '../runtime/runtime.ts'
import { dataOf, ruleFault, wantedInstruments } from './instruments.ts'
import { MirroredMarket } from './mirrored-market.ts'
import { bookPushOf, fundingRateOf, messageOf, rowsOf, tickerOf, tradeOf } from './readings.ts'
import { SourceSocket } from './source.ts'
import { BookBroken, wrong } from './wrong.ts'

export { dataOf, isNamed, mirroredCategories, type Row } from './instruments.ts'
export { MirrorWrong, wrong } from './wrong.ts'

/** Looks, a second each, without a book after which a market is stale. */
const staleLooks = 10
/** An index that the mirror sets is stale after this time. */
const indexAgeMsMax = 10_000
/** Mark and funding rate of the other venue hold so long: then the local formulas do. */
const givenMs = 10_000

export interface MirrorSettings {
  /** Of its interface, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Of its public socket of v3; empty: by the URL. */
  readonly stream: string
  /** None: every instrument that both venues have. */
  readonly symbols: readonly string[]
  readonly queue: QueueModel
  /** Half of what others took is back after so long. */
  readonly healMs: number
  /** How often it looks whether all is followed, and sets the index: a second. */
  readonly lookEveryMs: number
}

export interface MirrorParts {
  readonly core: Core & { addConsumer(consumer: EventConsumer): () => void }
  readonly log: RuntimeLog
}

export type MirrorState = 'connecting' | 'live' | 'stale'

export class Mirror {
  readonly #core: MirrorParts['core']
  readonly #log: RuntimeLog
  readonly #settings: MirrorSettings
  readonly #socket: SourceSocket
  readonly #markets = new Map<string, MirroredMarket>()
  readonly #consumer: EventConsumer
  #followed: readonly MirroredMarket[] = []
  #notMirrored: readonly string[] = []
  #looks: NodeJS.Timeout | undefined
  #state: MirrorState = 'connecting'
  #why: string | undefined
  #connections = 0

  /** Throws MirrorWrong for symbols that this venue does not have. */
  constructor({ core, log }: MirrorParts, settings: MirrorSettings) {
    this.#core = core
    this.#log = log
    this.#settings = settings
    const { url, stream, symbols, queue, healMs, lookEveryMs } = settings
    for (const instrument of wantedInstruments(core.query({ kind: 'catalog' }).instruments, symbols)) {
      const market: MirroredMarket = new MirroredMarket(
        core,
        instrument,
        { queue, healMs },
        {
          begins: async () => this.#setIndexOf([[instrument.base, [market]]]),
          lost: (error) => {
            this.#log.warn({ err: error, symbol: instrument.symbol }, 'a mirrored book begins anew')
            this.#renew(market)
          },
        },
      )
      this.#markets.set(keyOf(instrument.category, instrument.symbol), market)
    }
    this.#socket = new SourceSocket(
      stream === '' ? `${url.replace(/^http/, 'ws')}/v3/ws/public` : stream,
      lookEveryMs,
      {
        opened: async () => this.#opened(),
        said: (text) => this.#said(text),
        lost: (why) => this.#lost(why),
      },
    )
    this.#consumer = {
      record: (sequence: number, at: number, events: readonly Event[], _command: string, reply?: Reply) => {
        for (const market of this.#markets.values()) market.record(sequence, at, events, reply)
      },
    }
  }

  /** The house's accounts are there when it resolves; books are followed from then on. */
  async start(): Promise<void> {
    for (const market of this.#markets.values()) await market.open()
    const coins = [...this.#basesOf(this.#markets.values()).keys()].map((coin) => ({ coin, indexAgeMsMax }))
    const unchanged = { jumpFactor: undefined, fundingShortfall: undefined, premiumMean: undefined }
    const rates = { fundingInterestRate: undefined, fundingClamp: undefined }
    await this.#core.submit({ kind: 'configure-pricing', ...unchanged, ...rates, coins, instruments: [] })
    this.#core.addConsumer(this.#consumer)
    this.#looks = setInterval(() => this.#look(), this.#settings.lookEveryMs)
    this.#socket.connect()
  }

  async stop(): Promise<void> {
    clearInterval(this.#looks)
    this.#socket.close()
    for (const market of this.#markets.values()) await market.close()
  }

  get state(): MirrorState {
    return this.#state
  }

  /** A sentence while it is not live; undefined: it is. */
  get trouble(): string | undefined {
    if (this.#state === 'live') return undefined
    const why = this.#why === undefined ? '' : `: ${this.#why}`
    const stale = [...this.#markets.values()].filter(isStale).map(({ instrument }) => nameOf(instrument))
    const which = stale.length === 0 ? '' : ` (${stale.slice(0, 10).join(', ')}${stale.length > 10 ? ' and more' : ''})`
    return `the mirror of ${this.#settings.url} is ${this.#state}${which}${why}`
  }

  /** Connections that were opened. */
  get connections(): number {
    return this.#connections
  }

  /** Books that broke and began anew. */
  get resyncs(): number {
    return [...this.#markets.values()].reduce((sum, market) => sum + market.resyncs, 0)
  }

  /** Prices in the quote coin; null: not known. */
  shown() {
    return {
      url: this.#settings.url,
      state: this.#state,
      reason: this.#why ?? null,
      connections: this.#connections,
      markets: [...this.#markets.values()].map((market) => this.#marketShown(market)),
      notMirrored: this.#notMirrored,
    }
  }

  #marketShown(market: MirroredMarket) {
    const { instrument, ticker, source, resyncs, moments, refused, lastRefusal } = market
    const prices = this.#core.query({ kind: 'prices', instrument: instrument.id })
    const text = (units: bigint | undefined) => (units === undefined ? null : formatDecimal(units, 8))
    const { priceStep, priceDecimals } = instrument
    const here = (ticks: number) => formatDecimal(BigInt(ticks) * BigInt(priceStep), priceDecimals)
    return {
      category: instrument.category,
      symbol: instrument.symbol,
      state: market.isFollowed ? 'live' : isStale(market) ? 'stale' : 'connecting',
      sequence: source.sequence ?? null,
      resyncs,
      moments,
      indexPrice: { source: text(ticker.indexE8), venue: here(prices.indexPrice) },
      markPrice: { source: text(ticker.markE8), venue: here(prices.markPrice) },
      fundingRate: {
        source: ticker.fundingRate ?? null,
        venue: isFutures(instrument) ? formatDecimal(prices.fundingRate, rateDecimals) : null,
      },
      refused,
      lastRefusal: lastRefusal ?? null,
    }
  }

  /** Rules first: a book whose steps do not fit is not asked for. */
  async #opened(): Promise<void> {
    this.#connections += 1
    const followed: MirroredMarket[] = []
    const faults: string[] = []
    for (const [category, markets] of Map.groupBy(this.#markets.values(), ({ instrument }) => instrument.category)) {
      const rows = await dataOf(this.#settings.url, 'market/instruments', { category })
      for (const market of markets) {
        const fault = ruleFault(market.instrument, rows)
        if (fault === undefined) followed.push(market)
        else faults.push(fault)
      }
    }
    if (faults.join() !== this.#notMirrored.join())
      for (const fault of faults) this.#log.warn({}, `not mirrored: ${fault}`)
    this.#notMirrored = faults
    this.#followed = followed
    this.#socket.subscribe(followed.map(({ instrument }) => instrument))
  }

  /** One push: read whole before any of it counts. */
  #said(text: string): void {
    const message = messageOf(text)
    const { arg, action, event } = message
    if (event === 'error') throw wrong(`subscribe ${JSON.stringify(arg)}`, message['msg'], 'was answered')
    if (event !== undefined || typeof arg !== 'object' || arg === null) return
    const { instType, topic, symbol } = arg as Readonly<Record<string, unknown>>
    const market = this.#markets.get(keyOf(instType, symbol))
    if (market === undefined || !this.#followed.includes(market)) return
    const { instrument } = market
    const at = `${String(topic)} ${nameOf(instrument)}`
    if (topic === 'books') this.#takeBook(market, message, at)
    else if (topic === 'publicTrade') {
      const rows = rowsOf(message, at)
      // A snapshot tells of trades that were before.
      if (action === 'update') market.trade(rows.map((row, place) => tradeOf(row, instrument, `${at}: data[${place}]`)))
    } else if (topic === 'ticker') {
      for (const [place, row] of rowsOf(message, at).entries()) {
        const { indexE8, markE8, fundingRate } = tickerOf(row, `${at}: data[${place}]`)
        const before = market.ticker
        market.ticker = {
          indexE8: indexE8 ?? before.indexE8,
          markE8: markE8 ?? before.markE8,
          fundingRate: fundingRate ?? before.fundingRate,
        }
      }
    }
  }

  #takeBook(market: MirroredMarket, message: Readonly<Record<string, unknown>>, at: string): void {
    const { instrument, source } = market
    const pushes = rowsOf(message, at).map((row, place) => {
      return bookPushOf(row, message['action'], instrument, `${at}: data[${place}]`)
    })
    try {
      for (const push of pushes) {
        // What is still on its way of a book that was given up.
        if (!push.isSnapshot && !market.isFollowed) return
        const changes = source.take(push, at)
        market.change(changes, push.isSnapshot)
      }
      if (this.#state !== 'live' && this.#followed.every(({ isFollowed }) => isFollowed)) this.#becomes('live')
    } catch (error) {
      if (!(error instanceof BookBroken)) throw error
      this.#log.warn({ symbol: nameOf(instrument) }, error.message)
      this.#why = error.message
      this.#renew(market)
    }
  }

  #renew(market: MirroredMarket): void {
    market.resyncs += 1
    market.lose()
    if (this.#state === 'live') this.#state = 'connecting'
    this.#socket.renew(market.instrument)
  }

  #lost(why: string): void {
    for (const market of this.#markets.values()) market.forget()
    const isNews = this.#why !== why
    this.#why = why
    if (this.#state === 'live') this.#state = 'connecting'
    if (isNews) this.#log.warn({ url: this.#settings.url }, `the mirrored venue is not heard: ${why}`)
  }

  #becomes(state: MirrorState): void {
    this.#state = state
    if (state === 'live') {
      this.#why = undefined
      this.#socket.wentWell()
      this.#log.info({ url: this.#settings.url, markets: this.#followed.length }, 'the mirror is live')
    } else this.#log.warn({ url: this.#settings.url }, this.trouble ?? state)
  }

  #look(): void {
    let isAnyStale = this.#followed.length === 0 && this.#state === 'stale'
    for (const market of this.#markets.values()) {
      if (market.isFollowed) {
        market.retry()
        continue
      }
      market.looksWithout += 1
      if (market.looksWithout === staleLooks) market.leave()
      if (isStale(market) && !this.#notMirrored.some((fault) => fault.includes(` ${nameOf(market.instrument)}:`)))
        isAnyStale = true
    }
    if (isAnyStale && this.#state !== 'stale') this.#becomes('stale')
    void this.#setIndex()
  }

  /** Of the coins whose markets are all followed. */
  async #setIndex(): Promise<void> {
    const coins = [...this.#basesOf(this.#followed)]
    await this.#setIndexOf(coins.filter(([, markets]) => markets.every(({ isFollowed }) => isFollowed)))
  }

  async #setIndexOf(coins: readonly (readonly [CoinId, readonly MirroredMarket[]])[]): Promise<void> {
    const prices: [CoinId, bigint][] = []
    for (const [coin, markets] of coins) {
      const told = markets.find(({ ticker }) => ticker.indexE8 !== undefined)
      const market = told ?? markets[0]
      const priceE8 = told?.ticker.indexE8 ?? market.middleE8
      if (priceE8 !== undefined) prices.push([coin, inDollars(this.#core, market.instrument, priceE8)])
    }
    if (prices.length === 0) return
    const contracts = coins.flatMap(([, markets]) => {
      return markets.flatMap(({ instrument, ticker: { markE8, fundingRate } }) => {
        const told = givenOf(instrument, markE8, fundingRate === undefined ? undefined : fundingRateOf(fundingRate))
        return told === undefined ? [] : [told]
      })
    })
    const given = { kind: 'set-given-prices', until: this.#core.now() + givenMs, contracts } as const
    // A venue that is stopping or overloaded takes none: the next second brings the next.
    const commands = [{ kind: 'set-index-prices', prices } as const, ...(contracts.length > 0 ? [given] : [])]
    await this.#core.submitAll(commands).catch(() => {})
  }

  #basesOf(markets: Iterable<MirroredMarket>): Map<CoinId, MirroredMarket[]> {
    return Map.groupBy(markets, ({ instrument }) => instrument.base)
  }
}

function isStale({ isFollowed, looksWithout }: MirroredMarket): boolean {
  return !isFollowed && looksWithout >= staleLooks
}

function nameOf({ category, symbol }: Instrument): string {
  return `${category} ${symbol}`
}

function keyOf(category: unknown, symbol: unknown): string {
  return `${String(category).toUpperCase()} ${String(symbol).toUpperCase()}`
}
