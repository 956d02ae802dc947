/**
 * The shapes of v2 answers, as schemas: what each record carries, in the order of the reference.
 *
 * Holds     every value is a string unless its shape says otherwise; a field is never missing from its record
 * Not here  what the values mean and how they are made (dictionary.ts)
 * Source    interface.md "Resources and their fields"; wire/client-endpoints.md §4 and its traps in §5
 */
import { type Static, type TObject, type TSchema, type TString, Type } from 'typebox'

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
type Texts<Names extends string> = { [Name in Words<Names>]: TString }

/** String fields, one for each word of `names`. */
function texts<const Names extends string>(names: Names): Texts<Names> {
  return Object.fromEntries(names.split(' ').map((name) => [name, Type.String()])) as Texts<Names>
}

function record<const Names extends string>(names: Names): TObject<Texts<Names>> {
  return Type.Object(texts(names))
}

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** What waits: with nothing in it both are null, as the live venue answers; histories have an empty list. */
function waiting<Row extends TObject>(row: Row) {
  return Type.Object({ entrustedList: Type.Union([Type.Array(row), Type.Null()]), endId: textOrNull })
}

// acknowledgements

/** Done, and nothing to say but that. */
export const Done = Type.Literal('success')
/** Done, and nothing to say. */
export const Nothing = Type.Literal('')
export const Acknowledgement = record('orderId clientOid')
/** E3: `orderId` is absent when earlier reduce-only orders had to go (design §4.9). */
export const Placed = Type.Object({ orderId: Type.Optional(Type.String()), clientOid: Type.String() })
export const FailedOrder = record('orderId clientOid errorMsg errorCode')
export const BatchPlaced = Type.Object({ successList: Type.Array(Placed), failureList: Type.Array(FailedOrder) })
export const BatchCanceled = Type.Object({
  successList: Type.Array(Acknowledgement),
  failureList: Type.Array(FailedOrder),
})
/** `success`, or `failure` and why in `msg`. */
export const Replaced = Type.Object({ ...texts('orderId clientOid success'), msg: textOrNull })
export const PositionsClosed = Type.Object({
  successList: Type.Array(record('orderId clientOid symbol')),
  failureList: Type.Array(record('orderId clientOid symbol errorMsg errorCode')),
  // The live venue says so of a success too.
  result: Type.Literal(false),
})
export const CanceledSymbol = record('symbol')
export const Transferred = record('transferId clientOid')
/** The live venue has a field more than its documentation, which says nothing. */
export const WalletTransferred = Type.Object({ ...texts('transferId clientOid'), clientOrderId: Type.Null() })

// what the venue announces, and what is borrowed behind futures

export const Announcement = record('annId annTitle annDesc annType cTime language annUrl')
const FuturesInterestRow = record('coin liability interestFreeLimit interestLimit hourInterestRate interest cTime')
export const FuturesInterest = Type.Object({
  ...texts('nextSettleTime borrowAmount borrowLimit'),
  interestList: Type.Array(FuturesInterestRow),
  endId: Type.String(),
})
export const ExchangeRates = Type.Object({
  coin: Type.String(),
  exchangeRateList: Type.Array(record('tier minAmount maxAmount exchangeRate')),
})

// conversions

export const ConvertCurrency = record('coin available maxAmount minAmount')
export const ConvertQuote = record('fee fromCoinSize fromCoin cnvtPrice toCoinSize toCoin traceId')
export const ConvertTrade = record('ts cnvtPrice toCoinSize toCoin')
export const ConvertRecord = record('id ts cnvtPrice fee fromCoinSize fromCoin toCoinSize toCoin')
export const ConvertRecords = Type.Object({ dataList: Type.Array(ConvertRecord), endId: Type.String() })

// futures orders and fills

