/**
 * A unified account through bitget-api's RestClientV3, unmodified: assets and settings, orders, trades, positions and
 * strategy orders in every category.
 *
 * One trade   0.1 BTC, or 6000 USD of the inverse contract, at 60000
 * Source      design §6 (test/clients); wire/v3-endpoints.md
 */
import type { RestClientV3 } from 'bitget-api'
import { describe, expect } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { btcInverse, btcMargin, btcPerpetual, btcSpot, btcUsdc, takenInBatch } from '../support/trading.ts'
import { clientV3, dataOf, throwsCode } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'

const at = stage()
const { works } = callsOf('bitget-api', 'RestClientV3')
const digits = expect.stringMatching(/^\d+$/)

const funds = { uta: { USDT: '100000', USDC: '100000', BTC: '10' }, spot: { USDT: '500' } }

async function account(name: string): Promise<{ client: RestClientV3; person: Person }> {
  const person = await at.person(name, { funds })
  person.hasTraded = true
  return { client: clientV3(at.venue, person.key), person }
}

const markets = [
  { kind: 'spot', category: 'SPOT', market: btcSpot, qty: '0.1', fee: { feeCoin: 'BTC', fee: '0.0001' } },
  { kind: 'margin', category: 'MARGIN', market: btcMargin, qty: '0.1', fee: { feeCoin: 'BTC', fee: '0.0001' } },
  { kind: 'linear', category: 'USDT-FUTURES', market: btcPerpetual, qty: '0.1', fee: { feeCoin: 'USDT', fee: '3.6' } },
  { kind: 'USDC', category: 'USDC-FUTURES', market: btcUsdc, qty: '0.1', fee: { feeCoin: 'USDC', fee: '3.6' } },
  {
    kind: 'inverse',
    category: 'COIN-FUTURES',
    market: btcInverse,
    qty: '6000',
    fee: { feeCoin: 'BTC', fee: '0.00006' },
  },
] as const

