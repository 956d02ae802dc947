/**
 * Builds the trading terminal (web/) into dist/terminal, which the venue serves at `/`. Plain JavaScript on built-ins only,
 * like ready.js, because the launcher runs it before every start.
 *
 * Stamp      dist/terminal/built holds the hash of what it was built from; as long as that is the same nothing is done
 * Whole      a build takes its place by renaming, so that a venue that starts meanwhile reads the old one or the new one
 * Never      stops a venue from starting: without a build `/` says how to make one, and everything else works
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from './ready.js'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const builtAt = join(checkout, 'dist', 'terminal')

/** Builds what is out of date; answers whether the terminal is there. */
export function ensureTerminal() {
  const hash = sourceHash()
  if (stampOf(builtAt) === hash) return true
  const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!existsSync(vite)) return existsSync(builtAt)
  console.error('tidemark: building the terminal')
  const making = `${builtAt}-${process.pid}`
  const args = [vite, 'build', '--config', 'web/vite.config.ts', '--outDir', making, '--logLevel', 'warn']
  const build = spawnSync(nodeBinary(), args, { cwd: checkout, stdio: ['ignore', 2, 2] })
  if (build.error !== undefined || build.status !== 0) {
    console.error('tidemark: the terminal could not be built, see above; the venue starts without a new one')
    rmSync(making, { recursive: true, force: true })
    return existsSync(builtAt)
  }
  writeFileSync(join(making, 'built'), hash)
  takePlace(making, hash)
  return true
}

/**
 * Two who build at the same time make the same: who comes second throws its own away.
 * @param {string} making
 * @param {string} hash
 */
function takePlace(making, hash) {
  const old = `${making}-old`
  if (existsSync(builtAt) && stampOf(builtAt) !== hash) {
    try {
      renameSync(builtAt, old)
    } catch {
      // somebody else has moved it already
    }
  }
  try {
    mkdirSync(join(checkout, 'dist'), { recursive: true })
    renameSync(making, builtAt)
  } catch {
    // somebody else's is there
  }
  rmSync(making, { recursive: true, force: true })
  rmSync(old, { recursive: true, force: true })
}

/** Of everything that a build depends on: the sources, and the lock file with the tools and libraries. */
function sourceHash() {
  const hash = createHash('sha256').update(readFileSync(join(checkout, 'package-lock.json')))
  for (const file of filesUnder(join(checkout, 'web'))) hash.update(`\0${file}\0`).update(readFileSync(file))
  return hash.digest('hex')
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

/** @param {string} directory */
function stampOf(directory) {
  const file = join(directory, 'built')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
