/**
 * Index, mark and what stops without a price that can be believed.
 * Source  risk-engine §12, §14; reliability F6
 */
import { expect, test } from 'vitest'
import type { Amount } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { coinId, dayMs, Exchange, firstDay, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import { type CoinName, type MarketName, markets } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { expectSound } from './support/soundness.ts'
import { scenario, table } from './support/table.ts'

const unchanged: Extract<Command, { kind: 'configure-pricing' }> = {
  kind: 'configure-pricing',
  jumpFactor: undefined,
  fundingShortfall: undefined,
  premiumMean: undefined,
  fundingInterestRate: undefined,
  fundingClamp: undefined,
  coins: [],
  instruments: [],
}
const sameContract = { impactNotional: undefined, fundingRateCap: undefined, fundingIntervalHours: undefined }

function mark(exchange: Exchange, market: MarketName = exchange.market): string {
  return exchange.price(exchange.query({ kind: 'prices', instrument: instrumentId(market) }).markPrice, market)
}

function index(exchange: Exchange, market: MarketName = exchange.market): string {
  return exchange.price(exchange.query({ kind: 'prices', instrument: instrumentId(market) }).indexPrice, market)
}

function frozen(exchange: Exchange, market: MarketName = exchange.market) {
  return exchange.query({ kind: 'prices', instrument: instrumentId(market) }).indexHalt
}

function limitAge(exchange: Exchange, coin: CoinName, seconds: number): void {
  exchange.must({ ...unchanged, coins: [{ coin: coinId(coin), indexAgeMsMax: seconds * secondMs }] })
}

/** Runs every timer at its own time, as the runtime does, until `at`. */
function walk(exchange: Exchange, at: number): number {
  let runs = 0
  for (let due = exchange.nextTimerAt(); due !== undefined && due <= at; due = exchange.nextTimerAt()) {
    exchange.at = Math.max(exchange.at, due - 1)
    exchange.runTimers()
    runs++
  }
  exchange.at = Math.max(exchange.at, at)
  return runs
}

function emitted(events: readonly Event[], market: MarketName): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'instrument-frozen' && event.instrument === instrumentId(market))
      return [`frozen ${event.cause}`]
    return event.kind === 'instrument-unfrozen' && event.instrument === instrumentId(market) ? ['unfrozen'] : []
  })
}

// Mark

scenario('risk-engine §12: last 60,031.5, funding 60,001.5, basis 60,024.2: the mark is 60,024.2', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') }) // 0.01 %
  exchange.given('ann: sell 1 @ 60031.5', 'ben: buy 1 @ 60031.5')
  walk(exchange, firstDay + 6 * hourMs - 10 * 60 * secondMs)
  exchange.given('ann: sell 1 @ 60024.3', 'ben: buy 1 @ 60024.1')
  walk(exchange, firstDay + 6 * hourMs)
  exchange.given('ben: buy 1 @ 50000')
  walk(exchange, exchange.at + secondMs)
  expect(mark(exchange)).toBe('60024.2')
})

table(
  'the median of three: last trade, index with funding, index with basis',
  [
    // last, bid and ask over five minutes, then the mark with an index of 60,000
    ['60031.5', '', '60000'],
    ['59990', '', '60000'],
    ['60031.5', '60024.1 60024.3', '60024.2'],
    ['60010', '60024.1 60024.3', '60010'],
    ['59990', '60024.1 60024.3', '60000'],
    ['59990', '59979.9 59980.1', '59990'],
    ['59970', '59979.9 59980.1', '59980'],
  ] as const,
  (exchange, last, quotes, expected) => {
    traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
    exchange.given(`ann: sell 1 @ ${last}`, `ben: buy 1 @ ${last}`)
    const [bid, ask] = quotes.split(' ')
    if (bid && ask) exchange.given(`ann: sell 1 @ ${ask}`, `ben: buy 1 @ ${bid}`)
    walk(exchange, exchange.at + 5 * 60 * secondMs)
    exchange.given('ben: buy 1 @ 50000')
    walk(exchange, exchange.at + secondMs)
    expect(mark(exchange)).toBe(expected)
  },
)

