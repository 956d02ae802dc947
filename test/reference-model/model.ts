/**
 * The model of the exchange: the rules of risk-engine.md and design.md §4 in exact fractions and plain lists, written for
 * tests alone. It shares nothing with the engine, and nothing in it is clever: every figure is found anew from the state.
 *
 * Left out  amendments, take-profit and stop-loss of spot orders, brokers, copy traders, daily counts, changes
 *           of account mode, networks, refusals of figures beyond 64 bits
 */
import { activateTriggers } from './activation.ts'
import type { Answer, Command } from './commands.ts'
import { liquidateDebtors } from './collateral.ts'
import { convert, quote } from './conversions.ts'
import { debtOf } from './debts.ts'
import { deliver } from './delivery.ts'
import { closeOrder } from './order-end.ts'
import { settleFunding } from './funding.ts'
import { liquidateBreached } from './liquidation-steps.ts'
import { borrow, moveOutside, repay, transfer } from './money.ts'
import { placeOrder } from './placing.ts'
import { catchUp, isBasisMoving, nextFunding, refreshMarks, runningRate, sampleMs, samplesOf } from './prices.ts'
import {
  setAutoMargin,
  setHoldMode,
  setLeverage,
  setLineLeverage,
  setMarginMode,
  setPositionMargin,
} from './settings.ts'
import type { Coin, Market } from './catalog.ts'
import type { Fraction } from './rational.ts'
import { endTrigger } from './trigger-end.ts'
import { changeTrailing, setTrail, setTrailStop } from './trailing.ts'
import { setPlan, setTpsl } from './triggers.ts'
import { World } from './world.ts'

const secondMs = 1_000

type Timer =
  | { readonly kind: 'funding'; readonly at: number; readonly market: Market }
  | { readonly kind: 'marks'; readonly at: number }
  | { readonly kind: 'scan'; readonly at: number }
  | { readonly kind: 'triggers'; readonly at: number; readonly market: Market }

export class Model {
  readonly world: World
  /** Next first; of equals the one that was set first. */
  private due: Timer[] = []

  constructor(coins: readonly Coin[], markets: readonly Market[], at: number) {
    this.world = new World(coins, markets)
    this.world.at = at
    this.world.sampledAt = Math.floor(at / sampleMs) * sampleMs
    refreshMarks(this.world)
    for (const market of markets) if (market.kind !== 'spot') this.scheduleFunding(market)
    this.world.continueSoon = (market) => {
      if (this.due.some((timer) => timer.kind === 'triggers' && timer.market === market)) return
      this.setTimer({ kind: 'triggers', at: this.world.at + 1, market })
    }
  }

  join(name: string, main: string, unified: boolean): void {
    this.world.accounts.push({ name, main, unified, hedged: new Set() })
  }

  /** Money for the insurance fund from outside. */
  fund(coin: string, money: Fraction): void {
    this.world.postHouse('external', 'insurance', coin, money)
  }

  apply(command: Command, at: number): Answer {
    const { world } = this
    world.at = at
    world.fills = []
    world.ended = []
    world.cuts = []
    world.endedTriggers = []
    world.traded = []
    world.queues.clear()
    catchUp(world, at)
    world.bookChanged = false
    const before = this.debtors()
    const answer = this.answer(command)
    const prices = command.kind === 'set-price' || command.kind === 'run-timers'
    const now = this.debtors()
    const concerned = [...now.keys()].filter((name) => prices || now.get(name) !== before.get(name))
    liquidateDebtors(world, new Set(concerned))
    for (const market of world.traded) activateTriggers(world, market)
    if (world.bookChanged) this.refreshBy((Math.floor(at / secondMs) + 1) * secondMs)
    if (isBasisMoving(world)) this.refreshBy((Math.floor(at / sampleMs) + 1) * sampleMs)
    return answer
  }

  /** Marks are taken anew by then. */
  private refreshBy(at: number): void {
    const waiting = this.due.find(({ kind }) => kind === 'marks')
    if (waiting !== undefined && waiting.at <= at) return
    if (waiting !== undefined) this.due.splice(this.due.indexOf(waiting), 1)
    this.setTimer({ kind: 'marks', at })
  }

  /** Who owes in cross margin, with all that his wallet has and owes. */
  private debtors(): Map<string, string> {
    const { purses } = this.world
    const owing = purses.filter(({ wallet, loans }) => wallet === 'crossed_margin' && loans.length > 0)
    const names = new Set(owing.map(({ owner }) => owner))
    return new Map(
      [...names].map((name) => {
        const own = purses.filter(({ owner, wallet }) => owner === name && wallet === 'crossed_margin')
        const figures = own.map((purse) => `${purse.balance.toString()} ${debtOf(this.world, purse).toString()}`)
        return [name, figures.join(' ')]
      }),
    )
  }

