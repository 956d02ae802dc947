/**
 * E5: one position, with its exact figures.
 *
 * Figures  computed here from the formulas of risk-engine.md with the mark price and tier that the venue itself shows
 * Source   interface.md E5, "Futures position"; risk-engine.md §4-§6, §8, §9, §21; design §4.12, §4.32
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { opposite, parseOrder, withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import {
  type Market,
  btcInverse,
  btcPerpetual,
  onePosition,
  paths,
  place,
  position,
  positions,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { ceil8, exact, feeRates, figure, floor8, toStep } from './figures.ts'

const at = stage()

const wallets = { usdt_futures: { USDT: '100000' }, coin_futures: { BTC: '10' } } as const
const classic = { mode: 'classic', funds: wallets } as const
const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }

/** Alice takes what Bob offers at this price. */
async function opened(words: string, alice: Person, market: Market = btcPerpetual): Promise<void> {
  const bob = await at.person('Bob', { mode: 'classic', funds: { ...wallets, usdt_futures: { USDT: '10000000' } } })
  await taken(bob, opposite(words), market)
  await taken(alice, words, market)
}

row({ rule: 'E5', decision: 'a flat account answers an empty list (design §4.32)' }, 'no position', async () => {
  const alice = await at.person('Alice', classic)
  expect(await positions(alice)).toEqual([])
})

row('Futures position fields', 'every field is there and is a text', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.1 @ 60000', alice)
  const held = await onePosition(alice)
  const names = [
    'symbol',
    'marginCoin',
    'holdSide',
    'openDelegateSize',
    'marginSize',
    'available',
    'locked',
    'total',
    'leverage',
  ]
  const figures = [
    'achievedProfits',
    'openPriceAvg',
    'unrealizedPL',
    'liquidationPrice',
    'keepMarginRate',
    'markPrice',
    'marginRatio',
  ]
  const rest = [
    'breakEvenPrice',
    'totalFee',
    'deductedFee',
    'grant',
    'marginMode',
    'posMode',
    'assetMode',
    'autoMargin',
    'cTime',
    'uTime',
  ]
  for (const name of [...names, ...figures, ...rest]) expect(held[name], name).toBeTypeOf('string')
  for (const name of ['takeProfit', 'stopLoss', 'takeProfitId', 'stopLossId']) expect(held[name] ?? '', name).toBe('')
})

row('Futures position fields', 'a fresh long of 0.1', async () => {
  const alice = await at.person('Alice', classic)
  await setLeverage(alice, 20)
  await opened('buy 0.1 @ 60000', alice)
  expect(await onePosition(alice)).toMatchObject({
    symbol: 'BTCUSDT',
    marginCoin: 'USDT',
    holdSide: 'long',
    total: '0.1',
    available: '0.1',
    locked: '0',
    openDelegateSize: '0',
    leverage: '20',
    achievedProfits: '0',
    openPriceAvg: '60000',
    marginMode: 'crossed',
    posMode: 'one_way_mode',
    assetMode: 'single',
    autoMargin: 'off',
    totalFee: '',
    deductedFee: '3.6',
  })
})

row('Futures position fields', 'a unified account has assetMode union', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
  await opened('sell 0.1 @ 60000', alice)
  expect(await onePosition(alice)).toMatchObject({ holdSide: 'short', total: '0.1', assetMode: 'union' })
})

table(
  'Futures position available and locked',
  [
    // what                                             resting orders                          shown
    [
      'a resting reduce-only order locks',
      ['sell 0.04 reduce-only @ 61000'],
      { available: '0.06', locked: '0.04', openDelegateSize: '0' },
    ],
    [
      'a resting buy counts as opening',
      ['buy 0.03 @ 59000'],
      { available: '0.1', locked: '0', openDelegateSize: '0.03' },
    ],
    [
      'two of each',
      ['sell 0.04 reduce-only @ 61000', 'sell 0.06 reduce-only @ 61100', 'buy 0.01 @ 59000', 'buy 0.02 @ 58900'],
      { available: '0', locked: '0.1', openDelegateSize: '0.03' },
    ],
  ],
  async (resting, shown) => {
    const alice = await at.person('Alice', classic)
    await opened('buy 0.1 @ 60000', alice)
    for (const words of resting) await taken(alice, words)
    expect(await onePosition(alice)).toMatchObject({ total: '0.1', ...shown })
  },
)

