/**
 * What the venue does to a position by itself, and how its order records say so.
 *
 * Each row moves the index price of a coin of its own, so that rows do not liquidate each other's people.
 *
 * Source  interface.md "Futures order" tradeSide, orderSource, enterPointSource; design §4.26; risk-engine.md §5, §14
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { opposite } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import {
  type Market,
  futuresAccount,
  openOrders,
  paths,
  position,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
} from '../support/trading.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const market: Market = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', marginCoin: 'USDT' }
const decision =
  'a forced action is an ordinary order record with enterPointSource SYS and its own tradeSide (design §4.26)'

async function history(person: Person): Promise<Fields[]> {
  const query = { productType: market.category, symbol: market.symbol }
  return succeeds(await person.get(paths.orderHistory, query)).list('entrustedList')
}

/** Alice with 100 USDT and one ETH at 3000 with fifty-fold leverage, against a rich Bob who keeps bidding and offering. */
async function leveraged(side: 'buy' | 'sell', mode: string, margin: string) {
  await at.venue.setIndexPrices({ ETH: '3000' })
  const bob = await at.person('Bob', { mode: 'classic', funds: { usdt_futures: { USDT: '1000000' } } })
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  if (mode === 'hedge_mode') await setHoldMode(alice, mode, market)
  await setMarginMode(alice, margin, market)
  await setLeverage(alice, 50, market)
  const order = `${side} 1 ${mode === 'hedge_mode' ? 'open ' : ''}${margin === 'isolated' ? margin : 'cross'} @ 3000`
  await taken(bob, opposite(order), market)
  await taken(alice, order, market)
  return { alice, bob }
}

/** The price moves against the position by four per cent, and Bob stands ready to take it. */
async function moveAgainst(side: 'buy' | 'sell', bob: Person): Promise<void> {
  const price = side === 'buy' ? '2880' : '3120'
  await taken(bob, `${side} 1 @ ${price}`, market)
  await at.venue.setIndexPrices({ ETH: price })
  await at.venue.advance(5000)
}

table(
  { rule: 'Futures order tradeSide of a liquidation', decision },
  `
    case                      | side | mode         | margin   | trade side
    a cross long, one-way     | buy  | one_way_mode | crossed  | burst_sell_single
    a cross short, one-way    | sell | one_way_mode | crossed  | burst_buy_single
    an isolated long, one-way | buy  | one_way_mode | isolated | burst_sell_single
    a long, hedge             | buy  | hedge_mode   | crossed  | burst_close_long
    a short, hedge            | sell | hedge_mode   | crossed  | burst_close_short
  `,
  async ({ side: opens, mode, margin, tradeSide }) => {
    const side = opens as 'buy' | 'sell'
    const { alice, bob } = await leveraged(side, mode, margin)
    await moveAgainst(side, bob)
    expect(await position(alice, market)).toBe('flat')
    const [record] = await history(alice)
    expect(record).toMatchObject({ tradeSide, enterPointSource: 'SYS', orderSource: 'liquidation' })
  },
)

row('risk-engine §14', 'a liquidation cancels the account’s open orders first', async () => {
  const { alice, bob } = await leveraged('buy', 'one_way_mode', 'crossed')
  await taken(alice, 'buy 0.01 @ 2500', market)
  await moveAgainst('buy', bob)
  expect(await openOrders(alice, market)).toEqual([])
})

row('risk-engine §14', 'a wallet never goes below zero', async () => {
  const { alice, bob } = await leveraged('buy', 'one_way_mode', 'crossed')
  await taken(bob, 'buy 1 @ 2700', market)
  await at.venue.setIndexPrices({ ETH: '2700' })
  await at.venue.advance(5000)
  expect(await position(alice, market)).toBe('flat')
  expect(await futuresAccount(alice, market)).toMatchObject({ accountEquity: '0' })
})

row('risk-engine §5', 'an isolated liquidation takes the margin of the position and nothing else', async () => {
  const { alice, bob } = await leveraged('buy', 'one_way_mode', 'isolated')
  await moveAgainst('buy', bob)
  // 100 less 60 margin less 1.8 fee
  expect(await futuresAccount(alice, market)).toMatchObject({ available: '38.2', accountEquity: '38.2' })
})

row('risk-engine §14', 'a position above its maintenance margin is left alone', async () => {
  const { alice } = await leveraged('buy', 'one_way_mode', 'crossed')
  await at.venue.setIndexPrices({ ETH: '2950' })
  await at.venue.advance(5000)
  expect(await position(alice, market)).toBe('long 1')
})
