/**
 * Resting orders with other terms, and new orders in their place: queue, holds to the unit, crossing, refusals.
 * Source  wire/v3-endpoints.md §2; wire/client-endpoints.md §4; design §4.6, §4.9, §4.10, §4.18, §4.29
 */
import { describe, expect, test } from 'vitest'
import { listed } from '../support/text-table.ts'
import { Exchange, instrumentId } from './support/exchange.ts'
import { amend, replace } from './support/amending.ts'
import type { MarketName } from './support/listings.ts'
import { lotsOf, ticksOf } from './support/order-commands.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { withPresets } from './support/triggers.ts'

table(
  'amended: alice sells 8 @ 110 before bob 5 @ 110; carol bids 3 @ 99',
  // resting, terms, came of it, alice's rest, who sells first at the price
  `
    resting          | terms              | came                                     | left         | first
    sell 8           | 5                  | amended                                  | sell 5 @ 110 | alice
    sell 8           | 8 @ 110            | refused order-unchanged                  | sell 8 @ 110 | alice
    sell 8           | @ 110              | refused order-unchanged                  | sell 8 @ 110 | alice
    sell 8           | 9                  | amended                                  | sell 9 @ 110 | bob
    sell 8           | @ 109              | amended                                  | sell 8 @ 109 | alice
    sell 8           | 4 @ 111            | amended                                  | sell 4 @ 111 | bob
    sell 8           | @ 99               | filled 3, rests 5                        | sell 5 @ 99  | alice
    sell 8           | 3 @ 99             | filled 3                                 | -            | bob
    sell 8           | 2 @ 98             | filled 2                                 | -            | bob
    sell 8 post-only | @ 99               | canceled post-only                       | -            | bob
    sell 8 post-only | @ 100              | amended                                  | sell 8 @ 100 | alice
    sell 8           | 0                  | refused quantity-below-minimum           | sell 8 @ 110 | alice
    sell 8           | 10000000           | refused position-tier-exceeded           | sell 8 @ 110 | alice
    sell 8           | 10000000 or-cancel | canceled instead: position-tier-exceeded | -            | bob
    sell 8           | 8 @ 110 or-cancel  | refused order-unchanged                  | sell 8 @ 110 | alice
  `,
  (exchange, { resting, terms, came, left, first }) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave')
    exchange.given(`alice: ${resting} oid:a @ 110`, 'bob: sell 5 @ 110', 'carol: buy 3 @ 99')
    const before = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: named('a') })
    expect(amend(exchange, 'alice', 'a', terms)).toBe(came)
    expect(exchange.resting().find((line) => line.startsWith('alice'))).toBe(left === '' ? undefined : `alice ${left}`)
    const after = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: named('a') })
    if (after !== undefined) expect(after.orderId).toBe(before?.orderId)
    if (came === 'amended') {
      expect(after).toMatchObject({ createdAt: before?.createdAt, updatedAt: exchange.at, status: 'live' })
      expect(exchange.lastEvents[0]).toMatchObject({ kind: 'order-amended', orderId: before?.orderId })
    }
    exchange.given('dave: buy 1 @ 112')
    expect(exchange.fills().map(({ uid }) => exchange.name(uid))).toContain(first)
  },
)

function named(clientOid: string) {
  return { orderId: undefined, clientOid }
}

table(
  'an order of 8 @ 110 of which 3 are filled',
  // terms, came of it, its rest, quantity and filled of the record
  `
    terms       | came                                    | left         | record
    8 @ 111     | amended                                 | sell 5 @ 111 | 8 3
    4           | amended                                 | sell 1 @ 110 | 4 3
    3           | ended as filled                         | -            | -
    3 @ 111     | ended as filled                         | -            | -
    2           | refused quantity-below-filled           | sell 5 @ 110 | 8 3
    2 or-cancel | canceled instead: quantity-below-filled | -            | -
    12          | amended                                 | sell 9 @ 110 | 12 3
  `,
  (exchange, { terms, came, left, record }) => {
    traders(exchange, 'alice', 'bob')
    exchange.given('alice: sell 8 oid:a @ 110', 'bob: buy 3 @ 110')
    expect(amend(exchange, 'alice', 'a', terms)).toBe(came)
    expect(exchange.resting()).toEqual(left === '' ? [] : [`alice ${left}`])
    const order = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: named('a') })
    expect(order === undefined ? '' : `${order.quantity} ${order.filled}`).toBe(record)
    if (came === 'ended as filled')
      expect(exchange.ended()[0]).toMatchObject({ status: 'filled', quantity: 3, filled: 3 })
  },
)

