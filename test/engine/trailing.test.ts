/**
 * Trailing orders: what they wait for, which price they follow, when they are triggered and what comes of them.
 * Source  docs/decisions/0025-trailing-orders.md; interface E3 presets; design §4.18; risk-engine §18, §23
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { changeTrail, trail, trails, trailStop } from './support/trailing.ts'
import { endedTriggers, plan, setTpsl, waiting } from './support/triggers.ts'

/** Gives Alice a position against Bob at 100. */
function take(exchange: Exchange, position: string): void {
  const [side, quantity] = position.split(' ')
  const [mine, theirs] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  exchange.given(`bob: ${theirs} ${quantity} @ 100`, `alice: ${mine} ${quantity} @ 100`)
}

/** Two others trade one lot at each price in turn: it is the last price. */
function last(exchange: Exchange, ...prices: readonly string[]): void {
  for (const price of prices) exchange.given(`dave: sell 1 @ ${price}`, `erin: buy 1 ioc @ ${price}`)
}

/** Every `last 100` or `mark 100` in turn. */
function come(exchange: Exchange, prices: string): void {
  for (const step of listed(prices)) {
    const [by, price = ''] = step.split(' ')
    if (by === 'mark') exchange.prices({ SOL: price })
    else last(exchange, price)
  }
}

table(
  'an order waits for its activation price, follows the best price since, and is triggered when the price turns back',
  // A tick is a dollar: 5 % below 103 is 97.85, so a sell is due at 97; 5 % above 98 is 102.9, so a buy is due at 103
  `
    line          | waits            | prices                       | expected
    alice: sell 5 | 5%               | last 100                     | sell 5 best 100 due at 95
    alice: sell 5 | 5%               | last 103                     | sell 5 best 103 due at 97
    alice: sell 5 | 5%               | last 103; last 99; last 98   | sell 5 best 103 due at 97
    alice: sell 5 | 5%               | last 103; last 97            | -
    alice: sell 5 | 5%               | last 103; last 90            | -
    alice: sell 5 | 0.01%            | last 100; last 99            | -
    alice: sell 5 | 10%              | last 100; last 91            | sell 5 best 100 due at 90
    alice: buy 5  | 5%               | last 98                      | buy 5 best 98 due at 103
    alice: buy 5  | 5%               | last 98; last 102            | buy 5 best 98 due at 103
    alice: buy 5  | 5%               | last 98; last 103            | -
    // Until the activation price is reached the best price does not count
    alice: sell 5 | 5% from 104      | last 103; last 96            | sell 5 from 104
    alice: sell 5 | 5% from 104      | last 104                     | sell 5 best 104 due at 98
    alice: sell 5 | 5% from 104      | last 106                     | sell 5 best 106 due at 100
    alice: sell 5 | 5% from 104      | last 106; last 105; last 101 | sell 5 best 106 due at 100
    alice: sell 5 | 5% from 104      | last 106; last 100           | -
    // It may lie on the other side of the price
    alice: sell 5 | 5% from 97       | last 99; last 98             | sell 5 from 97
    alice: sell 5 | 5% from 97       | last 97                      | sell 5 best 97 due at 92
    alice: sell 5 | 5% from 97       | last 97; last 99             | sell 5 best 99 due at 94
    alice: buy 5  | 5% from 96       | last 95                      | buy 5 best 95 due at 100
    // By the mark price trades do not count, and the other way round
    alice: sell 5 | 5% from mark 104 | last 105                     | sell 5 from 104
    alice: sell 5 | 5% from mark 104 | mark 105                     | sell 5 best 105 due at 99
    alice: sell 5 | 5% from mark 104 | mark 105; last 90            | sell 5 best 105 due at 99
    alice: sell 5 | 5% from mark 104 | mark 105; mark 99            | -
    alice: sell 5 | 5% from 104      | mark 105                     | sell 5 from 104
  `,
  (exchange, { line, waits, prices, expected }) => {
    traders(exchange, 'alice', 'carol', 'dave', 'erin')
    last(exchange, '100')
    exchange.given('carol: buy 20 @ 85', 'carol: sell 20 @ 115')
    expect(trail(exchange, line, waits)).toBe('placed')
    come(exchange, prices)
    expect(trails(exchange, 'alice')).toEqual(listed(expected))
    const side = line.includes('sell') ? 'short' : 'long'
    expect(exchange.holds('alice')).toBe(expected === '-' ? `${side} 5` : 'flat')
  },
)

