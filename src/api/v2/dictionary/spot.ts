/**
 * Spot and cross-margin records of v2: orders, fills, balances, interest; and who the caller is.
 *
 * Fees      of a spot order JSON text, of a fill an object; negative when paid
 * Prices    an open spot order says its price as `priceAvg` and its average as `basePrice`, as clients expect
 * Source    wire/client-endpoints.md §4, §5
 */
import type { Catalog, Coin, Instrument } from '../../../engine/catalog/catalog.ts'
import { divFloor, pow10, type Rate } from '../../../engine/numbers/numbers.ts'
import type { FillEvent, OrderRecord, TriggerRecord } from '../../../engine/protocol/event.ts'
import type { AccountView, BalanceView } from '../../../engine/protocol/query.ts'
import type { ApiKey } from '../../keys/keys.ts'
import type * as records from '../records.ts'
import {
  amountText,
  averagePriceText,
  coinName,
  feeText,
  instrumentOf,
  priceE8,
  priceText,
  quantityE8,
  quantityText,
  rateText,
} from './figures.ts'
import { feeDetail } from './futures.ts'
import { cancelReasonWord, causeOfTrigger, enterPointSourceWord, orderSourceWord, spotStatus } from './words.ts'

/** A market buy is ordered in quote coin. */
function spotSizeText(order: OrderRecord, instrument: Instrument): string {
  return order.quoteAmount > 0n ? amountText(order.quoteAmount) : quantityText(instrument, order.quantity)
}

function spotOrderBase(catalog: Catalog, order: OrderRecord) {
  const instrument = instrumentOf(catalog, order)
  return {
    userId: String(order.uid),
    symbol: instrument.symbol,
    orderId: String(order.orderId),
    clientOid: order.clientOid,
    size: spotSizeText(order, instrument),
    orderType: order.orderType,
    side: order.bookSide,
    status: spotStatus[order.status],
    baseVolume: quantityText(instrument, order.filled),
    quoteVolume: amountText(order.filledNotional),
    enterPointSource: enterPointSourceWord(order.cause),
    orderSource: orderSourceWord({ ...order, effect: order.intent }),
    cTime: String(order.createdAt),
    uTime: String(order.updatedAt),
  }
}

export function spotOrder(catalog: Catalog, order: OrderRecord): records.SpotOrder {
  const instrument = instrumentOf(catalog, order)
  return {
    ...spotOrderBase(catalog, order),
    price: priceText(instrument, order.price),
    priceAvg: averagePriceText(order, instrument, '0'),
    feeDetail: spotFeeText(catalog, order),
    cancelReason: cancelReasonWord(order.cancelReason),
    baseCoin: coinName(catalog, instrument.base),
    quoteCoin: coinName(catalog, instrument.quote),
    tpslType: 'normal',
    triggerPrice: null,
  }
}

export function spotPlanSubOrder(catalog: Catalog, order: OrderRecord): records.PlanSubOrder {
  const { orderId, price, orderType, status } = spotOrder(catalog, order)
  return { orderId, price, type: orderType, status }
}

/** JSON text: `newFees` and the fee by coin. The amounts in it are JSON numbers, written exactly. */
function spotFeeText(catalog: Catalog, order: OrderRecord): string {
  if (order.filled === 0) return ''
  const coin = coinName(catalog, order.feeCoin)
  const fee = feeText(order.fee)
  const newFees = `"newFees":{"c":0,"d":0,"deduction":false,"r":${fee},"t":${fee},"totalDeductionFee":0}`
  return `{${newFees},"${coin}":{"deduction":false,"feeCoinCode":"${coin}","totalDeductionFee":0,"totalFee":${fee}}}`
}

export function spotOpenOrder(catalog: Catalog, order: OrderRecord): records.SpotOpenOrder {
  const instrument = instrumentOf(catalog, order)
  return {
    ...spotOrderBase(catalog, order),
    priceAvg: priceText(instrument, order.price),
    basePrice: averagePriceText(order, instrument, '0'),
    ...tpslTexts(instrument, order),
    tpslType: 'normal',
    triggerPrice: null,
  }
}

function tpslTexts(
  instrument: Instrument,
  { takeProfit, stopLoss }: Pick<OrderRecord, 'takeProfit' | 'stopLoss'>,
): Pick<
  records.SpotOpenOrder,
  'presetTakeProfitPrice' | 'executeTakeProfitPrice' | 'presetStopLossPrice' | 'executeStopLossPrice'
> {
  return {
    presetTakeProfitPrice: takeProfit ? priceText(instrument, takeProfit.trigger) : '',
    executeTakeProfitPrice: takeProfit?.execute ? priceText(instrument, takeProfit.execute) : '',
    presetStopLossPrice: stopLoss ? priceText(instrument, stopLoss.trigger) : '',
    executeStopLossPrice: stopLoss?.execute ? priceText(instrument, stopLoss.execute) : '',
  }
}

