/**
 * A leveraged trader: one isolated position at a time, at a random leverage, held until it is in profit, its time is
 * over, or it is liquidated.
 *
 * Funds     when it wants to open and has less than a quarter of `traderFunds` of the margin coin, it is topped up to it
 * Herd      while a scenario drives the crowd one way it opens that way at high leverage, again and again, and does not
 *           leave by itself
 * Restart   goes on with a position that an earlier run left
 */
import { type FuturesInstrument, type InstrumentId, isFutures, productLines } from '../engine/catalog/catalog.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { PositionView } from '../engine/protocol/query.ts'
import type { Side } from '../engine/vocabulary.ts'
import type { Core } from '../runtime/runtime.ts'
import type { FairValues } from './fair-values.ts'
import type { Holdings } from './holdings.ts'
import type { MarketConditions } from './market-conditions.ts'
import { closingOrder, depositOf, isolateAt, orderFor } from './orders.ts'
import type { SimulatorParameters } from './parameters.ts'
import type { Random, SavedRandom } from './random.ts'
import { lotsFor, tierFor } from './scale.ts'

interface TraderView {
  readonly instruments: readonly FuturesInstrument[]
  readonly fairValues: FairValues
  readonly conditionsOf: (coin: number) => MarketConditions
  readonly moodOf: (coin: number) => number
}

export interface SavedTrader {
  readonly random: SavedRandom
  readonly plan: { readonly instrument: InstrumentId; readonly until: number } | undefined
  readonly idleUntil: number | undefined
  readonly isDriven: boolean
}

const crowdIdleS = 4
const crowdLeverageMin = 50

export class LeveragedTrader {
  readonly #core: Core
  readonly #uid: number
  readonly #random: Random
  readonly #holdings: Holdings
  readonly #parameters: SimulatorParameters
  #plan: { readonly instrument: FuturesInstrument; readonly until: number } | undefined
  /** Undefined before the first visit. */
  #idleUntil: number | undefined
  #isDriven = false

  constructor(core: Core, uid: number, random: Random, holdings: Holdings, parameters: SimulatorParameters) {
    this.#core = core
    this.#uid = uid
    this.#random = random
    this.#holdings = holdings
    this.#parameters = parameters
  }

  save(): SavedTrader {
    const plan = this.#plan && { instrument: this.#plan.instrument.id, until: this.#plan.until }
    return { random: this.#random.save(), plan, idleUntil: this.#idleUntil, isDriven: this.#isDriven }
  }

  restore({ random, plan, idleUntil, isDriven }: SavedTrader): void {
    const { instruments } = this.#core.query({ kind: 'catalog' })
    const planned = plan && instruments.filter(isFutures).find(({ id }) => id === plan.instrument)
    this.#random.restore(random)
    this.#plan = plan && planned && { instrument: planned, until: plan.until }
    this.#idleUntil = idleUntil
    this.#isDriven = isDriven
  }

  /** What it does at a moment, in seconds of the simulator's own time. */
  visit(now: number, view: TraderView): readonly Command[] {
    if (this.#idleUntil === undefined) this.#begin(now, view)
    const isDriven = view.instruments.some((contract) => view.conditionsOf(contract.base).crowdedSide !== undefined)
    if (isDriven && !this.#isDriven) this.#idleUntil = now + this.#random.share() * crowdIdleS
    this.#isDriven = isDriven
    if (this.#plan !== undefined) return this.#hold(this.#plan, now, view)
    return now < (this.#idleUntil ?? now) ? [] : this.#open(now, view)
  }

  #begin(now: number, { instruments }: TraderView): void {
    this.#idleUntil = now + this.#random.share() * this.#parameters.traderIdleS
    for (const line of productLines) {
      const query = { kind: 'positions', uid: this.#uid, interface: 'v3', line, instrument: undefined } as const
      for (const position of this.#core.query(query)) {
        const instrument = instruments.find(({ id }) => id === position.instrument)
        if (instrument !== undefined) this.#plan = { instrument, until: now + this.#holdS() }
      }
    }
  }

  #hold({ instrument, until }: { instrument: FuturesInstrument; until: number }, now: number, view: TraderView) {
    const [position] = this.#holdings.positions(this.#uid, instrument)
    if (position === undefined) {
      this.#plan = undefined
      this.#idleUntil = now + this.#idleS()
      return []
    }
    const stays = view.conditionsOf(instrument.base).crowdedSide !== undefined
    if (stays || (now < until && !this.#isSatisfied(position))) return []
    return [closingOrder(this.#uid, instrument, position)]
  }

  #isSatisfied({ unrealizedPnl, margin }: PositionView): boolean {
    return Number(unrealizedPnl) >= this.#parameters.traderProfitShare * Number(margin)
  }

  #open(now: number, { instruments, fairValues, conditionsOf, moodOf }: TraderView): readonly Command[] {
    const { traderMargin, traderLeverages, traderFunds } = this.#parameters
    const random = this.#random
    this.#idleUntil = now + this.#idleS()
    const driven = instruments.filter((contract) => conditionsOf(contract.base).crowdedSide !== undefined)
    const instrument = random.pick(driven.length > 0 ? driven : instruments, (contract) =>
      fairValues.popularity(contract.base),
    )
    if (instrument === undefined || fairValues.dollars(instrument.settle) === 0) return []
    const { crowdedSide } = conditionsOf(instrument.base)
    const side: Side = crowdedSide ?? (random.happens(0.5 + 0.2 * moodOf(instrument.base)) ? 'buy' : 'sell')
    const choices = traderLeverages.filter((leverage) => {
      return leverage <= instrument.leverageMax && (crowdedSide === undefined || leverage >= crowdLeverageMin)
    })
    const leverage = random.pick(choices, () => 1) ?? instrument.leverageMax
    const bound = tierFor(instrument, leverage)
    const margin = Math.min(random.spread(traderMargin, 0.7), traderFunds / 5)
    const price = fairValues.fair(instrument)
    const lots = lotsFor(instrument, Math.min(margin * leverage, 0.8 * bound), price, 'market')
    if (lots === undefined) return []
    this.#plan = { instrument, until: now + this.#holdS() }
    const quantity = { unit: 'lots', lots } as const
    return [
      ...this.#topUp(instrument, fairValues),
      ...isolateAt(this.#uid, instrument, leverage),
      orderFor(this.#uid, instrument, { side, orderType: 'market', price: 0, quantity, timeInForce: 'ioc' }),
    ]
  }

  #topUp({ settle }: FuturesInstrument, fairValues: FairValues): Command[] {
    const wanted = this.#parameters.traderFunds / fairValues.dollars(settle)
    const has = this.#holdings.coins(this.#uid).get(settle) ?? 0
    return has >= wanted / 4 ? [] : [depositOf(this.#uid, settle, wanted - has)]
  }

  #idleS(): number {
    return this.#random.spread(this.#isDriven ? crowdIdleS : this.#parameters.traderIdleS, 0.7)
  }

  #holdS(): number {
    return this.#random.spread(this.#parameters.traderHoldS, 0.8)
  }
}
