/** How the terminal is built: one page, its script and style, and the chart as a part that is loaded beside it. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    outDir: fileURLToPath(new URL('../dist/terminal/by-hand', import.meta.url)), // scripts/terminal.js names another
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the page's policy allows no inline script or style
  },
})
