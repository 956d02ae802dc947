/**
 * What becomes of an order in the book: time in force, price-time priority, market orders, and the outcomes that are
 * accepted and then cancelled at once.
 *
 * Source  interface.md E2 timeInForce, E3 force; design §4.25, §4.29
 */
import { expect } from 'vitest'
import {
  type Market,
  btcPerpetual,
  btcSpot,
  fills,
  openUnifiedOrders,
  paths,
  takenInBatch,
  unifiedOrder,
  unifiedOutcome,
} from '../support/trading.ts'
import { listed, textTable } from '../support/text-table.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '1000000', BTC: '20' } } as const

/** Bob's orders rest, then Alice's comes in: what became of hers, and what of Bob's is left. */
async function meet(market: Market, resting: readonly string[], incoming: string) {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  for (const order of resting) await takenInBatch(bob, order, market)
  const acknowledged = await takenInBatch(alice, incoming, market)
  expect(acknowledged['orderId']).toMatch(/^\d+$/)
  return {
    outcome: await unifiedOutcome(alice, acknowledged),
    left: await openUnifiedOrders(bob, market),
    open: await openUnifiedOrders(alice, market),
    prices: (await fills(alice)).map((fill) => `${fill['execQty']} @ ${fill['execPrice']}`),
  }
}

const outcomes = `
  case                                                  | resting           | incoming                  | expected                    | expected fills
  gtc rests when nothing meets it                       | -                 | buy 0.1 @ 59900           | live 0 of 0.1               | -
  gtc fills what it meets and rests with the rest       | sell 0.1 @ 60000  | buy 0.3 @ 60000           | partially_filled 0.1 of 0.3 | 0.1 @ 60000
  gtc fills whole                                       | sell 0.3 @ 60000  | buy 0.1 @ 60000           | filled 0.1                  | 0.1 @ 60000
  a better price is given to the taker                  | sell 0.1 @ 59950  | buy 0.1 @ 60000           | filled 0.1                  | 0.1 @ 59950
  levels fill from the best                             | sell 0.1 @ 60020; | buy 0.3 @ 60020           | filled 0.3                  | 0.1 @ 60000;
                                                        | sell 0.1 @ 60000; |                           |                             | 0.1 @ 60010;
                                                        | sell 0.1 @ 60010  |                           |                             | 0.1 @ 60020
  ioc fills what it meets, the rest is cancelled        | sell 0.1 @ 60000  | buy 0.3 ioc @ 60000       | canceled 0.1 of 0.3         | 0.1 @ 60000
  ioc that meets nothing is accepted, then cancelled    | sell 0.1 @ 60100  | buy 0.1 ioc @ 60000       | canceled 0 of 0.1           | -
  ioc fills whole                                       | sell 0.1 @ 60000  | buy 0.1 ioc @ 60000       | filled 0.1                  | 0.1 @ 60000
  fok fills whole                                       | sell 0.1 @ 60000; | buy 0.3 fok @ 60010       | filled 0.3                  | 0.1 @ 60000;
                                                        | sell 0.2 @ 60010  |                           |                             | 0.2 @ 60010
  fok that cannot fill whole fills nothing              | sell 0.1 @ 60000; | buy 0.3 fok @ 60010       | canceled 0 of 0.3           | -
                                                        | sell 0.1 @ 60010  |                           |                             |
  fok does not look beyond its price                    | sell 0.1 @ 60000; | buy 0.3 fok @ 60009       | canceled 0 of 0.3           | -
                                                        | sell 0.2 @ 60010  |                           |                             |
  post_only rests when nothing meets it                 | sell 0.1 @ 60000  | buy 0.1 post-only @ 59990 | live 0 of 0.1               | -
  post_only that would cross is accepted,               | sell 0.1 @ 60000  | buy 0.1 post-only @ 60000 | canceled 0 of 0.1           | -
  then cancelled                                        |                   |                           |                             |
  a market order takes from the best                    | sell 0.1 @ 60000; | buy 0.2                   | filled 0.2                  | 0.1 @ 60000;
                                                        | sell 0.2 @ 60010  |                           |                             | 0.1 @ 60010
  a market order beyond the book: the rest is cancelled | sell 0.1 @ 60000  | buy 0.3                   | canceled 0.1 of 0.3         | 0.1 @ 60000
  a market order into an empty book is accepted,        | -                 | buy 0.1                   | canceled 0 of 0.1           | -
  then cancelled                                        |                   |                           |                             |
  sells likewise: gtc                                   | buy 0.1 @ 60000   | sell 0.3 @ 60000          | partially_filled 0.1 of 0.3 | 0.1 @ 60000
  sells likewise: ioc                                   | buy 0.1 @ 60000   | sell 0.3 ioc @ 59990      | canceled 0.1 of 0.3         | 0.1 @ 60000
  sells likewise: fok                                   | buy 0.1 @ 60000   | sell 0.3 fok @ 59990      | canceled 0 of 0.3           | -
  sells likewise: market                                | buy 0.1 @ 59990;  | sell 0.2                  | filled 0.2                  | 0.1 @ 60000;
                                                        | buy 0.1 @ 60000   |                           |                             | 0.1 @ 59990
`

