/**
 * Sub-accounts by their owner: made, listed, frozen, bounded.
 *
 * Source  wire/v3-endpoints.md §4 `sub-unified-assets`, §5; wire/client-endpoints.md §4 (virtual sub-accounts)
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { btcSpot, openOrders, openUnifiedOrders, paths, place, taken, takenInBatch } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const user = '/api/v3/user'
const user2 = '/api/v2/user'

async function created(main: Person, username: string, more: object = {}): Promise<string> {
  return succeeds(await main.post(`${user}/create-sub`, { username, ...more })).fields['subUid'] ?? ''
}

row('v3 create-sub', 'answers the sub-account, which E9 then knows', async () => {
  const main = await at.person('Main', { funds: { uta: { USDT: '100' } } })
  const { data, fields } = succeeds(await main.post(`${user}/create-sub`, { username: 'alpha', note: 'my first' }))
  expect(data).toEqual({
    username: 'alpha',
    subUid: expect.stringMatching(/^\d+$/),
    status: 'normal',
    note: 'my first',
    createdTime: expect.stringMatching(/^\d{13}$/),
    updatedTime: expect.stringMatching(/^\d{13}$/),
  })
  const transfer = { fromType: 'uta', toType: 'uta', amount: '5', coin: 'USDT', fromUserId: main.uid }
  succeeds(await main.post(paths.subTransfer, { ...transfer, toUserId: fields['subUid'], clientOid: 'first' }))
})

table(
  { rule: 'v3 create-sub fields', decision: 'accountMode absent: unified' },
  [
    ['only a name', { username: 'a' }, 'ok'],
    ['twenty letters', { username: 'abcdefghijklmnopqrst' }, 'ok'],
    ['a classic one', { username: 'classic', accountMode: 'classic' }, 'ok'],
    ['a mode in capitals', { username: 'unified', accountMode: 'UNIFIED' }, 'ok'],
    ['a note of fifty characters', { username: 'noted', note: 'x'.repeat(50) }, 'ok'],
    ['without a name', {}, 'a missing parameter'],
    ['an empty name', { username: '' }, 'a missing parameter'],
    ['twenty-one letters', { username: 'abcdefghijklmnopqrstu' }, 'a parameter'],
    ['capitals', { username: 'Alpha' }, 'a parameter'],
    ['digits', { username: 'alpha1' }, 'a parameter'],
    ['markup', { username: '<b>' }, 'a parameter'],
    ['a name that is no text', { username: { a: 1 } }, 'a parameter'],
    ['a note of fifty-one characters', { username: 'noted', note: 'x'.repeat(51) }, 'a parameter'],
    ['an unknown mode', { username: 'hybrid', accountMode: 'hybrid' }, 'a parameter'],
  ],
  async (body, expected) => {
    const main = await at.person('Main')
    answers(await main.post(`${user}/create-sub`, body), expected)
  },
)

row('v3 create-sub', 'a name is taken once in a family, and free in another', async () => {
  const [main, other] = [await at.person('Main'), await at.person('Other')]
  await created(main, 'same')
  refuses(await main.post(`${user}/create-sub`, { username: 'same' }), '40020')
  const refused = await main.post(`${user2}/create-virtual-subaccount`, { subAccountList: ['same', 'fresh', 'Bad'] })
  expect(succeeds(refused).data).toMatchObject({
    successList: [{ subaAccountName: 'fresh', status: 'normal' }],
    failureList: [{ subaAccountName: 'same' }, { subaAccountName: 'Bad' }],
  })
  await created(other, 'same')
})

row('v3 create-sub', 'two at once with one name: one is made', async () => {
  const main = await at.person('Main')
  const both = await Promise.all([1, 2].map(() => main.post(`${user}/create-sub`, { username: 'twin' })))
  expect(both.map(({ code }) => code).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(['00000', '40020'])
})

row('v3 sub-list', 'newest first, in pages that neither repeat nor miss', async () => {
  const main = await at.person('Main')
  const uids: string[] = []
  for (const name of ['one', 'two', 'three']) uids.unshift(await created(main, name, { note: name }))
  const first = succeeds(await main.get(`${user}/sub-list`, { limit: 2 })).data as {
    list: { subUid: string }[]
    hasNext: boolean
    cursor: string
  }
  expect(first).toMatchObject({
    hasNext: true,
    list: [
      { subUid: uids[0], username: 'three', status: 'normal', accountMode: 'UNIFIED', type: 'virtual', note: 'three' },
      { subUid: uids[1] },
    ],
  })
  await created(main, 'four')
  const rest = succeeds(await main.get(`${user}/sub-list`, { limit: 2, cursor: first.cursor })).data
  expect(rest).toMatchObject({ hasNext: false, cursor: null, list: [{ subUid: uids[2] }] })
})

table(
  'v3 sub-list fields',
  [
    ['a hundred', { limit: '100' }, 'ok'],
    ['none', { limit: '0' }, 'a parameter'],
    ['more than a hundred', { limit: '101' }, 'a parameter'],
    ['a cursor of somebody else', { cursor: 'abc' }, 'a parameter'],
  ],
  async (query, expected) => {
    const main = await at.person('Main')
    answers(await main.get(`${user}/sub-list`, query), expected)
  },
)

// who may

table(
  {
    rule: 'who rules sub-accounts',
    decision: 'the key of the main account alone (40048), with its permission (40014)',
  },
  [
    ['v3 create-sub', 'POST', `${user}/create-sub`, { username: 'nested' }],
    ['v3 sub-list', 'GET', `${user}/sub-list`, {}],
    ['v3 freeze-sub', 'POST', `${user}/freeze-sub`, { subUid: '1', operation: 'freeze' }],
    ['v3 agent-create', 'POST', `${user}/sub-account/agent-create`, { username: 'nested', passphrase: 'passphrase1' }],
    ['v3 sub-unified-assets', 'GET', '/api/v3/account/sub-unified-assets', {}],
    ['v2 create', 'POST', `${user2}/create-virtual-subaccount`, { subAccountList: ['nested'] }],
    ['v2 modify', 'POST', `${user2}/modify-virtual-subaccount`, { subAccountUid: '1', status: 'freeze' }],
    ['v2 list', 'GET', `${user2}/virtual-subaccount-list`, {}],
    ['v2 agent', 'POST', `${user2}/create-agent-subaccount`, { username: 'nested', passphrase: 'passphrase1' }],
  ],
  async (method, path, input) => {
    const ask = (person: Person) => (method === 'GET' ? person.get(path, input) : person.post(path, input))
    const main = await at.person('Main')
    refuses(await ask(await at.person('Sub', { parent: main })), '40048')
    const trading = path.startsWith(user) || path.includes('/v3/') ? ['uta_trade'] : ['spot_trade']
    const mode = path.includes('/v3/') ? 'unified' : 'classic'
    refuses(await ask(await at.person('Trader', { mode, permissions: trading })), '40014')
    if (method === 'POST') refuses(await ask(await at.person('Reader', { mode, permissions: ['read'] })), '40014')
    else succeeds(await ask(await at.person('Reader', { mode, permissions: ['read'] })))
    if (mode === 'unified') refuses(await ask(await at.person('Classic', { mode: 'classic' })), '40084')
  },
)

table(
  { rule: 'strange sub-accounts', decision: "somebody else's and one that does not exist answer alike (40028)" },
  [
    ['freeze', (main: Person, uid: string) => main.post(`${user}/freeze-sub`, { subUid: uid, operation: 'freeze' })],
    ['assets', (main: Person, uid: string) => main.get('/api/v3/account/sub-unified-assets', { subUid: uid })],
    ['keys', (main: Person, uid: string) => main.get(`${user}/sub-api-list`, { subUid: uid })],
    [
      'v2 modify',
      (main: Person, uid: string) =>
        main.post(`${user2}/modify-virtual-subaccount`, { subAccountUid: uid, status: 'freeze', permList: ['read'] }),
    ],
    [
      'v2 keys',
      (main: Person, uid: string) => main.get(`${user2}/virtual-subaccount-apikey-list`, { subAccountUid: uid }),
    ],
  ],
  async (ask) => {
    const [main, other] = [await at.person('Main'), await at.person('Other')]
    const theirs = await created(other, 'theirs')
    const answer = refuses(await ask(main, theirs), '40028')
    const none = refuses(await ask(main, '99999999999'), '40028')
    const itself = refuses(await ask(main, main.uid), '40028')
    expect(answer.msg).toBe(none.msg)
    expect(itself.msg).toBe(none.msg)
    refuses(await ask(main, 'abc'), 'a parameter')
  },
)

// frozen

const frozenRule = {
  rule: 'v3 freeze-sub',
  decision: 'its keys only read, no money moves in or out (40024); what is open goes on until it is unfrozen',
} as const

row(frozenRule, 'orders, triggers, settings and transfers are refused, reads work, open orders stay', async () => {
  const main = await at.person('Main', { funds: { uta: { USDT: '1000' } } })
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '1000' } } })
  await taken(sub, 'buy 0.001 @ 59000')
  const freeze = (operation: string) => main.post(`${user}/freeze-sub`, { subUid: sub.uid, operation })
  expect(succeeds(await freeze('freeze')).data).toBe('success')
  expect(succeeds(await main.get(`${user}/sub-list`)).list('list')[0]).toMatchObject({ status: 'freeze' })

  refuses(await place(sub, 'buy 0.001 @ 58000'), '40024')
  refuses(
    await sub.post('/api/v3/trade/place-order', {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      price: '50000',
      qty: '0.001',
      timeInForce: 'gtc',
    }),
    '40024',
  )
  refuses(await sub.post('/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' }), '40024')
  const wallets = { fromType: 'uta', toType: 'spot', amount: '1', coin: 'USDT' }
  refuses(await sub.post('/api/v3/account/transfer', wallets), '40024')
  refuses(await sub.post('/api/v2/spot/wallet/transfer', wallets), '40024')
  const across = { ...wallets, toType: 'uta', clientOid: 'frozen' }
  const into = { ...across, fromUserId: main.uid, toUserId: sub.uid }
  refuses(await main.post(paths.subTransfer, into), '40024')
  refuses(await main.post(paths.subTransfer, { ...across, fromUserId: sub.uid, toUserId: main.uid }), '40024')

  succeeds(await sub.get('/api/v3/account/assets'))
  succeeds(await sub.get(paths.settings))
  expect(await openOrders(sub)).toHaveLength(1)

  succeeds(await freeze('UNFREEZE'))
  succeeds(await main.post(paths.subTransfer, into))
  await taken(sub, 'buy 0.001 @ 58000')
})

table(
  frozenRule,
  [
    ['without an operation', { operation: undefined }, 'a missing parameter'],
    ['an unknown operation', { operation: 'melt' }, 'a parameter'],
    ['without a sub-account', { subUid: undefined }, 'a missing parameter'],
    ['twice', {}, 'ok'],
  ],
  async (change, expected) => {
    const main = await at.person('Main')
    const subUid = await created(main, 'sub')
    const body = { subUid, operation: 'freeze', ...change }
    answers(await main.post(`${user}/freeze-sub`, body), expected)
    answers(await main.post(`${user}/freeze-sub`, body), expected)
  },
)

row(frozenRule, 'what is open of a frozen account is filled, and its account stays whole', async () => {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '1000' } } })
  const seller = await at.person('Seller', { funds: { uta: { BTC: '1' } } })
  await takenInBatch(sub, 'buy 0.001 @ 60000', btcSpot)
  succeeds(await main.post(`${user}/freeze-sub`, { subUid: sub.uid, operation: 'freeze' }))
  await takenInBatch(seller, 'sell 0.001 @ 60000', btcSpot)
  expect(await openUnifiedOrders(sub, btcSpot)).toEqual([])
  succeeds(await main.post(`${user}/freeze-sub`, { subUid: sub.uid, operation: 'unfreeze' }))
})

// assets

row('v3 sub-unified-assets', 'the coins of each unified sub-account, newest first, in pages', async () => {
  const main = await at.person('Main')
  const older = await at.person('Older', { parent: main, funds: { uta: { USDT: '10' } } })
  await at.person('Classic', { parent: main, mode: 'classic', funds: { spot: { USDT: '10' } } })
  const newer = await at.person('Newer', { parent: main, funds: { uta: { USDT: '20' } } })
  const path = '/api/v3/account/sub-unified-assets'
  const all = succeeds(await main.get(path)).list()
  expect(all).toMatchObject([
    { subUid: newer.uid, assets: [{ coin: 'USDT', equity: '20', available: '20', debt: '0', locked: '0' }] },
    { subUid: older.uid, assets: [{ coin: 'USDT', balance: '10' }] },
  ])
  const first = succeeds(await main.get(path, { limit: 1 })).list()
  expect(first).toMatchObject([{ subUid: newer.uid }])
  const rest = succeeds(await main.get(path, { limit: 1, cursor: first[0]?.['cursor'] })).list()
  expect(rest).toMatchObject([{ subUid: older.uid }])
  expect(succeeds(await main.get(path, { subUid: older.uid })).list()).toMatchObject([{ subUid: older.uid }])
  refuses(await main.get(path, { limit: 51 }), 'a parameter')
})

// v2

row('v2 virtual-subaccount-list', 'newest first, by state, page by page', async () => {
  const main = await at.person('Main', { mode: 'classic' })
  const made = succeeds(await main.post(`${user2}/create-virtual-subaccount`, { subAccountList: ['one', 'two'] }))
  const [name, two] = made.list('successList').map((sub) => sub['subaAccountUid'])
  const path = `${user2}/virtual-subaccount-list`
  expect(succeeds(await main.get(path)).data).toMatchObject({
    endId: Number(name),
    subAccountList: [
      { subAccountUid: two, subAccountName: 'two', status: 'normal', accountType: 'classic' },
      { subAccountUid: name, subAccountName: 'one' },
    ],
  })
  expect(succeeds(await main.get(path, { limit: 1 })).data).toMatchObject({ endId: Number(two) })
  expect(succeeds(await main.get(path, { idLessThan: two })).list('subAccountList')).toHaveLength(1)
  const body = { subAccountUid: name, permList: ['read', 'SPOT_TRADE'], status: 'freeze' }
  expect(succeeds(await main.post(`${user2}/modify-virtual-subaccount`, body)).data).toEqual({ result: 'success' })
  expect(succeeds(await main.get(path, { status: 'freeze' })).data).toMatchObject({
    subAccountList: [{ subAccountUid: name, status: 'freeze', permList: ['read', 'spot_trade'] }],
  })
})

table(
  'v2 wrong sub-accounts',
  [
    ['create without a list', 'create-virtual-subaccount', {}, 'a missing parameter'],
    ['create of none', 'create-virtual-subaccount', { subAccountList: [] }, 'a parameter'],
    ['create of a text', 'create-virtual-subaccount', { subAccountList: 'one' }, 'a parameter'],
    ['create of numbers', 'create-virtual-subaccount', { subAccountList: [{}] }, 'a parameter'],
    [
      'create of too many',
      'create-virtual-subaccount',
      { subAccountList: Array.from({ length: 21 }, () => 'one') },
      'too many entries',
    ],
    ['modify of nobody', 'modify-virtual-subaccount', { status: 'freeze' }, 'a missing parameter'],
    ['modify into an unknown state', 'modify-virtual-subaccount', { status: 'gone' }, 'a parameter'],
    ['modify into an unknown permission', 'modify-virtual-subaccount', { permList: ['withdraw'] }, 'a parameter'],
    ['modify into no permission', 'modify-virtual-subaccount', { permList: [] }, 'a parameter'],
    ['modify of nothing', 'modify-virtual-subaccount', {}, 'a missing parameter'],
  ],
  async (path, body, expected) => {
    const main = await at.person('Main', { mode: 'classic' })
    const sub = await at.person('Sub', { parent: main, mode: 'classic' })
    const named = path.startsWith('modify') && !('status' in body && body.status === 'freeze')
    refuses(await main.post(`${user2}/${path}`, named ? { subAccountUid: sub.uid, ...body } : body), expected)
  },
)

row(
  { rule: 'v2 modify-virtual-subaccount', decision: 'its permissions bound what any of its keys may do' },
  'a key that may trade cannot, once its account may not',
  async () => {
    const main = await at.person('Main', { mode: 'classic' })
    const sub = await at.person('Sub', { parent: main, mode: 'classic', funds: { usdt_futures: { USDT: '1000' } } })
    await taken(sub, 'buy 0.001 @ 59000')
    const bound = (permList: readonly string[]) =>
      main.post(`${user2}/modify-virtual-subaccount`, { subAccountUid: sub.uid, permList })
    succeeds(await bound(['read', 'spot_trade']))
    refuses(await place(sub, 'buy 0.001 @ 59000'), '40014')
    expect(await openOrders(sub)).toHaveLength(1)
    succeeds(await bound(['contract_trade']))
    await taken(sub, 'buy 0.001 @ 58000')
  },
)

row('sub-accounts', 'names, notes, the freeze and the bounds survive a crash', async () => {
  const main = await at.person('Main')
  const subUid = await created(main, 'lasting', { note: 'kept' })
  succeeds(await main.post(`${user}/freeze-sub`, { subUid, operation: 'freeze' }))
  await at.venue.restart('kill')
  expect(succeeds(await main.get(`${user}/sub-list`)).list('list')).toMatchObject([
    { subUid, username: 'lasting', note: 'kept', status: 'freeze' },
  ])
  refuses(await main.post(`${user}/create-sub`, { username: 'lasting' }), '40020')
})
