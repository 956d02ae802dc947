/**
 * How many orders may be open: 400 over all futures, 400 over spot and margin.
 *
 * Source  interface.md Limits; design §4.18
 */
import type { Person } from '../support/person.ts'
import {
  type Market,
  btcInverse,
  btcMargin,
  btcPerpetual,
  btcSpot,
  btcUsdc,
  ethPerpetual,
  ethSpot,
  paths,
  place,
  placeBatch,
} from '../support/trading.ts'
import { entryRefused, entryTaken, refuses, row, stage, succeeds } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '1000000', USDC: '100000', BTC: '10' } } as const
const decision = 'at most 400 open orders (resting and trigger) per account; one more is refused (design §4.18)'

/** Places this many resting orders, 20 a batch. */
async function fill(person: Person, count: number, order: string, market: Market): Promise<void> {
  for (let left = count; left > 0; left -= 20) {
    const batch = Array.from({ length: Math.min(20, left) }, () => order)
    for (const entry of succeeds(await placeBatch(person, batch, market)).list()) entryTaken(entry)
  }
}

async function one(person: Person, order: string, market: Market) {
  return succeeds(await placeBatch(person, [order], market)).list()[0]
}

row(
  { rule: 'Order limit, spot', decision },
  '400 over spot and margin of every pair; the 401st is refused; one cancelled makes room',
  async () => {
    const alice = await at.person('Alice', { funds })
    await fill(alice, 180, 'buy 0.001 @ 50000', btcSpot)
    await fill(alice, 100, 'buy 0.01 @ 2500', ethSpot)
    await fill(alice, 119, 'buy 0.001 @ 50000', btcMargin)
    entryTaken(await one(alice, 'buy 0.001 oid:last @ 50000', btcSpot))
    entryRefused(await one(alice, 'buy 0.001 @ 50000', btcSpot), 'too many orders')
    entryRefused(await one(alice, 'buy 0.01 @ 2500', ethSpot), 'too many orders')
    entryRefused(await one(alice, 'buy 0.001 @ 50000', btcMargin), 'too many orders')
    entryTaken(await one(alice, 'buy 0.001 @ 59000', btcPerpetual)) // futures have their own 400
    succeeds(await alice.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'last' }] }))
    entryTaken(await one(alice, 'buy 0.001 @ 50000', btcSpot))
    entryRefused(await one(alice, 'buy 0.001 @ 50000', btcSpot), 'too many orders')
  },
)

row(
  { rule: 'Order limit, futures', decision },
  '400 over every product line; the 401st is refused; spot is not counted',
  async () => {
    const alice = await at.person('Alice', { funds })
    await fill(alice, 150, 'buy 0.001 @ 59000', btcPerpetual)
    await fill(alice, 100, 'buy 0.01 @ 2900', ethPerpetual)
    await fill(alice, 100, 'buy 0.001 @ 59000', btcUsdc)
    await fill(alice, 50, 'buy 100 @ 59000', btcInverse)
    entryRefused(await one(alice, 'buy 0.001 @ 59000', btcPerpetual), 'too many orders')
    entryRefused(await one(alice, 'buy 100 @ 59000', btcInverse), 'too many orders')
    refuses(await place(alice, 'buy 0.001 @ 59000'), 'too many orders')
    entryTaken(await one(alice, 'buy 0.001 @ 50000', btcSpot))
  },
)

row({ rule: 'Order limit, futures', decision }, 'trigger orders count', async () => {
  const alice = await at.person('Alice', { funds })
  await fill(alice, 399, 'buy 0.001 @ 59000', btcPerpetual)
  const plan = {
    planType: 'normal_plan',
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    marginMode: 'crossed',
    marginCoin: 'USDT',
    size: '0.001',
    price: '58000',
    triggerPrice: '58500',
    triggerType: 'mark_price',
    side: 'buy',
    orderType: 'limit',
  }
  succeeds(await alice.post('/api/v2/mix/order/place-plan-order', plan))
  refuses(await place(alice, 'buy 0.001 @ 59000'), 'too many orders')
})

row({ rule: 'Order limit', decision }, 'orders that never rest do not count afterwards', async () => {
  const alice = await at.person('Alice', { funds })
  await fill(alice, 420, 'buy 0.001 ioc @ 55000', btcPerpetual)
  entryTaken(await one(alice, 'buy 0.001 @ 59000', btcPerpetual))
})

row({ rule: 'Order limit', decision }, 'the limit is each account’s own', async () => {
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main, funds })
  await fill(main, 400, 'buy 0.001 @ 59000', btcPerpetual)
  entryRefused(await one(main, 'buy 0.001 @ 59000', btcPerpetual), 'too many orders')
  entryTaken(await one(sub, 'buy 0.001 @ 59000', btcPerpetual))
})
