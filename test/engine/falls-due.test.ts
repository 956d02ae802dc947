/** What time alone would do by a later moment, and that it does just that when the moment comes. Source  design §4.44 */
import { expect } from 'vitest'
import { coinId, dayMs, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import { traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

table(
  'interest of 100,000 USDT at 0.012 % a day, after the hour that it began with',
  [
    // later by           hours  interest
    [hourMs - secondMs, 0, '0'],
    [hourMs, 1, '0.5'],
    [dayMs, 24, '12'],
    [365 * dayMs, 8760, '4380'],
  ] as const,
  (exchange, laterMs, hours, interest) => {
    exchange.join('alice', { funds: { crossed_margin: '10 BTC' } })
    exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: coinId('USDT'), amount: units('100000') })
    const by = exchange.at + laterMs
    const found = exchange.query({ kind: 'falls-due', by })
    expect(found.interestHours).toBe(hours)
    expect(found.interest.map(({ coin, units: owed }) => [coin, coins(owed)])).toEqual(
      hours === 0 ? [] : [[coinId('USDT'), interest]],
    )
    if (laterMs > dayMs) return
    const before = exchange.balance('alice', 'crossed_margin', 'USDT').interest
    exchange.wait(laterMs - 1).runTimers()
    expect(coins(exchange.balance('alice', 'crossed_margin', 'USDT').interest - before)).toBe(interest)
  },
)

scenario('funding of each contract whose time comes, and countdowns that run out', (exchange) => {
  unifieds(traders(exchange, 'ben'), 'dan')
  const countdown = { kind: 'set-countdown', uid: exchange.uid('dan'), ms: 5 * secondMs } as const
  exchange.must(countdown)
  const soon = exchange.query({ kind: 'falls-due', by: exchange.at + 5 * secondMs })
  expect(soon).toEqual({ interestHours: 0, interest: [], funding: [], countdowns: 1 })
  const later = exchange.query({ kind: 'falls-due', by: exchange.at + dayMs })
  expect(later.countdowns).toBe(1)
  expect(later.funding).toContain(instrumentId('BTCUSDT'))
  expect(new Set(later.funding).size).toBe(later.funding.length)
})

scenario('coins whose index is in doubt, and what is halted for it', (exchange) => {
  expect(exchange.query({ kind: 'index-halts' })).toEqual({ coins: [], instruments: [] })
  exchange.prices({ SOL: '900' })
  expect(exchange.query({ kind: 'index-halts' })).toEqual({
    coins: [{ coin: coinId('SOL'), cause: 'suspect' }],
    instruments: [instrumentId('SOL/USDT'), instrumentId('SOLUSDT')],
  })
})
