/**
 * Whether a position may move between two accounts of a family.
 *
 * Both      are unified and trade; neither has an open order in the contract
 * Giver     can pay what is lost
 * Taker     has the initial margin at its own leverage and tier. In one-way mode it has no position against it
 * Source    wire/v3-endpoints.md §3 `move-positions`; risk-engine.md §6, §11
 */
import { type FuturesInstrument, initialMarginOf, isFutures } from '../catalog/catalog.ts'
import {
  marginAccountAvailable,
  accountMargin,
  marginAccountTransferable,
  isHedged,
  refuseOneMorePosition,
  tierLeverageMax,
} from '../margin/margin.ts'
import { amount, type Amount, cappedAmount, divFloor, type Lots, maxAmount, zero } from '../numbers/numbers.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { MovePosition } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { tradingWallet } from '../records/records.ts'
import {
  type Account,
  type Exposure,
  leverageOf,
  type Position,
  positionOf,
  positionQuantity,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'

const wallet = 'uta'

interface Move {
  readonly instrument: FuturesInstrument
  readonly giver: Exposure
  readonly taker: Exposure
}

/** The two sides of a move. Refusals of who may come before those of the contract, the giver and the taker. */
export function planMove(reading: Reading, command: MovePosition): Move | Refusal {
  const { accounts } = reading
  const actor = accounts.byUid(command.actorUid)
  const from = accounts.byUid(command.fromUid)
  const to = accounts.byUid(command.toUid)
  if (actor === undefined) return { kind: 'account-unknown' }
  const related = from?.main === actor.handle && to?.main === actor.handle
  if (actor.kind !== 'main' || from === undefined || to === undefined || !related) return { kind: 'transfer-unrelated' }
  if (from.handle === to.handle) return { kind: 'transfer-same-place' }
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  for (const account of [from, to]) {
    const refusal = refuseTrading(account, instrument)
    if (refusal !== undefined) return refusal
  }
  if (instrument.status !== 'online') return { kind: 'instrument-closed', status: instrument.status }
  if (isHalted(reading, instrument.id)) return { kind: 'index-stale' }
  const giver = reading.futures.findOrNew(from.handle, wallet, instrument)
  const taker = reading.futures.findOrNew(to.handle, wallet, instrument)
  const refusal =
    refuseOrders(giver) ??
    refuseOrders(taker) ??
    refuseGiving(reading, instrument, giver, command) ??
    refuseTaking(reading, instrument, to, taker, command)
  return refusal ?? { instrument, giver, taker }
}

function refuseTrading(account: Account, instrument: FuturesInstrument): Refusal | undefined {
  if (account.frozen) return { kind: 'account-frozen' }
  const trades = tradingWallet(account, 'v3', instrument.category)
  if (trades === 'changing') return { kind: 'account-changing-mode' }
  return trades === wallet ? undefined : { kind: 'account-mode-unsuitable' }
}

/** What orders hold, reduce or occupy depends on the position that is about to change. */
function refuseOrders({ buyQuantity, sellQuantity, closingLong, closingShort }: Exposure): Refusal | undefined {
  const open = buyQuantity + sellQuantity + closingLong + closingShort
  return open > 0 ? { kind: 'account-not-flat', what: 'orders' } : undefined
}

function refuseGiving(
  reading: Reading,
  instrument: FuturesInstrument,
  giver: Exposure,
  { side, quantity }: MovePosition,
): Refusal | undefined {
  const position = positionOf(giver, side)
  if (position === undefined) return { kind: 'nothing-to-reduce' }
  if (quantity <= 0 || quantity > position.quantity) return { kind: 'insufficient-position', free: position.quantity }
  // What has to be liquidated is not moved out of its way.
  if (giver.marginMode === 'cross') {
    const { equity, maintenance } = accountMargin(reading, giver.account, wallet, instrument.settle)
    if (equity <= maintenance) return shortOf(cappedAmount(maintenance), cappedAmount(equity))
  }
  const won = partOf(
    position,
    quantity,
    unrealizedPnl(reading.scale(instrument.id), position, markOf(reading, instrument)),
  )
  const backing =
    giver.marginMode === 'cross'
      ? reading.ledger.freeOf(reading.ledger.find(giver.account, wallet, instrument.settle))
      : partOf(position, quantity, position.margin)
  return won + backing < 0n ? shortOf(amount(-won), backing) : undefined
}

function refuseTaking(
  reading: Reading,
  instrument: FuturesInstrument,
  to: Account,
  taker: Exposure,
  { side, quantity }: MovePosition,
): Refusal | undefined {
  if (to.copyTrader !== undefined && !to.copyTrader.includes(instrument.id)) return { kind: 'instrument-not-announced' }
  const hedged = isHedged(reading, taker)
  const opposite = positionQuantity(taker, side === 'long' ? 'short' : 'long')
  if (!hedged && opposite > 0) return { kind: 'opposite-position' }
  const scale = reading.scale(instrument.id)
  const mark = markOf(reading, instrument)
  const leverage = leverageOf(taker, side, hedged)
  const after = (positionQuantity(taker, side) + quantity) as Lots
  if (leverage > tierLeverageMax(instrument, scale, after, mark)) {
    return { kind: 'position-tier-exceeded', notionalMax: instrument.tiers.at(-1)?.to ?? zero }
  }
  const oneMore = positionQuantity(taker, side) === 0 ? refuseOneMorePosition(reading, taker.account) : undefined
  if (oneMore !== undefined) return oneMore
  const required = initialMarginOf(scale, quantity, mark, leverage)
  const available = marginAccountAvailable(reading, taker.account, wallet, instrument.settle)
  if (required > available) return shortOf(required, available)
  // Isolated margin comes out of the contract's own coin.
  const apart = marginAccountTransferable(reading, taker.account, wallet, instrument.settle)
  return taker.marginMode === 'isolated' && required > apart ? shortOf(required, apart) : undefined
}

function markOf(reading: Reading, instrument: FuturesInstrument) {
  return reading.prices.markPrice(instrument.id)
}

/** The share of some lots in what the whole position has, rounded down. */
function partOf(position: Position, quantity: Lots, units: Amount): Amount {
  return amount(divFloor(units * BigInt(quantity), BigInt(position.quantity)))
}

function shortOf(required: Amount, available: Amount): Refusal {
  return { kind: 'insufficient-margin', required, available: maxAmount(zero, available) }
}
