/**
 * Ways to break the venue or to be paid by others, each found once and closed: what is tried, and what comes of it now.
 * Source  risk-engine §11, §14, §16, §20; design §2
 */
import { describe, expect } from 'vitest'
import { type Amount, priceTicksMax, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { type CoinName, type MarketName, markets } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** A classic account with a little money in its USDT futures wallet. */
function small(exchange: Exchange, name: string, usdt: string): Exchange {
  return exchange.join(name, { funds: { usdt_futures: `${usdt} USDT` } })
}

function lever(exchange: Exchange, name: string, leverage: number, market: MarketName = exchange.market): void {
  const more = { interface: 'v2', positionSide: undefined, marginMode: undefined } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(name), instrument: instrumentId(market), leverage, ...more })
}

function isolate(exchange: Exchange, name: string, market: MarketName): void {
  const marginMode = 'isolated'
  const instrument = instrumentId(market)
  exchange.must({ kind: 'set-margin-mode', uid: exchange.uid(name), interface: 'v2', instrument, marginMode })
}

function insure(exchange: Exchange, coin: CoinName, amount: string): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(coin), amount: units(amount) })
}

function wallet(exchange: Exchange, name: string): string {
  return exchange.wallet(name, 'usdt_futures', 'USDT')
}

function leaves(exchange: Exchange, name: string, amount: string, coin: CoinName = 'USDT', from = 'usdt_futures') {
  const where = { uid: exchange.uid(name), wallet: from as 'uta', coin: coinId(coin) }
  return exchange.refusal({ kind: 'withdraw', ...where, amount: units(amount) })
}

