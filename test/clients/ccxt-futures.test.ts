/**
 * Positions of an account through ccxt: leverage, margin and position modes, what opens and closes them, and what guards
 * them. Linear, USDC and inverse contracts, both modes, unmodified.
 *
 * Prices   the mark stands at 60000, the price of the index; one trade is 0.1 BTC
 * Source   design §6 (test/clients); wire/client-endpoints.md §2, §3; risk-engine.md
 */
import ccxt, { type bitget, type Dict, type Order } from 'ccxt'
import { beforeEach, describe, expect } from 'vitest'
import { callsOf } from './support/calls.ts'
import { amountOf, floor, futuresDesks, moneyOf } from './support/desks.ts'

const at = floor()

// Twice: a jump has to be confirmed.
beforeEach(async () => {
  for (let said = 0; said < 2; said++) await at.venue.setIndexPrices({ BTC: '60000' })
})

const digits = expect.stringMatching(/^\d+$/)

const sorted = (texts: readonly string[]) => [...texts].sort()
const triggerOf = (one: Order) => String(one.stopLossPrice ?? one.takeProfitPrice ?? one.triggerPrice)

describe.each(futuresDesks)('$mode $kind', (desk) => {
  const { mode, kind, symbol } = desk
  const { works, notByClient } = callsOf('ccxt', mode)
  const tenth = amountOf(desk, 0.1)
  const money = moneyOf(desk)
  /** ccxt takes USD of an inverse contract for so many of what costs 60000 each. */
  const squared = mode === 'uta' && kind === 'inverse'

  /** Alice buys, or sells, 0.1 BTC at a price from Bob. */
  async function trade(alice: bitget, bob: bitget, side: 'buy' | 'sell', price = 60000, words: Dict = {}) {
    await bob.createOrder(symbol, 'limit', side === 'buy' ? 'sell' : 'buy', tenth, price)
    return alice.createOrder(symbol, 'limit', side, tenth, price, words)
  }

  async function two(): Promise<[alice: bitget, bob: bitget]> {
    return [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
  }

  // cross, 20 times: margin 300 USDT or 0.005 BTC; 100,000 and 10 BTC keep a long from being liquidated
  const opened = {
    symbol,
    side: 'long',
    contracts: tenth,
    entryPrice: 60000,
    markPrice: 60000,
    unrealizedPnl: 0,
    marginMode: 'cross',
    leverage: 20,
    hedged: false,
    notional: squared ? 360_000_000 : 6000,
    initialMargin: kind === 'inverse' ? 0.005 : 300,
  }

  works(
    `fetchPosition and fetchPositions, ${kind}`,
    async () => {
      const [alice, bob] = await two()
      expect(await alice.fetchPositions([symbol])).toEqual([])
      await trade(alice, bob, 'buy')
      expect(await alice.fetchPosition(symbol)).toMatchObject(opened)
      expect(await bob.fetchPosition(symbol)).toMatchObject({ ...opened, side: 'short' })
      // Without a symbol classic mode asks for positions in USDT, unless it is told otherwise.
      const others = { productType: `${kind === 'inverse' ? 'COIN' : money}-FUTURES`, marginCoin: money }
      expect(await alice.fetchPositions(undefined, others)).toMatchObject([opened])
      // Half of it goes at 60600: 600 a BTC are won.
      await alice.createOrder(symbol, 'limit', 'sell', amountOf(desk, 0.05), 60600, { reduceOnly: true })
      await bob.createOrder(symbol, 'market', 'buy', amountOf(desk, 0.05))
      expect(await alice.fetchPosition(symbol)).toMatchObject({ contracts: amountOf(desk, 0.05), entryPrice: 60000 })
    },
    squared ? 'ccxt multiplies USD and price: do not use its notional' : undefined,
  )

  works(`unrealizedPnl and fetchBalance, ${kind}`, async () => {
    const [alice, bob] = await two()
    // Bought at 59900, marked at 60000: 10 USDT; of 5990 or 6000 USD 1/59900 − 1/60000 of a BTC each, in whole units.
    await trade(alice, bob, 'buy', 59900)
    const { unrealizedPnl } = await alice.fetchPosition(symbol)
    const won = kind !== 'inverse' ? 10 : mode === 'uta' ? 0.00016694 : 0.00016666
    expect(Math.abs((unrealizedPnl ?? 0) - won)).toBeLessThanOrEqual(kind === 'inverse' ? 0.00000001 : 0)
    const fee = kind !== 'inverse' ? 3.594 : mode === 'uta' ? 0.00006011 : 0.00006
    const total = Number((await alice.fetchBalance(desk.balance))[money]?.total)
    expect(total).toBeCloseTo((kind === 'inverse' ? 10 : 100_000) + won - fee, 7)
  })

  works(`setLeverage and fetchLeverage, ${kind}`, async () => {
    const [alice, bob] = await two()
    const cross = { symbol, marginMode: 'cross' }
    expect(await alice.fetchLeverage(symbol)).toMatchObject({ ...cross, longLeverage: 20, shortLeverage: 20 })
    expect(await alice.setLeverage(10, symbol)).toMatchObject({ code: '00000' })
    expect(await alice.fetchLeverage(symbol)).toMatchObject({ ...cross, longLeverage: 10, shortLeverage: 10 })
    await trade(alice, bob, 'buy')
    expect(await alice.fetchPosition(symbol)).toMatchObject({
      leverage: 10,
      initialMargin: kind === 'inverse' ? 0.01 : 600,
    })
    await expect(alice.setLeverage(500, symbol)).rejects.toThrow(ccxt.ExchangeError)
    expect((await alice.fetchLeverage(symbol)).longLeverage).toBe(10)
  })

  works(`setMarginMode and fetchMarginMode, ${kind}`, async () => {
    const [alice, bob] = await two()
    expect(await alice.fetchMarginMode(symbol)).toMatchObject({ symbol, marginMode: 'cross' })
    expect(await alice.setMarginMode('isolated', symbol)).toMatchObject({ code: '00000' })
    expect(await alice.fetchMarginMode(symbol)).toMatchObject({ symbol, marginMode: 'isolated' })
    await trade(alice, bob, 'buy', 60000, { marginMode: 'isolated' })
    await expect(alice.setMarginMode('cross', symbol)).rejects.toThrow('45117')
  })

  works(`createOrder isolated, ${kind}`, async () => {
    const [alice, bob] = await two()
    await alice.setLeverage(10, symbol)
    await trade(alice, bob, 'buy', 60000, { marginMode: 'isolated' })
    const position = await alice.fetchPosition(symbol)
    // 600 USDT or 0.01 BTC of margin. Long, linear: 0.1 P − 6000 + 600 = 0.1 P × (0.4 % + 0.06 %), P = 54249.5…,
    // shown a tick above; inverse: 0.01 + 0.1 − 6000/P = 6000/P × 0.46 %, P = 54796.36….
    expect(position).toMatchObject({
      ...opened,
      marginMode: 'isolated',
      leverage: 10,
      collateral: kind === 'inverse' ? 0.01 : 600,
      initialMargin: squared ? 36_000_000 : 600,
      liquidationPrice: kind === 'inverse' ? 54796.4 : 54249.6,
    })
  })

  if (squared) {
    notByClient(`addMargin and reduceMargin, ${kind}`, 'ccxt counts the margin in whole contracts', async () => {
      const [alice, bob] = await two()
      await trade(alice, bob, 'buy', 60000, { marginMode: 'isolated' })
      await expect(alice.addMargin(symbol, 0.001, { holdSide: 'long' })).rejects.toThrow(ccxt.InvalidOrder)
    })
  } else {
    works(`addMargin and reduceMargin, ${kind}`, async () => {
      const [alice, bob] = await two()
      await trade(alice, bob, 'buy', 60000, { marginMode: 'isolated' })
      const collateral = async () => (await alice.fetchPosition(symbol)).collateral
      const [margin, more] = kind === 'inverse' ? [0.005, 0.001] : [300, 100]
      expect(await collateral()).toBe(margin)
      const modified = await alice.addMargin(symbol, more, { holdSide: 'long' })
      expect(modified).toMatchObject({ type: 'add', amount: more, code: money, status: 'ok' })
      expect(await collateral()).toBe(margin + more)
      expect(await alice.reduceMargin(symbol, -more, { holdSide: 'long' })).toMatchObject({
        type: 'reduce',
        status: 'ok',
      })
      expect(await collateral()).toBe(margin)
      await expect(alice.reduceMargin(symbol, -margin * 2, { holdSide: 'long' })).rejects.toThrow('40801')
    })
  }

  works(`createOrder reduce-only, ${kind}`, async () => {
    const [alice, bob] = await two()
    const reduce = (price?: number) =>
      alice.createOrder(symbol, price === undefined ? 'market' : 'limit', 'sell', tenth, price, { reduceOnly: true })
    await expect(reduce(61000)).rejects.toThrow('22002')
    await trade(alice, bob, 'buy')
    const { id } = await reduce(61000)
    const order = await alice.fetchOrder(String(id), symbol)
    expect(order).toMatchObject({ side: 'sell', price: 61000, reduceOnly: true, status: 'open', amount: tenth })
    await alice.cancelOrder(String(id), symbol)
    await bob.createOrder(symbol, 'limit', 'buy', tenth, 60000)
    const closed = await reduce()
    expect(await alice.fetchOrder(String(closed.id), symbol)).toMatchObject({ reduceOnly: true, filled: tenth })
    expect(await alice.fetchPositions([symbol])).toEqual([])
  })

  works(
    `setPositionMode, hedged open and close, ${kind}`,
    async () => {
      const [alice, bob] = await two()
      expect(await alice.setPositionMode(true, symbol)).toMatchObject({ code: '00000' })
      const long = await trade(alice, bob, 'buy', 60000, { hedged: true })
      await trade(alice, bob, 'sell', 60000, { hedged: true })
      const sides = async () => sorted((await alice.fetchPositions([symbol])).map(({ side }) => String(side)))
      expect(await sides()).toEqual(['long', 'short'])
      expect(await alice.fetchPositions([symbol])).toMatchObject([
        { contracts: tenth, entryPrice: 60000, hedged: true },
        { contracts: tenth, entryPrice: 60000, hedged: true },
      ])
      expect(await alice.fetchOrder(String(long.id), symbol)).toMatchObject({ side: 'buy', reduceOnly: false })
      const closed = await trade(alice, bob, 'sell', 60000, { hedged: true, reduceOnly: true })
      // Classic records name the direction of the position.
      const side = mode === 'classic' ? 'buy' : 'sell'
      expect(await alice.fetchOrder(String(closed.id), symbol)).toMatchObject({ side, filled: tenth, status: 'closed' })
      expect(await sides()).toEqual(['short'])
      await expect(alice.setPositionMode(false, symbol)).rejects.toThrow('40920')
      await trade(alice, bob, 'buy', 60000, { hedged: true, reduceOnly: true })
      expect(await sides()).toEqual([])
      await alice.setPositionMode(false, symbol)
    },
    mode === 'classic' ? 'the order that closes a long is shown as a buy, as it is sent' : undefined,
  )

  const tpsl = { stopLoss: { triggerPrice: 58000 }, takeProfit: { triggerPrice: 63000 } }
  const tpslOf = (alice: bitget, trigger: Dict = { planType: 'profit_loss' }) =>
    alice.fetchOpenOrders(symbol, undefined, undefined, { trigger: true, ...trigger })

  works(
    `createOrderWithTakeProfitAndStopLoss, ${kind}`,
    async () => {
      const [alice, bob] = await two()
      await bob.createOrder(symbol, 'limit', 'sell', tenth, 60000)
      const { stopLoss, takeProfit } = { stopLoss: 58000, takeProfit: 63000 }
      const placed = await alice.createOrderWithTakeProfitAndStopLoss(
        symbol,
        'limit',
        'buy',
        tenth,
        60000,
        takeProfit,
        stopLoss,
      )
      const order = await alice.fetchOrder(String(placed.id), symbol)
      expect(order).toMatchObject({ takeProfitPrice: 63000, stopLossPrice: 58000, status: 'closed' })
      const found = await tpslOf(alice)
      if (mode === 'uta') {
        expect(found).toMatchObject([{ side: 'sell', amount: tenth, takeProfitPrice: 63000, stopLossPrice: 58000 }])
      } else {
        expect(sorted(found.map(triggerOf))).toEqual(['58000', '63000'])
        expect(found).toMatchObject([
          { side: 'sell', type: 'market', status: 'open' },
          { side: 'sell', type: 'market', status: 'open' },
        ])
      }
    },
    mode === 'uta' ? 'take-profit and stop-loss are one order, whose status ccxt passes on as `pending`' : undefined,
  )

  works(`createStopLossOrder and createTakeProfitOrder, ${kind}`, async () => {
    const [alice, bob] = await two()
    await trade(alice, bob, 'buy')
    const reduce = { reduceOnly: true }
    const loss = await alice.createStopLossOrder(symbol, 'market', 'sell', tenth, undefined, 59000, reduce)
    const profit = await alice.createTakeProfitOrder(symbol, 'market', 'sell', tenth, undefined, 65000, reduce)
    expect([loss, profit]).toMatchObject([
      { id: digits, symbol },
      { id: digits, symbol },
    ])
    const found = await tpslOf(alice)
    expect(sorted(found.map(triggerOf))).toEqual(['59000', '65000'])
    await alice.cancelOrder(String(loss.id), symbol, { trigger: true, planType: 'profit_loss' })
    expect((await tpslOf(alice)).map(({ id }) => id)).toEqual([profit.id])
    // The mark reaches 65000, and the position is closed at what Bob bids.
    await bob.createOrder(symbol, 'limit', 'buy', tenth, 64000)
    await markAt(65000)
    expect(await alice.fetchPositions([symbol])).toEqual([])
    expect(await tpslOf(alice)).toEqual([])
    const [last] = (await alice.fetchMyTrades(symbol)).slice(-1)
    expect(last).toMatchObject({ side: 'sell', price: 64000 })
  })

  if (mode === 'classic') {
    works(`createTriggerOrder, cancelOrder and fetchOpenOrders with trigger, ${kind}`, async () => {
      const [alice, bob] = await two()
      const plan = () => alice.createTriggerOrder(symbol, 'limit', 'buy', tenth, 59000, 59500)
      const first = await plan()
      const waiting = { symbol, type: 'limit', side: 'buy', price: 59000, amount: tenth, triggerPrice: 59500 }
      const trigger = { trigger: true }
      const open = () => alice.fetchOpenOrders(symbol, undefined, undefined, trigger)
      expect(await open()).toMatchObject([{ ...waiting, id: first.id, status: 'open' }])
      expect(await alice.fetchOpenOrders(symbol)).toEqual([])
      expect(await alice.cancelOrder(String(first.id), symbol, trigger)).toMatchObject({ id: first.id })
      const canceled = await alice.fetchCanceledOrders(symbol, undefined, undefined, trigger)
      expect(canceled).toMatchObject([{ ...waiting, id: first.id, status: 'canceled' }])
      const [second, third] = [await plan(), await plan()]
      await alice.cancelOrders([String(second.id)], symbol, trigger)
      expect((await open()).map(({ id }) => id)).toEqual([third.id])
      await alice.cancelAllOrders(symbol, trigger)
      expect(await open()).toEqual([])
      const fires = await plan()
      await bob.createOrder(symbol, 'limit', 'sell', tenth, 59000)
      await markAt(59500)
      expect(await alice.fetchPosition(symbol)).toMatchObject({ side: 'long', entryPrice: 59000 })
      const executed = await alice.fetchClosedOrders(symbol, undefined, undefined, trigger)
      expect(executed).toMatchObject([{ id: fires.id, status: 'closed' }])
    })

    works(`createOrder trigger with take-profit and stop-loss, ${kind}`, async () => {
      const [alice, bob] = await two()
      const prices = {
        stopLoss: { ...tpsl.stopLoss, price: 57900 },
        takeProfit: { ...tpsl.takeProfit, price: 62900 },
      }
      await alice.createOrder(symbol, 'limit', 'buy', tenth, 59000, { triggerPrice: 59500, ...prices })
      await bob.createOrder(symbol, 'limit', 'sell', tenth, 59000)
      await markAt(59500)
      expect(sorted((await tpslOf(alice)).map(triggerOf))).toEqual(['58000', '63000'])
    })

    works(`createTrailingPercentOrder, editOrder, cancelOrder and fetchOpenOrders with trailing, ${kind}`, async () => {
      const [alice, bob] = await two()
      await bob.createOrder(symbol, 'limit', 'sell', tenth, 60000)
      await alice.createOrder(symbol, 'market', 'buy', tenth)
      const byTrailing = { trailing: true }
      const set = { trailingPercent: '1', trailingTriggerPrice: 61000, triggerType: 'mark_price', reduceOnly: true }
      const place = () => alice.createOrder(symbol, 'market', 'sell', tenth, undefined, set)
      const open = () => alice.fetchOpenOrders(symbol, undefined, undefined, byTrailing)
      const { id } = await place()
      expect(await open()).toMatchObject([{ id, triggerPrice: 61000, info: { callbackRatio: '1' } }])
      const change = { trailingPercent: '2', trailingTriggerPrice: 61000 }
      await alice.editOrder(String(id), symbol, 'market', 'sell', tenth, undefined, change)
      expect(await open()).toMatchObject([{ id, info: { callbackRatio: '2' } }])
      await alice.cancelOrder(String(id), symbol, byTrailing)
      expect(await open()).toEqual([])
      const fires = await place()
      await markAt(61000)
      await bob.createOrder(symbol, 'limit', 'buy', tenth, 60300)
      await markAt(60390)
      const executed = await alice.fetchClosedOrders(symbol, undefined, undefined, byTrailing)
      expect(executed).toMatchObject([{ id: fires.id, status: 'closed' }])
    })
  } else {
    notByClient(
      `createTriggerOrder, ${kind}`,
      'ccxt sends an ordinary order, which trades at once; use createStopLossOrder and createTakeProfitOrder',
      async () => {
        const alice = await at.client(desk, 'Alice')
        const { id } = await alice.createTriggerOrder(symbol, 'limit', 'buy', tenth, 55000, 56000)
        expect(await alice.fetchOpenOrders(symbol)).toMatchObject([{ id, price: 55000 }])
        expect(await alice.fetchOpenOrders(symbol, undefined, undefined, { trigger: true })).toEqual([])
      },
    )
  }

  const markAt = (price: number) => at.venue.setIndexPrices({ BTC: String(price) })
})