table(
  'a post-only order that would cross with its new terms ends with those, and holds nothing',
  `
    market   | words               | below | above | sent
    SOL/USDT | post-only           | 99    | 101   | 102
    BTC/USDT | on-margin post-only | 59000 | 60050 | 60060
    SOLUSDT  | post-only           | 99    | 101   | 102
    ETHPERP  | post-only           | 2990  | 3010  | 3011
    BTCUSD   | post-only           | 59000 | 60050 | 60060
  `,
  (exchange, { market, words, below, above, sent }) => {
    unifieds(exchange, 'alice', 'bob').market = market as MarketName
    exchange.given(`bob: sell 10 @ ${above}`, `alice: buy 10 ${words} oid:a @ ${below}`, `bob: sell 4 @ ${below}`)
    expect(amend(exchange, 'alice', 'a', `12 @ ${sent}`, 'r-1')).toBe('canceled post-only')
    const [ended, ...more] = exchange.lastEvents.filter((event) => event.kind === 'order-ended')
    expect(more).toEqual([])
    expect(ended).toMatchObject({ requestId: 'r-1', order: { clientOid: 'a', status: 'canceled' } })
    const { quantity, price, filled } = ended.order
    expect([quantity, filled].map((lots) => exchange.quantity(lots))).toEqual(
      [12, 4].map((figure) => exchange.quantity(lotsOf(exchange.instrument(), String(figure)))),
    )
    expect(exchange.price(price)).toBe(exchange.price(ticksOf(exchange.instrument(), sent)))
    expect(exchange.lastEvents.filter(({ kind }) => kind === 'order-amended')).toEqual([])
    for (const coin of ['USDT', 'USDC', 'BTC'] as const) expect(exchange.balance('alice', 'uta', coin).held).toBe(0n)
  },
)

scenario('what a change cancels instead is told with its requestId', (exchange) => {
  traders(exchange, 'alice').given('alice: sell 8 oid:a @ 110')
  expect(amend(exchange, 'alice', 'a', '10000000 or-cancel', 'r-2')).toBe('canceled instead: position-tier-exceeded')
  expect(exchange.lastEvents).toMatchObject([{ kind: 'order-ended', requestId: 'r-2', order: { quantity: 8 } }])
})

table(
  'as much as is filled ends an order as filled, also where that is below the minimums; less is refused',
  // of bob's offer carol takes so much, and leaves alice less than the minimums
  `
    market   | offer           | carol   | alice        | filled  | less    | other minimum
    BTC/USDC | 0.00012 @ 60000 | 0.00009 | 0.01 @ 60000 | 0.00003 | 0.00002 | 0.00004
    ETHPERP  | 0.025 @ 3000    | 0.02    | 1 @ 3000     | 0.005   | 0.004   | 0.006
  `,
  (exchange, row) => {
    unifieds(exchange, 'alice', 'bob', 'carol').market = row.market as MarketName
    const price = row.offer.split(' @ ')[1]
    exchange.given(
      `bob: sell ${row.offer}`,
      `carol: buy ${row.carol} @ ${price}`,
      `alice: buy ${row.alice.replace(' @', ' oid:a @')}`,
    )
    expect(amend(exchange, 'alice', 'a', row.less)).toBe('refused quantity-below-filled')
    expect(amend(exchange, 'alice', 'a', row.otherMinimum)).toMatch(/^refused (quantity|notional)-below-minimum$/)
    expect(amend(exchange, 'alice', 'a', row.filled)).toBe('ended as filled')
    expect(exchange.resting()).toEqual([])
    expect(exchange.balance('alice', 'uta', 'USDC').held).toBe(0n)
  },
)

table(
  'spot: what an order of 10 @ 100 holds after it was amended, of 1,500 USDT; exactly enough, one too many',
  `
    terms        | came                                     | wallet
    5            | amended                                  | 1000 + 500 held
    15           | amended                                  | 0 + 1500 held
    16           | refused insufficient-available           | 500 + 1000 held
    16 or-cancel | canceled instead: insufficient-available | 1500
    @ 150        | amended                                  | 0 + 1500 held
    @ 151        | refused insufficient-available           | 500 + 1000 held
    3 @ 500      | amended                                  | 0 + 1500 held
    @ 1          | amended                                  | 1490 + 10 held
  `,
  (exchange, { terms, came, wallet }) => {
    exchange.join('alice', { funds: { spot: '1500 USDT' } }).market = 'SOL/USDT'
    exchange.given('alice: buy 10 oid:a @ 100')
    expect(amend(exchange, 'alice', 'a', terms)).toBe(came)
    expect(exchange.wallet('alice', 'spot', 'USDT')).toBe(wallet)
  },
)

