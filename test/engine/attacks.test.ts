/**
 * What was tried against the house and must not work: collateral that is pledged twice, orders that outlive their margin,
 * marks that are traded up, and accounts that nobody checks.
 *
 * Source  risk-engine.md §11, §12, §14, §16, §20
 */
import { expect } from 'vitest'
import type { Amount, Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function lever(exchange: Exchange, name: string, leverage: number, version: 'v2' | 'v3' = 'v2'): void {
  const terms = { interface: version, positionSide: undefined, marginMode: undefined, leverage } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(name), instrument: exchange.instrument().id, ...terms })
}

function insure(exchange: Exchange): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units('10000000') })
}

function transfer(exchange: Exchange, name: string, amount: string): Reply {
  const uid = exchange.uid(name)
  const within = { scope: 'within-account', actorUid: uid, fromUid: uid, toUid: uid, clientOid: '' } as const
  const wallets = { fromWallet: 'uta', toWallet: 'spot' } as const
  return exchange.apply({ kind: 'transfer', ...within, ...wallets, coin: coinId('USDT'), amount: units(amount) })
}

const samePricing = {
  kind: 'configure-pricing',
  jumpFactor: undefined,
  fundingShortfall: undefined,
  premiumMean: undefined,
  fundingInterestRate: undefined,
  fundingClamp: undefined,
  coins: [],
  instruments: [],
} as const
const sameTerms = {
  kind: 'set-instrument',
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
} as const

scenario('collateral of a resting spot order does not carry a position as well', (exchange) => {
  exchange.join('uma', { mode: 'unified', funds: { uta: '600000 USDT' } })
  exchange.join('pal', { funds: { spot: '20 BTC', usdt_futures: '50000000 USDT' } }).market = 'BTCUSDT'
  insure(exchange)
  exchange.must({ ...sameTerms, instrument: instrumentId('BTC/USDT'), limitBand: share('0.5') })
  exchange.given('uma: buy 6.6 BTC/USDT @ 90000')
  lever(exchange, 'uma', 50, 'v3')
  exchange.given('pal: sell 80 @ 60000', 'uma: buy 80 @ 60000')
  exchange.prices({ BTC: '53500' })
  exchange.place('pal: sell 6.6 BTC/USDT @ 80000')
  expect(exchange.wallet('uma', 'uta', 'BTC')).toBe('0')
  exchange.prices({ BTC: '53501' })
  expect(exchange.house('insurance', 'USDT')).toBe('10000000')
})

scenario(
  'a wallet that was closed better than bankrupt keeps the rest, whatever went to the fund before',
  (exchange) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } })
    insure(exchange)
    for (const market of ['BTCUSDT', 'ETHUSDT'] as const) {
      exchange.market = market
      lever(exchange, 'alice', 100)
    }
    exchange.given('bob: sell 3 BTCUSDT @ 60000', 'alice: buy 3 BTCUSDT @ 60000')
    exchange.given('bob: sell 55 ETHUSDT @ 3000', 'alice: buy 55 ETHUSDT @ 3000', 'bob: buy 55 ETHUSDT @ 2999.9')
    exchange.prices({ BTC: '57000' })
    expect([exchange.holds('alice', 'BTCUSDT'), exchange.holds('alice', 'ETHUSDT')]).toEqual(['flat', 'flat'])
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).not.toBe('0')
  },
)

scenario('whoever is found breached is not liquidated while the price is in doubt', (exchange) => {
  traders(exchange, 'bob').market = 'BTCUSDT'
  insure(exchange)
  const names = Array.from({ length: 40 }, (_, index) => `poor${index}`)
  for (const name of names) {
    exchange.join(name, { funds: { usdt_futures: '1000 USDT' } })
    lever(exchange, name, 50)
    exchange.given('bob: sell 0.5 @ 60000', `${name}: buy 0.5 @ 60000`)
  }
  const open = () => names.filter((name) => exchange.holds(name) !== 'flat').length
  exchange.prices({ BTC: '58200' })
  const left = open()
  expect(left).toBeGreaterThan(0)
  exchange.prices({ BTC: '600000' })
  for (let step = 0; step < 5; step++) exchange.wait(1).runTimers()
  expect(open()).toBe(left)
  exchange.prices({ BTC: '58200' })
  for (let step = 0; step < 5; step++) exchange.wait(1).runTimers()
  expect(open()).toBe(0)
})

