/** Takers: come to the books of each coin in bursts, and trade with whoever quotes. */
import type { CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { PlaceOrder } from '../engine/protocol/command.ts'
import type { Core } from '../runtime/runtime.ts'
import { Bursts } from './bursts.ts'
import type { Chance } from './chance.ts'
import type { Holdings } from './holdings.ts'
import type { SimulatorParameters } from './parameters.ts'
import { planTake } from './taker.ts'
import { usualWeather, type Weather } from './weather.ts'
import type { World } from './world.ts'

interface Taker {
  readonly uid: number
  readonly chance: Chance
}

/** A nervous coin is traded more, up to this factor. */
const nervousPaceMax = 3

export class Takers {
  readonly #core: Core
  readonly #world: World
  readonly #holdings: Holdings
  readonly #chance: Chance
  readonly #parameters: SimulatorParameters
  readonly #takers: readonly Taker[]
  readonly #bursts = new Map<CoinId, Bursts>()

  constructor(
    core: Core,
    world: World,
    holdings: Holdings,
    uids: readonly number[],
    chance: Chance,
    parameters: SimulatorParameters,
  ) {
    this.#core = core
    this.#world = world
    this.#holdings = holdings
    this.#chance = chance.for('arrivals')
    this.#takers = uids.map((uid, index) => ({ uid, chance: chance.for(`taker ${index}`) }))
    this.#parameters = parameters
  }

  /** One trade in each book. */
  tradeAll(instruments: readonly Instrument[]): PlaceOrder[] {
    const [taker] = this.#takers
    return taker === undefined ? [] : instruments.flatMap((one) => this.#take(taker, one, 0, usualWeather) ?? [])
  }

  /** Whoever comes in this step. */
  arrive(seconds: number, instruments: readonly Instrument[], weatherOf: (coin: CoinId) => Weather): PlaceOrder[] {
    const orders: PlaceOrder[] = []
    const books = Map.groupBy(instruments, ({ base }) => base)
    const weightOf = (coin: CoinId) => this.#world.popularity(coin) * (books.get(coin)?.length ?? 0)
    const weights = [...books.keys()].reduce((sum, coin) => sum + weightOf(coin), 0)
    for (const [coin, own] of books) {
      const weather = weatherOf(coin)
      const nervous = Math.min(nervousPaceMax, this.#world.nervousness(coin))
      const pace = (this.#parameters.takesPerS * weather.pace * nervous * weightOf(coin)) / weights
      const count = this.#burstsOf(coin).arrivals(seconds, pace)
      for (let arrival = 0; arrival < count; arrival++) {
        const taker = this.#chance.pick(this.#takers, () => 1)
        const instrument = this.#chance.pick(own, () => 1)
        const order = taker && instrument && this.#take(taker, instrument, pace, weather)
        if (order !== undefined) orders.push(order)
      }
    }
    return orders
  }

  /** How bullish people are of a coin, -1 to 1. */
  moodOf(coin: CoinId): number {
    return Math.max(-1, Math.min(1, this.#burstsOf(coin).mood))
  }

  #take({ uid, chance }: Taker, instrument: Instrument, pace: number, weather: Weather): PlaceOrder | undefined {
    const bursts = this.#burstsOf(instrument.base)
    const depth = this.#core.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
    const inventory = this.#holdings.value(uid, instrument, this.#world.fair(instrument))
    const mood = instrument.kind === 'spot' ? 0 : this.moodOf(instrument.base)
    const lean = Math.max(-1, Math.min(1, mood + weather.lean))
    const side = bursts.sideOfOthers(pace)
    const order = planTake({ uid, instrument, depth, inventory, lean, side }, chance, this.#parameters)
    if (order !== undefined) bursts.went(order.side)
    return order
  }

  #burstsOf(coin: CoinId): Bursts {
    let bursts = this.#bursts.get(coin)
    if (bursts === undefined) {
      bursts = new Bursts(this.#chance.for(`bursts ${coin}`), this.#parameters)
      this.#bursts.set(coin, bursts)
    }
    return bursts
  }
}
