/**
 * A journal file, appended to the log: when the log has lost its end, is made anew, or gets the commands of a venue of one process.
 *
 * Behind    a claim, so that whoever led writes nothing more
 * Poisoned  commands stand in it like all others, each with a skip right behind it: whoever reads passes over it, too
 */
import { firstRules } from '../engine/protocol/rules.ts'
import type { JetStreamLog } from '../jetstream/jetstream.ts'
import type { Journal } from '../journal/journal.ts'
import { type LogEnd, LogWriter, systemTimers } from '../replication/replication.ts'
import { decodeCommand } from '../runtime/runtime.ts'

const recordsMax = 1_000
/** Of a message, about. */
export const bytesMax = 512 * 1024

interface Part {
  readonly records: Uint8Array[]
  /** The last of them breaks the engine. */
  skip: number | undefined
}

export function writerAt(log: JetStreamLog, end: LogEnd): LogWriter {
  return new LogWriter(end, {
    log,
    timers: systemTimers,
    // Nobody has applied anything of it: it goes by the first rules until its commands say others.
    stateVersion: () => firstRules,
    appliedThrough: () => 0,
    onStored: () => {},
  })
}

/** Everything that the file has behind the end of the writer. */
export async function appendCommands(
  writer: LogWriter,
  journal: Journal,
  poisoned: ReadonlySet<number> = new Set(),
): Promise<void> {
  const from = writer.end.lastSequence + 1
  if (journal.lastSequence < from) return
  let parts: Part[] = []
  let bytes = 0
  const partWithRoom = (): Part => {
    const last = parts.at(-1)
    if (last !== undefined && last.skip === undefined) return last
    parts.push({ records: [], skip: undefined })
    return parts.at(-1)!
  }
  const flush = async () => {
    const given = parts
    parts = []
    bytes = 0
    for (const { records, skip } of given) {
      await writer.append({ kind: 'batch', records, at: decodeCommand(records.at(-1)!).at })
      if (skip !== undefined) await writer.append({ kind: 'skip', firstSequence: skip })
    }
  }
  const isFull = () => bytes >= bytesMax || (parts.at(-1)?.records.length ?? 0) >= recordsMax
  await journal.replay(
    from,
    (sequence, payload) => {
      const part = partWithRoom()
      part.records.push(Uint8Array.from(payload))
      bytes += payload.length
      if (poisoned.has(sequence)) part.skip = sequence
    },
    () => (isFull() ? flush() : undefined),
  )
  await flush()
}
