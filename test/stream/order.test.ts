/** What is pushed has happened for good: nobody hears of anything that a later read denies. */
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { Socket } from '../support/socket.ts'
import { btcPerpetual, btcSpot, fills, takenInBatch, unifiedAsset, unifiedOrder } from '../support/trading.ts'

const scene = stage({ durability: 'sync' })
const unified = { mode: 'unified', funds: { uta: { USDT: '1000000', BTC: '10' } } } as const

test('a fill, a trade and an order that were pushed are in every read that begins after', async () => {
  const { venue } = scene
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  const mine = await Socket.of(alice, '/v3/ws/private')
  for (const topic of ['order', 'fill', 'account']) await mine.subscribe({ instType: 'UTA', topic })
  const market = await Socket.open(venue, '/v3/ws/public')
  await market.subscribe({ instType: 'spot', topic: 'publicTrade', symbol: 'BTCUSDT' })
  await market.push('publicTrade')

  const rounds = 30
  const trading = (async () => {
    for (let round = 0; round < rounds; round++) {
      await takenInBatch(bob, 'sell 0.01 @ 60000', btcSpot)
      await takenInBatch(alice, 'buy 0.01 @ 60000', btcSpot)
    }
  })()
  for (let round = 0; round < rounds; round++) {
    const { data: orders } = await mine.push('order', (row) => row['orderStatus'] === 'filled')
    const { data: fillRows } = await mine.push('fill')
    const [order, fill] = [orders?.[0], fillRows?.[0]]
    expect(await unifiedOrder(alice, { orderId: String(order?.['orderId']) })).toMatchObject({ orderStatus: 'filled' })
    const read = await fills(alice)
    expect(read.map(({ execId }) => execId)).toContain(fill?.['execId'])
    const { data: trades } = await market.push('publicTrade')
    const shown = await venue.get('/api/v3/market/fills', { category: 'SPOT', symbol: 'BTCUSDT', limit: 100 })
    expect(shown.list().map(({ execId }) => execId)).toContain(trades?.[0]?.['i'])
  }
  await trading
  mine.close()
  market.close()
})

test('what happened comes before the account and the positions that it has changed', async () => {
  const alice = await scene.person('Alice', unified)
  const bob = await scene.person('Bob', unified)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  for (const topic of ['account', 'position', 'fill', 'order']) await socket.subscribe({ instType: 'UTA', topic })
  const from = socket.heard.length
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await socket.push('position', (row) => row['size'] === '0.1')
  const topics = socket.heard.slice(from).map(({ arg }) => arg?.['topic'])
  expect(new Set(topics.slice(0, 2))).toEqual(new Set(['fill', 'order']))
  expect(new Set(topics.slice(2))).toEqual(new Set(['account', 'position']))
  const { balance } = await unifiedAsset(alice, 'USDT')
  const account = socket.heard.findLast(({ arg }) => arg?.['topic'] === 'account')?.data?.[0]
  const coins = (account as unknown as { readonly coin: readonly Record<string, string>[] }).coin
  expect(coins.find(({ coin }) => coin === 'USDT')).toMatchObject({ balance })
  socket.close()
})