scenario('the basis is the mean of the last sixty samples, none for a book with one side', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.given('ann: sell 1 @ 60100', 'ben: buy 1 @ 60100') // the last price
  exchange.given('ann: sell 1 oid:ask @ 60061', 'ben: buy 1 @ 60059')
  walk(exchange, firstDay + 30 * secondMs) // six samples of +60
  exchange.cancel('ann', 'ask')
  walk(exchange, firstDay + 61 * secondMs) // six of 0
  exchange.given('ben: buy 1 @ 50000')
  walk(exchange, firstDay + 62 * secondMs)
  expect(mark(exchange)).toBe('60030')
  walk(exchange, firstDay + 302 * secondMs)
  exchange.given('ben: buy 1 @ 50000')
  walk(exchange, firstDay + 303 * secondMs)
  expect(mark(exchange)).toBe('60006') // six of sixty
  walk(exchange, firstDay + 331 * secondMs)
  exchange.given('ben: buy 1 @ 50000')
  walk(exchange, firstDay + 332 * secondMs)
  expect(mark(exchange)).toBe('60000')
})

scenario(
  'marks follow the index at once, the book at most once a second, samples until they stand, and then no timer is set',
  (exchange) => {
    traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
    walk(exchange, firstDay + 10 * secondMs)
    const boundary = firstDay + 8 * hourMs
    expect(exchange.nextTimerAt()).toBe(boundary)
    exchange.given('ann: sell 1 @ 60020', 'ben: buy 1 @ 60010')
    walk(exchange, firstDay + 20 * secondMs + 300) // a basis of +15
    exchange.given('ben: buy 1 @ 60020')
    expect(mark(exchange)).toBe('60000')
    const next = firstDay + 21 * secondMs
    expect(exchange.nextTimerAt()).toBe(next)
    for (let count = 0; count < 100; count++) exchange.given('ann: sell 0.001 @ 60030', 'ben: buy 0.001 @ 60030')
    expect(exchange.nextTimerAt()).toBe(next)
    expect(walk(exchange, next)).toBe(1)
    expect(mark(exchange)).toBe('60007.5') // last 60,030; half of the samples +15
    // Nobody sells any more: sixty samples of nothing, and no more.
    expect(exchange.nextTimerAt()).toBe(firstDay + 25 * secondMs)
    expect(walk(exchange, firstDay + hourMs)).toBe(60)
    expect(mark(exchange)).toBe('60000')
    expect(exchange.nextTimerAt()).toBe(boundary)
    exchange.prices({ BTC: '59000' })
    expect(mark(exchange)).toBe('59000')
    expect(exchange.nextTimerAt()).toBe(boundary)
  },
)

scenario('§12: the worked mark comes with time alone', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') }) // at 0.01 %
  walk(exchange, firstDay + 6 * hourMs - 5 * 60 * secondMs)
  exchange.given('ann: sell 1 @ 60031.5', 'ben: buy 1 @ 60031.5', 'ann: sell 10 @ 60024.3', 'ben: buy 10 @ 60024.1')
  walk(exchange, firstDay + 6 * hourMs)
  expect(mark(exchange)).toBe('60024.2')
})

scenario('spot pairs have their index for a mark, and their books set no timer', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTC/USDT'
  exchange.given('ann: sell 1 @ 60500', 'ben: buy 1 @ 60500', 'ben: buy 1 @ 60400')
  expect(exchange.nextTimerAt()).toBe(firstDay + 8 * hourMs)
  exchange.prices({ BTC: '61000' })
  expect(mark(exchange)).toBe('61000')
})

