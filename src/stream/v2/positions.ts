/**
 * The position channels of v2: every open position of a futures line in each push, and those that have closed.
 *
 * Source   wire/websocket.md §4 "positions"
 */
import { averagePrice, closingAverage, v2 } from '../../api/api.ts'
import type { FuturesInstrument, ProductLine } from '../../engine/catalog/catalog.ts'
import { divHalfUp, formatDecimal } from '../../engine/numbers/numbers.ts'
import type { PositionClosed } from '../../engine/protocol/event.ts'
import type { PositionView } from '../../engine/protocol/query.ts'
import type { AccountPicture, AccountUpdate, PrivateChannel } from '../socket-protocol.ts'
import { covers, named, type Scope } from './scope.ts'

/** Undefined: the category has no positions. */
export function positionChannel(scope: Scope): PrivateChannel | undefined {
  const { category, instrument } = scope
  if (category === 'SPOT' || category === 'MARGIN') return undefined
  return { ...named('positions', scope), state: (picture) => positionRows(category, instrument, picture) }
}

function positionRows(line: ProductLine, instrument: Scope['instrument'], { core, catalog, account }: AccountPicture) {
  return core
    .query({ kind: 'positions', uid: account.uid, interface: 'v2', line, instrument })
    .filter(({ quantity }) => quantity > 0)
    .map((position) => positionRow(position, v2.mixPosition(catalog.catalog, position)))
}

function positionRow(position: PositionView, record: ReturnType<typeof v2.mixPosition>) {
  return {
    posId: String(position.positionId),
    instId: record.symbol,
    marginCoin: record.marginCoin,
    marginSize: record.marginSize,
    marginMode: record.marginMode,
    holdSide: record.holdSide,
    posMode: record.posMode,
    total: record.total,
    available: record.available,
    frozen: record.locked,
    openPriceAvg: record.openPriceAvg,
    leverage: position.leverage,
    achievedProfits: record.achievedProfits,
    unrealizedPL: record.unrealizedPL,
    unrealizedPLR: returnOnMargin(position),
    liquidationPrice: record.liquidationPrice,
    keepMarginRate: record.keepMarginRate,
    isolatedMarginRate: position.marginMode === 'isolated' ? record.marginRatio : '0',
    marginRate: record.marginRatio,
    breakEvenPrice: record.breakEvenPrice,
    totalFee: record.totalFee,
    deductedFee: record.deductedFee,
    markPrice: record.markPrice,
    cashDividend: '0',
    assetMode: record.assetMode,
    autoMargin: record.autoMargin,
    cTime: record.cTime,
    uTime: record.uTime,
  }
}

/** Profit over margin, half-up at four decimals, for display. */
function returnOnMargin({ unrealizedPnl, margin }: PositionView): string {
  return margin === 0n ? '0' : formatDecimal(divHalfUp(unrealizedPnl * 10_000n, margin), 4)
}

export function closedPositionChannel(scope: Scope): PrivateChannel | undefined {
  if (scope.category === 'SPOT' || scope.category === 'MARGIN') return undefined
  return {
    ...named('positions-history', scope),
    rowOf(update: AccountUpdate, picture: AccountPicture) {
      if (update.kind !== 'position-closed') return undefined
      const { position } = update
      const instrument = picture.catalog.instrument(position.instrument) as FuturesInstrument
      const record = { category: instrument.category, instrument: instrument.id, wallet: position.wallet }
      return covers(scope, record, picture) ? closedRow(position, instrument, picture) : undefined
    },
  }
}

function closedRow(position: PositionClosed, instrument: FuturesInstrument, { catalog }: AccountPicture) {
  const { openedQuantity, openedNotional, closedNotional } = position
  return {
    posId: String(position.positionId),
    instId: instrument.symbol,
    marginCoin: v2.settleName(catalog.catalog, instrument),
    marginMode: v2.marginModeWord(position.marginMode),
    holdSide: position.side,
    posMode: position.holdMode,
    openPriceAvg: averagePrice(instrument, openedQuantity, openedNotional),
    closePriceAvg: closingAverage(instrument, position),
    openSize: v2.tradedTexts(instrument, openedQuantity, openedNotional).base,
    closeSize: v2.tradedTexts(instrument, openedQuantity, closedNotional).base,
    achievedProfits: v2.amountText(position.realizedPnl),
    settleFee: v2.amountText(position.funding),
    openFee: v2.feeText(position.openFees),
    closeFee: v2.feeText(position.closeFees),
    cTime: String(position.openedAt),
    uTime: String(position.closedAt),
  }
}
