/**
 * What accounts may change of themselves, and move: decided here, written by accounts/. The room's door.
 *
 * account-changes    made, and what they become       mode-change        what an account may not have when its mode changes
 * leverage           what a leverage needs            futures-modes      when margin mode and hold mode may change
 * position-margin    of isolated positions, by hand   position-transfer  a position to another account of the family
 * transfers          what may leave a wallet          collateral         which coins may back a unified account
 * borrowing          a coin borrowed and repaid       debt-repayment     which debts, paid with what
 * deposits           which are sent, and where to      withdrawals        which are made, canceled or refused
 * Source             interface.md E6, E9, E11, E12; design.md §3, §4.14, §4.16, §4.36
 */
export {
  accountMeant,
  admitAccount,
  admitBinding,
  admitBroker,
  admitCopyTrader,
  admitSubAccount,
  subAccountMeant,
} from './account-changes.ts'
export { admitLoan, admitRepayment } from './borrowing.ts'
export { admitCollateral } from './collateral.ts'
export { admitConversion, admitQuote, conversionRange, isConvertible } from './conversions.ts'
export {
  debtIn,
  type Debtor,
  debtsToFlashRepay,
  debtsToRepay,
  netOf,
  orderOf,
  pairOf,
  worthOf,
} from './debt-repayment.ts'
export { admitDeposit, admitDepositWallet, depositWallet } from './deposits.ts'
export { admitHoldMode, admitMarginMode } from './futures-modes.ts'
export {
  admitAllLeverage,
  admitLeverage,
  admitSideLeverages,
  holdOf,
  isolatedChange,
  type LeverageChange,
  leverageNeed,
  type LeverageWish,
  meantPositions,
  openingRows,
  type Wish,
} from './leverage.ts'
export { admitModeChange } from './mode-change.ts'
export { admitAutoMargin, admitPositionMargin } from './position-margin.ts'
export { planMove } from './position-transfer.ts'
export { admitExternalFlow, admitTransfer, isRemembered, refuseHouseFunds, transferable } from './transfers.ts'
export {
  admitWithdrawal,
  type WithdrawalPlan,
  withdrawalToCancel,
  withdrawalToReject,
  withdrawnToday,
} from './withdrawals.ts'
