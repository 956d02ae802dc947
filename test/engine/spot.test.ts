/**
 * Spot orders: holds, fees in the coin received, market buys by quote amount.
 * Source  interface E2; design §4.25, §4.35; risk-engine §10 (fees 0.1 %)
 */
import { expect } from 'vitest'
import { coins } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

scenario('risk-engine §10: the buyer pays in base, the seller in quote, rounded up', (exchange) => {
  exchange.join('alice', { funds: { spot: '0.12345 BTC' } }).join('bob', { funds: { spot: '8000 USDT' } })
  exchange.given('alice: sell 0.12345 BTC/USDT @ 60000.01', 'bob: buy 0.12345 BTC/USDT @ 60000.01')
  const [bob, alice] = exchange.fills()
  expect([bob?.notional, bob?.fee, bob?.feeCoin].map(String)).toEqual(['740700123450', '12345', '0'])
  expect(coins(alice?.fee ?? 0n)).toBe('7.40700124') // 7.40700123450 rounded up
  expect(exchange.wallet('bob', 'spot', 'BTC')).toBe('0.12332655')
  expect(exchange.wallet('bob', 'spot', 'USDT')).toBe('592.9987655')
  expect(exchange.wallet('alice', 'spot', 'BTC')).toBe('0')
  expect(exchange.wallet('alice', 'spot', 'USDT')).toBe('7399.59423326')
  expect(exchange.house('fees', 'BTC')).toBe('0.00012345')
  expect(exchange.house('fees', 'USDT')).toBe('7.40700124')
})

scenario(
  'risk-engine §10: a market buy of 100 USDC buys whole lots and gets back what it did not spend',
  (exchange) => {
    traders(exchange, 'alice').join('bob', { funds: { spot: '100 USDC' } })
    exchange.market = 'BTC/USDC'
    exchange.given('alice: sell 1 @ 60000.01')
    expect(exchange.place('bob: buy 100 USDC')).toBe('filled 0.00166')
    expect(exchange.wallet('bob', 'spot', 'USDC')).toBe('0.3999834')
    expect(exchange.wallet('bob', 'spot', 'BTC')).toBe('0.00165834')
    expect(exchange.ended()[0]).toMatchObject({
      status: 'filled',
      quantity: 0,
      quoteAmount: 10_000_000_000n,
      filled: 166,
    })
  },
)

table(
  'market buys by quote amount',
  // asks, USDT to spend, outcome, USDT left of 1000
  `
    asks                              | spend | outcome                              | left
    alice: sell 10 @ 100              | 300   | filled 3                             | 700
    alice: sell 10 @ 100              | 399   | filled 3                             | 700
    alice: sell 10 @ 100              | 99    | canceled no-liquidity                | 1000
    alice: sell 10 @ 100              | 1000  | filled 10                            | 0
    alice: sell 5 @ 100               | 1000  | filled 5, then canceled no-liquidity | 500
    alice: sell 2 @ 100; sell 5 @ 102 | 403   | filled 3                             | 698
    alice: sell 2 @ 100; sell 5 @ 102 | 404   | filled 4                             | 596
    alice: sell 2 @ 100; sell 5 @ 106 | 500   | filled 2, then canceled no-liquidity | 800
    -                                 | 500   | canceled no-liquidity                | 1000
    alice: sell 10 @ 100              | 1001  | refused insufficient-available       | 1000
    alice: sell 10 @ 100              | 0     | refused notional-below-minimum       | 1000
  `,
  (exchange, { asks, spend, outcome, left }) => {
    traders(exchange, 'alice').join('bob', { funds: { spot: '1000 USDT' } })
    exchange.market = 'SOL/USDT'
    exchange.given(asks)
    expect(exchange.place(`bob: buy ${spend} USDT`)).toBe(outcome)
    expect(exchange.wallet('bob', 'spot', 'USDT')).toBe(left)
  },
)

