/**
 * The database refuses: the venue goes on recording, everyone who asks is told, and opening it again with the journal
 * makes it whole.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HistoryFailed, openHistory } from '../../src/history/history.ts'
import { alice, fillNumber, noon } from './samples.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-history-'))
  file = join(directory, 'history.sqlite')
})
afterEach(() => rm(directory, { recursive: true }))

const ofAlice = { uid: alice, limit: 10 }

/** Lets the database refuse every fill with a number from 100 on, as a full disk would. */
function refuseFills(text: string): void {
  const other = new DatabaseSync(file)
  other.exec(text)
  other.close()
}

test('a file that is no database is not opened', async () => {
  await writeFile(file, 'not a database, but as long as the header of one would have to be: '.repeat(30))
  await expect(openHistory(file)).rejects.toThrow(HistoryFailed)
  await expect(openHistory(join(directory, 'missing', 'history.sqlite'))).rejects.toThrow(HistoryFailed)
})

test('a damaged file is not opened and is named, or opens: never anything else', async () => {
  const history = await openHistory(file)
  for (let sequence = 1; sequence <= 300; sequence++) history.record(sequence, noon, [fillNumber(sequence)])
  await history.close()
  const sound = await readFile(file)
  const expectRefused = async (bytes: Buffer): Promise<boolean> => {
    await writeFile(file, bytes)
    try {
      await (await openHistory(file)).close()
      return false
    } catch (error) {
      expect(error).toBeInstanceOf(HistoryFailed)
      expect((error as Error).message).toContain(file)
      return true
    } finally {
      for (const log of ['-wal', '-shm']) await rm(`${file}${log}`, { force: true })
    }
  }
  let refused = 0
  for (let at = 0; at < sound.length; at += at < 100 ? 9 : Math.ceil(sound.length / 16)) {
    const changed = Buffer.from(sound)
    changed[at] ^= 1 << (at % 8)
    if (await expectRefused(changed)) refused += 1
  }
  expect(refused).toBeGreaterThan(3)
  for (const length of [100, 4_096, sound.length / 2, sound.length - 4_096]) {
    expect(await expectRefused(sound.subarray(0, length)), `cut off at ${length}`).toBe(true)
  }
})

test('rows beyond what it says that it reaches would be written again: not opened', async () => {
  const history = await openHistory(file)
  for (let sequence = 1; sequence <= 3; sequence++) history.record(sequence, noon, [fillNumber(sequence)])
  await history.close()
  const other = new DatabaseSync(file)
  other.exec('update progress set applied_sequence = 2')
  other.close()
  await expect(openHistory(file)).rejects.toThrow('it says that it reaches command 2, fills reach 3')
})

test('a refused batch leaves nothing behind, and the history says so until it is opened again', async () => {
  const history = await openHistory(file)
  history.record(1, noon, [fillNumber(1)])
  await history.flush()
  refuseFills(`create trigger full before insert on fills when new.exec_id >= 100
    begin select raise(abort, 'database or disk is full'); end`)

  history.record(2, noon, [fillNumber(2), fillNumber(100)])
  await expect(history.flushDurably()).rejects.toThrow('database or disk is full')
  history.record(3, noon, [fillNumber(3)])
  await expect(history.fills(ofAlice)).rejects.toThrow(HistoryFailed)
  await expect(history.prune(noon)).rejects.toThrow(HistoryFailed)
  expect(history.health()).toMatchObject({
    state: 'failed',
    committedSequence: 1,
    pendingEvents: 0,
    droppedEvents: 3,
    fault: expect.stringContaining('database or disk is full'),
  })
  await history.close()

  refuseFills('drop trigger full')
  const again = await openHistory(file)
  expect(again.appliedSequence).toBe(1)
  again.record(1, noon, [fillNumber(1)])
  again.record(2, noon, [fillNumber(2), fillNumber(100)])
  again.record(3, noon, [fillNumber(3)])
  expect((await again.fills(ofAlice)).rows).toHaveLength(4)
  await again.close()
})

test('a read that is refused leaves the rest working', async () => {
  const history = await openHistory(file)
  await expect(history.fills({ uid: alice, limit: Number.NaN })).rejects.toThrow(HistoryFailed)
  history.record(1, noon, [fillNumber(1)])
  expect((await history.fills(ofAlice)).rows).toHaveLength(1)
  expect(history.health().state).toBe('working')
  await history.close()
})

test('a row that somebody made unreadable fails the pages that have it, and nothing else', async () => {
  const before = await openHistory(file)
  for (const sequence of [1, 2]) before.record(sequence, noon, [fillNumber(sequence)])
  await before.close()
  const other = new DatabaseSync(file)
  other.exec('update fills set quantity_lots = 9007199254740993 where exec_id = 1')
  other.close()
  const history = await openHistory(file)
  await expect(history.fills(ofAlice)).rejects.toThrow(HistoryFailed)
  expect((await history.fills({ ...ofAlice, limit: 1 })).rows).toHaveLength(1)
  expect(history.health().state).toBe('working')
  await history.close()
})
