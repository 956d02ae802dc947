/**
 * Recordings from the command line: started and stopped, saved, replayed, with a program, up to a request, as a test; and what
 * is wrong with a file in one line.
 *
 * In process  as the command runs them; the program of a replay is a real one
 * Source      lab.md §4.8; docs/lab.md
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { readRecording, repackRecording } from '../../../src/lab/recording/tide-file.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { openSession, type Session } from './session.ts'

let session: Session
let directory: string
let file: string
const at = Date.UTC(2026, 0, 1)
const order = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  timeInForce: 'gtc',
  side: 'buy',
  price: '59000',
  qty: '0.1',
}

beforeAll(async () => {
  session = await openSession(false)
  directory = temporaryDirectory('recordings')
  file = join(directory, 'one.tide')
}, 60_000)
afterAll(() => session.close())
afterEach(() => vi.unstubAllEnvs())

/** One command at the venue of the session. */
async function tidemark(...words: readonly string[]) {
  vi.stubEnv('TIDEMARK_URL', session.venue.url)
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
    return { code: await run(words), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('start and stop write one file, and it replays', { timeout: 60_000 }, async () => {
  expect(await tidemark('lab', 'record', 'start', file)).toMatchObject({ code: 0, err: '' })
  expect(await tidemark('lab', 'record', 'start')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/recording-started: a recording is on/),
  })
  const person = session.venue.person('unified-main', () => at)
  for (const price of ['59000', '59001']) {
    expect((await person.post('/api/v3/trade/place-order', { ...order, price })).code).toBe('00000')
  }
  const stopped = await tidemark('lab', 'record', 'stop')
  expect(JSON.parse(stopped.out)).toMatchObject({ file, requests: 2, commands: 2 })
  const replayed = await tidemark('replay', file)
  expect(replayed).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(replayed.out)).toMatchObject({ same: true, requests: 2, commands: 2 })
  expect(await tidemark('lab', 'record', 'stop')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/recording-not-started/),
  })
})

test('the ring is saved, without anybody having started it', { timeout: 60_000 }, async () => {
  const ring = join(directory, 'ring.tide')
  expect(await tidemark('lab', 'save-recording', ring)).toMatchObject({ code: 0, err: '' })
  expect((await readRecording(ring)).head.requests).toBeGreaterThanOrEqual(2)
})

const program = (price: string) => `
const { createHmac } = require('node:crypto')
const { TIDEMARK_URL: url, BITGET_API_KEY: key, TIDEMARK_SECRET: secret } = process.env
const place = async (price) => {
  const body = JSON.stringify({ ...${JSON.stringify(order)}, price })
  const timestamp = String(${at})
  const path = '/api/v3/trade/place-order'
  const sign = createHmac('sha256', secret).update(timestamp + 'POST' + path + body).digest('base64')
  const headers = { 'content-type': 'application/json', 'access-key': key, 'access-sign': sign, 'access-timestamp': timestamp, 'access-passphrase': 'tidemark' }
  await (await fetch(url + path, { method: 'POST', headers, body })).text()
}
place('59000').then(() => place('${price}'))
`

test('a program that does the same is told so, and one that does not where', { timeout: 60_000 }, async () => {
  const same = await tidemark('replay', file, '--', process.execPath, '-e', program('59001'))
  expect(same).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(same.out)).toMatchObject({ same: true, requests: 2, exitCode: 0 })
  const other = await tidemark('replay', file, '--', process.execPath, '-e', program('59002'))
  expect(other.code).toBe(1)
  expect(other.err).toMatch(
    /^request 2 \(POST \/api\/v3\/trade\/place-order\) is another one: request\n.*59001.*\n.*59002/,
  )
})

test('a program that is not there is one line', { timeout: 60_000 }, async () => {
  const { code, err } = await tidemark('replay', file, '--', join(directory, 'no-such-program'))
  expect([code, err.trim().split('\n').length]).toEqual([1, 1])
  expect(err).toContain('no-such-program cannot be run: ')
})

test('up to a request: the venue is left as it was then', { timeout: 60_000 }, async () => {
  const until = tidemark('replay', file, '--until', '1')
  const listening = process.listenerCount('SIGTERM')
  await vi.waitFor(() => expect(process.listenerCount('SIGTERM')).toBeGreaterThan(listening), { timeout: 30_000 })
  process.emit('SIGTERM')
  const { code, out, err } = await until
  expect([code, /^ready http:\/\/127\.0\.0\.1:\d+\n$/.test(out)]).toEqual([0, true])
  expect(err).toContain('The venue stands behind request 1. The trading terminal: http://')
})

test('a vitest case of it', { timeout: 60_000 }, async () => {
  const written = join(directory, 'one.test.ts')
  expect(await tidemark('replay', file, '--to-test', written)).toMatchObject({ code: 0, err: '' })
  const text = readFileSync(written, 'utf8')
  expect(text).toContain("import { expect, venueTest } from 'tidemark/vitest'")
  expect(text.match(/toBe\('00000'\)/g)).toHaveLength(2)
  const key = await tidemark('replay', file, '--to-test', written, '--key', 'nobody')
  expect(key).toMatchObject({
    code: 1,
    err: expect.stringMatching(/--key nobody: no demo account asked for anything by it/),
  })
})

test('a recording of another version says so first, and is tried', { timeout: 60_000 }, async () => {
  const other = join(directory, 'other.tide')
  const tide = await readRecording(file)
  writeFileSync(other, await repackRecording({ ...tide, head: { ...tide.head, version: '0.0.1' } }))
  const { code, err } = await tidemark('replay', other)
  expect(code).toBe(0)
  expect(err).toMatch(/^made by 0\.0\.1, and this is .*: answers may differ\n$/)
  const changed = { ...tide.head, stateHash: 'another' }
  writeFileSync(other, await repackRecording({ ...tide, head: changed }))
  expect(await tidemark('replay', other)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the end is another one: stateHash\n {2}expected {2}another/),
  })
})

test('what is wrong with a file is one line, and exit code 2', { timeout: 60_000 }, async () => {
  const place = (name: string) => join(directory, name)
  const whole = readFileSync(file)
  mkdirSync(place('folder'), { recursive: true })
  writeFileSync(place('cut'), whole.subarray(0, whole.length - 10))
  writeFileSync(place('text'), 'no recording')
  const changed = Buffer.from(whole)
  changed[changed.length - 5] ^= 1
  writeFileSync(place('changed'), changed)
  writeFileSync(place('form'), whole.toString('latin1').replace('"form":2', '"form":9'), 'latin1')
  const rows: readonly (readonly [string, RegExp])[] = [
    ['nowhere', /nowhere$/],
    ['folder', /folder: it is a directory, and a recording is a file$/],
    ['cut', /cut: it is cut off: \d+ bytes of \d+$/],
    ['text', /text: it is no recording of the laboratory$/],
    ['changed', /changed: its checksum does not match$/],
    ['form', /form: it was made by .* in another form than this version reads; record it anew$/],
  ]
  for (const [name, sentence] of rows) {
    const { code, err, out } = await tidemark('replay', place(name))
    expect([name, code, out, err.trim().split('\n').length]).toEqual([name, 2, '', 1])
    expect(err.trim()).toMatch(sentence)
  }
  for (const words of [
    ['--until', '0'],
    ['--key', 'x'],
    ['--to-test', 'x', '--', 'true'],
  ]) {
    expect(await tidemark('replay', file, ...words)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^tidemark: --(until|key|to-test)/),
    })
  }
  expect(existsSync(place('x'))).toBe(false)
})