table(
  'spot: the same replaced',
  `
    terms    | came                           | wallet          | open
    5        | rests                          | 1000 + 500 held | new
    15       | rests                          | 0 + 1500 held   | new
    16       | refused insufficient-available | 500 + 1000 held | a
    3 @ 500  | rests                          | 0 + 1500 held   | new
    10 @ 100 | rests                          | 500 + 1000 held | new
  `,
  (exchange, { terms, came, wallet, open }) => {
    exchange.join('alice', { funds: { spot: '1500 USDT' } }).market = 'SOL/USDT'
    exchange.given('alice: buy 10 oid:a @ 100')
    expect(replace(exchange, 'alice', 'a', terms)).toBe(came)
    expect(exchange.wallet('alice', 'spot', 'USDT')).toBe(wallet)
    const found = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: named(open) })
    expect(found).toBeDefined()
    if (open === 'new')
      expect(exchange.ended()).toMatchObject([{ clientOid: 'a', status: 'canceled', cancelReason: 'user' }])
  },
)

const changes: readonly (typeof replace)[] = [amend, replace]

for (const change of changes) {
  describe(`on margin, ${change === amend ? 'amended' : 'replaced'}: 10,000 own, an order of 30,000 that borrowed 20,000`, () => {
    table(
      'the loan goes with the hold',
      // terms, free and held, debt: what comes free pays the first hour, then the loan
      `
        terms       | wallet           | debt
        0.4 @ 60000 | 0 + 24000 held   | 14000.1 + 0
        0.1 @ 60000 | 4000 + 6000 held | 0.1 + 0
        0.5 @ 50000 | 0 + 25000 held   | 15000.1 + 0
        0.5 @ 59000 | 0 + 29500 held   | 19500.1 + 0
      `,
      (exchange, { terms, wallet, debt }) => {
        exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
        exchange.given('alice: buy 0.5 on-margin oid:a @ 60000')
        const before = exchange.debt('alice', 'crossed_margin', 'USDT')
        expect(before).toBe('20000 + 0.1')
        change(exchange, 'alice', 'a', terms)
        expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe(debt)
        expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe(wallet)
        exchange.must({
          kind: 'cancel-orders',
          uid: exchange.uid('alice'),
          interface: 'v2',
          category: 'MARGIN',
          instrument: undefined,
        })
        expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0.1 + 0')
      },
    )

    scenario('more is borrowed for more', (exchange) => {
      exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
      exchange.given('alice: buy 0.3 on-margin oid:a @ 60000')
      expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('8000 + 0.04')
      change(exchange, 'alice', 'a', '0.4 @ 60000')
      expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('14000 + 0.07')
      expect(change(exchange, 'alice', change === amend ? 'a' : 'new', '0.6 @ 60000', 'newer')).toBe(
        'refused insufficient-available',
      )
      expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('0 + 24000 held')
    })
  })
}

table(
  'futures: an order of 0.5 @ 60,000 at 20x with exactly its margin (1,518), or a unit more than that',
  `
    funds         | terms          | came
    1518          | 0.5 @ 59000    | fits
    1518          | 0.49 @ 60000   | fits
    1518          | 0.5 @ 60000.1  | refused insufficient-margin
    1518          | 0.5001 @ 60000 | refused insufficient-margin
    1518.3036     | 0.5001 @ 60000 | fits
    1518.30359999 | 0.5001 @ 60000 | refused insufficient-margin
  `,
  (exchange, { funds, terms, came }) => {
    exchange.join('alice', { funds: { usdt_futures: `${funds} USDT` } }).market = 'BTCUSDT'
    exchange.given('alice: buy 0.5 oid:a @ 60000')
    expect(amend(exchange, 'alice', 'a', terms).replace('amended', 'fits')).toBe(came)
    exchange.cancel('alice', 'a')
    exchange.given('alice: buy 0.5 oid:b @ 60000')
    expect(replace(exchange, 'alice', 'b', terms).replace('rests', 'fits')).toBe(came)
  },
)

