/**
 * Liquidation: who is breached and when, the steps, the insurance fund, auto-deleveraging, delivery.
 * Source  risk-engine §5-§7, §14, §15, §22; design §4.26
 */
import { expect } from 'vitest'
import type { Ticks } from '../../src/engine/numbers/numbers.ts'
import { coinId, type Exchange, instrumentId, marketOf } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Alice long or short half a bitcoin at 60,000 with 1,500 of isolated margin; Bob is on the other side. */
function isolated(exchange: Exchange, side: 'buy' | 'sell', fund = '1000000'): Exchange {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  if (fund !== '0') insure(exchange, fund)
  exchange.given(`bob: ${side === 'buy' ? 'sell' : 'buy'} 0.5 @ 60000`, `alice: ${side} 0.5 isolated @ 60000`)
  return exchange
}

function insure(exchange: Exchange, amount: string): void {
  const coin = exchange.query({ kind: 'catalog' }).coins.find((listed) => listed.name === 'USDT')?.id ?? 0
  exchange.must({ kind: 'fund-house', account: 'insurance', coin, amount: units(amount) })
}

/** Marks follow the index at once; what comes of it may go on with the timer. */
function moveTo(exchange: Exchange, price: string): void {
  exchange.prices({ BTC: price }).wait(2000).runTimers()
}

function forced(exchange: Exchange, name: string) {
  return exchange.applied
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.kind === 'order-ended' ? [event.order] : []))
    .filter((order) => order.uid === exchange.uid(name) && order.cause !== 'user')
}

scenario('what the book does not take at the bankruptcy price, the insurance fund takes', (exchange) => {
  isolated(exchange, 'buy')
  const before = exchange.wallet('alice', 'usdt_futures', 'USDT')
  moveTo(exchange, '55000')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(before)
  const [order] = forced(exchange, 'alice')
  expect(order).toMatchObject({ cause: 'liquidation', status: 'filled', bookSide: 'sell' })
  expect(exchange.price(order?.price ?? 0)).toBe('57034.3')
  expect(order).toMatchObject({ averagePriceE8: 57_034_30000000n, positionEntryE8: 60_000_00000000n })
})

scenario('the records of inverse contracts that nobody offered have their averages as well', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { coin_futures: '0.03 BTC' } }).market = 'BTCUSD'
  exchange.given('bob: buy 30000 @ 60000', 'alice: sell 30000 isolated @ 60000')
  moveTo(exchange, '66360')
  const [order] = forced(exchange, 'alice')
  expect(exchange.holds('alice')).toBe('flat')
  expect(order?.positionEntryE8).toBe(60_000_00000000n)
  expect(Number(order?.averagePriceE8)).toBeCloseTo((order?.price ?? 0) * 10_000_000, -2)
})

scenario('closed better than bankrupt, the rest of an isolated margin is the insurance fund’s', (exchange) => {
  isolated(exchange, 'buy')
  exchange.given('bob: buy 0.5 @ 57150')
  const before = exchange.wallet('alice', 'usdt_futures', 'USDT')
  moveTo(exchange, '57000')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(before)
  // 1,500 − 0.5 × 2,850 − a fee of 17.145
  expect(exchange.house('insurance', 'USDT')).toBe('1000057.855')
})

scenario('a short is bought back', (exchange) => {
  isolated(exchange, 'sell')
  exchange.given('bob: sell 0.5 @ 62900')
  moveTo(exchange, '62800')
  expect(exchange.holds('alice')).toBe('flat')
  expect(forced(exchange, 'alice')[0]).toMatchObject({ bookSide: 'buy', cause: 'liquidation' })
})

scenario('open orders of the position go first', (exchange) => {
  isolated(exchange, 'buy')
  exchange.given('alice: sell 0.5 reduce-only @ 70000')
  moveTo(exchange, '55000')
  expect(exchange.resting()).toEqual([])
})

scenario('above its maintenance margin a position is left alone', (exchange) => {
  isolated(exchange, 'buy')
  moveTo(exchange, '58000')
  expect(exchange.holds('alice')).toBe('long 0.5')
})

scenario('a cross account closed at its bankruptcy price ends at zero', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1600 USDT' } }).market = 'BTCUSDT'
  insure(exchange, '1000000')
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 @ 60000')
  moveTo(exchange, '55000')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('0')
})

