/**
 * How fast the journal takes records and gives them back: `npm run bench -- journal [--directory=DIR] [--quick]`. The
 * directory names the disk; without one it is the system's directory for temporary files.
 *
 * Append  batches of 1, 64 and 256 records of 130 bytes, one after the other; each waits for its sync (or, with "os",
 *         leaves it to the operating system)
 * Sync    4 kB in turns at the end of a file that grows and over the zeros of another: what a spare segment is for
 * Replay  opening (which verifies everything) and replaying what was appended, with a visitor that only counts
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
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
  benchSync()
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

function benchSync(): void {
  const block = Buffer.alloc(4_096, 1)
  const blocks = options.quick ? 200 : 4_000
  const files = ['a file that grows', 'zeros'].map((kind) => {
    const file = openSync(join(root, kind), 'w')
    if (kind === 'zeros') writeSync(file, Buffer.alloc(blocks * block.length))
    fdatasyncSync(file)
    return { kind, file, tookMs: [] as number[] }
  })
  for (let index = 0; index < blocks; index++) {
    for (const { file, tookMs } of files) {
      const before = performance.now()
      writeSync(file, block, 0, block.length, index * block.length)
      fdatasyncSync(file)
      tookMs.push(performance.now() - before)
    }
  }
  for (const { kind, file, tookMs } of files) {
    closeSync(file)
    const shares = { usP50: 0.5, usP90: 0.9, usP99: 0.99, usP999: 0.999 }
    const figures = Object.entries(shares).map(
      ([name, share]) => [name, microseconds(quantile(tookMs, share))] as const,
    )
    report({ bench: 'journal', case: `4 kB synced, ${kind}`, count: blocks, figures: Object.fromEntries(figures) })
  }
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
