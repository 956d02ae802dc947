/**
 * Business types backwards: which bills and fills a word of the wire stands for.
 *
 * One truth  a dictionary says the word of a bill; asking by a word asks for every shape of bill that it says it of, so
 *            that a filter finds exactly what is shown under its word
 */
import type { BillType, FillEvent } from '../engine/protocol/event.ts'
import { orderCauses, type WalletType, walletTypes } from '../engine/vocabulary.ts'
import type { AccountBill, Answer, ReadQuery } from '../history/history.ts'

type BillKinds = NonNullable<ReadQuery<'bills'>['kinds']>

/** What decides the word of a bill. */
export interface BillShape {
  readonly type: AccountBill['type']
  /** Positive amounts come in. */
  readonly comes: 'in' | 'out'
  readonly otherWallet: WalletType | ''
  /** Undefined: not of a fill that is kept. */
  readonly fill: Pick<FillEvent, 'cause' | 'effect' | 'bookSide' | 'holdMode'> | undefined
}

export function shapeOf({ type, amount, otherWallet, fill }: Answer<'bills'>['rows'][number]): BillShape {
  return { type, comes: amount > 0n ? 'in' : 'out', otherWallet, fill }
}

const types: readonly (BillType | 'deal_in' | 'deal_out')[] = [
  'transfer_in',
  'transfer_out',
  'deposit',
  'withdrawal',
  'withdrawal_returned',
  'borrow',
  'repay',
  'interest',
  'liquidation_fee',
  'sys_exchange_in',
  'sys_exchange_out',
  'convert_in',
  'convert_out',
  'funding',
  'profit',
  'insurance',
  'append_margin',
  'reduce_margin',
  'leverage_margin',
  'auto_margin',
  'rebate',
  'deal_in',
  'deal_out',
]

const ways = ['in', 'out'] as const

function* ownShapes(): Generator<BillShape> {
  for (const type of types) {
    const isTransfer = type === 'transfer_in' || type === 'transfer_out'
    const others = isTransfer ? (['', ...walletTypes] as const) : ([''] as const)
    for (const otherWallet of others) for (const comes of ways) yield { type, comes, otherWallet, fill: undefined }
  }
}

function* fillShapes(): Generator<
  BillShape & { readonly fill: object; readonly type: 'trade' | 'deal_in' | 'deal_out' }
> {
  for (const cause of orderCauses) {
    for (const bookSide of ['buy', 'sell'] as const) {
      const spot = { cause, effect: 'spot', bookSide, holdMode: 'one_way_mode' } as const
      yield { type: 'deal_in', comes: 'in', otherWallet: '', fill: spot }
      yield { type: 'deal_out', comes: 'out', otherWallet: '', fill: spot }
      for (const effect of ['open', 'close'] as const) {
        for (const holdMode of ['one_way_mode', 'hedge_mode'] as const) {
          yield { type: 'trade', comes: 'in', otherWallet: '', fill: { cause, effect, bookSide, holdMode } }
        }
      }
    }
  }
}

/** The kinds of bills of which this holds; the word of a trade must not depend on whether it won. */
export function billKinds(holds: (shape: BillShape) => boolean): BillKinds {
  return {
    bills: [...ownShapes()].filter(holds).map(({ type, comes, otherWallet }) => ({ type, comes, otherWallet })),
    fills: [...fillShapes()].filter(holds).map(({ type, fill }) => {
      if (fill.effect !== 'spot') return { type, ...fill }
      const { holdMode: _any, ...spot } = fill
      return { type, ...spot }
    }),
  }
}
