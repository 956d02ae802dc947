/** The v2 dictionary: every label for its cause, and the records with the traps that clients fall into. */
import { describe, expect, test } from 'vitest'
import * as dictionary from '../../src/api/v2/dictionary.ts'
import type { Catalog, FuturesInstrument, SpotInstrument } from '../../src/engine/catalog/catalog.ts'
import { amount, type Amount, lots, type Lots, rate, rateOne, ticks } from '../../src/engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { BalanceView, FuturesAssetView, PositionView } from '../../src/engine/protocol/query.ts'
import type { OrderCause } from '../../src/engine/vocabulary.ts'

const coin = (id: number, name: string) => ({
  id,
  name,
  listingPriceE8: 100_000_000n,
  borrowable: true,
  dailyInterestRate: rate(0n),
  borrowLimit: amount(0n),
  lendingPoolLimit: amount(0n),
  marginLeverageMax: 3,
  collateral: [{ to: (10n ** 18n) as Amount, ratio: rate(rateOne) }],
  debtInitialRate: rate(rateOne / 10n),
  debtMaintenanceRate: rate(rateOne / 25n),
})

const shared = {
  quantityMin: lots(1),
  quantityMax: lots(0),
  marketQuantityMax: lots(0),
  notionalMin: amount(500_000_000n),
  makerFeeRate: rate(200_000_000n),
  takerFeeRate: rate(600_000_000n),
  limitBand: rate(50_000_000_000n),
  marketBand: rate(50_000_000_000n),
  status: 'online',
  listedAt: 1_600_000_000_000,
} as const

const perpetual = {
  settle: 1,
  sizeDecimals: 4,
  leverageMin: 1,
  leverageMax: 125,
  leverageDefault: 20,
  tiers: [],
  fundingIntervalHours: 8,
  fundingRateCap: rate(3_000_000_000n),
}

const btcusdtSpot: SpotInstrument = {
  ...shared,
  id: 0,
  kind: 'spot',
  category: 'SPOT',
  symbol: 'BTCUSDT',
  base: 0,
  quote: 1,
  priceDecimals: 2,
  priceStep: 1,
  quantityDecimals: 6,
  quantityStep: 1,
  quoteDecimals: 6,
  marginable: true,
}
const btcusdt: FuturesInstrument = {
  ...shared,
  ...perpetual,
  id: 1,
  kind: 'linear',
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  base: 0,
  quote: 1,
  priceDecimals: 1,
  priceStep: 5,
  quantityDecimals: 4,
  quantityStep: 10,
}
const btcusd: FuturesInstrument = {
  ...btcusdt,
  id: 2,
  kind: 'inverse',
  category: 'COIN-FUTURES',
  symbol: 'BTCUSD',
  quote: -1,
  settle: 0,
  sizeDecimals: 6,
  priceStep: 1,
  quantityDecimals: 0,
  quantityStep: 1,
}
const catalog: Catalog = {
  version: 1,
  coins: [coin(0, 'BTC'), coin(1, 'USDT')],
  instruments: [btcusdtSpot, btcusdt, btcusd],
}

const order: OrderRecord = {
  orderId: 7,
  clientOid: 'alice-1',
  uid: 1001,
  wallet: 'usdt_futures',
  category: 'USDT-FUTURES',
  instrument: btcusdt.id,
  side: 'buy',
  bookSide: 'buy',
  orderType: 'limit',
  timeInForce: 'gtc',
  price: ticks(120_001), // 60000.5
  quantity: lots(500), // 0.5
  cut: lots(0),
  quoteAmount: amount(0n),
  baseAmount: amount(0n),
  filled: lots(0),
  filledNotional: amount(0n),
  averagePriceE8: 0n,
  fee: amount(0n),
  feeCoin: 1,
  realizedPnl: amount(0n),
  status: 'live',
  cancelReason: '',
  cause: 'user',
  intent: 'single',
  positionSide: 'net',
  reduceOnly: false,
  holdMode: 'one_way_mode',
  marginMode: 'cross',
  leverage: 20,
  stpMode: 'none',
  takeProfit: undefined,
  stopLoss: undefined,
  loanType: 'normal',
  positionEntryE8: 0n,
  channelCode: '',
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_001,
}

