/**
 * The helpers: the cases that all of them run, and what is each one's own.
 *
 * Cases    clients/cases.json, in TypeScript here; languages.test.ts runs them in the others
 * Shared   workers of a run meet in one process, whoever comes first, and it ends with them
 * Source   lab.md §4.1, §4.12
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ccxt from 'ccxt'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { LabError, startVenue, type Venue, type VenueOptions } from '../../clients/typescript/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { Laboratory } from './laboratory.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(checkout, 'src/cli/cli.ts')
const run = promisify(execFile)

interface Step {
  readonly of?: string
  readonly call: string
  readonly with?: readonly unknown[]
  readonly options?: object
  readonly as?: string
  readonly gives?: unknown
  readonly count?: number
  readonly fails?: object
}
const { cases } = JSON.parse(readFileSync(join(checkout, 'clients/cases.json'), 'utf8')) as {
  readonly cases: readonly { readonly name: string; readonly options: VenueOptions; readonly steps: readonly Step[] }[]
}

type Known = Record<string, unknown>

/** The value with each `{"$": "name.field"}` replaced by what is known. */
function meant(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((part) => meant(part, known))
  if (typeof value !== 'object' || value === null) return value
  const { $: path } = value as { readonly $?: string }
  if (path === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, meant(part, known)]))
  return path.split('.').reduce((found: unknown, field) => (found as Known)[field], known)
}

/** Each field that is wanted is there; lists are as long. */
function fields(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return wanted.map(fields)
  if (typeof wanted !== 'object' || wanted === null) return wanted
  const inner = Object.fromEntries(Object.entries(wanted).map(([name, part]) => [name, fields(part)]))
  return expect.objectContaining(inner)
}

async function take(step: Step, known: Known): Promise<void> {
  const { of = 'venue', call, options, as, gives, count, fails } = step
  const words = call.split('.')
  const target = words.slice(0, -1).reduce((found, word) => (found as Known)[word], known[of]) as Record<
    string,
    (...given: unknown[]) => Promise<unknown>
  >
  const given = [
    ...((meant(step.with ?? [], known) as unknown[]) ?? []),
    ...(options === undefined ? [] : [meant(options, known)]),
  ]
  const asked = target[words.at(-1) ?? ''](...given)
  if (fails !== undefined) {
    const error = await asked.catch((refusal: unknown) => refusal)
    expect(error, call).toBeInstanceOf(LabError)
    expect(error, call).toMatchObject(fails)
    return
  }
  const answer = await asked
  if (gives !== undefined) expect(answer, call).toEqual(fields(meant(gives, known)))
  if (count !== undefined) expect(answer, call).toHaveLength(count)
  if (as !== undefined) known[as] = answer
}

const open = new Set<Venue>()
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([...open].map((venue) => venue.stop()))
  open.clear()
})

async function start(options: VenueOptions): Promise<Venue> {
  const venue = await startVenue(options)
  open.add(venue)
  return venue
}

const still = { deterministic: true, rateLimits: false } as const

