/**
 * How many orders and positions one account may have; the edge shows the same numbers with each instrument.
 *
 * Source  interface.md "Limits"; design.md §4.18; wire/rate-limits-and-filters.md §4
 */

/** Open orders and trigger orders: so many over all futures, and so many over all spot and margin. */
export const openOrdersMax = 400
/** Positions, over all contracts and both sides. */
export const positionsMax = 150
/** Lots of an order, of a level of the book, of an account's orders and position, and of the open interest: half of 2^53. */
export const countedLotsMax = 2 ** 52
