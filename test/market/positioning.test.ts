/**
 * Sides of a contract by periods: longer ones are sums of the shortest, and what is kept does not grow.
 * Source  fidelity §2
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Positioning, positioningPeriods } from '../../src/market/positioning.ts'

const midnight = Date.UTC(2026, 8, 22)
const minute = 60_000
const day = 1_440 * minute
const nobody = { long: 0, short: 0 }

test('a period has what happened in it, and who held the contract as it ended', () => {
  const sides = new Positioning(nobody, midnight + minute)
  sides.add(midnight + 2 * minute, { side: 'buy', lots: 10, opens: true })
  sides.setHolders(midnight + 2 * minute, { long: 1, short: 1 })
  sides.add(midnight + 6 * minute, { side: 'sell', lots: 4, opens: false })
  sides.setHolders(midnight + 6 * minute, { long: 1, short: 2 })
  const none = { bought: 0, sold: 0, longOpened: 0, shortOpened: 0 }
  const first = { ...none, at: midnight, bought: 10, longOpened: 10, holders: { long: 1, short: 1 } }
  const now = { long: 1, short: 2 }
  expect(sides.rows('5m', midnight + 11 * minute)).toEqual([
    first,
    { ...none, at: midnight + 5 * minute, sold: 4, holders: now },
    { ...none, at: midnight + 10 * minute, holders: now },
  ])
  expect(sides.rows('15m', midnight + 11 * minute)).toEqual([
    { ...none, at: midnight, bought: 10, longOpened: 10, sold: 4, holders: now },
  ])
})

const steps = fc.array(
  fc.record({
    wait: fc.oneof(fc.nat(minute), fc.nat(40 * minute), fc.nat(day)),
    side: fc.constantFrom('buy', 'sell'),
    lots: fc.nat(100),
    opens: fc.boolean(),
  }),
  { maxLength: 40 },
)

test('what is shown of each period is the sum of its trades, at most thirty rows without a gap', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const sides = new Positioning(nobody, midnight)
      let at = midnight
      const trades = list.map(({ wait, ...trade }) => {
        at += wait
        sides.add(at, trade)
        return { at, ...trade }
      })
      for (const period of positioningPeriods) {
        const rows = sides.rows(period, at)
        expect(rows.length).toBeLessThanOrEqual(30)
        rows.forEach((row, place) => {
          const end = rows[place + 1]?.at ?? at + 1
          const within = trades.filter((trade) => trade.at >= row.at && trade.at < end)
          const sum = (side: string) =>
            within.filter((one) => one.side === side).reduce((all, one) => all + one.lots, 0)
          expect([row.bought, row.sold], `${period} ${place}`).toEqual([sum('buy'), sum('sell')])
        })
      }
    }),
    { numRuns: 30 },
  )
})

test('after longer than is kept it begins anew', () => {
  const sides = new Positioning({ long: 3, short: 1 }, midnight)
  sides.add(midnight, { side: 'buy', lots: 1, opens: true })
  const rows = sides.rows('1d', midnight + 400 * day)
  expect(rows).toMatchObject([{ at: midnight + 400 * day, bought: 0, holders: { long: 3, short: 1 } }])
})
