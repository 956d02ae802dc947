/**
 * Rows of the table of trigger orders: filled in, numbered and put where they wait.
 *
 * Steps     planRow, tpslRow or spotTpslRow, then what else there is to say, then startWaiting: only then the row waits. A
 *           trailing order is such a row of another kind (asTrailing), and then startTrailing
 */
import type { AdmittedPlan } from '../admission/admission.ts'
import { type Category, type FuturesInstrument, type Instrument, isFutures } from '../catalog/catalog.ts'
import { type Lots, zero } from '../numbers/numbers.ts'
import type { PlaceOrder, PlaceTrigger } from '../protocol/command.ts'
import {
  type Account,
  type AccountRow,
  type Exposure,
  type State,
  type TrailingTerms,
  triggerCodes,
} from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import {
  type OrderId,
  type OrderQuantity,
  type PositionSide,
  type TpslTerms,
  type Side,
  type TriggerKind,
  type WalletType,
  walletTypes,
} from '../vocabulary.ts'

/** A row with what all trigger orders have; not numbered, and not waiting yet. */
function newRow(
  state: State,
  account: Account,
  wallet: WalletType,
  instrument: Instrument,
  { trigger, by, execute, channelCode }: TpslTerms & { readonly channelCode: string },
): Row {
  const { triggers } = state
  const row = triggers.allocate()
  triggers.account.set(row, account.handle)
  triggers.instrument.set(row, instrument.id)
  triggers.wallet.set(row, walletTypes.indexOf(wallet))
  triggers.by.set(row, triggerCodes.by.indexOf(by))
  triggers.price.set(row, trigger)
  triggers.execute.set(row, execute)
  triggers.holdMode.set(
    row,
    isFutures(instrument) ? triggerCodes.holdMode.indexOf(account.holdMode[instrument.category]) : 0,
  )
  triggers.entry.set(row, 0)
  triggers.partner.set(row, 0)
  triggers.createdAt.set(row, state.at)
  triggers.updatedAt.set(row, state.at)
  triggers.channelCode[row] = channelCode
  return row
}

/** A row for a plan, complete but for its number; not waiting yet. What only reduces carries no attached TP/SL. */
export function planRow(
  state: State,
  { account, wallet, instrument, bookSide, intent, reduces, rises }: AdmittedPlan,
  command: PlaceTrigger,
): Row {
  const { triggers } = state
  const row = newRow(state, account, wallet, instrument, command)
  triggers.kind.set(row, triggerCodes.kind.indexOf('plan'))
  triggers.category.set(row, triggerCodes.category.indexOf(command.category))
  triggers.speaker.set(row, triggerCodes.speaker.indexOf(command.interface))
  triggers.rises.set(row, rises ? 1 : 0)
  triggers.side.set(row, triggerCodes.bookSide.indexOf(command.side))
  triggers.bookSide.set(row, triggerCodes.bookSide.indexOf(bookSide))
  triggers.intent.set(row, triggerCodes.intent.indexOf(intent))
  triggers.positionSide.set(row, triggerCodes.positionSide.indexOf(command.positionSide))
  triggers.tradeSide.set(row, triggerCodes.tradeSide.indexOf(command.tradeSide))
  triggers.reduceOnly.set(row, reduces && intent === 'single' ? 1 : 0)
  triggers.marginMode.set(row, triggerCodes.marginMode.indexOf(command.marginMode))
  triggers.stpMode.set(row, triggerCodes.stpMode.indexOf(command.stpMode))
  writeQuantity(state, row, command.quantity)
  writeAttachedTpsl(state, row, reduces ? undefined : command.takeProfit, reduces ? undefined : command.stopLoss)
  return row
}

/** A take-profit or stop-loss of a position. */
export interface Tpsl extends TpslTerms {
  readonly profit: boolean
  /** Undefined: the whole position. */
  readonly lots: Lots | undefined
  readonly speaker: PlaceOrder['interface']
  readonly stpMode: PlaceOrder['stpMode']
  readonly channelCode: string
  readonly entry: OrderId | 0
}

/** A row for a position's take-profit or stop-loss, complete but for its number; not waiting yet. */
export function tpslRow(state: State, exposure: Exposure, side: PositionSide, tpsl: Tpsl): Row {
  const { triggers } = state
  const instrument = state.instrument(exposure.instrument) as FuturesInstrument
  const account = state.accounts.byHandle(exposure.account)
  const row = newRow(state, account, exposure.wallet, instrument, tpsl)
  const long = side === 'long'
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const closes = triggerCodes.bookSide.indexOf(long ? 'sell' : 'buy')
  const kind: TriggerKind = tpsl.profit ? 'take-profit' : 'stop-loss'
  triggers.kind.set(row, triggerCodes.kind.indexOf(tpsl.lots === undefined ? `position-${kind}` : kind))
  triggers.category.set(row, triggerCodes.category.indexOf(instrument.category))
  triggers.speaker.set(row, triggerCodes.speaker.indexOf(tpsl.speaker))
  triggers.rises.set(row, tpsl.profit === long ? 1 : 0)
  triggers.side.set(row, closes)
  triggers.bookSide.set(row, closes)
  triggers.intent.set(row, triggerCodes.intent.indexOf(hedged ? 'close' : 'single'))
  triggers.positionSide.set(row, triggerCodes.positionSide.indexOf(side))
  triggers.tradeSide.set(row, triggerCodes.tradeSide.indexOf('close'))
  triggers.reduceOnly.set(row, hedged ? 0 : 1)
  triggers.marginMode.set(row, 0)
  triggers.stpMode.set(row, triggerCodes.stpMode.indexOf(tpsl.stpMode))
  triggers.entry.set(row, tpsl.entry)
  writeQuantity(state, row, { unit: 'lots', lots: tpsl.lots ?? (0 as Lots) })
  writeAttachedTpsl(state, row, undefined, undefined)
  return row
}

