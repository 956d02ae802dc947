/**
 * A market worth watching for a demo venue: prices that wander, jump and have nervous times, makers that quote every book,
 * takers that come in bursts, an arbitrageur, leveraged traders, and scenarios that the operator asks for. The agents are
 * ordinary accounts and speak through the core's two ports like everyone else. This is the door of the room.
 *
 *   fair-values.ts  index prices (prices.ts, recordings.ts), and what each instrument is worth
 *   makers.ts       quotes in every book (quotes.ts)      takers.ts   who trades with them (taker.ts), and when (bursts.ts)
 *   arbitrageur.ts  keeps books and index together        trader.ts   gets liquidated now and then
 *   scenarios.ts    calm, trend, crash, squeeze, stale-index; adl-scenario.ts: adl
 *
 * Time      is the sum of the steps: nothing here looks at a clock. The timer that `start` sets makes a step of `stepMs`
 *           each; on the manual clock `advance` makes them as the clock is moved
 * Repeats   the same seed and the same answers of the venue give the same commands, step by step
 * Restart   begins by cancelling what an earlier run left, then quotes every book at once
 * Refusals  are counted and change nothing: the next visit looks at the book as it is
 * Others    may have books and prices to themselves for a while (`leave`): a simulator that was restored is told anew
 * Stopping  leaves the quotes where they are; `withdrawQuotes` takes them away
 * Saved     between two steps: all that decides what is done next. Restored over a venue in the same state, also by another
 *           simulator with the same options, the same commands follow
 * Source    design.md §6; docs/market.md
 */
import { type Category, type CoinId, type Instrument, type InstrumentId, isFutures } from '../engine/catalog/catalog.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Core, RuntimeLog } from '../runtime/runtime.ts'
import { adlContract, AdlScenario } from './adl-scenario.ts'
import { Arbitrageur } from './arbitrageur.ts'
import { FairValues, type SavedFairValues } from './fair-values.ts'
import { Holdings, type SavedHoldings } from './holdings.ts'
import { Makers, type SavedMakers } from './makers.ts'
import { type MarketConditions, normalConditions } from './market-conditions.ts'
import { withdrawalOf } from './orders.ts'
import { defaultParameters, type SimulatorParameters } from './parameters.ts'
import { Random } from './random.ts'
import type { Recordings } from './recordings.ts'
import { defaultMinutes, PlannedScenario, type SavedScenario, type Scenario, type ScenarioName } from './scenarios.ts'
import { type SavedTakers, Takers } from './takers.ts'
import { LeveragedTrader, type SavedTrader } from './trader.ts'

export { defaultParameters, type SimulatorParameters } from './parameters.ts'
export { type PastTerms, SimulatedPast } from './past/past.ts'
export { readRecordings, recordingOf, type Recordings, RecordingWrong } from './recordings.ts'
export { lotsFor, priceOf } from './scale.ts'
export { type ScenarioName, scenarioNames } from './scenarios.ts'

export interface SimulatorOptions {
  readonly core: Core
  readonly seed: number
  /** Unified accounts with funds in every coin; makers and takers are different main accounts. */
  readonly makerUids: readonly number[]
  readonly takerUids: readonly number[]
  /** The same, each by itself; without it nobody does what it does. */
  readonly arbitrageurUid?: number | undefined
  readonly whaleUid?: number | undefined
  /** Unified accounts whose funds are topped up. */
  readonly traderUids?: readonly number[]
  readonly gamblerUid?: number | undefined
  readonly recordings?: Recordings | undefined
  readonly parameters?: Partial<SimulatorParameters>
  readonly log?: Pick<RuntimeLog, 'warn'>
}

export interface SimulatorStats {
  readonly steps: number
  readonly commands: number
  readonly refused: number
  /** Steps whose commands the venue did not take. */
  readonly failures: number
}

/** A scenario that runs; `minutesLeft` in tenths. */
export interface ScenarioView {
  readonly name: ScenarioName
  readonly coin: CoinId | undefined
  readonly minutesLeft: number
}

/** What somebody else does, so that the agents do not. */
export interface LeftToOthers {
  /** Nobody of them trades there. */
  readonly books: ReadonlySet<InstrumentId>
  /** They set no index price of these coins. */
  readonly coins: ReadonlySet<CoinId>
  /** These coins are so many times what they would be worth. */
  readonly shifts: ReadonlyMap<CoinId, number>
}

/** What decides what a simulator does next: plain data, which later steps leave as it is. */
export interface SavedSimulator {
  readonly fairValues: SavedFairValues
  readonly holdings: SavedHoldings
  readonly makers: SavedMakers
  readonly takers: SavedTakers
  readonly traders: readonly SavedTrader[]
  readonly scenario: SavedScenario | undefined
  readonly due: readonly Command[]
  readonly stats: SimulatorStats
  readonly looks: number
  readonly elapsedMs: number
  readonly pricedAtMs: number
}

