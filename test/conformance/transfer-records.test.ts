/**
 * Records of money that moved without a trade: transfers within an account and within its family, conversions.
 *
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person, Query } from '../support/person.ts'
import { btcMargin, btcSpot, takenInBatch } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const own = '/api/v2/spot/account/transferRecords'
const family = '/api/v2/spot/account/sub-main-trans-record'
const unified = '/api/v3/account/sub-transfer-record'
const converted = '/api/v3/account/convert-records'
const digits = expect.stringMatching(/^\d+$/)
const day = 86_400_000

async function records(person: Person, path: string, query: Query, name?: string): Promise<readonly Fields[]> {
  return succeeds(await person.get(path, query)).list(name)
}

async function moves(person: Person): Promise<void> {
  for (const [fromType, toType, amount, clientOid] of [
    ['spot', 'usdt_futures', '10', 'first'],
    ['usdt_futures', 'spot', '4', 'second'],
    ['spot', 'crossed_margin', '1', 'third'],
  ]) {
    const body = { fromType, toType, amount, clientOid, coin: 'USDT' }
    succeeds(await person.post('/api/v2/spot/wallet/transfer', body))
    await at.venue.advance(1000)
  }
}

async function classic(): Promise<Person> {
  return at.person('Carol', { mode: 'classic', funds: { spot: { USDT: '100', BTC: '1' } } })
}

row('wire/client-endpoints §4', 'a transfer as it was made', async () => {
  const carol = await classic()
  const asked = at.venue.now()
  await moves(carol)
  const found = await records(carol, own, { coin: 'USDT', clientOid: 'first' })
  expect(found).toEqual([
    {
      coin: 'USDT',
      status: 'Successful',
      toType: 'usdt_futures',
      toSymbol: '',
      fromType: 'spot',
      fromSymbol: '',
      size: '10',
      ts: String(asked),
      clientOid: 'first',
      transferId: digits,
    },
  ])
})

table(
  'wire/client-endpoints §4 transferRecords: filters',
  [
    ['a coin', { coin: 'usdt' }, ['third', 'second', 'first']],
    ['a coin that did not move', { coin: 'BTC' }, []],
    ['where it came from', { coin: 'USDT', fromType: 'spot' }, ['third', 'first']],
    ['a client order id', { coin: 'USDT', clientOid: 'second' }, ['second']],
    ['a limit', { coin: 'USDT', limit: '2' }, ['third', 'second']],
    ['a page', { coin: 'USDT', limit: '2', pageNum: '2' }, ['first']],
    ['a page after the last', { coin: 'USDT', limit: '2', pageNum: '3' }, []],
  ],
  async (query, ids) => {
    const carol = await classic()
    await moves(carol)
    expect((await records(carol, own, query)).map((record) => record['clientOid'])).toEqual(ids)
  },
)

row('wire/client-endpoints §4 transferRecords', 'pages by idLessThan, and a window of time', async () => {
  const carol = await classic()
  const start = at.venue.now()
  await moves(carol)
  const all = await records(carol, own, { coin: 'USDT' })
  const seen: Fields[] = []
  for (let page = await records(carol, own, { coin: 'USDT', limit: 1 }); page.length > 0; ) {
    seen.push(...page)
    page = await records(carol, own, { coin: 'USDT', limit: 1, idLessThan: page[0]?.['transferId'] })
  }
  expect(seen).toEqual(all)
  const window = { coin: 'USDT', startTime: start + 1, endTime: start + 1999 }
  expect((await records(carol, own, window)).map((record) => record['clientOid'])).toEqual(['second'])
})

row('wire/client-endpoints §2', 'a unified account is served', async () => {
  const dave = await at.person('Dave', { funds: { uta: { USDT: '5' } } })
  const body = { fromType: 'uta', toType: 'spot', amount: '1', coin: 'USDT' }
  succeeds(await dave.post('/api/v3/account/transfer', body))
  expect(await records(dave, own, { coin: 'USDT', fromType: 'uta' })).toMatchObject([{ toType: 'spot', size: '1' }])
})

/** A main account, two subs, and three transfers among them. */
async function relatives() {
  const main = await at.person('Main', { funds: { uta: { USDT: '100' } } })
  const first = await at.person('One', { parent: main, funds: { uta: { USDT: '100' } } })
  const two = await at.person('Two', { parent: main })
  const move = async (from: Person, to: Person, clientOid: string) => {
    const body = { fromType: 'uta', toType: 'uta', amount: '1', coin: 'USDT', clientOid }
    succeeds(await main.post('/api/v3/account/sub-transfer', { ...body, fromUserId: from.uid, toUserId: to.uid }))
  }
  await move(main, first, 'down')
  await move(first, main, 'up')
  await move(first, two, 'across')
  const within = { fromType: 'uta', toType: 'spot', amount: '1', coin: 'USDT', clientOid: 'within' }
  succeeds(await main.post('/api/v3/account/transfer', within))
  return { main, one: first, two }
}

