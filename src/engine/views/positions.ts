/**
 * Views of positions, futures wallets and settings of contracts, for queries.
 *
 * Source  risk-engine.md §21; interface.md "Futures position", "Futures asset entry"
 */
import {
  type FuturesInstrument,
  initialMarginOf,
  type InstrumentId,
  isFutures,
  type ProductLine,
  tierValue,
  valueFloor,
} from '../catalog/catalog.ts'
import {
  breakEvenPrice,
  crossMargin,
  marginAccountAvailable,
  marginAccountTransferable,
  isHedged,
  liquidationPrice,
  maintenanceRate,
  marginRatio,
  riskBook,
  poolRatio,
  unifiedLiquidationPrice,
  unifiedMargin,
} from '../margin/margin.ts'
import {
  type Amount,
  cappedAmount,
  divCeil,
  divFloor,
  type Lots,
  maxAmount,
  oneCoin,
  rate,
  zero,
} from '../numbers/numbers.ts'
import type { FuturesAssetView, PositionView, SymbolSettingView } from '../protocol/query.ts'
import { debtOf, nearestTpsl, readingWallet } from '../records/records.ts'
import {
  type Account,
  closingOf,
  entryNotional,
  type Exposure,
  largerSide,
  leverageOf,
  type Position,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import type { Interface, Uid, WalletType } from '../vocabulary.ts'

/** Settings of every contract, or of one, defaults included. */
export function symbolSettings(
  reading: Reading,
  account: Account,
  version: Interface,
  only: InstrumentId | undefined,
): SymbolSettingView[] {
  return reading.catalog.instruments
    .filter(isFutures)
    .filter((instrument) => only === undefined || instrument.id === only)
    .map((instrument) => {
      const wallet = readingWallet(account, version, instrument.category)
      const { marginMode, leverage, leverageLong, leverageShort } = reading.futures.findOrNew(
        account.handle,
        wallet,
        instrument,
      )
      return { instrument: instrument.id, marginMode, leverage, leverageLong, leverageShort }
    })
}

/** Lots of a contract over all wallets, long less short. */
export function netPosition(
  reading: Reading,
  { uid, instrument }: { readonly uid: Uid; readonly instrument: InstrumentId },
): number {
  const account = reading.accounts.byUid(uid)
  let lots = 0
  if (account === undefined) return lots
  const { futures } = reading
  for (let exposure = futures.first(account.handle); exposure !== undefined; exposure = futures.next(exposure)) {
    if (exposure.instrument === instrument) lots += exposure.longQuantity - exposure.shortQuantity
  }
  return lots
}

/** Open positions of a product line, or of one contract of it, in the wallet that a read shows. */
export function positionViews(
  reading: Reading,
  account: Account,
  version: Interface,
  line: ProductLine,
  only: InstrumentId | undefined,
): PositionView[] {
  const wallet = readingWallet(account, version, line)
  const views: PositionView[] = []
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    if (exposure.wallet !== wallet || (only !== undefined && exposure.instrument !== only)) continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    if (instrument.category !== line) continue
    for (const position of [exposure.long, exposure.short]) {
      if (position !== undefined) views.push(positionView(reading, account, instrument, exposure, position))
    }
  }
  return views
}

function positionView(
  reading: Reading,
  account: Account,
  instrument: FuturesInstrument,
  exposure: Exposure,
  position: Position,
): PositionView {
  const scale = reading.scale(instrument.id)
  const mark = reading.prices.markPrice(instrument.id)
  const hedged = isHedged(reading, exposure)
  const long = position.side === 'long'
  const isolated = exposure.marginMode === 'isolated'
  const unified = exposure.wallet === 'uta' && !isolated
  const leverage = leverageOf(exposure, position.side, hedged)
  const pnl = unrealizedPnl(scale, position, mark)
  // Of a cross hedge the larger side decides the tier (risk-engine §7).
  const value = tierValue(scale, isolated ? position.quantity : largerSide(exposure), mark)
  const fees = cappedAmount(position.openFees + position.closeFees)
  const book = riskBook(reading, instrument, exposure, position)
  return {
    positionId: position.id,
    instrument: instrument.id,
    wallet: exposure.wallet,
    side: position.side,
    quantity: position.quantity,
    locked: closingOf(exposure, position.side) as Lots,
    opening: (long ? exposure.buyQuantity : exposure.sellQuantity) as Lots,
    openingNotional: openingNotional(reading, exposure, long),
    margin: isolated ? position.margin : initialMarginOf(scale, position.quantity, mark, exposure.leverage),
    leverage,
    marginMode: exposure.marginMode,
    holdMode: account.holdMode[instrument.category],
    realizedPnl: position.realizedPnl,
    unrealizedPnl: pnl,
    entryNotional: cappedAmount(entryNotional(position)),
    markPrice: mark,
    liquidationPrice: unified ? unifiedLiquidationPrice(reading, exposure) : liquidationPrice(instrument, scale, book),
    maintenanceRate: maintenanceRate(instrument, value),
    marginRatio: marginRatio(reading, instrument, exposure, position),
    breakEvenPrice: breakEvenPrice(instrument, scale, {
      long,
      quantity: position.quantity,
      entryValue: position.entryValue,
      fees: position.openFees,
      funding: position.funding ?? 0n,
    }) as PositionView['breakEvenPrice'],
    funding: position.funding,
    fees,
    assetMode: exposure.wallet === 'uta' ? 'union' : 'single',
    autoMargin: exposure.autoMargin,
    ...nearestTpsl(reading, exposure, position.side),
    openedAt: position.openedAt,
    updatedAt: position.updatedAt,
  }
}