table(
  'what an order holds: exactly enough, one unit short',
  `
    funds             | order            | outcome                        | after
    300 USDT          | bob: buy 3 @ 100 | rests 3                        | 0 + 300 held
    299.99999999 USDT | bob: buy 3 @ 100 | refused insufficient-available | 299.99999999
    500 USDT          | bob: buy 3 @ 100 | rests 3                        | 200 + 300 held
    1 USDT            | bob: buy 3 @ 100 | refused insufficient-available | 1
  `,
  (exchange, { funds, order, outcome, after }) => {
    exchange.join('bob', { funds: { spot: funds } }).market = 'SOL/USDT'
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.wallet('bob', 'spot', 'USDT')).toBe(after)
  },
)

table(
  'sells hold base coin',
  `
    funds          | order             | outcome                        | after
    3 SOL          | bob: sell 3 @ 100 | rests 3                        | 0 + 3 held
    2.99999999 SOL | bob: sell 3 @ 100 | refused insufficient-available | 2.99999999
    2.99999999 SOL | bob: sell 3       | refused insufficient-available | 2.99999999
  `,
  (exchange, { funds, order, outcome, after }) => {
    exchange.join('bob', { funds: { spot: funds } }).market = 'SOL/USDT'
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.wallet('bob', 'spot', 'SOL')).toBe(after)
  },
)

scenario('two orders cannot hold the same coin; canceling the first lets the second in', (exchange) => {
  exchange.join('bob', { funds: { spot: '300 USDT' } }).market = 'SOL/USDT'
  exchange.given('bob: buy 2 oid:first @ 100')
  expect(exchange.place('bob: buy 2 @ 100')).toBe('refused insufficient-available')
  exchange.cancel('bob', 'first')
  expect(exchange.place('bob: buy 2 @ 100')).toBe('rests 2')
})

scenario('a buy that trades below its price gets the difference back at once', (exchange) => {
  traders(exchange, 'alice').join('bob', { funds: { spot: '1000 USDT' } }).market = 'SOL/USDT'
  exchange.given('alice: sell 4 @ 98')
  expect(exchange.place('bob: buy 10 @ 100')).toBe('filled 4, rests 6')
  expect(exchange.wallet('bob', 'spot', 'USDT')).toBe('8 + 600 held')
})

scenario('an order filled in pieces and canceled holds nothing and paid for what it got', (exchange) => {
  traders(exchange, 'alice').join('bob', { funds: { spot: '1000 USDT' } }).market = 'SOL/USDT'
  exchange.given('bob: buy 10 oid:big @ 100', 'alice: sell 3 @ 100', 'alice: sell 2 @ 90')
  expect(exchange.wallet('bob', 'spot', 'USDT')).toBe('0 + 500 held')
  exchange.cancel('bob', 'big')
  expect(exchange.wallet('bob', 'spot', 'USDT')).toBe('500')
  expect(exchange.wallet('bob', 'spot', 'SOL')).toBe('4.995')
  expect(exchange.ended()[0]).toMatchObject({ status: 'canceled', cancelReason: 'user', filled: 5 })
})

scenario('a maker rebate is rounded toward the house', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTC/USDT'
  const none = {
    status: undefined,
    tiers: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: 0, makerFeeRate: -100_000_000n as never, ...none }) // -0.01 %
  exchange.given('alice: buy 0.000033 @ 60000.01', 'bob: sell 0.000033 @ 60000.01')
  const maker = exchange.fills().find(({ scope }) => scope === 'maker')
  expect(maker?.fee).toBe(0n) // 3,300 units × 0.01 % = 0.33 of a unit: nothing
  exchange.given('alice: sell 0.000033 @ 60000.01', 'bob: buy 0.000033 @ 60000.01')
  const seller = exchange.fills().find(({ scope }) => scope === 'maker')
  expect(seller?.fee).toBe(-19800n) // 1.98000033 USDT × 0.01 % = 0.000198000033
})
