/**
 * Which isolated position is meant, and what margin it may give back.
 *
 * Adding  at most what the wallet has available
 * Taking  at most so much that the position's equity stays at its initial margin at the mark price
 * Source  risk-engine.md §5; wire/errors.md (40801, 40802, 40874, 40875)
 */
import { type FuturesInstrument, initialMarginOf, isFutures } from '../catalog/catalog.ts'
import { marginAccountTransferable, isHedged } from '../margin/margin.ts'
import { amount, cappedAmount, maxAmount, zero } from '../numbers/numbers.ts'
import type { SetAutoMargin, SetPositionMargin } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { readingWallet } from '../records/records.ts'
import {
  type Account,
  type Exposure,
  leverageOf,
  type Position,
  positionOf,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import type { PositionSide } from '../vocabulary.ts'

/** The isolated position whose margin changes; without a side in the command, the one there is, long before short. */
export function admitPositionMargin(
  reading: Reading,
  command: SetPositionMargin,
): { readonly exposure: Exposure; readonly side: PositionSide } | Refusal {
  const found = contractMeant(reading, command)
  if ('kind' in found) return found
  const { exposure, instrument } = found
  if (exposure.marginMode !== 'isolated') return { kind: 'margin-mode-not-isolated' }
  const side = command.positionSide ?? (exposure.long === undefined ? 'short' : 'long')
  const position = positionOf(exposure, side)
  if (position === undefined) return { kind: 'no-position' }
  if (command.amount === 0n) return { kind: 'amount-not-positive' }
  const most =
    command.amount > 0n
      ? marginAccountTransferable(reading, exposure.account, exposure.wallet, instrument.settle)
      : spareMargin(reading, exposure, instrument, position)
  const asked = command.amount > 0n ? command.amount : amount(-command.amount)
  if (asked > most) return { kind: 'margin-change-exceeded', most: maxAmount(zero, most) }
  return { exposure, side }
}

/** The contract in isolated mode that shall draw margin by itself, or no longer. */
export function admitAutoMargin(reading: Reading, command: SetAutoMargin): { readonly exposure: Exposure } | Refusal {
  const found = contractMeant(reading, command)
  if ('kind' in found) return found
  if (found.exposure.marginMode !== 'isolated') return { kind: 'margin-mode-not-isolated' }
  return { exposure: found.exposure }
}

/** The account and contract that a command means. */
function contractMeant(
  reading: Reading,
  command: SetPositionMargin | SetAutoMargin,
): { readonly account: Account; readonly exposure: Exposure; readonly instrument: FuturesInstrument } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  const wallet = readingWallet(account, command.interface, instrument.category)
  return { account, instrument, exposure: reading.futures.findOrNew(account.handle, wallet, instrument) }
}

/** What the position may give back: its equity, without profit, stays at its initial margin at the mark. */
function spareMargin(reading: Reading, exposure: Exposure, instrument: FuturesInstrument, position: Position) {
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  const leverage = leverageOf(exposure, position.side, isHedged(reading, exposure))
  const needed = initialMarginOf(scale, position.quantity, mark, leverage)
  const pnl = unrealizedPnl(scale, position, mark)
  const spare = position.margin + (pnl < 0n ? pnl : 0n) - needed
  return cappedAmount(spare)
}
