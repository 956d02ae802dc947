/**
 * `test` of jest with a venue: a fork for each test, thrown away afterwards.
 *
 *   import { test, expect } from 'tidemark/jest'
 *   test('...', async ({ venue }) => { ... })
 *
 * Before   the first test the venue is started, in a time of its own (start-venue.ts)
 * Globals  are what this is made of: `injectGlobals`, as jest has it by default
 */
import { Forks, type Given } from './forks.ts'
import type { VenueOptions } from './index.ts'
import { startMsMax } from './start-venue.ts'

type Body = (given: Given) => unknown
type Take = (name: string, body: Body, timeoutMs?: number) => void
type Plain = (name: string, body: () => Promise<unknown>, timeoutMs?: number) => void
const words = ['only', 'skip', 'failing', 'concurrent'] as const
type Words = Readonly<Record<(typeof words)[number], Take>>

interface Globals {
  readonly test?: Plain & Readonly<Record<(typeof words)[number], Plain>> & { readonly todo: (name: string) => void }
  readonly beforeAll?: (body: () => Promise<void>, timeoutMs: number) => void
  readonly afterAll?: (body: () => Promise<void>) => void
  // oxlint-disable-next-line typescript/no-explicit-any -- jest's own, of the version that is there
  readonly expect?: any
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  readonly describe?: any
}

const globals = globalThis as Globals
const { test: plain, beforeAll, afterAll } = globals
if (plain === undefined || beforeAll === undefined || afterAll === undefined) {
  throw new Error(
    'tidemark/jest: the globals of jest are not there; import it in a test file that jest runs, with injectGlobals',
  )
}

export const { expect, describe } = globals

/** `test` whose venues begin with these options. */
export function venueTest(options: VenueOptions = {}): Take & Words & { readonly todo: (name: string) => void } {
  const forks = new Forks(options)
  afterAll?.(() => forks.stop())
  let hasBegun = false
  const beginOnce = () => {
    if (!hasBegun) beforeAll?.(() => forks.begin(), startMsMax)
    hasBegun = true
  }
  const taking = (take: Plain | undefined, leaves = true): Take => {
    return (name, body, timeoutMs) => {
      beginOnce()
      take?.(name, () => forks.run(leaves ? name : undefined, async (given) => body(given)), timeoutMs)
    }
  }
  const others = Object.fromEntries(
    words.map((word) => [word, taking(plain?.[word], word !== 'failing')]),
  ) as unknown as Words
  return Object.assign(taking(plain), others, { todo: (name: string) => plain?.todo(name) })
}

export const test = venueTest()
/** @alias */
export const it = test
