/**
 * Coin-margined contracts: whole USD contracts, money in coin, sizes in base coin converted on arrival.
 * Source  interface E2, E3; design §4.12; risk-engine §8
 */
import { expect } from 'vitest'
import type { Exchange } from './support/exchange.ts'
import { coins } from './support/figures.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

scenario('risk-engine §8: the worked fills, to the unit', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 60000', 'alice: buy 30000 @ 60000')
  expect(exchange.fills().map(({ fee }) => coins(fee))).toEqual(['0.0003', '0.0001'])
  exchange.given('bob: sell 12345 @ 61000', 'alice: buy 12345 @ 61000')
  expect(coins(exchange.fills()[0]?.fee ?? 0n)).toBe('0.00012143')
  expect(exchange.house('rounding', 'BTC')).toBe('0.00000001') // the buyer books 0.20237704, the seller 0.20237705
  expect(exchange.position('alice')).toMatchObject({ quantity: 42_345, entryNotional: 70_237_704n })

  exchange.prices({ BTC: '62500' })
  expect(coins(exchange.position('alice').unrealizedPnl)).toBe('0.02485704')
  exchange.given('bob: buy 10000 @ 62500', 'alice: sell 10000 @ 62500')
  expect(exchange.fills()[0]).toMatchObject({ effect: 'close', realizedPnl: 587_012n })
  expect(exchange.position('alice')).toMatchObject({ quantity: 32_345, entryNotional: 53_650_692n })
})

scenario('what a maker and a taker book differs by at most one unit, which is the house', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  exchange.given('bob: sell 1 @ 60000.1', 'alice: buy 1 @ 60000.1')
  expect(exchange.house('rounding', 'BTC')).toBe('0.00000001')
  exchange.given('bob: buy 1 @ 60000.1', 'alice: sell 1 @ 60000.1')
  expect(exchange.fills().map(({ realizedPnl }) => realizedPnl)).toEqual([-1n, -1n])
  expect(exchange.house('rounding', 'BTC')).toBe('0.00000002')
  expect(exchange.house('clearing', 'BTC')).toBe('0')
})

/** Alice long 30,000 contracts at 61,000: shown as 0.4918 BTC (0.49180327…). */
function longAt61000(exchange: Exchange): void {
  exchange.market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 61000', 'alice: buy 30000 @ 61000')
}

table(
  'design §4.12: a v2 size in base coin, opening, at the order price or (market) the mark of 60,000',
  `
    order                             | outcome                        | book
    alice: buy 0.5 BTC @ 60000.5      | rests 30000                    | bids 30000 @ 60000.5 / asks 100000 @ 61000
    alice: buy 0.5 BTC @ 59999.9      | rests 29999                    | bids 29999 @ 59999.9 / asks 100000 @ 61000
    alice: buy 0.5 BTC @ 61000        | filled 30500                   | bids none / asks 69500 @ 61000
    alice: buy 0.5 BTC                | filled 30000                   | bids none / asks 70000 @ 61000
    alice: buy 0.00001666 BTC @ 60024 | refused quantity-below-minimum | bids none / asks 100000 @ 61000
    alice: buy 0.00001667 BTC @ 60024 | rests 1                        | bids 1 @ 60024 / asks 100000 @ 61000
    alice: buy 0.00001666 BTC         | refused quantity-below-minimum | bids none / asks 100000 @ 61000
    alice: buy 0.00001667 BTC         | filled 1                       | bids none / asks 99999 @ 61000
    alice: buy 1 @ 60000              | rests 1                        | bids 1 @ 60000 / asks 100000 @ 61000
  `,
  (exchange, { order, outcome, book }) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSD'
    exchange.given('bob: sell 100000 @ 61000')
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.depth()).toBe(book)
  },
)

table(
  'design §4.12: closing 30,000 at the entry of 61,000, whatever price the order or the mark has',
  `
    order                                   | outcome                        | after
    alice: sell 0.4918 BTC reduce-only      | filled 30000                   | flat
    alice: sell 0.4919 BTC reduce-only      | filled 30000                   | flat
    alice: sell 7 BTC reduce-only           | filled 30000                   | flat
    alice: sell 0.4917 BTC reduce-only      | filled 29993                   | long 7
    alice: sell 0.1 BTC reduce-only         | filled 6100                    | long 23900
    alice: sell 0.1 BTC reduce-only @ 58000 | filled 6100                    | long 23900
    alice: sell 0.00001639 BTC reduce-only  | refused quantity-below-minimum | long 30000
    alice: sell 0.0000164 BTC reduce-only   | filled 1                       | long 29999
    // Not a closing order: converted at its price like any that opens, and it may flip.
    alice: sell 0.5 BTC @ 59000             | filled 29500                   | long 500
  `,
  (exchange, { order, outcome, after }) => {
    traders(exchange, 'alice', 'bob')
    longAt61000(exchange)
    exchange.given('bob: buy 100000 @ 59000')
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
  },
)

table(
  'design §4.12: closing at the entry N / |F| itself, where that price has no last decimal',
  // 0.0006 BTC: half of 44 at 73,333.333… is 22; 40 at 66,666.666… are all of it only from 0.0006 on
  `
    entry        | size   | outcome   | after
    44 @ 73333.3 | 0.0003 | filled 22 | long 22
    44 @ 73333.3 | 0.0006 | filled 44 | flat
    40 @ 66666.6 | 0.0003 | filled 20 | long 20
    40 @ 66666.6 | 0.0005 | filled 33 | long 7
    40 @ 66666.6 | 0.0006 | filled 40 | flat
  `,
  (exchange, { entry, size, outcome, after }) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSD'
    exchange.prices({ BTC: '70000' })
    exchange.given(`bob: sell ${entry}`, `alice: buy ${entry}`, 'bob: buy 100 @ 69000')
    expect(exchange.place(`alice: sell ${size} BTC reduce-only`)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('hedge closes convert alike', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 61000', 'alice: buy 0.49180328 BTC open @ 61000', 'bob: buy 90000 @ 59000')
  expect(exchange.holds('alice')).toBe('long 30000')
  expect(exchange.place('alice: buy 0.1 BTC close')).toBe('filled 6100')
  expect(exchange.place('alice: buy 0.3918 BTC close')).toBe('filled 23900')
})

scenario('the record keeps the size as it was sent', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 0.5 BTCUSD BTC oid:mine @ 60000.5')
  const order = { orderId: undefined, clientOid: 'mine' }
  const record = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order })
  expect(record).toMatchObject({ quantity: 30_000, baseAmount: 50_000_000n })
})

scenario('profits in coin are zero-sum at any sequence of prices (risk-engine §8)', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol').market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 60000', 'alice: buy 30000 @ 60000')
  exchange.given('carol: buy 30000 @ 62500', 'alice: sell 30000 @ 62500')
  exchange.given('bob: buy 30000 @ 70000', 'carol: sell 30000 @ 70000')
  const fees = exchange.applied
    .flatMap(({ events }) => events)
    .filter((event) => event.kind === 'fill')
    .reduce((sum, { fee }) => sum + fee, 0n)
  const left = ['alice', 'bob', 'carol'].reduce(
    (sum, who) => sum + exchange.balance(who, 'coin_futures', 'BTC').balance,
    0n,
  )
  expect(coins(3000n * 100_000_000n - left - fees)).toBe(exchange.house('rounding', 'BTC'))
  expect(exchange.house('clearing', 'BTC')).toBe('0')
})
