/**
 * The package as a stranger gets it: packed, installed into an empty folder from the registry, and run from there by npx. It is
 * built and installed once for all of these tests.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstScreen, follow } from './support/first-screen.ts'
import { Connection, type Exchange } from './support/http.ts'
import { type Key, Person } from './support/person.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const bytesMax = 40e6
const packagesMax = 70

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface DemoAccount {
  readonly role: string
  readonly uid: string
}

let directory: string
/** Where somebody has installed it. */
let project: string
let tarball: string
let root: string

/** This Node first on the path, and nothing of npm's that runs these tests. */
const env: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_COMPILE_CACHE$|^GLIBC_TUNABLES$/i.test(name)),
)
env['PATH'] = `${dirname(process.execPath)}:${process.env['PATH']}`

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-package-'))
  project = join(directory, 'project')
  mkdirSync(project)
  const printed = run('npm', ['run', '--silent', 'package', '--', '--out', directory], checkout).stdout
  tarball = printed.split(': ')[0]
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball])
  root = join(project, 'node_modules', 'tidemark')
})

afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

function run(command: string, args: readonly string[], cwd = project) {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 100_000 })
  expect(done.status, `${command} ${args.join(' ')}: ${done.error?.message ?? done.stderr}`).toBe(0)
  return done
}

function manifestOf(packageDirectory: string): Manifest {
  return JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as Manifest
}

function filesUnder(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Directories of all that npm has installed. */
function installed(): string[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object }
  return Object.keys(lock.packages).filter((path) => path !== '')
}

describe('what is installed', () => {
  test(`at most ${packagesMax} packages and ${bytesMax / 1e6} MB, as bytes and as blocks of the disk`, () => {
    expect(installed().length).toBeLessThanOrEqual(packagesMax)
    const all = filesUnder(join(project, 'node_modules')).map((file) => lstatSync(file))
    expect(all.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(bytesMax)
    expect(all.reduce((sum, { blocks }) => sum + blocks * 512, 0)).toBeLessThanOrEqual(bytesMax)
  })

  test('no install script, nothing native, and no Node', () => {
    for (const path of installed()) {
      const { scripts = {} } = manifestOf(join(project, path))
      const forbidden = ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts)
      expect([path, forbidden]).toEqual([path, []])
    }
    const { scripts, optionalDependencies } = manifestOf(root)
    expect({ scripts, optionalDependencies }).toEqual({ scripts: undefined, optionalDependencies: undefined })
    const native = filesUnder(join(project, 'node_modules')).filter(
      (file) => file.endsWith('.node') || isProgram(readFileSync(file)),
    )
    expect(native).toEqual([])
  })

  test('no sources, tests, benches or locks of the checkout', () => {
    const names = filesUnder(root).map((file) => file.slice(root.length + 1))
    expect(names.filter((name) => /(?<!\.d)\.tsx?$|\.test\.|(^|\/)(test|bench)\/|lock\.json$/.test(name))).toEqual([])
    for (const text of ['README.md', 'LICENSE', 'CHANGELOG.md', 'THIRD-PARTY.md']) expect(names).toContain(text)
  })

  test('it is of the version of the checkout, and asks for the same Node', () => {
    const { version, engines } = manifestOf(checkout)
    expect(manifestOf(root)).toMatchObject({ version, engines })
    expect(run('npx', ['tidemark', '--version']).stdout.trim()).toBe(version)
  })

  test('what can be imported is there with its types, and what needs no test runner runs', () => {
    const { exports } = manifestOf(root)
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue
      for (const file of Object.values(target)) expect([name, existsSync(join(root, file))]).toEqual([name, true])
      if (['./vitest', './jest'].includes(name)) continue
      run(process.execPath, ['--input-type=module', '--eval', `await import('${join('tidemark', name)}')`])
    }
  })

  test('a compiler follows the types of the main module to their end', () => {
    if (!('.' in manifestOf(root).exports)) return
    writeFileSync(join(project, 'user.ts'), "import * as tidemark from 'tidemark'\nexport default tidemark\n")
    const types = ['--types', 'node', '--typeRoots', join(checkout, 'node_modules', '@types')]
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', ...types]
    run(process.execPath, [join(checkout, 'node_modules/typescript/lib/tsc.js'), ...options, 'user.ts'])
    rmSync(join(project, 'user.ts'))
  })
})

