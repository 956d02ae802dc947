/**
 * How many orders and positions one account may have; the edge shows the same numbers with each instrument.
 *
 * Source  interface.md "Limits"; design.md §4.18; wire/rate-limits-and-filters.md §4
 */

/** Open orders and trigger orders: so many over all futures, and so many over all spot and margin. */
export const openOrdersMax = 400
/** Positions, over all contracts and both sides. */
export const positionsMax = 150
