/**
 * Futures trading with exact sums: adding, reducing, flipping, fees, holds; linear, USDC and inverse.
 *
 * Index prices stand at 61000 here, so that the prices of the formula sheet's examples lie near the mark.
 *
 * Source  risk-engine.md §4, §8, §10, §11; design §4.12, §4.33, §4.34; wire/v3-endpoints.md §3
 */
import { beforeAll, expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import {
  btcInverse,
  btcPerpetual,
  btcUsdc,
  fills,
  futuresAccount,
  onePosition,
  paths,
  place,
  position,
  setLeverage,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { row, stage, succeeds, table } from './conformance.ts'
import { exact, figure, floor8, sum } from './figures.ts'

const at = stage()

beforeAll(async () => {
  await at.venue.setIndexPrices({ BTC: '61000' })
})

const rich = {
  mode: 'classic',
  funds: { usdt_futures: { USDT: '10000000' }, usdc_futures: { USDC: '1000000' } },
} as const

function feesOf(list: Awaited<ReturnType<typeof fills>>): string[] {
  return list.map((fill) => (fill['feeDetail'] as unknown as { fee: string }[])[0]?.fee ?? '')
}

/** The walk of risk-engine §4: buy, buy, sell a part, sell through zero. */
async function walk(): Promise<{ alice: Person; bob: Person }> {
  const bob = await at.person('Bob', rich)
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
  await taken(bob, 'sell 0.3 @ 60000.1')
  await taken(alice, 'buy 0.3 @ 60000.1') // taker
  await taken(alice, 'buy 0.2 @ 61250.7') // maker
  await taken(bob, 'sell 0.2 @ 61250.7')
  return { alice, bob }
}

row('risk-engine §4', 'step 1 and 2: two buys make 0.5 at 60500.34', async () => {
  const { alice } = await walk()
  expect(await onePosition(alice)).toMatchObject({
    holdSide: 'long',
    total: '0.5',
    openPriceAvg: '60500.34',
    achievedProfits: '0',
  })
  expect(feesOf(await fills(alice))).toEqual(['10.800018', '2.450028'])
  expect((await onePosition(alice))['deductedFee']).toBe('13.250046')
})

row('risk-engine §4', 'step 3: selling 0.12 at 62000.5 realizes 180.0192', async () => {
  const { alice, bob } = await walk()
  await taken(bob, 'buy 0.12 @ 62000.5')
  await taken(alice, 'sell 0.12 @ 62000.5')
  const held = await onePosition(alice)
  expect(held).toMatchObject({ total: '0.38', openPriceAvg: '60500.34', achievedProfits: '180.0192' })
  expect((await fills(alice)).at(-1)).toMatchObject({ execPnl: '180.0192', tradeSide: 'close' })
  expect(feesOf(await fills(alice)).at(-1)).toBe('4.464036')
  expect(held['unrealizedPL']).toBe(
    floor8(
      exact(held['markPrice'] ?? '')
        .times('0.38')
        .minus('22990.1292'),
    ),
  )
})

row('risk-engine §4', 'step 4: selling 0.5 at 61500.3 closes 0.38 with 379.9848 and opens 0.12 short', async () => {
  const { alice, bob } = await walk()
  await taken(bob, 'buy 0.12 @ 62000.5')
  await taken(alice, 'sell 0.12 @ 62000.5')
  await taken(bob, 'buy 0.5 @ 61500.3')
  const { orderId = '' } = await taken(alice, 'sell 0.5 @ 61500.3')
  const held = await onePosition(alice)
  expect(held).toMatchObject({ holdSide: 'short', total: '0.12', openPriceAvg: '61500.3', achievedProfits: '0' })
  const parts = await fills(alice, { orderId })
  expect(parts).toMatchObject([
    { tradeSide: 'close', execQty: '0.38', execPnl: '379.9848' },
    { tradeSide: 'open', execQty: '0.12', execPnl: '0' },
  ])
  expect(sum(feesOf(parts))).toBe('18.45009')
  expect(sum((await fills(alice)).map((fill) => fill['execPnl'] ?? '0'))).toBe('560.004')
})

table(
  'wire/v3-endpoints §3: opening and closing fees of an open position, negative when charged',
  [
    // what                          orders after the walk's buys                     opening      closing
    ['two buys', [], ['-13.250046', '0']],
    // 0.12 × 62,000.5 × 0.0006
    ['and a part sold', ['sell 0.12 @ 62000.5'], ['-13.250046', '-4.464036']],
    // 0.12 × 61,500.3 × 0.0006 of the fill's fee is that of the short
    ['and sold through zero', ['sell 0.12 @ 62000.5', 'sell 0.5 @ 61500.3'], ['-4.4280216', '0']],
  ],
  async (orders, [openFeeTotal, closeFeeTotal]) => {
    const { alice, bob } = await walk()
    for (const order of orders) {
      await taken(bob, order.replace('sell', 'buy'))
      await taken(alice, order)
    }
    const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const { list } = succeeds(await alice.get('/api/v3/position/current-position', query)).fields
    expect(list).toMatchObject([{ openFeeTotal, closeFeeTotal }])
    const socket = await Socket.of(alice, '/v3/ws/private')
    await socket.subscribe({ instType: 'UTA', topic: 'position' })
    expect((await socket.push('position')).data).toMatchObject([{ openFeeTotal, closeFeeTotal }])
    socket.close()
  },
)

row('risk-engine §4', 'after the walk the equity is deposits + realized - fees + unrealized', async () => {
  const bob = await at.person('Bob', rich)
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
  await taken(bob, 'sell 0.3 @ 60000.1')
  await taken(alice, 'buy 0.3 @ 60000.1')
  await taken(bob, 'buy 0.12 @ 62000.5')
  await taken(alice, 'sell 0.12 @ 62000.5')
  const held = await onePosition(alice)
  const realized = exact('0.12').times(exact('62000.5').minus('60000.1'))
  const fees = exact('0.3').times('60000.1').times('0.0006').plus(exact('0.12').times('62000.5').times('0.0006'))
  const { accountEquity } = await futuresAccount(alice)
  expect(held['achievedProfits']).toBe(figure(realized))
  expect(accountEquity).toBe(
    figure(
      exact(100000)
        .plus(realized)
        .minus(fees)
        .plus(held['unrealizedPL'] ?? ''),
    ),
  )
})

row(
  'risk-engine §4',
  'rounding: a third of a position releases its cost against the account, the rest gets it back',
  async () => {
    const bob = await at.person('Bob', rich)
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    for (const order of ['sell 0.001 @ 60000.1', 'sell 0.002 @ 60000.2']) await taken(bob, order)
    await taken(alice, 'buy 0.003 @ 60000.2')
    await taken(bob, 'buy 0.003 @ 60000')
    await taken(alice, 'sell 0.001 @ 60000')
    await taken(alice, 'sell 0.002 @ 60000')
    // bought for 180.0005, sold for 180
    const profits = (await fills(alice)).map((fill) => fill['execPnl'] ?? '').slice(-2)
    expect(profits[0]).toBe('-0.00016667')
    expect(sum(profits)).toBe('-0.0005')
  },
)

table(
  'risk-engine §10 futures fees',
  `
    case                       | resting               | taking               | taker fees | maker fees
    taker 0.06 %, maker 0.02 % | sell 0.1 @ 60000      | buy 0.1 @ 60000      | 3.6        | 1.2
    on the exact notional      | sell 0.0333 @ 60123.4 | buy 0.0333 @ 60123.4 | 1.20126554 | 0.40042185
    sells alike                | buy 0.1 @ 60000       | sell 0.1 @ 60000     | 3.6        | 1.2
  `,
  async ({ resting, taking, takerFees, makerFees }) => {
    const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    await taken(bob, resting)
    await taken(alice, taking)
    expect(feesOf(await fills(alice))).toEqual(listed(takerFees))
    expect(feesOf(await fills(bob))).toEqual(listed(makerFees))
  },
)

table(
  'risk-engine §11 holds',
  `
    case                                         | leverage | order            | held
    margin and fee: buy at the mark              | 10       | buy 0.1 @ 61000  | 613.66
    a buy above the mark holds its opening loss  | 10       | buy 0.1 @ 61500  | 668.69
    a buy below the mark holds none              | 20       | buy 0.1 @ 60000  | 303.6
    a sell below the mark holds its opening loss | 20       | sell 0.1 @ 60000 | 403.6
    a sell above the mark holds none             | 20       | sell 0.1 @ 62000 | 313.72
  `,
  async ({ leverage, order, held }) => {
    const funds = { usdt_futures: { USDT: '100000' } }
    const alice = await at.person('Alice', { mode: 'classic', funds })
    await setLeverage(alice, Number(leverage), btcPerpetual)
    await at.venue.setIndexPrices({ BTC: '61000' })
    const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const [price] = succeeds(await at.venue.get('/api/v2/mix/market/symbol-price', query)).list()
    const mark = exact(price?.['markPrice'] ?? '')
    const limit = order.split(' ')[3] ?? ''
    const loss = order.startsWith('buy') ? exact(limit).minus(mark) : mark.minus(limit)
    const value = exact(limit).times('0.1')
    const expected = value
      .div(Number(leverage))
      .plus(value.times('0.0006'))
      .plus(loss.gt(0) ? loss.times('0.1') : 0)
    if (mark.eq(61000)) expect(figure(expected)).toBe(held)
    await taken(alice, order)
    const { available = '' } = await futuresAccount(alice)
    expect(figure(exact(100000).minus(available))).toBe(figure(expected))
  },
)

row('risk-engine §11 holds', 'a cancelled order leaves nothing held', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
  await taken(alice, 'buy 0.3333 oid:gone @ 60123.4')
  const cancel = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT', clientOid: 'gone' }
  succeeds(await alice.post('/api/v2/mix/order/cancel-order', cancel))
  expect(await futuresAccount(alice)).toMatchObject({
    available: '100000',
    maxTransferOut: '100000',
    accountEquity: '100000',
  })
})

row('Futures trading', 'a position that is closed leaves a wallet of deposits, profits and fees alone', async () => {
  const bob = await at.person('Bob', rich)
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '1000' } } })
  await setLeverage(alice, 10)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.1 @ 60000')
  await taken(bob, 'buy 0.1 @ 61000')
  await taken(alice, 'sell 0.1 @ 61000')
  expect(await position(alice)).toBe('flat')
  // + 100 profit - 3.6 - 3.66
  expect(await futuresAccount(alice)).toMatchObject({
    available: '1092.74',
    accountEquity: '1092.74',
    unrealizedPL: '0',
  })
})

