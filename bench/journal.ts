/**
 * How fast the journal takes records and gives them back. One JSON line per figure. An argument names the directory to
 * use, and so the disk; without one it is the system's directory for temporary files.
 *
 * Append  batches of 1, 64 and 256 records of 130 bytes, one after the other; each waits for its sync (or, with "os",
 *         leaves it to the operating system)
 * Replay  opening (which verifies everything) and replaying what was appended, with a visitor that only counts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileJournal } from '../src/journal/journal.ts'

const recordBytes = 130
const secondsPerRun = 2
const root = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'journal-bench-'))

try {
  for (const sync of ['sync', 'os'] as const) {
    for (const batchRecords of [1, 64, 256]) await benchAppend(sync, batchRecords)
  }
  await benchReplay(2_000_000, 256)
} finally {
  await rm(root, { recursive: true })
}

async function benchAppend(sync: 'sync' | 'os', batchRecords: number): Promise<void> {
  const { journal } = await openFileJournal(join(root, `${sync}-${batchRecords}`), { sync })
  const batch = records(batchRecords)
  const latencies: number[] = []
  const start = performance.now()
  while (performance.now() - start < secondsPerRun * 1_000) {
    const before = performance.now()
    await journal.append(journal.lastSequence + 1, batch)
    latencies.push(performance.now() - before)
  }
  const seconds = (performance.now() - start) / 1_000
  latencies.sort((a, b) => a - b)
  print({
    bench: 'journal append',
    sync,
    batchRecords,
    recordsPerSecond: Math.round(journal.lastSequence / seconds),
    batchMicrosecondsP50: microseconds(latencies[Math.floor(latencies.length * 0.5)]),
    batchMicrosecondsP99: microseconds(latencies[Math.floor(latencies.length * 0.99)]),
  })
  await journal.close()
}

async function benchReplay(count: number, batchRecords: number): Promise<void> {
  const directory = join(root, 'replay')
  const { journal } = await openFileJournal(directory, { sync: 'os' })
  const batch = records(batchRecords)
  while (journal.lastSequence < count) await journal.append(journal.lastSequence + 1, batch)
  await journal.close()

  const beforeOpening = performance.now()
  const { journal: found } = await openFileJournal(directory)
  const beforeReplay = performance.now()
  let seen = 0
  await found.replay(1, () => {
    seen += 1
  })
  const end = performance.now()
  print({
    bench: 'journal replay',
    records: seen,
    openRecordsPerSecond: Math.round((seen / (beforeReplay - beforeOpening)) * 1_000),
    replayRecordsPerSecond: Math.round((seen / (end - beforeReplay)) * 1_000),
  })
  await found.close()
}

function records(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => new Uint8Array(recordBytes).fill(index + 1))
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1_000)
}

function print(figure: Readonly<Record<string, string | number>>): void {
  process.stdout.write(`${JSON.stringify(figure)}\n`)
}
