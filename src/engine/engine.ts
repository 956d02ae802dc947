/**
 * The exchange itself: commands in, replies and events out. Pure, deterministic, synchronous.
 *
 * Same in   the same commands with the same stamps give the same replies, events and saved bytes, anywhere
 * Never     a clock, randomness, I/O or anything from outside this room
 * Source    design.md §1, §2
 */
import {
  bindAccount,
  borrow,
  createAccount,
  createSubAccount,
  depositOrWithdraw,
  finishModeChange,
  fundHouse,
  movePosition,
  repay,
  repayDebts,
  setAccountMode,
  setAllLeverage,
  setAutoMargin,
  setBroker,
  setCoinLeverage,
  setCollateralType,
  setCopyTrader,
  setHoldMode,
  setLeverage,
  setMarginMode,
  setPositionMargin,
  setSideLeverages,
  setStpMode,
  setSubAccount,
  transfer,
} from './accounts/accounts.ts'
import { deliver, scanRisk, watchDebtors } from './liquidation/liquidation.ts'
import { accrueInterest } from './loans/loans.ts'
import { assert, type Millis } from './numbers/numbers.ts'
import {
  amendOrder,
  cancelAfterCountdown,
  cancelOrder,
  cancelOrders,
  closePositions,
  fireTraded,
  fireTriggers,
  modifyTrigger,
  placeOrder,
  placePositionTriggers,
  placeTrigger,
  replaceOrder,
  reversePosition,
  setCountdown,
} from './orders/orders.ts'
import { prefetch } from './prefetch.ts'
import { catchUp } from './pricing/pricing.ts'
import type { Command } from './protocol/command.ts'
import type { Event } from './protocol/event.ts'
import type { Answer, Query, QueryKind } from './protocol/query.ts'
import { done, refused, type Reply } from './protocol/reply.ts'
import { type Timer, Venue } from './state/state.ts'
import { decode, encode } from './storage/storage.ts'
import { cancelTrigger, cancelTriggers } from './triggers/triggers.ts'
import {
  checkIndex,
  configurePricing,
  fundingDue,
  listCoin,
  listInstrument,
  refreshMarksNow,
  setCollateral,
  setIndexPrices,
  setInstrument,
  setLoanTerms,
  setMarginLevels,
  setRisk,
  settleFundingNow,
} from './venue/venue.ts'
import { answer } from './views/views.ts'

export class Engine {
  private readonly venue: Venue

  constructor(emit: (event: Event) => void) {
    this.venue = new Venue(emit)
  }

  /** Sequence of the last command applied. */
  get sequence(): number {
    return this.venue.sequence
  }

  /** Stamp of the last command applied. */
  get at(): Millis {
    return this.venue.at
  }

  /**
   * Fetches from memory what some of these commands, from a place on, are about to look at; answers the place behind them. May be
   * left out: it changes nothing but the time that they take.
   */
  prefetch(commands: readonly Command[], from: number): number {
    return prefetch(this.venue, commands, from)
  }

  /** Applies one command. Throws only on a defect; the state is not to be used after that. */
  apply(command: Command, sequence: number, at: Millis): Reply {
    this.skip(sequence, at)
    const { venue } = this
    venue.accounts.forgetClientOids(at)
    catchUp(venue, at)
    const reply = apply(venue, command)
    watchDebtors(venue)
    fireTraded(venue)
    return reply
  }

  /** Counts the sequence and the time of a command that is passed over, and changes nothing else. */
  skip(sequence: number, at: Millis): void {
    const { venue } = this
    assert(sequence === venue.sequence + 1, 'commands are applied without a gap')
    assert(at >= venue.at, 'time does not go backwards')
    venue.sequence = sequence
    venue.at = at
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return answer(this.venue, query)
  }

  /** When the next timer is due. */
  nextTimerAt(): Millis | undefined {
    return this.venue.timers.nextAt()
  }

  /** Canonical bytes of the whole state, in chunks. */
  save(): Uint8Array[] {
    return encode(this.venue.save())
  }

  /** From what `save` gave, in its chunks or as one. The chunks are the engine's from then on. */
  static load(chunks: readonly Uint8Array[], emit: (event: Event) => void): Engine {
    const engine = new Engine(emit)
    engine.venue.load(decode(chunks) as Record<string, unknown>)
    return engine
  }
}

