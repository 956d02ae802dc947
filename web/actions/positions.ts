/** Positions: closing, reversing, their margin, their take-profit and stop-loss. Changed margin is read anew, the rest is pushed. */
import { money } from '../numbers/format.ts'
import { readAnew, wholeTpslOf } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import type { OrderDraft } from '../venue/account.ts'
import type { Position } from '../venue/account-records.ts'
import { carryOut, newName, sentOnce } from './carry-out.ts'
import { t } from '../words/words.ts'

/** A part at market or at a price; all of it at market by the venue's own call. */
export function closePosition(position: Position, part?: { quantity: string; price?: string }): Promise<boolean> {
  const { category, symbol, side, hedge, marginMode } = position
  return carryOut(t.told.notClosed(symbol), async (account) => {
    const instrument = instrumentNamed(category, symbol)
    if (part === undefined || instrument === undefined) {
      await account.close(position)
      return undefined
    }
    const { quantity, price = '' } = part
    const close: OrderDraft = {
      instrument,
      quantity,
      price,
      marginMode,
      side: side === 'long' ? 'sell' : 'buy',
      orderType: price === '' ? 'market' : 'limit',
      timeInForce: 'gtc',
      posSide: hedge ? side : undefined,
      reduces: true,
      trigger: undefined,
      takeProfit: undefined,
      stopLoss: undefined,
      stpMode: undefined,
      clientOid: newName(),
    }
    await sentOnce(() => account.place(close))
    return undefined
  })
}

/** One after another, all at market; the first that the venue refuses ends it. */
export function closePositions(positions: readonly Position[]): Promise<boolean> {
  return carryOut(t.told.notEveryClosed, async (account) => {
    for (const position of positions) await account.close(position)
    return t.told.closed(positions.length)
  })
}

export function reversePosition(position: Position): Promise<boolean> {
  return carryOut(t.told.notReversed(position.symbol), async (account) => {
    await account.reverse(position, newName)
    return undefined
  })
}

export function changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<boolean> {
  const { symbol, marginCoin } = position
  return carryOut(t.told.marginNotChanged(symbol), async (account) => {
    await account.changeMargin(position, operation, amount)
    readAnew('positions')
    const told = `${money(amount)} ${marginCoin}`
    return operation === 'add' ? t.told.marginAdded(symbol, told) : t.told.marginTaken(symbol, told)
  })
}

/** Take-profit and stop-loss of the whole position: what waits and is empty now is taken away, after the rest is set. */
export function setPositionTpsl(position: Position, tpsl: { takeProfit: string; stopLoss: string }): Promise<boolean> {
  const { symbol } = position
  const { takeProfit, stopLoss } = tpsl
  const emptied = wholeTpslOf(position).filter(
    (trigger) => (trigger.takeProfit !== '' && takeProfit === '') || (trigger.stopLoss !== '' && stopLoss === ''),
  )
  const sets = takeProfit !== '' || stopLoss !== ''
  return carryOut(t.told.tpslNotSet(symbol), async (account) => {
    if (sets) await account.setTpsl(position, tpsl)
    for (const trigger of emptied) await account.cancelTrigger(trigger)
    return sets ? t.told.tpslSet(symbol) : t.told.tpslRemoved(symbol)
  })
}
