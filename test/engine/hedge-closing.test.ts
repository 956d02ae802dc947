/**
 * Closing in hedge mode, and what the sides mean in each version.
 * Source  interface E2 rule 4, E3 rules 1, 3, 4; design §4.10, §4.11; risk-engine §18.5, §23
 */
import { expect } from 'vitest'
import type { HoldMode } from '../../src/engine/vocabulary.ts'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Alice in hedge mode, long 100 against Bob; Carol bids 1000 at 99 and asks 1000 at 101. */
function longHundred(exchange: Exchange): void {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob', 'carol')
  exchange.given('bob: sell 100 @ 100', 'alice: buy 100 open @ 100')
}

/** In words of v2: `buy close` closes a long. */
table(
  'design §4.10: closes against the free part of a position of 100',
  `
    resting                    | incoming                   | outcome                       | after    | left
    -                          | alice: buy 40 close        | filled 40                     | long 60  | -
    -                          | alice: buy 100 close       | filled 100                    | flat     | -
    -                          | alice: buy 150 close       | filled 100                    | flat     | -
    -                          | alice: buy 100 close @ 110 | rests 100                     | long 100 | sell 100 @ 110
    -                          | alice: buy 101 close @ 110 | refused insufficient-position | long 100 | -

    // Position 100, limit 70, market 50: closes the free 30
    alice: buy 70 close @ 110  | alice: buy 50 close        | filled 30                     | long 70  | sell 70 @ 110
    alice: buy 70 close @ 110  | alice: buy 30 close        | filled 30                     | long 70  | sell 70 @ 110
    alice: buy 70 close @ 110  | alice: buy 10 close        | filled 10                     | long 90  | sell 70 @ 110
    alice: buy 70 close @ 110  | alice: buy 30 close @ 99   | filled 30                     | long 70  | sell 70 @ 110
    alice: buy 70 close @ 110  | alice: buy 30 close @ 120  | rests 30                      | long 100 | sell 70 @ 110; sell 30 @ 120
    alice: buy 70 close @ 110  | alice: buy 31 close @ 120  | refused insufficient-position | long 100 | sell 70 @ 110

    // Nothing free: the resting closes go, oldest first, until the new one fits
    alice: buy 100 close @ 110 | alice: buy 50 close        | canceled sell 100 @ 110,      | long 50  | -
                               |                            | filled 50                     |          |
    alice: buy 100 close @ 110 | alice: buy 50 close @ 120  | canceled sell 100 @ 110,      | long 100 | sell 50 @ 120
                               |                            | rests 50                      |          |
    alice: buy 60 close @ 120; | alice: buy 30 close @ 130  | canceled sell 60 @ 120,       | long 100 | sell 40 @ 110; sell 30 @ 130
    buy 40 close @ 110         |                            | rests 30                      |          |
    alice: buy 60 close @ 120; | alice: buy 70 close @ 130  | canceled sell 60 @ 120,       | long 100 | sell 70 @ 130
    buy 40 close @ 110         |                            | canceled sell 40 @ 110,       |          |
                               |                            | rests 70                      |          |
    alice: buy 60 close @ 120; | alice: buy 100 close @ 130 | canceled sell 60 @ 120,       | long 100 | sell 100 @ 130
    buy 40 close @ 110         |                            | canceled sell 40 @ 110,       |          |
                               |                            | rests 100                     |          |
    alice: buy 100 close @ 110 | alice: buy 150 close       | canceled sell 100 @ 110,      | flat     | -
                               |                            | filled 100                    |          |
    alice: buy 100 close @ 110 | alice: buy 101 close @ 120 | refused insufficient-position | long 100 | sell 100 @ 110

    // The other side has no position
    -                          | alice: sell 1 close        | refused nothing-to-reduce     | long 100 | -
    -                          | alice: sell 1 close @ 99   | refused nothing-to-reduce     | long 100 | -
  `,
  (exchange, { resting, incoming, outcome, after, left }) => {
    longHundred(exchange)
    exchange.given(resting, 'carol: buy 1000 @ 99', 'carol: sell 1000 @ 101')
    expect(exchange.place(incoming)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    expect(exchange.resting().filter((line) => line.startsWith('alice'))).toEqual(
      listed(left).map((line) => `alice ${line}`),
    )
  },
)

scenario('a close answers with its number even when earlier ones had to go', (exchange) => {
  longHundred(exchange)
  exchange.given('alice: buy 100 close @ 110', 'alice: buy 50 close @ 120')
  const { reply } = exchange.applied.at(-1) ?? {}
  expect(reply?.kind === 'placed' && reply.orderId > 0).toBe(true)
})

scenario('closes occupy their position and hold no margin', (exchange) => {
  longHundred(exchange)
  exchange.given('alice: buy 70 close @ 110')
  expect(exchange.position('alice')).toMatchObject({ quantity: 100, locked: 70 })
  expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
})

// Sides (design §4.11)

table(
  'v2 names the direction of the position, v3 the position itself',
  // version, line, what alice has then (from long 10, short 10, against bob's 100 at 100 on both sides)
  `
    version | line                   | after             | book side | effect
    v2      | alice: buy 1 v2 open   | long 11, short 10 | buy       | open
    v2      | alice: buy 1 v2 close  | long 9, short 10  | sell      | close
    v2      | alice: sell 1 v2 open  | long 10, short 11 | sell      | open
    v2      | alice: sell 1 v2 close | long 10, short 9  | buy       | close
    v3      | alice: buy 1 v3 long   | long 11, short 10 | buy       | open
    v3      | alice: sell 1 v3 long  | long 9, short 10  | sell      | close
    v3      | alice: sell 1 v3 short | long 10, short 11 | sell      | open
    v3      | alice: buy 1 v3 short  | long 10, short 9  | buy       | close
  `,
  (exchange, { line, after, bookSide, effect }) => {
    unifieds(exchange, 'alice', 'bob')
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: 'USDT-FUTURES', holdMode: 'hedge_mode' })
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 long @ 100', 'bob: buy 10 @ 100', 'alice: sell 10 short @ 100')
    exchange.given('bob: buy 50 @ 100', 'bob: sell 50 @ 101')
    expect(exchange.place(line)).toBe('filled 1')
    expect(exchange.holds('alice')).toBe(after)
    const fill = exchange.fills().find(({ uid }) => uid === exchange.uid('alice'))
    expect(fill).toMatchObject({ bookSide, effect, side: line.split(' ')[1] })
  },
)