const mixOrderFields = {
  ...texts('symbol size orderId clientOid baseVolume fee price priceAvg status side force totalProfits posSide'),
  ...texts('marginCoin quoteVolume leverage marginMode reduceOnly enterPointSource tradeSide posMode orderType'),
  ...texts('orderSource cTime uTime presetStopSurplusPrice presetStopLossPrice'),
}
const tpslFields = texts(
  'presetStopSurplusType presetStopSurplusExecutePrice presetStopLossType presetStopLossExecutePrice',
)
export const MixOrder = Type.Object(mixOrderFields)
export const MixHistoryOrder = Type.Object({ ...mixOrderFields, ...texts('posAvg') })
export const MixOpenOrder = Type.Object({ ...mixOrderFields, ...tpslFields })
/** The detail says its status twice: some clients read `state`, others `status`. */
export const MixOrderDetail = Type.Object({ ...mixOrderFields, ...tpslFields, ...texts('state cancelReason') })
export const MixHistoryOrders = Type.Object({ entrustedList: Type.Array(MixHistoryOrder), endId: Type.String() })
export const MixOpenOrders = waiting(MixOpenOrder)

// trigger orders

const mixPlanFields = {
  ...texts('planType symbol size orderId clientOid price executePrice callbackRatio triggerPrice triggerType'),
  ...texts('planStatus side posSide marginCoin marginMode enterPointSource tradeSide posMode orderType cTime uTime'),
  currentTriggerPrice: Type.Optional(Type.String({ description: 'of trailing orders' })),
  // The trigger prices again, as orders call them.
  ...texts('presetStopSurplusPrice presetStopLossPrice'),
}
const planTpslNames = [
  ...(['stopSurplusExecutePrice', 'stopSurplusTriggerPrice', 'stopSurplusTriggerType'] as const),
  ...(['stopLossExecutePrice', 'stopLossTriggerPrice', 'stopLossTriggerType'] as const),
]
type PlanTpslName = (typeof planTpslNames)[number]
function planTpslFields<Field extends TSchema>(field: Field) {
  return Object.fromEntries(planTpslNames.map((name) => [name, field])) as Record<PlanTpslName, Field>
}
/** Of what waits without take-profit or stop-loss their fields are null, of what has ended empty. */
export const MixOpenPlan = Type.Object({ ...mixPlanFields, ...planTpslFields(textOrNull), ...texts('orderSource') })
export const MixEndedPlan = Type.Object({
  ...mixPlanFields,
  ...planTpslFields(Type.String()),
  ...texts('executeOrderId baseVolume priceAvg'),
})
export const PlanSubOrder = record('orderId price type status')
export const MixOpenPlans = waiting(MixOpenPlan)
export const MixEndedPlans = Type.Object({ entrustedList: Type.Array(MixEndedPlan), endId: Type.String() })
/** One for each order that was set; the client order ids are those of both. */
export const PositionTpsl = Type.Array(record('orderId stopSurplusClientOid stopLossClientOid'))
export const SpotPlan = record(
  'orderId clientOid symbol triggerPrice orderType executePrice planType size status side triggerType enterPointSource cTime uTime',
)
export const SpotPlans = Type.Object({
  nextFlag: Type.Boolean(),
  idLessThan: Type.String(),
  orderList: Type.Array(SpotPlan),
})
export const PlanCanceled = record('result')

export const FeeDetail = record('deduction feeCoin totalDeductionFee totalFee')
const mixFillFields = {
  ...texts('tradeId symbol marginCoin orderId price baseVolume'),
  feeDetail: Type.Array(FeeDetail),
  ...texts('side quoteVolume profit enterPointSource tradeSide posMode tradeScope cTime'),
}
export const MixFill = Type.Object(mixFillFields)
export const MixFills = Type.Object({ fillList: Type.Array(MixFill), endId: Type.String() })

// futures accounts and positions

export const MixPosition = Type.Object({
  ...texts('symbol marginCoin holdSide openDelegateSize marginSize available locked total'),
  ...texts('leverage achievedProfits openPriceAvg marginMode posMode unrealizedPL'),
  ...texts('liquidationPrice keepMarginRate markPrice marginRatio breakEvenPrice totalFee'),
  ...texts('deductedFee grant assetMode autoMargin'),
  takeProfit: textOrNull,
  stopLoss: textOrNull,
  takeProfitId: textOrNull,
  stopLossId: textOrNull,
  ...texts('cTime uTime'),
})