const oneWay = { holdMode: 'one_way_mode', effect: 'single', positionSide: 'net', orderType: 'market' } as const
const hedge = { holdMode: 'hedge_mode', effect: 'close', orderType: 'market' } as const

describe('interface.md tradeSide values of an order record', () => {
  const oneWayCases = [
    // cause         book side  tradeSide
    ['user', 'buy', 'buy_single'],
    ['user', 'sell', 'sell_single'],
    ['take-profit', 'sell', 'sell_single'],
    ['stop-loss', 'buy', 'buy_single'],
    ['trigger', 'buy', 'buy_single'],
    ['reduce', 'buy', 'reduce_buy_single'],
    ['reduce', 'sell', 'reduce_sell_single'],
    ['liquidation', 'buy', 'burst_buy_single'],
    ['liquidation', 'sell', 'burst_sell_single'],
    ['delivery', 'sell', 'delivery_sell_single'],
    ['delivery', 'buy', 'delivery_buy_single'],
    ['adl', 'buy', 'dte_sys_adl_buy_in_single_side_mode'],
    ['adl', 'sell', 'dte_sys_adl_sell_in_single_side_mode'],
  ] as const
  test.each(oneWayCases)('one-way: %s %s is %s', (cause, bookSide, expected) => {
    expect(dictionary.tradeSideWord({ ...oneWay, cause, bookSide })).toBe(expected)
  })

  const hedgeCases = [
    // cause         position  tradeSide of its closing
    ['user', 'long', 'close'],
    ['user', 'short', 'close'],
    ['take-profit', 'long', 'close'],
    ['stop-loss', 'short', 'close'],
    ['trigger', 'long', 'close'],
    ['reduce', 'long', 'reduce_close_long'],
    ['reduce', 'short', 'reduce_close_short'],
    ['liquidation', 'long', 'burst_close_long'],
    ['liquidation', 'short', 'burst_close_short'],
    ['offset', 'long', 'offset_close_long'],
    ['offset', 'short', 'offset_close_short'],
    ['delivery', 'long', 'delivery_close_long'],
    ['delivery', 'short', 'delivery_close_short'],
    ['adl', 'long', 'dte_sys_adl_close_long'],
    ['adl', 'short', 'dte_sys_adl_close_short'],
  ] as const
  test.each(hedgeCases)('hedge: %s of a %s is %s', (cause, positionSide, expected) => {
    const bookSide = positionSide === 'long' ? 'sell' : 'buy'
    expect(dictionary.tradeSideWord({ ...hedge, cause, positionSide, bookSide })).toBe(expected)
  })

  test('hedge: opening is open', () => {
    expect(
      dictionary.tradeSideWord({ ...hedge, effect: 'open', cause: 'user', positionSide: 'short', bookSide: 'sell' }),
    ).toBe('open')
  })

  test('the whole list is produced, and nothing beside it', () => {
    const listed = `close open reduce_close_long reduce_close_short burst_close_long burst_close_short offset_close_long
      offset_close_short delivery_close_long delivery_close_short dte_sys_adl_close_long dte_sys_adl_close_short
      buy_single sell_single reduce_buy_single reduce_sell_single burst_buy_single burst_sell_single
      delivery_sell_single delivery_buy_single dte_sys_adl_buy_in_single_side_mode
      dte_sys_adl_sell_in_single_side_mode`.split(/\s+/)
    const produced = new Set<string>(['open'])
    for (const [cause, bookSide] of oneWayCases) produced.add(dictionary.tradeSideWord({ ...oneWay, cause, bookSide }))
    for (const [cause, positionSide] of hedgeCases) {
      produced.add(dictionary.tradeSideWord({ ...hedge, cause, positionSide, bookSide: 'buy' }))
    }
    expect([...produced].sort()).toEqual([...listed].sort())
  })
})

