/**
 * Runs bitget-api's own end-to-end suite against a venue, once in each dialect of v3: `node scripts/run.js
 * scripts/bitget-api-suite.ts DIRECTORY`, the directory being a checkout of its repository. Nothing of it is kept here.
 *
 * Unmodified   its code and tests run as they are; while they are loaded the live host is replaced by the venue's address
 * Accounts     v2 tests get a classic account, v3 tests a unified one, both with money and without positions
 * Prints       for each dialect what passed, and of what failed the first line; the exit code is 1 if anything failed
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { TestModule } from 'vitest/node'
import { startVitest } from 'vitest/node'
import type { Key } from '../test/support/person.ts'
import { startVenue, type Venue } from '../test/support/venue.ts'

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('name the directory of a checkout of bitget-api')
const suite = resolve(directory)
const require = createRequire(import.meta.url)

let failed = false
for (const dialect of ['interface', 'live']) {
  const venue = await startVenue({ environment: { TIDEMARK_V3_DIALECT: dialect } })
  try {
    await setEnvironment(venue)
    const vitest = await startVitest('test', [], vitestOptions(), viteOptions())
    const modules = vitest.state.getTestModules()
    await vitest.close()
    failed = report(dialect, modules) || failed
  } finally {
    await venue.remove()
  }
}
process.exit(failed ? 1 : 0)

/** What the suite looks for in its environment, and the venue's address beside it. */
async function setEnvironment(venue: Venue): Promise<void> {
  const money = { USDT: '100000', BTC: '1' }
  const classic = await venue.person('classic', {
    mode: 'classic',
    funds: { spot: money, usdt_futures: { USDT: '100000' } },
  })
  const unified = await venue.person('unified', { funds: { uta: money } })
  const set = (suffix: string, { apiKey, secret, passphrase }: Key) => {
    Object.assign(process.env, {
      [`API_KEY_COM${suffix}`]: apiKey,
      [`API_SECRET_COM${suffix}`]: secret,
      [`API_PASS_COM${suffix}`]: passphrase,
    })
  }
  Object.assign(process.env, { VENUE_URL: venue.url })
  set('', classic.key)
  set('_V3', unified.key)
}

function vitestOptions() {
  return {
    root: suite,
    config: false as const,
    watch: false,
    globals: true,
    include: ['test/**/*.test.ts'],
    pool: 'forks' as const,
    maxWorkers: 1,
    testTimeout: 15_000,
    reporters: [{}],
  }
}

/** Loads the suite with the venue in the place of the live host, and with the libraries that are installed here. */
function viteOptions() {
  return {
    plugins: [
      {
        name: 'address',
        enforce: 'pre' as const,
        transform: (code: string) => code.replaceAll("'https://api.bitget.com'", "process.env['VENUE_URL']"),
      },
    ],
    resolve: {
      alias: Object.fromEntries(['axios', 'isomorphic-ws'].map((name) => [name, require.resolve(name)])),
    },
  }
}

/** Whether anything failed. */
function report(dialect: string, modules: readonly TestModule[]): boolean {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const of = (state: string) => tests.filter((one) => one.result().state === state)
  console.log(
    `v3Dialect ${dialect}: ${of('passed').length} passed, ${of('failed').length} failed, ${of('skipped').length} skipped`,
  )
  for (const module of modules)
    for (const error of module.errors()) console.log(`  ${module.relativeModuleId}: ${error.message}`)
  for (const one of of('failed')) {
    const [first = ''] = one.result().errors?.[0]?.message.split('\n') ?? []
    console.log(`  ${one.fullName}: ${first}`)
  }
  return of('failed').length > 0 || modules.some((module) => module.errors().length > 0)
}
