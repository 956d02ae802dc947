/**
 * Every number that the engine gives out: which tables hold its rows, from where it counts. A row that was deleted leaves a
 * gap, one that was made up or repeated has no place.
 *
 * Other releases  may number differently or keep more tables: a table that is not named here is said to be unchecked
 */
export interface Series {
  /** Of the engine; `rows`: the database counts. */
  readonly counter: string
  readonly first: number
  /** Table and column, and which of its rows. */
  readonly keys: readonly (readonly [table: string, column: string, where?: string])[]
  /** Some numbers have no row. */
  readonly mayHaveGaps?: true
}

export const series: readonly Series[] = [
  { counter: 'match', first: 2_000_000_000_000_001, keys: [['fills', 'match_id']] },
  {
    counter: 'exec',
    first: 3_000_000_000_000_001,
    // A spot fill is two postings; a bill is one.
    keys: [
      ['fills', 'exec_id'],
      ['fills', 'exec_id + 1', 'paid_coin_id is not null'],
      ['bills', 'bill_id', 'bill_id > 0'],
    ],
  },
  { counter: 'transfer', first: 4_000_000_000_000_001, keys: [['transfers', 'transfer_id']] },
  {
    counter: 'flow',
    first: 5_000_000_000_000_001,
    keys: [
      ['external_flows', 'flow_id'],
      ['interest', 'interest_id'],
      ['conversions', 'conversion_id'],
      ['margin_liquidations', 'liquidation_id'],
      ['funding_payments', 'payment_id'],
      ['insurance', 'insurance_id'],
      ['rebates', 'rebate_id'],
      ['liquidations', 'liquidation_id'],
    ],
    // Profit realized for a wallet that fell short is numbered, and kept in no table.
    mayHaveGaps: true,
  },
  { counter: 'loan', first: 6_000_000_000_000_001, keys: [['loans', 'loan_id']] },
  { counter: 'repay', first: 7_000_000_000_000_001, keys: [['repayments', 'repay_id']] },
  // One that is under way has no row yet.
  {
    counter: 'chain',
    first: 9_000_000_000_000_001,
    keys: [['chain_transfers', 'chain_transfer_id']],
    mayHaveGaps: true,
  },
  { counter: 'rows', first: 1, keys: [['funding_rates', 'funding_rate_id']] },
  { counter: 'rows', first: 1, keys: [['positions', 'closing_id']] },
  { counter: 'rows', first: 1, keys: [['liquidation_offers', 'offer_id']] },
]

/** Orders and trigger orders share their numbers; a live one has no row yet. */
export const orderSeries = { counter: 'order', first: 1_000_000_000_000_001 }

/** The time of a row is that of its command; `within`: that or an earlier one, as of a boundary that was missed. */
export const tables: Readonly<
  Record<string, { readonly key: string; readonly time: string; readonly within?: true; readonly unordered?: true }>
> = {
  fills: { key: 'exec_id', time: 'at_ms' },
  trades: { key: 'match_id', time: 'at_ms' },
  orders: { key: 'order_id', time: 'updated_at_ms', unordered: true },
  triggers: { key: 'order_id', time: 'updated_at_ms', unordered: true },
  transfers: { key: 'transfer_id', time: 'at_ms' },
  external_flows: { key: 'flow_id', time: 'at_ms' },
  loans: { key: 'loan_id', time: 'at_ms' },
  repayments: { key: 'repay_id', time: 'at_ms' },
  interest: { key: 'interest_id', time: 'at_ms' },
  bills: { key: 'bill_id', time: 'at_ms' },
  conversions: { key: 'conversion_id', time: 'at_ms' },
  margin_liquidations: { key: 'liquidation_id', time: 'at_ms' },
  funding_rates: { key: 'funding_rate_id', time: 'at_ms', within: true },
  funding_payments: { key: 'payment_id', time: 'at_ms', within: true },
  positions: { key: 'closing_id', time: 'closed_at_ms' },
  insurance: { key: 'insurance_id', time: 'at_ms' },
  rebates: { key: 'rebate_id', time: 'at_ms' },
  liquidations: { key: 'liquidation_id', time: 'at_ms' },
  liquidation_offers: { key: 'offer_id', time: 'at_ms' },
  position_moves: { key: 'move_id', time: 'at_ms' },
  chain_transfers: { key: 'chain_transfer_id', time: 'updated_at_ms', unordered: true },
  equity: { key: 'sample_id', time: 'at_ms' },
}

/** Kept beside the rows: how far they reach, what is made of them, and the database's own. */
export const otherTables = ['progress', 'candles', 'kysely_migration', 'kysely_migration_lock', 'sqlite_sequence']
