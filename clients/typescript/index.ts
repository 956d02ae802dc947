/**
 * Tidemark in a test: a venue of one's own, its time in hand, back and forth at will. The door of the module `tidemark`.
 *
 *   start-venue.ts   where a venue comes from; lab-process.ts shares a process, in-process.ts does without
 *   venue.ts         what a test does with it; clock.ts its time, accounts.ts its orders, ccxt.ts a client of it, hold.ts what waits
 *   calls.ts         over HTTP, and what goes wrong
 *
 * Fixtures  vitest.ts, jest.ts and node-test.ts: a fork for each test
 * Source    docs/testing.md
 */
export { LabError } from './calls.ts'
export type { Key } from './calls.ts'
export type { Filter, Row } from './accounts.ts'
export type { Clock, Condition, Duration, FakeTimers, Moved } from './clock.ts'
export type { FaultOn, FaultRule, Faults, FaultWhen, Firing, Rule } from './faults.ts'
export type { Arrivals, DropAnswer, LatencyRule, LatencyShown, Pending, Released, ReleaseOrder } from './hold.ts'
export { startVenue, type VenueOptions } from './start-venue.ts'
export type {
  BackOptions,
  Cheats,
  ForkOptions,
  Keys,
  QueuePlace,
  Recorded,
  Recording,
  Role,
  Script,
  Sides,
  Snapshot,
  Venue,
  WentBack,
} from './venue.ts'
