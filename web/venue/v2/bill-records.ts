/** Bills of a classic account, as each of its wallets tells them. */
import { units, unitsText } from '../../numbers/decimal.ts'
import type { Bill } from '../bills.ts'

export interface SpotBillRecord {
  readonly billId: string
  readonly coin: string
  readonly businessType: string
  readonly size: string
  readonly fees: string
  readonly balance: string
  readonly cTime: string
}

export function spotBillOf({ billId, coin, businessType, size, fees, balance, cTime }: SpotBillRecord): Bill {
  return {
    id: billId,
    symbol: '',
    coin,
    type: businessType,
    amount: size,
    fee: fees,
    change: size,
    balance,
    at: Number(cTime),
  }
}

export interface MixBillRecord {
  readonly billId: string
  readonly symbol: string
  readonly coin: string
  readonly businessType: string
  readonly amount: string
  readonly fee: string
  readonly balance: string
  readonly cTime: string
}

export function mixBillOf({ billId, businessType, cTime, symbol, coin, amount, fee, balance }: MixBillRecord): Bill {
  const change = unitsText(units(amount) + units(fee))
  return { id: billId, symbol, coin, type: businessType, amount, fee, change, balance, at: Number(cTime) }
}

export interface MarginBillRecord {
  readonly marginId: string
  readonly symbol?: string
  readonly coin: string
  readonly marginType: string
  readonly amount: string
  readonly fee: string
  readonly balance: string
  readonly cTime: string
}

export function marginBillOf({
  marginId,
  marginType,
  cTime,
  symbol,
  coin,
  amount,
  fee,
  balance,
}: MarginBillRecord): Bill {
  // It alone tells fees positive when they were paid.
  const paid = unitsText(-units(fee))
  return {
    id: marginId,
    symbol: symbol ?? '',
    coin,
    type: marginType,
    amount,
    fee: paid,
    change: amount,
    balance,
    at: Number(cTime),
  }
}
