/**
 * Every test of the project: beside the code in src/ and by kind in test/.
 *
 * `npm run coverage` measures the rooms that money depends on, each on its own: it fails where one falls below its bound.
 */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where a branch that no test takes is a branch of money, of matching, of risk or of what is durable. */
const coreRooms = [
  'src/engine/numbers',
  'src/engine/state',
  'src/engine/book',
  'src/engine/positions',
  'src/engine/margin',
  'src/journal',
]

/** Short files that take long begin first, so that both workers end together. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) =>
      /test\/(simulation|reference-model|crash)\/|test\/package\.test/.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    sequence: { sequencer: LongFirst },
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
