/**
 * The operator's room: how a venue is told to run, what its operator may do, and how it tells what it does.
 *
 * Told       config/ (settings), data-directory.ts (one venue per directory)
 * Does       listener.ts (the operator's listener), calls/ (its calls), keys/ (API keys)
 * Tells      announcement.ts (addresses), health.ts, metrics.ts with market-counts.ts, log.ts
 * Demo       demo/ sets one up: demo/venue.ts from demo/catalog.ts and demo/accounts.ts
 * Not here   the command line (cli/); the order in which a venue is put together (src/main.ts)
 */
export { isLoopback } from './address-range.ts'
export { announce, demoKeysFile, isToken, removeAddresses, tokenFile, writeAddresses } from './announcement.ts'
export { type OperatorPorts } from './calls/calls.ts'
export { type Configuration } from './config/schema.ts'
export { watchDailyOrders } from './daily-orders.ts'
export { CannotStart, DataDirectory, secretFile, type VenueRecord } from './data-directory.ts'
export {
  expectFeed,
  lacksSimulatorAccounts,
  openSimulatorAccounts,
  setUpDemoVenue,
  simulatorUids,
  simulatorUidsAll,
  writeDemoKeys,
} from './demo/venue.ts'
export { type CausedBy, type Explanation } from './calls/explain.ts'
export { healthOf, isHealthy } from './health.ts'
export { SealedKeyStore } from './keys/key-store.ts'
export { openOperatorListener } from './listener.ts'
export { connectionsAllowed } from './open-files.ts'
export { openLog } from './log.ts'
export { MarketCounts } from './market-counts.ts'
export { Metrics } from './metrics.ts'
export { masterSeal } from './keys/seal.ts'
export { startTrouble } from './start-trouble.ts'
