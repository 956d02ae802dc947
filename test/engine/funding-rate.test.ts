/**
 * The funding rate: premiums out of the book, their mean, the clamps; and what a short payer pays.
 * Source  risk-engine §13, §22
 */
import { sideOf } from '../../src/engine/book/book.ts'
import { expect, test } from 'vitest'
import { emptyBook, enqueue } from '../../src/engine/book/book.ts'
import { scaleOf } from '../../src/engine/catalog/catalog.ts'
import { rate, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { fundingRateOf } from '../../src/engine/price-rules/funding-rate.ts'
import { premiumOf } from '../../src/engine/price-rules/premium.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { FundingPayment } from '../../src/engine/protocol/event.ts'
import { type Exchange, firstDay, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { queueLinks } from './support/links.ts'
import { markets } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

const minute = 60 * secondMs
type Configuration = Extract<Command, { kind: 'configure-pricing' }>

function configure(
  exchange: Exchange,
  contract: { cap?: string; hours?: number; impact?: string } = {},
  venue: Partial<Pick<Configuration, 'fundingShortfall' | 'premiumMean'>> = {},
): void {
  exchange.must({
    kind: 'configure-pricing',
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [],
    ...venue,
    instruments: [
      {
        instrument: exchange.instrument().id,
        impactNotional: contract.impact === undefined ? undefined : units(contract.impact),
        fundingRateCap: contract.cap === undefined ? undefined : share(contract.cap),
        fundingIntervalHours: contract.hours,
      },
    ],
  })
}

function fundingRate(exchange: Exchange): bigint {
  return exchange.query({ kind: 'prices', instrument: exchange.instrument().id }).fundingRate
}

function payments(exchange: Exchange): string[] {
  return exchange.lastEvents
    .filter((event): event is FundingPayment => event.kind === 'funding-payment')
    .map(({ uid, amount }) => `${exchange.name(uid)} ${coins(amount)}`)
}

/** Replaces the quotes of ann and ben. */
function quote(exchange: Exchange, bid: string, ask: string): void {
  for (const who of ['ann', 'ben']) {
    const category = 'USDT-FUTURES'
    exchange.must({ kind: 'cancel-orders', uid: exchange.uid(who), interface: 'v2', category, instrument: undefined })
  }
  exchange.given(`ann: sell 10 @ ${ask}`, `ben: buy 10 @ ${bid}`)
}

// The formula

test.each([
  ['0.0003', 8, '0.0001'],
  ['0', 8, '0.0001'],
  ['0.0009', 8, '0.0004'],
  ['-0.001', 8, '-0.0005'],
  ['0.0009', 4, '0.0002'],
  ['0.0009', 1, '0.00005'],
  ['0.02', 8, '0.003'],
  ['-0.02', 8, '-0.003'],
  ['0.0006', 8, '0.0001'],
  ['0.000601', 8, '0.000101'],
  ['-0.0004', 8, '0.0001'],
  ['-0.000401', 8, '0.000099'],
] as const)('risk-engine §22: a mean premium of %s over %d hours is a rate of %s', (premium, hours, expected) => {
  const contract = { fundingIntervalHours: hours, fundingRateCap: share('0.003') }
  expect(fundingRateOf(contract, { sum: share(premium), weight: 1n })).toBe(share(expected))
})

test('risk-engine §13: 0.02, 0.04 and 0.06 % weigh one, two and three: 0.046666…%', () => {
  const contract = { fundingIntervalHours: 8, fundingRateCap: share('1') }
  const sum = share('0.02') + 2n * share('0.04') + 3n * share('0.06')
  expect(fundingRateOf(contract, { sum, weight: 6n }) + share('0.0005')).toBe(rate(46_666_666_667n))
})

test.each([
  // bids, asks (lots of 0.0001 BTC at whole dollars), index, premium
  [[[60030, 9999]], [[60040, 9999]], 60000, '0.0005'],
  [[[59950, 9999]], [[59970, 9999]], 60000, '-0.0005'],
  [[[59950, 9999]], [[60040, 9999]], 60000, '0'],
  [[[60030, 9999]], [], 60000, '0'],
  [[], [[59970, 9999]], 60000, '0'],
  // 10,000 / (0.0499 + 7,003.006/60,030) = 60,038.9878…; a side with less than 10,000 says nothing
  [
    [
      [60060, 499],
      [60030, 9999],
    ],
    [[60100, 9999]],
    60000,
    '0.000649797275',
  ],
  [[[60060, 1000]], [[60100, 9999]], 60000, '0'],
  [
    [
      [60000, 1666],
      [59999, 1],
    ],
    [[60100, 9999]],
    60000,
    '0',
  ],
] as const)('the premium of bids %j and asks %j over %d is %s', (bids, asks, index, expected) => {
  const book = emptyBook()
  const links = queueLinks()
  let row = 0
  for (const [price, lots] of bids) enqueue(sideOf(book, 'buy'), links, ++row, price * 10, lots)
  for (const [price, lots] of asks) enqueue(sideOf(book, 'sell'), links, ++row, price * 10, lots)
  const scale = scaleOf({ ...markets.BTCUSDT, id: 4, listedAt: 0 })
  expect(premiumOf(book, scale, (index * 10) as Ticks, units('10000'))).toBe(share(expected))
})

test('inverse: the impact price of 10,000 USD is USD over what they buy', () => {
  const book = emptyBook()
  const links = queueLinks()
  enqueue(sideOf(book, 'buy'), links, 1, 606_000, 5_000)
  enqueue(sideOf(book, 'buy'), links, 2, 603_000, 9_000)
  enqueue(sideOf(book, 'sell'), links, 3, 610_000, 10_000)
  const scale = scaleOf({ ...markets.BTCUSD, id: 7, listedAt: 0 })
  // 10,000 / (5000/60600 + 5000/60300) = 60,449.6277…
  expect(premiumOf(book, scale, 600_000 as Ticks, units('10000'))).toBe(share('0.007493796526'))
})

// Samples

scenario('premiums are sampled each minute, later ones count more', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  configure(exchange, { cap: '1' })
  for (const [count, bid] of ['60120', '60240', '60360'].entries()) {
    exchange.at = firstDay + count * minute + secondMs
    quote(exchange, bid, '60500')
  }
  exchange.at = firstDay + 3 * minute
  exchange.runTimers()
  expect(fundingRate(exchange)).toBe(rate(4_166_666_667n)) // 0.466666… % − 0.05 %
  configure(exchange, {}, { premiumMean: 'plain' })
  expect(fundingRate(exchange)).toBe(share('0.0035'))
})

scenario('each boundary settles what its own interval has shown', (exchange) => {
  traders(exchange, 'ann', 'ben', 'cid', 'dan').market = 'BTCUSDT'
  configure(exchange, { hours: 1 })
  exchange.given('dan: sell 0.5 @ 60000', 'cid: buy 0.5 @ 60000')
  quote(exchange, '60120', '60130') // a premium of 0.2 %
  exchange.at = firstDay + hourMs - 1
  exchange.runTimers()
  const [settled] = exchange.lastEvents.filter(({ kind }) => kind === 'funding-settled')
  expect(settled).toMatchObject({ fundingRate: share('0.0001875'), at: firstDay + hourMs }) // (0.2 % − 0.05 %) ÷ 8
  expect(fundingRate(exchange)).toBe(share('0.0000125')) // nothing sampled yet
  quote(exchange, '59940', '59950')
  exchange.at = firstDay + 2 * hourMs + 5 * minute
  quote(exchange, '60000', '60010') // a command before the timer's changes nothing of what is settled
  exchange.runTimers()
  const late = exchange.lastEvents.find(({ kind }) => kind === 'funding-settled')
  expect(late).toMatchObject({ fundingRate: share('-0.000041666667'), at: firstDay + 2 * hourMs })
})

scenario('a new interval begins at its next boundary, and the old one is forgotten', (exchange) => {
  exchange.market = 'SOLUSDT'
  const next = () => exchange.query({ kind: 'prices', instrument: instrumentId('SOLUSDT') }).nextFundingAt
  exchange.wait(90 * minute)
  configure(exchange, { hours: 2 })
  expect([next(), exchange.nextTimerAt()]).toEqual([firstDay + 2 * hourMs, firstDay + 2 * hourMs])
  exchange.at = firstDay + 2 * hourMs
  exchange.runTimers()
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'funding-settled')).toHaveLength(1)
  configure(exchange, { hours: 8 })
  exchange.at = firstDay + 4 * hourMs
  exchange.runTimers()
  expect(exchange.lastEvents).toEqual([])
  expect(exchange.nextTimerAt()).toBe(firstDay + 8 * hourMs)
})

