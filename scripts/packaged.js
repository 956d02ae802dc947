/**
 * How a command of the installed package begins. It installs nothing and builds nothing. Plain JavaScript that a much older Node can
 * read, so that this says which Node is needed and no syntax error does.
 *
 * Compiled  what Node made of our modules is kept beside the installed packages, else where Node keeps such things, else not
 * A venue   is a process of its own where it may ask for large pages so (instead.js)
 * Exits     2 under a Node that is too old
 */
import module from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { choseItsPages, runInstead, stopWithNpx } from './instead.js'
import { useJoined } from './joined.js'

/** `engines.node` of package.json. */
const nodeMajorMin = 24

/**
 * Hands over to a program of the package.
 * @param {string} command as it was called
 * @param {URL} program
 * @param {URL} packageRoot the directory of the package
 */
export function begin(command, program, packageRoot) {
  const { node } = process.versions
  if (Number.parseInt(node, 10) < nodeMajorMin) {
    console.error(`${command}: needs Node ${nodeMajorMin} or newer; this is ${node}${wayToOne()}`)
    process.exitCode = 2
    return
  }
  keepCompiled(fileURLToPath(packageRoot))
  stopWithNpx()
  const args = process.argv.slice(2)
  const isVenue = command === 'tidemark' && args[0] === 'start'
  if (isVenue && !choseItsPages()) runInstead(process.execPath, [fileURLToPath(program), ...args])
  else {
    if (command === 'tidemark' && args[0] === 'dev') useJoined(fileURLToPath(new URL('dist/joined', packageRoot)))
    void import(program.href)
  }
}

/** Programs of a project come first for npx, so that a package with Node in it is the Node of what npx runs. */
function wayToOne() {
  const { platform, arch } = process
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch)) return ''
  return `. npm i -D node-linux-${arch}@${nodeMajorMin} brings one to this project`
}

/** For this process, and by the variable for threads and further processes. @param {string} root */
function keepCompiled(root) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return // Node has seen to it
  const packages = dirname(root)
  const ours = basename(packages) === 'node_modules' ? join(packages, '.cache', 'tidemark') : undefined
  const { status } = module.enableCompileCache(ours)
  if (status === module.constants.compileCacheStatus.FAILED && ours !== undefined) module.enableCompileCache()
  // Node makes a directory for its version in the one that it is given.
  const kept = module.getCompileCacheDir()
  if (kept !== undefined) process.env.NODE_COMPILE_CACHE = dirname(kept)
}
