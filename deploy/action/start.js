/**
 * The action's first half: starts `tidemark dev`, waits until it is well, and tells the steps that follow where it is.
 *
 * Tells    TIDEMARK_URL, TIDEMARK_API_KEY, TIDEMARK_SECRET, TIDEMARK_PASSPHRASE, TIDEMARK_PID in the environment; `url` as output
 * Needs    nothing but Node: the action runs from its repository as it is
 * Fails    with one line that says why, and the last lines of the venue
 * Source   action.yml; a JavaScript action, because only those have a step after the job's others (stop.js)
 */
import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const waitMsMax = 120_000
const directory = mkdtempSync(join(process.env['RUNNER_TEMP'] ?? tmpdir(), 'tidemark-'))
const log = join(directory, 'tidemark.log')
const printed = join(directory, 'ready')

const venue = startVenue()
const { url, keys } = await ready()
const role = input('role')
const key = keys[role]
if (key === undefined) fail(`role: there is no ${role}; there are ${Object.keys(keys).join(', ')}`)
await isWell(url)
tell('GITHUB_ENV', {
  TIDEMARK_URL: url,
  TIDEMARK_API_KEY: key.apiKey,
  TIDEMARK_SECRET: key.secret,
  TIDEMARK_PASSPHRASE: key.passphrase,
  TIDEMARK_PID: venue.pid,
})
tell('GITHUB_OUTPUT', { url })
console.log(`Tidemark listens on ${url}`)
process.exit()

/** Goes on when this process has ended. npx takes what the project has installed, else a registry's. */
function startVenue() {
  const version = input('version')
  const [program, ...before] = words(
    input('command') || `npx --yes ${version === '' ? 'tidemark' : `tidemark@${version}`}`,
  )
  const mode = input('deterministic') === 'true' ? ['--deterministic'] : []
  const args = [...before, 'dev', '--json', '--port', input('port'), ...mode, ...words(input('options'))]
  const child = spawn(program, args, {
    detached: true,
    // npx is a script there.
    shell: process.platform === 'win32',
    stdio: ['ignore', openSync(printed, 'w'), openSync(log, 'w')],
  })
  child.on('error', (error) => fail(`${program} cannot be run: ${error.message}`))
  child.on('exit', (code, signal) => fail(`the venue ended with ${code ?? signal} before it was ready`))
  // Said at once: a step that fails or is canceled is cleaned up after, too.
  tell('GITHUB_STATE', { pid: child.pid ?? '', log })
  return child
}

/** What it says of itself in its first line. */
async function ready() {
  for (const end = Date.now() + waitMsMax; Date.now() < end; await sleep(50)) {
    const line = /^\{"ready":.*\}$/m.exec(readFileSync(printed, 'utf8'))
    if (line !== null) return JSON.parse(line[0]).ready
  }
  return fail(`the venue was not ready within ${waitMsMax / 1_000} s`)
}

/** @param {string} at */
async function isWell(at) {
  const { status } = await fetch(`${at}/health`)
  if (status !== 200) fail(`${at}/health answers ${status}`)
}

/** As the runner hands it over. @param {string} name */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** @param {string} file variable that names a file of the runner @param {Record<string, string | number | undefined>} values */
function tell(file, values) {
  const path = process.env[file]
  if (path === undefined) fail(`${file} is not set: this runs in a workflow`)
  appendFileSync(
    path,
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
}

/** @param {string} why @returns {never} */
function fail(why) {
  console.log(readFileSync(log, 'utf8').split('\n').slice(-20).join('\n'))
  console.log(`::error title=Tidemark::${why}`)
  process.exit(1)
}