row('Futures position hedge mode', 'one entry per side', async () => {
  const alice = await at.person('Alice', classic)
  await setHoldMode(alice, 'hedge_mode')
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.2 @ 60000')
  await taken(alice, 'buy 0.2 open @ 60000')
  await taken(bob, 'buy 0.1 @ 60000')
  await taken(alice, 'sell 0.1 open @ 60000')
  expect(await position(alice)).toBe('long 0.2, short 0.1')
  for (const held of await positions(alice)) expect(held['posMode']).toBe('hedge_mode')
})

/** Maintenance rate of the lowest tier. */
async function tierRate(market: Market): Promise<string> {
  const { category: productType, symbol } = market
  const [tier] = succeeds(await at.venue.get('/api/v2/mix/market/query-position-lever', { productType, symbol })).list()
  return tier?.['keepMarginRate'] ?? ''
}

async function expectRates(held: Fields, market: Market): Promise<string> {
  const rate = await tierRate(market)
  expect(exact(held['keepMarginRate'] ?? '').eq(rate)).toBe(true)
  return rate
}

row('risk-engine §4', 'unrealized profit of a long is the mark’s, exactly', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.1 @ 60123.4', alice)
  const held = await onePosition(alice)
  expect(held['unrealizedPL']).toBe(
    floor8(
      exact(held['markPrice'] ?? '')
        .minus('60123.4')
        .times('0.1'),
    ),
  )
})

row('risk-engine §4', 'unrealized profit of a short is the mark’s, exactly', async () => {
  const alice = await at.person('Alice', classic)
  await opened('sell 0.1 @ 60123.4', alice)
  const held = await onePosition(alice)
  expect(held['unrealizedPL']).toBe(
    floor8(
      exact('60123.4')
        .minus(held['markPrice'] ?? '')
        .times('0.1'),
    ),
  )
})

row('risk-engine §1', 'averages are rounded once: 250,000 DOGE, 3,749 of them a tick higher', async () => {
  const doge: Market = { category: 'USDT-FUTURES', symbol: 'DOGEUSDT', marginCoin: 'USDT' }
  const funds = { funds: { uta: { USDT: '100000' } } }
  const [alice, bob] = [await at.person('Alice', funds), await at.person('Bob', funds)]
  await takenInBatch(bob, 'sell 246251 @ 0.15', doge)
  await takenInBatch(bob, 'sell 3749 @ 0.15001', doge)
  const { orderId } = await taken(alice, 'buy 250000 @ 0.15001', doge)
  // 0.15000014996: 0.15000015 at eight decimals, which would be 0.1500002 at seven
  const average = '0.1500001'
  expect(await onePosition(alice, doge)).toMatchObject({ total: '250000', openPriceAvg: average })
  const shown = await alice.get('/api/v3/position/current-position', { category: doge.category, symbol: doge.symbol })
  expect(succeeds(shown).list('list')).toMatchObject([{ total: '250000', avgPrice: average }])
  const order = { orderId: orderId ?? '' }
  expect(succeeds(await alice.get('/api/v3/trade/order-info', order)).fields).toMatchObject({ avgPrice: average })
  const history = await alice.get(paths.orderHistory, { productType: doge.category, ...order })
  expect(succeeds(history).list('entrustedList')).toMatchObject([{ priceAvg: average, posAvg: average }])
})

