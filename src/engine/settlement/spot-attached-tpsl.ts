/**
 * The take-profit and stop-loss attached to a spot or margin order, set for what its fills bring in.
 *
 * Side      those of a buy sell the base coin; those of a sell spend the quote coin to buy back
 * Size      what came in, less the fee. Base coin counts in whole lots, and less than a lot joins what comes next
 * Gone      once one of the two has ended, the next fill sets a new one for what that fill brings
 * Pair      one goes when the other is triggered, unless that found nobody to trade with
 * Holds     nothing: their coins may be spent meanwhile, and then they fail when triggered. Those of margin orders are margin
 *           orders, but sell and spend no more than the wallet has
 * Limit     they find a place even when the account has all its open orders, as those of futures do (attached-tpsl.ts)
 * Source    wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design.md §4.18
 */
import type { SpotInstrument } from '../catalog/catalog.ts'
import { amount, type Amount, big, type Lots } from '../numbers/numbers.ts'
import { receivedBy } from '../records/records.ts'
import { orderCodes, type State } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import { partner, spotTpslRow, startWaiting } from '../triggers/triggers.ts'
import type { OrderId } from '../vocabulary.ts'

/** Call it when the order has filled: it covers what the order received since the last call. */
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
  for (const [terms, profit] of [
    [takeProfit, true],
    [stopLoss, false],
  ] as const) {
    if (terms === undefined) continue
    const extended = triggers.tpslOf(account.handle, entry, profit)
    if (extended !== noRow) {
      extendTpsl(state, extended, lots, more)
      state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: triggers.id.at(extended) })
      continue
    }
    const wallet = orders.walletOf(row)
    const tpsl = spotTpslRow(state, account, wallet, instrument, {
      ...terms,
      profit,
      category: orderCodes.category[orders.category.at(row)],
      side: sells ? 'sell' : 'buy',
      quantity: sells ? { unit: 'lots', lots: lots as Lots } : { unit: 'quote', amount: more },
      speaker: wallet === 'uta' ? 'v3' : 'v2',
      stpMode: orderCodes.stpMode[orders.stpMode.at(row)],
      channelCode: orders.channelCode[row],
      entry,
    })
    startWaiting(state, account, tpsl, '')
    rows.push(tpsl)
  }
  partner(state, rows)
}

/** Adds lots of base coin, or else units of quote coin. */
function extendTpsl(state: State, tpsl: Row, lots: number, more: Amount): void {
  const { triggers } = state
  if (lots > 0) triggers.quantity.set(tpsl, triggers.quantity.at(tpsl) + lots)
  else triggers.quoteAmount.set(tpsl, amount(triggers.quoteAmount.at(tpsl) + more))
  triggers.updatedAt.set(tpsl, state.at)
}
