/**
 * The exchange itself: commands in, replies and events out. Pure, deterministic, synchronous.
 *
 * Same in   the same commands with the same stamps give the same replies, events and saved bytes, anywhere
 * Never     a clock, randomness, I/O or anything from outside this room
 * Source    design.md §1, §2
 */
import {
  advanceChainTransfer,
  bindAccount,
  borrow,
  convertCoins,
  cancelWithdrawal,
  createAccount,
  createSubAccount,
  depositOrWithdraw,
  finishModeChange,
  freezeAccount,
  flashRepay,
  fundHouse,
  movePosition,
  quoteConversion,
  rejectWithdrawal,
  repay,
  repayDebts,
  requestWithdrawal,
  sendDeposit,
  setAccountMode,
  setAllLeverage,
  setAutoMargin,
  setBroker,
  setCoinLeverage,
  setCollateralType,
  setCopyTrader,
  setDepositWallet,
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
  activateTraded,
  activateTriggers,
  modifyTrailing,
  modifyTrigger,
  placeOrder,
  placePositionTrailing,
  placePositionTriggers,
  placeTrailing,
  placeTrigger,
  replaceOrder,
  reversePosition,
  setCountdown,
} from './orders/orders.ts'
import { prefetch } from './prefetch.ts'
import { catchUp } from './pricing/pricing.ts'
import type { Command, UpgradeRules } from './protocol/command.ts'
import type { Event } from './protocol/event.ts'
import type { Answer, Query, QueryKind } from './protocol/query.ts'
import { done, refused, type Reply } from './protocol/reply.ts'
import { firstRules, isWithin, RulesBeyond, type RulesRange } from './protocol/rules.ts'
import { type Timer, State } from './state/state.ts'
import { decode, encode } from './storage/storage.ts'
import { cancelTrigger, cancelTriggers } from './triggers/triggers.ts'
import {
  checkIndex,
  configurePricing,
  fundingDue,
  listCoin,
  listInstrument,
  refreshMarksNow,
  setCoinChain,
  setCollateral,
  setConversion,
  endGivenPrices,
  setGivenPrices,
  setIndexPrices,
  setInstrument,
  setOrderMinimum,
  setLoanTerms,
  setMarginLevels,
  setRisk,
  settleFundingNow,
} from './venue/venue.ts'
import { answer } from './views/views.ts'

export class Engine {
  /**
   * Which rules these are. Raised with every change of what the engine makes of a command: of a reply, an event or the state. What
   * was carried out by others is not replayed.
   */
  static readonly rules: number = 3
  /** The oldest that are still applied, exactly as they were. */
  static readonly oldestRules: number = firstRules

  static get range(): RulesRange {
    return { oldest: Engine.oldestRules, newest: Engine.rules }
  }

  private readonly state: State

  constructor(emit: (event: Event) => void) {
    this.state = new State(emit)
  }

  /** Sequence of the last command applied. */
  get sequence(): number {
    return this.state.sequence
  }

  /** By which rules the next command is applied. */
  get rules(): number {
    return this.state.rules.number
  }

  /** Stamp of the last command applied. */
  get at(): Millis {
    return this.state.at
  }

  /**
   * Fetches from memory what some of these commands, from a place on, are about to read; answers the place behind them.
   * It may be left out: it changes nothing but the time that they take.
   */
  prefetch(commands: readonly Command[], from: number): number {
    return prefetch(this.state, commands, from)
  }

  /** Applies one command. Throws on a defect, and RulesBeyond; the state is not to be used after that. */
  apply(command: Command, sequence: number, at: Millis): Reply {
    const { state } = this
    if (sequence === 1) assertApplied(command, Engine.range)
    this.skip(sequence, at)
    state.accounts.forgetClientOids(at)
    catchUp(state, at)
    const reply = apply(state, command)
    watchDebtors(state)
    activateTraded(state)
    return reply
  }

