/**
 * What each pool of collateral has and needs, and that at a ratio of one it is liquidated.
 * Source  risk-engine.md §5, §6, §16, §17; docs/operations.md, operator calls (`accounts show`)
 */
import { expect } from 'vitest'
import { formatDecimal } from '../../src/engine/numbers/numbers.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

/** Each pool as `wallet: maintenance of equity, ratio`. */
function pools(exchange: Exchange, name = 'alice'): string[] {
  return exchange
    .query({ kind: 'margin-pools', uid: exchange.uid(name) })
    .map(({ wallet, maintenance, equity, ratio }) => {
      return `${wallet}: ${coins(maintenance)} of ${coins(equity)}, ${formatDecimal(ratio, 12)}`
    })
}

/** A long of half a bitcoin at 60,000: a fee of 18, and 0.46 % of 30,000 are needed. */
function longHalf(exchange: Exchange, mode: 'classic' | 'unified', margin = ''): Exchange {
  const wallet = mode === 'unified' ? 'uta' : 'usdt_futures'
  traders(exchange, 'bob').join('alice', { mode, funds: { [wallet]: '1618 USDT' } }).market = 'BTCUSDT'
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units('1000000') })
  const lever = { positionSide: undefined, marginMode: undefined, leverage: 50 } as const
  const version = mode === 'unified' ? 'v3' : 'v2'
  const of = { uid: exchange.uid('alice'), instrument: instrumentId('BTCUSDT') }
  exchange.must({ kind: 'set-leverage', ...of, interface: version, ...lever })
  return exchange.given('bob: sell 0.5 @ 60000', `alice: buy 0.5${margin} @ 60000`)
}

scenario('a cross margin account of futures, in its coin', (exchange) => {
  longHalf(exchange, 'classic')
  expect(pools(exchange)).toEqual(['usdt_futures: 138 of 1600, 0.08625'])
  expect(exchange.query({ kind: 'margin-pools', uid: exchange.uid('alice') })).toMatchObject([
    { coin: coinId('USDT'), instrument: undefined, side: undefined, halted: false },
  ])
  expect(pools(exchange, 'bob')).toHaveLength(1)
})

scenario('an isolated position has its margin alone', (exchange) => {
  longHalf(exchange, 'classic', ' isolated')
  expect(pools(exchange)).toEqual(['usdt_futures: 138 of 600, 0.23'])
  expect(exchange.query({ kind: 'margin-pools', uid: exchange.uid('alice') })).toMatchObject([
    { instrument: instrumentId('BTCUSDT'), side: 'long' },
  ])
})

scenario('a unified account, in USD', (exchange) => {
  longHalf(exchange, 'unified')
  expect(pools(exchange)).toEqual(['uta: 138 of 1600, 0.08625'])
  expect(exchange.query({ kind: 'margin-pools', uid: exchange.uid('alice') })[0]?.coin).toBeUndefined()
})

scenario('cross margin with debt needs its debt times the level of liquidation', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '10 BTC' } })
  expect(pools(exchange)).toEqual([])
  exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: coinId('USDT'), amount: units('100000') })
  // Interest of the first hour is owed at once.
  expect(pools(exchange)).toEqual(['crossed_margin: 110000.55 of 700000, 0.157143642858'])
})

scenario('the ratio grows as the mark comes nearer, and what reaches one is gone', (exchange) => {
  longHalf(exchange, 'classic')
  exchange.prices({ BTC: '57100' }).wait(2000).runTimers()
  // 0.46 % of 28,550, and 1,450 have been lost.
  expect(pools(exchange)).toEqual(['usdt_futures: 131.33 of 150, 0.87553334'])
  exchange.prices({ BTC: '57060' }).wait(2000).runTimers()
  expect(pools(exchange)).toEqual([])
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('one whose index is in doubt is not liquidated, and says so', (exchange) => {
  traders(exchange, 'bob', 'alice').market = 'SOLUSDT'
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.prices({ SOL: '900' })
  expect(exchange.query({ kind: 'margin-pools', uid: exchange.uid('alice') })).toMatchObject([{ halted: true }])
})
