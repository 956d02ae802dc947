/**
 * The past in a laboratory: the same for the same seed, and the same where a venue goes back, forks, or is kept as a file or on
 * disk, whatever seed that has.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedHere, openHere } from './in-process.ts'
import { LabVenue } from './laboratory.ts'
import { type Row, tapeOf } from './playing.ts'

const opened: OpenedHere[] = []
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-past-'))
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await rm(directory, { recursive: true, force: true })
})

async function open(settings: Readonly<Record<string, string>> = {}): Promise<LabVenue> {
  const here = await openHere(settings)
  opened.push(here)
  return here.venue
}

/** What clients see of what was before the venue's first of January. */
async function seen(venue: LabVenue): Promise<string> {
  const texts: string[] = []
  const named = 'category=USDT-FUTURES&symbol=BTCUSDT'
  for (const target of [
    `/api/v3/market/candles?${named}&interval=1m&limit=300&endTime=${Date.UTC(2026, 0, 1)}`,
    `/api/v3/market/candles?${named}&interval=1D&limit=100&endTime=${Date.UTC(2025, 11, 31, 16)}`,
    `/api/v3/market/history-fund-rate?${named}&limit=100`,
  ]) {
    const { data } = await venue.exchange({ method: 'GET', target, headers: { host: 'localhost' } })
    texts.push(JSON.stringify(data))
  }
  return texts.join('\n')
}

test('two runs are equal; what goes back, forks or comes from a file has the past that it began with', async () => {
  const venue = await open()
  const told = await seen(venue)
  expect(JSON.parse(told.split('\n')[0])).toHaveLength(300)
  expect(await seen(await open())).toBe(told)

  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots', {})
  await venue.post('/clock', { step: '3d' })
  const later = await seen(venue)
  await venue.post('/revert', { snapshot })
  expect(await seen(venue)).toBe(told)
  await venue.post('/reset')
  expect(await seen(venue)).toBe(told)
  expect(await seen(await venue.fork(snapshot))).toBe(told)
  expect(later.split('\n').slice(0, 2)).toEqual(told.split('\n').slice(0, 2))

  // Another venue of another seed has another one, and a fork of it keeps that.
  const asked = { from: 'demo', seed: 9, startAt: Date.UTC(2026, 0, 1) }
  const { url } = await venue.post<{ url: string }>('/venues', asked)
  const other = await LabVenue.at(url)
  const otherTold = await seen(other)
  expect(otherTold).not.toBe(told)
  expect(await seen(await other.fork())).toBe(otherTold)

  const elsewhere = await open({ deterministic: 'false', startAt: '2026-01-01T00:00:00Z', from: url })
  expect(await seen(elsewhere)).toBe(otherTold)
})

test('a venue on disk has its past back', async () => {
  const data = join(directory, 'kept')
  const first = await openHere({ data })
  const told = await seen(first.venue)
  await first.venue.post('/reset')
  await first.close()
  const again = await openHere({ data })
  opened.push(again)
  expect(await seen(again.venue)).toBe(told)
})

test('a recorded market begins at its own price: a venue that plays one has no past', async () => {
  const levels: Row[] = [
    { at: 0, side: 'bid', price: 40_000, size: 1, snapshot: true },
    { at: 0, side: 'ask', price: 40_001, size: 1, snapshot: true },
  ]
  const venue = await open({ market: await tapeOf(levels) })
  expect(await venue.get('/operator/status')).toMatchObject({ past: null })
  expect((await seen(venue)).split('\n')).toEqual(['[]', '[]', '{"resultList":[]}'])
  expect(await (await open()).get('/operator/status')).toMatchObject({ past: { kind: 'simulated', days: 90 } })
})
