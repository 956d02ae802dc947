/** Where the account's own orders and positions lie on the instrument in view: for the book and the chart. */
import { stepsOf } from '../numbers/decimal.ts'
import { grouped } from '../numbers/format.ts'
import type { Order, Position, Trigger } from '../venue/account-records.ts'
import { isForced } from '../venue/causes.ts'
import type { Instrument } from '../venue/instruments.ts'
import { fills, orders, positionsOf, sharesBook, triggers } from './account.ts'
import { causeOfFill } from './causes.ts'
import { t } from '../words/words.ts'

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
    return t.chart.forced(t.causes[cause].name, grouped(fill.quantity), grouped(fill.price))
  })
}

/** What a price belongs to, so that another one can be asked for. */
export type OwnerOfPrice =
  | { readonly kind: 'order'; readonly order: Order; readonly field: 'price' | 'takeProfit' | 'stopLoss' }
  | { readonly kind: 'trigger'; readonly trigger: Trigger; readonly field: 'triggerPrice' | 'takeProfit' | 'stopLoss' }
  | { readonly kind: 'position'; readonly position: Position; readonly field: 'entryPrice' | 'liquidationPrice' }

/** A price that is the account's own. */
export interface OwnPrice {
  /** Stays the same while it is there. */
  readonly name: string
  readonly kind: 'buy' | 'sell' | 'trigger' | 'take-profit' | 'stop-loss' | 'entry' | 'liquidation'
  readonly price: string
  readonly title: string
  readonly of: OwnerOfPrice
}

/** Resting orders with what they bring along, triggers, entries and liquidation prices. */
export function ownPrices(instrument: Instrument): OwnPrice[] {
  return [
    ...ownOrders(instrument).flatMap(pricesOfOrder),
    ...triggers.value
      .filter(({ category, symbol }) => symbol === instrument.symbol && sharesBook(category, instrument))
      .flatMap(pricesOfTrigger),
    ...positionsOf(instrument).flatMap(pricesOfPosition),
  ]
}

function pricesOfOrder(order: Order): OwnPrice[] {
  const { id, side, price, quantity, takeProfit, stopLoss } = order
  const prices = [
    ['price', side, price, `${t.sides[side]} ${quantity}`],
    ['takeProfit', 'take-profit', takeProfit, `${t.chart.takeProfit} ${quantity}`],
    ['stopLoss', 'stop-loss', stopLoss, `${t.chart.stopLoss} ${quantity}`],
  ] as const
  return prices
    .filter(([, , text]) => Number(text) > 0)
    .map(([field, kind, text, title]) => ({
      name: field === 'price' ? id : `${id} ${kind}`,
      kind,
      price: text,
      title,
      of: { kind: 'order', order, field },
    }))
}

function pricesOfTrigger(trigger: Trigger): OwnPrice[] {
  const isTpsl = trigger.kind === 'tpsl'
  const prices = [
    ['triggerPrice', 'trigger', trigger.triggerPrice, t.chart.triggerOf(trigger.side)],
    ['takeProfit', 'take-profit', isTpsl ? trigger.takeProfit : '', t.chart.takeProfit],
    ['stopLoss', 'stop-loss', isTpsl ? trigger.stopLoss : '', t.chart.stopLoss],
  ] as const
  return prices
    .filter(([, , price]) => price !== '')
    .map(([field, kind, price, title]) => ({
      name: `${trigger.id} ${kind}`,
      kind,
      price,
      title,
      of: { kind: 'trigger', trigger, field },
    }))
}

function pricesOfPosition(position: Position): OwnPrice[] {
  const { key, side, quantity, entryPrice, liquidationPrice } = position
  const of = (field: 'entryPrice' | 'liquidationPrice') => ({ kind: 'position', position, field }) as const
  const entry: OwnPrice = {
    name: `${key} entry`,
    kind: 'entry',
    price: entryPrice,
    title: `${t.sides[side]} ${quantity}`,
    of: of('entryPrice'),
  }
  if (Number(liquidationPrice) <= 0) return [entry]
  return [
    entry,
    {
      name: `${key} liquidation`,
      kind: 'liquidation',
      price: liquidationPrice,
      title: t.chart.liquidation,
      of: of('liquidationPrice'),
    },
  ]
}
