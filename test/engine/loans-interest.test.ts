/**
 * Interest by the hour: when it is owed, at which rate, and that no amount depends on when the timer ran.
 * Source  risk-engine §17, §22 (interest vector); design §4.36
 */
import { expect, test } from 'vitest'
import { hourlyInterest } from '../../src/engine/records/debt.ts'
import { coinId, type Exchange, hourMs } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

const minuteMs = 60_000

test.each([
  ['20000', '0.00012', '0.10000000'],
  ['1', '0.00007', '0.00000292'],
  ['0.00000001', '0.00000001', '0.00000001'],
  ['1', '0', '0'],
])('risk-engine §22: an hour of %s at %s a day is %s', (principal, daily, hour) => {
  expect(hourlyInterest(units(principal), share(daily))).toBe(units(hour))
})

function borrower(exchange: Exchange, amount = '20000', coin: CoinName = 'USDT'): void {
  exchange.join('alice', { funds: { crossed_margin: '1 BTC, 30000 USDT' } })
  borrow(exchange, 'alice', amount, coin)
}

function borrow(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): void {
  exchange.must({ kind: 'borrow', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

function repay(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): void {
  exchange.must({ kind: 'repay', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

/** Runs every timer that falls due until `at`, as the manual clock does; answers how many commands it took. */
function runUntil(exchange: Exchange, at: number): number {
  let runs = 0
  for (let due = exchange.nextTimerAt(); due !== undefined && due <= at; due = exchange.nextTimerAt()) {
    if (due > exchange.at + 1) exchange.wait(due - exchange.at - 1)
    exchange.runTimers()
    runs++
  }
  if (at > exchange.at) exchange.wait(at - exchange.at)
  return runs
}

function debt(exchange: Exchange): string {
  return exchange.debt('alice', 'crossed_margin', 'USDT')
}

table(
  'the first hour at once, then every hour as it begins (20,000 USDT at 0.012 % a day)',
  [
    // after                         interest
    [0, '0.1'],
    [hourMs - 2, '0.1'],
    [hourMs, '0.2'],
    [2 * hourMs - 2, '0.2'],
    [2 * hourMs, '0.3'],
    [26 * hourMs + 10 * minuteMs, '2.7'],
    [27 * hourMs - 2, '2.7'],
    [27 * hourMs, '2.8'],
    [90 * 24 * hourMs, '216.1'],
  ],
  (exchange, after, interest) => {
    borrower(exchange)
    runUntil(exchange, exchange.at + after)
    expect(debt(exchange)).toBe(`20000 + ${interest}`)
    expect(exchange.house('lendingPool', 'USDT')).toBe('-20000')
  },
)

scenario('every hour is published with its loan and its rate', (exchange) => {
  borrower(exchange)
  const loan = exchange.lastEvents.find((event) => event.kind === 'loan')
  const first = exchange.lastEvents.find((event) => event.kind === 'interest')
  expect(first).toMatchObject({ loanId: loan?.loanId, cause: 'first', dailyInterestRate: share('0.00012') })
  const from = exchange.applied.length
  runUntil(exchange, exchange.at + 3 * hourMs)
  const emitted = exchange.applied
    .slice(from)
    .flatMap(({ events }) => events.filter((event) => event.kind === 'interest'))
  expect(emitted.map(({ cause, amount }) => [cause, coins(amount)])).toEqual([
    ['hour', '0.1'],
    ['hour', '0.1'],
    ['hour', '0.1'],
  ])
})

scenario('hours that begin one shortly after the other are each published as they begin', (exchange) => {
  traders(exchange, 'bob')
  borrower(exchange)
  exchange.wait(5_000)
  exchange.join('carol', { funds: { crossed_margin: '1 BTC' } })
  borrow(exchange, 'carol', '1000')
  const from = exchange.applied.length
  runUntil(exchange, exchange.at + 2 * hourMs)
  const emitted = exchange.applied
    .slice(from)
    .flatMap(({ events }) => events.filter((event) => event.kind === 'interest'))
  expect(emitted.map(({ amount }) => coins(amount))).toEqual(['0.1', '0.005', '0.1', '0.005'])
})

scenario('90 days of interest take a run an hour', (exchange) => {
  borrower(exchange)
  expect(runUntil(exchange, exchange.at + 90 * 24 * hourMs)).toBeLessThan(90 * 24 + 90 * 3 + 10)
})

scenario('many loans of one minute share their runs', (exchange) => {
  traders(exchange, 'bob')
  for (let made = 0; made < 50; made++) {
    exchange.join(`a${made}`, { funds: { crossed_margin: '1 BTC' } })
    borrow(exchange, `a${made}`, '1000')
  }
  expect(runUntil(exchange, exchange.at + 10 * hourMs + minuteMs)).toBeLessThan(10 * 5)
  for (let made = 0; made < 50; made++) expect(exchange.debt(`a${made}`, 'crossed_margin', 'USDT')).toBe('1000 + 0.055')
})

table(
  'what is owed does not depend on when the timer runs: the hours begun count at once',
  [
    [hourMs, '0.2'],
    [5 * hourMs + 1, '0.6'],
    [100 * hourMs, '10.1'],
  ],
  (exchange, late, interest) => {
    borrower(exchange)
    exchange.wait(late)
    repay(exchange, 'alice', '0.00000001') // before any timer ran
    expect(debt(exchange)).toBe(`20000 + ${coins(units(interest) - 1n)}`)
    exchange.runTimers()
    expect(debt(exchange)).toBe(`20000 + ${coins(units(interest) - 1n)}`)
  },
)

scenario('a question counts the hours that have begun', (exchange) => {
  borrower(exchange)
  exchange.wait(3 * hourMs).prices({ ETH: '3000' })
  expect(debt(exchange)).toBe('20000 + 0.4')
  const whole = { kind: 'repay', uid: exchange.uid('alice'), coin: coinId('USDT'), amount: units('20000.4') } as const
  expect(exchange.must(whole)).toMatchObject({ repaid: units('20000.4'), remaining: 0n })
})

scenario('interest is not compounded, and follows the principal that is left', (exchange) => {
  borrower(exchange)
  runUntil(exchange, exchange.at + hourMs)
  repay(exchange, 'alice', '10000.2') // 0.2 of interest, 10,000 of principal
  expect(debt(exchange)).toBe('10000 + 0')
  runUntil(exchange, exchange.at + hourMs)
  expect(debt(exchange)).toBe('10000 + 0.05')
})

scenario('the oldest loan is repaid first, and each keeps its own clock', (exchange) => {
  borrower(exchange, '12000') // 0.06 an hour
  exchange.wait(30 * minuteMs)
  borrow(exchange, 'alice', '8000') // 0.04 an hour
  expect(debt(exchange)).toBe('20000 + 0.1')
  repay(exchange, 'alice', '12000.1')
  expect(debt(exchange)).toBe('8000 + 0')
  exchange.wait(30 * minuteMs)
  runUntil(exchange, exchange.at) // the hour of the first loan, which is gone
  expect(debt(exchange)).toBe('8000 + 0')
  runUntil(exchange, exchange.at + 30 * minuteMs)
  expect(debt(exchange)).toBe('8000 + 0.04')
})

scenario('a new rate applies from the next hour; hours begun are booked at the old one', (exchange) => {
  borrower(exchange)
  exchange.wait(2 * hourMs) // no timer ran
  const same = { borrowable: undefined, borrowLimit: undefined, lendingPoolLimit: undefined, leverageMax: undefined }
  const coin = coinId('USDT')
  exchange.must({ kind: 'set-loan-terms', coin, dailyInterestRate: share('0.00024'), ...same })
  expect(debt(exchange)).toBe('20000 + 0.3')
  runUntil(exchange, exchange.at + hourMs)
  expect(debt(exchange)).toBe('20000 + 0.5')
})

scenario('beyond 256 loans of one coin a further one joins the newest and its clock', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '10 BTC' } })
  for (let made = 0; made < 300; made++) borrow(exchange, 'alice', '100')
  expect(debt(exchange)).toBe('30000 + 0.15')
  runUntil(exchange, exchange.at + 2 * hourMs + minuteMs)
  // 255 of 100 and one of 4,500
  expect(debt(exchange)).toBe('30000 + 0.45')
  exchange.pay('alice', 'crossed_margin', '1 USDT')
  repay(exchange, 'alice', '30000.45')
  expect(debt(exchange)).toBe('0 + 0')
})

scenario('a unified wallet below zero owes a loan with its first hour, whatever the limits say', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC, 1000 USDT' } })
  exchange.given('bob: sell 100 SOLUSDT @ 100', 'uma: buy 100 SOLUSDT @ 100') // fee 6
  exchange.given('bob: buy 100 SOLUSDT @ 80', 'uma: sell 100 SOLUSDT @ 80') // loses 2,000 and 4.8
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('1010.8 + 0.005054')
  const loans = exchange.lastEvents.filter((event) => event.kind === 'loan')
  expect(loans.map(({ cause }) => cause)).toContain('shortfall')
})
