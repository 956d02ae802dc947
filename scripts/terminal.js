/**
 * Builds the pages of web/ for the venue to serve: the trading terminal, the operator's desk, the reference and the guide. Plain
 * JavaScript on built-ins only, like ready.js, because the launcher runs it before every start.
 *
 * Where      dist/terminal/HASH, named by what it was built from; dist/terminal/current says which one counts. As long as that
 *            is the right one nothing is done
 * Guide      docs/, README and CHANGELOG are rendered into the build by scripts/guide.ts
 * Packed     each file that gains by it is there as NAME.gz alone: no start has to pack it, and it takes a third of the place
 * Whole      a build gets its name when it is complete and never changes after; `current` is replaced in one step. So a venue
 *            that starts meanwhile reads one build or the other, and earlier ones are left for an hour
 * Never      stops a venue from starting: without a build `/` says how to make one, and everything else works
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { nodeBinary } from './ready.js'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const buildsAt = join(checkout, 'dist', 'terminal')
const currentFile = join(buildsAt, 'current')
const keptMs = 3_600_000
/** Of what a build looks like: another one makes the builds before it out of date. */
const layout = 'packed'
/** What is smaller gains nothing by being packed. */
const packedFromBytes = 1_024

/** Builds what is out of date; answers whether the terminal is there. */
export function ensureTerminal() {
  const hash = sourceHash()
  if (current() === hash) return true
  const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!existsSync(vite)) return current() !== undefined
  if (!existsSync(join(buildsAt, hash)) && !build(vite, hash)) return current() !== undefined
  const next = `${currentFile}-${process.pid}`
  writeFileSync(next, hash)
  renameSync(next, currentFile)
  removeOld(hash)
  return true
}

/**
 * @param {string} vite
 * @param {string} hash
 */
function build(vite, hash) {
  console.error('tidemark: building the terminal')
  mkdirSync(buildsAt, { recursive: true })
  const making = join(buildsAt, `making-${process.pid}`)
  const args = [vite, 'build', '--config', 'web/vite.config.ts', '--outDir', making, '--logLevel', 'warn']
  // A start under a test runner would otherwise bundle what libraries have for development, under the same name.
  const env = { ...process.env, NODE_ENV: 'production' }
  const ran = (/** @type {readonly string[]} */ words) => {
    const { error, status } = spawnSync(nodeBinary(), words, { cwd: checkout, env, stdio: ['ignore', 2, 2] })
    return error === undefined && status === 0
  }
  const built = ran(args) && ran([join('scripts', 'guide.ts'), making])
  if (built) {
    pack(making)
    takeName(making, join(buildsAt, hash))
  } else {
    console.error('tidemark: the terminal could not be built, see above; the venue starts without a new one')
  }
  rmSync(making, { recursive: true, force: true })
  return built
}

/** @param {string} directory */
function pack(directory) {
  for (const file of filesUnder(directory)) {
    const bytes = readFileSync(file)
    if (bytes.length <= packedFromBytes) continue
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    rmSync(file)
  }
}

/**
 * Two who build at the same time make the same: who comes second throws its own away.
 * @param {string} making
 * @param {string} name
 */
function takeName(making, name) {
  try {
    renameSync(making, name)
  } catch (error) {
    if (!existsSync(name)) throw error
  }
}

/** Somebody may just be reading the build before this one. @param {string} hash */
function removeOld(hash) {
  for (const name of readdirSync(buildsAt)) {
    const path = join(buildsAt, name)
    if (name === hash || path === currentFile || Date.now() - statSync(path).mtimeMs < keptMs) continue
    rmSync(path, { recursive: true, force: true })
  }
}

/** The hash of the build that counts, if it is there. */
function current() {
  const hash = existsSync(currentFile) ? readFileSync(currentFile, 'utf8') : ''
  return hash !== '' && existsSync(join(buildsAt, hash)) ? hash : undefined
}

/** Of everything that a build depends on: the sources, the pages of the guide, and the lock file with the tools and libraries. */
function sourceHash() {
  const hash = createHash('sha256')
    .update(readFileSync(join(checkout, 'package-lock.json')))
    .update(layout)
  const sources = ['web', 'docs', join('scripts', 'guide')].flatMap((name) => filesUnder(join(checkout, name)))
  const beside = ['README.md', 'CHANGELOG.md', join('scripts', 'guide.ts')].map((name) => join(checkout, name))
  for (const file of [...sources, ...beside]) hash.update(`\0${relative(checkout, file)}\0`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function filesUnder(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
