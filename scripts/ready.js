/**
 * Makes a fresh checkout runnable: installs what the lock file asks for, finds a Node that is new enough, and runs a
 * program under it (instead.js). Plain JavaScript on built-ins only, because it runs before anything is installed and on a Node as
 * old as 20.
 *
 * Holds      after `ensureInstalled` the packages in node_modules are those of package-lock.json, all or what running needs
 *            · nothing here writes to standard output, which belongs to the program
 * Not here   a container image, which has Node 24 and installs on its own: it runs src/cli/cli.ts directly
 *            · the package, which installs nothing (packaged.js)
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { choseItsPages, runInstead, stopWithNpx } from './instead.js'

export { choseItsPages }

const checkout = fileURLToPath(new URL('..', import.meta.url))
/** What Node made of our modules the last time: less than a fifth of a start, and nobody misses it where it cannot be kept. */
const compileCache = join(checkout, 'node_modules', '.cache', 'compiled')

/** The oldest Node that runs our TypeScript as it is: `engines.node` in package.json. */
const nodeMajorMin = 24

/** A fault the user can do something about: printed as one line, without a stack. */
export class NotReady extends Error {}

/**
 * What is installed: what running needs, or with it what tests and checks need.
 * @typedef {'running' | 'everything'} Extent
 */

/**
 * Installs what the lock file asks for, unless it is there: with `npm ci`, and what is missing for `everything` beside what runs.
 * @param {Extent} extent
 * @param {string} root directory of the package.json
 */
export function ensureInstalled(extent, root = checkout) {
  if (isInstalled(extent, root)) return
  const adds = extent === 'everything' && isInstalled('running', root)
  // A venue of this checkout may be running: nothing that it reads goes away meanwhile.
  const [command, ...options] = adds ? ['install', '--no-save'] : ['ci']
  console.error(`tidemark: installing ${extent === 'running' ? 'what running needs' : 'dependencies'} (npm ${command})`)
  // Whatever NODE_ENV or the user's npm settings say: the stamp below promises all of it.
  const include = extent === 'running' ? '--omit=dev' : '--include=dev'
  const args = [command, ...options, include, '--include=optional']
  const npm = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (npm.error) throw new NotReady(`cannot run npm: ${npm.error.message}`)
  if (npm.status !== 0) throw new NotReady(`npm ${command} failed, see its messages above`)
  const missing = missingOf(extent, root)
  if (missing.length > 0)
    throw new NotReady(`npm ${command} left out ${missing.join(', ')}: is the registry there? Try again`)
  removeHeaders(root)
  writeStamp(extent, root)
}

/**
 * Whether node_modules belongs to the present package-lock.json, and has so much of it.
 * @param {Extent} extent
 * @param {string} root directory of the package.json
 */
export function isInstalled(extent, root = checkout) {
  const [hash, stamped] = readIfThere(stampFile(root))?.split(' ') ?? []
  if (hash === lockHash(root) && (stamped === 'everything' || stamped === extent)) return true
  // Someone ran `npm ci` or `npm install` themselves.
  if (!existsSync(recordOfNpm(root)) || missingOf(extent, root).length > 0) return false
  writeStamp(extent, root)
  return true
}

/**
 * Packages of the lock that are not there as it asks for them, by npm's own record of what it installed, or are there and not in it. Of
 * those that some platforms alone have only what is there is looked at.
 * @param {Extent} extent
 * @param {string} root
 * @returns {string[]} their paths
 */
function missingOf(extent, root) {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const record = readIfThere(recordOfNpm(root))
  const found = record === undefined ? {} : JSON.parse(record).packages
  const own = new Set(Object.keys(wanted['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`))
  const mayBeMissing = (/** @type {string} */ path) => {
    const { dev, optional, os } = wanted[path]
    return (dev && extent === 'running') || (optional && (os !== undefined || !own.has(path)))
  }
  const missing = Object.keys(wanted).filter((path) => {
    if (path === '') return false
    return found[path] === undefined ? !mayBeMissing(path) : found[path].integrity !== wanted[path].integrity
  })
  return [...missing, ...Object.keys(found).filter((path) => wanted[path] === undefined)]
}

/** Nobody compiles against them: a third of the Node that comes as a package. @param {string} root */
function removeHeaders(root) {
  rmSync(join(root, 'node_modules', `node-linux-${process.arch}`, 'include'), { recursive: true, force: true })
}

/** @param {string} root */
function recordOfNpm(root) {
  return join(root, 'node_modules', '.package-lock.json')
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules', '.tidemark-installed')
}

/** @param {Extent} extent @param {string} root */
function writeStamp(extent, root) {
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(stampFile(root), `${lockHash(root)} ${extent}`)
}

/** @param {string} root */
function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function joiningHash() {
  const files = ['package-lock.json', 'scripts/joined.js', 'scripts/join-libraries.js']
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(checkout, file)))
  return hash.digest('hex')
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
 * Libraries joined into files (joined.js), made if there are none for the present lock and the present way of joining; undefined where that can't be done.
 * @returns {string | undefined} their directory
 */
export function ensureJoined() {
  const directory = join(checkout, 'node_modules', '.cache', 'joined', joiningHash())
  if (existsSync(directory)) return directory
  const program = join(checkout, 'scripts', 'join-libraries.js')
  const { status } = spawnSync(nodeBinary(), [program, directory], { cwd: checkout, stdio: ['ignore', 2, 2] })
  return status === 0 ? directory : undefined
}

/** Runs `node ...args` in the place of this process, by a Node that is new enough. @param {string[]} args */
export function run(args) {
  runInstead(nodeBinary(), args)
}

/**
 * Runs `program`, and prints what makes us not ready as one line.
 * @param {Extent} extent what it needs to be installed
 * @param {() => void | Promise<void>} program
 */
export async function launch(extent, program) {
  try {
    ensureInstalled(extent)
    stopWithNpx()
    process.env.NODE_COMPILE_CACHE ??= compileCache // for threads, and for processes of the venue's own
    if (nodeIsCurrent()) module.enableCompileCache()
    await program()
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    console.error(`tidemark: ${error.message}`)
    process.exit(1)
  }
}
