/**
 * Maintenance margin, liquidation and break-even prices: the machine-readable vectors of risk-engine §22, and the edges
 * of §3 and §5 to §9.
 */
import { describe, expect, test } from 'vitest'
import { type FuturesInstrument, type Scale, scaleOf } from '../../src/engine/catalog/catalog.ts'
import { breakEvenPrice, liquidationPrice } from '../../src/engine/margin/liquidation-price.ts'
import { maintenanceMargin, maintenanceRate } from '../../src/engine/margin/maintenance.ts'
import { type Amount, formatDecimal, type Lots, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { textTable } from '../support/text-table.ts'
import { coinId, type Exchange } from './support/exchange.ts'
import { coins, scaled, share, units } from './support/figures.ts'
import { type FuturesRecord, type MarketName, markets } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario } from './support/table.ts'

interface Contract {
  readonly instrument: FuturesInstrument
  readonly scale: Scale
}

function contract(market: MarketName): Contract {
  const instrument = { ...(markets[market] as FuturesRecord), id: 0, listedAt: 0 } as FuturesInstrument
  return { instrument, scale: scaleOf(instrument) }
}

function lots({ instrument }: Contract, quantity: string): number {
  return Number(scaled(quantity, instrument.quantityDecimals))
}

function priceText({ instrument }: Contract, ticks: number): string {
  return formatDecimal(ticks, instrument.priceDecimals)
}

/** Signed entry flow of a position: linear −s·q·E, inverse s·N/E. */
function flow(side: number, quantity: string, entry: string, inverse: boolean): bigint {
  const q = scaled(quantity, 8)
  const e = scaled(entry, 8)
  return inverse ? (BigInt(side) * q * 100_000_000n) / e : (-BigInt(side) * q * e) / 100_000_000n
}

const btc = contract('BTCUSDT')
const inverse = contract('BTCUSD')

describe('maintenance margin', () => {
  const at = (value: string) => {
    // lots of 0.0001 at a price of 10,000 are worth one each
    const quantity = Number(scaled(value, 0)) as Lots
    return coins(maintenanceMargin(btc.instrument, btc.scale, quantity, 100_000 as Ticks))
  }

  test.each([
    ['330000', '1648'],
    ['2400000', '20240'],
    ['1', '0.0046'],
    ['199999', '919.9954'],
    ['200000', '920'],
    ['200001', '920.0056'],
    ['1000000', '5400'],
    ['5000000', '47800'],
    ['30000000', '562800'], // beyond the last tier at its rate
  ])('of a value of %s is %s', (value, margin) => {
    expect(at(value)).toBe(margin)
  })

  test.each([
    ['199999', '0.004'],
    ['200000', '0.005'],
    ['1000000', '0.01'],
    ['30000000', '0.02'],
  ])('the rate of a value of %s is %s', (value, rate) => {
    expect(maintenanceRate(btc.instrument, units(value))).toBe(share(rate))
  })

  test('of inverse contracts: tiers by USD, in coin, rounded up', () => {
    const at60000 = (contracts: number) =>
      coins(maintenanceMargin(inverse.instrument, inverse.scale, contracts as Lots, 600_000 as Ticks))
    expect(at60000(30_000)).toBe('0.0023')
    expect(at60000(300_000)).toBe('0.02466667') // (300,000 × 0.56 % − 200) / 60,000
  })
})

describe('liquidation price of an isolated linear position', () => {
  test.each([
    [1, '0.5', '60000', '1500', '57263.5'],
    [-1, '0.5', '60000', '1500', '62711.5'],
    [1, '6', '60000', '36000', '54270.6'],
    [-1, '6', '60000', '36000', '65665.6'],
    [1, '0.5', '60000', '1800', '56660.7'],
    [1, '0.5', '60000', '30000', '0'],
  ])('%s × %s at %s with margin %s is %s', (side, quantity, entry, margin, shown) => {
    const book = {
      collateral: units(margin),
      entryValue: flow(side, quantity, entry, false),
      long: side === 1 ? lots(btc, quantity) : 0,
      short: side === 1 ? 0 : lots(btc, quantity),
    }
    expect(priceText(btc, liquidationPrice(btc.instrument, btc.scale, book))).toBe(shown)
  })
})

describe('liquidation price of inverse positions', () => {
  test.each([
    [1, '30000', '60000', '0.05', '54796.4'],
    [-1, '30000', '60000', '0.05', '66360'],
    [1, '300000', '60000', '0.5', '54814.6'],
    [-1, '300000', '60000', '0.5', '66337.7'],
    [1, '30000', '60000', '0.08', '51962.1'],
    [-1, '30000', '60000', '0.5', '0'],
    [-1, '30000', '60000', '0.6', '0'],
  ])('%s × %s at %s with %s is %s', (side, contracts, entry, collateral, shown) => {
    const book = {
      collateral: units(collateral),
      entryValue: flow(side, contracts, entry, true),
      long: side === 1 ? Number(contracts) : 0,
      short: side === 1 ? 0 : Number(contracts),
    }
    expect(priceText(inverse, liquidationPrice(inverse.instrument, inverse.scale, book))).toBe(shown)
  })
})

describe('liquidation price in hedge mode: the larger side counts', () => {
  test.each([
    ['2000', ['0.8', '60000'], ['0.3', '61000'], '55810.8'],
    // equal sides are locked: only maintenance grows with the price, and the root lies in tier 2
    ['900', ['0.5', '60000'], ['0.5', '60200'], '428571.4'],
    ['100000', ['0.8', '60000'], ['0.3', '61000'], '0'],
  ] as const)('wallet %s, long %s, short %s is %s', (wallet, long, short, shown) => {
    const book = {
      collateral: units(wallet),
      entryValue: flow(1, long[0], long[1], false) + flow(-1, short[0], short[1], false),
      long: lots(btc, long[0]),
      short: lots(btc, short[0]),
    }
    expect(priceText(btc, liquidationPrice(btc.instrument, btc.scale, book))).toBe(shown)
  })
})

