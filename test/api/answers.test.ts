/**
 * Every endpoint answers once as its schema says: a day of trading on both versions, in which every list has a row.
 *
 * Held to    the schemas by every answer (support/documented.ts): no field missing, none extra, types as documented
 * Complete   at the end no endpoint of the table is left that nobody asked; a new one does not pass until it is asked here
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

let venue: Venue
/** Maker of all trades; a classic main account; a unified one with a classic sub-account. */
let bob: Person
let carol: Person
let alice: Person
let sub: Person
const answered = new Set<string>()

beforeAll(async () => {
  venue = await startVenue()
  const coins = { USDT: '1000000', BTC: '20', USDC: '100000' }
  bob = await venue.person('Bob', { funds: { uta: coins } })
  alice = await venue.person('Alice', { funds: { uta: coins, spot: { USDT: '5' } } })
  sub = await venue.person('Sub', { mode: 'classic', parent: alice, funds: { usdt_futures: { USDT: '100' } } })
  const classic = { spot: coins, usdt_futures: { USDT: '100000' }, coin_futures: { BTC: '5' } }
  carol = await venue.person('Carol', {
    mode: 'classic',
    funds: { ...classic, crossed_margin: { USDT: '50000', BTC: '1' } },
  })
})
afterAll(async () => {
  await venue?.remove()
})

type Query = Readonly<Record<string, string>>

function done(method: string, path: string, answer: Answer): Answer {
  expect({ path, status: answer.status, code: answer.code }, answer.text).toEqual({ path, status: 200, code: '00000' })
  answered.add(`${method} ${path}`)
  return answer
}

async function asks(person: Person, path: string, query: Query = {}): Promise<Answer> {
  return done('GET', path, await person.get(path, query))
}

async function sends(person: Person, path: string, body: unknown): Promise<Fields> {
  return done('POST', path, await person.post(path, body)).fields
}

/** A read whose lists all have a row: a schema of rows says nothing about an empty list. */
async function finds(person: Person, path: string, query: Query = {}): Promise<Fields> {
  const { data } = await asks(person, path, query)
  const lists = Array.isArray(data) ? [data] : Object.values(data as object).filter((list) => Array.isArray(list))
  for (const list of lists) expect(list, path).not.toEqual([])
  return (Array.isArray(data) ? data[0] : data) as Fields
}

const linear = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
const contract = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
const mix = { ...contract, marginMode: 'crossed', marginCoin: 'USDT' } as const
const limit = { orderType: 'limit', qty: '0.1' } as const
const bounds = () => ({ startTime: String(venue.now() - 3_600_000), endTime: String(venue.now() + 60_000) })

/** Rests at a price for others to take. */
function offer(category: string, side: string, qty: string, price = '60000', symbol = 'BTCUSDT'): Promise<Fields> {
  return sends(bob, '/api/v3/trade/place-order', { category, symbol, side, qty, price, orderType: 'limit' })
}

test('v3: trading', async () => {
  for (const category of ['SPOT', 'USDT-FUTURES']) {
    await offer(category, 'sell', '0.1')
    await sends(alice, '/api/v3/trade/place-order', {
      ...limit,
      category,
      symbol: 'BTCUSDT',
      side: 'buy',
      price: '60000',
    })
  }
  await offer('COIN-FUTURES', 'sell', '600', '60000', 'BTCUSD')
  const inverse = { category: 'COIN-FUTURES', symbol: 'BTCUSD', side: 'buy', qty: '600', price: '60000' }
  await sends(alice, '/api/v3/trade/place-order', { ...limit, ...inverse })
  const low = { ...limit, ...linear, side: 'buy', price: '58000' }
  const ids = await Promise.all([1, 2, 3].map(() => sends(alice, '/api/v3/trade/place-order', low)))
  const { orderId } = ids[0] ?? {}
  await sends(alice, '/api/v3/trade/place-batch', [low, { ...low, qty: '0' }])
  await finds(alice, '/api/v3/trade/unfilled-orders', linear)
  await asks(alice, '/api/v3/trade/order-info', { orderId: orderId ?? '' })
  await sends(alice, '/api/v3/trade/cancel-order', { orderId })
  await sends(alice, '/api/v3/trade/cancel-batch', [
    { ...linear, orderId: ids[1]?.['orderId'] },
    { ...linear, clientOid: 'x' },
  ])
  await finds(alice, '/api/v3/trade/history-orders', linear)
  await finds(alice, '/api/v3/trade/fills')
  await finds(alice, '/api/v3/position/current-position', linear)
  await finds(alice, '/api/v3/position/adlRank')
  const strategy = {
    ...linear,
    stopLoss: '50000',
    takeProfit: '70000',
    posSide: 'long',
    side: 'sell',
    tpslMode: 'full',
  }
  const tpsl = await sends(alice, '/api/v3/trade/place-strategy-order', strategy)
  await finds(alice, '/api/v3/trade/unfilled-strategy-orders', { category: linear.category })
  await sends(alice, '/api/v3/trade/modify-strategy-order', {
    orderId: tpsl['orderId'],
    stopLoss: '51000',
    takeProfit: '71000',
  })
  await sends(alice, '/api/v3/trade/cancel-strategy-order', { orderId: tpsl['orderId'] })
  await finds(alice, '/api/v3/trade/history-strategy-orders', { category: linear.category })
  await sends(alice, '/api/v3/trade/cancel-symbol-order', linear)
  await offer(linear.category, 'buy', '0.1', '60000')
  await sends(alice, '/api/v3/trade/place-order', { ...limit, ...linear, side: 'sell', price: '60000' })
  await finds(alice, '/api/v3/position/history-position', linear)
  await finds(alice, '/api/v3/account/financial-records', { category: linear.category })
})

