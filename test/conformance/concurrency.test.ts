/**
 * Many requests at once: one order of events, nothing spent twice, no id used twice.
 *
 * Source  design §1 "one writer, one order", §4.6, §4.14, §4.27; interface.md E2, E3, E7, E9
 */
import { expect } from 'vitest'
import {
  btcSpot,
  openOrders,
  openUnifiedOrders,
  paths,
  place,
  placeBatch,
  position,
  taken,
  takenInBatch,
  unifiedAsset,
} from '../support/trading.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '100000', BTC: '1' } } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

row('design §4.6 at once', 'one clientOid sent twenty times at once is one order', async () => {
  const alice = await at.person('Alice', { funds })
  const answers = await Promise.all(times(20).map(() => place(alice, 'buy 0.01 oid:retried @ 59000')))
  const taken20 = answers.filter((answer) => answer.code === '00000')
  expect(taken20).toHaveLength(1)
  for (const answer of answers) if (answer.code !== '00000') expect(answer.code).toBe('40786')
  expect(await openOrders(alice)).toEqual(['buy 0.01 @ 59000'])
})

row('design §4.14 at once', 'one transfer sent twenty times at once moves once and has one transferId', async () => {
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main })
  const body = {
    fromType: 'uta',
    toType: 'uta',
    amount: '100',
    coin: 'USDT',
    fromUserId: main.uid,
    toUserId: sub.uid,
    clientOid: 'once',
  }
  const answers = await Promise.all(times(20).map(() => main.post(paths.subTransfer, body)))
  expect(new Set(answers.map((answer) => succeeds(answer).fields['transferId'])).size).toBe(1)
  expect(await unifiedAsset(sub, 'USDT')).toMatchObject({ available: '100' })
})

row('E2 balance at once', 'thirty orders at once spend what is there and no more', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '5900' } } })
  const answers = await Promise.all(times(30).map(() => placeBatch(alice, ['buy 0.01 @ 59000'], btcSpot)))
  const entries = answers.map((answer) => succeeds(answer).list()[0])
  expect(entries.filter((entry) => entry?.['code'] === undefined)).toHaveLength(10)
  expect(entries.filter((entry) => entry?.['code'] === '43012')).toHaveLength(20)
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '0', locked: '5900' })
})

row('E9 balance at once', 'thirty transfers at once move what is there and no more', async () => {
  const main = await at.person('Main', { funds: { uta: { USDT: '1000' } } })
  const sub = await at.person('Sub', { parent: main })
  const transfer = {
    fromType: 'uta',
    toType: 'uta',
    amount: '100',
    coin: 'USDT',
    fromUserId: main.uid,
    toUserId: sub.uid,
  }
  const answers = await Promise.all(
    times(30).map((index) => main.post(paths.subTransfer, { ...transfer, clientOid: `n${index}` })),
  )
  expect(answers.filter((answer) => answer.code === '00000')).toHaveLength(10)
  expect(await unifiedAsset(sub, 'USDT')).toMatchObject({ available: '1000' })
  expect(await unifiedAsset(main, 'USDT')).toMatchObject({ available: '0' })
})

row('E7 at once', 'one order cancelled ten times at once is cancelled once', async () => {
  const alice = await at.person('Alice', { funds })
  const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
  const body = { symbol: 'BTCUSDT', orderList: [{ orderId }] }
  const answers = await Promise.all(times(10).map(() => alice.post(paths.batchCancel, body)))
  const successes = answers.flatMap((answer) => succeeds(answer).list('successList'))
  expect(successes).toHaveLength(1)
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '100000', locked: '0' })
})

table(
  { rule: 'design §1 at once', decision: 'one writer, one order: what one side sells the other has bought' },
  [
    ['ten buyers and ten sellers', 10],
    ['twenty buyers and twenty sellers', 20],
  ],
  async (count) => {
    const bob = await at.person('Bob', { funds: { uta: { USDT: '1000000' } } })
    const alice = await at.person('Alice', { funds: { uta: { USDT: '1000000' } } })
    await Promise.all(times(count).flatMap(() => [taken(alice, 'buy 0.01 @ 60000'), taken(bob, 'sell 0.01 @ 60000')]))
    expect(await position(alice)).toBe(`long ${count / 100}`)
    expect(await position(bob)).toBe(`short ${count / 100}`)
    expect(await openOrders(alice)).toEqual([])
  },
)

row(
  'E3 and E7 at once',
  'placing and cancelling by clientOid at once: the order is there or it is not, never both',
  async () => {
    const alice = await at.person('Alice', { funds })
    for (const round of times(10)) {
      const clientOid = `round-${round}`
      const [, canceled] = await Promise.all([
        takenInBatch(alice, `buy 0.001 oid:${clientOid} @ 59000`, btcSpot),
        alice.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList: [{ clientOid }] }),
      ])
      const gone = succeeds(canceled).list('successList').length
      expect(await openUnifiedOrders(alice, btcSpot)).toHaveLength(1 - gone)
      await alice.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList: [{ clientOid }] })
    }
  },
)
