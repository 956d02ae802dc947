/**
 * What a core has before it takes part, in the order in which it comes by it.
 *
 *   directory → the log that it belongs to → history and state, as its file has them, or as another core does → keys
 *
 * Refused  a directory of something else, or of a state that differed · a log of another venue, or of a cluster that is not as it
 *          must be · what cannot be carried out by the rules of this release. Nothing of ours was changed then
 * Left     what was opened is closed by the stack that each step is given, in the reverse order
 */
import type { ApiKey } from '../api/api.ts'
import { Engine } from '../engine/engine.ts'
import { ClusterWrong, JetStreamLog } from '../jetstream/jetstream.ts'
import {
  addressOf,
  assertNothingLost,
  CannotStart,
  chooseVenue,
  clusterCertificate,
  type Configuration,
  DataDirectory,
  hasCommands,
  historyFile,
  type KeyBook,
  keysFile,
  loadKeysInPostgres,
  masterKeyFile,
  masterSeal,
  type ProcessParts,
  removeAddresses,
  rulesKnown,
  SealedKeyStore,
  VenueCertificate,
  type VenueRecord,
} from '../operator/operator.ts'
import type { Handshake } from '../replication/replication.ts'
import { checkRules, RecoveryFailed, type RecoveryProgress } from '../runtime/runtime.ts'
import { assertWhole, beginAsImported } from './imported.ts'
import { otherLog, patiently } from './log-address.ts'
import { LogBeginsLater } from './log-place.ts'
import type { StateGiven } from './state-given.ts'
import { openState } from './state-opened.ts'
import { endTaking, takeState } from './state-taken.ts'

export interface CoreOptions extends ProcessParts {
  readonly onReplay?: ((progress: RecoveryProgress) => void) | undefined
}

/** What each step goes by. */
interface Given extends CoreOptions {
  readonly configuration: Configuration
  /** Closes what was opened. */
  readonly opened: AsyncDisposableStack
}

/** The directory, which is ours alone from here on, and what it says of itself. */
export interface OwnDirectory {
  readonly directory: DataDirectory
  readonly record: VenueRecord
  readonly certificate: VenueCertificate | undefined
  /** It had commands when this start began. */
  readonly isUsed: boolean
}

export async function openDirectory(given: Given): Promise<OwnDirectory> {
  const { configuration, log, masterKey, opened } = given
  const { data, venue, postgres } = configuration
  const directory = DataDirectory.open(data)
  opened.defer(() => directory.close())
  removeAddresses(directory)
  opened.defer(() => removeAddresses(directory))
  endTaking(directory)
  const isUsed = hasCommands(directory.path)
  const record = chooseVenue(directory, configuration, venue)
  if (record.keysInPostgres === true && postgres === '') {
    throw new CannotStart('--postgres: the keys of this venue are in PostgreSQL: name the database')
  }
  if (record.differed !== undefined) {
    const advice = `take ${data} away: it is made anew from the log`
    throw new CannotStart(
      `the state of this core differed from that of the others at command ${record.differed}: ${advice}`,
    )
  }
  const certificate = VenueCertificate.open(configuration, log)
  assertNothingLost(directory, record, masterKey)
  const rules = rulesKnown(directory, record, Engine.rules, Engine.oldestRules)
  if (isUsed) await checkRules(directory.path, rules)
  return { directory, record, certificate, isUsed }
}

/** The log, before anything of ours is opened: a cluster that is not as it must be is refused. */
export async function openSharedLog(given: Given, own: OwnDirectory): Promise<JetStreamLog> {
  const { configuration, opened } = given
  const { venue, nats: urls, natsMonitor, logSync, listen: name } = configuration
  const { directory, record, isUsed } = own
  const monitors = logSync === 'checked' ? natsMonitor : undefined
  const tls = clusterCertificate(configuration)
  const shared = await JetStreamLog.open({ urls, venue, name, monitors, tls }).catch((cause: unknown) => {
    throw cause instanceof ClusterWrong ? new CannotStart(`the log cannot be used: ${cause.message}`, { cause }) : cause
  })
  opened.defer(() => shared.close())
  const { venueId } = shared
  if (configuration.venueId !== '' && configuration.venueId !== venueId) {
    throw new CannotStart(otherLog(venue, venueId, configuration.venueId))
  }
  if (isUsed && record.id !== undefined && record.id !== venueId) {
    throw new CannotStart(
      `${directory.path} holds a core of the venue ${record.id}, and the log of ${venue} is of ${venueId}`,
    )
  }
  directory.remember({ id: venueId })
  return shared
}

