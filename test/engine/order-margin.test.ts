/**
 * What an opening order must have and holds: margin and fee, opening loss, tiers, netting in one-way mode.
 * Source  risk-engine §3, §6, §11; design §4.37
 */
import { expect } from 'vitest'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { coins } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function setLeverage(exchange: Exchange, who: string, leverage: number, market = exchange.market): void {
  const given = { interface: 'v2', positionSide: undefined, marginMode: undefined } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(who), instrument: instrumentId(market), leverage, ...given })
}

function held(exchange: Exchange, who: string, market: MarketName = exchange.market): string {
  const [wallet, coin] = market === 'BTCUSD' ? (['coin_futures', 'BTC'] as const) : (['usdt_futures', 'USDT'] as const)
  return coins(exchange.balance(who, wallet, coin).held)
}

table(
  'risk-engine §11: the hold of an order at mark 60,000 and 20x; exactly enough, one unit short',
  // 1,512.5 margin + 18.15 fee + 250 opening loss
  `
    order               | funds         | outcome
    buy 0.5 @ 60500     | 1780.65       | rests 0.5
    buy 0.5 @ 60500     | 1780.64999999 | refused insufficient-margin
    // At or behind the mark there is no loss to count
    buy 0.5 @ 60000     | 1518          | rests 0.5
    buy 0.5 @ 60000     | 1517.99999999 | refused insufficient-margin
    buy 0.5 @ 59000     | 1492.7        | rests 0.5
    buy 0.5 @ 59000     | 1492.69999999 | refused insufficient-margin
    sell 0.5 @ 59500    | 1755.35       | rests 0.5
    sell 0.5 @ 59500    | 1755.34999999 | refused insufficient-margin
    sell 0.5 @ 60500    | 1530.65       | rests 0.5
    sell 0.5 @ 60500    | 1530.64999999 | refused insufficient-margin
    // Margin, fee and loss are rounded up apart: 300.0005/20 = 15.000025, fee 0.1800003
    buy 0.005 @ 60000.1 | 15.1805253    | rests 0.005
    buy 0.005 @ 60000.1 | 15.1805252    | refused insufficient-margin
  `,
  (exchange, { order, funds, outcome }) => {
    exchange.join('alice', { funds: { usdt_futures: `${funds} USDT` } }).market = 'BTCUSDT'
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
    expect(held(exchange, 'alice')).toBe(outcome.startsWith('rests') ? funds : '0')
  },
)

