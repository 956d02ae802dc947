/**
 * What is published of a liquidation: the pool as it was found, and what was done with it step by step. The numbers that
 * were given out on the way tell which orders, fills and postings of the insurance fund belong to it.
 *
 * Facts    as they stood then: marks, maintenance rates and deductions may have changed by the time somebody asks
 * Source   risk-engine.md §5-§8, §14, §16
 */
import { type FuturesInstrument, tierValue } from '../catalog/catalog.ts'
import { maintenanceE12, sliceAt } from '../margin/margin.ts'
import { type Lots, zero } from '../numbers/numbers.ts'
import type { FoundBalance, FoundPosition, Liquidation, LiquidationStep } from '../protocol/event.ts'
import { debtOf } from '../records/records.ts'
import { type Exposure, largerSide, positionOf, type Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { PositionSide } from '../vocabulary.ts'
import { allCoins, pnlE12, type Pool, marginStateOf } from './pools.ts'

/** A liquidation on its way: steps are added as they are made. */
export interface Report {
  readonly found: Omit<Liquidation, 'liquidationId' | 'steps' | 'lastOrder'>
  readonly steps: LiquidationStep[]
}

/** How a pool stands before anything is done with it. */
export function beginReport(reading: Reading, pool: Pool): Report {
  const { equity, maintenance } = marginStateOf(reading, pool)
  const unified = pool.coin === allCoins
  return {
    found: {
      kind: 'liquidation',
      uid: reading.accounts.byHandle(pool.account).uid,
      wallet: pool.wallet,
      pool: unified ? 'unified' : pool.side === undefined ? 'cross' : 'isolated',
      coin: unified ? undefined : pool.coin,
      equity,
      maintenance,
      positions: pool.exposures.flatMap((exposure) => positionsOf(reading, exposure, pool.side)),
      balances: balancesOf(reading, pool.account, (row) => isOf(reading, pool, row)),
      firstOrder: reading.counters.order,
      firstFlow: reading.counters.flow,
      at: reading.at,
    },
    steps: [],
  }
}

/** Adds a step to the report, with what is open as it begins. */
export function noteStep(
  reading: Reading,
  steps: LiquidationStep[],
  exposure: Exposure,
  side: PositionSide,
  step: Pick<LiquidationStep, 'kind' | 'quantity' | 'price'> & Partial<LiquidationStep>,
): void {
  steps.push({
    instrument: exposure.instrument,
    side,
    open: (positionOf(exposure, side)?.quantity ?? 0) as Lots,
    flow: positionOf(exposure, side)?.entryValue ?? zero,
    markPrice: reading.prices.markPrice(exposure.instrument),
    backing: 0n,
    equity: 0n,
    worth: 0n,
    total: 0n,
    ...step,
  })
}

/** What a wallet has and owes, coin by coin, at index prices. */
export function balancesOf(reading: Reading, account: number, counts: (row: Row) => boolean): FoundBalance[] {
  const { ledger, prices } = reading
  const found: FoundBalance[] = []
  for (const row of ledger.rowsOf(account)) {
    if (!counts(row)) continue
    const coin = ledger.coinOf(row)
    const balance = ledger.balanceOf(row)
    const debt = debtOf(reading, row)
    if (balance !== 0n || debt !== 0n) found.push({ coin, balance, debt, usdE8: prices.usdE8(coin) })
  }
  return found.toSorted((a, b) => a.coin - b.coin)
}

/** The margin coin's balance backs a cross margin account; every coin a unified account. */
function isOf({ ledger }: Reading, pool: Pool, row: Row): boolean {
  if (pool.side !== undefined || ledger.walletOf(row) !== pool.wallet) return false
  return pool.coin === allCoins || ledger.coinOf(row) === pool.coin
}

function positionsOf(reading: Reading, exposure: Exposure, only: PositionSide | undefined): FoundPosition[] {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const scale = reading.scale(instrument.id)
  const markPrice = reading.prices.markPrice(instrument.id)
  const found: FoundPosition[] = []
  for (const side of ['long', 'short'] as const) {
    const position = positionOf(exposure, side)
    if (position === undefined || (only !== undefined && only !== side)) continue
    // In a cross margin account the larger side of a contract needs the maintenance of both.
    const counts = only !== undefined || isLarger(exposure, side)
    const counted = counts ? (only === undefined ? largerSide(exposure) : position.quantity) : (0 as Lots)
    const { rate, deduction } = sliceAt(instrument, tierValue(scale, counted, markPrice))
    found.push({
      instrument: instrument.id,
      side,
      quantity: position.quantity,
      flow: position.entryValue,
      margin: position.margin,
      indexPrice: reading.prices.indexPrice(instrument.id),
      markPrice,
      unrealizedPnl: pnlE12(reading, exposure, position),
      counted,
      rate,
      deduction,
      maintenance: counted === 0 ? 0n : maintenanceE12(instrument, scale, counted, markPrice),
    })
  }
  return found
}

function isLarger({ long, short }: Exposure, side: PositionSide): boolean {
  const [longs, shorts] = [long?.quantity ?? 0, short?.quantity ?? 0]
  return side === 'long' ? longs >= shorts : shorts > longs
}
