/**
 * Keys of sub-accounts, made, changed and ended by the main account.
 *
 * Source  wire/v3-endpoints.md §5; wire/client-endpoints.md §4 (virtual sub-accounts); wire/auth.md §4, §5
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import { Person } from '../support/person.ts'
import { paths, place, taken } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const user = '/api/v3/user'
const user2 = '/api/v2/user'
const passphrase = 'passphrase1'
const wanted = {
  note: 'bot',
  type: 'read_write',
  passphrase,
  permissions: ['uta_mgt', 'uta_trade'],
  ips: [] as string[],
}

/** A main account and a unified sub-account of it with money. */
async function family(): Promise<{ main: Person; sub: Person }> {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '1000' } } })
  return { main, sub }
}

/** Somebody who speaks with the key of an answer. */
function holder(sub: Person, { fields }: Answer): Person {
  const secret = fields['secret'] ?? fields['secretKey'] ?? ''
  const apiKey = fields['apiKey'] ?? fields['subAccountApiKey'] ?? ''
  return new Person(at.venue, 'Holder', sub.uid, { apiKey, secret, passphrase })
}

const make = (main: Person, sub: Person, more: object = {}) =>
  main.post(`${user}/create-sub-api`, { subUid: sub.uid, ...wanted, ...more })

async function listed(main: Person, sub: Person): Promise<Fields[]> {
  return succeeds(await main.get(`${user}/sub-api-list`, { subUid: sub.uid })).list('items')
}

row('v3 create-sub-api', 'answers key and secret once, and the key works', async () => {
  const { main, sub } = await family()
  const answer = succeeds(await make(main, sub))
  expect(answer.data).toEqual({
    note: 'bot',
    apiKey: expect.stringMatching(/^\w+$/),
    secret: expect.stringMatching(/^\w{32,}$/),
    type: 'read_write',
    permissions: ['uta_mgt', 'uta_trade'],
    ips: [],
  })
  const bot = holder(sub, answer)
  await taken(bot, 'buy 0.001 @ 59000')
  expect(succeeds(await bot.get('/api/v3/account/info')).data).toMatchObject({ userId: sub.uid, parentId: main.uid })
  const items = await listed(main, sub)
  expect(items.at(-1)).toEqual({
    note: 'bot',
    apiKey: answer.fields['apiKey'],
    type: 'read_write',
    permissions: ['uta_mgt', 'uta_trade'],
    ips: [],
    ts: expect.stringMatching(/^\d{13}$/),
  })
})

row('v3 create-sub-api', 'the secret is nowhere on disk', async () => {
  const { main, sub } = await family()
  const { fields } = succeeds(await make(main, sub, { passphrase: 'nowhereOnDisk1' }))
  const file = readFileSync(join(at.venue.directory, 'keys.sqlite'))
  expect(file.includes(fields['apiKey'] ?? '')).toBe(true)
  expect(file.includes(fields['secret'] ?? '')).toBe(false)
  expect(file.includes('nowhereOnDisk1')).toBe(false)
})

table(
  'v3 create-sub-api fields',
  [
    ['thirty addresses', { ips: Array.from({ length: 30 }, (_, last) => `10.0.0.${last}`) }, 'ok'],
    ['permissions in capitals', { permissions: ['UTA_TRADE'] }, 'ok'],
    ['a passphrase of 8', { passphrase: 'abcdefg1' }, 'ok'],
    ['a passphrase of 32', { passphrase: 'a'.repeat(32) }, 'ok'],
    ['without a sub-account', { subUid: undefined }, 'a missing parameter'],
    ['without a note', { note: undefined }, 'a missing parameter'],
    ['without a type', { type: undefined }, 'a missing parameter'],
    ['without a passphrase', { passphrase: undefined }, 'a missing parameter'],
    ['without permissions', { permissions: undefined }, 'a missing parameter'],
    ['without addresses', { ips: undefined }, 'a missing parameter'],
    ['an unknown type', { type: 'write_only' }, 'a parameter'],
    ['no permission', { permissions: [] }, 'a parameter'],
    ['an unknown permission', { permissions: ['uta_trade', 'withdraw'] }, 'a parameter'],
    ['permissions as a text', { permissions: 'uta_trade' }, 'a parameter'],
    ['thirty-one addresses', { ips: Array.from({ length: 31 }, (_, last) => `10.0.0.${last}`) }, 'a parameter'],
    ['a name for an address', { ips: ['localhost'] }, 'a parameter'],
    ['an address beyond 255', { ips: ['10.0.0.256'] }, 'a parameter'],
    ['an address of five parts', { ips: ['10.0.0.1.2'] }, 'a parameter'],
    ['an IPv6 address', { ips: ['::1'] }, 'a parameter'],
    ['a number for an address', { ips: [7] }, 'a parameter'],
    ['a passphrase of 7', { passphrase: 'abcdef1' }, '40070'],
    ['a passphrase of 33', { passphrase: 'a'.repeat(33) }, '40070'],
    ['a passphrase with a blank', { passphrase: 'pass phrase' }, '40070'],
    ['a long note', { note: 'x'.repeat(51) }, 'a parameter'],
    ['a sub-account that is none', { subUid: '99999999999' }, '40028'],
  ],
  async (more, expected) => {
    const { main, sub } = await family()
    answers(await make(main, sub, more), expected)
  },
)

