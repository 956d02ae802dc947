/**
 * What a leverage needs, and why it would be refused.
 *
 * Cross      positions need another margin, and resting orders hold by the new leverage
 * Isolated   margin moves between wallet and position, and resting orders hold by the new leverage
 * Refused    margin does not suffice, or a tier caps it (design §4.16, §4.37)
 * Idle       for the margin mode that is not in force only the setting changes
 * Source     interface.md E12; design.md §3, §4.16
 */
import {
  type CoinId,
  type FuturesInstrument,
  initialMarginOf,
  type InstrumentId,
  isFutures,
} from '../catalog/catalog.ts'
import {
  marginAccountAvailable,
  marginAccountTransferable,
  isHedged,
  canHold,
  orderHold,
  requiredHold,
  tierLeverageMax,
  unifiedMargin,
  usdCeil,
} from '../margin/margin.ts'
import { type Amount, amount, big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { SetAllLeverage, SetLeverage, SetSideLeverages } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { readingWallet } from '../records/records.ts'
import {
  type Account,
  type Exposure,
  leverageOf,
  type Position,
  positionOf,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { AccountHandle, Interface, MarginMode, PositionSide, Uid, WalletType } from '../vocabulary.ts'

/** A leverage that was found to fit: all of the wishes are taken, in this order. */
export interface LeverageChange {
  readonly uid: Uid
  readonly exposure: Exposure
  readonly mode: MarginMode
  readonly wishes: readonly Wish[]
}

/** A leverage for a side; undefined: for both. */
export interface Wish {
  readonly leverage: number
  readonly side: PositionSide | undefined
}

/** A leverage for a contract: refused out of its range or above its tier's, and when margin does not suffice. */
export function admitLeverage(reading: Reading, command: SetLeverage): LeverageChange | Refusal {
  const target = targetOf(reading, command.uid, command.interface, command.instrument)
  if ('kind' in target) return target
  const outOfRange = leverageOutOfRange(target.instrument, command.leverage)
  if (outOfRange !== undefined) return outOfRange
  const exposure = reading.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(reading, exposure, command.marginMode)
  const wishes = [{ leverage: command.leverage, side: command.positionSide }]
  return leverageRefusal(reading, exposure, mode, wishes) ?? { uid: command.uid, exposure, mode, wishes }
}

/** A leverage for each side of a contract: both fit together, or neither is taken. */
export function admitSideLeverages(reading: Reading, command: SetSideLeverages): LeverageChange | Refusal {
  const target = targetOf(reading, command.uid, command.interface, command.instrument)
  if ('kind' in target) return target
  const outOfRange =
    leverageOutOfRange(target.instrument, command.long) ?? leverageOutOfRange(target.instrument, command.short)
  if (outOfRange !== undefined) return outOfRange
  const exposure = reading.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(reading, exposure, command.marginMode)
  const wishes = wishesOf(command, exposure, mode === 'isolated' && isHedged(reading, exposure))
  return leverageRefusal(reading, exposure, mode, wishes) ?? { uid: command.uid, exposure, mode, wishes }
}

function wishesOf(command: SetSideLeverages, exposure: Exposure, twoSided: boolean): readonly Wish[] {
  if (!twoSided) return [{ leverage: command.long, side: undefined }]
  const long: Wish = { leverage: command.long, side: 'long' }
  const short: Wish = { leverage: command.short, side: 'short' }
  // A higher leverage gives margin back: it goes first, so that the wallet has it for the other side.
  return command.short > exposure.leverageShort ? [short, long] : [long, short]
}

/**
 * A leverage for one contract, or for all contracts of a product line with a position. `changes` undefined: one of them
 * cannot take it.
 */
export function admitAllLeverage(
  reading: Reading,
  command: SetAllLeverage,
): { readonly changes: readonly LeverageChange[] | undefined } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  const line = reading.catalog.instruments.filter(isFutures).filter(({ category }) => category === command.line)
  const meant = command.instrument === undefined ? line : line.filter(({ id }) => id === command.instrument)
  if (command.instrument !== undefined && meant.length === 0) return { kind: 'instrument-unknown' }
  const ranges = meant.map((instrument) => leverageOutOfRange(instrument, command.leverage))
  // Outside every symbol's range it is a wrong parameter, not a failure (design §4.36).
  const [outOfRange] = ranges
  if (outOfRange !== undefined && ranges.every((range) => range !== undefined)) return outOfRange
  const wallet = readingWallet(account, 'v2', command.line)
  const exposures = meant
    .map((instrument) => reading.futures.findOrNew(account.handle, wallet, instrument))
    .filter(({ long, short }) => command.instrument !== undefined || long !== undefined || short !== undefined)
  const wishes = [{ leverage: command.leverage, side: command.positionSide }]
  const needs: Need[] = []
  const changes: LeverageChange[] = []
  for (const exposure of exposures) {
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const { marginMode: mode } = exposure
    if (leverageOutOfRange(instrument, command.leverage) !== undefined) return { changes: undefined }
    if (tierRefusal(reading, exposure, command.leverage) !== undefined) return { changes: undefined }
    const need = extraNeed(reading, exposure, mode, wishes[0])
    if (need === undefined) return { changes: undefined }
    needs.push({ coin: instrument.settle, units: need, isolated: mode === 'isolated' })
    changes.push({ uid: command.uid, exposure, mode, wishes })
  }
  return { changes: affords(reading, account.handle, wallet, needs) ? changes : undefined }
}

/** A leverage for each side, in a margin mode; in one-way and in cross mode both sides have the same. */
export interface LeverageWish {
  readonly marginMode: Exposure['marginMode']
  readonly long: number
  readonly short: number
}

/** Margin that positions and orders of a contract would need at a leverage, and how much more that is than now. */
export interface LeverageNeed {
  readonly exposure: Exposure
  readonly required: bigint
  readonly change: bigint
}

/** What a leverage would take, or why it would be refused whatever the account has. */
export function leverageNeed(
  reading: Reading,
  ask: { readonly uid: number; readonly interface: Interface; readonly instrument: InstrumentId } & LeverageWish,
): LeverageNeed | Refusal {
  const target = targetOf(reading, ask.uid, ask.interface, ask.instrument)
  if ('kind' in target) return target
  const { instrument } = target
  for (const leverage of [ask.long, ask.short]) {
    const outOfRange = leverageOutOfRange(instrument, leverage)
    if (outOfRange !== undefined) return outOfRange
  }
  const exposure = reading.futures.findOrNew(target.account.handle, target.wallet, instrument)
  // A mode that is not in force has neither positions nor orders.
  if (ask.marginMode !== exposure.marginMode) return { exposure, required: 0n, change: 0n }
  const wishes: readonly Wish[] =
    ask.long === ask.short
      ? [{ leverage: ask.long, side: undefined }]
      : [
          { leverage: ask.long, side: 'long' },
          { leverage: ask.short, side: 'short' },
        ]
  let change = 0n
  for (const wish of wishes) {
    const tier = tierRefusal(reading, exposure, wish.leverage)
    if (tier !== undefined) return tier
    const need = extraNeed(reading, exposure, ask.marginMode, wish)
    if (need === undefined) return { kind: 'leverage-margin-short' }
    change += need
  }
  return { exposure, required: marginNow(reading, instrument, exposure) + change, change }
}

/** Margin of the positions and what the orders hold. */
function marginNow(reading: Reading, instrument: FuturesInstrument, exposure: Exposure): bigint {
  const mark = reading.prices.markPrice(instrument.id)
  const isolated = exposure.marginMode === 'isolated'
  return [exposure.long, exposure.short].reduce((sum, position) => {
    if (position === undefined) return sum
    if (isolated) return sum + position.margin
    return sum + initialMarginOf(reading.scale(instrument.id), position.quantity, mark, exposure.leverage)
  }, exposure.held)
}

/** Why a symbol cannot take a leverage, or two of them together. */
function leverageRefusal(
  reading: Reading,
  exposure: Exposure,
  mode: Exposure['marginMode'],
  wishes: readonly Wish[],
): Refusal | undefined {
  // A mode that is not in force has no positions: only the setting changes.
  if (mode !== exposure.marginMode) return undefined
  const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
  let units = 0n
  for (const wish of wishes) {
    const tier = tierRefusal(reading, exposure, wish.leverage)
    if (tier !== undefined) return tier
    const need = extraNeed(reading, exposure, mode, wish)
    if (need === undefined) return { kind: 'leverage-margin-short' }
    units += need
  }
  const needs = [{ coin: settle, units, isolated: mode === 'isolated' }]
  return affords(reading, exposure.account, exposure.wallet, needs) ? undefined : { kind: 'leverage-margin-short' }
}

interface Target {
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: FuturesInstrument
}

/** The account, wallet and contract that a command of futures settings means. */
export function targetOf(reading: Reading, uid: number, version: Interface, id: InstrumentId): Target | Refusal {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  if (account.mode === 'classic' && version === 'v3') return { kind: 'account-mode-unsuitable' }
  const instrument = reading.catalog.instruments[id]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  return { account, wallet: readingWallet(account, version, instrument.category), instrument }
}

/** One-way mode has one leverage for both margin modes: it always acts on the mode in force. */
function modeMeant(reading: Reading, exposure: Exposure, named: SetLeverage['marginMode']): Exposure['marginMode'] {
  return isHedged(reading, exposure) ? (named ?? exposure.marginMode) : exposure.marginMode
}

function leverageOutOfRange(instrument: FuturesInstrument, leverage: number): Refusal | undefined {
  const { leverageMin, leverageMax } = instrument
  if (Number.isInteger(leverage) && leverage >= leverageMin && leverage <= leverageMax) return undefined
  return { kind: 'leverage-out-of-range', minimum: leverageMin, maximum: leverageMax }
}

function tierRefusal(reading: Reading, exposure: Exposure, leverage: number): Refusal | undefined {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  const mark = reading.prices.markPrice(instrument.id)
  const scale = reading.scale(instrument.id)
  const long = (exposure.long?.quantity ?? 0) + exposure.buyQuantity
  const short = (exposure.short?.quantity ?? 0) + exposure.sellQuantity
  const larger = Math.max(long, short)
  if (larger === 0) return undefined
  const highest = tierLeverageMax(instrument, scale, larger as Lots, mark)
  return leverage > highest
    ? { kind: 'leverage-out-of-range', minimum: instrument.leverageMin, maximum: highest }
    : undefined
}

/**
 * What the margin account must have available for the new leverage. Undefined when the orders would ask for too much.
 * Undefined too when an isolated position gives up margin and its equity would fall below the new initial margin.
 */
function extraNeed(
  reading: Reading,
  exposure: Exposure,
  mode: MarginMode,
  { leverage, side }: Wish,
): bigint | undefined {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  let need = orderNeed(reading, instrument, exposure, leverage, side)
  if (need === undefined) return undefined
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  for (const position of meantPositions(reading, exposure, side)) {
    if (mode === 'cross') {
      const before = initialMarginOf(scale, position.quantity, mark, exposure.leverage)
      need += initialMarginOf(scale, position.quantity, mark, leverage) - before
    } else {
      const change = isolatedChange(reading, exposure, position, leverage)
      need += change
      const equity = position.margin + change + unrealizedPnl(scale, position, mark)
      if (change < 0n && equity < initialMarginOf(scale, position.quantity, mark, leverage)) return undefined
    }
  }
  return need
}

/**
 * Change of what the resting opening orders hold: of what they ask for, only the part that would open is held.
 * Undefined when they would ask for more than the venue's numbers carry.
 */
function orderNeed(
  reading: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  leverage: number,
  side: PositionSide | undefined,
): bigint | undefined {
  const supposed = reading.futures.copyOf(exposure)
  for (const row of openingRows(reading, exposure, side)) {
    const change = holdOf(reading, instrument, row, leverage) - reading.orders.hold.at(row)
    supposed.addOpening(reading.orders.sideOf(row), 0, change)
  }
  const more = supposed.buyHold + supposed.sellHold - exposure.buyHold - exposure.sellHold
  if (more > 0n && !canHold(reading, exposure, more)) return undefined
  return requiredHold(supposed, isHedged(reading, exposure)) - exposure.held
}

/** What a leverage takes of a coin: as margin of the margin account, or set apart with isolated positions. */
interface Need {
  readonly coin: CoinId
  readonly units: bigint
  readonly isolated: boolean
}

/** Whether the wallet can afford all needs: in each coin what is set apart, and in margin what all of them come to. */
function affords(reading: Reading, account: AccountHandle, wallet: WalletType, needs: readonly Need[]): boolean {
  for (const { coin } of needs) {
    const ofCoin = needs.filter((need) => need.coin === coin)
    const apart = ofCoin.filter(({ isolated }) => isolated).reduce((sum, { units }) => sum + units, 0n)
    if (apart > 0n && apart > marginAccountTransferable(reading, account, wallet, coin)) return false
    const all = ofCoin.reduce((sum, { units }) => sum + units, 0n)
    if (wallet !== 'uta' && all > 0n && all > marginAccountAvailable(reading, account, wallet, coin)) return false
  }
  if (wallet !== 'uta') return true
  const usd = needs.reduce((sum, { coin, units }) => sum + usdCeil(units, reading.prices.usdE8(coin)), 0n)
  if (usd <= 0n) return true
  const { equity, initial } = unifiedMargin(reading, account)
  return usd <= equity - initial
}

/** The positions that a wish acts on: in isolated hedge mode that of its side, else both. Of an exposure's row they are rows. */
export function meantPositions<P extends Position>(
  reading: Reading,
  exposure: Exposure & { readonly long: P | undefined; readonly short: P | undefined },
  side: PositionSide | undefined,
): P[] {
  const hedgedIsolated = exposure.marginMode === 'isolated' && isHedged(reading, exposure)
  const sides: readonly PositionSide[] = side !== undefined && hedgedIsolated ? [side] : ['long', 'short']
  return sides.map((meant) => positionOf(exposure, meant)).filter((position) => position !== undefined)
}

/** Isolated margin to move into (or, negative, out of) a position: the difference of the initial margins at entry. */
export function isolatedChange(reading: Reading, exposure: Exposure, position: Position, leverage: number): Amount {
  const before = leverageOf(exposure, position.side, isHedged(reading, exposure))
  const entry = position.entryValue < 0n ? -position.entryValue : position.entryValue
  const at = (divisor: number) => (entry + big(divisor) - 1n) / big(divisor)
  const change = at(leverage) - at(before)
  return amount(-change > position.margin ? -position.margin : change)
}

/** Resting orders of an exposure that open, and whose hold a wish changes. */
export function openingRows(reading: Reading, exposure: Exposure, side: PositionSide | undefined): Row[] {
  const { orders } = reading
  const oneSide = side !== undefined && exposure.marginMode === 'isolated' && isHedged(reading, exposure)
  const bookSide = side === 'long' ? 'buy' : 'sell'
  return [...orders.of(reading.accounts.byHandle(exposure.account).firstOrder)].filter(
    (row) =>
      orders.instrument.at(row) === exposure.instrument &&
      orders.walletOf(row) === exposure.wallet &&
      orders.registered.at(row) === 1 &&
      !orders.onlyReduces(row) &&
      (!oneSide || orders.sideOf(row) === bookSide),
  )
}

/** What a resting order asks for at a leverage. */
export function holdOf(reading: Reading, instrument: FuturesInstrument, row: Row, leverage: number): Amount {
  const { orders } = reading
  const order = {
    long: orders.sideOf(row) === 'buy',
    quantity: orders.remaining.at(row) as Lots,
    price: orders.price.at(row) as Ticks,
    leverage,
  }
  return orderHold(reading, instrument, order)
}
