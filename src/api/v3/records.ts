/**
 * The shapes of v3 answers, as schemas: what each record carries, in the order of the reference.
 *
 * Holds     every value is a string unless its shape says otherwise; a field is never missing from its record
 * Not here  what the values mean and how they are made (dictionary.ts)
 * Source    interface.md "Resources and their fields"; wire/v3-endpoints.md
 */
import Type from 'typebox'
import { texts } from '../parsing/fields.ts'

const text = Type.String()
const textOrNull = Type.Union([Type.String(), Type.Null()])

export const Done = Type.Literal('success')

// orders and fills

/** `orderId` is null when earlier reduce-only orders had to go (interface E2 rule 6). */
export const Placed = Type.Object({ orderId: textOrNull, clientOid: text })
/** One entry of a batch: `code` and `msg` only when it failed; its `orderId` is then empty. */
export const BatchEntry = Type.Object({
  orderId: textOrNull,
  clientOid: text,
  code: Type.Optional(text),
  msg: Type.Optional(text),
})
export const Acknowledgement = texts('orderId', 'clientOid')
export const Canceled = texts('orderId', 'clientOid', 'code', 'msg')

const FeeDetail = texts('feeCoin', 'fee')

export const Fill = Type.Object({
  ...texts('execId', 'execLinkId', 'orderId', 'clientOid', 'category', 'symbol', 'orderType', 'side').properties,
  ...texts('tradeSide', 'execPrice', 'execQty', 'execValue', 'tradeScope').properties,
  feeDetail: Type.Array(FeeDetail),
  ...texts('createdTime', 'updatedTime', 'execPnl', 'isRPI').properties,
})

export const PublicFill = texts('execId', 'execLinkId', 'price', 'size', 'side', 'ts', 'isRPI')

/** Take-profit and stop-loss fields are null when there is none; a limit price is empty when it goes at market. */
export const OpenOrder = Type.Object({
  ...texts('orderId', 'clientOid', 'category', 'symbol', 'orderType', 'side', 'price', 'qty', 'amount').properties,
  ...texts('cumExecQty', 'cumExecValue', 'avgPrice', 'timeInForce', 'orderStatus', 'posSide', 'holdMode').properties,
  ...texts('tradeSide', 'delegateType', 'reduceOnly', 'marginMode').properties,
  feeDetail: Type.Array(FeeDetail),
  ...texts('createdTime', 'updatedTime', 'stpMode').properties,
  tpTriggerBy: textOrNull,
  slTriggerBy: textOrNull,
  takeProfit: textOrNull,
  stopLoss: textOrNull,
  tpOrderType: textOrNull,
  slOrderType: textOrNull,
  tpLimitPrice: textOrNull,
  slLimitPrice: textOrNull,
})

export const Order = Type.Object({ ...OpenOrder.properties, cancelReason: text, execType: text })

export function pageOf<Row extends Parameters<typeof Type.Array>[0]>(row: Row) {
  return Type.Object({ list: Type.Array(row), cursor: textOrNull })
}

// strategy (trigger) orders

/** What does not apply is empty; `side` is the side of the book that comes of it. */
export const StrategyOrder = Type.Object({
  ...texts('orderId', 'clientOid', 'category', 'symbol', 'type', 'qty', 'side', 'posSide', 'status').properties,
  ...texts('triggerType', 'tpTriggerBy', 'slTriggerBy', 'takeProfit', 'stopLoss', 'tpOrderType').properties,
  ...texts('slOrderType', 'tpLimitPrice', 'slLimitPrice', 'triggerBy', 'triggerPrice').properties,
  ...texts('triggerOrderType', 'triggerOrderPrice', 'createdTime', 'updatedTime').properties,
  callbackRatio: Type.Optional(Type.String({ description: 'of trailing trigger orders' })),
  rangeRate: Type.Optional(Type.String({ description: 'of trailing tpsl' })),
  currentTriggerPrice: Type.Optional(Type.String({ description: 'of trailing orders' })),
})

// positions

