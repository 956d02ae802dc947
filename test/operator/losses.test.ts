/** Files that a stopped venue's directory has lost: what a start says, in one line, and how to go on. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startVenue } from '../../src/main.ts'
import { acceptLoss } from '../../src/operator/acceptance.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import { CannotStart, DataDirectory, type VenueKind, writeWholeFile } from '../../src/operator/data-directory.ts'
import type { Acceptable } from '../../src/operator/losses.ts'
import { startTrouble } from '../../src/operator/start-trouble.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let base: string
let data: string

/** A demo venue that was stopped; `short` begins its journal with the first command, `long` no longer does. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tidemark-losses-'))
  data = join(base, 'short')
  await run(async () => {})
})

afterAll(() => rmSync(base, { recursive: true, force: true }))

beforeEach(() => {
  data = join(base, 'copy')
  cpSync(join(base, 'short'), data, { recursive: true, preserveTimestamps: true })
})

afterEach(() => rmSync(data, { recursive: true, force: true }))

type Running = Awaited<ReturnType<typeof startVenue>>

/** Starts, does something, stops; answers the keys of the demo accounts as they were then. */
async function run<T>(act: (venue: Running) => Promise<T>): Promise<T> {
  const options = { data, port: '0', operatorPort: '0', simulator: 'off' }
  const { configuration } = readConfiguration({ options, environment: {} })
  const venue = await startVenue(configuration, { log: pino({ level: 'silent' }), onFatal() {} })
  try {
    return await act(venue)
  } finally {
    await venue.stop()
  }
}

/** The one line that a start ends with. */
async function refusal(): Promise<string> {
  const before = filesOf()
  const error = await run(async () => 'it started').then(
    (said) => new Error(said),
    (thrown: unknown) => startTrouble(thrown) as Error,
  )
  expect(error).toBeInstanceOf(CannotStart)
  expect(error.message).not.toContain('\n')
  expect(filesOf(), 'nothing that was lost was made anew').toEqual(before)
  return error.message
}

function filesOf(): string[] {
  const makes = /^(?:lock\.sqlite|history\.sqlite-(?:wal|shm)|journal|snapshots)$/
  return readdirSync(data)
    .filter((name) => !makes.test(name))
    .sort()
}

function lose(...names: readonly string[]): void {
  for (const name of names) rmSync(join(data, name), { recursive: true })
}

function accept(file: Acceptable, kind?: VenueKind): void {
  const directory = DataDirectory.open(data)
  try {
    acceptLoss(directory, file, kind)
  } finally {
    directory.close()
  }
}

const demoKeys = () =>
  JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as { role: string; apiKey: string }[]

test('venue.json: refused, and goes on as what it is said to have been', async () => {
  lose('venue.json')
  expect(await refusal()).toMatch(/venue\.json is lost: .*accept-loss venue\.json --kind demo\|empty/)
  expect(() => accept('venue.json')).toThrow('--kind')
  const before = demoKeys()
  accept('venue.json', 'demo')
  expect(() => accept('venue.json', 'demo')).toThrow('it is not lost')
  await run(async ({ isDemo }) => expect(isDemo).toBe(true))
  expect(demoKeys()).toEqual(before)
})

test('keys.sqlite: refused, and goes on with other keys', async () => {
  lose('keys.sqlite')
  expect(await refusal()).toMatch(/keys\.sqlite is lost: .*every API key.*accept-loss keys\.sqlite/)
  const before = demoKeys()
  accept('keys.sqlite')
  await run(async () => {})
  expect(demoKeys().map(({ role }) => role)).toEqual(before.map(({ role }) => role))
  expect(demoKeys().map(({ apiKey }) => apiKey)).not.toEqual(before.map(({ apiKey }) => apiKey))
  lose('keys.sqlite')
  expect(await refusal(), 'accepted once').toContain('keys.sqlite is lost')
})

test.each([
  ['gone', () => lose('master.key')],
  ['emptied', () => truncateSync(join(data, 'master.key'))],
])('master.key %s: refused, no other is made, and the keys that cannot be opened are put aside', async (_, hurt) => {
  hurt()
  expect(await refusal()).toMatch(/master\.key is lost: .*TIDEMARK_MASTER_KEY.*accept-loss master\.key/)
  accept('master.key')
  await run(async () => {})
  expect(readdirSync(data).some((name) => name.startsWith('keys.sqlite.lost-'))).toBe(true)
  expect(demoKeys()).toHaveLength(10)
})

test('another master.key: the keys are of another one', async () => {
  writeWholeFile(join(data, 'master.key'), `${'ab'.repeat(32)}\n`)
  expect(await refusal()).toMatch(/sealed under another master key: give back the master\.key/)
})

