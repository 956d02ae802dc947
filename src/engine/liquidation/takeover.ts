/**
 * What the book does not take of a liquidated position: the insurance fund takes it at the bankruptcy price, or, when the
 * fund is empty or has lost too much, counterparties are deleveraged.
 *
 * Starts    the fund is empty, or has lost 30 % from its highest; ends when it is back at 90 % of that (risk-engine §15)
 * Order     profit in per cent times effective leverage (divided by it when losing), then the older position, then uid
 * Price     the bankrupt account's bankruptcy price; it pays its closing fee, the counterparty none
 * Fund      has an account of its own; what its positions earn or lose is the insurance fund's
 */
import type { AccountHandle } from '../accounts/accounts.ts'
import type { CoinId, FuturesInstrument } from '../catalog/catalog.ts'
import type { PositionSide } from '../command.ts'
import {
  bankruptcyPrice,
  insure,
  entryPriceE8,
  type Exposure,
  type Position,
  positionOf,
  unrealizedPnl,
} from '../futures/futures.ts'
import { amount, type Lots, rate, rateOne, type Ticks } from '../numbers/numbers.ts'
import { endOrder, fillForced } from '../orders/orders.ts'
import type { Venue } from '../venue.ts'
import { poolsOf, standingOf } from './equity.ts'

const startShare = 70n
const endShare = 90n

export function handOver(venue: Venue, exposure: Exposure, side: PositionSide, quantity: Lots, price: Ticks): void {
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  venue.liquidation.handedOver = true
  if (isDeleveraging(venue, settle)) deleverage(venue, exposure, side, quantity, price)
  else takeOver(venue, exposure, side, quantity, price)
}

function isDeleveraging(venue: Venue, coin: CoinId): boolean {
  const state = venue.liquidation
  while (state.peaks.length <= coin) {
    state.peaks.push(amount(0n))
    state.deleveraging.push(false)
  }
  const balance = venue.ledger.houseBalance('insurance', coin)
  if (balance > state.peaks[coin]) state.peaks[coin] = balance
  const share = state.deleveraging[coin] ? endShare : startShare
  state.deleveraging[coin] = balance <= 0n || balance * 100n < state.peaks[coin] * share
  return state.deleveraging[coin]
}

function takeOver(venue: Venue, exposure: Exposure, side: PositionSide, quantity: Lots, price: Ticks): void {
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  const matchId = venue.counters.match++
  const shared = { quantity, price, matchId }
  fillForced(venue, {
    ...shared,
    exposure,
    side,
    effect: 'close',
    feeRate: instrument.takerFeeRate,
    cause: 'liquidation',
    scope: 'taker',
  })
  const fund = venue.futures.findOrNew(fundAccount(venue), fundWallet(instrument), instrument)
  fundSide(venue, fund, side, { ...shared, cause: 'liquidation' })
  sweepFund(venue, fund, instrument)
}

/** The fund nets what it holds against what it takes over. */
function fundSide(
  venue: Venue,
  fund: Exposure,
  side: PositionSide,
  fill: { quantity: Lots; price: Ticks; matchId: number; cause: 'liquidation' },
): void {
  const opposite: PositionSide = side === 'long' ? 'short' : 'long'
  const closing = Math.min(fill.quantity, positionOf(fund, opposite)?.quantity ?? 0) as Lots
  const rest = (fill.quantity - closing) as Lots
  const shared = { ...fill, exposure: fund, feeRate: rate(0n), scope: 'maker' } as const
  if (closing > 0) fillForced(venue, { ...shared, side: opposite, effect: 'close', quantity: closing })
  if (rest > 0) fillForced(venue, { ...shared, side, effect: 'open', quantity: rest })
}

/** What the fund's account has is the insurance fund's. */
function sweepFund(venue: Venue, fund: Exposure, instrument: FuturesInstrument): void {
  const slot = venue.ledger.slot(fund.account, fund.wallet, instrument.settle)
  insure(venue, slot, amount(-venue.ledger.balanceOf(slot)))
}

function fundAccount(venue: Venue): AccountHandle {
  if (venue.liquidation.fund === 0) {
    venue.liquidation.fund = venue.accounts.create('main', undefined, 'classic', 'insurance fund', venue.at).handle
  }
  return venue.liquidation.fund
}