row('wire/v3-endpoints §4', 'a transfer between accounts as both versions write it', async () => {
  const { main, one: person } = await relatives()
  const now = String(at.venue.now())
  const shared = { coin: 'USDT', fromType: 'uta', toType: 'uta', clientOid: 'down', transferId: digits }
  const people = { fromUserId: main.uid, toUserId: person.uid, status: 'Successful' }
  expect(await records(main, family, { clientOid: 'down' })).toEqual([
    { ...shared, ...people, size: '1', ts: now, newTransferId: digits },
  ])
  expect(await records(main, unified, { clientOid: 'down' }, 'list')).toEqual([
    { ...shared, ...people, amount: '1', oldTransferId: digits, createdTime: now, updatedTime: now },
  ])
})

table(
  'wire/v3-endpoints §4 transfers of the family: filters',
  [
    ['all of the main account’s own', 'main', {}, ['up', 'down']],
    ['those that it sent', 'main', { role: 'initiator' }, ['down']],
    ['those that it received', 'main', { role: 'receiver' }, ['up']],
    ['of one sub-account', 'main', { subUid: 'one' }, ['across', 'up', 'down']],
    ['of one sub-account, received', 'main', { subUid: 'one', role: 'receiver' }, ['down']],
    ['as the sub-account itself sees them', 'two', {}, ['across']],
    ['of a coin that did not move', 'main', { coin: 'BTC' }, []],
    ['a limit', 'main', { limit: '1' }, ['up']],
  ],
  async (who, { subUid, ...query }: Record<string, string>, ids) => {
    const people = await relatives()
    const asked = { ...query, subUid: subUid === undefined ? undefined : people.one.uid }
    const person = people[who]
    const [v2, v3] = [await records(person, family, asked), await records(person, unified, asked, 'list')]
    expect(v2.map((record) => record['clientOid'])).toEqual(ids)
    expect(v3.map((record) => record['clientOid'])).toEqual(ids)
  },
)

row('design §2', 'another account’s sub-account is like none', async () => {
  const { one: person } = await relatives()
  const stranger = await at.person('Stranger')
  for (const path of [family, unified]) {
    refuses(await stranger.get(path, { subUid: person.uid }), 'no sub-account of the caller')
    refuses(await person.get(path, { subUid: stranger.uid }), 'no sub-account of the caller')
  }
})

// Conversions

/** Owes 0.1 BTC, and has 6,000 USDT more for it. */
async function debtor() {
  const bob = await at.person('Bob', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  const dave = await at.person('Dave', { funds: { uta: { USDT: '10000' } } })
  await takenInBatch(bob, 'buy 0.1 @ 60000', btcSpot)
  await takenInBatch(dave, 'sell 0.1 @ 60000', btcMargin)
  return { bob, dave }
}

row('wire/v3-endpoints §4 convert-records', 'what a repayment sold, and for how much', async () => {
  const { bob, dave } = await debtor()
  await takenInBatch(bob, 'sell 1 @ 60000', btcSpot)
  expect(await records(dave, converted, {}, 'list')).toEqual([])
  succeeds(await dave.post('/api/v3/account/repay', { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] }))
  const found = await records(dave, converted, { fromCoin: 'USDT', toCoin: 'BTC' }, 'list')
  expect(found.length).toBeGreaterThan(0)
  for (const record of found) {
    const [from, to] = [exact(record['fromCoinSize'] ?? ''), exact(record['toCoinSize'] ?? '')]
    expect(record).toMatchObject({ fromCoin: 'USDT', toCoin: 'BTC', ts: digits })
    // At 60,000 less the fee of 0.1 %.
    expect(figure(to.times(60_000).div(from).toDecimalPlaces(4))).toBe('0.999')
    expect(record['price']).toBe(figure(to.div(from).toDecimalPlaces(8)))
  }
  expect(await records(dave, converted, { fromCoin: 'BTC' }, 'list')).toEqual([])
  const [first] = await records(dave, converted, { limit: '1' }, 'list')
  expect(first).toEqual(found[0])
})

