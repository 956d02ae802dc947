/** Positions: closing, reversing, their margin, their take-profit and stop-loss. Changed margin is read anew, the rest is pushed. */
import { money } from '../numbers/format.ts'
import { readAnew } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import type { OrderDraft } from '../venue/account.ts'
import type { Position } from '../venue/account-records.ts'
import { carryOut, newName, sentOnce } from './carry-out.ts'

/** A part at market or at a price; all of it at market by the venue's own call. */
export function closePosition(position: Position, part?: { quantity: string; price?: string }): Promise<boolean> {
  const { category, symbol, side, hedge, marginMode } = position
  return carryOut(`${symbol}: not closed`, async (account) => {
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
  return carryOut('Not everything was closed', async (account) => {
    for (const position of positions) await account.close(position)
    return positions.length === 1 ? '1 position closed' : `${positions.length} positions closed`
  })
}

export function reversePosition(position: Position): Promise<boolean> {
  return carryOut(`${position.symbol}: not reversed`, async (account) => {
    await account.reverse(position, newName)
    return undefined
  })
}

export function changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<boolean> {
  const { symbol, marginCoin } = position
  return carryOut(`${symbol}: margin not changed`, async (account) => {
    await account.changeMargin(position, operation, amount)
    readAnew('positions')
    return `${symbol}: ${money(amount)} ${marginCoin} ${operation === 'add' ? 'added to' : 'taken from'} the margin`
  })
}

/** Take-profit and stop-loss of the whole position; what is empty is left away. */
export function setPositionTpsl(position: Position, tpsl: { takeProfit: string; stopLoss: string }): Promise<boolean> {
  const { symbol } = position
  return carryOut(`${symbol}: take-profit and stop-loss not set`, async (account) => {
    await account.setTpsl(position, tpsl)
    return `${symbol}: take-profit and stop-loss set`
  })
}
