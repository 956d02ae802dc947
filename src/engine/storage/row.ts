/**
 * A row of a table; zero: none.
 */
export type Row = number
export const noRow: Row = 0