/** Marks and indexes that were emitted of a market since the exchange was made, in their order. */
function emittedPrices(exchange: Exchange, market: MarketName): string[] {
  return exchange.applied
    .flatMap(({ events }) => events)
    .filter((event) => event.kind === 'prices-changed')
    .filter((event) => event.instrument === instrumentId(market))
    .map((event) => `${exchange.price(event.markPrice, market)} ${exchange.price(event.indexPrice, market)}`)
}

scenario('a mark or an index that has changed is published, and what has not is not', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  const before = emittedPrices(exchange, 'BTCUSDT').length
  const since = () => emittedPrices(exchange, 'BTCUSDT').slice(before)
  exchange.prices({ BTC: '60000' })
  exchange.prices({ ETH: '3500' })
  expect(since()).toEqual([])
  exchange.prices({ BTC: '60100' })
  expect(since()).toEqual(['60100 60100'])
  exchange.given('ann: sell 1 @ 60300', 'ben: buy 1 @ 60200', 'ben: buy 1 @ 60300')
  walk(exchange, exchange.at + 10 * secondMs)
  expect(since().at(-1)).toBe(`${mark(exchange)} 60100`)
})

scenario('what is listed tells its first prices', (exchange) => {
  expect(emittedPrices(exchange, 'BTCUSDT')[0]).toBe('60000 60000')
  expect(emittedPrices(exchange, 'BTC/USDT')[0]).toBe('60000 60000')
})

// The jump breaker

table(
  'reliability F6: updates of an index of 60,000, and what becomes of them',
  [
    ['240000', '240000', undefined],
    ['240000.00000001', '60000', 'suspect'],
    ['15000', '15000', undefined],
    ['14999.99999999', '60000', 'suspect'],
    ['600000', '60000', 'suspect'],
    ['600000 60100', '60100', undefined], // a slip
    ['600000 600000', '600000', undefined],
    ['600000 660000', '660000', undefined],
    ['600000 540000', '540000', undefined],
    ['600000 660000.1', '60000', 'suspect'],
    ['600000 539999.9', '60000', 'suspect'],
    ['600000 6000000 600000', '60000', 'suspect'],
    ['600000 6000000 6100000', '6100000', undefined],
    ['6000 5900', '5900', undefined],
  ] as const,
  (exchange, updates, expected, state) => {
    exchange.market = 'BTCUSDT'
    for (const price of updates.split(' ')) exchange.prices({ BTC: price })
    expect(index(exchange)).toBe(expected)
    expect(mark(exchange)).toBe(expected)
    expect(frozen(exchange)).toBe(state)
    expect(frozen(exchange, 'BTC/USDT')).toBe(state)
    expect(frozen(exchange, 'ETHUSDT')).toBeUndefined()
  },
)

scenario('the operator hears what was held back, the others are taken', (exchange) => {
  const prices = [
    [coinId('BTC'), units('600000')],
    [coinId('ETH'), units('3100')],
  ] as const
  expect(exchange.must({ kind: 'set-index-prices', prices })).toEqual({ kind: 'prices-held-back', coins: [0] })
  expect(index(exchange, 'ETHUSDT')).toBe('3100')
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['frozen suspect'])
  expect(emitted(exchange.lastEvents, 'ETHUSDT')).toEqual([])
  exchange.prices({ BTC: '601000' })
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['unfrozen'])
})

scenario('the factor is the operator’s', (exchange) => {
  exchange.must({ ...unchanged, jumpFactor: share('1.1') })
  exchange.prices({ BTC: '66000' })
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
  exchange.prices({ BTC: '72600.01' })
  expect(frozen(exchange, 'BTCUSDT')).toBe('suspect')
})

scenario('a quote coin in doubt halts what is priced in it', (exchange) => {
  exchange.prices({ USDT: '0.2' })
  expect([frozen(exchange, 'BTCUSDT'), frozen(exchange, 'BTC/USDT')]).toEqual(['suspect', 'suspect'])
  expect([frozen(exchange, 'BTCUSD'), frozen(exchange, 'ETHPERP')]).toEqual([undefined, undefined])
})

// Staleness