scenario('prices that moved while nobody waited are not taken for those of today', (exchange) => {
  exchange.join('uma', { mode: 'unified', funds: { uta: '170000 USDT' } })
  traders(exchange, 'bob').market = 'BTCUSDT'
  insure(exchange)
  lever(exchange, 'uma', 50, 'v3')
  exchange.given('bob: sell 1 @ 60000', 'uma: buy 1 @ 60000').prices({ BTC: '60001' })
  exchange.given('bob: buy 1 @ 60001', 'uma: sell 1 @ 60001').prices({ BTC: '60002' })
  exchange.prices({ BTC: '66000' }).given('bob: sell 30 @ 66000', 'uma: buy 30 @ 66000')
  exchange.prices({ ETH: '3001' }).prices({ BTC: '60100' })
  for (let step = 0; step < 5; step++) exchange.wait(1_000).runTimers()
  expect(exchange.holds('uma')).toBe('flat')
})

scenario('what leaves a unified wallet leaves the initial margin of all, debt of its own making too', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '600000 USDT, 10 BTC' } }).market = 'BTCUSDT'
  lever(exchange, 'uma', 50, 'v3')
  exchange.given('bob: sell 80 @ 60000', 'uma: buy 80 @ 60000').prices({ BTC: '52600' })
  const most = exchange.asset('uma', 'USDT-FUTURES', 'USDT').maxTransferOut
  expect(transfer(exchange, 'uma', coins(most)).kind).toBe('transferred')
  expect(transfer(exchange, 'uma', '1').kind).toBe('refused')
  const { assetsUsd, debtUsd } = exchange.query({ kind: 'margin-wallet', uid: exchange.uid('uma'), interface: 'v3' })
  expect(assetsUsd >= debtUsd).toBe(true)
})

scenario('a liquidation takes no price beyond the limit band, however much stands behind the position', (exchange) => {
  exchange.join('uma', { mode: 'unified', funds: { uta: '10 BTC' } })
  traders(exchange, 'bob', 'eve').market = 'BTCUSDT'
  insure(exchange)
  exchange.must({ ...sameTerms, instrument: instrumentId('BTCUSDT'), limitBand: share('0.2') })
  exchange.must({ kind: 'borrow', uid: exchange.uid('uma'), coin: coinId('USDT'), amount: units('200000') })
  transfer(exchange, 'uma', '199000')
  exchange.given('bob: buy 0.001 @ 60000', 'uma: sell 0.001 @ 60000', 'eve: sell 0.001 @ 70000')
  exchange.prices({ BTC: '30000' }).prices({ BTC: '20650' })
  expect(exchange.holds('uma')).toBe('flat')
  expect(exchange.holds('eve')).toBe('flat')
})

scenario('with `cap`, an isolated payer pays funding out of what it has won', (exchange) => {
  traders(exchange, 'bob', 'alice').market = 'BTCUSDT'
  exchange.must({ ...samePricing, fundingShortfall: 'cap' })
  lever(exchange, 'alice', 100)
  exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 isolated @ 60000').prices({ BTC: '119000' })
  lever(exchange, 'alice', 125)
  exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
  expect(exchange.position('alice').funding).toBeLessThan(0n)
})

