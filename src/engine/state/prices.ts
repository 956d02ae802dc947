/**
 * The state of all prices that are not the book's. Per coin: the index in USD. Per instrument: index, mark and last trade
 * price, and the samples that its mark and funding rate are made of.
 *
 * Index     base over quote, to the nearest tick; every formula takes it so. One that a book does not carry is not taken
 * Mark      futures: as it was last computed (pricing/marks.ts); spot: the index
 * Due       whatever a mark hangs on says when it changes, so that nobody looks at marks that stand
 * Source    design.md §6 (`operator/prices`); risk-engine.md §12, §13
 */
import {
  carriedTicks,
  type CoinId,
  defaultFundingTerms,
  indexFraction,
  type Instrument,
  type InstrumentId,
  isFutures,
  type PricingSettings,
} from '../catalog/catalog.ts'
import {
  amount,
  divCeil,
  divFloor,
  divHalfUp,
  type Millis,
  oneCoin,
  priceTicksMax,
  type Rate,
  rate,
  rateOne,
  type Ticks,
  ticks,
} from '../numbers/numbers.ts'
import type { Side } from '../vocabulary.ts'

/** What time has added to a contract. */
export interface Samples {
  /** (bid + ask) − 2 × index in ticks, of the last five minutes; a ring once it is full. */
  readonly basis: number[]
  basisNext: number
  basisSum: number
  /** Premiums of the running funding interval: how many, Σ premium, Σ i × premium. */
  premiums: number
  premiumSum: bigint
  premiumWeighted: bigint
  /** Rate of an interval that has ended and is not settled yet. */
  dueRate: Rate | undefined
  /** Rate of the last settlement, 0 before the first. */
  latestRate: Rate
}

/** The three candidates that a futures mark was the median of, and the command that made it. */
export interface MadeMark {
  readonly index: Ticks
  readonly last: Ticks
  readonly withFunding: Ticks
  readonly withBasis: Ticks
  /** What they came from: rate and time of the funding, samples of the basis in half ticks. */
  readonly fundingRate: Rate
  readonly fundingLeftMs: Millis
  readonly fundingIntervalMs: Millis
  readonly basisSum: number
  readonly basisCount: number
  readonly sequence: number
  readonly at: Millis
  /** What the mark is in place of their median. */
  readonly given?: Ticks
}

/** What holds of a contract in place of its formulas, until a moment. */
export interface GivenPrices {
  readonly markPrice: Ticks | undefined
  readonly fundingRate: Rate | undefined
  readonly until: Millis
}

/** No such moment. */
export const never: Millis = Number.MAX_SAFE_INTEGER

const impactNotionalDefault = amount(10_000n * oneCoin)

export class Prices {
  /** By coin: USD of 1e-8, when it was last set, and the update that is held back (zero: none). */
  usd: bigint[] = []
  updatedAt: Millis[] = []
  heldBack: bigint[] = []
  stale: boolean[] = []

  /** By instrument, ticks. */
  index: number[] = []
  mark: number[] = []
  /** Price of the last match, 0 before the first. */
  last: number[] = []
  samples: Samples[] = []
  /** How the mark of a contract was made, for whoever asks; none: it is the index, as listed. */
  made: (MadeMark | undefined)[] = []

  /** Of contracts whose prices come from elsewhere. Saved by itself: a venue without any has the bytes that it had before. */
  readonly #given = new Map<InstrumentId, GivenPrices>()

  get given(): Map<InstrumentId, GivenPrices> {
    return this.#given
  }

  /** Samples are taken up to and including this moment. */
  sampledAt: Millis = 0
  /** When the next coin turns stale. */
  staleAt: Millis = never
  /** When its timer wakes; 0: none is set. */
  staleTimerAt: Millis = 0
  /** When marks are refreshed next; 0: nothing has changed since they were. */
  refreshAt: Millis = 0

  /**
   * By instrument: from when on its mark may be another one. Derived, so not saved: after a start none is known, all are
   * computed, and those that stand stay as they are.
   */
  readonly #markDueAt: Millis[] = []
  /** By instrument: its index would be beyond what a book carries. Derived from coins, so not saved. */
  readonly #isBeyond: boolean[] = []

  settings: PricingSettings = {
    jumpFactor: rate(4n * rateOne),
    fundingShortfall: 'full',
    premiumMean: 'weighted',
    ...defaultFundingTerms,
    indexAgeMsMax: [],
    impactNotional: [],
  }

  usdE8(coin: CoinId): bigint {
    return this.usd[coin]
  }

