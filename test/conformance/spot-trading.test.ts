/**
 * Spot and margin trading with exact sums: holds, fees, market buys, and what is left.
 *
 * Source  risk-engine.md §1, §10; design §4.25, §4.31, §4.35
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  btcMargin,
  btcSpot,
  fills,
  onePosition,
  openUnifiedOrders,
  paths,
  spotAsset,
  takenInBatch,
  unifiedAsset,
  unifiedOutcome,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { row, stage, succeeds, table } from './conformance.ts'
import { ceil8, exact, feeRates, figure, toStep } from './figures.ts'

const at = stage()

const funds = { uta: { USDT: '1000000', BTC: '20' } } as const

async function balances(person: Person): Promise<string> {
  const [usdt, btc] = [await unifiedAsset(person, 'USDT'), await unifiedAsset(person, 'BTC')]
  return `${usdt['available']} + ${usdt['locked']} USDT, ${btc['available']} + ${btc['locked']} BTC`
}

row(
  'risk-engine §10',
  'buy 0.12345 @ 60000.01: pays 7407.0012345, receives 0.12332655 after a fee of 0.00012345',
  async () => {
    const bob = await at.person('Bob', { funds: { uta: { BTC: '1' } } })
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    await takenInBatch(bob, 'sell 0.12345 @ 60000.01', btcSpot)
    await takenInBatch(alice, 'buy 0.12345 @ 60000.01', btcSpot)
    expect(await balances(alice)).toBe('2592.9987655 + 0 USDT, 0.12332655 + 0 BTC')
    expect(await fills(alice)).toMatchObject([
      { execValue: '7407.0012345', feeDetail: [{ feeCoin: 'BTC', fee: '0.00012345' }] },
    ])
    // The seller: 7407.0012345 less 0.1 %, rounded up to the unit.
    const fee = ceil8(exact('7407.0012345').times(feeRates.spot))
    expect(await balances(bob)).toBe(`${figure(exact('7407.0012345').minus(fee))} + 0 USDT, 0.87655 + 0 BTC`)
    expect(await fills(bob)).toMatchObject([{ feeDetail: [{ feeCoin: 'USDT', fee }] }])
  },
)

row('risk-engine §10', 'a market buy of 100 USDT at 60000.01 buys down to the last affordable lot', async () => {
  const [record] = succeeds(
    await at.venue.get('/api/v3/market/instruments', { category: 'SPOT', symbol: 'BTCUSDT' }),
  ).list()
  const lot = figure(exact(10).pow(-Number(record?.['quantityPrecision'])))
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100' } } })
  await takenInBatch(bob, 'sell 1 @ 60000.01', btcSpot)
  await takenInBatch(alice, 'buy 100', btcSpot)
  const bought = toStep(exact(100).div('60000.01'), lot, 'down')
  const spent = exact(bought).times('60000.01')
  const fee = ceil8(exact(bought).times(feeRates.spot))
  expect(await fills(alice)).toMatchObject([{ execQty: bought, execValue: figure(spent) }])
  expect(await balances(alice)).toBe(
    `${figure(exact(100).minus(spent))} + 0 USDT, ${figure(exact(bought).minus(fee))} + 0 BTC`,
  )
})

table(
  'Spot market buy',
  `
    case                                 | offers                           | spends | bought                   | left
    one level                            | sell 1 @ 60000                   | 6000   | 0.1 @ 60000              | 4000
    two levels                           | sell 0.1 @ 60000; sell 1 @ 60100 | 12010  | 0.1 @ 60000; 0.1 @ 60100 | 0
    more than is offered: the rest stays | sell 0.1 @ 60000                 | 9000   | 0.1 @ 60000              | 4000
    nothing offered: nothing happens     | -                                | 6000   | -                        | 10000
  `,
  async ({ offers, spends, bought, left }) => {
    const bob = await at.person('Bob', { funds })
    const start = spends === '12010' ? '12010' : '10000'
    const alice = await at.person('Alice', { funds: { uta: { USDT: start } } })
    for (const offer of listed(offers)) await takenInBatch(bob, offer, btcSpot)
    await takenInBatch(alice, `buy ${spends}`, btcSpot)
    expect((await fills(alice)).map((fill) => `${fill['execQty']} @ ${fill['execPrice']}`)).toEqual(listed(bought))
    expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: left, locked: '0' })
  },
)

table(
  'Spot holds',
  `
    case                              | orders                                             | expected
    a buy holds its quote             | buy 0.1 @ 59000                                    | 994100 + 5900 USDT, 20 + 0 BTC
    a sell holds its base             | sell 0.1 @ 61000                                   | 1000000 + 0 USDT, 19.9 + 0.1 BTC
    several add up                    | buy 0.1 @ 59000; buy 0.2 @ 58000; sell 0.3 @ 61000 | 982500 + 17500 USDT, 19.7 + 0.3 BTC
    prices with decimals hold exactly | buy 0.012345 @ 59000.01                            | 999271.64487655 + 728.35512345 USDT, 20 + 0 BTC
  `,
  async ({ orders, expected }) => {
    const alice = await at.person('Alice', { funds })
    for (const order of listed(orders)) await takenInBatch(alice, order, btcSpot)
    expect(await balances(alice)).toBe(expected)
  },
)

row('Spot holds', 'a partial fill releases its share, a better price what it saved', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '6000' } } })
  await takenInBatch(bob, 'sell 0.04 @ 59000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcSpot)
  // 0.04 for 2360, 0.06 @ 60000 still held
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '40', locked: '3600' })
  expect(await unifiedAsset(alice, 'BTC')).toMatchObject({ available: '0.03996' })
})

row('Spot holds', 'when every order is gone nothing is held', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(alice, 'buy 0.033333 oid:kept @ 59999.99', btcSpot)
  await takenInBatch(bob, 'sell 0.011111 @ 59999.99', btcSpot)
  succeeds(await alice.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'kept' }] }))
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ locked: '0' })
  const spent = exact('0.011111').times('59999.99')
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: figure(exact(1000000).minus(spent)) })
})

row('Spot fees', 'partial fills are charged one by one', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  for (const quantity of ['0.000333', '0.000333', '0.000334'])
    await takenInBatch(bob, `sell ${quantity} @ 60000`, btcSpot)
  await takenInBatch(alice, 'buy 0.001 @ 60000', btcSpot)
  const charged = (await fills(alice)).map((fill) => (fill['feeDetail'] as unknown as { fee: string }[])[0]?.fee)
  expect(charged).toEqual(['0.00000034', '0.00000034', '0.00000034'])
  expect(await unifiedAsset(alice, 'BTC')).toMatchObject({ available: '0.00099898' })
})

row('Spot fees', 'what both sides pay is what the house earns: the books stay balanced', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  for (const price of ['60000.01', '60000.07', '60000.13']) {
    await takenInBatch(bob, `sell 0.000777 @ ${price}`, btcSpot)
    await takenInBatch(alice, `buy 0.000777 @ ${price}`, btcSpot)
  }
  expect(await at.venue.operator('verify')).toMatchObject({ balanced: true })
})

row(
  { rule: 'design §4.35', decision: 'spot and margin share one book' },
  'a margin sell meets a spot buy',
  async () => {
    const bob = await at.person('Bob', { funds })
    const alice = await at.person('Alice', { funds })
    await takenInBatch(alice, 'buy 0.1 @ 60000', btcSpot)
    await takenInBatch(bob, 'sell 0.1 @ 60000', btcMargin)
    expect(await fills(alice)).toMatchObject([{ category: 'SPOT', tradeScope: 'maker', execQty: '0.1' }])
    expect(await fills(bob)).toMatchObject([{ category: 'MARGIN', tradeScope: 'taker', execQty: '0.1' }])
    expect((await fills(alice))[0]?.['execLinkId']).toBe((await fills(bob))[0]?.['execLinkId'])
  },
)

row('design §3', 'a hybrid account trades v3 spot on uta and v2 spot on its spot wallet', async () => {
  const alice = await at.person('Alice', { mode: 'hybrid', funds: { uta: { USDT: '1000' }, spot: { USDT: '2000' } } })
  await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
  const v2 = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '59000', size: '0.02' }
  succeeds(await alice.post('/api/v2/spot/trade/place-order', v2))
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '410', locked: '590' })
  expect(await spotAsset(alice, 'USDT')).toMatchObject({ available: '820', frozen: '1180' })
})

row('Spot trading', 'a bought coin can be sold at once', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '6000' } } })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcSpot)
  await takenInBatch(bob, 'buy 0.0999 @ 60000', btcSpot)
  expect(await unifiedOutcome(alice, await takenInBatch(alice, 'sell 0.0999 @ 60000', btcSpot))).toBe('filled 0.0999')
  // 5994 less 5.994
  expect(await balances(alice)).toBe('5988.006 + 0 USDT, 0 + 0 BTC')
})

row('Spot trading', 'spot trades make no futures position', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcSpot)
  await expect(onePosition(alice)).rejects.toThrow('0 positions')
  expect(await openUnifiedOrders(alice, btcSpot)).toEqual([])
})
