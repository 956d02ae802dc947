/**
 * The laboratory's process that the workers of a test run share: started by whoever needs it first, and gone five seconds after the
 * last of them.
 *
 * Lock     a file in the temporary directory, one for each user, program and settings of the process: whoever makes it starts the
 *          process and writes its address there. Who finds one that leads nowhere takes it away
 * Apart    its event loop, heap and timers are its own, whatever a test does to those of its worker
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LabError } from './calls.ts'

const program = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
const { now: systemNow } = Date
/** Of the moment of the import: a test may make the exported one fake. */
const sleep = wait

const startMsMax = 30_000
const lookEveryMs = 15
/** Forks of a few hundred tests at a time. */
const venuesMax = 512

/** Settings of a process: venues with others need another one. */
export interface ProcessSettings {
  readonly deterministic: boolean
  readonly rateLimits: boolean
}

/** One client's hold on a laboratory; the process is there as long as somebody holds it. */
export interface Held {
  readonly url: string
  leave(): void | Promise<void>
}

/** Finds the process or starts it. Throws LabError `no-start` with what it said. */
export async function holdLab(settings: ProcessSettings): Promise<Held> {
  const lock = lockOf(settings)
  const until = systemNow() + startMsMax
  for (;;) {
    const found = readLock(lock)
    if (found === undefined) {
      if (makeLock(lock)) await start(lock, settings)
      continue
    }
    if (found.url !== undefined) {
      const held = await holdAt(found.url)
      if (held !== undefined) return held
      takeAway(lock, found.text)
    } else if (!isAlive(found.pid)) takeAway(lock, found.text)
    else await sleep(lookEveryMs)
    if (systemNow() > until) throw noStart(`no laboratory was ready within ${startMsMax / 1000} s: ${lock}`)
  }
}

/** Holds the laboratory at an address; undefined: there is none. The hold keeps no process alive. */
export function holdAt(url: string, token?: string): Promise<Held | undefined> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const request = get(`${url}/_lab/attached`, { agent: new Agent({ keepAlive: false }), headers }, (response) => {
      response.resume()
      response.on('error', () => {})
      if (response.statusCode === 200) return resolve({ url, leave: () => void request.destroy() })
      request.destroy()
      resolve(undefined)
    })
    request.on('response', () => request.socket?.unref())
    request.on('error', () => resolve(undefined))
  })
}

async function start(lock: string, { deterministic, rateLimits }: ProcessSettings): Promise<void> {
  const log = `${lock}.log`
  const output = openSync(log, 'w', 0o600)
  const flags = [
    '--port=0',
    '--simulator=off',
    `--venues-max=${venuesMax}`,
    '--ends-with-clients',
    ...(deterministic ? ['--deterministic'] : []),
    ...(rateLimits ? [] : ['--no-rate-limits']),
  ]
  try {
    const child = spawn(process.execPath, [program, 'dev', ...flags], {
      cwd: tmpdir(),
      detached: true,
      env: environment(),
      stdio: ['ignore', output, output],
    })
    let ended = false
    child.once('exit', () => (ended = true)).once('error', () => (ended = true))
    child.unref()
    const until = systemNow() + startMsMax
    for (;;) {
      const said = readFileSync(log, 'utf8')
      const url = /^ready (\S+)$/m.exec(said)?.[1]
      if (url !== undefined) return replaceLock(lock, { pid: child.pid, url })
      if (ended) throw noStart(`the laboratory did not start: ${said.trim().slice(-2_000)}`)
      if (systemNow() > until) throw noStart(`the laboratory was not ready within ${startMsMax / 1000} s: ${log}`)
      await sleep(lookEveryMs)
    }
  } catch (error) {
    unlinkSync(lock)
    throw error
  } finally {
    closeSync(output)
  }
}

/** Neither a venue's settings nor a debugger's are those of this process. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(TIDEMARK_.*|NODE_OPTIONS|NODE_V8_COVERAGE)$/.test(name),
  )
  return Object.fromEntries(kept)
}

function lockOf(settings: ProcessSettings): string {
  const { username } = userInfo()
  const named = JSON.stringify([username, program, process.version, settings.deterministic, settings.rateLimits])
  return join(tmpdir(), `tidemark-lab-${createHash('sha256').update(named).digest('hex').slice(0, 16)}.json`)
}

interface Lock {
  readonly text: string
  /** Of whoever starts it, then of the process. */
  readonly pid: number
  readonly url?: string
}

/** Undefined: there is none. */
function readLock(file: string): Lock | undefined {
  try {
    const owner = statSync(file).uid
    if (process.getuid !== undefined && owner !== process.getuid()) throw noStart(`${file} belongs to somebody else`)
    const text = readFileSync(file, 'utf8')
    return { ...asLock(text), text }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function asLock(text: string): { readonly pid: number; readonly url?: string } {
  try {
    return JSON.parse(text) as { pid: number; url?: string }
  } catch {
    return { pid: 0 }
  }
}

/** Whether it was we who made it. It is whole when it is there. */
function makeLock(file: string): boolean {
  const made = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(made, JSON.stringify({ pid: process.pid }), { mode: 0o600 })
  try {
    linkSync(made, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    unlinkSync(made)
  }
}

function replaceLock(file: string, content: object): void {
  const made = `${file}.${process.pid}.ready`
  writeFileSync(made, JSON.stringify(content), { mode: 0o600 })
  renameSync(made, file)
}

/** Takes away a lock that leads nowhere, unless somebody has put another there meanwhile. */
function takeAway(file: string, text: string): void {
  const taken = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    renameSync(file, taken)
    if (readFileSync(taken, 'utf8') !== text) linkSync(taken, file)
    unlinkSync(taken)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function noStart(message: string): LabError {
  return new LabError(0, { code: 'no-start', message })
}
