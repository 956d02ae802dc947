/**
 * Listing coins and markets, and what of them may change. Source: design §6; risk-engine §1.2, §3; style.md §8.
 */
import { expect } from 'vitest'
import type { MaintenanceTier } from '../../src/engine/catalog/catalog.ts'
import { lots } from '../../src/engine/numbers/numbers.ts'
import type { ListInstrument } from '../../src/engine/protocol/command.ts'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { coinListings, type FuturesRecord, markets, tiers } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function list(exchange: Exchange, instrument: ListInstrument['instrument']): string {
  const reply = exchange.apply({ kind: 'list-instrument', instrument })
  if (reply.kind !== 'refused') return reply.kind
  return reply.refusal.kind === 'instrument-record-wrong' ? reply.refusal.field : reply.refusal.kind
}

function tier(from: string, to: string, leverageMax = 10, rate = '0.01'): MaintenanceTier {
  return { from: units(from), to: units(to), leverageMax, maintenanceRate: share(rate) }
}

table(
  'a record that the engine could not trade is refused, with the field that is wrong',
  [
    ['as it is', {}, 'listed'],
    ['its symbol again', { symbol: 'SOLUSDT' }, 'instrument-listed-already'],
    ['an unknown base coin', { base: 99 }, 'baseCoin'],
    ['an unknown quote coin', { quote: 99 }, 'quoteCoin'],
    ['an unknown settlement coin', { settle: 99 }, 'settleCoin'],
    ['more than 8 decimals of price and quantity', { priceDecimals: 5, quantityDecimals: 4 }, 'quantityPrecision'],
    ['8 decimals of price and quantity', { priceDecimals: 4, quantityDecimals: 4 }, 'listed'],
    ['negative decimals', { priceDecimals: -1 }, 'pricePrecision'],
    ['no price step', { priceStep: 0 }, 'priceMultiplier'],
    ['half a quantity step', { quantityStep: 0.5 }, 'sizeMultiplier'],
    ['no least quantity', { quantityMin: 0 }, 'minOrderQty'],
    ['a least leverage of 0', { leverageMin: 0 }, 'minLeverage'],
    ['a default beyond the highest leverage', { leverageDefault: 126 }, 'defaultLeverage'],
    ['a funding interval of 3 hours', { fundingIntervalHours: 3 }, 'fundInterval'],
    ['no tiers', { tiers: [] }, 'tiers'],
    ['tiers that begin above 0', { tiers: [tier('1', '10')] }, 'tiers'],
    ['tiers with a gap', { tiers: [tier('0', '10'), tier('11', '20')] }, 'tiers'],
    ['an empty tier', { tiers: [tier('0', '0')] }, 'tiers'],
    ['a tier without leverage', { tiers: [tier('0', '10', 0)] }, 'tiers'],
  ] as const,
  (exchange, _what, changes, outcome) => {
    const record = { ...markets.SOLUSDT, symbol: 'NEW', ...changes } as FuturesRecord
    expect(list(exchange, record)).toBe(outcome)
  },
)

scenario('the same symbol may be listed once in each category', (exchange) => {
  expect(list(exchange, { ...markets.SOLUSDT, symbol: 'BTCUSDC' })).toBe('listed')
  expect(list(exchange, { ...markets['SOL/USDT'] })).toBe('instrument-listed-already')
})

scenario('a coin is listed once, with a price', (exchange) => {
  const [btc] = coinListings
  if (btc === undefined) throw new Error('a coin')
  expect(exchange.refusal({ kind: 'list-coin', coin: btc })).toBe('coin-listed-already')
  expect(exchange.refusal({ kind: 'list-coin', coin: { ...btc, name: 'NEW', listingPriceE8: 0n } })).toBe(
    'instrument-record-wrong',
  )
  expect(exchange.apply({ kind: 'list-coin', coin: { ...btc, name: 'NEW' } })).toEqual({ kind: 'listed', id: 5 })
})

scenario('what is listed later trades at once, and every picture of the catalogue is a new one', (exchange) => {
  traders(exchange, 'alice')
  const before = exchange.query({ kind: 'catalog' })
  expect(list(exchange, { ...markets.SOLUSDT, symbol: 'NEW' })).toBe('listed')
  const after = exchange.query({ kind: 'catalog' })
  expect(exchange.lastEvents).toMatchObject([{ kind: 'catalog-changed' }, { kind: 'prices-changed', instrument: 9 }])
  expect([before.instruments.length, after.instruments.length]).toEqual([9, 10])
  expect(after.version).toBe(before.version + 1)
  expect(exchange.query({ kind: 'prices', instrument: 9 })).toMatchObject({
    markPrice: 100,
    indexPrice: 100,
    lastPrice: 0,
  })
  expect(exchange.query({ kind: 'depth', instrument: 9, limit: 5 })).toMatchObject({ bids: [], asks: [] })
})

// Changes

const unchanged = {
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
}

scenario('new fees count for the fills that come after', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: buy 2 @ 100', 'bob: sell 1 @ 100')
  const instrument = instrumentId('SOLUSDT')
  exchange.must({
    kind: 'set-instrument',
    instrument,
    ...unchanged,
    makerFeeRate: share('0.001'),
    takerFeeRate: share('0'),
  })
  exchange.given('bob: sell 1 @ 100')
  expect(exchange.fills().map(({ scope, fee }) => `${scope} ${coins(fee)}`)).toEqual(['taker 0', 'maker 0.1'])
})

