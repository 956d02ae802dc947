/**
 * Every channel of both versions, described: how it is subscribed to, when it pushes, and which fields a push has. The page at
 * `/docs` and the tests are made from this.
 *
 * Fields   in the order in which they come; `?`: only in some pushes, of which `sometimes` says which; `#`: a number in JSON
 * Words    what a field means, its type and its unit come by its name (fields.ts); `means` says where a channel differs
 * Example  the subscription runs as it stands on a demo venue; pushes that came of it are in examples.ts
 * Whole    every field that is pushed is named, and each that is named is pushed (test/stream/reference.test.ts)
 */
import type { Version } from '../../api/api.ts'
import { intervals } from '../../market/market.ts'

export interface ChannelEntry {
  /** Of the entry, and of its place on the page. */
  readonly id: string
  readonly version: Version
  readonly scope: 'public' | 'private'
  /** Names under which the same rows come. */
  readonly names: readonly string[]
  /** What `instType` may be. */
  readonly instTypes: readonly string[]
  /** What it is for, a sentence. */
  readonly about: string
  readonly first: string
  readonly later: string
  readonly pace: string
  /** Of the key, for a private channel. */
  readonly permission?: string
  /** The argument of a subscription, beside `instType` and the name. */
  readonly argument: Readonly<Record<string, string>>
  /** Fields of a row, with blanks between them. */
  readonly fields: string
  /** Rows are lists: `fields` names their places. */
  readonly isList?: boolean
  /** Fields of a list of rows inside a row. */
  readonly parts?: Readonly<Record<string, string>>
  /** When a field with `?` is there. */
  readonly sometimes?: Readonly<Record<string, string>>
  readonly means?: Readonly<Record<string, string>>
  /** Units that are others than those by the name. */
  readonly units?: Readonly<Record<string, string>>
}

const futuresLines = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
const lines = ['SPOT', ...futuresLines] as const
const bookPace = '150 ms; of a pair 200 ms'
const atOnce = 'at once'
const ofState = 'at once, then every 100 ms'
const wholeSnapshot = 'a snapshot'
const ofChange = 'a snapshot when something has changed'

const ofPosition = { available: 'base coin', frozen: 'base coin' }
const ofFill = 'in a push that a fill causes'
const filledNow = 'fillPrice? tradeId? baseVolume? fillTime? fillFee? fillFeeCoin? tradeScope? fillNotionalUsd?'
const filledNowWhen = Object.fromEntries(filledNow.split('? ').map((name) => [name.replace('?', ''), ofFill]))
const filledNowMeans = {
  baseVolume: 'What was filled just then',
  tradeScope: 'Whether the order rested (M) or came (T)',
  tradeId: 'Id of the fill',
}

const v2Books = ['books', 'books1', 'books5', 'books15', 'books50']
const ofBook = {
  first: 'a snapshot: `books` has the best 500 levels of each side, the others as many as their name says',
  later: '`books`: an update with changed levels, of which size 0 removes one; the others: a snapshot',
  pace: `${bookPace}; \`books1\` 60 ms`,
}
const v2Ticker =
  'instId lastPr open24h high24h low24h change24h bidPr askPr bidSz askSz baseVolume quoteVolume openUtc changeUtc24h ts'
const v2TickerMeans = {
  baseVolume: 'Quantity of the trades of 24 hours',
  quoteVolume: 'Value of the trades of 24 hours',
  ts: 'When it stood like this',
}
const v3Ticker =
  'lastPrice openPrice24h highPrice24h lowPrice24h ask1Price bid1Price bid1Size ask1Size price24hPcnt volume24h turnover24h'
const v3Book = 'a b checksum seq pseq ts'
const v2Default = { instId: 'default' }

