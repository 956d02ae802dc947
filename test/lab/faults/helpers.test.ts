/**
 * Faults through the helpers of tests and the command line: the same rules, the same truth.
 *
 * Source  lab.md §4.5, §4.12
 */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LabError, startVenue, type Venue } from '../../../clients/typescript/index.ts'
import { sooner } from '../../support/sooner.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)
let venue: Venue

beforeAll(async () => {
  venue = await startVenue({ deterministic: true, rateLimits: false, inProcess: true })
})
afterAll(() => venue.stop())
beforeEach(async () => {
  await venue.reset()
})

const order = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  side: 'buy',
  qty: '0.01',
  price: '50000',
} as const
const place = (clientOid: string) =>
  venue.request('unified-main', 'POST', '/api/v3/trade/place-order', { ...order, clientOid })
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error: unknown) => (error as LabError).code,
  )

test('TypeScript: what says when stands beside the rest, and no helper sends an order twice', async () => {
  expect(await venue.faults.add('lost-ack', { nth: 2 })).toMatchObject({ rule: 'r1', fault: 'lost-ack' })
  await venue.faults.add('unknown', {
    when: { first: 1 },
    on: { clientOid: '^c' },
    with: { code: '40725', order: 'dead' },
  })
  expect([await codeOf(place('a')), await codeOf(place('b')), await codeOf(place('c'))]).toEqual([
    'done',
    'unreachable',
    '40725',
  ])
  expect((await venue.faults.firings()).map(({ fault, outcome }) => [fault, outcome])).toEqual([
    ['lost-ack', 'placed'],
    ['unknown', 'not-sequenced'],
  ])
  expect((await venue.faults.firings(1)).length).toBe(1)
  expect((await venue.orders('unified-main')).map((row) => row['clientOid']).toSorted()).toEqual(['a', 'b'])
  await venue.faults.remove('r1')
  expect((await venue.faults.list()).length).toBe(1)
  await venue.faults.clear()
  expect(await venue.faults.list()).toEqual([])
  expect(await codeOf(venue.faults.add('lost-akc'))).toBe('rule-matches-nothing')
})

test.each(['flaky', 'hell', 'bitget-bad-day'])('the preset %s is taken as it is printed', async (preset) => {
  const rules = await venue.faults.preset(preset)
  const printed = await venue.call<{ rules: object[] }>('GET', `/faults/presets/${preset}`)
  expect(rules.length).toBe(printed.rules.length)
  await venue.faults.clear()
  await venue.call('POST', '/faults', { about: 'mine', rules: printed.rules })
  expect(await venue.faults.list()).toMatchObject(
    printed.rules
      .map((rule) => ({ ...rule, rule: expect.anything(), id: undefined }))
      .map(({ id: _id, ...rule }) => rule),
  )
})

test('a list of rules is taken whole or not at all', async () => {
  const rules = [{ fault: 'lost-ack' }, { fault: 'lost-akc' }]
  expect(await codeOf(venue.call('POST', '/faults', { rules }))).toBe('rule-matches-nothing')
  expect(await codeOf(venue.call('POST', '/faults', { rules: 7 }))).toBe('body-wrong')
  expect(await codeOf(venue.call('POST', '/faults', { preset: 'flaky', times: 1 }))).toBe('body-wrong')
  expect(await codeOf(venue.call('GET', '/faults/presets/flakey'))).toBe('unknown-preset')
  expect(await venue.faults.list()).toEqual([])
})

test('the command line: add, list, firings, print, load, clear', async () => {
  const lab = async (...words: readonly string[]) => {
    const args = [...sooner, join(checkout, 'src/cli/cli.ts'), 'lab', 'faults', ...words, '--url', venue.url]
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, COLUMNS: '200' } })
    return stdout
  }
  await lab('add', 'lost-ack', '{"on": {"symbol": "BTCUSDT"}, "when": {"nth": 1}}')
  expect(JSON.parse(await lab('list'))).toMatchObject([{ rule: 'r1', fault: 'lost-ack', when: { nth: 1 } }])
  await codeOf(place('a'))
  expect(JSON.parse(await lab('firings', '--after', '0'))).toMatchObject([{ rule: 'r1', outcome: 'placed' }])
  const printed = await lab('print', 'flaky')
  expect(JSON.parse(printed)).toMatchObject({ rules: expect.any(Array) })
  await lab('load', printed)
  const { rules } = JSON.parse(printed) as { readonly rules: readonly object[] }
  expect(JSON.parse(await lab('clear'))).toEqual({ removed: 1 + rules.length })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)('Python: the same names', async () => {
  const program = `
import tidemark
calls = tidemark._Calls("${venue.url}")
venue = tidemark.Venue(calls.lab("GET", ""), calls)
venue.faults.add("unknown", nth=1, on={"role": "unified-main"}, with_={"code": "45001", "order": "live"})
try:
    venue.request("unified-main", "POST", "/api/v3/trade/place-order", ${JSON.stringify(order)})
except tidemark.LabError as error:
    print(error.code)
print(venue.faults.firings()[0]["outcome"], len(venue.faults.list()), venue.faults.clear()["removed"], len(venue.orders("unified-main")))
print(len(venue.faults.preset("flaky")))
`
  const { stdout } = await run('python3', ['-c', program], { cwd: join(checkout, 'clients/python') })
  const { rules } = await venue.call<{ rules: object[] }>('GET', '/faults/presets/flaky')
  expect(stdout).toBe(`45001\nplaced 1 1 1\n${rules.length}\n`)
})
