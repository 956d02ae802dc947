/**
 * The operator's room: how a venue is told to run, what its operator may do, and how it tells what it does.
 *
 * Told       config/ (settings), data-directory.ts (one venue per directory), losses.ts and modes.ts (how it was found)
 * Lives      process.ts (from start to signal), preparation.ts (before the doors open), pruning.ts (old history),
 *            venue-certificate.ts (TLS)
 * Does       listener.ts (the operator's listener), calls/ (its calls), keys/ (API keys)
 * Notes      noted.ts with trail.ts (what operators did)
 * Samples    equity.ts (what accounts are worth)
 * Recalls    course.ts (24 hours, minute by minute), log-tail.ts (newest lines)
 * Files      lines-file.ts (the newest of something, over restarts)
 * Tells      announcement.ts (addresses), health.ts with degradations.ts and index-halts.ts, metrics.ts (public-pages.ts
 *            serves health and metrics), log.ts. Of one process of several: process-metrics.ts, history-status.ts,
 *            status-listener.ts
 * Elsewhere  database.ts loads what speaks to a database
 * Clock      trusted-offset.ts (over restarts), start-gap.ts (after a start), calls/clock.ts (leaps)
 * Demo       demo/venue.ts sets one up from demo/catalog.ts and demo/accounts.ts, demo/market.ts lets its market live
 * Not here   the command line (cli/); the order in which a venue is put together (src/main.ts)
 */
export { isLoopback as isLoopbackAddress } from './address-range.ts'
export { announce, demoKeysFile, isToken, removeAddresses, tokenFile, writeAddresses } from './announcement.ts'
export { addressOf, clusterCertificate, clusterTrust } from './cluster-addresses.ts'
export type { ClusterFiles } from './config/cluster-certificate.ts'
export { operatorCalls, type OperatorPorts } from './calls/calls.ts'
export { network } from './calls/chain.ts'
export {
  amountOrZero,
  body,
  category,
  coinName,
  decimalText,
  feeRate,
  field,
  optional,
  positiveAmount,
  symbol,
  text,
  usdPrice,
  wallet,
  wholeNumber,
  word,
} from './calls/fields.ts'
export { CallRefused, refusedByEngine } from './calls/refusals.ts'
export { Checker } from './faults.ts'
export { MemoryKeyStore } from './keys/memory-key-store.ts'
export { type CausedBy, type Explanation } from './calls/explain.ts'
export { writeClusterFile } from './config/cluster-file.ts'
export { type Configuration, endpointLimitsOf, placeOf } from './config/schema.ts'
export { courseFile, openCourseFile } from './course.ts'
export { watchDailyOrders } from './daily-orders.ts'
export { type Degradation, Degradations } from './degradations.ts'
export { CannotStart, DataDirectory, secretFile, type VenueRecord, writeWholeFile } from './data-directory.ts'
export { demoKeys, giveDemoKeys, roleOfKey, simulatorUids } from './demo/venue.ts'
export { openMirror } from './mirror.ts'
export { endSimulatedMarket, openSimulatedMarket, prepareSimulatedMarket, recordedPrices } from './demo/market.ts'
export { pastAsked, pastNoted, pastShown, simulatedPast } from './demo/past.ts'
export { EquitySampler, withEquity } from './equity.ts'
export { type Health, healthOf, isHealthy } from './health.ts'
export { HistoryStatus } from './history-status.ts'
export { IndexHalts } from './index-halts.ts'
export { SealedKeyStore } from './keys/key-store.ts'
export type { KeyBook } from './keys/key-table.ts'
export { masterSeal } from './keys/seal.ts'
export { liveAnswersOf } from './answering.ts'
export { openOperatorListener } from './listener.ts'
export { makeNoted } from './noted.ts'
export type { LiveAnswers } from './live.ts'
export { acceptedLosses, hasCommands, historyFile, holdsVenue, keysFile, masterKeyFile } from './losses.ts'
export { loggingAnswers, openLog, tailOf } from './log.ts'
export { MarketCounts } from './market-counts.ts'
export { Metrics } from './metrics.ts'
export { connectionsAllowed, openFilesLeft } from './open-files.ts'
export { assertNothingLost, chooseVenue, prepareInMemory, prepareVenue } from './preparation.ts'
export { loadKeysInPostgres, loadPostgres } from './database.ts'
export { type ProcessParts, runUntilEnded, type RunningVenue } from './process.ts'
export { addGateways, addLink, addSharedCore, linkOf, linkTroubles, processLabels } from './process-metrics.ts'
export { keepPruning } from './pruning.ts'
export { healthPage, metricsPage } from './public-pages.ts'
export { rememberReached, rememberRules, rulesKnown } from './release.ts'
export { startTrouble } from './start-trouble.ts'
export { tellStartGap } from './start-gap.ts'
export { openStatusListener } from './status-listener.ts'
export { openTrail, Trail, trailFile } from './trail.ts'
export { clockFile, offsetKeeper } from './trusted-offset.ts'
export { VenueCertificate } from './venue-certificate.ts'
