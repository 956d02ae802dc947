/**
 * The operator's room: how a venue is told to run, what its operator may do, and how it tells what it does.
 *
 * Told       config/ (settings), data-directory.ts (one venue per directory), losses.ts and modes.ts (how it was found)
 * Lives      process.ts (from start to signal), preparation.ts (before the doors open), pruning.ts (old history),
 *            venue-certificate.ts (TLS)
 * Does       listener.ts (the operator's listener), calls/ (its calls), keys/ (API keys)
 * Tells      announcement.ts (addresses), health.ts with degradations.ts and index-halts.ts, metrics.ts (public-pages.ts
 *            serves health and metrics), log.ts
 * Clock      trusted-offset.ts (over restarts), start-gap.ts (after a start), calls/clock.ts (leaps)
 * Demo       demo/venue.ts sets one up from demo/catalog.ts and demo/accounts.ts, demo/market.ts lets its market live
 * Not here   the command line (cli/); the order in which a venue is put together (src/main.ts)
 */
export { isLoopback as isLoopbackAddress } from './address-range.ts'
export { announce, demoKeysFile, isToken, removeAddresses, tokenFile, writeAddresses } from './announcement.ts'
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
export { type Configuration, endpointLimitsOf } from './config/schema.ts'
export { watchDailyOrders } from './daily-orders.ts'
export { Degradations } from './degradations.ts'
export { CannotStart, DataDirectory, secretFile, writeWholeFile } from './data-directory.ts'
export { demoKeys, giveDemoKeys, roleOfKey, simulatorUids } from './demo/venue.ts'
export { openMirror } from './mirror.ts'
export { openSimulatedMarket, recordedPrices } from './demo/market.ts'
export { pastAsked, pastNoted, pastShown, simulatedPast } from './demo/past.ts'
export { type Health, healthOf, isHealthy } from './health.ts'
export { IndexHalts } from './index-halts.ts'
export { SealedKeyStore } from './keys/key-store.ts'
export { masterSeal } from './keys/seal.ts'
export { liveAnswersOf } from './answering.ts'
export { openOperatorListener } from './listener.ts'
export type { LiveAnswers } from './live.ts'
export { acceptedLosses, hasCommands, historyFile, holdsVenue, keysFile, masterKeyFile } from './losses.ts'
export { loggingAnswers, openLog } from './log.ts'
export { MarketCounts } from './market-counts.ts'
export { Metrics } from './metrics.ts'
export { connectionsAllowed, openFilesLeft } from './open-files.ts'
export { assertNothingLost, chooseVenue, prepareInMemory, prepareVenue } from './preparation.ts'
export { type ProcessParts, runUntilEnded, type RunningVenue } from './process.ts'
export { keepPruning } from './pruning.ts'
export { healthPage, metricsPage } from './public-pages.ts'
export { rememberReached, rememberRules, rulesKnown } from './release.ts'
export { tellStartGap } from './start-gap.ts'
export { clockFile, offsetKeeper } from './trusted-offset.ts'
export { VenueCertificate } from './venue-certificate.ts'
