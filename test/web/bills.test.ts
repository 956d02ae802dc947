/**
 * What a bill is called, by its type on the wire: v2 in small letters, v3 in capitals.
 * Source  docs/interface.md, business types
 */
import { expect, test } from 'vitest'
import { billTold } from '../../web/venue/bills.ts'

test.each([
  ['contract_settle_fee', 'Funding', 'funding'],
  ['CONTRACT_MAIN_SETTLE_FEE_USER_OUT', 'Funding', 'funding'],
  ['burst_long_loss_query', 'Liquidation', 'liquidation'],
  ['BURST_SELL_SSM', 'Liquidation', 'liquidation'],
  ['force_close_long', 'Partial liquidation', 'reduce'],
  ['FORCE_CLOSE_SHORT', 'Partial liquidation', 'reduce'],
  ['OFFSET_REDUCE_CLOSE_LONG', 'Offset of long and short', 'offset'],
  ['ADL_BUY_SSM', 'Auto-deleveraging', 'adl'],
  ['delivery_long', 'Delivery', 'delivery'],
  ['LIQ_FEE', 'Liquidation fee', 'liquidation'],
  ['RISK_LIQ_USER_IN', 'Insurance fund', 'liquidation'],
  ['LIQ_CONVERT_USER_OUT', 'Sold to pay a debt', 'liquidation'],
  ['open_long', 'Opened a position', undefined],
  ['CLOSE_SHORT', 'Closed a position', undefined],
  ['buy', 'Bought', undefined],
  ['ORDER_DEALT_IN', 'Bought', undefined],
  ['SELL_DEAL', 'Sold', undefined],
  ['ORDER_DEALT_FROZEN_OUT', 'Sold', undefined],
  ['INCREASE_MARGIN', 'Margin added', undefined],
  ['INTEREST_SETTLEMENT_OUT', 'Interest', undefined],
  ['REPAYMENT', 'Repaid', undefined],
  ['CONVERT_TRANSFER_IN', 'Converted', undefined],
  ['TRANSFER_IN', 'Transfer in', undefined],
  ['trans_from_exchange', 'Transfer in', undefined],
  ['trans_to_exchange', 'Transfer out', undefined],
  ['withdraw', 'Withdrawal', undefined],
  ['something_new_yet', 'something new yet', undefined],
])('%s: %s', (type, text, cause) => {
  expect(billTold(type)).toEqual({ text, cause })
})
