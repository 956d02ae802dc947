/**
 * Orders of people who want to trade now: market orders, and limit orders that are filled at once or not at all.
 *
 * Side      that of the orders before it (bursts.ts), or at random: with the mood of takers, and against what the taker
 *           holds already, so that its positions stay small
 * Size      mostly small, now and then large, never beyond the instrument's limits
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { PlaceOrder } from '../engine/protocol/command.ts'
import type { DepthView } from '../engine/protocol/query.ts'
import type { Side } from '../engine/vocabulary.ts'
import { orderFor } from './orders.ts'
import type { SimulatorParameters } from './parameters.ts'
import type { Random } from './random.ts'
import { lotsFor, priceOf, spendFor, ticksFor } from './scale.ts'

/** A limit order goes this far through the best price. */
const throughBps = 3

export interface TakeSituation {
  readonly uid: number
  readonly instrument: Instrument
  /** The best level of each side is enough. */
  readonly depth: DepthView
  /** Value that the taker holds in this instrument, negative when it owes. */
  readonly inventory: number
  /** What takers prefer: 1 all buy, -1 all sell. */
  readonly takerBias: number
  /** Given by the orders that it follows. */
  readonly side: Side | undefined
  /** For how many orders it stands, in a long step. */
  readonly times: number
}

/** What orders vary by, as a power of e: on average they are twice as large as the typical one. */
export const takeNotionalWidth = 1.2

/** Undefined when there is nothing to take on the side that it would be. */
export function planTake(
  { uid, instrument, depth, inventory, takerBias, side: followed, times }: TakeSituation,
  random: Random,
  parameters: SimulatorParameters,
): PlaceOrder | undefined {
  const load = Math.max(-1, Math.min(1, inventory / parameters.inventoryNotional))
  const side: Side = followed ?? (random.happens(0.5 + 0.4 * takerBias - 0.45 * load) ? 'buy' : 'sell')
  const isMarket = random.happens(parameters.marketOrderShare)
  const notional =
    times * Math.min(parameters.takeNotionalMax, random.spread(parameters.takeNotional, takeNotionalWidth))
  const [best] = side === 'buy' ? depth.asks : depth.bids
  if (best === undefined) return undefined
  const price = priceOf(instrument, best[0])

  if (isMarket && instrument.kind === 'spot' && side === 'buy') {
    const quantity = { unit: 'quote', amount: spendFor(instrument, notional) } as const
    return orderFor(uid, instrument, { side, orderType: 'market', price: 0, quantity, timeInForce: 'ioc' })
  }
  const orderType = isMarket ? 'market' : 'limit'
  const lots = lotsFor(instrument, notional, price, orderType)
  if (lots === undefined) return undefined
  const through = price * (1 + ((side === 'buy' ? 1 : -1) * throughBps) / 1e4)
  return orderFor(uid, instrument, {
    side,
    orderType,
    price: isMarket ? 0 : ticksFor(instrument, through, side),
    quantity: { unit: 'lots', lots },
    timeInForce: 'ioc',
  })
}