/** An index that moves this far in one step finds no maker there: they have withdrawn just before. */
const withdrawalMove = 0.05

export class Simulator {
  readonly #core: Core
  /** One object for all agents, so that they see what changes. */
  readonly #parameters: { -readonly [Name in keyof SimulatorParameters]: SimulatorParameters[Name] }
  readonly #log: Pick<RuntimeLog, 'warn'> | undefined
  readonly #fairValues: FairValues
  readonly #holdings: Holdings
  readonly #makerUids: readonly number[]
  readonly #takerUids: readonly number[]
  readonly #makers: Makers
  readonly #takers: Takers
  readonly #arbitrageur: Arbitrageur | undefined
  readonly #traders: readonly LeveragedTrader[]
  readonly #whaleUid: number | undefined
  readonly #gamblerUid: number | undefined
  #scenario: Scenario | undefined
  /** What is to be submitted with the next step. */
  #due: Command[] = []
  #steps = 0
  #looks = 0
  #commands = 0
  #refused = 0
  #failures = 0
  #elapsedMs = 0
  #pricedAtMs = 0
  #left: LeftToOthers = { books: new Set(), coins: new Set(), shifts: new Map() }
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStepping = false

  constructor({ core, seed, makerUids, takerUids, recordings, parameters, log, ...others }: SimulatorOptions) {
    const random = new Random(seed)
    this.#core = core
    this.#parameters = { ...defaultParameters, ...parameters }
    this.#log = log
    const fairValues = new FairValues(core, random.for('world'), this.#parameters, recordings)
    this.#fairValues = fairValues
    const holdings = new Holdings(core)
    this.#holdings = holdings
    const makers = makerUids.map((uid, index) => ({ uid, random: random.for(`maker ${index}`) }))
    this.#makerUids = makerUids
    this.#takerUids = takerUids
    this.#makers = new Makers(core, fairValues, holdings, makers, this.#parameters)
    this.#takers = new Takers({ core, fairValues, holdings, uids: takerUids, random, parameters: this.#parameters })
    const { arbitrageurUid, whaleUid, gamblerUid, traderUids = [] } = others
    if (arbitrageurUid !== undefined) this.#arbitrageur = new Arbitrageur(core, arbitrageurUid, this.#parameters)
    this.#traders = traderUids.map((uid, index) => {
      return new LeveragedTrader(core, uid, random.for(`trader ${index}`), holdings, this.#parameters)
    })
    this.#whaleUid = whaleUid
    this.#gamblerUid = gamblerUid
  }

  /** Resolves when every book is quoted; from then on a timer makes the steps. */
  async start(): Promise<void> {
    await this.open()
    this.run()
  }

