/**
 * Who may do what: every endpoint of the table with every kind of key, and every field that names a thing with things of
 * other people. The rows come from the table; what each must answer follows from the access that the row declares.
 *
 * Keys       of three mains (unified, hybrid, classic) each permission alone and all of them; of subs, broker, copy trader
 *            and a stranger all of them; bound to another address, revoked, made up, none
 * Refused    with the one code of its rule, before anything is read: no command, no event
 * Things     somebody else's and nobody's are answered in the same bytes; the venue's clock stands still
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, endpoints } from '../../src/api/api.ts'
import { type ApiKey, type Permission, permissions } from '../../src/api/keys/keys.ts'
import { demoAccounts } from '../../src/operator/demo/accounts.ts'
import { Random } from '../../src/simulator/random.ts'
import type { Answer } from '../support/http.ts'
import { type Field, Grammar, type Json } from './grammar.ts'
import { House, type Sent } from './house.ts'
import { encoded } from './mutations.ts'

type Fields = Readonly<Record<string, Json>>

interface Role {
  readonly name: string
  /** Undefined: asks without any. */
  readonly key: ApiKey | undefined
  /** Undefined: the key is good. */
  readonly refusedAs?: string
  readonly mode?: 'unified' | 'hybrid' | 'classic'
  readonly kind?: 'main' | 'sub'
  readonly from?: string
}

const mains = ['unified-main', 'hybrid-main', 'classic-main']
const everybody = demoAccounts.map(({ role }) => role)

let house: House
let roles: Role[]

beforeAll(async () => {
  house = await House.open()
  roles = await makeRoles()
})

afterAll(() => house?.close())

async function makeRoles(): Promise<Role[]> {
  const made: Role[] = []
  for (const { role, mode, parent } of demoAccounts) {
    const of = { mode, kind: parent === undefined ? 'main' : 'sub' } as const
    const key = house.demoKey(role)
    made.push({ name: `${role}, everything`, key, ...of })
    if (!mains.includes(role)) continue
    for (const permission of permissions) {
      made.push({ name: `${role}, ${permission} alone`, key: await house.key(key.uid, [permission]), ...of })
    }
  }
  const { uid } = house.demoKey('broker-main')
  const bound = await house.key(uid, permissions, ['10.9.8.0/24'])
  const revoked = await house.key(uid, permissions)
  await house.operator('keys/revoke', { apiKey: revoked.apiKey })
  made.push(
    { name: 'from another address', key: bound, mode: 'classic', kind: 'main', refusedAs: '40018' },
    { name: 'from its address', key: bound, mode: 'classic', kind: 'main', from: '10.9.8.7' },
    { name: 'revoked', key: revoked, refusedAs: '40037' },
    { name: 'made up', key: { ...revoked, apiKey: 'tm_nobody' }, refusedAs: '40006' },
    { name: 'none', key: undefined, refusedAs: '40001' },
  )
  return made
}

/** The rule, from what the row declares (wire/auth.md, design §3): the code of the refusal, or undefined where it is served. */
function refusalOf({ access, path }: Endpoint, { key, mode, kind, refusedAs }: Role): string | undefined {
  if (access === 'public') return undefined
  if (mode === undefined) return refusedAs
  const isV3 = path.startsWith('/api/v3/')
  if (isV3 && mode === 'classic') return '40084'
  const holds = (permission: Permission) => key?.permissions.includes(permission) ?? false
  const isOfAll = !isV3 && mode === 'unified' && access.permission !== 'withdraw'
  const unifiedKey = isOfAll && (holds('uta_trade') || holds('uta_mgt'))
  if (!holds(access.permission) && !(access.level === 'read' && holds('read')) && !unifiedKey) return '40014'
  if (refusedAs !== undefined) return refusedAs
  return access.mainAccount === true && kind === 'sub' ? '40048' : undefined
}

/** Codes that say who one is, and not what one asked for; requests that name a key may be told that there is no such. */
const whoCodes = new Set(['40001', '40006', '40009', '40012', '40014', '40018', '40037', '40048'])
const namesKey = ({ path }: Endpoint) => /sub-api$|subaccount-apikey$/.test(path)

/** Who may call it is asked of those who may not: the others would be somebody else from then on. */
const changesWho = ({ path }: Endpoint) => /\/switch$|freeze-sub$|modify-virtual-subaccount$/.test(path)

