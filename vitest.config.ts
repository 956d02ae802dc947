/**
 * Every test of the project: beside the code in src/ and by kind in test/.
 *
 * `npm run coverage` measures the rooms that money depends on, each on its own: it fails where one falls below its bound.
 */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longest } from './test/longest.ts'

/** Where a branch that no test takes is a branch of money, of matching, of risk or of what is durable. */
const coreRooms = [
  'src/engine/numbers',
  'src/engine/state',
  'src/engine/book',
  'src/engine/positions',
  'src/engine/margin',
  'src/journal',
]

/** Files that take longest begin first, so that all workers end together (test/longest.ts). */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const places = new Map(longest.map((name, place) => [`/test/${name}.test.ts`, place]))
    const placeOf = ({ moduleId }: TestSpecification) =>
      places.get(moduleId.slice(moduleId.lastIndexOf('/test/'))) ?? longest.length
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/joined-libraries.ts'],
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    isolate: false, // modules are loaded once for each worker; tests keep nothing in them
    maxWorkers: 2, // tests that measure time or start servers disturb each other beyond that
    testTimeout: 120_000, // ten times what the longest takes on a machine with nothing else to do
    hookTimeout: 120_000,
    coverage: {
      include: coreRooms.map((room) => `${room}/**`),
      reporter: ['text', 'json'],
      reportsDirectory: 'coverage',
      thresholds: Object.fromEntries(coreRooms.map((room) => [`${room}/**`, { branches: 95 }])),
    },
  },
})
