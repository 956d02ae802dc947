/** Takers: come to the books of each coin in bursts, and trade with whoever quotes. */
import type { CoinId, Instrument } from '../engine/catalog/catalog.ts'
import type { PlaceOrder } from '../engine/protocol/command.ts'
import type { Core } from '../runtime/runtime.ts'
import { Bursts, type SavedBursts } from './bursts.ts'
import type { FairValues } from './fair-values.ts'
import type { Holdings } from './holdings.ts'
import { liquidityOf } from './liquidity.ts'
import { type MarketConditions, normalConditions } from './market-conditions.ts'
import type { SimulatorParameters } from './parameters.ts'
import type { Random, SavedRandom } from './random.ts'
import { planTake } from './taker.ts'

interface Taker {
  readonly uid: number
  readonly random: Random
}

/** In a longer step than this no more of them come, and each trades for as many as it stands for. */
const longStepS = 1

/** A nervous coin is traded more, up to this factor. */
const nervousActivityMax = 3

interface TakersParts {
  readonly core: Core
  readonly fairValues: FairValues
  readonly holdings: Holdings
  readonly uids: readonly number[]
  readonly random: Random
  readonly parameters: SimulatorParameters
}

export interface SavedTakers {
  readonly arrivals: SavedRandom
  readonly randoms: readonly SavedRandom[]
  readonly bursts: ReadonlyMap<CoinId, SavedBursts>
}

export class Takers {
  readonly #core: Core
  readonly #fairValues: FairValues
  readonly #holdings: Holdings
  readonly #random: Random
  readonly #parameters: SimulatorParameters
  readonly #takers: readonly Taker[]
  readonly #bursts = new Map<CoinId, Bursts>()

  constructor({ core, fairValues, holdings, uids, random, parameters }: TakersParts) {
    this.#core = core
    this.#fairValues = fairValues
    this.#holdings = holdings
    this.#random = random.for('arrivals')
    this.#takers = uids.map((uid, index) => ({ uid, random: random.for(`taker ${index}`) }))
    this.#parameters = parameters
  }

  save(): SavedTakers {
    return {
      arrivals: this.#random.save(),
      randoms: this.#takers.map(({ random }) => random.save()),
      bursts: new Map([...this.#bursts].map(([coin, bursts]) => [coin, bursts.save()])),
    }
  }

  restore({ arrivals, randoms, bursts }: SavedTakers): void {
    this.#random.restore(arrivals)
    this.#takers.forEach(({ random }, index) => random.restore(randoms[index]))
    this.#bursts.clear()
    for (const [coin, saved] of bursts) this.#burstsOf(coin).restore(saved)
  }

  /** One trade in each book. */
  tradeAll(instruments: readonly Instrument[]): PlaceOrder[] {
    const [taker] = this.#takers
    return taker === undefined
      ? []
      : instruments.flatMap((instrument) => this.#take(taker, instrument, 0, normalConditions, 1) ?? [])
  }

  /** Whoever comes in this step. */
  arrive(
    seconds: number,
    instruments: readonly Instrument[],
    conditionsOf: (coin: CoinId) => MarketConditions,
  ): PlaceOrder[] {
    const orders: PlaceOrder[] = []
    const books = Map.groupBy(instruments, ({ base }) => base)
    const catalog = this.#core.query({ kind: 'catalog' })
    const tradedOf = (instrument: Instrument) => liquidityOf(instrument, catalog, this.#parameters).traded
    const sum = (own: readonly Instrument[]) => own.reduce((all, instrument) => all + tradedOf(instrument), 0)
    const all = sum(instruments)
    for (const [coin, own] of books) {
      const conditions = conditionsOf(coin)
      const nervous = Math.min(nervousActivityMax, this.#fairValues.nervousness(coin))
      const rate = (this.#parameters.takesPerS * conditions.activity * nervous * sum(own)) / all
      const count = this.#burstsOf(coin).arrivals(seconds, rate, Math.min(seconds, longStepS))
      for (let arrival = 0; arrival < count; arrival++) {
        const taker = this.#random.pick(this.#takers, () => 1)
        const instrument = this.#random.pick(own, tradedOf)
        const order =
          taker && instrument && this.#take(taker, instrument, rate, conditions, Math.max(1, seconds / longStepS))
        if (order !== undefined) orders.push(order)
      }
    }
    return orders
  }

  /** How bullish people are of a coin, -1 to 1. */
  moodOf(coin: CoinId): number {
    return Math.max(-1, Math.min(1, this.#burstsOf(coin).mood))
  }

  #take(
    { uid, random }: Taker,
    instrument: Instrument,
    rate: number,
    conditions: MarketConditions,
    times: number,
  ): PlaceOrder | undefined {
    const bursts = this.#burstsOf(instrument.base)
    const depth = this.#core.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
    const inventory = this.#holdings.value(uid, instrument, this.#fairValues.fair(instrument))
    const mood = instrument.kind === 'spot' ? 0 : this.moodOf(instrument.base)
    const takerBias = Math.max(-1, Math.min(1, mood + conditions.takerBias))
    const side = bursts.sideOfOthers(rate)
    const order = planTake({ uid, instrument, depth, inventory, takerBias, side, times }, random, this.#parameters)
    if (order !== undefined) bursts.went(order.side)
    return order
  }

  #burstsOf(coin: CoinId): Bursts {
    let bursts = this.#bursts.get(coin)
    if (bursts === undefined) {
      bursts = new Bursts(this.#random.for(`bursts ${coin}`), this.#parameters)
      this.#bursts.set(coin, bursts)
    }
    return bursts
  }
}
