/**
 * What one account has in one contract in one margin domain: its settings, positions, and open orders' margin.
 *
 * Domain    (account, wallet, settlement coin): one pool of collateral (design §3)
 * Position  exact entry flow, not an average price (risk-engine §2, §4, §8)
 * Holds     one-way mode: at most one of long and short is there · `held` is what this exposure's opening orders hold
 *           in the ledger: Σ of their freezes, less the part of an order that would only reduce
 *           · closingLong/closingShort are what resting reduce-only or closing orders occupy
 */
import type { AccountHandle, MarginMode, WalletType } from '../accounts/accounts.ts'
import {
  averagePriceE8,
  type FuturesInstrument,
  type InstrumentId,
  type Scale,
  valueCeil,
  valueFloor,
} from '../catalog/catalog.ts'
import type { PositionSide } from '../command.ts'
import {
  type Amount,
  big,
  cappedAmount,
  divHalfUp,
  type Lots,
  type Millis,
  oneCoin,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'

export interface Position {
  readonly id: number
  readonly side: PositionSide
  quantity: Lots
  /** Signed entry flow of the open part, units of the settlement coin. */
  flow: Amount
  /** Isolated margin; zero in cross mode. */
  margin: Amount
  realizedPnl: Amount
  openFees: Amount
  closeFees: Amount
  /** Undefined until the first charge; positive: received. */
  funding: Amount | undefined
  openedQuantity: Lots
  openedNotional: Amount
  closedNotional: Amount
  readonly openedAt: Millis
  updatedAt: Millis
}

/** Resting opening orders of one side: lots left, and the margin they ask for. */
export interface OpeningOrders {
  quantity: number
  freeze: bigint
}

export interface Exposure {
  index: number
  readonly account: AccountHandle
  readonly wallet: WalletType
  readonly instrument: InstrumentId
  marginMode: MarginMode
  /** Cross mode, and one-way isolated mode. */
  leverage: number
  /** Isolated hedge mode. */
  leverageLong: number
  leverageShort: number
  long: Position | undefined
  short: Position | undefined
  readonly buys: OpeningOrders
  readonly sells: OpeningOrders
  closingLong: number
  closingShort: number
  held: bigint
  /** Isolated positions draw margin from the wallet before they are liquidated. */
  autoMargin: boolean
}

export class Futures {
  list: Exposure[] = []
  /** Exposure indexes by instrument. */
  byInstrument: number[][] = []
  /** Lots held long (as many are held short), by instrument. */
  openInterest: number[] = []
  /** By account handle, in the order in which they were kept: every order asks. */
  #ofAccounts: (readonly Exposure[])[] = []

  find(account: AccountHandle, wallet: WalletType, instrument: InstrumentId): Exposure | undefined {
    const exposures = this.ofAccount(account)
    for (let index = 0; index < exposures.length; index++) {
      const exposure = exposures[index]
      if (exposure.instrument === instrument && exposure.wallet === wallet) return exposure
    }
    return undefined
  }

  /** The exposure, or one with the contract's defaults that is not kept yet. */
  findOrNew(account: AccountHandle, wallet: WalletType, instrument: FuturesInstrument): Exposure {
    return (
      this.find(account, wallet, instrument.id) ?? {
        index: notKept,
        account,
        wallet,
        instrument: instrument.id,
        marginMode: 'cross',
        leverage: instrument.leverageDefault,
        leverageLong: instrument.leverageDefault,
        leverageShort: instrument.leverageDefault,
        long: undefined,
        short: undefined,
        buys: { quantity: 0, freeze: 0n },
        sells: { quantity: 0, freeze: 0n },
        closingLong: 0,
        closingShort: 0,
        held: 0n,
        autoMargin: false,
      }
    )
  }

  /** Keeps a new exposure from now on. */
  keep(exposure: Exposure): void {
    if (exposure.index !== notKept) return
    exposure.index = this.list.length
    this.list.push(exposure)
    while (this.#ofAccounts.length <= exposure.account) this.#ofAccounts.push(none)
    // A list that grew by itself would have room for sixteen more, and most accounts have one.
    this.#ofAccounts[exposure.account] = this.#ofAccounts[exposure.account].concat(exposure)
    while (this.byInstrument.length <= exposure.instrument) this.byInstrument.push([])
    this.byInstrument[exposure.instrument].push(exposure.index)
  }

  /** In the order in which they were kept. */
  ofAccount(account: AccountHandle): readonly Exposure[] {
    return this.#ofAccounts[account] ?? none
  }

  *ofInstrument(instrument: InstrumentId): Generator<Exposure> {
    for (const index of this.byInstrument[instrument] ?? none) yield this.list[index]
  }

  save(): Record<string, unknown> {
    const byAccount = this.#ofAccounts.map((exposures) => exposures.map(({ index }) => index))
    return { list: this.list, byAccount, byInstrument: this.byInstrument, openInterest: this.openInterest }
  }

  load({ byAccount, ...saved }: SavedFutures): void {
    Object.assign(this, saved)
    this.#ofAccounts = byAccount.map((indexes) => indexes.map((index) => this.list[index]))
  }
}

/** Exposures of accounts by their index. */
type SavedFutures = Pick<Futures, 'list' | 'byInstrument' | 'openInterest'> & { readonly byAccount: number[][] }

const notKept = -1
const none: readonly never[] = []

/** Of a cross hedge the larger side counts (risk-engine §7). */
export function largerSide({ long, short }: Exposure): Lots {
  return Math.max(long?.quantity ?? 0, short?.quantity ?? 0) as Lots
}

/** Average entry price in 1e-8 of the quote, to the nearest. linear: E = |F| / q; inverse: E = N / |F|. */
export function entryPriceE8(scale: Scale, position: Position): bigint {
  const flow = position.flow < 0n ? -position.flow : position.flow
  if (!scale.inverse) return averagePriceE8(scale, flow, position.quantity)
  return flow === 0n ? 0n : divHalfUp(big(position.quantity) * scale.usdUnit * oneCoin, flow)
}

export function positionOf(exposure: Exposure, side: PositionSide): Position | undefined {
  return side === 'long' ? exposure.long : exposure.short
}

export function positionQuantity(exposure: Exposure, side: PositionSide): number {
  return positionOf(exposure, side)?.quantity ?? 0
}

export function leverageOf(exposure: Exposure, side: PositionSide, hedged: boolean): number {
  if (exposure.marginMode === 'cross' || !hedged) return exposure.leverage
  return side === 'long' ? exposure.leverageLong : exposure.leverageShort
}

/** Resting closing quantity on a position. */
export function closingOf(exposure: Exposure, side: PositionSide): number {
  return side === 'long' ? exposure.closingLong : exposure.closingShort
}

export function newPosition(id: number, side: PositionSide, at: Millis): Position {
  return {
    id,
    side,
    quantity: 0 as Lots,
    flow: zero,
    margin: zero,
    realizedPnl: zero,
    openFees: zero,
    closeFees: zero,
    funding: undefined,
    openedQuantity: 0 as Lots,
    openedNotional: zero,
    closedNotional: zero,
    openedAt: at,
    updatedAt: at,
  }
}

/** PnL of a position at a price, rounded down. linear: F + s·q·P; inverse: F − s·N/P. */
export function unrealizedPnl(scale: Scale, position: Position, price: Ticks): Amount {
  const long = position.side === 'long'
  if (!scale.inverse) {
    const value = valueFloor(scale, position.quantity, price)
    return cappedAmount(long ? position.flow + value : position.flow - value)
  }
  return cappedAmount(
    long
      ? position.flow - valueCeil(scale, position.quantity, price)
      : position.flow + valueFloor(scale, position.quantity, price),
  )
}
