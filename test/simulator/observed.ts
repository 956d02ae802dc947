/**
 * The simulated market over hours, as somebody sees it who looks once a minute: the whole demo venue with its usual parameters.
 *
 * Figures   texts by name, with their units in the name; bps are 1e-4
 * Gains     what an agent has against what it would have had it only kept what it began with
 * Faults    what must not be: books that do not hold, an hour without a trade in some market
 */
import { CatalogIndex } from '../../src/api/api.ts'
import { type Catalog, type Instrument, isFutures } from '../../src/engine/catalog/catalog.ts'
import { simulatorUids } from '../../src/operator/demo/venue.ts'
import { equityUsdt } from '../../src/operator/calls/holdings.ts'
import { Holdings } from '../../src/simulator/holdings.ts'
import { priceOf } from '../../src/simulator/scale.ts'
import { defaultParameters } from '../../src/simulator/simulator.ts'
import { autocorrelation, kurtosis, logReturns, mean, quantile } from './figures.ts'
import { wholeVenue, type WholeVenue } from './whole-venue.ts'

export interface Observed {
  readonly figures: Readonly<Record<string, string>>
  readonly faults: readonly string[]
  readonly commands: number
}

interface Asked {
  readonly seed: number
  readonly hours: number
  readonly stepMs: number
}

const minuteMs = 60_000
const minutesPerYear = 365.25 * 24 * 60
const lags = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

export async function observe({ seed, hours, stepMs }: Asked): Promise<Observed> {
  const { stepMs: usualStepMs, stepsPerPrice, visitsPerStep } = defaultParameters
  const { venue, simulator } = await wholeVenue({
    seed,
    events: ['trade', 'liquidation', 'fill', 'funding-settled'],
    parameters: { stepMs: usualStepMs, stepsPerPrice, visitsPerStep },
  })
  const books = new Books(venue)
  const purses = new Purses(venue)
  const counts = new Counts(venue)
  for (let minute = 1; minute <= hours * 60; minute++) {
    for (let passedMs = 0; passedMs < minuteMs; passedMs += stepMs) {
      venue.advance(stepMs)
      await simulator.step(stepMs)
    }
    books.look(minute)
    counts.take(minute)
  }
  const { refused, commands } = simulator.stats()
  return {
    figures: {
      ...books.figures(),
      ...counts.figures(hours),
      ...purses.figures(hours),
      'commands refused': `${((refused / commands) * 100).toFixed(2)} %`,
    },
    faults: [...venue.query({ kind: 'verify' }).faults, ...counts.dead()].map((fault) => `seed ${seed}: ${fault}`),
    commands,
  }
}

function named({ category, symbol }: Instrument): string {
  return `${category} ${symbol}`
}

/** One market, minute by minute. */
class Watched {
  readonly instrument: Instrument
  readonly index: number[] = []
  readonly last: number[] = []
  readonly spreadsBps: number[] = []
  readonly basisBps: number[] = []
  readonly fundingRates: number[] = []
  /** Minutes in which a side of the book was empty. */
  unquoted = 0
  /** What makers hold, each, as a share of what moves their quotes furthest. */
  loadMax = 0

  constructor(instrument: Instrument) {
    this.instrument = instrument
  }
}

/** Prices and books. */
class Books {
  readonly #venue: WholeVenue
  readonly #holdings: Holdings
  readonly #makerUids: readonly number[]
  readonly #markets: readonly Watched[]

  constructor(venue: WholeVenue) {
    this.#venue = venue
    this.#holdings = new Holdings(venue)
    this.#makerUids = simulatorUids(venue).makerUids
    this.#markets = venue.query({ kind: 'catalog' }).instruments.map((instrument) => new Watched(instrument))
    this.look(0)
  }

