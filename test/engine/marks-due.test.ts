/**
 * Marks that are computed only when they may be another, and distances that are measured only where prices changed, are what
 * computing and measuring all of them gives.
 *
 * Plain    what an engine forgets by being saved and loaded is which marks stand, and how far prices were: it computes all
 * Source   risk-engine §12
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { rate, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { fundingFraction, standsFor } from '../../src/engine/price-rules/mark-candidates.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { measure, nobodyWaiting, reached, waitFor, waitNoMore } from '../../src/engine/state/price-watch.ts'
import { priceNear } from '../../src/engine/state/prices.ts'
import { hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { traders, unifieds } from './support/people.ts'
import { scenario } from './support/table.ts'

test('the price with funding stands exactly as long as is said', () => {
  const drifting = fc.record({
    index: fc.oneof(fc.integer({ min: 1, max: 2 ** 30 - 1 }), fc.integer({ min: 1, max: 1_000_000 })),
    fundingRate: fc.bigInt({ min: -30_000_000_000n, max: 30_000_000_000n }).filter((price) => price !== 0n),
    fundingIntervalMs: fc.constantFrom(hourMs, 8 * hourMs),
    left: fc.double({ min: 0, max: 1, noNaN: true }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(drifting, ({ left, at, index, fundingIntervalMs, fundingRate }) => {
      const fundingLeftMs = Math.max(1, Math.floor(left * fundingIntervalMs))
      const made = { index: index as Ticks, fundingRate: rate(fundingRate), fundingIntervalMs, fundingLeftMs }
      const after = (ms: number) =>
        priceNear(...fundingFraction(made.index, { ...made, fundingLeftMs: fundingLeftMs - ms }))
      const stands = standsFor({ ...made, withFunding: after(0) })
      expect(stands).toBeGreaterThan(0)
      expect(stands).toBeLessThanOrEqual(fundingLeftMs)
      expect([after(Math.floor(at * (stands - 1))), after(stands - 1)]).toEqual([after(0), after(0)])
      if (stands < fundingLeftMs) expect(after(stands)).not.toBe(after(0))
    }),
    { numRuns: 2_000 },
  )
})

scenario('an engine that forgets after every command tells the same and saves the same', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  unifieds(exchange, 'uma')
  exchange.given('ann: sell 20 @ 60100', 'uma: buy 20 @ 60100', 'ann: sell 5 SOLUSDT @ 150', 'ben: buy 5 SOLUSDT @ 150')
  for (const market of ['BTCUSDT', 'SOLUSDT', 'BTCUSD'] as const) {
    exchange.must({ kind: 'settle-funding', instrument: instrumentId(market) })
  }
  for (let round = 0; round < 30; round++) {
    exchange.wait(((round * 7) % 11) * 4 * secondMs + 20 * secondMs)
    const side = round % 2 === 0 ? 'buy' : 'sell'
    if (round % 3 === 0) exchange.given(`ben: ${side} 0.1 @ ${60_000 + 10 * round}`)
    if (round % 5 === 0) exchange.given(`ann: ${side} 0.1 @ ${60_000 + 10 * round}`)
    if (round % 4 === 1) exchange.prices({ ETH: String(3_000 + round) })
    if (round % 4 === 3) exchange.prices({ BTC: String(60_000 - 40 * round), USDT: round % 8 === 3 ? '0.999' : '1' })
    if (round === 17) {
      exchange.must({
        kind: 'set-instrument',
        instrument: instrumentId('BTCUSDT'),
        ...unset,
        marketBand: rate(1_000_000_000n),
      })
    }
    exchange.runTimers()
  }
  let saved = new Engine(() => undefined).save()
  exchange.applied.forEach(({ command, at, events }, index) => {
    const emitted: Event[] = []
    const forgetful = Engine.load(saved, (event) => emitted.push(event))
    forgetful.apply(command, index + 1, at)
    expect(emitted, command.kind).toEqual(events)
    saved = forgetful.save()
  })
  expect(exchange.save().equals(Buffer.concat(saved))).toBe(true)
  expect(
    exchange.applied.flatMap(({ events }) => events).filter(({ kind }) => kind === 'prices-changed').length,
  ).toBeGreaterThan(40)
})

const unset = {
  status: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  tiers: undefined,
} as const

test('distances measured where prices changed are those of all prices', () => {
  const change = fc.record({
    place: fc.nat(7),
    price: fc.oneof(fc.bigInt({ min: 995_000n, max: 1_005_000n }), fc.bigInt({ min: 1n, max: 4_000_000n })),
    account: fc.nat(50),
    tolerance: fc.nat(20_000_000),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const prices = Array.from({ length: 4 }, () => 1_000_000n)
      const watched = () => ({
        places: prices.length,
        joined: prices.filter((price) => price > 0n).length,
        at: (place: number) => prices[place],
      })
      let plain = nobodyWaiting()
      const quick = nobodyWaiting()
      for (const { place, price, account, tolerance } of changes) {
        while (prices.length <= place) prices.push(0n)
        prices[place] = price
        // What is not known of a copy is measured anew.
        plain = structuredClone(plain)
        for (const waiting of [plain, quick]) {
          measure(waiting, watched(), [place])
          for (let due = reached(waiting); due !== undefined; due = reached(waiting)) waitNoMore(waiting, due)
          waitFor(waiting, account, tolerance, watched())
        }
        expect(quick).toEqual(plain)
      }
    }),
    { numRuns: 300 },
  )
})
