/**
 * Where an order's position would be liquidated: what is estimated before is what is shown after the fill, but for its fee.
 * Source  fidelity §2; risk-engine.md §5, §6, §8
 */
import { expect } from 'vitest'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import { type Exchange, instrumentId } from './support/exchange.ts'
import type { MarketName } from './support/listings.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function estimate(exchange: Exchange, side: 'long' | 'short', lots: number, price: number): number | undefined {
  return exchange.query({
    kind: 'estimated-liquidation',
    uid: exchange.uid('ann'),
    interface: 'v2',
    instrument: instrumentId(exchange.market),
    side,
    lots: lots as Lots,
    price: price as Ticks,
  })
}

function shown(exchange: Exchange): number {
  const [position] = exchange.positions('ann', exchange.market, 'v2')
  return position?.liquidationPrice ?? 0
}

/** Somebody rests the other side, and it trades. */
function trade(exchange: Exchange, line: string): void {
  const [, side = '', rest = ''] = /^ann: (buy|sell) (.+)$/.exec(line) ?? []
  exchange.given(`bob: ${side === 'buy' ? 'sell' : 'buy'} ${rest}`, line)
}

function freeOfFees(exchange: Exchange): void {
  const terms = { status: undefined, tiers: undefined, limitBand: undefined, marketBand: undefined }
  const none = 0n as never
  const instrument = instrumentId(exchange.market)
  exchange.must({ kind: 'set-instrument', instrument, ...terms, makerFeeRate: none, takerFeeRate: none })
}

// SOL trades at 100, in lots of 1 and ticks of 1; leverage 10.
table(
  'the estimate is what the position then shows',
  `
    market  | who        | before                    | side  | lots | fill
    SOLUSDT | isolated   | -                         | long  | 10   | ann: buy 10 @ 100
    SOLUSDT | isolated   | -                         | short | 10   | ann: sell 10 @ 100
    SOLUSDT | isolated   | ann: buy 10 @ 100         | long  | 5    | ann: buy 5 @ 100
    SOLUSDT | isolated   | ann: buy 10 @ 100         | short | 4    | ann: sell 4 @ 100
    SOLUSDT | isolated   | ann: buy 10 @ 100         | short | 10   | ann: sell 10 @ 100
    SOLUSDT | isolated   | ann: buy 10 @ 100         | short | 15   | ann: sell 15 @ 100
    SOLUSDT | cross      | -                         | long  | 50   | ann: buy 50 @ 100
    SOLUSDT | cross      | ann: sell 20 @ 100        | short | 50   | ann: sell 50 @ 100
    SOLUSDT | cross      | ann: sell 20 @ 100        | long  | 50   | ann: buy 50 @ 100
    SOLUSDT | unified    | -                         | long  | 50   | ann: buy 50 @ 100
    SOLUSDT | unified    | ann: sell 20 @ 100        | short | 30   | ann: sell 30 @ 100
  `,
  (exchange, { market, who, before, side, lots, fill }) => {
    exchange.market = market as MarketName
    freeOfFees(exchange)
    traders(exchange, 'bob')
    if (who === 'unified') exchange.join('ann', { mode: 'unified', funds: { uta: '1000 USDT' } })
    else exchange.join('ann', { funds: { usdt_futures: '1000 USDT' } })
    const uid = exchange.uid('ann')
    const instrument = instrumentId(exchange.market)
    if (who === 'isolated') {
      exchange.must({ kind: 'set-margin-mode', uid, interface: 'v2', instrument, marginMode: 'isolated' })
    }
    if (before !== '') trade(exchange, before)
    const expected = estimate(exchange, side as 'long', Number(lots), 100)
    trade(exchange, fill)
    expect(expected).toBe(shown(exchange))
  },
)

scenario('hedge mode opens the side that is asked for; nobody has none', (exchange) => {
  hedgers(exchange, 'ann')
  expect(estimate(exchange, 'long', 10, 100)).toBe(0)
  unifieds(exchange, 'bob')
  const nobody = { kind: 'estimated-liquidation', uid: 5, interface: 'v2', instrument: 0 } as const
  expect(exchange.query({ ...nobody, side: 'long', lots: 1 as Lots, price: 100 as Ticks })).toBeUndefined()
})