function requestOf(endpoint: Endpoint, value: Json, key: ApiKey | undefined): Sent {
  const query = endpoint.method === 'GET' ? queryOf(value as Fields) : ''
  const target = query === '' ? endpoint.path : `${endpoint.path}?${query}`
  const body = endpoint.method === 'POST' ? JSON.stringify(value) : undefined
  if (key !== undefined) return house.signed(key, endpoint.method, target, body)
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return { method: endpoint.method, target, body: body === undefined ? undefined : Buffer.from(body), headers }
}

/** Client order ids that an account has given to something, by its number: they are its own from then on, whoever has the same. */
const given = new Map<number, Set<string>>()

async function sendAs(key: ApiKey | undefined, sent: Sent): ReturnType<typeof house.send> {
  const { events } = house
  const answer = await house.send(sent)
  if (key === undefined || house.events === events) return answer
  const ids = given.get(key.uid) ?? new Set()
  for (const [, id] of String(sent.body ?? '').matchAll(/"clientOid":"([^"]+)"/g)) ids.add(id)
  given.set(key.uid, ids)
  return answer
}

function queryOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&')
}

describe('endpoint × key', () => {
  let cells = 0

  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    async (_, endpoint) => {
      const grammar = new Grammar(new Random(7), house.runtime.query({ kind: 'catalog' }), () => house.runtime.now())
      for (const role of roles) {
        const expected = refusalOf(endpoint, role)
        cells += 1
        if (expected === undefined && changesWho(endpoint)) continue
        const sent = requestOf(endpoint, grammar.request(endpoint, role.key?.uid ?? 0), role.key)
        const before = [house.runtime.sequence, house.events]
        const answer = await sendAs(role.key, {
          ...sent,
          from: role.from ?? '127.0.0.1',
          headers: fromHeader(sent, role),
        })
        expect(answer.status, answer.text).toBeLessThan(500)
        if (expected === undefined) {
          const isAboutKey = answer.code === '40037' && namesKey(endpoint)
          expect(whoCodes.has(answer.code ?? '') && !isAboutKey, `${role.name}: ${answer.text}`).toBe(false)
        } else {
          expect({ status: answer.status, code: answer.code, data: answer.data }, role.name).toEqual({
            status: 400,
            code: expected,
            data: null,
          })
          expect([house.runtime.sequence, house.events], `${role.name}: nothing happened`).toEqual(before)
        }
      }
    },
  )

  test('the matrix is whole', () => {
    process.stdout.write(`permissions: ${cells} cells of endpoint × key\n`)
    expect(cells).toBe(endpoints.length * roles.length)
    expect(cells).toBeGreaterThan(1_500)
  })
})

/** The house trusts loopback as a proxy, so that a role may come from elsewhere. */
function fromHeader(sent: Sent, { from }: Role): Sent['headers'] {
  return from === undefined ? sent.headers : { ...sent.headers, 'x-forwarded-for': from }
}

/** Fields that name a thing; those that name a place in a list do not. */
function namingFields({ request }: Endpoint): readonly (readonly [string, Field])[] {
  const { properties = {}, items } = request as Field
  const own = Object.entries(properties).flatMap(([name, field]): [string, Field][] => {
    const inner = field.items?.properties === undefined ? [] : Object.entries(field.items.properties)
    return [[name, field], ...inner]
  })
  const all = [...own, ...Object.entries(items?.properties ?? {})]
  return all.filter(
    ([name, field]) => /(?:id|oid|uid)$/i.test(name) && field.items === undefined && !/than|^endId/i.test(name),
  )
}

/** The same request with every field of that name set. */
function naming(value: Json, field: string, id: string, others: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map((item: Json) => naming(item, field, id, others))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    if (name === field || others.has(name)) return []
    return [[name, typeof member === 'object' ? naming(member, field, id, others) : member]]
  })
  return { ...Object.fromEntries(fields), [field]: id }
}

