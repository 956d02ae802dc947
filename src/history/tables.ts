/**
 * Every table of the history: which events it keeps, its number and its time.
 *
 * Follows   the newest shape; the statements that create it (migrations.ts) are never changed
 */
import { billColumns, readBill } from './bill-table.ts'
import { type CandleCells, priceChangeColumns } from './candle-table.ts'
import { chainTransferColumns, readChainTransfer } from './chain-transfer-table.ts'
import {
  type CellsOf,
  type Column,
  type Columns,
  type IntegerCell,
  type OriginCells,
  originKinds,
  originNames,
  type RowTaker,
} from './columns.ts'
import { equityColumns, type HistoryEvent, readEquity } from './equity-table.ts'
import {
  fundingPaymentColumns,
  fundingRateColumns,
  positionColumns,
  positionMoveColumns,
  readFundingPayment,
  readFundingRate,
  readPosition,
  readPositionMove,
} from './futures-tables.ts'
import { liquidationColumns, offerColumns, offersOf, readLiquidation, readOffer } from './liquidation-table.ts'
import {
  conversionColumns,
  externalFlowColumns,
  insuranceColumns,
  interestColumns,
  loanColumns,
  marginLiquidationColumns,
  readConversion,
  readExternalFlow,
  readInsurance,
  readInterest,
  readLoan,
  readMarginLiquidation,
  readRebate,
  readRepayment,
  readTransfer,
  rebateColumns,
  repaymentColumns,
  transferColumns,
} from './money-tables.ts'
import { fillColumns, orderColumns, readFill, readOrder, readTrade, tradeColumns } from './trading-tables.ts'
import { readTrigger, triggerColumns } from './trigger-table.ts'

/** Every table by its name, as the query builder knows them. */
export type Schema = {
  [Name in keyof Kept]: Kept[Name] & OriginCells
} & {
  candles: CandleCells
  /** All days as one. */
  all_fills: Schema['fills']
  all_orders: Schema['orders']
  all_triggers: Schema['triggers']
  /** One row: how far the events have been written. */
  progress: { only: IntegerCell; applied_sequence: IntegerCell; applied_at_ms: IntegerCell }
}

interface Kept {
  fills: CellsOf<typeof fillColumns>
  orders: CellsOf<typeof orderColumns>
  triggers: CellsOf<typeof triggerColumns>
  trades: CellsOf<typeof tradeColumns>
  transfers: CellsOf<typeof transferColumns>
  external_flows: CellsOf<typeof externalFlowColumns>
  loans: CellsOf<typeof loanColumns>
  repayments: CellsOf<typeof repaymentColumns>
  interest: CellsOf<typeof interestColumns>
  bills: CellsOf<typeof billColumns>
  conversions: CellsOf<typeof conversionColumns>
  margin_liquidations: CellsOf<typeof marginLiquidationColumns>
  funding_rates: CellsOf<typeof fundingRateColumns> & { funding_rate_id: IntegerCell }
  funding_payments: CellsOf<typeof fundingPaymentColumns>
  positions: CellsOf<typeof positionColumns> & { closing_id: IntegerCell }
  insurance: CellsOf<typeof insuranceColumns>
  rebates: CellsOf<typeof rebateColumns>
  liquidations: CellsOf<typeof liquidationColumns>
  liquidation_offers: CellsOf<typeof offerColumns> & { offer_id: IntegerCell }
  position_moves: CellsOf<typeof positionMoveColumns>
  chain_transfers: CellsOf<typeof chainTransferColumns>
  equity: CellsOf<typeof equityColumns> & { sample_id: IntegerCell }
}

type TableName = keyof Kept

export interface Table<Row = never, Cells = never, Read = Row> {
  readonly name: TableName
  /** Place in the list of tables: packed rows name their table by it. */
  readonly place: number
  /** Unique number of a row that grows with its time: the first column, unless SQL counts. */
  readonly key: string
  /** When it happened: what windows are over. */
  readonly time: string
  /** When it was over. */
  readonly ended: string
  /** Times by which it is pruned: all of them have to be old enough. */
  readonly goesBy: readonly string[]
  /** It grows with every order: each day is kept on its own (days.ts). The engine has to give its numbers. */
  readonly byDay: boolean
  readonly names: readonly string[]
  readonly columns: readonly Column<Row>[]
  /** Of the cells, by the places of their names. */
  readonly kinds: readonly Column<Row>['kind'][]
  readonly read: (cells: Cells) => Read
}

const list: Table[] = []
/** In the order of their places. */
export const tableList: readonly Table[] = list

function table<Row, Cells, Read = Row>(
  name: TableName,
  columns: Columns<Row>,
  read: (cells: Cells) => Read,
  { key = Object.keys(columns)[0], time = 'at_ms', ended = '', byDay = false, goesWith = '' } = {},
): Table<Row, Cells, Read> {
  const made = {
    name,
    place: list.length,
    key,
    time,
    ended: ended || time,
    goesBy: goesWith === '' ? [...new Set([time, ended || time])] : [goesWith],
    byDay,
    names: [...originNames, ...Object.keys(columns)],
    columns: Object.values(columns),
    kinds: [...originKinds, ...Object.values(columns).map(({ kind }) => kind)],
    read,
  }
  list.push(made as unknown as Table)
  return made
}