function fundWallet({ category }: FuturesInstrument) {
  return category === 'USDT-FUTURES' ? 'usdt_futures' : category === 'COIN-FUTURES' ? 'coin_futures' : 'usdc_futures'
}

interface Candidate {
  readonly exposure: Exposure
  readonly position: Position
  readonly score: bigint
  readonly uid: number
}

function deleverage(venue: Venue, exposure: Exposure, side: PositionSide, quantity: Lots, price: Ticks): void {
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  let left: number = quantity
  for (const { exposure: other, position } of rankedAgainst(venue, exposure, side)) {
    if (left === 0) return
    const take = Math.min(left, position.quantity) as Lots
    if (take === 0) continue
    cancelReducing(venue, other, position.side)
    const matchId = venue.counters.match++
    const shared = { effect: 'close', quantity: take, price, matchId, cause: 'adl' } as const
    fillForced(venue, { ...shared, exposure, side, feeRate: instrument.takerFeeRate, scope: 'taker' })
    fillForced(venue, { ...shared, exposure: other, side: position.side, feeRate: rate(0n), scope: 'maker' })
    left -= take
  }
  if (left > 0) takeOver(venue, exposure, side, left as Lots, price)
}

/** Positions on the other side of the contract, the first to be deleveraged first. */
export function rankedAgainst(venue: Venue, exposure: Exposure, side: PositionSide): Candidate[] {
  const opposite: PositionSide = side === 'long' ? 'short' : 'long'
  const candidates: Candidate[] = []
  for (const other of venue.futures.ofInstrument(exposure.instrument)) {
    const position = positionOf(other, opposite)
    if (position === undefined || other.account === exposure.account) continue
    const score = scoreOf(venue, other, position)
    candidates.push({ exposure: other, position, score, uid: venue.accounts.byHandle(other.account).uid })
  }
  return candidates.sort((a, b) => {
    if (a.score !== b.score) return a.score > b.score ? -1 : 1
    return a.position.id - b.position.id || a.uid - b.uid
  })
}

/** pnl% × effLev when winning, pnl% / effLev when losing, 1e-12; effLev = mark / |mark − bankruptcy price|. */
function scoreOf(venue: Venue, exposure: Exposure, position: Position): bigint {
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  const scale = venue.scale(instrument.id)
  const mark = BigInt(venue.prices.markPrice(instrument.id))
  const entry = entryPriceE8(scale, position)
  const markE8 = mark * scale.tickE8
  const gain = entry === 0n ? 0n : ((markE8 - entry) * rateOne) / entry
  const pnl = position.side === 'long' ? gain : -gain
  const bankrupt = BigInt(bankruptcyPrice(instrument, scale, position, backingOf(venue, exposure, position)))
  const distance = mark > bankrupt ? mark - bankrupt : bankrupt - mark
  if (distance === 0n) return pnl > 0n ? pnl * mark : 0n
  return pnl > 0n ? (pnl * mark) / distance : (pnl * distance) / mark
}

/** What stands behind a position besides its own PnL. */
function backingOf(venue: Venue, exposure: Exposure, position: Position): bigint {
  if (exposure.marginMode === 'isolated') return position.margin
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  const pool = poolsOf(venue, exposure.account).find(
    (one) => one.side === undefined && one.wallet === exposure.wallet && one.coin === settle,
  )
  if (pool === undefined) return 0n
  const mark = venue.prices.markPrice(exposure.instrument)
  const pnl = unrealizedPnl(venue.scale(exposure.instrument), position, mark)
  return standingOf(venue, pool).equity / rateOne - pnl
}

function cancelReducing(venue: Venue, exposure: Exposure, side: PositionSide): void {
  const { orders } = venue
  for (const row of orders.of(venue.accounts.byHandle(exposure.account).firstOrder)) {
    if (orders.instrument[row] !== exposure.instrument || orders.walletOf(row) !== exposure.wallet) continue
    if (orders.onlyReduces(row) && orders.reducedSide(row) === side) endOrder(venue, row, 'canceled', 'system')
  }
}
