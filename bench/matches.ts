/**
 * What a match emits to the history: a trade, two fills and two orders that have ended with it.
 */
import type { InstrumentId } from '../src/engine/catalog/catalog.ts'
import { amount, lots, ticks } from '../src/engine/numbers/numbers.ts'
import type { Event, FillEvent, OrderRecord } from '../src/engine/protocol/event.ts'
import type { Uid } from '../src/engine/vocabulary.ts'

export const rowsPerMatch = 5

interface Match {
  /** Counts from 1; its orders and executions are numbered by it. */
  readonly id: number
  readonly at: number
  readonly instrument: InstrumentId
  readonly maker: Uid
  readonly taker: Uid
}

/** Of a contract against USDT. */
export function matchOf({ id, at, instrument, maker, taker }: Match, draw: () => number): Event[] {
  const price = ticks(500_000 + Math.floor(draw() * 1_000))
  const quantity = lots(1 + Math.floor(draw() * 10_000))
  const events: Event[] = [{ kind: 'trade', matchId: id, instrument, price, quantity, side: 'buy', at }]
  for (const scope of ['maker', 'taker'] as const) {
    const orderId = 2 * id + (scope === 'maker' ? 0 : 1)
    const shared = {
      orderId,
      clientOid: `c${orderId}`,
      uid: scope === 'maker' ? maker : taker,
      wallet: 'uta',
      category: 'USDT-FUTURES',
      instrument,
      side: scope === 'taker' ? 'buy' : 'sell',
      bookSide: scope === 'taker' ? 'buy' : 'sell',
      orderType: 'limit',
      cause: 'user',
      holdMode: 'one_way_mode',
      positionSide: 'net',
      price,
      quantity,
      fee: amount(BigInt(quantity) * 20n),
      feeCoin: 4,
      realizedPnl: amount(0n),
    } as const
    const notional = amount(BigInt(price) * BigInt(quantity) * 10_000n)
    const fill: FillEvent = {
      ...shared,
      kind: 'fill',
      execId: orderId,
      matchId: id,
      scope,
      effect: 'open',
      notional,
      balance: notional,
      paidCoin: undefined,
      paidBalance: amount(0n),
      baseAmount: amount(0n),
      at,
    }
    const order: OrderRecord = {
      ...shared,
      timeInForce: 'gtc',
      cut: lots(0),
      quoteAmount: amount(0n),
      baseAmount: amount(0n),
      filled: quantity,
      filledNotional: notional,
      averagePriceE8: 60_000_00000000n,
      status: 'filled',
      cancelReason: '',
      intent: 'single',
      reduceOnly: false,
      marginMode: 'cross',
      leverage: 20,
      stpMode: 'none',
      takeProfit: undefined,
      stopLoss: undefined,
      loanType: 'normal',
      positionEntryE8: 5_000_000_000_000n,
      channelCode: '',
      createdAt: at,
      updatedAt: at,
    }
    events.push(fill, { kind: 'order-ended', order })
  }
  return events
}
