/** What falls due becomes a command: by the system's clock when its time has come, on the manual clock on the way. */
import { describe, expect, test, vi } from 'vitest'
import { alice, deposit, poison, Recorder, SmallEngine, SmallHistory } from './small-engine.ts'
import { newDirectory, openVenue, timerRunsOf } from './venue.ts'

const start = 1_700_000_000_000
const hour = 3_600_000

describe('the manual clock', () => {
  test('stands still until it is moved, and runs each timer at its own time', async () => {
    const recorder = new Recorder()
    const venue = await openVenue({ clock: { kind: 'manual', startAt: start }, consumers: [recorder] })
    await venue.submit(deposit(alice, 1n))
    expect(venue.now()).toBe(start)
    const target = start + 3 * hour + 5
    await venue.advance(3 * hour + 5)
    expect(venue.now()).toBe(target)
    const dueAt = [start + hour, start + 2 * hour, start + 3 * hour]
    expect(timerRunsOf(venue)).toEqual(dueAt)
    expect(recorder.commands.map((command) => command.at)).toEqual([start, ...dueAt, target])
    await venue.submit(deposit(alice, 1n))
    expect(recorder.commands.at(-1)!.at).toBe(target)
  })

  test.each([
    [hour - 1, 0],
    [hour, 1],
    [2 * hour - 1, 1],
  ])('after %d ms the hourly timer has run %d times', async (ms, runs) => {
    const venue = await openVenue({ clock: { kind: 'manual', startAt: start } })
    await venue.submit(deposit(alice, 1n))
    await venue.advance(ms)
    expect(timerRunsOf(venue)).toHaveLength(runs)
  })

  test('moves once for each call, one call after the other', async () => {
    const venue = await openVenue({ clock: { kind: 'manual', startAt: start } })
    await venue.submit(deposit(alice, 1n))
    await Promise.all([venue.advance(hour), venue.advance(hour), venue.advance(0)])
    expect(venue.now()).toBe(start + 2 * hour)
    expect(timerRunsOf(venue)).toHaveLength(2)
  })

  test.each([
    // moved by                    ms        commands
    ['to where no timer is', 5, 1],
    ['to the millisecond before a timer', hour - 1, 1],
    ['to a timer', hour, 1],
    ['past a timer', hour + 5, 2],
  ])('is where it was moved to after a restart, with and without a snapshot: %s', async (_what, ms, commands) => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, clock: { kind: 'manual', startAt: start } })
    await first.submit(deposit(alice, 1n))
    await first.advance(ms)
    expect(first.sequence).toBe(1 + commands)
    const crashed = await openVenue({ dataDirectory, clock: { kind: 'manual' } })
    expect(crashed.now()).toBe(start + ms)
    await crashed.stop()
    const restarted = await openVenue({ dataDirectory, clock: { kind: 'manual' } })
    expect(restarted.now()).toBe(start + ms)
    expect(restarted.sequence).toBe(1 + commands)
    await restarted.advance(2 * hour - ms)
    expect(timerRunsOf(restarted)).toEqual([start + hour, start + 2 * hour])
  })

  test('is moved with the first command of a venue too', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, clock: { kind: 'manual', startAt: start } })
    await first.advance(5)
    const crashed = await openVenue({ dataDirectory, clock: { kind: 'manual', startAt: start } })
    expect(crashed.now()).toBe(start + 5)
  })

  test('stays at a timer that does not run, instead of turning in a circle', async () => {
    class Stuck extends SmallEngine {
      override apply(command: Parameters<SmallEngine['apply']>[0], sequence: number, at: number) {
        return super.apply(command.kind === 'run-timers' ? poison() : command, sequence, at)
      }
    }
    const venue = await openVenue({ clock: { kind: 'manual', startAt: start }, engineClass: Stuck })
    await venue.submit(deposit(alice, 1n))
    await expect(venue.advance(2 * hour)).rejects.toThrow(`the timer of ${start + hour} did not run`)
    expect(venue.now()).toBe(start + hour)
    expect(venue.sequence).toBe(2)
  })

  describe('moves no faster than history writes', () => {
    /** Ten thousand events wait more with each command, until they are written. */
    class SlowHistory extends SmallHistory {
      pendingMost = 0
      flushed = 0

      override record(...recorded: Parameters<SmallHistory['record']>): void {
        super.record(...recorded)
        this.pendingEvents += 10_000
        this.pendingMost = Math.max(this.pendingMost, this.pendingEvents)
      }

      override async flush(): Promise<void> {
        this.flushed += 1
        await super.flush()
      }
    }

    test('at each timer on the way, and where it is moved step by step', async () => {
      const history = new SlowHistory()
      const venue = await openVenue({ clock: { kind: 'manual', startAt: start }, history })
      await venue.submit(deposit(alice, 1n))
      await venue.advance(100 * hour)
      for (let step = 0; step < 100; step++) await venue.advance(5)
      expect(timerRunsOf(venue)).toHaveLength(100)
      expect(history.pendingMost).toBeLessThanOrEqual(50_000)
    })

    test('and goes on without a history that fails', async () => {
      class FailingHistory extends SlowHistory {
        override async flush(): Promise<void> {
          await super.flush()
          throw new Error('the disk is full')
        }
      }
      const history = new FailingHistory()
      const venue = await openVenue({ clock: { kind: 'manual', startAt: start }, history })
      await venue.submit(deposit(alice, 1n))
      await venue.advance(100 * hour)
      expect(timerRunsOf(venue)).toHaveLength(100)
      expect(history.flushed).toBeGreaterThan(0)
    })
  })

  test('is the only one that can be moved', async () => {
    const venue = await openVenue()
    expect(() => venue.advance(1)).toThrow('only the manual clock')
  })
})

describe('the system clock', () => {
  test('wakes the timer when it is due, once', async () => {
    let now = start
    const venue = await openVenue({ clock: { kind: 'system', now: () => now } })
    await venue.submit(deposit(alice, 1n))
    now = start + hour - 30
    await venue.submit(deposit(alice, 1n))
    now = start + hour
    await vi.waitFor(() => expect(timerRunsOf(venue)).toEqual([start + hour]))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(venue.sequence).toBe(3)
  })

  test('runs what fell due while the venue was down, as soon as it is up', async () => {
    const dataDirectory = await newDirectory()
    const first = await openVenue({ dataDirectory, clock: { kind: 'system', now: () => start } })
    await first.submit(deposit(alice, 1n))
    await first.stop()
    const later = start + 5 * hour
    const second = await openVenue({ dataDirectory, clock: { kind: 'system', now: () => later } })
    await vi.waitFor(() => expect(timerRunsOf(second)).toHaveLength(5))
  })
})
