/**
 * Latency on a clock that stands still: what is on its way arrives when it is due, by the book of that moment, in the order of
 * (due, arrival).
 *
 * Source  lab.md §4.7; docs/lab.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AskedByRequest, endpoints, type Inside } from '../../src/api/api.ts'
import { Lanes } from '../../src/lab/latency/lanes.ts'
import { delayOf } from '../../src/lab/latency/models.ts'
import { Latency } from '../../src/lab/latency/latency.ts'
import { LabRefusal } from '../../src/lab/refusals.ts'
import type { LabVenue as LabVenueInside } from '../../src/lab/venue.ts'
import { VenueOverloaded } from '../../src/runtime/core.ts'
import { heightOf } from '../../src/lab/latency/curve.ts'
import { Socket } from '../support/socket.ts'
import { type OpenedHere, openHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'
import { placed, waysIn } from './ways-in.ts'

const start = Date.UTC(2026, 0, 1)
/** The venue's, as far as this test has moved it. */
let time = start
const now = () => time
const [v3] = waysIn
let opened: OpenedHere
let venue: LabVenue
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-latency-'))
  opened = await openHere({})
  venue = opened.venue
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await venue.post('/reset')
  time = start
})

type Rule = Readonly<Record<string, unknown>>
const latency = (...rules: readonly Rule[]) => venue.post('/latency', { rules })
const onTheirWay = (atLeast: number) =>
  venue.get<{ readonly waiting: Readonly<Record<string, number>> }>(`/latency?atLeast=${atLeast}`)
async function step(duration: string | number) {
  const moved = await venue.post<{ now: number }>('/clock', { step: duration })
  time = moved.now
  return moved
}
const place = (clientOid: string, price?: string, side?: string) => v3.place(venue, now, clientOid, price, side)
const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' }

interface Line {
  readonly at: number
  readonly command: { readonly kind: string; readonly clientOid?: string }
  readonly events: readonly { readonly kind: string }[]
}

async function journal(): Promise<readonly Line[]> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

/** When an order was sequenced. */
async function sequencedAt(clientOid: string): Promise<number | undefined> {
  return (await journal()).find(({ command }) => command.clientOid === clientOid && command.kind === 'place-order')?.at
}

test.each(waysIn)('$name: a command is sequenced when it is due, and its answer takes its time', async (way) => {
  await latency({ leg: 'entry', constant: '20ms' }, { leg: 'ack', constant: 30 })
  let answered = false
  const answer = way.place(venue, now, 'mine').finally(() => (answered = true))
  expect(await onTheirWay(1)).toMatchObject({ waiting: { entry: 1, ack: 0 } })
  await step(19)
  expect(await placed(venue)).toEqual([])
  await step(1)
  expect(await sequencedAt('mine')).toBe(start + 20)
  expect([await onTheirWay(0), answered]).toMatchObject([{ waiting: { entry: 0, ack: 1 } }, false])
  await step(30)
  expect(await answer).toMatchObject({ code: '00000', clientOid: 'mine' })
})

test('it meets the book of the moment at which it is due', async () => {
  await place('first', '60000', 'sell')
  await latency({ leg: 'entry', constant: '1s', on: { role: 'unified-peer' } })
  const peer = venue.person('unified-peer', now)
  const taking = peer.post('/api/v3/trade/place-order', { ...order, price: '60000', clientOid: 'taking' })
  await onTheirWay(1)
  // What comes later and takes no time is there before.
  await place('better', '59000', 'sell')
  await step('1s')
  expect((await taking).code).toBe('00000')
  const { data } = await peer.get('/api/v3/trade/fills', { category: order.category })
  expect((data as { list: { execPrice: string }[] }).list).toMatchObject([{ execPrice: '59000' }])
})

