/**
 * `tidemark cluster import`: a venue of one process, which has stopped, becomes one of several cores. What stands in the log is
 * described in imported.ts.
 *
 * Into       a log that is empty, or has a part of an import that did not end: that one is made anew
 * Read       as at a start: a directory that is damaged, or has lost something, is refused before anything is written
 * Commands   all of them, where the journal has them and this release may carry them out. Else those behind the newest snapshot
 * Directory  is a core's from then on, with its keys and its history. It is given to the log last: who dies before does it again
 * Source     scale.md §9
 */
import { createReadStream, rmSync, statSync } from 'node:fs'
import { Engine } from '../engine/engine.ts'
import { openHistory } from '../history/history.ts'
import { type JetStreamLog, makeStream, NatsLink, removeStream } from '../jetstream/jetstream.ts'
import type { Snapshot } from '../journal/journal.ts'
import {
  acceptedLosses,
  assertNothingLost,
  CannotStart,
  DataDirectory,
  hasCommands,
  historyFile,
  rememberRules,
  rulesKnown,
  startTrouble,
  type VenueRecord,
} from '../operator/operator.ts'
import { importNote, logStart, type LogWriter } from '../replication/replication.ts'
import { hashOf, recover, type Recovered } from '../runtime/parts.ts'
import { checkRules, mayReplay, type RuntimeLog } from '../runtime/runtime.ts'
import { type Imported, importIn } from './imported.ts'
import { appendCommands, bytesMax, writerAt } from './journal-to-log.ts'
import { asCannotStart, assertQuiet, assertVenueThere, type LogAddress, openedLog, tlsOf } from './log-address.ts'

/** `masterKey`: in place of the directory's own. Rejects with CannotStart. */
export function importVenue(address: LogAddress, data: string, parts: ImportParts): Promise<Imported> {
  return asCannotStart(() => broughtIn(address, data, parts))
}

interface ImportParts {
  readonly masterKey: string | undefined
  readonly log: RuntimeLog
}

async function broughtIn(address: LogAddress, data: string, { masterKey, log: told }: ImportParts): Promise<Imported> {
  assertVenueThere(data, '--data')
  const directory = DataDirectory.open(data)
  try {
    const record = importable(directory)
    let log = await openedLog(address)
    try {
      assertOneVenue(record, log.venueId)
      await using opened = new AsyncDisposableStack()
      const { recovered, imported } = await read(directory, record, masterKey, told, opened)
      const found = await importIn(log)
      // Where all of it is there already the last step alone is missing.
      const isThere = found?.state === 'whole' && found.stateHash === imported.stateHash
      if (!isThere) {
        if (found?.state === 'part') log = await anew(log, address)
        await assertEmpty(log)
        await write(log, recovered, imported)
      }
      directory.remember({ log: address.venue, id: log.venueId, fed: undefined, agents: undefined })
      rmSync(directory.file('positions'), { force: true })
      return imported
    } finally {
      await log.close()
    }
  } finally {
    directory.close()
  }
}

function importable(directory: DataDirectory): VenueRecord {
  const { path } = directory
  const record = directory.venue()
  if (record === undefined) throw new CannotStart(`--data ${path}: there is no venue`)
  if (record.log !== undefined) throw new CannotStart(`--data ${path}: holds a core of the venue ${record.log} already`)
  if (!hasCommands(path)) throw new CannotStart(`--data ${path}: has no commands: let a core begin there`)
  return record
}

async function assertEmpty(log: JetStreamLog): Promise<void> {
  if ((await log.bounds()).last === 0) return
  throw new CannotStart('the log is not empty: a venue is brought into one that cluster init has just made')
}

/** The database that has the keys is noted with the venue's id. */
function assertOneVenue({ keysInPostgres, id }: VenueRecord, venueId: string): void {
  if (keysInPostgres !== true || id === venueId) return
  throw new CannotStart(
    `the keys of this venue are in the database of ${id}, and the log is of ${venueId}: make it with tidemark cluster init --venue-id ${id}`,
  )
}

/** Brings the venue back to where it stood, as a start does, and says what of it goes into the log. */
async function read(
  directory: DataDirectory,
  record: VenueRecord,
  masterKey: string | undefined,
  log: RuntimeLog,
  opened: AsyncDisposableStack,
) {
  assertNothingLost(directory, record, masterKey)
  try {
    const rules = rulesKnown(directory, record, Engine.rules)
    await checkRules(directory.path, rules)
    const history = await openHistory(directory.file(historyFile))
    opened.defer(() => history.close())
    const recovered = await recover({
      dataDirectory: directory.path,
      durability: 'sync',
      engineClass: Engine,
      history,
      consumers: [history],
      log,
      onProgress: () => {},
      disk: undefined,
      segmentBytesMax: undefined,
      reached: record.reached ?? 0,
      historyLossAccepted: acceptedLosses(record).includes(historyFile),
      rules,
    })
    opened.defer(() => recovered.journal.close())
    if (recovered.rules !== undefined) rememberRules(directory, recovered.rules)
    const { firstSequence, lastSequence } = recovered.journal.stats()
    const isWhole = firstSequence === 1 && mayReplay(rules, 1)
    const snapshot = isWhole ? undefined : (await recovered.snapshots.newest()).snapshot!
    const imported: Imported = {
      through: lastSequence,
      stateHash: await hashOf(recovered.driver.engine.save()),
      snapshot: snapshot?.sequence ?? 0,
      snapshotBytes: snapshot === undefined ? 0 : statSync(snapshot.file).size,
    }
    return { recovered, imported }
  } catch (error) {
    throw startTrouble(error)
  }
}

/** What an import that did not end has left is of no use: the log is made once more, for the same venue. */
async function anew(log: JetStreamLog, address: LogAddress): Promise<JetStreamLog> {
  await assertQuiet(log)
  await log.close()
  const link = await asCannotStart(() => NatsLink.open(address.urls, 'cluster import', tlsOf(address)))
  try {
    await removeStream(link, address.venue)
    await makeStream(link, address.venue, log.venueId)
  } finally {
    await link.close()
  }
  return openedLog(address)
}

async function write(
  log: JetStreamLog,
  { journal, poisoned, snapshots }: Recovered,
  imported: Imported,
): Promise<void> {
  const writer = writerAt(log, { ...logStart, lastSequence: imported.snapshot })
  await writer.claim(importNote(JSON.stringify(imported)))
  if (imported.snapshot > 0) await writeSnapshot(writer, (await snapshots.newest()).snapshot!)
  await appendCommands(writer, journal, new Set(poisoned.list().map(({ sequence }) => sequence)))
  await writer.append({ kind: 'resign' })
}

async function writeSnapshot(writer: LogWriter, snapshot: Snapshot): Promise<void> {
  const chunks = snapshot.chunks()
  const first = await chunks.next()
  await chunks.return(undefined)
  const at = Buffer.from(first.value as Uint8Array).readDoubleLE()
  for await (const piece of createReadStream(snapshot.file, { highWaterMark: bytesMax })) {
    await writer.append({ kind: 'snapshot', note: piece as Buffer, at })
  }
}
