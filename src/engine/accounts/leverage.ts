/**
 * Writes the leverage of contracts. Whether it fits: account-rules/leverage.ts.
 *
 * Isolated   margin moves between wallet and position, if isolated is the mode in force
 * Orders     resting opening orders hold by the new leverage, if its margin mode is in force
 * Source     interface.md E12; design.md §3, §4.16
 */
import {
  admitAllLeverage,
  admitLeverage,
  admitSideLeverages,
  holdOf,
  isolatedChange,
  type LeverageChange,
  meantPositions,
  openingRows,
  type Wish,
} from '../account-rules/account-rules.ts'
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { isHedged } from '../margin/margin.ts'
import { moveMargin, updateHold } from '../positions/positions.ts'
import type { SetAllLeverage, SetLeverage, SetSideLeverages } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { ExposureRow, State } from '../state/state.ts'
import type { MarginMode, Uid } from '../vocabulary.ts'

export function setLeverage(state: State, command: SetLeverage): Reply {
  const decided = admitLeverage(state, command)
  if ('kind' in decided) return refused(decided)

  return takeLeverage(state, [decided], decided.uid, done)
}

export function setSideLeverages(state: State, command: SetSideLeverages): Reply {
  const decided = admitSideLeverages(state, command)
  if ('kind' in decided) return refused(decided)

  return takeLeverage(state, [decided], decided.uid, done)
}

/** `taken` false: one of the contracts cannot take it, and none was changed. */
export function setAllLeverage(state: State, command: SetAllLeverage): Reply {
  const decided = admitAllLeverage(state, command)
  if ('kind' in decided) return refused(decided)
  if (decided.changes === undefined) return { kind: 'leverage-set', taken: false }

  return takeLeverage(state, decided.changes, command.uid, { kind: 'leverage-set', taken: true })
}

/** Writes the leverages that were found to fit, and publishes them as one change. */
function takeLeverage(state: State, changes: readonly LeverageChange[], uid: Uid, reply: Reply): Reply {
  for (const { exposure, mode, wishes } of changes) {
    const kept = state.futures.keep(exposure)
    for (const wish of wishes) takeWish(state, kept, mode, wish)
  }
  state.emit({ kind: 'margin-changed', uid })
  return reply
}

/** Writes a leverage that was found to fit. */
function takeWish(state: State, exposure: ExposureRow, mode: MarginMode, { leverage, side }: Wish): void {
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  if (mode === exposure.marginMode) {
    if (mode === 'isolated') {
      for (const position of meantPositions(state, exposure, side)) {
        const change = isolatedChange(state, exposure, position, leverage)
        moveMargin(state, exposure, position, change, 'leverage_margin')
      }
    }
    for (const row of openingRows(state, exposure, side)) {
      const hold = holdOf(state, instrument, row, leverage)
      exposure.addOpening(state.orders.sideOf(row), 0, hold - state.orders.hold.at(row))
      state.orders.hold.set(row, hold)
      state.orders.leverage.set(row, leverage)
    }
  }
  const hedgedIsolated = mode === 'isolated' && isHedged(state, exposure)
  if (!hedgedIsolated) exposure.leverage = leverage
  if (mode === 'isolated') {
    if (side !== 'short' || !hedgedIsolated) exposure.leverageLong = leverage
    if (side !== 'long' || !hedgedIsolated) exposure.leverageShort = leverage
  }
  updateHold(state, exposure)
}
