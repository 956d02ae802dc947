/** Price-time priority: interface E2, E3. The same table on a contract and on a spot pair: both have one kind of book. */
import { expect } from 'vitest'
import type { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Who made what of the last command's trades. */
function made(exchange: Exchange): string {
  return exchange
    .fills()
    .filter(({ scope }) => scope === 'maker')
    .map(
      ({ uid, quantity, price }) => `${exchange.name(uid)} ${exchange.quantity(quantity)} @ ${exchange.price(price)}`,
    )
    .join(', ')
}

function numberOf(exchange: Exchange, name: string, clientOid: string): number {
  const order = { orderId: undefined, clientOid }
  return exchange.query({ kind: 'order', uid: exchange.uid(name), order })!.orderId
}

for (const market of ['SOLUSDT', 'SOL/USDT'] as const) {
  table(
    `${market}: best price first, then oldest first, at the maker's price`,
    `
      resting                | incoming              | outcome           | makers                                    | book
      -                      | dave: buy 5 @ 100     | rests 5           | -                                         | bids 5 @ 100 / asks none
      alice: sell 5 @ 100    | dave: buy 5 @ 99      | rests 5           | -                                         | bids 5 @ 99 / asks 5 @ 100
      alice: sell 5 @ 100    | dave: buy 5 @ 100     | filled 5          | alice 5 @ 100                             | bids none / asks none
      alice: sell 5 @ 100    | dave: buy 5 @ 104     | filled 5          | alice 5 @ 100                             | bids none / asks none
      alice: buy 5 @ 100     | dave: sell 5 @ 97     | filled 5          | alice 5 @ 100                             | bids none / asks none
      alice: sell 5 @ 100    | dave: buy 2 @ 100     | filled 2          | alice 2 @ 100                             | bids none / asks 3 @ 100
      alice: sell 5 @ 100    | dave: buy 8 @ 100     | filled 5, rests 3 | alice 5 @ 100                             | bids 3 @ 100 / asks none
      alice: sell 5 @ 101;   | dave: buy 7 @ 101     | filled 7          | bob 5 @ 100, alice 2 @ 101                | bids none / asks 3 @ 101
      bob: sell 5 @ 100      |                       |                   |                                           |
      alice: buy 5 @ 99;     | dave: sell 7 @ 99     | filled 7          | bob 5 @ 100, alice 2 @ 99                 | bids 3 @ 99 / asks none
      bob: buy 5 @ 100       |                       |                   |                                           |
      alice: sell 2 @ 100;   | dave: buy 6 @ 100     | filled 6          | alice 2 @ 100, bob 3 @ 100, carol 1 @ 100 | bids none / asks 3 @ 100
      bob: sell 3 @ 100;     |                       |                   |                                           |
      carol: sell 4 @ 100    |                       |                   |                                           |
      alice: sell 2 @ 100;   | dave: buy 4 @ 100     | filled 4          | alice 1 @ 99, alice 2 @ 100, bob 1 @ 100  | bids none / asks 2 @ 100
      bob: sell 3 @ 100;     |                       |                   |                                           |
      alice: sell 1 @ 99     |                       |                   |                                           |
      alice: sell 1 @ 100;   | dave: buy 3 @ 1100000 | filled 3          | alice 1 @ 100, carol 1 @ 2000,            | bids none / asks none
      bob: sell 1 @ 1100000; |                       |                   | bob 1 @ 1100000                           |
      carol: sell 1 @ 2000   |                       |                   |                                           |
    `,
    (exchange, { resting, incoming, outcome, makers, book }) => {
      traders(exchange, 'alice', 'bob', 'carol', 'dave').market = market
      exchange.given(resting)
      expect(exchange.place(incoming)).toBe(outcome)
      expect(made(exchange)).toBe(makers)
      expect(exchange.depth()).toBe(book)
    },
  )

  scenario(`${market}: an order that filled in part keeps its place`, (exchange) => {
    traders(exchange, 'alice', 'bob', 'dave').market = market
    exchange.given('alice: sell 5 @ 100', 'bob: sell 5 @ 100', 'dave: buy 2 @ 100')
    expect(exchange.place('dave: buy 4 @ 100')).toBe('filled 4')
    expect(made(exchange)).toBe('alice 3 @ 100, bob 1 @ 100')
  })

  scenario(`${market}: an order canceled from the middle leaves the queue in order`, (exchange) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave').market = market
    exchange.given('alice: sell 1 @ 100', 'bob: sell 2 oid:middle @ 100')
    exchange.given('carol: sell 3 @ 100')
    exchange.cancel('bob', 'middle')
    expect(exchange.depth()).toBe('bids none / asks 4 @ 100')
    expect(exchange.place('dave: buy 4 @ 100')).toBe('filled 4')
    expect(made(exchange)).toBe('alice 1 @ 100, carol 3 @ 100')
  })
}