scenario('delivery at a price that positions cannot bear is refused', (exchange) => {
  for (const name of ['bob', 'alice']) exchange.join(name, { funds: { usdt_futures: '5000000000 USDT' } })
  exchange.market = 'BTCUSDT'
  const tier = { from: 0n as Amount, to: units('1000000000'), leverageMax: 25, maintenanceRate: share('0.01') }
  exchange.must({ ...sameTerms, instrument: instrumentId('BTCUSDT'), tiers: [tier] })
  exchange.given('bob: sell 1000 @ 60000', 'alice: buy 1000 @ 60000')
  const deliver = { kind: 'deliver', instrument: instrumentId('BTCUSDT'), price: (2 ** 30 - 1) as Ticks } as const
  expect(exchange.refusal(deliver)).toBe('price-beyond-positions')
})

scenario('a fee is no more than what it is of', (exchange) => {
  const whole = { ...sameTerms, instrument: instrumentId('BTC/USDT'), takerFeeRate: share('1') }
  expect(exchange.refusal(whole)).toBe('instrument-record-wrong')
})

scenario('a debtor of cross margin is checked when a limit of age no longer halts a coin', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '1 BTC, 1 SOL' } }).join('bob', { funds: { spot: '5 BTC' } })
  insure(exchange)
  exchange.must({ ...samePricing, coins: [{ coin: coinId('SOL'), indexAgeMsMax: 60_000 }] })
  exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: coinId('USDT'), amount: units('100000') })
  exchange.given('alice: buy 1 BTC/USDT on-margin @ 60000', 'bob: sell 1 BTC/USDT @ 60000')
  exchange.wait(100_000).runTimers()
  exchange.prices({ BTC: '20000' })
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).not.toBe('0 + 0')
  exchange.must({ ...samePricing, coins: [{ coin: coinId('SOL'), indexAgeMsMax: 0 }] })
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
})

scenario('an order of a liquidated account goes also where it has no position', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  lever(exchange, 'alice', 50)
  exchange.given('bob: sell 5 @ 60000', 'alice: buy 5 @ 60000', 'alice: buy 4 ETHUSDT @ 2990')
  exchange.prices({ BTC: '58300' })
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.resting()).toEqual([])
})

scenario('a maker whose collateral has gone opens nothing, also at the mark', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '100 SOL' } }).market = 'BTCUSDT'
  lever(exchange, 'uma', 50, 'v3')
  exchange.given('uma: buy 1 @ 59000')
  exchange.leap({ SOL: '1' })
  exchange.prices({ BTC: '59000' })
  exchange.place('bob: sell 1 @ 59000')
  expect(exchange.holds('uma')).toBe('flat')
})

scenario('two who trade with each other move the mark no further than the market band', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'ETHUSDT'
  for (let hour = 0; hour < 12; hour++) {
    const mark = exchange.query({ kind: 'prices', instrument: exchange.instrument().id }).markPrice
    const price = exchange.price(Math.floor(mark * 1.19))
    exchange.place(`ann: sell 0.1 @ ${price}`)
    exchange.place(`ben: buy 0.1 @ ${price}`)
    exchange.wait(300_000).runTimers()
  }
  const { markPrice, indexPrice } = exchange.query({ kind: 'prices', instrument: exchange.instrument().id })
  expect(markPrice).toBeLessThanOrEqual(indexPrice * 1.05)
})

scenario('interest alone can breach a unified account, and does', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
  const uid = exchange.uid('uma')
  const terms = { borrowable: undefined, borrowLimit: undefined, lendingPoolLimit: undefined, leverageMax: undefined }
  exchange.must({ kind: 'set-loan-terms', coin: coinId('USDT'), dailyInterestRate: share('0.1'), ...terms })
  exchange.must({ kind: 'borrow', uid, coin: coinId('USDT'), amount: units('40000') })
  exchange.must({ kind: 'withdraw', uid, wallet: 'uta', coin: coinId('USDT'), amount: units('10000') })
  for (let day = 0; day < 40; day++) exchange.wait(86_400_000).runTimers()
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('0 + 0')
})

