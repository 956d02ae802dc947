/**
 * What accounts may change of themselves, and move: decided here, written by accounts/. The room's door.
 *
 * leverage           what a leverage needs            position-margin    margin of isolated positions by hand
 * transfers          what may leave a wallet          position-transfer  a position to another account of the family
 * debt-repayment     which debts, paid with what      mode-change        what an account may not have when its mode changes
 * Source             interface.md E6, E9, E11, E12; design.md §3, §4.14, §4.16, §4.36
 */
export { canPay, debtIn, netOf, orderOf, pairOf, unified, worthOf } from './debt-repayment.ts'
export {
  affords,
  extraNeed,
  freezeOf,
  isolatedChange,
  leverageNeed,
  leverageOutOfRange,
  leverageRefusal,
  type LeverageWish,
  meantPositions,
  modeMeant,
  type Need,
  openingRows,
  type Target,
  targetOf,
  tierRefusal,
  type Wish,
} from './leverage.ts'
export { notFlat } from './mode-change.ts'
export { exposureOf, spareMargin } from './position-margin.ts'
export { planMove } from './position-transfer.ts'
export { contentOf, insideMax, isRemembered, nameOf, refuseTransfer, transferable, walletTakes } from './transfers.ts'