row('Futures trading', 'USDC futures settle in USDC', async () => {
  const bob = await at.person('Bob', rich)
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdc_futures: { USDC: '1000' } } })
  await setLeverage(alice, 10, btcUsdc)
  await taken(bob, 'sell 0.1 @ 60000', btcUsdc)
  await taken(alice, 'buy 0.1 @ 60000', btcUsdc)
  await taken(bob, 'buy 0.1 @ 61000', btcUsdc)
  await taken(alice, 'sell 0.1 @ 61000', btcUsdc)
  expect(await futuresAccount(alice, btcUsdc)).toMatchObject({ marginCoin: 'USDC', accountEquity: '1092.74' })
})

row(
  'risk-engine §8',
  'inverse: 30000 @ 60000, 12345 @ 61000, then 10000 sold @ 62500 realizes 0.00587012',
  async () => {
    const bob = await at.person('Bob', { funds: { uta: { BTC: '20' } } })
    const alice = await at.person('Alice', { funds: { uta: { BTC: '10' } } })
    for (const order of ['30000 @ 60000', '12345 @ 61000']) {
      await takenInBatch(bob, `sell ${order}`, btcInverse)
      await takenInBatch(alice, `buy ${order}`, btcInverse)
    }
    const held = await onePosition(alice, btcInverse)
    expect(held['openPriceAvg']).toBe('60288.132')
    expect(feesOf(await fills(alice))).toEqual(['0.0003', '0.00012143'])
    await takenInBatch(bob, 'buy 10000 @ 62500', btcInverse)
    await takenInBatch(alice, 'sell 10000 @ 62500', btcInverse)
    const after = await onePosition(alice, btcInverse)
    expect(after['achievedProfits']).toBe('0.00587012')
    expect((await fills(alice)).at(-1)).toMatchObject({ execPnl: '0.00587012' })
    const answer = await alice.get('/api/v3/position/current-position', { category: 'COIN-FUTURES', symbol: 'BTCUSD' })
    expect(answer.list('list')).toMatchObject([{ total: '32345' }])
    const mark = exact(after['markPrice'] ?? '')
    expect(after['unrealizedPL']).toBe(floor8(exact('0.53650692').minus(exact(32345).div(mark))))
  },
)

