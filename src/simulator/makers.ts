/**
 * Makers: look after one book after the other, around what they think it is worth less what they hold of it: several levels on
 * each side near it, and a ladder of far ones to two per cent (liquidity.ts).
 *
 * Haste     when takers come more often than usual makers look more often, and whoever looks at a book has the others take
 *           away what is beyond its price: in a crash the old bids of one would keep out the asks of another
 * Halted    a contract whose index nobody believes takes no new risk: what rests there stays, until the index is back
 */
import { type Instrument, isFutures } from '../engine/catalog/catalog.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Core } from '../runtime/runtime.ts'
import type { FairValues } from './fair-values.ts'
import type { Holdings } from './holdings.ts'
import { type Liquidity, ladderOf, liquidityOf, type Rung } from './liquidity.ts'
import { cancelOf, orderFor, withdrawalOf } from './orders.ts'
import type { SimulatorParameters } from './parameters.ts'
import { isBeyond, planQuotes } from './quotes.ts'
import type { Random, SavedRandom } from './random.ts'

interface Maker {
  readonly uid: number
  readonly random: Random
  /** Its far quotes of a side. */
  readonly ladder: readonly Rung[]
}

export interface SavedMakers {
  readonly visits: number
  readonly randoms: readonly SavedRandom[]
}

/** Far quotes that are set anew on a side of a book in one visit. */
const farPerVisit = 1

/** In a longer step than this no more is done: time is to pass. */
const longStepMs = 1_000

export class Makers {
  readonly #core: Core
  readonly #fairValues: FairValues
  readonly #holdings: Holdings
  readonly #parameters: SimulatorParameters
  readonly #makers: readonly Maker[]
  #visits = 0

  constructor(
    core: Core,
    fairValues: FairValues,
    holdings: Holdings,
    makers: readonly Omit<Maker, 'ladder'>[],
    parameters: SimulatorParameters,
  ) {
    this.#core = core
    this.#fairValues = fairValues
    this.#holdings = holdings
    this.#makers = makers.map((maker, place) => ({ ...maker, ladder: ladderOf(parameters, place, makers.length) }))
    this.#parameters = parameters
  }

  save(): SavedMakers {
    return { visits: this.#visits, randoms: this.#makers.map(({ random }) => random.save()) }
  }

  restore({ visits, randoms }: SavedMakers): void {
    this.#visits = visits
    this.#makers.forEach(({ random }, index) => random.restore(randoms[index]))
  }

  /** Every level of every book. */
  quoteAll(instruments: readonly Instrument[]): Command[] {
    const { levels, farLevels } = this.#parameters
    return instruments.flatMap((instrument) =>
      this.#makers.flatMap((maker) => this.#requote(maker, instrument, levels, farLevels)),
    )
  }

  /** A few books in turn, `activity` times as many as usual; a longer step has more visits, within bounds. */
  visit(ms: number, instruments: readonly Instrument[], activity: number): Command[] {
    const { stepMs, visitsPerStep, quotesPerVisit } = this.#parameters
    const round = instruments.length * this.#makers.length
    const usual = (visitsPerStep * Math.min(ms, longStepMs)) / stepMs
    const visits = Math.min(Math.ceil(usual * Math.max(1, activity)), round)
    const commands: Command[] = []
    for (let visit = 0; visit < visits; visit++) {
      const turn = this.#visits++ % round
      const instrument = instruments[turn % instruments.length]
      if (this.#isHalted(instrument)) continue
      const maker = this.#makers[Math.floor(turn / instruments.length)]
      if (activity > 1) commands.push(...this.#clearBeyond(maker, instrument))
      commands.push(...this.#requote(maker, instrument, quotesPerVisit, farPerVisit))
    }
    return commands
  }

  withdraw(instruments: readonly Instrument[]): Command[] {
    return instruments.flatMap(({ category, id }) => this.#makers.map(({ uid }) => withdrawalOf(uid, category, id)))
  }

  /** Quotes of everybody but this maker. */
  #clearBeyond(maker: Maker, instrument: Instrument): Command[] {
    const fair = this.#skewed(instrument)
    const others = this.#makers.filter((other) => other !== maker)
    return others.flatMap(({ uid }) => {
      const beyond = this.#resting(uid, instrument).filter((quote) => isBeyond(instrument, quote, fair))
      return beyond.map(({ orderId }) => cancelOf(uid, orderId))
    })
  }

  #resting(uid: number, { category, id }: Instrument) {
    const resting = this.#core.query({ kind: 'open-orders', uid, interface: 'v3', category, instrument: id })
    return resting.map(({ orderId, bookSide, price }) => ({ orderId, side: bookSide, price }))
  }

  #isHalted(instrument: Instrument): boolean {
    if (!isFutures(instrument)) return false
    return this.#core.query({ kind: 'prices', instrument: instrument.id }).indexHalt !== undefined
  }

  #requote({ uid, random, ladder }: Maker, instrument: Instrument, quotesMax: number, farMax: number): Command[] {
    const liquidity = this.#liquidity(instrument)
    const { cancel, place } = planQuotes(
      {
        instrument,
        fair: this.#skewed(instrument),
        nervousness: this.#fairValues.nervousness(instrument.base),
        resting: this.#resting(uid, instrument),
        quotesMax,
        farMax,
        liquidity,
        ladder,
        farNotional: liquidity.depth / this.#makers.length,
      },
      random,
      this.#parameters,
    )
    const orders = place.map(({ side, price, quantity: lots }) =>
      orderFor(uid, instrument, {
        side,
        orderType: 'limit',
        price,
        quantity: { unit: 'lots', lots },
        timeInForce: 'post_only',
      }),
    )
    return [...cancel.map((orderId) => cancelOf(uid, orderId)), ...orders]
  }

  #liquidity(instrument: Instrument): Liquidity {
    return liquidityOf(instrument, this.#core.query({ kind: 'catalog' }), this.#parameters)
  }

  /**
   * What an instrument is worth to makers: less the more of it they hold, all of them together, so that the quotes of one
   * never meet those of another.
   */
  #skewed(instrument: Instrument): number {
    const { skewBps, makerInventoryNotional } = this.#parameters
    const fair = this.#fairValues.fair(instrument)
    const held = this.#makers.reduce((sum, { uid }) => sum + this.#holdings.value(uid, instrument, fair), 0)
    const bearable = makerInventoryNotional * this.#liquidity(instrument).size
    const load = Math.max(-1, Math.min(1, held / this.#makers.length / bearable))
    return fair * (1 - (skewBps * load) / 1e4)
  }
}
