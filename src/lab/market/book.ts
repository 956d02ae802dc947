/**
 * The book of an instrument as a test wants it: what the house has there goes, and these levels rest in its place.
 *
 * House     house.ts: accounts of the laboratory and the simulated agents. Orders of users stay where they are
 * Levels    are orders of one account of the instrument, `lab-book-CATEGORY-SYMBOL`, one for each level unless that is larger than
 *           the instrument's largest order
 * Crossing  levels that would meet an order of a user are refused: a book that is set is no trade
 * Source    lab.md §4.10
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import { type Lots, lots, type Ticks } from '../../engine/numbers/numbers.ts'
import type { Side, Uid } from '../../engine/vocabulary.ts'
import { LabRefusal } from '../refusals.ts'
import { type Askable, limitOrder, parts, restingOf } from '../../house-book/house-book.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { cancelOf, houseAccount, houseUids, provide } from './house.ts'

export interface Levels {
  readonly bids: readonly (readonly [Ticks, Lots])[]
  readonly asks: readonly (readonly [Ticks, Lots])[]
}

export const sides = ['bids', 'asks'] as const
export type BookSide = (typeof sides)[number]

const orderSide: Readonly<Record<BookSide, Side>> = { bids: 'buy', asks: 'sell' }

function bookName({ category, symbol }: Instrument): string {
  return `lab-book-${category}-${symbol}`
}

function bookAccount(rehearsal: Rehearsal, instrument: Instrument): Uid {
  return houseAccount(rehearsal, bookName(instrument), instrument)
}

/** Takes away what the house has on these sides. */
export function clearHouse(rehearsal: Rehearsal, instrument: Instrument, cleared: readonly BookSide[] = sides): void {
  const wanted = cleared.map((side) => orderSide[side])
  for (const uid of houseUids(rehearsal)) {
    for (const order of restingOf(rehearsal, uid, instrument)) {
      if (wanted.includes(order.bookSide)) rehearsal.submit(cancelOf(order))
    }
  }
}

/** What the laboratory itself has in a book. */
export function ownLevels(of: Askable, instrument: Instrument): Levels {
  const account = of.query({ kind: 'accounts' }).find(({ name }) => name === bookName(instrument))
  const resting = account === undefined ? [] : restingOf(of, account.uid, instrument)
  const side = (named: BookSide, outwards: number) => {
    const sums = new Map<Ticks, number>()
    for (const { bookSide, price, quantity, filled } of resting) {
      if (bookSide === orderSide[named]) sums.set(price as Ticks, (sums.get(price as Ticks) ?? 0) + quantity - filled)
    }
    return [...sums].toSorted(([a], [b]) => outwards * (a - b)).map(([price, sum]) => [price, lots(sum)] as const)
  }
  return { bids: side('bids', -1), asks: side('asks', 1) }
}

/** They rest; nobody may be in their way. Throws LabRefusal, with the level as its field. */
export function layLevels(rehearsal: Rehearsal, instrument: Instrument, levels: Levels): void {
  const wanted = sides.flatMap((of) => {
    return levels[of].flatMap(([price, quantity], place) => {
      return parts(instrument, quantity).map((part) => {
        return { field: `${of}[${place}]`, side: orderSide[of], price, quantity: part }
      })
    })
  })
  if (wanted.length === 0) return
  const uid = bookAccount(rehearsal, instrument)
  provide(rehearsal, uid, instrument, wanted)
  for (const { field, ...order } of wanted) {
    try {
      rehearsal.submit(limitOrder(uid, instrument, order, 'gtc'))
    } catch (error) {
      if (!(error instanceof LabRefusal)) throw error
      const { status, code, message, facts } = error
      throw new LabRefusal(status, code, `${field}: ${message}`, { ...facts, field })
    }
  }
}

/** What would not meet what rests there. */
export function uncrossed(of: Askable, instrument: Instrument, levels: Levels): Levels {
  const { bids, asks } = of.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
  const [highest, lowest] = [bids[0]?.[0] ?? 0, asks[0]?.[0] ?? Number.MAX_SAFE_INTEGER]
  return {
    bids: levels.bids.filter(([price]) => price < lowest),
    asks: levels.asks.filter(([price]) => price > highest),
  }
}

/**
 * The house trades with itself at a price, and before that with whatever users offer up to there, so that this is the last price.
 * Nobody else of the house may have orders there.
 */
export function tradeAt(rehearsal: Rehearsal, instrument: Instrument, taker: Side, price: Ticks, least: Lots): void {
  const maker = taker === 'buy' ? 'sell' : 'buy'
  const { bids, asks } = rehearsal.query({ kind: 'depth', instrument: instrument.id, limit: depthMax })
  const met = taker === 'buy' ? asks.filter(([at]) => at <= price) : bids.filter(([at]) => at >= price)
  const book = bookAccount(rehearsal, instrument)
  const resting = { side: maker, price, quantity: least } as const
  provide(rehearsal, book, instrument, [resting])
  rehearsal.submit(limitOrder(book, instrument, resting, 'gtc'))
  const uid = houseAccount(rehearsal, `lab-taker-${instrument.category}-${instrument.symbol}`, instrument)
  const taking = parts(instrument, met.reduce((sum, [, quantity]) => sum + quantity, 0) + least).map((quantity) => {
    return { side: taker, price, quantity }
  })
  provide(rehearsal, uid, instrument, taking)
  for (const order of taking) rehearsal.submit(limitOrder(uid, instrument, order, 'ioc'))
}

const depthMax = 10_000
