/**
 * What stands behind a position of a cross pool: such an account has no bankruptcy price for each position, so that its equity
 * is shared among them by value.
 *
 *   share = Eq·V_i / ΣV
 *
 * Source  risk-engine.md §6
 */
import { type FuturesInstrument, notionalFloor } from '../catalog/catalog.ts'
import { type Lots, oneCoin, rateOne } from '../numbers/numbers.ts'
import { type Exposure, positionOf, type Reading, unrealizedPnl } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'
import { allCoins, type Pool, poolsOf, marginStateOf } from './pools.ts'

/** What stands behind a position of a cross pool besides its PnL, and what that comes from. */
export interface Backing {
  readonly backing: bigint
  /** The pool's, in units of the settlement coin. */
  readonly equity: bigint
  /** The position's share of it: its value over that of all. */
  readonly worth: bigint
  readonly total: bigint
}

/** The pool's equity, by share of value, stands behind the position (risk-engine §6). */
export function backingIn(reading: Reading, pool: Pool, exposure: Exposure, side: PositionSide): Backing {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const position = positionOf(exposure, side)
  if (position === undefined) return { backing: 0n, equity: 0n, worth: 0n, total: 0n }
  const unified = pool.coin === allCoins
  const worth = (one: Exposure, quantity: Lots) => {
    const contract = reading.instrument(one.instrument) as FuturesInstrument
    const units = notionalFloor(reading.scale(contract.id), quantity, reading.prices.markPrice(contract.id))
    return unified ? units * reading.prices.usdE8(contract.settle) : units
  }
  let total = 0n
  for (const one of pool.exposures) {
    for (const other of [one.long, one.short]) if (other !== undefined) total += worth(one, other.quantity)
  }
  const mark = reading.prices.markPrice(instrument.id)
  const { equity } = marginStateOf(reading, pool)
  // Equity is in 1e-12 units of the margin coin, of a unified account in USD of 1e-8.
  const inCoin = unified ? (equity * oneCoin) / reading.prices.usdE8(instrument.settle) : equity / rateOne
  const own = worth(exposure, position.quantity)
  const share = total === 0n ? 0n : (inCoin * own) / total
  const pnl = unrealizedPnl(reading.scale(instrument.id), position, mark)
  return { backing: share - pnl, equity: inCoin, worth: own, total }
}

const nothing: Backing = { backing: 0n, equity: 0n, worth: 0n, total: 0n }

/** What would stand behind a position of a cross pool if it were taken apart now. */
export function crossBacking(reading: Reading, exposure: Exposure, side: PositionSide): Backing {
  const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
  const coin = exposure.wallet === 'uta' ? allCoins : settle
  const pools = poolsOf(reading, exposure.account)
  const pool = pools.find((one) => one.side === undefined && one.wallet === exposure.wallet && one.coin === coin)
  return pool === undefined ? nothing : backingIn(reading, pool, exposure, side)
}