test('v3: the account', async () => {
  await finds(alice, '/api/v3/account/assets')
  await finds(alice, '/api/v3/account/funding-assets')
  await asks(alice, '/api/v3/account/fee-rate', linear)
  await asks(alice, '/api/v3/account/max-transferable', { coin: 'USDT' })
  await asks(alice, '/api/v3/account/order-count')
  await sends(alice, '/api/v3/account/max-open-available', { ...linear, orderType: 'market', side: 'buy', size: '1' })
  await sends(alice, '/api/v3/account/set-leverage', { ...linear, leverage: '10' })
  await finds(alice, '/api/v3/account/settings')
  await sends(alice, '/api/v3/account/set-stp-mode', { stpMode: 'none' })
  const ether = { category: linear.category, symbol: 'ETHUSDT' }
  await offer(ether.category, 'sell', '0.1', '3000', ether.symbol)
  const apart = { ...limit, ...ether, marginMode: 'isolated', side: 'buy', price: '3000' }
  await sends(alice, '/api/v3/trade/place-order', apart)
  await sends(alice, '/api/v3/account/set-margin', { ...ether, posSide: 'long', operation: 'add', amount: '10' })
  const move = { fromType: 'uta', toType: 'spot', amount: '1', coin: 'USDT' }
  await sends(alice, '/api/v3/account/transfer', move)
  const away = { ...move, toType: 'usdt_futures', fromUserId: alice.uid, toUserId: sub.uid, clientOid: 'away' }
  await sends(alice, '/api/v3/account/sub-transfer', away)
  const dave = await venue.person('Dave', { funds: { uta: { USDT: '10000' } } })
  await sends(dave, '/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' })
  await offer('SPOT', 'buy', '0.1', '60000')
  const short = { category: 'MARGIN', symbol: 'BTCUSDT', side: 'sell', price: '60000' }
  await sends(dave, '/api/v3/trade/place-order', { ...limit, ...short })
  await finds(dave, '/api/v3/trade/loan-data')
  await offer('SPOT', 'sell', '0.2', '60000')
  await finds(dave, '/api/v3/account/repayable-coins')
  await finds(dave, '/api/v3/account/payment-coins')
  await sends(dave, '/api/v3/account/repay', { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] })
  await finds(dave, '/api/v3/account/convert-records')
  await finds(alice, '/api/v3/account/financial-records', { category: 'OTHER' })
  await finds(alice, '/api/v3/account/funding-financial-records')
  await finds(alice, '/api/v3/account/sub-transfer-record')
})

