/**
 * hummingbot, its connectors `bitget` (spot) and `bitget_perpetual`: 28 requests and the topics that it subscribes to.
 *
 * Licence   Apache-2.0; it brings a compiled Python environment of its own, so its requests are listed
 * Headers   orders have the code of its channel, which the venue passes over
 */
import type { ListedRequest, RequestList } from '../support/requests.ts'

const futures = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' } as const
const order = { force: 'gtc', clientOid: '<a new name>', side: 'buy' } as const
const contractOrder = { marginCoin: 'USDT', ...futures, size: '0.01', ...order, marginMode: 'crossed' } as const
const spotOrder = { side: 'buy', symbol: 'BTCUSDT', size: '0.01' } as const

const spot: readonly ListedRequest[] = [
  ['check_network', 'GET /api/v2/public/time', {}, { reads: 'serverTime' }],
  [
    'trading rules',
    'GET /api/v2/spot/public/symbols',
    {},
    {
      reads: 'symbol baseCoin quoteCoin status minTradeUSDT pricePrecision quantityPrecision makerFeeRate takerFeeRate',
    },
  ],
  ['order book', 'GET /api/v2/spot/market/orderbook', { symbol: 'BTCUSDT', limit: '100' }, { reads: 'asks bids ts' }],
  ['last traded price', 'GET /api/v2/spot/market/tickers', { symbol: 'BTCUSDT' }, { reads: 'lastPr' }],
  ['balances', 'GET /api/v2/spot/account/assets', {}, { reads: 'coin available frozen' }],
  [
    'place limit',
    'POST /api/v2/spot/trade/place-order',
    { ...spotOrder, orderType: 'limit', force: 'gtc', clientOid: '<a new name>', price: '59000' },
    { reads: 'orderId' },
  ],
  [
    'place limit maker',
    'POST /api/v2/spot/trade/place-order',
    { ...spotOrder, orderType: 'limit', force: 'post_only', clientOid: '<a new name>', price: '59000' },
    { reads: 'orderId' },
  ],
  [
    'place market',
    'POST /api/v2/spot/trade/place-order',
    { ...spotOrder, size: '100', orderType: 'market', force: 'gtc', clientOid: '<a new name>' },
    { reads: 'orderId' },
  ],
  ['cancel', 'POST /api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT', clientOid: '<the name of a spot order>' }],
  [
    'order status',
    'GET /api/v2/spot/trade/orderInfo',
    { clientOid: '<the name of a spot order>' },
    { reads: 'status size orderId clientOid' },
  ],
  [
    'fills of an order',
    'GET /api/v2/spot/trade/fills',
    { orderId: '<a filled spot order>' },
    { reads: 'tradeId orderId priceAvg size amount feeDetail side uTime' },
  ],
]