export const Position = texts(
  'category',
  'symbol',
  'marginCoin',
  'holdMode',
  'posSide',
  'marginMode',
  'positionBalance',
  'available',
  'frozen',
  'total',
  'leverage',
  'curRealisedPnl',
  'avgPrice',
  'positionStatus',
  'unrealisedPnl',
  'liquidationPrice',
  'mmr',
  'profitRate',
  'markPrice',
  'breakEvenPrice',
  'totalFunding',
  'openFeeTotal',
  'closeFeeTotal',
  'createdTime',
  'updatedTime',
)

export const ClosedPosition = texts(
  'positionId',
  'category',
  'symbol',
  'marginCoin',
  'holdMode',
  'posSide',
  'marginMode',
  'openPriceAvg',
  'closePriceAvg',
  'openTotalPos',
  'closeTotalPos',
  'cumRealisedPnl',
  'netProfit',
  'totalFunding',
  'openFeeTotal',
  'closeFeeTotal',
  'createdTime',
  'updatedTime',
)

const MovedOrder = texts('orderId', 'clientOid', 'code', 'msg')
export const MovedPositions = Type.Object({
  closePosition: Type.Array(MovedOrder),
  openPosition: Type.Array(MovedOrder),
})
export const MovedPosition = texts(
  'category',
  'fromUid',
  'toUid',
  'orderId',
  'openExecId',
  'closeExecId',
  'symbol',
  'posSide',
  'qty',
  'price',
  'status',
  'createdTime',
  'updatedTime',
)

// account

export const Settings = Type.Object({
  ...texts('uid', 'accountMode', 'assetMode', 'accountLevel', 'holdMode', 'stpMode').properties,
  symbolConfigList: Type.Array(
    Type.Object({
      ...texts('category', 'symbol', 'marginMode').properties,
      // A list where long and short have each their own.
      leverage: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 2, maxItems: 2 })]),
    }),
  ),
  coinConfigList: Type.Array(texts('coin', 'leverage')),
})

export const CoinAsset = texts('coin', 'equity', 'usdValue', 'balance', 'available', 'debt', 'locked')
export const Assets = Type.Object({
  ...texts('accountEquity', 'usdtEquity', 'btcEquity', 'unrealisedPnl', 'usdtUnrealisedPnl').properties,
  // The reference spells this one with a z.
  ...texts('btcUnrealizedPnl', 'effEquity', 'mmr', 'imr', 'mgnRatio', 'positionMgnRatio').properties,
  assets: Type.Array(CoinAsset),
})

export const LoanTerms = texts('dailyInterest', 'annualInterest', 'limit', 'masterSubLimit', 'platformRemaingQuota')
export const LoanData = Type.Object({
  ...texts('currentLoans', 'interestPaymentTime').properties,
  debtCoinList: Type.Array(texts('coin', 'debt', 'interestFreeAmount', 'interestRateNextHour')),
})
export const DebtsRepaid = texts('result', 'repayAmount')
export const FundingAsset = texts('coin', 'available', 'frozen', 'balance')
export const Transferred = texts('transferId', 'clientOid')
export const FeeRate = texts('makerFeeRate', 'takerFeeRate')
export const MaxTransferable = texts('coin', 'maxTransfer', 'borrowMaxTransfer')
export const OrderCount = texts('uid', 'date', 'orderCount')

// delta and quotas

export const DeltaInfo = Type.Object({
  ...texts('deltaEquityRatio', 'deltaThreshold', 'positionThreshold').properties,
  list: Type.Array(texts('coin', 'positionRatio')),
})
export const RateLimitQuota = Type.Object({
  category: Type.String(),
  quotaList: Type.Array(texts('uid', 'quota')),
  ...texts('masterSubQuota', 'masterSubCap', 'cursor').properties,
})

// bills, transfers, conversions

