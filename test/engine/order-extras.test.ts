/**
 * What few orders have, in states of either shape: a record of its own now, columns of every order once.
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { withPresets } from './support/triggers.ts'

interface SavedOrders {
  rows: number
  extras?: Map<number, Record<string, unknown>>
  instrument: Uint16Array | Int32Array
  leverage: Uint16Array | Float64Array
}

const bigColumns = ['quoteAmount', 'baseAmount', 'filledFine', 'loan', 'guarded']

/** The same state as it was saved with columns. */
function withColumns(saved: Buffer): Buffer {
  const state = decode([saved]) as { orders: SavedOrders & Record<string, unknown> }
  const { orders } = state
  const { extras = new Map(), rows } = orders
  delete orders.extras
  for (const name of bigColumns) orders[name] = new BigInt64Array(rows)
  orders['filledLots'] = new Float64Array(rows)
  for (const name of ['takeProfit', 'stopLoss']) {
    orders[`${name}Trigger`] = new Int32Array(rows)
    orders[`${name}Execute`] = new Int32Array(rows)
    orders[`${name}By`] = new Uint8Array(rows)
  }
  for (const [row, own] of extras) {
    for (const name of [...bigColumns, 'filledLots']) (orders[name] as unknown[])[row] = own[name]
    for (const name of ['takeProfit', 'stopLoss']) {
      const preset = own[name] as { trigger: number; execute: number; by: string } | undefined
      if (preset === undefined) continue
      ;(orders[`${name}Trigger`] as Int32Array)[row] = preset.trigger
      ;(orders[`${name}Execute`] as Int32Array)[row] = preset.execute
      ;(orders[`${name}By`] as Uint8Array)[row] = preset.by === 'mark' ? 1 : 0
    }
  }
  orders.instrument = Int32Array.from(orders.instrument)
  orders.leverage = Float64Array.from(orders.leverage)
  return Buffer.concat(encode(state))
}

/** Open orders of every kind that has something of its own, and one that has nothing. */
function stage(): Exchange {
  const exchange = traders(new Exchange(), 'bob', 'carol')
  exchange.join('alice', { funds: { crossed_margin: '3000 USDT', spot: '100000 USDT', coin_futures: '10 BTC' } })
  exchange.given('alice: buy 0.1 BTC/USDT on-margin loan:autoLoan oid:borrowed @ 50000')
  exchange.given('alice: buy 1000 BTCUSD oid:filled @ 60000', 'bob: sell 300 BTCUSD @ 60000')
  exchange.given('alice: buy 0.01 BTC BTCUSD v2 oid:based @ 59000', 'carol: buy 1 BTC/USDT @ 58000')
  exchange.market = 'BTC/USDT'
  withPresets(exchange, 'alice: buy 0.5 oid:guarded @ 60000', 'profit 66000', 'loss 54000')
  exchange.given('bob: sell 0.2 @ 60000')
  return exchange
}

test('a state that was saved with columns is the same state', () => {
  const saved = stage().save()
  const { orders } = decode([saved]) as { orders: SavedOrders }
  const kept = [...(orders.extras ?? [])].map(([, own]) => own)
  for (const name of ['baseAmount', 'filledFine', 'loan', 'guarded']) {
    expect(
      kept.filter((own) => own[name] !== 0n),
      name,
    ).toHaveLength(1)
  }
  expect(kept.filter((own) => own['takeProfit'] !== undefined && own['stopLoss'] !== undefined)).toHaveLength(1)
  expect(kept).toHaveLength(4)

  const before = withColumns(saved)
  expect(before.equals(saved)).toBe(false)
  const engine = Engine.load([before], () => {})
  const again = decode(engine.save()) as { orders: SavedOrders }
  expect(new Map([...(again.orders.extras ?? [])].sort(byRow))).toEqual(new Map([...(orders.extras ?? [])].sort(byRow)))
  expect({ ...again.orders, extras: undefined }).toEqual({ ...orders, extras: undefined })
})

function byRow([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number {
  return a - b
}

test('what an ended order had is gone with it', () => {
  const exchange = stage()
  for (const oid of ['borrowed', 'filled', 'based', 'guarded']) exchange.cancel('alice', oid)
  expect((decode([exchange.save()]) as { orders: SavedOrders }).orders.extras?.size).toBe(0)
})
