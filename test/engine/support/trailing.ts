/**
 * Trailing orders in the words of the tests.
 *
 * Waits     `2%` at once by the last price, `2% from 110`, `0.5% from mark 110`: the rate, and the activation price
 * Stop      of a position; the same and a quantity: `2% of 4`. Without one it is of the whole position
 */
import { type Exchange, instrumentId } from './exchange.ts'
import { lotsOf, ticksOf } from './order-commands.ts'
import { outcomeOf } from './triggers.ts'

/** Places a trailing plan and answers what came of it: `placed`, or the refusal. */
export function trail(
  exchange: Exchange,
  line: string,
  waits: string,
  tpslRates: readonly [number, number] = [0, 0],
): string {
  const order = exchange.order(line)
  const { uid, category, instrument, side, quantity, positionSide, tradeSide, reduceOnly, marginMode } = order
  const { of: _of, ...terms } = termsOf(exchange, waits)
  return outcomeOf(
    exchange.apply({
      kind: 'place-trailing',
      uid,
      interface: order.interface,
      category,
      instrument,
      ...terms,
      side,
      quantity,
      positionSide,
      tradeSide,
      reduceOnly,
      marginMode,
      marginCoin: undefined,
      stpMode: order.stpMode,
      clientOid: order.clientOid,
      takeProfitRate: tpslRates[0],
      stopLossRate: tpslRates[1],
      channelCode: '',
    }),
  )
}

/** Sets a trailing stop of somebody's position; of two sides the one named. */
export function trailStop(exchange: Exchange, who: string, waits: string, side?: 'long' | 'short'): string {
  const { of, ...terms } = termsOf(exchange, waits)
  return outcomeOf(
    exchange.apply({
      kind: 'place-position-trailing',
      uid: exchange.uid(who),
      interface: exchange.account(who).mode === 'classic' ? 'v2' : 'v3',
      instrument: instrumentId(exchange.market),
      marginCoin: undefined,
      positionSide: side,
      ...terms,
      quantity: of === undefined ? undefined : { unit: 'lots', lots: lotsOf(exchange.instrument(), of) },
      stpMode: undefined,
      clientOid: '',
      channelCode: '',
    }),
  )
}

/** Changes somebody's only trailing order. */
export function changeTrail(exchange: Exchange, who: string, waits: string): string {
  const { of, ...terms } = termsOf(exchange, waits)
  return outcomeOf(
    exchange.apply({
      kind: 'modify-trailing',
      uid: exchange.uid(who),
      order: { orderId: trailing(exchange, who)[0].orderId, clientOid: '' },
      kinds: [],
      ...terms,
      quantity: of === undefined ? undefined : { unit: 'lots', lots: lotsOf(exchange.instrument(), of) },
      takeProfitRate: 0,
      stopLossRate: 0,
    }),
  )
}

/** Somebody's trailing orders, oldest first: `sell 5 from 110`, `sell 5 best 112 due at 109`. */
export function trails(exchange: Exchange, who: string): string[] {
  return trailing(exchange, who).map(({ bookSide, quantity, price, trailing: terms }) => {
    const waits = terms?.best ? `best ${exchange.price(terms.best)} due at` : 'from'
    const size = quantity === 0 ? '' : ` ${exchange.quantity(quantity)}`
    return `${bookSide}${size} ${waits} ${exchange.price(price)}`
  })
}

function trailing(exchange: Exchange, who: string) {
  const version = exchange.account(who).mode === 'classic' ? 'v2' : 'v3'
  const ask = { kind: 'triggers', uid: exchange.uid(who), interface: version, category: undefined } as const
  const found = exchange.query({ ...ask, instrument: undefined, kinds: [] })
  return found.filter((trigger) => trigger.trailing !== undefined).toReversed()
}

function termsOf(exchange: Exchange, waits: string) {
  const parts = /^([0-9.]+)%(?: from( mark)? (\S+))?(?: of (\S+))?$/.exec(waits)
  if (parts === null) throw new Error(`not a trailing order: ${waits}`)
  const [, percent = '', mark, price, of] = parts
  return {
    rate: Math.round(Number(percent) * 100),
    trigger: price === undefined ? (0 as const) : ticksOf(exchange.instrument(), price),
    by: mark === undefined ? ('last' as const) : ('mark' as const),
    of,
  }
}
