/**
 * Funding: rate, payments, what rounding leaves, when it is due.
 * Source  interface E10; risk-engine §13, §22
 */
import { expect } from 'vitest'
import type { FundingPayment } from '../../src/engine/protocol/event.ts'
import { type Exchange, firstDay, hourMs, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { type FuturesRecord, type MarketName, markets } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function settle(exchange: Exchange, market: MarketName = exchange.market): string[] {
  exchange.must({ kind: 'settle-funding', instrument: instrumentId(market) })
  return payments(exchange)
}

function payments(exchange: Exchange): string[] {
  return exchange.lastEvents
    .filter((event): event is FundingPayment => event.kind === 'funding-payment')
    .map(({ uid, positionSide, amount }) => `${exchange.name(uid)} ${positionSide} ${coins(amount)}`)
}

table(
  'without premium the rate is the interest of 0.01 % per eight hours, within the cap',
  [
    [8, '0.003', '0.0001'],
    [4, '0.003', '0.00005'],
    [2, '0.003', '0.000025'],
    [1, '0.003', '0.0000125'],
    [8, '0.00004', '0.00004'],
  ] as const,
  (exchange, fundingIntervalHours, cap, rate) => {
    const record: FuturesRecord = {
      ...markets.SOLUSDT,
      symbol: 'NEW',
      fundingIntervalHours,
      fundingRateCap: share(cap),
    }
    const reply = exchange.must({ kind: 'list-instrument', instrument: record })
    const instrument = reply.kind === 'listed' ? reply.id : 0
    expect(exchange.query({ kind: 'prices', instrument })).toMatchObject({
      fundingRate: share(rate),
      nextFundingAt: firstDay + fundingIntervalHours * hourMs,
    })
  },
)

scenario('longs pay shorts, and what rounding leaves is the house’s', (exchange) => {
  traders(exchange, 'ann', 'ben', 'cid', 'dan').market = 'BTCUSDT'
  exchange.given('cid: sell 0.5 @ 60000', 'dan: sell 0.5 @ 60000', 'ann: buy 0.333 @ 60000', 'ben: buy 0.667 @ 60000')
  exchange.prices({ BTC: '60012.3' })
  // 0.01 % of 19,984.0959 is 1.99840959, of 40,028.2041 4.00282041, of 30,006.15 3.000615
  expect(settle(exchange)).toEqual([
    'cid short 3.000615',
    'dan short 3.000615',
    'ann long -1.99840959',
    'ben long -4.00282041',
  ])
  expect(exchange.house('rounding', 'USDT')).toBe('0')
})

scenario('risk-engine §22: the booking vector at a tenth of its rate, to the unit', (exchange) => {
  // An odd rate is the capped one: 0.01234567 %.
  const record: FuturesRecord = { ...markets.BTCUSDT, symbol: 'ODD', fundingRateCap: share('0.00001234567') }
  exchange.must({ kind: 'list-instrument', instrument: { ...record, fundingIntervalHours: 8 } })
  traders(exchange, 'ann', 'ben', 'cid', 'dan')
  const odd = Object.keys(markets).length
  const place = (who: string, side: 'buy' | 'sell', lots: number) => {
    exchange.given(`${who}: ${side} 0.0001 BTCUSDT ioc @ 60000`)
    const { command } = exchange.applied.at(-1) ?? {}
    if (command?.kind !== 'place-order') throw new Error('an order')
    exchange.must({ ...command, instrument: odd, timeInForce: 'gtc', quantity: { unit: 'lots', lots: lots as never } })
  }
  place('cid', 'sell', 5000)
  place('dan', 'sell', 5000)
  place('ann', 'buy', 3330)
  place('ben', 'buy', 6670)
  exchange.prices({ BTC: '60012.3' })
  exchange.must({ kind: 'settle-funding', instrument: odd })
  // a tenth of the vector's rate: −0.246717053…, −0.494174998…, +0.370446025…
  expect(payments(exchange)).toEqual([
    'cid short 0.37044602',
    'dan short 0.37044602',
    'ann long -0.24671706',
    'ben long -0.494175',
  ])
  expect(exchange.house('rounding', 'USDT')).toBe('0.00000002')
})

scenario(
  'risk-engine §13: inverse: a long of 32,345 at 62,500 pays 0.00005176, a short receives 0.00005175',
  (exchange) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSD'
    exchange.given('bob: sell 32345 @ 60000', 'alice: buy 32345 @ 60000').prices({ BTC: '62500' })
    expect(settle(exchange)).toEqual(['bob short 0.00005175', 'alice long -0.00005176'])
  },
)

scenario('cross: the wallet pays; isolated: the margin of the position', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
  exchange.join('ivy', { funds: { usdt_futures: '1000 USDT' } })
  exchange.given('bob: sell 20 @ 100', 'alice: buy 10 @ 100', 'ivy: buy 10 isolated @ 100')
  settle(exchange) // 0.1 each
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('999.3')
  expect(exchange.wallet('ivy', 'usdt_futures', 'USDT')).toBe('949.4')
  expect(coins(exchange.position('ivy').margin)).toBe('49.9')
  for (const who of ['alice', 'ivy']) expect(coins(exchange.position(who).funding ?? 0n)).toBe('-0.1')
  expect(coins(exchange.position('bob').funding ?? 0n)).toBe('0.2')
})

