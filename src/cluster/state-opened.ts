/** What a core has when it begins: history, the state as its file has it, and where in the log that is. */
import { Engine } from '../engine/engine.ts'
import { openHistory } from '../history/history.ts'
import {
  acceptedLosses,
  type Configuration,
  type DataDirectory,
  historyFile,
  rememberRules,
  rulesKnown,
  withEquity,
} from '../operator/operator.ts'
import { LogBroken } from '../replication/replication.ts'
import { recover } from '../runtime/parts.ts'
import { monotonicNow, RecoveryFailed, type RecoveryProgress, type RuntimeLog } from '../runtime/runtime.ts'
import { type BoundedLog, LogBeginsLater, PlacesFile, placeOf } from './log-place.ts'
import { placesFile } from './state-files.ts'

interface StateOptions {
  readonly configuration: Pick<Configuration, 'keptRowsBytesMax' | 'durability'>
  readonly log: RuntimeLog
  readonly onReplay: ((progress: RecoveryProgress) => void) | undefined
}

/** Rejects with LogBeginsLater where the log has no more what comes next; nothing is left open then. */
export async function openState(directory: DataDirectory, shared: BoundedLog, options: StateOptions) {
  const { configuration, log, onReplay = () => {} } = options
  await using opened = new AsyncDisposableStack()
  const record = directory.remember({})
  const rules = rulesKnown(directory, record, Engine.rules, Engine.oldestRules)
  const history = await openHistory(directory.file(historyFile), { keptBytesMax: configuration.keptRowsBytesMax })
  opened.defer(() => history.close())
  const recovered = await recover({
    dataDirectory: directory.path,
    // The log is what lasts: answers do not wait for the file.
    durability: configuration.durability === 'sync' ? 'behind' : configuration.durability,
    followsLog: true,
    engineClass: Engine,
    history,
    consumers: [withEquity(history, log)],
    log,
    onProgress: onReplay,
    disk: undefined,
    segmentBytesMax: undefined,
    reached: 0,
    historyLossAccepted: acceptedLosses(record).includes(historyFile),
    rules,
  })
  opened.defer(() => recovered.journal.close())
  if (recovered.rules !== undefined) rememberRules(directory, recovered.rules)
  const places = new PlacesFile(directory.file(placesFile), monotonicNow)
  const end = await placeOf(shared, recovered.journal, places.places).catch((cause: unknown) => {
    const isFault = cause instanceof LogBroken && !(cause instanceof LogBeginsLater)
    throw isFault ? new RecoveryFailed(cause.message, { cause }) : cause
  })
  opened.move()
  return { history, recovered, places, end }
}
