/**
 * Terms of lending, as the operator sets them: by coin, and the margin levels of the venue.
 *
 * Rate      a new one applies from the next hour of each loan: hours that have begun are booked at the old one first
 * Limits    below what is owed or lent already stop new loans only
 * Levels    1 <= liquidation < call < borrow <= transfer; everybody with debt is looked at again
 * Source    risk-engine.md §17; design.md §6
 */
import type { MarginLevels } from '../catalog/catalog.ts'
import { bookCoin, noteAllDebtors } from '../loans/loans.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { SetLoanTerms, SetMarginLevels } from '../protocol/command.ts'
import { done, type Refusal, refused, type Reply } from '../protocol/reply.ts'
import type { Venue } from '../state/state.ts'

const leverageMost = 100
/** A tenth: for interest of a day and for the fee of a liquidation. */
const shareMost = rateOne / 10n

export function setLoanTerms(venue: Venue, command: SetLoanTerms): Reply {
  const coin = venue.catalog.coins[command.coin]
  if (coin === undefined) return refused({ kind: 'coin-unknown' })
  const fault = termsFault(command)
  if (fault !== undefined) return refused(fault)

  bookCoin(venue, coin.id)
  const changed = {
    ...coin,
    borrowable: command.borrowable ?? coin.borrowable,
    dailyInterestRate: command.dailyInterestRate ?? coin.dailyInterestRate,
    borrowLimit: command.borrowLimit ?? coin.borrowLimit,
    lendingPoolLimit: command.lendingPoolLimit ?? coin.lendingPoolLimit,
    marginLeverageMax: command.leverageMax ?? coin.marginLeverageMax,
  }
  const { catalog } = venue
  const coins = catalog.coins.map((one) => (one.id === coin.id ? changed : one))
  venue.catalog = { ...catalog, version: catalog.version + 1, coins }
  venue.emit({ kind: 'catalog-changed' })
  return done
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

export function setMarginLevels(venue: Venue, command: SetMarginLevels): Reply {
  const { margin } = venue.settings
  const levels: MarginLevels = {
    transfer: command.transfer ?? margin.transfer,
    borrow: command.borrow ?? margin.borrow,
    call: command.call ?? margin.call,
    liquidation: command.liquidation ?? margin.liquidation,
    liquidationFee: command.liquidationFee ?? margin.liquidationFee,
  }
  const fault = levelsFault(levels)
  if (fault !== undefined) return refused(fault)

  venue.settings.margin = levels
  noteAllDebtors(venue)
  return done
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
