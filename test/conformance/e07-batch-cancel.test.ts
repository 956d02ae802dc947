/**
 * E7: cancelling spot orders in a batch.
 *
 * Source  interface.md E7, Errors rule 3, Limits; design §4.13, §4.30
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  btcMargin,
  btcPerpetual,
  btcSpot,
  ethSpot,
  openUnifiedOrders,
  paths,
  spotAsset,
  takenInBatch,
  unifiedAsset,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '100000', BTC: '1', ETH: '10' } } as const

interface Canceled {
  readonly successList: readonly Fields[]
  readonly failureList: readonly Fields[]
}

async function cancel(person: Person, body: unknown): Promise<Canceled> {
  return succeeds(await person.post(paths.batchCancel, body)).data as Canceled
}

row('E7 response', 'every entry answers in successList or failureList', async () => {
  const alice = await at.person('Alice', { funds })
  const first = await takenInBatch(alice, 'buy 0.01 oid:first @ 59000', btcSpot)
  const orderList = [{ orderId: first['orderId'] }, { orderId: '999999999999' }, { clientOid: 'nobody' }]
  const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', batchMode: 'single', orderList })
  expect(successList).toEqual([{ orderId: first['orderId'], clientOid: 'first' }])
  expect(failureList).toHaveLength(2)
  expect(failureList).toMatchObject([{ orderId: '999999999999' }, { clientOid: 'nobody' }])
  for (const failure of failureList) {
    expect(failure).toMatchObject({ errorCode: '43001', errorMsg: expect.stringMatching(/./) })
  }
  expect(await openUnifiedOrders(alice, btcSpot)).toEqual([])
})

row('E7 response', 'a batch of which all fail is still 200 and 00000', async () => {
  const alice = await at.person('Alice', { funds })
  const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'nobody' }] })
  expect(successList).toEqual([])
  expect(failureList).toHaveLength(1)
})

table(
  {
    rule: 'E7 table batchMode',
    decision: 'single by default; the outer symbol counts in single mode, the entries’ in multiple (design §4.13)',
  },
  [
    // what                                                    outer       mode         entry       gone
    ['single is the default', 'BTCUSDT', undefined, undefined, true],
    ['single, named', 'BTCUSDT', 'single', undefined, true],
    ['single ignores the entry’s symbol', 'BTCUSDT', 'single', 'ETHUSDT', true],
    ['single with another outer symbol does not find it', 'ETHUSDT', 'single', 'BTCUSDT', false],
    ['single ignores an entry’s symbol of nonsense', 'BTCUSDT', 'single', 'no such!', true],
    ['single ignores an entry’s symbol that is an object', 'BTCUSDT', 'single', {}, true],
    ['multiple ignores an outer symbol of nonsense', 'no such!', 'multiple', 'BTCUSDT', true],
    ['multiple ignores an outer symbol that is a list', ['ETHUSDT'], 'multiple', 'BTCUSDT', true],
    ['multiple with an entry symbol of nonsense', undefined, 'multiple', 'no such!', false],
    ['multiple uses the entry’s symbol', undefined, 'multiple', 'BTCUSDT', true],
    ['multiple ignores the outer symbol', 'ETHUSDT', 'multiple', 'BTCUSDT', true],
    ['multiple with another entry symbol does not find it', 'BTCUSDT', 'multiple', 'ETHUSDT', false],
    ['mode and symbol in other case', 'btcusdt', 'SINGLE', undefined, true],
  ],
  async (outer, batchMode, entrySymbol, gone) => {
    const alice = await at.person('Alice', { funds })
    const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
    const body = { symbol: outer, batchMode, orderList: [{ orderId, symbol: entrySymbol }] }
    const { successList, failureList } = await cancel(alice, body)
    expect([successList.length, failureList.length]).toEqual(gone ? [1, 0] : [0, 1])
    expect(await openUnifiedOrders(alice, btcSpot)).toHaveLength(gone ? 0 : 1)
  },
)

row('E7 table batchMode', 'multiple cancels across symbols', async () => {
  const alice = await at.person('Alice', { funds })
  const btc = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
  const eth = await takenInBatch(alice, 'buy 0.1 @ 2900', ethSpot)
  const orderList = [
    { symbol: 'BTCUSDT', orderId: btc['orderId'] },
    { symbol: 'ETHUSDT', orderId: eth['orderId'] },
  ]
  const { successList } = await cancel(alice, { batchMode: 'multiple', orderList })
  expect(successList).toHaveLength(2)
})

const entry = [{ clientOid: 'one' }]

table(
  {
    rule: 'E7 table',
    decision: 'missing symbol, an empty list or more than 50 entries refuse the whole request (design §4.13)',
  },
  [
    // what                                        body                                                             refused as
    ['single without symbol', { orderList: entry }, 'a missing parameter'],
    ['single with an empty symbol', { symbol: '', orderList: entry }, 'a parameter or an unknown symbol'],
    ['an unknown symbol', { symbol: 'NOSUCH', orderList: entry }, 'an unknown symbol'],
    ['no orderList', { symbol: 'BTCUSDT' }, 'a missing parameter'],
    ['an empty orderList', { symbol: 'BTCUSDT', orderList: [] }, 'a parameter'],
    ['an unknown batchMode', { symbol: 'BTCUSDT', batchMode: 'all', orderList: entry }, 'a parameter'],
    [
      '51 entries',
      { symbol: 'BTCUSDT', orderList: Array.from({ length: 51 }, (_, n) => ({ clientOid: `o${n}` })) },
      'too many entries',
    ],
    ['an orderList that is an object', { symbol: 'BTCUSDT', orderList: { clientOid: 'one' } }, 'a parameter'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', { funds })
    refuses(await alice.post(paths.batchCancel, body), expected)
  },
)

table(
  { rule: 'E7 table orderList', decision: 'an entry that says too little answers in failureList (design §4.13)' },
  [
    // what                                      mode         entry
    ['no id at all', 'single', {}],
    ['empty ids', 'single', { orderId: '', clientOid: '' }],
    ['multiple without a symbol', 'multiple', { clientOid: 'mine' }],
    ['multiple with an unknown symbol', 'multiple', { clientOid: 'mine', symbol: 'NOSUCH' }],
    ['an orderId of words', 'single', { orderId: 'mine' }],
    ['a huge orderId', 'single', { orderId: '9'.repeat(60) }],
  ],
  async (batchMode, item) => {
    const alice = await at.person('Alice', { funds })
    const mine = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
    const good = { orderId: mine['orderId'], symbol: 'BTCUSDT' }
    const answer = await alice.post(paths.batchCancel, { symbol: 'BTCUSDT', batchMode, orderList: [item, good] })
    if (answer.status !== 200) {
      refuses(answer, 'a parameter or an unknown symbol')
      return
    }
    const { successList, failureList } = succeeds(answer).data as Canceled
    expect(successList).toMatchObject([{ orderId: mine['orderId'] }])
    expect(failureList).toMatchObject([
      { errorCode: expect.stringMatching(/^\d+$/), errorMsg: expect.stringMatching(/./) },
    ])
  },
)

row('E7 table orderList', 'exactly 50 entries', async () => {
  const alice = await at.person('Alice', { funds })
  const orderList = Array.from({ length: 50 }, (_, n) => ({ clientOid: `o${n}` }))
  expect((await cancel(alice, { symbol: 'BTCUSDT', orderList })).failureList).toHaveLength(50)
})

row('E7 table orderList', 'by clientOid', async () => {
  const alice = await at.person('Alice', { funds })
  const { orderId } = await takenInBatch(alice, 'buy 0.01 oid:mine @ 59000', btcSpot)
  const { successList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'mine' }] })
  expect(successList).toEqual([{ orderId, clientOid: 'mine' }])
})

row(
  { rule: 'E7 table orderList', decision: 'an entry with both ids uses orderId (design §4.13)' },
  'orderId wins over clientOid',
  async () => {
    const alice = await at.person('Alice', { funds })
    const first = await takenInBatch(alice, 'buy 0.01 oid:first @ 59000', btcSpot)
    await takenInBatch(alice, 'buy 0.01 oid:second @ 58000', btcSpot)
    await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId: first['orderId'], clientOid: 'second' }] })
    expect(await openUnifiedOrders(alice, btcSpot)).toEqual(['buy 0.01 @ 58000'])
  },
)

row(
  {
    rule: 'E7 table orderList',
    decision: 'an entry with both ids uses orderId, whatever clientOid says (design §4.13)',
  },
  'a malformed clientOid beside an orderId',
  async () => {
    const alice = await at.person('Alice', { funds })
    const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
    const orderList = [
      { orderId, clientOid: 'no such!' },
      { orderId: '999999999999', clientOid: 'nor this!' },
      { clientOid: 'alone!' },
    ]
    const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList })
    expect(successList).toMatchObject([{ orderId }])
    expect(failureList).toMatchObject([
      { orderId: '999999999999', clientOid: 'nor this!', errorCode: '43001' },
      { orderId: '', clientOid: 'alone!', errorCode: '40305' },
    ])
  },
)

row(
  { rule: 'E7', decision: 'over v2 a hybrid account has its spot wallet (design §3)' },
  'an order of a hybrid account’s unified wallet is not found',
  async () => {
    const alice = await at.person('Alice', {
      mode: 'hybrid',
      funds: { uta: { USDT: '10000' }, spot: { USDT: '10000' } },
    })
    const { orderId } = await takenInBatch(alice, 'buy 0.01 oid:unified @ 59000', btcSpot)
    const spot = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '59000', size: '0.01' }
    succeeds(await alice.post('/api/v2/spot/trade/place-order', { ...spot, clientOid: 'classic' }))
    const orderList = [{ orderId }, { clientOid: 'unified' }, { clientOid: 'classic' }]
    const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList })
    expect(successList).toMatchObject([{ clientOid: 'classic' }])
    expect(failureList).toMatchObject([
      { orderId, errorCode: '43001' },
      { clientOid: 'unified', errorCode: '43001' },
    ])
    expect(await openUnifiedOrders(alice, btcSpot)).toHaveLength(1)
  },
)

row('E7', 'the same order twice: once success, once failure', async () => {
  const alice = await at.person('Alice', { funds })
  const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcSpot)
  const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }, { orderId }] })
  expect([successList.length, failureList.length]).toEqual([1, 1])
})

row('E7', 'a filled order is not cancelled', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  await takenInBatch(bob, 'sell 0.01 @ 60000', btcSpot)
  const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 60000', btcSpot)
  const { failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }] })
  expect(failureList).toMatchObject([{ orderId, errorCode: expect.stringMatching(/^\d+$/) }])
})

row('E7', 'an order of somebody else is not found', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  const { orderId } = await takenInBatch(bob, 'buy 0.01 @ 59000', btcSpot)
  const { failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }] })
  expect(failureList).toMatchObject([{ orderId, errorCode: '43001' }])
  expect(await openUnifiedOrders(bob, btcSpot)).toHaveLength(1)
})

row('E7', 'a futures order of the same symbol is no spot order', async () => {
  const alice = await at.person('Alice', { funds })
  const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcPerpetual)
  const { failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }] })
  expect(failureList).toHaveLength(1)
  expect(await openUnifiedOrders(alice, btcPerpetual)).toHaveLength(1)
})

row('E7', 'what a cancelled order held is free again, to the last unit', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '1000.12345678' } } })
  const { orderId } = await takenInBatch(alice, 'buy 0.012345 @ 59999.99', btcSpot)
  await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }] })
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '1000.12345678', locked: '0' })
})

row('E7', 'a classic account cancels what it placed on its spot wallet', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { spot: { USDT: '10000' } } })
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '59000',
    size: '0.01',
    clientOid: 'mine',
  }
  succeeds(await alice.post('/api/v2/spot/trade/place-order', order))
  expect(await spotAsset(alice, 'USDT')).toMatchObject({ available: '9410', frozen: '590' })
  const { successList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ clientOid: 'mine' }] })
  expect(successList).toHaveLength(1)
  expect(await spotAsset(alice, 'USDT')).toMatchObject({ available: '10000', frozen: '0' })
})

row(
  { rule: 'E7', decision: 'a spot call: margin orders have their own (wire/client-endpoints.md)' },
  'a margin order is answered in one of the lists',
  async () => {
    const alice = await at.person('Alice', { funds })
    const { orderId } = await takenInBatch(alice, 'buy 0.01 @ 59000', btcMargin)
    const { successList, failureList } = await cancel(alice, { symbol: 'BTCUSDT', orderList: [{ orderId }] })
    expect(successList.length + failureList.length).toBe(1)
  },
)