scenario('from the third tier on a cross position is first cut by two tiers (40 BTC keeps 3.3333)', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '140000 USDT' } }).market = 'BTCUSDT'
  const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 20 } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: exchange.instrument().id, ...lever })
  insure(exchange, '10000000')
  exchange.given('bob: sell 40 @ 60000', 'alice: buy 40 @ 60000', 'bob: buy 40 @ 57100')
  moveTo(exchange, '57000')
  const [first] = forced(exchange, 'alice')
  expect(first).toMatchObject({ cause: 'reduce' })
  expect(exchange.quantity(first?.quantity ?? 0)).toMatch(/^36\.4/)
})

table(
  '§14.3: what the book does not take of a cut, the fund takes or counterparties do; the rest stays with who has it',
  // fund, bids, what is left: 200,000 / 56,959.7 is what the first tier carries
  `
    fund     | bids                | left
    10000000 | bob: buy 40 @ 56900 | long 3.5112
    10000000 | -                   | long 3.5112
    0        | -                   | long 3.5112
    // At this price ten are enough: it stands again.
    10000000 | bob: buy 10 @ 56900 | long 30
  `,
  (exchange, { fund, bids, left }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '142000 USDT' } }).market = 'BTCUSDT'
    const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 25 } as const
    exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: exchange.instrument().id, ...lever })
    if (fund !== '0') insure(exchange, fund)
    exchange.given('bob: sell 40 @ 60000', 'alice: buy 40 @ 60000')
    if (bids !== '') exchange.given(bids)
    moveTo(exchange, '56959.7')
    expect(exchange.holds('alice')).toBe(left)
    expect(new Set(forced(exchange, 'alice').map(({ cause }) => cause))).toEqual(new Set(['reduce']))
    expect(Number(exchange.wallet('alice', 'usdt_futures', 'USDT'))).toBeGreaterThan(0)
  },
)

scenario('with an empty fund the counterparty is deleveraged, at the bankruptcy price and free of fees', (exchange) => {
  isolated(exchange, 'buy', '0')
  const bobFees = exchange.position('bob').fees
  moveTo(exchange, '50000')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.holds('bob')).toBe('flat')
  const [adl] = forced(exchange, 'bob')
  expect(adl).toMatchObject({ cause: 'adl', status: 'filled', fee: 0n })
  expect(exchange.price(adl?.price ?? 0)).toBe('57034.3')
  // 0.5 × (60,000 − 57,034.3)
  expect(coins(adl?.realizedPnl ?? 0n)).toBe('1482.85')
  expect(bobFees).toBeGreaterThan(0n)
  // The account that failed was liquidated, whoever took its position (risk-engine §14.4).
  expect(forced(exchange, 'alice')).toMatchObject([{ cause: 'liquidation', status: 'filled' }])
})

scenario(
  '§15: a fund at four fifths of its highest takes over: deleveraging begins below 70 % and ends at 90 %',
  (exchange) => {
    traders(exchange, 'bob').join('carol', { funds: { usdt_futures: '2000 USDT' } })
    isolated(exchange, 'buy', '5000')
    exchange.doubted({ BTC: '55000' })
    // A loss of 2,500 on a margin of 1,500: the fund pays 1,000
    exchange.given('bob: buy 0.5 reduce-only @ 55000', 'alice: sell 0.5 reduce-only @ 55000')
    expect(exchange.house('insurance', 'USDT')).toBe('4000')
    exchange.leap({ BTC: '55000', USDT: '1' })
    exchange.given('bob: sell 0.5 @ 55000', 'carol: buy 0.5 isolated @ 55000')
    moveTo(exchange, '52000')
    expect([exchange.holds('carol'), exchange.holds('bob')]).toEqual(['flat', 'short 0.5'])
    expect(forced(exchange, 'bob')).toEqual([])
  },
)

scenario('§15: of a cross position its share of the account’s equity stands behind it', (exchange) => {
  traders(exchange, 'dave').join('alice', { funds: { usdt_futures: '2000 USDT' } })
  exchange
    .join('xena', { funds: { usdt_futures: '10100 USDT' } })
    .join('yann', { funds: { usdt_futures: '5000 USDT' } })
  exchange.market = 'BTCUSDT'
  const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 8 } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('yann'), instrument: exchange.instrument().id, ...lever })
  exchange.given('yann: sell 0.5 isolated @ 60000', 'dave: buy 0.5 @ 60000')
  exchange.given('xena: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.given('xena: sell 20 ETHUSDT @ 3000', 'dave: buy 20 ETHUSDT @ 3000')
  // Xena's 12,500 would be little leverage for half a bitcoin alone; two thirds of them stand behind her ether.
  moveTo(exchange, '55000')
  expect([exchange.holds('xena'), exchange.holds('yann')]).toEqual(['flat', 'short 0.5'])
})