test('v3: facts about the account', async () => {
  const account = '/api/v3/account'
  await finds(alice, `${account}/info`)
  await finds(alice, `${account}/all-fee-rate`, { category: linear.category })
  await asks(alice, `${account}/max-withdrawal`, { coin: 'USDT' })
  await asks(alice, `${account}/open-interest-limit`, linear)
  await finds(alice, `${account}/transferable-coins`, { fromType: 'uta', toType: 'spot' })
  await asks(alice, `${account}/pre-set-leverage`, { ...linear, marginMode: 'cross', leverage: '5' })
  await asks(alice, `${account}/deduct-info`)
  await sends(alice, `${account}/switch-deduct`, { deduct: 'off' })
  await sends(alice, `${account}/adjust-account-mode`, { mode: 'advanced' })
  await sends(alice, `${account}/set-collateral-type`, { collateralType: 'all' })
  await asks(alice, `${account}/collateral-type`)
  await finds(alice, `${account}/custom-collateral-coins`)
  const fred = await venue.person('Fred', { parent: alice, funds: { uta: { USDT: '5' } } })
  const gift = { fromType: 'uta', toType: 'uta', amount: '1', coin: 'USDT' }
  await sends(fred, `${account}/sub-master-transfer`, gift)
  await offer(linear.category, 'sell', '0.1', '60000')
  await sends(alice, '/api/v3/trade/cancel-symbol-order', linear)
  await sends(fred, '/api/v3/trade/cancel-symbol-order', linear)
  const long = { ...limit, ...linear, side: 'buy', price: '60000' }
  await sends(alice, '/api/v3/trade/place-order', long)
  await venue.deposit(fred, { uta: { USDT: '10000' } })
  const positionList = [{ symbol: linear.symbol, side: 'buy', qty: '0.1' }]
  const away = { fromUid: alice.uid, toUid: fred.uid, category: linear.category, positionList }
  await sends(alice, `${account}/move-positions`, away)
  await finds(alice, `${account}/move-position-history`, { category: linear.category })
  const erin = await venue.person('Erin')
  await sends(erin, `${account}/switch`, {})
  await asks(erin, `${account}/switch-status`)
})

const passphrase = 'passphrase1'

test('v3: sub-accounts and their keys', async () => {
  const user = '/api/v3/user'
  const { subUid = '' } = await sends(alice, `${user}/create-sub`, { username: 'alpha' })
  await venue.operator('deposits', { uid: subUid, wallet: 'uta', coin: 'USDT', amount: '10' })
  await finds(alice, `${user}/sub-list`)
  await finds(alice, '/api/v3/account/sub-unified-assets')
  await sends(alice, `${user}/freeze-sub`, { subUid, operation: 'freeze' })
  const key = { subUid, note: 'bot', type: 'read_write', passphrase, permissions: ['uta_mgt'], ips: ['10.0.0.1'] }
  const { apiKey } = await sends(alice, `${user}/create-sub-api`, key)
  await finds(alice, `${user}/sub-api-list`, { subUid })
  await sends(alice, `${user}/update-sub-api`, { apiKey, passphrase, type: 'read_only' })
  await sends(alice, `${user}/delete-sub-api`, { apiKey })
  await sends(alice, `${user}/sub-account/agent-create`, { username: 'agent', passphrase })
})

test('v2: wallets and sub-accounts', async () => {
  await finds(carol, '/api/v2/account/all-account-balance')
  await finds(carol, '/terminal/equity')
  await finds(carol, '/api/v2/account/funding-assets')
  const single = { productType: contract.productType, assetMode: 'single' }
  await sends(carol, '/api/v2/mix/account/set-asset-mode', single)
  await finds(alice, '/api/v2/mix/account/sub-account-assets', { productType: contract.productType })
  await venue.operator('deposits', { uid: sub.uid, wallet: 'spot', coin: 'USDT', amount: '7' })
  await finds(alice, '/api/v2/spot/account/subaccount-assets')
  const user = '/api/v2/user'
  const made = await carol.post(`${user}/create-virtual-subaccount`, { subAccountList: ['beta', 'beta'] })
  const [{ subaAccountUid: subAccountUid = '' } = {}] = done('POST', `${user}/create-virtual-subaccount`, made).list(
    'successList',
  )
  await sends(carol, `${user}/modify-virtual-subaccount`, { subAccountUid, permList: ['read'], status: 'normal' })
  await finds(carol, `${user}/virtual-subaccount-list`)
  const key = { subAccountUid, passphrase, label: 'bot' }
  const { subAccountApiKey } = await sends(carol, `${user}/create-virtual-subaccount-apikey`, key)
  await finds(carol, `${user}/virtual-subaccount-apikey-list`, { subAccountUid })
  await sends(carol, `${user}/modify-virtual-subaccount-apikey`, { ...key, subAccountApiKey })
  await sends(carol, `${user}/create-agent-subaccount`, { username: 'agent', passphrase })
})