test('history.sqlite: made anew while the journal begins with the first command', async () => {
  const before = rowsOf()
  expect(before).toBeGreaterThan(20)
  lose('history.sqlite')
  await run(async () => {})
  expect(rowsOf()).toBe(before)
})

test('history.sqlite, where a release with other rules was between: refused, and goes on without the rows', async () => {
  noteOther({ rulesFrom: 100 })
  lose('history.sqlite')
  expect(await whyNot()).toMatch(/history\.sqlite is lost: .*cannot be made anew.*accept-loss history\.sqlite/)
  accept('history.sqlite')
  await run(async () => {})
  await run(async () => {})
  expect(rowsOf()).toBe(0)
})

test.each([
  ['gone', () => lose('journal')],
  ['gone, with the snapshots', () => lose('journal', 'snapshots')],
  ['gone, with snapshots and history', () => lose('journal', 'snapshots', 'history.sqlite')],
])('the journal %s: refused, and what knew of more is named', async (_, hurt) => {
  hurt()
  expect(await whyNot()).toMatch(
    /stands at \d+, but the journal ends with 0: commands 1 to \d+ were lost, .*restore a backup/,
  )
})

test('the journal, shorter by its last batch: refused', async () => {
  const [name] = readdirSync(join(data, 'journal')).filter((file) => file.endsWith('.journal'))
  const file = join(data, 'journal', name)
  const bytes = readFileSync(file)
  // Where the last batch begins: what is behind it was never there.
  const last = bytes.lastIndexOf(Buffer.from([0xfe, 0x54, 0x63, 0xff]))
  writeFileSync(file, bytes.subarray(0, last))
  expect(await whyNot()).toMatch(/stands at \d+, but the journal ends with \d+: .* lost/)
})

test('what was carried out by other rules is not replayed: refused before anything is changed, and the way on is named', async () => {
  lose('snapshots')
  noteOther({ rules: 0, release: '0.0.9' })
  expect(await whyNot()).toMatch(
    /commands 1 to \d+ were carried out by release 0\.0\.9 with rules 0, and this is release .* with rules \d+: .*start the release that ran last/,
  )
})

test('a release that noted no rules: the same, and after its clean stop this one goes on', async () => {
  noteOther({ rules: undefined, rulesFrom: undefined, release: undefined })
  const whole = join(base, 'whole')
  cpSync(data, whole, { recursive: true })
  lose('snapshots')
  expect(await whyNot()).toMatch(/carried out by a release that did not note its rules/)
  rmSync(data, { recursive: true })
  cpSync(whole, data, { recursive: true })
  const rows = rowsOf()
  await run(async () => {})
  expect(rowsOf()).toBe(rows)
})

test('a state that this release cannot read: one line, and the release that can', async () => {
  const { openSnapshots } = await import('../../src/journal/journal.ts')
  const snapshots = await openSnapshots(join(data, 'snapshots'))
  const { snapshot } = await snapshots.newest()
  const [head, ...state] = await Array.fromAsync(snapshot!.chunks())
  state[0] = Buffer.concat([Buffer.from([0xff]), state[0]])
  await snapshots.save(snapshot!.sequence, snapshot!.stateHash, [head, ...state])
  noteOther({ rules: 0, release: '0.0.9' })
  expect(await whyNot()).toMatch(
    /snapshot: this release cannot read the state in it: .*start the release that ran last on this directory, 0\.0\.9 with rules 0,/,
  )
})

test('a history of a later release is named as that', async () => {
  const history = new DatabaseSync(join(data, 'history.sqlite'))
  history.prepare('insert into kysely_migration values (?, ?)').run('999-later', new Date().toISOString())
  history.close()
  expect(await refusal()).toMatch(
    /history\.sqlite: it is of a later release, which made 999-later of it; start that release/,
  )
})

/** Why it does not start; what a start makes on the way may be there. */
async function whyNot(): Promise<string> {
  const error = await run(async () => new Error('it started')).catch((thrown: unknown) => startTrouble(thrown) as Error)
  expect(error).toBeInstanceOf(CannotStart)
  expect(error.message).not.toContain('\n')
  return error.message
}

/** As if another release had run here last. */
function noteOther(change: Parameters<DataDirectory['remember']>[0]): void {
  const directory = DataDirectory.open(data)
  directory.venue()
  directory.remember(change)
  directory.close()
  const file = join(data, 'history.sqlite')
  if (!existsSync(file)) return
  const history = new DatabaseSync(file)
  history.exec('drop table rules')
  history.close()
}

function rowsOf(): number {
  const history = new DatabaseSync(join(data, 'history.sqlite'))
  try {
    return Number(history.prepare('select count(*) rows from external_flows').get()?.['rows'])
  } finally {
    history.close()
  }
}
