/**
 * The calls of the laboratory over HTTP: what each answers, what it refuses and with which code, who is let in.
 *
 * Source  lab.md §4.1, §4.2; docs/lab.md
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startVenue } from '../support/venue.ts'
import { Laboratory, type LabVenue, type Shown } from './laboratory.ts'

let laboratory: Laboratory
let venue: LabVenue
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-lab-'))
  laboratory = await Laboratory.open('--deterministic', '--venues-max', '2', '--snapshots-bytes-max', '20000000')
  venue = laboratory.main
})
afterAll(async () => {
  await laboratory.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await venue.post('/reset')
})

interface Refused {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly now?: number
}

async function refused(method: string, path: string, body?: unknown): Promise<Refused & { status: number }> {
  const { status, envelope } = await venue.call(method, path, body)
  expect(envelope?.['ok'], path).toBe(false)
  return { status, ...(envelope?.['error'] as Refused) }
}

const waitFor = (condition: unknown, timeout: string) =>
  `/wait?for=${encodeURIComponent(JSON.stringify(condition))}&timeout=${timeout}`
const start = Date.UTC(2026, 0, 1)

/** Each call with a wrong body or on a thing that is not there: status, code, field, and what the sentence says. */
test.each<[string, string, unknown, number, string, string | undefined, RegExp]>([
  ['POST', '/clock', {}, 400, 'body-wrong', 'step', /exactly one of/],
  ['POST', '/clock', { step: '8h', to: 1 }, 400, 'body-wrong', 'to', /not step and to/],
  ['POST', '/clock', { step: 'long' }, 400, 'body-wrong', 'step', /duration/],
  ['POST', '/clock', { step: -1, speed: -1 }, 400, 'body-wrong', 'step', /step .*; speed /],
  ['POST', '/clock', { step: 1, symbol: 'BTCUSDT' }, 400, 'body-wrong', 'symbol', /next only/],
  ['POST', '/clock', { step: 1, max: 1 }, 400, 'body-wrong', 'max', /until and next only/],
  ['POST', '/clock', { next: 'tea' }, 400, 'body-wrong', 'next', /one of funding/],
  ['POST', '/clock', { next: 'candle:7m' }, 400, 'body-wrong', 'next', /no candle of 7m/],
  ['POST', '/clock', { next: 'timer', symbol: 'BTCUSDT' }, 400, 'body-wrong', 'symbol', /funding and delivery/],
  ['POST', '/clock', { next: 'funding', symbol: 'NOPE' }, 404, 'unknown-instrument', 'symbol', /no instrument NOPE/],
  ['POST', '/clock', { to: '2025-12-31T00:00:00Z' }, 409, 'clock-backwards', 'to', /go back with a revert/],
  ['POST', '/clock', { until: { sequence: 9_999 }, max: '1s' }, 409, 'until-not-reached', 'until', /1000 ms/],
  ['POST', '/clock', { next: 'delivery', max: '1s' }, 409, 'until-not-reached', 'next', /1000 ms/],
  ['POST', '/revert', { snapshot: 's99' }, 404, 'unknown-snapshot', 'snapshot', /no snapshot s99/],
  ['POST', '/revert', {}, 400, 'body-wrong', 'snapshot', /is required/],
  ['POST', '/revert', { snapshot: 's1', streams: 'x' }, 400, 'body-wrong', 'streams', /close, keep/],
  ['POST', '/fork', { snapshot: 's99' }, 404, 'unknown-snapshot', 'snapshot', /s99/],
  ['GET', '/snapshots/s99/file', undefined, 404, 'unknown-snapshot', 'snapshot', /s99/],
  ['DELETE', '/snapshots/s99', undefined, 404, 'unknown-snapshot', 'snapshot', /s99/],
  ['POST', '/snapshots', { name: 'a/b' }, 400, 'body-wrong', 'name', /letters/],
  ['POST', '/venues', { from: 's99' }, 404, 'unknown-snapshot', 'snapshot', /s99/],
  ['POST', '/venues', { from: '/nowhere/x' }, 404, 'unknown-file', 'from', /no file/],
  ['POST', '/venues', { from: 's1', seed: 1 }, 400, 'body-wrong', 'from', /leave them away/],
  ['DELETE', '/venues/v99', undefined, 404, 'unknown-venue', 'venue', /v99/],
  ['DELETE', '/venues/main', undefined, 409, 'venue-main', undefined, /stays/],
  ['GET', '/wait', undefined, 400, 'body-wrong', 'for', /is required/],
  ['GET', '/wait?for=tea', undefined, 400, 'body-wrong', 'for', /one condition/],
  ['GET', waitFor({ quiet: 1 }, '11m'), undefined, 400, 'body-wrong', 'timeout', /600000/],
  ['GET', waitFor({ liquidated: 'nobody' }, '1s'), undefined, 404, 'unknown-account', 'for', /nobody/],
  ['GET', waitFor({ sequence: 9_999 }, '20ms'), undefined, 409, 'until-not-reached', 'for', /20 ms/],
  ['GET', '/journal?uid=nobody', undefined, 404, 'unknown-account', 'uid', /nobody/],
  ['GET', '/journal?after=x&limit=0', undefined, 400, 'body-wrong', 'after', /after .*; limit /],
  ['GET', '/operator/accounts/holdings?uid=5', undefined, 404, 'account-unknown', undefined, /5/],
])('%s %s %j is refused', async (method, path, body, status, code, field, sentence) => {
  const error = await refused(method, path, body)
  expect(error).toMatchObject({ status, code, ...(field !== undefined && { field }) })
  expect(error.message).toMatch(sentence)
  if (code === 'until-not-reached' || code === 'clock-backwards') expect(error.now).toBeGreaterThanOrEqual(start)
})

