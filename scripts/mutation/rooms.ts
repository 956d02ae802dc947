/**
 * What the mutation script changes, and the tests that ought to notice: rooms of the source, or parts of them.
 *
 * Code     folders and files of src/; a folder means all files below it
 * Tests    files of test/, without their ending. Those of random traders, which take seconds each, are left out
 * Every    of how many functions one is taken, unless `--every` says otherwise
 */
export interface Room {
  readonly code: readonly string[]
  readonly tests: readonly string[]
  readonly every: number
}

export const rooms: Readonly<Record<string, Room>> = {
  numbers: { code: ['engine/numbers'], tests: ['engine/numbers'], every: 1 },
  ledger: {
    code: ['engine/state/ledger.ts', 'engine/ledger-postings'],
    tests: ['engine/ledger', 'engine/bills', 'engine/isolated-margin', 'engine/loans-liquidation'],
    every: 1,
  },
  book: { code: ['engine/book'], tests: ['engine/book'], every: 1 },
  orders: {
    code: [
      'engine/orders/amend.ts',
      'engine/orders/cancel-uncovered.ts',
      'engine/orders/cancel.ts',
      'engine/orders/close.ts',
      'engine/orders/countdown.ts',
      'engine/orders/cut-closing.ts',
      'engine/orders/order-end.ts',
      'engine/orders/place.ts',
      'engine/orders/replace.ts',
      'engine/admission/amendments.ts',
      'engine/admission/checks.ts',
      'engine/admission/closing.ts',
      'engine/admission/limits.ts',
      'engine/admission/matching.ts',
      'engine/admission/reduce-only.ts',
      'engine/admission/spot.ts',
      'engine/settlement/release.ts',
      'engine/settlement/spot.ts',
    ],
    tests: [
      'engine/amending',
      'engine/closing',
      'engine/cut-closing',
      'engine/hedge-closing',
      'engine/order-limits',
      'engine/priority',
      'engine/reduce-only',
      'engine/self-trade',
      'engine/spot',
      'engine/time-in-force',
    ],
    every: 3,
  },
  futures: {
    code: [
      'engine/positions',
      'engine/settlement/futures.ts',
      'engine/admission/futures.ts',
      'engine/admission/futures-margin.ts',
      'engine/admission/solvency.ts',
      'engine/account-rules/futures-modes.ts',
      'engine/account-rules/leverage.ts',
      'engine/account-rules/position-margin.ts',
      'engine/margin',
      'engine/liquidation',
      'engine/liquidation-rules',
    ],
    tests: [
      'engine/linear-positions',
      'engine/inverse-positions',
      'engine/isolated-margin',
      'engine/leverage',
      'engine/collateral',
      'engine/order-margin',
      'engine/funding',
      'engine/risk',
      'engine/risk-changes',
      'engine/liquidation',
      'engine/closing',
      'engine/cut-closing',
      'engine/defects',
      'engine/vectors',
    ],
    every: 15,
  },
  triggers: {
    code: [
      'engine/triggers',
      'engine/orders/activation.ts',
      'engine/orders/trigger.ts',
      'engine/admission/triggers.ts',
      'engine/admission/triggered-orders.ts',
      'engine/settlement/attached-tpsl.ts',
      'engine/settlement/spot-attached-tpsl.ts',
      'engine/state/trigger-table.ts',
    ],
    tests: ['engine/triggers', 'engine/spot-presets', 'engine/cut-closing', 'engine/amending'],
    every: 3,
  },
  loans: {
    code: ['engine/lending', 'engine/loans', 'engine/account-rules/borrowing.ts', 'engine/accounts/borrowing.ts'],
    tests: [
      'engine/margin-loans',
      'engine/loan-terms',
      'engine/loans-interest',
      'engine/loans-liquidation',
      'engine/loans-attack',
    ],
    every: 3,
  },
  journal: {
    code: ['journal'],
    tests: [
      'journal/format',
      'journal/journal',
      'journal/snapshots',
      'journal/damage',
      'journal/reasons',
      'journal/reading',
    ],
    every: 3,
  },
}
