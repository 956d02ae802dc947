/**
 * Presets of an order become guards of the position that it opens, as large as what it opened so far; those of a spot or
 * margin order guards of what it received (spot-presets.ts).
 *
 * Grows     each further fill adds to the guards; when one of them has gone (fired, canceled, closed with its position)
 *           the next fill sets a new one for what it opens itself
 * Changed   the order's new presets hold for what it opens from then on
 * Limit     presets find a place even when the account's 400 are taken: they were asked for with the order
 * Source    interface.md E3 presets; design.md §4.18
 */
import { cappedAmount, zero } from '../numbers/numbers.ts'
import type { Leg } from '../positions/positions.ts'
import type { AttachedTpsl } from '../protocol/command.ts'
import { isSpotOrder, receivedBy } from '../records/records.ts'
import { type ExposureRow, orderCodes, type State } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { tpslRow, partner, startWaiting } from '../triggers/triggers.ts'
import type { OrderId, TpslTerms } from '../vocabulary.ts'

/** What an order asks for from now on. */
export function setAttachedTpsl(state: State, row: Row, { takeProfit, stopLoss }: AttachedTpsl): void {
  state.orders.change(row, { takeProfit: termsOf(takeProfit), stopLoss: termsOf(stopLoss) })
}

/** Its fields alone and in one order, whoever made it: the bytes of the saved state hang on that. */
function termsOf(preset: TpslTerms | undefined): TpslTerms | undefined {
  return preset && { trigger: preset.trigger, execute: preset.execute, by: preset.by }
}

/** Guards that the order has set so far stay as they are; what it opens or receives from now on is guarded by new ones. */
export function leaveTpsl(state: State, row: Row): void {
  const { orders, triggers } = state
  if (isSpotOrder(state, row)) orders.change(row, { guarded: receivedBy(state, row) })
  for (const guard of triggers.of(orders.accountOf(row))) {
    if (triggers.entry.at(guard) === orders.id.at(row)) triggers.entry.set(guard, 0)
  }
}

/** A fill of the order in `row` has opened `leg`. Of an inverse position a guard knows the base coin too. */
export function extendAttachedTpsl(state: State, exposure: ExposureRow, row: Row, leg: Leg): void {
  const { orders, triggers } = state
  const { takeProfit, stopLoss } = orders.extrasOf(row)
  if (takeProfit === undefined && stopLoss === undefined) return
  const account = state.accounts.byHandle(exposure.account)
  const entry: OrderId = orders.id.at(row)
  const base = state.instrument(exposure.instrument).kind === 'inverse' ? leg.notional : zero
  const rows: Row[] = []
  for (const [preset, profit] of [
    [takeProfit, true],
    [stopLoss, false],
  ] as const) {
    if (preset === undefined) continue
    const grown = triggers.tpslOf(exposure.account, entry, profit)
    if (grown !== noRow) {
      triggers.quantity.set(grown, triggers.quantity.at(grown) + leg.quantity)
      // Changed in contracts, it is known by these alone.
      const known = triggers.baseAmount.at(grown)
      if (known !== zero) triggers.baseAmount.set(grown, cappedAmount(known + base))
      triggers.updatedAt.set(grown, state.at)
      state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(grown) })
      continue
    }
    const guard = tpslRow(state, exposure, leg.side, {
      ...preset,
      profit,
      lots: leg.quantity,
      // Only a unified wallet is ever spoken to in the third version.
      speaker: exposure.wallet === 'uta' ? 'v3' : 'v2',
      stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
      channelCode: orders.channelCode[row],
      entry,
    })
    triggers.baseAmount.set(guard, base)
    startWaiting(state, account, guard, '')
    rows.push(guard)
  }
  partner(state, rows)
}