  /** Counts the sequence and the time of a command that is passed over, and changes nothing else. */
  skip(sequence: number, at: Millis): void {
    const { state } = this
    assert(sequence === state.sequence + 1, 'commands are applied without a gap')
    assert(at >= state.at, 'time does not go backwards')
    state.sequence = sequence
    state.at = at
  }

  /** Answers from the state as the last command left it. */
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return answer(this.state, query)
  }

  /** When the next timer is due. */
  nextTimerAt(): Millis | undefined {
    return this.state.timers.nextAt()
  }

  /** Canonical bytes of the whole state, in chunks. */
  save(): Uint8Array[] {
    return encode(this.state.save())
  }

  /** From what `save` gave, in its chunks or as one. The chunks are the engine's from then on. Throws RulesBeyond. */
  static load(chunks: readonly Uint8Array[], emit: (event: Event) => void): Engine {
    const engine = new Engine(emit)
    engine.state.load(decode(chunks) as Record<string, unknown>)
    const { number, release } = engine.state.rules
    if (!isWithin(number, Engine.range)) throw new RulesBeyond(number, Engine.range, release)
    return engine
  }
}

/** The first command is applied by the first rules, if it does not say others itself. */
function assertApplied(first: Command, range: RulesRange): void {
  const isOther = first.kind === 'upgrade-rules' && first.rules > firstRules
  if (!isOther && !isWithin(firstRules, range)) throw new RulesBeyond(firstRules, range)
}

/** One branch for each kind of command. */
function apply(state: State, command: Command): Reply {
  switch (command.kind) {
    case 'place-order':
      return placeOrder(state, command)
    case 'amend-order':
      return amendOrder(state, command)
    case 'replace-order':
      return replaceOrder(state, command)
    case 'close-positions':
      return closePositions(state, command)
    case 'reverse-position':
      return reversePosition(state, command)
    case 'set-countdown':
      return setCountdown(state, command)
    case 'cancel-order':
      return cancelOrder(state, command)
    case 'cancel-orders':
      return cancelOrders(state, command)
    case 'place-trigger':
      return placeTrigger(state, command)
    case 'place-position-triggers':
      return placePositionTriggers(state, command)
    case 'modify-trigger':
      return modifyTrigger(state, command)
    case 'place-trailing':
      return placeTrailing(state, command)
    case 'place-position-trailing':
      return placePositionTrailing(state, command)
    case 'modify-trailing':
      return modifyTrailing(state, command)
    case 'cancel-trigger':
      return cancelTrigger(state, command)
    case 'cancel-triggers':
      return cancelTriggers(state, command)
    case 'create-account':
      return createAccount(state, command)
    case 'create-sub-account':
      return createSubAccount(state, command)
    case 'set-sub-account':
      return setSubAccount(state, command)
    case 'freeze-account':
      return freezeAccount(state, command)
    case 'set-account-mode':
      return setAccountMode(state, command)
    case 'set-broker':
      return setBroker(state, command)
    case 'bind-account':
      return bindAccount(state, command)
    case 'set-copy-trader':
      return setCopyTrader(state, command)
    case 'set-collateral-type':
      return setCollateralType(state, command)
    case 'move-position':
      return movePosition(state, command)
    case 'set-stp-mode':
      return setStpMode(state, command)
    case 'list-coin':
      return listCoin(state, command)
    case 'list-instrument':
      return listInstrument(state, command)
    case 'set-instrument':
      return setInstrument(state, command)
    case 'set-order-minimum':
      return setOrderMinimum(state, command)
    case 'set-collateral':
      return setCollateral(state, command)
    case 'set-risk':
      return setRisk(state, command)
    case 'deposit':
    case 'withdraw':
      return depositOrWithdraw(state, command)
    case 'request-withdrawal':
      return requestWithdrawal(state, command)
    case 'cancel-withdrawal':
      return cancelWithdrawal(state, command)
    case 'reject-withdrawal':
      return rejectWithdrawal(state, command)
    case 'send-deposit':
      return sendDeposit(state, command)
    case 'set-deposit-wallet':
      return setDepositWallet(state, command)
    case 'set-coin-chain':
      return setCoinChain(state, command)
    case 'fund-house':
      return fundHouse(state, command)
    case 'set-index-prices':
      return setIndexPrices(state, command)
    case 'set-given-prices':
      return setGivenPrices(state, command)
    case 'transfer':
      return transfer(state, command)
    case 'borrow':
      return borrow(state, command)
    case 'repay':
      return repay(state, command)
    case 'repay-debts':
      return repayDebts(state, command)
    case 'flash-repay':
      return flashRepay(state, command)
    case 'quote-conversion':
      return quoteConversion(state, command)
    case 'convert-coins':
      return convertCoins(state, command)
    case 'set-conversion':
      return setConversion(state, command)
    case 'set-coin-leverage':
      return setCoinLeverage(state, command)
    case 'set-loan-terms':
      return setLoanTerms(state, command)
    case 'set-margin-levels':
      return setMarginLevels(state, command)
    case 'set-leverage':
      return setLeverage(state, command)
    case 'set-side-leverages':
      return setSideLeverages(state, command)
    case 'set-all-leverage':
      return setAllLeverage(state, command)
    case 'set-margin-mode':
      return setMarginMode(state, command)
    case 'set-hold-mode':
      return setHoldMode(state, command)
    case 'settle-funding':
      return settleFundingNow(state, command.instrument)
    case 'set-position-margin':
      return setPositionMargin(state, command)
    case 'set-auto-margin':
      return setAutoMargin(state, command)
    case 'deliver':
      return deliver(state, command)
    case 'run-timers':
      return runTimers(state)
    case 'configure-venue':
      state.settings.dailyOrdersRestriction = command.dailyOrdersRestriction
      return done
    case 'limit-withdrawals':
      state.settings.withdrawnUsdPerDayMax = command.usdPerDayMax
      return done
    case 'configure-pricing':
      return configurePricing(state, command)
    case 'record-key-change':
      return state.accounts.byUid(command.uid) === undefined ? refused({ kind: 'account-unknown' }) : done
    case 'upgrade-rules':
      return upgradeRules(state, command)
    default:
      return unreachable(command)
  }
}

