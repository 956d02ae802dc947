/**
 * Where an order stands in the queue of its price level, exactly.
 *
 * Source  lab.md §4.7
 */
import { LabRefusal } from '../refusals.ts'
import { priceText, quantityText } from '../things.ts'
import type { LabVenue } from '../venue.ts'

/** Throws LabRefusal for what does not rest. */
export async function queuePlaceOf(venue: LabVenue, orderId: number) {
  const { runtime } = venue.parts
  const place = runtime.query({ kind: 'queue-place', orderId })
  if (place === undefined) throw await whyNot(venue, orderId)
  const instrument = runtime.query({ kind: 'catalog' }).instruments[place.instrument]
  const size = (lots: number) => quantityText(instrument, lots)
  return {
    orderId: String(orderId),
    uid: String(place.uid),
    symbol: instrument.symbol,
    category: instrument.category,
    side: place.bookSide,
    price: priceText(instrument, place.price),
    size: size(place.remaining),
    ahead: size(place.ahead),
    aheadOrders: place.aheadOrders,
    behind: size(place.behind),
    behindOrders: place.behindOrders,
    level: size(place.level),
  }
}

async function whyNot(venue: LabVenue, orderId: number): Promise<LabRefusal> {
  const { runtime, history } = venue.parts
  const order = { orderId, clientOid: '' }
  for (const { uid } of runtime.query({ kind: 'accounts' })) {
    if (runtime.query({ kind: 'trigger', uid, order }) !== undefined) return resting('it waits for its trigger price')
    const ended = await history.order({ uid, orderId })
    if (ended !== undefined) return resting(`it is ${ended.status === 'canceled' ? 'cancelled' : ended.status}`)
  }
  return new LabRefusal(404, 'unknown-order', `orderId: there is no order ${orderId}`, { field: 'orderId' })
}

function resting(why: string): LabRefusal {
  return new LabRefusal(409, 'order-not-resting', `orderId: ${why}, and stands in no queue`, { field: 'orderId' })
}
