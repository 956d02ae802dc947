/**
 * Trigger orders: plans, take-profits and stop-losses, presets; what they wait for and what comes of them.
 * Source  interface E3 presets, E5; design §4.9-§4.11, §4.18; risk-engine §14, §18, §23
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { endedTriggers, setTpsl, plan, outcomeOf, waiting, withPresets } from './support/triggers.ts'

/** Gives Alice a position against Bob at 100; a book around it stays for what fires. */
function take(exchange: Exchange, position: string): void {
  const [side, quantity] = position.split(' ')
  const [mine, theirs] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  exchange.given(`bob: ${theirs} ${quantity} @ 100`, `alice: ${mine} ${quantity} @ 100`)
}

/** Two others trade one lot at a price: it is the last price. */
function last(exchange: Exchange, price: string): void {
  exchange.given(`dave: sell 1 @ ${price}`, `erin: buy 1 ioc @ ${price}`)
}

table(
  'a TP/SL closes its position once its price is reached',
  `
    position | tpsl                          | comes    | fired                                                      | after
    long 10  | profit 104                    | last 103 | -                                                          | long 10
    long 10  | profit 104                    | last 104 | position-take-profit executed                              | flat
    long 10  | loss 97                       | last 98  | -                                                          | long 10
    long 10  | loss 97                       | last 97  | position-stop-loss executed                                | flat
    long 10  | loss 97                       | mark 97  | -                                                          | long 10
    long 10  | loss 97 mark                  | mark 97  | position-stop-loss executed                                | flat
    long 10  | loss 97 mark                  | last 97  | -                                                          | long 10
    long 10  | profit 104 mark               | mark 105 | position-take-profit executed                              | flat
    short 10 | profit 97                     | last 97  | position-take-profit executed                              | flat
    short 10 | loss 104 mark                 | mark 104 | position-stop-loss executed                                | flat
    long 10  | loss 97 of 4                  | last 97  | stop-loss executed                                         | long 6
    long 10  | profit 104 of 10              | last 104 | take-profit executed                                       | flat
    // The other goes with the position that closed
    long 10  | profit 104; loss 97           | last 104 | position-stop-loss canceled; position-take-profit executed | flat
    long 10  | profit 104 of 4; loss 97 of 4 | last 104 | take-profit executed; stop-loss canceled                   | long 6
  `,
  (exchange, { position, tpsl, comes, fired, after }) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
    take(exchange, position)
    expect(setTpsl(exchange, 'alice', listed(tpsl))).toBe('triggers-placed')
    expect(exchange.lastEvents.filter(({ kind }) => kind !== 'trigger-accepted')).toEqual([])
    const [by, price = ''] = comes.split(' ')
    if (by === 'last') {
      exchange.given(`dave: ${position.startsWith('long') ? 'sell' : 'buy'} 1 @ ${price}`)
      // The liquidity that the TP/SL will find stands behind the trade that wakes it.
      if (position.startsWith('long'))
        exchange.given(`carol: buy 20 @ ${Number(price) - 1}`, `erin: buy 1 ioc @ ${price}`)
      else exchange.given(`carol: sell 20 @ ${Number(price) + 1}`, `erin: sell 1 ioc @ ${price}`)
    } else {
      exchange.given(`carol: buy 20 @ ${Number(price) - 1}`, `carol: sell 20 @ ${Number(price) + 1}`)
      exchange.prices({ SOL: price })
    }
    expect(endedTriggers(exchange)).toEqual(listed(fired))
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('what fires names its cause and the order that came of it', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['loss 97'])
  exchange.given('carol: buy 20 @ 96')
  last(exchange, '97')
  const order = exchange.ended().find(({ cause }) => cause === 'position-stop-loss')
  const fired = exchange.lastEvents.find((event) => event.kind === 'trigger-ended')
  expect(order).toMatchObject({ reduceOnly: true, status: 'filled', orderType: 'market', bookSide: 'sell' })
  expect(fired?.trigger).toMatchObject({ status: 'executed', executedOrderId: order?.orderId })
})