/** Notional of the resting orders that would open a side: each rounded down, quote units (linear) or base units (inverse). */
function openingNotional(reading: Reading, exposure: Exposure, long: boolean): Amount {
  const { orders } = reading
  const scale = reading.scale(exposure.instrument)
  let sum = 0n
  for (const row of orders.of(reading.accounts.byHandle(exposure.account).firstOrder)) {
    if (orders.instrument.at(row) !== exposure.instrument || orders.walletOf(row) !== exposure.wallet) continue
    if (orders.registered.at(row) === 0 || orders.onlyReduces(row) || (orders.sideOf(row) === 'buy') !== long) continue
    sum += valueFloor(scale, orders.remaining.at(row), orders.price.at(row))
  }
  return cappedAmount(sum)
}

/** Assets of the product line's margin coins in the account's futures wallet. */
export function futuresAssets(
  reading: Reading,
  account: Account,
  version: Interface,
  line: ProductLine,
): FuturesAssetView[] {
  const wallet = readingWallet(account, version, line)
  const coins = new Set(
    reading.catalog.instruments
      .filter(isFutures)
      .filter((instrument) => instrument.category === line)
      .map((instrument) => instrument.settle),
  )
  return [...coins].map((coin) => futuresAsset(reading, account, wallet, coin, line))
}

function futuresAsset(
  reading: Reading,
  account: Account,
  wallet: WalletType,
  coin: number,
  line: ProductLine,
): FuturesAssetView {
  const slot = reading.ledger.find(account.handle, wallet, coin)
  const cross = crossMargin(reading, account.handle, wallet, coin)
  let isolatedPnl = 0n
  let isolatedMargin = 0n
  let lineHeld = 0n
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    if (exposure.wallet !== wallet || instrument.settle !== coin) continue
    if (instrument.category === line) lineHeld += exposure.held
    if (exposure.marginMode !== 'isolated') continue
    for (const position of [exposure.long, exposure.short]) {
      if (position === undefined) continue
      isolatedPnl += unrealizedPnl(reading.scale(instrument.id), position, reading.prices.markPrice(instrument.id))
      isolatedMargin += position.margin
    }
  }
  // What a unified wallet owes in the coin is its balance below zero.
  const balance = reading.ledger.balanceOf(slot) - debtOf(reading, slot)
  const equity = cappedAmount(balance + isolatedMargin + isolatedPnl + cross.unrealizedPnl)
  const free = reading.ledger.freeOf(slot)
  const unified = wallet === 'uta' ? unifiedMargin(reading, account.handle) : undefined
  return {
    coin,
    wallet,
    held: wallet === 'uta' ? cappedAmount(lineHeld) : reading.ledger.heldOf(slot),
    crossMaxAvailable: maxAmount(zero, marginAccountAvailable(reading, account.handle, wallet, coin)),
    isolatedMaxAvailable: maxAmount(zero, cappedAmount(free - cross.initialMargin)),
    maxTransferOut: marginAccountTransferable(reading, account.handle, wallet, coin),
    equity,
    usdtEquity: converted(reading, equity, coin, 'USDT'),
    btcEquity: converted(reading, equity, coin, 'BTC'),
    unrealizedPnl: cappedAmount(isolatedPnl + cross.unrealizedPnl),
    crossUnrealizedPnl: cross.unrealizedPnl,
    isolatedUnrealizedPnl: cappedAmount(isolatedPnl),
    crossMargin: cross.initialMargin,
    unifiedMaintenance:
      unified === undefined ? zero : cappedAmount(divCeil(unified.maintenance * oneCoin, reading.prices.usdE8(coin))),
    unifiedRatio: unified === undefined ? rate(0n) : poolRatio(unified),
    isolatedMargin: cappedAmount(isolatedMargin),
    assetMode: wallet === 'uta' ? 'union' : 'single',
    updatedAt: reading.ledger.updatedAt[slot],
  }
}

/** Value in another coin at index prices, rounded down, however much it is; zero when that coin is not listed. */
function converted(reading: Reading, units: Amount, coin: number, into: string): bigint {
  const target = reading.catalog.coins.find(({ name }) => name === into)
  const price = target === undefined ? 0n : reading.prices.usdE8(target.id)
  if (price === 0n) return zero
  return divFloor(units * reading.prices.usdE8(coin), price)
}