describe('numbers: far beyond any market, a refusal and no defect', () => {
  scenario('orders that only reduce hold nothing, and still may ask for no more than can be held', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '60000')
    lever(exchange, 'alice', 1)
    exchange.given('bob: sell 500 @ 100', 'alice: buy 500 @ 100')
    const sells = Array.from({ length: 4 }, () => exchange.place('alice: sell 10 @ 1073741823'))
    expect(sells).toEqual(['rests 10', 'rests 10', 'refused insufficient-margin', 'refused insufficient-margin'])
    exchange.given('bob: buy 500 @ 100')
    // Now they would open, and the wallet has nothing like it.
    expect(exchange.place('alice: sell 500 reduce-only')).toBe(
      'canceled sell 10 @ 1073741823, canceled sell 10 @ 1073741823, filled 500',
    )
    expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
  })

  scenario('what may leave a wallet with debt, in a coin worth next to nothing', (exchange) => {
    const listing = { listingPriceE8: 100n, borrowable: false, dailyInterestRate: share('0'), marginLeverageMax: 3 }
    const limits = { borrowLimit: 0n as Amount, lendingPoolLimit: 0n as Amount, collateral: [] }
    const debt = { debtInitialRate: share('0'), debtMaintenanceRate: share('0') }
    exchange.must({ kind: 'list-coin', coin: { name: 'PEPE', ...listing, ...limits, ...debt } })
    exchange.join('alice', { funds: { crossed_margin: '100000 USDT' } })
    const uid = exchange.uid('alice')
    const pepe = { uid, wallet: 'crossed_margin', coin: 5 } as const
    exchange.must({ kind: 'deposit', ...pepe, amount: units('100') })
    exchange.must({ kind: 'borrow', uid, coin: coinId('USDT'), amount: units('200000') })
    expect(exchange.refusal({ kind: 'withdraw', ...pepe, amount: units('1') })).toBe('transferable-exceeded')
  })

  scenario('a contract that is worth less than a unit opens nothing, so no entry price is zero', (exchange) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSD'
    expect(exchange.place('bob: sell 1 @ 100000000.1')).toBe('refused price-above-limit')
    exchange.given('bob: sell 1 @ 100000000', 'alice: buy 1 @ 100000000')
    expect(exchange.place('alice: sell 0.00000001 BTC reduce-only @ 60000')).toBe('rests 1')
  })

  scenario('index prices at which an open position would leave 64 bits are refused', (exchange) => {
    for (const name of ['alice', 'bob']) small(exchange, name, '9000000')
    exchange.leap({ SOL: '1' }).given('bob: sell 10000000 @ 1', 'alice: buy 10000000 @ 1')
    const price = (usd: string) => exchange.refusal({ kind: 'set-index-prices', prices: [[coinId('SOL'), units(usd)]] })
    expect(price('100000')).toBe('price-beyond-positions')
    expect(exchange.position('alice').markPrice).toBe(1)
    // Bob cannot carry even this, and there is no fund: Alice is deleveraged.
    expect([price('4'), price('16'), price('64'), price('256')]).toEqual(Array(4).fill('accepted'))
    expect([exchange.holds('alice'), exchange.holds('bob')]).toEqual(['flat', 'flat'])
  })

  scenario('such prices are measured by the largest position, not by all of them together', (exchange) => {
    for (const name of ['alice', 'bob', 'carl', 'dora']) small(exchange, name, '9000000')
    exchange.given('bob: sell 100 @ 100', 'alice: buy 100 @ 100', 'dora: sell 100 @ 100', 'carl: buy 100 @ 100')
    const price = (usd: string) =>
      exchange.apply({ kind: 'set-index-prices', prices: [[coinId('SOL'), units(usd)]] }).kind
    // 2^62 units are 46,116,860,184.27387904: of 100 lots each, and 200 in all. Such a jump is only held back at first.
    expect(price('461168602')).toBe('refused')
    expect(price('461168601')).toBe('prices-held-back')
  })

  scenario('a leverage at which resting orders would ask for more than can be held is refused', (exchange) => {
    exchange.join('alice', { funds: { usdt_futures: '45000000000 USDT' } })
    const orders = ['10 SOLUSDT @ 1000000000', '1000 ETHUSDT @ 10000000', '100 BTCUSDT @ 100000000']
    exchange.given(...orders.map((order) => `alice: sell ${order}`)) // worth 10,000,000,000 each
    for (const market of ['ETHUSDT', 'BTCUSDT'] as const) lever(exchange, 'alice', 1, market)
    const { id: instrument } = exchange.instrument('SOLUSDT')
    const unset = { positionSide: undefined, marginMode: undefined }
    const command = { kind: 'set-leverage', uid: exchange.uid('alice'), interface: 'v2', instrument, ...unset } as const
    // 2^61 units are 23,058,430,092; half of the money there.
    expect(exchange.refusal({ ...command, leverage: 2 })).toBe('leverage-margin-short')
    expect(exchange.refusal({ ...command, leverage: 4 })).toBe('accepted')
    expect(coins(exchange.balance('alice', 'usdt_futures', 'USDT').held)).toBe('22518000000') // fees of 18,000,000
  })

  scenario('money at the very end of its range can be asked for, and is worth what it is', (exchange) => {
    exchange.join('alice', { funds: { coin_futures: '40000000000 BTC' } })
    expect(exchange.asset('alice', 'COIN-FUTURES', 'BTC').usdtEquity).toBe(2_400_000_000_000_000n * 10n ** 8n)
  })

  scenario('an average price of a huge inverse fill comes from its notional', (exchange) => {
    for (const name of ['alice', 'bob']) exchange.join(name, { funds: { coin_futures: '100000000 BTC' } })
    exchange.market = 'BTCUSD'
    exchange.leap({ BTC: '0.1' }).given('bob: sell 1000000 @ 0.1', 'alice: buy 1000000 @ 0.1')
    expect(exchange.ended().map((order) => order.averagePriceE8)).toEqual([10_000_000n, 10_000_000n])
  })

  table(
    'take-profit and stop-loss prices lie within the book’s ladder',
    [
      ['takeProfit', priceTicksMax, 'accepted'],
      ['takeProfit', priceTicksMax + 1, 'price-above-limit'],
      ['stopLoss', priceTicksMax + 1, 'price-above-limit'],
    ],
    (exchange, which, price, outcome) => {
      traders(exchange, 'alice')
      const command = exchange.order('alice: buy 1 @ 90')
      const preset = { trigger: price as Ticks, execute: 0, by: 'mark' } as const
      expect(exchange.refusal({ ...command, [which]: preset })).toBe(outcome)
    },
  )
})