const futuresAssetFields = {
  ...texts('marginCoin locked available crossedMaxAvailable isolatedMaxAvailable maxTransferOut accountEquity'),
  ...texts('usdtEquity btcEquity unrealizedPL'),
}
export const SubAccountAsset = Type.Object({ ...futuresAssetFields, ...texts('frozen uTime') })
/** Clients read the equity under either name. */
export const SubAccountAssets = Type.Object({
  userId: Type.Integer(),
  assetList: Type.Array(Type.Object({ ...futuresAssetFields, ...texts('equity coupon') })),
})
export const AccountBalance = record('accountType usdtBalance')
export const FundingAsset = record('coin available frozen usdtValue')
const mixAccountFields = {
  ...futuresAssetFields,
  ...texts('crossedRiskRate coupon crossedUnrealizedPL isolatedUnrealizedPL assetMode'),
}
/** The three leverage fields are JSON numbers. */
export const MixAccount = Type.Object({
  ...mixAccountFields,
  crossedMarginLeverage: Type.Number(),
  isolatedLongLever: Type.Number(),
  isolatedShortLever: Type.Number(),
  ...texts('marginMode posMode'),
})
export const MixAccountOfList = Type.Object({
  ...mixAccountFields,
  // The first one is documented without its r, too.
  ...texts('unionTotalMargin unionTotalMagin unionAvailable unionMm isolatedMargin crossedMargin'),
  assetList: Type.Array(record('coin balance available')),
})
export const LeverageSetting = record('symbol marginCoin longLeverage shortLeverage crossMarginLeverage marginMode')
export const PositionModeSetting = record('posMode')
export const MarginModeSetting = record('symbol marginCoin longLeverage shortLeverage marginMode')

// spot

const spotOrderFields = {
  ...texts('userId symbol orderId clientOid size orderType side status priceAvg baseVolume quoteVolume'),
  ...texts('enterPointSource orderSource cTime uTime'),
}
/** `feeDetail` is JSON text, or empty while there is no fee. */
export const SpotOrder = Type.Object({
  ...spotOrderFields,
  ...texts('price feeDetail cancelReason baseCoin quoteCoin tpslType'),
  triggerPrice: Type.Null(),
})
/** Here `priceAvg` is the order's price and `basePrice` the average of its fills. */
export const SpotOpenOrder = Type.Object({
  ...spotOrderFields,
  ...texts('basePrice presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice'),
  ...texts('executeStopLossPrice tpslType'),
  triggerPrice: Type.Union([Type.String(), Type.Null()]),
})
export const SpotFill = Type.Object({
  ...texts('userId symbol orderId tradeId orderType side priceAvg size amount'),
  ...texts('tradeScope cTime uTime'),
  feeDetail: FeeDetail,
})
export const SpotAsset = record('coin available frozen locked limitAvailable uTime')
export const SpotSubAccountAssets = Type.Object({ ...texts('userId'), assetsList: Type.Array(SpotAsset) })

// cross margin

export const MarginOrder = Type.Object({
  ...texts('orderId symbol orderType enterPointSource clientOid loanType price side status baseSize quoteSize'),
  ...texts('priceAvg size amount force cTime uTime'),
})
export const MarginOrders = Type.Object({ orderList: Type.Array(MarginOrder), ...texts('maxId minId') })
/** Clients read the list under either name. */
export const MarginOpenOrders = Type.Object({
  orderList: Type.Array(MarginOrder),
  resultList: Type.Array(MarginOrder),
  ...texts('maxId minId'),
})
export const MarginFill = Type.Object({
  ...texts('orderId tradeId orderType side priceAvg size amount tradeScope cTime uTime'),
  feeDetail: FeeDetail,
})
export const MarginFills = Type.Object({ fills: Type.Array(MarginFill), ...texts('maxId minId') })
export const MarginAsset = record('coin totalAmount available frozen borrow interest net coupon cTime uTime')
export const Repaid = record('coin repayId remainDebtAmount repayAmount')
export const FlashRepaid = record('repayId coin')
export const FlashRepayStatus = record('repayId status')
export const Borrowed = record('loanId coin borrowAmount')

export const MaxBorrowable = record('coin maxBorrowableAmount')
export const MaxTransferOut = record('coin maxTransferOutAmount')
export const InterestRate = Type.Object({
  ...texts('coin leverage dailyInterestRate annualInterestRate maxBorrowableAmount'),
  transferable: Type.Boolean(),
  borrowable: Type.Boolean(),
  vipList: Type.Array(record('level limit dailyInterestRate annualInterestRate discountRate')),
})

// what happened in the cross-margin account

