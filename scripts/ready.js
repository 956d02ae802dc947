/**
 * Makes a fresh checkout runnable: installs what the lock file asks for, finds a Node that is new enough, and runs a
 * program under it, in memory of large pages. Plain JavaScript on built-ins only, because it runs before anything is installed and on a Node
 * as old as 20.
 *
 * Holds      after `ensureInstalled` the packages in node_modules are those of package-lock.json
 *            · the launcher ends as its program ended, and the program never outlives the launcher
 *            · nothing here writes to standard output, which belongs to the program
 * Not here   a container image, which has Node 24 and installs on its own: it runs src/cli/cli.ts directly
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('..', import.meta.url))
/** What Node made of our modules the last time: less than a fifth of a start, and nobody misses it where it cannot be kept. */
const compileCache = join(checkout, 'node_modules', '.cache', 'compiled')
const followParent = new URL('follow-parent.js', import.meta.url).href

/** The oldest Node that runs our TypeScript as it is: `engines.node` in package.json. */
const nodeMajorMin = 24

/**
 * Has the C library ask the system for memory in pages of 2 MB (docs/decisions/0007-large-pages.md). It reads this when a process
 * begins, so that no program can ask for itself.
 */
const largePages = 'glibc.malloc.hugetlb=1'

/** A fault the user can do something about: printed as one line, without a stack. */
export class NotReady extends Error {}

/**
 * Runs `npm ci` if node_modules is absent or was not installed from the present package-lock.json.
 * @param {string} root directory of the package.json
 */
export function ensureInstalled(root = checkout) {
  if (isInstalled(root)) return
  console.error('tidemark: installing dependencies (npm ci)')
  // Whatever NODE_ENV or the user's npm settings say: the stamp below promises the whole lock, not a part of it.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--include=optional'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (npm.error) throw new NotReady(`cannot run npm: ${npm.error.message}`)
  if (npm.status !== 0) throw new NotReady('npm ci failed, see its messages above')
  writeStamp(root)
}

/**
 * Whether node_modules belongs to the present package-lock.json.
 * @param {string} root directory of the package.json
 */
export function isInstalled(root = checkout) {
  const stamp = readIfThere(stampFile(root))
  if (stamp === lockHash(root)) return true
  if (!installedByHand(root)) return false
  writeStamp(root)
  return true
}

/**
 * Someone ran `npm ci` or `npm install` themselves: npm's own record of what it installed lists every package of the
 * lock, except optional ones, of which only those of this platform are there.
 * @param {string} root
 */
function installedByHand(root) {
  const record = readIfThere(join(root, 'node_modules', '.package-lock.json'))
  if (record === undefined) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const found = JSON.parse(record).packages
  for (const path of Object.keys(wanted)) {
    if (path === '') continue
    const missing = found[path] === undefined
    if (missing ? !wanted[path].optional : found[path].integrity !== wanted[path].integrity) return false
  }
  return Object.keys(found).every((path) => wanted[path] !== undefined)
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules', '.tidemark-installed')
}

/** @param {string} root */
function writeStamp(root) {
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(stampFile(root), lockHash(root))
}

/** @param {string} root */
function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Whether the Node that runs this very process is new enough. */
export function nodeIsCurrent(version = process.versions.node) {
  return Number.parseInt(version, 10) >= nodeMajorMin
}

/**
 * Path of a Node that is new enough: this process's own, else the one among our dependencies.
 * @param {{ root?: string, version?: string, arch?: string }} [host]
 */
export function nodeBinary({ root = checkout, version = process.versions.node, arch = process.arch } = {}) {
  if (nodeIsCurrent(version)) return process.execPath
  const bundled = join(root, 'node_modules', `node-linux-${arch}`, 'bin', 'node')
  if (existsSync(bundled)) return bundled
  throw new NotReady(`needs Node ${nodeMajorMin} or newer; this is ${version} and none is bundled for this platform`)
}

/**
 * Whether this process has been told which pages to ask for, or is where nobody would hear of it.
 * @param {string | undefined} given
 */
export function choseItsPages(given = process.env.GLIBC_TUNABLES, platform = process.platform) {
  return platform !== 'linux' || given?.includes('glibc.malloc.hugetlb=') === true
}

/** What is set already stays, also a choice of other pages. */
function tunables() {
  const { GLIBC_TUNABLES: given } = process.env
  if (choseItsPages(given)) return given
  return given ? `${given}:${largePages}` : largePages
}

/**
 * Runs `node ...args` in the place of this process: same standard streams, same signals, same end.
 * A Ctrl-C in a terminal reaches the program twice, once from the terminal and once from here.
 * @param {string[]} args
 */
export function run(args) {
  const node = nodeBinary()
  const child = spawn(node, ['--import', followParent, ...args], {
    // The channel carries no messages. It closes when this process ends, however it ends; see follow-parent.js.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: dirname(node) + delimiter + (process.env.PATH ?? ''), // for `#!/usr/bin/env node` further down
      GLIBC_TUNABLES: tunables(),
      TIDEMARK_LAUNCHER: String(process.pid),
    },
  })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    console.error(`tidemark: cannot run ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
}

/**
 * Runs `program`, and prints what makes us not ready as one line.
 * @param {() => void | Promise<void>} program
 */
export async function launch(program) {
  try {
    ensureInstalled()
    process.env.NODE_COMPILE_CACHE ??= compileCache // for threads, and for processes of the venue's own
    if (nodeIsCurrent()) module.enableCompileCache()
    await program()
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    console.error(`tidemark: ${error.message}`)
    process.exit(1)
  }
}
