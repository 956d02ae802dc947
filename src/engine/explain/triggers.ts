/**
 * Trigger orders explained: what one waits for and how far the price is from it, or what came of it.
 *
 * Waiting   the price that it goes by, on which side it waits, and what holds it back: an instrument that is not online, an
 *           index that is halted, a price that there is not yet
 * Trailing  its trigger price is its best price turned back by the rate, in whole ticks in the owner's favour
 * Ended     from its record alone: the order that came of it, or why that was refused
 * Source    risk-engine.md §14, §18, §23; docs/decisions/0025-trailing-orders.md
 */
import { big, divCeil, divFloor } from '../numbers/numbers.ts'
import type { TrailingRecord, TriggerRecord } from '../protocol/event.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { rateWhole } from '../vocabulary.ts'
import { type Measures, measuresOf } from './contract.ts'
import type { Page, Part } from './lines.ts'
import { textOf } from './lines.ts'

/** A trigger order by its record. */
export function explainTrigger(reading: Reading, page: Page, trigger: TriggerRecord): Part {
  const part = page.about(`trigger order ${trigger.orderId}`)
  const instrument = reading.instrument(trigger.instrument)
  const { price, quantity, money } = measuresOf(reading, instrument)
  part.input('uid', trigger.uid)
  part.input('clientOid', trigger.clientOid)
  part.input('wallet', trigger.wallet)
  part.input('category', trigger.category)
  part.input('symbol', instrument.symbol)
  part.input('kind', trigger.trigger)
  part.input('side', trigger.bookSide)
  part.input('positionSide', trigger.positionSide)
  part.input('intent', trigger.intent)
  part.input('reduceOnly', trigger.reduceOnly)
  part.input('status', trigger.status)
  if (trigger.quantity > 0) part.amount('quantity', quantity, trigger.quantity)
  else if (trigger.quoteAmount > 0n) part.amount('quoteAmount', money, trigger.quoteAmount)
  else if (trigger.baseAmount > 0n) part.amount('baseAmount', money, trigger.baseAmount)
  else part.input('quantity', 'all of the position')
  part.input('goes by', `${trigger.by}Price`)
  if (trigger.execute === 0) part.input('executes', 'at market')
  else part.amount('executes at', price, trigger.execute)
  if (trigger.partner !== 0) part.input('set together with', trigger.partner)
  if (trigger.trailing === undefined) part.amount('triggerPrice', price, trigger.price)
  else trailingLines(part, trigger, trigger.trailing, price)
  part.input('createdAt', trigger.createdAt)
  part.input('updatedAt', trigger.updatedAt)
  outcome(part, trigger)
  return part
}

function outcome(part: Part, { status, executedOrderId, failure }: TriggerRecord): void {
  if (executedOrderId !== 0) part.input('became order', executedOrderId)
  if (status === 'failed') part.input('its order was refused', failure)
}

/** Until it is active it waits for its activation price; from then on the best price decides. */
function trailingLines(part: Part, trigger: TriggerRecord, terms: TrailingRecord, price: Measures['price']): void {
  const { rate, activation, best } = terms
  part.input('callback rate', textOf({ unit: '', factor: 1n, decimals: 4 }, rate))
  if (activation === 0) part.input('activation', 'at once')
  else part.amount('activationPrice', price, activation)
  if (best === 0) return
  part.amount('best price since', price, best)
  const sells = trigger.bookSide === 'sell'
  const turned = big(best) * big(sells ? rateWhole - rate : rateWhole + rate)
  const ticks = sells ? divFloor(turned, big(rateWhole)) : divCeil(turned, big(rateWhole))
  part.line('triggerPrice', {
    source: 'Take-profit, stop-loss, plans',
    formula: sells ? 'best × (1 − rate), at least a tick' : 'best × (1 + rate)',
    values: { best: textOf(price, best), rate: textOf({ unit: '', factor: 1n, decimals: 4 }, rate) },
    exact: [turned, big(rateWhole)],
    rounding: sells ? 'down' : 'up',
    ...(ticks < 1n ? { within: [1n, 1n] as const } : {}),
    measure: price,
    result: big(trigger.price),
  })
}

/** How far the price is from what it waits for, and what holds it back. */
export function waitLines(reading: Reading, part: Part, row: Row, trigger: TriggerRecord): void {
  const { triggers, prices } = reading
  const instrument = reading.instrument(trigger.instrument)
  const { price } = measuresOf(reading, instrument)
  const now = trigger.by === 'last' ? prices.lastPrice(instrument.id) : prices.markPrice(instrument.id)
  const isActive = trigger.trailing !== undefined && trigger.trailing.best !== 0
  const rises = isActive ? trigger.bookSide === 'buy' : triggers.rises.at(row) === 1
  const waitsFor = trigger.price === 0 ? 1 : trigger.price
  if (now === 0) return part.input('waits for', 'the first trade')
  part.amount(`${trigger.by}Price`, price, now)
  const awaited = trigger.trailing === undefined || isActive ? 'triggerPrice' : 'activationPrice'
  part.input('waits for', `a ${rises ? 'rise' : 'fall'} to its ${awaited}`)
  part.line('distance', {
    source: 'Take-profit, stop-loss, plans',
    formula: rises ? 'price awaited − price now' : 'price now − price awaited',
    values: { awaited: textOf(price, waitsFor), now: textOf(price, now) },
    measure: price,
    result: big(rises ? waitsFor - now : now - waitsFor),
  })
  if (instrument.status !== 'online') part.input('held back', `the instrument is ${instrument.status}`)
  else if (isHalted(reading, instrument.id)) part.input('held back', 'the index is halted')
}
