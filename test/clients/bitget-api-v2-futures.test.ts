/**
 * Contracts of a classic account through bitget-api's RestClientV2, unmodified: accounts, settings, orders, trades,
 * positions and trigger orders, linear and inverse.
 *
 * One trade   0.1 BTC at 60000: margin 300 USDT or 0.005 BTC at 20 times, fees 3.6 USDT or 0.00006 BTC of the taker
 * Source      design §6 (test/clients); wire/client-endpoints.md §4
 */
import type { RestClientV2 } from 'bitget-api'
import { describe, expect } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { btcInverse, btcPerpetual, btcUsdc, taken } from '../support/trading.ts'
import { clientV2, dataOf, throwsCode } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'

const at = stage()
const { works } = callsOf('bitget-api', 'RestClientV2')
const digits = expect.stringMatching(/^\d+$/)

const funds = { usdt_futures: { USDT: '100000' }, usdc_futures: { USDC: '100000' }, coin_futures: { BTC: '10' } }

async function account(name: string): Promise<{ client: RestClientV2; person: Person }> {
  const person = await at.person(name, { mode: 'classic', funds })
  person.hasTraded = true
  return { client: clientV2(at.venue, person.key), person }
}

const markets = [
  { kind: 'linear', market: btcPerpetual, productType: 'USDT-FUTURES', equity: '99996.4', margin: '300', fee: '-3.6' },
  { kind: 'USDC', market: btcUsdc, productType: 'USDC-FUTURES', equity: '99996.4', margin: '300', fee: '-3.6' },
  {
    kind: 'inverse',
    market: btcInverse,
    productType: 'COIN-FUTURES',
    equity: '9.99994',
    margin: '0.005',
    fee: '-0.00006',
  },
] as const

