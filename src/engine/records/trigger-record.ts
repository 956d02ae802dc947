/**
 * A trigger order as clients and history see it, and how waiting ones are found.
 *
 * Source  interface.md E5 (`takeProfit`, `stopLoss` and their ids); wire/client-endpoints.md §4; wire/v3-endpoints.md §6
 */
import type { Category, InstrumentId } from '../catalog/catalog.ts'
import type { Amount, Lots, Ticks } from '../numbers/numbers.ts'
import type { OrderReference } from '../protocol/command.ts'
import type { TrailingRecord, TriggerRecord } from '../protocol/event.ts'
import type { PositionView } from '../protocol/query.ts'
import { type Account, type Exposure, tpslTermsOf, type Reading, triggerCodes } from '../state/state.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { Interface, OrderQuantity, PositionSide, TriggerKind } from '../vocabulary.ts'
import { readingWallet } from './wallets.ts'

/** How a trigger order ended, or that it lives. */
interface End {
  readonly status: TriggerRecord['status']
  readonly failure?: TriggerRecord['failure']
  readonly executedOrderId?: TriggerRecord['executedOrderId']
}

/** The record of a trigger order in the table; without an end, as it stands. */
export function triggerRecord(reading: Reading, row: Row, end: End = { status: 'live' }): TriggerRecord {
  const { triggers } = reading
  const account = reading.accounts.byHandle(triggers.account.at(row))
  const plan = triggers.isPlan(row)
  return {
    orderId: triggers.id.at(row),
    clientOid: triggers.clientOid[row],
    uid: account.uid,
    wallet: triggers.walletOf(row),
    category: triggerCodes.category[triggers.category.at(row)],
    instrument: triggers.instrument.at(row),
    trigger: triggers.kindOf(row),
    price: triggers.price.at(row) as Ticks,
    ...(triggers.isTrailing(row) ? trailingTerms(reading, row) : {}),
    by: triggerCodes.by[triggers.by.at(row)],
    execute: triggers.execute.at(row) as Ticks | 0,
    side: triggerCodes.bookSide[triggers.side.at(row)],
    bookSide: triggers.sideOf(row),
    intent: triggerCodes.intent[triggers.intent.at(row)],
    positionSide: positionShown(reading, row, plan),
    reduceOnly: triggers.reduceOnly.at(row) === 1,
    holdMode: triggerCodes.holdMode[triggers.holdMode.at(row)],
    marginMode: triggerCodes.marginMode[triggers.marginMode.at(row)] ?? marginModeInForce(reading, row),
    stpMode: triggerCodes.stpMode[triggers.stpMode.at(row)] ?? account.stpMode,
    quantity: triggers.quantity.at(row) as Lots,
    quoteAmount: triggers.quoteAmount.at(row) as Amount,
    baseAmount: triggers.baseAmount.at(row) as Amount,
    takeProfit: tpslTermsOf(
      triggers.takeProfitTrigger.at(row),
      triggers.takeProfitExecute.at(row),
      triggers.takeProfitBy.at(row),
    ),
    stopLoss: tpslTermsOf(
      triggers.stopLossTrigger.at(row),
      triggers.stopLossExecute.at(row),
      triggers.stopLossBy.at(row),
    ),
    status: end.status,
    failure: end.failure ?? '',
    partner: triggers.partner.at(row),
    executedOrderId: end.executedOrderId ?? 0,
    channelCode: triggers.channelCode[row],
    createdAt: triggers.createdAt.at(row),
    updatedAt: end.status === 'live' ? triggers.updatedAt.at(row) : reading.at,
  }
}

function trailingTerms(
  { triggers, trailing }: Reading,
  trigger: Row,
): { readonly price: Ticks; readonly trailing: TrailingRecord } {
  const row = trailing.find(trigger)
  const record: TrailingRecord = {
    rate: trailing.rate.at(row),
    activation: triggers.price.at(trigger) as Ticks | 0,
    best: trailing.bestOf(row),
    takeProfitRate: trailing.takeProfitRate.at(row),
    stopLossRate: trailing.stopLossRate.at(row),
  }
  return { price: trailing.priceOf(row), trailing: record }
}