scenario('an index is stale once it is older than its limit; the next price ends it', (exchange) => {
  exchange.prices({ BTC: '60000' })
  const at = exchange.at
  limitAge(exchange, 'BTC', 30)
  expect(exchange.nextTimerAt()).toBe(at + 30 * secondMs + 1)
  exchange.at = at + 30 * secondMs - 1
  exchange.runTimers()
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
  exchange.runTimers()
  expect(frozen(exchange, 'BTCUSDT')).toBe('stale')
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['frozen stale'])
  expect(emitted(exchange.lastEvents, 'ETHUSDT')).toEqual([])
  expect(exchange.nextTimerAt()).toBe(firstDay + 8 * hourMs)
  exchange.prices({ BTC: '60000' })
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['unfrozen'])
  expect(exchange.nextTimerAt()).toBe(exchange.at + 30 * secondMs + 1)
})

scenario('no timer is needed for it: the command that comes too late finds it stale', (exchange) => {
  traders(exchange, 'ann').market = 'BTCUSDT'
  exchange.prices({ BTC: '60000' })
  limitAge(exchange, 'BTC', 30)
  exchange.wait(30 * secondMs)
  expect(exchange.place('ann: buy 1 @ 59000')).toBe('refused index-stale')
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['frozen stale'])
})

scenario('prices that come in time keep it fresh, with one timer for all', (exchange) => {
  for (const coin of ['BTC', 'ETH', 'SOL'] as const) limitAge(exchange, coin, 30)
  let runs = 0
  for (let second = 1; second <= 600; second++) {
    runs += walk(exchange, firstDay + second * secondMs)
    exchange.prices({ BTC: '60000', ETH: '3000', SOL: '100' })
  }
  expect(runs).toBeLessThan(30)
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
  walk(exchange, exchange.at + 31 * secondMs)
  expect([frozen(exchange, 'BTCUSDT'), frozen(exchange, 'BTC/USDC')]).toEqual(['stale', 'stale'])
})

scenario('without a limit a price stands; a limit that goes ends a halt', (exchange) => {
  exchange.wait(90 * dayMs).runTimers()
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
  limitAge(exchange, 'BTC', 30)
  expect(frozen(exchange, 'BTCUSDT')).toBe('stale')
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['frozen stale'])
  limitAge(exchange, 'BTC', 0)
  expect(emitted(exchange.lastEvents, 'BTCUSDT')).toEqual(['unfrozen'])
})

scenario('a price held back does not make a coin fresh', (exchange) => {
  limitAge(exchange, 'BTC', 30)
  exchange.prices({ BTC: '60000' }).wait(20 * secondMs)
  exchange.prices({ BTC: '600000' }).wait(20 * secondMs)
  exchange.prices({ BTC: '6000000' })
  expect(frozen(exchange, 'BTCUSDT')).toBe('suspect')
  exchange.prices({ BTC: '60000' })
  expect(frozen(exchange, 'BTCUSDT')).toBeUndefined()
})

// What a halt stops

table(
  'halted: only what reduces is admitted; spot goes on',
  `
    line                          | outcome
    ann: sell 1 @ 100             | refused index-stale
    ann: buy 1 @ 100              | refused index-stale
    ann: sell 1                   | refused index-stale
    ann: sell 4 reduce-only @ 100 | rests 4
    cat: buy 1 open @ 100         | refused index-stale
    cat: buy 3 close @ 100        | rests 3
    ann: sell 1 SOL/USDT @ 100    | rests 1
  `,
  (exchange, { line, outcome }) => {
    hedgers(traders(exchange, 'ann', 'ben'), 'cat')
    exchange.given('ben: sell 20 @ 100', 'ann: buy 10 @ 100', 'cat: buy 10 open @ 100')
    exchange.prices({ SOL: '1000' })
    expect(exchange.place(line)).toBe(outcome)
  },
)

