/**
 * `tidemark dev --data`: a venue on disk comes back as it was, on the branch that it was on, and what was left is kept.
 *
 * Crash   a copy of the directory of a venue that runs is what a crash would leave
 * Source  lab.md §4.4; docs/lab.md
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { readLabSettings } from '../../src/lab/settings.ts'
import { DataDirectory } from '../../src/operator/data-directory.ts'
import { verify } from '../../verifier/verify.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { openHere, type OpenedHere } from './in-process.ts'
import type { LabVenue } from './laboratory.ts'

const start = Date.UTC(2026, 0, 1)
const category = 'USDT-FUTURES'

const opened: OpenedHere[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(data: string, more: Readonly<Record<string, string>> = {}): Promise<LabVenue> {
  const here = await openHere({ data, ...more })
  opened.push(here)
  return here.venue
}

/** As a signal does. */
async function end(): Promise<void> {
  await opened.pop()!.close()
}

/** What a crash would leave. */
function crashed(data: string): string {
  const copy = join(temporaryDirectory('lab-crash'), 'data')
  cpSync(data, copy, { recursive: true })
  return copy
}

const newData = () => join(temporaryDirectory('lab-data'), 'venue')
const branchOf = async (venue: LabVenue) => (await venue.get<{ branch: string | null }>('')).branch

function place(venue: LabVenue, now: number, price: number, side = 'buy') {
  const order = {
    category,
    symbol: 'BTCUSDT',
    orderType: 'limit',
    timeInForce: 'gtc',
    side,
    price: String(price),
    qty: '0.1',
  }
  return venue.person('unified-main', () => now).post('/api/v3/trade/place-order', order)
}

/** What a client sees of it, and the hash of the state. */
async function seen(venue: LabVenue) {
  const { now, clock } = await venue.get<{ now: number; clock: object }>('')
  const answers: string[] = []
  for (const target of [
    `/api/v3/trade/unfilled-orders?category=${category}`,
    `/api/v3/trade/history-orders?category=${category}`,
    `/api/v3/account/financial-records?category=${category}`,
    '/api/v3/account/assets',
  ]) {
    answers.push((await venue.person('unified-main', () => now).get(target)).text)
  }
  const { stateHash, sequence } = await venue.get<{ stateHash: string; sequence: number }>('/operator/verify')
  return { now, clock, stateHash, sequence, answers }
}

const faultsOf = (data: string) => verify(data).faults

test('it comes back on its branch, after an orderly end and after a crash, with what no command says', async () => {
  const data = newData()
  let venue = await open(data)
  expect(await branchOf(venue)).toBe('b0')
  await place(venue, start, 59_000)
  const taken = await venue.post<{ sequence: number }>('/snapshots', { name: 'one-order' })
  await place(venue, start, 58_000)
  await venue.post('/clock', { step: '9h' })
  const left = await seen(venue)
  await venue.post('/revert', { snapshot: 'one-order' })
  expect(await branchOf(venue)).toBe('b1')
  await place(venue, start, 57_000)
  await venue.post('/clock', { step: '90s' })
  const { apiKey } = await venue.post<{ apiKey: string }>('/operator/keys', {
    uid: '1000000009',
    permissions: ['read'],
    label: 'own',
  })
  const before = await seen(venue)
  const copy = crashed(data)
  await end()

  for (const directory of [data, copy]) {
    venue = await open(directory)
    expect(await seen(venue)).toEqual(before)
    expect(await branchOf(venue)).toBe('b1')
    expect(JSON.stringify(await venue.get('/operator/keys?uid=1000000009'))).toContain(apiKey)
    await place(venue, before.now, 56_000)
    await end()
    expect(faultsOf(directory)).toEqual([])
  }
  // What was left is there still.
  const records = left.sequence + before.sequence + 1 - taken.sequence
  expect(verify(data).counts).toMatchObject({ branches: 2, records })
})

test('a reset goes back to what the directory began with, also after a restart', async () => {
  const data = newData()
  let venue = await open(data)
  const begun = await seen(venue)
  await place(venue, start, 59_000)
  await end()
  venue = await open(data)
  expect((await seen(venue)).sequence).toBe(begun.sequence + 1)
  await venue.post('/reset')
  expect(await seen(venue)).toEqual(begun)
  expect(await branchOf(venue)).toBe('b1')
})

test('a clock that goes goes on, and never back', async () => {
  const data = newData()
  let venue = await open(data, { deterministic: 'false' })
  await venue.post('/clock', { freeze: true })
  await venue.post('/clock', { step: '1h' })
  await venue.post('/clock', { thaw: true })
  const { now } = await venue.get<{ now: number }>('')
  await end()
  venue = await open(data, { deterministic: 'false' })
  expect(await venue.get('')).toMatchObject({ clock: { mode: 'system', speed: 1 } })
  expect((await venue.get<{ now: number }>('')).now).toBeGreaterThanOrEqual(now)
})