scenario('auto margin draws from the wallet before anything is closed', (exchange) => {
  isolated(exchange, 'buy')
  exchange.must({
    kind: 'set-auto-margin',
    uid: exchange.uid('alice'),
    interface: 'v2',
    instrument: exchange.instrument().id,
    on: true,
  })
  moveTo(exchange, '57200')
  expect(exchange.holds('alice')).toBe('long 0.5')
  expect(exchange.position('alice').margin).toBeGreaterThan(units('1500'))
})

table(
  'margin by hand: risk-engine §5, 300 added to 1,500',
  `
    amount | outcome                | margin | liquidation
    300    | accepted               | 1800   | 56660.7
    -1     | margin-change-exceeded | 1500   | 57263.5
    483    | margin-change-exceeded | 1500   | 57263.5
    0      | amount-not-positive    | 1500   | 57263.5
  `,
  (exchange, { amount, outcome, margin, liquidation }) => {
    isolated(exchange, 'buy')
    const uid = exchange.uid('alice')
    const instrument = exchange.instrument().id
    const command = { interface: 'v2', positionSide: undefined, amount: units(amount) } as const
    expect(exchange.refusal({ kind: 'set-position-margin', uid, instrument, ...command })).toBe(outcome)
    expect(coins(exchange.position('alice').margin)).toBe(margin)
    expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe(liquidation)
  },
)

scenario('margin by hand of nobody, of a market without positions, of a cross position and of none', (exchange) => {
  isolated(exchange, 'buy')
  const command = (who: number, market: MarketName, amount = '1') =>
    exchange.refusal({
      kind: 'set-position-margin',
      uid: who,
      interface: 'v2',
      instrument: instrumentId(market),
      positionSide: undefined,
      amount: units(amount),
    })
  const alice = exchange.uid('alice')
  expect(command(999, 'BTCUSDT')).toBe('account-unknown')
  expect(command(alice, 'BTC/USDT')).toBe('instrument-unknown')
  expect(command(alice, 'SOLUSDT', '0')).toBe('margin-mode-not-isolated')
  exchange.given('bob: buy 0.5 @ 60000', 'alice: sell 0.5 @ 60000')
  expect(command(alice, 'BTCUSDT', '0')).toBe('no-position')
})

table(
  'risk-engine §16: unified, liquidated where maintenance is all that is left, to the tick (long 10 at 100)',
  [
    // 500 + 10·P is 0.0046 × 10·P at P = 50 with 502.3 behind it: 502.3 − 500 = 2.3
    ['502.3', 50],
    ['502.30000001', 50],
    ['502.29999999', 51],
  ],
  (exchange, usdt, price) => {
    traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: `${usdt} USDT` } }).market = 'SOLUSDT'
    exchange.pay('uma', 'uta', '0.6 USDT').given('bob: sell 10 @ 100', 'uma: buy 10 @ 100')
    expect(exchange.position('uma').liquidationPrice).toBe(price)
  },
)

table(
  'a loss beyond the wallet is paid from the largest profit, of two that are equal from the older position',
  [
    // opened in this order, mark of SOL, what pays: 0.1 BTC from 60,000 to 54,000 costs 600 and 3.24 of 514
    [['SOLUSDT', 'ETHUSDT'], '110', 'SOLUSDT'],
    [['ETHUSDT', 'SOLUSDT'], '110', 'ETHUSDT'],
    [['ETHUSDT', 'SOLUSDT'], '111', 'SOLUSDT'],
    [['SOLUSDT', 'ETHUSDT'], '109', 'ETHUSDT'],
  ] as const,
  (exchange, order, sol, payer) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '520 USDT' } })
    exchange.given('bob: sell 0.1 BTCUSDT @ 60000', 'alice: buy 0.1 BTCUSDT @ 60000')
    const lines = { SOLUSDT: '10 SOLUSDT @ 100', ETHUSDT: '1 ETHUSDT @ 3000' }
    for (const market of order) exchange.given(`bob: sell ${lines[market]}`, `alice: buy ${lines[market]}`)
    exchange.prices({ BTC: '57000', ETH: '3100', SOL: sol })
    exchange.given('bob: buy 0.1 BTCUSDT @ 54000', 'alice: sell 0.1 BTCUSDT @ 54000')
    const paid = exchange.lastEvents.filter((event) => event.kind === 'profit-realized')
    expect(paid.map(({ instrument, amount }) => [marketOf(instrument), coins(amount)])).toEqual([[payer, '89.24']])
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('0')
  },
)

