/** Orders and trigger orders: placing, changing and canceling them. The streams bring what came of it. */
import { titled } from '../numbers/format.ts'
import { orders, triggers } from '../store/account.ts'
import { notify } from '../store/notices.ts'
import { ticket } from '../store/ticket.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import type { OrderChange, OrderDraft, TriggerChange } from '../venue/account.ts'
import type { Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { carryOut, sentOnce } from './carry-out.ts'

export function placeOrder(draft: OrderDraft): Promise<boolean> {
  const what = `${titled(draft.side)} ${draft.quantity} ${draft.instrument.symbol}`
  return carryOut(`${what}: not placed`, async (account) => {
    const displaced = await sentOnce(() => account.place(draft))
    ticket.empty()
    if (displaced === undefined) {
      notify('info', `${what}: placed`, 'Its first answer was lost. It is there once.')
      return undefined
    }
    // What a market order did its fills will say, and why an order was canceled at once that it was.
    const silent = draft.orderType === 'market' && draft.trigger === undefined && !displaced
    const text = displaced ? 'Earlier reduce-only orders made way for it.' : ''
    if (!silent) notify('info', `${what}: placed`, text, { of: draft.clientOid })
    return undefined
  })
}

export function cancelOrder(order: Order): Promise<boolean> {
  return carryOut(`${order.symbol}: not canceled`, async (account) => {
    await account.cancel(order)
    return undefined
  })
}

export function cancelTrigger(trigger: Trigger): Promise<boolean> {
  return carryOut(`${trigger.symbol}: not canceled`, async (account) => {
    await account.cancelTrigger(trigger)
    return undefined
  })
}

/** Of every category in which something is open, or of one instrument; triggers with them. */
export function cancelAll(only?: Pick<Instrument, 'category' | 'symbol'>): Promise<boolean> {
  const meant = ({ category, symbol }: { category: Category; symbol: string }) =>
    only === undefined || (only.category === category && only.symbol === symbol)
  const open = [...orders.value.values()].filter(meant)
  const waiting = triggers.value.filter(meant)
  return carryOut('Not everything was canceled', async (account) => {
    await account.cancelAll(open, waiting, only?.symbol)
    const count = open.length + waiting.length
    return count === 1 ? '1 order canceled' : `${count} orders canceled`
  })
}

export function changeOrder(order: Order, change: OrderChange): Promise<boolean> {
  return carryOut(`${order.symbol}: not changed`, async (account) => {
    await account.change(order, change)
    return `${order.symbol}: order changed`
  })
}

export function changeTrigger(trigger: Trigger, change: TriggerChange): Promise<boolean> {
  return carryOut(`${trigger.symbol}: not changed`, async (account) => {
    await account.changeTrigger(trigger, change)
    return `${trigger.symbol}: order changed`
  })
}
