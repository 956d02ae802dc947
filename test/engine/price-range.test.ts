/**
 * Prices that no book carries: what is listed for them is refused, and what comes to them is halted.
 *
 * Range   1 … 1,073,741,823 steps; a listing may begin at a tenth of it: 107,374,182
 * Source  docs/operations.md, "Bounds"; docs/decisions/0018-price-range.md
 */
import { describe, expect, test } from 'vitest'
import { listedTicksMax, listingRangeFault } from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import { priceTicksMax } from '../../src/engine/numbers/numbers.ts'
import { type Exchange, firstDay, hourMs, instrumentId } from './support/exchange.ts'
import { units } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

describe('a listing begins between one step and a tenth of the range', () => {
  const above = (steps: string) => `the index price is ${steps} steps, a tenth of the range is ${listedTicksMax}`
  const below = 'the index price is less than one step'

  test.each([
    // base, quote         decimals, step   what is wrong
    ['60000', '1', 3, 1, undefined],
    ['60000', '1', 4, 1, `pricePrecision must be at most 3: ${above('600000000')}`],
    ['60000', '1', 5, 1, `pricePrecision must be at most 3: ${above('6000000000')}`],
    ['107374.182', '1', 3, 1, undefined],
    ['107374.1829', '1', 3, 1, undefined],
    ['107374.183', '1', 3, 1, `pricePrecision must be at most 2: ${above('107374183')}`],
    ['60000', '0.5', 3, 1, `pricePrecision must be at most 2: ${above('120000000')}`],
    // Half a dollar is few steps, however many decimals it has.
    ['60000', '1', 5, 50_000, undefined],
    ['60000', '1', 5, 50, `priceMultiplier must be at least 0.001: ${above('120000000')}`],
    ['5000000000', '1', 0, 1, `priceMultiplier must be at least 100: ${above('5000000000')}`],
    ['1', '1', 0, 1, undefined],
    ['0.00001', '1', 4, 1, `pricePrecision must be at least 5: ${below}`],
    ['0.00001', '1', 5, 1, undefined],
    ['0.00001', '1', 5, 2, `priceMultiplier must be at most 0.00001: ${below}`],
    ['0.00000001', '2', 8, 1, `pricePrecision has too few decimals at 8: ${below}`],
  ])('%s in %s with %d decimals, steps of %d: %s', (base, quote, priceDecimals, priceStep, expected) => {
    const fault = listingRangeFault({ priceDecimals, priceStep }, units(base), units(quote))
    expect(fault === undefined ? undefined : `${fault.field} ${fault.rule}`).toBe(expected)
  })
})

function prices(exchange: Exchange, market: MarketName) {
  const { indexPrice, markPrice, indexHalt } = exchange.query({ kind: 'prices', instrument: instrumentId(market) })
  return [exchange.price(indexPrice, market), exchange.price(markPrice, market), indexHalt]
}

function told(exchange: Exchange, market: MarketName): string[] {
  return exchange.lastEvents.flatMap((event) => {
    if (event.kind === 'instrument-frozen' && event.instrument === instrumentId(market)) return [event.cause]
    return event.kind === 'instrument-unfrozen' && event.instrument === instrumentId(market) ? ['free'] : []
  })
}