test.each([
  // cause         type       book side  orderSource             enterPointSource
  ['user', 'limit', 'buy', 'normal', 'API'],
  ['user', 'market', 'buy', 'market', 'API'],
  ['take-profit', 'limit', 'sell', 'profit_limit', 'API'],
  ['take-profit', 'market', 'sell', 'profit_market', 'API'],
  ['stop-loss', 'limit', 'sell', 'loss_limit', 'API'],
  ['stop-loss', 'market', 'sell', 'loss_market', 'API'],
  ['position-take-profit', 'limit', 'sell', 'pos_profit_limit', 'API'],
  ['position-take-profit', 'market', 'sell', 'pos_profit_market', 'API'],
  ['position-stop-loss', 'limit', 'sell', 'pos_loss_limit', 'API'],
  ['position-stop-loss', 'market', 'sell', 'pos_loss_market', 'API'],
  ['trigger', 'limit', 'buy', 'plan_limit', 'API'],
  ['trigger', 'market', 'buy', 'plan_market', 'API'],
  ['trailing-plan', 'limit', 'buy', 'tracking_limit', 'API'],
  ['trailing-plan', 'market', 'buy', 'tracking_market', 'API'],
  ['trailing-stop', 'limit', 'sell', 'move_limit', 'API'],
  ['trailing-stop', 'market', 'sell', 'move_market', 'API'],
  ['liquidation', 'market', 'sell', 'liquidation', 'SYS'],
  ['reduce', 'market', 'sell', 'liquidation', 'SYS'],
  ['offset', 'market', 'sell', 'reduce_offset', 'SYS'],
  ['adl', 'market', 'buy', 'market_risk', 'SYS'],
  ['delivery', 'market', 'sell', 'delivery_close_long', 'SYS'],
  ['delivery', 'market', 'buy', 'delivery_close_short', 'SYS'],
] as const satisfies readonly (readonly [OrderCause, string, string, string, string])[])(
  'orderSource: %s %s %s is %s from %s',
  (cause, orderType, bookSide, source, enterPoint) => {
    expect(dictionary.orderSourceWord({ ...oneWay, cause, orderType, bookSide })).toBe(source)
    expect(dictionary.enterPointSourceWord(cause)).toBe(enterPoint)
  },
)

test.each(dictionary.orderSourceFilters)('E13 filter %s asks for the orders that say so, or for none', (source) => {
  const made = dictionary.orderSourceMade(source)
  if (made === undefined) return
  for (const cause of made.causes) {
    for (const orderType of made.orderTypes ?? (['market', 'limit'] as const)) {
      for (const bookSide of made.bookSide === undefined ? (['buy', 'sell'] as const) : [made.bookSide]) {
        expect(dictionary.orderSourceWord({ ...oneWay, cause, orderType, bookSide })).toBe(source)
      }
    }
  }
})

