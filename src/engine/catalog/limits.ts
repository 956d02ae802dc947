/**
 * How much of one account there may be; the edge shows the same numbers with each instrument.
 *
 * Source  interface "Limits"; design §4.18; wire/rate-limits-and-filters.md §4
 */
/** Open orders and trigger orders, over all futures, and over all spot and margin. */
export const openOrdersMax = 400
/** Positions, over all contracts and both sides. */
export const positionsMax = 150