describe.each(markets)('$kind', ({ kind, category, market, qty, fee }) => {
  const { symbol } = market
  const asked = { category, symbol } as const
  const bid = { ...asked, side: 'buy', orderType: 'limit', qty, price: '59000' } as const

  works(`submitNewOrder, getOrderInfo, getUnfilledOrders, cancelOrder and getHistoryOrders, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { orderId, clientOid } = await dataOf(client.submitNewOrder({ ...bid, clientOid: 'mine' }))
    expect({ orderId, clientOid }).toEqual({ orderId: digits, clientOid: 'mine' })
    const order = { orderId, clientOid, category, symbol, side: 'buy', price: '59000', qty, timeInForce: 'gtc' }
    expect(await dataOf(client.getOrderInfo({ clientOid }))).toMatchObject({ ...order, orderStatus: 'live' })
    expect((await dataOf(client.getUnfilledOrders(asked))).list).toMatchObject([{ ...order, cumExecQty: '0' }])
    expect(await dataOf(client.cancelOrder({ orderId }))).toEqual({ orderId, clientOid })
    expect(await dataOf(client.getOrderInfo({ orderId }))).toMatchObject({ ...order, orderStatus: 'cancelled' })
    expect((await dataOf(client.getHistoryOrders(asked))).list).toMatchObject([{ ...order, orderStatus: 'cancelled' }])
  })

  works(`submitNewOrder ioc, fok, post_only and market, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { person: bob } = await account('Bob')
    const half = kind === 'inverse' ? '3000' : '0.05'
    await takenInBatch(bob, `sell ${half} @ 60000`, market)
    const sent = async (more: object) => {
      const { orderId } = await dataOf(client.submitNewOrder({ ...bid, price: '60000', ...more }))
      const { orderStatus, cumExecQty } = await dataOf(client.getOrderInfo({ orderId }))
      return [orderStatus, cumExecQty]
    }
    expect(await sent({ timeInForce: 'post_only' })).toEqual(['cancelled', '0'])
    expect(await sent({ timeInForce: 'fok' })).toEqual(['cancelled', '0'])
    expect(await sent({ timeInForce: 'ioc' })).toEqual(['cancelled', half])
    await takenInBatch(bob, `sell ${qty} @ 60000`, market)
    const spends = kind === 'spot' || kind === 'margin' ? { qty: '6000' } : {}
    expect(await sent({ orderType: 'market', price: undefined, ...spends })).toEqual(['filled', qty])
  })

  works(`getTradeFills, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { person: bob } = await account('Bob')
    await takenInBatch(bob, `sell ${qty} @ 60000`, market)
    const { orderId } = await dataOf(client.submitNewOrder({ ...bid, price: '60000' }))
    const { list } = await dataOf(client.getTradeFills({ category }))
    const fill = { orderId, category, symbol, side: 'buy', execPrice: '60000', execQty: '0.1', execValue: '6000' }
    expect(list).toMatchObject([{ ...fill, execId: digits, tradeScope: 'taker', feeDetail: [fee] }])
    const order = { orderStatus: 'filled', avgPrice: '60000', cumExecQty: qty, feeDetail: [fee] }
    expect(await dataOf(client.getOrderInfo({ orderId }))).toMatchObject(order)
  })

  works(`placeBatchOrders, cancelBatchOrders and cancelAllOrders, ${kind}`, async () => {
    const { client } = await account('Alice')
    const batch = [
      { ...bid, clientOid: 'one' },
      { ...bid, clientOid: 'far', price: '600000' },
      { ...bid, clientOid: 'two' },
    ]
    const placed = await dataOf(client.placeBatchOrders(batch))
    expect(placed).toMatchObject([
      { orderId: digits, clientOid: 'one' },
      { clientOid: 'far', code: '40815' },
      { orderId: digits, clientOid: 'two' },
    ])
    const canceled = await dataOf(client.cancelBatchOrders([{ ...asked, clientOid: 'one' }]))
    expect(canceled).toMatchObject([{ clientOid: 'one' }])
    expect((await dataOf(client.cancelAllOrders(asked))).list).toMatchObject([{ clientOid: 'two' }])
    expect((await dataOf(client.getUnfilledOrders(asked))).list).toEqual([])
  })

  works(`getFeeRate and getMaxOpenAvailable, ${kind}`, async () => {
    const { client } = await account('Alice')
    const pair = kind === 'spot' || kind === 'margin'
    const rates = pair ? ['0.001', '0.001'] : ['0.0002', '0.0006']
    expect(await dataOf(client.getFeeRate(asked))).toEqual({ makerFeeRate: rates[0], takerFeeRate: rates[1] })
    const most = { ...asked, orderType: 'limit', side: 'buy', price: '60000', size: qty } as const
    expect(await dataOf(client.getMaxOpenAvailable(most))).toHaveProperty('available')
  })

  works(`refusals, ${kind}`, async () => {
    const { client } = await account('Alice')
    const much = kind === 'inverse' ? '100000000' : '4000'
    await throwsCode(client.submitNewOrder({ ...bid, qty: much }), fee.fee === '0.0001' ? '43012' : '40762')
    await throwsCode(client.submitNewOrder({ ...bid, price: '59000.123' }), fee.fee === '0.0001' ? '41103' : '40808')
    await throwsCode(client.getOrderInfo({ clientOid: 'none' }), '43001')
    await throwsCode(client.cancelOrder({ orderId: '77' }), '43001')
    await dataOf(client.submitNewOrder({ ...bid, clientOid: 'twice' }))
    await throwsCode(client.submitNewOrder({ ...bid, clientOid: 'twice' }), '40786')
    await throwsCode(client.submitNewOrder({ ...bid, symbol: 'NONEUSDT' }), '40034')
  })
})

const contracts = markets.flatMap((one) => (one.kind === 'spot' || one.kind === 'margin' ? [] : [one]))

describe.each(contracts)('positions, $kind', ({ kind, category, market, qty }) => {
  const { symbol } = market
  const asked = { category, symbol } as const
  const buy = { ...asked, side: 'buy', orderType: 'limit', qty, price: '60000' } as const
  const margin = kind === 'inverse' ? '0.005' : '300'

  async function longAlice(more: object = {}) {
    const alice = await account('Alice')
    const { person: bob } = await account('Bob')
    await takenInBatch(bob, `sell ${qty} @ 60000`, market)
    await dataOf(alice.client.submitNewOrder({ ...buy, ...more }))
    return { ...alice, bob }
  }

  works(`getCurrentPosition and getPositionAdlRank, ${kind}`, async () => {
    const { client, bob } = await longAlice()
    const position = { ...asked, posSide: 'long', total: qty, avgPrice: '60000', leverage: '20', unrealisedPnl: '0' }
    const { list } = await dataOf(client.getCurrentPosition(asked))
    expect(list).toMatchObject([
      { ...position, marginMode: 'crossed', holdMode: 'one_way_mode', positionBalance: margin },
    ])
    expect(await dataOf(clientV3(at.venue, bob.key).getPositionAdlRank())).toMatchObject([
      { symbol, holdSide: 'short' },
    ])
  })

  works(`setLeverage and setHoldMode, hedge mode, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { person: bob } = await account('Bob')
    expect(await dataOf(client.setLeverage({ ...asked, leverage: '10' }))).toBe('success')
    expect(await dataOf(client.setHoldMode({ holdMode: 'hedge_mode' }))).toBe('success')
    await throwsCode(client.submitNewOrder(buy), '40774')
    await takenInBatch(bob, `sell ${qty} @ 60000`, market)
    await dataOf(client.submitNewOrder({ ...buy, posSide: 'long' }))
    const position = { posSide: 'long', holdMode: 'hedge_mode', leverage: '10' }
    expect((await dataOf(client.getCurrentPosition(asked))).list).toMatchObject([position])
    await takenInBatch(bob, `buy ${qty} @ 60000`, market)
    await dataOf(client.submitNewOrder({ ...buy, side: 'sell', posSide: 'long' }))
    expect((await dataOf(client.getCurrentPosition(asked))).list ?? []).toEqual([])
    await throwsCode(client.setLeverage({ ...asked, leverage: '500' }), '43050')
  })

  works(`setMargin, isolated and reduce-only, ${kind}`, async () => {
    const { client, bob } = await longAlice({ marginMode: 'isolated' })
    const posSide = 'long'
    expect(await dataOf(client.setMargin({ ...asked, posSide, operation: 'add', amount: margin }))).toBe('success')
    const doubled = kind === 'inverse' ? '0.01' : '600'
    const { list } = await dataOf(client.getCurrentPosition(asked))
    expect(list).toMatchObject([{ marginMode: 'isolated', positionBalance: doubled }])
    await dataOf(client.setMargin({ ...asked, posSide, operation: 'remove', amount: margin }))
    await takenInBatch(bob, `buy ${qty} @ 60000`, market)
    const reduce = { ...buy, side: 'sell', marginMode: 'isolated', reduceOnly: 'yes' } as const
    await dataOf(client.submitNewOrder(reduce))
    expect((await dataOf(client.getCurrentPosition(asked))).list ?? []).toEqual([])
    await throwsCode(client.submitNewOrder(reduce), '22002')
  })

  works(`strategy orders: submit, modify, list and cancel, ${kind}`, async () => {
    const { client } = await longAlice()
    const tpsl = { takeProfit: '65000', stopLoss: '55000', tpTriggerBy: 'mark', slTriggerBy: 'mark' } as const
    const kinds = { type: 'tpsl', tpslMode: 'full', posSide: 'long', side: 'sell' } as const
    const orders = { tpOrderType: 'market', slOrderType: 'market' } as const
    const { orderId } = await dataOf(client.submitStrategyOrder({ ...asked, ...kinds, ...tpsl, ...orders }))
    await dataOf(client.modifyStrategyOrder({ orderId, qty, takeProfit: '66000', stopLoss: '56000' }))
    const open = () => dataOf(client.getUnfilledStrategyOrders({ category }))
    expect(await open()).toMatchObject([{ orderId, symbol, takeProfit: '66000', stopLoss: '56000', status: 'pending' }])
    await dataOf(client.cancelStrategyOrder({ orderId }))
    expect(await open()).toEqual([])
    const { list } = await dataOf(client.getHistoryStrategyOrders({ category }))
    expect(list.map(({ status }) => status)).toContain('cancelled')
  })

  works(`submitNewOrder with take-profit and stop-loss, ${kind}`, async () => {
    const { client } = await longAlice({ takeProfit: '65000', stopLoss: '55000' })
    const [tpsl] = await dataOf(client.getUnfilledStrategyOrders({ category }))
    expect(tpsl).toMatchObject({ qty, takeProfit: '65000', stopLoss: '55000' })
  })
})