table(
  'an isolated order needs what its fills take: a sell that meets a dearer bid takes the margin of that price',
  // At 61,000: 1,525 margin + 18.3 fee. Behind a bid at the mark what its own price holds is more: 1,487.5 + 17.85 + 250
  `
    bid           | order                        | funds         | outcome
    buy 1 @ 61000 | sell 0.5 isolated @ 60000    | 1543.3        | filled 0.5
    buy 1 @ 61000 | sell 0.5 isolated @ 60000    | 1543.29999999 | refused insufficient-margin
    buy 1 @ 60000 | sell 0.5 isolated @ 59500    | 1755.35       | filled 0.5
    buy 1 @ 60000 | sell 0.5 isolated @ 59500    | 1755.34999999 | refused insufficient-margin
  `,
  (exchange, { bid, order, funds, outcome }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${funds} USDT` } }).market = 'BTCUSDT'
    exchange.given(`bob: ${bid}`)
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

table(
  'an isolated order starts its position with equity left: its opening loss is at most its margin',
  // At 24x and a mark of 60,000: 2,400 of 57,600 is its margin; a tick lower the loss is 2,400.1, and the margin 2,399.99583334
  `
    order                        | outcome
    sell 1 isolated @ 57600      | rests 1
    sell 1 isolated @ 57599.9    | refused insufficient-margin
  `,
  (exchange, { order, outcome }) => {
    exchange.join('alice', { funds: { usdt_futures: '100000 USDT' } }).market = 'BTCUSDT'
    setLeverage(exchange, 'alice', 24)
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

scenario('risk-engine §11: 1,000 opens at most 0.3293 at 60,000 and 20x', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } }).market = 'BTCUSDT'
  expect(exchange.place('alice: buy 0.3294 @ 60000')).toBe('refused insufficient-margin')
  expect(exchange.place('alice: buy 0.3293 @ 60000')).toBe('rests 0.3293')
})

scenario('the refusal says what is required and what is available', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } }).given('alice: buy 100 @ 100')
  exchange.place('alice: buy 100 @ 100')
  const { reply } = exchange.applied.at(-1) ?? {}
  if (reply?.kind !== 'refused' || reply.refusal.kind !== 'insufficient-margin') throw new Error('refused for margin')
  expect(coins(reply.refusal.required)).toBe('506')
  expect(coins(reply.refusal.available)).toBe('494')
})

table(
  'risk-engine §16: what the orders of either side of a unified account hold is there for no other',
  `
    first          | fits          | exceeds
    buy 100 @ 100  | buy 97 @ 100  | buy 98 @ 100
    sell 100 @ 100 | sell 97 @ 100 | sell 98 @ 100
  `,
  (exchange, { first, fits, exceeds }) => {
    exchange.join('alice', { mode: 'unified', funds: { uta: '1000 USDT' } }).given(`alice: ${first}`)
    // 506 are held, 5.06 for each more; of 494 left 97 take 490.82
    expect(exchange.place(`alice: ${exceeds}`)).toBe('refused insufficient-margin')
    expect(exchange.place(`alice: ${fits}`)).toBe('rests 97')
  },
)

table(
  'the hold of inverse orders, in coin (30,000 contracts at mark 60,000 and 10x)',
  `
    order              | funds      | outcome
    buy 30000 @ 60000  | 0.0503     | rests 30000
    buy 30000 @ 60000  | 0.05029999 | refused insufficient-margin
    // 0.05 × 60/61.2 + fee + 30,000 × (1/60,000 − 1/61,200)
    buy 30000 @ 61200  | 0.05911766 | rests 30000
    buy 30000 @ 61200  | 0.05911765 | refused insufficient-margin
    sell 30000 @ 61200 | 0.04931373 | rests 30000
    // 0.02024099 + 0.00012145 + 0.0033735: the loss is 0.00337349726… and rounded once
    buy 12347 @ 61000  | 0.02373594 | rests 12347
    buy 12347 @ 61000  | 0.02373593 | refused insufficient-margin
  `,
  (exchange, { order, funds, outcome }) => {
    exchange.join('alice', { funds: { coin_futures: `${funds} BTC` } }).market = 'BTCUSD'
    setLeverage(exchange, 'alice', 10)
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

scenario('an order gives back its hold in parts as it fills, and the rest when it ends', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  exchange.given('alice: buy 0.7 oid:mine @ 60500')
  expect(held(exchange, 'alice')).toBe('2492.91')
  exchange.given('bob: sell 0.3 @ 60500')
  // ⌊2,492.91 × 3/7⌋ went with the fill
  expect(held(exchange, 'alice')).toBe('1424.52')
  exchange.given('bob: sell 0.1 @ 60500')
  expect(held(exchange, 'alice')).toBe('1068.39')
  exchange.cancel('alice', 'mine')
  expect(held(exchange, 'alice')).toBe('0')
})

scenario('a market order is asked for what it will take, at its worst price', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '11.12 USDT' } })
  exchange.given('bob: sell 1 @ 100', 'bob: sell 1 @ 101')
  // 2 × 101 / 20 + 2 × 101 × 0.06 % + 2 × (101 − 100) = 10.1 + 0.1212 + 2 = 12.2212
  expect(exchange.place('alice: buy 2')).toBe('refused insufficient-margin')
  exchange.pay('alice', 'usdt_futures', '1.1011 USDT')
  expect(exchange.place('alice: buy 2')).toBe('refused insufficient-margin')
  exchange.pay('alice', 'usdt_futures', '0.0001 USDT')
  expect(exchange.place('alice: buy 2')).toBe('filled 2')
})

scenario('a market order that will find nothing needs no margin', (exchange) => {
  exchange.join('alice')
  expect(exchange.place('alice: buy 2')).toBe('canceled no-liquidity')
})

// Cross margin

scenario('risk-engine §6: what a book of two positions leaves available', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '5018 USDT' } })
  traders(exchange, 'bob')
  exchange.given('alice: buy 0.5 BTCUSDT @ 60000', 'bob: sell 0.5 BTCUSDT @ 60000') // fee 6
  exchange.given('alice: sell 10 ETHUSDT @ 3000', 'bob: buy 10 ETHUSDT @ 3000') // fee 6
  exchange.prices({ BTC: '59400', ETH: '3060' })
  exchange.must({
    kind: 'withdraw',
    uid: exchange.uid('alice'),
    wallet: 'usdt_futures',
    coin: 3,
    amount: 600_000_000n as never,
  })
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('5000')
  const asset = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(asset.equity)).toBe('4100')
  expect(coins(asset.crossUnrealizedPnl)).toBe('-900')
  expect(coins(asset.crossMargin)).toBe('3015')
  expect(coins(asset.crossMaxAvailable)).toBe('1085')
  expect(coins(asset.isolatedMaxAvailable)).toBe('1985')
  expect(coins(asset.maxTransferOut)).toBe('1085')
  const btc = exchange.position('alice', 'BTCUSDT')
  const eth = exchange.position('alice', 'ETHUSDT')
  expect(btc.marginRatio).toBe(67_653_660_000n) // 277.38 / 4,100 = 0.06765366
  expect(eth.marginRatio).toBe(btc.marginRatio)
  expect(coins(btc.margin)).toBe('1485')
  expect(coins(eth.margin)).toBe('1530')
  expect(exchange.price(btc.liquidationPrice, 'BTCUSDT')).toBe('51719.5')
  expect(exchange.price(eth.liquidationPrice, 'ETHUSDT')).toBe('3440.51')
})

scenario('risk-engine §6: with 2,500 the same book has nothing available and is not yet broken', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '3048 USDT' } })
  traders(exchange, 'bob')
  exchange.given('alice: buy 0.5 BTCUSDT @ 60000', 'bob: sell 0.5 BTCUSDT @ 60000')
  exchange.given('alice: sell 10 ETHUSDT @ 3000', 'bob: buy 10 ETHUSDT @ 3000')
  // A transfer of 536 more is possible only while nothing is lost: 3,036 − 3,000 of margin leaves 36.
  exchange.must({
    kind: 'withdraw',
    uid: exchange.uid('alice'),
    wallet: 'usdt_futures',
    coin: 3,
    amount: 3_600_000_000n as never,
  })
  exchange.prices({ BTC: '59400', ETH: '3060' })
  exchange.given('bob: buy 5 SOLUSDT @ 100')
  const asset = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(asset.equity)).toBe('2100')
  expect([asset.crossMaxAvailable, asset.isolatedMaxAvailable, asset.maxTransferOut]).toEqual([0n, 0n, 0n])
  expect(exchange.place('alice: sell 1 SOLUSDT @ 100')).toBe('refused insufficient-margin')
  const withdraw = { kind: 'withdraw', uid: exchange.uid('alice'), wallet: 'usdt_futures', coin: 3 } as const
  expect(exchange.refusal({ ...withdraw, amount: 1n as never })).toBe('transferable-exceeded')
  // Reducing is always possible.
  exchange.given('bob: buy 0.5 BTCUSDT @ 59400')
  expect(exchange.place('alice: sell 0.5 BTCUSDT @ 59400')).toBe('filled 0.5')
})

scenario('paper profit is no margin and cannot leave; paper loss counts at once', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1006 USDT' } })
  traders(exchange, 'bob').given('bob: sell 100 @ 100', 'alice: buy 100 @ 100')
  const asset = () => exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(asset().crossMaxAvailable)).toBe('500')
  exchange.prices({ SOL: '110' })
  expect(coins(asset().crossMaxAvailable)).toBe('450') // 1,000 − 550
  expect(coins(asset().equity)).toBe('2000')
  exchange.prices({ SOL: '95' })
  expect(coins(asset().crossMaxAvailable)).toBe('25') // 1,000 − 500 − 475
})

// Netting in one-way mode

table(
  'one-way: a plain order that only reduces needs no margin; what would flip does',
  // long 10 at 100 with just the margin it needs, order, outcome, held
  `
    order         | outcome                     | after
    sell 10 @ 100 | rests 10                    | 0
    sell 4 @ 120  | rests 4                     | 0
    sell 11 @ 100 | refused insufficient-margin | 0
    buy 1 @ 90    | refused insufficient-margin | 0
  `,
  (exchange, { order, outcome, after }) => {
    exchange.join('alice', { funds: { usdt_futures: '50.6 USDT' } })
    traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').crossMaxAvailable)).toBe('0')
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
    expect(held(exchange, 'alice')).toBe(after)
  },
)

scenario('one-way: only the part that would open asks for margin', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('alice: sell 6 @ 100')
  expect(held(exchange, 'alice')).toBe('0')
  exchange.given('alice: sell 9 oid:more @ 100') // 15 of 10: a third of 15 × 5.06
  expect(held(exchange, 'alice')).toBe('25.3')
  // The position shrinks by 4: 9 of 15 would open
  exchange.given('bob: buy 4 @ 99', 'alice: sell 4 reduce-only @ 99')
  expect(held(exchange, 'alice')).toBe('45.54')
  exchange.cancel('alice', 'more')
  expect(held(exchange, 'alice')).toBe('0')
})

scenario('one-way: orders of both sides of a flat book hold their margin apart', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 10 @ 90', 'alice: sell 10 @ 110')
  expect(held(exchange, 'alice')).toBe('101.2')
})

scenario('hedge: both sides ask for margin, whatever the other has', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 open @ 100')
  exchange.given('alice: sell 10 open @ 100')
  expect(held(exchange, 'alice')).toBe('50.6')
})

scenario('risk-engine §7: cross hedge positions carry initial margin on both sides', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 open @ 100')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 open @ 100')
  expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').crossMargin)).toBe('100')
})

// Tiers

table(
  'tiers: value at the mark of 100 with all that may be opened, against the leverage that the tier allows',
  // leverage, standing orders and position, order, outcome
  `
    leverage | standing                                    | order            | outcome
    125      | -                                           | buy 1999 @ 100   | rests 1999
    125      | -                                           | buy 2000 @ 100   | refused position-tier-exceeded
    125      | alice: buy 1500 @ 90                        | buy 499 @ 90     | rests 499
    125      | alice: buy 1500 @ 90                        | buy 500 @ 90     | refused position-tier-exceeded
    125      | bob: sell 1500 @ 100; alice: buy 1500 @ 100 | buy 500 @ 90     | refused position-tier-exceeded
    125      | alice: buy 1500 @ 90                        | sell 1999 @ 110  | rests 1999
    100      | -                                           | buy 2000 @ 100   | rests 2000
    100      | -                                           | buy 9999 @ 100   | rests 9999
    100      | -                                           | buy 10000 @ 100  | refused position-tier-exceeded
    20       | -                                           | buy 199999 @ 100 | rests 199999
    20       | -                                           | buy 200000 @ 100 | refused position-tier-exceeded
    1        | -                                           | buy 200000 @ 100 | refused position-tier-exceeded
    // Reducing is no matter of tiers: 1,500 of the 3,000 close
    125      | bob: sell 1500 @ 100; alice: buy 1500 @ 100 | sell 3000 @ 110  | rests 3000
    125      | bob: sell 1500 @ 100; alice: buy 1500 @ 100 | sell 3500 @ 110  | refused position-tier-exceeded
  `,
  (exchange, { leverage, standing, order, outcome }) => {
    traders(exchange, 'alice', 'bob')
    setLeverage(exchange, 'alice', Number(leverage))
    exchange.given(standing)
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

table(
  'tiers of inverse contracts go by USD, which does not move with the price',
  `
    order              | outcome
    buy 199999 @ 60000 | rests 199999
    buy 200000 @ 60000 | refused position-tier-exceeded
    buy 199999 @ 30000 | rests 199999
  `,
  (exchange, { order, outcome }) => {
    traders(exchange, 'alice').market = 'BTCUSD'
    setLeverage(exchange, 'alice', 125)
    exchange.prices({ BTC: '59000' })
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

scenario('a position that grew into a higher tier by its price can still be reduced, but not added to', (exchange) => {
  traders(exchange, 'alice', 'bob')
  setLeverage(exchange, 'alice', 125)
  exchange.given('bob: sell 1900 @ 100', 'alice: buy 1900 @ 100')
  exchange.prices({ SOL: '110' })
  expect(exchange.place('alice: buy 1 @ 100')).toBe('refused position-tier-exceeded')
  expect(exchange.place('alice: sell 1900 @ 120')).toBe('rests 1900')
})
