/**
 * Who is liquidated first when one price breaches several: the worst of them, and of equals who joined first. Then what a
 * debtor's assets are sold by way of.
 * Source  risk-engine.md §14 (order), §17; docs/risk.md, How a liquidation goes; docs/interface.md
 */
import { expect } from 'vitest'
import { coinId, type Exchange, marketOf } from './support/exchange.ts'
import { units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function insure(exchange: Exchange, amount: string, coin: CoinName): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(coin), amount: units(amount) })
}

/** Names in the order in which they lost something to a liquidation, each once; not the insurance fund, which takes it. */
function sequence(exchange: Exchange): string[] {
  const names = exchange.applied
    .flatMap(({ events }) => events)
    .flatMap((event) => {
      if (event.kind === 'margin-liquidation') return [exchange.name(event.uid)]
      if (event.kind === 'order-ended' && event.order.cause === 'liquidation') return [exchange.name(event.order.uid)]
      return []
    })
  return [...new Set(names)].filter((name) => /^[a-z]/.test(name))
}

// All that is at 60,000 has paid 36 of fees for each BTC. Maintenance with the closing fee is 0.46 % of the value.
table(
  'risk-engine §14: worst maintenance over equity first, then who joined first',
  `
    annFunds | ann | benFunds | ben | price | order
    // Ratios of 1.2 and 2, of 1.5 and 2, of 2 and 1.2, and the same
    650.9    | 0.2 | 6334     | 2   | 57000 | ben, ann
    6422     | 2   | 633.2    | 0.2 | 57000 | ben, ann
    6334     | 2   | 650.9    | 0.2 | 57000 | ann, ben
    633.2    | 0.2 | 633.2    | 0.2 | 57000 | ann, ben
    // Nothing is left of either: who misses more
    650      | 0.2 | 6400     | 2   | 55000 | ben, ann
    6400     | 2   | 650      | 0.2 | 55000 | ann, ben
    // Something is left of one
    640      | 0.2 | 600      | 0.2 | 57000 | ben, ann
  `,
  (exchange, { ann, annFunds, ben, benFunds, price, order }) => {
    traders(exchange, 'dave').market = 'BTCUSDT'
    insure(exchange, '1000000', 'USDT')
    for (const [name, funds, quantity] of [
      ['ann', annFunds, ann],
      ['ben', benFunds, ben],
    ] as const) {
      exchange.join(name, { funds: { usdt_futures: `${funds} USDT` } })
      const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 100 } as const
      const { id } = exchange.instrument()
      exchange.must({ kind: 'set-leverage', uid: exchange.uid(name), instrument: id, ...lever })
      exchange.given(`dave: sell ${quantity} @ 60000`, `${name}: buy ${quantity} @ 60000`)
    }
    exchange.prices({ BTC: price }).wait(2000).runTimers()
    expect(sequence(exchange)).toEqual(order.split(', '))
  },
)

// 0.5 BTC and 10 ETH are worth 30,000 each, with 1,500 of margin.
table(
  'isolated positions of one account: each by itself, the worst first, then by symbol',
  `
    opens            | BTC   | ETH  | order
    BTCUSDT, ETHUSDT | 55000 | 2750 | BTCUSDT, ETHUSDT
    ETHUSDT, BTCUSDT | 55000 | 2750 | BTCUSDT, ETHUSDT
    BTCUSDT, ETHUSDT | 55000 | 2740 | ETHUSDT, BTCUSDT
    ETHUSDT, BTCUSDT | 54800 | 2750 | BTCUSDT, ETHUSDT
    BTCUSDT, ETHUSDT | 55000 | 2950 | BTCUSDT
    BTCUSDT, ETHUSDT | 59000 | 2750 | ETHUSDT
  `,
  (exchange, { opens, BTC, ETH, order }) => {
    traders(exchange, 'ann', 'dave')
    insure(exchange, '1000000', 'USDT')
    const sizes: Readonly<Record<string, string>> = { BTCUSDT: '0.5 BTCUSDT @ 60000', ETHUSDT: '10 ETHUSDT @ 3000' }
    for (const market of opens.split(', ')) {
      exchange.given(`dave: sell ${sizes[market]}`, `ann: buy ${sizes[market]?.replace(' @', ' isolated @')}`)
    }
    exchange.prices({ BTC, ETH }).wait(2000).runTimers()
    const liquidated = exchange.applied
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.kind === 'order-ended' ? [event.order] : []))
      .filter(({ uid, cause }) => uid === exchange.uid('ann') && cause === 'liquidation')
    expect(liquidated.map(({ instrument }) => marketOf(instrument))).toEqual(order.split(', '))
  },
)