describe('risk-engine §11: nobody closes into the insurance fund', () => {
  table(
    'a close that would leave its margin account or its isolated position below zero is refused',
    // Alice, with 1,000, long 1 BTC at 60,000 and 100x; then                             what comes of it
    `
      mode     | line                                | outcome
      cross    | alice: sell 1 reduce-only @ 0.1     | refused insufficient-margin
      cross    | alice: sell 1 @ 0.1                 | refused insufficient-margin
      cross    | alice: sell 1 reduce-only @ 59100   | rests 1
      cross    | alice: sell 1 reduce-only @ 59000   | refused insufficient-margin
      cross    | alice: sell 1 reduce-only @ 61000   | rests 1
      isolated | alice: sell 1 reduce-only @ 59400   | rests 1
      isolated | alice: sell 1 reduce-only @ 59399.9 | refused insufficient-margin
    `,
    (exchange, { mode, line, outcome }) => {
      traders(exchange, 'bob')
      small(exchange, 'alice', '1000').market = 'BTCUSDT'
      lever(exchange, 'alice', 100)
      exchange.given('bob: sell 1 @ 60000', `alice: buy 1 ${mode} @ 60000`)
      expect(exchange.place(line)).toBe(outcome)
    },
  )

  scenario('a taker is judged by what it takes, not by its limit', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '1000').market = 'BTCUSDT'
    lever(exchange, 'alice', 100)
    exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000', 'bob: buy 1 @ 59990')
    expect(exchange.place('alice: sell 1 reduce-only @ 50000')).toBe('filled 1')
  })

  scenario('whoever is under water may still close at the mark; the fund pays what was lost', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '1000').market = 'BTCUSDT'
    insure(exchange, 'USDT', '10000')
    lever(exchange, 'alice', 100)
    exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000').doubted({ BTC: '58000' })
    expect(exchange.place('alice: sell 1 reduce-only @ 57999')).toBe('refused insufficient-margin')
    exchange.given('bob: buy 1 reduce-only @ 58000')
    expect(exchange.place('alice: sell 1 reduce-only @ 58000')).toBe('filled 1')
    expect(exchange.house('insurance', 'USDT')).toBe('8929.2') // 1,000 − 36 − 2,000 − 34.8
    // What it paid is told, and is a bill of the account.
    const paid = { uid: exchange.uid('alice'), wallet: 'usdt_futures', amount: units('1070.8') }
    expect(exchange.lastEvents).toContainEqual(
      expect.objectContaining({ kind: 'insurance', ...paid, balance: units('8929.2') }),
    )
    const bill = { ...paid, type: 'insurance', instrument: exchange.instrument().id, balance: 0n }
    expect(exchange.lastEvents).toContainEqual(expect.objectContaining({ kind: 'bill', ...bill }))
  })

  table(
    'a resting order fills only as long as its account carries what the price loses by then',
    // Alice has, the outcome of Bob's order
    `
      has  | outcome
      // 9,000 of loss, and a maker's fee of 10.2
      9600 | filled 1
      9000 | canceled alice's sell 1 @ 51000, rests 1
    `,
    (exchange, { has, outcome }) => {
      traders(exchange, 'bob')
      small(exchange, 'alice', has).market = 'BTCUSDT'
      lever(exchange, 'alice', 100)
      exchange.prices({ BTC: '50000' }).given('alice: sell 1 @ 51000').prices({ BTC: '60000' })
      expect(exchange.place('bob: buy 1 @ 60000')).toBe(outcome)
      expect(exchange.house('insurance', 'USDT')).toBe('0')
    },
  )

  scenario('a margin order at a price far from the index leaves the pool its money', (exchange) => {
    exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } }).join('pal', { funds: { spot: '1 BTC' } })
    exchange.market = 'BTC/USDT'
    exchange.given('pal: sell 0.0029 @ 10000000')
    expect(exchange.place('alice: buy 0.0029 on-margin @ 10000000')).toBe('refused insufficient-available')
    exchange.given('pal: sell 0.4 @ 60000')
    expect(exchange.place('alice: buy 0.4 on-margin @ 60000')).toBe('filled 0.4')
    // Without a new loan it must stay clear of liquidation.
    expect(exchange.place('alice: sell 0.39 on-margin @ 30000')).toBe('refused insufficient-available')
    expect(exchange.place('alice: sell 0.39 on-margin @ 59000')).toBe('rests 0.39')
  })

  scenario('a fund that has paid more than it had owes it', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '60')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100').doubted({ SOL: '80' })
    exchange.given('bob: buy 10 reduce-only @ 80', 'alice: sell 10 reduce-only @ 80')
    expect(exchange.house('insurance', 'USDT')).toBe('-141.08') // 59.4 − 200 − 0.48
    expect(exchange.query({ kind: 'verify' }).faults).toEqual([])
    insure(exchange, 'USDT', '200')
  })
})

