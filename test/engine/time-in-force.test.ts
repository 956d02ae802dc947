/**
 * What becomes of the rest: gtc, ioc, fok, post-only, and market orders inside their protection band.
 * Source  interface E2, E3; design §4.25, §4.29 (accepted, then canceled at once)
 */
import { expect } from 'vitest'
import { hourMs } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

for (const market of ['SOLUSDT', 'SOL/USDT'] as const) {
  table(
    `${market}: time in force`,
    `
      resting                           | incoming                    | outcome                              | book
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 3 ioc @ 99         | canceled no-liquidity                | bids none / asks 5 @ 100, 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 8 ioc @ 100        | filled 5, then canceled no-liquidity | bids none / asks 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 8 ioc @ 102        | filled 8                             | bids none / asks 2 @ 102
      -                                 | bob: buy 8 ioc @ 102        | canceled no-liquidity                | bids none / asks none
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 5 fok @ 100        | filled 5                             | bids none / asks 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 6 fok @ 100        | canceled no-liquidity                | bids none / asks 5 @ 100, 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 10 fok @ 102       | filled 10                            | bids none / asks none
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 11 fok @ 102       | canceled no-liquidity                | bids none / asks 5 @ 100, 5 @ 102
      -                                 | bob: buy 1 fok @ 100        | canceled no-liquidity                | bids none / asks none
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 3 post-only @ 99   | rests 3                              | bids 3 @ 99 / asks 5 @ 100, 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 3 post-only @ 100  | canceled post-only                   | bids none / asks 5 @ 100, 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 3 post-only @ 101  | canceled post-only                   | bids none / asks 5 @ 100, 5 @ 102
      alice: buy 5 @ 100                | bob: sell 3 post-only @ 100 | canceled post-only                   | bids 5 @ 100 / asks none
      alice: buy 5 @ 100                | bob: sell 3 post-only @ 101 | rests 3                              | bids 5 @ 100 / asks 3 @ 101
      alice: sell 5 @ 100; sell 5 @ 102 | bob: buy 8 @ 101            | filled 5, rests 3                    | bids 3 @ 101 / asks 5 @ 102
      alice: sell 5 @ 100; sell 5 @ 102 | bob: sell 4                 | canceled no-liquidity                | bids none / asks 5 @ 100, 5 @ 102
      alice: buy 5 @ 100                | bob: sell 4                 | filled 4                             | bids 1 @ 100 / asks none
      alice: buy 5 @ 100                | bob: sell 7                 | filled 5, then canceled no-liquidity | bids none / asks none
    `,
    (exchange, { resting, incoming, outcome, book }) => {
      traders(exchange, 'alice', 'bob').market = market
      exchange.given(resting)
      expect(exchange.place(incoming)).toBe(outcome)
      expect(exchange.depth()).toBe(book)
    },
  )
}

table(
  'design §4.25: a market order takes what lies within 5 % of the mark of 100, the rest is canceled',
  `
    resting                           | incoming    | outcome
    alice: sell 5 @ 105               | bob: buy 8  | filled 5, then canceled no-liquidity
    alice: sell 5 @ 106               | bob: buy 8  | canceled no-liquidity
    alice: sell 5 @ 105; sell 5 @ 106 | bob: buy 8  | filled 5, then canceled no-liquidity
    alice: buy 5 @ 95; buy 5 @ 94     | bob: sell 8 | filled 5, then canceled no-liquidity
    alice: buy 5 @ 94                 | bob: sell 8 | canceled no-liquidity
  `,
  (exchange, { resting, incoming, outcome }) => {
    traders(exchange, 'alice', 'bob').given(resting)
    expect(exchange.place(incoming)).toBe(outcome)
  },
)

scenario('the band goes with the mark, not with the last trade', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: sell 5 @ 120', 'bob: buy 1 @ 120')
  expect(exchange.place('bob: buy 1')).toBe('canceled no-liquidity')
  exchange.prices({ SOL: '115' })
  expect(exchange.place('bob: buy 1')).toBe('filled 1')
})

scenario('an order canceled at once has a number and a record, and can be told from a refused one', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: sell 5 @ 100')
  expect(exchange.place('bob: buy 3 post-only oid:mine @ 100')).toBe('canceled post-only')
  const { reply } = exchange.applied.at(-1) ?? {}
  expect(reply).toMatchObject({ kind: 'placed', clientOid: 'mine', orderId: expect.any(Number) })
  expect(exchange.ended()).toMatchObject([{ clientOid: 'mine', status: 'canceled', filled: 0, fee: 0n, quantity: 3 }])
  expect(exchange.wallet('bob', 'usdt_futures', 'USDT')).toBe('50000000')
})

scenario('an order that fits the mark when it comes still rests an hour later', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 5 @ 100')
  exchange.wait(hourMs).prices({ SOL: '50' })
  expect(exchange.resting()).toEqual(['alice buy 5 @ 100'])
})