describe('the first screen of a page', () => {
  const emptyFolder = (name: string) => {
    const folder = join(directory, name)
    mkdirSync(folder)
    return folder
  }

  test('a page in small: files, commands, and a venue that stays', async () => {
    const page = [
      '# Page\n## In five minutes',
      '```sh\nnpm init -y > init.txt\nnpm i -D tidemark   # by its name\n```',
      '```js\n// ask/it.mjs\nconst answer = await fetch("http://127.0.0.1:8080/health")\nconsole.log("well:", answer.status)\n```',
      '```sh\nnpx tidemark dev --deterministic   # stays\nnode ask/it.mjs\ncurl -s http://127.0.0.1:8080/_lab/venues\n```',
      '## Later\n```sh\nexit 1\n```',
    ].join('\n')
    const steps = firstScreen(page)
    expect(steps.map(({ kind }) => kind)).toEqual(['commands', 'file', 'venue', 'commands'])
    const folder = emptyFolder('small')
    const printed = await follow(steps, { folder, tarball, env })
    expect(printed).toContain('well: 200')
    expect(printed).toContain('"deterministic":true')
    expect(existsSync(join(folder, 'node_modules/tidemark/package.json'))).toBe(true)
    await expect(follow([{ kind: 'commands', text: 'exit 3' }], { folder, tarball, env })).rejects.toThrow('exit 3')
    expect(() => firstScreen('## A\n```ts\nconst a = 1\n```\n')).toThrow('a block of ts says no file name')
  })

  test('docs/testing.md, as it stands, in an empty folder', async () => {
    const steps = firstScreen(readFileSync(join(checkout, 'docs', 'testing.md'), 'utf8'))
    expect(steps[0]).toMatchObject({ kind: 'commands', text: expect.stringContaining('npm i -D tidemark') as string })
    expect(steps.some(({ kind }) => kind === 'file')).toBe(true)
    await follow(steps, { folder: emptyFolder('testing'), tarball, env })
  })
})