scenario('delivery of one contract finds who is left short in another', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  lever(exchange, 'alice', 50)
  exchange.given(
    'bob: sell 2 @ 60000',
    'alice: buy 2 @ 60000',
    'bob: sell 10 ETHUSDT @ 3000',
    'alice: buy 10 ETHUSDT @ 3000',
  )
  exchange.must({ kind: 'deliver', instrument: instrumentId('BTCUSDT'), price: 550_500 as Ticks })
  exchange.market = 'ETHUSDT'
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a halted contract that trades again is checked', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  lever(exchange, 'alice', 50)
  exchange.given('bob: sell 5 @ 60000', 'alice: buy 5 @ 60000')
  const contract = { ...sameTerms, instrument: instrumentId('BTCUSDT') } as const
  exchange.must({ ...contract, status: 'halted' })
  exchange.prices({ BTC: '58000' })
  expect(exchange.holds('alice')).toBe('long 5')
  exchange.must({ ...contract, status: 'online' })
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('dust in a halted contract shields nothing', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  lever(exchange, 'alice', 50)
  exchange.given(
    'bob: sell 5 @ 60000',
    'alice: buy 5 @ 60000',
    'bob: sell 1 SOLUSDT @ 100',
    'alice: buy 1 SOLUSDT @ 100',
  )
  exchange.must({ ...sameTerms, instrument: instrumentId('SOLUSDT'), status: 'halted' })
  exchange.prices({ BTC: '58000' })
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a contract that is frozen sets no timers for those who wait in it', (exchange) => {
  traders(exchange, 'bob', 'alice').market = 'BTCUSDT'
  exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000')
  exchange.prices({ BTC: '600000' })
  exchange.must({ ...sameTerms, instrument: instrumentId('BTCUSDT'), takerFeeRate: share('0.0007') })
  for (let step = 0; step < 10; step++) exchange.wait(1).runTimers()
  expect(exchange.nextTimerAt() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(exchange.at + 1)
})

scenario('who waits for a price that can be believed sets no timers where trading is halted', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  exchange.given(
    'bob: sell 1 ETHUSDT @ 3000',
    'alice: buy 1 ETHUSDT @ 3000',
    'bob: sell 10 SOLUSDT @ 100',
    'alice: buy 10 SOLUSDT @ 100',
  )
  exchange.must({ ...sameTerms, instrument: instrumentId('SOLUSDT'), status: 'halted' })
  exchange.prices({ ETH: '30000' }).pay('alice', 'usdt_futures', '1 USDT').prices({ SOL: '101' })
  for (let step = 0; step < 10; step++) exchange.wait(1).runTimers()
  expect(exchange.nextTimerAt() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(exchange.at + 1)
})

/** What a person has of a coin in all the wallets of these tests. */
function moneyOf(exchange: Exchange, coin: 'BTC' | 'USDT', ...names: readonly string[]): bigint {
  const wallets = ['spot', 'usdt_futures', 'coin_futures'] as const
  return names.reduce((sum, name) => {
    return sum + wallets.reduce((all, wallet) => all + exchange.balance(name, wallet, coin).balance, 0n)
  }, 0n)
}

table(
  'who is maker, taker and broker at once earns nothing by trading with himself',
  [
    // maker      taker     broker’s share
    ['-0.0001', '0.0006', '0.3'],
    ['-0.0005', '0.0005', '0.3'],
    ['-0.0004', '0.0005', '1'],
    ['0.0006', '-0.0004', '1'],
    ['0', '0.0006', '1'],
  ],
  (exchange, maker, taker, rebateRate) => {
    traders(exchange, 'ann', 'ben').join('brook')
    exchange.must({ kind: 'set-broker', uid: exchange.uid('brook'), channelCode: 'own', rebateRate: share(rebateRate) })
    const everybody = ['ann', 'ben', 'brook'] as const
    for (const market of ['BTC/USDT', 'BTCUSDT', 'BTCUSD'] as const) {
      const fees = { makerFeeRate: share(maker), takerFeeRate: share(taker) }
      exchange.must({ ...sameTerms, instrument: instrumentId(market), ...fees })
      const before = { btc: moneyOf(exchange, 'BTC', ...everybody), usdt: moneyOf(exchange, 'USDT', ...everybody) }
      for (const [who, other] of [
        ['ann', 'ben'],
        ['ben', 'ann'],
      ] as const) {
        const quantity = market === 'BTCUSD' ? '60000' : '1'
        exchange.given(`${who}: sell ${quantity} ${market} channel:own @ 60000`)
        exchange.given(`${other}: buy ${quantity} ${market} channel:own @ 60000`)
      }
      const earned =
        (moneyOf(exchange, 'BTC', ...everybody) - before.btc) * 60_000n +
        moneyOf(exchange, 'USDT', ...everybody) -
        before.usdt
      expect(earned).toBeLessThanOrEqual(0n)
    }
  },
)

scenario('whoever holds both sides over a settlement of funding earns nothing by it', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  const before = moneyOf(exchange, 'USDT', 'ann', 'ben')
  for (let day = 0; day < 3; day++) {
    // Quoted far from the index for a while, in a moment before the settlement, and gone in the moment after.
    exchange.given('ann: buy 5 @ 62900', 'ben: sell 2 @ 62900')
    for (let minute = 0; minute < 60; minute++) exchange.wait(60_000).runTimers()
    exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
    exchange.wait(7 * 3_600_000).runTimers()
    exchange.given('ann: sell 2 @ 59000', 'ben: buy 2 @ 62900')
    for (const name of ['ann', 'ben']) {
      const all = { interface: 'v2', category: 'USDT-FUTURES', instrument: undefined } as const
      exchange.must({ kind: 'cancel-orders', uid: exchange.uid(name), ...all })
    }
  }
  for (const name of ['ann', 'ben']) {
    const [open] = exchange.positions(name)
    if (open !== undefined && open.side === 'long') {
      exchange.given(`${name}: sell ${exchange.quantity(open.quantity)} @ 60000`)
      exchange.given(`${name === 'ann' ? 'ben' : 'ann'}: buy ${exchange.quantity(open.quantity)} @ 60000`)
    }
  }
  expect([exchange.holds('ann'), exchange.holds('ben')]).toEqual(['flat', 'flat'])
  expect(moneyOf(exchange, 'USDT', 'ann', 'ben')).toBeLessThan(before)
})

