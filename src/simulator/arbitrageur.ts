/**
 * The arbitrageur: sells a coin where it is dearest and buys it where it is cheapest, among its books and the index, when
 * that pays more than a threshold. So pairs and contracts stay near each other and near the index, and premiums, which
 * funding is made of, have the sign of the crowded side.
 *
 * Elsewhere  the index stands for all other venues: a leg there costs `elsewhereBps` and is no order of ours
 * Size       what both best levels have, at most `arbitrageNotional`
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { Ticks } from '../engine/numbers/numbers.ts'
import type { PlaceOrder } from '../engine/protocol/command.ts'
import type { Side } from '../engine/vocabulary.ts'
import type { Core } from '../runtime/runtime.ts'
import type { FairValues } from './fair-values.ts'
import { orderFor } from './orders.ts'
import type { SimulatorParameters } from './parameters.ts'
import { lotsFor, lotValue, priceOf } from './scale.ts'

/** Where the coin can be had or sold, and how far from the index, in bps. */
interface Place {
  readonly bps: number
  readonly notional: number
  /** Undefined: elsewhere. */
  readonly book: { readonly instrument: Instrument; readonly price: Ticks } | undefined
}

export class Arbitrageur {
  readonly #core: Core
  readonly #uid: number
  readonly #parameters: SimulatorParameters

  constructor(core: Core, uid: number, parameters: SimulatorParameters) {
    this.#core = core
    this.#uid = uid
    this.#parameters = parameters
  }

  /** Among the books of one coin. */
  trade(instruments: readonly Instrument[], fairValues: FairValues): PlaceOrder[] {
    const { arbitrageBps, elsewhereBps, arbitrageNotional } = this.#parameters
    let dear: Place = { bps: -elsewhereBps, notional: Infinity, book: undefined }
    let cheap: Place = { bps: elsewhereBps, notional: Infinity, book: undefined }
    for (const instrument of instruments) {
      const { bids, asks } = this.#core.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
      const fair = fairValues.fair(instrument)
      const bid = placeOf(instrument, bids[0], fair)
      const ask = placeOf(instrument, asks[0], fair)
      if (bid !== undefined && bid.bps > dear.bps) dear = bid
      if (ask !== undefined && ask.bps < cheap.bps) cheap = ask
    }
    if (dear.bps - cheap.bps < arbitrageBps) return []
    const notional = Math.min(arbitrageNotional, dear.notional, cheap.notional)
    return [...this.#leg('sell', dear, notional), ...this.#leg('buy', cheap, notional)]
  }

  #leg(side: Side, { book }: Place, notional: number): PlaceOrder[] {
    if (book === undefined) return []
    const { instrument, price } = book
    const lots = lotsFor(instrument, notional, priceOf(instrument, price))
    if (lots === undefined) return []
    const quantity = { unit: 'lots', lots } as const
    return [orderFor(this.#uid, instrument, { side, orderType: 'limit', price, quantity, timeInForce: 'ioc' })]
  }
}

function placeOf(instrument: Instrument, level: readonly [Ticks, number] | undefined, fair: number): Place | undefined {
  if (level === undefined || fair === 0) return undefined
  const [price, lots] = level
  const shown = priceOf(instrument, price)
  return { bps: (shown / fair - 1) * 1e4, notional: lots * lotValue(instrument, shown), book: { instrument, price } }
}
