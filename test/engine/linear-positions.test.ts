/**
 * Linear positions to the unit: fees, realized profit, flips. Source: risk-engine §4 (its tables), §10.
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import { type Exchange, firstDay } from './support/exchange.ts'
import { coins } from './support/figures.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Alice takes what Bob offers, or makes what Bob takes. */
function takes(exchange: Exchange, side: 'buy' | 'sell', quantity: string, price: string): void {
  exchange.given(
    `bob: ${side === 'buy' ? 'sell' : 'buy'} ${quantity} @ ${price}`,
    `alice: ${side} ${quantity} @ ${price}`,
  )
}

function makes(exchange: Exchange, side: 'buy' | 'sell', quantity: string, price: string): void {
  exchange.given(
    `alice: ${side} ${quantity} @ ${price}`,
    `bob: ${side === 'buy' ? 'sell' : 'buy'} ${quantity} @ ${price}`,
  )
}

/** Alice's part of the last command's fills. */
function own(exchange: Exchange) {
  return exchange
    .fills()
    .filter(({ uid }) => uid === exchange.uid('alice'))
    .map(({ effect, quantity, fee, realizedPnl, matchId }) => ({
      effect,
      quantity: exchange.quantity(quantity),
      fee: coins(fee),
      realized: coins(realizedPnl),
      matchId,
    }))
}

scenario('risk-engine §4: the worked table', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'

  takes(exchange, 'buy', '0.3', '60000.1')
  expect(own(exchange)).toMatchObject([{ effect: 'open', quantity: '0.3', fee: '10.800018', realized: '0' }])
  makes(exchange, 'buy', '0.2', '61250.7')
  expect(own(exchange)).toMatchObject([{ effect: 'open', quantity: '0.2', fee: '2.450028', realized: '0' }])
  expect(exchange.position('alice')).toMatchObject({ quantity: 5000, entryNotional: 3_025_017_000_000n }) // at 60,500.34
  expect(exchange.house('clearing', 'USDT')).toBe('0') // Bob's short is the other half

  takes(exchange, 'sell', '0.12', '62000.5')
  expect(own(exchange)).toMatchObject([{ effect: 'close', quantity: '0.12', fee: '4.464036', realized: '180.0192' }])
  expect(exchange.position('alice')).toMatchObject({ quantity: 3800, entryNotional: 2_299_012_920_000n })

  exchange.prices({ BTC: '61800' })
  expect(coins(exchange.position('alice').unrealizedPnl)).toBe('493.8708')
  expect(coins(exchange.position('bob').unrealizedPnl)).toBe('-493.8708')

  takes(exchange, 'sell', '0.5', '61500.3')
  const [close, open] = own(exchange)
  expect([close, open]).toMatchObject([
    { effect: 'close', quantity: '0.38', realized: '379.9848' },
    { effect: 'open', quantity: '0.12', realized: '0' },
  ])
  expect(close?.matchId).toBe(open?.matchId)
  const fees = exchange.fills().filter(({ scope }) => scope === 'taker')
  expect(coins(fees.reduce((sum, { fee }) => sum + fee, 0n))).toBe('18.45009')
  expect(exchange.position('alice')).toMatchObject({
    side: 'short',
    quantity: 1200,
    entryNotional: 738_003_600_000n,
    realizedPnl: 0n,
    fees: 442_802_160n, // 7,380.036 × 0.06 %
  })
  expect(exchange.position('alice').openedAt).toBe(exchange.at)

  // 560.004 of profit, less fees of 10.800018 + 2.450028 + 4.464036 + 18.45009
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('50000523.839828')
})

