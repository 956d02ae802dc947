/**
 * How the pages are built: terminal, desk, reference and the template of the guide with their scripts and styles, what they share,
 * and the chart beside the terminal.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    outDir: here('../dist/terminal/by-hand'), // scripts/terminal.js names another
    emptyOutDir: true,
    rolldownOptions: {
      // A first start is not the place for them.
      checks: { bundlerTimings: false },
      input: [here('index.html'), here('desk.html'), here('reference.html'), here('guide.html')],
    },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000, // kB: swagger-ui, which the reference alone loads
    assetsInlineLimit: 0, // the page's policy allows no inline script or style
  },
})