  look(minute: number): void {
    this.#holdings.now = minute * 60
    for (const market of this.#markets) this.#lookAt(market)
  }

  #lookAt(market: Watched): void {
    const { instrument } = market
    const { bids, asks } = this.#venue.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
    const { indexPrice, lastPrice, fundingRate } = this.#venue.query({ kind: 'prices', instrument: instrument.id })
    const index = priceOf(instrument, indexPrice)
    market.index.push(index)
    market.last.push(priceOf(instrument, lastPrice))
    market.fundingRates.push(Number(fundingRate))
    const held = this.#makerUids.reduce((sum, uid) => sum + this.#holdings.value(uid, instrument, index), 0)
    const load = Math.abs(held) / this.#makerUids.length / defaultParameters.makerInventoryNotional
    market.loadMax = Math.max(market.loadMax, load)
    const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]]
    if (bid === undefined || ask === undefined) {
      market.unquoted += 1
      return
    }
    market.spreadsBps.push((2e4 * (ask - bid)) / (ask + bid))
    market.basisBps.push(((bid + ask) / 2 / indexPrice - 1) * 1e4)
  }

  figures(): Record<string, string> {
    const markets = this.#markets
    const contracts = markets.filter(({ instrument }) => isFutures(instrument))
    const index = logReturns(contracts[0].index)
    const last = logReturns(contracts[0].last)
    const farthest = markets.map(({ index: path }) => Math.max(...path.map((price) => Math.abs(price / path[0] - 1))))
    const spreads = markets.flatMap((market) => market.spreadsBps)
    const basis = contracts.flatMap((contract) => contract.basisBps)
    const sizes = basis.map(Math.abs)
    const changes = contracts.map(({ fundingRates }) => {
      return fundingRates.filter((rate, minute) => minute > 0 && rate * fundingRates[minute - 1] < 0).length
    })
    const fullest = markets.toSorted((a, b) => b.loadMax - a.loadMax)[0]
    return {
      'BTC index: yearly volatility': Math.sqrt(mean(index.map((move) => move ** 2)) * minutesPerYear).toFixed(2),
      'its returns of a minute: kurtosis': kurtosis(index).toFixed(1),
      'their autocorrelation, lag 1': autocorrelation(index, [1]).toFixed(3),
      'that of their size, mean of lags 1 to 10': autocorrelation(index.map(Math.abs), lags).toFixed(3),
      'BTCUSDT futures, last price: kurtosis': kurtosis(last).toFixed(1),
      'autocorrelation of returns; of their size': `${autocorrelation(last, [1]).toFixed(3)}; ${autocorrelation(last.map(Math.abs), lags).toFixed(3)}`,
      'furthest from the beginning, any coin': `${(Math.max(...farthest) * 100).toFixed(1)} %`,
      'spread, all books: median, 99 % (bps)': [0.5, 0.99]
        .map((share) => quantile(spreads, share).toFixed(1))
        .join(', '),
      'minutes with an empty side, all books': String(markets.reduce((sum, market) => sum + market.unquoted, 0)),
      'basis of contracts: mean, mean size, 99 % (bps)': [mean(basis), mean(sizes), quantile(sizes, 0.99)]
        .map((bps) => bps.toFixed(1))
        .join(', '),
      'changes of sign of the coming funding rate, by contract': changes.join(' '),
      'makers’ largest inventory, of what moves quotes furthest': `${(fullest.loadMax * 100).toFixed(0)} % (${named(fullest.instrument)})`,
    }
  }
}

/** What happened. */
class Counts {
  readonly #venue: WholeVenue
  readonly #instruments: readonly Instrument[]
  readonly #traderUids: readonly number[]
  /** Trades by instrument and hour. */
  readonly #trades: number[][]
  /** The minute in which a leveraged trader last opened. */
  readonly #openedAt = new Map<number, number>()
  readonly #rates: number[] = []
  #liquidations = 0
  #deleveraged = 0
  #deposits = 0
  #minute = 0

  constructor(venue: WholeVenue) {
    this.#venue = venue
    this.#instruments = venue.query({ kind: 'catalog' }).instruments
    this.#traderUids = simulatorUids(venue).traderUids
    this.#trades = this.#instruments.map(() => [])
  }

