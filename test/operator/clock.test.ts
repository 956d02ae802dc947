/** The operator's calls about the clock, the offset that is kept over restarts, and what a start says of the time before it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { CallRefused } from '../../src/operator/calls/refusals.ts'
import { spanText } from '../../src/operator/spans.ts'
import { tellStartGap } from '../../src/operator/start-gap.ts'
import { offsetKeeper } from '../../src/operator/trusted-offset.ts'
import { day, hour, LeapingMachine, minute } from '../simulation/leaping-machine.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { fakeVenue } from './fake-core.ts'

async function machine() {
  const made = new LeapingMachine()
  await made.open()
  const ports = () => {
    const { runtime } = made
    return fakeVenue({ core: runtime, clock: runtime.clock }).ports
  }
  const call = async (place: string) => {
    const [method, path] = place.split(' ')
    const found = operatorCalls.find((one) => one.method === method && one.path === path)
    try {
      return (await found!.run({}, ports())) as Record<string, unknown>
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error
      return { status: error.status, code: error.code, message: error.message }
    }
  }
  return { made, call }
}

describe('calls', () => {
  test('a year ahead: what would fall due is told, and refusing or accepting answers how it stands then', async () => {
    const { made, call } = await machine()
    const { real } = made
    expect(await call('GET /operator/clock')).toEqual({
      kind: 'system',
      now: real,
      system: real,
      lastStamp: real,
      stampsAheadMs: 0,
      leap: 'none',
      leapMs: 0,
      leaps: 0,
      leapMsMax: 120_000,
      startGapMs: 0,
      fallsDue: null,
    })
    made.leap(365 * day)
    const fallsDue = {
      interestHours: 8760,
      interest: { USDT: '4380' },
      funding: expect.arrayContaining(['BTCUSDT (USDT-FUTURES)']),
      countdowns: 0,
    }
    const leapt = { now: real, system: real + 365 * day, leapMs: 365 * day, leaps: 1, fallsDue }
    expect(await call('GET /operator/clock')).toMatchObject({ ...leapt, leap: 'undecided' })
    expect(await call('POST /operator/clock/refuse')).toMatchObject({ ...leapt, leap: 'refused' })
    expect(await call('POST /operator/clock/accept')).toMatchObject({
      now: real + 365 * day,
      leap: 'none',
      fallsDue: null,
    })
    await made.stop()
  })

  test.each(['accept', 'refuse'])('%s without a leap', async (decision) => {
    const { made, call } = await machine()
    expect(await call(`POST /operator/clock/${decision}`)).toEqual({
      status: 409,
      code: 'clock-agrees',
      message: 'the system clock is followed: there is no leap to accept or refuse',
    })
    await made.stop()
    const { ports } = fakeVenue()
    const found = operatorCalls.find(({ path }) => path === `/operator/clock/${decision}`)
    expect(() => found!.run({}, ports)).toThrow('it does not leap')
  })
})

describe('a start', () => {
  test.each([
    [2 * minute, undefined],
    [2 * minute + 1, 'the last command is 2 min 0 s ago by the clock'],
    [25 * hour, 'the last command is 1 d 1 h ago by the clock'],
    [-day, undefined],
  ])('%d ms after the last command', async (ms, text) => {
    const { made } = await machine()
    await made.stop()
    made.boot()
    made.leap(ms)
    await made.start()
    const warnings: { facts: object; text: string }[] = []
    tellStartGap(made.runtime, { warn: (facts, said) => void warnings.push({ facts, text: said }) })
    await made.stop()
    if (text === undefined) return expect(warnings).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(warnings[0].text).toContain(text)
    const hours = Math.floor(ms / hour)
    expect(warnings[0].facts).toMatchObject({ startGapMs: ms, fallsDue: { interestHours: hours } })
  })
})

describe('the kept offset', () => {
  const directory = () => join(temporaryDirectory('clock'), 'clock.json')
  const running = { bootId: 'one', sinceBoot: () => 5_000, monotonic: () => 5_000 }

  test('is found again while the machine runs, for the owner alone', () => {
    const file = directory()
    offsetKeeper(file, running)?.write(1_000_000)
    expect(offsetKeeper(file, running)?.read()).toBe(1_000_000)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ bootId: 'one', offsetMs: 1_000_000 })
  })

  test('counts a suspension as time that passed', () => {
    const file = directory()
    offsetKeeper(file, running)?.write(1_000_000)
    expect(offsetKeeper(file, { ...running, sinceBoot: () => 65_000, monotonic: () => 6_000 })?.read()).toBe(1_059_000)
  })

  test.each([
    ['another run of the machine', '{"bootId": "two", "offsetMs": 1}'],
    ['no number', '{"bootId": "one", "offsetMs": "1"}'],
    ['null', 'null'],
    ['half a file', '{"bootId": "one", "off'],
    ['nothing', ''],
  ])('is not known from %s', (_what, content) => {
    const file = directory()
    writeFileSync(file, content)
    expect(offsetKeeper(file, running)?.read()).toBeUndefined()
  })

  test('that cannot be written harms nothing', () => {
    expect(() => offsetKeeper('/proc/none/clock.json', running)?.write(1)).not.toThrow()
  })

  test('is none where the runs of a machine have no names', () => {
    expect(offsetKeeper(directory(), { ...running, bootId: undefined })).toBeUndefined()
  })
})

test.each([
  [0, '0 s'],
  [499, '0 s'],
  [day - 1, '1 d 0 h'],
  [1000, '1 s'],
  [61_000, '1 min 1 s'],
  [-hour, '1 h 0 min'],
  [25 * hour + 59 * minute, '1 d 1 h'],
  [365 * day, '365 d 0 h'],
])('%d ms in words: %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})
