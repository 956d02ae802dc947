/**
 * Marks and funding rates that come from elsewhere hold in place of the formulas, and end.
 * Source  lab.md §4.9 (index, mark, funding of a record); docs/risk.md, given prices
 */
import { expect } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { type Rate, type Ticks, ticks } from '../../src/engine/numbers/numbers.ts'
import { type Exchange, firstDay, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { coins, share } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

/** BTCUSDT has a tick of 0.1. */
function give(
  exchange: Exchange,
  given: { mark?: number; funding?: string; market?: 'BTCUSDT' | 'SOLUSDT' },
  ms = 10 * secondMs,
) {
  const markPrice: Ticks | undefined = given.mark === undefined ? undefined : ticks(given.mark)
  const fundingRate: Rate | undefined = given.funding === undefined ? undefined : share(given.funding)
  const contracts = [{ instrument: instrumentId(given.market ?? 'BTCUSDT'), markPrice, fundingRate }]
  return { kind: 'set-given-prices', until: exchange.at + ms, contracts } as const
}

const markPrice = (exchange: Exchange) => exchange.price(prices(exchange).markPrice, 'BTCUSDT')
const prices = (exchange: Exchange) => exchange.query({ kind: 'prices', instrument: instrumentId('BTCUSDT') })

scenario('a mark that is given is the mark until its time is over, whatever the index and the book do', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.prices({ BTC: '60000' }).must(give(exchange, { mark: 601_234 }))
  expect(markPrice(exchange)).toBe('60123.4')
  exchange.wait(secondMs).prices({ BTC: '60300' })
  exchange
    .given('ann: sell 1 @ 60500', 'ben: buy 1 @ 60500')
    .wait(2 * secondMs)
    .runTimers()
  expect(markPrice(exchange)).toBe('60123.4')
  exchange.wait(8 * secondMs).runTimers()
  // Last 60,500, index 60,300 and 60,300 by funding: the median.
  expect(markPrice(exchange)).toBe('60300')
  expect(exchange.nextTimerAt()).toBeGreaterThan(exchange.at)
})

scenario('positions are valued and liquidated at a mark that is given', (exchange) => {
  traders(exchange, 'ann').join('ben', { funds: { usdt_futures: '3200 USDT' } }).market = 'BTCUSDT'
  exchange.given('ann: sell 1 @ 60000', 'ben: buy 1 @ 60000')
  exchange.must(give(exchange, { mark: 610_000 }))
  expect(coins(exchange.position('ben').unrealizedPnl)).toBe('1000')
  exchange.must(give(exchange, { mark: 10_000 }))
  expect(exchange.lastEvents.some(({ kind }) => kind === 'liquidation')).toBe(true)
})

scenario('a mark that is given stays within the market band of the index', (exchange) => {
  exchange.prices({ BTC: '60000' }).must(give(exchange, { mark: 900_000 }))
  // 5 %.
  expect(markPrice(exchange)).toBe('63000')
  exchange.must(give(exchange, { mark: 1 }))
  expect(markPrice(exchange)).toBe('57000')
})

scenario('funding is settled at a rate that is given', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.given('ann: sell 1 @ 60000', 'ben: buy 1 @ 60000')
  const beforeFunding = firstDay + 8 * hourMs - secondMs
  exchange.wait(beforeFunding - exchange.at)
  exchange.must(give(exchange, { mark: 600_000, funding: '-0.000321' }, hourMs))
  expect(prices(exchange).fundingRate).toBe(share('-0.000321'))
  exchange.wait(secondMs).runTimers()
  const paid = exchange.lastEvents.flatMap((event) => (event.kind === 'funding-payment' ? [coins(event.amount)] : []))
  // 1 × 60,000 × 0.0321 %: shorts pay, longs receive.
  expect(paid.sort()).toEqual(['-19.26', '19.26'])
})

scenario('what is left out follows from its formula, and what is taken away does', (exchange) => {
  exchange.prices({ BTC: '60000' })
  exchange.must(give(exchange, { mark: 601_000, funding: '0.002' }))
  exchange.must(give(exchange, { funding: '0.002' }))
  expect(markPrice(exchange)).toBe('60000')
  exchange.must(give(exchange, {}))
  expect(prices(exchange).fundingRate).toBe(share('0.0001'))
  const empty = exchange.save()
  exchange.must(give(exchange, { mark: 601_000 }, 0))
  expect(markPrice(exchange)).toBe('60000')
  expect(exchange.save().length).toBe(empty.length)
})

scenario('wrong prices are refused, and nothing of them is taken', (exchange) => {
  traders(exchange, 'ann', 'ben')
  const right = { instrument: instrumentId('BTCUSDT'), markPrice: ticks(601_000), fundingRate: undefined }
  const wrong = (contract: object) =>
    exchange.apply({
      kind: 'set-given-prices',
      until: exchange.at + hourMs,
      contracts: [right, { ...right, ...contract }],
    })
  expect(wrong({ instrument: 99 })).toEqual({ kind: 'refused', refusal: { kind: 'instrument-unknown' } })
  expect(wrong({ instrument: exchange.instrument('BTC/USDT').id })).toMatchObject({ refusal: { field: 'symbol' } })
  expect(wrong({ markPrice: 0 })).toMatchObject({ refusal: { field: 'markPrice' } })
  expect(wrong({ markPrice: 2 ** 31 })).toMatchObject({ refusal: { field: 'markPrice' } })
  expect(wrong({ fundingRate: share('1.01') })).toMatchObject({
    refusal: { field: 'fundingRate', rule: 'lies between -8/8 and 8/8' },
  })
  expect(markPrice(exchange)).not.toBe('60100')
})

scenario('an engine that was saved meanwhile goes on alike', (exchange) => {
  exchange.must(give(exchange, { mark: 601_000, funding: '0.002' }))
  exchange.must(give(exchange, { mark: 20_000, market: 'SOLUSDT' }, 20 * secondMs))
  const copy = Engine.load([exchange.save()], () => {})
  for (const ms of [5, 6, 10]) {
    const from = exchange.applied.length
    exchange.wait(ms * secondMs).runTimers()
    exchange.applied.slice(from).forEach(({ command, at }, index) => copy.apply(command, from + index + 1, at))
    expect(Buffer.concat(copy.save()).equals(exchange.save()), `after ${ms} s`).toBe(true)
  }
  expect(markPrice(exchange)).toBe('60000')
})