table(
  'hedge mode needs to know which position is meant; one-way mode ignores what it is told',
  `
    hold mode    | line                       | outcome
    hedge_mode   | alice: buy 1 v3 @ 90       | refused position-side-required
    hedge_mode   | alice: buy 1 v2 @ 90       | refused position-side-required
    hedge_mode   | alice: buy 1 v3 long @ 90  | rests 1
    hedge_mode   | alice: buy 1 v2 open @ 90  | rests 1
    one_way_mode | alice: buy 1 v3 @ 90       | rests 1
    one_way_mode | alice: buy 1 v3 short @ 90 | rests 1
    one_way_mode | alice: buy 1 v2 close @ 90 | rests 1
  `,
  (exchange, { holdMode, line, outcome }) => {
    unifieds(exchange, 'alice')
    exchange.must({
      kind: 'set-hold-mode',
      uid: exchange.uid('alice'),
      line: undefined,
      holdMode: holdMode as HoldMode,
    })
    expect(exchange.place(line)).toBe(outcome)
  },
)

// risk-engine §23: a close never opens

table(
  'closes swept together never open, whatever else closes on the way',
  `
    orders                                        | sweep                | outcome               | after
    alice: buy 60 close @ 101; buy 40 close @ 102 | carol: buy 500 @ 103 | filled 100, rests 400 | flat
    alice: buy 100 close @ 101; sell 5 open @ 102 | carol: buy 500 @ 103 | filled 105, rests 395 | short 5
    alice: sell 5 open @ 101; buy 100 close @ 102 | carol: buy 50 @ 103  | filled 50             | long 55, short 5
  `,
  (exchange, { orders, sweep, outcome, after }) => {
    longHundred(exchange)
    exchange.given(orders)
    expect(exchange.place(sweep)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    for (const fill of exchange.fills().filter(({ uid }) => uid === exchange.uid('alice'))) {
      expect(fill.effect).toBe(fill.positionSide === 'long' ? 'close' : 'open')
    }
  },
)

scenario('both sides are kept apart: their own entry, profit and record', (exchange) => {
  longHundred(exchange)
  exchange.given('bob: buy 40 @ 110', 'alice: sell 40 open @ 110', 'bob: sell 40 @ 105', 'alice: sell 40 close @ 105')
  expect(exchange.holds('alice')).toBe('long 100')
  const closed = exchange.lastEvents.find((event) => event.kind === 'position-closed')
  expect(closed).toMatchObject({
    side: 'short',
    realizedPnl: 20_000_000_000n,
    openedQuantity: 40,
    holdMode: 'hedge_mode',
  })
})

scenario('what an account holds of a contract is its long less its short; nobody holds nothing', (exchange) => {
  longHundred(exchange)
  exchange.given('bob: buy 30 @ 100', 'alice: sell 30 open @ 100')
  const instrument = exchange.instrument().id
  const held = (uid: number) => exchange.query({ kind: 'net-position', uid, instrument })
  // Bob, in one-way mode, sold 100 and bought 30.
  expect([held(exchange.uid('alice')), held(exchange.uid('bob')), held(exchange.uid('carol'))]).toEqual([70, -70, 0])
  expect(held(1)).toBe(0)
})