test('a body that is no JSON, and a path that is not there', async () => {
  const { status, envelope } = await venue.exchange({
    method: 'POST',
    target: '/_lab/clock',
    body: '{',
    headers: { host: new URL(venue.url).host },
  })
  expect([status, envelope?.['error']]).toMatchObject([400, { code: 'body-wrong' }])
  expect((await venue.call('GET', '/tea')).status).toBe(404)
})

test('on the clock of the system nothing steps', async () => {
  await venue.post('/clock', { thaw: true })
  try {
    for (const asked of [{ step: 1 }, { next: 'funding' }, { until: { sequence: 9_999 } }]) {
      expect(await refused('POST', '/clock', asked)).toMatchObject({ status: 409, code: 'clock-not-manual' })
    }
  } finally {
    await venue.post('/clock', { freeze: true })
  }
})

test('snapshots: taken, listed by name, deleted; a name once', async () => {
  const taken = await venue.post('/snapshots', { name: 'before' })
  expect(taken).toMatchObject({ name: 'before', now: start })
  expect(await venue.get('/snapshots')).toEqual([taken])
  expect(await refused('POST', '/snapshots', { name: 'before' })).toMatchObject({ status: 409, code: 'name-taken' })
  await venue.call('DELETE', '/snapshots/before')
  expect(await venue.get('/snapshots')).toEqual([])
})

test('more snapshots than fit are refused', async () => {
  const taken: string[] = []
  let error: Refused | undefined
  while (error === undefined && taken.length < 65) {
    const { envelope } = await venue.call('POST', '/snapshots', {})
    if (envelope?.['ok'] === true) taken.push((envelope['data'] as { snapshot: string }).snapshot)
    else error = envelope?.['error'] as Refused
  }
  for (const snapshot of taken) await venue.call('DELETE', `/snapshots/${snapshot}`)
  expect(error?.code).toMatch(/^snapshots-(bytes-)?max$/)
})

test('a venue more than allowed is refused, and a deleted one makes room', async () => {
  const fork = await venue.fork()
  expect(await refused('POST', '/fork', {})).toMatchObject({ status: 409, code: 'venues-max' })
  expect((await venue.get<Shown[]>('/venues')).map((shown) => shown.venue)).toEqual(['main', fork.id])
  await venue.call('DELETE', `/venues/${fork.id}`)
  expect(await venue.get<Shown[]>('/venues')).toHaveLength(1)
})

