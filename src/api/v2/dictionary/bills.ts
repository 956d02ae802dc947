/**
 * Bills of v2: business types, and the records of spot and futures accounts.
 *
 * Amounts  spot: a fee is in the size already, and named beside it · futures: profit and fee stand apart, and both change
 *          the balance; fees are negative when paid
 * Futures  fills are named by position in hedge mode, by side in one-way mode; `unknown` is profit of an open position
 *          that paid for what the account lacked
 * Source   wire/client-endpoints.md §4
 */
import type { Catalog } from '../../../engine/catalog/catalog.ts'
import type { BillType } from '../../../engine/protocol/event.ts'
import type { OrderCause, WalletType } from '../../../engine/vocabulary.ts'
import type { AccountBill } from '../../../history/history.ts'
import { type BillShape, shapeOf } from '../../bill-kinds.ts'
import type * as records from '../records.ts'
import { amountText, coinName, feeText } from './figures.ts'

/** The filters take these; what the venue never makes matches nothing. */
export const spotGroups = [
  'deposit',
  'withdraw',
  'transaction',
  'transfer',
  'loan',
  'financial',
  'fait',
  'convert',
  'c2c',
  'pre_c2c',
  'on_chain',
  'strategy',
  'other',
] as const
type SpotGroup = (typeof spotGroups)[number]

export const spotBusinessTypes = [
  'deposit',
  'withdraw',
  'buy',
  'sell',
  'deduction_handling_fee',
  'transfer_in',
  'transfer_out',
  'rebate_rewards',
  'airdrop_rewards',
  'usdt_contract_rewards',
  'mix_contract_rewards',
  'system_lock',
  'user_lock',
  'strategy_transfer_in',
  'borrow',
  'repay',
  'interest',
  'liquidation_fee',
  'sys_exchange_in',
  'sys_exchange_out',
  'convert_in',
  'convert_out',
] as const
type SpotBusinessType = (typeof spotBusinessTypes)[number]

interface SpotWords {
  readonly groupType: SpotGroup
  readonly businessType: SpotBusinessType | AccountBill['type']
}

const spotWordsOf = {
  transfer_in: { groupType: 'transfer', businessType: 'transfer_in' },
  transfer_out: { groupType: 'transfer', businessType: 'transfer_out' },
  deposit: { groupType: 'deposit', businessType: 'deposit' },
  withdrawal: { groupType: 'withdraw', businessType: 'withdraw' },
  withdrawal_returned: { groupType: 'withdraw', businessType: 'withdraw' },
  borrow: { groupType: 'loan', businessType: 'borrow' },
  repay: { groupType: 'loan', businessType: 'repay' },
  interest: { groupType: 'loan', businessType: 'interest' },
  liquidation_fee: { groupType: 'other', businessType: 'liquidation_fee' },
  sys_exchange_in: { groupType: 'convert', businessType: 'sys_exchange_in' },
  sys_exchange_out: { groupType: 'convert', businessType: 'sys_exchange_out' },
  convert_in: { groupType: 'convert', businessType: 'convert_in' },
  convert_out: { groupType: 'convert', businessType: 'convert_out' },
  rebate: { groupType: 'other', businessType: 'rebate_rewards' },
} as const satisfies Partial<Record<BillType, SpotWords>>

export function spotBillWords({ type, fill }: BillShape): SpotWords {
  if (type === 'deal_in' || type === 'deal_out') {
    return { groupType: 'transaction', businessType: fill?.bookSide ?? (type === 'deal_in' ? 'buy' : 'sell') }
  }
  return type in spotWordsOf
    ? spotWordsOf[type as keyof typeof spotWordsOf]
    : { groupType: 'other', businessType: type }
}

export function spotBill(catalog: Catalog, bill: AccountBill): records.SpotBill {
  return {
    cTime: String(bill.at),
    coin: coinName(catalog, bill.coin),
    ...spotBillWords(shapeOf(bill)),
    size: amountText(bill.amount),
    balance: amountText(bill.balance),
    fees: feeText(bill.fee),
    billId: String(bill.id),
  }
}