scenario('a limit execution rests at its price, and its partner goes once it is filled', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['profit 104 of 4 @ 106', 'loss 97 of 4'])
  last(exchange, '104')
  expect(exchange.resting()).toEqual(['alice sell 4 @ 106'])
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 4 at 97'])
  exchange.given('carol: buy 4 @ 106')
  expect(endedTriggers(exchange)).toEqual(['stop-loss canceled'])
  expect(exchange.holds('alice')).toBe('long 6')
})

scenario('a partner stays when the order that came of the other is canceled', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['profit 104 of 4 @ 106', 'loss 97 of 4'])
  last(exchange, '104')
  const orders = {
    uid: exchange.uid('alice'),
    interface: 'v2',
    category: 'USDT-FUTURES',
    instrument: undefined,
  } as const
  exchange.must({ kind: 'cancel-orders', ...orders })
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 4 at 97'])
})

table(
  'presets grow with what their order opens',
  `
    order               | fills                                                       | expected
    alice: buy 10 @ 100 | -                                                           | -
    alice: buy 10 @ 100 | bob: sell 3 @ 100                                           | take-profit 3 at mark 110; stop-loss 3 at mark 95
    alice: buy 10 @ 100 | bob: sell 3 @ 100; sell 7 @ 100                             | take-profit 10 at mark 110; stop-loss 10 at mark 95
    // What only closes carries none; what flips protects what it opens
    alice: buy 10 @ 100 | bob: sell 10 @ 100; carol: buy 10 @ 99; alice: sell 10 @ 99 | -
  `,
  (exchange, { order, fills, expected }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    withPresets(exchange, order, 'profit 110 mark', 'loss 95 mark')
    exchange.given(fills)
    expect(waiting(exchange, 'alice')).toEqual(listed(expected))
  },
)

scenario('a flip protects only what it opens', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  take(exchange, 'short 4')
  exchange.given('carol: sell 10 @ 100')
  withPresets(exchange, 'alice: buy 10 @ 100', 'loss 95')
  expect(exchange.holds('alice')).toBe('long 6')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 6 at 95'])
})

scenario('E5 shows the TP/SL that would fire first, with their numbers', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['profit 120', 'loss 90'])
  setTpsl(exchange, 'alice', ['profit 115 of 2', 'loss 85 of 2'])
  const { takeProfit, stopLoss } = exchange.position('alice')
  expect([takeProfit?.trigger, stopLoss?.trigger]).toEqual([115, 90])
  expect(takeProfit?.orderId).not.toBe(stopLoss?.orderId)
})

scenario('a new TP/SL of the whole position takes the place of the old', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['loss 90'])
  setTpsl(exchange, 'alice', ['loss 95', 'profit 110'])
  expect(endedTriggers(exchange)).toEqual(['position-stop-loss canceled'])
  expect(waiting(exchange, 'alice')).toEqual(['position-take-profit at 110', 'position-stop-loss at 95'])
})

table(
  'TP/SL end with their position',
  `
    how     | orders                                  | after
    closed  | bob: buy 10 @ 100; alice: sell 10 @ 100 | flat
    flipped | bob: buy 20 @ 100; alice: sell 20 @ 100 | short 10
  `,
  (exchange, { orders, after }) => {
    traders(exchange, 'alice', 'bob')
    take(exchange, 'long 10')
    setTpsl(exchange, 'alice', ['profit 120', 'loss 90'])
    setTpsl(exchange, 'alice', ['loss 92 of 3'])
    exchange.given(orders)
    expect(exchange.holds('alice')).toBe(after)
    expect(waiting(exchange, 'alice')).toEqual([])
  },
)

table(
  'refused TP/SL',
  `
    position | tpsl          | expected
    flat     | loss 90       | refused trigger-position-short
    long 10  | loss 90 of 11 | refused trigger-position-short
    long 10  | loss 90 of 10 | triggers-placed
    long 10  | loss 90 of 0  | refused quantity-below-minimum
    long 10  | profit 100    | refused long-take-profit-not-above
    long 10  | profit 101    | triggers-placed
    long 10  | loss 100      | refused long-stop-loss-not-below
    long 10  | loss 99       | triggers-placed
    short 10 | profit 100    | refused short-take-profit-not-below
    short 10 | loss 100 mark | refused short-stop-loss-not-above
  `,
  (exchange, { position, tpsl, expected }) => {
    traders(exchange, 'alice', 'bob')
    if (position !== 'flat') take(exchange, position)
    expect(setTpsl(exchange, 'alice', listed(tpsl))).toBe(expected)
  },
)