describe('futures orders', () => {
  test('an open limit order', () => {
    expect(dictionary.mixOrder(catalog, order)).toEqual({
      symbol: 'BTCUSDT',
      size: '0.5',
      orderId: '7',
      clientOid: 'alice-1',
      baseVolume: '0',
      fee: '0',
      price: '60000.5',
      priceAvg: '',
      status: 'live',
      side: 'buy',
      force: 'gtc',
      totalProfits: '0',
      posSide: 'net',
      marginCoin: 'USDT',
      quoteVolume: '0',
      leverage: '20',
      marginMode: 'crossed',
      reduceOnly: 'NO',
      enterPointSource: 'API',
      tradeSide: 'buy_single',
      posMode: 'one_way_mode',
      orderType: 'limit',
      orderSource: 'normal',
      cTime: '1700000000000',
      uTime: '1700000000001',
      presetStopSurplusPrice: '',
      presetStopLossPrice: '',
    })
  })

  test('a filled one: the fee is negative when paid, the average has two decimals more', () => {
    const filled: OrderRecord = {
      ...order,
      filled: lots(300), // 0.1 at 60000, 0.2 at 60000.5
      filledNotional: amount(1_800_010_000_000n),
      averagePriceE8: 6_000_033_333_333n,
      fee: amount(1_080_006_000n),
      realizedPnl: amount(-100_000_000n),
      positionEntryE8: 6_000_033_333_333n,
      status: 'filled',
    }
    expect(dictionary.mixHistoryOrder(catalog, filled)).toMatchObject({
      baseVolume: '0.3',
      quoteVolume: '18000.1',
      priceAvg: '60000.333',
      fee: '-10.80006',
      totalProfits: '-1',
      posAvg: '60000.333',
      status: 'filled',
    })
  })

  test.each([
    // what was asked                                                        size          why
    [{ baseAmount: amount(50_000_000n), price: ticks(600_005) }, '0.5', 'as sent in base coin'],
    [{ price: ticks(600_005) }, '0.499995', 'contracts over the price, rounded down'],
    [{ price: 0, filled: lots(30_000), averagePriceE8: 60_000_00000000n }, '0.5', 'market: over the average'],
    [{ price: 0 }, '0', 'market, nothing filled'],
  ] as const satisfies readonly (readonly [object, string, string])[])('inverse %o has size %s: %s', (asked, size) => {
    const inverse = { ...order, instrument: btcusd.id, quantity: lots(30_000), feeCoin: 0, ...asked } as OrderRecord
    expect(dictionary.mixOrder(catalog, inverse)).toMatchObject({ symbol: 'BTCUSD', size, marginCoin: 'BTC' })
  })

  test.each([
    // what                                                          size       base and quote volume
    [{ baseAmount: amount(50_000_000n), filled: lots(30_000) }, '0.5', '0.5', '30000', 'filled whole'],
    [{ baseAmount: amount(50_000_000n), filled: lots(10_000) }, '0.5', '0.166666', '10000', 'a third, rounded down'],
    [{ price: ticks(600_000), filled: lots(30_000) }, '0.5', '0.5', '30000', 'without a size: at its price'],
    [{ baseAmount: amount(50_000_000n) }, '0.5', '0', '0', 'nothing filled'],
    [
      { baseAmount: amount(500_000_000n), filled: lots(30_000), reduceOnly: true, positionEntryE8: 60_000_00000000n },
      '0.5',
      '0.5',
      '30000',
      'a close that was cut to its position',
    ],
    [
      { baseAmount: amount(50_001_000n), filled: lots(30_000), intent: 'close', positionEntryE8: 60_000_00000000n },
      '0.50001',
      '0.50001',
      '30000',
      'a close as it was sent, less than a contract more',
    ],
  ] as const satisfies readonly (readonly [object, string, string, string, string])[])(
    'inverse volumes %#: what was filled of the size, and its contracts',
    (asked, size, baseVolume, quoteVolume) => {
      const inverse = {
        ...order,
        instrument: btcusd.id,
        quantity: lots(30_000),
        averagePriceE8: 60_000_00000000n,
        ...asked,
      }
      expect(dictionary.mixOrder(catalog, inverse as OrderRecord)).toMatchObject({ size, baseVolume, quoteVolume })
    },
  )

  test('a hedge close never says YES, or clients turn its side', () => {
    const close = { ...order, holdMode: 'hedge_mode', intent: 'close', positionSide: 'long', bookSide: 'sell' } as const
    expect(dictionary.mixOrder(catalog, { ...close, reduceOnly: true })).toMatchObject({
      side: 'buy', // as sent: the direction of the position
      tradeSide: 'close',
      posSide: 'long',
      reduceOnly: 'NO',
    })
    expect(dictionary.mixOrder(catalog, { ...order, reduceOnly: true }).reduceOnly).toBe('YES')
  })

  test('the detail says its status twice, and the presets', () => {
    const canceled: OrderRecord = {
      ...order,
      status: 'canceled',
      cancelReason: 'self-trade',
      takeProfit: { trigger: ticks(140_000), execute: 0, by: 'mark' },
      stopLoss: { trigger: ticks(100_000), execute: ticks(99_000), by: 'mark' },
    }
    expect(dictionary.mixOrderDetail(catalog, canceled)).toMatchObject({
      state: 'canceled',
      status: 'canceled',
      cancelReason: 'stp_cancel',
      presetStopSurplusPrice: '70000',
      presetStopSurplusExecutePrice: '',
      presetStopLossPrice: '50000',
      presetStopLossExecutePrice: '49500',
    })
  })
})