describe.each(markets.slice(0, 2))('$kind', ({ kind, category, market, qty }) => {
  works(`submitNewOrder with take-profit and stop-loss, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { person: bob } = await account('Bob')
    await takenInBatch(bob, 'sell 0.1 @ 60000', market)
    const order = { category, symbol: market.symbol, side: 'buy', orderType: 'limit', qty, price: '60000' } as const
    await dataOf(client.submitNewOrder({ ...order, takeProfit: '65000', stopLoss: '55000' }))
    const open = () => dataOf(client.getUnfilledStrategyOrders({ category }))
    const [tpsl] = await open()
    expect(tpsl).toMatchObject({ qty: '0.0999', takeProfit: '65000', stopLoss: '55000', side: 'sell' })
    await dataOf(client.cancelStrategyOrder({ orderId: String(tpsl?.orderId) }))
    expect(await open()).toEqual([])
  })
})

works('getBalances, getFundingAssets and getMaxTransferable', async () => {
  const { client } = await account('Alice')
  await dataOf(
    client.submitNewOrder({
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      qty: '0.1',
      price: '59000',
    }),
  )
  const { assets } = await dataOf(client.getBalances())
  expect(assets.find(({ coin }) => coin === 'USDT')).toMatchObject({
    balance: '100000',
    available: '94100',
    locked: '5900',
    debt: '0',
  })
  expect(await dataOf(client.getFundingAssets({ coin: 'USDT' }))).toMatchObject([{ coin: 'USDT', available: '500' }])
  expect(await dataOf(client.getMaxTransferable({ coin: 'USDT' }))).toMatchObject({
    coin: 'USDT',
    maxTransfer: '94100',
  })
})

works('getAccountSettings', async () => {
  const { client, person } = await account('Alice')
  expect(await dataOf(client.getAccountSettings())).toMatchObject({
    uid: person.uid,
    assetMode: 'multi_assets',
    holdMode: 'one_way_mode',
  })
})

works('submitTransfer and subAccountTransfer', async () => {
  const { client, person } = await account('Main')
  const sub = await at.person('Sub', { parent: person })
  const move = { fromType: 'spot', toType: 'uta', amount: '100.5', coin: 'USDT' } as const
  expect(await dataOf(client.submitTransfer(move))).toMatchObject({ transferId: digits })
  const users = { fromUserId: person.uid, toUserId: sub.uid, clientOid: 'once' }
  const sent = { ...move, ...users, fromType: 'uta', amount: '25' } as const
  const first = await dataOf(client.subAccountTransfer(sent))
  expect(await dataOf(client.subAccountTransfer(sent))).toEqual(first)
  const { assets } = await dataOf(clientV3(at.venue, sub.key).getBalances())
  expect(assets).toMatchObject([{ coin: 'USDT', balance: '25' }])
  await throwsCode(client.submitTransfer({ ...move, amount: '10000000' }), '43117')
})

works('getLoanData and submitRepay', async () => {
  const person = await at.person('Debtor', { funds: { uta: { BTC: '1' } } })
  person.hasTraded = true
  const { person: bob } = await account('Bob')
  const client = clientV3(at.venue, person.key)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcMargin)
  // 6000 USDT are borrowed, and the first hour costs 0.012 % / 24 of them.
  await takenInBatch(person, 'buy 0.1 @ 60000', btcMargin)
  const { debtCoinList } = await dataOf(client.getLoanData())
  expect(debtCoinList).toMatchObject([{ coin: 'USDT', debt: '6000.03' }])
  await takenInBatch(bob, 'buy 0.2 @ 60000', btcSpot)
  const paid = await dataOf(client.submitRepay({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC'] }))
  expect(paid).toMatchObject({ repayAmount: expect.stringMatching(/^6000/) })
  const { assets } = await dataOf(client.getBalances())
  expect(assets.find(({ coin }) => coin === 'USDT')?.debt ?? '0').toBe('0')
})

works('refusals of keys', async () => {
  const { person } = await account('Alice')
  const reader = clientV3(at.venue, await at.venue.makeKey(person.uid, ['read']))
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '1', price: '1' } as const
  await throwsCode(reader.submitNewOrder(order), '40014')
  expect((await dataOf(reader.getBalances())).assets).toHaveLength(3)
  await throwsCode(clientV3(at.venue, { ...person.key, apiKey: 'bg_unknown' }).getBalances(), '40006')
  await throwsCode(clientV3(at.venue, { ...person.key, secret: 'another' }).getBalances(), '40009')
  await throwsCode(clientV3(at.venue, { ...person.key, passphrase: 'another' }).getBalances(), '40012')
  const classic = await at.person('Classic', { mode: 'classic' })
  await throwsCode(clientV3(at.venue, classic.key).getBalances(), '40084')
})

works('getDepositAddress, getSubDepositAddress, getDepositRecords and setDepositAccount', async () => {
  const { client, person } = await account('Alice')
  const sub = await at.person('Sam', { parent: person })
  const address = await dataOf(client.getDepositAddress({ coin: 'BTC' }))
  expect(address).toEqual({ address: expect.stringMatching(/^bc1q/), chain: 'BTC', coin: 'BTC', tag: '', url: '' })
  const other = await dataOf(client.getSubDepositAddress({ subUid: sub.uid, coin: 'BTC' }))
  expect(other.address).not.toBe(address.address)
  await at.venue.operator('chain/deposits', { uid: sub.uid, coin: 'BTC', amount: '0.5' })
  await at.venue.operator('chain/deposits', { uid: person.uid, coin: 'BTC', amount: '0.25' })
  const times = { startTime: String(Date.now() - 3_600_000), endTime: String(Date.now() + 60_000) }
  expect(await dataOf(client.getDepositRecords(times))).toMatchObject([
    { coin: 'BTC', size: '0.25', status: 'pending' },
  ])
  expect(await dataOf(client.getSubDepositRecords({ ...times, subUid: sub.uid }))).toMatchObject([{ size: '0.5' }])
  expect(await dataOf(client.setDepositAccount({ coin: 'BTC', accountType: 'unified' }))).toBe('success')
})

works('submitWithdraw, getWithdrawRecords, getWithdrawAddressBook and cancelWithdrawal', async () => {
  const { client } = await account('Alice')
  const to = { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', chain: 'BTC' }
  const asked = { coin: 'BTC', transferType: 'on_chain', ...to, size: '0.1', clientOid: 'w-1' } as const
  const { orderId } = await dataOf(client.submitWithdraw(asked))
  const times = { startTime: String(Date.now() - 3_600_000), endTime: String(Date.now() + 60_000) }
  const [record] = await dataOf(client.getWithdrawRecords(times))
  expect(record).toMatchObject({ orderId, clientOid: 'w-1', size: '0.1', fee: '-0.0001', status: 'pending' })
  const { addressList } = await dataOf(client.getWithdrawAddressBook())
  expect(addressList).toMatchObject([{ coin: 'BTC', ...to, type: 'regular' }])
  expect(await dataOf(client.cancelWithdrawal({ clientOid: 'w-1' }))).toBe('success')
  const [canceled] = await dataOf(client.getWithdrawRecords({ ...times, orderId }))
  expect(canceled).toMatchObject({ orderId, status: 'cancel' })
})
