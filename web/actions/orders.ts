/** Orders and trigger orders: placing, changing and canceling them. The streams bring what came of it. */
import { orders, triggers } from '../store/account.ts'
import { notify } from '../store/notices.ts'
import { ticket } from '../store/ticket.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import type { OrderChange, OrderDraft, TriggerChange } from '../venue/account.ts'
import type { Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { carryOut, sentOnce } from './carry-out.ts'
import { t } from '../words/words.ts'

export function placeOrder(draft: OrderDraft): Promise<boolean> {
  const what = t.told.order(t.sides[draft.side], draft.quantity, draft.instrument.symbol)
  return carryOut(t.told.notPlaced(what), async (account) => {
    const displaced = await sentOnce(() => account.place(draft))
    ticket.empty()
    if (displaced === undefined) {
      notify('info', t.told.placed(what), t.told.answerLost)
      return undefined
    }
    // What a market order did its fills will say, and why an order was canceled at once that it was.
    const silent = draft.orderType === 'market' && draft.trigger === undefined && !displaced
    const text = displaced ? t.told.madeWay : ''
    if (!silent) notify('info', t.told.placed(what), text, { of: draft.clientOid })
    return undefined
  })
}

/** Together, with one call; true: every one of them was placed. */
export function placeOrders(drafts: readonly OrderDraft[]): Promise<boolean> {
  return carryOut(t.told.notEveryPlaced, async (account) => {
    const failures = await account.placeAll(drafts)
    const [first] = failures
    const placed = t.told.placedOf(drafts.length - failures.length, drafts.length)
    if (first === undefined) return placed
    notify('info', placed)
    throw first
  })
}

export function cancelOrder(order: Order): Promise<boolean> {
  return carryOut(t.told.notCanceled(order.symbol), async (account) => {
    await account.cancel(order)
    return undefined
  })
}

export function cancelTrigger(trigger: Trigger): Promise<boolean> {
  return carryOut(t.told.notCanceled(trigger.symbol), async (account) => {
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
  return carryOut(t.told.notEveryCanceled, async (account) => {
    await account.cancelAll(open, waiting, only?.symbol)
    return t.told.canceled(open.length + waiting.length)
  })
}

export function changeOrder(order: Order, change: OrderChange): Promise<boolean> {
  return carryOut(t.told.notChanged(order.symbol), async (account) => {
    await account.change(order, change)
    return t.told.changed(order.symbol)
  })
}

export function changeTrigger(trigger: Trigger, change: TriggerChange): Promise<boolean> {
  return carryOut(t.told.notChanged(trigger.symbol), async (account) => {
    await account.changeTrigger(trigger, change)
    return t.told.changed(trigger.symbol)
  })
}
