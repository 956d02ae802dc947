/**
 * A followed market in the book of one instrument: a recorded one, or one that is live elsewhere. The door of the room.
 *
 *   play.ts    trades and levels of a moment      levels.ts  what the market has      queue.ts   who leaves a level
 *   house.ts   accounts, commands and events      orders.ts  orders and their money   moment.ts  what a market says
 *   given.ts   its mark and funding rate
 *
 * Orders  accounts of the house place, amend and cancel what the market has, and trade as takers, by ordinary commands
 * Source  lab.md §4.9; docs/decisions/0042-recorded-markets-in-the-book.md
 */
export { givenOf } from './given.ts'
export { House, type SavedHouse } from './house.ts'
export { type HouseOrder, type Level, type LevelSide } from './levels.ts'
export type { Change, MomentRows, Trade } from './moment.ts'
export {
  type Askable,
  deposits,
  inDollars,
  leastAt,
  limitOrder,
  orderOf,
  parts,
  restingOf,
  type Wanted,
  worth,
} from './orders.ts'
export { BookPlay } from './play.ts'
export { type QueueModel, queueModels } from './queue.ts'