table(
  {
    rule: 'design §4.12 closing',
    decision:
      'closing converts at the entry price, capped at the position; a size of at least the shown total means all of it',
  },
  [
    // what                                              size      after (USD contracts)
    ['half of the shown total', '0.25', '15000'],
    ['the shown total', '0.5', undefined],
    ['more than the shown total', '0.7', undefined],
    ['a little less than the shown total', '0.4999', '6'],
  ],
  async (size, left) => {
    const bob = await at.person('Bob', { funds: { uta: { BTC: '20' } } })
    const alice = await at.person('Alice', { funds: { uta: { BTC: '10' } } })
    await takenInBatch(bob, 'sell 30000 @ 60000', btcInverse)
    await takenInBatch(alice, 'buy 30000 @ 60000', btcInverse)
    await takenInBatch(bob, 'buy 60000 @ 61500', btcInverse)
    await taken(alice, `sell ${size} reduce-only @ 61500`, btcInverse)
    const answer = await alice.get('/api/v3/position/current-position', { category: 'COIN-FUTURES', symbol: 'BTCUSD' })
    expect(answer.list('list').map((fill) => fill['total'])).toEqual(left === undefined ? [] : [left])
  },
)

row('design §4.12', 'an inverse market order of v2 converts at the mark price', async () => {
  const bob = await at.person('Bob', { funds: { uta: { BTC: '20' } } })
  const alice = await at.person('Alice', { funds: { uta: { BTC: '10' } } })
  await takenInBatch(bob, 'sell 100000 @ 61000', btcInverse)
  const query = { productType: 'COIN-FUTURES', symbol: 'BTCUSD' }
  const [price] = succeeds(await at.venue.get('/api/v2/mix/market/symbol-price', query)).list()
  await taken(alice, 'buy 0.1', btcInverse)
  const answer = await alice.get('/api/v3/position/current-position', { category: 'COIN-FUTURES', symbol: 'BTCUSD' })
  expect(answer.list('list')).toMatchObject([
    {
      total: figure(
        exact(price?.['markPrice'] ?? '')
          .times('0.1')
          .floor(),
      ),
    },
  ])
})

row('Futures trading', 'an order without enough margin changes nothing', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  const answer = await place(alice, 'buy 1 @ 61000')
  expect(answer.code).toBe('40762')
  expect(await futuresAccount(alice)).toMatchObject({ available: '100', accountEquity: '100' })
  expect(succeeds(await alice.get(paths.orderHistory, { productType: 'USDT-FUTURES' })).list('entrustedList')).toEqual(
    [],
  )
})
