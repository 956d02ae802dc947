/**
 * Closing orders whose position shrinks: cut to what it has left, in their place in the queue; gone with the position.
 * Source  design §4.39; risk-engine §18; interface E2 rule 6, E3 rule 2
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { coins } from './support/figures.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { endedTriggers, plan, setTpsl, waiting } from './support/triggers.ts'

function restingOf(exchange: Exchange, name: string): string[] {
  return exchange.resting().filter((line) => line.startsWith(name))
}

function cuts(exchange: Exchange): number[] {
  return exchange.lastEvents.filter((event) => event.kind === 'order-cut').map(({ cut }) => cut)
}

table(
  'one-way: a long 10 of alice shrinks, the oldest of her reduce-only orders is cut first',
  `
    resting                                        | shrinking                 | outcome                           | after   | left
    alice: sell 10 reduce-only @ 110               | alice: sell 6             | filled 6                          | long 4  | sell 4 @ 110
    alice: sell 10 reduce-only @ 110               | alice: sell 9             | filled 9                          | long 1  | sell 1 @ 110
    alice: sell 10 reduce-only @ 110               | alice: sell 10            | canceled sell 10 @ 110, filled 10 | flat    | -
    alice: sell 9 reduce-only @ 110                | alice: sell 1             | filled 1                          | long 9  | sell 9 @ 110
    alice: sell 5 reduce-only @ 110                | alice: sell 12            | canceled sell 5 @ 110, filled 12  | short 2 | -
    // Where several rest, the oldest first, whatever their prices
    alice: sell 4 reduce-only @ 120;               | alice: sell 3             | filled 3                          | long 7  | sell 1 @ 120; sell 6 @ 110
    sell 6 reduce-only @ 110                       |                           |                                   |         |
    alice: sell 4 reduce-only @ 120;               | alice: sell 4             | canceled sell 4 @ 120, filled 4   | long 6  | sell 6 @ 110
    sell 6 reduce-only @ 110                       |                           |                                   |         |
    alice: sell 4 reduce-only @ 120;               | alice: sell 5             | canceled sell 4 @ 120, filled 5   | long 5  | sell 5 @ 110
    sell 6 reduce-only @ 110                       |                           |                                   |         |
    alice: sell 4 reduce-only @ 110;               | alice: sell 5             | canceled sell 4 @ 110, filled 5   | long 5  | sell 2 @ 120; sell 3 @ 105
    sell 3 reduce-only @ 120;                      |                           |                                   |         |
    sell 3 reduce-only @ 105                       |                           |                                   |         |
    // A plain order of hers that is met, and a sweep over both
    alice: sell 5 reduce-only @ 110; sell 7 @ 102  | carol: buy 7 @ 102        | filled 7                          | long 3  | sell 3 @ 110
    alice: sell 5 @ 101; sell 10 reduce-only @ 102 | carol: buy 8 ioc @ 102    | filled 8                          | long 2  | sell 2 @ 102
    // A part of it was filled before
    alice: sell 8 reduce-only @ 110;               | alice: sell 6             | filled 6                          | long 1  | sell 1 @ 110
    carol: buy 3 ioc @ 110                         |                           |                                   |         |
    // What a newer one displaces is canceled, not cut (E3 rule 2)
    alice: sell 10 reduce-only @ 110               | alice: sell 6 reduce-only | canceled sell 10 @ 110, filled 6  | long 4  | -
  `,
  (exchange, { resting, shrinking, outcome, after, left }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', resting, 'carol: buy 100 @ 99')
    expect(exchange.place(shrinking)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
    expect(restingOf(exchange, 'alice')).toEqual(listed(left).map((line) => `alice ${line}`))
  },
)

scenario('a short likewise: its buy orders are cut', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 @ 100', 'alice: buy 10 reduce-only @ 90')
  exchange.given('bob: sell 6 @ 101', 'alice: buy 6 @ 101')
  expect(restingOf(exchange, 'alice')).toEqual(['alice buy 4 @ 90'])
  expect(exchange.depth()).toBe('bids 4 @ 90 / asks none')
})

scenario('what is cut keeps its place in the queue, and the level has that much less', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('alice: sell 10 reduce-only @ 110', 'bob: sell 5 @ 110', 'carol: buy 6 @ 99', 'alice: sell 6 @ 99')
  expect(exchange.depth()).toBe('bids none / asks 9 @ 110')
  exchange.given('carol: buy 4 @ 110')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.fills().map(({ uid }) => exchange.name(uid))).toEqual(['carol', 'alice'])
})

scenario('its size is what it was cut to: filled and left make it, and it ends as filled', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: sell 10 reduce-only oid:exit @ 110')
  exchange.given('carol: buy 3 ioc @ 110', 'carol: buy 5 @ 99', 'alice: sell 5 @ 99')
  const order = { orderId: undefined, clientOid: 'exit' }
  const standing = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order })
  expect(standing).toMatchObject({ quantity: 5, filled: 3, cut: 5, status: 'partially_filled', updatedAt: exchange.at })
  expect(cuts(exchange)).toEqual([5])
  exchange.given('carol: buy 2 @ 110')
  expect(exchange.ended().find(({ clientOid }) => clientOid === 'exit')).toMatchObject({
    quantity: 5,
    filled: 5,
    cut: 5,
    status: 'filled',
    cancelReason: '',
  })
})

scenario('cut twice, it says how much it has lost in all; what goes whole was not cut', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: sell 10 reduce-only oid:exit @ 110')
  exchange.given('carol: buy 100 @ 99', 'alice: sell 2 @ 99', 'alice: sell 3 @ 99')
  const order = { orderId: undefined, clientOid: 'exit' }
  expect(exchange.query({ kind: 'order', uid: exchange.uid('alice'), order })).toMatchObject({ quantity: 5, cut: 5 })
  exchange.given('alice: sell 5 @ 99')
  expect(cuts(exchange)).toEqual([])
  const [gone] = exchange.ended().filter(({ clientOid }) => clientOid === 'exit')
  expect(gone).toMatchObject({ quantity: 5, cut: 5, status: 'canceled', cancelReason: 'reduce-only' })
})

scenario('inverse, v2: a size in base coin is cut by the share of the contracts', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 60000', 'alice: buy 30000 @ 60000')
  exchange.given(
    'alice: sell 0.5 BTC reduce-only oid:exit @ 61000',
    'bob: buy 18000 @ 60000',
    'alice: sell 18000 @ 60000',
  )
  const order = { orderId: undefined, clientOid: 'exit' }
  const standing = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order })
  expect(standing).toMatchObject({ quantity: 12_000, cut: 18_000, baseAmount: 20_000_000n })
  const cut = exchange.lastEvents.find((event) => event.kind === 'order-cut')
  expect(coins(cut?.baseCut ?? 0n)).toBe('0.3')
})

scenario('a counterparty that is deleveraged keeps its closing order, for what it has left', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '100000 USDT' } })
  exchange.market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.join('dave', { funds: { usdt_futures: '1000000 USDT' } })
  exchange.given('bob: sell 0.3 @ 60000', 'dave: buy 0.3 @ 60000', 'bob: buy 0.8 reduce-only @ 40000')
  const placed = exchange.applied.length
  exchange.leap({ BTC: '50000' })
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.holds('bob')).toBe('short 0.3')
  expect(restingOf(exchange, 'bob')).toEqual(['bob buy 0.3 @ 40000'])
  // Nothing else has changed the book: readers of its depth see that it did.
  const book = { kind: 'book-sequence', instrument: exchange.instrument().id } as const
  expect(exchange.query(book)).toBeGreaterThan(placed)
})

// Hedge mode

table(
  'hedge mode: a long 100 of alice shrinks by a plan or a stop-loss of hers; closes that rest give way or are cut',
  `
    resting                   | trigger                   | after   | left
    // A plan that was larger than what is free now: it closes what is free, at a limit too
    alice: buy 70 close @ 110 | alice: buy 50 close       | long 70 | sell 70 @ 110
    alice: buy 70 close @ 110 | alice: buy 50 close @ 95  | long 70 | sell 70 @ 110
    -                         | alice: buy 150 close @ 95 | flat    | -
    -                         | alice: buy 150 close      | flat    | -
  `,
  (exchange, { resting, trigger, after, left }) => {
    hedgers(exchange, 'alice')
    traders(exchange, 'bob', 'carol', 'dave', 'erin')
    exchange.given('bob: sell 100 @ 100', 'alice: buy 100 open @ 100')
    expect(plan(exchange, trigger, 'last 97')).toBe('placed')
    exchange.given(resting, 'carol: buy 1000 @ 96')
    exchange.given('dave: sell 1 @ 97', 'erin: buy 1 ioc @ 97')
    expect(endedTriggers(exchange)).toEqual(['plan executed'])
    expect(exchange.holds('alice')).toBe(after)
    expect(restingOf(exchange, 'alice')).toEqual(listed(left).map((line) => `alice ${line}`))
  },
)

scenario('hedge mode: only the closes of the side that shrinks are cut', (exchange) => {
  hedgers(exchange, 'bob')
  exchange.join('alice', { funds: { usdt_futures: '100000 USDT' } })
  exchange.join('dave', { funds: { usdt_futures: '1000000 USDT' } })
  exchange.market = 'BTCUSDT'
  exchange.given('dave: sell 0.4 @ 60000', 'bob: buy 0.4 open @ 60000')
  exchange.given('bob: sell 0.5 open @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.given('bob: sell 0.3 open @ 60000', 'dave: buy 0.3 @ 60000')
  exchange.given('bob: sell 0.8 close @ 40000', 'bob: buy 0.4 close @ 70000')
  exchange.leap({ BTC: '50000' })
  // Of Alice's 0.5 the older short, Dave's, takes 0.1.
  expect(exchange.holds('bob')).toBe('long 0.4, short 0.4')
  expect(restingOf(exchange, 'bob')).toEqual(['bob buy 0.4 @ 40000', 'bob sell 0.4 @ 70000'])
})

// Take-profit, stop-loss and plans wait, whatever the position does, until it is gone

table(
  'a long 10 shrinks to 3: what waits still waits, and closes at most what is left',
  `
    tpsl            | waits                    | comes | after
    loss 97         | position-stop-loss at 97 | 97    | flat
    loss 97 of 8    | stop-loss 8 at 97        | 97    | flat
    loss 97 of 2    | stop-loss 2 at 97        | 97    | long 1
    profit 104 of 8 | take-profit 8 at 104     | 104   | flat
  `,
  (exchange, { tpsl, waits, comes, after }) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    setTpsl(exchange, 'alice', [tpsl])
    exchange.given('bob: buy 7 @ 100', 'alice: sell 7 @ 100')
    expect(waiting(exchange, 'alice')).toEqual([waits])
    exchange.given(`dave: sell 1 @ ${comes}`, `carol: buy 20 @ ${Number(comes) - 1}`, `erin: buy 1 ioc @ ${comes}`)
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('the limit order of a take-profit is cut, too', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  setTpsl(exchange, 'alice', ['profit 104 of 8 @ 106', 'loss 97 of 8'])
  exchange.given('dave: sell 1 @ 104', 'erin: buy 1 ioc @ 104')
  expect(restingOf(exchange, 'alice')).toEqual(['alice sell 8 @ 106'])
  exchange.given('carol: buy 7 @ 99', 'alice: sell 7 @ 99')
  expect(restingOf(exchange, 'alice')).toEqual(['alice sell 3 @ 106'])
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 8 at 97'])
  // Once it has filled, what it was set together with goes.
  exchange.given('carol: buy 3 @ 106')
  expect(exchange.holds('alice')).toBe('flat')
  expect(waiting(exchange, 'alice')).toEqual([])
})
