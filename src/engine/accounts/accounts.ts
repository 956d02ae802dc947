/**
 * Accounts: made, changed, and what they move. The room's door.
 *
 * account-changes  made, modes, brokers            sub-accounts       as their main account rules them
 * leverage         of contracts                    futures-modes      margin mode and hold mode
 * coin-leverage    of borrowing                    collateral         which coins back a unified account
 * position-margin  of isolated positions           transfers          money from outside and between wallets
 * borrowing        a coin borrowed and repaid      debt-repayment     debts paid with other coins
 * chain-transfers  deposits and withdrawals on their way
 * position-transfer  a position to another account of the family
 * Source           design.md §3, §4.14, §4.16, §4.22, §4.36
 */
export {
  bindAccount,
  createAccount,
  finishModeChange,
  freezeAccount,
  setAccountMode,
  setBroker,
  setCopyTrader,
  setStpMode,
} from './account-changes.ts'
export { borrow, repay } from './borrowing.ts'
export {
  advanceChainTransfer,
  cancelWithdrawal,
  rejectWithdrawal,
  requestWithdrawal,
  sendDeposit,
  setDepositWallet,
} from './chain-transfers.ts'
export { setCoinLeverage } from './coin-leverage.ts'
export { setCollateralType } from './collateral.ts'
export { convertCoins, quoteConversion } from './conversions.ts'
export { flashRepay, repayDebts } from './debt-repayment.ts'
export { setHoldMode, setMarginMode } from './futures-modes.ts'
export { setAllLeverage, setLeverage, setSideLeverages } from './leverage.ts'
export { setAutoMargin, setPositionMargin } from './position-margin.ts'
export { movePosition } from './position-transfer.ts'
export { createSubAccount, setSubAccount } from './sub-accounts.ts'
export { depositOrWithdraw, fundHouse, transfer } from './transfers.ts'
