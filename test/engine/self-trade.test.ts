/**
 * Self-trade prevention: the taker's mode decides when it meets an order of its own family (design §4.35).
 * Earlier fills stand; nothing is booked for what was prevented. Source: interface E2, E3; risk-engine §19, §23.
 */
import { expect } from 'vitest'
import type { StpMode } from '../../src/engine/vocabulary.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Alice's own order between two of Bob's. */
const asks = ['bob: sell 2 @ 100', 'alice: sell 3 @ 101', 'bob: sell 4 @ 102']

for (const market of ['SOLUSDT', 'SOL/USDT'] as const) {
  table(
    `${market}: self-trade prevention`,
    `
      incoming                                      | outcome                                  | book
      alice: buy 9 stp:none @ 102                   | filled 9                                 | bids none / asks none
      alice: buy 9 stp:cancel-taker @ 102           | filled 2, then canceled self-trade       | bids none / asks 3 @ 101, 4 @ 102
      alice: buy 9 stp:cancel-maker @ 102           | canceled sell 3 @ 101, filled 6, rests 3 | bids 3 @ 102 / asks none
      alice: buy 9 stp:cancel-both @ 102            | canceled sell 3 @ 101, filled 2,         | bids none / asks 4 @ 102
                                                    | then canceled self-trade                 |
      // What ends before it meets its own does not care.
      alice: buy 2 stp:cancel-taker @ 102           | filled 2                                 | bids none / asks 3 @ 101, 4 @ 102
      alice: buy 2 stp:cancel-both @ 102            | filled 2                                 | bids none / asks 3 @ 101, 4 @ 102
      alice: buy 9 stp:cancel-taker @ 100           | filled 2, rests 7                        | bids 7 @ 100 / asks 3 @ 101, 4 @ 102
      // ioc
      alice: buy 9 ioc stp:cancel-maker @ 102       | canceled sell 3 @ 101, filled 6,         | bids none / asks none
                                                    | then canceled no-liquidity               |
      alice: buy 9 ioc stp:cancel-taker @ 102       | filled 2, then canceled self-trade       | bids none / asks 3 @ 101, 4 @ 102
      // fok: its count takes in only what it will really get (risk-engine §23)
      alice: buy 9 fok stp:none @ 102               | filled 9                                 | bids none / asks none
      alice: buy 6 fok stp:cancel-maker @ 102       | canceled sell 3 @ 101, filled 6          | bids none / asks none
      alice: buy 7 fok stp:cancel-maker @ 102       | canceled no-liquidity                    | bids none / asks 2 @ 100, 3 @ 101, 4 @ 102
      alice: buy 2 fok stp:cancel-taker @ 102       | filled 2                                 | bids none / asks 3 @ 101, 4 @ 102
      alice: buy 3 fok stp:cancel-taker @ 102       | canceled self-trade                      | bids none / asks 2 @ 100, 3 @ 101, 4 @ 102
      alice: buy 2 fok stp:cancel-both @ 102        | filled 2                                 | bids none / asks 3 @ 101, 4 @ 102
      alice: buy 3 fok stp:cancel-both @ 102        | canceled self-trade                      | bids none / asks 2 @ 100, 3 @ 101, 4 @ 102
      // post-only: an own order is in the way like any other
      alice: buy 1 post-only stp:cancel-maker @ 101 | canceled post-only                       | bids none / asks 2 @ 100, 3 @ 101, 4 @ 102
      alice: buy 1 post-only stp:none @ 101         | canceled post-only                       | bids none / asks 2 @ 100, 3 @ 101, 4 @ 102
    `,
    (exchange, { incoming, outcome, book }) => {
      traders(exchange, 'alice', 'bob').market = market
      exchange.given(...asks)
      expect(exchange.place(incoming)).toBe(outcome)
      expect(exchange.depth()).toBe(book)
    },
  )

  table(
    `${market}: only own orders in the way`,
    `
      incoming                                | outcome                                      | book
      alice: buy 5 stp:none @ 100             | filled 3, rests 2                            | bids 2 @ 100 / asks none
      alice: buy 5 stp:cancel-taker @ 100     | canceled self-trade                          | bids none / asks 3 @ 100
      alice: buy 5 stp:cancel-maker @ 100     | canceled sell 3 @ 100, rests 5               | bids 5 @ 100 / asks none
      alice: buy 5 stp:cancel-both @ 100      | canceled sell 3 @ 100, canceled self-trade   | bids none / asks none
      alice: buy 5 ioc stp:cancel-maker @ 100 | canceled sell 3 @ 100, canceled no-liquidity | bids none / asks none
      alice: buy 5 fok stp:cancel-maker @ 100 | canceled no-liquidity                        | bids none / asks 3 @ 100
    `,
    (exchange, { incoming, outcome, book }) => {
      traders(exchange, 'alice').market = market
      exchange.given('alice: sell 3 @ 100')
      expect(exchange.place(incoming)).toBe(outcome)
      expect(exchange.depth()).toBe(book)
    },
  )
}