test('a new directory may begin with a snapshot file', async () => {
  const [one, other] = [newData(), newData()]
  let venue = await open(one)
  await place(venue, start, 59_000)
  const { snapshot } = await venue.post<{ snapshot: string }>('/snapshots')
  const file = `${one}.snapshot`
  writeFileSync(file, Buffer.from(await (await fetch(`${venue.url}/_lab/snapshots/${snapshot}/file`)).arrayBuffer()))
  const before = await seen(venue)
  venue = await open(other, { from: file })
  expect(await seen(venue)).toEqual(before)
  await place(venue, start, 58_000)
  await venue.post('/reset')
  await end()
  venue = await open(other)
  expect(await seen(venue)).toEqual(before)
  await end()
  expect(faultsOf(other)).toEqual([])
})

test('--prune-branches keeps what leads to the present, and nothing else', async () => {
  const data = newData()
  let venue = await open(data)
  await place(venue, start, 59_000)
  await venue.post('/snapshots', { name: 'kept' })
  for (const snapshot of ['kept', 'kept']) await venue.post('/revert', { snapshot })
  await place(venue, start, 58_000)
  const before = await seen(venue)
  await end()
  expect(readdirSync(join(data, 'branches')).sort()).toEqual(['b1', 'b2'])
  venue = await open(data, { pruneBranches: 'true' })
  expect(await seen(venue)).toEqual(before)
  expect(await branchOf(venue)).toBe('b2')
  await venue.post('/reset')
  expect(await branchOf(venue)).toBe('b3')
  await end()
  expect(readdirSync(join(data, 'branches')).sort()).toEqual(['b2', 'b3'])
  expect(faultsOf(data)).toEqual([])
})

test('in any order of orders, steps, snapshots, reverts, crashes and restarts it is what one in memory is', {
  timeout: 60_000,
}, async () => {
  const twinHere = await openHere({})
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.integer({ min: 55_000, max: 59_000 }).map((price) => ({ kind: 'order' as const, price })),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 * 3_600_000 }).map((ms) => ({ kind: 'step' as const, ms })) },
    { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
    { weight: 2, arbitrary: fc.nat(9).map((which) => ({ kind: 'revert' as const, which })) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'crash' as const }, { kind: 'restart' as const }) },
  )
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        let data = newData()
        let venue = await open(data)
        await twinHere.venue.post('/reset')
        const both = <T>(act: (one: LabVenue) => Promise<T>) => Promise.all([act(venue), act(twinHere.venue)])
        let [now, kept]: [number, { name: string; now: number }[]] = [start, []]
        for (const one of steps) {
          if (one.kind === 'order') await both((on) => place(on, now, one.price))
          else if (one.kind === 'step') {
            await both((on) => on.post('/clock', { step: one.ms }))
            now += one.ms
          } else if (one.kind === 'snapshot') {
            const taken = { name: `n${kept.length}`, now }
            await both((on) => on.post('/snapshots', { name: taken.name }))
            kept.push(taken)
          } else if (one.kind === 'revert') {
            const back = kept[one.which % kept.length]
            if (back === undefined) continue
            await both((on) => on.post('/revert', { snapshot: back.name }))
            ;({ now } = back)
          } else {
            // Snapshots are in memory.
            for (const { name } of kept) await twinHere.venue.call('DELETE', `/snapshots/${name}`)
            kept = []
            if (one.kind === 'crash') data = crashed(data)
            await end()
            venue = await open(data)
          }
        }
        const [mine, twins] = await both(seen)
        expect(mine).toEqual(twins)
        for (const { name } of kept) await twinHere.venue.call('DELETE', `/snapshots/${name}`)
        await end()
        expect(faultsOf(data)).toEqual([])
      }),
      { numRuns: 5 },
    )
  } finally {
    await twinHere.close()
  }
})

