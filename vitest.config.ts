/** Every test of the project: beside the code in src/ and by kind in test/. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    isolate: false, // modules are loaded once for each worker; tests keep nothing in them
    maxWorkers: 2, // tests that measure time or start servers disturb each other beyond that
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