const v2Public: readonly ChannelEntry[] = [
  {
    id: 'v2-ticker-spot',
    version: 'v2',
    scope: 'public',
    names: ['ticker'],
    instTypes: ['SPOT'],
    about: 'Last price, best bid and ask, and figures of 24 hours, of one pair.',
    first: wholeSnapshot,
    later: 'a snapshot when something but the time has changed',
    pace: '250 ms',
    argument: { instId: 'BTCUSDT' },
    fields: v2Ticker,
    means: v2TickerMeans,
  },
  {
    id: 'v2-ticker-futures',
    version: 'v2',
    scope: 'public',
    names: ['ticker'],
    instTypes: futuresLines,
    about: 'The same of one contract, with its mark, index and funding.',
    first: wholeSnapshot,
    later: 'a snapshot when something but the time has changed',
    pace: '250 ms',
    argument: { instId: 'BTCUSDT' },
    fields: `${v2Ticker} fundingRate nextFundingTime markPrice indexPrice holdingAmount symbolType symbol deliveryPrice`,
    means: { ...v2TickerMeans, symbolType: 'Kind of the contract: 1 is a perpetual' },
  },
  {
    id: 'v2-books-spot',
    version: 'v2',
    scope: 'public',
    names: v2Books,
    instTypes: ['SPOT'],
    about: 'The order book of one pair.',
    ...ofBook,
    argument: { instId: 'BTCUSDT' },
    fields: 'asks bids checksum seq ts',
  },
  {
    id: 'v2-books-futures',
    version: 'v2',
    scope: 'public',
    names: v2Books,
    instTypes: futuresLines,
    about: 'The order book of one contract; each push names the one before it.',
    ...ofBook,
    argument: { instId: 'BTCUSDT' },
    fields: 'asks bids checksum seq pseq ts',
  },
  {
    id: 'v2-trade',
    version: 'v2',
    scope: 'public',
    names: ['trade'],
    instTypes: lines,
    about: 'Trades of one instrument.',
    first: 'a snapshot: the last 50, newest first',
    later: 'an update with each trade',
    pace: atOnce,
    argument: { instId: 'BTCUSDT' },
    fields: 'ts price size side tradeId',
    means: { price: 'Price of the trade', size: 'Quantity of the trade', side: 'Side of the taker: buy or sell' },
  },
  {
    id: 'v2-candle',
    version: 'v2',
    scope: 'public',
    names: intervals.map((interval) => `candle${interval}`),
    instTypes: lines,
    about: 'Candles of the trades of one instrument. A row is a list.',
    first: 'a snapshot: the last 500, oldest first',
    later: 'an update with the running one; one that has ended comes once more',
    pace: '1 s',
    argument: { instId: 'BTCUSDT' },
    fields: 'start open high low close volume turnover usdtTurnover',
    isList: true,
    means: { open: 'First price' },
  },
  {
    id: 'v2-index-price',
    version: 'v2',
    scope: 'public',
    names: ['index-price'],
    instTypes: ['MARGIN', ...lines],
    about: 'Index prices of one symbol, or with `default` of all of the `instType`.',
    first: wholeSnapshot,
    later: 'an update with those that have changed',
    pace: '250 ms',
    argument: { instId: 'default' },
    fields: 'symbol baseCoin quoteCoin indexPrice ts',
  },
  {
    id: 'v2-auction',
    version: 'v2',
    scope: 'public',
    names: ['auction'],
    instTypes: ['SPOT'],
    about: 'Opening auctions of a pair. No pair is listed with one: it is acknowledged and stays silent.',
    first: 'none',
    later: 'none',
    pace: 'none',
    argument: { instId: 'BTCUSDT' },
    fields: '',
  },
]

