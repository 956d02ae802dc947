/**
 * Pairs, wallets and cross margin of a classic account through bitget-api's RestClientV2, unmodified.
 *
 * One trade   0.1 BTC at 60000, of which the buyer pays 0.0001 BTC and the seller 6 USDT
 * Source      design §6 (test/clients); wire/client-endpoints.md §4
 */
import type { RestClientV2 } from 'bitget-api'
import { expect } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { clientV2, dataOf, throwsCode } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'

const at = stage()
const { works, notByClient } = callsOf('bitget-api', 'RestClientV2')
const digits = expect.stringMatching(/^\d+$/)

const funds = {
  spot: { USDT: '100000', BTC: '10' },
  crossed_margin: { USDT: '100000', BTC: '10' },
  usdt_futures: { USDT: '1000' },
}
const symbol = 'BTCUSDT'
const bid = { symbol, side: 'buy', orderType: 'limit', force: 'gtc', size: '0.1', price: '59000' } as const
const offer = { ...bid, side: 'sell', price: '60000' } as const
const startTime = String(Date.now() - 3_600_000)

async function account(name: string): Promise<RestClientV2> {
  const person = await at.person(name, { mode: 'classic', funds })
  person.hasTraded = true
  return clientV2(at.venue, person.key)
}

const both = async () => [await account('Alice'), await account('Bob')] as const

// conversions

works('getConvertCoins, getConvertQuotedPrice, convert and getConvertHistory', async () => {
  const client = await account('Alice')
  const coins = await dataOf(client.getConvertCoins())
  expect(coins).toContainEqual({ coin: 'USDT', available: '100000', minAmount: '1', maxAmount: '100000' })
  const { fee, ...quote } = await dataOf(
    client.getConvertQuotedPrice({ fromCoin: 'USDT', fromCoinSize: '60', toCoin: 'BTC' }),
  )
  expect({ fee, toCoinSize: quote.toCoinSize }).toEqual({ fee: '0', toCoinSize: '0.000999' })
  expect(await dataOf(client.convert(quote))).toMatchObject({ toCoin: 'BTC', toCoinSize: '0.000999' })
  const endTime = String(Date.now() + 1000)
  const { dataList } = await dataOf(client.getConvertHistory({ startTime, endTime }))
  expect(dataList).toMatchObject([{ id: digits, fromCoinSize: '60', toCoinSize: '0.000999' }])
})

// spot

works('spotSubmitOrder, getSpotOrder, getSpotOpenOrders and spotCancelOrder', async () => {
  const client = await account('Alice')
  const { orderId, clientOid } = await dataOf(client.spotSubmitOrder({ ...bid, clientOid: 'mine' }))
  expect({ orderId, clientOid }).toEqual({ orderId: digits, clientOid: 'mine' })
  const order = { orderId, clientOid, symbol, size: '0.1', side: 'buy', orderType: 'limit', status: 'live' }
  expect(await dataOf(client.getSpotOrder({ clientOid }))).toMatchObject([
    { ...order, price: '59000', baseVolume: '0' },
  ])
  expect(await dataOf(client.getSpotOpenOrders({ symbol }))).toMatchObject([order])
  expect(await dataOf(client.spotCancelOrder({ symbol, orderId }))).toEqual({ orderId, clientOid })
  expect(await dataOf(client.getSpotOrder({ orderId }))).toMatchObject([{ ...order, status: 'cancelled' }])
  expect(await dataOf(client.getSpotHistoricOrders({ symbol }))).toMatchObject([{ orderId, status: 'cancelled' }])
  expect(await dataOf(client.getSpotOrder({ clientOid: 'none' }))).toEqual([])
})