describe('where it is run otherwise', () => {
  const bin = () => join(project, 'node_modules', '.bin', 'tidemark')

  test('under an older Node it says which one it needs, and on Linux how to get it', () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
    for (const command of ['tidemark', 'tidemark-verify']) {
      const program = join(root, 'dist', 'bin', `${command}.js`)
      const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, program, '--help']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      const needed = manifestOf(root).engines.node.replace('>=', '')
      const said = `${command}: needs Node ${needed} or newer; this is 20.20.2`
      const way =
        process.platform === 'linux' ? `. npm i -D node-linux-${process.arch}@${needed} brings one to this project` : ''
      expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `${said}${way}\n` })
    }
  })

  test('where compiled code cannot be kept it runs all the same', () => {
    const cache = join(project, 'node_modules', '.cache')
    rmSync(cache, { recursive: true, force: true })
    writeFileSync(cache, '')
    const { stdout, stderr } = run(process.execPath, [bin(), '--version'])
    rmSync(cache)
    expect({ stdout, stderr }).toEqual({ stdout: `${manifestOf(root).version}\n`, stderr: '' })
    run(process.execPath, [bin(), '--version'])
    expect(readdirSync(join(cache, 'tidemark'))).toHaveLength(1)
  })

  test.each(['darwin', 'win32'])('on %s: in one process, and nothing of Linux', async (platform) => {
    // The threads of the venue take it over, its twin does not.
    const pretend = `Object.defineProperty(process,'platform',{value:'${platform}'})`
    const data = join(directory, platform)
    const options = ['--data', data, '--port', '0', '--operator-port', '0', '--simulator', 'off']
    const venue = spawn(process.execPath, [join(root, 'dist', 'bin', 'tidemark.js'), 'start', ...options], {
      env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${pretend}` },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const [line] = (await once(createInterface({ input: venue.stdout }), 'line')) as [string]
      const { pid } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { pid: number }
      expect(pid).toBe(venue.pid)
      const health = await fetch(`${line.replace(/^ready /, '')}/health`)
      expect(await health.json()).toMatchObject({ status: 'ok' })
    } finally {
      venue.kill('SIGTERM')
    }
    expect(await once(venue, 'exit')).toEqual([0, null])
  })

  test('benches are said to be in the checkout', () => {
    const { status, stderr } = spawnSync(process.execPath, [bin(), 'bench'], { cwd: project, env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'tidemark: the benches are in the checkout, and this is none\n',
    })
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

/** An executable of Linux, macOS or Windows. */
function isProgram(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 4).toString('hex')
  return (
    head === '7f454c46' || /^(cf|ce)faedfe$/.test(head) || /^feedfac[ef]$/.test(head) || head.startsWith('4d5a9000')
  )
}

describe('what it runs', () => {
  let venue: ChildProcess
  let url: string

  beforeAll(async () => {
    const options = ['--port', '0', '--operator-port', '0', '--simulator', 'off']
    venue = spawn('npx', ['tidemark', 'start', ...options], { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(createInterface({ input: venue.stdout! }), 'line')) as [string]
    url = line.replace(/^ready /, '')
  })

  afterAll(() => {
    venue?.kill('SIGTERM')
  })

  test('nothing was installed or built: it started with the files of the package alone', () => {
    expect(readdirSync(project).sort()).toEqual(['data', 'node_modules', 'package-lock.json', 'package.json'])
  })

  test.each([
    ['/', '<title>Tidemark</title>'],
    ['/docs', '<title>Tidemark: the interface</title>'],
  ])('the page at %s, with all that it loads', async (path, title) => {
    const page = await (await fetch(url + path)).text()
    expect(page).toContain(title)
    const loaded = [...page.matchAll(/(?:src|href)="(?<file>[^"]+)"/g)].map(({ groups }) => groups?.['file'] ?? '')
    expect(loaded.length).toBeGreaterThan(2)
    for (const file of loaded) expect([file, (await fetch(url + file)).status]).toEqual([file, 200])
  })

  test('the document of the interface', async () => {
    const { openapi } = (await (await fetch(`${url}/api/openapi.json`)).json()) as { openapi: string }
    expect(openapi).toBe('3.1.0')
  })

  test('an order, and a snapshot by the twin', async () => {
    const keys = JSON.parse(readFileSync(join(project, 'data', 'demo-keys.json'), 'utf8')) as (Key & DemoAccount)[]
    const { role, uid, ...key } = keys.find((one) => one.role === 'unified-main')!
    const connection = new Connection(url)
    const reached = { url, now: () => Date.now(), exchange: (exchange: Exchange) => connection.exchange(exchange) }
    const answer = await new Person(reached, role, uid, key).post('/api/v3/trade/place-order', {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      price: '10000',
      qty: '0.01',
      clientOid: 'from-the-package',
    })
    expect(answer).toMatchObject({ code: '00000', data: { clientOid: 'from-the-package' } })
    connection.close()
    expect(JSON.parse(run('npx', ['tidemark', 'snapshot', '--json']).stdout)).toMatchObject({ pauseMs: 0 })
    expect(JSON.parse(run('npx', ['tidemark', 'verify', '--json']).stdout)).toMatchObject({ balanced: true })
  })

  test('SIGTERM to npx stops the venue in order, and its directory is sound', async () => {
    const { pid } = JSON.parse(readFileSync(join(project, 'data', 'server.json'), 'utf8')) as { pid: number }
    venue.kill('SIGTERM')
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false)
    expect(existsSync(join(project, 'data', 'server.json'))).toBe(false)
    expect(run('npx', ['tidemark-verify', 'data']).stdout).toContain('sound')
    expect(run('npx', ['tidemark', 'verify', '--data', 'data']).stdout).toContain('"sound": true')
  })
})
