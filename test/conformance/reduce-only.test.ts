/**
 * Reduce-only orders in one-way mode, told by E3 and by E2.
 *
 * Source  interface.md E2 rule 6, E3 rule 2; design §4.9, §4.28, §4.31, §4.39; risk-engine.md §18, §23
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import {
  btcInverse,
  btcPerpetual,
  btcUsdc,
  openOrders,
  orderRecord,
  outcome,
  place,
  placeBatch,
  position,
  setHoldMode,
  setLeverage,
  taken,
  takenInBatch,
  unifiedOrder,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const unified = { funds: { uta: { USDT: '1000000' } } } as const
const everyLine = {
  usdt_futures: { USDT: '100000' },
  usdc_futures: { USDC: '100000' },
  coin_futures: { BTC: '2' },
} as const
const decision =
  'existing reduce-only orders go oldest first until they and the new one fit; if any went, no orderId is answered; ' +
  'larger than the position is cut to it; nothing to reduce is refused with 22002'

/** Puts a person into a position, `long 0.1`, against Bob, who offers `depth` on both sides afterwards. */
async function holding(person: Person, bob: Person, held: string): Promise<void> {
  if (held === 'flat') return
  const [side, quantity] = held.split(' ')
  await taken(bob, `${side === 'long' ? 'sell' : 'buy'} ${quantity} @ 60000`)
  await taken(person, `${side === 'long' ? 'buy' : 'sell'} ${quantity} @ 60000`)
}

const cases = `
  case                                            | held      | resting                        | book           | incoming                          | expected         | open                | after
  less than the position                          | long 0.1  | -                              | buy 1 @ 60000  | sell 0.04 reduce-only @ 60000     | filled 0.04      | -                   | long 0.06
  all of the position                             | long 0.1  | -                              | buy 1 @ 60000  | sell 0.1 reduce-only @ 60000      | filled 0.1       | -                   | flat
  more than any position is cut as well           | long 0.1  | -                              | buy 1 @ 60000  | sell 10000000 reduce-only @ 60000 | filled 0.1       | -                   | flat
  more than the position is cut to it             | long 0.1  | -                              | buy 1 @ 60000  | sell 0.15 reduce-only @ 60000     | filled 0.1       | -                   | flat
  at market, cut to it                            | long 0.1  | -                              | buy 1 @ 60000  | sell 0.15 reduce-only             | filled 0.1       | -                   | flat
  a short likewise                                | short 0.1 | -                              | sell 1 @ 60000 | buy 0.15 reduce-only @ 60000      | filled 0.1       | -                   | flat
  beside a resting one that leaves room           | long 0.1  | sell 0.06 reduce-only @ 61000  | buy 1 @ 60000  | sell 0.04 reduce-only @ 60000     | filled 0.04      | sell 0.06 @ 61000   | long 0.06
  the older one goes when they do not fit         | long 0.1  | sell 0.08 reduce-only @ 61000  | buy 1 @ 60000  | sell 0.05 reduce-only @ 60000     | filled 0.05      | -                   | long 0.05
  an exact fit stays: 4 + 3 + 3 of 10             | long 0.1  | sell 0.04 reduce-only @ 61000; | buy 1 @ 59000  | sell 0.03 reduce-only @ 61200     | live 0 of 0.03   | sell 0.04 @ 61000;  | long 0.1
                                                  |           | sell 0.03 reduce-only @ 61100  |                |                                   |                  | sell 0.03 @ 61100;  |
                                                  |           |                                |                |                                   |                  | sell 0.03 @ 61200   |
  one lot too many: the oldest goes               | long 0.1  | sell 0.04 reduce-only @ 61000; | buy 1 @ 59000  | sell 0.0301 reduce-only @ 61200   | live 0 of 0.0301 | sell 0.03 @ 61100;  | long 0.1
                                                  |           | sell 0.03 reduce-only @ 61100  |                |                                   |                  | sell 0.0301 @ 61200 |
  only as many go as must                         | long 0.1  | sell 0.02 reduce-only @ 61000; | buy 1 @ 59000  | sell 0.05 reduce-only @ 61300     | live 0 of 0.05   | sell 0.05 @ 61200;  | long 0.1
                                                  |           | sell 0.03 reduce-only @ 61100; |                |                                   |                  | sell 0.05 @ 61300   |
                                                  |           | sell 0.05 reduce-only @ 61200  |                |                                   |                  |                     |
  one as large as the position drives out all     | long 0.1  | sell 0.04 reduce-only @ 61000; | buy 1 @ 59000  | sell 0.1 reduce-only @ 61200      | live 0 of 0.1    | sell 0.1 @ 61200    | long 0.1
                                                  |           | sell 0.03 reduce-only @ 61100  |                |                                   |                  |                     |
  an order that is not reduce-only does not count | long 0.1  | sell 0.08 @ 61000              | buy 1 @ 59000  | sell 0.1 reduce-only @ 61200      | live 0 of 0.1    | sell 0.08 @ 61000;  | long 0.1
                                                  |           |                                |                |                                   |                  | sell 0.1 @ 61200    |
`