table(
  { rule: 'strange keys', decision: "somebody else's key and one that does not exist answer alike" },
  [
    ['create', (main: Person, sub: Person) => make(main, sub), '40028'],
    [
      'update',
      (main: Person, { key: { apiKey } }: Person) => main.post(`${user}/update-sub-api`, { apiKey, passphrase }),
      '40037',
    ],
    ['delete', (main: Person, { key: { apiKey } }: Person) => main.post(`${user}/delete-sub-api`, { apiKey }), '40037'],
  ],
  async (ask, code) => {
    const [ours, theirs] = [await family(), await family()]
    const nobody = new Person(at.venue, 'Nobody', '99999999999', { ...ours.sub.key, apiKey: 'tm_nobody' })
    const answered = [await ask(ours.main, theirs.sub), await ask(ours.main, nobody), await ask(ours.main, ours.main)]
    for (const answer of answered) refuses(answer, code)
    expect(new Set(answered.map(({ msg }) => msg)).size).toBe(1)
    succeeds(await theirs.sub.get(paths.settings))
  },
)

table(
  { rule: 'who makes keys', decision: 'the key of the main account alone (40048), with its permission (40014)' },
  [
    ['create-sub-api', 'create-sub-api', { ...wanted, subUid: '1' }],
    ['update-sub-api', 'update-sub-api', { apiKey: 'tm_1', passphrase }],
    ['delete-sub-api', 'delete-sub-api', { apiKey: 'tm_1' }],
    ['sub-api-list', 'sub-api-list', undefined],
  ],
  async (path, body) => {
    const ask = (person: Person) =>
      body === undefined ? person.get(`${user}/${path}`, { subUid: '1' }) : person.post(`${user}/${path}`, body)
    const { sub } = await family()
    refuses(await ask(sub), '40048')
    refuses(await ask(await at.person('Trader', { permissions: ['uta_trade'] })), '40014')
  },
)

row('v3 read_only', 'such a key reads in its fields and writes nowhere', async () => {
  const { main, sub } = await family()
  const reader = holder(sub, succeeds(await make(main, sub, { type: 'read_only', permissions: ['uta_mgt'] })))
  succeeds(await reader.get('/api/v3/account/assets'))
  refuses(await reader.get(paths.fills), '40014')
  refuses(await reader.post('/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' }), '40014')
  refuses(await place(reader, 'buy 0.001 @ 59000'), '40014')
  expect(succeeds(await reader.get('/api/v3/account/info')).data).toMatchObject({
    permType: 'read-only',
    permissions: ['uta_mgt'],
  })
})

row('v3 ips', 'a key is good from its addresses alone', async () => {
  const { main, sub } = await family()
  refuses(await holder(sub, succeeds(await make(main, sub, { ips: ['10.1.2.3'] }))).get(paths.settings), '40018')
  succeeds(await holder(sub, succeeds(await make(main, sub, { ips: ['10.1.2.3', '127.0.0.1'] }))).get(paths.settings))
})

const changed = {
  rule: 'v3 update-sub-api',
  decision: 'what is not named stays; the passphrase has to be the key’s own (40036) and stays what it is',
} as const

row(changed, 'permissions, type and addresses, each at once in force', async () => {
  const { main, sub } = await family()
  const made = succeeds(await make(main, sub))
  const bot = holder(sub, made)
  const { apiKey } = made.fields
  const change = (more: object) => main.post(`${user}/update-sub-api`, { apiKey, passphrase, ...more })
  await taken(bot, 'buy 0.001 @ 59000')

  expect(succeeds(await change({ type: 'read_only' })).data).toEqual({
    note: 'bot',
    apiKey,
    type: 'read_only',
    permissions: ['uta_mgt', 'uta_trade'],
    ips: [],
  })
  refuses(await place(bot, 'buy 0.001 @ 59000'), '40014')
  succeeds(await bot.get(paths.fills))

  succeeds(await change({ type: 'read_write', permissions: ['uta_mgt'] }))
  refuses(await bot.get(paths.fills), '40014')
  succeeds(await bot.post('/api/v3/account/set-stp-mode', { stpMode: 'none' }))

  succeeds(await change({ ips: ['10.1.2.3'] }))
  refuses(await bot.get(paths.settings), '40018')
  expect((await listed(main, sub)).at(-1)).toMatchObject({ permissions: ['uta_mgt'], ips: ['10.1.2.3'] })

  await at.venue.restart('kill')
  refuses(await bot.get(paths.settings), '40018')
  succeeds(await change({ ips: [], permissions: ['uta_mgt', 'uta_trade'] }))
  await taken(bot, 'buy 0.001 @ 58000')
})