table(
  'risk-engine §5',
  `
    case                     | words                     | s
    an isolated long at 20x  | buy 0.5 isolated @ 60000  | 1
    an isolated short at 20x | sell 0.5 isolated @ 60000 | -1
  `,
  async ({ words, s }) => {
    const alice = await at.person('Alice', classic)
    await setMarginMode(alice, 'isolated')
    await setLeverage(alice, 20)
    await opened(words, alice)
    const held = await onePosition(alice)
    const mmr = await expectRates(held, btcPerpetual)
    const [quantity, entry, margin] = ['0.5', '60000', '1500']
    expect(held).toMatchObject({ marginMode: 'isolated', marginSize: margin, total: quantity, openPriceAvg: entry })
    const perBtc = exact(mmr).plus(feeRates.taker).minus(Number(s))
    const liquidation = exact(margin)
      .minus(exact(entry).times(quantity).times(Number(s)))
      .div(perBtc.times(quantity))
    expect(held['liquidationPrice']).toBe(toStep(liquidation, '0.1', Number(s) === 1 ? 'up' : 'down'))
    const mark = exact(held['markPrice'] ?? '')
    const equity = exact(margin).plus(mark.minus(entry).times(quantity).times(Number(s)))
    const maintenance = mark.times(quantity).times(exact(mmr).plus(feeRates.taker))
    expect(held['marginRatio']).toBe(ceil8(maintenance.div(equity)))
  },
)

row('risk-engine §6', 'a cross long: liquidation, margin and ratio count the whole wallet', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '5018' } } })
  await setLeverage(alice, 20)
  await opened('buy 0.5 @ 60000', alice)
  const held = await onePosition(alice)
  const mmr = await expectRates(held, btcPerpetual)
  const wallet = exact('5000') // 18 of the 5018 went for the fee
  const rate = exact(mmr).plus(feeRates.taker)
  const liquidation = wallet.minus(30000).div(rate.minus(1).times('0.5'))
  expect(held['liquidationPrice']).toBe(toStep(liquidation, '0.1', 'up'))
  const mark = exact(held['markPrice'] ?? '')
  expect(held['marginSize']).toBe(ceil8(mark.times('0.5').div(20)))
  const equity = wallet.plus(mark.minus(60000).times('0.5'))
  expect(held['marginRatio']).toBe(ceil8(mark.times('0.5').times(rate).div(equity)))
})

table(
  'risk-engine §1, §21: the margin ratio is divided once, from amounts that nobody has rounded',
  [
    ['a small linear long, isolated', btcPerpetual, 'buy 0.0008 isolated @ 60114.7', 100, linearParts],
    ['a small inverse long, isolated', btcInverse, 'buy 0.0017 isolated @ 60114.7', 100, inverseParts],
    ['an inverse short at 1x', btcInverse, 'sell 0.3504 isolated @ 60006.5', 1, inverseParts],
  ],
  async (market, words, leverage, parts) => {
    const alice = await at.person('Alice', classic)
    await setMarginMode(alice, 'isolated', market)
    await setLeverage(alice, leverage, market)
    const bob = await at.person('Bob', { funds: { uta: { USDT: '10000000', BTC: '20' } } })
    const { side, quantity, price = '' } = parseOrder(words)
    const contracts = market === btcInverse ? exact(quantity).times(price).floor().toString() : quantity
    await takenInBatch(bob, withWords(opposite(words), { quantity: contracts }), market)
    await taken(alice, words, market)
    const held = await onePosition(alice, market)
    const rate = exact(await expectRates(held, market)).plus(feeRates.taker)
    const { profit, value } = parts(held, contracts, price, side === 'buy' ? 1 : -1)
    expect(held['marginRatio']).toBe(ceil8(value.times(rate).div(profit.plus(held['marginSize'] ?? ''))))
  },
)

function linearParts(held: Fields, quantity: string, price: string, s: number) {
  const mark = exact(held['markPrice'] ?? '')
  return { profit: mark.minus(price).times(quantity).times(s), value: mark.times(quantity) }
}