table(
  'a trailing stop closes its position, or what is left of the quantity that it was set for',
  `
    position | waits                 | before                                | prices             | fired                           | after
    long 10  | 3%                    | -                                     | last 104; last 100 | position-trailing-stop executed | flat
    long 10  | 3% of 4               | -                                     | last 104; last 100 | trailing-stop executed          | long 6
    long 10  | 3% of 8               | bob: buy 7 @ 100; alice: sell 7 @ 100 | last 104; last 100 | trailing-stop executed          | flat
    short 10 | 3%                    | -                                     | last 96; last 99   | position-trailing-stop executed | flat
    short 10 | 3% of 4               | -                                     | last 96; last 99   | trailing-stop executed          | short 6
    long 10  | 3% from 105           | -                                     | last 104; last 98  | -                               | long 10
    long 10  | 3% from mark 105 of 4 | -                                     | mark 106; mark 102 | trailing-stop executed          | long 6
  `,
  (exchange, { position, waits, before, prices, fired, after }) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
    take(exchange, position)
    expect(trailStop(exchange, 'alice', waits)).toBe('triggers-placed')
    exchange.given(...listed(before), position.startsWith('long') ? 'carol: buy 20 @ 97' : 'carol: sell 20 @ 103')
    come(exchange, prices)
    expect(endedTriggers(exchange)).toEqual(listed(fired))
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('what is triggered is at market, names its cause and the order that came of it', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  trailStop(exchange, 'alice', '3% of 4')
  exchange.given('carol: buy 20 @ 96')
  last(exchange, '97')
  const order = exchange.ended().find(({ cause }) => cause === 'trailing-stop')
  const fired = exchange.lastEvents.find((event) => event.kind === 'trigger-ended')
  expect(order).toMatchObject({ reduceOnly: true, status: 'filled', orderType: 'market', bookSide: 'sell' })
  expect(fired?.trigger).toMatchObject({
    status: 'executed',
    executedOrderId: order?.orderId,
    price: 97,
    trailing: { rate: 300, activation: 0, best: 100 },
  })
})

scenario('a position that closes takes its trailing stops along, and none of its owner’s plans', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  trailStop(exchange, 'alice', '5%')
  trailStop(exchange, 'alice', '5% from 120 of 4')
  trail(exchange, 'alice: sell 3', '5%')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 @ 100')
  expect(endedTriggers(exchange)).toEqual(['trailing-stop canceled', 'position-trailing-stop canceled'])
  expect(trails(exchange, 'alice')).toEqual(['sell 3 best 100 due at 95'])
})

scenario(
  'a new trailing stop of the whole position replaces the old, beside its take-profit and stop-loss',
  (exchange) => {
    traders(exchange, 'alice', 'bob')
    take(exchange, 'long 10')
    setTpsl(exchange, 'alice', ['profit 120', 'loss 90'])
    trailStop(exchange, 'alice', '5%')
    trailStop(exchange, 'alice', '3%')
    expect(endedTriggers(exchange)).toEqual(['position-trailing-stop canceled'])
    setTpsl(exchange, 'alice', ['loss 80'])
    expect(endedTriggers(exchange)).toEqual(['position-stop-loss canceled'])
    expect(trails(exchange, 'alice')).toEqual(['sell best 100 due at 97'])
    const { takeProfit, stopLoss } = exchange.position('alice')
    expect([takeProfit?.trigger, stopLoss?.trigger]).toEqual([120, 80])
  },
)

table(
  'refused trailing orders',
  `
    position | order         | waits       | expected
    flat     | stop          | 5%          | refused trigger-position-short
    long 10  | stop          | 5% of 11    | refused trigger-position-short
    long 10  | stop          | 5% of 10    | triggers-placed
    long 10  | stop          | 5% of 0     | refused quantity-below-minimum
    // Neither side of the price is wrong
    long 10  | stop          | 5% from 90  | triggers-placed
    long 10  | stop          | 5% from 110 | triggers-placed
    flat     | alice: sell 1 | 5%          | placed
  `,
  (exchange, { position, order, waits, expected }) => {
    traders(exchange, 'alice', 'bob')
    if (position !== 'flat') take(exchange, position)
    expect(order === 'stop' ? trailStop(exchange, 'alice', waits) : trail(exchange, order, waits)).toBe(expected)
  },
)

