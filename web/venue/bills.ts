/**
 * Bills: every change of a balance, with the balance after it. What moved it is told in words, by what the type of the wire begins
 * and ends with.
 *
 * Source  interface.md E13; docs/interface.md (business types)
 */
import type { Category } from './categories.ts'
import type { Cause } from './causes.ts'
import { type Messages, t } from '../words/words.ts'

/** `OTHER`: what belongs to no product, such as transfers. */
export type BillCategory = Category | 'OTHER'

export interface Bill {
  readonly id: string
  readonly symbol: string
  readonly coin: string
  /** As the wire has it. */
  readonly type: string
  /** Negative: it went out. */
  readonly amount: string
  /** Negative: it was paid. */
  readonly fee: string
  /** Of the balance, with the fee in it. */
  readonly change: string
  readonly balance: string
  readonly at: number
}

type BillKind = keyof Messages['bills']['kinds']

/** The first that fits counts. */
const kinds: readonly (readonly [type: RegExp, kind: BillKind, cause?: Cause | 'funding'])[] = [
  [/settle_fee/, 'funding', 'funding'],
  [/^burst/, 'liquidation', 'liquidation'],
  [/^(dte_sys_)?adl/, 'adl', 'adl'],
  [/^(force|reduce)_(close|buy|sell)/, 'reduce', 'reduce'],
  [/^offset/, 'offset', 'offset'],
  [/^delivery/, 'delivery', 'delivery'],
  [/^liq_fee|liquidation_fee/, 'liquidationFee', 'liquidation'],
  [/^risk_liq/, 'insurance', 'liquidation'],
  [/^liq_convert|sys_exchange/, 'sold', 'liquidation'],
  [/^open/, 'open'],
  [/^close/, 'close'],
  [/^(buy|order_dealt_in|deal_in)/, 'bought'],
  [/^(sell|order_dealt|deal_out)/, 'soldPair'],
  [/increase_margin|append_margin|adjust_down/, 'marginAdded'],
  [/reduce_margin/, 'marginTaken'],
  [/interest/, 'interest'],
  [/^borrow/, 'borrowed'],
  [/^repay/, 'repaid'],
  [/convert/, 'converted'],
  [/^deposit/, 'deposit'],
  [/^withdraw/, 'withdrawal'],
  [/(transfer_in|trans_from|in)$|^trans_from/, 'transferIn'],
  [/(transfer_out|trans_to|out)$|^trans_to/, 'transferOut'],
  [/rebate/, 'rebate'],
]

/** Undefined: a type that is not known. */
function kindOf(type: string): (typeof kinds)[number] | undefined {
  return kinds.find(([pattern]) => pattern.test(type.toLowerCase()))
}

/** What moved the money, and which explanation goes with it. A type that is not known is shown as it is, without its dashes. */
export function billTold(type: string): { readonly text: string; readonly cause: Cause | 'funding' | undefined } {
  const [, kind, cause] = kindOf(type) ?? []
  return { text: kind === undefined ? type.toLowerCase().replaceAll('_', ' ') : t.bills.kinds[kind], cause }
}

const flows: readonly (BillKind | undefined)[] = ['deposit', 'withdrawal', 'transferIn', 'transferOut']
const inside: readonly (BillKind | undefined)[] = ['borrowed', 'repaid', 'marginAdded', 'marginTaken']

/** What a bill does to the equity: moved in or out, funding, nothing at all, or the outcome of trading. */
export function moveOf(type: string): 'flow' | 'funding' | 'inside' | 'trading' {
  const [, kind, cause] = kindOf(type) ?? []
  if (cause === 'funding') return 'funding'
  return flows.includes(kind) ? 'flow' : inside.includes(kind) ? 'inside' : 'trading'
}