test('a cancel overtakes its order, and finds nothing', async () => {
  await latency(
    { leg: 'entry', constant: '100ms', on: { endpoint: 'place' } },
    { leg: 'entry', constant: '10ms', on: { endpoint: 'cancel' } },
  )
  const placing = place('mine')
  await onTheirWay(1)
  const cancel = venue.person('unified-main', now).post('/api/v3/trade/cancel-order', { clientOid: 'mine' })
  await onTheirWay(2)
  await step('1s')
  expect([(await placing).code, (await cancel).code]).toEqual(['00000', '43001'])
  const kinds = (await journal()).map(({ at, command }) => [at - start, command.kind])
  expect(kinds.filter(([, kind]) => kind !== 'run-timers')).toEqual([
    [10, 'cancel-order'],
    [100, 'place-order'],
  ])
})

test('what is due at one time comes in the order of arrival', async () => {
  await latency({ leg: 'entry', constant: '50ms' })
  const answers = []
  for (const name of ['a', 'b', 'c']) {
    answers.push(place(name))
    await onTheirWay(answers.length)
  }
  await step('50ms')
  expect(await placed(venue)).toEqual(['a', 'b', 'c'])
  for (const answer of answers) expect((await answer).code).toBe('00000')
})

describe.each([
  ['a funding second', '2026-01-01T08:00:00Z', 'funding-settled'],
  ['UTC midnight', '2026-01-02T00:00:00Z', 'funding-settled'],
])('across %s', (_name, moment, event) => {
  const at = Date.parse(moment)

  test.each([
    ['a millisecond before', -1, false],
    ['at that millisecond', 0, true],
  ])('what is due %s', async (_when, offset, isAfter) => {
    await step(at - start - 1_000)
    await latency({ leg: 'entry', constant: 1_000 + offset })
    const answer = place('mine')
    await onTheirWay(1)
    await step('2s')
    expect((await answer).code).toBe('00000')
    const lines = await journal()
    const mine = lines.findIndex(({ command }) => command.clientOid === 'mine')
    const settled = lines.findIndex((line) => line.at === at && line.events.some(({ kind }) => kind === event))
    expect([lines[mine].at, settled >= 0, mine > settled]).toEqual([at + offset, true, isAfter])
  })
})

test('in the middle of a step of 90 days', async () => {
  await latency({ leg: 'entry', constant: '12h' })
  const answer = place('mine')
  await onTheirWay(1)
  expect((await step('90d')).now).toBe(start + 90 * 86_400_000)
  expect((await answer).code).toBe('00000')
  expect(await sequencedAt('mine')).toBe(start + 43_200_000)
})

test('a clock that runs up to a condition stops at the command that brings it about', async () => {
  await latency({ leg: 'entry', constant: '250ms' })
  const answer = place('mine')
  await onTheirWay(1)
  const moved = await venue.post('/clock', { until: { order: { clientOid: 'mine', is: 'live' } }, max: '1h' })
  expect(moved).toMatchObject({ now: start + 250, reached: true })
  expect((await answer).code).toBe('00000')
})

test.each([
  ['entry', 'not sequenced', []],
  ['ack', 'sequenced in what is left', []],
])('a revert with something waiting: %s is %s', async (leg, _truth, there) => {
  await venue.post('/snapshots', { name: 'before' })
  await latency({ leg, constant: '1s' })
  const answer = place('mine')
  if (leg === 'entry') await onTheirWay(1)
  else {
    while ((await onTheirWay(0)).waiting['ack'] === 0);
    expect(await placed(venue)).toEqual(['mine'])
  }
  expect(await venue.post('/revert', { snapshot: 'before' })).toMatchObject({ unknown: 1 })
  expect(await answer).toMatchObject({ code: '45001', status: 500 })
  await step('1h')
  expect(await placed(venue)).toEqual(there)
  expect(await venue.get('/latency')).toMatchObject({ rules: [], waiting: { entry: 0, ack: 0 } })
  await venue.call('DELETE', '/snapshots/before')
})