describe('TypeScript', () => {
  test.each(cases)('$name', async ({ options, steps }) => {
    const known: Known = { venue: await start(options) }
    for (const step of steps) await take(step, known)
    for (const thing of Object.values(known)) if (thing instanceof Object && 'stop' in thing) open.add(thing as Venue)
  })

  test('an exchange of ccxt trades there, with every address replaced', async () => {
    const venue = await start(still)
    const exchange = venue.ccxt(ccxt, 'unified-main', { enableRateLimit: false }) as InstanceType<typeof ccxt.bitget>
    const { id } = await exchange.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.01, 50_000)
    expect(await venue.orders('unified-main')).toMatchObject([{ orderId: id, orderStatus: 'live' }])
    expect(JSON.stringify(exchange.urls['api'])).not.toMatch(/bitget/)
    const watching = venue.ccxt(ccxt.pro, 'unified-main', { enableRateLimit: false }) as InstanceType<
      typeof ccxt.pro.bitget
    >
    expect(JSON.stringify(watching.urls['api'])).not.toMatch(/bitget/)
    const watched = watching.watchOrders('BTC/USDT:USDT')
    await vi.waitFor(async () => expect(Object.keys(watching.clients)).toHaveLength(1))
    await vi.waitFor(async () => {
      await exchange.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.01, 49_000)
      expect(await Promise.race([watched, Promise.resolve()])).toMatchObject([{ status: 'open' }])
    })
    expect(() => venue.ccxt({}, 'unified-main')).toThrow('library: ccxt or ccxt.pro is wanted')
    expect(() => venue.ccxt(ccxt, 'nobody' as 'read-only')).toThrow('role: there is no nobody, only unified-main')
  })

  test.each([
    ['the fill was first', 'arrival', 'filled'],
    ['the cancel was first', 'reverse', 'cancelled'],
  ] as const)('a cancel races a fill: %s', async (_who, order, status) => {
    const venue = await start(still)
    const resting = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', qty: '0.01', price: '60000' }
    // Refused or not: what became of the order is asked below.
    const trade = (role: 'unified-main' | 'unified-peer', call: string, body: object) =>
      venue.request(role, 'POST', `/api/v3/trade/${call}`, body).catch((refusal: unknown) => refusal)
    await trade('unified-main', 'place-order', { ...resting, side: 'sell', clientOid: 'resting' })

    await venue.hold()
    const sent = [trade('unified-peer', 'place-order', { ...resting, side: 'buy' })]
    await venue.pending({ atLeast: 1 })
    sent.push(trade('unified-main', 'cancel-order', { clientOid: 'resting' }))
    await venue.pending({ atLeast: 2 })
    await venue.release(order)

    await Promise.all(sent)
    expect(await venue.orders('unified-main')).toMatchObject([{ clientOid: 'resting', orderStatus: status }])
    await venue.endHold()
  })

  test('fake timers follow the clock, there and back', async () => {
    const venue = await start(still)
    const seen: string[] = []
    await venue.clock.drive(vi)
    expect(Date.now()).toBe(Date.UTC(2026, 0, 1))
    const beat = setInterval(() => seen.push(new Date().toISOString()), 60_000)
    await venue.clock.step('3m')
    clearInterval(beat)
    expect(seen).toEqual(['2026-01-01T00:01:00.000Z', '2026-01-01T00:02:00.000Z', '2026-01-01T00:03:00.000Z'])
    setTimeout(() => seen.push('later'), 3_600_000)
    await venue.clock.until({ funding: { symbol: 'BTCUSDT' } })
    expect([seen.at(-1), Date.now()]).toEqual(['later', Date.UTC(2026, 0, 1, 8)])
    await venue.reset()
    expect(Date.now()).toBe(Date.UTC(2026, 0, 1))
    await venue.clock.to('2026-01-01T00:00:10Z')
    expect(Date.now()).toBe(Date.UTC(2026, 0, 1, 0, 0, 10))
  })

  test('in this process', async () => {
    const [venue, other] = [await start({ ...still, inProcess: true }), await start({ ...still, inProcess: true })]
    expect(other.id).not.toBe(venue.id)
    await venue.clock.step('8h')
    expect([await venue.clock.now(), await other.clock.now()]).toEqual([Date.UTC(2026, 0, 1, 8), Date.UTC(2026, 0, 1)])
    await venue.stop()
    expect(await other.clock.now()).toBe(Date.UTC(2026, 0, 1))
    await other.stop()
    await expect(other.clock.now()).rejects.toMatchObject({ name: 'LabError', code: 'unreachable' })
  })
})

