/** Prices of the order that is being written: they are drawn in the chart, and dragged there. */
import { units } from '../numbers/decimal.ts'
import type { Tpsl } from '../venue/account.ts'
import { ticket } from './ticket.ts'
import { t } from '../words/words.ts'

export interface DraftPrice {
  readonly name: string
  readonly title: string
  readonly price: string
  readonly set: (price: string) => void
}

export function draftPrices(): DraftPrice[] {
  const side = t.sides[ticket.side.value]
  const { takeProfit, stopLoss, price, triggerPrice } = ticket
  const tpsl = (field: typeof takeProfit) => (to: string) => (field.value = { ...field.value, price: to } as Tpsl)
  const quantity = ticket.quantity.value
  const what = quantity === '' ? side : `${side} ${quantity}`
  const found: DraftPrice[] = []
  const add = (name: string, isWanted: boolean, text: string, title: string, set: (price: string) => void) => {
    if (isWanted && units(text) > 0n)
      found.push({ name: `draft ${name}`, title: t.chart.draft(title), price: text, set })
  }
  add('price', ticket.hasLimitPrice.value, price.value, what, (to) => (price.value = to))
  const triggers = ticket.kind.value === 'trigger'
  add('trigger', triggers, triggerPrice.value, t.chart.trigger, (to) => (triggerPrice.value = to))
  const brings = ticket.bringsTpsl.value
  add('take-profit', brings, takeProfit.value.price, t.chart.takeProfit, tpsl(takeProfit))
  add('stop-loss', brings, stopLoss.value.price, t.chart.stopLoss, tpsl(stopLoss))
  return found
}