scenario('before the first charge there is no funding, not zero', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 1 @ 100', 'alice: buy 1 @ 100')
  expect(exchange.position('alice').funding).toBeUndefined()
})

scenario('a shortfall is paid out of profit', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '50.7 USDT' } })
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: 3, amount: units('1') })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  settle(exchange)
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('50')
  exchange.leap({ SOL: '100000' }) // 0.01 % of 1,000,000
  settle(exchange)
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('0')
  expect(exchange.house('insurance', 'USDT')).toBe('1')
  expect(coins(exchange.position('alice').unrealizedPnl)).toBe('998950') // 999,000 − 50
})

scenario('an isolated position pays with its margin, then out of its profit, and no more', (exchange) => {
  traders(exchange, 'bob').join('ivy', { funds: { usdt_futures: '1000 USDT' } })
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: 3, amount: units('1') })
  exchange.given('bob: sell 10 @ 100', 'ivy: buy 10 isolated @ 100').leap({ SOL: '100000' })
  settle(exchange) // 100 of a margin of 50
  expect(coins(exchange.position('ivy').margin)).toBe('0')
  expect(coins(exchange.position('ivy').unrealizedPnl)).toBe('998950')
  expect(exchange.wallet('ivy', 'usdt_futures', 'USDT')).toBe('949.4')
  expect(exchange.house('insurance', 'USDT')).toBe('1')
})

table(
  'what neither margin nor profit covers is the insurance fund’s, and the position is liquidated in the same step',
  // of 59.5 due the wallet has 50.1, the position 50
  `
    mode     | own  | covered | left
    cross    | 50.7 | 9.4     | 0
    isolated | 50.6 | 9.5     | 0
    isolated | 60.6 | 9.5     | 10
  `,
  (exchange, { mode, own, covered, left }) => {
    traders(exchange, 'bob', 'eve', 'fay').join('alice', { funds: { usdt_futures: `${own} USDT` } })
    exchange.must({ kind: 'fund-house', account: 'insurance', coin: 3, amount: units('1000') })
    const rates = { impactNotional: undefined, fundingRateCap: share('1'), fundingIntervalHours: undefined }
    exchange.must({
      kind: 'configure-pricing',
      jumpFactor: undefined,
      fundingShortfall: undefined,
      premiumMean: undefined,
      fundingInterestRate: undefined,
      fundingClamp: undefined,
      coins: [],
      instruments: [{ instrument: exchange.instrument().id, ...rates }],
    })
    exchange.given('bob: sell 10 @ 100', `alice: buy 10 ${mode} @ 100`)
    exchange.given('eve: sell 100 @ 110', 'fay: buy 100 oid:bid @ 106').wait(60_000) // a premium of 6 %
    exchange.cancel('fay', 'bid')
    expect(settle(exchange)).toEqual(['bob short 59.5', 'alice long -59.5'])
    const [first] = exchange.lastEvents.filter((event) => event.kind === 'insurance')
    expect(first).toMatchObject({ uid: exchange.uid('alice'), amount: units(covered) })
    expect(exchange.holds('alice')).toBe('flat')
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(left)
  },
)

scenario('both sides of a hedge pay and receive for themselves', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given(
    'bob: sell 10 @ 100',
    'alice: buy 10 open @ 100',
    'bob: buy 4 @ 100',
    'alice: sell 4 open @ 100',
  )
  expect(settle(exchange)).toEqual(['bob short 0.06', 'alice long -0.1', 'alice short 0.04'])
})

// When

scenario('due at each boundary of its interval, run by a timer', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.wait(1000).runTimers() // marks
  expect(exchange.nextTimerAt()).toBe(firstDay + 8 * hourMs)
  exchange.at = firstDay + 8 * hourMs - 2
  exchange.runTimers()
  expect(payments(exchange)).toEqual([])
  exchange.runTimers()
  expect(payments(exchange)).toEqual(['bob short 0.1', 'alice long -0.1'])
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'funding-settled')).toHaveLength(5) // every contract
  expect(exchange.nextTimerAt()).toBe(firstDay + 16 * hourMs)
})

scenario('a venue that was down settles once, for the first boundary missed, and goes on at the next', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.at = firstDay + 50 * hourMs
  exchange.runTimers()
  expect(payments(exchange)).toEqual(['bob short 0.1', 'alice long -0.1'])
  const settled = exchange.lastEvents.find((event) => event.kind === 'funding-settled')
  expect(settled).toMatchObject({ at: firstDay + 8 * hourMs, fundingRate: share('0.0001') })
  expect(exchange.nextTimerAt()).toBe(firstDay + 56 * hourMs)
})

scenario('settling by hand answers how many positions took part; spot pairs have no funding', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  const settleNow = (instrument: number) => exchange.apply({ kind: 'settle-funding', instrument })
  expect(settleNow(instrumentId('SOLUSDT'))).toEqual({ kind: 'funding-settled', positions: 2 })
  expect(settleNow(instrumentId('BTCUSDT'))).toEqual({ kind: 'funding-settled', positions: 0 })
  expect(settleNow(instrumentId('BTC/USDT'))).toEqual({ kind: 'refused', refusal: { kind: 'instrument-unknown' } })
  expect(settleNow(99)).toEqual({ kind: 'refused', refusal: { kind: 'instrument-unknown' } })
})