function upgradeRules(state: State, { rules, release }: UpgradeRules): Reply {
  if (rules <= state.rules.number) return done
  if (!isWithin(rules, Engine.range)) throw new RulesBeyond(rules, Engine.range, release)
  state.rules = { number: rules, release }
  return done
}

/** Runs every timer that is due, in order; those that they set for now as well. */
function runTimers(state: State): Reply {
  for (let next = state.timers.take(state.at); next !== undefined; next = state.timers.take(state.at)) {
    runTimer(state, next.timer, next.at)
  }
  return done
}

function runTimer(state: State, timer: Timer, dueAt: Millis): void {
  switch (timer.kind) {
    case 'finish-mode-change':
      return finishModeChange(state, timer.account)
    case 'scan-risk':
      return scanRisk(state, timer.instruments)
    case 'settle-funding':
      return fundingDue(state, timer.instrument, dueAt)
    case 'accrue-interest':
      accrueInterest(state)
      // An account that owes more now may owe too much.
      return scanRisk(state, [])
    case 'watch-debtors':
      state.debtors.timed = false
      return
    case 'refresh-marks':
      return refreshMarksNow(state)
    case 'check-index':
      return checkIndex(state)
    case 'end-given-prices':
      return endGivenPrices(state)
    case 'fire-triggers':
      return activateTriggers(state, timer.instrument)
    case 'advance-chain-transfer':
      return advanceChainTransfer(state, timer.id, dueAt)
    case 'cancel-all':
      return cancelAfterCountdown(state, timer.account)
    default:
      return unreachable(timer)
  }
}

function unreachable(never: never): never {
  throw new Error(`not a command of this venue: ${JSON.stringify(never)}`)
}