scenario('whoever borrows and takes out what is lent, again and again, leaves more than is owed', (exchange) => {
  exchange.join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
  exchange.join('mia', { funds: { crossed_margin: '1 BTC' } })
  for (const [name, wallet, version] of [
    ['uma', 'uta', 'v3'],
    ['mia', 'crossed_margin', 'v2'],
  ] as const) {
    const uid = exchange.uid(name)
    const coin = coinId('USDT')
    let taken = 0n
    for (let round = 0; round < 12; round++) {
      const { borrowable } = exchange.query({ kind: 'margin-account', uid, coin })
      if (borrowable > 0n) exchange.apply({ kind: 'borrow', uid, coin, amount: borrowable })
      const { transferable } = exchange.balance(name, wallet, 'USDT')
      if (transferable <= 0n) continue
      exchange.must({ kind: 'withdraw', uid, wallet, coin, amount: transferable })
      taken += transferable
      const btc = exchange.balance(name, wallet, 'BTC').transferable
      expect(
        exchange.refusal({ kind: 'withdraw', uid, wallet, coin: coinId('BTC'), amount: (btc + 1n) as Amount }),
      ).toBe('transferable-exceeded')
    }
    expect(taken).toBeLessThan(units('60000'))
    const { assetsUsd, debtUsd } = exchange.query({ kind: 'margin-wallet', uid, interface: version })
    expect(assetsUsd * 10n).toBeGreaterThan(debtUsd * 11n)
  }
})
