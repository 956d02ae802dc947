/**
 * `test` of vitest with a venue: `venue` is a fork for each test, thrown away afterwards.
 *
 *   import { test, expect } from 'tidemark/vitest'
 *   test('...', async ({ venue }) => { ... })
 *
 * Failed   a test that fails leaves the recording of its venue (failed.ts)
 * Before   the first test of a file the laboratory is started, in a time of its own (start-venue.ts)
 * Session  `venueSession` is what forks are made of: one for each worker. What a test does to it the next one finds
 */
import { beforeAll, test as plain } from 'vitest'
import { leaveRecording } from './failed.ts'
import { startVenue, type Venue, type VenueOptions } from './index.ts'
import { holdLaboratory, startMsMax } from './start-venue.ts'

export * from 'vitest'

/** `test` whose venues begin with these options. */
export function venueTest(options: VenueOptions = {}) {
  startBefore(options)
  return testOf(options)
}

function startBefore(options: VenueOptions): void {
  beforeAll(() => holdLaboratory(options), startMsMax)
}

function testOf(options: VenueOptions) {
  return (
    plain
      // oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads from the pattern what a fixture needs
      .extend('venueSession', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Venue> => {
        const session = await startVenue(options)
        onCleanup(() => session.stop())
        return session
      })
      .extend('venue', async ({ venueSession, task }, { onCleanup }): Promise<Venue> => {
        const venue = await venueSession.fork()
        onCleanup(async () => {
          if (task.result?.state === 'fail') await leaveRecording(venue, task.name)
          await venue.stop()
        })
        return venue
      })
  )
}

/** The same; `begin` is called when it is used for the first time. */
function beginning<Test extends ReturnType<typeof testOf>>(used: Test, begin: () => void): Test {
  let hasBegun = false
  const once = () => {
    if (!hasBegun) begin()
    hasBegun = true
  }
  return new Proxy(used, {
    apply(target, self, given) {
      once()
      return Reflect.apply(target, self, given) as unknown
    },
    get(target, name) {
      once()
      return Reflect.get(target, name) as unknown
    },
  })
}

/** Where `venueTest` alone is used, it starts nothing. */
export const test = beginning(testOf({}), () => startBefore({}))
/** @alias */
export const it = test
