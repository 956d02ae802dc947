/** What happened to orders, in notices: what was traded and by whose doing, and why something was canceled. */
import { units, unitsText } from '../numbers/decimal.ts'
import { grouped, shown } from '../numbers/format.ts'
import type { Fill, OrderStep } from '../venue/account-records.ts'
import { isForced } from '../venue/causes.ts'
import { causeOfFill } from './causes.ts'
import { instrumentNamed } from './market.ts'
import { sound, soundsFills } from './sounds.ts'
import { notify } from './notices.ts'
import { t } from '../words/words.ts'

/** Why it ended, where nobody asked for that. */
export function tellCancel({ cancelReason, side, symbol }: OrderStep): void {
  const reasons: Readonly<Record<string, string>> = t.told.reasons
  const reason = reasons[cancelReason]
  if (reason !== undefined) notify('info', t.told.canceledOf(t.sides[side], symbol), t.told.because(reason))
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
  if (soundsFills.value && unsaid[0] !== undefined) sound(unsaid[0].side)
  const byOrder = Map.groupBy(unsaid, ({ orderId }) => orderId)
  unsaid = []
  for (const [fill, ...rest] of byOrder.values()) {
    if (fill === undefined) continue
    const all = [fill, ...rest]
    const quantity = unitsText(all.reduce((sum, part) => sum + units(part.quantity), 0n))
    const price = all.reduce((sum, part) => sum + Number(part.price) * Number(part.quantity), 0) / Number(quantity)
    const instrument = instrumentNamed(fill.category, fill.symbol)
    const counted = `${grouped(quantity)} ${instrument?.quantityUnit ?? ''}`
    const said = t.told.quantityAt(counted, shown(String(price), instrument?.pricePrecision ?? 2))
    const cause = causeOfFill(fill)
    const { symbol } = fill
    const isBought = fill.side === 'buy'
    if (cause === undefined) notify('good', isBought ? t.told.bought(symbol) : t.told.sold(symbol), said)
    else if (isForced(cause)) {
      const text = isBought ? t.told.boughtForced(said) : t.told.soldForced(said)
      notify('bad', t.told.forced(symbol, t.causes[cause].told), text, { about: cause })
    } else {
      const { told } = t.causes[cause]
      const title = isBought ? t.told.boughtBecause(symbol, told) : t.told.soldBecause(symbol, told)
      notify('good', title, said, { about: cause })
    }
  }
}