table(
  'a change of the rate keeps the best price; another activation price begins anew',
  `
    set         | prices             | change           | later    | expected
    5%          | last 110           | 4%               | -        | sell 5 best 110 due at 105
    5%          | last 110           | 4% of 2          | -        | sell 2 best 110 due at 105
    5% from 105 | last 110; last 106 | 3% from 105      | -        | sell 5 best 110 due at 106
    5% from 105 | last 110; last 107 | 5% from 112      | -        | sell 5 from 112
    5% from 105 | last 110; last 107 | 5% from 112      | last 113 | sell 5 best 113 due at 107
    5% from 105 | last 110; last 107 | 5%               | -        | sell 5 best 107 due at 101
    5% from 105 | last 110; last 107 | 5% from mark 105 | -        | sell 5 from 105
    5% from 120 | last 110           | 4% from 120      | -        | sell 5 from 120
  `,
  (exchange, { set, prices, change, later, expected }) => {
    traders(exchange, 'alice', 'dave', 'erin')
    last(exchange, '100')
    trail(exchange, 'alice: sell 5', set)
    come(exchange, prices)
    const due = expected.endsWith('due at 106')
    expect(changeTrail(exchange, 'alice', change)).toBe('modified')
    if (later !== '-') come(exchange, later)
    expect(trails(exchange, 'alice')).toEqual(due ? [] : [expected])
  },
)

scenario('a smaller rate that the price has passed already triggers at once', (exchange) => {
  traders(exchange, 'alice', 'carol', 'dave', 'erin')
  exchange.given('carol: buy 9 @ 97')
  last(exchange, '100')
  trail(exchange, 'alice: sell 5', '5% from 102')
  last(exchange, '104', '101')
  expect(trails(exchange, 'alice')).toEqual(['sell 5 best 104 due at 98'])
  expect(changeTrail(exchange, 'alice', '2% from 102')).toBe('modified')
  expect(exchange.holds('alice')).toBe('short 5')
})

scenario('hedge mode: a closing plan is cut to what its position has left', (exchange) => {
  hedgers(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100')
  expect(trail(exchange, 'alice: buy 10 close', '3%')).toBe('placed')
  exchange.given('bob: sell 6 close @ 100', 'alice: buy 6 close @ 100', 'carol: buy 20 open @ 96')
  exchange.given('dave: sell 1 open @ 97', 'erin: buy 1 open ioc @ 97')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.ended().find(({ cause }) => cause === 'trailing-plan')).toMatchObject({ filled: 4, status: 'filled' })
})

scenario('a reduce-only plan is cut likewise, and fails with nothing left', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  trail(exchange, 'alice: sell 10 reduce-only', '3%')
  trail(exchange, 'alice: sell 10 reduce-only', '4%')
  exchange.given('bob: buy 6 @ 100', 'alice: sell 6 @ 100', 'carol: buy 20 @ 95')
  last(exchange, '97')
  expect(exchange.holds('alice')).toBe('flat')
  // It trades at 95, which the other has waited for.
  expect(endedTriggers(exchange)).toEqual(['trailing-plan executed', 'trailing-plan failed nothing-to-reduce'])
})

scenario('what it opens has its take-profit and stop-loss so far from the last price', (exchange) => {
  traders(exchange, 'alice', 'carol', 'dave', 'erin')
  exchange.given('carol: sell 20 @ 104')
  last(exchange, '100')
  trail(exchange, 'alice: buy 5', '3%', [1000, 350])
  last(exchange, '103')
  expect(exchange.holds('alice')).toBe('long 5')
  // The last price is 103 when it is triggered: 113.3 and 99.395, down to whole ticks.
  expect(waiting(exchange, 'alice')).toEqual(['take-profit 5 at 113', 'stop-loss 5 at 99'])
})

scenario('risk-engine §23: margin is checked when it is triggered, and it fails with the reason', (exchange) => {
  traders(exchange, 'dave', 'erin').join('alice', { funds: { usdt_futures: '10 USDT' } })
  last(exchange, '100')
  expect(trail(exchange, 'alice: buy 100', '4%')).toBe('placed')
  exchange.given('dave: sell 200 @ 105')
  last(exchange, '104')
  expect(endedTriggers(exchange)).toEqual(['trailing-plan failed insufficient-margin'])
})

