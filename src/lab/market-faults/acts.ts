/**
 * The market faults: what each does, by ordinary commands, and what it changes.
 *
 * Terms     halt, cancel-only, tier-down, fee-up, min-size-up
 * Index     index-stale, index-jump; the index of the symbol's base coin is that of all its instruments
 * Book      one-sided, empty-book, wide: what the house has there. Orders of users stay
 * Moves     flash-crash, squeeze: the house leaves the book, index and last price leap, users' orders on the way are met; a thin book
 *           lies around the new price
 * Accounts  liquidate, adl (cheats/): the index goes back, positions do not
 * Once      funding-spike settles, and nothing goes back
 * Source    lab.md §4.5
 */
import { type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import {
  formatDecimal,
  lots,
  type Rate,
  rate,
  rateDecimals,
  rateOne,
  type Ticks,
  ticks,
} from '../../engine/numbers/numbers.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import type { Side } from '../../engine/vocabulary.ts'
import { adlScenes } from '../cheats/adl.ts'
import { indexPrice, liquidate, setIndexPrice } from '../cheats/prices.ts'
import { settleFundingAt } from '../cheats/terms.ts'
import { type BookSide, clearHouse, layLevels, type Levels, ownLevels, tradeAt, uncrossed } from '../market/book.ts'
import { leastLots, lotsWorth } from '../market/house.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { priceText, quantityText } from '../things.ts'
import { changeInstrument, type Held, setFreshness } from './held.ts'

export interface Ask {
  readonly instrument: Instrument
  /** Of 1e-12: a share, a factor or a rate, as the fault says. */
  readonly size: bigint
  readonly side: BookSide
  readonly account: AccountView | undefined
}

interface Act {
  readonly held: readonly Held[]
  readonly facts: object
}

export type Scene = (rehearsal: Rehearsal) => Act

const levelsOfHouse = 5
/** Of a level, in units of the quote. */
const levelNotional = 20_000
/** Between two levels, and of the best ones from the price: a thousandth. */
const gap = rate(rateOne / 1_000n)

export const scenes = {
  halt: (ask) => [(rehearsal) => close(rehearsal, ask, 'halted')],
  'cancel-only': (ask) => [(rehearsal) => close(rehearsal, ask, 'cancel_only')],
  'index-stale': (ask) => [(rehearsal) => staleIndex(rehearsal, ask)],
  'index-jump': (ask) => [(rehearsal) => moveIndex(rehearsal, ask.instrument, rateOne + ask.size)],
  'one-sided': (ask) => [(rehearsal) => emptyBook(rehearsal, ask, [ask.side])],
  'empty-book': (ask) => [(rehearsal) => emptyBook(rehearsal, ask, ['bids', 'asks'])],
  wide: (ask) => [(rehearsal) => wideBook(rehearsal, ask)],
  'flash-crash': (ask) => [(rehearsal) => leap(rehearsal, ask, 'sell')],
  squeeze: (ask) => [(rehearsal) => leap(rehearsal, ask, 'buy')],
  liquidate: ({ instrument, account }) => [
    (rehearsal) => whileIndexMoves(rehearsal, () => liquidate(rehearsal, known(account), futures(instrument))),
  ],
  adl: ({ instrument, account }) =>
    adlScenes(known(account), futures(instrument)).map((scene) => (rehearsal: Rehearsal) => {
      return whileIndexMoves(rehearsal, () => scene(rehearsal))
    }),
  'funding-spike': ({ instrument, size }) => [
    (rehearsal) => ({ held: [], facts: settleFundingAt(rehearsal, futures(instrument), rate(size)) }),
  ],
  'tier-down': (ask) => [(rehearsal) => lowerTiers(rehearsal, ask)],
  'fee-up': (ask) => [(rehearsal) => raiseFees(rehearsal, ask)],
  'min-size-up': (ask) => [(rehearsal) => raiseMinimum(rehearsal, ask)],
} as const satisfies Record<string, (ask: Ask) => readonly Scene[]>

function close(rehearsal: Rehearsal, { instrument }: Ask, status: Instrument['status']): Act {
  changeInstrument(rehearsal, instrument.id, { status })
  return { held: [{ what: 'status', of: instrument.id, before: instrument.status }], facts: { status } }
}

function lowerTiers(rehearsal: Rehearsal, { instrument, size }: Ask): Act {
  const { id, tiers } = futures(instrument)
  const lower = tiers.map((tier) => ({
    ...tier,
    leverageMax: Math.max(1, Number((BigInt(tier.leverageMax) * rateOne) / size)),
    maintenanceRate: rate((tier.maintenanceRate * size) / rateOne),
  }))
  changeInstrument(rehearsal, id, { tiers: lower })
  const shown = lower.map(({ leverageMax, maintenanceRate }) => ({
    maxLeverage: leverageMax,
    maintenanceRate: formatDecimal(maintenanceRate, rateDecimals),
  }))
  return { held: [{ what: 'tiers', of: id, before: tiers }], facts: { tiers: shown } }
}

/** A rebate stays what it is. */
function raiseFees(rehearsal: Rehearsal, { instrument, size }: Ask): Act {
  const { id, makerFeeRate, takerFeeRate } = instrument
  const raised = (fee: Rate) => (fee > 0n ? rate((fee * size) / rateOne) : fee)
  const [maker, taker] = [raised(makerFeeRate), raised(takerFeeRate)]
  changeInstrument(rehearsal, id, { makerFeeRate: maker, takerFeeRate: taker })
  const facts = { maker: formatDecimal(maker, rateDecimals), taker: formatDecimal(taker, rateDecimals) }
  return { held: [{ what: 'fees', of: id, before: { maker: makerFeeRate, taker: takerFeeRate } }], facts }
}

function raiseMinimum(rehearsal: Rehearsal, { instrument, size }: Ask): Act {
  const { id, quantityMin } = instrument
  const raised = lots(Number((BigInt(Math.max(1, quantityMin)) * size + rateOne - 1n) / rateOne))
  rehearsal.submit({ kind: 'set-order-minimum', instrument: id, quantityMin: raised })
  return {
    held: [{ what: 'minimum', of: id, before: quantityMin }],
    facts: { minOrderQty: quantityText(instrument, raised) },
  }
}

/** Older than a millisecond is too old: it is stale as soon as time passes. */
function staleIndex(rehearsal: Rehearsal, { instrument }: Ask): Act {
  const { base } = instrument
  const before = rehearsal.query({ kind: 'settings' }).pricing.indexAgeMsMax[base]
  setFreshness(rehearsal, base, 1)
  const { coins } = rehearsal.query({ kind: 'catalog' })
  return { held: [{ what: 'freshness', of: base, before }], facts: { coin: coins[base].name } }
}

/** To so many times what it is, of 1e-12. */
function moveIndex(rehearsal: Rehearsal, { base }: Instrument, factor: bigint): Act {
  const before = indexPrice(rehearsal, base)
  const moved = (before * factor) / rateOne
  setIndexPrice(rehearsal, base, moved > 0n ? moved : 1n)
  const after = indexPrice(rehearsal, base)
  const { coins } = rehearsal.query({ kind: 'catalog' })
  return {
    held: [{ what: 'index', of: base, before, factor: Number(after) / Number(before) }],
    facts: { coin: coins[base].name, indexPrice: formatDecimal(after, 8) },
  }
}

/** Whatever it does to an account, of the indexes that it moves this is what they were. */
function whileIndexMoves(rehearsal: Rehearsal, act: () => object): Act {
  const before = rehearsal.query({ kind: 'index-prices' })
  const facts = act()
  const after = rehearsal.query({ kind: 'index-prices' })
  const held = before.flatMap((price, coin): Held[] => {
    return after[coin] === price
      ? []
      : [{ what: 'index', of: coin, before: price, factor: Number(after[coin]) / Number(price) }]
  })
  return { held, facts }
}

function emptyBook(rehearsal: Rehearsal, { instrument }: Ask, sides: readonly BookSide[]): Act {
  const before = { ...ownLevels(rehearsal, instrument), lastPrice: 0 } as const
  clearHouse(rehearsal, instrument, sides)
  return { held: [{ what: 'book', of: instrument.id, before }], facts: { without: sides } }
}

/** The best levels of the house are half of the size away from the middle of the book: of the mark, if that has no two sides. */
function wideBook(rehearsal: Rehearsal, { instrument, size }: Ask): Act {
  const { bids, asks } = rehearsal.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
  const { markPrice } = rehearsal.query({ kind: 'prices', instrument: instrument.id })
  const isWhole = bids.length > 0 && asks.length > 0
  const middle = isWhole ? ticks(Math.round((bids[0][0] + asks[0][0]) / 2)) : markPrice
  const before = { ...ownLevels(rehearsal, instrument), lastPrice: 0 } as const
  clearHouse(rehearsal, instrument)
  const levels = ladder(instrument, middle, size / 2n)
  layLevels(rehearsal, instrument, uncrossed(rehearsal, instrument, levels))
  const [bid, ask] = [levels.bids[0][0], levels.asks[0][0]].map((price) => priceText(instrument, price))
  return { held: [{ what: 'book', of: instrument.id, before }], facts: { bid, ask } }
}

/** Down with a taker that sells, up with one that buys. */
function leap(rehearsal: Rehearsal, { instrument, size }: Ask, taker: Side): Act {
  const { id } = instrument
  const { markPrice, lastPrice } = rehearsal.query({ kind: 'prices', instrument: id })
  const factor = taker === 'sell' ? rateOne - size : rateOne + size
  // What was never traded shows the mark.
  const before = { ...ownLevels(rehearsal, instrument), lastPrice: lastPrice || markPrice }
  const target = timesFactor(markPrice, factor)
  clearHouse(rehearsal, instrument)
  const around = ladder(instrument, target, gap)
  // Whoever is liquidated by the move finds only these.
  const [taken, others] = taker === 'sell' ? (['bids', 'asks'] as const) : (['asks', 'bids'] as const)
  const only = (side: BookSide): Levels => ({ bids: [], asks: [], [side]: around[side] })
  const met = uncrossed(rehearsal, instrument, only(taken))
  layLevels(rehearsal, instrument, met)
  const index = moveIndex(rehearsal, instrument, factor)
  tradeAt(rehearsal, instrument, taker, target, leastLots(instrument, target))
  layLevels(rehearsal, instrument, uncrossed(rehearsal, instrument, only(others)))
  return {
    held: [...index.held, { what: 'book', of: id, before }],
    facts: { ...index.facts, lastPrice: priceText(instrument, target) },
  }
}

/** Levels of the house around a price, the best so far away, of 1e-12. */
function ladder(instrument: Instrument, price: Ticks, away: bigint): Levels {
  const side = (outwards: bigint) => {
    const prices = new Set<Ticks>()
    for (let level = 0n; level < levelsOfHouse; level++) {
      const exact = timesFactor(price, rateOne + outwards * (away + level * gap))
      prices.add(ticks(exact === price ? Math.max(1, exact + Number(outwards)) : exact))
    }
    return [...prices].map((at) => [at, lotsWorth(instrument, at, levelNotional)] as const)
  }
  return { bids: side(-1n), asks: side(1n) }
}

/** At least one tick. */
function timesFactor(price: Ticks, factor: bigint): Ticks {
  return ticks(Math.max(1, Number((BigInt(price) * factor + rateOne / 2n) / rateOne)))
}

function futures(instrument: Instrument) {
  if (isFutures(instrument)) return instrument
  throw new LabRefusal(400, 'body-wrong', `symbol: ${instrument.symbol} is no contract`, { field: 'symbol' })
}

function known(account: AccountView | undefined): AccountView {
  if (account === undefined) throw new LabRefusal(400, 'body-wrong', 'uid: is wanted', { field: 'uid' })
  return account
}