  /** After marks have changed, funding, or a delivery. What is left to look at follows a millisecond later. */
  private scan(): void {
    const waits = this.due.some(({ kind }) => kind === 'scan')
    if (liquidateBreached(this.world) && !waits) this.setTimer({ kind: 'scan', at: this.world.at + 1 })
  }

  /** What waits for a mark comes before who is breached by it. */
  private refreshMarks(): void {
    for (const market of refreshMarks(this.world)) activateTriggers(this.world, market)
    this.scan()
  }

  private answer(command: Command): Answer {
    const { world } = this
    switch (command.kind) {
      case 'place':
        return placeOrder(world, command)
      case 'cancel': {
        const order = world.orders.find(({ owner, id }) => owner === command.owner && id === command.id)
        if (order === undefined) return 'order-unknown'
        closeOrder(world, order, 'canceled', 'user')
        return 'accepted'
      }
      case 'plan':
        return this.activated(setPlan(world, command), command.order.market)
      case 'protect':
        return this.activated(setTpsl(world, command), command.market)
      case 'trail':
        return this.activated(setTrail(world, command), command.order.market)
      case 'trail-stop':
        return this.activated(setTrailStop(world, command), command.market)
      case 'change-trailing': {
        const meant = world.triggers.find(({ owner, id }) => owner === command.owner && id === command.id)
        const answer = changeTrailing(world, command)
        return meant === undefined ? answer : this.activated(answer, meant.market.name)
      }
      case 'cancel-trigger': {
        const trigger = world.triggers.find(({ owner, id }) => owner === command.owner && id === command.id)
        if (trigger === undefined) return 'trigger-unknown'
        endTrigger(world, trigger)
        return 'accepted'
      }
      case 'cancel-all': {
        const { owner, margin, market } = command
        const meant = world.orders.filter(
          (order) => order.owner === owner && order.market.name === market && order.margin === margin,
        )
        for (const order of meant.reverse()) closeOrder(world, order, 'canceled', 'user')
        return 'accepted'
      }
      case 'deposit':
      case 'withdraw':
        return moveOutside(world, command)
      case 'transfer':
        return transfer(world, command)
      case 'quote':
        return quote(world, command)
      case 'convert':
        return convert(world, command)
      case 'borrow':
        return borrow(world, command)
      case 'repay':
        return repay(world, command)
      case 'set-leverage':
        return setLeverage(world, command.owner, world.market(command.market), command.leverage, command.hold)
      case 'set-line-leverage':
        return setLineLeverage(world, command.owner, command.line, command.leverage)
      case 'set-margin-mode':
        return setMarginMode(world, command.owner, world.market(command.market), command.marginMode)
      case 'set-hold-mode':
        return setHoldMode(world, command.owner, command.line, command.hedged)
      case 'set-position-margin': {
        const { owner, hold, money } = command
        return setPositionMargin(world, owner, world.market(command.market), hold, money)
      }
      case 'set-auto-margin':
        return setAutoMargin(world, command.owner, world.market(command.market), command.on)
      case 'deliver':
        deliver(world, world.market(command.market), command.price)
        this.scan()
        return 'accepted'
      case 'set-price':
        world.usd.set(command.coin, command.price)
        this.refreshMarks()
        return 'accepted'
      case 'settle-funding': {
        const market = world.market(command.market)
        settleFunding(world, market, runningRate(world, market))
        this.scan()
        return 'accepted'
      }
      case 'run-timers':
        for (let next = this.due[0]; next !== undefined && next.at <= world.at; next = this.due[0]) {
          this.due.shift()
          this.fire(next)
        }
        return 'accepted'
    }
  }

  /** Whatever waits in a market from now on may be due at once. */
  private activated(answer: Answer, market: string): Answer {
    if (answer === 'accepted') activateTriggers(this.world, this.world.market(market))
    return answer
  }

  private fire(timer: Timer): void {
    const { world } = this
    if (timer.kind === 'marks') {
      this.refreshMarks()
      return
    }
    if (timer.kind === 'scan') return this.scan()
    if (timer.kind === 'triggers') return activateTriggers(world, timer.market)
    const { market } = timer
    const samples = samplesOf(world, market)
    const rate = samples.due ?? runningRate(world, market)
    samples.due = undefined
    this.scheduleFunding(market)
    settleFunding(world, market, rate)
    this.scan()
  }

  private scheduleFunding(market: Market): void {
    this.setTimer({ kind: 'funding', at: nextFunding(market, this.world.at), market })
  }

  private setTimer(timer: Timer): void {
    this.due.push(timer)
    this.due.sort((a, b) => a.at - b.at)
  }
}