table(
  changed,
  [
    ['with the other name of the field', (apiKey: string) => ({ apikey: apiKey, passphrase }), 'ok'],
    ['without a key', () => ({ passphrase }), 'a missing parameter'],
    ['without a passphrase', (apiKey: string) => ({ apiKey }), 'a missing parameter'],
    ['with another passphrase', (apiKey: string) => ({ apiKey, passphrase: 'passphrase2' }), '40036'],
    ['into an unknown type', (apiKey: string) => ({ apiKey, passphrase, type: 'all' }), 'a parameter'],
    ['into no permission', (apiKey: string) => ({ apiKey, passphrase, permissions: [] }), 'a parameter'],
    ['into a wrong address', (apiKey: string) => ({ apiKey, passphrase, ips: ['here'] }), 'a parameter'],
  ],
  async (bodyOf, expected) => {
    const { main, sub } = await family()
    const { fields } = succeeds(await make(main, sub))
    answers(await main.post(`${user}/update-sub-api`, bodyOf(fields['apiKey'] ?? '')), expected)
  },
)

row(
  'v3 delete-sub-api',
  'the key is good no more, at once and after a crash; deleting it again finds nothing',
  async () => {
    const { main, sub } = await family()
    const made = succeeds(await make(main, sub))
    const bot = holder(sub, made)
    const body = { apiKey: made.fields['apiKey'] }
    succeeds(await bot.get(paths.settings))
    expect(succeeds(await main.post(`${user}/delete-sub-api`, body)).data).toEqual({})
    refuses(await bot.get(paths.settings), 'a key')
    expect((await listed(main, sub)).map(({ apiKey }) => apiKey)).not.toContain(body.apiKey)
    refuses(await main.post(`${user}/delete-sub-api`, body), '40037')
    refuses(await main.post(`${user}/update-sub-api`, { ...body, passphrase }), '40037')
    refuses(await main.post(`${user}/delete-sub-api`, {}), 'a missing parameter')
    await at.venue.restart('kill')
    refuses(await bot.get(paths.settings), 'a key')
  },
)

row('v3 sub-api-list', 'oldest first, page by page, also when a key between has gone', async () => {
  const { main, sub } = await family()
  const made: (string | undefined)[] = [sub.key.apiKey]
  for (const note of ['a', 'b', 'c']) made.push(succeeds(await make(main, sub, { note })).fields['apiKey'])
  const page = async (query: object) =>
    succeeds(await main.get(`${user}/sub-api-list`, { subUid: sub.uid, ...query })).data as {
      items: Fields[]
      hasNext: boolean
      cursor: string
    }
  const first = await page({ limit: 2 })
  expect(first).toMatchObject({ hasNext: true, items: [{ apiKey: made[0] }, { apiKey: made[1], note: 'a' }] })
  for (const { ts } of first.items) expect(Number(ts), 'when it was made').toBeCloseTo(at.venue.now(), -5)
  succeeds(await main.post(`${user}/delete-sub-api`, { apiKey: made[1] }))
  const rest = await page({ limit: 2, cursor: first.cursor })
  expect(rest).toMatchObject({ hasNext: false, cursor: null, items: [{ apiKey: made[2] }, { apiKey: made[3] }] })
  refuses(await main.get(`${user}/sub-api-list`), 'a missing parameter')
  refuses(await main.get(`${user}/sub-api-list`, { subUid: sub.uid, cursor: 'abc' }), 'a parameter')
})

row('keys of an account', 'ten at most, however many are asked for at once', async () => {
  const { main, sub } = await family()
  const all = await Promise.all(Array.from({ length: 12 }, () => make(main, sub)))
  expect(all.filter(({ code }) => code === '00000')).toHaveLength(9)
  for (const answer of all.filter(({ code }) => code !== '00000')) refuses(answer, '40063')
  const [{ apiKey } = {}] = (await listed(main, sub)).slice(-1)
  succeeds(await main.post(`${user}/delete-sub-api`, { apiKey }))
  succeeds(await make(main, sub))
})