export const mixBusinessTypes = [
  'unknown',
  'trans_from_exchange',
  'trans_to_exchange',
  'open_long',
  'open_short',
  'close_long',
  'close_short',
  'force_close_long',
  'force_close_short',
  'contract_settle_fee',
  'append_margin',
  'adjust_down_lever_append_margin',
  'reduce_margin',
  'auto_append_margin',
  'cash_gift_issue',
  'cash_gift_recycle',
  'tracking_follow_pay',
  'tracking_follow_back',
  'tracking_trader_income',
  'burst_long_loss_query',
  'burst_short_loss_query',
  'trans_from_contract',
  'trans_to_contract',
  'trans_from_otc',
  'trans_to_otc',
  'buy',
  'sell',
  'force_buy',
  'force_sell',
  'burst_buy',
  'burst_sell',
  'bonus_issue',
  'bonus_recycle',
  'bonus_expired',
  'delivery_long',
  'delivery_short',
  'trans_from_cross',
  'trans_to_cross',
  'trans_from_isolated',
  'trans_to_isolated',
  // As the reference spells it.
  'risk_captital_user_transfer',
  'user_exchange_buy',
  'user_exchange_sell',
  'settle_interest',
  'adl_close_long',
  'adl_close_short',
  'adl_buy_in_single_side_mode',
  'adl_sell_in_single_side_mode',
] as const
export type MixBusinessType = (typeof mixBusinessTypes)[number]

/** Moves between a wallet and its own isolated positions. */
export const marginMoves: readonly MixBusinessType[] = [
  'append_margin',
  'adjust_down_lever_append_margin',
  'reduce_margin',
  'auto_append_margin',
]

const otherAccounts = {
  '': 'exchange',
  spot: 'exchange',
  uta: 'exchange',
  p2p: 'otc',
  crossed_margin: 'cross',
  usdt_futures: 'contract',
  coin_futures: 'contract',
  usdc_futures: 'contract',
} as const satisfies Record<WalletType | '', string>

export function mixBillWord(shape: BillShape): MixBusinessType {
  const { type, otherWallet, fill } = shape
  if (fill !== undefined) return tradeWord(fill)
  switch (type) {
    case 'transfer_in':
    case 'deposit':
    case 'withdrawal_returned':
      return `trans_from_${otherAccounts[otherWallet]}`
    case 'transfer_out':
    case 'withdrawal':
      return `trans_to_${otherAccounts[otherWallet]}`
    case 'funding':
      return 'contract_settle_fee'
    case 'append_margin':
    case 'reduce_margin':
      return type
    case 'leverage_margin':
      return 'adjust_down_lever_append_margin'
    case 'auto_margin':
      return 'auto_append_margin'
    case 'insurance':
      return 'risk_captital_user_transfer'
    default:
      return 'unknown'
  }
}

type FillShape = NonNullable<BillShape['fill']>

function tradeWord({ cause, effect, bookSide, holdMode }: FillShape): MixBusinessType {
  // A sell closes a long.
  const closed = bookSide === 'sell' ? 'long' : 'short'
  if (cause === 'delivery') return `delivery_${closed}`
  if (holdMode === 'one_way_mode') {
    if (cause === 'adl') return `adl_${bookSide}_in_single_side_mode`
    if (cause === 'liquidation') return `burst_${bookSide}`
    return isReducing(cause) ? `force_${bookSide}` : bookSide
  }
  if (effect === 'open') return bookSide === 'buy' ? 'open_long' : 'open_short'
  if (cause === 'adl') return `adl_close_${closed}`
  if (cause === 'liquidation') return `burst_${closed}_loss_query`
  return isReducing(cause) ? `force_close_${closed}` : `close_${closed}`
}

function isReducing(cause: OrderCause): boolean {
  return cause === 'reduce' || cause === 'offset'
}

export function mixBill(catalog: Catalog, bill: AccountBill): records.MixBill {
  return {
    billId: String(bill.id),
    symbol: bill.instrument === undefined ? '' : (catalog.instruments[bill.instrument]?.symbol ?? ''),
    amount: amountText(bill.amount + bill.fee),
    fee: feeText(bill.fee),
    feeByCoupon: '',
    businessType: mixBillWord(shapeOf(bill)),
    coin: coinName(catalog, bill.coin),
    balance: amountText(bill.balance),
    cTime: String(bill.at),
  }
}
