/**
 * Rows of the table of trigger orders: filled in, numbered and put where they wait.
 *
 * Order     newRow or guardRow, what else there is to say, then startWaiting: from then on the row is in the books
 */
import { type Account, type WalletType, walletTypes } from '../accounts/accounts.ts'
import { type Category, type FuturesInstrument, type Instrument, isFutures } from '../catalog/catalog.ts'
import type { OrderId, OrderQuantity, PlaceOrder, PositionSide, Preset, Side, TriggerKind } from '../command.ts'
import type { Exposure } from '../futures/futures.ts'
import { type Lots, zero } from '../numbers/numbers.ts'
import { noRow, type Row } from '../state/state.ts'
import type { Venue } from '../venue.ts'
import { triggerCodes } from './table.ts'

/** A row with what all trigger orders have. */
export function newRow(
  venue: Venue,
  account: Account,
  wallet: WalletType,
  instrument: Instrument,
  { trigger, by, execute, channelCode }: Preset & { readonly channelCode: string },
): Row {
  const { triggers } = venue
  const row = triggers.allocate()
  triggers.account[row] = account.handle
  triggers.instrument[row] = instrument.id
  triggers.wallet[row] = walletTypes.indexOf(wallet)
  triggers.by[row] = triggerCodes.by.indexOf(by)
  triggers.price[row] = trigger
  triggers.execute[row] = execute
  triggers.holdMode[row] = isFutures(instrument)
    ? triggerCodes.holdMode.indexOf(account.holdMode[instrument.category])
    : 0
  triggers.entry[row] = 0
  triggers.partner[row] = 0
  triggers.createdAt[row] = venue.at
  triggers.updatedAt[row] = venue.at
  triggers.channelCode[row] = channelCode
  return row
}

export interface Guard extends Preset {
  readonly profit: boolean
  /** Undefined: the whole position. */
  readonly lots: Lots | undefined
  readonly speaker: PlaceOrder['interface']
  readonly stpMode: PlaceOrder['stpMode']
  readonly channelCode: string
  readonly entry: OrderId | 0
}

/** A row for a guard of a position, complete but for its number; not waiting yet. */
export function guardRow(venue: Venue, exposure: Exposure, side: PositionSide, guard: Guard): Row {
  const { triggers } = venue
  const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
  const account = venue.accounts.byHandle(exposure.account)
  const row = newRow(venue, account, exposure.wallet, instrument, guard)
  const long = side === 'long'
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const closes = triggerCodes.bookSide.indexOf(long ? 'sell' : 'buy')
  const kind: TriggerKind = guard.profit ? 'take-profit' : 'stop-loss'
  triggers.kind[row] = triggerCodes.kind.indexOf(guard.lots === undefined ? `position-${kind}` : kind)
  triggers.category[row] = triggerCodes.category.indexOf(instrument.category)
  triggers.speaker[row] = triggerCodes.speaker.indexOf(guard.speaker)
  triggers.rises[row] = guard.profit === long ? 1 : 0
  triggers.side[row] = closes
  triggers.bookSide[row] = closes
  triggers.intent[row] = triggerCodes.intent.indexOf(hedged ? 'close' : 'single')
  triggers.positionSide[row] = triggerCodes.positionSide.indexOf(side)
  triggers.tradeSide[row] = triggerCodes.tradeSide.indexOf('close')
  triggers.reduceOnly[row] = hedged ? 0 : 1
  triggers.marginMode[row] = 0
  triggers.stpMode[row] = triggerCodes.stpMode.indexOf(guard.stpMode)
  triggers.entry[row] = guard.entry
  writeQuantity(venue, row, { unit: 'lots', lots: guard.lots ?? (0 as Lots) })
  writePresets(venue, row, undefined, undefined)
  return row
}

/** A guard of what a spot or margin order has received. */
export interface SpotGuard extends Preset {
  readonly profit: boolean
  readonly category: Category
  /** Of the order that fires: the other side of the one whose fills it guards. */
  readonly side: Side
  readonly quantity: OrderQuantity
  readonly speaker: PlaceOrder['interface']
  readonly stpMode: PlaceOrder['stpMode']
  readonly channelCode: string
  readonly entry: OrderId
}

/** A row for it, complete but for its number; not waiting yet. */
export function spotGuardRow(
  venue: Venue,
  account: Account,
  wallet: WalletType,
  instrument: Instrument,
  guard: SpotGuard,
): Row {
  const { triggers } = venue
  const row = newRow(venue, account, wallet, instrument, guard)
  const side = triggerCodes.bookSide.indexOf(guard.side)
  triggers.kind[row] = triggerCodes.kind.indexOf(guard.profit ? 'take-profit' : 'stop-loss')
  triggers.category[row] = triggerCodes.category.indexOf(guard.category)
  triggers.speaker[row] = triggerCodes.speaker.indexOf(guard.speaker)
  triggers.rises[row] = guard.profit === (guard.side === 'sell') ? 1 : 0
  triggers.side[row] = side
  triggers.bookSide[row] = side
  triggers.intent[row] = triggerCodes.intent.indexOf('spot')
  triggers.positionSide[row] = 0
  triggers.tradeSide[row] = 0
  triggers.reduceOnly[row] = 0
  triggers.marginMode[row] = 0
  triggers.stpMode[row] = triggerCodes.stpMode.indexOf(guard.stpMode)
  triggers.entry[row] = guard.entry
  writeQuantity(venue, row, guard.quantity)
  writePresets(venue, row, undefined, undefined)
  return row
}

export function writeQuantity(venue: Venue, row: Row, quantity: OrderQuantity): void {
  const { triggers } = venue
  triggers.quantity[row] = quantity.unit === 'lots' ? quantity.lots : 0
  triggers.quoteAmount[row] = quantity.unit === 'quote' ? quantity.amount : zero
  triggers.baseAmount[row] = quantity.unit === 'base' ? quantity.amount : zero
}

export function writePresets(
  venue: Venue,
  row: Row,
  takeProfit: Preset | undefined,
  stopLoss: Preset | undefined,
): void {
  const { triggers } = venue
  triggers.takeProfitTrigger[row] = takeProfit?.trigger ?? 0
  triggers.takeProfitExecute[row] = takeProfit?.execute ?? 0
  triggers.takeProfitBy[row] = takeProfit?.by === 'mark' ? 1 : 0
  triggers.stopLossTrigger[row] = stopLoss?.trigger ?? 0
  triggers.stopLossExecute[row] = stopLoss?.execute ?? 0
  triggers.stopLossBy[row] = stopLoss?.by === 'mark' ? 1 : 0
}

/** Numbered, named and counted among the open orders. */
export function startWaiting(venue: Venue, account: Account, row: Row, clientOid: string): void {
  const { triggers } = venue
  const id = venue.counters.order++
  triggers.id[row] = id
  triggers.clientOid[row] = clientOid === '' ? String(id) : clientOid
  if (clientOid !== '') account.clientOids.set(clientOid, id)
  if (venue.instrument(triggers.instrument[row]).kind === 'spot') account.openSpot++
  else account.openFutures++
  triggers.join(row)
  venue.emit({ kind: 'trigger-accepted', uid: account.uid, orderId: id })
}

/** A take-profit and a stop-loss that were set together know each other. */
export function partner(venue: Venue, rows: readonly Row[]): void {
  const [first = noRow, second = noRow] = rows
  if (first === noRow || second === noRow) return
  venue.triggers.partner[first] = venue.triggers.id[second]
  venue.triggers.partner[second] = venue.triggers.id[first]
}
