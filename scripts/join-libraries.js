/**
 * `node scripts/join-libraries.js DIRECTORY`: makes the files that joined.js uses, under that name when all are there. Two who
 * do so at the same time make the same.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { joined } from './joined.js'

const [directory = ''] = parseArgs({ allowPositionals: true }).positionals
const yamlAsModules = fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url))
const making = `${directory}-${process.pid}`
await build({
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  publicDir: false,
  logLevel: 'error',
  // The same as modules: what Node gets of it is CommonJS, whose names a joined file would not have.
  resolve: { alias: [{ find: /^yaml$/, replacement: yamlAsModules }] },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: making,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      preserveEntrySignatures: 'strict',
      input: Object.fromEntries(Object.entries(joined).map(([name, file]) => [file.replace(/\.js$/, ''), name])),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'shared-[name].js',
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      },
    },
  },
})
try {
  renameSync(making, directory)
} catch (error) {
  rmSync(making, { recursive: true, force: true })
  if (!existsSync(directory)) throw error
}