table(
  'an index that no book carries halts what it is of, which keeps its last prices',
  [
    // market     the coin then       index       mark        halted
    ['BTC/USDT', { BTC: '10737418.23' }, ['10737418.23', '10737418.23', undefined]],
    ['BTC/USDT', { BTC: '10737418.234' }, ['10737418.23', '10737418.23', undefined]],
    ['BTC/USDT', { BTC: '10737418.24' }, ['60000', '60000', 'out-of-range']],
    // One decimal less carries ten times as much.
    ['BTCUSDT', { BTC: '10737418.24' }, ['10737418.2', '10737418.2', undefined]],
    ['SOLUSDT', { SOL: '1073741823.4' }, ['1073741823', '1073741823', undefined]],
    ['SOLUSDT', { SOL: '1073741823.5' }, ['100', '100', 'out-of-range']],
    ['SOLUSDT', { SOL: '92233720368' }, ['100', '100', 'out-of-range']],
    ['SOLUSDT', { SOL: '0.5' }, ['1', '1', undefined]],
    ['SOLUSDT', { SOL: '0.4' }, ['100', '100', 'out-of-range']],
    ['BTCUSD', { BTC: '0.04' }, ['60000', '60000', 'out-of-range']],
    // The quote coin counts as much.
    ['ETHPERP', { USDC: '0.0001' }, ['3000', '3000', 'out-of-range']],
  ] as const,
  (exchange, market, coins, expected) => {
    exchange.leap(coins)
    expect(prices(exchange, market)).toEqual(expected)
    const halted = expected[2] === 'out-of-range'
    // The first of the two was held back: until then it was suspect.
    expect(told(exchange, market)).toEqual(halted ? ['out-of-range'] : ['free'])
  },
)

scenario('it comes back: the halt ends and the index is that of now', (exchange) => {
  exchange.leap({ SOL: '2000000000' })
  expect(prices(exchange, 'SOLUSDT')).toEqual(['100', '100', 'out-of-range'])
  exchange.prices({ SOL: '3000000000' })
  expect(told(exchange, 'SOLUSDT')).toEqual([])
  exchange.prices({ SOL: '1000000000' })
  expect(told(exchange, 'SOLUSDT')).toEqual(['free'])
  expect(prices(exchange, 'SOLUSDT')).toEqual(['1000000000', '1000000000', undefined])
})

table(
  'out of range: only what reduces is admitted, and no pair trades',
  `
    line                          | outcome
    ann: buy 1 @ 100              | refused index-stale
    ann: sell 20 @ 100            | refused index-stale
    ann: buy 1                    | refused index-stale
    ann: sell 4 reduce-only @ 100 | rests 4
    ann: sell 1 SOL/USDT @ 100    | refused index-stale
    ann: buy 1 SOL/USDT @ 100     | refused index-stale
    ann: buy 1 BTC/USDT @ 60000   | rests 1
    ann: buy 1 BTCUSDT @ 60000    | rests 1
  `,
  (exchange, { line, outcome }) => {
    traders(exchange, 'ann', 'ben').given('ben: sell 10 @ 100', 'ann: buy 10 @ 100')
    exchange.leap({ SOL: '2000000000' })
    expect(exchange.place(line)).toBe(outcome)
  },
)

scenario('out of range: funding is not settled, and nobody is liquidated', (exchange) => {
  traders(exchange, 'ann', 'ben').given('ben: sell 10 @ 100', 'ann: buy 10 @ 100')
  exchange.leap({ SOL: '2000000000' })
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'liquidation')).toEqual([])
  expect(exchange.refusal({ kind: 'settle-funding', instrument: instrumentId('SOLUSDT') })).toBe('index-stale')
  exchange.at = firstDay + 9 * hourMs
  exchange.runTimers()
  expect(exchange.position('ben').funding).toBeUndefined()
})

scenario('a venue that is loaded again halts the same', (exchange) => {
  exchange.leap({ SOL: '2000000000' })
  const again = Engine.load([exchange.save()], () => {})
  const halt = (market: MarketName) => again.query({ kind: 'prices', instrument: instrumentId(market) }).indexHalt
  expect([halt('SOLUSDT'), halt('SOL/USDT'), halt('BTCUSDT')]).toEqual(['out-of-range', 'out-of-range', undefined])
})

scenario('what was listed beyond the range before it was refused is halted', (exchange) => {
  const record = exchange.query({ kind: 'catalog' }).instruments[instrumentId('BTCUSDT')]
  const reply = exchange.must({
    kind: 'list-instrument',
    instrument: { ...record, symbol: 'BTCFINE', priceDecimals: 5, quantityDecimals: 3 } as never,
  })
  const { id } = reply as { id: number }
  expect(exchange.query({ kind: 'prices', instrument: id })).toMatchObject({
    indexPrice: priceTicksMax,
    indexHalt: 'out-of-range',
  })
})