table(
  'market orders',
  `
    incoming                                      | outcome
    alice: buy 9 SOLUSDT stp:cancel-taker         | filled 2, then canceled self-trade
    alice: buy 9 SOLUSDT stp:cancel-maker         | canceled sell 3 @ 101, filled 6, then canceled no-liquidity
    alice: buy 9 SOLUSDT stp:cancel-both          | canceled sell 3 @ 101, filled 2, then canceled self-trade
    alice: buy 900 SOL/USDT USDT stp:cancel-taker | canceled no-liquidity
  `,
  (exchange, { incoming, outcome }) => {
    traders(exchange, 'alice', 'bob').given(...asks)
    expect(exchange.place(incoming)).toBe(outcome)
  },
)

table(
  'a spot market buy by quote amount',
  `
    mode             | outcome
    stp:cancel-taker | filled 2, then canceled self-trade
    stp:cancel-maker | canceled sell 3 @ 101, filled 6, then canceled no-liquidity
    stp:cancel-both  | canceled sell 3 @ 101, filled 2, then canceled self-trade
    stp:none         | filled 9, then canceled no-liquidity
  `,
  (exchange, { mode, outcome }) => {
    traders(exchange, 'alice', 'bob').market = 'SOL/USDT'
    exchange.given(...asks)
    expect(exchange.place(`alice: buy 1100 USDT ${mode}`)).toBe(outcome)
  },
)

table(
  'the family counts: a main account and its sub-accounts',
  `
    maker  | taker  | outcome
    alice  | alicia | canceled self-trade
    alicia | alice  | canceled self-trade
    alicia | alan   | canceled self-trade
    bob    | alicia | filled 1
  `,
  (exchange, { maker, taker, outcome }) => {
    traders(exchange, 'alice', 'bob')
    exchange.join('alicia', { parent: 'alice', funds: { usdt_futures: '1000 USDT' } })
    exchange.join('alan', { parent: 'alice', funds: { usdt_futures: '1000 USDT' } })
    exchange.given(`${maker}: sell 1 @ 100`)
    expect(exchange.place(`${taker}: buy 1 stp:cancel-taker @ 100`)).toBe(outcome)
  },
)

table(
  "an order that names no mode takes the account's",
  `
    stp mode     | outcome
    none         | filled 1
    cancel_taker | canceled self-trade
    cancel_maker | canceled sell 1 @ 100, rests 1
    cancel_both  | canceled sell 1 @ 100, canceled self-trade
  `,
  (exchange, { stpMode, outcome }) => {
    traders(exchange, 'alice')
    exchange.must({ kind: 'set-stp-mode', uid: exchange.uid('alice'), stpMode: stpMode as StpMode })
    exchange.given('alice: sell 1 stp:none @ 100')
    expect(exchange.place('alice: buy 1 @ 100')).toBe(outcome)
  },
)

scenario("the maker's own mode does not matter", (exchange) => {
  traders(exchange, 'alice').given('alice: sell 1 stp:cancel-both @ 100')
  expect(exchange.place('alice: buy 1 stp:none @ 100')).toBe('filled 1')
})

scenario('spot and margin orders of one account meet in one book', (exchange) => {
  traders(exchange, 'alice').market = 'SOL/USDT'
  exchange.given('alice: sell 1 on-margin @ 100')
  expect(exchange.place('alice: buy 1 stp:cancel-taker @ 100')).toBe('canceled self-trade')
})

scenario('prevented quantity costs no fee and both holds come back', (exchange) => {
  traders(exchange, 'alice').market = 'SOL/USDT'
  exchange.given('alice: sell 3 @ 100', 'alice: buy 5 stp:cancel-both @ 100')
  expect(exchange.fills()).toEqual([])
  expect(exchange.wallet('alice', 'spot', 'USDT')).toBe('50000000')
  expect(exchange.wallet('alice', 'spot', 'SOL')).toBe('100000')
})