/** A list of these, with the newest and the oldest number on the page. */
export function marginList<Record extends TObject>(entry: Record) {
  return Type.Object({ resultList: Type.Array(entry), ...texts('maxId minId') })
}
export const MarginLoan = record('loanId coin borrowAmount borrowType cTime uTime')
export const MarginRepayment = record(
  'repayId coin repayAmount repayType repayInterest repayPrincipal symbol cTime uTime',
)
export const MarginInterest = record(
  'interestId interestCoin dailyInterestRate loanCoin interestAmount interstType symbol cTime uTime',
)
export const MarginLiquidation = record(
  'liqId symbol liqStartTime liqEndTime liqRiskRatio totalAssets totalDebt liqFee cTime uTime',
)
export const MarginBill = record('coin symbol marginId amount balance fee marginType cTime uTime')
export const MarginRiskRate = record('riskRateRatio')
export const MarginTier = record('tier leverage coin maxBorrowableAmount maintainMarginRate')

// bills, transfers and closed positions

export const SpotBill = record('cTime coin groupType businessType size balance fees billId')
export const MixBill = record('billId symbol amount fee feeByCoupon businessType coin balance cTime')
export const MixBills = Type.Object({ bills: Type.Array(MixBill), endId: Type.String() })
export const TransferRecord = record('coin status toType toSymbol fromType fromSymbol size ts clientOid transferId')
export const FamilyTransferRecord = record(
  'coin status toType fromType size ts clientOid transferId newTransferId fromUserId toUserId',
)
/** The times are there under both spellings. */
export const ClosedPosition = record(
  'positionId symbol marginCoin holdSide posMode openAvgPrice closeAvgPrice marginMode openTotalPos closeTotalPos pnl netProfit totalFunding openFee closeFee uTime cTime utime ctime',
)
export const ClosedPositions = Type.Object({ list: Type.Array(ClosedPosition), endId: Type.String() })

// who the caller is

export const AccountInfo = Type.Object({
  ...texts('userId inviterId channelCode channel ips traderType regisTime'),
  authorities: Type.Array(Type.String()),
  parentId: Type.Integer(),
})
export const TradeRate = record('makerFeeRate takerFeeRate')

// sub-accounts and their keys

/** Spelled as the reference spells it. */
export const NewSubAccount = Type.Object({
  ...texts('subaAccountUid subaAccountName status label cTime uTime'),
  permList: Type.Array(Type.String()),
})
export const NewSubAccounts = Type.Object({
  failureList: Type.Array(record('subaAccountName')),
  successList: Type.Array(NewSubAccount),
})
export const SubAccount = Type.Object({
  ...texts('subAccountUid subAccountName label status accountType bindingTime cTime uTime'),
  permList: Type.Array(Type.String()),
})
/** `endId` is a JSON number, or null with an empty list. */
export const SubAccounts = Type.Object({
  subAccountList: Type.Array(SubAccount),
  endId: Type.Union([Type.Integer(), Type.Null()]),
})
export const SubKey = Type.Object({
  ...texts('subAccountUid subAccountApiKey label'),
  permList: Type.Array(Type.String()),
  ipList: Type.Array(Type.String()),
})
export const NewSubKey = Type.Object({ ...SubKey.properties, ...texts('secretKey') })
export const NewAgent = record('username subUid apiKey secret note createdTime')

// deposits and withdrawals

export const DepositAddress = record('address chain coin tag url')
const transferFields = {
  ...texts('orderId tradeId coin type dest clientOid tag size status toAddress fromAddress confirm chain cTime uTime'),
}
export const DepositRecord = Type.Object(transferFields)
export const WithdrawalRecord = Type.Object({ ...transferFields, ...texts('fee') })

// what can be traded

