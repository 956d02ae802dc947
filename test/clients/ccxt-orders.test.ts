/**
 * Orders and trades of an account through ccxt: every kind of instrument, both modes, unmodified.
 *
 * Prices   nobody else is there: bids and offers are Alice's and Bob's
 * Source   design §6 (test/clients); wire/client-endpoints.md §2, §3; fees of the demo catalogue: pairs 0.1 %, contracts
 *          0.02 % for the maker and 0.06 % for the taker
 */
import ccxt, { type bitget, type Order, type OrderRequest } from 'ccxt'
import { describe, expect } from 'vitest'
import { callsOf } from './support/calls.ts'
import { amountOf, clientNotes, type Desk, desks, feeOf, floor, isFutures, moneyOf } from './support/desks.ts'

const at = floor()
const digits = expect.stringMatching(/^\d+$/)

/** Fee of 0.1 BTC bought by the taker and sold by the maker at 60000. */
function feesOf(desk: Desk) {
  if (!isFutures(desk)) return { taker: feeOf(desk, 0.0001, 'BTC'), maker: feeOf(desk, 6, 'USDT') }
  if (desk.kind === 'inverse') return { taker: feeOf(desk, 0.00006, 'BTC'), maker: feeOf(desk, 0.00002, 'BTC') }
  return { taker: feeOf(desk, 3.6, moneyOf(desk)), maker: feeOf(desk, 1.2, moneyOf(desk)) }
}

/** An order carries its fee in one coin; of a pair in `uta` mode ccxt looks for no coin. */
function orderFee(desk: Desk, fee: { readonly cost: number; readonly currency: string }) {
  return desk.mode === 'uta' && !isFutures(desk) ? { cost: fee.cost } : fee
}

/** Oldest first: ccxt sorts by time alone. */
const idsOf = (orders: readonly Order[]) => orders.map(({ id }) => String(id)).sort()

/** What a bot reads of a resting bid of 0.1 BTC at 59000. */
function resting(desk: Desk) {
  const bare = desk.mode === 'classic' && !isFutures(desk)
  return {
    symbol: desk.symbol,
    type: 'limit',
    side: 'buy',
    price: 59000,
    amount: amountOf(desk, 0.1),
    filled: 0,
    remaining: amountOf(desk, 0.1),
    status: 'open',
    // Classic records of pairs do not say.
    ...(bare ? {} : { timeInForce: 'GTC', reduceOnly: false, postOnly: false }),
  }
}

