/** What v2 says of a classic account in the terminal's own words: sides of the book, fees that are paid, why an order ended. */
import { describe, expect, test } from 'vitest'
import { units } from '../../web/numbers/decimal.ts'
import { causeOfClassic, causeOfUnified } from '../../web/venue/causes.ts'
import { instrumentOf } from '../../web/venue/instruments.ts'
import * as futures from '../../web/venue/v2/futures-records.ts'

const linear = instrumentOf({
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
})

const order: futures.OrderRecord = {
  symbol: 'BTCUSDT',
  orderId: '1',
  clientOid: 'a',
  side: 'buy',
  posMode: 'one_way_mode',
  tradeSide: 'buy_single',
  posSide: 'net',
  size: '0.5',
  price: '60000',
  priceAvg: '',
  baseVolume: '0.2',
  status: 'live',
  force: 'gtc',
  marginCoin: 'USDT',
  marginMode: 'crossed',
  reduceOnly: 'NO',
  orderType: 'limit',
  fee: '-7.2',
  presetStopSurplusPrice: '',
  presetStopLossPrice: '',
  cTime: '1000',
  uTime: '1000',
}

describe('a futures order', () => {
  // interface.md E3 rule 1: closing a long is side=buy
  test.each([
    ['one_way_mode', 'buy', 'buy_single', 'net', 'buy'],
    ['hedge_mode', 'buy', 'open', 'long', 'buy'],
    ['hedge_mode', 'buy', 'close', 'long', 'sell'],
    ['hedge_mode', 'sell', 'open', 'short', 'sell'],
    ['hedge_mode', 'sell', 'close', 'short', 'buy'],
    ['hedge_mode', 'buy', 'burst_close_long', 'long', 'sell'],
  ] as const)('%s, %s %s: a %s order of the book', (posMode, side, tradeSide, posSide, bookSide) => {
    const found = futures.orderOf('USDT-FUTURES', linear, { ...order, posMode, side, tradeSide, posSide }, undefined)
    expect([found.side, found.posSide]).toEqual([bookSide, posSide === 'net' ? undefined : posSide])
  })

  test('a list and a push say under other names what is filled and paid', () => {
    const listed = futures.orderOf('USDT-FUTURES', linear, order, undefined)
    // In a push `baseVolume` is what was filled just then.
    const { symbol: instId = '', fee: _fee, ...rest } = order
    const push = {
      ...rest,
      instId,
      baseVolume: '0.1',
      accBaseVolume: '0.2',
      feeDetail: [{ feeCoin: 'USDT', fee: '-7.2' }],
    }
    expect(futures.orderOf('USDT-FUTURES', linear, push, undefined)).toEqual(listed)
    expect([listed.symbol, listed.filled, listed.fee]).toEqual(['BTCUSDT', '0.2', '7.2'])
  })

  // v2 says no more than normal_cancel (docs/interface.md "Orders")
  test.each([
    [{ force: 'post_only', status: 'canceled' }, 'post_only_cancel'],
    [{ force: 'ioc', status: 'canceled' }, 'no_liquidity_cancel'],
    [{ orderType: 'market', status: 'canceled' }, 'no_liquidity_cancel'],
    [{ force: 'post_only', status: 'canceled', uTime: '2000' }, 'normal_cancel'],
    [{ force: 'gtc', status: 'canceled' }, 'normal_cancel'],
    [{ force: 'post_only', status: 'live' }, 'normal_cancel'],
  ] as const)('%o ended because of %s', (changes, reason) => {
    expect(futures.cancelReasonOf({ ...order, ...changes }, 'normal_cancel')).toBe(reason)
  })
})

test('a fill of a list names the direction of the position, one of a push the side of the book', () => {
  const fill: futures.FillRecord = {
    tradeId: '5',
    symbol: 'BTCUSDT',
    orderId: '1',
    price: '60000',
    baseVolume: '0.1',
    feeDetail: [{ feeCoin: 'USDT', totalFee: '-3.6' }],
    side: 'buy',
    posMode: 'hedge_mode',
    tradeSide: 'close',
    profit: '10',
    tradeScope: 'taker',
    cTime: '1000',
  }
  const listed = futures.fillOf('USDT-FUTURES', linear, fill)
  expect([listed.side, listed.tradeSide, listed.fee]).toEqual(['sell', 'close', '3.6'])
  expect(futures.pushedFillOf('USDT-FUTURES', linear, { ...fill, side: 'sell' })).toEqual(listed)
})

test('what backs cross positions is neither the margin nor the profit of isolated ones', () => {
  const found = futures.futuresBalanceOf({
    marginCoin: 'USDT',
    locked: '10',
    crossedMaxAvailable: '900',
    maxTransferOut: '800',
    accountEquity: '1600',
    usdtEquity: '1600',
    unrealizedPL: '150',
    crossedRiskRate: '0.05',
    isolatedMargin: '500',
    isolatedUnrealizedPL: '50',
  })
  // 1,600 − 500 − 50 back them, of which 5 % are needed; 950 are the wallet's own
  expect(found.marginState?.equity).toBe('1050')
  expect(units(found.marginState?.maintenanceMargin)).toBe(units('52.5'))
  expect(found.balance).toBe('950')
})

describe('why an order exists', () => {
  // interface.md E3; docs/risk.md "How a liquidation goes"
  test.each([
    ['burst_sell_single', 'liquidation', 'liquidation'],
    ['burst_close_long', '', 'liquidation'],
    ['reduce_close_short', '', 'reduce'],
    ['reduce_sell_single', 'reduce_offset', 'offset'],
    ['offset_close_long', 'reduce_offset', 'offset'],
    ['delivery_buy_single', 'delivery_close_short', 'delivery'],
    ['dte_sys_adl_close_long', 'market_risk', 'adl'],
    ['dte_sys_adl_sell_in_single_side_mode', '', 'adl'],
    ['close', 'pos_profit_market', 'take-profit'],
    ['close', 'loss_limit', 'stop-loss'],
    ['buy_single', 'plan_market', 'trigger'],
    ['buy_single', 'tracking_market', 'trailing'],
    ['buy_single', 'modify_order_limit', 'replace'],
    ['buy_single', 'normal', undefined],
    ['open', 'market', undefined],
  ])('v2 %s, %s: %s', (tradeSide, orderSource, cause) => {
    expect(causeOfClassic(tradeSide, orderSource)).toBe(cause)
  })

  test.each([
    ['liquidation', '0.5', '17.1', 'liquidation'],
    ['reduce', '0.5', '17.1', 'reduce'],
    ['reduce', '0.5', '0', 'adl'],
    ['reduce', '0', '', 'reduce'],
    ['offset', '0.5', '0', 'offset'],
    ['delivery', '0.5', '0', 'delivery'],
    ['normal', '0.5', '17.1', undefined],
    [undefined, '0', '', undefined],
  ])('v3 %s, filled %s for a fee of %s: %s', (execType, filled, fee, cause) => {
    expect(causeOfUnified(execType, filled, fee)).toBe(cause)
  })
})
