/**
 * What a dragged line asks for: another price of an order or trigger. A liquidation price follows from the margin: dragging it
 * writes the margin that it would take, and a person confirms that.
 */
import { changeOrder, changeTrigger } from '../actions/orders.ts'
import { units, unitsText } from '../numbers/decimal.ts'
import { currentInstrument } from '../store/market.ts'
import { marginWanted } from '../store/margin-wanted.ts'
import type { OwnerOfPrice } from '../store/own.ts'
import { tiers } from '../store/tiers.ts'
import { marginForLiquidation } from '../trading/liquidation.ts'

export function canAmend(of: OwnerOfPrice): boolean {
  switch (of.kind) {
    case 'order':
      return true
    case 'trigger':
      return of.trigger.trailing === undefined || of.field === 'triggerPrice'
    case 'position':
      return of.field === 'liquidationPrice' && of.position.marginMode === 'isolated' && tiers.value.length > 0
  }
}

/** True when the venue has taken it. */
export async function amend(of: OwnerOfPrice, price: string): Promise<boolean> {
  switch (of.kind) {
    case 'order':
      return changeOrder(of.order, { [of.field]: price })
    case 'trigger':
      return changeTrigger(of.trigger, { [of.field]: price })
    case 'position': {
      const instrument = currentInstrument.peek()
      if (instrument === undefined) return false
      const { key, side, quantity, entryPrice, margin } = of.position
      const open = { side, quantity: units(quantity), entryPrice: units(entryPrice) }
      const needed = marginForLiquidation(instrument, open, units(price), tiers.peek())
      const change = needed - units(margin)
      if (change === 0n) return true
      const amount = unitsText(change < 0n ? -change : change)
      marginWanted.value = { key, operation: change > 0n ? 'add' : 'remove', amount }
      return true
    }
  }
}
