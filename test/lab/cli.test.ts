/**
 * `tidemark lab`: each command once as it is meant, for people and as JSON, and what is wrong said in one line.
 *
 * In process  as the command runs them; two real ones show that the process adds nothing
 * Source      lab.md §4.2; docs/lab.md
 */
import { execFile } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { sooner } from '../support/sooner.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import { waysIn } from './ways-in.ts'

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const token = 'open-sesame'
let here: OpenedHere
let directory: string
let data: string
let stranger: Server
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  directory = temporaryDirectory('lab-cli')
  data = join(directory, 'kept')
  const kept = await openHere({ data })
  await kept.venue.post('/cheats', { price: { coin: 'BTC', price: '61000' } })
  await kept.close()
  here = await openHere({ labToken: token })
  stranger = createServer((_, response) => response.writeHead(404).end('nothing here')).listen(0, '127.0.0.1')
})
afterAll(async () => {
  stranger.close()
  await here.close()
})
afterEach(() => vi.unstubAllEnvs())

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** One command of the laboratory, at its venue unless TIDEMARK_URL says otherwise. */
async function lab(...words: readonly string[]): Promise<Ended> {
  if (process.env['TIDEMARK_URL'] === undefined) vi.stubEnv('TIDEMARK_URL', here.venue.url)
  const said = { out: '', err: '' }
  const note = (where: 'out' | 'err') => (text: unknown) => {
    said[where] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(note('err')),
  ]
  try {
    return { code: await run(['lab', ...words]), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

type Answer = Record<string, unknown>

async function answerOf<T = Answer>(...words: readonly string[]): Promise<T> {
  const { code, out, err } = await lab(...words, '--json')
  expect({ words, code, err }).toEqual({ words, code: 0, err: '' })
  return JSON.parse(out) as T
}

/** As somebody at a terminal reads it. */
async function shown(...words: readonly string[]): Promise<string> {
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  try {
    const { code, out, err } = await lab(...words)
    expect({ words, code, err }).toEqual({ words, code: 0, err: '' })
    return stripVTControlCharacters(out)
  } finally {
    process.stdout.isTTY = isTTY
  }
}

describe('what it answers', () => {
  beforeEach(() => here.venue.post('/reset'))

  test('info: addresses, keys and the clock', async () => {
    expect(await answerOf('info')).toMatchObject({
      venue: 'main',
      url: here.venue.url,
      now: start,
      deterministic: true,
    })
    expect(await shown('info')).toMatch(
      /^venue +main\n[^]*^clock\.mode +manual\n[^]*^keys\.unified-main\.apiKey +dev-/m,
    )
    expect(await answerOf('info', '--token', token, '--url', `${here.venue.url}/`)).toMatchObject({ venue: 'main' })
  })

  test('clock: each way of moving it', async () => {
    expect(await answerOf('clock', 'step', '1h')).toMatchObject({ now: start + hour })
    expect(await shown('clock', 'to', '2026-01-01T02:00:00Z')).toMatch(/^now +1767232800000\n\nfired\n\(none\)\n$/)
    const { fired } = await answerOf<{ fired: Answer[] }>('clock', 'next', 'funding', 'BTCUSDT')
    expect(fired).toContainEqual({ kind: 'funding', at: start + 8 * hour, symbol: 'BTCUSDT' })
    expect(await answerOf('clock', 'until', '{"funding": {"symbol": "BTCUSDT"}}', '9h')).toMatchObject({
      now: start + 16 * hour,
      reached: true,
    })
    expect(await answerOf('clock', 'speed', '0.5')).toMatchObject({ mode: 'manual', speed: 0.5 })
    expect(await answerOf('clock', 'thaw')).toMatchObject({ mode: 'system' })
    expect(await answerOf('clock', 'freeze')).toMatchObject({ mode: 'manual', speed: 0 })
    expect(await answerOf('reset')).toMatchObject({ now: start })
  })

  test('snapshot, revert and reset: there, back, and in a file', async () => {
    expect(await shown('snapshot', 'list')).toBe('(none)\n')
    const taken = await answerOf('snapshot', 'take', 'first hour')
    expect(taken).toMatchObject({ name: 'first hour', now: start })
    expect(await shown('snapshot', 'list')).toMatch(/^snapshot +name [^\n]*\n\S+ +first hour /)
    await answerOf('clock', 'step', '1h')
    expect(await answerOf('revert', 'first hour', '--streams', 'keep')).toMatchObject({ now: start, unknown: 0 })
    await answerOf('clock', 'step', '1h')
    const [now, then] = [join(directory, 'now.snapshot'), join(directory, 'then.snapshot')]
    expect(await answerOf('snapshot', 'save', now)).toEqual({ file: now, bytes: statSync(now).size })
    expect(await answerOf('snapshot', 'save', then, '--snapshot', 'first hour')).toMatchObject({ file: then })
    expect(statSync(now).mode & 0o777).toBe(0o600)
    expect(await answerOf<Answer[]>('snapshot', 'list')).toHaveLength(1)
    expect(await answerOf('snapshot', 'delete', 'first hour')).toHaveProperty('snapshot')
    expect(await answerOf('reset', '--streams', 'close')).toMatchObject({ now: start, stateHash: taken['stateHash'] })
    const made = await answerOf('venues', 'create', now)
    expect(made).toMatchObject({ now: start + hour })
    expect(await answerOf('venues', 'delete', String(made['venue']))).toEqual({ venue: made['venue'] })
  })

  test('venues: further ones, each at its address', async () => {
    const settings = ['--start-at', '2026-03-01T00:00:00Z', '--seed', '7', '--simulator', 'off']
    const made = await answerOf('venues', 'create', 'demo', ...settings)
    expect(made).toMatchObject({ now: Date.UTC(2026, 2, 1), simulator: false })
    expect(await shown('venues', 'list')).toMatch(/^venue +url [^\n]*\nmain +http[^\n]*\nv\d+ +http/)
    expect(await answerOf('info', '--url', String(made['url']))).toMatchObject({ venue: made['venue'] })
    expect(await shown('venues', 'delete', String(made['venue']))).toBe(`venue  ${String(made['venue'])}\n`)
  })

  test('cheat, wait and journal: what was done, and what came of it', async () => {
    const before = (await answerOf<{ sequence: number }>('info')).sequence
    const asked = { balance: { uid: 'unified-main', wallet: 'uta', coin: 'USDT', amount: '1234' } }
    const { sequences } = await answerOf<{ sequences: number[] }>('cheat', JSON.stringify(asked))
    expect(sequences).toContain(before + 1)
    expect(await answerOf('wait', JSON.stringify({ sequence: before + 1 }), '5s')).toMatchObject({ reached: true })
    const { out } = await lab('journal', '--after', String(before), '--uid', 'unified-main', '--limit', '1')
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as Answer)['sequence'])).toEqual([before + 1])
  })

  test('book, queue and script: a market of one own, and what stands before an order', async () => {
    const levels = '{"bids": [[59990, 1]], "asks": [["60010", "2.5"]]}'
    expect(await answerOf('book', 'BTCUSDT', levels)).toMatchObject({
      category: 'USDT-FUTURES',
      asks: [['60010', '2.5']],
    })
    expect(await answerOf('book', 'BTCUSDT', levels, '--category', 'SPOT')).toMatchObject({ category: 'SPOT' })
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      orderType: 'limit',
      side: 'buy',
      price: '59990',
      qty: '1',
    }
    const placed = await here.venue.person('unified-main', () => start).post('/api/v3/trade/place-order', order)
    const { orderId } = placed.fields
    expect(await answerOf('queue', orderId)).toMatchObject({
      orderId,
      ahead: '1',
      aheadOrders: 1,
      behind: '0',
      level: '2',
    })
    const file = join(directory, 'steps.yaml')
    writeFileSync(file, 'symbol: BTCUSDT\nsteps:\n  - at 10s: trade sell 1.5\n')
    expect(await answerOf('script', file, '--name', 'mine')).toMatchObject({ script: 'p1', name: 'mine', steps: 1 })
    await answerOf('clock', 'step', '10s')
    expect(await answerOf('queue', orderId)).toMatchObject({ size: '0.5', ahead: '0' })
    expect(await shown('script')).toMatch(/^script +name +state [^\n]*\np1 +mine +done /)
    expect(await answerOf('script', '--end', 'all')).toEqual({ ended: ['p1'], cancelled: 0 })
    writeFileSync(file, 'symbol: BTCUSDT\nsteps:\n  - at 10s: drink tea\n')
    const { code, err } = await lab('script', file)
    expect([code, err]).toEqual([1, expect.stringContaining(`file-wrong: ${file}:3: steps[0].at 10s`)])
    expect(await lab('script', join(directory, 'nowhere.yaml'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('nowhere.yaml cannot be read') as string,
    })
    expect(await lab('script', file, '--end', 'all')).toMatchObject({ code: 2 })
  })

  test('hold, pending, release and drop: what clients send waits', async () => {
    expect(await answerOf('hold')).toEqual({ holding: true, on: {}, pending: 0 })
    expect(await answerOf('hold', '{"endpoint": "place"}')).toMatchObject({ on: { endpoint: 'place' } })
    const [v3] = waysIn
    const answers = ['a', 'b', 'c'].map((name) => v3.place(here.venue, () => start, name))
    const pending = await here.venue.get<{ id: string }[]>('/pending?atLeast=3')
    expect(await shown('pending')).toMatch(/^id +at +uid +endpoint +orders *\np1 +/)
    expect(await answerOf('hold', '--off')).toMatchObject({ holding: false, pending: 3 })
    expect(await answerOf('drop', 'p2', '{"status": 502}')).toEqual({ id: 'p2', pending: 2 })
    expect(await answerOf('release', 'p3')).toMatchObject({ released: [{ id: 'p3', replies: ['placed'] }], pending: 1 })
    expect(await answerOf('release', 'shuffle', '--seed', '3')).toMatchObject({ released: [{ id: 'p1' }] })
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect([pending.length, statuses.toSorted((one = 0, other = 0) => one - other)]).toEqual([3, [200, 200, 502]])
  })

  test('latency: rules are set, shown and removed', async () => {
    const rule = { leg: 'entry', constant: '20ms', on: { role: 'unified-main' } }
    expect(await answerOf('latency', JSON.stringify({ rules: [rule] }))).toMatchObject({ rules: [{ constant: 20 }] })
    expect(await answerOf('latency')).toMatchObject({ rules: [{ leg: 'entry' }], waiting: { entry: 0 } })
    expect(await answerOf('latency', '--off')).toMatchObject({ rules: [] })
  })

  test('fork: from now, from a snapshot, from before, from a directory and from an address', async () => {
    const { snapshot, sequence } = await answerOf<{ snapshot: string; sequence: number }>('snapshot', 'take')
    await answerOf('cheat', '{"price": {"coin": "BTC", "price": "60100"}}')
    await answerOf('clock', 'step', '1h')
    const present = await answerOf<{ now: number; sequence: number }>('info')
    const forks = [
      [[], present],
      [[snapshot], { sequence }],
      [['--at', String(sequence + 1)], { sequence: sequence + 1 }],
      [['--at', new Date(present.now - hour / 2).toISOString()], { now: present.now - hour / 2 }],
      [['--from', here.venue.url], { sequence: present.sequence }],
      [['--from', data, '--with-keys'], { keys: { 'unified-main': { apiKey: 'dev-unified-main' } } }],
    ] as const
    for (const [words, gives] of forks) {
      const { sequence: at, now, keys, venue } = await answerOf('fork', ...words)
      expect({ words, at: { sequence: at, now, keys } }).toMatchObject({
        words,
        at: Object.fromEntries(Object.entries(gives).filter(([name]) => ['sequence', 'now', 'keys'].includes(name))),
      })
      expect(await answerOf('venues', 'delete', String(venue))).toEqual({ venue })
    }
  })
})