/** What rests or waits has a time of creation, and is as old as its end. */
const waited = { time: 'created_at_ms', ended: 'updated_at_ms' }

export const tables = {
  fills: table('fills', fillColumns, readFill, { byDay: true }),
  orders: table('orders', orderColumns, readOrder, { ...waited, byDay: true }),
  trades: table('trades', tradeColumns, readTrade, { byDay: true }),
  transfers: table('transfers', transferColumns, readTransfer),
  externalFlows: table('external_flows', externalFlowColumns, readExternalFlow),
  loans: table('loans', loanColumns, readLoan),
  repayments: table('repayments', repaymentColumns, readRepayment),
  interest: table('interest', interestColumns, readInterest),
  bills: table('bills', billColumns, readBill, { byDay: true }),
  conversions: table('conversions', conversionColumns, readConversion),
  marginLiquidations: table('margin_liquidations', marginLiquidationColumns, readMarginLiquidation),
  // Two settlements may share their instrument and time, so they are counted.
  fundingRates: table('funding_rates', fundingRateColumns, readFundingRate, { key: 'funding_rate_id' }),
  fundingPayments: table('funding_payments', fundingPaymentColumns, readFundingPayment, { byDay: true }),
  // A position has its number from its opening, and closes in another order: closings are counted.
  positions: table('positions', positionColumns, readPosition, { key: 'closing_id', time: 'closed_at_ms' }),
  insurance: table('insurance', insuranceColumns, readInsurance),
  rebates: table('rebates', rebateColumns, readRebate),
  triggers: table('triggers', triggerColumns, readTrigger, { ...waited, byDay: true }),
  liquidations: table('liquidations', liquidationColumns, readLiquidation),
  // A liquidation offers several.
  liquidationOffers: table('liquidation_offers', offerColumns, readOffer, { key: 'offer_id' }),
  positionMoves: table('position_moves', positionMoveColumns, readPositionMove),
  chainTransfers: table('chain_transfers', chainTransferColumns, readChainTransfer, waited),
  // An account may be sampled twice after one command.
  equity: table('equity', equityColumns, readEquity, { key: 'sample_id', goesWith: 'goes_with_ms' }),
}

/** Rows that cross after all tables, and that candles alone are made of. */
export const priceChanges = {
  place: list.length,
  names: [...originNames, ...Object.keys(priceChangeColumns)],
  columns: Object.values(priceChangeColumns),
}

/** Packs the row of an event; false if the history does not keep its kind. */
export function packEvent(packer: RowTaker, event: HistoryEvent): boolean {
  switch (event.kind) {
    case 'fill':
      return pack(packer, tables.fills, event)
    case 'trade':
      return pack(packer, tables.trades, event)
    case 'order-ended':
      return pack(packer, tables.orders, event.order)
    case 'trigger-ended':
      return pack(packer, tables.triggers, event.trigger)
    case 'transfer':
      return pack(packer, tables.transfers, event)
    case 'deposit':
    case 'withdrawal':
      return pack(packer, tables.externalFlows, event)
    case 'chain-transfer':
      return pack(packer, tables.chainTransfers, event)
    case 'loan':
      return pack(packer, tables.loans, event)
    case 'repayment':
      return pack(packer, tables.repayments, event)
    case 'interest':
      return pack(packer, tables.interest, event)
    case 'bill':
      return pack(packer, tables.bills, event)
    case 'conversion':
      return pack(packer, tables.conversions, event)
    case 'liquidation':
      for (const offer of offersOf(event)) pack(packer, tables.liquidationOffers, offer)
      return pack(packer, tables.liquidations, event)
    case 'margin-liquidation':
      return pack(packer, tables.marginLiquidations, event)
    case 'funding-settled':
      return pack(packer, tables.fundingRates, event)
    case 'funding-payment':
      return pack(packer, tables.fundingPayments, event)
    case 'position-closed':
      return pack(packer, tables.positions, event)
    case 'position-moved':
      return pack(packer, tables.positionMoves, event)
    case 'insurance':
      return pack(packer, tables.insurance, event)
    case 'rebate':
      return pack(packer, tables.rebates, event)
    case 'equity':
      return pack(packer, tables.equity, event)
    case 'prices-changed':
      packer.add(priceChanges.place, priceChanges.columns, event)
      return true
    // The record of the ended order has it.
    case 'order-accepted':
    case 'order-amended':
    case 'order-cut':
    case 'trigger-accepted':
    case 'margin-changed':
    // The record of the closed position has it in its realized PnL.
    case 'profit-realized':
    case 'margin-call':
    case 'instrument-frozen':
    case 'instrument-unfrozen':
    case 'catalog-changed':
      return false
    default:
      return unreachable(event)
  }
}

function pack<Row>(
  packer: RowTaker,
  { place, columns }: { readonly place: number; readonly columns: readonly Column<Row>[] },
  row: Row,
): true {
  packer.add(place, columns, row)
  return true
}

function unreachable(event: never): never {
  throw new Error(`an event of no known kind: ${JSON.stringify(event)}`)
}