table(
  'plans wait for a rise or a fall, whichever leads to their price',
  // plan, waits for, last prices that come, rests or holds afterwards
  `
    line               | waits    | prices   | expected
    alice: buy 5 @ 103 | last 104 | 103      | -
    alice: buy 5 @ 103 | last 104 | 103; 104 | alice buy 5 @ 103
    alice: buy 5 @ 103 | last 104 | 106      | alice buy 5 @ 103
    alice: buy 5 @ 96  | last 97  | 99; 98   | -
    alice: buy 5 @ 96  | last 97  | 96       | alice buy 5 @ 96
  `,
  (exchange, { line, waits, prices, expected }) => {
    traders(exchange, 'alice', 'dave', 'erin')
    last(exchange, '100')
    expect(plan(exchange, line, waits)).toBe('placed')
    for (const price of listed(prices)) last(exchange, price)
    expect(exchange.resting()).toEqual(listed(expected))
    expect(waiting(exchange, 'alice')).toHaveLength(listed(expected).length === 0 ? 1 : 0)
  },
)

scenario('a plan that opens carries its presets on', (exchange) => {
  traders(exchange, 'alice', 'carol', 'dave', 'erin')
  plan(exchange, 'alice: buy 5', 'last 104', 'loss 95 mark')
  exchange.given('carol: sell 5 @ 105')
  last(exchange, '104')
  expect(exchange.holds('alice')).toBe('long 5')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 5 at mark 95'])
})

scenario('risk-engine §23: a plan passes the margin check when it fires, and fails with the reason', (exchange) => {
  traders(exchange, 'dave', 'erin').join('alice', { funds: { usdt_futures: '10 USDT' } })
  expect(plan(exchange, 'alice: buy 100 @ 104', 'last 104')).toBe('placed')
  last(exchange, '104')
  expect(endedTriggers(exchange)).toEqual(['plan failed insufficient-margin'])
  expect(exchange.resting()).toEqual([])
})

scenario('risk-engine §23: a reduce-only plan stays reduce-only, whatever became of the position', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  plan(exchange, 'alice: sell 10 reduce-only', 'last 97')
  exchange.given('bob: buy 7 @ 100', 'alice: sell 7 @ 100', 'carol: buy 20 @ 96')
  last(exchange, '97')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.ended().find(({ cause }) => cause === 'trigger')).toMatchObject({ reduceOnly: true, filled: 3 })
})

scenario('risk-engine §23: with nothing left to reduce it fails', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  plan(exchange, 'alice: sell 10 reduce-only', 'last 97')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 @ 100', 'carol: buy 20 @ 96')
  last(exchange, '97')
  expect(endedTriggers(exchange)).toEqual(['plan failed nothing-to-reduce'])
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a stop-loss of the whole position makes closing orders that rest give way', (exchange) => {
  hedgers(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100', 'alice: buy 7 close @ 110')
  setTpsl(exchange, 'alice', ['loss 97'], 'long')
  exchange.given('carol: buy 20 open @ 96', 'dave: sell 1 open @ 97', 'erin: buy 1 open ioc @ 97')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.resting().filter((line) => line.startsWith('alice'))).toEqual([])
})

scenario('in hedge mode each side has its own TP/SL', (exchange) => {
  hedgers(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100')
  exchange.given('bob: buy 4 open @ 100', 'alice: sell 4 open @ 100')
  expect(setTpsl(exchange, 'alice', ['loss 97'])).toBe('refused trigger-position-short')
  setTpsl(exchange, 'alice', ['loss 97'], 'long')
  setTpsl(exchange, 'alice', ['profit 96'], 'short')
  exchange.given('carol: buy 20 open @ 97', 'dave: sell 1 open @ 97', 'erin: buy 1 open ioc @ 97')
  expect(exchange.holds('alice')).toBe('short 4')
  expect(waiting(exchange, 'alice')).toEqual(['position-take-profit at 96'])
})

scenario('what one fires may wake the next: the farthest passed first', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  plan(exchange, 'alice: sell 2', 'last 99')
  plan(exchange, 'bob: sell 2', 'last 98')
  exchange.given('carol: buy 1 @ 99', 'carol: buy 1 @ 98', 'carol: buy 5 @ 97')
  exchange.given('dave: sell 1 ioc @ 99')
  expect(endedTriggers(exchange)).toEqual(['plan executed', 'plan executed'])
  expect([exchange.holds('alice'), exchange.holds('bob')]).toEqual(['short 2', 'short 2'])
})