const takenTimesMax = 5

/** Where other cores listen, and how a link with them begins. */
export function doorsOf(peers: readonly string[], handshake: Handshake) {
  return peers.map((peer) => ({ ...addressOf(peer), handshake }))
}

/** History, the state as its file has it, and where in the log that is. Where the log has no more what comes next, what another core has. */
export async function openOwnState(
  given: Given,
  own: OwnDirectory,
  shared: JetStreamLog,
  doors: ReturnType<typeof doorsOf>,
) {
  const { configuration, log, masterKey, onReplay, opened } = given
  const { directory, isUsed } = own
  const { postgres } = configuration
  const seal = masterSeal(directory.file(masterKeyFile), masterKey)
  const patient = patiently(shared)
  await assertWhole(patient)
  const isBegun = await beginAsImported(patient, directory, () => {
    // Should this start be cut off, the next one takes neither for lost.
    if (postgres === '') new SealedKeyStore(directory.file(keysFile), seal).close()
    directory.remember({ accepted: historyFile })
  })
  if (isBegun) log.warn({}, 'this core begins with the snapshot in the log: its history has nothing from before')
  const options = { configuration, log, onReplay }
  let { record } = own
  const before = (theirs: StateGiven) => {
    record = takeKeys(theirs, own, seal, postgres)
  }
  /** `takenTimes`: a state that was given may be too old itself once it is here. */
  const openOrTake = async (takenTimes = 0): Promise<Awaited<ReturnType<typeof openState>>> => {
    try {
      return await openState(directory, patient, options)
    } catch (cause) {
      if (!(cause instanceof LogBeginsLater)) throw cause
      if (takenTimes === takenTimesMax) throw new RecoveryFailed(cause.message, { cause })
      const { message: reason } = cause
      log.warn({ reason }, 'what this core lacks was removed from the log: it begins with the state of another')
      const { from, sequence } = await takeState(directory, doors, { log, isUsed, again: takenTimes > 0, before })
      log.warn({ from, snapshot: sequence }, 'this core has the state of another one; what it had is put aside')
      return openOrTake(takenTimes + 1)
    }
  }
  const state = await openOrTake()
  opened.defer(() => state.history.close())
  if (isBegun) directory.remember({ accepted: undefined })
  return { ...state, record, seal }
}

type Seal = ReturnType<typeof masterSeal>

/** What another core has besides its state: its keys, unless they are in PostgreSQL. Answers what the directory says then. */
function takeKeys(theirs: StateGiven, { directory, isUsed }: OwnDirectory, seal: Seal, postgres: string): VenueRecord {
  const { kind, keys } = theirs
  if (keys === undefined && postgres === '') throw new CannotStart('its keys are in PostgreSQL: name the database')
  const keysInPostgres = keys === undefined ? true : undefined
  const record = directory.remember({ keysInPostgres, ...(!isUsed && { kind }) })
  if (keys === undefined) return record
  const store = new SealedKeyStore(directory.file(keysFile), seal)
  void store.take(keys)
  store.close()
  return record
}

/** The keys: in a file that the cores tell each other of, or in the database, whose revocations are heard in the log. */
export interface OwnKeys {
  readonly book: KeyBook
  readonly inFile: SealedKeyStore | undefined
  readonly inPostgres: Omit<Awaited<ReturnType<KeysInPostgres['keysOfOneCore']>>, 'keys'> | undefined
  /** All of them, for who takes this core's state; undefined: they are in PostgreSQL. */
  readonly all: () => readonly ApiKey[] | undefined
}

type KeysInPostgres = Awaited<ReturnType<typeof loadKeysInPostgres>>

/** `record`: what the directory says. `venue`: the id of the venue, by which the database knows it. */
export async function openKeys(
  given: Given,
  { directory, record, seal }: { directory: DataDirectory; record: VenueRecord; seal: Seal },
  venue: string,
): Promise<OwnKeys> {
  const { configuration, log, opened } = given
  const { postgres: url, durability } = configuration
  if (url === '') {
    const inFile = new SealedKeyStore(directory.file(keysFile), seal, durability)
    opened.defer(() => inFile.close())
    return { book: inFile, inFile, inPostgres: undefined, all: () => [...inFile.all()] }
  }
  const { keysOfOneCore } = await loadKeysInPostgres()
  const { keys, ...inPostgres } = await keysOfOneCore({ url, directory, record, venue, seal, log })
  opened.defer(() => keys.close())
  return { book: keys, inFile: undefined, inPostgres, all: () => undefined }
}