const v3Public: readonly ChannelEntry[] = [
  {
    id: 'v3-ticker-spot',
    version: 'v3',
    scope: 'public',
    names: ['ticker'],
    instTypes: ['spot'],
    about: 'Last price, best bid and ask, and figures of 24 hours, of one pair.',
    first: wholeSnapshot,
    later: 'a snapshot when something has changed',
    pace: '250 ms',
    argument: { symbol: 'BTCUSDT' },
    fields: v3Ticker,
  },
  {
    id: 'v3-ticker-futures',
    version: 'v3',
    scope: 'public',
    names: ['ticker'],
    instTypes: futuresLines.map((line) => line.toLowerCase()),
    about: 'The same of one contract, with its mark, index and funding.',
    first: wholeSnapshot,
    later: 'a snapshot when something has changed',
    pace: '250 ms',
    argument: { symbol: 'BTCUSDT' },
    fields: `${v3Ticker} indexPrice markPrice fundingRate openInterest deliveryStartTime deliveryTime deliveryStatus nextFundingTime`,
  },
  {
    id: 'v3-books',
    version: 'v3',
    scope: 'public',
    names: v2Books,
    instTypes: lines.map((line) => line.toLowerCase()),
    about: 'The order book of one instrument; each push names the one before it.',
    ...ofBook,
    argument: { symbol: 'BTCUSDT' },
    fields: `${v3Book} maxDepth`,
  },
  {
    id: 'v3-rpi-books',
    version: 'v3',
    scope: 'public',
    names: ['rpi-books', 'rpi-books1', 'rpi-books5', 'rpi-books50'],
    instTypes: lines.map((line) => line.toLowerCase()),
    about: 'The order book with what retail price improvement offers as the third figure of a level: always zero here.',
    first: ofBook.first.replaceAll('`books', '`rpi-books'),
    later: ofBook.later.replaceAll('`books', '`rpi-books'),
    pace: ofBook.pace.replaceAll('`books', '`rpi-books'),
    argument: { symbol: 'BTCUSDT' },
    fields: v3Book,
    means: {
      a: 'Asks, best first: price, quantity, and what retail price improvement offers',
      b: 'Bids, best first: price, quantity, and what retail price improvement offers',
    },
  },
  {
    id: 'v3-public-trade',
    version: 'v3',
    scope: 'public',
    names: ['publicTrade'],
    instTypes: lines.map((line) => line.toLowerCase()),
    about: 'Trades of one instrument.',
    first: 'a snapshot: the last 50, newest first',
    later: 'an update with each trade',
    pace: atOnce,
    argument: { symbol: 'BTCUSDT' },
    fields: 'i L p P v S T isRPI',
  },
  {
    id: 'v3-kline',
    version: 'v3',
    scope: 'public',
    names: ['kline'],
    instTypes: lines.map((line) => line.toLowerCase()),
    about: 'Candles of the trades of one instrument. `interval` is one of those of the candles over HTTP.',
    first: 'a snapshot: the last 500, oldest first',
    later: 'an update with the running one; one that has ended comes once more',
    pace: '1 s',
    argument: { symbol: 'BTCUSDT', interval: '1m' },
    fields: 'start open high low close volume turnover',
    means: { open: 'First price' },
  },
  {
    id: 'v3-liquidation',
    version: 'v3',
    scope: 'public',
    names: ['liquidation'],
    instTypes: futuresLines.map((line) => line.toLowerCase()),
    about: 'What liquidations offer to the book, of one contract, or without a symbol of the whole line.',
    first: 'a snapshot, empty',
    later: 'an update with each',
    pace: atOnce,
    argument: {},
    fields: 'symbol side price amount ts',
    means: {
      side: 'Side of the position: buy for a long one',
      price: 'Bankruptcy price of the position',
      amount: 'Quantity that is offered, in the base coin',
      ts: 'When it was offered',
    },
    units: { amount: 'base coin' },
  },
]

const v2PositionTerms = { instTypes: futuresLines, permission: 'contract_trade' }