describe('a wallet’s own profit pays before anybody else', () => {
  scenario('hedge: the loser closes first, and the winner pays for it', (exchange) => {
    traders(exchange, 'bob')
    exchange.join('hedy', { funds: { usdt_futures: '1500 USDT' } }).market = 'BTCUSDT'
    const hedge = { line: undefined, holdMode: 'hedge_mode' } as const
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('hedy'), ...hedge })
    lever(exchange, 'hedy', 100)
    exchange.given('bob: buy 1 @ 60000', 'hedy: sell 1 open @ 60000', 'bob: sell 1 @ 60000', 'hedy: buy 1 open @ 60000')
    expect(wallet(exchange, 'hedy')).toBe('1428')
    exchange.prices({ BTC: '66000' }).given('bob: sell 1 @ 66000')
    expect(exchange.place('hedy: sell 1 close @ 66000')).toBe('filled 1')
    // 1,428 − 6,000 − 39.6 is 4,611.6 below zero: so much of the long's 6,000 is in the wallet now.
    expect(wallet(exchange, 'hedy')).toBe('0')
    expect(coins(exchange.position('hedy').unrealizedPnl)).toBe('1388.4')
    expect(coins(exchange.position('hedy').realizedPnl)).toBe('4611.6')
    expect(exchange.lastEvents.filter(({ kind }) => kind === 'profit-realized')).toMatchObject([
      { positionSide: 'long', amount: units('4611.6') },
    ])
    exchange.given('bob: buy 1 @ 66000')
    expect(exchange.place('hedy: buy 1 close @ 66000')).toBe('filled 1')
    expect(wallet(exchange, 'hedy')).toBe('1348.8')
    expect(exchange.house('insurance', 'USDT')).toBe('0')
  })

  scenario('over contracts, the largest profit first', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '3000')
    for (const market of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] as const) lever(exchange, 'alice', 100, market)
    exchange.given('bob: sell 1 BTCUSDT @ 60000', 'alice: buy 1 BTCUSDT @ 60000')
    exchange.given('bob: sell 100 SOLUSDT @ 100', 'alice: buy 100 SOLUSDT @ 100')
    exchange.given('bob: buy 20 ETHUSDT @ 3000', 'alice: sell 20 ETHUSDT @ 3000')
    exchange.prices({ BTC: '66000', ETH: '3300', SOL: '110' })
    exchange.given('bob: sell 20 ETHUSDT @ 3300', 'alice: buy 20 ETHUSDT @ 3300')
    expect(wallet(exchange, 'alice')).toBe('0')
    expect(coins(exchange.position('alice', 'SOLUSDT').unrealizedPnl)).toBe('1000')
    expect(coins(exchange.position('alice', 'BTCUSDT').unrealizedPnl)).toBe('2882.4') // 6,000 − (6,117.6 − 3,000)
    expect(exchange.house('insurance', 'USDT')).toBe('0')
  })

  scenario('the fund pays what is really missing', (exchange) => {
    traders(exchange, 'bob')
    insure(exchange, 'USDT', '10000')
    small(exchange, 'alice', '2000').market = 'BTCUSDT'
    lever(exchange, 'alice', 100)
    lever(exchange, 'alice', 100, 'SOLUSDT')
    exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000', 'bob: sell 10 SOLUSDT @ 100')
    exchange.given('alice: buy 10 SOLUSDT @ 100').doubted({ BTC: '57000', SOL: '110' })
    exchange.given('bob: buy 1 reduce-only @ 57000', 'alice: sell 1 reduce-only @ 57000')
    expect(coins(exchange.position('alice', 'SOLUSDT').unrealizedPnl)).toBe('0')
    // 2,000 − 36 − 0.6 − 3,000 − 34.2 + 100
    expect(exchange.house('insurance', 'USDT')).toBe('9029.2')
  })

  scenario('isolated: what is left of a position pays for the part that closed badly', (exchange) => {
    traders(exchange, 'bob', 'carol')
    small(exchange, 'alice', '1000')
    lever(exchange, 'alice', 100)
    exchange.given('bob: sell 100 @ 100', 'alice: buy 100 isolated @ 100').prices({ SOL: '110' })
    exchange.given('bob: buy 50 @ 90', 'alice: sell 50 reduce-only @ 90')
    // 50 lots lost 500 against a margin of 100: 400 of the other half's profit of 500 are gone.
    expect(coins(exchange.position('alice').margin)).toBe('0')
    expect(coins(exchange.position('alice').unrealizedPnl)).toBe('100')
    expect(exchange.house('insurance', 'USDT')).toBe('0')
  })
})