table(
  { rule: 'design §4.9 by E3', decision },
  cases,
  async ({ held, resting, book, incoming, expected, open, after }) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, held)
    for (const order of listed(resting)) await taken(alice, order)
    await taken(bob, book)
    const acknowledged = succeeds(await place(alice, withWords(incoming, { clientOid: 'incoming' }))).fields
    const stayed = listed(resting).every((order) => listed(open).includes(order.replace(' reduce-only', '')))
    if (stayed) expect(acknowledged).toMatchObject({ orderId: expect.stringMatching(/^\d+$/) })
    else expect(acknowledged).toEqual({ clientOid: 'incoming' })
    expect(await outcome(alice, { clientOid: 'incoming' })).toBe(expected)
    expect(await openOrders(alice)).toEqual(listed(open))
    expect(await position(alice)).toBe(after)
  },
)

table(
  { rule: 'design §4.9 by E2', decision },
  cases,
  async ({ held, resting, book, incoming, expected, open, after }) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, held)
    for (const order of listed(resting)) await takenInBatch(alice, order, btcPerpetual)
    await taken(bob, book)
    const entries = succeeds(
      await placeBatch(alice, [withWords(incoming, { clientOid: 'incoming' })], btcPerpetual),
    ).list()
    expect(entries[0]).not.toHaveProperty('code')
    const stayed = listed(resting).every((order) => listed(open).includes(order.replace(' reduce-only', '')))
    expect(entries[0]).toMatchObject({ orderId: stayed ? expect.stringMatching(/^\d+$/) : null, clientOid: 'incoming' })
    expect(await outcome(alice, { clientOid: 'incoming' })).toBe(expected)
    expect(await openOrders(alice)).toEqual(listed(open))
    expect(await position(alice)).toBe(after)
  },
)

row(
  { rule: 'E3 rule 2', decision: 'no orderId in the answer; the order is found by its clientOid' },
  'when an earlier one had to go, the answer has no orderId',
  async () => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, 'long 0.1')
    await taken(alice, 'sell 0.08 reduce-only oid:earlier @ 61000')
    const answer = succeeds(await place(alice, 'sell 0.05 reduce-only oid:later @ 61100'))
    expect(answer.data).toEqual({ clientOid: 'later' })
    expect(await orderRecord(alice, { clientOid: 'later' })).toMatchObject({
      clientOid: 'later',
      orderId: expect.stringMatching(/^\d+$/),
    })
    expect(await orderRecord(alice, { clientOid: 'earlier' })).toMatchObject({ clientOid: 'earlier' })
    expect(await outcome(alice, { clientOid: 'earlier' })).toBe('canceled 0 of 0.08')
  },
)

table(
  { rule: 'design §4.9 nothing to reduce', decision: 'refused with 22002; nothing is cancelled for it' },
  `
    case                                           | held      | order
    without a position: sell                       | flat      | sell 0.1 reduce-only @ 61000
    without a position: buy                        | flat      | buy 0.1 reduce-only @ 59000
    without a position: at market                  | flat      | sell 0.1 reduce-only
    the direction of the position: buy on a long   | long 0.1  | buy 0.1 reduce-only @ 59000
    the direction of the position: sell on a short | short 0.1 | sell 0.1 reduce-only @ 61000
  `,
  async ({ held, order }) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, held)
    refuses(await place(alice, order), '22002')
    expect(await openOrders(alice)).toEqual([])
    expect(await position(alice)).toBe(held)
  },
)

