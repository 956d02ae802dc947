/** The order language (order-language.ts): what is an order and what it says, what is none, and lists of orders. */
import { expect, test } from 'vitest'
import { orderLines, orderText, parseOrder } from './order-language.ts'
import { textTable } from './text-table.ts'

const valid = textTable(`
  order                                               | says
  buy 3                                               | side buy, quantity 3
  buy 3 @ 100                                         | side buy, quantity 3, price 100
  alice: sell 0.5 @ 60000.1                           | who alice, side sell, quantity 0.5, price 60000.1
  alice: sell 15 SOLUSDT reduce-only @ 99             | who alice, side sell, quantity 15, price 99, market SOLUSDT, reduceOnly true
  bob_2: buy 5 BTC/USDT on-margin loan:autoRepay @ 90 | who bob_2, side buy, quantity 5, price 90, market BTC/USDT, onMargin true, loanType autoRepay
  buy 1100 SOL/USDT USDT                              | side buy, quantity 1100, market SOL/USDT, coin USDT
  buy 1 BTCUSD BTC                                    | side buy, quantity 1, market BTCUSD, coin BTC
  buy 3 gtc @ 100                                     | side buy, quantity 3, price 100, timeInForce gtc
  buy 3 ioc @ 100                                     | side buy, quantity 3, price 100, timeInForce ioc
  buy 3 fok @ 100                                     | side buy, quantity 3, price 100, timeInForce fok
  buy 3 post-only @ 100                               | side buy, quantity 3, price 100, timeInForce post_only
  buy 3 v2 open isolated                              | side buy, quantity 3, version v2, tradeSide open, marginMode isolated
  sell 3 v2 close cross                               | side sell, quantity 3, version v2, tradeSide close, marginMode cross
  sell 3 v3 long                                      | side sell, quantity 3, version v3, positionSide long
  sell 3 v3 short                                     | side sell, quantity 3, version v3, positionSide short
  buy 3 stp:none                                      | side buy, quantity 3, stpMode none
  buy 3 stp:cancel-taker                              | side buy, quantity 3, stpMode cancel_taker
  buy 3 stp:cancel-maker                              | side buy, quantity 3, stpMode cancel_maker
  buy 3 stp:cancel-both                               | side buy, quantity 3, stpMode cancel_both
  buy 3 loan:normal                                   | side buy, quantity 3, loanType normal
  buy 3 loan:autoLoan                                 | side buy, quantity 3, loanType autoLoan
  buy 3 loan:autoLoanAndRepay                         | side buy, quantity 3, loanType autoLoanAndRepay
  buy 3 oid:n-1:a channel:code                        | side buy, quantity 3, clientOid n-1:a, channelCode code
`)

test.each(valid)('$order', ({ order, says }) => {
  const parsed = parseOrder(order)
  const found = Object.entries(parsed).filter(([, value]) => value !== undefined && value !== false)
  expect(found.map(([name, value]) => `${name} ${value}`).join(', ')).toBe(says)
  expect(orderText(parsed)).toBe(order)
})

test('words may stand in any order', () => {
  expect(parseOrder('buy 3 reduce-only ioc SOLUSDT @ 100')).toEqual(parseOrder('buy 3 SOLUSDT ioc reduce-only @ 100'))
})

const invalid = textTable(`
  text                          | fault
  -                             | not an order:
  buy                           | not an order: buy
  buy three                     | not an order: buy three
  hold 3                        | not an order: hold 3
  Buy 3                         | not an order: Buy 3
  buy -3                        | not an order: buy -3
  buy .5                        | not an order: buy .5
  buy 5.                        | not an order: buy 5.
  buy 1e3                       | not an order: buy 1e3
  buy 3 @                       | not an order: buy 3 @
  buy 3 @ market                | not an order: buy 3 @ market
  buy 3@100                     | not an order: buy 3@100
  buy 3 @ 100 ioc               | not an order: buy 3 @ 100 ioc
  buy  3                        | not an order: buy  3
  alice buy 3                   | not an order: alice buy 3
  alice: bob: buy 3             | not an order: alice: bob: buy 3
  buy 3 quickly                 | buy 3 quickly: what is quickly?
  buy 3 post_only               | buy 3 post_only: what is post_only?
  buy 3 IOC-ONLY                | buy 3 IOC-ONLY: what is IOC-ONLY?
  buy 3 stp:                    | buy 3 stp:: what is stp:?
  buy 3 stp:cancel              | buy 3 stp:cancel: what is stp:cancel?
  buy 3 loan:all                | buy 3 loan:all: what is loan:all?
  buy 3 ioc fok                 | buy 3 ioc fok: fok after ioc
  buy 3 open close              | buy 3 open close: close after open
  buy 3 SOLUSDT BTCUSDT         | buy 3 SOLUSDT BTCUSDT: BTCUSDT after SOLUSDT
  buy 3 reduce-only reduce-only | buy 3 reduce-only reduce-only: reduce-only after reduce-only
`)

test.each(invalid)('not an order: $text', ({ text, fault }) => {
  expect(() => parseOrder(text)).toThrow(fault)
})

const lists = textTable(`
  list                                           | orders
  -                                              | -
  alice: buy 3                                   | alice: buy 3
  alice: buy 3; sell 2 @ 100; bob: sell 1; buy 1 | alice: buy 3 + alice: sell 2 @ 100 + bob: sell 1 + bob: buy 1
  buy 3; sell 2                                  | buy 3 + sell 2
`)

test.each(lists)('a list: $list', ({ list, orders }) => {
  expect(orderLines(list).join(' + ')).toBe(orders)
})