/** Words as a shell would split them; `''` is an empty one. */
const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|\S+/g)].map(([whole, quoted]) => quoted ?? whole)

describe('what is wrong', () => {
  test.each([
    // Asked for wrongly
    ['nonsense', 2, "unknown command 'nonsense' (usage: tidemark lab [options] [command])"],
    [
      'clock stepp 1s',
      2,
      "unknown command 'stepp' (Did you mean step?) (usage: tidemark lab clock [options] [command])",
    ],
    [
      'info extra',
      2,
      "too many arguments for 'info'. Expected 0 arguments but got 1: extra. (usage: tidemark lab info [options])",
    ],
    ['revert', 2, "missing required argument 'snapshot' (usage: tidemark lab revert [options] <snapshot>)"],
    ['clock next', 2, "missing required argument 'what' (usage: tidemark lab clock next [options] <what> [symbol])"],
    ['fork --url', 2, "option '--url <url>' argument missing (usage: tidemark lab fork [options] [snapshot])"],
    ['journal --lines 2', 2, "unknown option '--lines' (usage: tidemark lab journal [options])"],
    ['cheat {', 2, '{: must be a JSON object'],
    ["cheat '{\n}}'", 2, '{ }}: must be a JSON object'],
    ["clock until '[1]'", 2, '[1]: must be a JSON object'],
    ["wait ''", 2, '"": must be a JSON object'],
    ['fork --at soon', 2, '--at soon: must be a sequence, Unix milliseconds, or ISO 8601 with a zone'],
    ["fork --from ''", 2, '--from "": must be a file, a directory or an address'],
    ['venues delete ..', 2, '..: nothing has such a name'],
    ["snapshot delete ''", 2, '"": nothing has such a name'],
    ['info --url nonsense', 2, '--url nonsense: must look like http://127.0.0.1:8080'],
    ['info --url ftp://127.0.0.1', 2, '--url ftp://127.0.0.1: must look like http://127.0.0.1:8080'],
    ["info --url ''", 2, '--url "": must look like http://127.0.0.1:8080'],
    ["info --token 'a\nb'", 2, '--token must be 1 to 200 visible characters'],
    ['hold {} --off', 2, '--off: goes without a selector'],
    ['hold place', 2, 'place: must be a JSON object'],
    ['latency {} --off', 2, '--off: goes without rules'],
    // The venue says no
    ['release p9', 1, 'unknown-command: order: there is no command p9 pending'],
    ['drop p9 none', 1, 'unknown-command: id: there is no command p9 pending'],
    ['latency {}', 1, 'body-wrong: rules is required'],
    ['info --token wrong', 1, 'token-wrong: Authorization: Bearer with the token of the laboratory is required'],
    ['revert nope', 1, 'unknown-snapshot: there is no snapshot nope'],
    ['reset --streams open', 1, 'body-wrong: streams must be one of close, keep'],
    ['snapshot take ..', 1, 'body-wrong: name must be 1 to 64 letters, digits, spaces and . _ -, and not . or ..'],
    ['snapshot delete nope', 1, 'unknown-snapshot: there is no snapshot nope'],
    ['venues delete v99', 1, 'unknown-venue: there is no venue v99'],
    ['venues delete main', 1, 'venue-main: main is the first venue and stays'],
    ['venues create nope', 1, 'unknown-snapshot: there is no snapshot nope'],
    ['venues create ./nope', 1, `unknown-file: there is no file ${join(process.cwd(), 'nope')}`],
    ['venues create --seed one', 1, 'body-wrong: seed must be a whole number from 0 to 4294967295'],
    ['venues create --simulator maybe', 1, 'body-wrong: simulator must be true or false'],
    ['fork nope', 1, 'unknown-snapshot: there is no snapshot nope'],
    ['fork --from /nope', 1, 'unknown-file: there is no file /nope'],
    ['fork --with-keys', 1, 'body-wrong: withKeys: goes with from: a fork of this venue has its keys'],
    ['fork a --from b', 1, 'body-wrong: from: goes without a snapshot: each says where the fork begins'],
    ['fork --at 99999999', 1, 'moment-unknown: at: the venue has not come so far'],
    [
      'clock step soon',
      1,
      'body-wrong: step must be a duration such as 250ms, 8h or 90d, or a whole number of milliseconds',
    ],
    ['clock to yesterday', 1, 'body-wrong: to must be a time: Unix milliseconds, or ISO 8601 with a zone'],
    [
      'clock to 2025-01-01T00:00:00Z',
      1,
      "clock-backwards: to: 2025-01-01T00:00:00.000Z is before the venue's time; go back with a revert",
    ],
    ['clock speed fast', 1, 'body-wrong: speed must be a number from 0 to 1000000'],
    ["clock speed ''", 1, 'body-wrong: speed must be a number from 0 to 1000000'],
    [
      'clock next tea',
      1,
      'body-wrong: next: it is one of funding, interest, delivery, timer and candle:INTERVAL such as candle:1m',
    ],
    [
      'clock until {"sequence":99999999} 1s',
      1,
      "until-not-reached: until: it did not come about within 1000 ms of the venue's time",
    ],
    ['cheat {"gift":1}', 1, 'body-wrong: gift is not known'],
    ['wait {"sequence":1} soon', 1, 'body-wrong: timeout must be a duration up to 600000 ms'],
    ['wait {"sequence":99999999} 1ms', 1, 'until-not-reached: for: it did not come about within 1 ms'],
    ['journal --uid nobody', 1, 'unknown-account: uid: there is no account nobody'],
    ['journal --limit 0', 1, 'body-wrong: limit must be a whole number from 1 to 10000'],
    ['snapshot save /nope/x', 1, "/nope/x cannot be written: ENOENT: no such file or directory, open '/nope/x'"],
    // Nobody is there
    ['info --url http://127.0.0.1:1', 1, 'no venue answers at http://127.0.0.1:1'],
  ])('%s', async (line, code, message) => {
    expect(await lab(...wordsOf(line))).toEqual({ code, out: '', err: `tidemark: ${message}\n` })
  })

  test('an address and a token of the environment are named as such; an empty one is none', async () => {
    vi.stubEnv('TIDEMARK_LAB_TOKEN', '')
    expect(await lab('info')).toMatchObject({ code: 0 })
    vi.stubEnv('TIDEMARK_LAB_TOKEN', 'not one')
    expect((await lab('info')).err).toBe('tidemark: TIDEMARK_LAB_TOKEN must be 1 to 200 visible characters\n')
    vi.stubEnv('TIDEMARK_LAB_TOKEN', token)
    vi.stubEnv('TIDEMARK_URL', 'nonsense')
    expect((await lab('info')).err).toBe('tidemark: TIDEMARK_URL nonsense: must look like http://127.0.0.1:8080\n')
    vi.stubEnv('TIDEMARK_URL', addressOf(stranger))
    const message = `tidemark: ${addressOf(stranger)} has no laboratory: run it with \`tidemark dev\`\n`
    expect(await lab('reset')).toEqual({ code: 1, out: '', err: message })
  })

  test('what fails leaves nothing behind', async () => {
    const [before, file] = [await answerOf<Answer[]>('snapshot', 'list'), join(directory, 'none')]
    expect(await lab('snapshot', 'save', file, '--snapshot', 'nope')).toMatchObject({ code: 1 })
    expect([await answerOf<Answer[]>('snapshot', 'list'), existsSync(file)]).toEqual([before, false])
  })
})

test('the process says the same, and ends with the same code', async () => {
  const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
  const real = (...words: readonly string[]) =>
    new Promise<Ended>((resolve) => {
      const env = { ...process.env, TIDEMARK_URL: here.venue.url }
      execFile(process.execPath, [...sooner, cli, 'lab', ...words], { env }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      )
    })
  for (const words of [['info'], ['revert', 'nope']]) expect(await real(...words)).toEqual(await lab(...words))
})
