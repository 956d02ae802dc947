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
import type { ExposureRow, Venue } from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'

export function setLeverage(venue: Venue, command: SetLeverage): Reply {
  const target = targetOf(venue, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange = leverageOutOfRange(target.instrument, command.leverage)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(venue, exposure, command.marginMode)
  const wishes = [{ leverage: command.leverage, side: command.positionSide }]
  return takeWishes(venue, target, exposure, mode, wishes)
}

export function setSideLeverages(venue: Venue, command: SetSideLeverages): Reply {
  const target = targetOf(venue, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange =
    leverageOutOfRange(target.instrument, command.long) ?? leverageOutOfRange(target.instrument, command.short)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(venue, exposure, command.marginMode)
  const twoSided = mode === 'isolated' && isHedged(venue, exposure)
  if (!twoSided) return takeWishes(venue, target, exposure, mode, [{ leverage: command.long, side: undefined }])
  const long: Wish = { leverage: command.long, side: 'long' }
  const short: Wish = { leverage: command.short, side: 'short' }
  // A higher leverage gives margin back: it goes first, so that the wallet has it for the other side.
  const wishes = command.short > exposure.leverageShort ? [short, long] : [long, short]
  return takeWishes(venue, target, exposure, mode, wishes)
}

/** All of them, or none. */
function takeWishes(
  venue: Venue,
  { account, instrument }: Target,
  exposure: ExposureRow,
  mode: MarginMode,
  wishes: readonly Wish[],
): Reply {
  const refusal = leverageRefusal(venue, instrument, exposure, mode, wishes)
  if (refusal !== undefined) return refused(refusal)
  const kept = venue.futures.keep(exposure)
  for (const { leverage, side } of wishes) takeLeverage(venue, instrument, kept, mode, leverage, side)
  venue.emit({ kind: 'margin-changed', uid: account.uid })
  return done
}

export function setAllLeverage(venue: Venue, command: SetAllLeverage): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const line = venue.catalog.instruments.filter(isFutures).filter((one) => one.category === command.line)
  const meant = command.instrument === undefined ? line : line.filter((one) => one.id === command.instrument)
  if (command.instrument !== undefined && meant.length === 0) return refused({ kind: 'instrument-unknown' })
  const ranges = meant.map((one) => leverageOutOfRange(one, command.leverage))
  // Outside every symbol's range it is a wrong parameter, not a failure (design §4.36).
  if (meant.length > 0 && ranges.every((range) => range !== undefined)) return refused(ranges[0])
  const wallet = readingWallet(account, 'v2', command.line)
  const exposures = meant
    .map((one) => venue.futures.findOrNew(account.handle, wallet, one))
    .filter((one) => command.instrument !== undefined || one.long !== undefined || one.short !== undefined)
  const needs: Need[] = []
  for (const exposure of exposures) {
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    const { marginMode } = exposure
    if (leverageOutOfRange(instrument, command.leverage) !== undefined) return { kind: 'leverage-set', taken: false }
    if (tierRefusal(venue, instrument, exposure, command.leverage) !== undefined) {
      return { kind: 'leverage-set', taken: false }
    }
    const need = extraNeed(venue, instrument, exposure, marginMode, command.leverage, command.positionSide)
    if (need === undefined) return { kind: 'leverage-set', taken: false }
    needs.push({ coin: instrument.settle, units: need, isolated: marginMode === 'isolated' })
  }
  if (!affords(venue, account.handle, wallet, needs)) return { kind: 'leverage-set', taken: false }

  for (const exposure of exposures) {
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    const kept = venue.futures.keep(exposure)
    takeLeverage(venue, instrument, kept, kept.marginMode, command.leverage, command.positionSide)
  }
  venue.emit({ kind: 'margin-changed', uid: command.uid })
  return { kind: 'leverage-set', taken: true }
}

/** Writes a leverage that was found to fit. */
function takeLeverage(
  venue: Venue,
  instrument: FuturesInstrument,
  exposure: ExposureRow,
  mode: MarginMode,
  leverage: number,
  side: PositionSide | undefined,
): void {
  if (mode === exposure.marginMode) {
    if (mode === 'isolated') {
      for (const position of meantPositions(venue, exposure, side)) {
        const change = isolatedChange(venue, exposure, position, leverage)
        moveMargin(venue, exposure, position, change, 'leverage_margin')
      }
    }
    for (const row of openingRows(venue, exposure, side)) {
      const freeze = freezeOf(venue, instrument, row, leverage)
      exposure.addOpening(venue.orders.sideOf(row), 0, freeze - venue.orders.hold.at(row))
      venue.orders.hold.set(row, freeze)
      venue.orders.leverage.set(row, leverage)
    }
  }
  const hedgedIsolated = mode === 'isolated' && isHedged(venue, exposure)
  if (!hedgedIsolated) exposure.leverage = leverage
  if (mode === 'isolated') {
    if (side !== 'short' || !hedgedIsolated) exposure.leverageLong = leverage
    if (side !== 'long' || !hedgedIsolated) exposure.leverageShort = leverage
  }
  updateHold(venue, exposure)
}