describe('isolated positions start with their margin', () => {
  table(
    'an opening loss beyond the initial margin is refused',
    // 20x: 5 of 100
    `
      line                         | outcome
      alice: buy 10 isolated @ 105 | rests 10
      alice: buy 10 isolated @ 106 | refused insufficient-margin
      alice: sell 10 isolated @ 96 | rests 10
      alice: sell 10 isolated @ 94 | refused insufficient-margin
      alice: buy 10 cross @ 106    | rests 10
    `,
    (exchange, { line, outcome }) => {
      traders(exchange, 'alice')
      expect(exchange.place(line)).toBe(outcome)
    },
  )

  scenario(
    'bought above the mark a position keeps its initial margin, which covers what it loses at once',
    (exchange) => {
      traders(exchange, 'bob')
      small(exchange, 'alice', '1000')
      exchange.given('bob: sell 10 @ 104', 'alice: buy 10 isolated @ 104')
      const { margin, unrealizedPnl } = exchange.position('alice')
      expect(coins(margin)).toBe('52')
      expect(coins(unrealizedPnl)).toBe('-40')
      expect(wallet(exchange, 'alice')).toBe('947.376')
    },
  )

  scenario('a sell that meets dearer bids needs what they take', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '5.1').given('bob: buy 1 @ 120')
    expect(exchange.place('alice: sell 1 isolated @ 100')).toBe('refused insufficient-margin')
    exchange.pay('alice', 'usdt_futures', '0.972 USDT')
    expect(exchange.place('alice: sell 1 isolated @ 100')).toBe('filled 1')
    expect(coins(exchange.position('alice').margin)).toBe('6')
  })

  scenario('a resting isolated order whose wallet is gone is removed instead of filled', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '2000').market = 'BTCUSDT'
    isolate(exchange, 'alice', 'ETHUSDT')
    lever(exchange, 'alice', 100)
    exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000', 'alice: buy 6 ETHUSDT @ 3000')
    exchange.prices({ BTC: '58900' }) // 864 are left, and 903.6 wanted
    expect(exchange.place('bob: sell 6 ETHUSDT @ 3000')).toBe("canceled alice's buy 6 @ 3000, rests 6")
  })
})

