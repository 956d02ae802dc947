/**
 * Take-profit and stop-loss of what an order of a pair has received.
 *
 * Size     what came in less the fee; base coin in whole lots, and what is less than one joins what comes next
 * Side     those of a buy sell the base coin, those of a sell buy back for the quote coin
 * Gone     once one of the two has ended, what comes next gets a new one
 * Holds    nothing: it fails when its wallet has less than it covers
 * Pair     one goes when the other is triggered, unless that found nobody
 * Source   docs/interface.md, presets of spot and margin orders
 */
import type { OrderAmount, Place } from './commands.ts'
import { downTo, type Fraction } from './rational.ts'
import { attachedOf, pair, shared, wait } from './triggers.ts'
import type { Order, Trigger, World } from './world.ts'

export function coverReceived(world: World, order: Order): void {
  const { market, side, attached } = order
  const asked = attachedOf(attached)
  if (market.kind !== 'spot' || asked.length === 0) return
  const sells = side === 'buy'
  const fresh = order.received.minus(order.covered)
  const more = sells ? downTo(market.lot, fresh) : fresh
  if (more.sign() <= 0) return
  order.covered = order.covered.plus(more)
  const made: Trigger[] = []
  for (const { kind, leg } of asked) {
    const known = world.triggers.find(({ entry, kind: other }) => entry === order.number && other === kind)
    if (known?.cover !== undefined) {
      known.cover.money = known.cover.money.plus(more)
      continue
    }
    const { trigger: price, by, execute } = leg
    const cover = { side: sells ? 'sell' : 'buy', margin: order.margin, money: more } as const
    const rises = (kind === 'take-profit') === sells
    const terms = { id: '', kind, price, by, execute, rises, cover, entry: order.number, stp: order.stp }
    made.push(wait(world, { ...shared(world, order.owner, market, order.margin), ...terms }))
  }
  pair(made)
}

/** The order that comes of one. */
export function coveringOrder(trigger: Trigger): Place {
  const { owner, market, cover, execute, stp } = trigger
  if (cover === undefined) throw new Error('it covers what an order received')
  return {
    kind: 'place',
    id: '',
    owner,
    market: market.name,
    margin: cover.margin,
    loanType: 'autoLoanAndRepay',
    side: cover.side,
    price: execute,
    amount: amountOf(trigger, cover.money),
    timeInForce: 'gtc',
    hold: undefined,
    trade: undefined,
    reduceOnly: false,
    marginMode: undefined,
    stp,
    attached: undefined,
  }
}

/** A sell sells it all. A buy spends it all at market, and at a limit buys the whole lots that it pays for. */
function amountOf({ market, cover, execute }: Trigger, money: Fraction): OrderAmount {
  if (cover?.side === 'sell') return { of: 'quantity', quantity: money }
  if (execute === undefined) return { of: 'quote', budget: money }
  return { of: 'quantity', quantity: downTo(market.lot, money.over(execute)) }
}