scenario('new tiers count at once', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  const instrument = instrumentId('SOLUSDT')
  exchange.must({ kind: 'set-instrument', instrument, ...unchanged, tiers: [tier('0', '1100', 20, '0.02')] })
  expect(exchange.position('alice').maintenanceRate).toBe(share('0.02'))
  expect(exchange.place('alice: buy 1 @ 100')).toBe('refused position-tier-exceeded')
})

table(
  'changes that are refused',
  [
    [99, unchanged, 'instrument-unknown'],
    [instrumentId('SOL/USDT'), { ...unchanged, tiers }, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), { ...unchanged, tiers: [] }, 'instrument-record-wrong'],
    [instrumentId('SOL/USDT'), { ...unchanged, limitBand: share('1.01') }, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), { ...unchanged, marketBand: share('-0.01') }, 'instrument-record-wrong'],
    // Maintenance with the fee of closing is at most 1/50, and does not fall from tier to tier.
    [instrumentId('SOLUSDT'), { ...unchanged, tiers: [tier('0', '1', 50, '0.0195')] }, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), { ...unchanged, tiers: [tier('0', '1', 50, '0.0194')] }, 'accepted'],
    [
      instrumentId('SOLUSDT'),
      { ...unchanged, tiers: [tier('0', '1', 50, '0.01'), tier('1', '2', 25, '0.009')] },
      'instrument-record-wrong',
    ],
    [instrumentId('SOLUSDT'), { ...unchanged, takerFeeRate: share('0.005') }, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), { ...unchanged, takerFeeRate: share('0.004') }, 'accepted'],
    [instrumentId('SOL/USDT'), { ...unchanged, takerFeeRate: share('0.05') }, 'accepted'],
    [instrumentId('SOLUSDT'), unchanged, 'accepted'],
  ] as const,
  (exchange, instrument, changes, outcome) => {
    expect(exchange.refusal({ kind: 'set-instrument', instrument, ...changes })).toBe(outcome)
  },
)

scenario('a new least quantity counts for the orders that come after, and what rests stays', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: buy 1 @ 100')
  const instrument = instrumentId('SOLUSDT')
  exchange.must({ kind: 'set-order-minimum', instrument, quantityMin: lots(2) })
  expect(exchange.lastEvents).toEqual([{ kind: 'catalog-changed' }])
  expect(exchange.place('bob: sell 1 @ 100')).toBe('refused quantity-below-minimum')
  expect(exchange.place('bob: sell 2 @ 100')).toBe('filled 1, rests 1')
})

table(
  'least quantities that are refused',
  [
    [99, 1, 'instrument-unknown'],
    [instrumentId('SOLUSDT'), 0, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), 2 ** 52 + 1, 'instrument-record-wrong'],
    [instrumentId('SOLUSDT'), 2 ** 52, 'accepted'],
    [instrumentId('SOL/USDT'), 1, 'accepted'],
  ] as const,
  (exchange, instrument, quantityMin, outcome) => {
    expect(exchange.refusal({ kind: 'set-order-minimum', instrument, quantityMin: lots(quantityMin) })).toBe(outcome)
  },
)

// Index prices

table(
  'index and mark: the base in the quote, to the nearest tick',
  [
    ['BTC/USDT', { BTC: '61234.567' }, '61234.57'],
    ['BTC/USDC', { BTC: '60000', USDC: '0.9998' }, '60012'],
    ['BTCUSDT', { BTC: '61234.55' }, '61234.6'],
    ['BTCUSD', { BTC: '61234.54' }, '61234.5'],
    ['BTCUSD', { BTC: '60000', USDT: '0.5' }, '60000'],
    ['SOLUSDT', { SOL: '99.5' }, '100'],
    ['SOLUSDT', { SOL: '0.5' }, '1'],
    ['SOLUSDT', { SOL: '1073741823.4' }, '1073741823'],
  ] as const,
  (exchange, market, prices, mark) => {
    exchange.leap(prices)
    const { markPrice, indexPrice } = exchange.query({ kind: 'prices', instrument: instrumentId(market) })
    expect(exchange.price(markPrice, market)).toBe(mark)
    expect(indexPrice).toBe(markPrice)
  },
)

scenario('a price command with an unknown coin or without a price changes nothing', (exchange) => {
  const usd = (coin: number, price: string) => [coin, units(price)] as const
  expect(exchange.refusal({ kind: 'set-index-prices', prices: [usd(0, '1'), usd(99, '1')] })).toBe('coin-unknown')
  expect(exchange.refusal({ kind: 'set-index-prices', prices: [usd(0, '1'), usd(1, '0')] })).toBe('amount-not-positive')
  expect(exchange.query({ kind: 'prices', instrument: instrumentId('BTCUSDT') }).markPrice).toBe(600_000)
})

scenario('the last price is that of the last match', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: sell 1 @ 101', 'alice: sell 1 @ 103', 'bob: buy 2 @ 103')
  expect(exchange.query({ kind: 'prices', instrument: instrumentId('SOLUSDT') }).lastPrice).toBe(103)
})