/** Every branch of the house. */
function apply(venue: Venue, command: Command): Reply {
  switch (command.kind) {
    case 'place-order':
      return placeOrder(venue, command)
    case 'amend-order':
      return amendOrder(venue, command)
    case 'replace-order':
      return replaceOrder(venue, command)
    case 'close-positions':
      return closePositions(venue, command)
    case 'reverse-position':
      return reversePosition(venue, command)
    case 'set-countdown':
      return setCountdown(venue, command)
    case 'cancel-order':
      return cancelOrder(venue, command)
    case 'cancel-orders':
      return cancelOrders(venue, command)
    case 'place-trigger':
      return placeTrigger(venue, command)
    case 'place-position-triggers':
      return placePositionTriggers(venue, command)
    case 'modify-trigger':
      return modifyTrigger(venue, command)
    case 'cancel-trigger':
      return cancelTrigger(venue, command)
    case 'cancel-triggers':
      return cancelTriggers(venue, command)
    case 'create-account':
      return createAccount(venue, command)
    case 'create-sub-account':
      return createSubAccount(venue, command)
    case 'set-sub-account':
      return setSubAccount(venue, command)
    case 'set-account-mode':
      return setAccountMode(venue, command)
    case 'set-broker':
      return setBroker(venue, command)
    case 'bind-account':
      return bindAccount(venue, command)
    case 'set-copy-trader':
      return setCopyTrader(venue, command)
    case 'set-collateral-type':
      return setCollateralType(venue, command)
    case 'move-position':
      return movePosition(venue, command)
    case 'set-stp-mode':
      return setStpMode(venue, command)
    case 'list-coin':
      return listCoin(venue, command)
    case 'list-instrument':
      return listInstrument(venue, command)
    case 'set-instrument':
      return setInstrument(venue, command)
    case 'set-collateral':
      return setCollateral(venue, command)
    case 'set-risk':
      return setRisk(venue, command)
    case 'deposit':
    case 'withdraw':
      return depositOrWithdraw(venue, command)
    case 'fund-house':
      return fundHouse(venue, command)
    case 'set-index-prices':
      return setIndexPrices(venue, command)
    case 'transfer':
      return transfer(venue, command)
    case 'borrow':
      return borrow(venue, command)
    case 'repay':
      return repay(venue, command)
    case 'repay-debts':
      return repayDebts(venue, command)
    case 'set-coin-leverage':
      return setCoinLeverage(venue, command)
    case 'set-loan-terms':
      return setLoanTerms(venue, command)
    case 'set-margin-levels':
      return setMarginLevels(venue, command)
    case 'set-leverage':
      return setLeverage(venue, command)
    case 'set-side-leverages':
      return setSideLeverages(venue, command)
    case 'set-all-leverage':
      return setAllLeverage(venue, command)
    case 'set-margin-mode':
      return setMarginMode(venue, command)
    case 'set-hold-mode':
      return setHoldMode(venue, command)
    case 'settle-funding':
      return settleFundingNow(venue, command.instrument)
    case 'set-position-margin':
      return setPositionMargin(venue, command)
    case 'set-auto-margin':
      return setAutoMargin(venue, command)
    case 'deliver':
      return deliver(venue, command)
    case 'run-timers':
      return runTimers(venue)
    case 'configure-venue':
      venue.settings.dailyOrdersRestriction = command.dailyOrdersRestriction
      return done
    case 'configure-pricing':
      return configurePricing(venue, command)
    case 'record-key-change':
      return venue.accounts.byUid(command.uid) === undefined ? refused({ kind: 'account-unknown' }) : done
    default:
      return unreachable(command)
  }
}

function runTimers(venue: Venue): Reply {
  for (let next = venue.timers.take(venue.at); next !== undefined; next = venue.timers.take(venue.at)) {
    fire(venue, next.timer, next.at)
  }
  return done
}

function fire(venue: Venue, timer: Timer, dueAt: Millis): void {
  switch (timer.kind) {
    case 'finish-mode-change':
      return finishModeChange(venue, timer.account)
    case 'scan-risk':
      return scanRisk(venue, timer.instruments)
    case 'settle-funding':
      return fundingDue(venue, timer.instrument, dueAt)
    case 'accrue-interest':
      accrueInterest(venue)
      // Whoever owes more now may owe too much.
      return scanRisk(venue, [])
    case 'watch-debtors':
      venue.debtors.timed = false
      return
    case 'refresh-marks':
      return refreshMarksNow(venue)
    case 'check-index':
      return checkIndex(venue)
    case 'fire-triggers':
      return fireTriggers(venue, timer.instrument)
    case 'cancel-all':
      return cancelAfterCountdown(venue, timer.account)
    default:
      return unreachable(timer)
  }
}

function unreachable(never: never): never {
  throw new Error(`not a command of this venue: ${JSON.stringify(never)}`)
}
