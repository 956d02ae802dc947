/**
 * Leverage, margin mode and hold mode of contracts.
 *
 * Leverage   acts on the margin mode in force: cross changes what positions need, isolated moves margin between wallet
 *            and position; resting orders hold by the new leverage; refused when margin does not suffice or a tier
 *            caps it (design §4.16, §4.37)
 * Modes      change only without positions and orders of the symbol (margin mode) or product line (hold mode)
 * Source     interface.md E12; design.md §3, §4.16
 */
import { type MarginMode } from '../vocabulary.ts'
import {
  affords,
  extraNeed,
  freezeOf,
  isolatedChange,
  leverageOutOfRange,
  leverageRefusal,
  meantPositions,
  modeMeant,
  type Need,
  openingRows,
  type Target,
  targetOf,
  tierRefusal,
  type Wish,
} from '../account-rules/account-rules.ts'
import { type FuturesInstrument, isFutures } from '../catalog/catalog.ts'
import { isHedged } from '../margin/margin.ts'
import { moveMargin, updateHold } from '../positions/positions.ts'
import type { SetAllLeverage, SetLeverage, SetSideLeverages } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import { readingWallet } from '../records/records.ts'
import type { ExposureRow, State } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'

export function setLeverage(state: State, command: SetLeverage): Reply {
  const target = targetOf(state, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange = leverageOutOfRange(target.instrument, command.leverage)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = state.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(state, exposure, command.marginMode)
  const wishes = [{ leverage: command.leverage, side: command.positionSide }]
  return takeWishes(state, target, exposure, mode, wishes)
}

export function setSideLeverages(state: State, command: SetSideLeverages): Reply {
  const target = targetOf(state, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange =
    leverageOutOfRange(target.instrument, command.long) ?? leverageOutOfRange(target.instrument, command.short)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = state.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(state, exposure, command.marginMode)
  const twoSided = mode === 'isolated' && isHedged(state, exposure)
  if (!twoSided) return takeWishes(state, target, exposure, mode, [{ leverage: command.long, side: undefined }])
  const long: Wish = { leverage: command.long, side: 'long' }
  const short: Wish = { leverage: command.short, side: 'short' }
  // A higher leverage gives margin back: it goes first, so that the wallet has it for the other side.
  const wishes = command.short > exposure.leverageShort ? [short, long] : [long, short]
  return takeWishes(state, target, exposure, mode, wishes)
}

/** All of them, or none. */
function takeWishes(
  state: State,
  { account, instrument }: Target,
  exposure: ExposureRow,
  mode: MarginMode,
  wishes: readonly Wish[],
): Reply {
  const refusal = leverageRefusal(state, instrument, exposure, mode, wishes)
  if (refusal !== undefined) return refused(refusal)
  const kept = state.futures.keep(exposure)
  for (const { leverage, side } of wishes) takeLeverage(state, instrument, kept, mode, leverage, side)
  state.emit({ kind: 'margin-changed', uid: account.uid })
  return done
}

export function setAllLeverage(state: State, command: SetAllLeverage): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const line = state.catalog.instruments.filter(isFutures).filter((one) => one.category === command.line)
  const meant = command.instrument === undefined ? line : line.filter((one) => one.id === command.instrument)
  if (command.instrument !== undefined && meant.length === 0) return refused({ kind: 'instrument-unknown' })
  const ranges = meant.map((one) => leverageOutOfRange(one, command.leverage))
  // Outside every symbol's range it is a wrong parameter, not a failure (design §4.36).
  if (meant.length > 0 && ranges.every((range) => range !== undefined)) return refused(ranges[0])
  const wallet = readingWallet(account, 'v2', command.line)
  const exposures = meant
    .map((one) => state.futures.findOrNew(account.handle, wallet, one))
    .filter((one) => command.instrument !== undefined || one.long !== undefined || one.short !== undefined)
  const needs: Need[] = []
  for (const exposure of exposures) {
    const instrument = state.instrument(exposure.instrument) as FuturesInstrument
    const { marginMode } = exposure
    if (leverageOutOfRange(instrument, command.leverage) !== undefined) return { kind: 'leverage-set', taken: false }
    if (tierRefusal(state, instrument, exposure, command.leverage) !== undefined) {
      return { kind: 'leverage-set', taken: false }
    }
    const need = extraNeed(state, instrument, exposure, marginMode, command.leverage, command.positionSide)
    if (need === undefined) return { kind: 'leverage-set', taken: false }
    needs.push({ coin: instrument.settle, units: need, isolated: marginMode === 'isolated' })
  }
  if (!affords(state, account.handle, wallet, needs)) return { kind: 'leverage-set', taken: false }

  for (const exposure of exposures) {
    const instrument = state.instrument(exposure.instrument) as FuturesInstrument
    const kept = state.futures.keep(exposure)
    takeLeverage(state, instrument, kept, kept.marginMode, command.leverage, command.positionSide)
  }
  state.emit({ kind: 'margin-changed', uid: command.uid })
  return { kind: 'leverage-set', taken: true }
}

/** Writes a leverage that was found to fit. */
function takeLeverage(
  state: State,
  instrument: FuturesInstrument,
  exposure: ExposureRow,
  mode: MarginMode,
  leverage: number,
  side: PositionSide | undefined,
): void {
  if (mode === exposure.marginMode) {
    if (mode === 'isolated') {
      for (const position of meantPositions(state, exposure, side)) {
        const change = isolatedChange(state, exposure, position, leverage)
        moveMargin(state, exposure, position, change, 'leverage_margin')
      }
    }
    for (const row of openingRows(state, exposure, side)) {
      const freeze = freezeOf(state, instrument, row, leverage)
      exposure.addOpening(state.orders.sideOf(row), 0, freeze - state.orders.hold.at(row))
      state.orders.hold.set(row, freeze)
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