/** Booleans of this record are the strings `true` and `false`. */
export const CoinRecord = Type.Object({
  ...texts('coinId coin transfer'),
  chains: Type.Array(
    Type.Object({
      ...texts('chain needTag withdrawable rechargeable withdrawFee extraWithdrawFee depositConfirm withdrawConfirm'),
      ...texts(
        'minDepositAmount minWithdrawAmount browserUrl contractAddress withdrawStep withdrawMinScale congestion',
      ),
    }),
  ),
})
export const SpotSymbol = Type.Object({
  ...texts('symbol baseCoin quoteCoin minTradeAmount maxTradeAmount takerFeeRate makerFeeRate pricePrecision'),
  ...texts('quantityPrecision quotePrecision minTradeUSDT status buyLimitPriceRatio sellLimitPriceRatio'),
  ...texts('orderQuantity areaSymbol offTime openTime'),
})
export const Contract = Type.Object({
  ...texts('symbol baseCoin quoteCoin buyLimitPriceRatio sellLimitPriceRatio feeRateUpRatio'),
  ...texts('makerFeeRate takerFeeRate openCostUpRatio'),
  supportMarginCoins: Type.Array(Type.String()),
  ...texts('minTradeNum priceEndStep volumePlace pricePlace sizeMultiplier symbolType'),
  ...texts('minTradeUSDT maxSymbolOrderNum maxProductOrderNum maxPositionNum symbolStatus offTime'),
  ...texts('limitOpenTime deliveryTime deliveryStartTime deliveryPeriod launchTime fundInterval'),
  ...texts('minLever maxLever posLimit maintainTime maxMarketOrderQty maxOrderQty openTime isRwa'),
})
/** The borrowable flags are JSON booleans: clients know this answer by them. */
export const MarginCurrency = Type.Object({
  ...texts('symbol baseCoin quoteCoin maxCrossedLeverage maxIsolatedLeverage warningRiskRatio'),
  ...texts('liquidationRiskRatio minTradeAmount maxTradeAmount takerFeeRate makerFeeRate'),
  ...texts('pricePrecision quantityPrecision minTradeUSDT userMinBorrow status'),
  isBorrowable: Type.Boolean(),
  isCrossBorrowable: Type.Boolean(),
  isIsolatedBaseBorrowable: Type.Boolean(),
  isIsolatedQuoteBorrowable: Type.Boolean(),
})
export const PositionTier = record('symbol level startUnit endUnit leverage keepMarginRate')

// market data

export const SpotTicker = Type.Object({
  ...texts('symbol high24h open lastPr low24h quoteVolume baseVolume usdtVolume bidPr askPr bidSz askSz openUtc'),
  ...texts('ts changeUtc24h change24h'),
})
export const MixTicker = Type.Object({
  ...texts('symbol lastPr askPr bidPr bidSz askSz high24h low24h ts change24h baseVolume quoteVolume usdtVolume'),
  ...texts('openUtc changeUtc24h indexPrice fundingRate holdingAmount open24h'),
  deliveryStartTime: textOrNull,
  deliveryTime: textOrNull,
  ...texts('deliveryStatus markPrice'),
})
export const ServerTime = record('serverTime')
export const PublicTrade = record('symbol tradeId side price size ts')
export const SymbolPrice = record('symbol price indexPrice markPrice ts')
export const CurrentFundingRate = record(
  'symbol fundingRate fundingRateInterval nextUpdate minFundingRate maxFundingRate',
)
export const FundingTime = record('symbol nextFundingTime ratePeriod')
export const FeeLevel = record(
  'level dealAmount assetAmount takerFeeRate makerFeeRate btcWithdrawAmount usdtWithdrawAmount',
)
export const DiscountRates = Type.Object({
  ...texts('coin userLimit totalLimit'),
  discountRateList: Type.Array(record('tier minAmount maxAmount discountRate')),
})
export const OpenInterestLimit = record('symbol notionalValue totalNotionalValue')
export const PastFundingRate = record('symbol fundingRate fundingTime')
export const OpenInterest = Type.Object({
  openInterestList: Type.Array(record('symbol size')),
  ...texts('ts'),
})
const cell = Type.String()
/** Start, open, high, low, close, volume in base and in quote coin; of spot pairs the volume in USDT as well. */
export const MixCandle = Type.Tuple([cell, cell, cell, cell, cell, cell, cell])
export const SpotCandle = Type.Tuple([cell, cell, cell, cell, cell, cell, cell, cell])
const textLevels = Type.Array(Type.Array(Type.String()))
export const SpotBook = Type.Object({ asks: textLevels, bids: textLevels, ...texts('ts') })
const mergedFields = texts('ts scale precision isMaxPrecision')
export const SpotMergedBook = Type.Object({ asks: textLevels, bids: textLevels, ...mergedFields })
/** Prices and sizes are JSON numbers here. */
const numberLevels = Type.Array(Type.Array(Type.Number()))
export const MixBook = Type.Object({ asks: numberLevels, bids: numberLevels, ...mergedFields })

