/** `GET /operator/events`: what is pushed, when, and to whom; on a real socket, with a clock that the tests move. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Event } from '../../src/engine/protocol/event.ts'
import { LogTail } from '../../src/operator/log-tail.ts'
import { openOperatorListener, type OperatorListener } from '../../src/operator/listener.ts'
import { liveCalls } from '../../src/operator/live.ts'
import { fakeVenue } from './fake-core.ts'

const token = 'ab'.repeat(32)
const headers = { authorization: `Bearer ${token}` }
let listener: OperatorListener
let status: Record<string, unknown>
let tail: LogTail
let liquidations: () => Promise<never>

beforeEach(async () => {
  status = { status: 'ok', sequence: 1 }
  liquidations = () => Promise.resolve({ rows: [], next: undefined } as never)
  tail = new LogTail()
  const { ports } = fakeVenue({ status: () => status, logTail: tail })
  const history = { ...ports.history, liquidations: () => liquidations() }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const log = pino({ level: 'silent' })
  listener = await openOperatorListener({ ...ports, history }, { port: 0, token, log })
})

afterEach(async () => {
  vi.useRealTimers()
  await listener.close()
})

async function open(query: string): Promise<IncomingMessage> {
  const [response] = (await once(get(`${listener.url}/operator/events${query}`, { headers }), 'response')) as [
    IncomingMessage,
  ]
  return response
}

interface Line {
  readonly of: string
  readonly ok: boolean
  readonly data?: unknown
  readonly error?: unknown
}

async function follow(query: string) {
  const response = await open(query)
  const lines = createInterface({ input: response })[Symbol.asyncIterator]()
  return {
    response,
    next: async () => JSON.parse(String((await lines.next()).value)) as Line,
    isOver: async () => (await lines.next()).done,
  }
}

const liquidation = { kind: 'liquidation' } as Event

test('a line is the answer of its call; what is as it was is not told again', async () => {
  const { next } = await follow('?of=status,liquidations')
  expect(new Set([await next(), await next()])).toEqual(
    new Set([
      { of: 'status', ok: true, data: status },
      { of: 'liquidations', ok: true, data: { liquidations: [], next: null } },
    ]),
  )
  for (const sequence of [1, 1, 2]) {
    status = { status: 'ok', sequence }
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(await next()).toEqual({ of: 'status', ok: true, data: { status: 'ok', sequence: 2 } })
})

test('without a choice everything is told', async () => {
  const { response } = await follow('')
  const [first] = (await once(response, 'data')) as [Buffer]
  expect(liveCalls).toContain((JSON.parse(first.toString().split('\n')[0]) as Line).of)
  expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
})

test('the log is told line by line, of each level by itself', async () => {
  const line = (level: number, msg: string) => tail.take(JSON.stringify({ level, time: '', msg }))
  line(30, 'one')
  line(40, 'two')
  const { next } = await follow(`?of=${encodeURIComponent('log,log?level=warn')}`)
  const told = new Map([await next(), await next()].map(({ of, data }) => [of, messagesOf(data)] as const))
  expect(told).toEqual(
    new Map([
      ['log', ['two', 'one']],
      ['log?level=warn', ['two']],
    ]),
  )
  line(50, 'three')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(messagesOf((await next()).data)).toContain('three')
})

function messagesOf(data: unknown): string[] {
  return (data as { lines: { message: string }[] }).lines.map(({ message }) => message)
}

test('what happens is told at once, and so is what the operator does', async () => {
  const { next } = await follow('?of=liquidations')
  await next()
  liquidations = () => Promise.reject(new Error('the history has failed'))
  listener.consumer.record(1, 1, [liquidation], 'run-timers')
  await vi.advanceTimersByTimeAsync(100)
  expect(await next()).toEqual({
    of: 'liquidations',
    ok: false,
    error: { code: 'unexpected', message: expect.stringContaining('its log says why') },
  })
  liquidations = () => Promise.resolve({ rows: [], next: 7 } as never)
  const body = '{"kind":"main","mode":"classic"}'
  expect((await fetch(`${listener.url}/operator/accounts`, { method: 'POST', headers, body })).ok).toBe(true)
  await vi.advanceTimersByTimeAsync(100)
  expect(await next()).toMatchObject({ ok: true, data: { next: 7 } })
})

test('what takes long is asked seldom', async () => {
  let asked = 0
  liquidations = () => {
    asked += 1
    vi.advanceTimersByTime(50)
    return Promise.resolve({ rows: [], next: undefined } as never)
  }
  const { next } = await follow('?of=liquidations')
  await next()
  listener.consumer.record(1, 1, [liquidation], 'run-timers')
  await vi.advanceTimersByTimeAsync(9_900)
  expect(asked).toBe(1) // 50 ms are half a per cent of ten seconds
  await vi.advanceTimersByTimeAsync(200)
  expect(asked).toBe(2)
})

test('a slow reader misses what lies between, and gets the last', async () => {
  const response = await open('?of=status')
  const mass = 'x'.repeat(8 * 1024 * 1024) // more than sockets hold
  for (const sequence of [2, 3, 4, 5]) {
    status = { sequence, mass }
    await vi.advanceTimersByTimeAsync(10_000)
  }
  const told: number[] = []
  const lines = createInterface({ input: response })
  lines.on('line', (line) => told.push((JSON.parse(line) as { data: { sequence: number } }).data.sequence))
  const arrived = async () => {
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told.at(-1)).toBe(5)
  }
  await vi.waitFor(arrived, { timeout: 60_000 })
  expect(told).toHaveLength(new Set(told).size)
  expect(told.length).toBeLessThan(5)
})

test.each([
  ['?of=orders', 400, 'body-wrong'],
  ['?of=', 400, 'body-wrong'],
  ['?of=log%3Flevel%3Dloud', 400, 'body-wrong'],
])('%s: %d %s', async (query, code, said) => {
  const answer = await fetch(`${listener.url}/operator/events${query}`, { headers })
  expect(answer.status).toBe(code)
  expect(await answer.json()).toMatchObject({ ok: false, error: { code: said } })
})

test('the token is required', async () => {
  expect((await fetch(`${listener.url}/operator/events`)).status).toBe(401)
})

test('readers are bounded: when one has left another may come', async () => {
  const readers = await Promise.all(Array.from({ length: 32 }, () => open('?of=status')))
  const refused = await fetch(`${listener.url}/operator/events`, { headers })
  expect(await refused.json()).toMatchObject({ ok: false, error: { code: 'readers-max' } })
  readers[0].destroy()
  await vi.waitFor(async () => expect((await open('?of=status')).statusCode).toBe(200))
})

test('a venue that stops ends it', async () => {
  const { next, isOver } = await follow('?of=status')
  await next()
  const closed = listener.close()
  expect(await isOver()).toBe(true)
  await closed
})
