/**
 * What the operator can make the simulated market do for a while. A scenario changes what the agents and the price process
 * do; the commands that follow are journaled like any others, the scenario itself is not.
 *
 * One       at a time: a new one ends the one before; each ends by itself, and a restart ends it too
 * Where     in one coin or in all; `stale-index` and `adl` always in one, BTC unless another is named
 * Path      of the log price, from its beginning; what a scenario did to a price goes back as slowly as any deviation does
 */
import type { CoinId, InstrumentId } from '../engine/catalog/catalog.ts'
import type { Amount } from '../engine/numbers/numbers.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Side } from '../engine/vocabulary.ts'
import { type MarketConditions, normalConditions } from './market-conditions.ts'

export const scenarioNames = ['calm', 'trend', 'crash', 'squeeze', 'stale-index', 'adl'] as const
export type ScenarioName = (typeof scenarioNames)[number]

export interface Scenario {
  readonly name: ScenarioName
  /** Undefined: all coins. */
  readonly coin: CoinId | undefined
  readonly isOver: boolean
  readonly secondsLeft: number
  /** Lets time pass; answers what the scenario itself submits. */
  pass(seconds: number): readonly Command[]
  /** In the present step. */
  conditions(coin: CoinId): MarketConditions
  /** What has to be put right when it ends. */
  end(): readonly Command[]
  save(): SavedScenario
}

export type SavedScenario = SavedPlan | SavedAdl

interface SavedPlan {
  readonly name: Exclude<ScenarioName, 'adl'>
  readonly coin: CoinId | undefined
  readonly lengthS: number
  readonly elapsedS: number
  readonly drift: number
}

/** adl-scenario.ts */
export interface SavedAdl {
  readonly name: 'adl'
  readonly instrument: InstrumentId
  readonly fundBefore: Amount
  readonly fundTarget: bigint
  readonly secondsLeft: number
  readonly acts: number
  readonly sinceOpenS: number
  readonly hasJumped: boolean
  readonly isLast: boolean
  readonly isOver: boolean
  readonly side: Side
  readonly drift: number
}

interface Plan extends Omit<MarketConditions, 'drift'> {
  /** Default length. */
  readonly minutes: number
  /** How far the log price has been moved `at` seconds after the beginning, of `length`. */
  readonly path: (at: number, length: number) => number
}

/** The first seconds of a crash and a squeeze: the crowd takes positions on the wrong side. */
const gatherS = 10
/** From then on half of the move that is left takes this long. */
const plungeHalfLifeS = 8

/** Falls or rises by `move`, and after a minute goes back by a share of that until the end. */
function plunge(move: number, backShare: number) {
  return (at: number, length: number): number => {
    const gone = 1 - 2 ** (-Math.max(0, at - gatherS) / plungeHalfLifeS)
    const back = length <= 60 ? 0 : Math.max(0, Math.min(1, (at - 60) / (length - 60)))
    return move * (gone - backShare * back)
  }
}

const plans: Readonly<Record<Exclude<ScenarioName, 'adl'>, Plan>> = {
  calm: { ...normalConditions, minutes: 10, volatility: 0.25, activity: 0.5, path: () => 0 },
  trend: { ...normalConditions, minutes: 10, takerBias: 0.3, activity: 1.5, path: (at) => (0.003 * at) / 60 },
  crash: {
    ...normalConditions,
    minutes: 3,
    volatility: 3,
    takerBias: -0.6,
    activity: 3,
    crowdedSide: 'buy',
    path: plunge(Math.log(0.9), 0.3),
  },
  squeeze: {
    ...normalConditions,
    minutes: 3,
    volatility: 2,
    takerBias: 0.8,
    activity: 3,
    crowdedSide: 'sell',
    path: plunge(Math.log(1.08), 0.4),
  },
  'stale-index': { ...normalConditions, minutes: 2, isHidden: true, path: () => 0 },
}

export const defaultMinutes: Readonly<Record<ScenarioName, number>> = {
  ...(Object.fromEntries(Object.entries(plans).map(([name, { minutes }]) => [name, minutes])) as Record<
    keyof typeof plans,
    number
  >),
  adl: 5,
}

/** All but `adl`, which trades by itself (adl-scenario.ts). */
export class PlannedScenario implements Scenario {
  readonly name: keyof typeof plans
  readonly coin: CoinId | undefined
  #lengthS: number
  #elapsedS = 0
  #drift = 0

  constructor(name: keyof typeof plans, coin: CoinId | undefined, minutes: number) {
    this.name = name
    this.coin = coin
    this.#lengthS = minutes * 60
  }

  get secondsLeft(): number {
    return Math.max(0, this.#lengthS - this.#elapsedS)
  }

  get isOver(): boolean {
    return this.secondsLeft <= 0
  }

  pass(seconds: number): readonly Command[] {
    const { path } = plans[this.name]
    const before = path(this.#elapsedS, this.#lengthS)
    this.#elapsedS = Math.min(this.#lengthS, this.#elapsedS + seconds)
    this.#drift = path(this.#elapsedS, this.#lengthS) - before
    return []
  }

  conditions(coin: CoinId): MarketConditions {
    if (this.coin !== undefined && coin !== this.coin) return normalConditions
    return { ...plans[this.name], drift: this.#drift }
  }

  end(): readonly Command[] {
    return []
  }

  save(): SavedPlan {
    const { name, coin } = this
    return { name, coin, lengthS: this.#lengthS, elapsedS: this.#elapsedS, drift: this.#drift }
  }

  static restored({ name, coin, lengthS, elapsedS, drift }: SavedPlan): PlannedScenario {
    const scenario = new PlannedScenario(name, coin, lengthS / 60)
    scenario.#lengthS = lengthS
    scenario.#elapsedS = elapsedS
    scenario.#drift = drift
    return scenario
  }
}
