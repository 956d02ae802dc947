/**
 * A fork for each test where the runner has no fixtures: of one venue for the worker, started by the first test that needs it.
 */
import { leaveRecording } from './failed.ts'
import { startVenue, type Venue, type VenueOptions } from './index.ts'

/** What a test gets. */
export interface Given {
  /** A fork of the session, thrown away after the test. */
  readonly venue: Venue
  /** What forks are made of: what a test does to it the next one finds. */
  readonly venueSession: Venue
}

export class Forks {
  readonly #options: VenueOptions
  #session: Promise<Venue> | undefined

  constructor(options: VenueOptions) {
    this.#options = options
  }

  /** Before the first test, in a time of its own. */
  async begin(): Promise<void> {
    await (this.#session ??= startVenue(this.#options))
  }

  /** `name` is the test's: if it fails its recording is left under it. Undefined: it is to fail. */
  async run<Outcome>(name: string | undefined, test: (given: Given) => Outcome | Promise<Outcome>): Promise<Outcome> {
    const venueSession = await (this.#session ??= startVenue(this.#options))
    const venue = await venueSession.fork()
    try {
      return await test({ venue, venueSession })
    } catch (error) {
      if (name !== undefined) await leaveRecording(venue, name)
      throw error
    } finally {
      await venue.stop()
    }
  }

  async stop(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    // Whoever started it was told why it did not start.
    await (await session?.catch(() => undefined))?.stop()
  }
}