describe.each(desks)('$mode $kind', (desk) => {
  const { mode, kind, symbol, words } = desk
  const { works, notByClient } = callsOf('ccxt', mode)
  const tenth = amountOf(desk, 0.1)
  const note = mode === 'uta' ? clientNotes.averages : undefined
  const average = mode === 'uta' ? undefined : 60000

  const bid = (exchange: bitget, price = 59000, more = {}) =>
    exchange.createOrder(symbol, 'limit', 'buy', tenth, price, { ...words, ...more })
  const offer = (exchange: bitget, btc: number, price = 60000) =>
    exchange.createOrder(symbol, 'limit', 'sell', amountOf(desk, btc), price, words)
  const read = (exchange: bitget, { id }: { readonly id?: string | undefined }): Promise<Order> =>
    exchange.fetchOrder(String(id), symbol, words)
  const openOf = (exchange: bitget) => exchange.fetchOpenOrders(symbol, undefined, undefined, words)

  works(`createOrder limit, ${kind}`, async () => {
    const alice = await at.client(desk, 'Alice')
    const placed = await bid(alice, 59000, { clientOrderId: `mine-${mode}-${kind}` })
    expect(placed).toMatchObject({ id: digits, clientOrderId: `mine-${mode}-${kind}`, symbol })
    const order = await read(alice, placed)
    expect(order).toMatchObject({ ...resting(desk), id: placed.id, clientOrderId: `mine-${mode}-${kind}` })
    expect(Math.abs((order.timestamp ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  works(`fetchOrder by clientOrderId, ${kind}`, async () => {
    const alice = await at.client(desk, 'Alice')
    const { id } = await bid(alice, 59000, { clientOrderId: 'asked-for' })
    const asked = { clientOrderId: 'asked-for' }
    expect(await alice.fetchOrder('', symbol, asked)).toMatchObject({ ...resting(desk), ...asked, id })
  })

  works(`fetchOpenOrders, ${kind}`, async () => {
    const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
    expect(await openOf(alice)).toEqual([])
    const first = await bid(alice)
    const second = await bid(alice, 58000)
    await bid(bob)
    const found = await openOf(alice)
    expect(idsOf(found)).toEqual([first.id, second.id])
    expect(found.find(({ id }) => id === first.id)).toMatchObject(resting(desk))
    expect(found.find(({ id }) => id === second.id)).toMatchObject({ ...resting(desk), price: 58000 })
  })

  const held = {
    // free, used, total while 0.1 BTC is bid for at 59000; contracts at 20 times with a taker's fee
    spot: [94_100, 5_900, 100_000],
    margin: [94_100, 5_900, 100_000],
    linear: [99_701.46, 298.54, 100_000],
    USDC: [99_701.46, 298.54, 100_000],
    // 5900 USD at 59000; of 6000 USD 0.00508475 and a fee of 0.00006102. In `uta` 2 % of a coin back no contract.
    inverse: mode === 'classic' ? [9.99494, 0.00506, 10] : [9.79485423, 0.00514577, 10],
  }[kind]

  works(
    `fetchBalance, ${kind}`,
    async () => {
      const alice = await at.client(desk, 'Alice')
      const money = async () => (await alice.fetchBalance(desk.balance))[moneyOf(desk)]
      const before = await money()
      const [free, used, total] = held
      const { id } = await bid(alice)
      const during = await money()
      await alice.cancelOrder(String(id), symbol, words)
      expect(await money()).toEqual(before)
      if (mode === 'classic' && kind === 'margin') {
        expect([before, during]).toMatchObject([
          { total, debt: 0 },
          { total, debt: 0 },
        ])
        return
      }
      expect(before).toMatchObject({ free: total, used: 0, total })
      expect(during).toMatchObject({ free, used, total })
    },
    mode === 'classic' && kind === 'margin' ? clientNotes.marginFree : undefined,
  )

  works(`cancelOrder by id and by clientOrderId, ${kind}`, async () => {
    const alice = await at.client(desk, 'Alice')
    const { id } = await bid(alice)
    expect(await alice.cancelOrder(String(id), symbol, words)).toMatchObject({ id, symbol })
    expect(await read(alice, { id })).toMatchObject({ ...resting(desk), id, status: 'canceled' })
    const named = await bid(alice, 59000, { clientOrderId: 'named' })
    expect(await alice.cancelOrder('', symbol, { ...words, clientOrderId: 'named' })).toMatchObject({ id: named.id })
    expect(await openOf(alice)).toEqual([])
    await expect(alice.cancelOrder(String(id), symbol, words)).rejects.toThrow(ccxt.OrderNotFound)
  })

  works(
    `createOrder partly filled, ${kind}`,
    async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      const sold = await offer(bob, 0.1)
      const bought = await alice.createOrder(symbol, 'limit', 'buy', amountOf(desk, 0.2), 60000, words)
      const { taker, maker } = feesOf(desk)
      expect(await read(alice, bought)).toMatchObject({
        price: 60000,
        amount: amountOf(desk, 0.2),
        filled: tenth,
        remaining: tenth,
        // ccxt multiplies amount and price of an inverse order in USD.
        cost: mode === 'uta' && kind === 'inverse' ? 0.1 : 6000,
        average,
        status: 'open',
        fee: orderFee(desk, taker),
      })
      const filled = { side: 'sell', amount: tenth, filled: tenth, remaining: 0, average, status: 'closed' }
      expect(await read(bob, sold)).toMatchObject({ ...filled, fee: orderFee(desk, maker) })
      await alice.cancelOrder(String(bought.id), symbol, words)
      expect(await read(alice, bought)).toMatchObject({ status: 'canceled', filled: tenth, remaining: tenth })
    },
    note,
  )

  const after = {
    // what each then has of the money, and of BTC where that is bought with it
    spot: { alice: [94_000, 10.0999], bob: [105_994, 9.9] },
    margin: { alice: [94_000, 10.0999], bob: [105_994, 9.9] },
    linear: { alice: [99_996.4], bob: [99_998.8] },
    USDC: { alice: [99_996.4], bob: [99_998.8] },
    inverse: { alice: [9.99994], bob: [9.99998] },
  }[kind]

  works(
    `fetchMyTrades, ${kind}`,
    async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      const sold = await offer(bob, 0.1)
      const bought = await bid(alice, 60000)
      const tradesOf = (exchange: bitget) => exchange.fetchMyTrades(symbol, undefined, undefined, words)
      const trade = { symbol, price: 60000, amount: 0.1, cost: 6000 }
      const { taker, maker } = feesOf(desk)
      const his = { ...trade, order: sold.id, side: 'sell', takerOrMaker: 'maker', fee: maker }
      expect(await tradesOf(alice)).toMatchObject([
        { ...trade, id: digits, order: bought.id, side: 'buy', takerOrMaker: 'taker', fee: taker },
      ])
      expect(await tradesOf(bob)).toMatchObject([his])
      const totals = async (exchange: bitget) => {
        const balance = await exchange.fetchBalance(desk.balance)
        return [balance[moneyOf(desk)]?.total, ...(isFutures(desk) ? [] : [balance['BTC']?.total])]
      }
      expect({ alice: await totals(alice), bob: await totals(bob) }).toEqual(after)
    },
    note,
  )

  works(`fetchClosedOrders, fetchCanceledOrders and both, ${kind}`, async () => {
    const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
    await offer(bob, 0.1)
    const closed = await bid(alice, 60000)
    const canceled = await bid(alice)
    await alice.cancelOrder(String(canceled.id), symbol, words)
    await bid(alice, 58000)
    const asked = [symbol, undefined, undefined, words] as const
    const ended = { id: closed.id, status: 'closed', price: 60000, amount: tenth, filled: tenth, remaining: 0 }
    const gone = { ...resting(desk), id: canceled.id, status: 'canceled' }
    expect(await alice.fetchClosedOrders(...asked)).toMatchObject([ended])
    expect(await alice.fetchCanceledOrders(...asked)).toMatchObject([gone])
    expect(await alice.fetchCanceledAndClosedOrders(...asked)).toMatchObject([ended, gone])
  })

  works(
    `createOrder market, ${kind}`,
    async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      await offer(bob, 0.2)
      // A market buy of a pair names what it spends; classic mode works that out from the price.
      const spends = !isFutures(desk) && mode === 'uta'
      const bought = await alice.createOrder(symbol, 'market', 'buy', spends ? 6000 : tenth, 60000, words)
      const order = { type: 'market', status: 'closed', filled: tenth, remaining: 0, average }
      expect(await read(alice, bought)).toMatchObject({ ...order, side: 'buy' })
      await bid(bob, 59900)
      const some = amountOf(desk, 0.05)
      const sold = await alice.createOrder(symbol, 'market', 'sell', some, undefined, words)
      expect(await read(alice, sold)).toMatchObject({
        ...order,
        side: 'sell',
        filled: some,
        average: mode === 'uta' ? undefined : 59900,
      })
    },
    mode === 'uta' && !isFutures(desk)
      ? 'the amount of a market buy is what it spends, in quote coin; createMarketBuyOrderWithCost says the same'
      : mode === 'classic' && kind === 'inverse'
        ? 'contracts are USD: at another price than was reckoned with they are another amount of BTC'
        : note,
  )

  if (!isFutures(desk)) {
    works(`createMarketBuyOrderWithCost, ${kind}`, async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      await offer(bob, 0.1)
      const bought = await alice.createMarketBuyOrderWithCost(symbol, 3000, words)
      expect(await read(alice, bought)).toMatchObject({ status: 'closed', filled: 0.05 })
    })
  }

  works(`createOrder post-only, IOC and FOK, ${kind}`, async () => {
    const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
    await offer(bob, 0.05)
    const half = amountOf(desk, 0.05)
    const crossing = await bid(alice, 60000, { postOnly: true })
    expect(await read(alice, crossing)).toMatchObject({ status: 'canceled', filled: 0 })
    const passive = await alice.createPostOnlyOrder(symbol, 'limit', 'buy', tenth, 59000, words)
    expect(await read(alice, passive)).toMatchObject({ ...resting(desk), ...passiveWords(desk) })
    const whole = await bid(alice, 60000, { timeInForce: 'FOK' })
    expect(await read(alice, whole)).toMatchObject({ status: 'canceled', filled: 0 })
    const some = await bid(alice, 60000, { timeInForce: 'IOC' })
    // 0.05 BTC at 60000 are 3000 USD of an inverse contract, and a bid of 0.1 BTC is one of 6000.
    expect(await read(alice, some)).toMatchObject({ status: 'canceled', filled: half, remaining: half })
    expect(await openOf(alice)).toHaveLength(1)
  })

  works(
    `createOrders and cancelOrders, ${kind}`,
    async () => {
      const alice = await at.client(desk, 'Alice')
      const one = (price: number, clientOrderId: string): OrderRequest => ({
        symbol,
        type: 'limit',
        side: 'buy',
        amount: tenth,
        price,
        params: { ...words, clientOrderId },
      })
      const many = await alice.createOrders([one(58000, 'one'), one(600000, 'far'), one(57000, 'two')])
      const byName = new Map(many.map((order) => [order.clientOrderId, order]))
      expect(byName.get('far')?.id ?? '').toBe('')
      const ids = ['one', 'two'].map((name) => String(byName.get(name)?.id))
      expect(idsOf(await openOf(alice))).toEqual(ids)
      const canceled = await alice.cancelOrders([...ids, '77'], symbol, words)
      expect(idsOf(canceled)).toEqual(mode === 'classic' ? ids : [...ids, '77'])
      expect(await openOf(alice)).toEqual([])
    },
    mode === 'uta' ? 'a refused entry has no id' : 'ccxt leaves out the entries that were refused',
  )

  if (mode === 'classic' && kind === 'margin') {
    notByClient(`cancelAllOrders, ${kind}`, 'ccxt has none for classic margin', async () => {
      const alice = await at.client(desk, 'Alice')
      await expect(alice.cancelAllOrders(symbol, words)).rejects.toThrow(ccxt.NotSupported)
    })
  } else {
    works(`cancelAllOrders, ${kind}`, async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      await bid(alice)
      await bid(alice, 58000)
      await bid(bob)
      await alice.cancelAllOrders(symbol, words)
      expect(await openOf(alice)).toEqual([])
      expect(await openOf(bob)).toHaveLength(1)
    })
  }

  if (mode === 'classic' && kind === 'margin') {
    works(
      `createOrder with loanType, ${kind}`,
      async () => {
        const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
        await offer(bob, 2)
        const buy = (more = {}) => alice.createOrder(symbol, 'limit', 'buy', 2, 60000, { ...words, ...more })
        await expect(buy()).rejects.toThrow(ccxt.InsufficientFunds)
        await buy({ loanType: 'autoLoan' })
        expect((await alice.fetchBalance(desk.balance))['USDT']).toMatchObject({ debt: 20000.1 })
      },
      'ccxt says `normal`, which borrows nothing; `loanType` in its params goes through',
    )
  }

  if (mode === 'classic' && kind === 'spot') {
    notByClient(`createOrder with stopLoss and takeProfit, ${kind}`, 'ccxt refuses them for pairs itself', async () => {
      const alice = await at.client(desk, 'Alice')
      await expect(bid(alice, 59000, { stopLoss: { triggerPrice: 54000 } })).rejects.toThrow(ccxt.InvalidOrder)
    })

    works(`createOrder with presetStopLossPrice and presetTakeProfitPrice in params, ${kind}`, async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      await offer(bob, 0.1)
      await bid(alice, 60000, { presetStopLossPrice: '54000', presetTakeProfitPrice: '66000' })
      const found = await alice.fetchOpenOrders(symbol, undefined, undefined, { trigger: true })
      expect(found.map(({ side, amount, triggerPrice }) => [side, amount, triggerPrice])).toEqual([
        ['sell', 0.0999, 54000],
        ['sell', 0.0999, 66000],
      ])
    })
  }

  if (mode === 'uta' && !isFutures(desk)) {
    works(`createOrder with stopLoss and takeProfit, ${kind}`, async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      await offer(bob, 0.1)
      const tpsl = { stopLoss: { triggerPrice: 54000, price: 53900 }, takeProfit: { triggerPrice: 66000 } }
      const placed = await bid(alice, 60000, tpsl)
      expect(await read(alice, placed)).toMatchObject({ stopLossPrice: 54000, takeProfitPrice: 66000 })
      const found = await alice.fetchOpenOrders(symbol, undefined, undefined, { ...words, trigger: true })
      expect(found).toMatchObject([{ side: 'sell', amount: 0.0999, stopLossPrice: 54000, takeProfitPrice: 66000 }])
    })
  }

  works(`fetchTradingFee, ${kind}`, async () => {
    const alice = await at.client(desk, 'Alice')
    const rates = isFutures(desk) ? { maker: 0.0002, taker: 0.0006 } : { maker: 0.001, taker: 0.001 }
    expect(await alice.fetchTradingFee(symbol)).toMatchObject({ symbol, ...rates })
  })
})

