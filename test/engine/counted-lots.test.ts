/**
 * Lots beyond what numbers count exactly: of one order, of all orders at one price, and of a contract's open interest.
 *
 * Lots    of 1e-8 of a coin at 1 US dollar, so that 2^52 of them cost 45 million
 * Source  docs/operations.md, "Bounds"
 */
import { expect } from 'vitest'
import type { Lots } from '../../src/engine/numbers/numbers.ts'
import { coinId, type Exchange } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import { markets } from './support/listings.ts'
import { scenario, table } from './support/table.ts'

const most = 2 ** 52
const people = ['ann', 'ben', 'cat', 'dan'] as const

/** A pair or contract whose lots are tiny, and people who could pay for many more. */
function listed(exchange: Exchange, kind: 'spot' | 'linear'): number {
  const small = { symbol: 'TINY', quantityDecimals: 8, priceDecimals: 0 }
  const tiers = [{ from: units('0'), to: units('10000000000'), leverageMax: 100, maintenanceRate: share('0.005') }]
  const record =
    kind === 'spot' ? { ...markets['SOL/USDT'], ...small } : { ...markets.SOLUSDT, ...small, sizeDecimals: 8, tiers }
  exchange.leap({ SOL: '1' })
  const { id } = exchange.must({ kind: 'list-instrument', instrument: record }) as { id: number }
  const wallet = kind === 'spot' ? 'spot' : 'usdt_futures'
  for (const name of people) {
    exchange.join(name, { funds: { [wallet]: '1000000000 USDT' } })
    if (kind === 'linear') continue
    const uid = exchange.uid(name)
    exchange.must({ kind: 'deposit', uid, wallet, coin: coinId('SOL'), amount: units('1000000000') })
  }
  return id
}

function order(exchange: Exchange, instrument: number, line: readonly [string, 'buy' | 'sell', number, number?]) {
  const [who, side, quantity, price = 1] = line
  const reply = exchange.apply({
    kind: 'place-order',
    uid: exchange.uid(who),
    interface: 'v2',
    category: exchange.query({ kind: 'catalog' }).instruments[instrument].category,
    instrument,
    side,
    orderType: 'limit',
    price: price as never,
    quantity: { unit: 'lots', lots: quantity as Lots },
    timeInForce: 'gtc',
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
  if (reply.kind !== 'refused') return reply.kind
  const { refusal } = reply
  return refusal.kind === 'quantity-above-maximum' ? `at most ${refusal.maximum}` : refusal.kind
}

table(
  'orders, levels and open interest are counted to the lot, or refused',
  [
    // orders, one after the other, and what each answers
    ['spot', [['ann', 'buy', most + 1]], [`at most ${most}`]],
    ['linear', [['ann', 'buy', most + 1]], [`at most ${most}`]],
    [
      'spot',
      [
        ['ann', 'buy', most - 1],
        ['ben', 'buy', 2],
        ['ben', 'buy', 1],
        ['cat', 'buy', 1],
        // Another price is another level.
        ['cat', 'sell', most, 2],
        ['dan', 'sell', 1, 2],
      ],
      ['placed', 'at most 1', 'placed', 'at most 0', 'placed', 'at most 0'],
    ],
    // All that one account has in a contract counts together.
    [
      'linear',
      [
        ['ann', 'sell', most - 1, 3],
        ['ann', 'sell', 2, 4],
        ['ann', 'sell', 1, 4],
      ],
      ['placed', `at most ${most}`, 'placed'],
    ],
    // What is open counts for everybody.
    [
      'linear',
      [
        ['ann', 'sell', most - 5],
        ['ben', 'buy', most - 5],
        ['cat', 'sell', 6],
        ['cat', 'sell', 5],
        ['dan', 'buy', 6],
        ['dan', 'buy', 5],
        ['dan', 'buy', 1],
      ],
      ['placed', 'placed', 'at most 5', 'placed', 'at most 5', 'placed', 'at most 0'],
    ],
  ] as const,
  (exchange, kind, orders, outcomes) => {
    const instrument = listed(exchange, kind)
    expect(orders.map((line) => order(exchange, instrument, line))).toEqual(outcomes)
  },
)

scenario('a level of the most lots is taken and canceled without a rest', (exchange) => {
  const instrument = listed(exchange, 'spot')
  order(exchange, instrument, ['ann', 'buy', most - 1])
  order(exchange, instrument, ['ben', 'buy', 1])
  expect(order(exchange, instrument, ['cat', 'sell', most - 3])).toBe('placed')
  expect(exchange.query({ kind: 'depth', instrument, limit: 5 }).bids).toEqual([[1, 3]])
  for (const name of people) {
    const uid = exchange.uid(name)
    exchange.apply({ kind: 'cancel-orders', uid, interface: 'v2', category: 'SPOT', instrument } as never)
  }
  expect(exchange.query({ kind: 'depth', instrument, limit: 5 }).bids).toEqual([])
})
