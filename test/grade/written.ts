/** Runs written by hand, for judges: prices are whole, a lot is 0.01, and times are milliseconds from the start. */
import type { Evidence, Firing, JournalLine, TrafficLine } from '../../src/grade/evidence.ts'

export const uid = 7
export const key = 'bot'
const symbol = 'BTCUSDT'

/** A run of ten seconds: warm after one, struck at two, over at four, recovered at seven, and all the time at 100. */
export function written(fields: Partial<Evidence> = {}): Evidence {
  return {
    uid,
    key,
    steps: { [symbol]: { price: 1, quantity: 0.01 } },
    journal: [],
    traffic: [],
    firings: [],
    prices: [{ at: 0, symbol, price: 100 }],
    exits: [],
    scale: 1,
    outages: [],
    warm: 1_000,
    struck: 2_000,
    over: 4_000,
    recovered: 7_000,
    ended: 10_000,
    ...fields,
  }
}

interface Terms {
  readonly side?: 'buy' | 'sell'
  readonly lots?: number
  readonly price?: number
}

/** An order of the bot; `sequence` and `orderId` follow from its name: `o3` is 3. */
export function placed(at: number, name: string, terms: Terms & { readonly fills?: number } = {}): JournalLine {
  const { side = 'buy', lots = 2, price = 99, fills = 0 } = terms
  const orderId = Number(name.slice(1))
  const order = { orderId, uid, clientOid: name }
  const fill = { kind: 'fill', uid, orderId, symbol, effect: 'open', bookSide: side, quantity: fills, price }
  return {
    sequence: orderId,
    at,
    command: {
      kind: 'place-order',
      uid,
      instrument: 5,
      symbol,
      side,
      price,
      reduceOnly: false,
      quantity: { unit: 'lots', lots },
      clientOid: name,
    },
    reply: { kind: 'placed', orderId, clientOid: name },
    events: [
      ...(fills > 0 ? [fill] : []),
      fills < lots ? { kind: 'order-accepted', uid, orderId } : { kind: 'order-ended', order },
    ],
  }
}

export function canceled(at: number, name: string): JournalLine {
  const orderId = Number(name.slice(1))
  return {
    sequence: 1_000 + orderId,
    at,
    command: { kind: 'cancel-order', uid, symbol, order: { clientOid: name } },
    reply: { kind: 'canceled' },
    events: [{ kind: 'order-ended', order: { orderId, uid, clientOid: name } }],
  }
}

let counted = 0

export function asked(at: number, endpoint: string, fields: Partial<TrafficLine> = {}): TrafficLine {
  counted += 1
  return {
    number: counted,
    at,
    kind: 'request',
    endpoint,
    key,
    answeredAt: at + 5,
    status: 200,
    code: '00000',
    ...fields,
  }
}

export function handshake(at: number): TrafficLine {
  counted += 1
  return { number: counted, at, kind: 'handshake', target: '/v3/ws/private' }
}

/** The answer to that order did not get through. */
export function lost(at: number, name: string, outcome = 'placed'): Firing {
  return { firing: 1, rule: 'r1', fault: 'lost-ack', at, sequence: Number(name.slice(1)), outcome }
}