function passiveWords(desk: Desk) {
  return desk.mode === 'classic' && !isFutures(desk) ? {} : { timeInForce: 'PO', postOnly: true }
}

describe('trigger orders of pairs', () => {
  const symbol = 'BTC/USDT'
  const trigger = { trigger: true }
  const desk = { mode: 'classic', kind: 'spot', symbol, words: {}, funds: desks[0]?.funds ?? {}, balance: {} } as const

  callsOf('ccxt', 'classic').works(
    'createTriggerOrder, cancelOrder and fetchOpenOrders with trigger, spot',
    async () => {
      const [alice, bob] = [await at.client(desk, 'Alice'), await at.client(desk, 'Bob')]
      const open = () => alice.fetchOpenOrders(symbol, undefined, undefined, trigger)
      const plan = (price?: number, more = {}) =>
        alice.createTriggerOrder(symbol, price === undefined ? 'market' : 'limit', 'sell', 0.1, price, 59000, more)
      const waiting = { symbol, side: 'sell', amount: 0.1, price: 58900, triggerPrice: 59000, status: 'open' }
      const first = await plan(58900, { triggerType: 'fill_price' })
      expect(await open()).toMatchObject([{ ...waiting, id: first.id }])
      await alice.cancelOrder(String(first.id), symbol, trigger)
      await plan(58900, { triggerType: 'fill_price' })
      await alice.cancelAllOrders(symbol, trigger)
      expect(await open()).toEqual([])
      const canceled = await alice.fetchCanceledOrders(symbol, undefined, undefined, trigger)
      expect(canceled).toMatchObject([
        { ...waiting, status: 'canceled' },
        { ...waiting, status: 'canceled' },
      ])
      await plan(undefined, { triggerType: 'fill_price' })
      // Bob sells to himself at 59000, which is the last price then; what Alice sells meets his other bid.
      await bob.createOrder(symbol, 'limit', 'buy', 0.1, 58900)
      await bob.createOrder(symbol, 'limit', 'buy', 0.01, 59000)
      await bob.createOrder(symbol, 'limit', 'sell', 0.01, 59000)
      expect(await alice.fetchMyTrades(symbol)).toMatchObject([{ side: 'sell', price: 58900, amount: 0.1 }])
      expect(
        (await alice.fetchClosedOrders(symbol, undefined, undefined, trigger)).map(({ status }) => status),
      ).toEqual(['closed'])
    },
  )
})
