/**
 * What a venue's directory says of its engine, for a venue in memory that begins there.
 *
 * Reads     a copy: an unfinished batch at the end of its journal is cut off, as a start would
 * Begins    with the newest sound snapshot that history reaches, or with nothing where the journal has the first command
 * Source    lab.md §4.4
 */
import { join } from 'node:path'
import {
  fileDisk,
  type JournalMark,
  MemoryJournal,
  openFileJournal,
  openSnapshots,
  type Snapshot,
} from '../journal/journal.ts'
import type { SavedRuntime } from './memory.ts'
import { PoisonedCommands } from './poisoned-commands.ts'
import { assertMayReplay, type RulesKnown } from './rules.ts'
import { hashOf } from './state-hash.ts'
import { RecoveryFailed } from './trouble.ts'

export interface DirectoryRead {
  /** Undefined: the records lead there from nothing. */
  readonly from: SavedRuntime | undefined
  /** All records that are there. */
  readonly journal: JournalMark
  readonly poisoned: SavedRuntime['poisoned']
}

/** `history` reaches so far. Throws RecoveryFailed, JournalDamaged. */
export async function readDirectory(
  copy: string,
  { history, rules }: { readonly history: number; readonly rules: RulesKnown },
): Promise<DirectoryRead> {
  const { journal: onDisk } = await openFileJournal(join(copy, 'journal'), { sync: 'os' })
  try {
    const { firstSequence, lastSequence } = onDisk.stats()
    const records = new MemoryJournal()
    records.goBackTo({ firstSequence, lastSequence: firstSequence - 1, chunks: [[]] })
    await onDisk.replay(firstSequence, (sequence, payload) => void records.append(sequence, [payload]))
    const poisoned = (await PoisonedCommands.open(fileDisk, copy, lastSequence)).list()
    const { snapshot } = await (await openSnapshots(join(copy, 'snapshots'))).newest()
    const begins = snapshot !== undefined && snapshot.sequence <= Math.min(history, lastSequence) ? snapshot : undefined
    if (begins === undefined && firstSequence > 1) {
      const what = snapshot === undefined ? 'there is no sound snapshot' : `history reaches ${history} only`
      throw new RecoveryFailed(`${what}, and the journal begins with ${firstSequence}`)
    }
    assertMayReplay(rules, (begins?.sequence ?? 0) + 1, lastSequence)
    const journal = records.mark(lastSequence)
    const from = begins && (await savedBy(begins, records, poisoned))
    return { from, journal, poisoned }
  } finally {
    await onDisk.close()
  }
}

async function savedBy(
  snapshot: Snapshot,
  records: MemoryJournal,
  poisoned: SavedRuntime['poisoned'],
): Promise<SavedRuntime> {
  const { sequence, stateHash, file } = snapshot
  const chunks = await Array.fromAsync(snapshot.chunks())
  const [head, ...state] = chunks
  const found = await hashOf(state)
  if (found !== stateHash) throw new RecoveryFailed(`${file}: the state in it has the hash ${found}, not ${stateHash}`)
  const lastAt = Buffer.from(head).readDoubleLE()
  const kept: Snapshot = { sequence, stateHash, file, chunks: () => copies(chunks) }
  return {
    state,
    sequence,
    lastAt,
    now: lastAt,
    journal: records.mark(sequence),
    snapshots: [kept],
    poisoned: poisoned.filter((command) => command.sequence <= sequence),
  }
}

/** Whoever reads a snapshot owns what he gets. */
async function* copies(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk.slice()
}
