/**
 * What the book does not take of a liquidated position: the insurance fund takes it, or counterparties are deleveraged.
 *
 * Which     of the two: liquidation-rules/deleveraging.ts
 * Order     of counterparties: liquidation-rules/adl-ranking.ts
 * Price     the bankrupt account's bankruptcy price; it pays its closing fee, the counterparty none
 * Fund      has an account of its own; what its positions earn or lose is the insurance fund's
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { insure } from '../ledger-postings/ledger-postings.ts'
import { fundWallet, isDeleveraging } from '../liquidation-rules/liquidation-rules.ts'
import { amount, type Lots, rate, type Ticks } from '../numbers/numbers.ts'
import { fillForced } from '../orders/orders.ts'
import { type Exposure, positionOf, type State } from '../state/state.ts'
import type { AccountHandle, PositionSide } from '../vocabulary.ts'
import { queueAgainst } from './adl-queue.ts'

/** What is to be closed of a position: offered to the book first; the rest is taken over. */
export interface Leftover {
  readonly exposure: Exposure
  readonly side: PositionSide
  readonly quantity: Lots
  /** The price at which it changes hands. */
  readonly price: Ticks
  /** The cause in the bankrupt account's record, whether the fund or a counterparty takes the position. */
  readonly cause: 'reduce' | 'liquidation'
}

/** Takes over what is left of a position. Answers false when it has to be tried again with the next command. */
export function takeOver(state: State, leftover: Leftover): boolean {
  const { settle } = state.instrument(leftover.exposure.instrument) as FuturesInstrument
  const { deleveraging } = state.liquidation
  while (deleveraging.length <= settle) deleveraging.push(false)
  deleveraging[settle] = isDeleveraging(state, settle)
  if (deleveraging[settle]) return deleverage(state, leftover)
  takeOverByFund(state, leftover)
  return true
}

function takeOverByFund(state: State, { exposure, side, quantity, price, cause }: Leftover): void {
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const matchId = state.counters.match++
  const shared = { quantity, price, matchId }
  fillForced(state, {
    ...shared,
    exposure,
    side,
    effect: 'close',
    feeRate: instrument.takerFeeRate,
    cause,
    scope: 'taker',
  })
  const fund = state.futures.findOrNew(fundAccount(state), fundWallet(instrument), instrument)
  fundSide(state, fund, side, { ...shared, cause: 'liquidation' })
  sweepFund(state, fund, instrument)
}

/** The fund nets what it holds against what it takes over. */
function fundSide(
  state: State,
  fund: Exposure,
  side: PositionSide,
  fill: { quantity: Lots; price: Ticks; matchId: number; cause: 'liquidation' },
): void {
  const opposite: PositionSide = side === 'long' ? 'short' : 'long'
  const closing = Math.min(fill.quantity, positionOf(fund, opposite)?.quantity ?? 0) as Lots
  const rest = (fill.quantity - closing) as Lots
  const shared = { ...fill, exposure: fund, feeRate: rate(0n), scope: 'maker' } as const
  if (closing > 0) fillForced(state, { ...shared, side: opposite, effect: 'close', quantity: closing })
  if (rest > 0) fillForced(state, { ...shared, side, effect: 'open', quantity: rest })
}

/** What the fund's account has is the insurance fund's. */
function sweepFund(state: State, fund: Exposure, instrument: FuturesInstrument): void {
  const slot = state.ledger.slot(fund.account, fund.wallet, instrument.settle)
  insure(state, slot, amount(-state.ledger.balanceOf(slot)), { instrument: instrument.id })
}

/** The account of the fund, made when it is first needed. */
function fundAccount(state: State): AccountHandle {
  if (state.liquidation.fund === 0) {
    state.liquidation.fund = state.accounts.create(
      'main',
      undefined,
      'classic',
      { name: 'insurance fund' },
      state.at,
    ).handle
  }
  return state.liquidation.fund
}

/** Takes from the queue of the other side. Answers whether it could: a long queue is ranked in several commands. */
function deleverage(state: State, leftover: Leftover): boolean {
  const { exposure, side, quantity, price, cause } = leftover
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const opposite: PositionSide = side === 'long' ? 'short' : 'long'
  const queue = queueAgainst(state, instrument.id, opposite)
  if (queue === undefined) return false
  let left: number = quantity
  for (const other of queue) {
    if (left === 0) return true
    const open = other.account === exposure.account ? undefined : positionOf(other, opposite)
    if (open === undefined || open.quantity === 0) continue
    const take = Math.min(left, open.quantity) as Lots
    const matchId = state.counters.match++
    const shared = { effect: 'close', quantity: take, price, matchId } as const
    fillForced(state, { ...shared, exposure, side, feeRate: instrument.takerFeeRate, cause, scope: 'taker' })
    fillForced(state, { ...shared, exposure: other, side: opposite, feeRate: rate(0n), cause: 'adl', scope: 'maker' })
    if (other.account === state.liquidation.fund) sweepFund(state, other, instrument)
    left -= take
  }
  if (left > 0) takeOverByFund(state, { ...leftover, quantity: left as Lots })
  return true
}
