/** A core and two gateways, each a process with a port of its own: what one was answered, the other knows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Connection, type Exchange } from '../support/http.ts'
import { Person } from '../support/person.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, end, freePorts, personAt, speakingTo, start } from './processes.ts'

const startMsMax = 180_000

async function coreWithTwo(...flags: string[]) {
  const data = temporaryDirectory('gateway')
  const ports = await freePorts(2)
  const portOf = (place: number) => ['--port', String(ports[place])]
  const core = await start('core', data, ...portOf(0), ...flags)
  const gateways = await Promise.all([0, 1].map((place) => start('gateway', data, ...portOf(place), ...flags)))
  const [one, other] = gateways.map(({ ready }) => String(ready['url']))
  return { data, core, gateways, one, other, portOf, flags }
}

test.runIf(process.platform === 'linux')(
  'what one gateway answered, the other knows',
  { timeout: startMsMax },
  async () => {
    const { data, core, one, other } = await coreWithTwo('--no-rate-limits', '--clock', 'manual')
    const [here, there] = [personAt(one, data, 'unified-main'), personAt(other, data, 'unified-main')]

    // Orders: read at once, at the other gateway, and canceled there.
    for (let place = 0; place < 20; place++) {
      const placed = await here.post('/api/v3/trade/place-order', bid('1000', `order-${place}`))
      expect(placed.code).toBe('00000')
      const { orderId } = placed.fields
      const open = await there.get('/api/v3/trade/order-info', { orderId })
      expect(open.fields['orderStatus'], open.text).toBe('live')
      expect(
        (await there.post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })).code,
      ).toBe('00000')
      const past = await here.get('/api/v3/trade/history-orders', { category: 'SPOT', limit: 1 })
      expect(past.list('list')[0]['orderId']).toBe(orderId)
    }

    // Names of requests: gateways that begin in the same moment give none twice.
    for (const url of [one, other]) {
      const id = (await fetch(`${url}/api/v2/public/time`)).headers.get('x-request-id') ?? ''
      expect(Math.abs(Number.parseInt(id, 36) - Date.now()), id).toBeGreaterThan(600_000)
    }

    // Keys: made at one, good at the other at once; deleted there, refused here at once.
    const sub = personAt(one, data, 'unified-sub')
    const made = await here.post('/api/v3/user/create-sub-api', {
      subUid: sub.uid,
      note: 'gateway',
      type: 'read_write',
      passphrase: 'passphrase1',
      permissions: ['uta_mgt', 'uta_trade'],
      ips: [],
    })
    expect(made.code, made.text).toBe('00000')
    const { apiKey, secret } = made.fields
    const key = { apiKey, secret, passphrase: 'passphrase1' }
    expect((await speakingTo(other, key).get('/api/v3/account/assets')).code).toBe('00000')
    expect((await there.post('/api/v3/user/delete-sub-api', { apiKey })).code).toBe('00000')
    for (const url of [one, other])
      expect((await speakingTo(url, key).get('/api/v3/account/assets')).code).toBe('40037')

    // Time: stands still at both, and is moved for both.
    const times = async () => {
      await Promise.all([here, there].map((person) => person.get('/api/v3/account/assets')))
      const told = await Promise.all([one, other].map((url) => fetch(`${url}/api/v2/public/time`)))
      const answers = (await Promise.all(told.map((answer) => answer.json()))) as { data: { serverTime: string } }[]
      return answers.map(({ data: { serverTime } }) => Number(serverTime))
    }
    const [now, same] = await times()
    expect(same).toBe(now)
    const operate = async (call: string, body: object) => {
      const answer = await fetch(`${String(core.ready['operatorUrl'])}/operator/${call}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${readFileSync(join(data, 'operator-token'), 'utf8').trim()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      expect(answer.status, await answer.text()).toBe(200)
    }
    await operate('clock/advance', { ms: 7_200_000 })
    expect(await times()).toEqual([now + 7_200_000, now + 7_200_000])

    // The proof of reserves: one for all, and for ten minutes.
    const proof = async (url: string) => {
      const answer = await fetch(`${url}/api/v3/market/proof-of-reserves`)
      return ((await answer.json()) as { data: { merkleRootHash: string } }).data
    }
    const shown = await proof(one)
    await operate('deposits', { uid: here.uid, wallet: 'uta', coin: 'USDT', amount: '1' })
    await times()
    expect(await proof(other)).toEqual(shown)
    await operate('clock/advance', { ms: 600_000 })
    await times()
    const anew = await Promise.all([one, other].map(proof))
    expect(anew[0].merkleRootHash).not.toBe(shown.merkleRootHash)
    expect(anew[1]).toEqual(anew[0])
  },
)

test.runIf(process.platform === 'linux')(
  'limits are those of all gateways together, of reads as soon as it was told; a request that one was sent is refused by the other',
  { timeout: startMsMax },
  async () => {
    const { data, one, other } = await coreWithTwo('--refuse-replays')
    const [here, there] = [personAt(one, data, 'unified-main'), personAt(other, data, 'unified-main')]
    const beganMs = Date.now()
    const sent = Array.from({ length: 40 }, (_, place) =>
      (place % 2 === 0 ? here : there).post('/api/v3/trade/place-order', bid('1000', `burst-${place}`)),
    )
    const answers = await Promise.all(sent)
    const taken = answers.filter(({ code }) => code === '00000').length
    // Ten a second; a window may begin anew meanwhile.
    expect(taken).toBeLessThanOrEqual(10 * (Math.floor((Date.now() - beganMs) / 1000) + 1))
    expect(taken).toBeGreaterThanOrEqual(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - taken)

    // One call in ten seconds. The first at the other gateway: each time it has longer to hear of the one here.
    const read = async (url: string, role: string) =>
      (await personAt(url, data, role).get('/api/v2/mix/account/sub-account-assets', { productType: 'USDT-FUTURES' }))
        .status
    const first: number[] = []
    for (const [place, role] of ['hybrid-main', 'classic-main', 'broker-main'].entries()) {
      expect(await read(one, role)).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 200 * 4 ** place))
      first.push(await read(other, role))
      if (first.at(-1) === 429) break
    }
    expect(first).toContain(429)

    const asked: Exchange[] = []
    const { key } = personAt(one, data, 'unified-peer')
    const record = (exchange: Exchange) => {
      asked.push(exchange)
      return new Connection(one).exchange(exchange)
    }
    const peer = new Person({ url: one, now: Date.now, exchange: record }, 'peer', '', key)
    const codes = async (exchange: Exchange) =>
      (await Promise.all([other, one].map((url) => new Connection(url).exchange(exchange)))).map(({ code }) => code)
    expect((await peer.post('/api/v3/trade/place-order', bid('1000', 'repeated'))).code).toBe('00000')
    expect((await peer.get('/api/v3/trade/order-info', { clientOid: 'repeated' })).code).toBe('00000')
    expect(await codes(asked[0])).toEqual(['40009', '40009'])
    expect(await codes(asked[1])).toEqual(['00000', '00000'])
  },
)

test.runIf(process.platform === 'linux')(
  'a core that is killed under load loses nothing and answers nothing twice',
  { timeout: startMsMax },
  async () => {
    const { data, core, one, other, portOf, flags } = await coreWithTwo('--no-rate-limits')
    const people = [one, other].map((url) => personAt(url, data, 'unified-main'))
    const outcomes = new Map<string, { readonly code: string | undefined; readonly orderId: string | undefined }>()
    let isOver = false
    const trade = async (person: (typeof people)[number], name: string) => {
      for (let count = 0; !isOver; count++) {
        const clientOid = `${name}-${count}`
        const answer = await person.post('/api/v3/trade/place-order', bid('1000', clientOid))
        outcomes.set(clientOid, {
          code: answer.code,
          orderId: answer.code === '00000' ? answer.fields['orderId'] : undefined,
        })
      }
    }
    const trading = people.flatMap((person, place) => [0, 1].map((lane) => trade(person, `p${place}l${lane}`)))
    const answered = () => [...outcomes.values()].filter(({ code }) => code === '00000').length
    const until = async (count: number) => {
      while (answered() < count) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await until(100)
    await end(core.process, 'SIGKILL')
    await start('core', data, ...portOf(0), ...flags)
    await until(answered() + 100)
    isOver = true
    await Promise.all(trading)

    const found = new Map<string, string[]>()
    for (let cursor: string | undefined, page = 0; page < 100; page++) {
      const answer = await people[1].get('/api/v3/trade/unfilled-orders', { category: 'SPOT', limit: 100, cursor })
      expect(answer.code, answer.text).toBe('00000')
      const list = answer.list('list')
      for (const { clientOid, orderId } of list) found.set(clientOid, [...(found.get(clientOid) ?? []), orderId])
      cursor = (answer.data as { readonly cursor?: string }).cursor
      if (list.length < 100 || !cursor) break
    }
    for (const [clientOid, { code, orderId }] of outcomes) {
      if (code === '00000') expect(found.get(clientOid), clientOid).toEqual([orderId])
      if (code === '40015') expect(found.get(clientOid), clientOid).toBeUndefined()
      // The core was back before anybody's time ran out, so every outcome is known.
      expect(['00000', '40015'], clientOid).toContain(code)
    }
    for (const [clientOid, orders] of found) expect(orders, clientOid).toHaveLength(1)
  },
)

test.runIf(process.platform === 'linux')(
  'a gateway without a core says of each call that it refuses why, and tells no defect',
  { timeout: startMsMax },
  async () => {
    const { data, core, gateways, one } = await coreWithTwo('--leader-wait', '500')
    await end(core.process, 'SIGKILL')
    const answer = await personAt(one, data, 'unified-main').get('/api/v3/account/assets')
    expect([answer.status, answer.code]).toEqual([503, '40015'])
    const requestId = answer.headers['x-request-id']
    const lines = () => gateways[0].said().split('\n').filter(Boolean)
    const told = () => lines().filter((text) => text.includes(`"requestId":"${String(requestId)}"`))
    while (told().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(told().map((text) => JSON.parse(text) as object)).toEqual([
      expect.objectContaining({
        level: 40,
        endpoint: '/api/v3/account/assets',
        reason: expect.any(String),
        msg: 'a request was refused: nothing was sequenced',
      }),
    ])
    expect(lines().filter((text) => text.includes('"stack"'))).toEqual([])
  },
)