const perpetual: readonly ListedRequest[] = [
  ['check_network', 'GET /api/v2/public/time', {}, { reads: 'serverTime' }],
  ...(['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'] as const).map(
    (productType): ListedRequest => [
      `trading rules of ${productType}`,
      'GET /api/v2/mix/market/contracts',
      { productType },
      {
        reads:
          'symbol baseCoin quoteCoin symbolType symbolStatus minTradeNum sizeMultiplier pricePlace priceEndStep minTradeUSDT supportMarginCoins makerFeeRate takerFeeRate',
      },
    ],
  ),
  ['order book', 'GET /api/v2/mix/market/merge-depth', { ...futures, limit: '100' }, { reads: 'asks bids ts' }],
  ['last traded price', 'GET /api/v2/mix/market/ticker', { ...futures }, { reads: 'lastPr' }],
  ['funding rate', 'GET /api/v2/mix/market/current-fund-rate', { ...futures }, { reads: 'fundingRate nextUpdate' }],
  ['open interest', 'GET /api/v2/mix/market/open-interest', { ...futures }],
  ['mark and index', 'GET /api/v2/mix/market/symbol-price', { ...futures }, { reads: 'markPrice indexPrice' }],
  ['funding time', 'GET /api/v2/mix/market/funding-time', { ...futures }, { reads: 'nextFundingTime' }],
  ['leverage', 'POST /api/v2/mix/account/set-leverage', { ...futures, marginCoin: 'USDT', leverage: '10' }],
  [
    'position mode of the account',
    'GET /api/v2/mix/account/account',
    { ...futures, marginCoin: 'USDT' },
    { reads: 'posMode' },
  ],
  [
    'position mode',
    'POST /api/v2/mix/account/set-position-mode',
    { productType: 'USDT-FUTURES', posMode: 'one_way_mode' },
  ],
  [
    'margin mode',
    'POST /api/v2/mix/account/set-margin-mode',
    { ...futures, marginMode: 'crossed', marginCoin: 'USDT' },
  ],
  [
    'balances',
    'GET /api/v2/mix/account/accounts',
    { productType: 'USDT-FUTURES' },
    { reads: 'marginCoin crossedMaxAvailable accountEquity' },
  ],
  [
    'place limit',
    'POST /api/v2/mix/order/place-order',
    { ...contractOrder, orderType: 'limit', price: '59000' },
    { reads: 'orderId' },
  ],
  [
    'place limit maker',
    'POST /api/v2/mix/order/place-order',
    { ...contractOrder, force: 'post_only', orderType: 'limit', price: '59000' },
    { reads: 'orderId' },
  ],
  [
    'place market',
    'POST /api/v2/mix/order/place-order',
    { ...contractOrder, orderType: 'market' },
    { reads: 'orderId' },
  ],
  [
    'positions',
    'GET /api/v2/mix/position/all-position',
    { productType: 'USDT-FUTURES' },
    { reads: 'symbol posMode holdSide unrealizedPL openPriceAvg total leverage' },
  ],
  ['cancel', 'POST /api/v2/mix/order/cancel-order', { ...futures, marginCoin: 'USDT', orderId: '<a futures order>' }],
  [
    'order status',
    'GET /api/v2/mix/order/detail',
    { ...futures, orderId: '<a futures order>' },
    { reads: 'state clientOid orderId' },
  ],
  [
    'order status by its name',
    'GET /api/v2/mix/order/detail',
    { ...futures, clientOid: '<the name of a futures order>' },
    { reads: 'state clientOid orderId' },
  ],
  [
    'fills of an order',
    'GET /api/v2/mix/order/fills',
    { orderId: '<a filled futures order>', ...futures },
    { reads: 'fillList' },
  ],
  [
    'funding payments',
    'GET /api/v2/mix/account/bill',
    { productType: 'USDT-FUTURES', businessType: 'contract_settle_fee' },
    { reads: 'bills' },
  ],
]

const headers = { 'X-CHANNEL-API-CODE': 'channel' }

export const hummingbot: readonly RequestList[] = [
  { client: 'hummingbot, bitget', mode: 'v2', headers, requests: spot },
  { client: 'hummingbot, bitget_perpetual', mode: 'v2', headers, requests: perpetual },
]

/** What it subscribes to, for one pair and one contract. */
export const hummingbotTopics = {
  public: [
    ...['books', 'trade'].map((channel) => ({ instType: 'SPOT', channel, instId: 'BTCUSDT' })),
    ...['books', 'trade', 'ticker'].map((channel) => ({ instType: 'USDT-FUTURES', channel, instId: 'BTCUSDT' })),
  ],
  private: [
    ...['account', 'fill'].map((channel) => ({ instType: 'SPOT', channel, coin: 'default' })),
    { instType: 'SPOT', channel: 'orders', instId: 'BTCUSDT' },
    ...['positions', 'orders', 'account'].map((channel) => ({ instType: 'USDT-FUTURES', channel, coin: 'default' })),
  ],
} as const
