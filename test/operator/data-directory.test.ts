/** The data directory: one venue at a time, a kind that stays, files that are whole. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isToken } from '../../src/operator/announcement.ts'
import { CannotStart, DataDirectory, secretFile, writeWholeFile } from '../../src/operator/data-directory.ts'

let path: string

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'tidemark-data-'))
})

afterEach(() => rmSync(path, { recursive: true, force: true }))

/** A process that has the directory open, and says so. */
async function holder() {
  const module = new URL('../../src/operator/data-directory.ts', import.meta.url).href
  const program = `
    const { DataDirectory } = await import(${JSON.stringify(module)})
    globalThis.held = DataDirectory.open(${JSON.stringify(path)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('a second venue is refused in one line, and may start once the first is gone', async () => {
  const first = await holder()
  expect(() => DataDirectory.open(path)).toThrow(
    new CannotStart(`the data directory ${path} cannot be used: another venue is running in it`),
  )
  first.kill('SIGKILL')
  await once(first, 'exit')
  DataDirectory.open(path).close()
})

test('a start waits for a predecessor that is about to end', async () => {
  const first = await holder()
  // A thread of its own would be needed to kill it while we wait in here; the system's timer does as well.
  spawn('sh', ['-c', `sleep 0.5; kill -9 ${first.pid}`], { stdio: 'ignore' })
  const startedAt = performance.now()
  DataDirectory.open(path).close()
  expect(performance.now() - startedAt).toBeGreaterThan(200)
})

test.each([
  ['below a file', 'file/data'],
  ['a file', 'file'],
  ['a link to nowhere', 'link'],
  ['where the system makes none', '../../proc/tidemark/data'],
])('a directory that cannot be made is told in one line: %s', (_, name) => {
  writeFileSync(join(path, 'file'), '')
  symlinkSync(join(path, 'nowhere'), join(path, 'link'))
  expect(() => DataDirectory.open(join(path, name))).toThrow(/^the data directory [^\n]* cannot be used: [^\n]+$/)
})

test('a file that cannot be written is told in one line, and leaves nothing beside it', () => {
  mkdirSync(join(path, 'venue.json'))
  const directory = DataDirectory.open(path)
  expect(() => directory.remember({ kind: 'demo' })).toThrow(CannotStart)
  expect(() => directory.remember({ kind: 'demo' })).toThrow(/^[^\n]*venue\.json cannot be written: [^\n]+$/)
  directory.close()
  expect(readdirSync(path).sort()).toEqual(['lock.sqlite', 'venue.json'])
})

test('it is made with its parents, for its owner alone', () => {
  const deep = join(path, 'a/b/c')
  DataDirectory.open(deep).close()
  expect(statSync(join(path, 'a')).mode & 0o777).toBe(0o700)
  expect(statSync(deep).mode & 0o777).toBe(0o700)
})

test('what lives in it: nothing yet, then what was settled', () => {
  const directory = DataDirectory.open(path)
  try {
    expect(directory.venue()).toBeUndefined()
    directory.remember({ kind: 'demo' })
    expect(directory.venue()).toEqual({ kind: 'demo' })
    directory.remember({ kind: 'demo', complete: true })
    expect(directory.venue()).toEqual({ kind: 'demo', complete: true })
  } finally {
    directory.close()
  }
})

test('a journal without venue.json is no new venue: what is lost is named, and what to do', () => {
  mkdirSync(join(path, 'journal'))
  writeFileSync(join(path, 'journal', 'segment'), '')
  const directory = DataDirectory.open(path)
  expect(() => directory.venue()).toThrow(CannotStart)
  expect(() => directory.venue()).toThrow(
    /^[^\n]*venue\.json is lost: [^\n]*tidemark accept-loss venue\.json --kind demo\|empty --data [^\n]+$/,
  )
  directory.close()
})

test.each([['{'], ['{}'], ['null'], ['{"kind":"real"}']])('venue.json with %s is refused', (content) => {
  writeFileSync(join(path, 'venue.json'), content)
  const directory = DataDirectory.open(path)
  expect(() => directory.venue()).toThrow(CannotStart)
  directory.close()
})

test('a changed bit in venue.json is refused: no part of a set-up is done again', () => {
  const file = join(path, 'venue.json')
  const record = { kind: 'demo', complete: true, agents: true, dailyOrdersRestriction: 0, fed: false } as const
  const directory = DataDirectory.open(path)
  directory.remember(record)
  const sound = readFileSync(file)
  for (let bit = 0; bit < sound.length * 8; bit++) {
    const changed = Buffer.from(sound)
    changed[bit >> 3] ^= 1 << (bit & 7)
    writeFileSync(file, changed)
    // A changed line end says the same.
    if (bit >> 3 === sound.length - 1 && /^\s$/.test(changed.toString().slice(-1))) continue
    expect(() => directory.venue(), `bit ${bit}`).toThrow(CannotStart)
    expect(() => directory.venue(), `bit ${bit}`).toThrow(file)
  }
  writeFileSync(file, `${JSON.stringify(record)}\n`)
  expect(directory.venue(), 'as a release before wrote it').toEqual(record)
  directory.close()
})

test.each([
  // in operator-token         the token
  ['', 'made'],
  [' \n', 'made'],
  ['\0'.repeat(64), 'made'],
  ['ab cd', 'made'],
  ['abcd\n', 'abcd'],
])('an operator token that no header can carry is made anew: %j', (content, token) => {
  const file = join(path, 'operator-token')
  writeWholeFile(file, content)
  expect(secretFile(file, () => 'made', isToken)).toBe(token)
  expect(readFileSync(file, 'utf8').trim()).toBe(token)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file is replaced whole, with its mode, and nothing is left beside it', () => {
  const file = join(path, 'secret')
  writeWholeFile(file, 'one')
  writeWholeFile(file, 'two')
  expect(readFileSync(file, 'utf8')).toBe('two')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(path)).toEqual(['secret'])
})

test('a secret is made once', () => {
  const file = join(path, 'operator-token')
  expect(secretFile(file, () => 'first')).toBe('first')
  expect(secretFile(file, () => 'second')).toBe('first')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
