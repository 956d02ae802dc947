/**
 * Every fault on the way of an order: what its sender sees, and what the journal says, over REST and sockets, v2 and v3.
 *
 * Truth    `none`: no command; `placed`, `filled`: once; `twice`: the same order again; `later`: after five seconds of the venue
 * Source   lab.md §4.5, §5
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'
import { type OrderWay, restWay, socketWay } from './ways.ts'

let opened: OpenedHere
let venue: LabVenue
let ways: readonly OrderWay[]
let now = 0

beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
  const time = () => now
  ways = [
    restWay(venue, 'v2', time),
    restWay(venue, 'v3', time),
    await socketWay(venue, 'v2', time),
    await socketWay(venue, 'v3', time),
  ]
})
afterAll(async () => {
  for (const way of ways) way.close()
  await opened.close()
})
beforeEach(async () => {
  now = (await venue.post<{ now: number }>('/reset', { streams: 'keep' })).now
})

type Truth = 'none' | 'placed' | 'filled' | 'twice' | 'later'

interface Firing {
  readonly outcome: string
  readonly sequence?: number
}

/** What the journal has of an order. */
async function truthOf(clientOid: string): Promise<{ truth: Truth; at: number[] }> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  const lines = text.split('\n').filter((line) => line.includes(`"${clientOid}"`))
  const told = lines.map((line) => JSON.parse(line) as Line)
  const placed = told.filter(({ command }) => command.kind === 'place-order' && command.clientOid === clientOid)
  const ended = told
    .flatMap(({ events }) => events)
    .filter(({ kind, order }) => {
      return kind === 'order-ended' && order?.clientOid === clientOid && order.status === 'filled'
    })
  const truth = placed.length === 0 ? 'none' : placed.length === 2 ? 'twice' : ended.length > 0 ? 'filled' : 'placed'
  return { truth, at: placed.map(({ at }) => at) }
}

interface Line {
  readonly at: number
  readonly command: { readonly kind: string; readonly clientOid?: string }
  readonly events: readonly { readonly kind: string; readonly order?: { clientOid: string; status: string } }[]
}

const outcomes: Readonly<Record<Truth, string>> = {
  none: 'not-sequenced',
  placed: 'placed',
  filled: 'filled',
  twice: 'placed',
  later: 'placed',
}

/** `socket` null: it is no fault of sockets. */
test.each<[fault: string, given: object, rest: string, socket: string | null, truth: Truth]>([
  ['lost-request', {}, 'lost', 'lost', 'none'],
  ['lost-request', { how: 'rst' }, 'lost', 'lost', 'none'],
  ['lost-request', { how: 'hang' }, 'silent', 'silent', 'none'],
  ['lost-ack', { how: 'fin' }, 'lost', 'lost', 'placed'],
  ['lost-ack', { how: 'rst' }, 'lost', 'lost', 'placed'],
  ['lost-ack', { how: 'hang' }, 'silent', 'silent', 'placed'],
  ['late-ack', { ms: 5_000 }, 'silent', 'silent', 'placed'],
  ['late-request', { ms: 5_000, answer: 40010 }, '40010', '40010', 'later'],
  ['late-request', { ms: 5_000 }, 'silent', 'silent', 'later'],
  ['unknown', {}, '40010', '40010', 'placed'],
  ['unknown', { code: '40010', order: 'live' }, '40010', '40010', 'placed'],
  ['unknown', { code: '40725', order: 'live' }, '40725', '40725', 'placed'],
  ['unknown', { code: '45001', order: 'live' }, '45001', '45001', 'placed'],
  ['unknown', { code: '40010', order: 'filled' }, '40010', '40010', 'filled'],
  ['unknown', { code: '40725', order: 'filled' }, '40725', '40725', 'filled'],
  ['unknown', { code: '45001', order: 'filled' }, '45001', '45001', 'filled'],
  ['unknown', { code: '40010', order: 'dead' }, '40010', '40010', 'none'],
  ['unknown', { code: '40725', order: 'dead' }, '40725', '40725', 'none'],
  ['unknown', { code: '45001', order: 'dead' }, '45001', '45001', 'none'],
  ['unknown', { code: '40010', order: 'late', ms: '5s' }, '40010', '40010', 'later'],
  ['unknown', { code: '40725', order: 'late' }, '40725', '40725', 'later'],
  ['unknown', { code: 45001, order: 'late' }, '45001', '45001', 'later'],
  ['not-placed', {}, '40015', '40015', 'none'],
  ['duplicate-request', { gapMs: 0 }, '00000', '00000', 'twice'],
  ['rate-limit', {}, '429', '429', 'none'],
  ['key-refused', {}, '40006', '40006', 'none'],
  ['key-refused', { code: '40014' }, '40014', '40014', 'none'],
  ['key-refused', { code: 40018 }, '40018', '40018', 'none'],
  ['http', { status: 500, point: 'before' }, 'http 500', null, 'none'],
  ['http', { status: 502, point: 'after' }, 'http 502', null, 'placed'],
  ['http', { status: 503, body: 'empty', point: 'before' }, 'http 503', null, 'none'],
  ['http', { status: 504, body: 'json', point: 'after' }, 'http 504', null, 'placed'],
  ['garbled', {}, 'unreadable', 'unreadable', 'placed'],
  ['garbled', { how: 'not-json' }, 'unreadable', 'unreadable', 'placed'],
  ['garbled', { how: 'wrong-type' }, 'unreadable', 'unreadable', 'placed'],
  ['garbled', { how: 'bad-gzip' }, 'unreadable', 'unreadable', 'placed'],
  ['slow-body', { chunks: 4, ms: 1 }, '00000', null, 'placed'],
])('%s %j: REST sees %s, a socket %s; the truth is %s', async (fault, given, rest, socket, truth) => {
  await venue.post('/faults', { fault, with: given, on: { clientOid: '^mine-' }, when: { first: 4 } })
  let fired = 0
  for (const way of ways) {
    const isSocket = way.name.startsWith('socket')
    const expected = isSocket ? socket : rest
    const clientOid = `mine-${way.name.replace(' ', '-')}`
    const isDone = async () => (await venue.get<Firing[]>(`/firings?after=${fired}`)).length > 0
    const saw = await way.place({ clientOid }, expected === 'silent' ? isDone : undefined)
    expect(saw, way.name).toBe(expected ?? '00000')
    if (expected === null) continue
    const before = await truthOf(clientOid)
    if (truth === 'later') expect(before.truth, way.name).toBe('none')
    if (truth === 'later' || truth === 'twice') await venue.post('/clock', { step: '5s' })
    const after = await truthOf(clientOid)
    expect(after.truth, way.name).toBe(truth === 'later' ? 'placed' : truth)
    if (truth === 'later') expect(after.at, way.name).toEqual([now + 5_000])
    if (truth === 'later' || truth === 'twice') now += 5_000
    const firings = await venue.get<Firing[]>(`/firings?after=${fired}`)
    expect(firings, way.name).toMatchObject([{ outcome: outcomes[truth] }])
    expect(firings[0].sequence === undefined, way.name).toBe(truth === 'none')
    fired += 1
  }
})
