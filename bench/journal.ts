/**
 * How fast the journal takes records and gives them back: `npm run bench -- journal [--directory=DIR] [--quick]`. The
 * directory names the disk; without one it is the system's directory for temporary files.
 *
 * Append  batches of 1, 64 and 256 records of 130 bytes, one after the other; each waits for its sync (or, with "os",
 *         leaves it to the operating system)
 * Replay  opening (which verifies everything) and replaying what was appended, with a visitor that only counts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openFileJournal } from '../src/journal/journal.ts'
import { quantile, report } from './measure.ts'

const { values: options } = parseArgs({
  options: { directory: { type: 'string', default: tmpdir() }, quick: { type: 'boolean', default: false } },
})
const recordBytes = 130
const secondsPerRun = options.quick ? 0.3 : 2
const replayedRecords = options.quick ? 100_000 : 2_000_000
const root = await mkdtemp(join(options.directory, 'journal-bench-'))

try {
  for (const sync of ['sync', 'os'] as const) {
    for (const batchRecords of [1, 64, 256]) await benchAppend(sync, batchRecords)
  }
  await benchReplay(replayedRecords, 256)
} finally {
  await rm(root, { recursive: true })
}

async function benchAppend(sync: 'sync' | 'os', batchRecords: number): Promise<void> {
  const { journal } = await openFileJournal(join(root, `${sync}-${batchRecords}`), { sync, spare: sync === 'sync' })
  const batch = records(batchRecords)
  const latencies: number[] = []
  const start = performance.now()
  while (performance.now() - start < secondsPerRun * 1_000) {
    const before = performance.now()
    await journal.append(journal.lastSequence + 1, batch)
    latencies.push(performance.now() - before)
  }
  const seconds = (performance.now() - start) / 1_000
  report({
    bench: 'journal',
    case: `append batches of ${batchRecords}, ${sync}`,
    count: journal.lastSequence,
    figures: {
      recordsPerSecond: Math.round(journal.lastSequence / seconds),
      batchUsP50: microseconds(quantile(latencies, 0.5)),
      batchUsP99: microseconds(quantile(latencies, 0.99)),
    },
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
  report({
    bench: 'journal',
    case: 'open and replay',
    count: seen,
    figures: {
      openRecordsPerSecond: Math.round((seen / (beforeReplay - beforeOpening)) * 1_000),
      replayRecordsPerSecond: Math.round((seen / (end - beforeReplay)) * 1_000),
    },
  })
  await found.close()
}

function records(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => new Uint8Array(recordBytes).fill(index + 1))
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1_000)
}