  /** A timer makes the steps from now on: of a simulator that was stopped or restored. */
  run(): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#beat(), this.#parameters.stepMs).unref()
  }

  /** Resolves when the last step is done. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  stats(): SimulatorStats {
    return { steps: this.#steps, commands: this.#commands, refused: this.#refused, failures: this.#failures }
  }

  /** Throws while a step is made: stop first. */
  save(): SavedSimulator {
    this.#assertBetweenSteps()
    return {
      fairValues: this.#fairValues.save(),
      holdings: this.#holdings.save(),
      makers: this.#makers.save(),
      takers: this.#takers.save(),
      traders: this.#traders.map((trader) => trader.save()),
      scenario: this.#scenario?.save(),
      due: [...this.#due],
      stats: this.stats(),
      looks: this.#looks,
      elapsedMs: this.#elapsedMs,
      pricedAtMs: this.#pricedAtMs,
    }
  }

  /**
   * Goes on as after `save`; the venue is to be as it was then. `saved` can be restored again. Throws while a step is made,
   * and when this simulator has other agents.
   */
  restore(saved: SavedSimulator): void {
    this.#assertBetweenSteps()
    this.#assertSameAgents(saved)
    this.#fairValues.restore(saved.fairValues)
    this.#holdings.restore(saved.holdings)
    this.#makers.restore(saved.makers)
    this.#takers.restore(saved.takers)
    this.#traders.forEach((trader, index) => trader.restore(saved.traders[index]))
    this.#scenario = saved.scenario && this.#scenarioSaved(saved.scenario)
    this.#due = [...saved.due]
    this.#steps = saved.stats.steps
    this.#commands = saved.stats.commands
    this.#refused = saved.stats.refused
    this.#failures = saved.stats.failures
    this.#looks = saved.looks
    this.#elapsedMs = saved.elapsedMs
    this.#pricedAtMs = saved.pricedAtMs
  }

  #assertBetweenSteps(): void {
    if (this.#isStepping) throw new Error('the simulator is saved and restored between two steps')
  }

  #assertSameAgents({ makers, takers, traders }: SavedSimulator): void {
    const [wanted, saved] = [
      [this.#makerUids, this.#takerUids, this.#traders],
      [makers.randoms, takers.randoms, traders],
    ].map((agents) => agents.map(({ length }) => length).join(', '))
    if (wanted !== saved) {
      throw new Error(`the simulator was saved with ${saved} makers, takers and traders; it has ${wanted}`)
    }
  }

  /** What runs at present. */
  scenario(): ScenarioView | undefined {
    if (this.#scenario === undefined) return undefined
    const { name, coin, secondsLeft } = this.#scenario
    return { name, coin, minutesLeft: Math.ceil(secondsLeft / 6) / 10 }
  }

  /** From the next step on everybody acts so many times as often as by default: makers, takers, the arbitrageur. */
  setActivity(share: number): void {
    const { visitsPerStep, takesPerS, arbitrageEveryS } = defaultParameters
    this.#parameters.visitsPerStep = visitsPerStep * share
    this.#parameters.takesPerS = takesPerS * share
    this.#parameters.arbitrageEveryS = arbitrageEveryS / share
  }

  /** From the next step on, in place of what was left before. */
  leave(left: LeftToOthers): void {
    this.#left = left
    this.#fairValues.shift(left.shifts)
  }

  /** From the next step on, in place of what runs. Undefined: this market has nothing that it could be played with. */
  begin(name: ScenarioName, coin?: CoinId, minutes: number = defaultMinutes[name]): ScenarioView | undefined {
    const begun = this.#scenarioOf(name, coin, minutes)
    if (begun === undefined) return undefined
    this.play(begun)
    return this.scenario()
  }

  /** The same, with a scenario of one's own. */
  play(scenario: Scenario): void {
    this.end()
    this.#scenario = scenario
  }

  /** Ends what runs, if anything does. */
  end(): void {
    this.#due.push(...(this.#scenario?.end() ?? []))
    this.#scenario = undefined
  }

  /** Clears away what an earlier run left, quotes every book, and trades once in each, so that each has a last price. */
  async open(): Promise<void> {
    await this.#submit(this.#makerUids.flatMap(withdrawals))
    const instruments = this.#fairValues.instruments()
    await this.#submit([this.#fairValues.indexPrices(this.#conditionsOf), ...this.#makers.quoteAll(instruments)])
    await this.#submit(this.#takers.tradeAll(instruments))
  }

  /** One step: the scenario, prices when it is their turn, a few visits of makers, everybody else as they come. */
  async step(ms: number = this.#parameters.stepMs): Promise<void> {
    this.#isStepping = true
    try {
      await this.#step(ms)
    } finally {
      this.#isStepping = false
    }
  }

  async #step(ms: number): Promise<void> {
    const seconds = ms / 1000
    const instruments = this.#fairValues.instruments().filter(({ id }) => !this.#left.books.has(id))
    this.#steps += 1
    this.#elapsedMs += ms
    this.#holdings.now = this.#elapsedMs / 1000
    const commands = this.#due.splice(0)
    if (this.#scenario !== undefined) commands.push(...this.#scenario.pass(seconds))
    commands.push(...this.#move(seconds, instruments))
    const activity = Math.max(0, ...instruments.map(({ base }) => this.#conditionsOf(base).activity))
    commands.push(...this.#makers.visit(ms, instruments, activity))
    commands.push(...this.#arbitrate(seconds, instruments))
    commands.push(...this.#takers.arrive(seconds, instruments, this.#conditionsOf))
    commands.push(...this.#visitTrader(instruments))
    await this.#submit(commands)
    if (this.#scenario?.isOver) this.end()
  }

  /**
   * On the manual clock: makes the steps that `ms` milliseconds have, each after `advance` has moved the clock by it. A
   * long time is passed in longer steps, so that an hour takes seconds and prices still come before an index is stale.
   */
  async advance(ms: number, advance: (ms: number) => Promise<void>): Promise<void> {
    const length = Math.min(stepMsMax, Math.max(this.#parameters.stepMs, Math.ceil(ms / stepsMax)))
    for (let left = ms; left > 0; left -= length) {
      const step = Math.min(left, length)
      await advance(step)
      await this.step(step)
    }
  }

  /** A step that is not done when the next is due takes its place. */
  #beat(): void {
    if (this.#running !== undefined) return
    const step = async () => {
      try {
        await this.step()
      } catch (error) {
        this.#noteFailure(error)
      } finally {
        this.#running = undefined
      }
    }
    this.#running = step()
  }

  readonly #conditionsOf = (coin: CoinId): MarketConditions => {
    const conditions = this.#scenario?.conditions(coin) ?? normalConditions
    return this.#left.coins.has(coin) ? { ...conditions, isHidden: true } : conditions
  }

  #scenarioOf(name: ScenarioName, coin: CoinId | undefined, minutes: number): Scenario | undefined {
    const catalog = this.#core.query({ kind: 'catalog' })
    const first = coin ?? (catalog.coins.find((candidate) => candidate.name === 'BTC') ?? catalog.coins[0])?.id
    if (name !== 'adl') return new PlannedScenario(name, name === 'stale-index' ? first : coin, minutes)
    const [gambler, whale] = [this.#gamblerUid, this.#whaleUid]
    if (first === undefined || gambler === undefined || whale === undefined) return undefined
    const contract = adlContract(this.#core, catalog, first, (id) => this.#fairValues.dollars(id))
    if (contract === undefined) return undefined
    const agents = { gambler, whale, makers: this.#makerUids }
    return new AdlScenario(this.#core, this.#fairValues, agents, contract, minutes)
  }

  #scenarioSaved(saved: SavedScenario): Scenario | undefined {
    if (saved.name !== 'adl') return PlannedScenario.restored(saved)
    const [gambler, whale] = [this.#gamblerUid, this.#whaleUid]
    const { instruments } = this.#core.query({ kind: 'catalog' })
    const contract = instruments.filter(isFutures).find(({ id }) => id === saved.instrument)
    if (gambler === undefined || whale === undefined || contract === undefined) return undefined
    const agents = { gambler, whale, makers: this.#makerUids }
    const scenario = new AdlScenario(this.#core, this.#fairValues, agents, contract, 0)
    scenario.restore(saved)
    return scenario
  }

  /** Lets prices move, and publishes them when a second is over, or at once when they leap. */
  #move(seconds: number, instruments: readonly Instrument[]): Command[] {
    const { stepMs, stepsPerPrice } = this.#parameters
    this.#fairValues.move(seconds, this.#conditionsOf)
    const leaping = instruments.filter(
      (instrument) => Math.abs(this.#conditionsOf(instrument.base).drift) > withdrawalMove,
    )
    if (leaping.length === 0 && this.#elapsedMs - this.#pricedAtMs < stepMs * stepsPerPrice) return []
    this.#pricedAtMs = this.#elapsedMs
    return [...this.#makers.withdraw(leaping), this.#fairValues.indexPrices(this.#conditionsOf)]
  }

  /** A few coins in a step, in turn. */
  #arbitrate(seconds: number, instruments: readonly Instrument[]): Command[] {
    const { arbitrageEveryS } = this.#parameters
    const books = [...Map.groupBy(instruments, ({ base }) => base)]
    if (this.#arbitrageur === undefined || books.length === 0) return []
    const looks = Math.min(books.length, Math.ceil((books.length * seconds) / arbitrageEveryS))
    const commands: Command[] = []
    for (let look = 0; look < looks; look++) {
      const [coin, own] = books[this.#looks++ % books.length]
      if (!this.#conditionsOf(coin).isHidden) commands.push(...this.#arbitrageur.trade(own, this.#fairValues))
    }
    return commands
  }

  /** One of them in a step, in turn. */
  #visitTrader(instruments: readonly Instrument[]): readonly Command[] {
    const trader = this.#traders[this.#steps % this.#traders.length]
    if (trader === undefined) return []
    return trader.visit(this.#elapsedMs / 1000, {
      instruments: instruments.filter(isFutures),
      fairValues: this.#fairValues,
      conditionsOf: this.#conditionsOf,
      moodOf: (coin) => this.#takers.moodOf(coin),
    })
  }

  async #submit(commands: readonly Command[]): Promise<void> {
    if (commands.length === 0) return
    this.#commands += commands.length
    try {
      const replies = await this.#core.submitAll(commands)
      this.#refused += replies.filter((reply: Reply) => reply.kind === 'refused').length
    } catch (error) {
      this.#noteFailure(error)
    }
  }

  /** The venue may be stopping or overloaded; the next step tries again. Said once, counted always. */
  #noteFailure(error: unknown): void {
    this.#failures += 1
    if (this.#failures === 1) this.#log?.warn({ err: error }, 'the simulated market could not act')
  }
}

/** Of a long time on the manual clock: about how many, and how long at most. */
const stepsMax = 600
const stepMsMax = 20_000

/** Takes away whatever the agents left in the books, for a venue that goes on without them. */
export async function withdrawQuotes(core: Core, uids: readonly number[]): Promise<void> {
  await core.submitAll(uids.flatMap(withdrawals))
}

const categories: readonly Category[] = ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']

function withdrawals(uid: number): Command[] {
  return categories.map((category) => withdrawalOf(uid, category, undefined))
}
