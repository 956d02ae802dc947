/** What the ticket says before an order is sent, against the worked examples of risk-engine.md. */
import { describe, expect, test } from 'vitest'
import { units, unitsText } from '../../web/numbers/decimal.ts'
import {
  crossLiquidation,
  type CrossPool,
  isolatedLiquidation,
  maintenanceMargin,
} from '../../web/trading/liquidation.ts'
import { crossPool } from '../../web/trading/collateral.ts'
import { afterOrder, loanBookOf, marginLiquidation } from '../../web/trading/margin-loans.ts'
import { mostToOpen, type PreviewInput, previewOrder, worstPrice } from '../../web/trading/preview.ts'
import { profitAt } from '../../web/trading/profit.ts'
import type { Wallet } from '../../web/venue/account-records.ts'
import { type Instrument, instrumentOf, type Tier } from '../../web/venue/instruments.ts'

/** risk-engine §3 */
const tiers: Tier[] = [
  { from: units('0'), to: units('200000'), leverageMax: 125, maintenanceRate: units('0.004') },
  { from: units('200000'), to: units('1000000'), leverageMax: 100, maintenanceRate: units('0.005') },
  { from: units('1000000'), to: units('5000000'), leverageMax: 50, maintenanceRate: units('0.01') },
  { from: units('5000000'), to: units('20000000'), leverageMax: 25, maintenanceRate: units('0.02') },
]
const feeRate = units('0.0006')

const record = {
  symbol: 'BTCUSDT',
  category: 'USDT-FUTURES',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  minOrderQty: '0.0001',
  minOrderAmount: '5',
  pricePrecision: '1',
  quantityPrecision: '4',
  priceMultiplier: '0.1',
  quantityMultiplier: '0.0001',
  makerFeeRate: '0.0002',
  takerFeeRate: '0.0006',
  maxLeverage: '125',
  status: 'online',
} as const
const linear = instrumentOf(record)
const ether = instrumentOf({
  ...record,
  symbol: 'ETHUSDT',
  baseCoin: 'ETH',
  pricePrecision: '2',
  priceMultiplier: '0.01',
})
const inverse = instrumentOf({
  ...record,
  symbol: 'BTCUSD',
  category: 'COIN-FUTURES',
  quoteCoin: 'USD',
  minOrderQty: '1',
  quantityPrecision: '0',
  quantityMultiplier: '1',
})
const pair = instrumentOf({ ...record, category: 'SPOT', makerFeeRate: '0.001', takerFeeRate: '0.001' })

function position(side: 'long' | 'short', quantity: string, entryPrice: string) {
  return { side, quantity: units(quantity), entryPrice: units(entryPrice) }
}

function said(price: bigint | undefined): string {
  return price === undefined ? 'none' : unitsText(price)
}

describe('maintenance margin', () => {
  test.each([
    ['330000', '1648'],
    ['2400000', '20240'],
    ['200000', '920'],
  ])('§3: MM(%s) = %s', (value, margin) => {
    expect(unitsText(maintenanceMargin(units(value), tiers, feeRate))).toBe(margin)
  })
})

describe('isolated liquidation price', () => {
  test.each([
    // contract          side     quantity  entry    margin   shown
    ['linear', linear, 'long', '0.5', '60000', '1500', '57263.5'],
    ['linear', linear, 'short', '0.5', '60000', '1500', '62711.5'],
    ['linear', linear, 'long', '6', '60000', '36000', '54270.6'],
    ['linear', linear, 'short', '6', '60000', '36000', '65665.6'],
    ['linear, 300 added', linear, 'long', '0.5', '60000', '1800', '56660.7'],
    ['linear, 1x', linear, 'long', '0.5', '60000', '30000', 'none'],
    ['inverse', inverse, 'long', '30000', '60000', '0.05', '54796.4'],
    ['inverse', inverse, 'short', '30000', '60000', '0.05', '66360'],
    ['inverse, tier 2', inverse, 'long', '300000', '60000', '0.5', '54814.6'],
    ['inverse, tier 2', inverse, 'short', '300000', '60000', '0.5', '66337.7'],
    ['inverse, 1x', inverse, 'short', '30000', '60000', '0.5', 'none'],
  ] as const)('§5, §8: %s', (_name, contract, side, quantity, entry, margin, shown) => {
    const found = isolatedLiquidation(contract, position(side, quantity, entry), units(margin), tiers)
    expect(said(found)).toBe(shown)
  })
})

