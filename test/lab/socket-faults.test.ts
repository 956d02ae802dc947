/**
 * Faults of sockets, each on v2 and v3, on a channel of the market and on one of an account: what the client saw, and that all of it
 * happened.
 *
 * Source  lab.md §4.5 (ws-*); docs/lab.md
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Message, Socket } from '../support/socket.ts'
import { type OpenedHere, openHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'
import { placed, waysIn } from './ways-in.ts'

const start = Date.UTC(2026, 0, 1)
let time = start
const now = () => time
let opened: OpenedHere
let venue: LabVenue
beforeAll(async () => {
  opened = await openHere({})
  venue = opened.venue
})
afterAll(() => opened.close())
beforeEach(async () => {
  await venue.post('/reset')
  time = start
})

interface Watched {
  readonly name: string
  readonly scope: 'public' | 'private'
  readonly path: '/v2/ws/public' | '/v2/ws/private' | '/v3/ws/public' | '/v3/ws/private'
  readonly channel: Readonly<Record<string, string>>
  /** Lets the n-th thing happen that the channel tells. */
  happens(n: number): Promise<unknown>
}

const [v3, , v2] = waysIn
const trade = async (n: number) => {
  await v3.place(venue, now, `resting-${n}`, String(60_000 + n), 'sell')
  return v3.place(venue, now, `e${n}`, String(60_000 + n), 'buy')
}

