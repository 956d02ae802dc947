/**
 * The scenario `adl`: a price that is thrown to and fro until the insurance fund of a contract is short, and a bankrupt
 * position is then closed against those who profited.
 *
 *   act        the gambler opens a large isolated position, the whale takes the other side; a moment later the index jumps
 *              against it, further than its margin reaches, and no maker is there: it is handed over whole
 *   first two  long and a fall, short and a rise (or the other way round, where a price is below its home). The fund takes
 *              both over at their bankruptcy prices and loses the difference: bought dear, sold cheap
 *   then       more of the same until the fund has lost enough to deleverage; the act after that is the deleveraging
 *
 * Where      the contract of the coin whose fund is worth least, in dollars
 * Size       as large as two acts need to bring the fund down, within the contract's tiers
 * Money      the gambler is topped up to the margin of each act; at the end the fund is paid back what it lost
 */
import { type Catalog, type CoinId, type FuturesInstrument, isFutures } from '../engine/catalog/catalog.ts'
import { type Amount, rateOne } from '../engine/numbers/numbers.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Side } from '../engine/vocabulary.ts'
import type { Core } from '../runtime/runtime.ts'
import type { FairValues } from './fair-values.ts'
import { type MarketConditions, normalConditions } from './market-conditions.ts'
import { depositOf, isolateAt, orderFor, withdrawalOf } from './orders.ts'
import { lotsFor, ticksFor, tierFor } from './scale.ts'
import type { SavedAdl, Scenario } from './scenarios.ts'

export interface AdlAgents {
  readonly gambler: number
  readonly whale: number
  readonly makers: readonly number[]
}

/** Of each jump, and of the price on the way back: a fall of 15 %, a rise to where it was. */
const jump = -Math.log(0.85)
const actS = 12
/** In an act the index jumps this long after the positions were opened. */
const jumpAfterS = 4
/** A higher one would need larger tiers, a lower one a larger jump. */
const leverageLeast = 20
const leverageMost = 25
/** Of a position's value, what two acts cost the fund at least at that leverage: the jump less two margins. */
const lossShare = 0.05

export class AdlScenario implements Scenario {
  readonly name = 'adl'
  readonly coin: CoinId
  readonly #core: Core
  readonly #fairValues: FairValues
  readonly #agents: AdlAgents
  readonly #instrument: FuturesInstrument
  #fundBefore: Amount
  /** The fund deleverages when it has no more than this. */
  #fundTarget: bigint
  #secondsLeft: number
  #acts = 0
  #sinceOpenS = 0
  #hasJumped = false
  #isLast = false
  #isOver = false
  #side: Side
  #drift = 0

  constructor(core: Core, fairValues: FairValues, agents: AdlAgents, instrument: FuturesInstrument, minutes: number) {
    this.#core = core
    this.#fairValues = fairValues
    this.#agents = agents
    this.#instrument = instrument
    this.coin = instrument.base
    this.#secondsLeft = minutes * 60
    this.#fundBefore = this.#fund()
    const { adlStartShare } = core.query({ kind: 'settings' }).risk
    // The share counts from the highest that the fund ever had, which is no less than what it has.
    this.#fundTarget = (((this.#fundBefore * adlStartShare) / rateOne) * 95n) / 100n
    this.#side = fairValues.deviation(instrument.base) < 0 ? 'sell' : 'buy'
  }

  get secondsLeft(): number {
    return this.#secondsLeft
  }

  get isOver(): boolean {
    return this.#isOver || this.#secondsLeft <= 0
  }