scenario('delivery closes everything at its price, free of fees, and ends the contract', (exchange) => {
  isolated(exchange, 'buy')
  exchange.given('bob: sell 1 @ 70000')
  const reply = exchange.must({ kind: 'deliver', instrument: exchange.instrument().id, price: 610_000 as Ticks })
  expect(reply).toEqual({ kind: 'delivered', positions: 2 })
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.resting()).toEqual([])
  expect(forced(exchange, 'alice')[0]).toMatchObject({ cause: 'delivery', fee: 0n, realizedPnl: units('500') })
  expect(exchange.instrument().status).toBe('halted')
})

scenario('many breached accounts are taken apart in steps, and the books hold', (exchange) => {
  traders(exchange, 'bob').market = 'BTCUSDT'
  insure(exchange, '10000000')
  exchange.given('bob: sell 30 @ 60000')
  for (let index = 0; index < 250; index++) {
    exchange.join(`poor${index}`, { funds: { usdt_futures: '400 USDT' } })
    exchange.given(`poor${index}: buy 0.1 @ 60000`)
  }
  exchange.prices({ BTC: '50000' })
  expect(exchange.holds('poor0')).toBe('flat')
  expect(exchange.holds('poor249')).not.toBe('flat')
  for (let step = 0; step < 12; step++) exchange.wait(1).runTimers()
  expect(exchange.holds('poor249')).toBe('flat')
})

scenario('a unified account holds a contract on the collateral of another coin', (exchange) => {
  traders(exchange, 'bob').join('alice', { mode: 'unified', funds: { uta: '1 BTC' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.1 @ 60000', 'alice: buy 0.1 @ 60000')
  expect(exchange.holds('alice')).toBe('long 0.1')
  expect(exchange.debt('alice', 'uta', 'USDT')).not.toBe('0') // the fee
})

/** Uma has borrowed 20,000 USDT on a bitcoin, and taken them out. */
function borrower(exchange: Exchange): Exchange {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
  const uid = exchange.uid('uma')
  exchange.must({ kind: 'borrow', uid, coin: coinId('USDT'), amount: units('20000') })
  exchange.must({ kind: 'withdraw', uid, wallet: 'uta', coin: coinId('USDT'), amount: units('20000') })
  return exchange
}

scenario(
  'a unified account without a position is liquidated for its debt alone, and keeps what is left',
  (exchange) => {
    // 20,000.1 with the first hour; 4 % of that is its maintenance margin
    borrower(exchange).prices({ BTC: '20801' })
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('20000 + 0.1')
    exchange.prices({ BTC: '20800' })
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('0 + 0')
    // 20,800 less a fee of 2 % and the debt
    expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('383.9')
    expect(exchange.wallet('uma', 'uta', 'BTC')).toBe('0')
  },
)

scenario('a unified account’s orders of every kind go before its collateral is sold', (exchange) => {
  borrower(exchange).given('uma: sell 0.1 BTC/USDT @ 70000')
  exchange.prices({ BTC: '20800' })
  expect(exchange.resting()).toEqual([])
  expect(exchange.wallet('uma', 'uta', 'BTC')).toBe('0')
})

scenario('a unified account’s position is closed before its collateral is sold', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '10 ETH' } }).market = 'BTCUSDT'
  insure(exchange, '1000000')
  exchange.given('bob: sell 1 @ 60000', 'uma: buy 1 @ 60000', 'bob: buy 1 @ 30500')
  exchange.prices({ BTC: '30300' })
  expect(exchange.holds('uma')).toBe('flat')
  const emitted = exchange.applied.flatMap(({ events }) => events).map(({ kind }) => kind)
  expect(emitted.indexOf('position-closed')).toBeLessThan(emitted.indexOf('margin-liquidation'))
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('0 + 0')
})