scenario('a position that flipped is a new one; the record of the old one sums it up', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  takes(exchange, 'buy', '0.3', '60000.1')
  const opened = exchange.at
  const { positionId } = exchange.position('alice')
  takes(exchange, 'sell', '0.5', '61500.3')
  const closed = exchange.lastEvents.filter((event) => event.kind === 'position-closed')
  expect(closed).toHaveLength(2) // Bob's as well
  expect(closed.find(({ uid }) => uid === exchange.uid('alice'))).toMatchObject({
    positionId,
    side: 'long',
    openedQuantity: 3000,
    openedNotional: 1_800_003_000_000n,
    closedNotional: 1_845_009_000_000n,
    realizedPnl: 45_006_000_000n,
    openFees: 1_080_001_800n,
    closeFees: 1_107_005_400n,
    openedAt: opened,
    closedAt: exchange.at,
  })
  expect(exchange.position('alice').positionId).not.toBe(positionId)
})

table(
  'the record of an ended position has the leverage that was in force on its side',
  `
    mode    | margin   | set             | closes             | leverage
    one-way | cross    | -               | sell 1 @ 100       | 20
    one-way | cross    | 7               | sell 1 @ 100       | 7
    one-way | isolated | 7               | sell 1 @ 100       | 7
    hedge   | cross    | 7               | buy 1 close @ 100  | 7
    hedge   | isolated | long 5; short 9 | buy 1 close @ 100  | 5
    hedge   | isolated | long 5; short 9 | sell 1 close @ 100 | 9
  `,
  (exchange, { mode, margin, set, closes, leverage }) => {
    const isHedge = mode === 'hedge'
    if (isHedge) hedgers(exchange, 'alice', 'bob')
    else traders(exchange, 'alice', 'bob')
    const { id } = exchange.instrument()
    const marginMode = margin as 'cross' | 'isolated'
    const asked = { uid: exchange.uid('alice'), interface: 'v2', instrument: id } as const
    exchange.must({ kind: 'set-margin-mode', ...asked, marginMode })
    for (const one of listed(set)) {
      const [times, side] = one.split(' ').toReversed()
      const positionSide = side as 'long' | 'short' | undefined
      exchange.must({ kind: 'set-leverage', ...asked, leverage: Number(times), positionSide, marginMode })
    }
    const opens = isHedge ? ' open' : ''
    const sides = isHedge && closes.startsWith('sell') ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
    exchange.given(`bob: ${sides[0]} 1${opens} @ 100`, `alice: ${sides[1]} 1${opens} ${margin} @ 100`)
    const meets = isHedge && closes.startsWith('sell') ? 'sell 1 open' : `buy 1${opens}`
    exchange.given(`bob: ${meets} @ 100`, `alice: ${closes}`)
    const closed = exchange.lastEvents.filter((event) => event.kind === 'position-closed')
    expect(closed.find(({ uid }) => uid === exchange.uid('alice'))).toMatchObject({
      leverage: Number(leverage),
      marginMode,
      holdMode: isHedge ? 'hedge_mode' : 'one_way_mode',
    })
  },
)

scenario('risk-engine §4: rounding moves a unit in time and loses none', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  takes(exchange, 'buy', '0.001', '60000.1')
  takes(exchange, 'buy', '0.002', '60000.2')
  takes(exchange, 'sell', '0.001', '60000')
  // 180.0005 / 3 = 60.00016666…, booked as a cost of 60.00016667
  expect(own(exchange)).toMatchObject([{ realized: '-0.00016667' }])
  takes(exchange, 'sell', '0.002', '60000')
  expect(own(exchange)).toMatchObject([{ realized: '-0.00033333' }])
  expect(exchange.house('rounding', 'USDT')).toBe('0')
})

table(
  'however a position is cut, the total realized is its cash flow',
  [[['1', '2', '4']], [['3', '3', '1']], [['2', '2', '2', '1']], [['7']], [['1', '1', '1', '1', '1', '1', '1']]],
  (exchange, cuts) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
    takes(exchange, 'buy', '0.0003', '60000.1')
    takes(exchange, 'buy', '0.0004', '60000.7')
    let realized = 0n
    for (const cut of cuts) {
      takes(exchange, 'sell', `0.000${cut}`, '60001')
      realized += exchange.fills().find(({ uid }) => uid === exchange.uid('alice'))?.realizedPnl ?? 0n
    }
    expect(exchange.holds('alice')).toBe('flat')
    expect(realized).toBe(39_000n) // 0.0007 × 60001 − 0.0003 × 60000.1 − 0.0004 × 60000.7
  },
)