describe('whose thing it is', () => {
  /** What each account has: names of fields to values that answers had for them. */
  const things = new Map<number, Map<string, Set<string>>>()
  const askers = ['unified-main', 'unified-sub', 'hybrid-main', 'broker-main']
  let cells = 0
  let ownDiffers = 0
  const nobody = { number: '888888888888', text: 'nobody-has' }

  beforeAll(async () => {
    const grammar = new Grammar(new Random(11), house.runtime.query({ kind: 'catalog' }), () => house.runtime.now())
    for (const role of everybody) {
      const key = house.demoKey(role)
      things.set(key.uid, new Map([['uid', new Set([String(key.uid)])]]))
      // Whatever an account can bring about within a few hundred requests; what it is answered are its things.
      for (let round = 0; round < 6; round++) {
        for (const endpoint of endpoints) {
          if (endpoint.access === 'public' || /cancel|close/.test(endpoint.path) || changesWho(endpoint)) continue
          const { code, data } = await sendAs(key, requestOf(endpoint, grammar.request(endpoint, key.uid), key))
          if (code !== '00000') continue
          grammar.learn(data, key.uid)
          note(key.uid, data)
        }
      }
    }
  })

  function note(uid: number, data: unknown, name = ''): void {
    if (Array.isArray(data)) for (const item of data) note(uid, item, name)
    else if (typeof data === 'object' && data !== null)
      for (const [inner, member] of Object.entries(data)) note(uid, member, inner)
    else if (typeof data === 'string' && data !== '' && /(?:id|oid)$/i.test(name)) {
      const of = things.get(uid)
      of?.set(name, (of.get(name) ?? new Set()).add(data))
    }
  }

  /** Up to three things of an account, and of nobody else, that a field of this name may mean. */
  function thingsFor(uid: number, field: string): string[] {
    if (/uid|user/i.test(field)) return [String(uid)]
    const known = (name: string) =>
      [...(things.get(uid)?.get(name) ?? [])].filter((id) => id.length >= 6 && !isShared(id))
    const orders = known(/oid$/i.test(field) ? 'clientOid' : 'orderId')
    return [...new Set([...known(field).slice(-1), ...orders.slice(0, 1), ...orders.slice(-1)])]
  }

  /** Two accounts may have given one client order id. */
  function isShared(id: string): boolean {
    return [...things.values()].filter((of) => [...of.values()].some((ids) => ids.has(id))).length > 1
  }

  /** Client order ids of transfers count, and their records are shown, in a family as a whole (design §4.14). */
  function sharesTransfers({ path }: Endpoint, ...both: readonly string[]): boolean {
    const families = both.map((role) => demoAccounts.find((account) => account.role === role)?.parent ?? role)
    return path.includes('transfer') && families[0] === families[1]
  }

  const naming_ = endpoints
    .filter((endpoint) => endpoint.access !== 'public')
    .flatMap((endpoint) =>
      namingFields(endpoint).map(([name]) => [`${endpoint.method} ${endpoint.path}`, name, endpoint] as const),
    )

  test.each(naming_)('%s: %s', async (_, name, endpoint) => {
    const others = new Set(
      namingFields(endpoint)
        .map(([field]) => field)
        .filter((field) => field !== name),
    )
    for (const asker of askers) {
      const key = house.demoKey(asker)
      const grammar = new Grammar(new Random(cells), house.runtime.query({ kind: 'catalog' }), () =>
        house.runtime.now(),
      )
      for (let variant = 0; variant < 2; variant++) {
        const value = grammar.request(endpoint, key.uid)
        const isUser = /uid|user/i.test(name)
        const ask = async (id: string): Promise<{ answer: Answer; text: string; emitted: number }> => {
          const { events } = house
          const request = requestOf(endpoint, naming(value, name, id, isUser ? new Set() : others), key)
          const answer = await sendAs(key, request)
          return { answer, text: answer.text.replaceAll(id, '#'), emitted: house.events - events }
        }
        const { number, text } = nobody
        // What it makes has this name from then on.
        const none = await ask(/oid$/i.test(name) ? `${text}-${asker}-${variant}-${cells}` : number)
        const creates = none.emitted > 0
        for (const owner of everybody) {
          const of = house.demoKey(owner)
          const parent = demoAccounts.find(({ role }) => role === owner)?.parent
          const isOwn = owner === asker || (isUser && parent === asker) || sharesTransfers(endpoint, owner, asker)
          for (const id of thingsFor(of.uid, name)) {
            cells += 1
            if (isOwn || given.get(key.uid)?.has(id)) continue
            const found = await ask(id)
            if (creates) {
              // The name of something new: that others use it as well must not show.
              expect(found.answer.code, found.text).not.toBe('40786')
            } else expect(found.text, `${asker} with ${name} ${id} of ${owner}`).toBe(none.text)
            expect(found.answer.status).toBeLessThan(500)
          }
        }
        if (creates) continue
        for (const id of thingsFor(key.uid, name)) if ((await ask(id)).text !== none.text) ownDiffers += 1
      }
    }
  })

  test('enough things were there to be asked for, and their owners see them', () => {
    process.stdout.write(`permissions: ${cells} cells of field × asker × owner, own things differ in ${ownDiffers}\n`)
    expect(cells).toBeGreaterThan(1_500)
    expect(ownDiffers).toBeGreaterThan(50)
    expect(house.trouble).toEqual([])
  })
})