export type MixOrder = Static<typeof MixOrder>
export type MixHistoryOrder = Static<typeof MixHistoryOrder>
export type MixOpenOrder = Static<typeof MixOpenOrder>
export type MixOrderDetail = Static<typeof MixOrderDetail>
export type PlanSubOrder = Static<typeof PlanSubOrder>
export type MixOpenPlan = Static<typeof MixOpenPlan>
export type MixEndedPlan = Static<typeof MixEndedPlan>
export type SpotPlan = Static<typeof SpotPlan>
export type MixFill = Static<typeof MixFill>
export type MixPosition = Static<typeof MixPosition>
export type SubAccountAsset = Static<typeof SubAccountAsset>
export type SubAccountAssetOfList = Static<typeof SubAccountAssets>['assetList'][number]
export type NewSubAccount = Static<typeof NewSubAccount>
export type SubAccount = Static<typeof SubAccount>
export type SubKey = Static<typeof SubKey>
export type MixAccount = Static<typeof MixAccount>
export type LeverageSetting = Static<typeof LeverageSetting>
export type MarginModeSetting = Static<typeof MarginModeSetting>
export type MixAccountOfList = Static<typeof MixAccountOfList>
export type FeeDetail = Static<typeof FeeDetail>
export type SpotOrder = Static<typeof SpotOrder>
export type SpotOpenOrder = Static<typeof SpotOpenOrder>
export type SpotFill = Static<typeof SpotFill>
export type SpotAsset = Static<typeof SpotAsset>
export type MarginOrder = Static<typeof MarginOrder>
export type MarginFill = Static<typeof MarginFill>
export type MarginAsset = Static<typeof MarginAsset>
export type InterestRate = Static<typeof InterestRate>
export type Announcement = Static<typeof Announcement>
export type FuturesInterestRow = Static<typeof FuturesInterestRow>
export type ConvertCurrency = Static<typeof ConvertCurrency>
export type ConvertQuote = Static<typeof ConvertQuote>
export type ConvertTrade = Static<typeof ConvertTrade>
export type ConvertRecord = Static<typeof ConvertRecord>
export type SpotBill = Static<typeof SpotBill>
export type MixBill = Static<typeof MixBill>
export type TransferRecord = Static<typeof TransferRecord>
export type FamilyTransferRecord = Static<typeof FamilyTransferRecord>
export type ClosedPosition = Static<typeof ClosedPosition>
export type MarginLoan = Static<typeof MarginLoan>
export type MarginRepayment = Static<typeof MarginRepayment>
export type MarginInterest = Static<typeof MarginInterest>
export type MarginLiquidation = Static<typeof MarginLiquidation>
export type MarginBill = Static<typeof MarginBill>
export type MarginTier = Static<typeof MarginTier>
export type AccountInfo = Static<typeof AccountInfo>
export type TradeRate = Static<typeof TradeRate>
export type CoinRecord = Static<typeof CoinRecord>
export type DepositAddress = Static<typeof DepositAddress>
export type DepositRecord = Static<typeof DepositRecord>
export type WithdrawalRecord = Static<typeof WithdrawalRecord>
export type SpotSymbol = Static<typeof SpotSymbol>
export type Contract = Static<typeof Contract>
export type MarginCurrency = Static<typeof MarginCurrency>
export type PositionTier = Static<typeof PositionTier>
export type SpotTicker = Static<typeof SpotTicker>
export type MixTicker = Static<typeof MixTicker>
export type PublicTrade = Static<typeof PublicTrade>
export type SymbolPrice = Static<typeof SymbolPrice>
export type CurrentFundingRate = Static<typeof CurrentFundingRate>
export type FundingTime = Static<typeof FundingTime>
export type FeeLevel = Static<typeof FeeLevel>
export type DiscountRates = Static<typeof DiscountRates>
export type OpenInterestLimit = Static<typeof OpenInterestLimit>
export type OpenInterest = Static<typeof OpenInterest>
export type PastFundingRate = Static<typeof PastFundingRate>
export type MixCandle = Static<typeof MixCandle>
export type SpotCandle = Static<typeof SpotCandle>
export type SpotBook = Static<typeof SpotBook>
export type MixBook = Static<typeof MixBook>
