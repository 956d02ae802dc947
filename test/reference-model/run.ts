/**
 * One life of a scene: the same commands go to engine and model, which are compared after each.
 *
 * Timers      run before the next command, as they do in a venue: an hour of interest that has begun counts in levels by then
 * At the end  everything is canceled and every contract delivered: nothing is held, owed to or kept for positions then
 */
import { Comparison } from './comparison.ts'
import type { Command } from './commands.ts'
import { RandomTraders, type Scene } from './random-traders.ts'
import { EngineSide } from './engine-side.ts'
import { Model } from './model.ts'
import { placeText } from './order-commands.ts'
import { markPrice } from './prices.ts'
import { Fraction, fraction, zero } from './rational.ts'
import { coins, markets } from './venue.ts'

/** Midnight of 1 January 2026, UTC. */
const firstDay = 1_767_225_600_000
/** Commands between two comparisons of everything, and between two checks of the engine's books. */
const wholeEvery = 60
const booksEvery = 5
/** Commands that a failure shows. */
const shown = 12

/** What happened, by name: commands accepted and refused, fills by cause, loans. */
export type Tally = Map<string, number>

export class Life {
  private readonly scene: Scene
  private readonly seed: number
  private readonly tally: Tally
  private readonly engine: EngineSide
  private readonly model: Model
  private readonly comparison: Comparison
  private readonly history: { readonly at: number; readonly command: Command }[] = []
  /** What rounding has left to the house so far, by coin. */
  private readonly rounding = new Map<string, Fraction>()
  private at = firstDay + 1

  constructor(scene: Scene, seed: number, tally: Tally) {
    this.scene = scene
    this.seed = seed
    this.tally = tally
    const listed = markets.filter(({ name }) => scene.markets.includes(name))
    this.engine = new EngineSide(coins, listed, this.at)
    this.model = new Model(coins, listed, this.at)
    this.comparison = new Comparison(this.engine, this.model.world)
    this.admit()
  }

  /** Throws with what differs, and the last commands, when it does. */
  live(commands: number): void {
    const randomTraders = new RandomTraders(this.scene, this.model.world, this.seed)
    for (let number = 1; number <= commands; number++) {
      this.at += randomTraders.pause()
      if ((this.engine.engine.nextTimerAt() ?? Number.POSITIVE_INFINITY) <= this.at) this.apply({ kind: 'run-timers' })
      const command = randomTraders.next()
      this.apply(command)
      if (number % wholeEvery === 0) this.compareAll()
      else if (number % 2 === 0) {
        for (const name of this.concerned(command)) this.comparison.compareAccount(name, number / 2)
      }
      if (number % booksEvery === 0) this.comparison.compareBooks()
      this.check()
    }
    this.end()
  }

  private admit(): void {
    const { people, fund } = this.scene
    const lines = new Set(this.model.world.markets.flatMap(({ line }) => (line === undefined ? [] : [line])))
    for (const { name, main, unified, hedged, money } of people) {
      this.engine.join(name, main, unified, this.at)
      this.model.join(name, main, unified)
      for (const [wallet, coin, sum] of money) {
        this.apply({ kind: 'deposit', owner: name, wallet, coin, money: fraction(sum) })
      }
      if (hedged) for (const line of lines) this.apply({ kind: 'set-hold-mode', owner: name, line, hedged })
    }
    for (const [coin, sum] of Object.entries(fund)) {
      this.engine.fund(coin, fraction(sum), this.at)
      this.model.fund(coin, fraction(sum))
    }
    this.check()
  }

  private end(): void {
    const { world } = this.model
    for (const market of world.markets) {
      for (const { name: owner } of this.scene.people) {
        for (const margin of market.marginable ? [false, true] : [false]) {
          this.apply({ kind: 'cancel-all', owner, market: market.name, margin })
        }
      }
      if (market.kind === 'spot') continue
      this.apply({ kind: 'deliver', market: market.name, price: markPrice(world, market) })
    }
    this.compareAll()
    this.comparison.compareBooks()
    this.comparison.compareDrained()
    this.check()
  }

  private apply(command: Command): void {
    this.history.push({ at: this.at, command })
    const answer = this.engine.apply(command, this.at)
    const expected = this.model.apply(command, this.at)
    const unified = new Set(this.model.world.accounts.flatMap((account) => (account.unified ? [account.name] : [])))
    for (const name of unified.symmetricDifference(this.engine.unified)) this.changed(name)
    this.engine.unified = unified
    this.comparison.same(`answer to ${command.kind}`, answer, expected)
    this.comparison.compareEvents()
    this.count(`${command.kind} ${answer === 'accepted' ? 'accepted' : 'refused'}`)
    for (const event of this.engine.events) {
      if (event.kind === 'fill') this.count(`fill ${event.cause}`)
      if (event.kind === 'order-cut') this.count('cut')
      if (event.kind === 'trigger-ended') this.count(`trigger ${event.trigger.status}`)
      if (event.kind === 'chain-transfer') this.count(`${event.direction} ${event.status}`)
      if (event.kind === 'margin-liquidation' || event.kind === 'loan') this.count(event.kind)
    }
  }

  /** An account has another mode since the command at hand. */
  private changed(name: string): void {
    if (this.engine.unified.has(name)) this.count('mode classic')
    else this.count('mode unified')
  }

  private count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1)
  }

  /** Whom a command may have changed. */
  private concerned(command: Command): Set<string> {
    const { fills, ended, endedTransits } = this.model.world
    const names = new Set([...fills, ...ended, ...endedTransits].map(({ owner }) => owner))
    if ('owner' in command) names.add(command.owner)
    if (command.kind === 'request-withdrawal' && command.to.receiver !== undefined) names.add(command.to.receiver)
    if (command.kind === 'transfer') names.add(command.from).add(command.to)
    return new Set(this.scene.people.map(({ name }) => name).filter((name) => names.has(name)))
  }

  private compareAll(): void {
    for (const { name } of this.scene.people) this.comparison.compareAccount(name)
    this.comparison.compareMarkets()
    this.comparison.compareHouse()
  }

  /** What holds after every command, and whether anything has differed. */
  private check(): void {
    const { comparison, model, history } = this
    for (const { name } of coins) {
      const kept = model.world.houseBalance('rounding', name)
      if (kept.isBelow(this.rounding.get(name) ?? zero)) comparison.faults.push(`rounding gave ${name} away`)
      this.rounding.set(name, kept)
    }
    if (comparison.faults.length === 0) return
    const last = history.slice(-shown).map(({ at, command }) => `${at - firstDay} ${describe(command)}`)
    const faults = comparison.faults.slice(0, 20)
    throw new Error([`${this.scene.name}, command ${history.length}:`, ...faults, 'after', ...last].join('\n'))
  }
}

function describe(command: Command): string {
  if (command.kind === 'place') return placeText(command)
  const figures = (value: unknown): string =>
    JSON.stringify(value, (_, item: unknown) => (item instanceof Fraction ? item.toString() : item))
  return Object.entries(command)
    .map(([name, value]) => `${name} ${figures(value)}`)
    .join(', ')
}
