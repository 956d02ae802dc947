/**
 * Positions closed at once and turned round, and the countdown that cancels everything.
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §2; design §4.9, §4.10, §4.11
 */
import { expect } from 'vitest'
import type { ClosePositions, ReversePosition } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { PositionSide, Side } from '../../src/engine/vocabulary.ts'
import { optional } from '../support/text-table.ts'
import { type Exchange, instrumentId, marketOf } from './support/exchange.ts'
import { lotsOf } from './support/order-commands.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function close(exchange: Exchange, who: string, what: Partial<ClosePositions> = {}): string {
  const reply = exchange.apply({
    kind: 'close-positions',
    uid: exchange.uid(who),
    interface: exchange.account(who).mode === 'classic' ? 'v2' : 'v3',
    line: 'USDT-FUTURES',
    instrument: undefined,
    positionSide: undefined,
    channelCode: '',
    ...what,
  })
  if (reply.kind === 'refused') return `refused ${reply.refusal.kind}`
  if (reply.kind !== 'positions-closed') return reply.kind
  return reply.positions
    .map((closed) => `${marketOf(closed.instrument)} ${closed.side} ${word(closed.reply)}`)
    .join(', ')
}

function word(reply: Reply | undefined): string {
  if (reply?.kind !== 'refused') return reply?.kind ?? 'nothing'
  return reply.refusal.kind
}

function reverse(
  exchange: Exchange,
  who: string,
  side: 'buy' | 'sell',
  quantity?: string,
  how: Partial<ReversePosition> = {},
): string {
  const reply = exchange.apply({
    kind: 'reverse-position',
    uid: exchange.uid(who),
    instrument: instrumentId(exchange.market),
    marginCoin: undefined,
    side,
    tradeSide: undefined,
    quantity: quantity === undefined ? undefined : { unit: 'lots', lots: lotsOf(exchange.instrument(), quantity) },
    clientOid: '',
    channelCode: '',
    ...how,
  })
  if (reply.kind === 'refused') return `refused ${reply.refusal.kind}`
  return reply.kind === 'reversed' ? `reversed, opened ${word(reply.opened)}` : reply.kind
}

scenario('every position of a line is closed, whatever the wallet has of others', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('bob: buy 2 ETHUSDT @ 3000', 'alice: sell 2 ETHUSDT @ 3000')
  exchange.given('bob: sell 10000 BTCUSD @ 60000', 'alice: buy 10000 BTCUSD @ 60000')
  exchange.given('carol: buy 100 @ 99', 'carol: sell 100 ETHUSDT @ 3010')
  expect(close(exchange, 'alice')).toBe('SOLUSDT long placed, ETHUSDT short placed')
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.holds('alice', 'ETHUSDT')).toBe('flat')
  expect(exchange.holds('alice', 'BTCUSD')).toBe('long 10000')
  expect(close(exchange, 'alice')).toBe('refused nothing-to-reduce')
})

table(
  'one-way, long 10 with closing orders: they make way; the side that is named does not count',
  [
    [{}, 'SOLUSDT long placed'],
    [{ instrument: instrumentId('SOLUSDT') }, 'SOLUSDT long placed'],
    [{ positionSide: 'short' }, 'SOLUSDT long placed'],
    [{ instrument: instrumentId('ETHUSDT') }, 'refused nothing-to-reduce'],
    [{ line: 'USDC-FUTURES' }, 'refused nothing-to-reduce'],
  ],
  (exchange, what, came) => {
    traders(exchange, 'alice', 'bob', 'carol')
    exchange.given(
      'bob: sell 10 @ 100',
      'alice: buy 10 @ 100',
      'alice: sell 7 reduce-only @ 110',
      'carol: buy 100 @ 99',
    )
    expect(close(exchange, 'alice', what as Partial<ClosePositions>)).toBe(came)
    const closed = came.endsWith('placed')
    expect(exchange.holds('alice')).toBe(closed ? 'flat' : 'long 10')
    expect(exchange.resting().filter((line) => line.startsWith('alice'))).toEqual(closed ? [] : ['alice sell 7 @ 110'])
  },
)

