/** The whole venue, as `tidemark start` runs it: a demo venue from nothing, what it tells, and what survives its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { inherited } from '../support/inherited.ts'
import { sooner } from '../support/sooner.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))

vi.setConfig({ testTimeout: 60_000 }) // each test starts processes, on a machine that may be busy

let data: string
const started = new Set<ChildProcess>()

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tidemark-venue-'))
})

afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  started.clear()
  rmSync(data, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...sooner, cli, ...args], { env: { ...inherited, ...environment } })
  started.add(child)
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (output.out += String(chunk)))
  child.stderr.on('data', (chunk) => (output.err += String(chunk)))
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...output }))
  return { child, output, ended }
}

/** One command of the command line against the test's directory. */
async function tidemark(...args: string[]): Promise<Ended> {
  return run([...args, '--data', data]).ended
}

async function answerOf(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await tidemark(...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Record<string, unknown>
}

/** The same, asked of the operator's listener directly. */
async function operator(path: string, body?: object): Promise<Record<string, unknown>> {
  const { operatorUrl } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { operatorUrl: string }
  const authorization = `Bearer ${readFileSync(join(data, 'operator-token'), 'utf8').trim()}`
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${operatorUrl}/operator/${path}`, { ...init, headers: { authorization } })
  const { ok, data: found } = (await answer.json()) as { ok: boolean; data: Record<string, unknown> }
  expect(ok).toBe(true)
  return found
}

const quiet = ['--simulator', 'off', '--log-level', 'error']

async function start(...options: string[]) {
  const args = [
    'start',
    '--data',
    data,
    '--port',
    '0',
    '--operator-port',
    '0',
    ...(options.length > 0 ? options : quiet),
  ]
  const venue = run(args)
  while (!venue.output.out.includes('\n')) {
    await Promise.race([once(venue.child.stdout, 'data'), venue.ended])
    if (venue.child.exitCode !== null) throw new Error(venue.output.err)
  }
  const { url, operatorUrl, pid } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as Record<
    string,
    string
  >
  return { ...venue, url: url, operatorUrl, pid }
}

interface DemoKey {
  readonly role: string
  readonly uid: string
  readonly parentUid: string | null
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
  readonly permissions: readonly string[]
}

function demoKeys(): DemoKey[] {
  return JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as DemoKey[]
}

async function signedGet(url: string, target: string, role: string) {
  const key = demoKeys().find((demoKey) => demoKey.role === role)!
  const timestamp = String(Date.now())
  const sign = createHmac('sha256', key.secret).update(`${timestamp}GET${target}`).digest('base64')
  const headers = {
    'access-key': key.apiKey,
    'access-sign': sign,
    'access-timestamp': timestamp,
    'access-passphrase': key.passphrase,
  }
  return (await (await fetch(url + target, { headers })).json()) as { code: string; data: Record<string, unknown> }
}

describe('a demo venue from nothing', () => {
  test('says one line when it is ready, and stops in order when told to', async () => {
    const venue = await start()
    expect(venue.output.out).toBe(`ready ${venue.url}\n`)
    expect(venue.pid).toBe(venue.child.pid)
    expect(venue.output.err).toContain(join(data, 'demo-keys.json'))
    expect(await (await fetch(`${venue.url}/health`)).json()).toEqual({ status: 'ok', reasons: [] })
    expect(await (await fetch(`${venue.url}/metrics`)).text()).toMatch(/^tidemark_sequence \d+$/m)

    venue.child.kill('SIGTERM')
    const { code, out } = await venue.ended
    expect({ code, out }).toEqual({ code: 0, out: `ready ${venue.url}\n` })
    expect(existsSync(join(data, 'server.json'))).toBe(false)
  })

  test('stops in order although clients hold connections to both listeners, whatever they sent', async () => {
    const venue = await start()
    for (const url of [venue.url, venue.operatorUrl]) {
      for (const bytes of [
        '',
        'GET /health HTTP/1.1\r\nhost: x\r\n',
        'POST /api/v3/trade/place-order HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{',
        'GET /health HTTP/1.1\r\nhost: x\r\n\r\n',
      ]) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
        socket.on('error', () => {}).resume()
        await once(socket, 'connect')
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
    venue.child.kill('SIGTERM')
    const beganMs = performance.now()
    expect((await venue.ended).code).toBe(0)
    expect(performance.now() - beganMs).toBeLessThan(10_000)
    expect(existsSync(join(data, 'server.json'))).toBe(false)
  })

  test('has an account and a key for every role with the funds that were promised, and no secret lies about', async () => {
    const venue = await start()
    const keys = demoKeys()
    const byRole = new Map(keys.map((key) => [key.role, key]))
    const main = byRole.get('unified-main')!
    expect([...byRole.keys()].toSorted()).toEqual(
      [
        'unified-main',
        'unified-sub',
        'classic-sub',
        'hybrid-main',
        'classic-main',
        'broker-main',
        'broker-sub',
        'copy-trader',
        'unified-peer',
        'read-only',
      ].toSorted(),
    )
    expect(byRole.get('unified-sub')?.parentUid).toBe(main.uid)
    expect(byRole.get('classic-sub')?.parentUid).toBe(main.uid)
    expect(byRole.get('broker-sub')?.parentUid).toBe(byRole.get('broker-main')?.uid)
    expect(byRole.get('read-only')).toMatchObject({ uid: main.uid, permissions: ['read'], parentUid: null })

    const settings = await signedGet(venue.url, '/api/v3/account/settings', 'unified-main')
    expect(settings).toMatchObject({ code: '00000', data: { uid: main.uid, accountMode: 'unified' } })
    expect(await signedGet(venue.url, '/api/v3/account/settings', 'classic-main')).toMatchObject({ code: '40084' })

    for (const name of ['demo-keys.json', 'keys.sqlite', 'master.key', 'operator-token']) {
      expect([name, statSync(join(data, name)).mode & 0o777]).toEqual([name, 0o600])
    }
    const journal = readdirSync(join(data, 'journal')).map((name) => readFileSync(join(data, 'journal', name)))
    for (const { secret, passphrase } of keys) {
      expect(Buffer.concat(journal).includes(secret)).toBe(false)
      expect(venue.output.err + venue.output.out).not.toContain(secret)
      expect(readFileSync(join(data, 'keys.sqlite')).includes(passphrase)).toBe(false)
    }

    const sums = new Map<string, Record<string, number>>()
    for (const { role, uid } of demoKeys()) {
      const { inputs } = (await operator(`explain?uid=${uid}`)) as {
        inputs: { name: string; value: string; unit: string }[]
      }
      const sum: Record<string, number> = {}
      for (const { name, value, unit } of inputs) {
        if (name === 'balance') sum[unit] = (sum[unit] ?? 0) + Number(value)
      }
      sums.set(role, sum)
    }
    const ofMain = { USDT: 1_000_000, BTC: 20, ETH: 200, USDC: 100_000 }
    const ofSub = { USDT: 100_000, BTC: 2, USDC: 10_000 }
    for (const [role, sum] of sums) expect([role, sum]).toEqual([role, role.endsWith('-sub') ? ofSub : ofMain])
    expect(await operator('verify')).toMatchObject({ balanced: true, faults: [] })
  })

  test('comes back as it was: same hash, same keys, nothing paid twice', async () => {
    const first = await start()
    const before = await operator('verify')
    const keys = demoKeys()
    first.child.kill('SIGTERM')
    await first.ended
    const second = await start()
    expect(await operator('verify')).toEqual(before)
    expect(demoKeys()).toEqual(keys)
    second.child.kill('SIGKILL')
    await second.ended
    await start()
    expect(await operator('verify')).toEqual(before)
  })

  test('goes on with a set-up that was cut off', async () => {
    const first = run(['start', '--data', data, '--port', '0', '--operator-port', '0', ...quiet])
    const journal = join(data, 'journal')
    const isUnderWay = () =>
      existsSync(journal) && readdirSync(journal).some((name) => statSync(join(journal, name)).size > 4_000)
    while (!isUnderWay() && first.child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2))
    first.child.kill('SIGKILL')
    await first.ended
    await start()
    expect(demoKeys()).toHaveLength(10)
    const [main] = demoKeys()
    const { inputs } = await operator(`explain?uid=${main.uid}`)
    expect(inputs).toContainEqual({ of: 'wallet uta USDT', name: 'balance', value: '900000', unit: 'USDT' })
  })

  test('with the simulator on every book has two sides, and without it none has any', async () => {
    const lively = await start('--log-level', 'error')
    const depth = async (url: string) => {
      const answer = await fetch(`${url}/api/v2/mix/market/merge-depth?productType=USDT-FUTURES&symbol=DOGEUSDT`)
      const { data: book } = (await answer.json()) as { data: { bids: unknown[]; asks: unknown[] } }
      return [book.bids.length > 0, book.asks.length > 0]
    }
    expect(await depth(lively.url)).toEqual([true, true])
    lively.child.kill('SIGTERM')
    await lively.ended
    expect(await depth((await start()).url)).toEqual([false, false])
  })
})

describe('the command line acts on a running venue', () => {
  test('accounts, keys, money, prices, instruments', async () => {
    await start()
    const { uid } = (await answerOf('accounts', 'create', '--mode', 'unified', '--name', 'bob')) as { uid: string }
    await answerOf('deposit', uid, 'uta', 'USDT', '1000.5')
    await answerOf('withdraw', uid, 'uta', 'USDT', '0.5')
    await answerOf('prices', 'BTC=61000.5')
    await answerOf('instruments', 'status', 'SPOT', 'BTCUSDT', 'halted')
    const { apiKey } = await answerOf('keys', 'create', uid, '--permissions', 'read,trade', '--ip', '127.0.0.1')
    await answerOf('keys', 'revoke', String(apiKey))
    const { sequence } = await answerOf('verify')
    expect(await answerOf('snapshot')).toMatchObject({ sequence })
    expect(await answerOf('explain', '--uid', uid, '--json')).toMatchObject({
      subject: { kind: 'account', uid },
      asOf: { sequence },
      inputs: expect.arrayContaining([{ of: 'wallet uta USDT', name: 'balance', value: '1000', unit: 'USDT' }]),
      causedBy: { command: 'withdraw' },
    })
    const status = await answerOf('status')
    expect(status).toMatchObject({ status: 'ok', kind: 'demo', sequence, address: expect.stringMatching(/^http:/) })
    expect([typeof status['version'], Number.isInteger(status['upForS'])]).toEqual(['string', true])
  })

  test('a wrong call is one line and exit 1; so is a venue that does not run', async () => {
    const none = await tidemark('verify')
    expect(none).toEqual({ code: 1, out: '', err: `tidemark: data directory ${data}: no venue is running there\n` })
    const venue = await start()
    expect(await tidemark('deposit', '1', 'uta', 'GOLD', '1')).toMatchObject({
      code: 1,
      err: 'tidemark: coin-unknown: coin: there is no coin GOLD\n',
    })
    expect(await tidemark('clock', 'advance', '1000')).toMatchObject({ code: 1 })
    venue.child.kill('SIGKILL')
    await venue.ended
    const gone = await tidemark('status')
    expect(gone.code).toBe(1)
    expect(gone.err).toMatch(/^tidemark: the venue in .* does not answer at .*\n$/)
  })

  test('the manual clock moves, funding settles on the way, and it is where it was moved to after any end', async () => {
    let venue = await start('--clock', 'manual', ...quiet)
    const { now: before } = (await operator('status')) as { now: number }
    const { now } = (await answerOf('clock', 'advance', String(9 * 3_600_000))) as { now: number }
    expect(now - before).toBe(9 * 3_600_000)
    expect(await operator('verify')).toMatchObject({ balanced: true })
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { sequence } = (await operator('status')) as { sequence: number }
      const moved = await operator('clock/advance', { ms: 12_345 })
      venue.child.kill(signal)
      await venue.ended
      venue = await start('--clock', 'manual', ...quiet)
      expect(await operator('status')).toMatchObject({ ...moved, sequence: sequence + 1 })
    }
  })
})

describe('what keeps it from starting is one clear line', () => {
  const options = ['--port', '0', '--operator-port', '0', '--log-level', 'silent']

  test('a second venue in the directory', async () => {
    await start()
    expect(await tidemark('start', ...options)).toEqual({
      code: 1,
      out: '',
      err: `tidemark: the data directory ${data} cannot be used: another venue is running in it\n`,
    })
  })

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, err } = await tidemark('start', ...quiet, '--port', String(port), '--operator-port', '0')
    other.close()
    expect({ code, err }).toEqual({
      code: 1,
      err: `tidemark: the venue cannot listen on 127.0.0.1:${port}: the port is in use\n`,
    })
  })

  test.each([
    ['a new directory', false, () => data],
    ['a demo venue', true, () => 'OTHER'],
  ])('%s on a host that others can reach', async (_what, isDemo, where) => {
    if (isDemo) {
      const venue = await start()
      venue.child.kill('SIGTERM')
      await venue.ended
    }
    const { code, err } = await tidemark('start', ...options, '--host', '0.0.0.0')
    expect(code).toBe(1)
    expect(err).toMatch(/^tidemark: a demo venue .* loopback only, not on 0\.0\.0\.0: run .*\n$/)
    expect(err).toContain(`run "tidemark init --data ${where()}" for an empty venue, or listen on 127.0.0.1`)
    expect(existsSync(join(data, 'venue.json'))).toBe(isDemo)
  })

  test('a damaged journal', async () => {
    const venue = await start()
    venue.child.kill('SIGTERM')
    await venue.ended
    const [segment] = readdirSync(join(data, 'journal'))
    const file = join(data, 'journal', segment)
    const bytes = readFileSync(file)
    bytes[200] ^= 1
    writeFileSync(file, bytes)
    const { code, err } = await tidemark('start', ...options)
    expect(code).toBe(1)
    expect(err).toMatch(/^tidemark: the venue cannot start: journal damaged: [^\n]*\n$/)
  })

  test('a configuration with faults: exit 2', async () => {
    const { code, err } = await tidemark('start', '--port', 'x', '--frobnicate', '--simulator', 'maybe')
    expect(code).toBe(2)
    expect(err.split('\n')).toHaveLength(5)
  })
})

test('an empty venue has no accounts, no keys and nothing listed, and may listen anywhere', async () => {
  expect(await answerOf('init')).toEqual({ data, kind: 'empty' })
  const venue = await start('--host', '0.0.0.0', ...quiet)
  expect(existsSync(join(data, 'demo-keys.json'))).toBe(false)
  expect(await operator('status')).toMatchObject({ kind: 'empty', sequence: 0 })
  appendFileSync(join(data, 'coin.json'), JSON.stringify({ coin: 'BTC', price: '60000' }))
  expect(await answerOf('coins', 'add', join(data, 'coin.json'))).toEqual({ coin: 'BTC' })
  venue.child.kill('SIGTERM')
  expect((await venue.ended).code).toBe(0)
  expect((await tidemark('init')).code).toBe(0)
})

test('it does not mind that nobody reads what it prints', async () => {
  const where = ['--data', data, '--port', '0', '--operator-port', '0']
  const child = spawn(process.execPath, [...sooner, cli, 'start', ...where, ...quiet])
  started.add(child)
  child.stdout.destroy()
  child.stderr.destroy()
  while (!existsSync(join(data, 'server.json'))) await new Promise((resolve) => setTimeout(resolve, 20))
  await operator('verify')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