/** A unified wallet with no more than these coins, at 60,000. */
function unified({ USDT, BTC }: { readonly USDT: bigint; readonly BTC: bigint }): Wallet {
  const coin = (name: string, equity: bigint, usd: bigint) => {
    return { coin: name, equity: `${equity}`, balance: '0', available: '0', debt: '0', held: '0', usd: `${usd}` }
  }
  const marginState = { initialMargin: '0', maintenanceMargin: '0', marginRatio: '0' }
  return { name: 'uta', equity: '', marginState, coins: [coin('USDT', USDT, USDT), coin('BTC', BTC, BTC * 60_000n)] }
}

const prices = { ratios: new Map(), markPrice: units('60000') }

describe('cross liquidation price', () => {
  const pool = (markPrice: string, settleValue: string, others: Partial<CrossPool> = {}): CrossPool => ({
    markPrice: units(markPrice),
    settleValue: units(settleValue),
    settleRatio: units('1'),
    baseCollateral: 0n,
    otherCollateral: 0n,
    maintenanceOfOthers: 0n,
    ...others,
  })

  test('§6: two positions on one wallet, each with the other standing still', () => {
    const besideBtc = pool('59400', '4100', { maintenanceOfOthers: units('140.76') })
    const besideEth = pool('3060', '4100', { maintenanceOfOthers: units('136.62') })
    const btc = crossLiquidation(linear, position('long', '0.5', '60000'), besideBtc, tiers)
    const eth = crossLiquidation(ether, position('short', '10', '3000'), besideEth, tiers)
    expect([said(btc), said(eth)]).toEqual(['51719.5', '3440.51'])
  })

  test('§8: an inverse long on a wallet of 0.08 BTC', () => {
    const found = crossLiquidation(inverse, position('long', '30000', '60000'), pool('60000', '4800'), tiers)
    expect(said(found)).toBe('51962.1')
  })

  test('§7: long and short of one contract move against each other', () => {
    // 2,000 USDT; at 60,000 the short has won 300
    const book = { ...position('long', '0.8', '60000'), opposite: units('0.3') }
    expect(said(crossLiquidation(linear, book, pool('60000', '2300'), tiers))).toBe('55810.8')
    const other = { ...position('short', '0.3', '61000'), opposite: units('0.8') }
    expect(said(crossLiquidation(linear, other, pool('60000', '2300'), tiers))).toBe('55810.8')
  })

  test('§7: equal sides are liquidated upwards alone', () => {
    // 900 USDT and 100 won for good
    const book = { ...position('long', '0.5', '60000'), opposite: units('0.5') }
    expect(said(crossLiquidation(linear, book, pool('60000', '1000'), tiers))).toBe('428571.4')
  })

  test('§6: a classic wallet backs a position with the margin coin alone', () => {
    const marginState = {
      equity: '4100',
      maintenanceMargin: '277.38',
      marginRatio: '0.06765366',
      unrealizedPnl: '-900',
    }
    const usdt = { coin: 'USDT', equity: '4100', balance: '5000', available: '1085', debt: '0', held: '0', usd: '4100' }
    const wallet = {
      name: 'usdt_futures',
      equity: '4100',
      coins: [
        { ...usdt, coin: 'BTC', equity: '10' },
        { ...usdt, marginState },
      ],
    } as const
    const found = crossPool(linear, wallet, { ratios: new Map(), markPrice: units('59400'), positions: [] })
    // What the long itself needs is not the others'.
    const beside = found && { ...found, maintenanceOfOthers: found.maintenanceOfOthers - units('136.62') }
    expect(said(beside && crossLiquidation(linear, position('long', '0.5', '60000'), beside, tiers))).toBe('51719.5')
  })

  test('§16: collateral in the base coin falls along, and the debt grows', () => {
    // 1.5 BTC at 0.98, 20 ETH at 0.95, 20,000 USDT owed
    const poolThen = pool('60000', '-20000', { baseCollateral: units('1.47'), otherCollateral: units('57000') })
    expect(said(crossLiquidation(linear, position('long', '10', '60000'), poolThen, tiers))).toBe('49737.6')
  })

  test.each([
    ['USDT', '900', '100'],
    ['BTC', '1.5', '-0.5'],
  ])('§16: what isolated positions have of %s backs nothing else', (marginCoin, margin, unrealizedPnl) => {
    const isolated = { marginMode: 'isolated', marginCoin, margin, unrealizedPnl } as const
    const crossed = { ...isolated, marginMode: 'crossed', margin: '70' } as const
    const free = { USDT: 4_000n, BTC: 1n }
    const apart = marginCoin === 'USDT' ? { USDT: 5_000n, BTC: 1n } : { USDT: 4_000n, BTC: 2n }
    const found = crossPool(linear, unified(apart), { ...prices, positions: [isolated, crossed] })
    expect(found).toEqual(crossPool(linear, unified(free), { ...prices, positions: [] }))
  })

  test('a balance that turns into a debt on the way', () => {
    // 10,000 USDT and 57,000 of other coins: 57,000 + 1.04·(10,000 + 10·(P − 60,000)) = 10·P·0.0056 − 200 at 53,789.63…
    const poolThen = pool('60000', '10000', { otherCollateral: units('57000') })
    expect(said(crossLiquidation(linear, position('long', '10', '60000'), poolThen, tiers))).toBe('53789.7')
  })

  test('a short that the base coin covers has none', () => {
    const poolThen = pool('60000', '0', { baseCollateral: units('2') })
    expect(said(crossLiquidation(linear, position('short', '1', '60000'), poolThen, tiers))).toBe('none')
  })
})