const fill: FillEvent = {
  kind: 'fill',
  execId: 11,
  matchId: 9,
  orderId: 7,
  clientOid: 'alice-1',
  uid: 1001,
  wallet: 'usdt_futures',
  category: 'USDT-FUTURES',
  instrument: btcusdt.id,
  side: 'buy',
  bookSide: 'buy',
  orderType: 'limit',
  scope: 'taker',
  cause: 'user',
  holdMode: 'one_way_mode',
  effect: 'open',
  positionSide: 'net',
  price: ticks(120_000),
  quantity: lots(100),
  notional: amount(600_000_000_000n),
  fee: amount(360_000_000n),
  feeCoin: 1,
  realizedPnl: amount(0n),
  balance: amount(0n),
  paidCoin: undefined,
  paidBalance: amount(0n),
  baseAmount: amount(0n),
  at: 1_700_000_000_002,
}
const paid = { deduction: 'no', feeCoin: 'USDT', totalDeductionFee: '0', totalFee: '-3.6' }

test('feeDetail of a fill: an array for futures, an object for spot and margin', () => {
  expect(dictionary.mixFill(catalog, fill)).toMatchObject({
    tradeId: '11',
    feeDetail: [paid],
    baseVolume: '0.1',
    quoteVolume: '6000',
    tradeSide: 'buy_single',
    posMode: 'one_way_mode',
    tradeScope: 'taker',
  })
  const spot = dictionary.spotFill(catalog, { ...fill, instrument: btcusdtSpot.id, effect: 'spot' })
  expect(spot.feeDetail).toEqual(paid)
  expect(spot).not.toHaveProperty('posMode')
  expect(spot).not.toHaveProperty('category')
})

describe('spot orders', () => {
  const spot: OrderRecord = {
    ...order,
    category: 'SPOT',
    instrument: btcusdtSpot.id,
    intent: 'spot',
    price: ticks(6_000_050),
    quantity: lots(500_000),
  }

  test('feeDetail is JSON text with exact numbers, empty before the first fill', () => {
    expect(dictionary.spotOrder(catalog, spot).feeDetail).toBe('')
    const filled = {
      ...spot,
      filled: lots(1),
      filledNotional: amount(6_000_050n),
      averagePriceE8: 60_000_50000000n,
      fee: amount(1n),
      feeCoin: 0,
    }
    const { feeDetail } = dictionary.spotOrder(catalog, filled)
    expect(feeDetail).toContain('"totalFee":-0.00000001')
    expect(JSON.parse(feeDetail)).toEqual({
      newFees: { c: 0, d: 0, deduction: false, r: -1e-8, t: -1e-8, totalDeductionFee: 0 },
      BTC: { deduction: false, feeCoinCode: 'BTC', totalDeductionFee: 0, totalFee: -1e-8 },
    })
  })

  test.each([
    // engine             wire
    ['live', 'live'],
    ['partially_filled', 'partially_filled'],
    ['filled', 'filled'],
    ['canceled', 'cancelled'],
  ] as const)('status %s is %s', (status, wire) => {
    expect(dictionary.spotOrder(catalog, { ...spot, status }).status).toBe(wire)
    expect(dictionary.marginOrder(catalog, { ...spot, status }).status).toBe(wire)
    expect(dictionary.mixOrder(catalog, { ...order, status }).status).toBe(status)
  })

  test('a market buy is sized in quote coin and has price 0', () => {
    const buy = {
      ...spot,
      orderType: 'market',
      price: 0,
      quantity: lots(0),
      quoteAmount: amount(10_000_000_000n),
    } as const
    expect(dictionary.spotOrder(catalog, buy)).toMatchObject({ size: '100', price: '0', orderSource: 'market' })
    expect(dictionary.marginOrder(catalog, buy)).toMatchObject({ baseSize: '0', quoteSize: '100' })
  })

  test('an open order carries its price in priceAvg and the average in basePrice', () => {
    expect(dictionary.spotOpenOrder(catalog, spot)).toMatchObject({ priceAvg: '60000.5', basePrice: '0' })
  })

  test('a margin limit order says both sizes', () => {
    expect(dictionary.marginOrder(catalog, spot)).toMatchObject({ baseSize: '0.5', quoteSize: '30000.25', size: '0' })
  })
})

