/**
 * Attempts to get money out of borrowing that is not one's own. None works: whatever is tried, what an attacker has in
 * the end over all wallets, less what is owed, is at most what was paid in, and no debt is left without assets behind it.
 * Source  risk-engine §17, §20; design §4.36
 */
import { expect } from 'vitest'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { coinId, type Exchange, hourMs } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { type CoinName, coinNames } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** What somebody owns less what is owed, over all wallets, in USD of 1e-16. */
function worth(exchange: Exchange, name: string, prices: Readonly<Record<string, string>>): bigint {
  let sum = 0n
  for (const wallet of walletTypes) {
    for (const coin of coinNames) {
      const { balance, principal, interest } = exchange.balance(name, wallet, coin)
      sum += (balance - principal - interest) * units(prices[coin] ?? '1')
    }
  }
  return sum
}

/** Out of the margin wallet. */
function takeOut(exchange: Exchange, who: string, coin: CoinName, amount: bigint): string {
  const uid = exchange.uid(who)
  const wallets = {
    fromWallet: 'crossed_margin',
    toWallet: 'spot',
    coin: coinId(coin),
    amount: amount as never,
  } as const
  const people = { actorUid: uid, fromUid: uid, toUid: uid, scope: 'within-account', clientOid: '' } as const
  return exchange.refusal({ kind: 'transfer', ...people, ...wallets })
}

function borrow(exchange: Exchange, who: string, amount: string, coin: CoinName): string {
  return exchange.refusal({ kind: 'borrow', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

function takeOutAll(exchange: Exchange, who: string): void {
  for (const coin of coinNames) {
    for (let again = 0; again < 3; again++) {
      const { transferable } = exchange.balance(who, 'crossed_margin', coin)
      if (transferable > 0n) expect(takeOut(exchange, who, coin, transferable)).toBe('accepted')
      const more = exchange.balance(who, 'crossed_margin', coin).transferable + 1n
      if (exchange.balance(who, 'crossed_margin', coin).balance >= more) {
        expect(takeOut(exchange, who, coin, more)).toBe('transferable-exceeded')
      }
    }
  }
}

table(
  'borrow, take out what goes, let the price move, never come back',
  [
    // coin borrowed, amount, BTC price afterwards
    ['USDT', '120000', '44000'],
    ['USDT', '60000', '30000'],
    ['USDT', '20000', '15000'],
    ['ETH', '40', '45000'],
    ['ETH', '20', '30000'],
  ] as const,
  (exchange, coin, amount, price) => {
    traders(exchange, 'bob').join('eve', { funds: { crossed_margin: '1 BTC' } })
    const before = { BTC: '60000', ETH: '3000', SOL: '100' }
    const own = worth(exchange, 'eve', before)
    expect(borrow(exchange, 'eve', amount, coin)).toBe('accepted')
    takeOutAll(exchange, 'eve')
    const { level } = exchange.query({ kind: 'margin-wallet', uid: exchange.uid('eve'), interface: 'v2' })
    expect(level ?? units('20000')).toBeGreaterThan(units('14000')) // 1.4999 and more, in 1e-12
    expect(worth(exchange, 'eve', before)).toBeLessThan(own) // the first hour is paid

    exchange.prices({ BTC: price })
    const after = { ...before, BTC: price }
    expect(worth(exchange, 'eve', after)).toBeLessThanOrEqual(units('1') * units(price))
    expect(exchange.house('insurance', 'BTC')).not.toMatch(/^-/)
  },
)

scenario('borrowing round and round buys no more than the leverage allows', (exchange) => {
  traders(exchange, 'bob').join('eve', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  exchange.given('bob: sell 100 @ 60000')
  const start = { BTC: '60000' }
  for (let round = 0; round < 30; round++) {
    exchange.place('eve: buy 0.05 on-margin @ 60000')
    takeOutAll(exchange, 'eve')
  }
  const { principal } = exchange.balance('eve', 'crossed_margin', 'USDT')
  expect(principal).toBeLessThanOrEqual(units('20000'))
  expect(worth(exchange, 'eve', start)).toBeLessThan(units('10000') * units('1'))
})

scenario('placing and cancelling leaves less than before, and no interest is escaped', (exchange) => {
  exchange.join('eve', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  let last = worth(exchange, 'eve', {})
  for (let round = 0; round < 50; round++) {
    exchange.given(`eve: buy 0.4 on-margin oid:o${round} @ 60000`)
    exchange.wait(round % 7 === 0 ? hourMs : 0)
    exchange.cancel('eve', `o${round}`)
    const now = worth(exchange, 'eve', {})
    expect(now).toBeLessThan(last)
    last = now
  }
})

scenario('repaying a moment before the hour and borrowing again costs a whole hour each time', (exchange) => {
  exchange.join('eve', { funds: { crossed_margin: '10000 USDT' } })
  const usdt = { uid: exchange.uid('eve'), coin: coinId('USDT') }
  for (let hour = 0; hour < 24; hour++) {
    exchange.must({ kind: 'borrow', ...usdt, amount: units('1000') })
    exchange.wait(hourMs - 10)
    exchange.must({ kind: 'repay', ...usdt, amount: units('1000.005') })
  }
  expect(exchange.balance('eve', 'crossed_margin', 'USDT').balance).toBe(units('9999.88')) // 24 × 0.005
})

scenario('dust is rounded against the borrower', (exchange) => {
  exchange.join('eve', { funds: { crossed_margin: '1 USDT' } })
  const usdt = { uid: exchange.uid('eve'), coin: coinId('USDT') }
  let last = exchange.balance('eve', 'crossed_margin', 'USDT')
  for (let round = 0; round < 20; round++) {
    exchange.must({ kind: 'borrow', ...usdt, amount: 1n as never })
    exchange.must({ kind: 'repay', ...usdt, amount: 2n as never })
    const now = exchange.balance('eve', 'crossed_margin', 'USDT')
    expect(now.balance).toBe(last.balance - 1n)
    last = now
  }
})

scenario('liquidation against a friend costs the one who is liquidated, not the house', (exchange) => {
  traders(exchange, 'bob').join('eve', { funds: { crossed_margin: '1 BTC' } })
  exchange.join('mallory', { funds: { spot: '1000000 USDT' } }).market = 'BTC/USDT'
  expect(borrow(exchange, 'eve', '100000', 'USDT')).toBe('accepted')
  const insured = units(exchange.house('insurance', 'USDT'))
  exchange.given('mallory: buy 1 @ 9600') // 4 % below the index to come, within the band
  exchange.prices({ BTC: '20000' }).prices({ BTC: '10000' }) // 110,000 over 100,000.5
  expect(exchange.debt('eve', 'crossed_margin', 'USDT')).toBe('0 + 0')
  expect(units(exchange.house('insurance', 'USDT')) - insured).toBe(units('192'))
  const out = worth(exchange, 'eve', { BTC: '10000' }) + worth(exchange, 'mallory', { BTC: '10000' })
  expect(out).toBeLessThan(units('1010000') * units('1'))
})

scenario('an account cannot change its mode to leave a debt behind', (exchange) => {
  exchange.join('eve', { funds: { crossed_margin: '1 BTC' } })
  borrow(exchange, 'eve', '1000', 'USDT')
  expect(exchange.refusal({ kind: 'set-account-mode', uid: exchange.uid('eve'), mode: 'unified' })).toBe(
    'account-not-flat',
  )
})