// Each keeps what it borrowed beside its BTC: at 3,000 the level of 33,000 is 1.0909…, of 34,000 1.0882…
table(
  'debtors: the lowest level first, then who joined first',
  `
    ann   | ben   | cleo  | order
    33000 | 34000 | 33500 | ben, cleo, ann
    34000 | 33000 | 33500 | ann, cleo, ben
    33000 | 33000 | 34000 | cleo, ann, ben
    33000 | 33000 | 33000 | ann, ben, cleo
    // Of the last the level is 1.1034…
    34000 | 33000 | 29000 | ann, ben
  `,
  (exchange, { order, ...debts }) => {
    insure(exchange, '1000000', 'USDT')
    for (const [name, debt] of Object.entries(debts)) {
      exchange.join(name, { funds: { crossed_margin: '1 BTC' } })
      exchange.must({ kind: 'borrow', uid: exchange.uid(name), coin: coinId('USDT'), amount: units(debt) })
    }
    exchange.leap({ BTC: '3000' }).runTimers()
    expect(sequence(exchange)).toEqual(order.split(', '))
  },
)

table(
  'debtors: the lowest level first, though another one was nearer to its own before',
  `
    ann   | ben   | ETH | BTC  | order
    // 20 ETH and 1 BTC stood at 60,000 each. Levels of 1.097 and 1.0606, and the other way round
    34000 | 33000 | 165 | 2000 | ben, ann
    33000 | 34000 | 100 | 3200 | ann, ben
    // The same level
    33000 | 33000 | 150 | 3000 | ann, ben
    33000 | 34000 | 165 | 3400 | ann, ben
    34000 | 33000 | 170 | 3300 | ann, ben
  `,
  (exchange, { ann, ben, ETH, BTC, order }) => {
    insure(exchange, '1000000', 'USDT')
    exchange.join('ann', { funds: { crossed_margin: '20 ETH' } }).join('ben', { funds: { crossed_margin: '1 BTC' } })
    for (const [name, debt] of Object.entries({ ben, ann })) {
      exchange.must({ kind: 'borrow', uid: exchange.uid(name), coin: coinId('USDT'), amount: units(debt) })
    }
    exchange.leap({ ETH, BTC }).runTimers()
    expect(sequence(exchange)).toEqual(order.split(', '))
  },
)

scenario('§17: what the debt has no pair with is sold for money, and that buys the coin of the debt', (exchange) => {
  traders(exchange, 'bob').join('ann', { funds: { crossed_margin: '10 ETH' } }).market = 'BTC/USDT'
  insure(exchange, '10', 'BTC')
  insure(exchange, '1000000', 'USDT')
  exchange.must({ kind: 'borrow', uid: exchange.uid('ann'), coin: coinId('BTC'), amount: units('0.5') })
  exchange.given('bob: buy 0.5 @ 60000', 'ann: sell 0.5 on-margin @ 60000') // 29,970 USDT
  exchange.given('ann: buy 9 ETH/USDT on-margin @ 3000', 'bob: sell 9 ETH/USDT @ 3000') // 18.991 ETH, 2,970 USDT
  exchange.given('bob: buy 100 ETH/USDT @ 1549', 'bob: sell 1 @ 60100')
  exchange.prices({ ETH: '1550' })
  const orders = exchange.lastEvents.flatMap((event) => {
    if (event.kind !== 'order-ended' || event.order.cause !== 'liquidation') return []
    const { instrument, bookSide, status } = event.order
    return [`${bookSide} ${marketOf(instrument)} ${status}`]
  })
  expect(orders).toEqual(['sell ETH/USDT filled', 'buy BTC/USDT filled'])
  expect(exchange.debt('ann', 'crossed_margin', 'BTC')).toBe('0 + 0')
  expect(exchange.wallet('ann', 'crossed_margin', 'ETH')).toBe('0')
  // The book took all: the fund has what it had in coins.
  expect(exchange.house('insurance', 'ETH')).toBe('0')
  expect(exchange.house('insurance', 'BTC')).toBe('10')
})