scenario('less at the same price holds its part of the freeze, whatever the mark is now', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1530.65 USDT' } }).market = 'BTCUSDT'
  exchange.given('alice: sell 0.5 oid:a @ 60500').prices({ BTC: '61500' })
  expect(amend(exchange, 'alice', 'a', '0.4')).toBe('amended')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('306.13 + 1224.52 held')
})

scenario('an isolated order that crosses has the margin of the one whose place it takes', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1520 USDT' } }).market = 'BTCUSDT'
  exchange.given('alice: buy 0.5 isolated oid:a @ 59000', 'bob: sell 0.5 @ 60000')
  expect(amend(exchange, 'alice', 'a', '@ 60000')).toBe('filled 0.5')
  expect(exchange.holds('alice')).toBe('long 0.5')
})

scenario('what crosses stops at its own orders, as its self-trade prevention says', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given('alice: sell 5 @ 101', 'alice: buy 3 stp:cancel-taker oid:a @ 99')
  expect(amend(exchange, 'alice', 'a', '@ 101')).toBe('canceled self-trade')
  exchange.given('alice: buy 3 stp:cancel-maker oid:b @ 99', 'bob: sell 1 @ 101')
  expect(amend(exchange, 'alice', 'b', '@ 101')).toBe('filled 1, rests 2')
  expect(exchange.resting()).toEqual(['alice buy 2 @ 101'])
})

scenario('reduce-only orders are not amended; replaced they follow the rule of any reduce-only order', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('alice: sell 4 reduce-only oid:a @ 110', 'alice: sell 5 reduce-only oid:b @ 111')
  expect(amend(exchange, 'alice', 'a', '3')).toBe('refused order-only-reduces')
  // In place of 4, 5 and the other 5 fit exactly into 10.
  expect(replace(exchange, 'alice', 'a', '5 @ 112')).toBe('rests')
  expect(exchange.resting()).toEqual(['alice sell 5 @ 111', 'alice sell 5 @ 112'])
  expect(replace(exchange, 'alice', 'new', '15 @ 113', 'newer')).toBe('rests')
  expect(exchange.resting()).toEqual(['alice sell 10 @ 113'])
})

scenario('a reduce-only order that grows in its place displaces the others, not itself', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('alice: sell 4 reduce-only oid:a @ 110', 'alice: sell 5 reduce-only oid:b @ 111')
  expect(replace(exchange, 'alice', 'a', '8 @ 112')).toBe('rests')
  expect(exchange.resting()).toEqual(['alice sell 8 @ 112'])
  expect(exchange.ended().map(({ clientOid, cancelReason }) => `${clientOid} ${cancelReason}`)).toEqual([
    'a user',
    'b reduce-only',
  ])
  const { reply } = exchange.applied.at(-1) ?? {}
  expect(reply).toMatchObject({ kind: 'placed', orderId: 0 })
})

scenario('hedge mode: a close is amended within what is free', (exchange) => {
  hedgers(exchange, 'alice', 'bob')
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100')
  exchange.given('alice: buy 4 close oid:a @ 110', 'alice: buy 3 close oid:b @ 111')
  expect(amend(exchange, 'alice', 'a', '8 @ 112')).toBe('refused insufficient-position')
  expect(amend(exchange, 'alice', 'a', '7 @ 112')).toBe('amended')
  expect(replace(exchange, 'alice', 'b', '4 @ 113')).toBe('refused insufficient-position')
  expect(replace(exchange, 'alice', 'b', '3 @ 113')).toBe('rests')
  expect(exchange.resting()).toEqual(['alice sell 7 @ 112', 'alice sell 3 @ 113'])
  exchange.given('bob: buy 10 open @ 113')
  expect(exchange.holds('alice')).toBe('flat')
})

table(
  'replaced: alice sells 8 @ 110, 3 of them filled, before bob 5 @ 110; carol bids 3 @ 99',
  `
    terms   | came                           | left
    -       | refused order-unchanged        | alice sell 5 @ 110; bob sell 5 @ 110
    @ 110   | refused order-unchanged        | alice sell 5 @ 110; bob sell 5 @ 110
    5 @ 110 | refused order-unchanged        | alice sell 5 @ 110; bob sell 5 @ 110
    8 @ 110 | rests                          | bob sell 5 @ 110; alice sell 8 @ 110
    @ 111   | rests                          | bob sell 5 @ 110; alice sell 5 @ 111
    @ 99    | filled 3, rests 2              | bob sell 5 @ 110; alice sell 2 @ 99
    1 @ 99  | filled 1                       | bob sell 5 @ 110
    0       | refused quantity-below-minimum | alice sell 5 @ 110; bob sell 5 @ 110
  `,
  (exchange, { terms, came, left }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    exchange.given('alice: sell 8 oid:a @ 110', 'carol: buy 3 @ 110', 'bob: sell 5 @ 110', 'carol: buy 3 oid:c @ 99')
    expect(replace(exchange, 'alice', 'a', terms)).toBe(came)
    expect(exchange.resting().filter((line) => !line.startsWith('carol'))).toEqual(listed(left))
  },
)

