/**
 * Where positions stand in the queue of auto-deleveraging.
 * Source  risk-engine §15
 */
import { expect } from 'vitest'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { share } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

function ranks(exchange: Exchange, who: string, line?: 'USDT-FUTURES' | 'COIN-FUTURES') {
  return exchange.query({ kind: 'adl-ranks', uid: exchange.uid(who), interface: 'v2', line })
}

function indicator(exchange: Exchange, who: string): string {
  return ranks(exchange, who)
    .map(({ side, indicator: lit }) => `${side} ${lit}`)
    .join(', ')
}

/** So many shorts of one lot, each with a little more behind it than the one before; Bob is long of all. */
function shorts(exchange: Exchange, count: number, name = 's'): string[] {
  traders(exchange, 'bob')
  return Array.from({ length: count }, (_, index) => {
    const who = `${name}${index}`
    exchange.join(who, { funds: { usdt_futures: `${20 + index} USDT` } })
    exchange.given('bob: buy 1 @ 100', `${who}: sell 1 @ 100`)
    return who
  })
}

scenario('five lights for the first fifth of the queue, one for the last', (exchange) => {
  const names = shorts(exchange, 10)
  exchange.prices({ SOL: '95' })
  // All have won as much; who has the least behind it is leveraged most.
  expect(names.map((who) => indicator(exchange, who)).join(' ')).toBe(
    'short 5 short 5 short 4 short 4 short 3 short 3 short 2 short 2 short 1 short 1',
  )
  expect(names.map((who) => ranks(exchange, who)[0]?.rank)).toEqual(
    Array.from({ length: 10 }, (_, index) => share(`${(10 - index) / 10}`)),
  )
  // The only long stands first.
  expect(ranks(exchange, 'bob')).toEqual([
    { instrument: instrumentId('SOLUSDT'), side: 'long', indicator: 5, rank: share('1') },
  ])
})

scenario('equal scores stand by age', (exchange) => {
  traders(exchange, 'bob', 'alice', 'carol')
  exchange.given('bob: buy 2 @ 100', 'carol: sell 1 @ 100', 'alice: sell 1 @ 100')
  expect([indicator(exchange, 'carol'), indicator(exchange, 'alice')]).toEqual(['short 5', 'short 3'])
})

scenario('of a product line, or of all; nobody without a position', (exchange) => {
  traders(exchange, 'alice', 'bob')
  exchange.given(
    'bob: sell 1 @ 100',
    'alice: buy 1 @ 100',
    'bob: sell 100 BTCUSD @ 60000',
    'alice: buy 100 BTCUSD @ 60000',
  )
  expect(ranks(exchange, 'alice').map(({ instrument }) => instrument)).toEqual([
    instrumentId('SOLUSDT'),
    instrumentId('BTCUSD'),
  ])
  expect(ranks(exchange, 'alice', 'COIN-FUTURES')).toHaveLength(1)
  exchange.join('carol')
  expect(ranks(exchange, 'carol')).toEqual([])
})

scenario('of a long queue some are scored, and show the place closely enough', (exchange) => {
  const names = shorts(exchange, 1_200)
  exchange.prices({ SOL: '95' })
  const before = exchange.save()
  for (let index = 0; index < names.length; index += 97) {
    const [shown] = ranks(exchange, names[index] ?? '')
    const place = 1 - index / names.length
    expect(Math.abs(Number(shown?.rank ?? 0n) / 1e12 - place)).toBeLessThan(0.02)
  }
  expect(exchange.save().equals(before)).toBe(true)
})