scenario('risk-engine §4: the example in USDC', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdc_futures: '1000 USDC' } }).market = 'ETHPERP'
  setLeverage(exchange, 25)
  exchange.prices({ ETH: '3010.45' }).given('bob: sell 2.5 @ 3010.45', 'alice: buy 2.5 isolated @ 3010.45')
  expect(own(exchange)).toMatchObject([{ fee: '4.515675' }])
  expect(coins(exchange.fills()[0]?.notional ?? 0n)).toBe('7526.125')
  expect(coins(exchange.position('alice').margin)).toBe('301.045')
  exchange.prices({ ETH: '3049.48998', USDC: '0.9998' }) // 3,050.10 in USDC
  const position = exchange.position('alice')
  expect(exchange.price(position.markPrice)).toBe('3050.1')
  expect(coins(position.unrealizedPnl)).toBe('99.125')
  expect(exchange.price(position.liquidationPrice)).toBe('2903.39')
  expect(exchange.price(position.breakEvenPrice)).toBe('3014.07')
  const asset = exchange.asset('alice', 'USDC-FUTURES', 'USDC')
  expect(coins(asset.equity)).toBe('1094.609325')
  expect(coins(asset.usdtEquity)).toBe('1094.39040313')
  expect(coins(asset.btcEquity)).toBe('0.01823984')
})

function setLeverage(exchange: Exchange, leverage: number): void {
  const { id } = exchange.instrument()
  const given = { interface: 'v2', positionSide: undefined, marginMode: undefined } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: id, leverage, ...given })
}

scenario('risk-engine §10: partial fills are charged one by one', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'ETHUSDT'
  exchange.given('bob: sell 0.333 @ 3010.45', 'bob: sell 2.167 @ 3010.45', 'alice: buy 2.5 @ 3010.45')
  expect(own(exchange)).toMatchObject([{ fee: '0.60148791' }, { fee: '3.91418709' }])
})

scenario('an order record sums its fills up and names the entry price', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 2 @ 100', 'bob: sell 2 @ 101', 'alice: buy 4 @ 101')
  const record = exchange.ended().find(({ uid }) => uid === exchange.uid('alice'))
  expect(record).toMatchObject({
    status: 'filled',
    filled: 4,
    filledNotional: 40_200_000_000n,
    fee: 24_120_000n,
    realizedPnl: 0n,
    positionEntryE8: 10_050_000_000n,
    intent: 'single',
    positionSide: 'net',
    createdAt: expect.any(Number),
  })
  expect(record?.createdAt).toBeGreaterThan(firstDay)
})

scenario('open interest counts longs', (exchange) => {
  hedgers(exchange, 'alice', 'bob')
  const interest = () => exchange.query({ kind: 'prices', instrument: exchange.instrument().id }).openInterest
  exchange.given('bob: sell 5 open @ 100', 'alice: buy 5 open @ 100')
  expect(interest()).toBe(5)
  exchange.given('bob: buy 2 open @ 100', 'alice: sell 2 open @ 100')
  expect(interest()).toBe(7)
  exchange.given('bob: sell 4 close @ 100', 'alice: buy 4 close @ 100')
  expect(interest()).toBe(3)
})

scenario('the last close gives everything back: a long life with many partners ends at zero', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol').market = 'BTCUSD'
  exchange.given('bob: sell 12345 @ 61000', 'alice: buy 7000 @ 61000', 'carol: buy 5345 @ 61000')
  exchange.given('carol: sell 5345 @ 63211.7', 'alice: buy 5345 @ 63211.7')
  exchange.given('alice: sell 12345 @ 59999.9', 'bob: buy 12345 @ 59999.9')
  for (const who of ['alice', 'bob', 'carol']) expect(exchange.holds(who)).toBe('flat')
  expect(exchange.house('clearing', 'BTC')).toBe('0')
})