row('risk-engine §18 rule 1', 'over several levels a reduce-only order never flips the position', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holding(alice, bob, 'long 0.1')
  for (const price of ['60000', '59990', '59980', '59970']) await taken(bob, `buy 0.04 @ ${price}`)
  await taken(alice, 'sell 0.1 reduce-only @ 59900')
  expect(await position(alice)).toBe('flat')
})

row('risk-engine §18 rule 1', 'when another order closes the position, resting reduce-only orders go', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holding(alice, bob, 'long 0.1')
  await taken(alice, 'sell 0.06 reduce-only oid:guard @ 61000')
  await taken(bob, 'buy 0.1 @ 60000')
  await taken(alice, 'sell 0.1 @ 60000')
  expect(await position(alice)).toBe('flat')
  expect(await openOrders(alice)).toEqual([])
  expect(await outcome(alice, { clientOid: 'guard' })).toBe('canceled 0 of 0.06')
})

// When the position shrinks otherwise (design §4.39)

const shrinks = {
  rule: 'design §4.39',
  decision:
    'a closing order outlives a shrinking position: it is cut to what is left and keeps its place, oldest first',
}

table(
  shrinks,
  `
    case                          | resting                        | plain                         | open                                 | after
    one order                     | sell 0.1 reduce-only @ 61000   | sell 0.06 @ 60000             | sell 0.04 @ 61000                    | long 0.04
    the oldest is cut first       | sell 0.04 reduce-only @ 62000; | sell 0.03 @ 60000             | sell 0.01 @ 62000; sell 0.06 @ 61000 | long 0.07
                                  | sell 0.06 reduce-only @ 61000  |                               |                                      |
    the oldest goes, one is cut   | sell 0.04 reduce-only @ 62000; | sell 0.05 @ 60000             | sell 0.05 @ 61000                    | long 0.05
                                  | sell 0.06 reduce-only @ 61000  |                               |                                      |
    a position that closes        | sell 0.1 reduce-only @ 61000   | sell 0.1 @ 60000              | -                                    | flat
    a newer reduce-only displaces | sell 0.1 reduce-only @ 61000   | sell 0.06 reduce-only @ 60000 | -                                    | long 0.04
  `,
  async ({ resting, plain, open, after }) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, 'long 0.1')
    for (const order of listed(resting)) await taken(alice, order)
    await taken(bob, 'buy 1 @ 60000')
    await taken(alice, plain)
    expect(await openOrders(alice)).toEqual(listed(open))
    expect(await position(alice)).toBe(after)
  },
)

for (const [market, quantity, shrunk, left] of [
  [btcPerpetual, '0.1', '0.06', '0.04'],
  [btcUsdc, '0.1', '0.06', '0.04'],
  [btcInverse, '0.01', '0.006', '0.004'],
] as const) {
  row(
    { ...shrinks, rule: `design §4.39 ${market.category}` },
    'its size is what is left of it and what was filled',
    async () => {
      const bob = await at.person('Bob', { mode: 'classic', funds: everyLine })
      const alice = await at.person('Alice', { mode: 'classic', funds: everyLine })
      await taken(bob, `sell ${quantity} @ 60000`, market)
      await taken(alice, `buy ${quantity} @ 60000`, market)
      await taken(alice, `sell ${quantity} reduce-only oid:exit @ 61000`, market)
      const socket = await Socket.of(alice, '/v2/ws/private')
      socket.send({ op: 'subscribe', args: [{ instType: market.category, channel: 'orders', instId: 'default' }] })
      await socket.next()
      await taken(bob, `buy ${shrunk} @ 60000`, market)
      await taken(alice, `sell ${shrunk} oid:plain @ 60000`, market)
      expect(await orderRecord(alice, { clientOid: 'exit' }, market)).toMatchObject({ size: left, state: 'live' })
      const told = (await socket.next())['data'] as unknown as Fields[]
      expect(told.find(({ clientOid }) => clientOid === 'exit')).toMatchObject({ size: left, status: 'live' })
      socket.close()
      // Filled to its new size it is filled.
      await taken(bob, `buy ${left} @ 61000`, market)
      expect(await position(alice, market)).toBe('flat')
      expect(await orderRecord(alice, { clientOid: 'exit' }, market)).toMatchObject({ size: left, state: 'filled' })
    },
  )
}