describe('timers that a test has made fake', () => {
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.1',
    price: '9000',
  }
  const place = (venue: Venue) => venue.request('unified-main', 'POST', '/api/v3/trade/place-order', order)

  test.each([
    ['in a process that is shared', {}],
    ['in this process, on the clock of the system', { inProcess: true, deterministic: false, simulator: false }],
  ])('are not those of a venue, before its start and after: %s', async (_, options) => {
    // No laboratory has been started for this directory.
    vi.stubEnv('TMPDIR', temporaryDirectory('faked'))
    try {
      vi.useFakeTimers()
      const early = await start({ ...still, ...options })
      await place(early)
      vi.useRealTimers()
      const late = await start({ ...still, ...options })
      vi.useFakeTimers({ now: 0 })
      for (const venue of [early, late]) {
        await place(venue)
        if (await venue.clock.mode().then(({ mode }) => mode === 'system')) await venue.clock.freeze()
        const [before, { now }] = [await venue.clock.now(), await venue.clock.step('1h')]
        expect(now - before).toBe(3_600_000)
        await venue.clock.thaw()
        await venue.sleep('5ms')
        expect(await venue.clock.now()).toBeGreaterThanOrEqual(now + 5)
      }
      expect((await early.orders('unified-main', { open: true })).length).toBe(2)
      await early.clock.drive(vi)
      await early.clock.step('1m')
      expect(Date.now()).toBe(await early.clock.now())
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('the process that workers share', () => {
  /** A worker of a test run: says where its venue is, and stays until it is ended. */
  const worker = `
    import { startVenue } from ${JSON.stringify(join(checkout, 'clients/typescript/index.ts'))}
    const { url } = await startVenue({ deterministic: true, rateLimits: false })
    const held = await (await fetch(new URL('/_lab/venues', url))).json()
    console.log(JSON.stringify([url, held.data[0].url]))
    process.stdin.resume()
  `
  const workers: ChildProcess[] = []
  afterAll(() => {
    for (const child of workers) child.kill('SIGKILL')
  })

  function begin(temporary: string): Promise<[url: string, main: string]> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', worker], {
      env: { ...process.env, TMPDIR: temporary, TIDEMARK_URL: '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    workers.push(child)
    return new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as [string, string]))
      child.once('exit', () => reject(new Error('the worker ended')))
    })
  }

  test('is one, whoever comes first, also after one that was killed; and it goes with the last', async () => {
    const temporary = temporaryDirectory('shared-laboratory')
    const places = await Promise.all([1, 2, 3, 4].map(() => begin(temporary)))
    const mains = new Set(places.map(([, main]) => main))
    expect([mains.size, new Set(places.map(([url]) => url)).size]).toEqual([1, 4])
    const [main] = mains

    // Its lock leads nowhere once it was killed.
    const lock = spawnSync('sh', ['-c', `cat ${temporary}/tidemark-lab-*.json`], { encoding: 'utf8' }).stdout
    process.kill((JSON.parse(lock) as { pid: number }).pid, 'SIGKILL')
    await vi.waitFor(() => expect(fetch(`${main}/_lab`)).rejects.toThrow('fetch failed'), { timeout: 20_000 })
    const [[, again], [, too]] = await Promise.all([begin(temporary), begin(temporary)])
    expect([again === main, again]).toEqual([false, too])

    for (const child of workers) child.kill('SIGKILL')
    await vi.waitFor(() => expect(fetch(`${again}/_lab`)).rejects.toThrow('fetch failed'), {
      timeout: 60_000,
      interval: 200,
    })
  })
})

describe('a laboratory that TIDEMARK_URL names', () => {
  test('is the one that is used, by its token', async () => {
    const laboratory = await Laboratory.open('--deterministic', '--lab-token', 'open-sesame')
    try {
      vi.stubEnv('TIDEMARK_URL', `${laboratory.main.url}/`)
      vi.stubEnv('TIDEMARK_LAB_TOKEN', 'open-sesame')
      const venue = await start({ seed: 3 })
      const fork = await venue.fork()
      expect((await laboratory.main.get<object[]>('/venues')).length).toBe(3)
      await fork.stop()
      await venue.stop()
      expect((await laboratory.main.get<object[]>('/venues')).length).toBe(1)
      await expect(startVenue({ deterministic: false })).rejects.toMatchObject({
        code: 'option-wrong',
        field: 'deterministic',
      })
      vi.stubEnv('TIDEMARK_LAB_TOKEN', 'wrong')
      await expect(startVenue()).rejects.toMatchObject({ code: 'token-wrong', status: 401 })
    } finally {
      vi.unstubAllEnvs()
      await laboratory.close()
    }
    vi.stubEnv('TIDEMARK_URL', laboratory.main.url)
    await expect(startVenue()).rejects.toMatchObject({ code: 'unreachable', status: 0 })
    vi.unstubAllEnvs()
  })
})

