/** The state of another core is put in place whole or not at all, wherever a start is cut off. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PlacesFile } from '../../src/cluster/log-place.ts'
import { endTaking, takeState } from '../../src/cluster/state-taken.ts'
import { DataDirectory } from '../../src/operator/operator.ts'
import { silentLog } from '../../src/runtime/ports.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const own = { 'history.sqlite': 'own', 'history.sqlite-wal': 'own', positions: 'own', 'journal/1.journal': 'own' }
const theirs = {
  'history.sqlite': 'theirs',
  positions: 'theirs',
  'snapshots/7': 'theirs',
  'journal/5.journal': 'theirs',
}

function write(path: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
}

function read(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const found = files.map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')] as const)
  return Object.fromEntries(found.filter(([name]) => !name.startsWith('lock.sqlite')))
}

function directoryWith(taken: Readonly<Record<string, string>>): DataDirectory {
  const directory = DataDirectory.open(temporaryDirectory('taken'))
  onTestFinished(() => directory.close())
  write(directory.path, own)
  write(directory.file('taken'), taken)
  return directory
}

describe('a start that was cut off', () => {
  test('before all was there leaves what it had', () => {
    const directory = directoryWith(theirs)
    endTaking(directory)
    expect(read(directory.path)).toEqual(own)
    expect(existsSync(directory.file('taken'))).toBe(false)
  })

  const names = JSON.stringify([...new Set(Object.keys(theirs).map((name) => name.split('/')[0]))])
  // The first so many renames of those that it takes were made.
  test.each([0, 1, 2, 3, 4, 5, 6, 7])('after all was there and %d steps goes on', (steps) => {
    const directory = directoryWith({ ...theirs, whole: names })
    mkdirSync(directory.file('put-aside'))
    const moves = [
      ['history.sqlite', 'put-aside/history.sqlite'],
      ['taken/history.sqlite', 'history.sqlite'],
      ['history.sqlite-wal', 'put-aside/history.sqlite-wal'],
      ['positions', 'put-aside/positions'],
      ['taken/positions', 'positions'],
      ['taken/snapshots', 'snapshots'],
      ['journal', 'put-aside/journal'],
    ]
    for (const [from, to] of moves.slice(0, steps)) renameSync(directory.file(from), directory.file(to))
    endTaking(directory)
    const aside = Object.fromEntries(Object.entries(own).map(([name, text]) => [`put-aside/${name}`, text]))
    expect(read(directory.path)).toEqual({ ...theirs, ...aside })
    endTaking(directory)
    expect(read(directory.path)).toEqual({ ...theirs, ...aside })
  })

  test('of a state that another one makes way for nothing is put aside: what this core had itself stays there', () => {
    const directory = directoryWith({ ...theirs, whole: names })
    const first = Object.keys(own).map((name) => [`put-aside/${name}`, 'first'] as const)
    write(directory.path, Object.fromEntries(first))
    endTaking(directory)
    expect(read(directory.path)).toEqual({ ...theirs, ...Object.fromEntries(first) })
  })
})

test('the newest place is in the file once it is asked for, however lately another one was', () => {
  const file = join(temporaryDirectory('places'), 'positions')
  const places = new PlacesFile(file, () => 0)
  const place = (position: number) => ({ position, chain: 1, epoch: 1, lastSequence: position, lastAt: 1 })
  const positions = () => new PlacesFile(file, () => 0).places.map(({ position }) => position)
  for (const position of [1, 2, 3]) places.note(place(position))
  expect(positions()).toEqual([1])
  for (let times = 0; times < 2; times++) places.write()
  expect(positions()).toEqual([1, 3])
})

test('a core that no other one could give anything says so', async () => {
  const taking = takeState(directoryWith({}), [], {
    log: silentLog,
    isUsed: true,
    again: false,
    before: () => {},
    tryMsMax: 0,
  })
  await expect(taking).rejects.toThrow(
    'what this core lacks was removed from the log, and no other core gives its state: --peers names no other core',
  )
})