const v2Private: readonly ChannelEntry[] = [
  {
    id: 'v2-account-spot',
    version: 'v2',
    scope: 'private',
    names: ['account'],
    instTypes: ['SPOT'],
    permission: 'spot_trade',
    about: 'What the spot wallet has of each coin, or of the `coin` that is named.',
    first: wholeSnapshot,
    later: ofChange,
    pace: ofState,
    argument: { coin: 'default' },
    fields: 'coin available frozen locked limitAvailable uTime',
    means: { frozen: 'What is held for open orders', locked: 'What is locked otherwise; always 0 here' },
  },
  {
    id: 'v2-account-crossed',
    version: 'v2',
    scope: 'private',
    names: ['account-crossed'],
    instTypes: ['MARGIN'],
    permission: 'margin_trade',
    about: 'What the cross margin wallet has and owes of each coin.',
    first: wholeSnapshot,
    later: ofChange,
    pace: ofState,
    argument: { coin: 'default' },
    fields: 'uTime id coin available borrow frozen interest coupon',
    means: { id: 'Number of the account and the coin' },
  },
  {
    id: 'v2-account-futures',
    version: 'v2',
    scope: 'private',
    names: ['account'],
    ...v2PositionTerms,
    about: 'What the futures wallet has of each margin coin of the line.',
    first: wholeSnapshot,
    later: ofChange,
    pace: ofState,
    argument: { coin: 'default' },
    fields:
      'marginCoin frozen available maxOpenPosAvailable maxTransferOut equity usdtEquity crossedRiskRate unrealizedPL unionTotalMargin unionAvailable unionMm assetMode assetsMode',
  },
  {
    id: 'v2-equity',
    version: 'v2',
    scope: 'private',
    names: ['equity'],
    ...v2PositionTerms,
    about: 'What the futures account is worth in all its coins. It follows prices too.',
    first: wholeSnapshot,
    later: ofChange,
    pace: `${ofState}; with prices 1 s`,
    argument: {},
    fields: 'usdtEquity btcEquity usdtUnrealized unrealizedPL unionTotalMargin unionAvailable unionMm',
    means: { unrealizedPL: 'The same as usdtUnrealized' },
    units: { unrealizedPL: 'USDT' },
  },
  {
    id: 'v2-positions',
    version: 'v2',
    scope: 'private',
    names: ['positions'],
    ...v2PositionTerms,
    about: 'Open positions, all of them in each push.',
    first: wholeSnapshot,
    later: 'a snapshot of all that are open when one of them has changed',
    pace: ofState,
    argument: v2Default,
    fields:
      'posId instId marginCoin marginSize marginMode holdSide posMode total available frozen openPriceAvg leverage# achievedProfits unrealizedPL unrealizedPLR liquidationPrice keepMarginRate isolatedMarginRate marginRate breakEvenPrice totalFee deductedFee markPrice cashDividend assetMode autoMargin cTime uTime',
    means: {
      available: 'Quantity that can be closed: what no closing order holds',
      frozen: 'Quantity that closing orders hold',
      totalFee: 'Funding of the position so far; empty before the first',
    },
    units: ofPosition,
  },
  {
    id: 'v2-positions-history',
    version: 'v2',
    scope: 'private',
    names: ['positions-history'],
    ...v2PositionTerms,
    about: 'Positions that have closed, with their whole life.',
    first: 'none',
    later: 'each position that has closed',
    pace: atOnce,
    argument: v2Default,
    fields:
      'posId instId marginCoin marginMode holdSide posMode openPriceAvg closePriceAvg openSize closeSize achievedProfits settleFee openFee closeFee cTime uTime',
  },
  {
    id: 'v2-orders-spot',
    version: 'v2',
    scope: 'private',
    names: ['orders'],
    instTypes: ['SPOT'],
    permission: 'spot_trade',
    about: 'Orders of pairs at each step.',
    first: 'none',
    later: 'the order as it stood then, with what was filled just then',
    pace: atOnce,
    argument: v2Default,
    fields: `instId orderId clientOid price? size newSize notional orderType force side accBaseVolume priceAvg status enterPointSource feeDetail stpMode cTime uTime ${filledNow}`,
    parts: { feeDetail: 'feeCoin fee' },
    sometimes: { ...filledNowWhen, price: 'of a limit order' },
    means: {
      ...filledNowMeans,
      size: 'Quantity that was ordered; of a buy its value in quote coin',
      newSize: 'Quantity that was ordered; of a market buy the quote amount',
      price: 'Limit price',
      status: 'live, partially_filled, filled or cancelled',
    },
    units: { size: 'base coin; quote coin of a buy', newSize: 'base coin; quote coin of a market buy' },
  },
  {
    id: 'v2-orders-crossed',
    version: 'v2',
    scope: 'private',
    names: ['orders-crossed'],
    instTypes: ['MARGIN'],
    permission: 'margin_trade',
    about: 'Orders of cross margin at each step.',
    first: 'none',
    later: 'the order as it stood then',
    pace: atOnce,
    argument: v2Default,
    fields:
      'instId symbol orderId clientOid orderType price side status force loanType baseSize quoteSize baseVolume fillTotalAmount fillPrice feeDetail enterPointSource stpMode cTime uTime',
    parts: { feeDetail: 'feeCoin deduction totalDeductionFee totalFee' },
    means: {
      baseVolume: 'What was filled so far',
      fillPrice: 'Price of the fill of this push, else the average so far',
      status: 'live, partially_filled, filled or cancelled',
      totalFee: 'Fees so far in the coin; negative where they are paid',
    },
  },
  {
    id: 'v2-orders-futures',
    version: 'v2',
    scope: 'private',
    names: ['orders'],
    ...v2PositionTerms,
    about: 'Orders of contracts at each step.',
    first: 'none',
    later: 'the order as it stood then, with what was filled just then',
    pace: atOnce,
    argument: v2Default,
    fields: `instId orderId clientOid price size posMode enterPointSource tradeSide notionalUsd orderType force side posSide marginMode marginCoin accBaseVolume priceAvg status cancelReason leverage feeDetail pnl totalProfits reduceOnly presetStopSurplusPrice presetStopSurplusType presetStopSurplusExecutePrice presetStopLossPrice presetStopLossType presetStopLossExecutePrice stpMode cTime uTime ${filledNow}`,
    parts: { feeDetail: 'feeCoin fee' },
    sometimes: filledNowWhen,
    means: {
      ...filledNowMeans,
      size: 'Quantity that was ordered',
      status: 'live, partially_filled, filled or canceled',
    },
  },
  {
    id: 'v2-fill-spot',
    version: 'v2',
    scope: 'private',
    names: ['fill'],
    instTypes: ['SPOT'],
    permission: 'spot_trade',
    about: 'Fills of pairs.',
    first: 'none',
    later: 'each fill',
    pace: atOnce,
    argument: v2Default,
    fields: 'symbol orderId tradeId orderType side priceAvg size amount tradeScope feeDetail cTime uTime clientOid',
    parts: { feeDetail: 'deduction feeCoin totalDeductionFee totalFee' },
    means: {
      priceAvg: 'Price of the fill',
      size: 'Quantity of the fill',
      amount: 'Value of the fill, in the quote coin',
      tradeId: 'Id of the fill',
      totalFee: 'Fee of the fill in the coin; negative where it is paid',
    },
  },
  {
    id: 'v2-fill-futures',
    version: 'v2',
    scope: 'private',
    names: ['fill'],
    ...v2PositionTerms,
    about: 'Fills of contracts. `side` is the side of the book.',
    first: 'none',
    later: 'each fill',
    pace: atOnce,
    argument: v2Default,
    fields:
      'orderId tradeId symbol side posMode price baseVolume quoteVolume profit tradeSide tradeScope feeDetail cTime clientOid orderType uTime',
    parts: { feeDetail: 'deduction feeCoin totalDeductionFee totalFee' },
    means: {
      price: 'Price of the fill',
      baseVolume: 'Quantity of the fill',
      quoteVolume: 'Value of the fill',
      tradeId: 'Id of the fill',
      totalFee: 'Fee of the fill in the coin; negative where it is paid',
    },
  },
  {
    id: 'v2-orders-algo-spot',
    version: 'v2',
    scope: 'private',
    names: ['orders-algo'],
    instTypes: ['SPOT'],
    permission: 'spot_trade',
    about: 'Trigger orders of pairs: set, changed, executed, failed, canceled.',
    first: 'none',
    later: 'the order as it stood then',
    pace: atOnce,
    argument: v2Default,
    fields:
      'instId orderId clientOid triggerPrice orderType executePrice planType size status side triggerType enterPointSource cTime uTime price actualSize stpMode',
    means: {
      planType: 'What `size` is in: amount (base coin) or total (quote coin)',
      size: 'Quantity of the order that the trigger places; of a market buy its quote amount',
      price: 'The same as triggerPrice',
      status: 'live, executing, executed, fail_execute or cancelled',
    },
    units: { size: 'base coin; quote coin of a market buy' },
  },
  {
    id: 'v2-orders-algo-futures',
    version: 'v2',
    scope: 'private',
    names: ['orders-algo'],
    ...v2PositionTerms,
    about: 'Trigger and trailing orders of contracts: set, changed, active, executed, failed, canceled.',
    first: 'none',
    later: 'the order as it stood then',
    pace: atOnce,
    argument: v2Default,
    fields:
      'instId orderId clientOid triggerPrice triggerType triggerTime planType price executePrice size actualSize orderType side tradeSide posSide marginCoin status posMode enterPointSource stopSurplusPrice stopSurplusTriggerPrice stopSurplusTriggerType stopLossPrice stopLossTriggerPrice stopLossTriggerType stpMode cTime uTime callbackRatio? currentTriggerPrice?',
    sometimes: { callbackRatio: 'of a trailing order', currentTriggerPrice: 'of a trailing order' },
    means: {
      planType:
        'Kind: pl (plan), tp and sl (of a part), ptp and psl (of the position), track (trailing), mtpsl (trailing stop)',
      size: 'Quantity of the order that the trigger places',
      status: 'live, executing, executed, fail_execute or cancelled',
      price: 'Limit price of the order that the trigger places; empty or 0: at market',
    },
  },
  {
    id: 'v2-adl-noti',
    version: 'v2',
    scope: 'private',
    names: ['adl-noti'],
    ...v2PositionTerms,
    about: 'Own positions that were deleveraged.',
    first: 'none',
    later: 'an update with each',
    pace: atOnce,
    argument: v2Default,
    fields: 'symbol side status price amount ts',
    means: {
      side: 'Side of the position: buy for a long one',
      status: 'triggered',
      price: 'Price that it was closed at',
      amount: 'Value that was closed, in the quote coin',
      ts: 'When it was closed',
    },
  },
]

