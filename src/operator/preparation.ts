/**
 * What has to be so before a venue opens: which kind of venue its directory holds, and what its engine has to know.
 *
 * Kind     a new directory becomes a demo venue, whose keys lie open: only this machine may reach one
 * Resumes  <data>/venue.json remembers each step that is done; what was cut off goes on at the next start
 */
import { withdrawnUsdPerDayDefault } from '../engine/catalog/catalog.ts'
import { amount, oneCoin } from '../engine/numbers/numbers.ts'
import { isLoopback } from './address-range.ts'
import { demoKeysFile } from './announcement.ts'
import type { OperatorPorts } from './calls/calls.ts'
import type { Configuration } from './config/schema.ts'
import { CannotStart, type DataDirectory, type VenueChange, type VenueRecord } from './data-directory.ts'
import { pastAsked } from './demo/past.ts'
import {
  expectFeed,
  issueDemoKeys,
  lacksSimulatorAccounts,
  openSimulatorAccounts,
  setUpDemoVenue,
  writeDemoKeys,
} from './demo/venue.ts'
import { acceptedLosses, hasCommands, keysFile, lostFile } from './losses.ts'

/**
 * What lives in the directory; a new one becomes a demo venue, which only this machine may reach. `log`: the name of the log that
 * it shares with other cores; undefined: it has none but its own.
 */
export function chooseVenue(directory: DataDirectory, configuration: Configuration, log?: string): VenueRecord {
  const { host, operatorHost, data } = configuration
  const found = directory.venue()
  // One that was only made is anybody's, and so is a core's that never came to its log.
  const isNew = !hasCommands(directory.path) && (found?.log === undefined || found.id === undefined)
  if (found !== undefined && found.log !== log && !isNew) {
    const kept = found.log === undefined ? 'a venue of one process' : `a core of the venue ${found.log}`
    throw new CannotStart(`${data} holds ${kept}: nothing else may write there`)
  }
  const past = pastAsked(configuration)
  const record: VenueRecord = found ?? {
    kind: 'demo',
    ...(log !== undefined && { log }),
    ...(past && { pastDays: past.days, pastSeed: past.seed }),
  }
  const open = [host, operatorHost].find((one) => !isLoopback(one))
  if (record.kind === 'demo' && open !== undefined) {
    const where = found === undefined ? data : 'OTHER'
    const advice = `run "tidemark init --data ${where}" for an empty venue, or listen on 127.0.0.1`
    throw new CannotStart(`a demo venue has public keys and listens on loopback only, not on ${open}: ${advice}`)
  }
  return directory.remember({ ...record, log })
}

/** Refuses to start where a file was lost that would otherwise be made anew. */
export function assertNothingLost(directory: DataDirectory, record: VenueRecord, masterKey: string | undefined): void {
  const masterKeyGiven = masterKey !== undefined && masterKey !== ''
  const accepted = [...acceptedLosses(record), ...(record.keysInPostgres ? [keysFile] : [])]
  const lost = lostFile(directory.path, { accepted, masterKeyGiven })
  if (lost !== undefined) throw new CannotStart(`the venue cannot start: ${lost}`)
}

/** A new demo venue that no directory remembers. */
export async function prepareInMemory(ports: OperatorPorts, simulated: boolean): Promise<void> {
  await setUpDemoVenue(ports)
  if (simulated) await openSimulatorAccounts(ports)
  await expectFeed(ports, simulated)
}

/** What has to be in the engine before the doors open, and is not yet. */
export async function prepareVenue(
  directory: DataDirectory,
  found: VenueRecord,
  configuration: Configuration,
  ports: OperatorPorts,
): Promise<void> {
  let record = found
  const remember = (change: VenueChange) => (record = directory.remember(change))
  if (record.kind === 'demo') {
    if (!record.complete) await setUpDemoVenue(ports)
    else if (acceptedLosses(record).includes(keysFile)) await issueDemoKeys(ports)
    if (ports.keys.isLoaded !== false) writeDemoKeys(directory.file(demoKeysFile), ports.core, ports.keys)
    if (!record.complete) remember({ complete: true })
    const isSimulated = configuration.simulator === 'on' && configuration.mirror === ''
    if (isSimulated && (!record.agents || lacksSimulatorAccounts(ports.core))) {
      // An earlier release knew fewer of them: what is cut off now goes on at the next start.
      if (record.agents) remember({ agents: false })
      await openSimulatorAccounts(ports)
      remember({ agents: true })
    }
    if ((record.fed ?? false) !== isSimulated || record.remade || record.mirrored) {
      await expectFeed(ports, isSimulated)
      remember({ fed: isSimulated })
    }
  }
  // A mirror expects prices of its own coins: they are to stand again once it is gone.
  remember({ mirrored: configuration.mirror === '' ? undefined : true })
  const { dailyOrdersRestriction, dailyWithdrawalsUsdMax } = configuration
  if ((record.dailyOrdersRestriction ?? 0) !== dailyOrdersRestriction || record.remade) {
    await ports.core.submit({ kind: 'configure-venue', dailyOrdersRestriction })
    remember({ dailyOrdersRestriction })
  }
  if ((record.dailyWithdrawalsUsdMax ?? withdrawnUsdPerDayDefault) !== dailyWithdrawalsUsdMax || record.remade) {
    const usdPerDayMax = amount(BigInt(dailyWithdrawalsUsdMax) * oneCoin)
    await ports.core.submit({ kind: 'limit-withdrawals', usdPerDayMax })
    remember({ dailyWithdrawalsUsdMax })
  }
  // What was lost is made anew by now: a second loss is to be accepted by itself.
  remember({ accepted: undefined, remade: undefined })
}