describe('at the liquidation price equity is still above maintenance, one tick on it is not', () => {
  const cases = [1, -1].flatMap((side) =>
    ['0.0123', '0.5', '3.3', '6', '17', '90'].flatMap((quantity) =>
      [3, 10, 20, 50].map((leverage) => [side, quantity, leverage] as const),
    ),
  )
  test.each(cases)('side %s, %s BTC, %sx', (side, quantity, leverage) => {
    const entry = '60012.3'
    const q = lots(btc, quantity) as Lots
    const value = -flow(1, quantity, entry, false)
    const collateral = value / BigInt(leverage)
    const own = flow(side, quantity, entry, false)
    const price = liquidationPrice(btc.instrument, btc.scale, {
      collateral,
      entryValue: own,
      long: side === 1 ? q : 0,
      short: side === 1 ? 0 : q,
    })
    expect(price).toBeGreaterThan(0)
    const equity = (ticks: number) => collateral + own + BigInt(side) * BigInt(q) * BigInt(ticks) * btc.scale.unit
    const maintenance = (ticks: number) => maintenanceMargin(btc.instrument, btc.scale, q, ticks as Ticks)
    // Shown at the earlier tick: rounded up for a long, down for a short.
    const later = price - side
    expect(equity(price) >= maintenance(price) - 1n).toBe(true)
    expect(equity(later) <= maintenance(later)).toBe(true)
  })
})

describe('break-even price', () => {
  const cases = textTable(`
    market  | side | quantity | entry | fees   | funding        | shown
    BTCUSDT | 1    | 0.5      | 60000 | 18     | -9             | 60090.1
    BTCUSDT | -1   | 0.5      | 60000 | 18     | 9              | 59946
    BTCUSD  | 1    | 30000    | 60000 | 0.0003 | 0              | 60072.1
    BTCUSD  | -1   | 30000    | 60000 | 0.0003 | 0              | 59928
    // The first and the last price that there is, and none beyond
    BTCUSDT | 1    | 0.5      | 60000 | 0      | 29999.95003    | 0.1
    BTCUSDT | 1    | 0.5      | 60000 | 0      | 29999.95002    | 0.2
    BTCUSDT | 1    | 0.5      | 60000 | 0      | 30000          | 0
    BTCUSDT | 1    | 0.5      | 60000 | 0      | 40000          | 0
    BTCUSDT | -1   | 0.5      | 60000 | 0      | -29999.94      | 0.1
    BTCUSDT | -1   | 0.5      | 60000 | 0      | -29999.96      | 0
    BTCUSDT | -1   | 0.5      | 60000 | 0      | 53689303.40469 | 107374182.3
    BTCUSDT | -1   | 0.5      | 60000 | 0      | 53689303.45472 | 0
  `)

  test.each(cases)('$market: $side × $quantity at $entry, fees $fees, funding $funding is $shown', (row) => {
    const { market, quantity, entry, fees, funding, shown } = row
    const of = contract(market as MarketName)
    const side = row.side === '1' ? 1 : -1
    const position = {
      long: side === 1,
      quantity: lots(of, quantity) as Lots,
      entryValue: flow(side, quantity, entry, of.scale.inverse) as Amount,
      fees: units(fees),
      funding: units(funding),
    }
    expect(priceText(of, breakEvenPrice(of.instrument, of.scale, position))).toBe(shown)
  })
})

// The same through the exchange

function withdrawDownTo(
  exchange: Exchange,
  wallet: 'usdt_futures' | 'coin_futures',
  coin: 'USDT' | 'BTC',
  left: string,
): void {
  const { balance } = exchange.balance('alice', wallet, coin)
  const amount = (balance - units(left)) as Amount
  exchange.must({ kind: 'withdraw', uid: exchange.uid('alice'), wallet, coin: coinId(coin), amount })
}

scenario('cross hedge: both positions show the price at which the book goes', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').market = 'BTCUSDT'
  exchange.prices({ BTC: '61000' })
  exchange.given(
    'bob: sell 0.8 @ 60000',
    'alice: buy 0.8 open @ 60000',
    'bob: buy 0.3 @ 61000',
    'alice: sell 0.3 open @ 61000',
  )
  const lever = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage: 100 } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: exchange.instrument().id, ...lever })
  withdrawDownTo(exchange, 'usdt_futures', 'USDT', '2000')
  for (const side of ['long', 'short'] as const) {
    expect(exchange.price(exchange.position('alice', 'BTCUSDT', side).liquidationPrice)).toBe('55810.8')
  }
})

scenario('inverse cross: W 0.08 behind a long of 30,000', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  exchange.given('bob: sell 30000 @ 60000', 'alice: buy 30000 @ 60000')
  withdrawDownTo(exchange, 'coin_futures', 'BTC', '0.08')
  expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe('51962.1')
})

scenario('isolated: the wallet behind the position does not matter', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe('57263.5')
  expect(exchange.position('alice').maintenanceRate).toBe(share('0.004'))
})

scenario('break-even counts opening fees and funding', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 @ 60000')
  expect(exchange.price(exchange.position('alice').breakEvenPrice)).toBe('60072.1') // fee 18
  exchange.leap({ BTC: '600000' }).must({ kind: 'settle-funding', instrument: exchange.instrument().id }) // −30
  expect(exchange.price(exchange.position('alice').breakEvenPrice)).toBe('60132.1')
})
