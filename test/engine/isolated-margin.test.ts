/**
 * Isolated positions: margin taken at the fill, released as they close, lost at most.
 * Source  risk-engine §5, §10 (fees are charged to the wallet)
 */
import { expect } from 'vitest'
import { amend, replace } from './support/amending.ts'
import { coinId, type Exchange } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function wallet(exchange: Exchange, who = 'alice'): string {
  return exchange.wallet(who, 'usdt_futures', 'USDT')
}

scenario('the margin moves from the wallet to the position and back, the fee does not', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  expect(wallet(exchange)).toBe('482') // 2,000 − 1,500 − 18
  expect(exchange.position('alice')).toMatchObject({ marginMode: 'isolated', leverage: 20, margin: 150_000_000_000n })
  expect(exchange.house('isolatedMargin', 'USDT')).toBe('1500')
  // 0.2 of 0.5 at a profit of 1,000: 600 of margin and 200 of profit come back, less a fee of 7.32
  exchange.given('bob: buy 0.2 @ 61000', 'alice: sell 0.2 @ 61000')
  expect(wallet(exchange)).toBe('1274.68')
  expect(coins(exchange.position('alice').margin)).toBe('900')
  exchange.given('bob: buy 0.3 @ 61000', 'alice: sell 0.3 @ 61000')
  expect(wallet(exchange)).toBe('2463.7')
  expect(exchange.house('isolatedMargin', 'USDT')).toBe('0')
})

scenario('initial margin is rounded up', (exchange) => {
  traders(exchange, 'alice', 'bob')
  const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 3 } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: exchange.instrument().id, ...lever })
  exchange.given('alice: buy 1 isolated @ 100')
  expect(coins(exchange.balance('alice', 'usdt_futures', 'USDT').held)).toBe('33.39333334')
  exchange.given('bob: sell 1 @ 100')
  expect(coins(exchange.position('alice').margin)).toBe('33.33333334')
})

scenario('margin released in parts is rounded down, the last part takes all', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } })
  exchange.prices({ SOL: '101' }).given('bob: sell 7 @ 101', 'alice: buy 7 isolated @ 101') // margin 35.35
  exchange.given('bob: buy 3 @ 101', 'alice: sell 3 @ 101')
  expect(coins(exchange.position('alice').margin)).toBe('20.2')
  exchange.given('bob: buy 3 @ 101', 'alice: sell 3 @ 101')
  expect(coins(exchange.position('alice').margin)).toBe('5.05')
})

scenario('what an isolated position carries stands outside what the wallet has available', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.prices({ BTC: '58000' })
  const asset = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(asset.crossMaxAvailable)).toBe('482')
  expect(coins(asset.isolatedMargin)).toBe('1500')
  expect(coins(asset.isolatedUnrealizedPnl)).toBe('-1000')
  expect(coins(asset.equity)).toBe('982')
  // risk-engine §5: equity 500, maintenance 133.4
  expect(exchange.position('alice').marginRatio).toBe(266_800_000_000n)
})

scenario('a close beyond bankruptcy costs the margin and nothing of the wallet; the fund pays the rest', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: 3, amount: 100_000_000_000n as never })
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.doubted({ BTC: '55000' }) // A loss of 2,500 on a margin of 1,500
  exchange.given('bob: buy 0.5 reduce-only @ 55000', 'alice: sell 0.5 reduce-only @ 55000')
  expect(wallet(exchange)).toBe('465.5') // 482 − a fee of 16.5
  expect(exchange.house('insurance', 'USDT')).toBe('0')
})