describe('runners', () => {
  test('node:test gives each test a fork', async () => {
    const { stdout } = await run(process.execPath, ['--test', join(checkout, 'test/lab/runners/node-test.mjs')], {
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    })
    expect(stdout).toMatch(/pass 3\n.*fail 0/s)
  })

  test('vitest: the laboratory is there before the first test, whichever `test` is used', async () => {
    const root = temporaryDirectory('vitest-starts')
    const from = JSON.stringify(join(checkout, 'clients/typescript/vitest.ts'))
    const looks = `
      let found = []
      test('a venue', ({ venue }) => expect([found.length, URL.canParse(found[0]), venue.id]).toEqual([1, true, venue.id]))
      beforeAll(() => {
        const locks = readdirSync(tmpdir()).filter((name) => /^tidemark-lab-.*[.]json$/.test(name))
        found = locks.map((name) => JSON.parse(readFileSync(join(tmpdir(), name), 'utf8')).url)
      })
    `
    const needs = ['node:fs', 'node:os', 'node:path'].map((name, at) => {
      return `import { ${['readdirSync, readFileSync', 'tmpdir', 'join'][at]} } from '${name}'`
    })
    const write = (name: string, lines: readonly string[]) =>
      writeFileSync(join(root, `${name}.test.ts`), [...needs, ...lines, looks].join('\n'))
    write('told', [
      `import { beforeAll, expect, venueTest } from ${from}`,
      'const test = venueTest({ deterministic: true })',
    ])
    write('plain', [`import { beforeAll, expect, test } from ${from}`])
    for (const name of ['told', 'plain']) {
      const env = { ...process.env, TMPDIR: temporaryDirectory(`vitest-${name}`), TIDEMARK_URL: '', VITEST: undefined }
      const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
      const { stdout } = await run(process.execPath, [vitest, 'run', '--root', root, '--testTimeout', '60000', name], {
        env,
      })
      expect(stdout).toContain('1 passed')
    }
  })

  test('jest gives each test a fork: with its globals, as far as they are used', async () => {
    const tests: [string, () => Promise<unknown>, number | undefined][] = []
    const sooner: [() => Promise<void>, number][] = []
    const afterwards: (() => Promise<void>)[] = []
    const note = (name: string, body: () => Promise<unknown>, timeoutMs?: number) => tests.push([name, body, timeoutMs])
    const words = { only: note, skip: note, failing: note, concurrent: note, todo: () => {} }
    const stand = {
      test: Object.assign(note, words),
      beforeAll: (body: () => Promise<void>, timeoutMs: number) => sooner.push([body, timeoutMs]),
      afterAll: (body: () => Promise<void>) => afterwards.push(body),
      expect,
    }
    for (const [name, global] of Object.entries(stand)) vi.stubGlobal(name, global)
    try {
      const jest = await import('../../clients/typescript/jest.ts')
      const withOptions = jest.venueTest(still)
      const ids: string[] = []
      withOptions('one', async ({ venue }) => ids.push(venue.id, String(await venue.clock.now())), 1_000)
      withOptions.only('other', async ({ venue, venueSession }) => ids.push(venue.id, venueSession.id))
      withOptions('failing', ({ venue }) => {
        ids.push(venue.id)
        throw new Error('as a test does')
      })
      expect(jest.expect).toBe(expect)
      expect(tests.map(([name, , timeoutMs]) => [name, timeoutMs])).toEqual([
        ['one', 1_000],
        ['other', undefined],
        ['failing', undefined],
      ])
      // The start has a time of its own, once for those who have tests.
      expect(sooner).toEqual([[expect.any(Function), 60_000]])
      await sooner[0]?.[0]()
      const [one, other, failing] = tests.map(([, body]) => body)
      await one()
      await other()
      await expect(failing()).rejects.toThrow('as a test does')
      expect(new Set(ids).size).toBe(5)
      for (const body of afterwards) await body()
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0)

describe.skipIf(python === undefined)('Python', () => {
  const environment = { ...process.env, TIDEMARK_BIN: `'${process.execPath}' '${cli}'`, TIDEMARK_URL: '' }

  test('shares one laboratory among processes, and takes no dead one', async () => {
    const temporary = temporaryDirectory('python-laboratory')
    const script = `import tidemark
with tidemark.start_venue(deterministic=True) as venue:
    print(venue.call("GET", "/venues")[0]["url"])`
    const env = { ...environment, TMPDIR: temporary, PYTHONPATH: join(checkout, 'clients/python') }
    const mainOf = async () => (await run(python ?? '', ['-B', '-c', script], { env })).stdout.trim()
    const held: Response[] = []
    const hold = async (main: string) => held.push(await fetch(`${main}/_lab/attached`))
    const [one, same] = await Promise.all([mainOf(), mainOf()])
    await hold(one)
    expect([same, await mainOf()]).toEqual([one, one])
    // As after one that was killed.
    const [file] = readdirSync(temporary).filter((name) => !name.endsWith('.log'))
    writeFileSync(join(temporary, file ?? ''), 'http://127.0.0.1:1')
    const again = await mainOf()
    await hold(again)
    expect([again === one, await mainOf()]).toEqual([false, again])
    for (const { body } of held) await body?.cancel()
  })

  test('gives each test of pytest a fork, and ccxt its addresses', async () => {
    const directory = temporaryDirectory('pytest')
    mkdirSync(directory, { recursive: true })
    const hasPytest = spawnSync(python ?? '', ['-c', 'import pytest']).status === 0
    const file = join(checkout, 'test/lab/runners/test_venue.py')
    const args = hasPytest ? ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'tidemark', file] : [file]
    writeFileSync(join(directory, 'empty'), '')
    const path = join(checkout, 'clients/python')
    const env = { ...environment, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout } = await run(python ?? '', args, { env, cwd: directory })
    expect(stdout).toContain('4 passed')
  })
})

test.runIf(python === undefined)('Python was not run: there is no python3', ({ skip }) => skip('no python3'))
