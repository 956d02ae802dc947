/**
 * Terms of lending as the operator sends them: of a coin, and the margin levels of the venue.
 *
 * Absent   what is not named stays as it is
 * Source   design.md §6; risk-engine.md §17
 */
import type { StaticDecode } from 'typebox'
import type { CoinId } from '../../engine/catalog/catalog.ts'
import { formatDecimal, parseDecimal, type Rate, rate, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { SetLoanTerms, SetMarginLevels } from '../../engine/protocol/command.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import { body, coinName, dailyRate, field, lentAmount, optional, share, wholeNumber, word } from './fields.ts'

const leverageMost = 100

/** A margin level: a ratio that may be above 1. */
const level = field<Rate>('a decimal from 1 to 100 with at most 12 decimals', (value) => {
  const text = typeof value === 'number' ? String(value) : value
  const scaled = typeof text === 'string' ? parseDecimal(text, rateDecimals) : undefined
  const inRange = typeof scaled === 'bigint' && scaled >= 10n ** 12n && scaled <= 100n * 10n ** 12n
  return inRange ? rate(scaled) : undefined
})

export const loanTermsBody = body({
  coin: coinName,
  borrowable: optional(word(['yes', 'no'])),
  dailyInterestRate: optional(dailyRate),
  borrowLimit: optional(lentAmount),
  lendingPoolLimit: optional(lentAmount),
  maxLeverage: optional(wholeNumber(1, leverageMost)),
})

export function loanTermsCommand(coin: CoinId, sent: StaticDecode<typeof loanTermsBody>): SetLoanTerms {
  return {
    kind: 'set-loan-terms',
    coin,
    borrowable: sent.borrowable === undefined ? undefined : sent.borrowable === 'yes',
    dailyInterestRate: sent.dailyInterestRate,
    borrowLimit: sent.borrowLimit,
    lendingPoolLimit: sent.lendingPoolLimit,
    leverageMax: sent.maxLeverage,
  }
}

export const marginLevelsBody = body({
  transferLevel: optional(level),
  borrowLevel: optional(level),
  callLevel: optional(level),
  liquidationLevel: optional(level),
  liquidationFeeRate: optional(share),
})

export function marginLevelsCommand(sent: StaticDecode<typeof marginLevelsBody>): SetMarginLevels {
  return {
    kind: 'set-margin-levels',
    transfer: sent.transferLevel,
    borrow: sent.borrowLevel,
    call: sent.callLevel,
    liquidation: sent.liquidationLevel,
    liquidationFee: sent.liquidationFeeRate,
  }
}

/** The levels that are in force now. */
export function marginLevelsShown(levels: Answer<'lending'>['levels']): Record<string, string> {
  return {
    transferLevel: formatDecimal(levels.transfer, rateDecimals),
    borrowLevel: formatDecimal(levels.borrow, rateDecimals),
    callLevel: formatDecimal(levels.call, rateDecimals),
    liquidationLevel: formatDecimal(levels.liquidation, rateDecimals),
    liquidationFeeRate: formatDecimal(levels.liquidationFee, rateDecimals),
  }
}