const uta = { version: 'v3', scope: 'private', instTypes: ['UTA'], argument: {} } as const
const v3Position =
  'category symbol marginCoin holdMode posSide marginMode size available frozen leverage marginSize avgPrice markPrice breakEvenPrice liqPrice mmr unrealisedPnl curRealisedPnl profitRate totalFundingFee openFeeTotal closeFeeTotal positionStatus createdTime updatedTime'
const v3Fill = {
  first: 'none',
  later: 'each fill',
  pace: atOnce,
  permission: 'uta_trade',
  fields:
    'category symbol orderId clientOid execId execLinkId orderType side holdSide tradeSide tradeScope execPrice execQty execValue execPnl feeDetail isRPI updatedTime execTime',
  parts: { feeDetail: 'feeCoin fee' },
} as const

const v3Private: readonly ChannelEntry[] = [
  {
    ...uta,
    id: 'v3-account',
    names: ['account'],
    permission: 'uta_mgt',
    about: 'What the unified account is worth, and what it has of each coin.',
    first: wholeSnapshot,
    later: ofChange,
    pace: ofState,
    fields: 'totalEquity effEquity unrealisedPnL imr mmr mgnRatio positionMgnRatio bonus coin',
    parts: { coin: 'coin equity balance available locked borrow debts usdValue' },
    means: { mmr: 'Maintenance margin over adjusted equity', unrealisedPnL: 'Unrealized profit of all positions' },
  },
  {
    ...uta,
    id: 'v3-position',
    names: ['position'],
    permission: 'uta_trade',
    about: 'Open positions, all of them in each push; one that has closed once more, as `ended`.',
    first: wholeSnapshot,
    later: 'a snapshot of all that are open when one of them has changed',
    pace: ofState,
    fields: v3Position,
    means: {
      size: 'Size of the position; 0 of one that has ended',
      available: 'Quantity that can be closed: what no closing order holds',
      frozen: 'Quantity that closing orders hold',
      positionStatus: 'normal, or ended once',
      avgPrice: 'Average entry price',
    },
    units: ofPosition,
  },
  {
    ...uta,
    id: 'v3-order',
    names: ['order'],
    permission: 'uta_trade',
    about: 'Orders at each step. Each names its take-profit and stop-loss, in lower case.',
    first: 'none',
    later: 'the order as it stood then',
    pace: atOnce,
    fields:
      'category symbol orderId clientOid price qty amount holdMode posMode? holdSide posSide tradeSide delegateType orderType timeInForce side marginMode marginCoin reduceOnly cumExecQty cumExecValue avgPrice totalProfit orderStatus cancelReason execType leverage feeDetail createdTime updatedTime stpMode tpTriggerBy slTriggerBy takeprofit stoploss tpOrderType slOrderType tpLimitPrice slLimitPrice requestId?',
    parts: { feeDetail: 'feeCoin fee' },
    sometimes: { posMode: 'of a contract', requestId: 'after a change that had one' },
    means: { category: 'Product line, in lower case', amount: 'Amount in the quote coin, of a market buy; else empty' },
  },
  {
    ...uta,
    id: 'v3-fill',
    names: ['fill'],
    about: 'Fills.',
    ...v3Fill,
  },
  {
    ...uta,
    id: 'v3-fast-fill',
    names: ['fast-fill'],
    about: 'Fills, with the product line in lower case.',
    ...v3Fill,
    means: { category: 'Product line, in lower case' },
  },
  {
    ...uta,
    id: 'v3-strategy-order',
    names: ['strategy-order'],
    permission: 'uta_trade',
    about: 'Trigger and trailing orders. A take-profit and a stop-loss that wait together are one.',
    first: 'none',
    later: 'the order as it stood then',
    pace: atOnce,
    fields:
      'orderId clientOid category symbol qty side posSide status createdTime updatedTime type triggerType tpTriggerBy slTriggerBy takeProfit stopLoss tpOrderType slOrderType tpLimitPrice slLimitPrice triggerBy triggerPrice triggerOrderType triggerOrderPrice reduceOnly callbackRatio? currentTriggerPrice?',
    sometimes: { callbackRatio: 'of a trailing order', currentTriggerPrice: 'of a trailing order' },
    means: {
      category: 'Product line, in lower case',
      type: 'Kind of the order: trigger, tpsl or trailing',
      status: 'pending, success, failed or cancelled',
      triggerType: 'Which of a pair was triggered: takeProfit or stopLoss; else empty',
    },
  },
  {
    ...uta,
    id: 'v3-adl-notification',
    names: ['adl-notification'],
    permission: 'uta_trade',
    about: 'Own positions that were deleveraged.',
    first: 'none',
    later: 'an update with each',
    pace: atOnce,
    fields: 'symbol side status price amount ts',
    means: {
      side: 'Side of the position: buy for a long one',
      status: 'triggered',
      price: 'Price that it was closed at',
      amount: 'Value that was closed, in the quote coin',
      ts: 'When it was closed',
    },
  },
]

export const channelEntries: readonly ChannelEntry[] = [...v2Public, ...v2Private, ...v3Public, ...v3Private]

/** The argument of the example's subscription, with this name of the channel. */
export function subscribed({ version, instTypes, argument }: ChannelEntry, name: string): Record<string, string> {
  const [instType = ''] = instTypes
  return version === 'v2' ? { instType, channel: name, ...argument } : { instType, topic: name, ...argument }
}
