/** Files 0600, directories 0700, for all that a venue keeps: while it runs, when it has stopped, and where it was not so before. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { startVenue } from '../../src/main.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import { DataDirectory } from '../../src/operator/data-directory.ts'
import { narrowModes } from '../../src/operator/modes.ts'
import { temporaryDirectory } from '../support/temporary.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Everything in a directory and itself, with its mode. */
function modesIn(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  )
  return Object.fromEntries(
    [path, ...names].map((name) => [relative(path, name), (statSync(name).mode & 0o777).toString(8)]),
  )
}

function openToOthers(path: string): string[] {
  return Object.entries(modesIn(path)).flatMap(([name, mode]) => (mode.endsWith('00') ? [] : [`${name} ${mode}`]))
}

async function start(data: string) {
  const settings = { data, port: '0', operatorPort: '0', simulator: 'off' }
  const { configuration } = readConfiguration({ options: settings, environment: {} })
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const venue = await startVenue(configuration, { log, onFatal() {} })
  return { venue, lines }
}

test('all that a venue keeps is for its owner alone, as it was made and when it was open to others', async () => {
  const data = join(temporaryDirectory('modes'), 'data')
  const first = await start(data)
  const keptRunning = Object.keys(modesIn(data))
  for (const name of ['server.json', 'history.sqlite-wal', 'history.sqlite-shm', 'demo-keys.json', 'operator-token'])
    expect(keptRunning).toContain(name)
  expect(openToOthers(data)).toEqual([])
  await first.venue.stop()
  const kept = modesIn(data)
  expect(Object.keys(kept).some((name) => name.endsWith('.snapshot'))).toBe(true)
  expect(openToOthers(data)).toEqual([])
  expect(first.lines).toEqual([])

  for (const name of Object.keys(kept)) chmodSync(join(data, name), statSync(join(data, name)).mode | 0o066)
  const again = await start(data)
  expect(openToOthers(data)).toEqual([])
  expect(again.lines).toHaveLength(1)
  const { files, msg } = JSON.parse(again.lines[0]) as { files: string[]; msg: string }
  expect(msg).toBe('others could read these or change them: no longer')
  expect(files.map((file) => relative(data, file)).sort()).toEqual(Object.keys(kept).sort())
  await again.venue.stop()
  expect(openToOthers(data)).toEqual([])
})

test('what a venue does not make is left as it is, and nothing is widened', () => {
  const data = temporaryDirectory('strangers')
  const own = ['venue.json', 'master.key', 'keys.sqlite-journal', 'poisoned.json.new', 'server.json.0f-1e.new']
  const strange = ['tidemark.json', 'notes.txt', 'my-venue.json', 'keys.sqlite.bak']
  for (const name of [...own, ...strange]) writeFileSync(join(data, name), '', { mode: 0o644 })
  chmodSync(join(data, 'master.key'), 0o400)
  mkdirSync(join(data, 'backup'), { mode: 0o755 })
  writeFileSync(join(data, 'backup', 'venue.json'), '', { mode: 0o644 })
  symlinkSync(join(data, 'nowhere'), join(data, 'operator-token'))
  chmodSync(data, 0o750)
  const { narrowed, foreign } = narrowModes(data)
  expect(narrowed.map((file) => relative(data, file)).sort()).toEqual(
    ['', ...own.filter((name) => name !== 'master.key')].sort(),
  )
  expect(foreign).toEqual([])
  expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o400)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  for (const name of [...strange, 'backup/venue.json'])
    expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o644)
})

test('what belongs to another user is named', () => {
  // Of a process of its own user nothing here does; the system's own directories belong to root.
  const path = process.getuid?.() === 0 ? foreignDirectory() : '/'
  expect(narrowModes(path).foreign).toContain(path)
})

/** As root one can give a directory away. */
function foreignDirectory(): string {
  const path = temporaryDirectory('foreign')
  chownSync(path, 65_534, 65_534)
  return path
}

test('a journal on another disk, behind a link, is narrowed too', () => {
  const base = temporaryDirectory('link')
  mkdirSync(join(base, 'elsewhere'), { mode: 0o755 })
  writeFileSync(join(base, 'elsewhere', '00000000000000000001.journal'), 'x', { mode: 0o644 })
  mkdirSync(join(base, 'data'))
  symlinkSync(join(base, 'elsewhere'), join(base, 'data', 'journal'))
  const directory = DataDirectory.open(join(base, 'data'))
  directory.close()
  expect(openToOthers(join(base, 'elsewhere'))).toEqual([])
  expect(readFileSync(join(base, 'elsewhere', '00000000000000000001.journal'), 'utf8')).toBe('x')
})