// Payments

scenario('risk-engine §22: the booking vector, to the unit', (exchange) => {
  traders(exchange, 'ann', 'ben', 'cid', 'dan', 'eve', 'fay').market = 'BTCUSDT'
  configure(exchange, { cap: '0.0001234567' })
  exchange.given('cid: sell 0.5 @ 60000', 'dan: sell 0.5 @ 60000', 'ann: buy 0.333 @ 60000', 'ben: buy 0.667 @ 60000')
  exchange.given('eve: sell 1 @ 60200', 'fay: buy 1 @ 60190').prices({ BTC: '60012.3' })
  exchange.wait(2 * minute)
  exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
  expect(exchange.price(exchange.position('ann').markPrice)).toBe('60012.3')
  expect(payments(exchange)).toEqual(['cid 3.70446025', 'dan 3.70446025', 'ann -2.46717054', 'ben -4.94174999'])
  expect(exchange.house('rounding', 'USDT')).toBe('0.00000003')
})

/** Ann holds 0.5 with a margin of 150 and a maintenance of 138, and 30 are due. */
function shortPayer(
  exchange: Exchange,
  mode: 'full' | 'cap',
  ...receivers: readonly (readonly [string, string])[]
): void {
  traders(exchange, 'bob', 'cid', 'eve', 'fay').market = 'BTCUSDT'
  exchange.join('ann', { funds: { usdt_futures: '1000 USDT' } })
  const leverage = { leverage: 125, positionSide: undefined, marginMode: 'isolated' } as const
  exchange.must({
    kind: 'set-leverage',
    uid: exchange.uid('ann'),
    interface: 'v2',
    instrument: instrumentId('BTCUSDT'),
    ...leverage,
  })
  for (const [who, quantity] of receivers) exchange.given(`${who}: sell ${quantity} @ 60000`)
  exchange.given('ann: buy 0.5 isolated @ 60000', 'eve: sell 1 @ 61000', 'fay: buy 1 @ 60900')
  exchange.wait(minute)
  const settle = () => exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
  settle() // 0.3 %: 90 of 240
  configure(exchange, { cap: '0.001' }, { fundingShortfall: mode })
  settle()
}

table(
  'risk-engine §13: margin 150, maintenance 138, due 30',
  [
    ['full', [['bob', '0.5']], ['ann -30', 'bob 30'], '0'],
    ['cap', [['bob', '0.5']], ['ann -12', 'bob 12'], '0'],
    [
      'cap',
      [
        ['bob', '0.3'],
        ['cid', '0.2'],
      ],
      ['ann -12', 'bob 7.2', 'cid 4.8'],
      '0',
    ],
    [
      'cap',
      [
        ['bob', '0.3333'],
        ['cid', '0.1667'],
      ],
      ['ann -12', 'bob 7.9992', 'cid 4.0008'],
      '0',
    ],
  ] as const,
  (exchange, mode, receivers, expected, dust) => {
    shortPayer(exchange, mode, ...receivers)
    expect(payments(exchange)).toEqual(expected)
    expect(exchange.house('rounding', 'USDT')).toBe(dust)
  },
)