/** A take-profit or stop-loss of what a spot or margin order has received. */
export interface SpotTpsl extends TpslTerms {
  readonly profit: boolean
  readonly category: Category
  /** Of the order that comes of it: the other side of the order whose fills it covers. */
  readonly side: Side
  readonly quantity: OrderQuantity
  readonly speaker: PlaceOrder['interface']
  readonly stpMode: PlaceOrder['stpMode']
  readonly channelCode: string
  readonly entry: OrderId
}

/** A row for it, complete but for its number; not waiting yet. */
export function spotTpslRow(
  state: State,
  account: Account,
  wallet: WalletType,
  instrument: Instrument,
  tpsl: SpotTpsl,
): Row {
  const { triggers } = state
  const row = newRow(state, account, wallet, instrument, tpsl)
  const side = triggerCodes.bookSide.indexOf(tpsl.side)
  triggers.kind.set(row, triggerCodes.kind.indexOf(tpsl.profit ? 'take-profit' : 'stop-loss'))
  triggers.category.set(row, triggerCodes.category.indexOf(tpsl.category))
  triggers.speaker.set(row, triggerCodes.speaker.indexOf(tpsl.speaker))
  triggers.rises.set(row, tpsl.profit === (tpsl.side === 'sell') ? 1 : 0)
  triggers.side.set(row, side)
  triggers.bookSide.set(row, side)
  triggers.intent.set(row, triggerCodes.intent.indexOf('spot'))
  triggers.positionSide.set(row, 0)
  triggers.tradeSide.set(row, 0)
  triggers.reduceOnly.set(row, 0)
  triggers.marginMode.set(row, 0)
  triggers.stpMode.set(row, triggerCodes.stpMode.indexOf(tpsl.stpMode))
  triggers.entry.set(row, tpsl.entry)
  writeQuantity(state, row, tpsl.quantity)
  writeAttachedTpsl(state, row, undefined, undefined)
  return row
}

/** Makes a plan, or a stop-loss of a position, a trailing one with this activation price. */
export function asTrailing(state: State, row: Row, kind: TriggerKind, { price, rises }: TrailingTerms): void {
  const { triggers } = state
  triggers.kind.set(row, triggerCodes.kind.indexOf(kind))
  triggers.price.set(row, price)
  triggers.rises.set(row, rises ? 1 : 0)
}

/** Writes the quantity in its own unit and clears the other two; zero lots: a whole position. */
export function writeQuantity(state: State, row: Row, quantity: OrderQuantity): void {
  const { triggers } = state
  triggers.quantity.set(row, quantity.unit === 'lots' ? quantity.lots : 0)
  triggers.quoteAmount.set(row, quantity.unit === 'quote' ? quantity.amount : zero)
  triggers.baseAmount.set(row, quantity.unit === 'base' ? quantity.amount : zero)
}

/** What a plan's order shall carry; undefined clears it. */
export function writeAttachedTpsl(
  state: State,
  row: Row,
  takeProfit: TpslTerms | undefined,
  stopLoss: TpslTerms | undefined,
): void {
  const { triggers } = state
  triggers.takeProfitTrigger.set(row, takeProfit?.trigger ?? 0)
  triggers.takeProfitExecute.set(row, takeProfit?.execute ?? 0)
  triggers.takeProfitBy.set(row, takeProfit?.by === 'mark' ? 1 : 0)
  triggers.stopLossTrigger.set(row, stopLoss?.trigger ?? 0)
  triggers.stopLossExecute.set(row, stopLoss?.execute ?? 0)
  triggers.stopLossBy.set(row, stopLoss?.by === 'mark' ? 1 : 0)
}

/** Numbers and names the row, counts it among the open orders, and puts it where it waits. */
export function startWaiting(state: State, account: AccountRow, row: Row, clientOid: string): void {
  const { triggers } = state
  const id = state.counters.order++
  triggers.id.set(row, id)
  triggers.clientOid[row] = clientOid === '' ? String(id) : clientOid
  if (clientOid !== '') state.accounts.takeClientOid(account, clientOid, id)
  if (state.instrument(triggers.instrument.at(row)).kind === 'spot') account.openSpot++
  else account.openFutures++
  triggers.join(row)
  state.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: id })
}

/** As `startWaiting`, for a trailing order. */
export function startTrailing(
  state: State,
  account: AccountRow,
  row: Row,
  { clientOid, ...terms }: TrailingTerms & { readonly clientOid: string },
): void {
  startWaiting(state, account, row, clientOid)
  state.trailing.add(row, state.triggers.id.at(row), terms)
}

/** Makes a take-profit and a stop-loss that were set together partners; nothing when there is only one. */
export function partner(state: State, rows: readonly Row[]): void {
  const [first = noRow, second = noRow] = rows
  if (first === noRow || second === noRow) return
  state.triggers.partner.set(first, state.triggers.id.at(second))
  state.triggers.partner.set(second, state.triggers.id.at(first))
}
