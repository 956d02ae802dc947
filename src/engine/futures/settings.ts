/**
 * Leverage, margin mode and hold mode of contracts.
 *
 * Leverage   acts on the margin mode in force: cross changes what positions need, isolated moves margin between wallet
 *            and position; resting orders hold by the new leverage; refused when margin does not suffice or a tier
 *            caps it (design §4.16, §4.37)
 * Modes      change only without positions and orders of the symbol (margin mode) or product line (hold mode)
 * Source     interface.md E12; design.md §3, §4.16
 */
import { type Account, readingWallet } from '../accounts/accounts.ts'
import {
  type CoinId,
  type FuturesInstrument,
  initialMarginOf,
  type InstrumentId,
  isFutures,
  productLines,
} from '../catalog/catalog.ts'
import { type Amount, amount, big, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { SetAllLeverage, SetHoldMode, SetLeverage, SetMarginMode, SetSideLeverages } from '../protocol/command.ts'
import { done, type Refusal, refused, type Reply } from '../protocol/reply.ts'
import {
  addOpening,
  type Exposure,
  leverageOf,
  type Position,
  positionOf,
  type Reading,
  unrealizedPnl,
  type Venue,
} from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { AccountHandle, Interface, PositionSide, WalletType } from '../vocabulary.ts'
import { mayFreeze } from './bounds.ts'
import {
  domainAvailable,
  domainTransferable,
  isHedged,
  orderFreeze,
  requiredHold,
  tierLeverageMax,
  updateHold,
} from './margin.ts'
import { moveMargin } from './positions.ts'
import { unionStanding, usdCeil } from './union.ts'

interface Target {
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: FuturesInstrument
}

function targetOf(venue: Reading, uid: number, version: Interface, id: InstrumentId): Target | Refusal {
  const account = venue.accounts.byUid(uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.mode === 'upgrading' || account.mode === 'switching') return { kind: 'account-changing-mode' }
  if (account.mode === 'classic' && version === 'v3') return { kind: 'account-mode-unsuitable' }
  const instrument = venue.catalog.instruments[id]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  return { account, wallet: readingWallet(account, version, instrument.category), instrument }
}

function leverageOutOfRange(instrument: FuturesInstrument, leverage: number): Refusal | undefined {
  const { leverageMin, leverageMax } = instrument
  if (Number.isInteger(leverage) && leverage >= leverageMin && leverage <= leverageMax) return undefined
  return { kind: 'leverage-out-of-range', minimum: leverageMin, maximum: leverageMax }
}

export function setLeverage(venue: Venue, command: SetLeverage): Reply {
  const target = targetOf(venue, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange = leverageOutOfRange(target.instrument, command.leverage)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(venue, exposure, command.marginMode)
  const wishes = [{ leverage: command.leverage, side: command.positionSide }]
  return takeWishes(venue, target, exposure, mode, wishes)
}

export function setSideLeverages(venue: Venue, command: SetSideLeverages): Reply {
  const target = targetOf(venue, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const outOfRange =
    leverageOutOfRange(target.instrument, command.long) ?? leverageOutOfRange(target.instrument, command.short)
  if (outOfRange !== undefined) return refused(outOfRange)
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  const mode = modeMeant(venue, exposure, command.marginMode)
  const twoSided = mode === 'isolated' && isHedged(venue, exposure)
  if (!twoSided) return takeWishes(venue, target, exposure, mode, [{ leverage: command.long, side: undefined }])
  const long: Wish = { leverage: command.long, side: 'long' }
  const short: Wish = { leverage: command.short, side: 'short' }
  // A higher leverage gives margin back: it goes first, so that the wallet has it for the other side.
  const wishes = command.short > exposure.leverageShort ? [short, long] : [long, short]
  return takeWishes(venue, target, exposure, mode, wishes)
}

/** One-way mode has one leverage for both margin modes: it always acts on the mode in force. */
function modeMeant(venue: Reading, exposure: Exposure, named: SetLeverage['marginMode']): Exposure['marginMode'] {
  return isHedged(venue, exposure) ? (named ?? exposure.marginMode) : exposure.marginMode
}

interface Wish {
  readonly leverage: number
  readonly side: PositionSide | undefined
}

/** All of them, or none. */
function takeWishes(
  venue: Venue,
  { account, instrument }: Target,
  exposure: Exposure,
  mode: Exposure['marginMode'],
  wishes: readonly Wish[],
): Reply {
  const refusal = leverageRefusal(venue, instrument, exposure, mode, wishes)
  if (refusal !== undefined) return refused(refusal)
  const kept = venue.futures.keep(exposure)
  for (const { leverage, side } of wishes) takeLeverage(venue, instrument, kept, mode, leverage, side)
  venue.emit({ kind: 'margin-changed', uid: account.uid })
  return done
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

/** What a leverage would take, or why it would be refused whatever the account has. Nothing is written. */
export function leverageNeed(
  venue: Reading,
  ask: { readonly uid: number; readonly interface: Interface; readonly instrument: InstrumentId } & LeverageWish,
): LeverageNeed | Refusal {
  const target = targetOf(venue, ask.uid, ask.interface, ask.instrument)
  if ('kind' in target) return target
  const { instrument } = target
  for (const leverage of [ask.long, ask.short]) {
    const outOfRange = leverageOutOfRange(instrument, leverage)
    if (outOfRange !== undefined) return outOfRange
  }
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, instrument)
  // A mode that is not in force has neither positions nor orders.
  if (ask.marginMode !== exposure.marginMode) return { exposure, required: 0n, change: 0n }
  const wishes =
    ask.long === ask.short
      ? ([[ask.long, undefined]] as const)
      : ([
          [ask.long, 'long'],
          [ask.short, 'short'],
        ] as const)
  let change = 0n
  for (const [leverage, side] of wishes) {
    const tier = tierRefusal(venue, instrument, exposure, leverage)
    if (tier !== undefined) return tier
    const need = extraNeed(venue, instrument, exposure, ask.marginMode, leverage, side)
    if (need === undefined) return { kind: 'leverage-margin-short' }
    change += need
  }
  return { exposure, required: marginNow(venue, instrument, exposure) + change, change }
}

/** Margin of the positions and what the orders hold. */
function marginNow(venue: Reading, instrument: FuturesInstrument, exposure: Exposure): bigint {
  const mark = venue.prices.markPrice(instrument.id)
  const isolated = exposure.marginMode === 'isolated'
  return [exposure.long, exposure.short].reduce((sum, position) => {
    if (position === undefined) return sum
    if (isolated) return sum + position.margin
    return sum + initialMarginOf(venue.scale(instrument.id), position.quantity, mark, exposure.leverage)
  }, exposure.held)
}

export function setAllLeverage(venue: Venue, command: SetAllLeverage): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const line = venue.catalog.instruments.filter(isFutures).filter((one) => one.category === command.line)
  const meant = command.instrument === undefined ? line : line.filter((one) => one.id === command.instrument)
  if (command.instrument !== undefined && meant.length === 0) return refused({ kind: 'instrument-unknown' })
  const ranges = meant.map((one) => leverageOutOfRange(one, command.leverage))
  // Outside every symbol's range it is a wrong parameter, not a failure (design §4.36).
  if (meant.length > 0 && ranges.every((range) => range !== undefined)) return refused(ranges[0])
  const wallet = readingWallet(account, 'v2', command.line)
  const exposures = meant
    .map((one) => venue.futures.findOrNew(account.handle, wallet, one))
    .filter((one) => command.instrument !== undefined || one.long !== undefined || one.short !== undefined)
  const needs: Need[] = []
  for (const exposure of exposures) {
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    const { marginMode } = exposure
    if (leverageOutOfRange(instrument, command.leverage) !== undefined) return { kind: 'leverage-set', taken: false }
    if (tierRefusal(venue, instrument, exposure, command.leverage) !== undefined) {
      return { kind: 'leverage-set', taken: false }
    }
    const need = extraNeed(venue, instrument, exposure, marginMode, command.leverage, command.positionSide)
    if (need === undefined) return { kind: 'leverage-set', taken: false }
    needs.push({ coin: instrument.settle, units: need, isolated: marginMode === 'isolated' })
  }
  if (!affords(venue, account.handle, wallet, needs)) return { kind: 'leverage-set', taken: false }

  for (const exposure of exposures) {
    const instrument = venue.instrument(exposure.instrument) as FuturesInstrument
    const kept = venue.futures.keep(exposure)
    takeLeverage(venue, instrument, kept, kept.marginMode, command.leverage, command.positionSide)
  }
  venue.emit({ kind: 'margin-changed', uid: command.uid })
  return { kind: 'leverage-set', taken: true }
}

/** Why a symbol cannot take a leverage, or two of them together. */
function leverageRefusal(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  mode: Exposure['marginMode'],
  wishes: readonly Wish[],
): Refusal | undefined {
  // A mode that is not in force has no positions: only the setting changes.
  if (mode !== exposure.marginMode) return undefined
  let units = 0n
  for (const { leverage, side } of wishes) {
    const tier = tierRefusal(venue, instrument, exposure, leverage)
    if (tier !== undefined) return tier
    const need = extraNeed(venue, instrument, exposure, mode, leverage, side)
    if (need === undefined) return { kind: 'leverage-margin-short' }
    units += need
  }
  const needs = [{ coin: instrument.settle, units, isolated: mode === 'isolated' }]
  return affords(venue, exposure.account, exposure.wallet, needs) ? undefined : { kind: 'leverage-margin-short' }
}

/** What a leverage takes of a coin: as margin of the domain, or set apart with isolated positions. */
interface Need {
  readonly coin: CoinId
  readonly units: bigint
  readonly isolated: boolean
}

/** Whether the wallet has all of it: each coin what is set apart, and the margin what all of it comes to. */
function affords(venue: Reading, account: AccountHandle, wallet: WalletType, needs: readonly Need[]): boolean {
  for (const { coin } of needs) {
    const ofCoin = needs.filter((one) => one.coin === coin)
    const apart = ofCoin.filter(({ isolated }) => isolated).reduce((sum, { units }) => sum + units, 0n)
    if (apart > 0n && apart > domainTransferable(venue, account, wallet, coin)) return false
    const all = ofCoin.reduce((sum, { units }) => sum + units, 0n)
    if (wallet !== 'uta' && all > 0n && all > domainAvailable(venue, account, wallet, coin)) return false
  }
  if (wallet !== 'uta') return true
  const usd = needs.reduce((sum, { coin, units }) => sum + usdCeil(units, venue.prices.usdE8(coin)), 0n)
  if (usd <= 0n) return true
  const { equity, initial } = unionStanding(venue, account)
  return usd <= equity - initial
}

function tierRefusal(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  leverage: number,
): Refusal | undefined {
  const mark = venue.prices.markPrice(instrument.id)
  const scale = venue.scale(instrument.id)
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
 * What the domain must have available for the new leverage; undefined when an isolated position could not give up the
 * margin (its equity would fall below the new initial margin) or the orders would ask for too much.
 */
function extraNeed(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  mode: Exposure['marginMode'],
  leverage: number,
  side: PositionSide | undefined,
): bigint | undefined {
  let need = orderNeed(venue, instrument, exposure, leverage, side)
  if (need === undefined) return undefined
  const scale = venue.scale(instrument.id)
  const mark = venue.prices.markPrice(instrument.id)
  for (const position of meantPositions(venue, exposure, side)) {
    if (mode === 'cross') {
      const before = initialMarginOf(scale, position.quantity, mark, exposure.leverage)
      need += initialMarginOf(scale, position.quantity, mark, leverage) - before
    } else {
      const change = isolatedChange(venue, exposure, position, leverage)
      need += change
      const equity = position.margin + change + unrealizedPnl(scale, position, mark)
      if (change < 0n && equity < initialMarginOf(scale, position.quantity, mark, leverage)) return undefined
    }
  }
  return need
}

function meantPositions(venue: Reading, exposure: Exposure, side: PositionSide | undefined): Position[] {
  const hedgedIsolated = exposure.marginMode === 'isolated' && isHedged(venue, exposure)
  const sides: readonly PositionSide[] = side !== undefined && hedgedIsolated ? [side] : ['long', 'short']
  return sides.map((one) => positionOf(exposure, one)).filter((one) => one !== undefined)
}

/** Isolated margin to move into (or, negative, out of) a position: the difference of the initial margins at entry. */
function isolatedChange(venue: Reading, exposure: Exposure, position: Position, leverage: number): Amount {
  const before = leverageOf(exposure, position.side, isHedged(venue, exposure))
  const entry = position.flow < 0n ? -position.flow : position.flow
  const at = (divisor: number) => (entry + big(divisor) - 1n) / big(divisor)
  const change = at(leverage) - at(before)
  return amount(-change > position.margin ? -position.margin : change)
}

/**
 * Change of what the resting opening orders hold: of what they ask for, only the part that would open is held.
 * Undefined when they would ask for more than the venue's numbers carry.
 */
function orderNeed(
  venue: Reading,
  instrument: FuturesInstrument,
  exposure: Exposure,
  leverage: number,
  side: PositionSide | undefined,
): bigint | undefined {
  const supposed = venue.futures.copyOf(exposure)
  for (const row of openingRows(venue, exposure, side)) {
    const change = freezeOf(venue, instrument, row, leverage) - venue.orders.hold.at(row)
    addOpening(supposed, venue.orders.sideOf(row), 0, change)
  }
  const more = supposed.buyFreeze + supposed.sellFreeze - exposure.buyFreeze - exposure.sellFreeze
  if (more > 0n && !mayFreeze(venue, exposure, more)) return undefined
  return requiredHold(supposed, isHedged(venue, exposure)) - exposure.held
}

function openingRows(venue: Reading, exposure: Exposure, side: PositionSide | undefined): Row[] {
  const { orders } = venue
  const oneSide = side !== undefined && exposure.marginMode === 'isolated' && isHedged(venue, exposure)
  const bookSide = side === 'long' ? 'buy' : 'sell'
  return [...orders.of(venue.accounts.byHandle(exposure.account).firstOrder)].filter(
    (row) =>
      orders.instrument.at(row) === exposure.instrument &&
      orders.walletOf(row) === exposure.wallet &&
      orders.registered.at(row) === 1 &&
      !orders.onlyReduces(row) &&
      (!oneSide || orders.sideOf(row) === bookSide),
  )
}

function freezeOf(venue: Reading, instrument: FuturesInstrument, row: Row, leverage: number): Amount {
  const { orders } = venue
  const order = {
    long: orders.sideOf(row) === 'buy',
    quantity: orders.remaining.at(row) as Lots,
    price: orders.price.at(row) as Ticks,
    leverage,
  }
  return orderFreeze(venue, instrument, order)
}

/** Writes a leverage that was found to fit. */
function takeLeverage(
  venue: Venue,
  instrument: FuturesInstrument,
  exposure: Exposure,
  mode: Exposure['marginMode'],
  leverage: number,
  side: PositionSide | undefined,
): void {
  if (mode === exposure.marginMode) {
    if (mode === 'isolated') {
      for (const position of meantPositions(venue, exposure, side)) {
        const change = isolatedChange(venue, exposure, position, leverage)
        moveMargin(venue, exposure, position, change, 'leverage_margin')
      }
    }
    for (const row of openingRows(venue, exposure, side)) {
      const freeze = freezeOf(venue, instrument, row, leverage)
      addOpening(exposure, venue.orders.sideOf(row), 0, freeze - venue.orders.hold.at(row))
      venue.orders.hold.set(row, freeze)
      venue.orders.leverage.set(row, leverage)
    }
  }
  const hedgedIsolated = mode === 'isolated' && isHedged(venue, exposure)
  if (!hedgedIsolated) exposure.leverage = leverage
  if (mode === 'isolated') {
    if (side !== 'short' || !hedgedIsolated) exposure.leverageLong = leverage
    if (side !== 'long' || !hedgedIsolated) exposure.leverageShort = leverage
  }
  updateHold(venue, exposure)
}

export function setMarginMode(venue: Venue, command: SetMarginMode): Reply {
  const target = targetOf(venue, command.uid, command.interface, command.instrument)
  if ('kind' in target) return refused(target)
  const exposure = venue.futures.findOrNew(target.account.handle, target.wallet, target.instrument)
  if (exposure.marginMode === command.marginMode) return done
  if (inUse(exposure)) return refused({ kind: 'margin-mode-in-use' })

  venue.futures.keep(exposure).marginMode = command.marginMode
  return done
}

export function setHoldMode(venue: Venue, command: SetHoldMode): Reply {
  const account = venue.accounts.byUid(command.uid)
  if (account === undefined) return refused({ kind: 'account-unknown' })
  if (account.mode === 'upgrading' || account.mode === 'switching') return refused({ kind: 'account-changing-mode' })
  const lines = command.line === undefined ? productLines : [command.line]
  const changing = lines.filter((line) => account.holdMode[line] !== command.holdMode)
  for (const exposure of venue.futures.ofAccount(account.handle)) {
    const { category } = venue.instrument(exposure.instrument) as FuturesInstrument
    if (changing.includes(category) && inUse(exposure)) return refused({ kind: 'hold-mode-in-use' })
  }
  // A plan to close would open in the other mode.
  for (const row of venue.triggers.of(account.handle)) {
    const instrument = venue.instrument(venue.triggers.instrument.at(row))
    if (isFutures(instrument) && changing.includes(instrument.category)) return refused({ kind: 'hold-mode-in-use' })
  }

  const changed = Object.fromEntries(changing.map((line) => [line, command.holdMode]))
  account.holdMode = { ...account.holdMode, ...changed }
  return done
}

/** Has a position or an open order. */
export function inUse(exposure: Exposure): boolean {
  const { long, short, buyQuantity, sellQuantity, closingLong, closingShort } = exposure
  return long !== undefined || short !== undefined || buyQuantity + sellQuantity + closingLong + closingShort > 0
}
