/**
 * A system clock that leaps in either direction, over interest, funding, countdowns and restarts (design §4.44). What is not
 * accepted leaves no trace: the same happens at the same stamps as on a machine whose clock is right.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { day, hour, interestOfHour, LeapingMachine, midnight, minute } from './leaping-machine.ts'

const second = 1000

async function machine(): Promise<LeapingMachine> {
  const made = new LeapingMachine()
  await made.open()
  onTestFinished(() => made.stop())
  return made
}

/** A day and a half of a venue, with what somebody does to its clock at four moments. */
async function life(trouble: (machine: LeapingMachine, moment: number) => Promise<void> | void) {
  const made = await machine()
  await made.countDown(7 * hour + 5 * minute)
  for (let moment = 0; moment < 4; moment++) {
    await trouble(made, moment)
    await made.pass(9 * hour)
  }
  const { stamps, happened, interest } = made
  return { stamps: [...new Set(stamps)], happened, interest }
}

function isOrdered(stamps: readonly number[]): boolean {
  return stamps.every((stamp, index) => index === 0 || stamp >= stamps[index - 1])
}

test('on a machine whose clock is right', async () => {
  const { happened, interest } = await life(() => {})
  expect(interest).toBe(37n * interestOfHour)
  expect(happened.filter((text) => text.includes('funding'))).toHaveLength(4)
  expect(happened.filter((text) => text.includes('canceled'))).toEqual(['430 min: canceled waits'])
})

const leaps = [
  ['a day ahead', day],
  ['a day back', -day],
  ['a year ahead', 365 * day],
  ['a year back', -365 * day],
  ['three minutes ahead', 3 * minute],
  ['three minutes back', -3 * minute],
] as const

describe.each(leaps)('%s', (_name, ms) => {
  test('for three seconds, four times: nothing differs', async () => {
    const right = await life(async (made) => made.pass(3 * second))
    const leapt = await life(async (made) => {
      made.leap(ms)
      await made.pass(3 * second)
      made.leap(-ms)
    })
    expect(leapt).toEqual(right)
  })

  test('for good, with restarts in the midst: nothing differs', async () => {
    const restart = async (made: LeapingMachine, moment: number) => {
      await made.stop(moment % 2 === 0 ? 'killed' : 'ended')
      made.sleep(minute)
      await made.start()
      await made.runDue()
    }
    const right = await life(restart)
    const leapt = await life(async (made, moment) => {
      if (moment === 1) made.leap(ms)
      await restart(made, moment)
      if (moment === 1) made.runtime.clock.refuse()
    })
    expect(leapt).toEqual(right)
  })

  test('is told, in the log once', async () => {
    const made = await machine()
    made.leap(ms)
    made.runtime.clock.look()
    await made.pass(hour)
    expect(made.runtime.clock.view()).toMatchObject({
      now: made.real,
      system: made.real + ms,
      leap: { kind: 'undecided', ms },
      leaps: 1,
    })
    expect(made.warnings).toEqual([
      {
        facts: { leapMs: ms, system: midnight + ms, now: midnight },
        text: expect.stringContaining('leapt and is not followed'),
      },
    ])
    made.leap(-ms)
    await made.runDue()
    expect(made.runtime.clock.view().leap).toBeUndefined()
    expect(made.warnings.at(-1)?.text).toContain('is back')
  })
})

