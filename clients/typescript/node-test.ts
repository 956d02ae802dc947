/**
 * `test` of node:test with a venue: a fork for each test, thrown away afterwards.
 *
 *   import { test } from 'tidemark/node-test'
 *   test('...', async ({ venue }) => { ... })
 *
 * Given    what the runner gives, too, as `context`
 */
import { after, describe, suite, test as plain, type TestContext, type TestOptions } from 'node:test'
import { Forks, type Given } from './forks.ts'
import type { VenueOptions } from './index.ts'

export { after, before, afterEach, beforeEach, mock } from 'node:test'
export { describe, suite }

type Body = (given: Given & { readonly context: TestContext }) => unknown
type Take = (name: string, ...rest: [Body] | [TestOptions, Body]) => Promise<void>

/** `test` whose venues begin with these options. */
export function venueTest(options: VenueOptions = {}): Take & Readonly<Record<'only' | 'skip' | 'todo', Take>> {
  const forks = new Forks(options)
  after(() => forks.stop())
  const taking = (take: typeof plain | typeof plain.only): Take => {
    return (name, ...rest) => {
      const [settings, body] = rest.length === 1 ? [{}, rest[0]] : rest
      return take(
        name,
        settings,
        (context: TestContext) => forks.run(name, async (given) => body({ ...given, context })) as Promise<void>,
      )
    }
  }
  return Object.assign(taking(plain), { only: taking(plain.only), skip: taking(plain.skip), todo: taking(plain.todo) })
}

export const test = venueTest()
/** @alias */
export const it = test