export const FinancialRecord = texts(
  'category',
  'id',
  'symbol',
  'coin',
  'type',
  'amount',
  'fee',
  'balance',
  'ts',
  'positionType',
  'positionAmount',
  'positionBalance',
)
export const FundingRecord = texts('id', 'coin', 'groupType', 'type', 'amount', 'balance', 'ts')
export const FamilyTransfer = Type.Object({
  ...texts('transferId', 'oldTransferId', 'fromType', 'toType', 'amount', 'coin', 'fromUserId', 'toUserId').properties,
  ...texts('status', 'clientOid', 'createdTime', 'updatedTime').properties,
})
export const ConvertRecord = texts('fromCoin', 'fromCoinSize', 'toCoin', 'toCoinSize', 'price', 'ts')

// deposits and withdrawals

export const DepositAddress = texts('address', 'chain', 'coin', 'tag', 'url')
const ChainTransfer = texts(
  'orderId',
  'clientOid',
  'recordId',
  'coin',
  'type',
  'dest',
  'size',
  'status',
  'fromAddress',
  'toAddress',
  'tag',
  'chain',
  'createdTime',
  'updatedTime',
)
export const DepositRecord = ChainTransfer
export const WithdrawalRecord = Type.Object({ ...ChainTransfer.properties, ...texts('fee', 'confirm').properties })
export const WithdrawalAddress = texts(
  'coin',
  'chain',
  'address',
  'countryCode',
  'label',
  'memo',
  'type',
  'internalType',
  'createdTime',
)
export const WithdrawalAddresses = Type.Object({ addressList: Type.Array(WithdrawalAddress), cursor: textOrNull })

// liquidations and reserves

export const LiquidationRecord = texts('symbol', 'side', 'price', 'amount', 'ts')
export const RiskReserve = Type.Object({
  coin: text,
  totalBalance: text,
  riskReserveRecords: Type.Array(texts('balance', 'amount', 'ts', 'type')),
})
export const RiskReserveHours = Type.Object({
  coin: text,
  riskReserveRecords: Type.Array(texts('balance', 'amount', 'ts')),
})
export const RiskReserves = Type.Object({
  list: Type.Array(Type.Object({ symbols: Type.Array(text), coin: text, balance: text })),
})
export const ProofOfReserves = Type.Object({
  merkleRootHash: text,
  totalReserveRatio: text,
  list: Type.Array(texts('coin', 'userAssets', 'platformAssets', 'reserveRatio')),
})

// accounts

export const AccountInfo = Type.Object({
  ...texts('userId', 'inviterId', 'parentId', 'channelCode', 'channel', 'ips', 'permType').properties,
  permissions: Type.Array(text),
  regisTime: text,
})
export const SymbolFeeRate = texts('symbol', 'makerFeeRate', 'takerFeeRate')
export const MaxWithdrawal = texts(
  'coin',
  'otcMaxWithdrawal',
  'spotMaxWithdrawal',
  'utaMaxWithdrawal',
  'totalMaxWithdrawal',
)
/** Of the caller; the market's own is OpenInterestLimit. */
export const UserOpenInterestLimit = texts('symbol', 'singleUserLimit', 'masterSubLimit', 'marketMakerLimit')
const DebtCoin = texts('coin', 'size', 'amount')
export const RepayableCoins = Type.Object({ repayableCoinList: Type.Array(DebtCoin), maxSelection: text })
export const PaymentCoins = Type.Object({ paymentCoinList: Type.Array(DebtCoin), maxSelection: text })
export const LeveragePreview = texts('estMaxOpen', 'estMaxBorrowable', 'requiredMargin', 'marginChange')
export const CollateralType = texts('collateralType', 'collateralCoins')
export const DeductInfo = texts('deduct')
export const SwitchStatus = texts('status', 'reason')

// sub-accounts and their keys

export const NewSubAccount = texts('username', 'subUid', 'status', 'note', 'createdTime', 'updatedTime')
export const SubAccount = Type.Object({ ...NewSubAccount.properties, ...texts('accountMode', 'type').properties })
export const SubAccounts = Type.Object({ list: Type.Array(SubAccount), hasNext: Type.Boolean(), cursor: textOrNull })
export const NewAgent = texts('username', 'subUid', 'apiKey', 'secret', 'note', 'createdTime')
export const SubAssets = Type.Object({ subUid: text, cursor: text, assets: Type.Array(CoinAsset) })
export const SubKey = Type.Object({
  ...texts('note', 'apiKey', 'type').properties,
  permissions: Type.Array(text),
  ips: Type.Array(text),
})
export const NewSubKey = Type.Object({ ...SubKey.properties, secret: text })
export const ListedSubKey = Type.Object({ ...SubKey.properties, ts: text })
export const SubKeys = Type.Object({ items: Type.Array(ListedSubKey), hasNext: Type.Boolean(), cursor: textOrNull })

