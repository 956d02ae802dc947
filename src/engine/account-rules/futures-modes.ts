/**
 * Whether a margin mode or a hold mode may change: only without positions and orders where it applies. A margin mode
 * applies to a symbol, a hold mode to a product line.
 *
 * Source  design.md §3, §4.16
 */
import { type FuturesInstrument, isFutures, type ProductLine, productLines } from '../catalog/catalog.ts'
import type { SetHoldMode, SetMarginMode } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { type Account, type Exposure, inUse, type Reading } from '../state/state.ts'
import { targetOf } from './leverage.ts'

/** The contract whose margin mode changes; `unchanged`: it is in that mode already. */
export function admitMarginMode(
  reading: Reading,
  command: SetMarginMode,
): { readonly exposure: Exposure } | Refusal | 'unchanged' {
  const target = targetOf(reading, command.uid, command.interface, command.instrument)
  if ('kind' in target) return target
  const exposure = reading.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  if (exposure.marginMode === command.marginMode) return 'unchanged'
  if (inUse(exposure)) return { kind: 'margin-mode-in-use' }
  return { exposure }
}

/** The product lines whose hold mode changes; refused while one of them has positions, orders or trigger orders. */
export function admitHoldMode(
  reading: Reading,
  command: SetHoldMode,
): { readonly account: Account; readonly changing: readonly ProductLine[] } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const lines = command.line === undefined ? productLines : [command.line]
  const changing = lines.filter((line) => account.holdMode[line] !== command.holdMode)
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    const { category } = reading.instrument(exposure.instrument) as FuturesInstrument
    if (changing.includes(category) && inUse(exposure)) return { kind: 'hold-mode-in-use' }
  }
  // A plan to close would open in the other mode.
  for (const row of reading.triggers.of(account.handle)) {
    const instrument = reading.instrument(reading.triggers.instrument.at(row))
    if (isFutures(instrument) && changing.includes(instrument.category)) return { kind: 'hold-mode-in-use' }
  }
  return { account, changing }
}