scenario('of all that is due what the price has passed furthest comes first, whatever it is', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin', 'frank')
  last(exchange, '100')
  exchange.given('carol: buy 50 @ 80')
  trail(exchange, 'alice: sell 1', '4%')
  plan(exchange, 'bob: sell 1', 'last 97')
  trail(exchange, 'frank: sell 1', '2%')
  plan(exchange, 'dave: sell 1', 'last 96')
  last(exchange, '90')
  const order = exchange.lastEvents.flatMap((event) => (event.kind === 'trigger-ended' ? [event.trigger.uid] : []))
  expect(order).toEqual(['frank', 'bob', 'alice', 'dave'].map((name) => exchange.uid(name)))
})

scenario(
  'of those that one price makes active the one without an activation price is first, then the furthest passed',
  (exchange) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'gina')
    exchange.given('carol: buy 50 @ 80')
    // Before the first trade all of them wait; the mark stands at 100.
    trail(exchange, 'alice: sell 1', '2% from 103')
    trail(exchange, 'bob: sell 1', '2% from 101')
    trail(exchange, 'gina: sell 1', '2% from 101')
    trail(exchange, 'frank: sell 1', '2%')
    last(exchange, '105', '90')
    const order = exchange.lastEvents.flatMap((event) => (event.kind === 'trigger-ended' ? [event.trigger.uid] : []))
    expect(order).toEqual(['frank', 'bob', 'gina', 'alice'].map((name) => exchange.uid(name)))
  },
)

scenario('a price that activates many triggers none of them, and each follows from there', (exchange) => {
  traders(exchange, 'alice', 'bob', 'dave', 'erin')
  last(exchange, '100')
  for (let index = 0; index < 80; index++) trail(exchange, 'alice: sell 1', '5% from 105')
  exchange.given('bob: buy 80 @ 95')
  last(exchange, '106', '104')
  expect(trails(exchange, 'alice')).toEqual(Array.from({ length: 80 }, () => 'sell 1 best 106 due at 100'))
})

scenario('while a contract is halted nothing is followed', (exchange) => {
  traders(exchange, 'alice', 'dave', 'erin')
  trail(exchange, 'alice: sell 5', '5% from mark 100')
  exchange.prices({ SOL: '101' })
  const set = { kind: 'set-instrument', instrument: exchange.instrument().id } as const
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ ...set, ...same, status: 'halted' })
  exchange.prices({ SOL: '108' })
  exchange.prices({ SOL: '103' })
  exchange.must({ ...set, ...same, status: 'online' })
  expect(trails(exchange, 'alice')).toEqual(['sell 5 best 103 due at 97'])
})

scenario('before the first trade an order by the last price waits for it', (exchange) => {
  traders(exchange, 'alice', 'dave', 'erin')
  expect(trail(exchange, 'alice: sell 5', '5%')).toBe('placed')
  expect(exchange.query({ kind: 'table-counts' }).triggers).toBe(1)
  last(exchange, '103')
  expect(trails(exchange, 'alice')).toEqual(['sell 5 best 103 due at 97'])
})

scenario('its activation is told, and canceling it leaves nothing behind', (exchange) => {
  traders(exchange, 'alice', 'dave', 'erin')
  last(exchange, '100')
  trail(exchange, 'alice: sell 5', '5% from 104')
  last(exchange, '104')
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'trigger-accepted')).toHaveLength(1)
  last(exchange, '108')
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'trigger-accepted')).toEqual([])
  const orders = { uid: exchange.uid('alice'), interface: 'v2', category: 'USDT-FUTURES', kinds: [] } as const
  exchange.must({ kind: 'cancel-triggers', ...orders, instrument: undefined })
  expect(endedTriggers(exchange)).toEqual(['trailing-plan canceled'])
  last(exchange, '90')
  expect(exchange.holds('alice')).toBe('flat')
})

scenario(
  'design §4.18: trailing orders count among the 400, and their client order ids are those of orders',
  (exchange) => {
    traders(exchange, 'alice')
    for (let index = 0; index < 398; index++) exchange.given('alice: buy 1 @ 90')
    expect(trail(exchange, 'alice: buy 1 oid:mine', '5%')).toBe('placed')
    expect(trail(exchange, 'alice: buy 1 oid:mine', '5%')).toBe('refused duplicate-client-order-id')
    expect(trail(exchange, 'alice: buy 1', '5%')).toBe('placed')
    expect(trail(exchange, 'alice: buy 1', '5%')).toBe('refused open-orders-max')
  },
)
