/**
 * The take-profit and stop-loss attached to an order, set for the position that its fills open.
 *
 * Size      as large as what the order has opened so far: each further fill extends them
 * Gone      once one of them has ended, the next fill sets a new one for what that fill opens
 * Changed   an order's new terms hold for what it opens from then on
 * Limit     they find a place even when the account has all its open orders: they were asked for with the order
 * Not here  those of spot and margin orders (spot-attached-tpsl.ts)
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

/** A fill of the order in `row` has opened `leg`. Of an inverse position its base coin counts too. */
export function extendAttachedTpsl(state: State, exposure: ExposureRow, row: Row, leg: Leg): void {
  const { orders, triggers } = state
  const { takeProfit, stopLoss } = orders.extrasOf(row)
  if (takeProfit === undefined && stopLoss === undefined) return
  const account = state.accounts.byHandle(exposure.account)
  const entry: OrderId = orders.id.at(row)
  const base = state.instrument(exposure.instrument).kind === 'inverse' ? leg.notional : zero
  const rows: Row[] = []
  for (const [terms, profit] of [
    [takeProfit, true],
    [stopLoss, false],
  ] as const) {
    if (terms === undefined) continue
    const extended = triggers.tpslOf(exposure.account, entry, profit)
    if (extended !== noRow) {
      triggers.quantity.set(extended, triggers.quantity.at(extended) + leg.quantity)
      // After a change in contracts it counts contracts alone.
      const known = triggers.baseAmount.at(extended)
      if (known !== zero) triggers.baseAmount.set(extended, cappedAmount(known + base))
      triggers.updatedAt.set(extended, state.at)
      state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(extended) })
      continue
    }
    const tpsl = tpslRow(state, exposure, leg.side, {
      ...terms,
      profit,
      lots: leg.quantity,
      // Only a unified wallet is traded over v3.
      speaker: exposure.wallet === 'uta' ? 'v3' : 'v2',
      stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
      channelCode: orders.channelCode[row],
      entry,
    })
    triggers.baseAmount.set(tpsl, base)
    startWaiting(state, account, tpsl, '')
    rows.push(tpsl)
  }
  partner(state, rows)
}

/** The take-profit and stop-loss that an order asks for from now on. */
export function setAttachedTpsl(state: State, row: Row, { takeProfit, stopLoss }: AttachedTpsl): void {
  state.orders.change(row, { takeProfit: termsOf(takeProfit), stopLoss: termsOf(stopLoss) })
}

/** Only these fields and in this order, whatever object came: the bytes of the saved state depend on it. */
function termsOf(terms: TpslTerms | undefined): TpslTerms | undefined {
  return terms && { trigger: terms.trigger, execute: terms.execute, by: terms.by }
}

/** Those that the order has set so far stay as they are; what it opens or receives from now on gets new ones. */
export function leaveTpsl(state: State, row: Row): void {
  const { orders, triggers } = state
  if (isSpotOrder(state, row)) orders.change(row, { guarded: receivedBy(state, row) })
  for (const tpsl of triggers.of(orders.accountOf(row))) {
    if (triggers.entry.at(tpsl) === orders.id.at(row)) triggers.entry.set(tpsl, 0)
  }
}
