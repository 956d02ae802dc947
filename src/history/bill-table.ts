/**
 * Bills as a table, and the bills that fills are: what changed a wallet's balance, with the balance after it.
 *
 * Fills     are kept once: a bill of a fill is read from its row, one of a spot fill's two coins under the number after
 *           the fill's. All numbers are of one row, so that bills and fills lie in one order
 * Before    of fills of earlier releases nobody noted the balance: they are no bills
 */
import type { Category, CoinId, InstrumentId } from '../engine/catalog/catalog.ts'
import { type Amount, amount, type Millis, zero } from '../engine/numbers/numbers.ts'
import type { Bill, BillType, FillEvent } from '../engine/protocol/event.ts'
import type { WalletType } from '../engine/vocabulary.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

/** `trade`: a fill of a contract; of a spot fill what came in, and what went out. */
export type DealType = 'trade' | 'deal_in' | 'deal_out'

/** One change of a wallet's balance. */
export interface AccountBill {
  readonly id: number
  readonly uid: number
  readonly wallet: WalletType
  readonly coin: CoinId
  readonly type: BillType | DealType
  readonly category: Category | 'OTHER'
  /** Positive: came in. A fee is in it already. */
  readonly amount: Amount
  readonly fee: Amount
  readonly balance: Amount
  readonly instrument: InstrumentId | undefined
  readonly otherWallet: WalletType | ''
  /** Undefined: not of one that is kept. */
  readonly fill: FillEvent | undefined
  readonly at: Millis
}

/** What stands for the balance of a row whose balance nobody noted. */
export const balanceUnknown = -(2n ** 63n - 1n)

const bill = columnKinds<Bill>()

export const billColumns = {
  bill_id: bill.number((row) => row.id),
  uid: bill.owner((row) => row.uid),
  wallet: bill.word((row) => row.wallet),
  coin_id: bill.number((row) => row.coin),
  // Rows of earlier releases have deals of margin trading here.
  type: bill.word<BillType | 'deal_in' | 'deal_out'>((row) => row.type),
  category: bill.word((row) => row.category),
  amount_e8: bill.money((row) => row.amount),
  fee_e8: bill.money((row) => row.fee),
  balance_e8: bill.money((row) => row.balance),
  instrument_id: bill.optional((row) => row.instrument),
  other_wallet: bill.word((row) => row.otherWallet),
  at_ms: bill.number((row) => row.at),
}

export function readBill(cells: CellsOf<typeof billColumns>): AccountBill {
  return {
    id: whole(cells.bill_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    type: cells.type,
    category: cells.category,
    amount: amount(BigInt(cells.amount_e8)),
    fee: amount(BigInt(cells.fee_e8)),
    balance: amount(BigInt(cells.balance_e8)),
    instrument: cells.instrument_id === null ? undefined : whole(cells.instrument_id),
    otherWallet: cells.other_wallet,
    fill: undefined,
    at: whole(cells.at_ms),
  }
}

/** `received`: in the coin of the fee; `paid`: in the other coin of a spot fill. */
export type BillPart = 'received' | 'paid'

/** One of the bills that a fill is. */
export function billOfFill(fill: FillEvent, part: BillPart): AccountBill {
  return part === 'paid' ? billPaid(fill) : billReceived(fill)
}

/** How far the number of such a bill is behind that of its fill. */
export const billsBehind: Readonly<Record<BillPart, number>> = { received: 0, paid: 1 }

/** The newest bills of several lists. Each is newest first, and has one more than the limit if it goes on. */
export function pageOfBills(lists: readonly (readonly AccountBill[])[], limit: number) {
  const newest = lists.flat().sort((a, b) => b.id - a.id)
  const rows = newest.slice(0, limit)
  const last = rows.at(-1)?.id
  return { rows, next: newest.length > rows.length ? last : undefined, last }
}

/** What a fill did to the wallet in the coin of its fee: profit of a contract, what was bought or sold for on spot. */
function billReceived(fill: FillEvent): AccountBill {
  const { execId, feeCoin, fee, realizedPnl, paidCoin, notional, baseAmount, balance } = fill
  const received = paidCoin === undefined ? realizedPnl : fill.bookSide === 'buy' ? baseAmount : notional
  const type = paidCoin === undefined ? 'trade' : 'deal_in'
  return { ...shared(fill), id: execId, coin: feeCoin, type, amount: amount(received - fee), fee, balance }
}

/** What a spot fill gave away. */
function billPaid(fill: FillEvent): AccountBill {
  const { execId, paidCoin = 0, notional, baseAmount, paidBalance } = fill
  const paid = amount(fill.bookSide === 'buy' ? -notional : -baseAmount)
  return {
    ...shared(fill),
    id: execId + billsBehind.paid,
    coin: paidCoin,
    type: 'deal_out',
    amount: paid,
    fee: zero,
    balance: paidBalance,
  }
}

function shared(fill: FillEvent) {
  const { uid, wallet, category, instrument, at } = fill
  return { uid, wallet, category, instrument, otherWallet: '', fill, at } as const
}