/** The entry is booked rounded: against the buyer down, against the seller up. */
function inverseParts(held: Fields, contracts: string, price: string, s: number) {
  const entry = exact(contracts).div(price)
  const value = exact(contracts).div(held['markPrice'] ?? '')
  return {
    profit: exact(s === 1 ? floor8(entry) : ceil8(entry))
      .minus(value)
      .times(s),
    value,
  }
}

row('risk-engine §3, §7', 'of a cross hedge both sides show the tier of the larger one', async () => {
  const alice = await at.person('Alice', classic)
  await setHoldMode(alice, 'hedge_mode')
  await setLeverage(alice, 20)
  const bob = await at.person('Bob', { funds: { uta: { USDT: '10000000' } } })
  await takenInBatch(bob, 'sell 4 @ 60000', btcPerpetual)
  await taken(alice, 'buy 4 open @ 60000')
  await takenInBatch(bob, 'buy 0.1 @ 60000', btcPerpetual)
  await taken(alice, 'sell 0.1 open @ 60000')
  expect((await positions(alice)).map((record) => `${record['holdSide']} ${record['keepMarginRate']}`).sort()).toEqual([
    'long 0.005',
    'short 0.005',
  ])
})

row('Futures position liquidationPrice', '0 when no price liquidates: a long without debt', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.1 @ 60000', alice)
  expect(Number((await onePosition(alice))['liquidationPrice'])).toBeLessThanOrEqual(0)
})

table(
  'risk-engine §9',
  `
    case                   | words            | price
    a long pays both fees  | buy 0.5 @ 60000  | 60072.1
    a short pays both fees | sell 0.5 @ 60000 | 59928.0
  `,
  async ({ words, price }) => {
    const alice = await at.person('Alice', classic)
    await opened(words, alice)
    const s = words.startsWith('buy') ? 1 : -1
    const exactly = exact(30000)
      .times(s)
      .plus(18)
      .div(exact('0.5').times(exact(s).minus(feeRates.taker)))
    const shown = toStep(exactly, '0.1', s === 1 ? 'up' : 'down')
    expect(Number(shown)).toBe(Number(price))
    expect((await onePosition(alice))['breakEvenPrice']).toBe(shown)
  },
)

row(
  { rule: 'design §4.12', decision: 'v2 shows an inverse position in base coin: floor(N / E)' },
  'an inverse position of 30000 USD at 60000',
  async () => {
    const alice = await at.person('Alice', { funds: { uta: { BTC: '10' } } })
    const bob = await at.person('Bob', { funds: { uta: { BTC: '10' } } })
    await takenInBatch(bob, 'sell 30000 @ 60000', btcInverse)
    await takenInBatch(alice, 'buy 30000 @ 60000', btcInverse)
    expect(await onePosition(alice, btcInverse)).toMatchObject({
      total: '0.5',
      marginCoin: 'BTC',
      openPriceAvg: '60000',
    })
    const answer = await alice.get('/api/v3/position/current-position', { category: 'COIN-FUTURES', symbol: 'BTCUSD' })
    expect(answer.list('list')).toMatchObject([{ total: '30000', posSide: 'long' }])
  },
)

row('risk-engine §8', 'an isolated inverse long of 30000 USD at 10x', async () => {
  const alice = await at.person('Alice', classic)
  await setMarginMode(alice, 'isolated', btcInverse)
  await setLeverage(alice, 10, btcInverse)
  await opened('buy 0.5 isolated @ 60000', alice, btcInverse)
  const held = await onePosition(alice, btcInverse)
  const mmr = await expectRates(held, btcInverse)
  expect(held).toMatchObject({ marginSize: '0.05', total: '0.5' })
  const liquidation = exact(30000).times(exact(1).plus(mmr).plus(feeRates.taker)).div(exact('0.05').plus('0.5'))
  expect(held['liquidationPrice']).toBe(toStep(liquidation, '0.1', 'up'))
  const mark = held['markPrice'] ?? ''
  expect(held['unrealizedPL']).toBe(floor8(exact('0.5').minus(exact(30000).div(mark))))
})

