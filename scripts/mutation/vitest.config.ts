/** The tests near one room, for the mutation runner: those that `mutation.ts` names, those of random traders left out. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split(','),
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
  },
})
