/**
 * Prices of attached take-profits and stop-losses: none lies beyond what the book carries.
 * Source  interface E3 presets; docs/decisions/0018-price-range.md
 */
import { expect } from 'vitest'
import { priceTicksMax, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { traders } from './support/people.ts'
import { table } from './support/table.ts'

table(
  'the highest price of the book is the last one that is taken',
  `
    order                | leg        | price   | beyond | outcome
    alice: buy 10 @ 100  | takeProfit | trigger | 0      | accepted
    alice: buy 10 @ 100  | takeProfit | trigger | 1      | price-above-limit
    alice: buy 10 @ 100  | takeProfit | execute | 0      | accepted
    alice: buy 10 @ 100  | takeProfit | execute | 1      | price-above-limit
    alice: sell 10 @ 100 | stopLoss   | trigger | 0      | accepted
    alice: sell 10 @ 100 | stopLoss   | trigger | 1      | price-above-limit
    alice: sell 10 @ 100 | stopLoss   | execute | 0      | accepted
    alice: sell 10 @ 100 | stopLoss   | execute | 1      | price-above-limit
  `,
  (exchange, { order, leg, price, beyond, outcome }) => {
    traders(exchange, 'alice')
    const terms = { trigger: 110 as Ticks, execute: 0 as Ticks | 0, by: 'last' } as const
    const set = { ...terms, [price]: (priceTicksMax + Number(beyond)) as Ticks }
    const attached = { takeProfit: undefined, stopLoss: undefined, [leg]: set }
    expect(exchange.refusal({ ...exchange.order(order), ...attached })).toBe(outcome)
  },
)