/** The position that a trigger order names; `net` in one-way mode and for spot. */
function positionShown(reading: Reading, row: Row, plan: boolean): PositionSide | 'net' {
  const { triggers } = reading
  const intent = triggerCodes.intent[triggers.intent.at(row)]
  if (intent === 'spot' || intent === 'single') return 'net'
  const named = triggers.positionSideOf(row)
  if (named !== undefined || !plan) return named ?? 'net'
  const buys = triggers.sideOf(row) === 'buy'
  return buys === (intent === 'open') ? 'long' : 'short'
}

function marginModeInForce(reading: Reading, row: Row): Exposure['marginMode'] {
  const { triggers } = reading
  const exposure = reading.futures.find(triggers.account.at(row), triggers.walletOf(row), triggers.instrument.at(row))
  return exposure?.marginMode ?? 'cross'
}

/** The quantity that a trigger order was set with, in its own unit. */
export function quantityOf(reading: Reading, row: Row): OrderQuantity {
  const { triggers } = reading
  if (triggers.quoteAmount.at(row) !== 0n) return { unit: 'quote', amount: triggers.quoteAmount.at(row) as Amount }
  if (triggers.baseAmount.at(row) !== 0n) return { unit: 'base', amount: triggers.baseAmount.at(row) as Amount }
  return { unit: 'lots', lots: triggers.quantity.at(row) as Lots }
}

/** A live trigger order of the account: by number first, else by client order id; noRow when there is none. */
export function findTrigger(reading: Reading, account: Account, reference: OrderReference): Row {
  const { triggers } = reading
  const { orderId, clientOid } = reference
  const made = /^[0-9]{16}$/.test(clientOid) ? Number(clientOid) : undefined
  const id = orderId ?? account.clientOids?.get(clientOid) ?? made
  const row = id === undefined ? noRow : triggers.find(id)
  return row !== noRow && triggers.account.at(row) === account.handle ? row : noRow
}

/** What a list of trigger orders is narrowed to; no kinds: any. */
export interface TriggerFilter {
  readonly interface: Interface
  readonly category: Category | undefined
  readonly instrument: InstrumentId | undefined
  readonly kinds: readonly TriggerKind[]
}

/** Waiting trigger orders of an account, newest first. */
export function* triggersOf(reading: Reading, account: Account, filter: TriggerFilter): Generator<Row> {
  const { triggers } = reading
  for (const row of triggers.of(account.handle)) {
    const category = triggerCodes.category[triggers.category.at(row)]
    if (filter.category !== undefined && category !== filter.category) continue
    if (filter.instrument !== undefined && triggers.instrument.at(row) !== filter.instrument) continue
    if (filter.kinds.length > 0 && !filter.kinds.includes(triggers.kindOf(row))) continue
    if (triggers.walletOf(row) === readingWallet(account, filter.interface, category)) yield row
  }
}

/** The take-profit and stop-loss of a position that would be triggered first, as E5 shows them. */
export function nearestTpsl(
  reading: Reading,
  exposure: Exposure,
  side: PositionSide,
): Pick<PositionView, 'takeProfit' | 'stopLoss'> {
  const { triggers } = reading
  let takeProfit = noRow
  let stopLoss = noRow
  const nearer = (row: Row, than: Row) =>
    than === noRow ||
    (triggers.rises.at(row) === 1
      ? triggers.price.at(row) <= triggers.price.at(than)
      : triggers.price.at(row) >= triggers.price.at(than))
  for (const row of triggers.tpslOfPosition(exposure.account, exposure.wallet, exposure.instrument, side)) {
    if (triggers.isTrailing(row)) continue
    if (triggers.isTakeProfit(row)) takeProfit = nearer(row, takeProfit) ? row : takeProfit
    else stopLoss = nearer(row, stopLoss) ? row : stopLoss
  }
  const shown = (row: Row) =>
    row === noRow ? undefined : { orderId: triggers.id.at(row), trigger: triggers.price.at(row) as Ticks }
  return { takeProfit: shown(takeProfit), stopLoss: shown(stopLoss) }
}
