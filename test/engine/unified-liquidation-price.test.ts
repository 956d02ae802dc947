/**
 * The mark at which a unified account is liquidated: at what is shown it stands, a tick beyond it is liquidated.
 * The coin of the contract moves along, as collateral and as debt.
 * Source  risk-engine.md §16
 */
import { expect } from 'vitest'
import { coinId } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

// SOL stands at 100, in ticks and lots of 1.
table(
  'the shown price is the last one at which the account stands',
  `
    funds              | position | shown
    100 USDT           | long 10  | some
    100 USDT           | short 10 | some
    300 USDT           | long 10  | some
    300 USDT           | short 10 | some
    2 SOL              | long 10  | some
    50 USDT, 1 SOL     | long 10  | some
    500 USDT, 3 SOL    | short 20 | some
    1000 USDT          | long 100 | some
    // Nothing that the price does takes it away
    2000 USDT          | long 10  | none
    10 SOL             | short 5  | none
  `,
  (exchange, { funds, position, shown }) => {
    traders(exchange, 'bob', 'carol').join('ann', { mode: 'unified', funds: { uta: funds } })
    const [side, quantity] = position.split(' ')
    const long = side === 'long'
    exchange.given(`bob: ${long ? 'sell' : 'buy'} ${quantity} @ 100`, `ann: ${long ? 'buy' : 'sell'} ${quantity} @ 100`)
    const { liquidationPrice } = exchange.position('ann')
    expect(liquidationPrice === 0 ? 'none' : 'some').toBe(shown)
    if (liquidationPrice === 0) return
    exchange.leap({ SOL: String(liquidationPrice) })
    expect(exchange.holds('ann')).toBe(position)
    expect(exchange.position('ann').liquidationPrice).toBe(liquidationPrice)
    exchange.prices({ SOL: String(liquidationPrice + (long ? -1 : 1)) })
    expect(exchange.holds('ann')).not.toBe(position)
  },
)

// Nobody is liquidated while USDT is in doubt, so an account may be asked for its price beyond it.
table(
  'it is the same whatever the mark, also where the account no longer stands',
  `
    funds           | position
    100 USDT        | long 10
    100 USDT        | short 10
    300 USDT        | long 10
    300 USDT        | short 10
    2 SOL           | long 10
    50 USDT, 1 SOL  | long 10
    500 USDT, 3 SOL | short 20
    1000 USDT       | long 100
  `,
  (exchange, { funds, position }) => {
    traders(exchange, 'bob', 'carol').join('ann', { mode: 'unified', funds: { uta: funds } })
    const [side, quantity] = position.split(' ')
    const long = side === 'long'
    exchange.given(`bob: ${long ? 'sell' : 'buy'} ${quantity} @ 100`, `ann: ${long ? 'buy' : 'sell'} ${quantity} @ 100`)
    const shown = exchange.position('ann').liquidationPrice
    exchange.doubted({})
    for (const mark of [shown, shown + 1, shown - 1, shown + 7, shown - 7, shown + 40]) {
      exchange.leap({ SOL: String(mark) })
      expect(exchange.query({ kind: 'prices', instrument: exchange.instrument().id }).markPrice).toBe(mark)
      expect(exchange.position('ann').liquidationPrice, `at ${mark}`).toBe(shown)
      expect(exchange.holds('ann')).toBe(position)
    }
  },
)

scenario('who owes more than the whole price of what was sold brings in stands at no mark', (exchange) => {
  traders(exchange, 'bob', 'carol').join('ann', { mode: 'unified', funds: { uta: '2000 USDT' } })
  exchange.given('bob: buy 5 @ 100', 'ann: sell 5 @ 100')
  exchange.must({ kind: 'borrow', uid: exchange.uid('ann'), coin: coinId('BTC'), amount: units('0.02') })
  exchange.given('bob: buy 0.01 BTC/USDT @ 60000', 'ann: sell 0.01 BTC/USDT @ 60000')
  expect(exchange.position('ann').liquidationPrice).toBeGreaterThan(100)
  // The 0.01 BTC that are missing are 5,000 now; 2,600 are there, and the short brings in 500 at most. In doubt, nobody is liquidated
  exchange.doubted({})
  exchange.leap({ BTC: '500000' })
  expect(exchange.position('ann').liquidationPrice).toBe(0)
})
