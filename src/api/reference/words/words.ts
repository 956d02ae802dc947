/**
 * What a field of an answer means, by its name, and where a name means different things by the call.
 *
 *   orders.ts  orders, fills, triggers, positions    markets.ts  instruments, prices, rates    accounts.ts  money, margin, keys
 *
 * Whole  every field of every answer has words (test/api/reference.test.ts)
 */
import { accountWords } from './accounts.ts'
import { marketWords } from './markets.ts'
import { orderWords } from './orders.ts'

type Words = Readonly<Record<string, string>>

/** Of calls whose path fits; the first that has the name. */
const byCall: readonly (readonly [path: RegExp, words: Words])[] = [
  [
    /\/position\/(current-position|single-position|all-position)$/,
    {
      available: 'Quantity that can be closed: what no closing order holds',
      locked: 'Quantity that closing orders hold',
      frozen: 'Quantity that closing orders hold',
      size: 'Size of the position',
    },
  ],
  [
    /\/v3\/trade\/(order-info|unfilled-orders|history-orders)$/,
    {
      amount: 'Amount in the quote coin, of a market buy; else empty',
      fee: 'Fees so far; negative where they are paid',
    },
  ],
  [/\/v3\/trade\/fills$/, { fee: 'Fee of the coin; negative where it is paid' }],
  [
    /-strategy-orders$/,
    { type: 'Kind of the trigger order: trigger, tpsl or trailing', status: 'Where the trigger order stands' },
  ],
  [
    /\/v2\/(mix|spot|margin\/crossed)\/(order|trade)\/.*|\/v2\/margin\/crossed\/(open-orders|history-orders|fills)$/,
    {
      amount: 'Value in the quote coin',
      size: 'Quantity that was asked for or filled, in the base coin; of a spot market buy the quote amount',
      status: 'live, partially_filled, filled or cancelled; of a trigger order where it stands',
      fee: 'Fees so far; negative where they are paid',
      type: 'Kind of the order that the trigger placed',
      totalFee: 'Fee; negative where it is paid',
      result: 'success or failure',
      userId: 'Number of the account',
    },
  ],
  [
    /\/convert\/|\/convert-records$/,
    {
      price: 'Price of the conversion',
      fee: 'Fee of the conversion; it is in the price: 0',
      status: 'Where the conversion stands',
      available: 'What of the coin can be converted',
      maxAmount: 'Most that one conversion takes, in the coin',
      minAmount: 'Least that one conversion takes, in the coin',
    },
  ],
  [
    /\/market\/instruments$/,
    {
      type: 'perpetual or delivery',
      status: 'online while it is traded; limit_open, limit_close, restrictedAPI or offline otherwise',
    },
  ],
  [
    /\/public\/symbols$|\/margin\/currencies$/,
    { status: 'online while it is traded; halt, gray or offline otherwise' },
  ],
  [
    /\/market\/(fills|fills-history)$/,
    { size: 'Quantity of the trade, in the base coin', price: 'Price of the trade' },
  ],
  [/\/market\/symbol-price$/, { price: 'Price of the last trade' }],
  [
    /\/market\/liquidations$/,
    {
      amount: 'Quantity that was liquidated, in the base coin',
      price: 'Price at which it was liquidated',
      side: 'buy closed a short, sell closed a long',
    },
  ],
  [
    /\/market\/open-interest$/,
    { size: 'Open interest: what is held long, which is what is held short, in the base coin' },
  ],
  [
    /\/market\/risk-reserve/,
    {
      amount: 'What the fund got or paid (negative)',
      balance: 'Balance of the insurance fund',
      type: 'What moved the fund',
    },
  ],
  [/\/public\/coins$/, { transfer: 'Whether the coin can be moved between wallets' }],
  [
    /^\/terminal\/equity$/,
    {
      ts: 'When it was worth that, Unix milliseconds',
      equity: 'What all wallets with their open positions were worth, less debts, in USDT at index prices',
      moved: 'Moved into the account since the point before, less what was moved out of it, in USDT',
    },
  ],
  [/\/open-count$/, { size: 'Quantity that can be opened, in the base coin' }],
  [
    /\/(deposit-records|sub-deposit-records|withdrawal-records|subaccount-deposit-records)$/,
    {
      type: 'deposit or withdraw',
      status: 'pending, success or fail',
      size: 'Amount, in the coin',
      fee: 'Fee of the network, in the coin',
      chain: 'Network',
    },
  ],
  [/\/withdraw-address$/, { type: 'Kind of the recipient' }],
  [
    /\/(financial-records|funding-financial-records)$/,
    { type: 'What moved the money', fee: 'Fee; negative where it was paid' },
  ],
  [
    /\/(bills|bill)$/,
    { size: 'Amount of the bill; negative where it went out', fee: 'Fee of the bill; negative where it was paid' },
  ],
  [
    /transfer/i,
    {
      status: 'Successful, Failed or Processing',
      size: 'Amount, in the coin',
      amount: 'Amount, in the coin',
      list: 'Transfers, newest first',
    },
  ],
  [/\/user\/sub-list$/, { type: 'Kind of the sub-account', status: 'normal or freeze' }],
  [/\/user\/(create-sub-api|update-sub-api|sub-api-list)$/, { type: 'read_only, or read_write' }],
  [/\/user\//, { status: 'normal or freeze', result: 'success or failure' }],
  [/\/(repayable-coins|payment-coins)$/, { amount: 'Worth in USD', size: 'Amount, in the coin' }],
  [/\/switch-status$/, { status: 'Where the change of the account mode stands: processing, success or fail' }],
  [/\/query-flash-repay-status$/, { status: 'Whether the repayment was made: finish, handle or error' }],
  [/\/account\/repay$/, { result: 'Whether it was paid: YES or NO' }],
  [
    /\/move-position/,
    { price: 'Price that the position moved at', status: 'Where it stands: processing, success or fail' },
  ],
  [/\/sub-main-trans-record$/, { status: 'Successful, Failed or Processing' }],
]

const tables: readonly Words[] = [orderWords, marketWords, accountWords]

const candle = ['When it begins, Unix milliseconds', 'First price', 'Highest price', 'Lowest price', 'Last price']
const volumes = ['Quantity, in the base coin', 'Value, in the quote coin']

/** Of lists whose places are what they mean, by their length: levels of a book, and candles. */
export const placeWords: Readonly<Record<number, readonly string[]>> = {
  2: ['Price', 'Quantity'],
  7: [...candle, ...volumes],
  8: [...candle, ...volumes, 'Value, in USDT'],
}

/** Undefined: it has no words. `path` is the call's, such as `/api/v3/market/tickers`. */
export function wordsOf(path: string, field: string): string | undefined {
  for (const [paths, words] of byCall) {
    if (words[field] !== undefined && paths.test(path)) return words[field]
  }
  return tables.find((words) => Object.hasOwn(words, field))?.[field]
}