describe.each(markets)('$kind', ({ kind, market, productType, equity, margin, fee }) => {
  const { symbol, marginCoin } = market
  const asked = { symbol, productType } as const
  const coined = { ...asked, marginCoin } as const
  const bid = {
    ...coined,
    marginMode: 'crossed',
    side: 'buy',
    orderType: 'limit',
    size: '0.1',
    price: '59000',
  } as const

  /** Alice has bought 0.1 BTC at 60000 of Bob. */
  async function longAlice() {
    const alice = await account('Alice')
    const bob = await at.person('Bob', { mode: 'classic', funds })
    await taken(bob, 'sell 0.1 @ 60000', market)
    const { orderId } = await dataOf(alice.client.futuresSubmitOrder({ ...bid, price: '60000' }))
    return { ...alice, bob, orderId }
  }

  works(`getFuturesAccountAssets and getFuturesAccountAsset, ${kind}`, async () => {
    const { client } = await longAlice()
    const list = await dataOf(client.getFuturesAccountAssets({ productType }))
    expect(list.find((one) => one.marginCoin === marginCoin)).toMatchObject({
      accountEquity: equity,
      unrealizedPL: '0',
    })
    expect(await dataOf(client.getFuturesAccountAsset(coined))).toMatchObject({
      marginCoin,
      accountEquity: equity,
      crossedMarginLeverage: 20,
      marginMode: 'crossed',
      posMode: 'one_way_mode',
    })
  })

  works(`futuresSubmitOrder, getFuturesOrder, getFuturesOpenOrders and futuresCancelOrder, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { orderId, clientOid } = await dataOf(client.futuresSubmitOrder({ ...bid, clientOid: 'mine', force: 'gtc' }))
    expect({ orderId, clientOid }).toEqual({ orderId: digits, clientOid: 'mine' })
    const order = { orderId, clientOid, symbol, size: '0.1', price: '59000', side: 'buy', baseVolume: '0' }
    expect(await dataOf(client.getFuturesOrder({ ...asked, clientOid }))).toMatchObject({ ...order, state: 'live' })
    const { entrustedList } = await dataOf(client.getFuturesOpenOrders({ productType }))
    expect(entrustedList).toMatchObject([{ ...order, status: 'live', reduceOnly: 'NO', marginMode: 'crossed' }])
    expect(await dataOf(client.futuresCancelOrder({ ...asked, orderId }))).toEqual({ orderId, clientOid })
    expect(await dataOf(client.getFuturesOrder({ ...asked, orderId }))).toMatchObject({ state: 'canceled' })
    const history = await dataOf(client.getFuturesHistoricOrders({ productType }))
    expect(history.entrustedList).toMatchObject([{ ...order, status: 'canceled' }])
  })

  works(`futuresSubmitOrder ioc, fok, post_only and market, ${kind}`, async () => {
    const { client } = await account('Alice')
    const bob = await at.person('Bob', { mode: 'classic', funds })
    await taken(bob, 'sell 0.05 @ 60000', market)
    const sent = async (more: object) => {
      const { orderId } = await dataOf(client.futuresSubmitOrder({ ...bid, price: '60000', ...more }))
      const { state, baseVolume } = await dataOf(client.getFuturesOrder({ ...asked, orderId }))
      return [state, baseVolume]
    }
    expect(await sent({ force: 'post_only' })).toEqual(['canceled', '0'])
    expect(await sent({ force: 'fok' })).toEqual(['canceled', '0'])
    expect(await sent({ force: 'ioc' })).toEqual(['canceled', '0.05'])
    await taken(bob, 'sell 0.1 @ 60000', market)
    expect(await sent({ orderType: 'market', price: undefined })).toEqual(['filled', '0.1'])
  })

  works(`getFuturesFills and getFuturesHistoricOrderFills, ${kind}`, async () => {
    const { client, orderId } = await longAlice()
    const fill = { orderId, symbol, price: '60000', baseVolume: '0.1', quoteVolume: '6000', side: 'buy' }
    const paid = { feeCoin: marginCoin, totalFee: fee }
    for (const call of [client.getFuturesFills(asked), client.getFuturesHistoricOrderFills(asked)]) {
      const { fillList } = await dataOf(call)
      expect(fillList).toMatchObject([{ ...fill, tradeId: digits, tradeScope: 'taker', feeDetail: [paid] }])
    }
    expect(await dataOf(client.getFuturesOrder({ ...asked, orderId }))).toMatchObject({ state: 'filled', fee })
  })

  works(`getFuturesPosition and getFuturesPositions, ${kind}`, async () => {
    const { client, bob } = await longAlice()
    const position = {
      symbol,
      holdSide: 'long',
      total: '0.1',
      openPriceAvg: '60000',
      leverage: '20',
      marginSize: margin,
    }
    expect(await dataOf(client.getFuturesPosition(coined))).toMatchObject([{ ...position, unrealizedPL: '0' }])
    expect(await dataOf(client.getFuturesPositions({ productType, marginCoin }))).toMatchObject([position])
    expect(await dataOf(clientV2(at.venue, bob.key).getFuturesPosition(coined))).toMatchObject([
      { ...position, holdSide: 'short' },
    ])
  })

  works(`futuresBatchSubmitOrders and futuresBatchCancelOrders, ${kind}`, async () => {
    const { client } = await account('Alice')
    const one = { side: 'buy', orderType: 'limit', force: 'gtc', size: '0.1' } as const
    const orderList = [
      { ...one, price: '58000', clientOid: 'one' },
      { ...one, price: '600000', clientOid: 'far' },
    ]
    const placed = await dataOf(client.futuresBatchSubmitOrders({ ...coined, marginMode: 'crossed', orderList }))
    expect(placed).toMatchObject({
      successList: [{ orderId: digits, clientOid: 'one' }],
      failureList: [{ clientOid: 'far', errorCode: '40815' }],
    })
    const orderIdList = [{ clientOid: 'one' }, { orderId: '77' }]
    expect(await dataOf(client.futuresBatchCancelOrders({ ...asked, orderIdList }))).toMatchObject({
      successList: [{ clientOid: 'one' }],
      failureList: [{ orderId: '77', errorCode: '40768' }],
    })
  })

  works(`futuresCancelAllOrders, ${kind}`, async () => {
    const { client } = await account('Alice')
    for (const price of ['58000', '57000']) await dataOf(client.futuresSubmitOrder({ ...bid, price }))
    expect((await dataOf(client.futuresCancelAllOrders({ productType }))).successList).toHaveLength(2)
    expect((await dataOf(client.getFuturesOpenOrders({ productType }))).entrustedList ?? []).toEqual([])
  })

  works(`setFuturesLeverage, setFuturesMarginMode and setFuturesPositionMode, ${kind}`, async () => {
    const { client } = await account('Alice')
    const leverage = await dataOf(client.setFuturesLeverage({ ...coined, leverage: '10' }))
    expect(leverage).toMatchObject({ symbol, crossMarginLeverage: '10' })
    const isolated = await dataOf(client.setFuturesMarginMode({ ...coined, marginMode: 'isolated' }))
    expect(isolated).toMatchObject({ symbol, marginMode: 'isolated' })
    const hedge = await dataOf(client.setFuturesPositionMode({ productType, posMode: 'hedge_mode' }))
    expect(hedge).toEqual({ posMode: 'hedge_mode' })
    await throwsCode(client.setFuturesLeverage({ ...coined, leverage: '500' }), '45044')
  })

  works(`setFuturesPositionMargin and setFuturesPositionAutoMargin, ${kind}`, async () => {
    const { client } = await account('Alice')
    const bob = await at.person('Bob', { mode: 'classic', funds })
    await dataOf(client.setFuturesMarginMode({ ...coined, marginMode: 'isolated' }))
    await taken(bob, 'sell 0.1 @ 60000', market)
    await dataOf(client.futuresSubmitOrder({ ...bid, marginMode: 'isolated', price: '60000' }))
    const holdSide = 'long'
    await dataOf(client.setFuturesPositionMargin({ ...coined, holdSide, amount: margin }))
    const doubled = kind === 'inverse' ? '0.01' : '600'
    expect(await dataOf(client.getFuturesPosition(coined))).toMatchObject([{ marginSize: doubled }])
    await dataOf(client.setFuturesPositionMargin({ ...coined, holdSide, amount: `-${margin}` }))
    expect(await dataOf(client.getFuturesPosition(coined))).toMatchObject([{ marginSize: margin }])
    const auto = { symbol, marginCoin, autoMargin: 'on', amount: margin, holdSide, productType } as const
    await dataOf(client.setFuturesPositionAutoMargin(auto))
  })

  works(`hedge mode: open, close and reduce-only, ${kind}`, async () => {
    const { client } = await account('Alice')
    const bob = await at.person('Bob', { mode: 'classic', funds })
    const market1 = { ...coined, marginMode: 'crossed', orderType: 'market', size: '0.1', side: 'buy' } as const
    await throwsCode(client.futuresSubmitOrder({ ...market1, side: 'sell', reduceOnly: 'YES' }), '22002')
    await dataOf(client.setFuturesPositionMode({ productType, posMode: 'hedge_mode' }))
    await taken(bob, 'sell 0.1 @ 60000', market)
    await dataOf(client.futuresSubmitOrder({ ...market1, tradeSide: 'open' }))
    expect(await dataOf(client.getFuturesPosition(coined))).toMatchObject([{ holdSide: 'long', posMode: 'hedge_mode' }])
    await taken(bob, 'buy 0.1 @ 60000', market)
    await dataOf(client.futuresSubmitOrder({ ...market1, tradeSide: 'close' })) // the direction of the position
    expect(await dataOf(client.getFuturesPosition(coined))).toEqual([])
  })

  const plan = { ...bid, planType: 'normal_plan', triggerPrice: '59500', triggerType: 'mark_price' } as const

  works(`futuresSubmitPlanOrder, futuresModifyPlanOrder, getFuturesPlanOrders, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { orderId } = await dataOf(client.futuresSubmitPlanOrder(plan))
    const change = { planType: 'normal_plan', orderId, newTriggerPrice: '59400', newPrice: '58900' } as const
    await dataOf(client.futuresModifyPlanOrder({ ...asked, ...change }))
    const pending = async () =>
      (await dataOf(client.getFuturesPlanOrders({ productType, planType: 'normal_plan' }))).entrustedList ?? []
    expect(await pending()).toMatchObject([
      { orderId, triggerPrice: '59400', price: '58900', size: '0.1', planStatus: 'live' },
    ])
    const canceled = await dataOf(client.futuresCancelPlanOrder({ ...asked, orderIdList: [{ orderId }] }))
    expect(canceled.successList).toMatchObject([{ orderId }])
    expect(await pending()).toEqual([])
    const { entrustedList } = await dataOf(
      client.getFuturesHistoricPlanOrders({ productType, planType: 'normal_plan' }),
    )
    expect(entrustedList).toMatchObject([{ orderId, planStatus: 'cancelled' }])
  })

  works(`futuresSubmitPlanOrder and futuresSubmitTPSLOrder of orders that trail, ${kind}`, async () => {
    const { client } = await longAlice()
    const { price: _price, ...trailing } = bid
    const track = {
      planType: 'track_plan',
      callbackRatio: '1',
      triggerPrice: '59000',
      triggerType: 'mark_price',
    } as const
    const { orderId } = await dataOf(client.futuresSubmitPlanOrder({ ...trailing, ...track, orderType: 'market' }))
    await dataOf(client.futuresModifyPlanOrder({ ...asked, planType: 'track_plan', orderId, newCallbackRatio: '2' }))
    const plans = await dataOf(client.getFuturesPlanOrders({ productType, planType: 'track_plan' }))
    expect(plans.entrustedList).toMatchObject([{ orderId, callbackRatio: '2', triggerPrice: '59000' }])
    const moving = {
      planType: 'moving_plan',
      rangeRate: '1.5',
      triggerPrice: '61000',
      holdSide: 'buy',
      size: '0.1',
    } as const
    const stop = await dataOf(client.futuresSubmitTPSLOrder({ ...coined, ...moving }))
    const stops = await dataOf(client.getFuturesPlanOrders({ productType, planType: 'profit_loss' }))
    expect(stops.entrustedList).toMatchObject([{ orderId: stop.orderId, planType: 'moving_plan' }])
  })

  works(`getFuturesTriggerSubOrder, ${kind}`, async () => {
    const { client } = await account('Alice')
    const { orderId } = await dataOf(client.futuresSubmitPlanOrder(plan))
    const became = { productType, planType: 'normal_plan', planOrderId: orderId } as const
    expect(await dataOf(client.getFuturesTriggerSubOrder(became))).toEqual([])
    for (const price of ['59500', '60000']) await at.venue.setIndexPrices({ BTC: price })
    const order = { orderId: digits, price: '59000', type: 'limit', status: 'live' }
    expect(await dataOf(client.getFuturesTriggerSubOrder(became))).toEqual([order])
  })

  works(`futuresSubmitTPSLOrder, futuresModifyTPSLPOrder, futuresSubmitPositionTPSL, ${kind}`, async () => {
    const { client } = await longAlice()
    const loss = { planType: 'loss_plan', triggerPrice: '58000', holdSide: 'buy', size: '0.1' } as const
    const { orderId } = await dataOf(client.futuresSubmitTPSLOrder({ ...coined, ...loss }))
    await dataOf(client.futuresModifyTPSLPOrder({ ...coined, orderId, triggerPrice: '57000', size: '0.1' }))
    const both = { stopSurplusTriggerPrice: '65000', stopLossTriggerPrice: '55000', holdSide: 'buy' } as const
    await dataOf(client.futuresSubmitPositionTPSL({ ...coined, ...both }))
    const tpsl = await dataOf(client.getFuturesPlanOrders({ productType, planType: 'profit_loss' }))
    const prices = (tpsl.entrustedList ?? []).map(({ planType, triggerPrice }) => `${planType} ${triggerPrice}`)
    expect(prices.sort()).toEqual(['loss_plan 57000', 'pos_loss 55000', 'pos_profit 65000'])
  })

  works(`getFuturesOpenCount and getFuturesPositionAdlRank, ${kind}`, async () => {
    const { client, bob } = await longAlice()
    const [openAmount, least] = kind === 'inverse' ? ['0.005', 0.09] : ['300', 0.09]
    const { size } = await dataOf(
      client.getFuturesOpenCount({ ...coined, openAmount, openPrice: '60000', leverage: '20' }),
    )
    // A little less than the 0.1 BTC that this would carry without a fee.
    expect(Number(size)).toBeGreaterThan(least)
    expect(Number(size)).toBeLessThan(0.1)
    const ranks = await dataOf(clientV2(at.venue, bob.key).getFuturesPositionAdlRank({ productType }))
    expect(ranks).toMatchObject([{ symbol, holdSide: 'short' }])
  })

  works(`refusals, ${kind}`, async () => {
    const { client } = await account('Alice')
    await throwsCode(client.futuresSubmitOrder({ ...bid, size: '4000' }), '40762')
    await throwsCode(client.getFuturesOrder({ ...asked, clientOid: 'none' }), '40109')
    await throwsCode(client.futuresCancelOrder({ ...asked, orderId: '77' }), '40768')
    await throwsCode(client.futuresSubmitOrder({ ...bid, price: '59000.123' }), '40808')
    await dataOf(client.futuresSubmitOrder({ ...bid, clientOid: 'twice' }))
    await throwsCode(client.futuresSubmitOrder({ ...bid, clientOid: 'twice' }), '40786')
    await throwsCode(client.futuresSubmitOrder({ ...bid, symbol: 'NONEUSDT' }), '40034')
  })
})

works('getSubaccountFuturesAssets', async () => {
  const broker = clientV2(at.venue, at.venue.as('broker-main').key)
  const subUid = at.venue.as('broker-sub').uid
  const { assetList, assetsList } = (await dataOf(
    broker.getSubaccountFuturesAssets({ subUid, productType: 'USDT-FUTURES' }),
  )) as unknown as Record<string, unknown>
  expect(assetsList ?? assetList).toEqual(expect.arrayContaining([expect.objectContaining({ marginCoin: 'USDT' })]))
})
