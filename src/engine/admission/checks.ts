/**
 * Checks of an order against its instrument: unit, size, minimums, maximums, price bands.
 *
 * Not here  scales and steps: the edge parses into whole ticks and lots (api/)
 * Source    interface.md E2 rules 1 and 2; design.md §4.25, §4.31
 */
import { quantityResting } from '../book/book.ts'
import { countedLotsMax, type Instrument, lotWorthMax, type Scale, tierValue } from '../catalog/catalog.ts'
import { big, type Lots, priceTicksMax, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder, AttachedTpsl } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { bandPrice, type Reading } from '../state/state.ts'
import type { Side } from '../vocabulary.ts'

/** An eighth of what an amount carries, because margin, loss, fee and what else is open are added to it. */
export const notionalMax = 2n ** 60n
const plainlySmall = 2 ** 59

/**
 * Whether the quantity is in the unit that the order counts in. A market buy of spot counts the quote coin it spends,
 * everything else lots; an inverse contract takes base coin too.
 */
export function unitFits(
  instrument: Instrument,
  { side, quantity, price }: Pick<PlaceOrder, 'side' | 'quantity' | 'price'>,
): boolean {
  const spends = instrument.kind === 'spot' && side === 'buy' && price === 0
  if (spends || quantity.unit === 'quote') return spends && quantity.unit === 'quote'
  return quantity.unit === 'lots' || instrument.kind === 'inverse'
}

/**
 * Refuses prices and quantities that the venue's numbers do not carry. A price may not lie beyond the book's ladder. A
 * quantity may not exceed 2^52 lots, and a notional not 2^60 units at the order's or the mark price. The tiers of a contract
 * mostly end before that.
 */
export function refuseOversize(
  reading: Reading,
  instrument: Instrument,
  scale: Scale,
  command: Pick<PlaceOrder, 'price'>,
  quantity: Lots,
): Refusal | undefined {
  if (command.price > priceTicksMax) return { kind: 'price-above-limit', limit: priceTicksMax as Ticks }
  if (scale.inverse) {
    // Above it a contract is worth less than a unit, and a position would have no entry price.
    const dearest = scale.numerator / scale.priceStep
    if (big(command.price) > dearest) return { kind: 'price-above-limit', limit: Number(dearest) as Ticks }
  }
  if (quantity > countedLotsMax) return { kind: 'quantity-above-maximum', maximum: countedLotsMax as Lots }
  const mark = reading.prices.markPrice(instrument.id)
  const price = command.price === 0 ? mark : command.price
  // Nearly all orders are so small that a number is sure of it, although it may round.
  const roughly = scale.inverse
    ? scale.numeratorNumber + 1
    : Math.max(scale.baseUnitNumber, Math.max(price, mark) * scale.unitNumber)
  if (quantity * roughly < plainlySmall) return undefined
  // Quote is worth most at the dearer price, base at the cheaper one.
  const largest = lotWorthMax(scale, scale.inverse ? Math.min(price, mark) : Math.max(price, mark))
  if (big(quantity) * largest <= notionalMax) return undefined
  const tiersEnd = instrument.kind === 'spot' ? undefined : instrument.tiers.at(-1)?.to
  if (tiersEnd !== undefined && tiersEnd < notionalMax) return { kind: 'position-tier-exceeded', notionalMax: tiersEnd }
  return { kind: 'quantity-above-maximum', maximum: Number(notionalMax / largest) as Lots }
}

/**
 * Refuses lots that would not be counted exactly: at the level at which the order rests, or in the open interest that it
 * adds to. Orders of many accounts meet there; each of them alone was small enough.
 */
export function refuseUncounted(
  reading: Reading,
  instrument: Instrument,
  { side, price, rests, opens }: { side: Side; price: Ticks | 0; rests: boolean; opens: boolean },
  quantity: Lots,
): Refusal | undefined {
  const resting = rests ? quantityResting(reading.book(instrument.id), side, price) : 0
  const open = opens ? (reading.futures.openInterest[instrument.id] ?? 0) : 0
  const left = countedLotsMax - Math.max(resting, open)
  return quantity > left ? { kind: 'quantity-above-maximum', maximum: left as Lots } : undefined
}

/** Refuses take-profit and stop-loss prices beyond the book's ladder. */
export function refuseAttachedTpsl({ takeProfit, stopLoss }: AttachedTpsl): Refusal | undefined {
  if (takeProfit === undefined && stopLoss === undefined) return undefined
  const prices = [takeProfit?.trigger, takeProfit?.execute, stopLoss?.trigger, stopLoss?.execute]
  if (prices.every((price) => price === undefined || price <= priceTicksMax)) return undefined
  return { kind: 'price-above-limit', limit: priceTicksMax as Ticks }
}

/** Refuses a quantity out of bounds. Orders that only reduce need no minimum, so that every position can be closed. */
export function refuseQuantity(
  instrument: Instrument,
  command: Pick<PlaceOrder, 'orderType'>,
  quantity: Lots,
  reduces: boolean,
): Refusal | undefined {
  if (quantity <= 0 || (!reduces && quantity < instrument.quantityMin)) {
    return { kind: 'quantity-below-minimum', minimum: instrument.quantityMin, unit: 'lots' }
  }
  const maximum = command.orderType === 'market' ? instrument.marketQuantityMax : instrument.quantityMax
  return maximum > 0 && quantity > maximum ? { kind: 'quantity-above-maximum', maximum } : undefined
}

/** Refuses an order below the least value, at its price or (market) the mark price. */
export function refuseNotional(
  reading: Reading,
  instrument: Instrument,
  scale: Scale,
  command: Pick<PlaceOrder, 'price'>,
  quantity: Lots,
): Refusal | undefined {
  const price = command.price === 0 ? reading.prices.markPrice(instrument.id) : command.price
  return tierValue(scale, quantity, price) < instrument.notionalMin
    ? { kind: 'notional-below-minimum', minimum: instrument.notionalMin }
    : undefined
}

/** Refuses a limit price too far above (buy) or below (sell) the mark price; price zero, a market order, passes. */
export function refusePrice(
  reading: Reading,
  instrument: Instrument,
  side: Side,
  price: Ticks | 0,
): Refusal | undefined {
  if (price === 0 || instrument.limitBand === 0n) return undefined
  const limit = bandPrice(reading.prices.markPrice(instrument.id), side, instrument.limitBand)
  if (side === 'buy' && price > limit) return { kind: 'price-above-limit', limit }
  if (side === 'sell' && price < limit) return { kind: 'price-below-limit', limit }
  return undefined
}

/** Worst price at which an order may trade: its own, or for a market order the edge of the market band. */
export function priceLimit(reading: Reading, instrument: Instrument, side: Side, price: Ticks | 0): Ticks {
  return price === 0 ? bandPrice(reading.prices.markPrice(instrument.id), side, instrument.marketBand) : price
}

/** Whether a take-profit or a stop-loss is asked for. */
export function hasAttachedTpsl({ takeProfit, stopLoss }: AttachedTpsl): boolean {
  return takeProfit !== undefined || stopLoss !== undefined
}