  /** What the venue has kept since the last time, which it then forgets. */
  take(minute: number): void {
    this.#minute = minute
    const hour = Math.ceil(minute / 60) - 1
    for (const trades of this.#trades) trades[hour] ??= 0
    for (const event of this.#venue.events.splice(0)) {
      if (event.kind === 'trade') this.#trades[event.instrument][hour] += 1
      if (event.kind === 'liquidation') this.#liquidations += 1
      if (event.kind === 'funding-settled') this.#rates.push(Number(event.fundingRate))
      if (event.kind === 'fill' && event.cause === 'adl') this.#deleveraged += 1
      if (event.kind === 'fill' && event.effect === 'open') this.#openedAt.set(event.uid, minute)
    }
    this.#deposits += this.#venue.commands.filter(({ kind }) => kind === 'deposit').length
    this.#venue.commands.length = 0
    this.#venue.replies.length = 0
  }

  figures(hours: number): Record<string, string> {
    const perHour = (count: number) => (count / hours).toFixed(1)
    const least = this.#trades.map((trades) => Math.min(...trades))
    const quietest = least.indexOf(Math.min(...least))
    return {
      'funding settlements: all, with a negative rate': `${this.#rates.length}, ${this.#rates.filter((rate) => rate < 0).length}`,
      'trades per hour, all markets': perHour(this.#trades.flat().reduce((sum, count) => sum + count, 0)),
      'fewest trades of an hour': `${least[quietest]} (${named(this.#instruments[quietest])})`,
      'liquidations per hour': perHour(this.#liquidations),
      'positions deleveraged': String(this.#deleveraged),
      'top-ups of leveraged traders per hour': perHour(this.#deposits),
      'minutes since each of them last opened': this.#traderUids
        .map((uid) => this.#minute - (this.#openedAt.get(uid) ?? 0))
        .join(' '),
    }
  }

  /** Markets with an hour without a trade. */
  dead(): string[] {
    return this.#instruments
      .filter((_, id) => this.#trades[id].includes(0))
      .map((instrument) => `an hour without a trade in ${named(instrument)}`)
  }
}

/** What the agents with capital of their own gain or lose, and the insurance funds. */
class Purses {
  readonly #venue: WholeVenue
  readonly #catalog: Catalog
  readonly #groups: Readonly<Record<string, readonly number[]>>
  readonly #began: ReadonlyMap<number, ReadonlyMap<number, number>>
  readonly #funds: readonly number[]

  constructor(venue: WholeVenue) {
    const { makerUids, takerUids, arbitrageurUid } = simulatorUids(venue)
    const holdings = new Holdings(venue)
    this.#venue = venue
    this.#catalog = venue.query({ kind: 'catalog' })
    this.#groups = { makers: makerUids, takers: takerUids, arbitrageur: [arbitrageurUid!] }
    this.#began = new Map(Object.values(this.#groups).flatMap((uids) => uids.map((uid) => [uid, holdings.coins(uid)])))
    this.#funds = this.#fundsNow()
  }

  figures(hours: number): Record<string, string> {
    const dollars = this.#catalog.coins.map(({ id }) => this.#dollars(id))
    const gains = Object.entries(this.#groups).map(([name, uids]) => {
      const gain = uids.reduce((sum, uid) => sum + this.#worth(uid) - this.#idleWorth(uid, dollars), 0)
      return [`${name}: gain per hour (USD)`, (gain / hours).toFixed(0)] as const
    })
    const lost = this.#fundsNow().reduce((sum, now, coin) => sum + (this.#funds[coin] - now) * dollars[coin], 0)
    return { ...Object.fromEntries(gains), 'insurance funds: gain per hour (USD)': (-lost / hours).toFixed(0) }
  }

  #fundsNow(): number[] {
    return this.#catalog.coins.map(({ id }) => Number(this.#venue.query({ kind: 'insurance-fund', coin: id })) / 1e8)
  }

  /** At the index of a market that prices it in dollars; else one. */
  #dollars(coin: number): number {
    const market = this.#catalog.instruments.find(({ base }) => base === coin)
    if (market === undefined) return 1
    return priceOf(market, this.#venue.query({ kind: 'prices', instrument: market.id }).indexPrice)
  }

  #worth(uid: number): number {
    const account = this.#venue.query({ kind: 'account', uid })!
    return Number(equityUsdt(this.#venue, new CatalogIndex(this.#catalog), account))
  }

  #idleWorth(uid: number, dollars: readonly number[]): number {
    return [...this.#began.get(uid)!].reduce((sum, [coin, held]) => sum + held * dollars[coin], 0)
  }
}