for (const market of ['SOLUSDT', 'SOL/USDT'] as const) {
  table(
    `${market}: what stands before and behind an order at its price (lab.md §4.7)`,
    [
      // after these                                            before      behind      of
      [[], '2 in 1', '7 in 2', 12],
      [['alice: sell 9 @ 101', 'bob: sell 9 @ 99'], '2 in 1', '7 in 2', 12],
      [['dave: buy 1 @ 100'], '1 in 1', '7 in 2', 11],
      [['dave: buy 2 @ 100'], '0 in 0', '7 in 2', 10],
      [['dave: buy 4 @ 100'], '0 in 0', '7 in 2', 8],
      [['cancel alice first'], '0 in 0', '7 in 2', 10],
      [['cancel carol last'], '2 in 1', '4 in 1', 9],
      [['bob: sell 1 @ 100'], '2 in 1', '8 in 3', 13],
    ] as const,
    (exchange, after, ahead, behind, level) => {
      traders(exchange, 'alice', 'bob', 'carol', 'dave').market = market
      exchange.given('alice: sell 2 oid:first @ 100', 'bob: sell 3 oid:mine @ 100')
      exchange.given('carol: sell 4 @ 100', 'carol: sell 3 oid:last @ 100')
      const orderId = numberOf(exchange, 'bob', 'mine')
      for (const step of after) {
        const [word, who, which] = step.split(' ')
        if (word === 'cancel') exchange.cancel(who, which)
        else exchange.given(step)
      }
      const place = exchange.query({ kind: 'queue-place', orderId })
      expect([
        `${place?.ahead} in ${place?.aheadOrders}`,
        `${place?.behind} in ${place?.behindOrders}`,
        place?.level,
      ]).toEqual([ahead, behind, level])
    },
  )

  scenario(`${market}: an order that does not rest has no place`, (exchange) => {
    traders(exchange, 'alice', 'bob').market = market
    exchange.given('alice: sell 2 oid:mine @ 100')
    const orderId = numberOf(exchange, 'alice', 'mine')
    exchange.given('bob: buy 2 @ 100')
    expect(exchange.query({ kind: 'queue-place', orderId })).toBeUndefined()
    expect(exchange.query({ kind: 'queue-place', orderId: orderId + 1 })).toBeUndefined()
  })
}

scenario('each match has one id, the public trade and both private fills carry it (design §4.34)', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: sell 1 @ 100', 'alice: sell 1 @ 101', 'bob: buy 2 @ 101')
  const trades = exchange.lastEvents.filter((event) => event.kind === 'trade')
  expect(trades.map(({ price, quantity, side }) => [price, quantity, side])).toEqual([
    [100, 1, 'buy'],
    [101, 1, 'buy'],
  ])
  for (const trade of trades) {
    const fills = exchange.fills().filter(({ matchId }) => matchId === trade.matchId)
    expect(fills.map(({ uid, scope }) => [exchange.name(uid), scope])).toEqual([
      ['bob', 'taker'],
      ['alice', 'maker'],
    ])
  }
  expect(new Set(exchange.fills().map(({ execId }) => execId)).size).toBe(4)
})
