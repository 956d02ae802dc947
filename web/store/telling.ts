/** What happened to orders, in notices: what was traded and by whose doing, and why something was canceled. */
import { units, unitsText } from '../numbers/decimal.ts'
import { grouped, shown } from '../numbers/format.ts'
import type { Fill, OrderStep } from '../venue/account-records.ts'
import { isForced } from '../venue/causes.ts'
import { causeOfFill } from './causes.ts'
import { explanations } from './explanations.ts'
import { instrumentNamed } from './market.ts'
import { notify } from './notices.ts'

/** Why it ended, where nobody asked for that. */
export function tellCancel({ cancelReason, side, symbol }: OrderStep): void {
  const reasons: Readonly<Record<string, string>> = {
    post_only_cancel: 'it would have taken liquidity',
    no_liquidity_cancel: 'nothing to trade with at its price',
    stp_cancel: 'it would have met your own order',
    reduce_only_cancel: 'it had nothing left to reduce',
    system_cancel: 'the venue had to',
  }
  const reason = reasons[cancelReason]
  if (reason !== undefined)
    notify('info', `${side === 'buy' ? 'Buy' : 'Sell'} ${symbol} canceled`, `Because ${reason}.`)
}

const togetherMs = 120
let unsaid: Fill[] = []
let saying: ReturnType<typeof setTimeout> | undefined

/** Fills of one order that come together are told together. */
export function tellFills(news: readonly Fill[]): void {
  unsaid.push(...news)
  clearTimeout(saying)
  saying = setTimeout(sayFills, togetherMs)
}

function sayFills(): void {
  const byOrder = Map.groupBy(unsaid, ({ orderId }) => orderId)
  unsaid = []
  for (const [fill, ...rest] of byOrder.values()) {
    if (fill === undefined) continue
    const all = [fill, ...rest]
    const quantity = unitsText(all.reduce((sum, part) => sum + units(part.quantity), 0n))
    const price = all.reduce((sum, part) => sum + Number(part.price) * Number(part.quantity), 0) / Number(quantity)
    const instrument = instrumentNamed(fill.category, fill.symbol)
    const said = `${grouped(quantity)} ${instrument?.quantityUnit ?? ''} at ${shown(String(price), instrument?.pricePrecision ?? 2)}`
    const did = fill.side === 'buy' ? 'Bought' : 'Sold'
    const cause = causeOfFill(fill)
    if (cause === undefined) notify('good', `${did} ${fill.symbol}`, said)
    else if (isForced(cause)) {
      const text = `${did} ${said}. The venue did this.`
      notify('bad', `${fill.symbol} ${explanations[cause].told}`, text, { about: cause })
    } else notify('good', `${did} ${fill.symbol} ${explanations[cause].told}`, said, { about: cause })
  }
}
