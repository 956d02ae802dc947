/** A market that was saved, went on and was restored answers as one that never went on. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { intervals, Market } from '../../src/market/market.ts'

const midnight = Date.UTC(2026, 8, 22)
const minute = 60_000
const hour = 60 * minute
const instruments = [0, 1]

const happenings = fc.array(
  fc.record({
    wait: fc.oneof(fc.nat(minute), fc.nat(40 * minute), fc.nat(30 * hour)),
    instrument: fc.constantFrom(...instruments),
    price: fc.integer({ min: 1, max: 1_000 }),
    isTrade: fc.boolean(),
  }),
  { maxLength: 40 },
)
type Happenings = typeof happenings extends fc.Arbitrary<infer Value> ? Value : never

/** What happens from a moment on; `from` tells numbers of trades apart. */
function play(
  market: Market,
  list: Happenings,
  from: { at: number; matchId: number },
): { at: number; matchId: number } {
  let { at, matchId } = from
  for (const { wait, instrument, price, isTrade } of list) {
    at += wait
    matchId += 1
    const event = isTrade
      ? { kind: 'trade', matchId, instrument, price: ticks(price), quantity: lots(price % 7), side: 'buy', at }
      : { kind: 'prices-changed', instrument, markPrice: ticks(price), indexPrice: ticks(price + 1), at }
    const side = price % 2 === 0 ? 'buy' : 'sell'
    const taken = { instrument, scope: 'taker', effect: 'open', bookSide: side, quantity: lots(price % 7), at }
    market.record([event as Event, ...(isTrade ? [{ kind: 'fill', ...taken } as Event] : [])])
  }
  return { at, matchId }
}

function seen(market: Market, now: number) {
  return instruments.map((instrument) => ({
    ticker: market.ticker(instrument, now),
    trades: market.recentTrades([instrument], 1_000),
    sides: (['5m', '1h', '1d'] as const).map((period) => market.positioning(instrument, period, now)),
    candles: intervals.flatMap((interval) => {
      return (['market', 'mark', 'index'] as const).map((kind) => market.candle(instrument, kind, interval, now))
    }),
  }))
}

test('restored, by itself or by another, whatever happens before, meanwhile and after', () => {
  fc.assert(
    fc.property(happenings, happenings, happenings, fc.nat(3 * hour), (before, meanwhile, after, later) => {
      const [market, twin, other] = [new Market(), new Market(), new Market()]
      const start = { at: midnight, matchId: 0 }
      const moment = play(market, before, start)
      play(twin, before, start)
      const saved = market.save()
      const copy = structuredClone(saved)
      const there = play(market, meanwhile, moment)
      seen(market, there.at)
      expect(saved).toEqual(copy)
      for (let time = 0; time < 2; time++) {
        market.restoreFrom(saved)
        expect(seen(market, moment.at + later)).toEqual(seen(twin, moment.at + later))
        if (time === 0) play(market, meanwhile, moment)
      }
      other.restoreFrom(copy)
      const ends = [market, twin, other].map((one) => {
        const end = play(one, after, moment)
        return seen(one, end.at)
      })
      expect(ends[0]).toEqual(ends[1])
      expect(ends[2]).toEqual(ends[1])
      expect(saved).toEqual(structuredClone(copy))
    }),
  )
})

test('of more trades than are kept the newest are, in order', () => {
  const market = new Market()
  const list: Happenings = Array.from({ length: 730 }, () => ({ wait: 1, instrument: 0, price: 5, isTrade: true }))
  const moment = play(market, list, { at: midnight, matchId: 0 })
  const saved = market.save()
  play(market, list, moment)
  market.restoreFrom(saved)
  play(market, list.slice(0, 2), moment)
  const numbers = market.recentTrades([0], 1_000).map(({ matchId }) => matchId)
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, back) => 732 - back))
})

test('an instrument that traded only later is forgotten', () => {
  const market = new Market()
  const saved = market.save()
  play(market, [{ wait: 1, instrument: 1, price: 5, isTrade: true }], { at: midnight, matchId: 0 })
  market.restoreFrom(saved)
  expect(market.ticker(1, midnight)).toBeUndefined()
  expect(market.recentTrades([1], 10)).toEqual([])
})