  lastPrice(instrument: InstrumentId): Ticks | 0 {
    return this.last[instrument] as Ticks | 0
  }

  indexPrice(instrument: InstrumentId): Ticks {
    return this.index[instrument] as Ticks
  }

  markPrice(instrument: InstrumentId): Ticks {
    return this.mark[instrument] as Ticks
  }

  /** A new coin, the next by its handle. */
  addCoin(listingPriceE8: bigint, at: Millis): void {
    this.usd.push(listingPriceE8)
    this.updatedAt.push(at)
    this.heldBack.push(0n)
    this.stale.push(false)
    this.settings.indexAgeMsMax.push(0)
  }

  /** A new instrument, the next by its handle: its mark is its index. */
  addInstrument(instrument: Instrument): void {
    const fraction = this.#fractionOf(instrument)
    const index = priceNear(...fraction)
    this.#isBeyond.push(carriedTicks(fraction) === undefined)
    this.index.push(index)
    this.mark.push(index)
    this.last.push(0)
    this.samples.push(noSamples())
    this.settings.impactNotional.push(isFutures(instrument) ? impactNotionalDefault : amount(0n))
  }

  /** Takes the index of an instrument anew, after a coin's price changed; answers whether it has changed. */
  refreshIndex(instrument: Instrument): boolean {
    const { id } = instrument
    const index = this.indexOf(instrument)
    this.#isBeyond[id] = index === undefined
    if (index === undefined || index === this.index[id]) return false
    this.index[id] = index
    return true
  }

  /** The index of an instrument, at these prices of coins or at those of now; undefined: a book does not carry it. */
  indexOf(instrument: Instrument, usd?: ReadonlyMap<CoinId, bigint>): Ticks | undefined {
    return carriedTicks(this.#fractionOf(instrument, usd)) as Ticks | undefined
  }

  #fractionOf(instrument: Instrument, usd?: ReadonlyMap<CoinId, bigint>): [dividend: bigint, divisor: bigint] {
    const usdE8 = (coin: CoinId) => usd?.get(coin) ?? this.usdE8(coin)
    const quote = instrument.quote === -1 ? oneCoin : usdE8(instrument.quote)
    return indexFraction(instrument, usdE8(instrument.base), quote)
  }

  /** Whether the coins of an instrument have prices that make one which a book does not carry. Its index is then an older one. */
  isBeyondRange(instrument: InstrumentId): boolean {
    return this.#isBeyond[instrument]
  }

  /** Finds out anew which instruments are beyond their range: after a load. */
  judgeRanges(instruments: readonly Instrument[]): void {
    for (const instrument of instruments) this.#isBeyond[instrument.id] = this.indexOf(instrument) === undefined
  }

  setLast(id: InstrumentId, price: Ticks): void {
    this.last[id] = price
    this.unsettleMark(id)
  }

  /** Something that the mark is made of has changed. */
  unsettleMark(id: InstrumentId): void {
    this.#markDueAt[id] = 0
  }

  /** While nothing else changes, the mark stays what it is until `dueAt`. */
  settleMark(id: InstrumentId, dueAt: Millis): void {
    this.#markDueAt[id] = dueAt
  }

  /** Instruments whose mark may be another one by now, in order. */
  marksDue(at: Millis): InstrumentId[] {
    const due: InstrumentId[] = []
    const dueAt = this.#markDueAt
    for (let id = 0; id < this.mark.length; id++) if (!(dueAt[id] > at)) due.push(id)
    return due
  }
}

/** The price nearest to a fraction of ticks, within what the book carries. */
export function priceNear(dividend: bigint, divisor: bigint): Ticks {
  return ticks(Math.min(Math.max(1, Number(divHalfUp(dividend, divisor))), priceTicksMax))
}

function noSamples(): Samples {
  return {
    basis: [],
    basisNext: 0,
    basisSum: 0,
    premiums: 0,
    premiumSum: 0n,
    premiumWeighted: 0n,
    dueRate: undefined,
    latestRate: rate(0n),
  }
}

/** The furthest price that a band allows: up for a buy, rounded down; down for a sell, rounded up. */
export function bandPrice(reference: Ticks, side: Side, band: Rate): Ticks {
  if (side === 'buy') {
    const highest = divFloor(BigInt(reference) * (rateOne + band), rateOne)
    return (highest > BigInt(priceTicksMax) ? priceTicksMax : Number(highest)) as Ticks
  }
  const lowest = divCeil(BigInt(reference) * (rateOne - band), rateOne)
  return (lowest < 1n ? 1 : Number(lowest)) as Ticks
}
