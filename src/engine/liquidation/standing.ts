/**
 * How the pools of an account stand, for whoever asks.
 *
 * Source  risk-engine.md §5, §6
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import type { PositionSide } from '../command.ts'
import type { Exposure } from '../futures/futures.ts'
import type { Venue } from '../venue.ts'
import { everyCoin, poolsOf } from './equity.ts'
import { type Backing, backingIn } from './ladder.ts'

const nothing: Backing = { backing: 0n, equity: 0n, worth: 0n, total: 0n }

/** What would stand behind a position of a cross pool if it were taken apart now. */
export function crossBacking(venue: Venue, exposure: Exposure, side: PositionSide): Backing {
  const { settle } = venue.instrument(exposure.instrument) as FuturesInstrument
  const coin = exposure.wallet === 'uta' ? everyCoin : settle
  const pools = poolsOf(venue, exposure.account)
  const pool = pools.find((one) => one.side === undefined && one.wallet === exposure.wallet && one.coin === coin)
  return pool === undefined ? nothing : backingIn(venue, pool, exposure, side)
}