row('risk-engine §17', 'what a liquidation sold, to the book or to the insurance fund', async () => {
  await at.venue.setIndexPrices({ BTC: '60000' })
  await at.venue.setIndexPrices({ BTC: '60000' })
  const { dave } = await debtor()
  const { maxTransfer = '' } = succeeds(await dave.get('/api/v3/account/max-transferable', { coin: 'USDT' })).fields
  const away = { fromType: 'uta', toType: 'spot', amount: maxTransfer, coin: 'USDT' }
  succeeds(await dave.post('/api/v3/account/transfer', away))
  await at.venue.setIndexPrices({ BTC: '130000' })
  await at.venue.advance(5000)
  const found = await records(dave, converted, {}, 'list')
  expect(found.length).toBeGreaterThan(0)
  expect(found[0]).toMatchObject({ fromCoin: 'USDT', toCoin: 'BTC' })
  for (let said = 0; said < 2; said++) await at.venue.setIndexPrices({ BTC: '60000' })
})

table(
  'wire/errors: wrong input',
  [
    ['transferRecords: no coin', own, {}, 'a missing parameter'],
    ['transferRecords: an unknown coin', own, { coin: 'NOSUCH' }, 'an unknown coin'],
    ['transferRecords: an unknown wallet', own, { coin: 'USDT', fromType: 'attic' }, 'a parameter'],
    ['transferRecords: a limit over 500', own, { coin: 'USDT', limit: '501' }, 'a parameter'],
    ['transferRecords: page zero', own, { coin: 'USDT', pageNum: '0' }, 'a parameter'],
    ['transferRecords: a span over 90 days', own, { coin: 'USDT', span: 91 }, 'a time window'],
    ['family: an unknown role', family, { role: 'witness' }, 'a parameter'],
    ['family: a limit over 100', family, { limit: '101' }, 'a parameter'],
    ['family: an unknown coin', family, { coin: 'NOSUCH' }, 'an unknown coin'],
    ['v3 family: a span over 30 days', unified, { span: 31 }, 'a time window'],
    ['v3 family: a foreign cursor', unified, { cursor: 'AAAAAAAAAAAAAAAA' }, 'a parameter'],
    ['conversions: an unknown coin', converted, { fromCoin: 'NOSUCH' }, 'an unknown coin'],
    ['conversions: a span over 30 days', converted, { span: 31 }, 'a time window'],
  ],
  async (path, { span, ...query }: Record<string, string | number>, refusal) => {
    const dave = await at.person('Dave', {})
    const now = at.venue.now()
    const times = span === undefined ? {} : { startTime: now - Number(span) * day, endTime: now }
    refuses(await dave.get(path, { ...query, ...times }), refusal)
  },
)

row('design §5', 'records are the same after a crash', async () => {
  const { main } = await relatives()
  const { bob, dave } = await debtor()
  await takenInBatch(bob, 'sell 1 @ 60000', btcSpot)
  succeeds(await dave.post('/api/v3/account/repay', { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] }))
  const all = async () => [
    await records(main, family, {}),
    await records(main, own, { coin: 'USDT' }),
    await records(dave, converted, {}, 'list'),
  ]
  const before = await all()
  await at.venue.restart('kill')
  expect(await all()).toEqual(before)
})