describe('what does not start says why, and changes nothing', () => {
  test.each<[string, Record<string, string>, string]>([
    ['--state beside it', { data: 'x', state: 'y' }, '--state is for a venue in memory: --data keeps it anyway'],
    ['an empty path', { data: '' }, '--data must be a path, not ""'],
    [
      '--prune-branches of a venue in memory',
      { pruneBranches: 'true' },
      '--prune-branches is for a venue on disk: it goes with --data',
    ],
    [
      'both',
      { data: '', pruneBranches: 'maybe' },
      '--data must be a path, not ""; --prune-branches must be true or false, not "maybe"',
    ],
  ])('%s', (_, settings, said) => {
    expect(() => readLabSettings(settings, {}, true)).toThrow(said)
  })

  test('TIDEMARK_DATA is where `start` keeps its venue', () => {
    expect(readLabSettings({}, { TIDEMARK_DATA: 'x' }, true).data).toBeUndefined()
  })

  test('`start` in its directory', async () => {
    const data = newData()
    await open(data)
    await end()
    const directory = DataDirectory.open(data)
    const said = `${data} holds a venue of "tidemark dev": tidemark dev --data ${data}`
    expect(() => directory.venue()).toThrow(said)
    directory.close()
  })

  test.each(['venue.json', 'history.sqlite'])('in a directory with the %s of a venue of `start`', async (file) => {
    const data = temporaryDirectory('lab-data')
    writeFileSync(join(data, file), 'x')
    await expect(open(data)).rejects.toThrow(/holds a venue of "tidemark start": fork it with --from/)
    expect(existsSync(join(data, 'branches.json'))).toBe(false)
  })

  test.each<[string, Record<string, string>, (data: string) => void, RegExp]>([
    [
      'with --from',
      { from: 'any' },
      (data) => writeFileSync('any', readFileSync(join(data, 'begun.snapshot'))),
      /holds a venue already: --from is for a new directory/,
    ],
    [
      'with --start-at',
      { startAt: '2026-01-02T00:00:00Z' },
      () => {},
      /holds a venue already: --start-at is for a new directory/,
    ],
    [
      'made by another release',
      {},
      (data) => change(data, 'branches.json', /"release": "[^"]+"/, '"release": "0.0.0"'),
      /was made by 0\.0\.0, this is .*: take a new directory/,
    ],
    [
      'with damaged notes',
      {},
      (data) => change(data, 'branches.json', /"parent": null/, '"parent": 7'),
      /branches\.json is damaged/,
    ],
    [
      'with notes that are no JSON',
      {},
      (data) => writeFileSync(join(data, 'branches.json'), '{'),
      /branches\.json cannot be read/,
    ],
    [
      'without its journal',
      {},
      (data) => rmSync(join(data, 'journal'), { recursive: true }),
      /is lost: the venue was on the branch b0/,
    ],
    ['without its beginning', {}, (data) => rmSync(join(data, 'begun.snapshot')), /there is no file .*begun\.snapshot/],
    [
      'with a journal that ends too early',
      {},
      (data) => cpSync(join(data, 'other'), join(data, 'journal'), { recursive: true }),
      /records were lost/,
    ],
  ])('%s', async (_, settings, spoil, said) => {
    const data = newData()
    const venue = await open(data)
    cpSync(join(data, 'journal'), join(data, 'other'), { recursive: true })
    await place(venue, start, 59_000)
    await end()
    spoil(data)
    try {
      await expect(open(data, settings)).rejects.toThrow(said)
    } finally {
      rmSync('any', { force: true })
    }
  })
})

function change(data: string, file: string, from: RegExp, to: string): void {
  writeFileSync(join(data, file), readFileSync(join(data, file), 'utf8').replace(from, to))
}

describe('the verifier', () => {
  /** A byte in the middle. */
  const flip = (file: string) => {
    const bytes = readFileSync(file)
    bytes[Math.floor(bytes.length / 2)] ^= 1
    writeFileSync(file, bytes)
  }
  const branch = (data: string) => join(data, 'branches/b1')

  test.each<[string, (data: string) => void, RegExp]>([
    [
      'a damaged journal of the root',
      (data) => flip(join(data, 'journal', readdirSync(join(data, 'journal'))[0])),
      /does not match its checksum|no batch header/,
    ],
    [
      'a damaged journal of a branch',
      (data) => flip(join(branch(data), 'journal', readdirSync(join(branch(data), 'journal'))[0])),
      /does not match its checksum|no batch header/,
    ],
    ['a damaged snapshot', (data) => flip(join(branch(data), 'state.snapshot')), /does not match its checksum/],
    [
      'a branch that continues another chain',
      (data) => change(data, 'branches.json', /("sequence": \d+,\s*"chain": )\d+(?![\s\S]*"chain")/, '$11'),
      /does not continue the chain/,
    ],
    [
      'a branch behind another record',
      (data) => change(data, 'branches.json', /("sequence": )\d+(?![\s\S]*"sequence")/, '$1142'),
      /begins with record 144, and its branch behind record 142/,
    ],
    [
      'a branch of nobody',
      (data) => change(data, 'branches.json', /"parent": "b0"/, '"parent": "b7"'),
      /continues b7, which is not there/,
    ],
    [
      'a beginning of another branch',
      (data) => cpSync(join(data, 'begun.snapshot'), join(branch(data), 'begun.snapshot')),
      /is not what branches\.json says/,
    ],
  ])('finds %s', async (_, spoil, said) => {
    const data = newData()
    const venue = await open(data)
    await place(venue, start, 59_000)
    await venue.post('/snapshots', { name: 'kept' })
    await place(venue, start, 58_000)
    await venue.post('/revert', { snapshot: 'kept' })
    for (const price of [57_000, 56_000]) await place(venue, start, price)
    await end()
    expect(faultsOf(data)).toEqual([])
    spoil(data)
    expect(
      faultsOf(data)
        .map(({ what }) => what)
        .join(),
    ).toMatch(said)
  })
})
