/**
 * Margin of isolated positions by hand: adding, taking back, and auto margin.
 *
 * Adding    at most what the wallet has available
 * Taking    at most so much that the position's equity stays at its initial margin at the mark price
 * Source    risk-engine.md §5 (adding margin raises M); wire/errors.md (40801, 40802, 40874, 40875)
 */
import { exposureOf, spareMargin } from '../account-rules/account-rules.ts'
import { domainTransferable } from '../margin/margin.ts'
import { amount, maxAmount, zero } from '../numbers/numbers.ts'
import { moveMargin } from '../positions/positions.ts'
import type { SetAutoMargin, SetPositionMargin } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import { positionOf, type PositionRow, type State } from '../state/state.ts'

export function setPositionMargin(state: State, command: SetPositionMargin): Reply {
  const found = exposureOf(state, command)
  if ('kind' in found) return refused(found)
  const { exposure, instrument } = found
  if (exposure.marginMode !== 'isolated') return refused({ kind: 'margin-mode-not-isolated' })
  const side = command.positionSide ?? (exposure.long === undefined ? 'short' : 'long')
  const position = positionOf(exposure, side)
  if (position === undefined) return refused({ kind: 'no-position' })
  if (command.amount === 0n) return refused({ kind: 'amount-not-positive' })
  const most =
    command.amount > 0n
      ? domainTransferable(state, exposure.account, exposure.wallet, instrument.settle)
      : spareMargin(state, exposure, instrument, position)
  const asked = command.amount > 0n ? command.amount : amount(-command.amount)
  if (asked > most) return refused({ kind: 'margin-change-exceeded', most: maxAmount(zero, most) })

  const kept = state.futures.keep(exposure)
  const margined = positionOf(kept, side) as PositionRow
  moveMargin(state, kept, margined, command.amount)
  margined.updatedAt = state.at
  state.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}

export function setAutoMargin(state: State, command: SetAutoMargin): Reply {
  const found = exposureOf(state, command)
  if ('kind' in found) return refused(found)
  if (found.exposure.marginMode !== 'isolated') return refused({ kind: 'margin-mode-not-isolated' })

  state.futures.keep(found.exposure).autoMargin = command.on
  state.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}