table(
  '§5, §11: who would close beyond bankruptcy is refused: an isolated position bears the loss alone, its wallet the fee',
  // funds before a fee of 18, mode, price, outcome; 0.5 from 60,000 with 1,500 behind it: P_bk = 57,034.22…
  `
    funds   | mode     | price   | outcome
    1518    | isolated | 57034.3 | filled 0.5
    1518    | isolated | 57034.2 | refused insufficient-margin
    1518    | isolated | 57000   | refused insufficient-margin
    1535.09 | isolated | 57000   | refused insufficient-margin
    // 17.1 in the wallet, 0.06 % of 28,500
    1535.1  | isolated | 57000   | filled 0.5
    2000    | isolated | 56999.9 | refused insufficient-margin
    1518    | cross    | 57034.3 | filled 0.5
    1518    | cross    | 57034.2 | refused insufficient-margin
  `,
  (exchange, { funds, mode, price, outcome }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${funds} USDT` } }).market = 'BTCUSDT'
    exchange.given('bob: sell 0.5 @ 60000', `alice: buy 0.5 ${mode} @ 60000`, `bob: buy 0.5 @ ${price}`)
    expect(exchange.place(`alice: sell 0.5 reduce-only @ ${price}`)).toBe(outcome)
    expect(exchange.house('insurance', 'USDT')).toBe('0')
  },
)

scenario('a resting close whose fee nobody can pay any more is removed before it fills', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1535.1 USDT' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000', 'alice: sell 0.5 reduce-only @ 57000')
  const usdt = coinId('USDT')
  exchange.must({
    kind: 'withdraw',
    uid: exchange.uid('alice'),
    wallet: 'usdt_futures',
    coin: usdt,
    amount: units('17.1'),
  })
  expect(exchange.place('bob: buy 0.5 @ 57000')).toBe("canceled alice's sell 0.5 @ 57000, rests 0.5")
  expect(exchange.house('insurance', 'USDT')).toBe('0')
})

scenario('a flip closes with its margin and opens with new margin', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.2 @ 60000', 'alice: buy 0.2 isolated @ 60000')
  exchange.given('bob: buy 0.5 @ 60000', 'alice: sell 0.5 @ 60000')
  expect(exchange.holds('alice')).toBe('short 0.3')
  expect(coins(exchange.position('alice').margin)).toBe('900')
  expect(wallet(exchange)).toBe('1074.8') // 2,000 − 7.2 − 18 − 900
})

table(
  'an order may name the margin mode of a contract that is not in use, and only repeat it otherwise',
  `
    first                          | second                               | outcome
    alice: buy 1 isolated @ 90     | alice: buy 1 isolated @ 91           | rests 1
    alice: buy 1 isolated @ 90     | alice: buy 1 @ 91                    | rests 1
    alice: buy 1 isolated @ 90     | alice: buy 1 cross @ 91              | refused margin-mode-in-use
    alice: buy 1 cross @ 90        | alice: buy 1 isolated @ 91           | refused margin-mode-in-use
    alice: buy 1 isolated ioc @ 90 | alice: buy 1 cross @ 91              | rests 1
    alice: buy 1 isolated @ 100    | alice: sell 1 cross reduce-only @ 91 | refused margin-mode-in-use
  `,
  (exchange, { first, second, outcome }) => {
    traders(exchange, 'alice', 'bob').given('bob: sell 1 @ 100', first)
    expect(exchange.place(second)).toBe(outcome)
  },
)

scenario('the mode of an order that came to nothing stays', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 1 isolated ioc @ 90')
  const ask = { kind: 'symbol-settings', uid: exchange.uid('alice'), interface: 'v2' } as const
  expect(exchange.query({ ...ask, instrument: exchange.instrument().id })).toMatchObject([{ marginMode: 'isolated' }])
})

table(
  'a sell that meets dearer bids takes their margin from the wallet; what the order in whose place it comes held is free',
  // Held: 60.72 for 10 at 120, 30.36 for 5. Taken at 110: 55 of margin and 0.66 of fee; 25.3 of that have to be free
  `
    change  | funds  | outcome
    amend   | 116.38 | filled 10
    amend   | 116.37 | refused insufficient-margin
    replace | 116.38 | filled 10
    replace | 116.37 | refused insufficient-margin
  `,
  (exchange, { change, funds, outcome }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${funds} USDT` } })
    exchange.given('bob: buy 10 @ 110', 'alice: sell 10 isolated @ 120', 'alice: sell 5 isolated oid:mine @ 120')
    const way = change === 'amend' ? amend : replace
    expect(way(exchange, 'alice', 'mine', '10 @ 100')).toBe(outcome)
  },
)

scenario('both sides of a hedge have their own margin and leverage', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob')
  const lever = (leverage: number, positionSide: 'long' | 'short') =>
    exchange.must({
      kind: 'set-leverage',
      uid: exchange.uid('alice'),
      interface: 'v2',
      instrument: exchange.instrument().id,
      leverage,
      positionSide,
      marginMode: 'isolated',
    })
  lever(10, 'long')
  lever(50, 'short')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 open isolated @ 100')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 open isolated @ 100')
  expect(coins(exchange.position('alice', 'SOLUSDT', 'long').margin)).toBe('100')
  expect(coins(exchange.position('alice', 'SOLUSDT', 'short').margin)).toBe('20')
  expect(exchange.position('alice', 'SOLUSDT', 'short').leverage).toBe(50)
})

scenario('cross losses beyond the wallet are the insurance fund’s; the wallet ends at zero', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '60 USDT' } })
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: 3, amount: units('150') })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100').doubted({ SOL: '80' })
  exchange.given('bob: buy 10 reduce-only @ 80', 'alice: sell 10 reduce-only @ 80')
  expect(wallet(exchange)).toBe('0')
  // 200 of loss and 0.48 of fee against 59.4
  expect(exchange.house('insurance', 'USDT')).toBe('8.92')
})

scenario('risk-engine §16: a unified wallet borrows what its futures lost', (exchange) => {
  traders(exchange, 'bob').join('alice', { mode: 'unified', funds: { uta: '60 USDT, 1 BTC' } })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100').prices({ SOL: '80' })
  exchange.given('bob: buy 10 @ 80', 'alice: sell 10 @ 80')
  expect(exchange.wallet('alice', 'uta', 'USDT')).toBe('0')
  expect(exchange.balance('alice', 'uta', 'USDT').principal).toBe(14_108_000_000n)
  expect(exchange.house('insurance', 'USDT')).toBe('0')
})

table(
  'risk-engine §5: a liquidation price at which the position is worth exactly where a tier ends, and beside it',
  // 4 BTC at 52,000 and 25x: 8,320 of margin and what is added. At 50,000 they are worth the 200,000 at which the second
  // tier begins: a loss of 8,000 leaves 920, which is 200,000 × 0.46 %
  `
    added | liquidation
    600.4 | 49999.9
    600   | 50000
    599.6 | 50000.2
    0     | 50150.9
  `,
  (exchange, { added, liquidation }) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
    const { id } = exchange.instrument()
    const asked = { uid: exchange.uid('alice'), interface: 'v2', instrument: id, positionSide: undefined } as const
    exchange.must({ kind: 'set-leverage', ...asked, leverage: 25, marginMode: 'isolated' })
    exchange.given('bob: sell 4 @ 52000', 'alice: buy 4 isolated @ 52000')
    if (added !== '0') exchange.must({ kind: 'set-position-margin', ...asked, amount: units(added) })
    expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe(liquidation)
  },
)