table(
  'hedge mode, long 10 and short 4, both with closing orders',
  `
    position side | came                                      | after
    -             | SOLUSDT long placed, SOLUSDT short placed | flat
    long          | SOLUSDT long placed                       | short 4
    short         | SOLUSDT short placed                      | long 10
  `,
  (exchange, { positionSide, came, after }) => {
    hedgers(exchange, 'alice', 'bob')
    traders(exchange, 'carol')
    exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100')
    exchange.given('bob: buy 4 open @ 100', 'alice: sell 4 open @ 100')
    exchange.given('alice: buy 7 close @ 110', 'alice: sell 3 close @ 90')
    exchange.given('carol: buy 100 @ 99', 'carol: sell 100 @ 101')
    expect(close(exchange, 'alice', { positionSide: optional<PositionSide>(positionSide) })).toBe(came)
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('a position larger than one market order may be is closed whole', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol').market = 'ETHPERP'
  for (let count = 0; count < 2; count++) exchange.given('bob: sell 80 @ 3000', 'alice: buy 80 @ 3000')
  exchange.given('carol: buy 200 @ 3000')
  expect(exchange.place('alice: sell 160 reduce-only')).toBe('refused quantity-above-maximum')
  expect(close(exchange, 'alice', { line: 'USDC-FUTURES' })).toBe('ETHPERP long placed')
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('into an empty book the order is canceled and the position stays', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  expect(close(exchange, 'alice')).toBe('SOLUSDT long placed')
  expect(exchange.ended()).toMatchObject([{ status: 'canceled', cancelReason: 'no-liquidity' }])
  expect(exchange.holds('alice')).toBe('long 10')
})

scenario('what one position is refused, the others are not', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given(
    'bob: sell 10 @ 100',
    'alice: buy 10 @ 100',
    'bob: sell 2 ETHUSDT @ 3000',
    'alice: buy 2 ETHUSDT @ 3000',
  )
  exchange.given('carol: buy 100 @ 99', 'carol: buy 100 ETHUSDT @ 2990')
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), status: 'halted', ...same })
  expect(close(exchange, 'alice')).toBe('SOLUSDT long instrument-closed, ETHUSDT long placed')
  expect([exchange.holds('alice'), exchange.holds('alice', 'ETHUSDT')]).toEqual(['long 10', 'flat'])
})

table(
  'reversed in one-way mode: long 10, carol bids 100 @ 99',
  `
    side | quantity | came                           | after
    sell | -        | reversed, opened nothing       | short 10
    sell | 10       | reversed, opened nothing       | short 10
    sell | 5        | reversed, opened nothing       | flat
    sell | 8        | reversed, opened nothing       | short 6
    sell | 11       | refused insufficient-position  | long 10
    sell | 0        | refused quantity-below-minimum | long 10
    buy  | -        | refused nothing-to-reduce      | long 10
  `,
  (exchange, { side, quantity, came, after }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'carol: buy 100 @ 99')
    expect(reverse(exchange, 'alice', side as Side, optional(quantity))).toBe(came)
    expect(exchange.holds('alice')).toBe(after)
    if (came.startsWith('reversed')) expect(exchange.ended()).toMatchObject([{ cause: 'reverse', status: 'filled' }])
  },
)

table(
  'reversed in hedge mode: long 10, short 4, carol on both sides',
  `
    side | trade side | quantity | came                          | after
    buy  | -          | -        | reversed, opened placed       | short 14
    buy  | close      | 3        | reversed, opened placed       | long 7, short 7
    sell | open       | 3        | reversed, opened placed       | long 7, short 7
    sell | -          | -        | reversed, opened placed       | long 14
    buy  | open       | 4        | reversed, opened placed       | long 14
    buy  | open       | 5        | refused insufficient-position | long 10, short 4
  `,
  (exchange, { side, tradeSide, quantity, came, after }) => {
    hedgers(exchange, 'alice', 'bob')
    traders(exchange, 'carol')
    exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100')
    exchange.given('bob: buy 4 open @ 100', 'alice: sell 4 open @ 100')
    exchange.given('carol: buy 100 @ 99', 'carol: sell 100 @ 101')
    expect(reverse(exchange, 'alice', side as Side, optional(quantity), { tradeSide: optional(tradeSide) })).toBe(came)
    const causes = exchange.ended().map(({ bookSide, cause }) => `${bookSide} ${cause}`)
    // What closes the one position opens the other.
    const closes = after === 'long 14' ? 'buy' : 'sell'
    if (came.startsWith('reversed')) expect(causes).toEqual([`${closes} reverse`, `${closes} reverse`])
    expect(exchange.holds('alice')).toBe(after)
  },
)

