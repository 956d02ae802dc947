/**
 * What was tried against the house and must not work: collateral that is pledged twice, orders that outlive their margin,
 * marks that are traded up, and accounts that nobody looks at.
 *
 * Source  risk-engine.md §11, §12, §14, §16, §20
 */
import { expect } from 'vitest'
import type { Ticks } from '../../src/engine/numbers/numbers.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

function lever(exchange: Exchange, name: string, leverage: number, version: 'v2' | 'v3' = 'v2'): void {
  const terms = { interface: version, positionSide: undefined, marginMode: undefined, leverage } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(name), instrument: exchange.instrument().id, ...terms })
}

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

scenario('a halted contract that trades again is looked at', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  lever(exchange, 'alice', 50)
  exchange.given('bob: sell 5 @ 60000', 'alice: buy 5 @ 60000')
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  const contract = { kind: 'set-instrument', instrument: instrumentId('BTCUSDT'), ...same } as const
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
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), status: 'halted', ...same })
  exchange.prices({ BTC: '58000' })
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a contract that is frozen sets no timers for those who wait in it', (exchange) => {
  traders(exchange, 'bob', 'alice').market = 'BTCUSDT'
  exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 @ 60000')
  exchange.prices({ BTC: '600000' })
  const same = {
    status: undefined,
    tiers: undefined,
    makerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId('BTCUSDT'), takerFeeRate: share('0.0007'), ...same })
  for (let step = 0; step < 10; step++) exchange.wait(1).runTimers()
  expect(exchange.nextTimerAt() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(exchange.at + 1)
})