table(
  {
    rule: 'design §4.29 futures',
    decision: 'accepted, then cancelled at once, not refused: the answer has an orderId',
  },
  outcomes,
  async ({ resting, incoming, expected, expectedFills }) => {
    const { outcome, prices } = await meet(btcPerpetual, listed(resting), incoming)
    expect(outcome).toBe(expected)
    expect(prices).toEqual(listed(expectedFills))
  },
)

/** A spot market buy names quote coin, so those rows stand in spot-trading.test.ts. */
table(
  { rule: 'design §4.29 spot', decision: 'accepted, then cancelled at once, not refused: the answer has an orderId' },
  textTable(outcomes)
    .filter(({ incoming }) => !/^buy \S+$/.test(incoming))
    .map((cells) => [cells.case, cells] as const),
  async ({ resting, incoming, expected, expectedFills }) => {
    const { outcome, prices } = await meet(btcSpot, listed(resting), incoming)
    expect(outcome).toBe(expected)
    expect(prices).toEqual(listed(expectedFills))
  },
)

row(
  'price-time priority',
  'the older of two orders at a price fills first, and what is left keeps its place',
  async () => {
    const bob = await at.person('Bob', { funds })
    const carol = await at.person('Carol', { funds })
    const alice = await at.person('Alice', { funds })
    const older = await takenInBatch(bob, 'sell 0.2 @ 60000', btcPerpetual)
    const younger = await takenInBatch(carol, 'sell 0.2 @ 60000', btcPerpetual)
    await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
    expect(await unifiedOutcome(bob, older)).toBe('partially_filled 0.1 of 0.2')
    await takenInBatch(alice, 'buy 0.2 @ 60000', btcPerpetual)
    expect(await unifiedOutcome(bob, older)).toBe('filled 0.2')
    expect(await unifiedOutcome(carol, younger)).toBe('partially_filled 0.1 of 0.2')
  },
)

row('order record', 'a cancelled order says why: STP apart from the rest', async () => {
  const alice = await at.person('Alice', { funds })
  const quick = await takenInBatch(alice, 'buy 0.1 ioc @ 59000', btcPerpetual)
  expect(await unifiedOrder(alice, { orderId: quick['orderId'] ?? '' })).toMatchObject({
    orderStatus: 'cancelled',
    timeInForce: 'ioc',
  })
})

row('E2 order states', 'live, partially filled, filled; cancelled stays with what it filled', async () => {
  const bob = await at.person('Bob', { funds })
  const alice = await at.person('Alice', { funds })
  const order = await takenInBatch(alice, 'buy 0.3 @ 60000', btcSpot)
  expect(await unifiedOutcome(alice, order)).toBe('live 0 of 0.3')
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  expect(await unifiedOutcome(alice, order)).toBe('partially_filled 0.1 of 0.3')
  const orderList = [{ orderId: order['orderId'] }]
  succeeds(await alice.post(paths.batchCancel, { symbol: 'BTCUSDT', orderList }))
  expect(await unifiedOutcome(alice, order)).toBe('canceled 0.1 of 0.3')
})
