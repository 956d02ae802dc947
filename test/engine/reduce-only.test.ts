/**
 * Reduce-only in one-way mode: cut to the position, earlier ones go first, an exact fit stays, never a flip.
 * What becomes of them when their position shrinks is in cut-closing.test.ts.
 * Source  interface E2 rule 6, E3 rule 2; design §4.9, §4.28; risk-engine §18, §23
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Gives Alice a position against Bob, at 100. */
function take(exchange: Exchange, position: string): void {
  if (position === 'flat') return
  const [side, quantity] = position.split(' ')
  const [mine, theirs] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  exchange.given(`bob: ${theirs} ${quantity} @ 100`, `alice: ${mine} ${quantity} @ 100`)
}

table(
  'design §4.9: reduce-only, one-way mode, against bids of carol at 99 and asks at 101',
  `
    position | resting                          | incoming                         | outcome                   | after    | left
    long 10  | -                                | alice: sell 4 reduce-only @ 99   | filled 4                  | long 6   | -
    long 10  | -                                | alice: sell 10 reduce-only @ 99  | filled 10                 | flat     | -
    long 10  | -                                | alice: sell 15 reduce-only @ 99  | filled 10                 | flat     | -
    long 10  | -                                | alice: sell 15 reduce-only       | filled 10                 | flat     | -
    long 10  | -                                | alice: sell 15 reduce-only @ 100 | rests 10                  | long 10  | sell 10 @ 100
    short 10 | -                                | alice: buy 15 reduce-only @ 101  | filled 10                 | flat     | -
    short 10 | -                                | alice: buy 4 reduce-only         | filled 4                  | short 6  | -
    short 10 | -                                | alice: buy 11 reduce-only @ 100  | rests 10                  | short 10 | buy 10 @ 100

    // Nothing to reduce: flat, or the same direction
    flat     | -                                | alice: sell 1 reduce-only @ 99   | refused nothing-to-reduce | flat     | -
    flat     | -                                | alice: buy 1 reduce-only         | refused nothing-to-reduce | flat     | -
    long 10  | -                                | alice: buy 1 reduce-only @ 99    | refused nothing-to-reduce | long 10  | -
    short 10 | -                                | alice: sell 1 reduce-only @ 99   | refused nothing-to-reduce | short 10 | -

    // Earlier ones go, oldest first, until all fit
    long 10  | alice: sell 8 reduce-only @ 110  | alice: sell 5 reduce-only @ 99   | canceled sell 8 @ 110,    | long 5   | -
             |                                  |                                  | filled 5                  |          |
    long 10  | alice: sell 8 reduce-only @ 110  | alice: sell 5 reduce-only @ 111  | canceled sell 8 @ 110,    | long 10  | sell 5 @ 111
             |                                  |                                  | rests 5                   |          |
    long 10  | alice: sell 4 reduce-only @ 110; | alice: sell 1 reduce-only @ 130  | canceled sell 4 @ 110,    | long 10  | sell 3 @ 120;
             | sell 3 reduce-only @ 120;        |                                  | rests 1                   |          | sell 3 @ 105;
             | sell 3 reduce-only @ 105         |                                  |                           |          | sell 1 @ 130
    long 10  | alice: sell 4 reduce-only @ 110; | alice: sell 5 reduce-only @ 130  | canceled sell 4 @ 110,    | long 10  | sell 3 @ 105;
             | sell 3 reduce-only @ 120;        |                                  | canceled sell 3 @ 120,    |          | sell 5 @ 130
             | sell 3 reduce-only @ 105         |                                  | rests 5                   |          |
    long 10  | alice: sell 4 reduce-only @ 110; | alice: sell 30 reduce-only @ 130 | canceled sell 4 @ 110,    | long 10  | sell 10 @ 130
             | sell 3 reduce-only @ 120         |                                  | canceled sell 3 @ 120,    |          |
             |                                  |                                  | rests 10                  |          |

    // An exact fit stays: 4 + 3 + 3 of 10 (design §4.28)
    long 10  | alice: sell 4 reduce-only @ 110; | alice: sell 3 reduce-only @ 130  | rests 3                   | long 10  | sell 4 @ 110;
             | sell 3 reduce-only @ 120         |                                  |                           |          | sell 3 @ 120;
             |                                  |                                  |                           |          | sell 3 @ 130
    long 10  | alice: sell 4 reduce-only @ 110; | alice: sell 3 reduce-only @ 99   | filled 3                  | long 7   | sell 4 @ 110;
             | sell 3 reduce-only @ 120         |                                  |                           |          | sell 3 @ 120

    // Plain orders neither count nor go
    long 10  | alice: sell 10 @ 110             | alice: sell 10 reduce-only @ 120 | rests 10                  | long 10  | sell 10 @ 110;
             |                                  |                                  |                           |          | sell 10 @ 120
  `,
  (exchange, { position, resting, incoming, outcome, after, left }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    take(exchange, position)
    exchange.given(resting, 'carol: buy 100 @ 99', 'carol: sell 100 @ 101')
    expect(exchange.place(incoming)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    expect(exchange.resting().filter((line) => line.startsWith('alice'))).toEqual(
      listed(left).map((line) => `alice ${line}`),
    )
  },
)

scenario('the answer carries no number when earlier ones had to go; the order is found by its own id', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  exchange.given('alice: sell 8 reduce-only @ 110')
  expect(exchange.applied.at(-1)?.reply).toMatchObject({ kind: 'placed', orderId: expect.any(Number) })
  exchange.given('alice: sell 5 reduce-only oid:new @ 111')
  expect(exchange.applied.at(-1)?.reply).toMatchObject({ kind: 'placed', orderId: 0, clientOid: 'new' })
  const order = { orderId: undefined, clientOid: 'new' }
  expect(exchange.query({ kind: 'order', uid: exchange.uid('alice'), order })).toMatchObject({ quantity: 5 })
})

