/** A clock that goes faster than the system's: timers run on the way, and it stands still when it is told to (lab.md §4.3). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Laboratory } from './laboratory.ts'

let laboratory: Laboratory
beforeAll(async () => {
  laboratory = await Laboratory.open('--deterministic')
})
afterAll(() => laboratory.close())

const hourMs = 3_600_000
const start = Date.UTC(2026, 0, 1)

test('nine hours pass in a moment, funding among them, and then no time passes', async () => {
  const { main } = laboratory
  expect(await main.post('/clock', { speed: 100_000 })).toMatchObject({ mode: 'manual', speed: 100_000 })
  const now = async () => (await main.get<{ now: number }>('')).now
  while ((await now()) < start + 9 * hourMs);
  expect(await main.post('/clock', { speed: 0 })).toMatchObject({ mode: 'manual', speed: 0 })
  const stopped = await now()
  expect(await now()).toBe(stopped)
  const target = '/api/v3/market/history-fund-rate?category=USDT-FUTURES&symbol=BTCUSDT'
  const { text } = await main.exchange({ method: 'GET', target })
  expect(text).toContain(String(start + 8 * hourMs))
})

test('at speed one it is the system that time goes with, from where it stood', async () => {
  const { main } = laboratory
  const before = (await main.get<{ now: number }>('')).now
  expect(await main.post('/clock', { speed: 1 })).toMatchObject({ mode: 'system', speed: 1 })
  expect((await main.get<{ now: number }>('')).now).toBeGreaterThanOrEqual(before)
  const refused = await main.call('POST', '/clock', { step: 1 })
  expect([refused.status, refused.envelope]).toMatchObject([409, { error: { code: 'clock-not-manual' } }])
})
