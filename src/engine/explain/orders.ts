/**
 * Orders explained: what a live one holds, and what an order's fills came to.
 *
 * Ended     only its record and fills are left: sums are known, rates and mark prices of that time are not
 * Source    risk-engine.md §4, §8, §10, §11
 */
import { feeOf, isFutures, notionalFloor, type Scale } from '../catalog/catalog.ts'
import { openLoss, orderHold, valueFraction } from '../margin/margin.ts'
import { divCeil, divHalfUp, type Lots, oneCoin, rateOne, shareCeil } from '../numbers/numbers.ts'
import type { FillEvent, OrderRecord } from '../protocol/event.ts'
import type { Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { coinName, type Measures, measuresOf } from './contract.ts'
import { type Chapter, money, type Page, type Part, ratio, textOf } from './lines.ts'

/** An order by its record, and what its fills came to. */
export function explainOrder(reading: Reading, page: Page, order: OrderRecord, fills: readonly FillEvent[]): Part {
  const part = page.about(`order ${order.orderId}`)
  orderInputs(reading, part, order)
  for (const fill of fills) fillLines(reading, page, fill)
  if (order.filled > 0) sumLines(reading, part, order, fills)
  return part
}

export function orderInputs(reading: Reading, part: Part, order: OrderRecord): void {
  const instrument = reading.instrument(order.instrument)
  const { price, quantity, money: quote } = measuresOf(reading, instrument)
  part.input('uid', order.uid)
  part.input('clientOid', order.clientOid)
  part.input('wallet', order.wallet)
  part.input('category', order.category)
  part.input('symbol', instrument.symbol)
  part.input('side', order.bookSide)
  part.input('positionSide', order.positionSide)
  part.input('intent', order.intent)
  part.input('orderType', order.orderType)
  part.input('timeInForce', order.timeInForce)
  part.input('cause', order.cause)
  part.input('status', order.status)
  if (order.cancelReason !== '') part.input('cancelReason', order.cancelReason)
  part.input('reduceOnly', order.reduceOnly)
  if (isFutures(instrument)) {
    part.input('marginMode', order.marginMode)
    part.input('leverage', order.leverage)
  }
  if (order.price !== 0) part.amount('price', price, order.price)
  if (order.quantity > 0) part.amount('quantity', quantity, order.quantity)
  if (order.cut > 0) part.amount('cut, as its position shrank', quantity, order.cut)
  if (order.quoteAmount > 0n) part.amount('quoteAmount', quote, order.quoteAmount)
  part.amount('filled', quantity, order.filled)
  part.input('createdAt', order.createdAt)
  part.input('updatedAt', order.updatedAt)
}

/** What a live order holds, and what it would hold if it were placed now. */
export function holdLines(reading: Reading, part: Part, row: Row, order: OrderRecord): void {
  const { orders } = reading
  const instrument = reading.instrument(order.instrument)
  const scale = reading.scale(instrument.id)
  const { quantity, price, money: coin } = measuresOf(reading, instrument)
  const left = orders.remaining.at(row) as Lots
  const texts = { q: textOf(quantity, left), p: textOf(price, order.price) }
  part.input('placed by command', orders.placedBy.at(row))
  if (!isFutures(instrument)) {
    const measure = money(coinName(reading, order.bookSide === 'buy' ? instrument.quote : instrument.base))
    const formula = order.bookSide === 'buy' ? 'hold = q·p left to buy' : 'hold = q left to sell'
    part.line('held', { source: 'What an order needs', formula, values: texts, measure, result: orders.hold.at(row) })
    return
  }
  if (orders.onlyReduces(row)) {
    return part.word(
      'held',
      { source: 'What an order needs', formula: 'orders that only reduce hold no margin', values: texts },
      '0',
    )
  }
  part.line('held', {
    source: 'What an order needs',
    formula: 'freeze when placed or amended, less floor(freeze × gone / left) at each fill or cut',
    values: { ...texts, L: String(order.leverage) },
    measure: coin,
    result: orders.hold.at(row),
  })
  orderHoldLines(reading, part, order, left, scale)
}

/** What the remaining lots would hold if they were placed now. */
function orderHoldLines(reading: Reading, part: Part, order: OrderRecord, left: Lots, scale: Scale): void {
  const instrument = reading.instrument(order.instrument)
  if (!isFutures(instrument) || order.price === 0) return
  const { quantity, price, money: measure } = measuresOf(reading, instrument)
  const mark = reading.prices.markPrice(instrument.id)
  const long = order.bookSide === 'buy'
  const [value, divisor] = valueFraction(scale, left, order.price)
  const texts = { q: textOf(quantity, left), p: textOf(price, order.price) }
  const { orderMarginMarkup, orderFeeMarkup } = reading.settings.risk
  const feeShare = rateOne + (instrument.takerFeeRate > 0n ? orderFeeMarkup : 0n)
  const marginParts = [value * (rateOne + orderMarginMarkup), divisor * BigInt(order.leverage) * rateOne] as const
  const feeParts = [value * instrument.takerFeeRate * feeShare, divisor * rateOne * rateOne] as const
  const margin = divCeil(...marginParts)
  const fee = divCeil(...feeParts)
  const loss = openLoss(scale, long, left, order.price, mark)
  const shared = { source: 'What an order needs', measure, rounding: 'up' } as const
  part.line('order margin now', {
    ...shared,
    formula: 'V/L·(1 + k1)',
    values: { ...texts, L: String(order.leverage), k1: textOf(ratio, orderMarginMarkup) },
    exact: marginParts,
    result: margin,
  })
  part.line('order fee now', {
    ...shared,
    formula: 'V·f·(1 + k2)',
    values: { ...texts, f: textOf(ratio, instrument.takerFeeRate), k2: textOf(ratio, feeShare - rateOne) },
    exact: feeParts,
    result: fee,
  })
  part.line('openLoss now', {
    source: 'What an order needs',
    formula: scale.inverse ? 'N·max(0, s·(1/Pm − 1/p))' : 'q·max(0, s·(p − Pm))',
    values: { ...texts, s: long ? '+1' : '−1', Pm: textOf(price, mark) },
    measure,
    result: loss,
  })
  part.line('freeze now', {
    source: 'What an order needs',
    formula: 'freeze = ⌈V/L·(1 + k1)⌉ + ⌈V·f·(1 + k2)⌉ + openLoss',
    values: { margin: textOf(measure, margin), fee: textOf(measure, fee), openLoss: textOf(measure, loss) },
    exact: [margin + fee + loss, 1n],
    measure,
    result: orderHold(reading, instrument, { long, quantity: left, price: order.price, leverage: order.leverage }),
  })
}

export function fillLines(reading: Reading, page: Page, fill: FillEvent): void {
  const instrument = reading.instrument(fill.instrument)
  const scale = reading.scale(instrument.id)
  const { price, quantity } = measuresOf(reading, instrument)
  const part = page.about(`fill ${fill.execId}`)
  part.input('orderId', fill.orderId)
  part.input('uid', fill.uid)
  part.input('matchId', fill.matchId)
  part.input('scope', fill.scope)
  part.input('effect', fill.effect)
  part.amount('price', price, fill.price)
  part.amount('quantity', quantity, fill.quantity)
  part.input('at', fill.at)
  const [value, divisor] = valueFraction(scale, fill.quantity, fill.price)
  const texts = { q: textOf(quantity, fill.quantity), p: textOf(price, fill.price) }
  const notional = notionalMeasure(reading, fill.instrument)
  part.line('notional', {
    source: scale.inverse ? 'Coin-margined contracts' : 'Fills and fees',
    formula: scale.inverse ? 'N/p' : 'q·p',
    values: texts,
    exact: [value, divisor],
    rounding: 'down',
    measure: notional,
    result: notionalFloor(scale, fill.quantity, fill.price),
  })
  feeLine(reading, part, fill, notional)
  if (fill.effect !== 'close') return
  const source = scale.inverse ? 'Coin-margined contracts' : 'Fills and fees'
  const formula = 'realized = floor(F·x/q) + φ'
  part.line('realizedPnl', { source, formula, values: texts, measure: notional, result: fill.realizedPnl })
}

/** The instrument's rate is shown only if it gives this fee: at that time it may have been another one. */
function feeLine(reading: Reading, part: Part, fill: FillEvent, notional: Measures['money']): void {
  const instrument = reading.instrument(fill.instrument)
  const scale = reading.scale(instrument.id)
  const measure = money(coinName(reading, fill.feeCoin))
  const inQuote = isFutures(instrument) || fill.bookSide === 'sell'
  const [value, divisor] = inQuote
    ? valueFraction(scale, fill.quantity, fill.price)
    : ([BigInt(fill.quantity) * scale.baseUnit, 1n] as const)
  const rate = fill.scope === 'taker' ? instrument.takerFeeRate : instrument.makerFeeRate
  const fee = inQuote ? feeOf(scale, fill.quantity, fill.price, rate) : shareCeil(value, rate)
  const formula = 'fee = |value| × rate'
  const values = {
    value: textOf(inQuote ? notional : measure, inQuote ? fill.notional : value),
    rate: textOf(ratio, rate),
  }
  if (fee !== fill.fee) {
    const free = fill.fee === 0n ? 'free of fees' : 'fee as it was charged'
    part.line('fee', { source: 'Fills and fees', formula: free, values: {}, measure, result: fill.fee })
    return
  }
  part.line('fee', {
    source: 'Fills and fees',
    formula,
    values,
    exact: [value * rate, divisor * rateOne],
    rounding: 'up',
    measure,
    result: fill.fee,
  })
}

function sumLines(reading: Reading, part: Part, order: OrderRecord, fills: readonly FillEvent[]): void {
  const instrument = reading.instrument(order.instrument)
  const scale = reading.scale(instrument.id)
  const { price } = measuresOf(reading, instrument)
  const notional = notionalMeasure(reading, order.instrument)
  const fee = money(coinName(reading, order.feeCoin))
  const known = String(fills.length)
  const sum = (
    name: string,
    formula: string,
    measure: Measures['money'],
    result: bigint,
    source: Chapter = 'Fills and fees',
  ) => part.line(name, { source, formula, values: { fills: known }, measure, result })
  sum('filledNotional', 'Σ notional', notional, order.filledNotional, 'Fills and fees')
  if (!scale.inverse) {
    const lots = BigInt(order.filled) * scale.baseUnit
    part.line('averagePrice', {
      source: 'Fills and fees',
      formula: 'Σ notional / filled',
      values: { 'Σ notional': textOf(notional, order.filledNotional) },
      exact: [order.filledNotional * oneCoin, lots],
      rounding: 'nearest',
      measure: { unit: price.unit, factor: 1n, decimals: 8 },
      result: divHalfUp(order.filledNotional * oneCoin, lots),
    })
  } else part.amount('averagePrice', { unit: price.unit, factor: 1n, decimals: 8 }, order.averagePriceE8)
  sum('fee', 'Σ fee', fee, order.fee)
  if (isFutures(instrument))
    sum('realizedPnl', 'Σ realized, without fees and funding', fee, order.realizedPnl, 'Fills and fees')
}

/** The notional of fills: quote coin (spot, linear), base coin (inverse). */
function notionalMeasure(reading: Reading, id: number): Measures['money'] {
  const instrument = reading.instrument(id)
  return money(coinName(reading, instrument.kind === 'inverse' ? instrument.base : instrument.quote))
}