scenario('reduce-only orders hold no margin', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  exchange.given('alice: sell 10 reduce-only @ 110')
  expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
  expect(exchange.position('alice')).toMatchObject({ quantity: 10, locked: 10, opening: 0 })
})

scenario('reduce-only is ignored in hedge mode (design §4.28)', (exchange) => {
  exchange.join('alice', { mode: 'unified', funds: { uta: '1000 USDT' } })
  exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' })
  expect(exchange.place('alice: buy 1 long reduce-only @ 90')).toBe('rests 1')
})

// risk-engine §18.1, §23: at every fill, not only at entry

table(
  'swept over several levels, reduce-only orders never flip their position',
  // alice's orders on a long 10, the sweep, its outcome, alice after, book after
  `
    orders                           | sweep                   | outcome                         | after   | book
    alice: sell 6 @ 101;             | carol: buy 20 @ 103     | canceled alice's sell 6 @ 102,  | flat    | bids 10 @ 103 / asks none
    sell 10 reduce-only @ 102        |                         | filled 10, rests 10             |         |
    alice: sell 10 @ 101;            | carol: buy 20 @ 103     | canceled alice's sell 10 @ 102, | flat    | bids 10 @ 103 / asks none
    sell 10 reduce-only @ 102        |                         | filled 10, rests 10             |         |
    alice: sell 12 @ 101;            | carol: buy 20 @ 102     | canceled alice's sell 10 @ 102, | short 2 | bids 7 @ 102 / asks none
    sell 10 reduce-only @ 102;       |                         | filled 13, rests 7              |         |
    bob: sell 1 @ 102                |                         |                                 |         |
    alice: sell 4 reduce-only @ 101; | carol: buy 20 @ 103     | filled 10, rests 10             | flat    | bids 10 @ 103 / asks none
    sell 6 reduce-only @ 102         |                         |                                 |         |
    alice: sell 3 @ 101;             | carol: buy 20 ioc @ 103 | canceled alice's sell 3 @ 103,  | flat    | bids none / asks none
    sell 5 reduce-only @ 102;        |                         | filled 10,                      |         |
    sell 5 reduce-only @ 103         |                         | then canceled no-liquidity      |         |
    alice: sell 8 @ 101;             | carol: buy 11 fok @ 102 | canceled no-liquidity           | long 10 | bids none / asks 8 @ 101, 10 @ 102
    sell 10 reduce-only @ 102        |                         |                                 |         |
    alice: sell 8 @ 101;             | carol: buy 10 fok @ 102 | canceled alice's sell 8 @ 102,  | flat    | bids none / asks none
    sell 10 reduce-only @ 102        |                         | filled 10                       |         |
  `,
  (exchange, { orders, sweep, outcome, after, book }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    take(exchange, 'long 10')
    exchange.given(orders)
    expect(exchange.place(sweep)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    expect(exchange.depth()).toBe(book)
  },
)

table(
  'against own orders (no prevention): the book never stays crossed',
  // alice short 10 in the mark of 100, her orders, her incoming order, outcome, after, book
  `
    orders                                       | incoming             | outcome            | after    | book
    alice: buy 2 @ 102; buy 10 reduce-only @ 101 | alice: sell 12 @ 101 | filled 12          | short 10 | bids none / asks none
    alice: buy 2 @ 102; buy 10 reduce-only @ 101 | alice: sell 20 @ 100 | filled 12, rests 8 | short 10 | bids none / asks 8 @ 100
  `,
  (exchange, { orders, incoming, outcome, after, book }) => {
    traders(exchange, 'alice', 'bob')
    take(exchange, 'short 10')
    exchange.given(orders)
    expect(exchange.place(incoming)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    expect(exchange.depth()).toBe(book)
  },
)

table(
  "reduce-only orders that go at once take nobody's place",
  // incoming against a bid of 7 at 99, beside a resting reduce-only order of 8; outcome, occupied then
  `
    incoming                                 | outcome                                                     | occupied
    alice: sell 5 reduce-only post-only @ 99 | canceled post-only                                          | 8
    alice: sell 5 reduce-only ioc @ 100      | canceled no-liquidity                                       | 8
    alice: sell 8 reduce-only fok @ 99       | canceled no-liquidity                                       | 8
    alice: sell 7 reduce-only fok @ 99       | canceled sell 8 @ 110, filled 7                             | 0
    alice: sell 20 reduce-only ioc @ 99      | canceled sell 8 @ 110, filled 7, then canceled no-liquidity | 0
  `,
  (exchange, { incoming, outcome, occupied }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    take(exchange, 'long 10')
    exchange.given('alice: sell 8 reduce-only @ 110', 'carol: buy 7 @ 99')
    expect(exchange.place(incoming)).toBe(outcome)
    expect(exchange.position('alice').locked).toBe(Number(occupied))
    const { reply } = exchange.applied.at(-1) ?? {}
    expect(reply?.kind === 'placed' && reply.orderId === 0).toBe(outcome.startsWith('canceled sell'))
  },
)