  pass(seconds: number): readonly Command[] {
    this.#drift = 0
    this.#secondsLeft = Math.max(0, this.#secondsLeft - seconds)
    this.#sinceOpenS += seconds
    if (this.#acts > 0 && !this.#hasJumped) {
      if (this.#sinceOpenS >= jumpAfterS) this.#leap()
      return []
    }
    if (this.#acts > 0 && this.#sinceOpenS < actS) return []
    if (this.#isLast) {
      this.#isOver = true
      return []
    }
    return this.#nextAct()
  }

  conditions(coin: CoinId): MarketConditions {
    return coin === this.coin ? { ...normalConditions, drift: this.#drift } : normalConditions
  }

  end(): readonly Command[] {
    const lost = (this.#fundBefore - this.#fund()) as Amount
    const coin = this.#instrument.settle
    return lost > 0n ? [{ kind: 'fund-house', account: 'insurance', coin, amount: lost }] : []
  }

  save(): SavedAdl {
    return {
      name: this.name,
      instrument: this.#instrument.id,
      fundBefore: this.#fundBefore,
      fundTarget: this.#fundTarget,
      secondsLeft: this.#secondsLeft,
      acts: this.#acts,
      sinceOpenS: this.#sinceOpenS,
      hasJumped: this.#hasJumped,
      isLast: this.#isLast,
      isOver: this.#isOver,
      side: this.#side,
      drift: this.#drift,
    }
  }

  /** In the same instrument. */
  restore(saved: SavedAdl): void {
    this.#fundBefore = saved.fundBefore
    this.#fundTarget = saved.fundTarget
    this.#secondsLeft = saved.secondsLeft
    this.#acts = saved.acts
    this.#sinceOpenS = saved.sinceOpenS
    this.#hasJumped = saved.hasJumped
    this.#isLast = saved.isLast
    this.#isOver = saved.isOver
    this.#side = saved.side
    this.#drift = saved.drift
  }

  #leap(): void {
    this.#hasJumped = true
    this.#drift = this.#side === 'buy' ? -jump : jump
  }

  /** Back and forth: the fund loses with the second position what it paid too much for the first. */
  #nextAct(): readonly Command[] {
    if (this.#acts > 0) this.#side = opposite(this.#side)
    this.#acts += 1
    this.#sinceOpenS = 0
    this.#hasJumped = false
    this.#isLast = this.#fund() <= this.#fundTarget
    return this.#open()
  }

  #fund(): Amount {
    return this.#core.query({ kind: 'insurance-fund', coin: this.#instrument.settle })
  }

  /** The whale rests alone in the book, the gambler takes it. */
  #open(): readonly Command[] {
    const instrument = this.#instrument
    const { category, id, settle } = instrument
    const { gambler, whale, makers } = this.#agents
    const side = this.#side
    const leverage = leverageOf(instrument)
    const settleDollars = this.#fairValues.dollars(settle)
    const fundDollars = (Number(this.#fundBefore) / 1e8) * settleDollars
    const notional = Math.min(0.8 * tierFor(instrument, leverage), Math.max(leastNotional, fundDollars / lossShare / 2))
    const fair = this.#fairValues.fair(instrument)
    const price = ticksFor(instrument, fair, side)
    const lots = lotsFor(instrument, notional, fair)
    if (lots === undefined || settleDollars === 0) return []
    const order = { orderType: 'limit', price, quantity: { unit: 'lots', lots } } as const
    return [
      ...makers.map((uid) => withdrawalOf(uid, category, id)),
      depositOf(gambler, settle, ((notional / settleDollars) * 1.2) / leverage),
      ...isolateAt(gambler, instrument, leverage),
      orderFor(whale, instrument, { ...order, side: opposite(side), timeInForce: 'gtc' }),
      orderFor(gambler, instrument, { ...order, side, timeInForce: 'ioc' }),
      withdrawalOf(whale, category, id),
    ]
  }
}

/** A fund that is empty needs no more than something to hand over. */
const leastNotional = 50_000

/** The highest of the tiers that keeps a margin well inside the jump. */
function leverageOf({ tiers }: FuturesInstrument): number {
  const fitting = tiers
    .map(({ leverageMax }) => leverageMax)
    .filter((leverage) => leverage >= leverageLeast && leverage <= leverageMost)
  return Math.max(leverageLeast, ...fitting)
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}

/** The contract of a coin that the scenario can play in: of those with the leverage for it the one with the least fund. */
export function adlContract(
  core: Core,
  { instruments }: Catalog,
  coin: CoinId,
  dollars: (coin: CoinId) => number,
): FuturesInstrument | undefined {
  const fundDollars = ({ settle }: FuturesInstrument) =>
    Number(core.query({ kind: 'insurance-fund', coin: settle })) * dollars(settle)
  return instruments
    .filter(isFutures)
    .filter(
      (contract) => contract.base === coin && contract.status === 'online' && tierFor(contract, leverageLeast) > 0,
    )
    .sort((a, b) => fundDollars(a) - fundDollars(b) || a.id - b.id)
    .at(0)
}