row('v3 agent-create', 'makes a sub-account and a key that works', async () => {
  const main = await at.person('Main')
  const body = { username: 'agent', passphrase, note: 'helper' }
  const answer = succeeds(await main.post(`${user}/sub-account/agent-create`, body))
  expect(answer.data).toEqual({
    username: 'agent',
    subUid: expect.stringMatching(/^\d+$/),
    apiKey: expect.any(String),
    secret: expect.any(String),
    note: 'helper',
    createdTime: expect.stringMatching(/^\d{13}$/),
  })
  const agent = new Person(at.venue, 'Agent', answer.fields['subUid'] ?? '', holder(main, answer).key)
  expect(succeeds(await agent.get(paths.settings)).data).toMatchObject({ uid: answer.fields['subUid'] })
  refuses(await main.post(`${user}/sub-account/agent-create`, body), '40020')
  refuses(await main.post(`${user}/sub-account/agent-create`, { ...body, passphrase: 'short' }), '40070')
  refuses(await main.post(`${user}/sub-account/agent-create`, { passphrase }), 'a missing parameter')
})

// v2

/** The same of a classic family. */
async function classicFamily(): Promise<{ main: Person; sub: Person }> {
  const main = await at.person('Main', { mode: 'classic' })
  const sub = await at.person('Sub', { parent: main, mode: 'classic', funds: { usdt_futures: { USDT: '1000' } } })
  return { main, sub }
}

row('v2 create-virtual-subaccount-apikey', 'a key of a classic sub-account does what its list says', async () => {
  const { main, sub } = await classicFamily()
  const body = { subAccountUid: sub.uid, passphrase, label: 'bot', permList: ['contract_trade'], ipList: ['127.0.0.1'] }
  const answer = succeeds(await main.post(`${user2}/create-virtual-subaccount-apikey`, body))
  const key = {
    subAccountUid: sub.uid,
    subAccountApiKey: expect.any(String),
    permList: ['contract_trade'],
    label: 'bot',
    ipList: ['127.0.0.1'],
  }
  expect(answer.data).toEqual({ ...key, secretKey: expect.any(String) })
  const bot = holder(sub, answer)
  await taken(bot, 'buy 0.001 @ 59000')
  refuses(await bot.get('/api/v2/spot/account/assets'), '40014')
  const path = `${user2}/virtual-subaccount-apikey-list`
  expect(
    succeeds(await main.get(path, { subAccountUid: sub.uid }))
      .list()
      .at(-1),
  ).toEqual(key)

  const change = { subAccountUid: sub.uid, subAccountApiKey: answer.fields['subAccountApiKey'], passphrase }
  const modify = (more: object) => main.post(`${user2}/modify-virtual-subaccount-apikey`, { ...change, ...more })
  expect(succeeds(await modify({ label: 'other', permList: ['read'] })).data).toMatchObject({
    label: 'other',
    permList: ['read'],
    ipList: ['127.0.0.1'],
    secretKey: '',
  })
  refuses(await place(bot, 'buy 0.001 @ 59000'), '40014')
  succeeds(await bot.get('/api/v2/spot/account/assets'))
  refuses(await modify({ passphrase: 'passphrase2' }), '40036')
  refuses(await modify({ subAccountApiKey: main.key.apiKey }), '40037')
  refuses(await modify({ subAccountUid: main.uid }), '40028')
})

table(
  { rule: 'v2 create-virtual-subaccount-apikey', decision: 'permList absent: a key that reads' },
  [
    ['without permissions', {}, 'ok'],
    ['without a sub-account', { subAccountUid: undefined }, 'a missing parameter'],
    ['without a passphrase', { passphrase: undefined }, 'a missing parameter'],
    ['without a label', { label: undefined }, 'a missing parameter'],
    ['a short passphrase', { passphrase: 'short' }, '40070'],
    ['an unknown permission', { permList: ['withdraw'] }, 'a parameter'],
    ['a wrong address', { ipList: ['here'] }, 'a parameter'],
    ['nobody’s sub-account', { subAccountUid: '1' }, '40028'],
  ],
  async (more, expected) => {
    const { main, sub } = await classicFamily()
    const body = { subAccountUid: sub.uid, passphrase, label: 'bot', ...more }
    const answer = answers(await main.post(`${user2}/create-virtual-subaccount-apikey`, body), expected)
    if (expected !== 'ok') return
    const bot = holder(sub, answer)
    succeeds(await bot.get('/api/v2/spot/account/assets'))
    refuses(await place(bot, 'buy 0.001 @ 59000'), '40014')
  },
)

row('v2 create-agent-subaccount', 'makes a sub-account of the mode of its owner, and a key that works', async () => {
  const main = await at.person('Main', { mode: 'classic' })
  const answer = succeeds(await main.post(`${user2}/create-agent-subaccount`, { username: 'agent', passphrase }))
  const agent = new Person(at.venue, 'Agent', answer.fields['subUid'] ?? '', holder(main, answer).key)
  succeeds(await agent.get('/api/v2/spot/account/assets'))
  refuses(await agent.get(paths.settings), '40084')
})