describe('orders do not outlive their collateral', () => {
  scenario('after a loss the newest opening orders go until the rest is covered', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '2000').market = 'BTCUSDT'
    lever(exchange, 'alice', 100)
    exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000')
    exchange.given('alice: buy 2 ETHUSDT @ 3000', 'alice: buy 2 ETHUSDT @ 2999', 'alice: buy 2 ETHUSDT @ 2998')
    exchange.prices({ BTC: '58500' }).given('bob: buy 1 @ 58500')
    // 428.9 is left, and each of the three asks for some 303.
    expect(exchange.place('alice: sell 1 reduce-only')).toBe('canceled buy 2 @ 2998, canceled buy 2 @ 2999, filled 1')
    expect(exchange.resting('ETHUSDT')).toEqual(['alice buy 2 @ 3000'])
  })

  scenario('after funding as well', (exchange) => {
    traders(exchange, 'bob')
    small(exchange, 'alice', '61')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: buy 2 @ 98')
    exchange.leap({ SOL: '100000' })
    exchange.must({ kind: 'settle-funding', instrument: instrumentId('SOLUSDT') })
    expect(exchange.resting()).toEqual([])
    expect(exchange.ended()).toMatchObject([{ status: 'canceled', cancelReason: 'system' }])
  })

  scenario('what would open beyond its tier goes', (exchange) => {
    traders(exchange, 'alice', 'bob')
    lever(exchange, 'alice', 125)
    exchange.given('bob: sell 1900 @ 100', 'alice: buy 1900 @ 100', 'alice: sell 1900 @ 101', 'alice: sell 1900 @ 102')
    exchange.given('bob: buy 1900 @ 100')
    // Flat, both would open: 3,800 of them are worth 380,000, beyond what 125x may have.
    expect(exchange.place('alice: sell 1900 reduce-only')).toBe('canceled sell 1900 @ 102, filled 1900')
    expect(exchange.resting()).toEqual(['alice sell 1900 @ 101'])
  })
})

describe('unified wallets', () => {
  function unified(exchange: Exchange): Exchange {
    traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1000 USDT, 10 ETH' } })
    exchange.market = 'BTCUSDT'
    return exchange.given('bob: sell 0.1 @ 60000', 'uma: buy 0.1 @ 60000')
  }

  scenario('futures below zero are debt: nothing else leaves, and nothing is borrowed on it', (exchange) => {
    unified(exchange).leap({ BTC: '0.1' })
    // 996.4 − 5,999.99: a debt of 5,003.59 with an initial margin of 500.359; what margin can spare stays as much.
    expect(leaves(exchange, 'uma', '6.5', 'ETH', 'uta')).toBe('transferable-exceeded')
    expect(leaves(exchange, 'uma', '6.4', 'ETH', 'uta')).toBe('accepted')
    const ask = { kind: 'margin-account', uid: exchange.uid('uma'), coin: coinId('ETH') } as const
    expect(coins(exchange.query(ask).borrowable)).toBe('1.862837') // 2 × (10,800 − 5,503.9495) − 5,003.59
  })

  scenario('a loss is a loan like any other: with its event and its first hour', (exchange) => {
    unified(exchange).prices({ BTC: '40000' }).given('bob: buy 0.1 @ 40000', 'uma: sell 0.1 reduce-only @ 40000')
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('1006 + 0.00503')
    expect(exchange.lastEvents).toContainEqual(expect.objectContaining({ kind: 'loan', cause: 'shortfall' }))
    expect(exchange.lastEvents).toContainEqual(expect.objectContaining({ kind: 'interest' }))
  })

  scenario('what futures win and funding brings pays debt', (exchange) => {
    unified(exchange)
    exchange.must({ kind: 'borrow', uid: exchange.uid('uma'), coin: coinId('USDT'), amount: units('1000') })
    exchange.prices({ BTC: '61000' }).given('bob: buy 0.1 @ 61000', 'uma: sell 0.1 reduce-only @ 61000')
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('903.665 + 0') // 1,000.005 − (100 − 3.66)
    exchange.given('bob: buy 0.1 @ 61000', 'uma: sell 0.1 @ 61000')
    exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('903.055 + 0') // 0.01 % of 6,100
  })
})

scenario('E12 counts of resting orders only what they hold', (exchange) => {
  traders(exchange, 'bob')
  small(exchange, 'alice', '70000')
  lever(exchange, 'alice', 1, 'BTCUSDT')
  lever(exchange, 'alice', 100, 'ETHUSDT')
  exchange.given('bob: sell 1 BTCUSDT @ 60000', 'alice: buy 1 BTCUSDT @ 60000', 'alice: sell 1 BTCUSDT @ 100000')
  exchange.given('bob: sell 200 ETHUSDT @ 3000', 'alice: buy 200 ETHUSDT @ 3000')
  // 3,604 are available. At 7x ETH asks for 79,714 more and BTC gives back 51,428; its sell holds nothing either way.
  const all = { line: 'USDT-FUTURES', instrument: undefined, positionSide: undefined, leverage: 7 } as const
  const reply = exchange.apply({ kind: 'set-all-leverage', uid: exchange.uid('alice'), ...all })
  expect(reply).toEqual({ kind: 'leverage-set', taken: false })
})