// market

const commonInstrumentFields = {
  ...texts('symbol', 'category', 'baseCoin', 'quoteCoin', 'buyLimitPriceRatio', 'sellLimitPriceRatio').properties,
  ...texts('minOrderQty', 'maxOrderQty', 'maxMarketOrderQty', 'pricePrecision', 'quantityPrecision').properties,
  ...texts('quotePrecision').properties,
  ...texts('minOrderAmount', 'maxSymbolOrderNum', 'maxProductOrderNum', 'makerFeeRate', 'takerFeeRate').properties,
  ...texts('priceMultiplier', 'quantityMultiplier', 'status', 'maintainTime', 'offTime', 'limitOpenTime').properties,
  ...texts('areaSymbol', 'symbolType', 'isRwa').properties,
}
export const SpotInstrument = Type.Object(commonInstrumentFields)
export const MarginInstrument = Type.Object({
  ...commonInstrumentFields,
  ...texts('isIsolatedBaseBorrowable', 'isIsolatedQuotedBorrowable', 'warningRiskRatio').properties,
  ...texts('liquidationRiskRatio', 'maxCrossedLeverage', 'maxIsolatedLeverage', 'userMinBorrow').properties,
})
export const FuturesInstrument = Type.Object({
  ...commonInstrumentFields,
  ...texts('type', 'feeRateUpRatio', 'openCostUpRatio', 'maxPositionNum', 'deliveryTime').properties,
  ...texts('deliveryStartTime', 'deliveryPeriod', 'launchTime', 'fundInterval', 'minLeverage').properties,
  ...texts('maxLeverage').properties,
})

const commonTickerFields = {
  ...texts('category', 'symbol', 'ts', 'lastPrice', 'openPrice24h', 'highPrice24h', 'lowPrice24h').properties,
  ...texts('ask1Price', 'bid1Price', 'bid1Size', 'ask1Size', 'price24hPcnt', 'volume24h', 'turnover24h').properties,
}
export const SpotTicker = Type.Object(commonTickerFields)
export const FuturesTicker = Type.Object({
  ...commonTickerFields,
  ...texts('indexPrice', 'markPrice', 'fundingRate', 'openInterest', 'deliveryStartTime').properties,
  ...texts('deliveryTime', 'deliveryStatus').properties,
})

/** Price and quantity, JSON numbers. */
const level = Type.Tuple([Type.Number(), Type.Number()])
export const OrderBook = Type.Object({ a: Type.Array(level), b: Type.Array(level), ts: text })

/** Start, open, high, low, close, volume in base coin, turnover in quote coin. */
export const Candle = Type.Tuple([text, text, text, text, text, text, text])

export const OpenInterest = Type.Object({ list: Type.Array(texts('symbol', 'openInterest')), ts: text })
export const PositionTier = texts('tier', 'minTierValue', 'maxTierValue', 'leverage', 'mmr')
export const CurrentFundingRate = texts(
  'symbol',
  'fundingRate',
  'fundingRateInterval',
  'nextUpdate',
  'minFundingRate',
  'maxFundingRate',
)
export const DiscountRate = Type.Object({ coin: text, list: Type.Array(texts('tierStartValue', 'discountRate')) })
export const OpenInterestLimit = texts('symbol', 'notionalValue', 'totalNotionalValue')
export const IndexComponents = Type.Object({
  symbol: text,
  componentList: Type.Array(texts('exchange', 'spotPair', 'equivalentPrice', 'weight')),
})
export const FundingRate = texts('symbol', 'fundingRate', 'fundingRateTimestamp')