/** A trigger order that waits, as an open order: nothing of it has traded. */
export function spotWaitingOrder(catalog: Catalog, trigger: TriggerRecord): records.SpotOpenOrder {
  const instrument = instrumentOf(catalog, trigger)
  const orderType = trigger.execute === 0 ? 'market' : 'limit'
  const { bookSide, holdMode, positionSide, intent } = trigger
  const cause = causeOfTrigger[trigger.trigger]
  return {
    userId: String(trigger.uid),
    symbol: instrument.symbol,
    orderId: String(trigger.orderId),
    clientOid: trigger.clientOid,
    size: trigger.quoteAmount > 0n ? amountText(trigger.quoteAmount) : quantityText(instrument, trigger.quantity),
    orderType,
    side: bookSide,
    status: 'live',
    priceAvg: priceText(instrument, trigger.execute),
    basePrice: '0',
    baseVolume: '0',
    quoteVolume: '0',
    enterPointSource: enterPointSourceWord(cause),
    orderSource: orderSourceWord({ cause, orderType, holdMode, bookSide, positionSide, effect: intent }),
    ...tpslTexts(instrument, trigger),
    tpslType: 'tpsl',
    triggerPrice: priceText(instrument, trigger.price),
    cTime: String(trigger.createdAt),
    uTime: String(trigger.updatedAt),
  }
}

export function spotFill(catalog: Catalog, fill: FillEvent): records.SpotFill {
  const instrument = instrumentOf(catalog, fill)
  return { userId: String(fill.uid), symbol: instrument.symbol, ...marginFill(catalog, fill) }
}

export function spotAsset(catalog: Catalog, balance: BalanceView, now: number): records.SpotAsset {
  return {
    coin: coinName(catalog, balance.coin),
    available: amountText(balance.available),
    frozen: amountText(balance.held),
    locked: '0',
    limitAvailable: '0',
    uTime: String(now),
  }
}

export function marginOrder(catalog: Catalog, order: OrderRecord): records.MarginOrder {
  const instrument = instrumentOf(catalog, order)
  const quote =
    order.quoteAmount > 0n
      ? order.quoteAmount
      : divFloor(quantityE8(instrument, order.quantity) * priceE8(instrument, order.price), pow10(8))
  return {
    orderId: String(order.orderId),
    symbol: instrument.symbol,
    orderType: order.orderType,
    enterPointSource: enterPointSourceWord(order.cause),
    clientOid: order.clientOid,
    loanType: order.loanType,
    price: priceText(instrument, order.price),
    side: order.bookSide,
    status: spotStatus[order.status],
    baseSize: quantityText(instrument, order.quantity),
    quoteSize: amountText(quote),
    priceAvg: averagePriceText(order, instrument, '0'),
    size: quantityText(instrument, order.filled),
    amount: amountText(order.filledNotional),
    force: order.timeInForce,
    cTime: String(order.createdAt),
    uTime: String(order.updatedAt),
  }
}

export function marginFill(catalog: Catalog, fill: FillEvent): records.MarginFill {
  const instrument = instrumentOf(catalog, fill)
  return {
    orderId: String(fill.orderId),
    tradeId: String(fill.execId),
    orderType: fill.orderType,
    side: fill.bookSide,
    priceAvg: priceText(instrument, fill.price),
    size: quantityText(instrument, fill.quantity),
    amount: amountText(fill.notional),
    tradeScope: fill.scope,
    cTime: String(fill.at),
    uTime: String(fill.at),
    feeDetail: feeDetail(catalog, fill),
  }
}

export function marginAsset(catalog: Catalog, balance: BalanceView, now: number): records.MarginAsset {
  return {
    coin: coinName(catalog, balance.coin),
    totalAmount: amountText(balance.balance),
    available: amountText(balance.available),
    frozen: amountText(balance.held),
    borrow: amountText(balance.principal),
    interest: amountText(balance.interest),
    net: amountText(balance.balance - balance.principal - balance.interest),
    coupon: '0',
    cTime: String(now),
    uTime: String(now),
  }
}

/** The rate per day and per year of 365 days; `maxBorrowableAmount` is what one account may owe at most. */
export function interestRate(coin: Coin, daily: Rate, annual: Rate): records.InterestRate {
  const limit = amountText(coin.borrowLimit)
  const rates = { dailyInterestRate: rateText(daily), annualInterestRate: rateText(annual) }
  return {
    coin: coin.name,
    leverage: String(coin.marginLeverageMax),
    ...rates,
    maxBorrowableAmount: limit,
    transferable: true,
    borrowable: coin.borrowable,
    vipList: [{ level: '0', limit, ...rates, discountRate: '1' }],
  }
}

export function accountInfo(account: AccountView, key: ApiKey): records.AccountInfo {
  return {
    userId: String(account.uid),
    inviterId: '',
    channelCode: account.broker?.channelCode ?? '',
    channel: '',
    ips: key.ipList.join(','),
    authorities: [...key.permissions],
    parentId: account.parentUid ?? account.uid,
    traderType: account.copyTrader === undefined ? 'not_trader' : 'trader',
    regisTime: String(account.createdAt),
  }
}

export function tradeRate(instrument: Instrument): records.TradeRate {
  return { makerFeeRate: rateText(instrument.makerFeeRate), takerFeeRate: rateText(instrument.takerFeeRate) }
}
