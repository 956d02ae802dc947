/**
 * A recording replays to the same ids, fills, answers and state, whatever clock the venue had, with simulated traders, and with
 * what a laboratory puts in the way; and what is changed in it is found. `npm run replay-soak` does the same with more seeds.
 *
 * Source  lab.md §4.8, §5
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replay } from '../../../src/lab/recording/replay.ts'
import type { RequestRow, Row } from '../../../src/lab/recording/rows.ts'
import { repackRecording, type Tide, unpackRecording } from '../../../src/lab/recording/tide-file.ts'
import { openLabWith } from '../../../src/processes/laboratory.ts'
import { kinds, recorded } from './kinds.ts'
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

const requestsOf = ({ rows }: Tide) => rows.filter((row): row is RequestRow => row.kind === 'request')
const orderOf = (row: Row): row is RequestRow =>
  row.kind === 'request' && row.target.endsWith('/place-order') && row.sent.length > 0 && row.answer?.httpStatus === 200

const clocks = [
  ['moved', () => still],
  ['running, with simulated traders', () => lively],
] as const

test.each(kinds.flatMap((kind) => clocks.map(([name, sessionOf]) => ({ kind, name, sessionOf }))))(
  'with $kind.name, a clock that is $name: the same',
  { timeout: 60_000 },
  async ({ kind, sessionOf }) => {
    const session = sessionOf()
    await session.venue.post('/reset')
    await kind.play(session, 8, 15)
    if (kind.told) {
      expect((await session.venue.get<readonly unknown[]>('/firings?after=0')).length).toBeGreaterThan(1)
    }
    const tide = await recorded(session)
    expect(requestsOf(tide).length).toBeGreaterThan(15)
    expect((await replay(tide, openLabWith)).difference).toBeUndefined()
  },
)

test('what simulated traders did is there, too', { timeout: 60_000 }, async () => {
  await lively.venue.post('/reset')
  await trade(lively, 4, 20)
  const { sequence } = await lively.venue.get<{ sequence: number }>('')
  await lively.venue.get(`/wait?for=${encodeURIComponent(JSON.stringify({ sequence: sequence + 30 }))}`)
  const tide = await recorded(lively)
  const ours = tide.rows.flatMap((row) => ('sent' in row ? row.sent : [])).length
  expect(tide.journal.length).toBeGreaterThanOrEqual(ours + 30)
  expect(tide.rows.some((row) => row.kind === 'call' && row.sent.length > 0)).toBe(true)
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