describe('what an order takes', () => {
  const input = (changes: Partial<PreviewInput> & { readonly instrument?: Instrument } = {}): PreviewInput => ({
    instrument: linear,
    side: 'buy',
    price: units('60500'),
    quantity: units('0.5'),
    maker: false,
    leverage: 20n,
    marginMode: 'isolated',
    markPrice: units('60000'),
    tiers,
    reduces: false,
    position: undefined,
    opposite: 0n,
    pool: undefined,
    ...changes,
  })

  test('§11: buy 0.5 at 60,500 with the mark at 60,000', () => {
    const found = previewOrder(input())
    expect(unitsText(found.hold)).toBe('1780.65')
    expect(unitsText(found.cost)).toBe('1530.65')
    expect(unitsText(found.fee)).toBe('18.15')
    expect(unitsText(found.notional)).toBe('30250')
  })

  test('a post-only order pays the maker’s fee and is held for with the taker’s', () => {
    const found = previewOrder(input({ maker: true, price: units('60000') }))
    expect(unitsText(found.fee)).toBe('6')
    expect(unitsText(found.hold)).toBe('1518')
  })

  test('§11: what only reduces holds nothing', () => {
    const held = { ...position('short', '1', '60000'), margin: units('3000') }
    const found = previewOrder(input({ reduces: true, position: held, price: units('60000') }))
    expect(found.hold).toBe(0n)
    expect(unitsText(found.cost)).toBe('18')
    // Half of the position and of its margin stay.
    expect(found.liquidationPrice).toBe(
      isolatedLiquidation(linear, position('short', '0.5', '60000'), units('1500'), tiers),
    )
  })

  test('turning a position around needs margin for what goes beyond it', () => {
    const held = { ...position('short', '0.3', '60000'), margin: units('900') }
    const found = previewOrder(input({ position: held, price: units('60000') }))
    expect(unitsText(found.hold)).toBe('607.2') // 0.2 × 60,000 / 20 + 7.2
    expect(unitsText(found.fee)).toBe('18')
  })

  test('adding moves the entry, and the margin adds up', () => {
    const held = { ...position('long', '0.5', '60000'), margin: units('1500') }
    const found = previewOrder(input({ position: held, price: units('60000') }))
    expect(said(found.liquidationPrice as bigint)).toBe('57263.5')
  })

  test('§8: an inverse order is margined in its coin', () => {
    const found = previewOrder(
      input({ instrument: inverse, price: units('60000'), quantity: units('30000'), leverage: 10n }),
    )
    expect([found.coin, unitsText(found.hold), unitsText(found.fee)]).toEqual(['BTC', '0.0503', '0.0003'])
    expect(said(found.liquidationPrice as bigint)).toBe('54796.4')
  })

  test('§10: a spot buy pays its fee in what it receives', () => {
    const found = previewOrder(
      input({ instrument: pair, price: units('60000.01'), quantity: units('0.12345'), tiers: [] }),
    )
    expect([unitsText(found.cost), found.coin]).toEqual(['7407.0012345', 'USDT'])
    expect([unitsText(found.fee), found.feeCoin]).toEqual(['0.00012345', 'BTC'])
    expect(found.liquidationPrice).toBeUndefined()
  })

  const opening = {
    instrument: linear,
    side: 'buy',
    price: units('60000'),
    markPrice: units('60000'),
    leverage: 20n,
    available: units('1000'),
    tiers,
    held: 0n,
    reducible: 0n,
  } as const

  test.each([
    ['§11: with 1,000 at 20x', {}, '0.3293'],
    ['what is lost at once counts', { markPrice: units('59900') }, '0.3188'],
    ['the other side is reduced first', { reducible: units('0.5') }, '0.8293'],
    // 100x is for positions below 1,000,000: 16.6666 BTC at 60,000
    ['no more than the tier takes', { leverage: 100n, available: units('1000000'), held: units('6') }, '10.6666'],
    ['nothing without money', { available: 0n }, '0'],
    ['nothing at a price below zero', { price: units('-60000') }, '0'],
  ] as const)('the most that can be opened: %s', (_name, changes, most) => {
    expect(unitsText(mostToOpen({ ...opening, ...changes }))).toBe(most)
  })

  test('a market order counts at the worst level that it takes', () => {
    const asks = [
      ['100', '1'],
      ['101', '2'],
      ['105', '9'],
    ] as const
    expect(worstPrice(asks, units('3'))).toBe(units('101'))
    expect(worstPrice(asks, units('3.0001'))).toBe(units('105'))
    expect(worstPrice(asks, units('100'))).toBe(units('105'))
    expect(worstPrice([], units('1'))).toBeUndefined()
  })
})

