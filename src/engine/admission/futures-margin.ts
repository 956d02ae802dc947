/**
 * Tier, leverage and margin of a futures order that may open.
 *
 * Margin     it asks for its freeze, which must fit into what the margin account has available. An isolated one may lose no
 *            more at once than its initial margin, and the wallet pays its fills as the sweep has them
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

/** Tier, leverage and margin of an order that may open; market orders count what they will trade, at their worst price. */
export function admitMargin(
  reading: Reading,
  { instrument, scale, command }: OrderIntake<FuturesInstrument>,
  exposure: Exposure,
  asked: ProposedFill,
): { readonly hold: Amount } | Refusal {
  const { match } = asked
  const market = command.orderType === 'market'
  if (market && match.filled === 0) return nothingHeld
  const order = {
    long: asked.buy,
    quantity: asked.quantity as Lots,
    price: asked.limit as Ticks,
    leverage: asked.leverage,
  }
  const mark = reading.prices.markPrice(instrument.id)
  const priced = market ? { ...order, quantity: match.filled as Lots, price: match.worstPrice as Ticks } : order
  const side = order.long ? 'buy' : 'sell'
  const opening = openingQuantity(exposure, side) + priced.quantity
  const held = positionQuantity(exposure, order.long ? 'long' : 'short')
  const reducible = asked.hedged ? 0 : positionQuantity(exposure, order.long ? 'short' : 'long')
  const after = held + Math.max(0, opening - reducible)
  if (after > held && order.leverage > tierLeverageMax(instrument, scale, after as Lots, mark)) {
    return { kind: 'position-tier-exceeded', notionalMax: instrument.tiers.at(-1)?.to ?? zero }
  }
  const oversize = refuseOversize(reading, instrument, command, (held + opening) as Lots)
  if (after > held && oversize !== undefined) return oversize
  const oneMore = held === 0 && reducible === 0 ? refuseOneMorePosition(reading, exposure.account) : undefined
  if (oneMore !== undefined) return oneMore
  const freeze = orderHold(reading, instrument, priced)
  const grown = sideHold(exposure, side, asked.hedged, priced.quantity, freeze)
  const required = amount(grown + sideHold(exposure, order.long ? 'sell' : 'buy', asked.hedged) - exposure.held)
  // Isolated margin is set apart in its own coin, whatever other coins a unified wallet has.
  const most = exposure.marginMode === 'isolated' ? marginAccountTransferable : marginAccountAvailable
  const available = most(reading, exposure.account, exposure.wallet, instrument.settle)
  const fits =
    (required <= 0n || required <= available) &&
    canHold(reading, exposure, freeze) &&
    (exposure.marginMode !== 'isolated' || maySetApart(reading, instrument, exposure, asked))
  return fits ? { hold: freeze } : { kind: 'insufficient-margin', required, available: maxAmount(zero, available) }
}

/**
 * Whether an isolated order starts a position that is worth something, and the wallet has what its fills take. A sell
 * that meets dearer bids takes more margin than it asks for at its own price.
 */
function maySetApart(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  asked: ProposedFill,
): boolean {
  const { leverage } = asked
  const scale = reading.scale(instrument.id)
  const opening = (asked.quantity - asked.closing) as Lots
  if (opening === 0) return true
  const loss = worstLoss(reading, instrument, { ...asked, quantity: opening }, opening)
  if (loss > 0n && loss > initialMarginOf(scale, opening, asked.limit as Ticks, leverage)) return false
  const atOnce = Math.min(asked.match.filled, asked.quantity) - asked.closing
  if (atOnce <= 0) return true
  // Of all planned prices the dearest takes the most margin of a linear contract, the cheapest of an inverse one.
  const first = asked.match.prices[asked.match.reasons.indexOf('')]
  const worst = asked.match.worstPrice
  const price = (scale.inverse ? Math.min(first, worst) : Math.max(first, worst)) as Ticks
  const taken = atOnce as Lots
  const need =
    initialMarginOf(scale, taken, price, leverage) + feeOf(scale, taken, price, instrument.takerFeeRate) + loss
  const { account, wallet } = exposure
  // Of an order that takes the place of another, what that one holds comes free first.
  const freed = exposure.held - requiredHold(exposure, isHedged(reading, exposure))
  const free = marginAccountTransferable(reading, account, wallet, instrument.settle) + freed
  return need <= free + releasedAt(reading, exposure, asked)
}

/** What a flip gives back of the isolated position that it closes. */
function releasedAt(reading: Reading, exposure: Exposure, { buy, closing, match }: ProposedFill): bigint {
  const position = positionOf(exposure, buy ? 'short' : 'long')
  if (closing === 0 || position === undefined) return 0n
  const left = position.margin + unrealizedPnl(reading.scale(exposure.instrument), position, match.worstPrice as Ticks)
  return left > 0n ? left : 0n
}
