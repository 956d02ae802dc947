/**
 * All exposures and positions: how they are found, kept, begun and ended.
 *
 * Layout    a row each (exposure-table.ts); the row of an exposure is its index and one
 * Holds     an exposure once kept stays in its account's chain and its contract's list. Both are in the order in which they
 *           were kept, which decides who is served first · a position is in one exposure, on its side
 * Supposed  exposures lie elsewhere (supposed-exposures.ts); one that is not kept yet is one of them
 * Handles   are made for whoever asks, so that nothing is kept of them, and two of one exposure are different objects
 */
import type { SupposedExposures } from './supposed-exposures.ts'
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { type Amount, assert } from '../numbers/numbers.ts'
import { noRow, type Row } from '../storage/storage.ts'
import type { AccountHandle, PositionSide, WalletType } from '../vocabulary.ts'
import {
  closedNotionalE12Of,
  type ExposureFields,
  ExposureRow,
  ExposureTable,
  PositionRow,
  PositionTable,
} from './exposure-table.ts'
import { type Exposure, isKept, type Position } from './exposure.ts'

/** Both sides, of the two wallets from which a hybrid account trades. */
const positionsPerContract = 4

export class Futures {
  readonly exposures = new ExposureTable()
  readonly positions = new PositionTable()
  readonly #supposed: SupposedExposures
  /** Exposure indexes by instrument. */
  byInstrument: number[][] = []
  /** Lots held long (as many are held short), by instrument. */
  openInterest: number[] = []
  /** Exposures with a position on each side, by instrument. Derived, so not saved. */
  readonly holdersLong: number[] = []
  readonly holdersShort: number[] = []

  constructor(supposed: SupposedExposures) {
    this.#supposed = supposed
  }

  /** The one that was kept under this index. */
  at(index: number): ExposureRow {
    return this.inRow(index + 1)
  }

  find(account: AccountHandle, wallet: WalletType, instrument: InstrumentId): ExposureRow | undefined {
    const row = this.exposures.find(account, wallet, instrument)
    return row === noRow ? undefined : this.inRow(row)
  }

  /** The exposure, or one with the contract's defaults that is not kept yet. */
  findOrNew(account: AccountHandle, wallet: WalletType, instrument: FuturesInstrument): ExposureRow {
    return (
      this.find(account, wallet, instrument.id) ??
      this.#supposed.newOf(defaultsOf(account, wallet, instrument), this.positions)
    )
  }

  /** What it has now, positions included, in a row of its own, to suppose that some of it were otherwise; nothing written there is kept. */
  copyOf(exposure: Exposure): ExposureRow {
    return this.#supposed.copyOf(exposure as ExposureRow, this.positions)
  }

  /** Keeps a new exposure from now on; what it answers is to be used in its place. */
  keep(exposure: Exposure): ExposureRow {
    const { exposures } = this
    const handle = exposure as ExposureRow
    // A copy that supposes something of a kept one stays as it is.
    if (isKept(exposure)) return handle.isIn(exposures) ? handle : this.at(exposure.index)
    this.#supposed.assertCurrent(handle)
    const row = exposures.allocate()
    exposures.fill(row, exposure)
    exposures.link(exposure.account, row)
    while (this.byInstrument.length <= exposure.instrument) this.byInstrument.push([])
    this.byInstrument[exposure.instrument].push(row - 1)
    return this.inRow(row)
  }

  /** The account's first exposure; `next` has the others, in the order in which they were kept. Every order asks. */
  first(account: AccountHandle): ExposureRow | undefined {
    const row = this.exposures.first[account] ?? noRow
    return row === noRow ? undefined : this.inRow(row)
  }

  next(exposure: Exposure): ExposureRow | undefined {
    const row = this.exposures.after(exposure.index + 1)
    return row === noRow ? undefined : this.inRow(row)
  }

  /** In the order in which they were kept. */
  ofAccount(account: AccountHandle): readonly ExposureRow[] {
    const exposures: ExposureRow[] = []
    for (let next = this.first(account); next !== undefined; next = this.next(next)) exposures.push(next)
    return exposures
  }

  /** Positions that the account has, over all contracts and both sides. */
  positionCount(account: AccountHandle): number {
    let count = 0
    for (let exposure = this.first(account); exposure !== undefined; exposure = this.next(exposure)) {
      if (exposure.longRow !== noRow) count++
      if (exposure.shortRow !== noRow) count++
    }
    return count
  }

  /** As many as an account can have at most: both sides, of the two wallets from which a hybrid account trades. */
  positionsPossible(): number {
    return this.byInstrument.length * positionsPerContract
  }