test('a snapshot file makes the same venue; damaged or of another version it makes none', async () => {
  await venue.post('/cheats', { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'long', size: '1' } })
  await venue.post('/clock', { step: '9h' })
  const taken = await venue.post<{ snapshot: string; stateHash: string }>('/snapshots')
  const { url } = venue
  const file = Buffer.from(await (await fetch(`${url}/_lab/snapshots/${taken.snapshot}/file`)).arrayBuffer())
  await venue.call('DELETE', `/snapshots/${taken.snapshot}`)
  const path = (name: string, content: Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const made = await venue.post<Shown>('/venues', { from: path('good', file) })
  const journal = async (of: string) => (await fetch(`${of}/_lab/journal?limit=10000`)).text()
  expect(await journal(made.url)).toBe(await journal(url))
  const verified = (await (await fetch(`${made.url}/_lab/operator/verify`)).json()) as { data: object }
  expect(verified.data).toMatchObject({ balanced: true, stateHash: taken.stateHash })
  await venue.call('DELETE', `/venues/${made.venue}`)

  const headEnd = file.indexOf('\n')
  const flipped = Buffer.from(file)
  flipped[file.length - 5] ^= 1
  const other = Buffer.from(file.toString('latin1').replace(/"version":"[^"]+"/, '"version":"0.0.0"'), 'latin1')
  const rows: [Buffer, number, string, RegExp][] = [
    [flipped, 400, 'file-wrong', /checksum/],
    [file.subarray(0, -1), 400, 'file-wrong', /bytes of/],
    [file.subarray(0, headEnd), 400, 'file-wrong', /no snapshot/],
    [Buffer.from('hello\n'), 400, 'file-wrong', /no snapshot/],
    [other, 409, 'snapshot-of-other-version', /made by 0\.0\.0/],
  ]
  for (const [content, status, code, sentence] of rows) {
    const error = await refused('POST', '/venues', { from: path('bad', content) })
    expect(error).toMatchObject({ status, code })
    expect(error.message).toMatch(sentence)
  }
})

test('waiting holds nobody up, and ends when it is there', async () => {
  const waiting = venue.get(waitFor({ position: { uid: 'unified-main', symbol: 'BTCUSDT', is: 'open' } }, '20s'))
  await venue.post('/cheats', { position: { uid: 'unified-main', symbol: 'BTCUSDT', side: 'short', size: '0.5' } })
  expect(await waiting).toMatchObject({ reached: true, now: start })
})

test('waiting ends with a revert', async () => {
  const waiting = venue.call('GET', waitFor({ sequence: 9_999 }, '20s'))
  await venue.post('/clock', { step: 0 })
  await venue.post('/reset')
  const { status, envelope } = await waiting
  expect([status, envelope?.['error']]).toMatchObject([409, { code: 'venue-went-back' }])
})

test('the journal: commands with replies and events, of an account, behind a sequence', async () => {
  const { sequences } = await venue.post<{ sequences: number[] }>('/cheats', {
    balance: { uid: 'unified-main', wallet: 'uta', coin: 'USDT', amount: '900001' },
  })
  const lines = async (query: string) => {
    const answer = await venue.call('GET', `/journal?${query}`)
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/)
    return answer.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
  expect(await lines(`uid=unified-main&after=${sequences[0] - 1}`)).toMatchObject([
    {
      sequence: sequences[0],
      at: start,
      command: { kind: 'deposit', amount: '100000000' },
      reply: { kind: 'done' },
      events: [{ kind: 'deposit' }, { kind: 'bill', balance: '90000100000000' }],
    },
  ])
  expect(await lines(`uid=classic-main&after=${sequences[0] - 1}`)).toEqual([])
  expect(await lines('limit=1')).toHaveLength(1)
  await venue.post('/reset')
  expect(await lines(`after=${sequences[0] - 1}`)).toEqual([])
})

/** With node:http: fetch sends its own Host. */
function statusWith(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${venue.url}/_lab`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test.each<[string, Record<string, string>, number]>([
  ['nobody on loopback', {}, 200],
  ['the token', { authorization: 'Bearer dev' }, 200],
  ['the token, spelled otherwise', { authorization: 'bearer dev' }, 200],
  ['a wrong token', { authorization: 'Bearer tea' }, 401],
  ['another scheme', { authorization: 'Basic dev' }, 401],
  ['a name that resolves here', { host: 'tidemark.example' }, 403],
  ['localhost', { host: 'localhost:8080' }, 200],
  ['a page of another origin', { origin: 'http://pages.example' }, 403],
  ['a page of no origin', { origin: 'null' }, 403],
])('%s', async (_who, headers, status) => {
  expect(await statusWith(headers)).toBe(status)
})

test('no page of another origin is told that it may', async () => {
  const answer = await venue.call('GET', '', undefined, { origin: 'http://pages.example' })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

test('a state is kept from one process to the next', async () => {
  const state = join(folder, 'state')
  const first = await Laboratory.open('--deterministic', '--state', state)
  await first.main.post('/clock', { step: '1h' })
  await first.close()
  const second = await Laboratory.open('--deterministic', '--state', state)
  const { now } = await second.main.get<Shown>('')
  await second.close()
  expect(now).toBe(start + 3_600_000)
  writeFileSync(state, readFileSync(state).subarray(0, 500))
  await expect(Laboratory.open('--deterministic', '--state', state)).rejects.toThrow(/bytes of/)
})

test('a venue that is no laboratory has no such paths', async () => {
  const ordinary = await startVenue()
  try {
    for (const [method, path] of [
      ['GET', '/_lab'],
      ['POST', '/_lab/clock'],
      ['GET', '/_lab/operator/verify'],
    ]) {
      const answer = await ordinary.exchange({ method, target: path, body: method === 'POST' ? '{}' : undefined })
      expect([answer.status, answer.code], path).toEqual([404, '40404'])
    }
  } finally {
    await ordinary.remove()
  }
})