test('rules go back, and stay with keepRules; a fork has them', async () => {
  await latency({ leg: 'read', uniform: { min: 5, max: 5 } })
  const fork = await venue.fork()
  const [rule] = (await fork.get<{ rules: Rule[] }>('/latency')).rules
  expect(rule).toEqual({
    leg: 'read',
    on: {},
    reorder: false,
    seed: 0,
    matched: 0,
    uniform: { min: 5, max: 5 },
  })
  await venue.call('DELETE', `/venues/${fork.id}`)
  await venue.post('/reset', { keepRules: true })
  expect(await venue.get('/latency')).toMatchObject({ rules: [{ leg: 'read' }] })
  await venue.post('/reset')
  expect(await venue.get('/latency')).toMatchObject({ rules: [] })
})

test('a read is served when it is due', async () => {
  await latency({ leg: 'read', constant: '5s', on: { endpoint: 'GET /api/v2/public/time' } })
  const read = venue.exchange({ method: 'GET', target: '/api/v2/public/time' })
  while ((await onTheirWay(0)).waiting['read'] === 0);
  await step('7s')
  expect((await read).fields['serverTime']).toBe(String(start + 5_000))
})

/** A socket that watches a channel of the market, or of the account of unified-main. */
async function watching(scope: 'public' | 'private') {
  const socket =
    scope === 'public'
      ? await Socket.open(venue, '/v3/ws/public')
      : await Socket.of(venue.person('unified-main', now), '/v3/ws/private')
  const channel =
    scope === 'public'
      ? { instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' }
      : { instType: 'UTA', topic: 'order' }
  await socket.subscribe(channel)
  return { socket, topic: channel.topic }
}

async function trade() {
  await place('resting', '60000', 'sell')
  const peer = venue.person('unified-peer', now)
  await peer.post('/api/v3/trade/place-order', { ...order, price: '60000', clientOid: 'taking' })
  await step(0)
}

test.each(['public', 'private'] as const)('pushes: what happens is told later on a %s channel', async (scope) => {
  const { socket, topic } = await watching(scope)
  await step(0)
  const before = socket.heard.length
  await latency({ leg: scope, constant: '3s' })
  await trade()
  await step('2999ms')
  expect(socket.heard.length).toBe(before)
  await step(1)
  expect(await socket.push(topic)).toMatchObject({ arg: { topic } })
  socket.close()
})

describe('over one connection', () => {
  test.each([
    ['in order', false, ['slow', 'quick']],
    ['as a rule lets them overtake', true, ['quick', 'slow']],
  ])('orders are sequenced %s', async (_name, reorder, wanted) => {
    await latency(
      { leg: 'entry', constant: '100ms', reorder, on: { clientOid: 'slow' } },
      { leg: 'entry', constant: '10ms', reorder, on: { clientOid: 'quick' } },
    )
    const socket = await Socket.of(venue.person('unified-main', now), '/v3/ws/private')
    const { category: _, ...args } = { ...order, price: '50000' }
    for (const clientOid of ['slow', 'quick']) {
      const request = { op: 'trade', id: clientOid, category: 'usdt-futures', topic: 'place-order' }
      socket.send({ ...request, args: [{ ...args, clientOid }] })
    }
    await onTheirWay(2)
    await step('1s')
    expect(await placed(venue)).toEqual(wanted)
    const answers = [await socket.next(({ event }) => event === 'trade'), await socket.next()]
    expect(answers.map(({ id }) => id)).toEqual(wanted)
    socket.close()
  })

  test('nothing passes a message that is late', () => {
    const lanes = new Lanes()
    expect([lanes.enter('one', 100), lanes.enter('one', 10), lanes.enter('other', 10)]).toEqual([100, 100, 10])
    expect(lanes.enter('one', 120)).toBe(120)
    for (let count = 0; count < 3; count += 1) lanes.leave('one')
    expect([lanes.isBusy('one'), lanes.isBusy('other'), lanes.enter('one', 10)]).toEqual([false, true, 10])
  })
})

describe('models', () => {
  const drawn = (model: Parameters<typeof delayOf>[0], pending = 0) =>
    Array.from({ length: 2_000 }, (_, draw) => delayOf(model, { draw: `0 #${draw}`, now: 0, pending }))

  test('uniform: all of it, as likely', () => {
    const all = drawn({ uniform: { min: 10, max: 20 } })
    expect([Math.min(...all), Math.max(...all)]).toEqual([10, 20])
    const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length
    expect(Math.abs(mean - 15)).toBeLessThan(0.3)
  })

  test('lognormal: around its median, never above its bound', () => {
    const all = drawn({ lognormal: { median: 100, sigma: 0.5, max: 300 } }).toSorted((one, other) => one - other)
    expect(Math.abs(all[1_000] - 100)).toBeLessThan(5)
    // One standard deviation above the median: e^0.5.
    expect(Math.abs(all[Math.floor(2_000 * 0.841)] - 164.9)).toBeLessThan(10)
    expect(all.at(-1)).toBe(300)
  })

  test('load: more for each command on its way', () => {
    const load = { base: 5, perPending: 0.5 }
    expect([0, 1, 10].map((pending) => delayOf({ load }, { draw: '', now: 0, pending }))).toEqual([5, 6, 10])
  })

  test('file: on the line between two moments, level before and behind', () => {
    const curve = [
      [1_000, 10],
      [2_000, 20],
      [2_500, 0],
    ] as const
    expect([0, 1_000, 1_500, 2_000, 2_250, 9_000].map((at) => heightOf(curve, at))).toEqual([10, 10, 15, 20, 10, 0])
  })

  test('of a file that the venue reads, and of the load that it has', async () => {
    const path = join(folder, 'measured.csv')
    writeFileSync(path, `time,ms\n2026-01-01T00:00:00Z,100\n${start + 1_000},200\n`)
    await step(500)
    await latency(
      { leg: 'entry', file: path, on: { clientOid: 'measured' } },
      { leg: 'entry', load: { base: 1, perPending: 7 } },
    )
    const answers = [place('measured')]
    await onTheirWay(1)
    answers.push(place('loaded'))
    await onTheirWay(2)
    await step('1s')
    expect([await sequencedAt('measured'), await sequencedAt('loaded')]).toEqual([start + 650, start + 508])
    await Promise.all(answers)
  })

  test('a seed draws the same again, another one does not', async () => {
    const draws = async (seed: number) => {
      await venue.post('/reset')
      time = start
      await latency({ leg: 'entry', uniform: { min: 0, max: 100_000 }, seed })
      for (const name of ['a', 'b', 'c']) {
        const answer = place(name)
        await onTheirWay(1)
        await step('2m')
        await answer
      }
      return (await journal()).flatMap(({ at, command }) => (command.kind === 'place-order' ? [at] : []))
    }
    const first = await draws(1)
    expect(await draws(1)).toEqual(first)
    expect(await draws(2)).not.toEqual(first)
  })
})

test.each<[Rule, number, string, string, RegExp]>([
  [{ constant: 1 }, 400, 'body-wrong', 'rules.0.leg', /required/],
  [{ leg: 'up', constant: 1 }, 400, 'body-wrong', 'rules.0.leg', /entry, ack, read, public, private/],
  [{ leg: 'entry' }, 400, 'body-wrong', 'rules.0', /exactly one of .* not none/],
  [{ leg: 'entry', constant: 1, load: { base: 1, perPending: 1 } }, 400, 'body-wrong', 'rules.0', /constant and load/],
  [{ leg: 'entry', constant: -1 }, 400, 'body-wrong', 'rules.0.constant', /from 0 to 86400000/],
  [{ leg: 'entry', uniform: { min: 2, max: 1 } }, 400, 'body-wrong', 'rules.0.uniform.min', /above max/],
  [
    { leg: 'entry', lognormal: { median: 1, sigma: 0, max: 1 } },
    400,
    'body-wrong',
    'rules.0.lognormal.sigma',
    /above 0/,
  ],
  [
    { leg: 'entry', constant: 1, on: { symbol: 'BTCUSD7' } },
    400,
    'rule-matches-nothing',
    'rules.0.on.symbol',
    /nearest/,
  ],
  [
    { leg: 'read', constant: 1, on: { endpoint: 'ws:public' } },
    400,
    'rule-matches-nothing',
    'rules.0.on.endpoint',
    /read/,
  ],
  [
    { leg: 'public', constant: 1, on: { endpoint: 'place' } },
    400,
    'rule-matches-nothing',
    'rules.0.on.endpoint',
    /ws:public/,
  ],
  [{ leg: 'entry', file: 'here' }, 400, 'body-wrong', 'rules.0.file', /a slash/],
  [{ leg: 'entry', file: '/nowhere/x' }, 404, 'unknown-file', 'rules.0.file', /no file/],
])('a rule %j is refused', async (rule, status, code, field, sentence) => {
  const answer = await venue.call('POST', '/latency', { rules: [rule] })
  const error = answer.envelope?.['error'] as { message: string }
  expect([answer.status, error]).toMatchObject([status, { code, field }])
  expect(error.message).toMatch(sentence)
})

test.each<[string, number, string]>([
  ['', 1, 'the file'],
  ['time,ms\nx,1\n', 2, 'time'],
  ['1767225600000,1\n1767225600000,2\n', 2, 'time'],
  ['1767225600000,-1\n', 1, 'ms'],
  ['1767225600000,1,2\n', 1, 'it'],
])('a file %j is refused with its line', async (content, line, what) => {
  const path = join(folder, 'wrong.csv')
  writeFileSync(path, content)
  const answer = await venue.call('POST', '/latency', { rules: [{ leg: 'entry', file: path }] })
  const error = answer.envelope?.['error'] as { message: string }
  expect([answer.status, error]).toMatchObject([400, { code: 'file-wrong', field: 'rules.0.file', line }])
  expect(error.message).toContain(`line ${line}: ${what} must`)
})

describe('with faults and held commands', () => {
  test('a late command takes its time behind that, and the clock does not wait for it', async () => {
    await latency({ leg: 'entry', constant: '200ms' })
    await venue.post('/faults', { fault: 'late-request', with: { ms: 1_000, answer: '40010' } })
    expect(await place('mine')).toMatchObject({ code: '40010' })
    await step('5s')
    expect(await sequencedAt('mine')).toBe(start + 1_200)
  })

  test('what is held when it arrives waits for its release, and the clock does not', async () => {
    await latency({ leg: 'entry', constant: '200ms' })
    await venue.post('/hold')
    const answer = place('mine')
    await onTheirWay(1)
    await step('1s')
    expect(await venue.get('/pending')).toMatchObject([{ at: start + 200, orders: [{ clientOid: 'mine' }] }])
    await step('1s')
    await venue.post('/release')
    expect((await answer).code).toBe('00000')
    expect(await sequencedAt('mine')).toBe(start + 2_000)
  })

  test('an order that its fault loses is not on its way', async () => {
    await latency({ leg: 'entry', constant: '200ms' })
    await venue.post('/faults', { fault: 'lost-request' })
    await expect(place('mine')).rejects.toThrow('socket hang up')
    expect(await onTheirWay(0)).toMatchObject({ waiting: { entry: 0 } })
    await step('1s')
    expect(await placed(venue)).toEqual([])
  })
})

test('one more than there is room for is refused as too much', async () => {
  const full = () => {
    throw new LabRefusal(409, 'waiting-max', 'no room')
  }
  const catalog = { instruments: [], coins: [] }
  const runtime = { now, epoch: 0, query: () => catalog }
  const parts = { keys: { find: () => undefined }, demoKeys: () => ({}), runtime }
  const layer = new Latency({ parts, agenda: { put: full } } as unknown as LabVenueInside)
  await layer.set([{ leg: 'entry', constant: 5 }] as unknown as Parameters<Latency['set']>[0])
  const asked = { endpoint: endpoints.find(({ method }) => method === 'POST')!, request: { headers: {} } }
  const sent = layer.request(asked as unknown as AskedByRequest, {} as Inside, async ({ core }) => {
    await core.submit({ kind: 'run-timers' })
    return { httpStatus: 200, headers: {}, body: '' }
  })
  await expect(sent).rejects.toThrow(VenueOverloaded)
  expect(layer.waiting('entry')).toBe(0)
})
