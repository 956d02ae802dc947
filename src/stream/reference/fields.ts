/**
 * What the fields of pushes are: how they are written, in which unit, and what they mean.
 *
 * Same words   a field that answers over HTTP have too means the same there; only others have words here
 * Written as   decimal, time, id and word are texts in JSON. A text may be empty where there is nothing to say
 */
import { wordsOf } from '../../api/api.ts'

export type FieldType = 'decimal' | 'number' | 'time' | 'id' | 'word' | 'list'

interface Kind {
  readonly type: FieldType
  /** Empty: none. */
  readonly unit: string
  readonly names: string
}

const quote = 'quote coin; USD of a coin-margined contract'
const base = 'base coin; contracts of 1 USD of a coin-margined contract in v3'
const margin = 'margin coin'
const share = 'share: 0.01 is 1 %'

const kinds: readonly Kind[] = [
  {
    type: 'decimal',
    unit: quote,
    names: `
      price priceAvg avgPrice lastPr lastPrice open24h openPrice24h high24h highPrice24h low24h lowPrice24h bidPr askPr
      bid1Price ask1Price openUtc markPrice indexPrice deliveryPrice p P open high low close openPriceAvg closePriceAvg
      liquidationPrice liqPrice breakEvenPrice triggerPrice executePrice stopSurplusPrice stopSurplusTriggerPrice
      stopLossPrice stopLossTriggerPrice presetStopSurplusPrice presetStopSurplusExecutePrice presetStopLossPrice
      presetStopLossExecutePrice currentTriggerPrice fillPrice takeprofit stoploss takeProfit stopLoss tpLimitPrice
      slLimitPrice triggerOrderPrice execPrice quoteVolume turnover24h turnover notional notionalUsd fillTotalAmount
      quoteSize fillNotionalUsd cumExecValue execValue amount
    `,
  },
  {
    type: 'decimal',
    unit: base,
    names: `
      size newSize baseSize bidSz askSz bid1Size ask1Size baseVolume volume24h volume v holdingAmount openInterest qty
      cumExecQty accBaseVolume execQty actualSize total openSize closeSize
    `,
  },
  {
    type: 'decimal',
    unit: margin,
    names: `
      maxOpenPosAvailable maxTransferOut unrealizedPL marginSize achievedProfits settleFee openFee closeFee deductedFee
      cashDividend pnl totalProfits profit unrealisedPnl curRealisedPnl totalFundingFee openFeeTotal closeFeeTotal
      totalProfit execPnl
    `,
  },
  {
    type: 'decimal',
    unit: 'coin of the row',
    names: `
      available frozen locked limitAvailable borrow interest coupon equity balance debts fillFee fee totalFee
      totalDeductionFee
    `,
  },
  { type: 'decimal', unit: 'USDT', names: 'usdtEquity usdtUnrealized usdtTurnover' },
  { type: 'decimal', unit: 'BTC', names: 'btcEquity' },
  {
    type: 'decimal',
    unit: 'USD',
    names: 'totalEquity effEquity unrealisedPnL bonus usdValue unionTotalMargin unionAvailable unionMm',
  },
  {
    type: 'decimal',
    unit: share,
    names: `
      change24h changeUtc24h price24hPcnt fundingRate keepMarginRate isolatedMarginRate marginRate unrealizedPLR
      profitRate crossedRiskRate imr mmr mgnRatio positionMgnRatio
    `,
  },
  { type: 'decimal', unit: 'per cent', names: 'callbackRatio' },
  { type: 'decimal', unit: 'levels of a side', names: 'maxDepth' },
  { type: 'decimal', unit: 'times', names: 'leverage' },
  { type: 'number', unit: '', names: 'checksum seq pseq' },
  {
    type: 'time',
    unit: 'Unix milliseconds',
    names: `
      ts cTime uTime createdTime updatedTime execTime fillTime triggerTime nextFundingTime deliveryStartTime deliveryTime
      start T
    `,
  },
  { type: 'id', unit: '', names: 'orderId tradeId posId execId execLinkId i L' },
  { type: 'list', unit: quote, names: 'asks bids a b' },
  { type: 'list', unit: '', names: 'feeDetail' },
]