test('v2: futures', async () => {
  await offer(linear.category, 'sell', '0.1')
  const order = { ...mix, size: '0.1', side: 'buy', orderType: 'limit', price: '60000' }
  await sends(carol, '/api/v2/mix/order/place-order', order)
  const low = { ...order, price: '58000' }
  const resting = await sends(carol, '/api/v2/mix/order/place-order', low)
  const many = { ...mix, orderList: [low, { ...low, size: '0' }] }
  await sends(carol, '/api/v2/mix/order/batch-place-order', many)
  await finds(carol, '/api/v2/mix/order/orders-pending', contract)
  await asks(carol, '/api/v2/mix/order/detail', { ...contract, orderId: resting['orderId'] ?? '' })
  await sends(carol, '/api/v2/mix/order/cancel-order', { ...contract, orderId: resting['orderId'] })
  await sends(carol, '/api/v2/mix/order/batch-cancel-orders', { ...contract, orderIdList: [{ clientOid: 'nobody' }] })
  await sends(carol, '/api/v2/mix/order/cancel-all-orders', { productType: contract.productType })
  await finds(carol, '/api/v2/mix/order/orders-history', contract)
  await finds(carol, '/api/v2/mix/order/fills', contract)
  await finds(carol, '/api/v2/mix/account/bill', { productType: contract.productType })
  await finds(carol, '/api/v2/mix/order/fill-history', contract)
  await finds(carol, '/api/v2/mix/position/single-position', { ...contract, marginCoin: 'USDT' })
  await finds(carol, '/api/v2/mix/position/all-position', { productType: contract.productType, marginCoin: 'USDT' })
  await finds(carol, '/api/v2/mix/position/adlRank', { productType: contract.productType })
  await asks(carol, '/api/v2/mix/account/account', { ...contract, marginCoin: 'USDT' })
  await asks(carol, '/api/v2/mix/account/accounts', { productType: contract.productType })
  await asks(carol, '/api/v2/mix/account/open-count', {
    ...contract,
    marginCoin: 'USDT',
    openAmount: '100',
    openPrice: '60000',
  })
  await sends(carol, '/api/v2/mix/account/set-all-leverage', { productType: contract.productType, leverage: '9' })
  const ether = { productType: contract.productType, symbol: 'ETHUSDT', marginCoin: 'USDT' }
  await sends(carol, '/api/v2/mix/account/set-leverage', { ...ether, leverage: '7' })
  await sends(carol, '/api/v2/mix/account/set-margin-mode', { ...ether, marginMode: 'isolated' })
  await offer(linear.category, 'sell', '1', '3000', 'ETHUSDT')
  const apart = { ...ether, marginMode: 'isolated', size: '1', side: 'buy', orderType: 'limit', price: '3000' }
  await sends(carol, '/api/v2/mix/order/place-order', apart)
  await sends(carol, '/api/v2/mix/account/set-margin', { ...ether, amount: '10', holdSide: 'long' })
  await sends(carol, '/api/v2/mix/account/set-auto-margin', { ...ether, autoMargin: 'on', holdSide: 'long' })
  await sends(carol, '/api/v2/mix/account/set-position-mode', { productType: 'USDC-FUTURES', posMode: 'hedge_mode' })
})

test('v2: trigger orders of futures', async () => {
  const plan = {
    ...mix,
    planType: 'normal_plan',
    size: '0.1',
    side: 'buy',
    orderType: 'market',
    triggerType: 'mark_price',
  }
  const planned = await sends(carol, '/api/v2/mix/order/place-plan-order', { ...plan, triggerPrice: '50000' })
  const which = { ...contract, orderId: planned['orderId'] }
  await finds(carol, '/api/v2/mix/order/orders-plan-pending', { ...contract, planType: 'normal_plan' })
  await sends(carol, '/api/v2/mix/order/modify-plan-order', { ...which, newTriggerPrice: '51000', newSize: '0.2' })
  const stop = { ...contract, marginCoin: 'USDT', planType: 'loss_plan', size: '0.1', triggerType: 'mark_price' }
  const stopping = await sends(carol, '/api/v2/mix/order/place-tpsl-order', {
    ...stop,
    triggerPrice: '40000',
    holdSide: 'buy',
  })
  const changed = { ...contract, marginCoin: 'USDT', orderId: stopping['orderId'], triggerPrice: '41000', size: '0.1' }
  await sends(carol, '/api/v2/mix/order/modify-tpsl-order', changed)
  const both = { stopSurplusTriggerPrice: '90000', stopLossTriggerPrice: '30000', holdSide: 'buy' }
  await sends(carol, '/api/v2/mix/order/place-pos-tpsl', { ...contract, marginCoin: 'USDT', ...both })
  await sends(carol, '/api/v2/mix/order/cancel-plan-order', {
    ...contract,
    orderIdList: [{ orderId: planned['orderId'] }],
  })
  await finds(carol, '/api/v2/mix/order/orders-plan-history', { ...contract, planType: 'normal_plan' })
  const resting = { ...plan, orderType: 'limit', price: '50000', triggerPrice: '59900' }
  const { orderId: planOrderId = '' } = await sends(carol, '/api/v2/mix/order/place-plan-order', resting)
  for (const BTC of ['59900', '60000']) await venue.setIndexPrices({ BTC })
  await finds(carol, '/api/v2/mix/order/plan-sub-order', { ...contract, planType: 'normal_plan', planOrderId })
})

