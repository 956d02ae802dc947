/**
 * A house account of the laboratory takes a resting order at its price, by ordinary commands.
 *
 * Better    what stands before it in the book is taken, too: there is no other way to it
 * Whole     it is tried on a copy first; what the venue refuses there changes nothing
 * Source    lab.md §4.5 (`unknown`, filled)
 */
import { type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import { amount, lots, type Ticks } from '../../engine/numbers/numbers.ts'
import type { OrderId, Uid } from '../../engine/vocabulary.ts'
import { worth } from '../../house-book/house-book.ts'
import { fund, labAccount, setLeverage } from '../cheats/positions.ts'
import { LabRefusal } from '../refusals.ts'
import { play, type Rehearsal } from '../rehearsal.ts'
import type { LabVenue } from '../venue.ts'

const takerName = 'lab-taker'
const levelsMax = 1_000

/** Why it could not; undefined: nothing of it is left in the book. */
export async function takeOrder(venue: LabVenue, uid: Uid, orderId: OrderId): Promise<string | undefined> {
  const order = { orderId, clientOid: '' }
  if (venue.parts.runtime.query({ kind: 'order', uid, order }) === undefined) return undefined
  try {
    await play(venue, (rehearsal) => takeAll(rehearsal, uid, orderId))
  } catch (error) {
    if (error instanceof LabRefusal) return error.message
    throw error
  }
  return undefined
}

function takeAll(rehearsal: Rehearsal, uid: Uid, orderId: OrderId): void {
  const named = { kind: 'order', uid, order: { orderId, clientOid: '' } } as const
  const order = rehearsal.query(named)
  if (order === undefined) return
  const instrument = rehearsal.query({ kind: 'catalog' }).instruments[order.instrument]
  const { bookSide } = order
  const price = order.price as Ticks
  const { bids, asks } = rehearsal.query({ kind: 'depth', instrument: instrument.id, limit: levelsMax })
  const levels = (bookSide === 'buy' ? bids : asks).filter(([at]) => (bookSide === 'buy' ? at >= price : at <= price))
  const standing = levels.reduce((sum, [, quantity]) => sum + quantity, 0)
  const taker = labAccount(rehearsal, takerName)
  endow(rehearsal, taker, instrument, price, standing)
  for (let left = standing; left > 0; ) {
    const part = lots(Math.min(left, instrument.quantityMax || left))
    rehearsal.submit({
      kind: 'place-order',
      uid: taker,
      interface: 'v3',
      category: instrument.category,
      instrument: instrument.id,
      side: bookSide === 'buy' ? 'sell' : 'buy',
      orderType: 'limit',
      price,
      quantity: { unit: 'lots', lots: part },
      timeInForce: 'ioc',
      positionSide: undefined,
      tradeSide: undefined,
      reduceOnly: false,
      marginMode: undefined,
      marginCoin: undefined,
      stpMode: undefined,
      clientOid: '',
      takeProfit: undefined,
      stopLoss: undefined,
      loanType: 'normal',
      channelCode: '',
    })
    left -= part
  }
  if (rehearsal.query(named) !== undefined) throw new LabRefusal(409, 'order-not-taken', 'its price is out of reach')
}

/** Money enough for what it takes. */
function endow(rehearsal: Rehearsal, uid: Uid, instrument: Instrument, price: Ticks, quantity: number): void {
  if (isFutures(instrument)) {
    fund(rehearsal, uid, instrument, worth(instrument, price, quantity))
    const leverage = { uid, speaker: 'v3', instrument: instrument.id, leverage: instrument.leverageMin } as const
    return setLeverage(rehearsal, { ...leverage, marginMode: undefined })
  }
  const { base, quote, quantityStep, quantityDecimals, priceStep, priceDecimals } = instrument
  const size = BigInt(quantity) * BigInt(quantityStep) * 10n ** BigInt(8 - quantityDecimals)
  const priceE8 = BigInt(price) * BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals)
  const paid = (2n * size * priceE8) / 10n ** 8n + 1n
  rehearsal.submit({ kind: 'deposit', uid, wallet: 'uta', coin: base, amount: amount(size) })
  rehearsal.submit({ kind: 'deposit', uid, wallet: 'uta', coin: quote, amount: amount(paid) })
}