scenario('halted: funding does not settle, by hand or at its boundary', (exchange) => {
  traders(exchange, 'ann', 'ben').given('ben: sell 10 @ 100', 'ann: buy 10 @ 100').prices({ SOL: '1000' })
  expect(exchange.refusal({ kind: 'settle-funding', instrument: instrumentId('SOLUSDT') })).toBe('index-stale')
  walk(exchange, firstDay + 9 * hourMs)
  expect(exchange.position('ann').funding).toBeUndefined()
  exchange.prices({ SOL: '100' })
  walk(exchange, firstDay + 17 * hourMs)
  expect(exchange.position('ann').funding).toBe(units('-0.1'))
})

scenario('halted: nobody borrows the coin', (exchange) => {
  traders(exchange, 'ann').prices({ BTC: '600000' })
  const borrow = (coin: CoinName) =>
    exchange.refusal({ kind: 'borrow', uid: exchange.uid('ann'), coin: coinId(coin), amount: units('0.1') })
  expect(borrow('BTC')).toBe('index-stale')
  expect(borrow('ETH')).toBe('accepted')
})

scenario('halted: a coin in doubt backs no loan', (exchange) => {
  exchange.join('ann', { funds: { crossed_margin: '1 BTC' } })
  const borrow = () =>
    exchange.refusal({ kind: 'borrow', uid: exchange.uid('ann'), coin: coinId('USDT'), amount: units('1') })
  expect(borrow()).toBe('accepted')
  exchange.prices({ BTC: '600000' })
  expect(borrow()).toBe('borrow-limit-exceeded')
  exchange.prices({ BTC: '60000' })
  expect(borrow()).toBe('accepted')
})

// Configuration

table(
  'settings that are refused',
  [
    [{ ...unchanged, jumpFactor: share('0.99') }, 'instrument-record-wrong'],
    [{ ...unchanged, jumpFactor: share('1') }, 'accepted'],
    [{ ...unchanged, coins: [{ coin: 99, indexAgeMsMax: 0 }] }, 'coin-unknown'],
    [{ ...unchanged, coins: [{ coin: 0, indexAgeMsMax: -1 }] }, 'instrument-record-wrong'],
    [{ ...unchanged, coins: [{ coin: 0, indexAgeMsMax: 0.5 }] }, 'instrument-record-wrong'],
    [{ ...unchanged, instruments: [{ ...sameContract, instrument: 99 }] }, 'instrument-unknown'],
    [{ ...unchanged, instruments: [{ ...sameContract, instrument: 0 }] }, 'instrument-record-wrong'],
    [
      { ...unchanged, instruments: [{ ...sameContract, instrument: 4, fundingIntervalHours: 3 }] },
      'instrument-record-wrong',
    ],
    [
      { ...unchanged, instruments: [{ ...sameContract, instrument: 4, impactNotional: 0n as Amount }] },
      'instrument-record-wrong',
    ],
    [
      { ...unchanged, instruments: [{ ...sameContract, instrument: 4, fundingRateCap: share('-0.1') }] },
      'instrument-record-wrong',
    ],
    [{ ...unchanged, instruments: [{ ...sameContract, instrument: 4 }] }, 'accepted'],
  ] as const,
  (exchange, command, outcome) => {
    expect(exchange.refusal(command)).toBe(outcome)
  },
)

// Time

test('ninety days pass in a bounded number of runs, whatever was in the books', () => {
  const exchange = traders(new Exchange(), 'ann', 'ben')
  for (const market of Object.keys(markets) as MarketName[]) {
    if (market.includes('/')) continue
    exchange.market = market
    const price = market.startsWith('BTC') ? '60000' : market.startsWith('ETH') ? '3000' : '100'
    exchange.given(`ben: sell 20 @ ${price}`, `ann: buy 10 @ ${price}`)
  }
  limitAge(exchange, 'ETH', 30)
  exchange.prices({ ETH: '3000' })
  const runs = walk(exchange, firstDay + 90 * dayMs)
  expect(runs).toBeLessThan(280)
  expectSound(exchange)
})