describe('accepted', () => {
  test('a day ahead: what falls due in it happens once', async () => {
    const made = await machine()
    await made.countDown(7 * hour)
    made.leap(day)
    await made.pass(30 * minute)
    expect([made.interest, made.fundings, made.canceled]).toEqual([interestOfHour, [], []])
    expect(made.runtime.clock.accept()).toBe(true)
    await made.runDue()
    expect(made.interest).toBe(25n * interestOfHour)
    // Of the funding times that were passed the first is settled: there was no rate at the others.
    expect(made.fundings).toEqual(['1470 min: funding of 480 min'])
    expect(made.canceled).toEqual(['1470 min: canceled waits'])
    expect(made.stamps.at(-1)).toBe(midnight + day + 30 * minute)
    await made.pass(hour)
    expect(made.interest).toBe(26n * interestOfHour)
    expect(isOrdered(made.stamps)).toBe(true)
  })

  test('a day back: stamps stand until the clock has caught up, and nothing is charged twice', async () => {
    const made = await machine()
    await made.pass(hour + minute)
    const reached = made.real
    made.leap(-day)
    await made.pass(minute)
    expect(made.runtime.clock.accept()).toBe(true)
    const owed = made.interest
    expect(made.runtime.clock.view()).toMatchObject({
      now: made.real - day,
      lastStamp: reached + minute,
      stampsAheadMs: day,
      leap: undefined,
    })
    await made.pass(23 * hour)
    expect([made.interest, made.stamps.at(-1)]).toEqual([owed, reached + minute])
    expect(made.runtime.clock.view().stampsAheadMs).toBe(hour)
    await made.pass(2 * hour)
    expect([made.interest, made.stamps.at(-1)]).toEqual([owed + interestOfHour, made.system])
    made.runtime.clock.look()
    expect(made.warnings.map(({ text }) => text)).toEqual([
      expect.stringContaining('leapt'),
      expect.stringContaining('accepted'),
      expect.stringContaining('behind the last stamp'),
      expect.stringContaining('caught up'),
    ])
  })
})

test('refused: told as refused until the clock is set right, also by clients’ timestamps', async () => {
  const made = await machine()
  made.leap(day)
  expect(made.runtime.clock.systemNow()).toBe(made.real + day)
  expect(made.runtime.clock.refuse()).toBe(true)
  await made.pass(hour)
  expect(made.runtime.clock.view().leap).toEqual({ kind: 'refused', ms: day })
  expect(made.runtime.clock.systemNow()).toBe(made.real)
  made.leap(-day)
  expect(made.runtime.clock.view().leap).toBeUndefined()
})

test('a machine that wakes has leapt: nothing is made up for until it is accepted', async () => {
  const made = await machine()
  made.suspend(day)
  await made.runDue()
  expect(made.runtime.clock.view().leap).toEqual({ kind: 'undecided', ms: day })
  expect(made.interest).toBe(interestOfHour)
  made.runtime.clock.accept()
  await made.runDue()
  expect(made.interest).toBe(25n * interestOfHour)
})

describe('a start', () => {
  test('after a day without the venue is followed, and says how long it was', async () => {
    const made = await machine()
    const stopped = made.stamps.at(-1) as number
    await made.stop()
    made.sleep(day)
    await made.start()
    await made.runDue()
    expect(made.runtime.clock.view()).toMatchObject({ leap: undefined, startGapMs: made.real - stopped })
    expect(made.interest).toBe(25n * interestOfHour)
  })

  test('of the machine with a clock that is ahead is followed; set right, stamps stand, and nothing is charged again', async () => {
    const made = await machine()
    await made.stop()
    made.boot()
    made.leap(day)
    await made.start()
    await made.runDue()
    expect(made.runtime.clock.view()).toMatchObject({ leap: undefined, startGapMs: day, stampsAheadMs: 0 })
    expect(made.interest).toBe(25n * interestOfHour)
    await made.stop()
    made.boot()
    made.leap(-day)
    await made.start()
    expect(made.runtime.clock.view()).toMatchObject({ leap: undefined, stampsAheadMs: day, startGapMs: -day })
    expect(made.warnings.at(-1)?.text).toContain('behind the last stamp')
    await made.pass(day)
    expect(made.interest).toBe(25n * interestOfHour)
    await made.pass(hour)
    expect(made.interest).toBe(26n * interestOfHour)
    expect(isOrdered(made.stamps)).toBe(true)
  })

  test('in the midst of a leap goes on by the time that was kept, and asks again', async () => {
    const made = await machine()
    made.leap(365 * day)
    await made.pass(hour)
    await made.stop('killed')
    made.sleep(hour)
    await made.start()
    await made.runDue()
    expect(made.runtime.clock.view()).toMatchObject({ now: made.real, leap: { kind: 'undecided', ms: 365 * day } })
    expect(made.interest).toBe(3n * interestOfHour)
  })
})