scenario('a taken client order id refuses the new order, and the old one stays', (exchange) => {
  traders(exchange, 'alice')
  exchange.given('alice: sell 8 oid:a @ 110', 'alice: sell 1 oid:b @ 120')
  expect(replace(exchange, 'alice', 'a', '@ 111', 'a')).toBe('refused duplicate-client-order-id')
  expect(replace(exchange, 'alice', 'a', '@ 111', 'b')).toBe('refused duplicate-client-order-id')
  expect(exchange.resting()).toEqual(['alice sell 8 @ 110', 'alice sell 1 @ 120'])
})

scenario('at the limit of 400 open orders one is still amended and replaced', (exchange) => {
  traders(exchange, 'alice')
  for (let count = 0; count < 400; count++) exchange.given(`alice: sell 1 oid:o${count} @ 110`)
  expect(exchange.place('alice: sell 1 @ 110')).toBe('refused open-orders-max')
  expect(amend(exchange, 'alice', 'o0', '2 @ 111')).toBe('amended')
  expect(replace(exchange, 'alice', 'o1', '2 @ 111')).toBe('rests')
  expect(exchange.place('alice: sell 1 @ 110')).toBe('refused open-orders-max')
})

scenario('a replaced order is an order of the day, an amended one is not', (exchange) => {
  traders(exchange, 'alice')
  exchange.given('alice: sell 1 oid:a @ 110')
  const daily = () => exchange.query({ kind: 'account', uid: exchange.uid('alice') })?.dailyOrders
  const before = daily()
  amend(exchange, 'alice', 'a', '@ 111')
  expect(daily()).toBe(before)
  replace(exchange, 'alice', 'a', '@ 112')
  expect(daily()).toBe((before ?? 0) + 1)
})

test.each(['cancel_only', 'halted'] as const)('nothing is amended while the instrument is %s', (status) => {
  const exchange = traders(new Exchange(), 'alice')
  exchange.given('alice: sell 2 oid:a @ 110')
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), status, ...same })
  expect(amend(exchange, 'alice', 'a', '1')).toBe('refused instrument-closed')
  expect(replace(exchange, 'alice', 'a', '1')).toBe('refused instrument-closed')
})

scenario('presets alone keep place and TP/SL; what opens later is covered by the new ones', (exchange) => {
  traders(exchange, 'alice', 'bob')
  withPresets(exchange, 'alice: buy 10 oid:a @ 100', 'profit 120', 'loss 90')
  exchange.given('bob: sell 4 @ 100', 'bob: buy 1 @ 100')
  const uid = exchange.uid('alice')
  const preset = (trigger: number) => ({ trigger: trigger as never, execute: 0, by: 'last' }) as const
  const amendPresets = {
    kind: 'amend-order',
    uid,
    order: named('a'),
    category: undefined,
    instrument: undefined,
    price: undefined,
    quantity: undefined,
    autoCancel: false,
    requestId: 'r1',
  } as const
  exchange.must({ ...amendPresets, attachedTpsl: { takeProfit: preset(130), stopLoss: undefined } })
  expect(exchange.lastEvents).toMatchObject([{ kind: 'order-amended', requestId: 'r1' }])
  expect(exchange.refusal({ ...amendPresets, attachedTpsl: { takeProfit: preset(130), stopLoss: undefined } })).toBe(
    'order-unchanged',
  )
  exchange.given('bob: sell 6 @ 100')
  expect(exchange.fills().map(({ uid: who }) => exchange.name(who))).toContain('alice')
  const any = { category: undefined, instrument: undefined, kinds: [] } as const
  const tpsl = exchange.query({ kind: 'triggers', uid, interface: 'v2', ...any })
  expect(tpsl.map(({ trigger, price, quantity }) => `${trigger} ${price} of ${quantity}`).sort()).toEqual([
    'stop-loss 90 of 4',
    'take-profit 120 of 4',
    'take-profit 130 of 6',
  ])
})
