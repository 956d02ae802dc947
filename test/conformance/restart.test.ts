/**
 * Nothing acknowledged is ever lost: what clients see is the same after a restart and after a crash.
 *
 * Source  design promise 2, §1 "Journal first", §4.6, §4.14, §4.27, §5, §6
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  btcMargin,
  btcPerpetual,
  btcSpot,
  fills,
  onePosition,
  openOrders,
  openUnifiedOrders,
  paths,
  place,
  placeBatch,
  taken,
  takenInBatch,
  unifiedAsset,
} from '../support/trading.ts'
import { entryRefused, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const funds = { uta: { USDT: '1000000', BTC: '10' } } as const

interface Past {
  readonly main: Person
  readonly sub: Person
  readonly transferId: string | undefined
}

const transfer = (main: Person, sub: Person) => ({
  fromType: 'uta',
  toType: 'uta',
  amount: '100',
  coin: 'USDT',
  fromUserId: main.uid,
  toUserId: sub.uid,
  clientOid: 'moved',
})

/** A main account with a past: fills in three categories, open orders, a position, a debt, a transfer, a funding. */
async function past(): Promise<Past> {
  const bob = await at.person('Bob', { funds })
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '1000' } } })
  await takenInBatch(bob, 'sell 0.2 @ 60000', btcSpot)
  await takenInBatch(main, 'buy 0.1 @ 60000', btcSpot)
  await takenInBatch(sub, 'buy 0.05 @ 60000', btcMargin)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(main, 'buy 0.1 oid:opened @ 60000')
  await taken(main, 'buy 0.1 oid:waiting @ 59000')
  await taken(main, 'buy 0.1 ioc oid:ended @ 58000')
  await takenInBatch(main, 'buy 0.01 @ 59000', btcSpot)
  const guarded = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.02', price: '60000' }
  succeeds(await main.post('/api/v3/trade/place-order', { ...guarded, takeProfit: '66000', stopLoss: '54000' }))
  await at.venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
  const moved = succeeds(await main.post(paths.subTransfer, transfer(main, sub))).fields
  return { main, sub, transferId: moved['transferId'] }
}

/** Everything that the two can read of themselves. */
async function everything({ main, sub }: Past): Promise<Record<string, unknown>> {
  const data = async (person: Person, path: string, query = {}) => succeeds(await person.get(path, query)).data
  return {
    fills: await fills(main),
    fillsOfSub: await fills(sub),
    history: await data(main, paths.orderHistory, { productType: 'USDT-FUTURES' }),
    position: await onePosition(main),
    open: await openOrders(main),
    openSpot: await openUnifiedOrders(main, btcSpot),
    guards: await data(main, '/api/v3/trade/unfilled-strategy-orders', { category: 'SPOT' }),
    assets: await data(main, '/api/v3/account/assets'),
    debt: await unifiedAsset(sub, 'USDT'),
    settings: await data(main, paths.settings),
    publicFills: await data(main, paths.publicFills, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }),
    funding: await data(main, paths.fundingHistory, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }),
    state: (await at.venue.operator<{ stateHash: string }>('verify')).stateHash,
  }
}

table(
  { rule: 'design promise 2', decision: 'everything acknowledged is there after a restart, to the last digit' },
  [
    ['after SIGTERM', 'stop'],
    ['after SIGKILL', 'kill'],
  ],
  async (how) => {
    const story = await past()
    const before = await everything(story)
    await at.venue.restart(how)
    expect(await everything(story)).toEqual(before)
  },
)

row(
  { rule: 'design §6', decision: 'SIGTERM finishes what was accepted and exits 0' },
  'SIGTERM exits 0, and an order acknowledged just before is there',
  async () => {
    const main = await at.person('Main', { funds })
    const { orderId } = await taken(main, 'buy 0.1 @ 59000')
    expect(await at.venue.stop()).toBe(0)
    await at.venue.start()
    const answer = await main.get('/api/v2/mix/order/detail', {
      productType: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      orderId,
    })
    expect(succeeds(answer).fields).toMatchObject({ orderId })
  },
)

table(
  { rule: 'design §4.14 and §4.6', decision: 'what makes a retry safe survives a crash' },
  [
    ['a transfer is still idempotent', 'transfer'],
    ['a clientOid is still taken', 'clientOid'],
    ['order numbers go on', 'numbers'],
    ['keys still work, revoked ones still do not', 'keys'],
  ],
  async (what) => {
    const { main, sub, transferId } = await past()
    const gone = await at.venue.makeKey(main.uid)
    await at.venue.operator('keys/revoke', { apiKey: gone.apiKey })
    await at.venue.restart('kill')
    switch (what) {
      case 'transfer': {
        const before = await unifiedAsset(sub, 'USDT')
        const again = succeeds(await main.post(paths.subTransfer, transfer(main, sub))).fields
        expect(again['transferId']).toBe(transferId)
        expect(await unifiedAsset(sub, 'USDT')).toEqual(before)
        break
      }
      case 'clientOid': {
        refuses(await place(main, 'buy 0.1 oid:waiting @ 59000'), '40786')
        refuses(await place(main, 'buy 0.1 oid:opened @ 59000'), '40786')
        entryRefused(succeeds(await placeBatch(main, ['buy 0.1 oid:ended @ 59000'], btcPerpetual)).list()[0], '40786')
        break
      }
      case 'numbers': {
        const older = (await fills(main)).map((fill) => BigInt(fill['orderId'] ?? '0'))
        const { orderId = '0' } = await taken(main, 'buy 0.1 @ 58000')
        for (const id of older) expect(BigInt(orderId)).toBeGreaterThan(id)
        break
      }
      case 'keys': {
        succeeds(await main.get(paths.settings))
        refuses(await main.get(paths.settings, {}, { key: gone }), 'a key')
      }
    }
  },
)

row(
  { rule: 'design §5', decision: 'a snapshot and the journal’s tail give the same state as before' },
  'after a snapshot and a crash',
  async () => {
    const story = await past()
    await at.venue.operator('snapshots', {})
    await taken(story.main, 'buy 0.1 @ 57500')
    const before = await everything(story)
    await at.venue.restart('kill')
    expect(await everything(story)).toEqual(before)
  },
)

row('E1 table cursor', 'a cursor from before a restart still pages on', async () => {
  const { main } = await past()
  const first = succeeds(await main.get(paths.fills, { limit: '1' })).data as { list: object[]; cursor: string }
  const expected = succeeds(await main.get(paths.fills, { limit: '1', cursor: first.cursor })).data
  await at.venue.restart('kill')
  expect(succeeds(await main.get(paths.fills, { limit: '1', cursor: first.cursor })).data).toEqual(expected)
})

row('design §6', 'a venue that was started before makes no second set of demo accounts', async () => {
  const before = at.venue.demoKeys
  await at.venue.restart('stop')
  expect(at.venue.demoKeys).toEqual(before)
  succeeds(await at.venue.as('unified-main').get(paths.settings))
})