scenario('a hedge position opens no more the other way than was closed', (exchange) => {
  hedgers(exchange, 'alice', 'bob')
  traders(exchange, 'carol')
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100', 'carol: buy 6 @ 99')
  expect(reverse(exchange, 'alice', 'buy')).toBe('reversed, opened placed')
  expect(exchange.holds('alice')).toBe('long 4')
  expect(exchange.ended().filter(({ uid }) => uid === exchange.uid('alice'))).toMatchObject([
    { intent: 'close', quantity: 10, filled: 6, status: 'canceled' },
    { intent: 'open', quantity: 6, filled: 0, status: 'canceled' },
  ])
  expect(reverse(exchange, 'alice', 'buy')).toBe('reversed, opened nothing')
  expect(exchange.holds('alice')).toBe('long 4')
})

scenario('in hedge mode a close stands when what would open is refused', (exchange) => {
  hedgers(exchange, 'bob')
  exchange.join('alice', { funds: { usdt_futures: '60 USDT' } })
  traders(exchange, 'carol')
  exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' })
  exchange.given('bob: sell 10 open @ 100', 'alice: buy 10 open @ 100', 'carol: buy 20 @ 98')
  expect(reverse(exchange, 'alice', 'buy')).toBe('reversed, opened insufficient-margin')
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a taken client order id changes nothing', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 oid:a @ 100', 'carol: buy 100 @ 99')
  expect(reverse(exchange, 'alice', 'sell', undefined, { clientOid: 'a' })).toBe('refused duplicate-client-order-id')
  expect(exchange.holds('alice')).toBe('long 10')
})

// The countdown

function countDown(exchange: Exchange, who: string, seconds: number): string {
  return exchange.refusal({ kind: 'set-countdown', uid: exchange.uid(who), ms: seconds * 1000 })
}

/** Orders of alice at each of these moments, seconds after the first countdown was set; bob's stays throughout. */
table(
  'orders of alice after so many seconds',
  [
    // what she says when, and how many of her two orders are left
    [{ 0: 5 }, { 4.9: 2, 5: 0 }],
    [
      { 0: 5, 4: 5 },
      { 5: 2, 8.9: 2, 9: 0 },
    ],
    [
      { 0: 5, 4: 0 },
      { 5: 2, 70: 2 },
    ],
    [
      { 0: 60, 1: 5 },
      { 5.9: 2, 6: 0 },
    ],
    [{ 0: 5, 5: 60 }, { 5.1: 0 }],
    [{ 0: 0 }, { 70: 2 }],
  ],
  (exchange, set, left) => {
    unifieds(exchange, 'alice', 'bob')
    exchange.given('alice: buy 1 @ 90', 'alice: buy 1 BTC/USDT @ 50000', 'bob: buy 1 @ 91')
    const start = exchange.at + 1
    const moments = [
      ...Object.entries(set).map(([at, seconds]) => ({ at: Number(at), seconds })),
      ...Object.entries(left).map(([at, count]) => ({ at: Number(at), count })),
    ]
    for (const moment of moments.sort((a, b) => a.at - b.at || ('seconds' in a ? -1 : 1))) {
      exchange.at = Math.max(exchange.at, start + moment.at * 1000 - 1)
      if ('seconds' in moment) expect(countDown(exchange, 'alice', moment.seconds)).toBe('accepted')
      else {
        exchange.runTimers()
        const lines = [...exchange.resting(), ...exchange.resting('BTC/USDT')].filter((line) =>
          line.startsWith('alice'),
        )
        expect(lines, `after ${moment.at} s`).toHaveLength(moment.count)
      }
    }
    expect(exchange.resting()).toContain('bob buy 1 @ 91')
  },
)

scenario('only the unified wallet counts down; classic accounts are refused', (exchange) => {
  exchange.join('hugo', { mode: 'hybrid', funds: { uta: '10000 USDT', spot: '10000 USDT' } })
  traders(exchange, 'carla').market = 'SOL/USDT'
  exchange.given('hugo: buy 1 v3 @ 90', 'hugo: buy 2 v2 @ 90')
  expect(countDown(exchange, 'carla', 5)).toBe('account-mode-unsuitable')
  expect(countDown(exchange, 'hugo', 5)).toBe('accepted')
  exchange.wait(5000).runTimers()
  expect(exchange.resting()).toEqual(['hugo buy 2 @ 90'])
})
