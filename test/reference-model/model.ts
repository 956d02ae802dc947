/**
 * The model of the exchange: the rules of risk-engine.md and design.md §4 in exact fractions and plain lists, written for
 * tests alone. It shares nothing with the engine, and nothing in it is clever: every figure is found anew from the state.
 *
 * Left out  changes of what an order carries, brokers, copy traders, daily counts, hybrid accounts, tags and limits of a day of withdrawals, refusals of figures beyond
 *           64 bits
 */
import { finishModeChange, setAccountMode, waitsForMode } from './account-mode.ts'
import { activateTriggers } from './activation.ts'
import { amend, replace } from './amendments.ts'
import type { Answer, Command } from './commands.ts'
import { advance, chooseWallet, sendDeposit, takeBack, withdraw } from './chain.ts'
import { liquidateDebtors } from './collateral.ts'
import { convert, quote } from './conversions.ts'
import { debtOf, nextInterest } from './debts.ts'
import { deliver } from './delivery.ts'
import { closeOrder } from './order-end.ts'
import { flashRepay } from './flash-repay.ts'
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
import { changeTrigger, setPlan, setTpsl } from './triggers.ts'
import { type Timer, World } from './world.ts'

const secondMs = 1_000
const interestEveryMsMax = 60_000

export class Model {
  readonly world: World

  constructor(coins: readonly Coin[], markets: readonly Market[], at: number) {
    this.world = new World(coins, markets)
    this.world.at = at
    this.world.sampledAt = Math.floor(at / sampleMs) * sampleMs
    refreshMarks(this.world)
    for (const market of markets) if (market.kind !== 'spot') this.scheduleFunding(market)
  }

  join(name: string, main: string, unified: boolean): void {
    this.world.accounts.push({ name, main, unified, changing: false, hedged: new Set() })
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
    world.endedTransits = []
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
    this.refreshBySample()
    return answer
  }

  /** A basis that moves is sampled. */
  private refreshBySample(): void {
    const { world } = this
    if (isBasisMoving(world)) this.refreshBy((Math.floor(world.at / sampleMs) + 1) * sampleMs)
  }

  /** Marks are taken anew by then. */
  private refreshBy(at: number): void {
    const { world } = this
    if (world.due.some((timer) => timer.kind === 'marks' && timer.at <= at)) return
    world.dropTimer(({ kind }) => kind === 'marks')
    world.setTimer({ kind: 'marks', at })
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
    const { world } = this
    const waits = world.due.some(({ kind }) => kind === 'scan')
    if (liquidateBreached(world) && !waits) world.setTimer({ kind: 'scan', at: world.at + 1 })
  }

  /** What waits for a mark comes before who is breached by it. */
  private refreshMarks(): void {
    for (const market of refreshMarks(this.world)) activateTriggers(this.world, market)
    this.scan()
  }

  private answer(command: Command): Answer {
    const { world } = this
    if (waitsForMode(world, command)) return 'account-changing-mode'
    switch (command.kind) {
      case 'place':
        return placeOrder(world, command)
      case 'cancel': {
        const order = world.orders.find(({ owner, id }) => owner === command.owner && id === command.id)
        if (order === undefined) return 'order-unknown'
        closeOrder(world, order, 'canceled', 'user')
        return 'accepted'
      }
      case 'amend':
        return amend(world, command)
      case 'replace':
        return replace(world, command)
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
      case 'change-trigger':
        return this.activated(changeTrigger(world, command), command.market)
      case 'cancel-trigger': {
        const trigger = world.triggerOf(command)
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
      case 'send-deposit':
        return sendDeposit(world, command)
      case 'request-withdrawal':
        return withdraw(world, command)
      case 'cancel-withdrawal':
      case 'reject-withdrawal':
        return takeBack(world, command)
      case 'choose-wallet':
        return chooseWallet(world, command)
      case 'quote':
        return quote(world, command)
      case 'convert':
        return convert(world, command)
      case 'borrow':
        return borrow(world, command)
      case 'repay':
        return repay(world, command)
      case 'flash-repay':
        return flashRepay(world, command)
      case 'set-leverage':
        return setLeverage(world, command.owner, world.market(command.market), command.leverage, command.hold)
      case 'set-line-leverage':
        return setLineLeverage(world, command.owner, command.line, command.leverage)
      case 'set-margin-mode':
        return setMarginMode(world, command.owner, world.market(command.market), command.marginMode)
      case 'set-hold-mode':
        return setHoldMode(world, command.owner, command.line, command.hedged)
      case 'set-account-mode':
        return setAccountMode(world, command)
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
        this.refreshBySample()
        return 'accepted'
      case 'settle-funding': {
        const market = world.market(command.market)
        settleFunding(world, market, runningRate(world, market))
        this.scan()
        return 'accepted'
      }
      case 'run-timers':
        for (let next = world.due[0]; next !== undefined && next.at <= world.at; next = world.due[0]) {
          world.due.shift()
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
      // Now, not at the end: of timers that are due at one time the one that was set first comes first.
      this.refreshBySample()
      return
    }
    if (timer.kind === 'scan') return this.scan()
    if (timer.kind === 'interest') {
      const loans = world.purses.flatMap((purse) => purse.loans).length
      nextInterest(world, world.at + Math.min(loans, interestEveryMsMax))
      return this.scan()
    }
    if (timer.kind === 'triggers') return activateTriggers(world, timer.market)
    if (timer.kind === 'mode') return finishModeChange(world, timer.account)
    if (timer.kind === 'transit') return advance(world, timer.transit)
    const { market } = timer
    const samples = samplesOf(world, market)
    const rate = samples.due ?? runningRate(world, market)
    samples.due = undefined
    this.scheduleFunding(market)
    settleFunding(world, market, rate)
    this.scan()
  }

  private scheduleFunding(market: Market): void {
    this.world.setTimer({ kind: 'funding', at: nextFunding(market, this.world.at), market })
  }
}
