/**
 * Margin of isolated positions by hand: adding, taking back, and auto margin.
 *
 * Adding    at most what the wallet has available
 * Taking    at most so much that the position's equity stays at its initial margin at the mark price
 * Source    risk-engine.md §5 (adding margin raises M); wire/errors.md (40801, 40802, 40874, 40875)
 */
import { type Account, readingWallet } from '../accounts/accounts.ts'
import { type FuturesInstrument, initialMarginOf, isFutures } from '../catalog/catalog.ts'
import { amount, cappedAmount, maxAmount, zero } from '../numbers/numbers.ts'
import type { SetAutoMargin, SetPositionMargin } from '../protocol/command.ts'
import { done, type Refusal, refused, type Reply } from '../protocol/reply.ts'
import {
  type Exposure,
  leverageOf,
  type Position,
  positionOf,
  type Reading,
  unrealizedPnl,
  type Venue,
} from '../state/state.ts'
import { domainTransferable, isHedged } from './margin.ts'
import { moveMargin } from './positions.ts'

export function setPositionMargin(venue: Venue, command: SetPositionMargin): Reply {
  const found = exposureOf(venue, command)
  if ('kind' in found) return refused(found)
  const { exposure, instrument } = found
  if (exposure.marginMode !== 'isolated') return refused({ kind: 'margin-mode-not-isolated' })
  const side = command.positionSide ?? (exposure.long === undefined ? 'short' : 'long')
  const position = positionOf(exposure, side)
  if (position === undefined) return refused({ kind: 'no-position' })
  if (command.amount === 0n) return refused({ kind: 'amount-not-positive' })
  const most =
    command.amount > 0n
      ? domainTransferable(venue, exposure.account, exposure.wallet, instrument.settle)
      : spareMargin(venue, exposure, instrument, position)
  const asked = command.amount > 0n ? command.amount : amount(-command.amount)
  if (asked > most) return refused({ kind: 'margin-change-exceeded', most: maxAmount(zero, most) })

  moveMargin(venue, exposure, position, command.amount)
  position.updatedAt = venue.at
  venue.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}

/** What the position may give back. */
function spareMargin(venue: Reading, exposure: Exposure, instrument: FuturesInstrument, position: Position) {
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  const leverage = leverageOf(exposure, position.side, isHedged(venue, exposure))
  const needed = initialMarginOf(scale, position.quantity, mark, leverage)
  const pnl = unrealizedPnl(scale, position, mark)
  const spare = position.margin + (pnl < 0n ? pnl : 0n) - needed
  return cappedAmount(spare)
}

export function setAutoMargin(venue: Venue, command: SetAutoMargin): Reply {
  const found = exposureOf(venue, command)
  if ('kind' in found) return refused(found)
  if (found.exposure.marginMode !== 'isolated') return refused({ kind: 'margin-mode-not-isolated' })

  venue.futures.keep(found.exposure).autoMargin = command.on
  venue.emit({ kind: 'margin-changed', uid: command.uid })
  return done
}

function exposureOf(
  venue: Reading,
  command: SetPositionMargin | SetAutoMargin,
): { readonly account: Account; readonly exposure: Exposure; readonly instrument: FuturesInstrument } | Refusal {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const instrument = venue.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  const wallet = readingWallet(account, command.interface, instrument.category)
  return { account, instrument, exposure: venue.futures.findOrNew(account.handle, wallet, instrument) }
}
