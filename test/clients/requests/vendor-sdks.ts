/**
 * The vendor's own SDKs for Python, Go, PHP, Java and Node: every request of their v2 classes.
 *
 * Fields     are given by the caller, who passes a map of texts; here they are the ones that the documents ask for
 * Licence    none is stated, so that nothing of them is installed: method, path and fields are facts
 * v1         their older classes call paths of the first version, which ended: 30032 says so
 * Go         its parameters are a map of texts, so that a list in a body (`orderList`) has to be posted by `DoPost`
 */
import type { ListedRequest, RequestList } from '../support/requests.ts'

const futures = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' } as const
const contract = { ...futures, marginCoin: 'USDT' } as const
const order = { side: 'buy', orderType: 'limit', price: '59000', size: '0.01', force: 'gtc' } as const
const plan = { planType: 'normal_plan', triggerPrice: '58000', triggerType: 'mark_price' } as const
const notOffered = 'copy trading is for the announced pairs of elite traders'

const all: readonly ListedRequest[] = [
  ['MixAccount account', 'GET /api/v2/mix/account/account', contract],
  ['MixAccount accounts', 'GET /api/v2/mix/account/accounts', { productType: 'USDT-FUTURES' }],
  ['MixAccount setLeverage', 'POST /api/v2/mix/account/set-leverage', { ...contract, leverage: '10' }],
  ['MixAccount setMarginMode', 'POST /api/v2/mix/account/set-margin-mode', { ...contract, marginMode: 'crossed' }],
  [
    'MixAccount setPositionMode',
    'POST /api/v2/mix/account/set-position-mode',
    { productType: 'USDT-FUTURES', posMode: 'one_way_mode' },
  ],
  [
    'MixAccount setMargin',
    'POST /api/v2/mix/account/set-margin',
    {
      symbol: 'ETHUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      amount: '10',
      holdSide: '<an isolated position>',
    },
  ],
  ['MixAccount singlePosition', 'GET /api/v2/mix/position/single-position', contract],
  [
    'MixAccount allPosition',
    'GET /api/v2/mix/position/all-position',
    { productType: 'USDT-FUTURES', marginCoin: 'USDT' },
  ],
  ['MixMarket contracts', 'GET /api/v2/mix/market/contracts', { productType: 'USDT-FUTURES' }],
  [
    'MixMarket orderbook',
    'GET /api/v2/mix/market/orderbook',
    futures,
    { fault: 'there is no such path in v2: the book of contracts is mix/market/merge-depth; call it by the plain get' },
  ],
  ['MixMarket tickers', 'GET /api/v2/mix/market/tickers', { productType: 'USDT-FUTURES' }],
  ['MixMarket fills', 'GET /api/v2/mix/market/fills', { ...futures, limit: '10' }],
  ['MixMarket candles', 'GET /api/v2/mix/market/candles', { ...futures, granularity: '1m', limit: '10' }],
  ['MixOrder placeOrder', 'POST /api/v2/mix/order/place-order', { ...contract, marginMode: 'crossed', ...order }],
  [
    'MixOrder batchPlaceOrder',
    'POST /api/v2/mix/order/batch-place-order',
    { ...contract, marginMode: 'crossed', orderList: [order] },
  ],
  ['MixOrder cancelOrder', 'POST /api/v2/mix/order/cancel-order', { ...contract, orderId: '<a futures order>' }],
  [
    'MixOrder batchCancelOrders',
    'POST /api/v2/mix/order/batch-cancel-orders',
    { ...contract, orderIdList: [{ orderId: '<a futures order>' }] },
  ],
  ['MixOrder ordersHistory', 'GET /api/v2/mix/order/orders-history', { ...futures, limit: '10' }],
  ['MixOrder ordersPending', 'GET /api/v2/mix/order/orders-pending', { ...futures, limit: '10' }],
  ['MixOrder fills', 'GET /api/v2/mix/order/fills', futures],
  [
    'MixOrder placePlanOrder',
    'POST /api/v2/mix/order/place-plan-order',
    { ...contract, marginMode: 'crossed', ...plan, side: 'buy', orderType: 'limit', price: '58000', size: '0.01' },
  ],
  ['MixOrder cancelPlanOrder', 'POST /api/v2/mix/order/cancel-plan-order', { ...contract, planType: 'normal_plan' }],
  ['MixOrder ordersPlanPending', 'GET /api/v2/mix/order/orders-plan-pending', { ...futures, planType: 'normal_plan' }],
  ['MixOrder ordersPlanHistory', 'GET /api/v2/mix/order/orders-plan-history', { ...futures, planType: 'normal_plan' }],
  ['MixOrder traderOrderClosePositions', 'POST /api/v2/copy/mix-trader/order-close-positions', futures, { notOffered }],
  ['MixOrder traderOrderCurrentTrack', 'GET /api/v2/copy/mix-trader/order-current-track', futures, { notOffered }],
  ['MixOrder traderOrderHistoryTrack', 'GET /api/v2/copy/mix-trader/order-history-track', futures, { notOffered }],
  ['MixOrder followerClosePositions', 'POST /api/v2/copy/mix-follower/close-positions', futures, { notOffered }],
  [
    'MixOrder followerQueryCurrentOrders',
    'GET /api/v2/copy/mix-follower/query-current-orders',
    futures,
    { notOffered },
  ],
  [
    'MixOrder followerQueryHistoryOrders',
    'GET /api/v2/copy/mix-follower/query-history-orders',
    futures,
    { notOffered },
  ],
  ['SpotAccount info', 'GET /api/v2/spot/account/info', {}],
  ['SpotAccount assets', 'GET /api/v2/spot/account/assets', { coin: 'USDT' }],
  ['SpotAccount bills', 'GET /api/v2/spot/account/bills', { coin: 'USDT', limit: '10' }],
  ['SpotAccount transferRecords', 'GET /api/v2/spot/account/transferRecords', { coin: 'USDT', fromType: 'spot' }],
  ['SpotMarket fills', 'GET /api/v2/spot/market/fills', { symbol: 'BTCUSDT', limit: '10' }],
  ['SpotMarket orderbook', 'GET /api/v2/spot/market/orderbook', { symbol: 'BTCUSDT', type: 'step0', limit: '5' }],
  ['SpotMarket tickers', 'GET /api/v2/spot/market/tickers', { symbol: 'BTCUSDT' }],
  ['SpotMarket candles', 'GET /api/v2/spot/market/candles', { symbol: 'BTCUSDT', granularity: '1min', limit: '10' }],
  ['SpotOrder placeOrder', 'POST /api/v2/spot/trade/place-order', { symbol: 'BTCUSDT', ...order }],
  ['SpotOrder batchOrders', 'POST /api/v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList: [order] }],
  ['SpotOrder cancelOrder', 'POST /api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId: '<a spot order>' }],
  [
    'SpotOrder batchCancelOrder',
    'POST /api/v2/spot/trade/batch-cancel-order',
    { symbol: 'BTCUSDT', orderList: [{ orderId: '<a spot order>' }] },
  ],
  ['SpotOrder historyOrders', 'GET /api/v2/spot/trade/history-orders', { symbol: 'BTCUSDT', limit: '10' }],
  ['SpotOrder unfilledOrders', 'GET /api/v2/spot/trade/unfilled-orders', { symbol: 'BTCUSDT' }],
  ['SpotOrder fills', 'GET /api/v2/spot/trade/fills', { symbol: 'BTCUSDT' }],
  [
    'SpotOrder placePlanOrder',
    'POST /api/v2/spot/trade/place-plan-order',
    {
      symbol: 'BTCUSDT',
      side: 'buy',
      triggerPrice: '58000',
      triggerType: 'mark_price',
      orderType: 'limit',
      executePrice: '58000',
      planType: 'amount',
      size: '0.01',
    },
  ],
  ['SpotOrder cancelPlanOrder', 'POST /api/v2/spot/trade/cancel-plan-order', { orderId: '<a spot plan>' }],
  ['SpotOrder currentPlanOrder', 'GET /api/v2/spot/trade/current-plan-order', { symbol: 'BTCUSDT' }],
  [
    'SpotOrder historyPlanOrder',
    'GET /api/v2/spot/trade/history-plan-order',
    { symbol: 'BTCUSDT', startTime: '<a day ago>', endTime: '<now>' },
  ],
  [
    'SpotOrder traderOrderCloseTracking',
    'POST /api/v2/copy/spot-trader/order-close-tracking',
    { symbol: 'BTCUSDT' },
    { notOffered },
  ],
  ['SpotOrder traderOrderCurrentTrack', 'GET /api/v2/copy/spot-trader/order-current-track', {}, { notOffered }],
  ['SpotOrder traderOrderHistoryTrack', 'GET /api/v2/copy/spot-trader/order-history-track', {}, { notOffered }],
  [
    'SpotWallet transfer',
    'POST /api/v2/spot/wallet/transfer',
    { fromType: 'spot', toType: 'usdt_futures', amount: '10', coin: 'USDT' },
  ],
  ['SpotWallet depositAddress', 'GET /api/v2/spot/wallet/deposit-address', { coin: 'USDT' }],
  [
    'SpotWallet withdrawal',
    'POST /api/v2/spot/wallet/withdrawal',
    { coin: 'USDT', transferType: 'internal_transfer', address: '<the sub-account>', size: '10' },
  ],
  [
    'SpotWallet withdrawalRecords',
    'GET /api/v2/spot/wallet/withdrawal-records',
    { startTime: '<a day ago>', endTime: '<now>' },
  ],
  [
    'SpotWallet depositRecords',
    'GET /api/v2/spot/wallet/deposit-records',
    { startTime: '<a day ago>', endTime: '<now>' },
  ],
]

const notPython: readonly ListedRequest[] = [
  ['MixMarket ticker', 'GET /api/v2/mix/market/ticker', futures],
  ['SpotMarket coins', 'GET /api/v2/spot/public/coins', { coin: 'BTC' }],
  ['SpotMarket symbols', 'GET /api/v2/spot/public/symbols', { symbol: 'BTCUSDT' }],
]

const pythonAlone: readonly ListedRequest[] = [
  [
    'MixAccount openCount',
    'GET /api/v2/mix/account/open-count',
    { ...contract, openAmount: '100', openPrice: '60000' },
  ],
  [
    'MixOrder clickBackhand',
    'POST /api/v2/mix/order/click-backhand',
    { ...contract, side: 'sell', size: '<what is held of BTCUSDT>' },
  ],
  [
    'MixOrder closePositions',
    'POST /api/v2/mix/order/close-positions',
    { ...futures, holdSide: '<a position to close>' },
  ],
  ['MixOrder detail', 'GET /api/v2/mix/order/detail', { ...futures, orderId: '<a futures order>' }],
  [
    'SpotMarket coins',
    'GET /api/v2/spot/market/coins',
    {},
    { fault: 'there is no such path: coins are at spot/public/coins; call it by the plain get' },
  ],
  [
    'SpotMarket symbols',
    'GET /api/v2/spot/market/symbols',
    {},
    { fault: 'there is no such path: pairs are at spot/public/symbols; call it by the plain get' },
  ],
  [
    'SpotOrder modifyPlanOrder',
    'POST /api/v2/spot/trade/modify-plan-order',
    { orderId: '<a spot plan>', triggerPrice: '57000', orderType: 'limit', executePrice: '57000', size: '0.01' },
  ],
]

const name = "the vendor's SDKs"

export const vendorSdks: readonly RequestList[] = [
  { client: `${name} for Python, Go, PHP, Java and Node`, mode: 'v2', requests: all },
  { client: `${name} for Go, PHP, Java and Node`, mode: 'v2', requests: notPython },
  { client: `${name} for Python`, mode: 'v2', requests: pythonAlone },
  {
    client: `${name} for Java and Node`,
    mode: 'v2',
    requests: [
      ['CommonRequest tradeRate', 'GET /api/v2/common/trade-rate', { symbol: 'BTCUSDT', businessType: 'spot' }],
    ],
  },
]
