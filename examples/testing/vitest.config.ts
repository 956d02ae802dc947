/**
 * The tests of this example. `tidemark` is the checkout; with the package installed the alias goes.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const clients = new URL('../../clients/typescript/', import.meta.url)
const at = (file: string) => fileURLToPath(new URL(file, clients))

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: [
      { find: /^tidemark\/(.+)$/, replacement: `${at('')}$1.ts` },
      { find: /^tidemark$/, replacement: at('index.ts') },
    ],
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, maxWorkers: 2 },
})