const watched: readonly Watched[] = [
  {
    name: 'v2 public',
    scope: 'public',
    path: '/v2/ws/public',
    channel: { instType: 'USDT-FUTURES', channel: 'trade', instId: 'BTCUSDT' },
    happens: trade,
  },
  {
    name: 'v3 public',
    scope: 'public',
    path: '/v3/ws/public',
    channel: { instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' },
    happens: trade,
  },
  {
    name: 'v2 private',
    scope: 'private',
    path: '/v2/ws/private',
    channel: { instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' },
    happens: (n) => v2.place(venue, now, `e${n}`, String(50_000 + n)),
  },
  {
    name: 'v3 private',
    scope: 'private',
    path: '/v3/ws/private',
    channel: { instType: 'UTA', topic: 'order' },
    happens: (n) => v3.place(venue, now, `e${n}`, String(50_000 + n)),
  },
]

async function step(duration: string | number) {
  const moved = await venue.post<{ now: number }>('/clock', { step: duration })
  time = moved.now
}

const add = (fault: string, rule: object = {}) => venue.post<{ rule: string }>('/faults', { fault, ...rule })

async function watch({ scope, path, channel }: Watched): Promise<Socket> {
  const role = path.startsWith('/v2') ? 'classic-main' : 'unified-main'
  const socket = scope === 'private' ? await Socket.of(venue.person(role, now), path) : await Socket.open(venue, path)
  await socket.subscribe(channel)
  await step(0)
  return socket
}

/** Which of them a push tells: by the price, which is another one each time. */
function toldBy({ action, data }: Message): readonly number[] {
  if (action === undefined) return []
  return [...JSON.stringify(data).matchAll(/"(?:price|p)":"[56]0(\d{3})(?:\.0+)?"/g)].map(([, n]) => Number(n))
}

const seen = (socket: Socket) => socket.heard.flatMap(toldBy).filter((n) => n > 0)

/** A message that comes behind all that the venue has sent by now. */
async function caughtUp(socket: Socket): Promise<void> {
  await step(0)
  socket.send('ping')
  await socket.next((message) => message['text'] === 'pong')
}

async function happen(where: Watched, ...numbers: readonly number[]) {
  for (const n of numbers) {
    expect(await where.happens(n)).toMatchObject({ code: '00000' })
    // A push each.
    await step(0)
  }
}

async function expectTruth(...numbers: readonly number[]) {
  const orders = (await placed(venue)).filter((clientOid) => clientOid.startsWith('e'))
  expect(orders).toEqual(numbers.map((n) => `e${n}`))
}

describe.each(watched)('$name', (where) => {
  test.each<[string, object, readonly number[]]>([
    ['ws-drop', { when: { nth: 2 } }, [1, 3, 4]],
    ['ws-drop', { when: { every: 2 } }, [1, 3]],
    ['ws-duplicate', { when: { nth: 2 } }, [1, 2, 2, 3, 4]],
    ['ws-drop', { on: { channel: 'ticker' } }, [1, 2, 3, 4]],
  ])('%s %j', async (fault, rule, wanted) => {
    const socket = await watch(where)
    await add(fault, rule)
    await happen(where, 1, 2, 3, 4)
    await caughtUp(socket)
    expect(seen(socket)).toEqual(wanted)
    await expectTruth(1, 2, 3, 4)
    socket.close()
  })

  test('ws-reorder: of each four another order, and the rest at its end', async () => {
    const socket = await watch(where)
    const { rule } = await add('ws-reorder', { with: { span: 4 } })
    await happen(where, 1, 2, 3, 4, 5)
    await caughtUp(socket)
    expect(seen(socket)).not.toEqual([1, 2, 3, 4])
    expect(seen(socket).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
    await venue.call('DELETE', `/faults/${rule}`)
    await caughtUp(socket)
    expect(seen(socket).at(-1)).toBe(5)
    await expectTruth(1, 2, 3, 4, 5)
    socket.close()
  })

  test.each(where.scope === 'private' ? ['ws-slow', 'ws-after-rest'] : ['ws-slow'])(
    '%s: late, and in order',
    async (fault) => {
      const socket = await watch(where)
      await add(fault, { with: { ms: '2s', for: '1m' } })
      await happen(where, 1, 2)
      await caughtUp(socket)
      expect(seen(socket)).toEqual([])
      await step('1999ms')
      await caughtUp(socket)
      expect(seen(socket)).toEqual([])
      await step(1)
      await caughtUp(socket)
      expect(seen(socket)).toEqual([1, 2])
      await step('1m')
      await happen(where, 3)
      await caughtUp(socket)
      expect(seen(socket)).toEqual([1, 2, 3])
      await expectTruth(1, 2, 3)
      socket.close()
    },
  )

  test('ws-stall: open and silent for a while', async () => {
    const socket = await watch(where)
    await add('ws-stall', { with: { for: '30s' } })
    const silent = socket.heard.length
    socket.send('ping')
    await happen(where, 1, 2)
    expect(socket.heard.length).toBe(silent)
    await step('30s')
    await happen(where, 3)
    await caughtUp(socket)
    expect(seen(socket)).toEqual([3])
    await expectTruth(1, 2, 3)
    socket.close()
  })

  test.each([
    ['a line that breaks', {}, 1006],
    ['a code', { code: 4001 }, 4001],
  ])('ws-cut: %s, at once', async (_how, having, code) => {
    const socket = await watch(where)
    await add('ws-cut', { with: having })
    expect(await socket.closed).toBe(code)
    await happen(where, 1)
    const again = await watch(where)
    await happen(where, 2)
    await caughtUp(again)
    expect(seen(again)).toEqual(where.scope === 'public' ? expect.arrayContaining([2]) : [2])
    await expectTruth(1, 2)
    again.close()
  })

  test('ws-cut: at the second push, and none is opened for a while', async () => {
    const socket = await watch(where)
    await add('ws-cut', { when: { nth: 2 }, with: { for: '30s' } })
    await happen(where, 1, 2)
    expect(await socket.closed).toBe(1006)
    expect(seen(socket)).toEqual([1])
    await expect(Socket.open(venue, where.path)).rejects.toThrow('503')
    await step('30s')
    ;(await watch(where)).close()
    await expectTruth(1, 2)
  })

  test('ws-refuse: what is open stays', async () => {
    const socket = await watch(where)
    await add('ws-refuse', { with: { for: '30s' } })
    await expect(Socket.open(venue, where.path)).rejects.toThrow('503')
    await happen(where, 1)
    await caughtUp(socket)
    expect(seen(socket)).toEqual([1])
    await step('30s')
    ;(await watch(where)).close()
    await expectTruth(1)
    socket.close()
  })

  test('ws-no-pong: pings are not answered, pushes come', async () => {
    const socket = await watch(where)
    await add('ws-no-pong', { with: { for: '30s' } })
    socket.send('ping')
    await happen(where, 1)
    await socket.next((message) => toldBy(message).length > 0)
    expect(socket.heard.some((message) => message['text'] === 'pong')).toBe(false)
    await step('30s')
    await caughtUp(socket)
    await expectTruth(1)
    socket.close()
  })

  test('ws-lose-subscription: silent until it is subscribed to anew', async () => {
    const socket = await watch(where)
    const name = where.channel['channel'] ?? where.channel['topic']
    await add('ws-lose-subscription', { on: { channel: name } })
    await happen(where, 1)
    await caughtUp(socket)
    expect(seen(socket)).toEqual([])
    await socket.subscribe(where.channel)
    await happen(where, 2)
    await caughtUp(socket)
    expect(seen(socket).at(-1)).toBe(2)
    await expectTruth(1, 2)
    socket.close()
  })

  test('what is of another connection is not struck', async () => {
    const socket = await watch(where)
    await add('ws-stall', { on: { connection: 9_999 } })
    await happen(where, 1)
    await caughtUp(socket)
    expect(seen(socket)).toEqual([1])
    socket.close()
  })
})

describe.each([
  ['v2', '/v2/ws/public', { instType: 'USDT-FUTURES', channel: 'books', instId: 'BTCUSDT' }],
  ['v3', '/v3/ws/public', { instType: 'usdt-futures', topic: 'books', symbol: 'BTCUSDT' }],
] as const)('%s', (_version, path, channel) => {
  test('ws-bad-checksum: a book that does not add up, once', async () => {
    await v3.place(venue, now, 'e1')
    await add('ws-bad-checksum')
    const sums = []
    for (let count = 0; count < 2; count += 1) {
      const socket = await Socket.open(venue, path)
      await socket.subscribe(channel)
      const { data } = await socket.push('books')
      sums.push(Number(data?.[0]?.['checksum']))
      socket.close()
    }
    expect(sums[0]).toBe(sums[1] ^ 1)
    await expectTruth(1)
  })
})

test.each(['/v2/ws/private', '/v3/ws/private'] as const)(
  '%s: ws-refuse-login: one login, and the next is fine',
  async (path) => {
    const { key } = venue.person('unified-main', now)
    await add('ws-refuse-login')
    const codes = []
    for (let count = 0; count < 2; count += 1) {
      const socket = await Socket.open(venue, path)
      socket.login(key, now())
      const { event, code } = await socket.next((message) => message.event !== undefined)
      codes.push([event, Number(code)])
      socket.close()
    }
    expect(codes).toEqual([
      ['error', 30015],
      ['login', 0],
    ])
  },
)

test.each([watched[2], watched[3]])(
  '$name: ws-before-rest: the push comes first, and the answer later',
  async (where) => {
    const socket = await watch(where)
    await add('ws-before-rest', { with: { ms: '1s' } })
    let isAnswered = false
    const answer = where.happens(1).finally(() => (isAnswered = true))
    await socket.next((message) => toldBy(message).includes(1))
    expect(isAnswered).toBe(false)
    await step('1s')
    expect(await answer).toMatchObject({ code: '00000' })
    await expectTruth(1)
    socket.close()
  },
)

test.each<[object, string, RegExp]>([
  [{ fault: 'ws-cut', with: { code: 999 } }, 'with.code', /1000 to 4999/],
  [{ fault: 'ws-refuse', when: { nth: 2 } }, 'when', /begins at once/],
  [{ fault: 'ws-drop', on: { endpoint: 'place' } }, 'on.endpoint', /ws:any/],
  [{ fault: 'lost-ack', on: { channel: 'books' } }, 'on.channel', /ws:any/],
])('%j is refused', async (rule, field, sentence) => {
  const answer = await venue.call('POST', '/faults', rule)
  const error = answer.envelope?.['error'] as { message: string }
  expect([answer.status, error]).toMatchObject([400, { field }])
  expect(error.message).toMatch(sentence)
})