scenario('one command fires so many; a timer fires the others', (exchange) => {
  traders(exchange, 'alice', 'dave', 'erin')
  for (let index = 0; index < 70; index++) plan(exchange, 'alice: buy 1 @ 90', 'last 104')
  last(exchange, '104')
  expect(waiting(exchange, 'alice')).toHaveLength(6)
  expect(exchange.nextTimerAt()).toBe(exchange.at + 1)
  exchange.runTimers()
  expect(waiting(exchange, 'alice')).toHaveLength(0)
})

scenario('a halted instrument fires nothing; it follows when trading goes on', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['loss 97 mark'])
  exchange.given('carol: buy 20 @ 96')
  const set = { kind: 'set-instrument', instrument: exchange.instrument().id } as const
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ ...set, ...same, status: 'halted' })
  exchange.prices({ SOL: '97' })
  expect(waiting(exchange, 'alice')).toHaveLength(1)
  exchange.must({ ...set, ...same, status: 'online' })
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('design §4.18: trigger orders count among the 400', (exchange) => {
  traders(exchange, 'alice')
  for (let index = 0; index < 399; index++) exchange.given('alice: buy 1 @ 90')
  expect(plan(exchange, 'alice: buy 1 @ 90', 'last 104')).toBe('placed')
  expect(plan(exchange, 'alice: buy 1 @ 90', 'last 104')).toBe('refused open-orders-max')
  expect(exchange.place('alice: buy 1 @ 90')).toBe('refused open-orders-max')
})

scenario('design §4.6: client order ids are one space', (exchange) => {
  traders(exchange, 'alice', 'bob')
  expect(plan(exchange, 'alice: buy 1 oid:mine @ 90', 'last 104')).toBe('placed')
  expect(plan(exchange, 'alice: buy 1 oid:mine @ 90', 'last 104')).toBe('refused duplicate-client-order-id')
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
  take(exchange, 'long 10')
  expect(setTpsl(exchange, 'alice', ['profit 110', 'loss 90'], undefined, ['mine', ''])).toBe(
    'refused duplicate-client-order-id',
  )
  expect(setTpsl(exchange, 'alice', ['profit 110', 'loss 90'], undefined, ['two', 'two'])).toBe(
    'refused duplicate-client-order-id',
  )
})

const anyOf = { kinds: [], category: undefined, instrument: undefined } as const

scenario('canceling: by client order id, by kind, all of a category', (exchange) => {
  traders(exchange, 'alice', 'bob')
  take(exchange, 'long 10')
  plan(exchange, 'alice: buy 1 oid:mine @ 90', 'last 104')
  plan(exchange, 'alice: buy 2 @ 90', 'last 104')
  setTpsl(exchange, 'alice', ['profit 110', 'loss 90'])
  const uid = exchange.uid('alice')
  const mine = { kind: 'cancel-trigger', uid, order: { orderId: undefined, clientOid: 'mine' } } as const
  expect(outcomeOf(exchange.apply({ ...mine, ...anyOf, kinds: ['stop-loss'] }))).toBe(
    'refused position-trigger-unknown',
  )
  expect(outcomeOf(exchange.apply({ ...mine, ...anyOf, uid: exchange.uid('bob') }))).toBe('refused trigger-unknown')
  expect(outcomeOf(exchange.apply({ ...mine, ...anyOf }))).toBe('canceled')
  expect(outcomeOf(exchange.apply({ ...mine, ...anyOf }))).toBe('refused trigger-unknown')
  const all = {
    kind: 'cancel-triggers',
    uid,
    interface: 'v2',
    category: 'USDT-FUTURES',
    instrument: undefined,
  } as const
  exchange.must({ ...all, kinds: ['position-take-profit'] })
  expect(waiting(exchange, 'alice')).toEqual(['plan buy 2 at 104', 'position-stop-loss at 90'])
  exchange.must({ ...all, kinds: [] })
  expect(waiting(exchange, 'alice')).toEqual([])
})

