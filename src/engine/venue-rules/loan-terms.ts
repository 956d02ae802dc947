/**
 * Rules of the terms of lending and of margin levels.
 *
 * Levels    1 <= liquidation < call < borrow <= transfer
 * Source    risk-engine.md §17; design.md §6
 */
import type { Coin, MarginLevels } from '../catalog/catalog.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { SetLoanTerms, SetMarginLevels } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'

const leverageMost = 100

/** A tenth: for interest of a day and for the fee of a liquidation. */
const shareMost = rateOne / 10n

/** The coin whose terms change. */
export function admitLoanTerms(reading: Reading, command: SetLoanTerms): { readonly coin: Coin } | Refusal {
  const coin = reading.catalog.coins[command.coin]
  if (coin === undefined) return { kind: 'coin-unknown' }
  const fault = termsFault(command)
  if (fault !== undefined) return fault
  return { coin }
}

function termsFault({
  dailyInterestRate,
  borrowLimit,
  lendingPoolLimit,
  leverageMax,
}: SetLoanTerms): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  if (dailyInterestRate !== undefined && (dailyInterestRate < 0n || dailyInterestRate > shareMost)) {
    return fault('dailyInterestRate', 'lies between 0 and 0.1')
  }
  if (borrowLimit !== undefined && borrowLimit < 0n) return fault('borrowLimit', 'is not negative')
  if (lendingPoolLimit !== undefined && lendingPoolLimit < 0n) return fault('lendingPoolLimit', 'is not negative')
  if (
    leverageMax !== undefined &&
    !(Number.isInteger(leverageMax) && leverageMax >= 1 && leverageMax <= leverageMost)
  ) {
    return fault('maxLeverage', `lies between 1 and ${leverageMost}`)
  }
  return undefined
}

/** The new levels: those that are not named stay. */
export function admitMarginLevels(
  reading: Reading,
  command: SetMarginLevels,
): { readonly levels: MarginLevels } | Refusal {
  const { margin } = reading.settings
  const levels: MarginLevels = {
    transfer: command.transfer ?? margin.transfer,
    borrow: command.borrow ?? margin.borrow,
    call: command.call ?? margin.call,
    liquidation: command.liquidation ?? margin.liquidation,
    liquidationFee: command.liquidationFee ?? margin.liquidationFee,
  }
  const fault = levelsFault(levels)
  if (fault !== undefined) return fault
  return { levels }
}

function levelsFault({ transfer, borrow, call, liquidation, liquidationFee }: MarginLevels): Refusal | undefined {
  const fault = (field: string, rule: string): Refusal => ({ kind: 'instrument-record-wrong', field, rule })
  if (liquidation < rateOne) return fault('liquidationLevel', 'is at least 1')
  if (call <= liquidation) return fault('callLevel', 'lies above liquidationLevel')
  if (borrow <= call) return fault('borrowLevel', 'lies above callLevel')
  if (transfer < borrow) return fault('transferLevel', 'is at least borrowLevel')
  if (liquidationFee < 0n || liquidationFee > shareMost) return fault('liquidationFeeRate', 'lies between 0 and 0.1')
  return undefined
}
