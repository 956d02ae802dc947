/**
 * A recording replays to the same ids, fills, answers and state, whatever clock the venue had, with simulated traders and with
 * faults; and what is changed in it is found.
 *
 * Source  lab.md §4.8, §5
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packed } from '../../../src/lab/recording/calls.ts'
import { replay } from '../../../src/lab/recording/replay.ts'
import type { RequestRow, Row } from '../../../src/lab/recording/rows.ts'
import { repackRecording, type Tide, unpackRecording } from '../../../src/lab/recording/tide-file.ts'
import { openLabWith } from '../../../src/main.ts'
import { openSession, type Session, trade } from './session.ts'

let still: Session
let lively: Session
beforeAll(async () => {
  still = await openSession(false)
  lively = await openSession(true)
}, 60_000)
afterAll(async () => {
  await still.close()
  await lively.close()
})

async function recorded({ main }: Session): Promise<Tide> {
  const { venue, lab } = main
  const { file } = await venue.inTurn(() => packed(venue, lab.options.version))
  return unpackRecording(file, 'the recording')
}

const requestsOf = ({ rows }: Tide) => rows.filter((row): row is RequestRow => row.kind === 'request')
const orderOf = (row: Row): row is RequestRow =>
  row.kind === 'request' && row.target.endsWith('/place-order') && row.sent.length > 0 && row.answer?.httpStatus === 200

test.each([1, 2])('a clock that is moved, seed %i: the same', { timeout: 60_000 }, async (seed) => {
  await still.venue.post('/reset')
  await trade(still, seed, 25, 40_000)
  const tide = await recorded(still)
  expect(requestsOf(tide).length).toBeGreaterThan(40)
  expect(tide.rows.some((row) => row.kind === 'call' && row.sent.length > 0)).toBe(true)
  expect((await replay(tide, openLabWith)).difference).toBeUndefined()
})

test.each([4])('a clock that runs, with simulated traders, seed %i: the same', { timeout: 60_000 }, async (seed) => {
  await lively.venue.post('/reset')
  await trade(lively, seed, 20)
  const { sequence } = await lively.venue.get<{ sequence: number }>('')
  await lively.venue.get(`/wait?for=${encodeURIComponent(JSON.stringify({ sequence: sequence + 30 }))}`)
  const tide = await recorded(lively)
  const ours = tide.rows.flatMap((row) => ('sent' in row ? row.sent : [])).length
  expect(tide.journal.length).toBeGreaterThanOrEqual(ours + 30)
  expect((await replay(tide, openLabWith)).difference).toBeUndefined()
})

test.each([
  ['moved', () => still],
  ['running', () => lively],
])('with faults, on a clock that is %s: the same', { timeout: 60_000 }, async (_, sessionOf) => {
  const session = sessionOf()
  await session.venue.post('/reset')
  for (const [fault, nth] of [
    ['lost-ack', 2],
    ['lost-request', 5],
    ['unknown', 3],
  ] as const) {
    const how = fault === 'unknown' ? { code: '40010', order: 'filled' } : { how: 'rst' }
    await session.venue.post('/faults', { fault, with: how, when: { nth: [nth, nth + 6] }, times: 2 })
  }
  await trade(session, 6, 20)
  const firings = await session.venue.get<readonly unknown[]>('/firings?after=0')
  expect(firings.length).toBeGreaterThan(2)
  const tide = await recorded(session)
  expect(tide.rows.filter((row) => row.kind === 'lab').map(({ path }) => path)).toEqual([
    '/faults',
    '/faults',
    '/faults',
  ])
  expect((await replay(tide, openLabWith)).difference).toBeUndefined()
})

test.each([
  ['moved', () => still],
  ['running', () => lively],
])('with latency, on a clock that is %s: the same', { timeout: 60_000 }, async (name, sessionOf) => {
  const session = sessionOf()
  await session.venue.post('/reset')
  const legs = ['entry', 'ack', 'read'].map((leg) => ({ leg, uniform: { min: 1, max: 20 }, seed: 3 }))
  await session.venue.post('/latency', { rules: legs })
  const moving = name === 'moved' ? setInterval(() => void session.venue.post('/clock', { step: 7 }), 20) : undefined
  await trade(session, 8, 10).finally(() => clearInterval(moving))
  await session.venue.call('DELETE', '/latency')
  const tide = await recorded(session)
  expect(requestsOf(tide).length).toBeGreaterThan(15)
  expect((await replay(tide, openLabWith)).difference).toBeUndefined()
})

test('what is changed is the first difference', { timeout: 60_000 }, async () => {
  await still.venue.post('/reset')
  await trade(still, 7, 12)
  const tide = await recorded(still)
  const number = requestsOf(tide).findIndex(orderOf) + 1
  const changed = async (change: (row: RequestRow) => RequestRow) => {
    const rows = tide.rows.map((row) => (row === requestsOf(tide)[number - 1] ? change(row) : row))
    const again = unpackRecording(await repackRecording({ ...tide, rows }), 'changed')
    return (await replay(again, openLabWith)).difference
  }
  const where = `request ${number} (POST /api/v3/trade/place-order)`
  const body = await changed((row) => ({ ...row, body: row.body?.replace('"qty":"0.05"', '"qty":"0.06"') }))
  expect(body).toMatchObject({ where, field: 'command' })
  expect(body?.expected).toContain('place-order')
  expect(body?.got).not.toBe(body?.expected)
  const status = await changed((row) => ({ ...row, answer: { ...row.answer!, httpStatus: 418 } }))
  expect(status).toMatchObject({ where, field: 'status', expected: '418', got: '200' })
  const answer = await changed((row) => ({ ...row, answer: { ...row.answer!, digest: '0'.repeat(16) } }))
  expect(answer).toMatchObject({ where, field: 'answer' })
  expect(answer?.got).toContain('"orderId"')
  const hash = { ...tide, head: { ...tide.head, stateHash: 'other' } }
  expect((await replay(hash, openLabWith)).difference).toMatchObject({
    where: 'the end',
    field: 'stateHash',
    expected: 'other',
  })
})

test('no secret of a key is in the file but those of the demo accounts', { timeout: 60_000 }, async () => {
  await still.venue.post('/reset')
  const { uid } = (await still.venue.get<{ keys: Record<string, { uid: string }> }>('')).keys['unified-main']
  const made = await still.venue.post<{ apiKey: string; secret: string; passphrase: string }>('/operator/keys', {
    uid: Number(uid),
    permissions: ['read'],
    label: 'mine',
  })
  await still.venue.call('POST', '/record', { start: true })
  const now = () => still.main.venue.parts.runtime.now()
  const person = still.venue.person('unified-main', now)
  const answer = await person.get('/api/v3/account/assets', {}, { key: made })
  expect(answer.code).toBe('00000')
  const tide = await recorded(still)
  await still.venue.call('POST', '/record', { stop: true })
  const [row] = requestsOf(tide)
  expect(row.signed).toMatchObject({ apiKey: made.apiKey })
  expect(Object.keys(row.headers).filter((name) => name.startsWith('access-'))).toEqual([])
  const known = tide.base.keys.find(({ apiKey }) => apiKey === made.apiKey)
  expect([known?.secret === made.secret, known?.passphrase === made.passphrase]).toEqual([false, false])
  expect((await replay(tide, openLabWith)).difference).toBeUndefined()
})