works('spotSubmitOrder with take-profit and stop-loss, and getSpotCurrentPlanOrders', async () => {
  const [alice, bob] = await both()
  await dataOf(bob.spotSubmitOrder(offer))
  const presets = { presetTakeProfitPrice: '66000', presetStopLossPrice: '54000', executeStopLossPrice: '53900' }
  await dataOf(alice.spotSubmitOrder({ ...bid, price: '59500', ...presets }))
  expect(await dataOf(alice.getSpotOpenOrders({ symbol }))).toMatchObject([presets])
  await dataOf(alice.spotSubmitOrder({ ...bid, price: '60000', ...presets }))
  const { orderList } = await dataOf(alice.getSpotCurrentPlanOrders({ symbol }))
  expect(orderList).toMatchObject([
    { side: 'sell', size: '0.0999', triggerPrice: '54000', executePrice: '53900', orderType: 'limit' },
    { side: 'sell', size: '0.0999', triggerPrice: '66000', orderType: 'market' },
  ])
})

works('spotSubmitOrder, getSpotOpenOrders and spotCancelOrder with tpslType tpsl', async () => {
  const client = await account('Alice')
  const { orderId } = await dataOf(client.spotSubmitOrder({ ...bid, tpslType: 'tpsl', triggerPrice: '58000' }))
  const waiting = { orderId, triggerPrice: '58000', tpslType: 'tpsl', size: '0.1' }
  expect(await dataOf(client.getSpotOpenOrders({ symbol }))).toEqual([])
  expect(await dataOf(client.getSpotOpenOrders({ symbol, tpslType: 'tpsl' }))).toMatchObject([waiting])
  await dataOf(client.spotCancelOrder({ symbol, orderId, tpslType: 'tpsl' }))
  expect(await dataOf(client.getSpotOpenOrders({ symbol, tpslType: 'tpsl' }))).toEqual([])
})

works('getSpotFills and getSpotAccountAssets', async () => {
  const [alice, bob] = await both()
  const sold = await dataOf(bob.spotSubmitOrder(offer))
  const bought = await dataOf(alice.spotSubmitOrder({ ...bid, price: '60000' }))
  const fill = { symbol, priceAvg: '60000', size: '0.1', amount: '6000', tradeId: digits }
  expect(await dataOf(alice.getSpotFills({ symbol }))).toMatchObject([
    {
      ...fill,
      orderId: bought.orderId,
      side: 'buy',
      tradeScope: 'taker',
      feeDetail: { feeCoin: 'BTC', totalFee: '-0.0001' },
    },
  ])
  expect(await dataOf(bob.getSpotFills({ symbol }))).toMatchObject([
    {
      ...fill,
      orderId: sold.orderId,
      side: 'sell',
      tradeScope: 'maker',
      feeDetail: { feeCoin: 'USDT', totalFee: '-6' },
    },
  ])
  const has = async (client: RestClientV2, coin: string) => (await dataOf(client.getSpotAccountAssets({ coin })))[0]
  expect(await has(alice, 'BTC')).toMatchObject({ available: '10.0999', frozen: '0' })
  expect(await has(bob, 'USDT')).toMatchObject({ available: '105994' })
  await dataOf(alice.spotSubmitOrder(bid))
  expect(await has(alice, 'USDT')).toMatchObject({ available: '88100', frozen: '5900' })
})

works('spotSubmitOrder market, ioc, fok and post_only', async () => {
  const [alice, bob] = await both()
  await dataOf(bob.spotSubmitOrder({ ...offer, size: '0.05' }))
  const sent = async (more: object) => {
    const { orderId } = await dataOf(alice.spotSubmitOrder({ ...bid, price: '60000', ...more }))
    const [order] = await dataOf(alice.getSpotOrder({ orderId }))
    return [order?.status, order?.baseVolume]
  }
  expect(await sent({ force: 'post_only' })).toEqual(['cancelled', '0'])
  expect(await sent({ force: 'fok' })).toEqual(['cancelled', '0'])
  expect(await sent({ force: 'ioc' })).toEqual(['cancelled', '0.05'])
  await dataOf(bob.spotSubmitOrder(offer))
  expect(await sent({ orderType: 'market', price: undefined, size: '3000' })).toEqual(['filled', '0.05']) // of USDT
})