scenario('a changed trigger order waits for its new price and keeps its number', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  setTpsl(exchange, 'alice', ['loss 90 of 4'])
  const { stopLoss } = exchange.position('alice')
  const modify = {
    kind: 'modify-trigger',
    uid: exchange.uid('alice'),
    order: { orderId: stopLoss?.orderId, clientOid: '' },
    kinds: [],
    by: 'last',
    execute: 0,
    takeProfit: undefined,
    stopLoss: undefined,
  } as const
  const lots = (quantity: number) => ({ unit: 'lots', lots: quantity }) as never
  expect(outcomeOf(exchange.apply({ ...modify, trigger: 100 as never, quantity: undefined }))).toBe(
    'refused long-stop-loss-not-below',
  )
  expect(outcomeOf(exchange.apply({ ...modify, trigger: 95 as never, quantity: lots(11) }))).toBe(
    'refused trigger-position-short',
  )
  expect(outcomeOf(exchange.apply({ ...modify, trigger: 97 as never, quantity: lots(6) }))).toBe('modified')
  expect(exchange.position('alice').stopLoss).toEqual({ orderId: stopLoss?.orderId, trigger: 97 })
  exchange.given('carol: buy 20 @ 96')
  last(exchange, '97')
  expect(exchange.holds('alice')).toBe('long 4')
})

scenario(
  'of trigger orders at one price the lowest number goes first, also when it came there by a change',
  (exchange) => {
    traders(exchange, 'alice', 'dave', 'erin')
    for (const name of ['a', 'b', 'c', 'd'])
      plan(exchange, `alice: buy 1 oid:${name} @ 90`, `last ${name === 'c' ? 104 : 103}`)
    const uid = exchange.uid('alice')
    const same = { by: 'last', execute: 90, quantity: undefined, takeProfit: undefined, stopLoss: undefined } as const
    const change = (clientOid: string, trigger: number) => {
      const order = { orderId: undefined, clientOid }
      exchange.must({ kind: 'modify-trigger', uid, order, kinds: [], trigger: trigger as never, ...same } as never)
    }
    for (const name of ['d', 'b', 'a']) change(name, 104)
    change('c', 103)
    change('c', 104)
    last(exchange, '104')
    const fired = exchange.lastEvents.flatMap((event) =>
      event.kind === 'trigger-ended' ? [event.trigger.clientOid] : [],
    )
    expect(fired).toEqual(['a', 'b', 'c', 'd'])
  },
)

scenario('plans keep the position mode, and the account its mode', (exchange) => {
  traders(exchange, 'alice')
  plan(exchange, 'alice: buy 1 @ 90', 'last 104')
  const uid = exchange.uid('alice')
  const hold = { kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' } as const
  expect(exchange.refusal(hold)).toBe('hold-mode-in-use')
  expect(exchange.refusal({ kind: 'set-account-mode', uid, mode: 'unified' })).toBe('account-not-flat')
})

scenario('spot plans buy by quote amount and sell by base', (exchange) => {
  traders(exchange, 'alice', 'bob', 'dave', 'erin')
  exchange.market = 'SOL/USDT'
  plan(exchange, 'alice: buy 500 USDT', 'last 104')
  plan(exchange, 'alice: sell 2 @ 96', 'last 97')
  exchange.given('bob: sell 50 @ 105')
  last(exchange, '104')
  expect(exchange.fills().find(({ cause }) => cause === 'trigger')).toMatchObject({ bookSide: 'buy', quantity: 4 })
  last(exchange, '97')
  expect(exchange.resting()).toContain('alice sell 2 @ 96')
})

scenario('interface E2 rule 3: what a plan buys on margin it borrows for, and what it sells repays', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '300 USDT' } })
  traders(exchange, 'bob', 'dave', 'erin').market = 'SOL/USDT'
  last(exchange, '100')
  exchange.given('bob: sell 5 @ 104')
  expect(plan(exchange, 'alice: buy 5 on-margin @ 104', 'last 103')).toBe('placed')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
  last(exchange, '103')
  // 520 are spent of 300.
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toMatch(/^220 \+ 0\.0/)
  plan(exchange, 'alice: sell 4 on-margin', 'last 105')
  exchange.given('bob: buy 4 @ 104')
  last(exchange, '105')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
})
