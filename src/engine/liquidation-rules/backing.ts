/**
 * What stands behind a position of a cross pool. The pool's equity is shared among its positions by value, so that each
 * has a bankruptcy price of its own.
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
  /** Value of the position, and of all positions of the pool: its share is `worth / total`. */
  readonly worth: bigint
  readonly total: bigint
}

/** What would stand behind a position of a cross pool if the pool were taken apart now. */
export function crossBacking(reading: Reading, exposure: Exposure, side: PositionSide): Backing {
  const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
  const coin = exposure.wallet === 'uta' ? allCoins : settle
  const pools = poolsOf(reading, exposure.account)
  const pool = pools.find(
    (candidate) => candidate.side === undefined && candidate.wallet === exposure.wallet && candidate.coin === coin,
  )
  return pool === undefined ? nothing : backingIn(reading, pool, exposure, side)
}

/** The pool's equity, by share of value, stands behind the position (risk-engine §6). */
export function backingIn(reading: Reading, pool: Pool, exposure: Exposure, side: PositionSide): Backing {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const position = positionOf(exposure, side)
  if (position === undefined) return { backing: 0n, equity: 0n, worth: 0n, total: 0n }
  const unified = pool.coin === allCoins
  const worth = ({ instrument: id }: Exposure, quantity: Lots) => {
    const contract = reading.instrument(id) as FuturesInstrument
    const units = notionalFloor(reading.scale(contract.id), quantity, reading.prices.markPrice(contract.id))
    return unified ? units * reading.prices.usdE8(contract.settle) : units
  }
  let total = 0n
  for (const pooled of pool.exposures) {
    for (const open of [pooled.long, pooled.short]) if (open !== undefined) total += worth(pooled, open.quantity)
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
