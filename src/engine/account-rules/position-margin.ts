/**
 * Which isolated position is meant, and what margin it may give back.
 *
 * Source  risk-engine.md §5; wire/errors.md (40801, 40802, 40874, 40875)
 */
import { type FuturesInstrument, initialMarginOf, isFutures } from '../catalog/catalog.ts'
import { isHedged } from '../margin/margin.ts'
import { cappedAmount } from '../numbers/numbers.ts'
import type { SetAutoMargin, SetPositionMargin } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { readingWallet } from '../records/records.ts'
import { type Account, type Exposure, leverageOf, type Position, type Reading, unrealizedPnl } from '../state/state.ts'

/** What the position may give back. */
export function spareMargin(reading: Reading, exposure: Exposure, instrument: FuturesInstrument, position: Position) {
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  const leverage = leverageOf(exposure, position.side, isHedged(reading, exposure))
  const needed = initialMarginOf(scale, position.quantity, mark, leverage)
  const pnl = unrealizedPnl(scale, position, mark)
  const spare = position.margin + (pnl < 0n ? pnl : 0n) - needed
  return cappedAmount(spare)
}

export function exposureOf(
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
