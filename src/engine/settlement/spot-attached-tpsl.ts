/**
 * Presets of a spot or margin order become guards of what it receives: a buy's sell the base coin, a sell's spend the
 * quote coin to buy back.
 *
 * Size      what came in, less the fee; of base coin whole lots, and what is less than a lot joins what comes next
 * Grows     with each order that it meets; when one of the two has gone (fired, canceled) the next fill sets a new one
 *           for what that fill brings itself
 * Pair      one goes when the other fires, unless that found nobody to trade with
 * Holds     nothing: what they guard may be spent meanwhile, and then they fail when they fire. Those of margin orders are
 *           margin orders, but sell and spend no more than their wallet has
 * Limit     as of futures: they find a place even when the account's 400 are taken (presets.ts)
 * Source    wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design.md §4.18
 */
import type { SpotInstrument } from '../catalog/catalog.ts'
import { amount, type Amount, big, type Lots } from '../numbers/numbers.ts'
import { receivedBy } from '../records/records.ts'
import { orderCodes, type State } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { partner, spotTpslRow, startWaiting } from '../triggers/triggers.ts'
import type { OrderId } from '../vocabulary.ts'

/** To be called when the order has filled: guards what it received since it was called last. */
export function extendSpotAttachedTpsl(state: State, instrument: SpotInstrument, row: Row): void {
  const { orders, triggers } = state
  const { takeProfit, stopLoss, guarded } = orders.extrasOf(row)
  if (takeProfit === undefined && stopLoss === undefined) return
  const sells = orders.sideOf(row) === 'buy'
  const { baseUnit } = state.scale(instrument.id)
  const fresh = receivedBy(state, row) - guarded
  const lots = sells ? Number(fresh / baseUnit) : 0
  const more = amount(sells ? big(lots) * baseUnit : fresh)
  if (more <= 0n) return
  orders.change(row, { guarded: guarded + more })

  const account = state.accounts.byHandle(orders.accountOf(row))
  const entry: OrderId = orders.id.at(row)
  const rows: Row[] = []
  for (const [preset, profit] of [
    [takeProfit, true],
    [stopLoss, false],
  ] as const) {
    if (preset === undefined) continue
    const grown = triggers.tpslOf(account.handle, entry, profit)
    if (grown !== noRow) {
      extendTpsl(state, grown, lots, more)
      state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(grown) })
      continue
    }
    const wallet = orders.walletOf(row)
    const guard = spotTpslRow(state, account, wallet, instrument, {
      ...preset,
      profit,
      category: orderCodes.category[orders.category.at(row)],
      side: sells ? 'sell' : 'buy',
      quantity: sells ? { unit: 'lots', lots: lots as Lots } : { unit: 'quote', amount: more },
      speaker: wallet === 'uta' ? 'v3' : 'v2',
      stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
      channelCode: orders.channelCode[row],
      entry,
    })
    startWaiting(state, account, guard, '')
    rows.push(guard)
  }
  partner(state, rows)
}

function extendTpsl(state: State, guard: Row, lots: number, more: Amount): void {
  const { triggers } = state
  if (lots > 0) triggers.quantity.set(guard, triggers.quantity.at(guard) + lots)
  else triggers.quoteAmount.set(guard, amount(triggers.quoteAmount.at(guard) + more))
  triggers.updatedAt.set(guard, state.at)
}
