/**
 * The pools of collateral of an account: what each has and needs, and how near it is to being liquidated.
 *
 * Pools     those that liquidation looks at: isolated positions, cross margin accounts of futures, the unified account, and
 *           cross margin with debt, which needs its debt times the level of liquidation
 * Rounding  equity down, maintenance up; the ratio is of exact figures, up at 8 decimals. One: it is liquidated
 * Source    risk-engine.md §5, §6, §16, §17
 */
import { riskRateOf, walletStateOf } from '../lending/lending.ts'
import {
  allCoins,
  isDebtorHalted,
  isPoolHalted,
  marginStateOf,
  type Pool,
  poolsOf,
} from '../liquidation-rules/liquidation-rules.ts'
import { poolRatio } from '../margin/margin.ts'
import { divCeil, divFloor, oneCoin, rateOne } from '../numbers/numbers.ts'
import type { MarginPoolView } from '../protocol/query.ts'
import type { Account, Reading } from '../state/state.ts'

/** In the order of their contracts, cross margin with debt last; none of an account that risks nothing. */
export function marginPools(reading: Reading, account: Account): MarginPoolView[] {
  const pools = poolsOf(reading, account.handle).map((pool) => poolView(reading, account, pool))
  const debtor = debtorView(reading, account)
  return debtor === undefined ? pools : [...pools, debtor]
}

function poolView(reading: Reading, { uid }: Account, pool: Pool): MarginPoolView {
  const { equity, maintenance } = marginStateOf(reading, pool)
  const isUnified = pool.coin === allCoins && pool.side === undefined
  const step = isUnified ? 1n : rateOne
  return {
    uid,
    wallet: pool.wallet,
    coin: isUnified ? undefined : pool.coin,
    instrument: pool.side === undefined ? undefined : pool.exposures[0]?.instrument,
    side: pool.side,
    equity: divFloor(equity, step),
    maintenance: divCeil(maintenance, step),
    ratio: poolRatio({ equity, maintenance }),
    halted: isPoolHalted(reading, pool),
  }
}

function debtorView(reading: Reading, account: Account): MarginPoolView | undefined {
  const state = walletStateOf(reading, account, 'crossed_margin')
  if (state.debt === 0n) return undefined
  const { margin } = reading.settings
  return {
    uid: account.uid,
    wallet: 'crossed_margin',
    coin: undefined,
    instrument: undefined,
    side: undefined,
    equity: divFloor(state.assets, oneCoin),
    maintenance: divCeil(margin.liquidation * state.debt, rateOne * oneCoin),
    ratio: riskRateOf(state, margin),
    halted: isDebtorHalted(reading, account.handle),
  }
}