row({ ...shrinks, rule: 'design §4.39 v3' }, 'the push and the record have the new size', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.1 reduce-only oid:exit @ 61000', btcPerpetual)
  await takenInBatch(bob, 'buy 0.02 ioc @ 61000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  socket.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] })
  await socket.next()
  await takenInBatch(bob, 'buy 0.03 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'sell 0.03 oid:plain @ 60000', btcPerpetual)
  const cut = { qty: '0.07', cumExecQty: '0.02', orderStatus: 'partially_filled' }
  expect(await unifiedOrder(alice, { clientOid: 'exit' })).toMatchObject(cut)
  const told = (await socket.next())['data'] as unknown as Fields[]
  expect(told.filter(({ clientOid }) => clientOid === 'exit')).toMatchObject([cut])
  socket.close()
  await takenInBatch(bob, 'buy 1 @ 61000', btcPerpetual)
  expect(await position(alice)).toBe('flat')
  expect(await unifiedOrder(alice, { clientOid: 'exit' })).toMatchObject({
    ...cut,
    cumExecQty: '0.07',
    orderStatus: 'filled',
  })
})

row({ ...shrinks, rule: 'design §4.39 restart' }, 'survives a restart', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holding(alice, bob, 'long 0.1')
  await taken(alice, 'sell 0.1 reduce-only @ 61000')
  await taken(bob, 'buy 0.06 @ 60000')
  await taken(alice, 'sell 0.06 @ 60000')
  await at.venue.restart('kill')
  expect(await openOrders(alice)).toEqual(['sell 0.04 @ 61000'])
})

row('risk-engine §11', 'a reduce-only order needs no margin', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '700' } } })
  await setLeverage(alice, 10)
  await holding(alice, bob, 'long 0.1') // 600 of the 700 are margin now
  refuses(await place(alice, 'buy 0.1 @ 60000'), '40762')
  succeeds(await place(alice, 'sell 0.1 reduce-only @ 61000'))
})

table(
  { rule: 'design §4.9 refusals', decision: 'a refused order has cancelled nothing' },
  [
    // what                              order that is refused                          code
    ['a duplicate clientOid', 'sell 0.05 reduce-only oid:resting @ 61100', '40786'],
    ['a price off the tick', 'sell 0.05 reduce-only @ 61100.05', '40808|45115'],
    ['the wrong direction', 'buy 0.05 reduce-only @ 59000', '22002'],
  ],
  async (order, code) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holding(alice, bob, 'long 0.1')
    await taken(alice, 'sell 0.08 reduce-only oid:resting @ 61000')
    refuses(await place(alice, order), code)
    expect(await openOrders(alice)).toEqual(['sell 0.08 @ 61000'])
  },
)

const xrpPerpetual = { category: 'USDT-FUTURES', symbol: 'XRPUSDT', marginCoin: 'USDT' } as const

table(
  {
    rule: 'design §4.31',
    decision: 'orders that only reduce need neither minimum, so that every position can be closed',
  },
  `
    case                        | mode         | order                    | expected
    reduce-only, worth 0.6 USDT | one_way_mode | sell 1 reduce-only @ 0.6 | ok
    closing in hedge mode       | hedge_mode   | buy 1 close @ 0.6        | ok
    selling without reduce-only | one_way_mode | sell 1 @ 0.6             | 45110
    opening in hedge mode       | hedge_mode   | buy 1 open @ 0.6         | 45110
  `,
  async ({ mode, order, expected }) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    if (mode === 'hedge_mode') await setHoldMode(alice, mode)
    await taken(bob, 'sell 20 @ 0.6', xrpPerpetual)
    await taken(alice, mode === 'hedge_mode' ? 'buy 20 open @ 0.6' : 'buy 20 @ 0.6', xrpPerpetual)
    answers(await place(alice, order, xrpPerpetual), expected)
  },
)
