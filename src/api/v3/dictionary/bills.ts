/**
 * Bills, transfers and conversions of v3, and the public records of liquidations and of the insurance fund.
 *
 * Amounts   a fee is in the amount already, and named beside it, negative when paid
 * Types     spot and margin fills by what came in and what went out; futures fills by position in hedge mode, by side in
 *           one-way mode
 * Position  `positionType`, `positionAmount` and `positionBalance` are empty: a bill is of the wallet
 * Source    wire/v3-endpoints.md §1, §4
 */
import type { Static } from 'typebox'
import type { FuturesInstrument } from '../../../engine/catalog/catalog.ts'
import { divHalfUp, formatDecimal, pow10, rateDecimals } from '../../../engine/numbers/numbers.ts'
import type { Conversion, TransferEvent } from '../../../engine/protocol/event.ts'
import type { AccountBill, LiquidationOffer } from '../../../history/history.ts'
import { type BillShape, shapeOf } from '../../bill-kinds.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { formatAmount, formatLots, formatTicks } from '../../figures.ts'
import type * as records from '../records.ts'

export function billType(shape: BillShape): string {
  const { type, comes, fill } = shape
  const way = comes === 'in' ? 'IN' : 'OUT'
  if (fill !== undefined && fill.effect !== 'spot') return tradeType(fill)
  switch (type) {
    case 'deal_in':
      return 'ORDER_DEALT_IN'
    case 'deal_out':
      return 'ORDER_DEALT_FROZEN_OUT'
    case 'deposit':
    case 'withdrawal_returned':
      return 'TRANSFER_IN'
    case 'withdrawal':
      return 'TRANSFER_OUT'
    case 'repay':
      return 'REPAYMENT'
    case 'interest':
      return 'INTEREST_SETTLEMENT_OUT'
    case 'funding':
      return `CONTRACT_MAIN_SETTLE_FEE_USER_${way}`
    case 'append_margin':
    case 'leverage_margin':
    case 'auto_margin':
      return 'INCREASE_MARGIN'
    case 'reduce_margin':
      return 'REDUCE_MARGIN'
    case 'liquidation_fee':
      return 'LIQ_FEE'
    case 'insurance':
      return `RISK_LIQ_USER_${way}`
    case 'sys_exchange_in':
    case 'sys_exchange_out':
      return `LIQ_CONVERT_USER_${way}`
    case 'convert_in':
    case 'convert_out':
      return `CONVERT_TRANSFER_${way}`
    case 'profit':
      return 'UNREALISED_PNL_IN'
    default:
      return type.toUpperCase()
  }
}

function tradeType({ cause, effect, bookSide, holdMode }: NonNullable<BillShape['fill']>): string {
  const forced = { liquidation: 'BURST', reduce: 'FORCE', offset: 'OFFSET_REDUCE', adl: 'ADL', delivery: 'DELIVERY' }
  const prefix = cause in forced ? forced[cause as keyof typeof forced] : ''
  const side = bookSide.toUpperCase()
  if (holdMode === 'one_way_mode') return prefix === '' ? `${side}_DEAL` : `${prefix}_${side}_SSM`
  if (effect === 'open') return bookSide === 'buy' ? 'OPEN_LONG' : 'OPEN_SHORT'
  const closed = bookSide === 'sell' ? 'CLOSE_LONG' : 'CLOSE_SHORT'
  return prefix === '' ? closed : `${prefix}_${closed}`
}

export function financialRecord(bill: AccountBill, catalog: CatalogIndex): Static<typeof records.FinancialRecord> {
  return {
    // The reference spells this one so.
    category: bill.category === 'MARGIN' ? 'Margin' : bill.category,
    id: String(bill.id),
    symbol: bill.instrument === undefined ? '' : catalog.instrument(bill.instrument).symbol,
    coin: catalog.coinName(bill.coin),
    type: billType(shapeOf(bill)),
    amount: formatAmount(bill.amount),
    fee: formatAmount(0n - bill.fee),
    balance: formatAmount(bill.balance),
    ts: String(bill.at),
    positionType: '',
    positionAmount: '',
    positionBalance: '',
  }
}

const fundingGroups: Partial<Record<AccountBill['type'], readonly [group: string, type: string]>> = {
  transfer_in: ['transfer', 'transfer_in'],
  transfer_out: ['transfer', 'transfer_out'],
  deposit: ['deposit', 'deposit'],
  withdrawal: ['withdraw', 'withdraw'],
  withdrawal_returned: ['withdraw', 'withdraw'],
  rebate: ['broker', 'rebate_rewards'],
  convert_in: ['convert', 'convert_in'],
  convert_out: ['convert', 'convert_out'],
  deal_in: ['transaction', 'deal_in'],
  deal_out: ['transaction', 'deal_out'],
}

/** The funding wallet only takes money in and gives it out; it traded while the account was a classic one. */
export function fundingBill(bill: AccountBill, catalog: CatalogIndex): Static<typeof records.FundingRecord> {
  const [groupType, type] = fundingGroups[bill.type] ?? ['other', bill.type]
  return {
    id: String(bill.id),
    coin: catalog.coinName(bill.coin),
    groupType,
    type,
    amount: formatAmount(bill.amount),
    balance: formatAmount(bill.balance),
    ts: String(bill.at),
  }
}

/** A transfer is done when it is answered. */
export function familyTransfer(transfer: TransferEvent, catalog: CatalogIndex): Static<typeof records.FamilyTransfer> {
  return {
    transferId: String(transfer.transferId),
    oldTransferId: String(transfer.transferId),
    fromType: transfer.fromWallet,
    toType: transfer.toWallet,
    amount: formatAmount(transfer.amount),
    coin: catalog.coinName(transfer.coin),
    fromUserId: String(transfer.fromUid),
    toUserId: String(transfer.toUid),
    status: 'Successful',
    clientOid: transfer.clientOid,
    createdTime: String(transfer.at),
    updatedTime: String(transfer.at),
  }
}

/** The price is that of the quote. Without one it is what a unit that was given brought in, half-up at eight decimals. */
export function convertRecord(conversion: Conversion, catalog: CatalogIndex): Static<typeof records.ConvertRecord> {
  const { fromAmount, toAmount } = conversion
  return {
    fromCoin: catalog.coinName(conversion.fromCoin),
    fromCoinSize: formatAmount(fromAmount),
    toCoin: catalog.coinName(conversion.toCoin),
    toCoinSize: formatAmount(toAmount),
    price:
      conversion.price === undefined
        ? formatDecimal(divHalfUp(toAmount * pow10(8), fromAmount), 8)
        : formatDecimal(conversion.price, rateDecimals),
    ts: String(conversion.at),
  }
}

/** The side is that of the order: a long is sold. */
export function liquidationRecord(
  offer: Pick<LiquidationOffer, 'instrument' | 'side' | 'price' | 'quantity' | 'at'>,
  catalog: CatalogIndex,
): Static<typeof records.LiquidationRecord> {
  const instrument = catalog.instrument(offer.instrument) as FuturesInstrument
  return {
    symbol: instrument.symbol,
    side: offer.side === 'long' ? 'buy' : 'sell',
    price: formatTicks(offer.price, instrument),
    amount: formatLots(offer.quantity, instrument),
    ts: String(offer.at),
  }
}