const typed = new Map<string, Omit<Kind, 'names'>>(
  kinds.flatMap(({ type, unit, names }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { type, unit }] as const),
  ),
)

/** Of fields that no answer over HTTP has. */
const words: Readonly<Record<string, string>> = {
  fee: 'Fee so far, in its coin; negative where it is paid',
  feeDetail: 'Fees by coin; empty before the first fill',
  leverage: 'Leverage of the position or order',
  coin: 'The coin; of an account the list of its coins',
  i: 'Id of the trade for its taker',
  L: 'Id of the match, the same for both sides',
  p: 'Price of the trade',
  P: 'Price of the trade, once more',
  v: 'Quantity of the trade',
  S: 'Side of the taker: buy or sell',
  T: 'When it traded',
  accBaseVolume: 'Quantity that was filled so far',
  actualSize: 'Quantity of the order that was placed; 0 before the trigger',
  assetsMode: 'The same as assetMode',
  bonus: 'Vouchers of the account; always 0 here',
  cashDividend: 'Dividends of the position; always 0 here',
  checksum: 'CRC-32 of the best 25 levels of each side, as a signed number',
  start: 'When the candle begins',
  high: 'Highest price',
  low: 'Lowest price',
  close: 'Last price',
  volume: 'Quantity that was traded in it',
  turnover: 'Value that was traded in it',
  usdtTurnover: 'Value that was traded in it, once more',
  closeSize: 'Quantity that was closed in all',
  openSize: 'Quantity that was opened in all',
  settleFee: 'Funding of the whole life of the position: negative was paid, positive received',
  currentTriggerPrice: 'Price at which a trailing order is triggered as things stand; empty before it is active',
  debts: 'Interest that is owed of the coin',
  deliveryPrice: 'Price of the delivery; 0 before it',
  execTime: 'When it was filled',
  fillFee: 'Fee of the fill of this push; negative where it is paid',
  fillFeeCoin: 'Coin of that fee',
  fillNotionalUsd: 'Value of the fill of this push',
  fillPrice: 'Price of the fill of this push',
  fillTime: 'When it was filled',
  fillTotalAmount: 'Value of what was filled so far',
  instId: 'The instrument, such as BTCUSDT',
  isolatedMarginRate: 'Maintenance margin over equity of an isolated position; 0 of a crossed one',
  marginRate: 'Maintenance margin over equity: the position is liquidated at 1',
  liqPrice: 'Price of the mark at which the position is liquidated if all else stays; empty or 0: none',
  maxDepth: 'How many levels of a side `books` shows at most',
  maxOpenPosAvailable: 'What new cross positions can use',
  newSize: 'Quantity that was ordered',
  notional: 'Value of the order: at its limit price, at market what was filled',
  notionalUsd: 'Value of the order: at its limit price, at market what was filled',
  posId: 'Id of the position, from its opening to its end',
  pseq: 'The `seq` before; 0 on a snapshot and in the short books',
  seq: 'Number of the push of this book; it rises by one',
  requestId: 'The `requestId` of the change',
  stopLossPrice: 'Limit price of the stop-loss; empty: at market',
  stopSurplusPrice: 'Limit price of the take-profit; empty: at market',
  stoploss: 'Trigger price of the stop-loss; empty: none',
  takeprofit: 'Trigger price of the take-profit; empty: none',
  totalEquity: 'What the account is worth',
  totalFundingFee: 'Funding of the position so far: negative was paid, positive received',
  totalProfit: 'Profit or loss that the order has made by closing',
  triggerTime: 'When it was triggered; empty before',
  unrealizedPLR: 'Unrealized profit over the margin of the position',
  usdtUnrealized: 'Unrealized profit of all positions',
}

/** Undefined: it has no words. */
export function meaningOf(name: string): string | undefined {
  return words[name] ?? wordsOf('', name)
}

export function typeOf(name: string): Omit<Kind, 'names'> {
  return typed.get(name) ?? { type: 'word', unit: '' }
}