table(
  'listing: settlement coin, pair and fees fit together',
  [
    ['BTCUSDT', { settle: coinId('USDC') }, 'settleCoin'],
    ['BTCUSD', { settle: coinId('USDT') }, 'settleCoin'],
    ['BTC/USDT', { base: coinId('USDT') }, 'quoteCoin'],
    ['BTC/USDT', { makerFeeRate: share('-0.0011') }, 'makerFeeRate'],
    ['BTC/USDT', { makerFeeRate: share('-0.001') }, 'accepted'],
  ],
  (exchange, market, wrong, outcome) => {
    const instrument = { ...markets[market as MarketName], ...wrong, symbol: 'NEW' }
    const reply = exchange.apply({ kind: 'list-instrument', instrument } as never)
    const field = reply.kind === 'refused' && 'field' in reply.refusal ? reply.refusal.field : 'accepted'
    expect(field).toBe(outcome)
  },
)

scenario('a rebate beyond the taker’s fee is not set later either', (exchange) => {
  const none = {
    status: undefined,
    tiers: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  const set = (rate: string) =>
    exchange.refusal({ kind: 'set-instrument', instrument: 4, makerFeeRate: share(rate), ...none })
  expect(set('-0.0007')).toBe('instrument-record-wrong')
  expect(set('-0.0006')).toBe('accepted')
})

table(
  'a copy trader may still close what is no longer announced',
  `
    line                            | outcome
    alice: sell 1 reduce-only @ 101 | rests 1
    alice: sell 1 @ 101             | refused instrument-not-announced
    hedy: buy 1 close @ 101         | rests 1
    hedy: buy 1 open @ 101          | refused instrument-not-announced
  `,
  (exchange, { line, outcome }) => {
    hedgers(traders(exchange, 'alice', 'bob'), 'hedy')
    exchange.given('bob: sell 2 @ 100', 'alice: buy 1 @ 100', 'hedy: buy 1 open @ 100')
    const instruments = [instrumentId('BTCUSDT')]
    for (const who of ['alice', 'hedy']) {
      exchange.must({ kind: 'set-copy-trader', uid: exchange.uid(who), instruments })
    }
    expect(exchange.place(line)).toBe(outcome)
  },
)

scenario('design §4.14: a sub-account that repeats its main account’s transfer learns nothing', (exchange) => {
  exchange.join('main', { funds: { spot: '4 BTC' } }).join('sub', { parent: 'main' })
  const ask = (actor: string) => ({
    kind: 'transfer' as const,
    scope: 'between-accounts' as const,
    actorUid: exchange.uid(actor),
    fromUid: exchange.uid('main'),
    toUid: exchange.uid('sub'),
    fromWallet: 'spot' as const,
    toWallet: 'spot' as const,
    coin: coinId('BTC'),
    amount: units('1'),
    clientOid: 'rent',
  })
  exchange.must(ask('main'))
  expect(exchange.refusal(ask('sub'))).toBe('transfer-unrelated')
})

scenario('a sweep over many reduce-only makers takes from each position once', (exchange) => {
  traders(exchange, 'bob')
  const makers = Array.from({ length: 5 }, (_, index) => `maker${index}`)
  traders(exchange, ...makers)
  for (const maker of makers) {
    exchange.given(`${maker}: sell 6 @ 100`, 'bob: buy 6 @ 100')
    exchange.given(`${maker}: buy 4 reduce-only @ 100`, `${maker}: buy 2 reduce-only @ 100`, `${maker}: buy 3 @ 99`)
  }
  expect(exchange.place('bob: sell 60 @ 99')).toBe('filled 45, rests 15')
  expect(makers.map((maker) => exchange.holds(maker))).toEqual(makers.map(() => 'long 3'))
})
