/** Where the account's own orders and positions lie on the instrument in view: for the book and the chart. */
import { stepsOf } from '../numbers/decimal.ts'
import { grouped, titled } from '../numbers/format.ts'
import type { Order } from '../venue/account-records.ts'
import { isForced } from '../venue/causes.ts'
import type { Instrument } from '../venue/instruments.ts'
import { fills, orders, positionsOf, sharesBook, triggers } from './account.ts'
import { causeOfFill } from './causes.ts'
import { explanations } from './explanations.ts'

function ownOrders(instrument: Instrument): Order[] {
  return [...orders.value.values()].filter(
    ({ category, symbol, orderType }) =>
      symbol === instrument.symbol && orderType === 'limit' && sharesBook(category, instrument),
  )
}

/** Own quantity by level of a side, levels gathered like the book's. */
export function ownLevels(instrument: Instrument, side: 'bid' | 'ask', by: number): Map<number, number> {
  const levels = new Map<number, number>()
  for (const order of ownOrders(instrument)) {
    if ((order.side === 'buy') !== (side === 'bid')) continue
    const steps = stepsOf(order.price, instrument.pricePrecision)
    const level = (side === 'bid' ? Math.floor(steps / by) : Math.ceil(steps / by)) * by
    const left = Number(order.quantity) - Number(order.filled)
    levels.set(level, (levels.get(level) ?? 0) + left)
  }
  return levels
}

/** What the venue forced there, in words: `Liquidation of 0.5 at 57,150`. */
export function forcedFills(instrument: Instrument): string[] {
  return fills.value.flatMap((fill) => {
    const cause = causeOfFill(fill)
    if (!isForced(cause) || fill.symbol !== instrument.symbol || !sharesBook(fill.category, instrument)) return []
    return `${explanations[cause].name} of ${grouped(fill.quantity)} at ${grouped(fill.price)}`
  })
}

/** A price that is the account's own. */
export interface OwnPrice {
  /** Stays the same while it is there. */
  readonly name: string
  readonly kind: 'buy' | 'sell' | 'trigger' | 'take-profit' | 'stop-loss' | 'entry' | 'liquidation'
  readonly price: string
  readonly title: string
}

/** Resting orders, triggers, entries and liquidation prices. */
export function ownPrices(instrument: Instrument): OwnPrice[] {
  const found: OwnPrice[] = []
  for (const { id, side, price, quantity } of ownOrders(instrument)) {
    found.push({ name: id, kind: side, price, title: `${titled(side)} ${quantity}` })
  }
  for (const trigger of triggers.value) {
    if (trigger.symbol !== instrument.symbol || !sharesBook(trigger.category, instrument)) continue
    const isTpsl = trigger.kind === 'tpsl'
    const prices = [
      ['trigger', trigger.triggerPrice, `Trigger ${trigger.side}`],
      ['take-profit', isTpsl ? trigger.takeProfit : '', 'Take profit'],
      ['stop-loss', isTpsl ? trigger.stopLoss : '', 'Stop loss'],
    ] as const
    for (const [kind, price, title] of prices) {
      if (price !== '') found.push({ name: `${trigger.id} ${kind}`, kind, price, title })
    }
  }
  for (const { key, side, quantity, entryPrice, liquidationPrice } of positionsOf(instrument)) {
    found.push({ name: `${key} entry`, kind: 'entry', price: entryPrice, title: `${titled(side)} ${quantity}` })
    if (Number(liquidationPrice) > 0) {
      found.push({ name: `${key} liquidation`, kind: 'liquidation', price: liquidationPrice, title: 'Liquidation' })
    }
  }
  return found
}
