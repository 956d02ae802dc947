/**
 * The whole venue while its system clock leaps: what health, metrics, log, clients and the command line are told, over a
 * restart too.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sooner } from '../support/sooner.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { temporaryDirectory } from '../support/temporary.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const leaping = new URL('leaping-clock.ts', import.meta.url).href
const day = 86_400_000

let venue: Venue
let file: string

const leap = (ms: number) => writeFileSync(file, String(ms))
const health = async () => JSON.parse((await venue.get('/health')).text) as { status: string; reasons: string[] }
const metric = async (name: string) => {
  const { text } = await venue.get('/metrics')
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}
/** What the venue tells clients, less what truly is. */
const ahead = async () => {
  const { fields } = await venue.get('/api/v2/public/time')
  return Math.round((Number(fields['serverTime']) - Date.now()) / 60_000) * 60_000 + 0
}

function tidemark(...words: string[]): { code: number | null; shown: Record<string, unknown>; errors: string } {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...sooner, join(checkout, 'bin/tidemark.js'), ...words, '--data', venue.directory],
    { encoding: 'utf8' },
  )
  return { code: status, shown: status === 0 ? JSON.parse(stdout) : {}, errors: stderr }
}

beforeEach(async () => {
  file = join(temporaryDirectory('leap'), 'ahead')
  leap(0)
  venue = await startVenue({ environment: { NODE_OPTIONS: `--import=${leaping}`, TEST_CLOCK_AHEAD: file } })
})

afterEach(() => venue.remove())

test('a day ahead is not followed, over a restart neither, until it is accepted', async () => {
  expect(await health()).toEqual({ status: 'ok', reasons: [] })
  const alice = await venue.person('Alice', { funds: { uta: { USDT: '1000' } } })
  const asks = async (clockAhead: number) => (await alice.get('/api/v3/account/assets', {}, { clockAhead })).code
  leap(day)
  const reason =
    "the system clock is 1 d 0 h ahead of the venue's time: it is not followed until the operator accepts or refuses it"
  const told = {
    status: 'degraded',
    reasons: [expect.stringMatching(reason.replace('1 d 0 h', '(1 d 0 h|23 h 59 min)'))],
  }
  await vi.waitFor(async () => expect(await health()).toEqual(told))
  expect(await ahead()).toBe(0)
  expect(Math.round(await metric('tidemark_clock_leap_seconds'))).toBe(86_400)
  expect(await metric('tidemark_clock_leaps_total')).toBe(1)
  expect(await metric('tidemark_degraded{reason="clock-leap"}')).toBe(1)
  expect(await metric('tidemark_degraded{reason="stamps-ahead"}')).toBe(0)
  expect(await metric('tidemark_healthy')).toBe(1)
  // Whichever of the two is right, so are clients who go by it.
  expect([await asks(0), await asks(day), await asks(day / 2)]).toEqual(['00000', '00000', '40008'])

  expect(tidemark('clock').shown).toMatchObject({ kind: 'system', leap: 'undecided' })
  expect(tidemark('clock', 'refuse').shown).toMatchObject({ leap: 'refused' })
  expect((await health()).reasons[0]).toContain('this leap was refused')
  expect([await asks(0), await asks(day)]).toEqual(['00000', '40008'])

  if (process.platform === 'linux') {
    await venue.restart('kill')
    expect(await health()).toEqual(told)
    expect(await ahead()).toBe(0)
  }
  expect(tidemark('clock', 'accept').shown).toMatchObject({ leap: 'none', leapMs: 0 })
  expect(await health()).toEqual({ status: 'ok', reasons: [] })
  expect(await ahead()).toBe(day)
  expect([await asks(0), await asks(day)]).toEqual(['40008', '00000'])
  const again = tidemark('clock', 'accept')
  expect([again.code, again.errors]).toEqual([1, expect.stringContaining('clock-agrees')])
})

test('set back by a day, which is accepted: stamps stand, and health says so', async () => {
  const alice = await venue.person('Alice', { funds: { uta: { USDT: '1000' } } })
  leap(-day)
  await vi.waitFor(async () => expect((await health()).status).toBe('degraded'))
  expect(await ahead()).toBe(0)
  await venue.operator('clock/accept', {})
  expect((await health()).reasons).toEqual([expect.stringMatching(/^stamps are ahead of the clock by /)])
  expect(Math.round((await metric('tidemark_stamps_ahead_seconds')) / 60)).toBe(1440)
  const placed = await alice.post(
    '/api/v3/trade/place-order',
    { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000', qty: '0.001' },
    { clockAhead: -day },
  )
  expect(placed.code).toBe('00000')
  expect(await venue.operator('verify')).toMatchObject({ balanced: true })
  leap(0)
  await vi.waitFor(async () => expect((await venue.operator('clock'))['leap']).toBe('undecided'))
  expect(await ahead()).toBe(-day)
  await venue.operator('clock/accept', {})
  expect(await health()).toEqual({ status: 'ok', reasons: [] })
})