row('E5', 'leverage and margin of a position follow the leverage that is set', async () => {
  const alice = await at.person('Alice', classic)
  await setLeverage(alice, 10)
  await opened('buy 0.1 @ 60000', alice)
  const held = await onePosition(alice)
  expect(held['leverage']).toBe('10')
  expect(held['marginSize']).toBe(
    ceil8(
      exact(held['markPrice'] ?? '')
        .times('0.1')
        .div(10),
    ),
  )
  await setLeverage(alice, 25)
  expect(await onePosition(alice)).toMatchObject({ leverage: '25' })
})

row('E5', 'times: cTime stays, uTime moves', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.1 @ 60000', alice)
  const first = await onePosition(alice)
  await opened('buy 0.1 @ 60000', alice)
  const second = await onePosition(alice)
  expect(second['cTime']).toBe(first['cTime'])
  expect(Number(second['uTime'])).toBeGreaterThanOrEqual(Number(first['uTime']))
  expect(second['total']).toBe(figure('0.2'))
})

table(
  'E5 parameters',
  [
    // what                              query                                       refused as
    ['no productType', { ...query, productType: undefined }, 'a missing parameter'],
    ['no symbol', { ...query, symbol: undefined }, 'a missing parameter'],
    ['no marginCoin', { ...query, marginCoin: undefined }, 'a missing parameter'],
    ['an unknown productType', { ...query, productType: 'MARGIN' }, 'a parameter'],
    ['an unknown symbol', { ...query, symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a symbol of another line', { ...query, symbol: 'BTCPERP' }, 'an unknown symbol'],
    ['a margin coin of another line', { ...query, marginCoin: 'USDC' }, 'the margin coin'],
    ['an unknown margin coin', { ...query, marginCoin: 'NOSUCH' }, 'the margin coin or an unknown coin'],
  ],
  async (given, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.get(paths.position, given), expected)
  },
)

row('E5', 'somebody else’s position is not shown', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.1 @ 60000', alice)
  const carol = await at.person('Carol', classic)
  expect(await positions(carol)).toEqual([])
})

row('Futures position fields', 'an inverse position with a resting close: all in base coin', async () => {
  const alice = await at.person('Alice', classic)
  await opened('buy 0.5 @ 60000', alice, btcInverse)
  await taken(alice, 'sell 0.2 reduce-only @ 61000', btcInverse)
  await taken(alice, 'buy 0.1 @ 59000', btcInverse)
  const held = await onePosition(alice, btcInverse)
  expect(held).toMatchObject({ total: '0.5', marginCoin: 'BTC' })
  expect(Number(held['locked'])).toBeCloseTo(0.2, 3)
  expect(Number(held['available'])).toBeCloseTo(0.3, 3)
  expect(Number(held['openDelegateSize'])).toBeCloseTo(0.1, 3)
})

row(
  {
    rule: 'E3 marginMode',
    decision: 'refused while a position or order of the other mode exists (wire/errors.md 45117)',
  },
  'an isolated order beside a cross position',
  async () => {
    const alice = await at.person('Alice', classic)
    await opened('buy 0.1 @ 60000', alice)
    refuses(await place(alice, 'buy 0.1 isolated @ 59000'), '45117|40872|40017')
  },
)

row('design §3', 'a unified account may hold a USDT contract on the collateral of another coin', async () => {
  const alice = await at.person('Alice', { funds: { uta: { BTC: '1' } } })
  await opened('buy 0.1 @ 60000', alice)
  expect(await onePosition(alice)).toMatchObject({ total: '0.1', assetMode: 'union' })
})