works('spotBatchSubmitOrders, spotBatchCancelOrders and spotCancelSymbolOrder', async () => {
  const client = await account('Alice')
  const orderList = [
    { ...bid, clientOid: 'one' },
    { ...bid, price: '600000', clientOid: 'far' },
  ]
  expect(await dataOf(client.spotBatchSubmitOrders({ symbol, orderList }))).toMatchObject({
    successList: [{ orderId: digits, clientOid: 'one' }],
    failureList: [{ clientOid: 'far', errorCode: '43009' }],
  })
  const gone = await dataOf(
    client.spotBatchCancelOrders({ symbol, orderList: [{ clientOid: 'one' }, { orderId: '77' }] }),
  )
  expect(gone).toMatchObject({ successList: [{ clientOid: 'one' }], failureList: [{ orderId: '77' }] })
  await dataOf(client.spotSubmitOrder(bid))
  expect(await dataOf(client.spotCancelSymbolOrder({ symbol }))).toMatchObject({ symbol })
  expect(await dataOf(client.getSpotOpenOrders({ symbol }))).toEqual([])
})

works('spotSubmitPlanOrder, spotModifyPlanOrder, spotCancelPlanOrder and spotCancelPlanOrders', async () => {
  const client = await account('Alice')
  const figures = { triggerPrice: '59500', executePrice: '59000', size: '0.1', orderType: 'limit' } as const
  const plan = { symbol, side: 'buy', planType: 'amount', triggerType: 'mark_price', ...figures } as const
  const { orderId } = await dataOf(client.spotSubmitPlanOrder(plan))
  await dataOf(client.spotModifyPlanOrder({ ...figures, orderId, triggerPrice: '59400' }))
  const open = async () => (await dataOf(client.getSpotCurrentPlanOrders({ symbol }))).orderList ?? []
  expect(await open()).toMatchObject([{ orderId, triggerPrice: '59400', executePrice: '59000', status: 'live' }])
  expect(await dataOf(client.spotCancelPlanOrder({ orderId }))).toEqual({ result: 'success' })
  await dataOf(client.spotSubmitPlanOrder(plan))
  await dataOf(client.spotCancelPlanOrders({ symbolList: [symbol] }))
  expect(await open()).toEqual([])
  const endTime = String(Date.now() + 1000)
  const { orderList } = await dataOf(client.getSpotHistoricPlanOrders({ symbol, startTime, endTime }))
  expect(orderList.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
})

works('getSpotAccount, getTradeRate and spotTransfer', async () => {
  const client = await account('Alice')
  expect((await dataOf(client.getSpotAccount())).userId).toEqual(digits)
  const rate = await dataOf(client.getTradeRate({ symbol, businessType: 'spot' }))
  expect(rate).toEqual({ makerFeeRate: '0.001', takerFeeRate: '0.001' })
  const move = { fromType: 'spot', toType: 'usdt_futures', amount: '100.5', coin: 'USDT', symbol: '' } as const
  expect(await dataOf(client.spotTransfer(move))).toMatchObject({ transferId: digits })
  const [account1] = await dataOf(client.getFuturesAccountAssets({ productType: 'USDT-FUTURES' }))
  expect(account1).toMatchObject({ available: '1100.5' })
  await throwsCode(client.spotTransfer({ ...move, amount: '10000000' }), '43117')
})

works('spotSubTransfer', async () => {
  const main = await at.person('Main', { mode: 'classic', funds })
  const sub = await at.person('Sub', { mode: 'classic', parent: main })
  const client = clientV2(at.venue, main.key)
  const move = { fromType: 'spot', toType: 'spot', amount: '25', coin: 'USDT', clientOid: 'once' } as const
  const users = { fromUserId: main.uid, toUserId: sub.uid }
  expect(await dataOf(client.spotSubTransfer({ ...move, ...users }))).toMatchObject({ transferId: digits })
  const [has] = await dataOf(clientV2(at.venue, sub.key).getSpotAccountAssets({ coin: 'USDT' }))
  expect(has).toMatchObject({ available: '25' })
})

works('refusals, spot', async () => {
  const client = await account('Alice')
  await throwsCode(client.spotSubmitOrder({ ...bid, size: '4000' }), '43012')
  await throwsCode(client.spotSubmitOrder({ ...bid, size: '0.00001', price: '10000' }), '45110')
  await throwsCode(client.spotSubmitOrder({ ...bid, price: '59000.123' }), '41103')
  await throwsCode(client.spotCancelOrder({ symbol, orderId: '77' }), '43001')
  await dataOf(client.spotSubmitOrder({ ...bid, clientOid: 'twice' }))
  await throwsCode(client.spotSubmitOrder({ ...bid, clientOid: 'twice' }), '40786')
})

works('refusals of keys', async () => {
  const { uid, key } = await at.person('Alice', { mode: 'classic', funds })
  const reader = clientV2(at.venue, await at.venue.makeKey(uid, ['read']))
  await throwsCode(reader.spotSubmitOrder(bid), '40014')
  expect(await dataOf(reader.getSpotAccountAssets({ coin: 'BTC' }))).toMatchObject([{ available: '10' }])
  await throwsCode(clientV2(at.venue, { ...key, apiKey: 'bg_unknown' }).getSpotAccount(), '40006')
  await throwsCode(clientV2(at.venue, { ...key, secret: 'another' }).getSpotAccount(), '40009')
  await throwsCode(clientV2(at.venue, { ...key, passphrase: 'another' }).getSpotAccount(), '40012')
})

// cross margin

const marginBid = { symbol, side: 'buy', orderType: 'limit', force: 'gtc', loanType: 'normal', price: '59000' } as const

works('marginSubmitOrder, getMarginOpenOrders, marginCancelOrder and getMarginHistoricOrders', async () => {
  const client = await account('Alice')
  const { orderId } = await dataOf(client.marginSubmitOrder('crossed', { ...marginBid, baseSize: '0.1' }))
  const order = { orderId, symbol, price: '59000', side: 'buy', baseSize: '0.1' }
  const { orderList: open } = await dataOf(client.getMarginOpenOrders('crossed', { symbol, startTime }))
  expect(open).toMatchObject([{ ...order, status: 'live' }])
  expect(await dataOf(client.marginCancelOrder('crossed', { symbol, orderId }))).toMatchObject({ orderId })
  const { orderList: ended } = await dataOf(client.getMarginHistoricOrders('crossed', { symbol, startTime }))
  expect(ended).toMatchObject([{ ...order, status: 'cancelled' }])
})

works('marginSubmitOrder with autoLoan, getMarginHistoricOrderFills and getMarginAccountAssets', async () => {
  const [alice, bob] = await both()
  await dataOf(bob.spotSubmitOrder({ ...offer, size: '2' }))
  // 120,000 USDT are bought for with 100,000: 20,000 are borrowed, the first hour costs 0.012 % / 24 of it.
  const loan = { ...marginBid, loanType: 'autoLoan', price: '60000', baseSize: '2' } as const
  const { orderId } = await dataOf(alice.marginSubmitOrder('crossed', loan))
  const { fills } = await dataOf(alice.getMarginHistoricOrderFills('crossed', { symbol, startTime }))
  expect(fills).toMatchObject([
    { orderId, priceAvg: '60000', size: '2', amount: '120000', feeDetail: { feeCoin: 'BTC' } },
  ])
  const has = async (coin: string) => (await dataOf(alice.getMarginAccountAssets('crossed', { coin })))[0]
  expect(await has('BTC')).toMatchObject({ totalAmount: '11.998', borrow: '0' })
  expect(await has('USDT')).toMatchObject({ totalAmount: '0', borrow: '20000', interest: '0.1' })
})

works('marginSubmitOrder with normal, autoRepay and autoLoanAndRepay', async () => {
  const [alice, bob] = await both()
  await dataOf(bob.spotSubmitOrder({ ...offer, size: '3' }))
  const order = { ...marginBid, price: '60000', baseSize: '2' } as const
  await throwsCode(alice.marginSubmitOrder('crossed', order), '50020')
  await dataOf(alice.marginBorrow('crossed', { ...answered, coin: 'BTC', borrowAmount: '0.5' }))
  await dataOf(alice.marginSubmitOrder('crossed', { ...order, baseSize: '0.4', loanType: 'autoRepay' }))
  const has = async (coin: string) => (await dataOf(alice.getMarginAccountAssets('crossed', { coin })))[0]
  // 0.3996 came in; 0.00000146 of it were interest.
  expect(await has('BTC')).toMatchObject({ borrow: '0.10040146', interest: '0' })
  await dataOf(alice.marginSubmitOrder('crossed', { ...order, loanType: 'autoLoanAndRepay' }))
  expect(await has('BTC')).toMatchObject({ borrow: '0' })
  expect(await has('USDT')).toMatchObject({ borrow: '44000' })
  const { orderList } = await dataOf(alice.getMarginHistoricOrders('crossed', { symbol, startTime }))
  expect(orderList.map(({ loanType }) => loanType)).toEqual(['autoLoanAndRepay', 'autoRepay'])
})

works('marginBatchSubmitOrders', async () => {
  const client = await account('Alice')
  const { symbol: _, ...one } = { ...marginBid, baseSize: '0.1', clientOid: 'one' }
  const orderList = [one, { ...one, clientOid: 'far', price: '600000' }]
  expect(await dataOf(client.marginBatchSubmitOrders('crossed', { symbol, orderList }))).toMatchObject({
    successList: [{ orderId: digits, clientOid: 'one' }],
    failureList: [{ clientOid: 'far' }],
  })
})

/** The client's types ask for what the venue answers, too. */
const answered = { loanId: '', repayId: '', remainDebtAmount: '', symbol: '' }

works('marginBorrow, marginRepay and their histories', async () => {
  const client = await account('Alice')
  const loan = await dataOf(client.marginBorrow('crossed', { ...answered, coin: 'ETH', borrowAmount: '1' }))
  expect(loan).toMatchObject({ loanId: digits, coin: 'ETH', borrowAmount: '1' })
  const repaid = await dataOf(client.marginRepay('crossed', { ...answered, coin: 'ETH', repayAmount: '0.4' }))
  expect(repaid).toMatchObject({ repayId: digits, coin: 'ETH', repayAmount: '0.4', remainDebtAmount: '0.60000334' })
  const asked = { coin: 'ETH', startTime }
  expect((await dataOf(client.getMarginBorrowHistory('crossed', asked))).resultList).toMatchObject([
    { loanId: loan.loanId, borrowAmount: '1' },
  ])
  expect((await dataOf(client.getMarginRepayHistory('crossed', asked))).resultList).toMatchObject([
    { repayId: repaid.repayId, repayAmount: '0.4' },
  ])
  expect((await dataOf(client.getMarginInterestHistory('crossed', asked))).resultList).toMatchObject([
    { interestCoin: 'ETH', interestAmount: '0.00000334' },
  ])
  const bills = (await dataOf(client.getMarginFinancialHistory('crossed', asked))).resultList
  expect(bills.map(({ marginType }) => marginType)).toEqual(expect.arrayContaining(['borrow', 'repay']))
  expect((await dataOf(client.getMarginLiquidationHistory('crossed', { startTime }))).resultList).toEqual([])
  expect(await dataOf(client.getMarginRiskRate('crossed'))).toMatchObject({
    riskRateRatio: expect.stringMatching(/^0\.0/),
  })
})

works('getMarginTierConfiguration', async () => {
  const client = await account('Alice')
  expect(await dataOf(client.getMarginTierConfiguration('crossed', { coin: 'BTC' }))).toMatchObject([{ coin: 'BTC' }])
})

const literal = 'the client asks for a path with ${marginType} in it'
const unasked: readonly (readonly [method: string, call: (client: RestClientV2) => Promise<unknown>])[] = [
  ['getMarginMaxBorrowable', (client) => client.getMarginMaxBorrowable('crossed', { coin: 'BTC' })],
  ['getMarginMaxTransferable', (client) => client.getMarginMaxTransferable('crossed', { coin: 'BTC' })],
  [
    'getMarginInterestRateAndMaxBorrowable',
    (client) => client.getMarginInterestRateAndMaxBorrowable('crossed', { coin: 'BTC' }),
  ],
  ['marginBatchCancelOrders', (client) => client.marginBatchCancelOrders('crossed', { symbol, orderIdList: ['1'] })],
]
for (const [method, call] of unasked) {
  notByClient(method, literal, async () => throwsCode(call(await account('Alice')), '40404', 404))
}

works('getSpotDepositAddress, getSpotDepositHistory and spotModifyDepositAccount', async () => {
  const person = await at.person('Alice', { mode: 'classic', funds })
  const client = clientV2(at.venue, person.key)
  const address = await dataOf(client.getSpotDepositAddress({ coin: 'BTC', chain: 'BTC', size: '0.01' }))
  expect(address).toEqual({ address: expect.stringMatching(/^bc1q/), chain: 'BTC', coin: 'BTC', tag: '', url: '' })
  await at.venue.operator('chain/deposits', { uid: person.uid, coin: 'BTC', amount: '0.5' })
  const times = { startTime: String(Date.now() - 3_600_000), endTime: String(Date.now() + 60_000) }
  const [deposit] = await dataOf(client.getSpotDepositHistory(times))
  expect(deposit).toMatchObject({ coin: 'BTC', size: '0.5', status: 'pending', toAddress: address.address })
  expect(await dataOf(client.spotModifyDepositAccount({ accountType: 'spot', coin: 'BTC' }))).toBe('success')
})

works('spotWithdraw, getSpotWithdrawalHistory and spotCancelWithdrawal', async () => {
  const client = await account('Alice')
  const to = { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', chain: 'BTC' }
  const { orderId } = await dataOf(client.spotWithdraw({ coin: 'BTC', transferType: 'on_chain', ...to, size: '0.1' }))
  const times = { startTime: String(Date.now() - 3_600_000), endTime: String(Date.now() + 60_000) }
  const [withdrawal] = await dataOf(client.getSpotWithdrawalHistory(times))
  expect(withdrawal).toMatchObject({ orderId, size: '0.1', fee: '-0.0001', status: 'pending', confirm: '0' })
  expect(await dataOf(client.spotCancelWithdrawal({ orderId }))).toBe('success')
  const [canceled] = await dataOf(client.getSpotWithdrawalHistory({ ...times, orderId }))
  expect(canceled).toMatchObject({ orderId, status: 'cancel' })
})

works('getSpotBGBDeductInfo', async () => {
  expect(await dataOf((await account('Alice')).getSpotBGBDeductInfo())).toEqual({ deduct: 'off' })
})

notByClient('spotSwitchBGBDeduct', 'it sends a truth value, where the interface has `on` and `off`', async () =>
  throwsCode((await account('Alice')).spotSwitchBGBDeduct({ deduct: true }), '40017'),
)

works('getSpotTransferableCoins', async () => {
  const wallets = { fromType: 'spot', toType: 'usdt_futures' } as const
  expect(await dataOf((await account('Alice')).getSpotTransferableCoins(wallets))).toEqual(['USDT'])
})

notByClient('marginFlashRepay', literal, async () =>
  throwsCode((await account('Alice')).marginFlashRepay('crossed', { coin: 'BTC' }), '40404', 404),
)
