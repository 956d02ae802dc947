/**
 * Margin mode and hold mode of contracts.
 *
 * Modes      change only without positions and orders of the symbol (margin mode) or product line (hold mode)
 * Source     design.md §3, §4.16
 */
import { targetOf } from '../account-rules/account-rules.ts'
import { type FuturesInstrument, isFutures, productLines } from '../catalog/catalog.ts'
import type { SetHoldMode, SetMarginMode } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import { inUse, type State } from '../state/state.ts'

export function setMarginMode(state: State, command: SetMarginMode): Reply {
  const target = targetOf(state, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const exposure = state.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  if (exposure.marginMode === command.marginMode) return done
  if (inUse(exposure)) return refused({ kind: 'margin-mode-in-use' })

  state.futures.keep(exposure).marginMode = command.marginMode
  return done
}

export function setHoldMode(state: State, command: SetHoldMode): Reply {
  const account = state.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const lines = command.line === undefined ? productLines : [command.line]
  const changing = lines.filter((line) => account.holdMode[line] !== command.holdMode)
  for (const exposure of state.futures.ofAccount(account.handle)) {
    const { category } = state.instrument(exposure.instrument) as FuturesInstrument
    if (changing.includes(category) && inUse(exposure)) return refused({ kind: 'hold-mode-in-use' })
  }
  // A plan to close would open in the other mode.
  for (const row of state.triggers.of(account.handle)) {
    const instrument = state.instrument(state.triggers.instrument.at(row))
    if (isFutures(instrument) && changing.includes(instrument.category)) return refused({ kind: 'hold-mode-in-use' })
  }

  const changed = Object.fromEntries(changing.map((line) => [line, command.holdMode]))
  account.holdMode = { ...account.holdMode, ...changed }
  return done
}