test('v2: spot', async () => {
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01', price: '60000' }
  await offer('SPOT', 'sell', '0.01')
  await sends(carol, '/api/v2/spot/trade/place-order', order)
  const low = { ...order, price: '58000' }
  const resting = await sends(carol, '/api/v2/spot/trade/place-order', low)
  await sends(carol, '/api/v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList: [low, { ...low, size: '0' }] })
  await finds(carol, '/api/v2/spot/trade/unfilled-orders')
  await finds(carol, '/api/v2/spot/trade/orderInfo', { orderId: resting['orderId'] ?? '' })
  await sends(carol, '/api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId: resting['orderId'] })
  const unknown = { symbol: 'BTCUSDT', orderList: [{ clientOid: 'nobody' }] }
  await sends(carol, '/api/v2/spot/trade/batch-cancel-order', unknown)
  await sends(carol, '/api/v2/spot/trade/cancel-symbol-order', { symbol: 'BTCUSDT' })
  await finds(carol, '/api/v2/spot/trade/history-orders')
  await finds(carol, '/api/v2/spot/trade/fills')
  const plan = { symbol: 'BTCUSDT', side: 'buy', triggerPrice: '50000', orderType: 'limit', executePrice: '50000' }
  const placed = { ...plan, size: '0.01', triggerType: 'mark_price', planType: 'amount' }
  const planned = await sends(carol, '/api/v2/spot/trade/place-plan-order', placed)
  const { orderId } = planned
  const changed = { orderId, triggerPrice: '51000', orderType: 'limit', executePrice: '51000', size: '0.02' }
  await finds(carol, '/api/v2/spot/trade/current-plan-order', { symbol: 'BTCUSDT' })
  await sends(carol, '/api/v2/spot/trade/modify-plan-order', changed)
  await sends(carol, '/api/v2/spot/trade/cancel-plan-order', { orderId })
  await sends(carol, '/api/v2/spot/trade/batch-cancel-plan-order', {})
  await finds(carol, '/api/v2/spot/trade/history-plan-order', { symbol: 'BTCUSDT', ...bounds() })
  await finds(carol, '/api/v2/spot/account/assets')
  await asks(carol, '/api/v2/spot/account/info')
  await asks(carol, '/api/v2/common/trade-rate', { symbol: 'BTCUSDT', businessType: 'spot' })
  const move = { fromType: 'spot', toType: 'usdt_futures', amount: '1', coin: 'USDT' }
  await sends(carol, '/api/v2/spot/wallet/transfer', move)
  const away = { ...move, toType: 'spot', fromUserId: alice.uid, toUserId: sub.uid }
  await sends(alice, '/api/v2/spot/wallet/subaccount-transfer', away)
  await finds(carol, '/api/v2/spot/account/bills')
  await finds(carol, '/api/v2/spot/account/transferRecords', { coin: 'USDT' })
  await finds(alice, '/api/v2/spot/account/sub-main-trans-record')
  const broker = { subUid: venue.as('broker-sub').uid, productType: contract.productType }
  await finds(venue.as('broker-main'), '/api/v2/broker/account/subaccount-future-assets', broker)
})

test('v2: cross margin', async () => {
  const room = '/api/v2/margin/crossed'
  await sends(carol, `${room}/account/borrow`, { coin: 'USDT', borrowAmount: '1000' })
  await sends(carol, `${room}/account/repay`, { coin: 'USDT', repayAmount: '100' })
  await offer('SPOT', 'sell', '1')
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    loanType: 'normal',
    baseSize: '0.01',
  }
  await sends(carol, `${room}/place-order`, { ...order, price: '60000' })
  const low = { ...order, price: '58000' }
  const resting = await sends(carol, `${room}/place-order`, low)
  await sends(carol, `${room}/batch-place-order`, { symbol: 'BTCUSDT', orderList: [low, { ...low, baseSize: '0' }] })
  const listed = { symbol: 'BTCUSDT', startTime: bounds().startTime }
  await finds(carol, `${room}/open-orders`, listed)
  await sends(carol, `${room}/cancel-order`, { symbol: 'BTCUSDT', orderId: resting['orderId'] })
  await sends(carol, `${room}/batch-cancel-order`, { symbol: 'BTCUSDT', orderIdList: [{ clientOid: 'nobody' }] })
  await finds(carol, `${room}/history-orders`, listed)
  await finds(carol, `${room}/fills`, listed)
  await finds(carol, `${room}/account/assets`)
  for (const path of ['account/max-borrowable-amount', 'account/max-transfer-out-amount']) {
    await asks(carol, `${room}/${path}`, { coin: 'USDT' })
  }
  const flash = await sends(carol, `${room}/account/flash-repay`, { coin: 'USDT' })
  await sends(carol, `${room}/account/query-flash-repay-status`, { idList: flash['repayId'] })
  await finds(carol, `${room}/interest-rate-and-limit`, { coin: 'USDT' })
  await finds(carol, `${room}/tier-data`, { coin: 'USDT' })
  await asks(carol, `${room}/account/risk-rate`)
  for (const path of ['borrow-history', 'repay-history', 'interest-history', 'financial-records']) {
    await finds(carol, `${room}/${path}`, { startTime: bounds().startTime })
  }
  await asks(carol, `${room}/liquidation-history`, { startTime: bounds().startTime })
})

test('a liquidation', async () => {
  const symbol = 'ETHUSDT'
  const erin = await venue.person('Erin', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  await offer(linear.category, 'sell', '1', '3000', symbol)
  const order = { ...mix, symbol, size: '1', side: 'buy', orderType: 'limit', price: '3000' }
  await sends(erin, '/api/v2/mix/account/set-leverage', { ...contract, symbol, marginCoin: 'USDT', leverage: '50' })
  await sends(erin, '/api/v2/mix/order/place-order', order)
  await venue.setIndexPrices({ ETH: '2800' })
  await finds(erin, '/api/v2/mix/position/history-position', { symbol })
})

test('changing orders, closing positions', async () => {
  const order = { ...linear, side: 'buy', orderType: 'limit', qty: '0.01', price: '50000' }
  const { orderId } = await sends(alice, '/api/v3/trade/place-order', order)
  await sends(alice, '/api/v3/trade/modify-order', { orderId, qty: '0.02', stopLoss: '45000' })
  await sends(alice, '/api/v3/trade/batch-modify-order', [
    { orderId, price: '49000' },
    { clientOid: 'nobody', price: '49000' },
  ])
  await sends(alice, '/api/v3/trade/countdown-cancel-all', { countdown: '0' })

  const futures = { ...contract, marginMode: 'crossed', marginCoin: 'USDT', orderType: 'limit', force: 'gtc' }
  const low = { ...futures, side: 'buy', size: '0.01', price: '50000' }
  const resting = await sends(carol, '/api/v2/mix/order/place-order', low)
  const changed = { ...contract, orderId: resting['orderId'], newClientOid: 'changed', newPrice: '49000' }
  await sends(carol, '/api/v2/mix/order/modify-order', changed)
  const spot = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01', price: '50000' }
  await sends(carol, '/api/v2/spot/trade/place-order', { ...spot, clientOid: 'first' })
  const next = { symbol: 'BTCUSDT', price: '49000', size: '0.02' }
  await sends(carol, '/api/v2/spot/trade/cancel-replace-order', { ...next, clientOid: 'first', newClientOid: 'second' })
  await sends(carol, '/api/v2/spot/trade/batch-cancel-replace-order', {
    orderList: [
      { ...next, clientOid: 'second' },
      { ...next, clientOid: 'nobody' },
    ],
  })

  // Each has a position that can be closed and one that cannot.
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    const price = symbol === 'BTCUSDT' ? '60000' : '3000'
    const market = { category: 'USDT-FUTURES', symbol, qty: '0.1', orderType: 'limit', price }
    await bob.post('/api/v3/trade/place-order', { ...market, qty: '0.2', side: 'sell' })
    await alice.post('/api/v3/trade/place-order', { ...market, side: 'buy' })
    await carol.post('/api/v2/mix/order/place-order', { ...futures, symbol, side: 'buy', size: '0.1', price })
    await bob.post('/api/v3/trade/place-order', { ...market, qty: '1', side: 'buy' })
  }
  const turned = { ...contract, marginCoin: 'USDT', side: 'sell' }
  await sends(carol, '/api/v2/mix/order/click-backhand', turned)
  const status = (value: string) =>
    venue.operator('instruments/status', { category: 'USDT-FUTURES', symbol: 'ETHUSDT', status: value })
  await status('halted')
  const closed = await sends(alice, '/api/v3/trade/close-positions', { category: 'USDT-FUTURES' })
  expect(closed['list']).toEqual(expect.arrayContaining([expect.objectContaining({ code: '41114' })]))
  const lists = await sends(carol, '/api/v2/mix/order/close-positions', { productType: 'USDT-FUTURES' })
  for (const list of Object.values(lists)) expect(list).not.toEqual([])
  await status('online')
})

test('public', async () => {
  for (const category of ['SPOT', 'USDT-FUTURES']) {
    await offer(category, 'sell', '0.1', '60100')
    await offer(category, 'buy', '0.1', '59900')
  }
  for (const productType of ['USDT-FUTURES', 'COIN-FUTURES']) {
    const symbol = productType === 'COIN-FUTURES' ? 'BTCUSD' : 'BTCUSDT'
    await venue.operator('funding/settle', { productType, symbol })
  }
  const spot = { symbol: 'BTCUSDT' }
  const inverse = { category: 'COIN-FUTURES', symbol: 'BTCUSD' }
  const reads: readonly (readonly [path: string, ...queries: Query[]])[] = [
    ['/api/v2/public/time', {}],
    ['/api/v2/spot/public/coins', {}],
    ['/api/v2/spot/public/symbols', {}],
    ['/api/v2/margin/currencies', {}],
    ['/api/v2/spot/market/tickers', {}, spot],
    ['/api/v2/spot/market/orderbook', spot],
    ['/api/v2/spot/market/merge-depth', spot],
    ['/api/v2/spot/market/fills', spot],
    ['/api/v2/spot/market/fills-history', spot],
    ['/api/v2/spot/market/candles', { ...spot, granularity: '1min' }],
    ['/api/v2/spot/market/history-candles', { ...spot, granularity: '1min', endTime: bounds().endTime }],
    ['/api/v2/mix/market/contracts', { productType: 'USDT-FUTURES' }, { productType: 'COIN-FUTURES' }],
    ['/api/v2/mix/market/query-position-lever', contract],
    ['/api/v2/mix/market/discount-rate', {}],
    ['/api/v2/mix/market/oi-limit', contract],
    ['/api/v2/mix/market/ticker', contract],
    ['/api/v2/mix/market/tickers', { productType: 'COIN-FUTURES' }],
    ['/api/v2/mix/market/symbol-price', contract],
    ['/api/v2/mix/market/merge-depth', contract],
    ['/api/v2/mix/market/fills', contract],
    ['/api/v2/mix/market/fills-history', contract],
    ['/api/v2/mix/market/current-fund-rate', contract],
    ['/api/v2/mix/market/funding-time', contract],
    ['/api/v2/mix/market/history-fund-rate', contract],
    ['/api/v2/mix/market/open-interest', contract],
    ...['candles', 'history-candles', 'history-mark-candles', 'history-index-candles'].map((name): [string, Query] => [
      `/api/v2/mix/market/${name}`,
      { ...contract, granularity: '1m' },
    ]),
    ['/api/v3/public/time', {}],
    ['/api/v3/market/instruments', { category: 'SPOT' }, { category: 'MARGIN' }, linear, inverse],
    ['/api/v3/market/tickers', { category: 'SPOT' }, linear, inverse],
    ['/api/v3/market/orderbook', linear],
    ['/api/v3/market/fills', linear, inverse],
    ['/api/v3/market/history-fund-rate', linear],
    ['/api/v3/market/current-fund-rate', spot],
    ['/api/v3/market/open-interest', linear],
    ['/api/v3/market/position-tier', linear, { category: 'MARGIN', coin: 'BTC' }],
    ['/api/v3/market/candles', { ...linear, interval: '1m' }, { ...inverse, interval: '1H', type: 'mark' }],
    ['/api/v3/market/history-candles', { ...linear, interval: '1m' }],
    ['/api/v3/market/discount-rate', {}],
    ['/api/v3/market/oi-limit', linear],
    ['/api/v3/market/index-components', spot],
    ['/api/v3/market/margin-loans', { coin: 'USDT' }],
    ['/api/v3/market/liquidations', { category: linear.category }, { ...linear, symbol: 'ETHUSDT' }],
    ['/api/v3/market/risk-reserve', linear],
    ['/api/v3/market/risk-reserve-hour', linear],
    ['/api/v3/market/risk-reserve-all', { category: 'USDT-FUTURES' }],
    ['/api/v3/market/proof-of-reserves', {}],
  ]
  for (const [path, ...queries] of reads) {
    for (const query of queries) await finds(bob, path, query)
  }
  for (const line of ['spot', 'mix']) await asks(bob, `/api/v2/${line}/market/vip-fee-rate`)
})

test('v2 and v3: estimates and facts', async () => {
  const order = { ...contract, marginCoin: 'USDT', posSide: 'long', orderType: 'limit', openPrice: '60000' }
  await asks(carol, '/api/v2/mix/account/max-open', order)
  await asks(carol, '/api/v2/mix/account/liq-price', { ...order, openAmount: '0.1' })
  await finds(carol, '/api/v2/spot/wallet/transfer-coin-info', { fromType: 'spot', toType: 'crossed_margin' })
  await asks(carol, '/api/v2/spot/account/deduct-info')
  await sends(carol, '/api/v2/spot/account/switch-deduct', { deduct: 'off' })
  await asks(carol, '/api/v2/spot/trade/plan-sub-order', { planOrderId: '1' })
  await finds(bob, '/api/v2/public/annoucements', { language: 'en_US' })
  await asks(bob, '/api/v2/mix/account/interest-history', { productType: 'USDT-FUTURES' })
  await finds(bob, '/api/v2/mix/market/exchange-rate')
  await finds(alice, '/api/v3/account/delta-info')
  await finds(alice, '/api/v3/user/rate-limit-quota', { category: 'futures' })
})

test('v2: sides of a contract', async () => {
  for (const what of ['account-long-short', 'position-long-short', 'long-short', 'taker-buy-sell']) {
    await finds(bob, `/api/v2/mix/market/${what}`, { symbol: 'BTCUSDT', period: '5m' })
  }
  await asks(bob, '/api/v2/margin/market/long-short-ratio', { symbol: 'BTCUSDT' })
})

test('v2: conversions', async () => {
  await finds(carol, '/api/v2/convert/currencies')
  const asked = { fromCoin: 'USDT', toCoin: 'BTC', fromCoinSize: '60' }
  const { fee: _none, ...quote } = await finds(carol, '/api/v2/convert/quoted-price', asked)
  await sends(carol, '/api/v2/convert/trade', quote)
  await finds(carol, '/api/v2/convert/convert-record', bounds())
})

test('deposits and withdrawals', async () => {
  const sent = { coin: 'USDT', chain: 'TRC20', amount: '100' }
  for (const { uid } of [alice, carol, sub]) await venue.operator('chain/deposits', { ...sent, uid })
  const address = { coin: 'USDT', chain: 'TRC20' }
  const out = { ...address, transferType: 'on_chain', address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', size: '50' }
  const v2 = '/api/v2/spot/wallet'
  await asks(carol, `${v2}/deposit-address`, address)
  await asks(alice, `${v2}/subaccount-deposit-address`, { ...address, subUid: sub.uid })
  await sends(carol, `${v2}/modify-deposit-account`, { coin: 'USDT', accountType: 'spot' })
  const { orderId } = await sends(carol, `${v2}/withdrawal`, out)
  await sends(carol, `${v2}/cancel-withdrawal`, { orderId })
  await finds(carol, `${v2}/deposit-records`, bounds())
  await finds(alice, `${v2}/subaccount-deposit-records`, { ...bounds(), subUid: sub.uid })
  await finds(carol, `${v2}/withdrawal-records`, bounds())

  const v3 = '/api/v3/account'
  await asks(alice, `${v3}/deposit-address`, address)
  await asks(alice, `${v3}/sub-deposit-address`, { ...address, subUid: sub.uid })
  await sends(alice, `${v3}/deposit-account`, { coin: 'USDT', accountType: 'unified' })
  const { orderId: named } = await sends(alice, `${v3}/withdrawal`, out)
  await sends(alice, `${v3}/withdraw`, out)
  await sends(alice, `${v3}/cancel-withdrawal`, { orderId: named })
  await finds(alice, `${v3}/deposit-records`)
  await finds(alice, `${v3}/sub-deposit-records`, { subUid: sub.uid })
  const listed = await alice.post(`${v3}/sub-deposit-records`, { subUid: sub.uid })
  expect(done('POST', `${v3}/sub-deposit-records`, listed).data).toHaveLength(1)
  await finds(alice, `${v3}/withdrawal-records`)
  await finds(alice, `${v3}/withdraw-address`)
})

test('nobody was forgotten', () => {
  expect(endpoints.map(({ method, path }) => `${method} ${path}`).filter((name) => !answered.has(name))).toEqual([])
})