describe('E5 position', () => {
  const position: PositionView = {
    positionId: 3,
    instrument: btcusdt.id,
    wallet: 'usdt_futures',
    side: 'long',
    quantity: lots(1_000),
    locked: lots(300),
    opening: lots(200),
    openingNotional: amount(0n),
    margin: amount(300_000_000_000n),
    leverage: 20,
    marginMode: 'isolated',
    holdMode: 'one_way_mode',
    realizedPnl: amount(0n),
    unrealizedPnl: amount(-150_000_000n),
    entryNotional: amount(6_000_033_350_000n),
    markPrice: ticks(120_000),
    liquidationPrice: 0,
    maintenanceRate: rate(4_000_000_000n),
    marginRatio: rate(82_000_000_001n),
    breakEvenPrice: ticks(120_145),
    funding: undefined,
    fees: amount(3_600_000_000n),
    assetMode: 'single',
    autoMargin: false,
    takeProfit: undefined,
    stopLoss: { orderId: 12, trigger: ticks(100_000) },
    openedAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_005,
  }

  test('every field of the interface', () => {
    expect(dictionary.mixPosition(catalog, position)).toEqual({
      symbol: 'BTCUSDT',
      marginCoin: 'USDT',
      holdSide: 'long',
      openDelegateSize: '0.2',
      marginSize: '3000',
      available: '0.7',
      locked: '0.3',
      total: '1',
      leverage: '20',
      achievedProfits: '0',
      openPriceAvg: '60000.334',
      marginMode: 'isolated',
      posMode: 'one_way_mode',
      unrealizedPL: '-1.5',
      liquidationPrice: '0',
      keepMarginRate: '0.004',
      markPrice: '60000',
      marginRatio: '0.08200001',
      breakEvenPrice: '60072.5',
      totalFee: '',
      deductedFee: '36',
      grant: '',
      assetMode: 'single',
      autoMargin: 'off',
      takeProfit: null,
      stopLoss: '50000',
      takeProfitId: null,
      stopLossId: '12',
      cTime: '1700000000000',
      uTime: '1700000000005',
    })
  })

  test.each([
    // funding        totalFee
    [undefined, ''],
    [amount(0n), '0'],
    [amount(-250_000_000n), '-2.5'],
    [amount(250_000_000n), '2.5'],
  ])('funding %s shows as %j', (funding, shown) => {
    expect(dictionary.mixPosition(catalog, { ...position, funding }).totalFee).toBe(shown)
  })

  test('inverse sizes are contracts over the entry price, and still add up', () => {
    const inverse: PositionView = {
      ...position,
      instrument: btcusd.id,
      quantity: lots(30_000),
      locked: lots(10_000),
      opening: lots(0),
      openingNotional: amount(0n),
      entryNotional: amount(49_999_583n),
    }
    expect(dictionary.mixPosition(catalog, inverse)).toMatchObject({
      total: '0.499995',
      available: '0.33333',
      locked: '0.166665',
      marginCoin: 'BTC',
    })
  })

  test('an entry price of endless decimals does not cost a step of the size: 20000 contracts for 0.3 are 0.3', () => {
    const inverse = { ...position, instrument: btcusd.id, quantity: lots(20_000), locked: lots(0) }
    const shown = dictionary.mixPosition(catalog, { ...inverse, entryNotional: amount(30_000_000n) })
    expect(shown).toMatchObject({ total: '0.3', available: '0.3', locked: '0' })
  })
})

