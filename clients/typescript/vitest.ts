/**
 * `test` of vitest with a venue: `venue` is a fork for each test, thrown away afterwards.
 *
 *   import { test, expect } from 'tidemark/vitest'
 *   test('...', async ({ venue }) => { ... })
 *
 * Failed   a test that fails leaves the recording of its venue (failed.ts)
 * Session  `venueSession` is what forks are made of: one for each worker. What a test does to it the next one finds
 */
import { test as plain } from 'vitest'
import { leaveRecording } from './failed.ts'
import { startVenue, type Venue, type VenueOptions } from './index.ts'

export * from 'vitest'

/** `test` whose venues begin with these options. */
export function venueTest(options: VenueOptions = {}) {
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

export const test = venueTest()
/** @alias */
export const it = test