describe('§17: cross margin', () => {
  const margin = instrumentOf({ ...record, category: 'MARGIN', makerFeeRate: '0.001', takerFeeRate: '0.001' })
  const coin = { equity: '0', available: '0', held: '0', usd: '' }
  const book = (coins: Readonly<Record<string, readonly [balance: string, debt: string]>>) => {
    const found = Object.entries(coins).map(([name, [balance, debt]]) => ({ ...coin, coin: name, balance, debt }))
    return loanBookOf(margin, { name: 'crossed_margin', equity: '', coins: found }, (name) =>
      units(name === 'ETH' ? '3000' : '0'),
    )
  }

  test('own 10,000, 0.5 bought at 60,000: 20,000 borrowed, 0.4995 there', () => {
    const order = { side: 'buy', price: units('60000'), quantity: units('0.5'), feeRate: units('0.001') } as const
    const after = afterOrder(book({ USDT: ['10000', '0'] }), order)
    expect([after.base.balance, after.quote.debt].map(unitsText)).toEqual(['0.4995', '20000'])
    expect(said(marginLiquidation(after, margin.priceStep))).toBe('44044.1')
  })

  test.each([
    ['with 27 hours of interest', { BTC: ['0.4995', '0'], USDT: ['0', '20002.7'] }, '44050'],
    // (1.1 × 20,000 − 3,000) / 0.4995
    ['another coin beside it', { BTC: ['0.4995', '0'], USDT: ['0', '20000'], ETH: ['1', '0'] }, '38038.1'],
    // 40,000 / (1.1 × 0.5)
    ['coins that are owed', { BTC: ['0', '0.5'], USDT: ['40000', '0'] }, '72727.2'],
    ['nothing is owed', { BTC: ['1', '0'], USDT: ['100', '0'] }, 'none'],
    ['covered without it', { BTC: ['1', '0'], USDT: ['30000', '20000'] }, 'none'],
  ] as const)('liquidation: %s', (_name, coins, price) => {
    expect(said(marginLiquidation(book(coins), margin.priceStep))).toBe(price)
  })

  test('what comes in repays what is owed in it', () => {
    const order = { side: 'sell', price: units('60000'), quantity: units('0.4995'), feeRate: 0n } as const
    const after = afterOrder(book({ BTC: ['0.4995', '0'], USDT: ['0', '20000'] }), order)
    expect([after.base.balance, after.quote.balance, after.quote.debt].map(unitsText)).toEqual(['0', '9970', '0'])
  })
})

test.each([
  ['USDT-FUTURES', 'long', '0.38', '60500.34', '61800', '493.8708'],
  ['USDT-FUTURES', 'short', '1', '100', '101', '-1'],
  ['COIN-FUTURES', 'long', '30000', '60000', '62500', '0.02'],
  ['COIN-FUTURES', 'short', '30000', '60000', '62500', '-0.02'],
] as const)('§4, §8: profit of %s %s', (category, side, quantity, entryPrice, mark, profit) => {
  expect(profitAt({ category, side, quantity, entryPrice }, mark)).toBe(profit)
})