test('E4: frozen is what open orders hold, available what cross margin may use', () => {
  const asset: FuturesAssetView = {
    coin: 1,
    wallet: 'usdt_futures',
    held: amount(100_000_000n),
    crossMaxAvailable: amount(9_900_000_000n),
    isolatedMaxAvailable: amount(9_800_000_000n),
    maxTransferOut: amount(9_700_000_000n),
    equity: amount(10_000_000_000n),
    usdtEquity: amount(10_000_000_000n),
    btcEquity: amount(166_666n),
    unrealizedPnl: amount(-1n),
    crossUnrealizedPnl: amount(-1n),
    isolatedUnrealizedPnl: amount(0n),
    crossMargin: amount(0n),
    unifiedMaintenance: amount(0n),
    unifiedRatio: rate(0n),
    isolatedMargin: amount(0n),
    assetMode: 'single',
    updatedAt: 1_700_000_000_000,
  }
  expect(dictionary.subAccountAsset(catalog, asset)).toEqual({
    marginCoin: 'USDT',
    available: '99',
    frozen: '1',
    locked: '1',
    crossedMaxAvailable: '99',
    isolatedMaxAvailable: '98',
    maxTransferOut: '97',
    accountEquity: '100',
    usdtEquity: '100',
    btcEquity: '0.00166666',
    unrealizedPL: '-0.00000001',
    uTime: '1700000000000',
  })
})

test('a margin asset: net is the balance less what is owed', () => {
  const balance: BalanceView = {
    coin: 1,
    balance: amount(10_000_000_000n),
    held: amount(1_000_000_000n),
    available: amount(9_000_000_000n),
    transferable: amount(0n),
    principal: amount(2_000_000_000n),
    interest: amount(10_000_000n),
  }
  expect(dictionary.marginAsset(catalog, balance, 5)).toMatchObject({
    totalAmount: '100',
    available: '90',
    frozen: '10',
    borrow: '20',
    interest: '0.1',
    net: '79.9',
  })
})

describe('what can be traded', () => {
  const risk = {
    adlStartShare: rate(700_000_000_000n),
    adlEndShare: rate(900_000_000_000n),
    orderMarginMarkup: rate(50_000_000_000n),
    orderFeeMarkup: rate(250_000_000_000n),
    profitAsMargin: false,
    reduceTiers: 2,
  }
  const listed = { risk, markPrice: ticks(600_000) }

  test('a contract says what an opening order holds beyond its margin and fee', () => {
    expect(dictionary.contract(catalog, btcusdt, listed)).toMatchObject({
      openCostUpRatio: '0.05',
      feeRateUpRatio: '0.25',
    })
  })

  test.each([
    // contract   sizeMultiplier  volumePlace  minTradeNum  quoteCoin  margin coins
    [btcusdt, '0.001', '3', '0.001', 'USDT', ['USDT']],
    [btcusd, '0.000001', '6', '0.000001', 'USD', ['BTC']],
  ] as const)(
    'contract %#: volumePlace has the decimals of sizeMultiplier',
    (instrument, step, place, least, quote, coins) => {
      expect(dictionary.contract(catalog, instrument, listed)).toMatchObject({
        sizeMultiplier: step,
        volumePlace: place,
        minTradeNum: least,
        quoteCoin: quote,
        supportMarginCoins: coins,
        minTradeUSDT: '5',
      })
    },
  )

  test('contract: the tick is priceEndStep in the last decimal of pricePlace', () => {
    expect(dictionary.contract(catalog, btcusdt, listed)).toMatchObject({ pricePlace: '1', priceEndStep: '5' })
  })

  test('a spot symbol has no symbolType: clients know spot by that', () => {
    expect(dictionary.spotSymbol(catalog, btcusdtSpot)).not.toHaveProperty('symbolType')
  })

  test('booleans: strings for coins, real ones for margin currencies', () => {
    expect(dictionary.coinRecord(catalog.coins[0]).transfer).toBe('true')
    expect(dictionary.marginCurrency(catalog, btcusdtSpot).isBorrowable).toBe(true)
  })
})

test('a price of zero is 0 and a whole number has no point', () => {
  expect(dictionary.priceText(btcusdt, 0)).toBe('0')
  expect(dictionary.quantityText(btcusdt, 1_000 as Lots)).toBe('1')
})
