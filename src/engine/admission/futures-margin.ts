/**
 * Tier, leverage and margin of a futures order that may open.
 *
 * Cross      its hold must fit into what the margin account has available
 * Isolated   it may lose no more at once than its initial margin, and the wallet has to pay for the fills of its match
 * Source     interface.md E2 rule 5; risk-engine.md §3, §7, §11
 */
import { feeOf, type FuturesInstrument, initialMarginOf } from '../catalog/catalog.ts'
import {
  marginAccountAvailable,
  marginAccountTransferable,
  isHedged,
  canHold,
  orderHold,
  refuseOneMorePosition,
  requiredHold,
  sideHold,
  tierLeverageMax,
} from '../margin/margin.ts'
import { type Amount, amount, type Lots, maxAmount, type Ticks, zero } from '../numbers/numbers.ts'
import type { Refusal } from '../protocol/reply.ts'
import {
  type Exposure,
  openingQuantity,
  positionOf,
  positionQuantity,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import type { ProposedFill } from './admitted.ts'
import { refuseOversize } from './checks.ts'
import type { OrderIntake } from './intake.ts'
import { worstLoss } from './solvency.ts'

export const nothingHeld = { hold: zero }

/**
 * The margin that an opening order holds, in units of the settlement coin. A market order counts what it will trade, at
 * its worst price.
 * Refusals in order: tier, size, number of positions, margin
 */
export function admitMargin(
  reading: Reading,
  { instrument, scale, command }: OrderIntake<FuturesInstrument>,
  exposure: Exposure,
  proposed: ProposedFill,
): { readonly hold: Amount } | Refusal {
  const { match } = proposed
  const market = command.orderType === 'market'
  if (market && match.filled === 0) return nothingHeld
  const order = {
    long: proposed.buy,
    quantity: proposed.quantity as Lots,
    price: proposed.limit as Ticks,
    leverage: proposed.leverage,
  }
  const mark = reading.prices.markPrice(instrument.id)
  const priced = market ? { ...order, quantity: match.filled as Lots, price: match.worstPrice as Ticks } : order
  const side = order.long ? 'buy' : 'sell'
  const opening = openingQuantity(exposure, side) + priced.quantity
  const held = positionQuantity(exposure, order.long ? 'long' : 'short')
  const reducible = proposed.hedged ? 0 : positionQuantity(exposure, order.long ? 'short' : 'long')
  const after = held + Math.max(0, opening - reducible)
  if (after > held && order.leverage > tierLeverageMax(instrument, scale, after as Lots, mark)) {
    return { kind: 'position-tier-exceeded', notionalMax: instrument.tiers.at(-1)?.to ?? zero }
  }
  const oversize = refuseOversize(reading, instrument, proposed.scale, command, (held + opening) as Lots)
  if (after > held && oversize !== undefined) return oversize
  const oneMore = held === 0 && reducible === 0 ? refuseOneMorePosition(reading, exposure.account) : undefined
  if (oneMore !== undefined) return oneMore
  const hold = orderHold(reading, instrument, priced)
  const grown = sideHold(exposure, side, proposed.hedged, priced.quantity, hold)
  const required = amount(grown + sideHold(exposure, order.long ? 'sell' : 'buy', proposed.hedged) - exposure.held)
  // Isolated margin is set apart in the settlement coin, whatever other coins a unified wallet has.
  const most = exposure.marginMode === 'isolated' ? marginAccountTransferable : marginAccountAvailable
  const available = most(reading, exposure.account, exposure.wallet, instrument.settle)
  const fits =
    (required <= 0n || required <= available) &&
    canHold(reading, exposure, hold) &&
    (exposure.marginMode !== 'isolated' || maySetApart(reading, instrument, exposure, proposed))
  return fits ? { hold } : { kind: 'insufficient-margin', required, available: maxAmount(zero, available) }
}

/**
 * Whether an isolated order starts a position with equity left, and the wallet has what its fills take. A sell that meets
 * dearer bids takes more margin than it holds at its own price.
 */
function maySetApart(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  proposed: ProposedFill,
): boolean {
  const { leverage, scale } = proposed
  const opening = (proposed.quantity - proposed.closing) as Lots
  if (opening === 0) return true
  const loss = worstLoss(reading, instrument, { ...proposed, quantity: opening }, opening)
  if (loss > 0n && loss > initialMarginOf(scale, opening, proposed.limit as Ticks, leverage)) return false
  const atOnce = Math.min(proposed.match.filled, proposed.quantity) - proposed.closing
  if (atOnce <= 0) return true
  // Of all prices of the match the dearest takes the most margin of a linear contract, the cheapest of an inverse one.
  const first = proposed.match.prices[proposed.match.reasons.indexOf('')]
  const worst = proposed.match.worstPrice
  const price = (scale.inverse ? Math.min(first, worst) : Math.max(first, worst)) as Ticks
  const taken = atOnce as Lots
  const need =
    initialMarginOf(scale, taken, price, leverage) + feeOf(scale, taken, price, instrument.takerFeeRate) + loss
  const { account, wallet } = exposure
  // What a replaced order holds comes free first.
  const freed = exposure.held - requiredHold(exposure, isHedged(reading, exposure))
  const free = marginAccountTransferable(reading, account, wallet, instrument.settle) + freed
  return need <= free + releasedAt(exposure, proposed)
}

/** What a flip gives back of the isolated position that it closes. */
function releasedAt(exposure: Exposure, { scale, buy, closing, match }: ProposedFill): bigint {
  const position = positionOf(exposure, buy ? 'short' : 'long')
  if (closing === 0 || position === undefined) return 0n
  const left = position.margin + unrealizedPnl(scale, position, match.worstPrice as Ticks)
  return left > 0n ? left : 0n
}