  *ofInstrument(instrument: InstrumentId): Generator<ExposureRow> {
    for (const index of this.byInstrument[instrument] ?? []) yield this.at(index)
  }

  *all(): Generator<ExposureRow> {
    for (let row = 1; row < this.exposures.rows; row++) yield this.inRow(row)
  }

  /** The position begins; what it answers is to be used in its place. */
  addPosition(exposure: Exposure, position: Position): PositionRow {
    assert(isKept(exposure), 'an exposure with a position is kept')
    const row = this.positions.allocate()
    this.positions.fill(row, position)
    this.exposures.setPosition(exposure.index + 1, position.side, row)
    this.#countHolder(exposure.instrument, position.side, 1)
    return new PositionRow(this.positions, row)
  }

  /** The position ends: nothing of it can be read after that. */
  removePosition(exposure: Exposure, side: PositionSide): void {
    this.positions.free(this.exposures.setPosition(exposure.index + 1, side, noRow))
    this.#countHolder(exposure.instrument, side, -1)
  }

  #countHolder(instrument: InstrumentId, side: PositionSide, by: number): void {
    const counts = side === 'long' ? this.holdersLong : this.holdersShort
    while (counts.length <= instrument) counts.push(0)
    counts[instrument] += by
  }

  save(): Record<string, unknown> {
    return {
      exposures: this.exposures.save(),
      positions: this.positions.save(),
      byInstrument: this.byInstrument,
      openInterest: this.openInterest,
    }
  }

  load(saved: SavedFutures | EarlierFutures): void {
    this.openInterest = saved.openInterest
    if ('list' in saved) {
      for (const earlier of saved.list) this.keepEarlier(earlier)
      return
    }
    this.exposures.load(saved.exposures)
    this.positions.load(saved.positions)
    this.byInstrument = saved.byInstrument
    for (const { instrument, longRow, shortRow } of this.all()) {
      if (longRow !== noRow) this.#countHolder(instrument, 'long', 1)
      if (shortRow !== noRow) this.#countHolder(instrument, 'short', 1)
    }
  }

  private inRow(row: Row): ExposureRow {
    return new ExposureRow(this.exposures, this.positions, row, row - 1)
  }

  private keepEarlier(earlier: EarlierExposure): void {
    const kept = this.keep(this.#supposed.newOf(fieldsOf(earlier), this.positions))
    for (const position of [earlier.long, earlier.short]) {
      if (position !== undefined) {
        this.addPosition(kept, positionOf(position))
      }
    }
  }
}

/** The contract's defaults, for an account that has nothing in it yet. */
function defaultsOf(account: AccountHandle, wallet: WalletType, instrument: FuturesInstrument): ExposureFields {
  const { id, leverageDefault } = instrument
  return {
    account,
    wallet,
    instrument: id,
    marginMode: 'cross',
    leverage: leverageDefault,
    leverageLong: leverageDefault,
    leverageShort: leverageDefault,
    buyQuantity: 0,
    buyHold: 0n,
    sellQuantity: 0,
    sellHold: 0n,
    closingLong: 0,
    closingShort: 0,
    held: 0n,
    autoMargin: false,
  }
}

interface SavedFutures {
  readonly exposures: Record<string, unknown>
  readonly positions: Record<string, unknown>
  readonly byInstrument: number[][]
  readonly openInterest: number[]
}

/** As states had it that were saved before there were rows: exposures by index, with an object for each side's orders. */
interface EarlierFutures {
  readonly list: readonly EarlierExposure[]
  readonly openInterest: number[]
}
type EarlierExposure = Omit<ExposureFields, 'buyQuantity' | 'buyHold' | 'sellQuantity' | 'sellHold'> & {
  readonly long: EarlierPosition | undefined
  readonly short: EarlierPosition | undefined
  readonly buys: EarlierOrders
  readonly sells: EarlierOrders
}
type EarlierPosition = Omit<Position, 'entryValue' | 'closedNotionalE12'> & { readonly flow: Amount }
interface EarlierOrders {
  readonly quantity: number
  readonly freeze: bigint
}

function fieldsOf(earlier: EarlierExposure): ExposureFields {
  const { buys, sells } = earlier
  return {
    ...earlier,
    buyQuantity: buys.quantity,
    buyHold: buys.freeze,
    sellQuantity: sells.quantity,
    sellHold: sells.freeze,
  }
}

function positionOf({ flow, ...position }: EarlierPosition): Position {
  return { ...position, entryValue: flow, closedNotionalE12: closedNotionalE12Of(position.closedNotional) }
}
