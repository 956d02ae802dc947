/**
 * `node scripts/run.js PROGRAM [ARGUMENTS]`: installs what is missing, for tests and checks too, and runs a program of this checkout
 * under a Node that is new enough. PROGRAM is a file (it has a slash in it) or the name of a tool among our dependencies.
 */
import { launch, run } from './ready.js'

const [program, ...args] = process.argv.slice(2)
if (program === undefined) {
  console.error('usage: node scripts/run.js PROGRAM [ARGUMENTS]')
  process.exit(2)
}
await launch('everything', () => run([program.includes('/') ? program : `node_modules/.bin/${program}`, ...args]))
