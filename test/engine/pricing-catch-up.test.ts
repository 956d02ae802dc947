/**
 * Catching up in closed form is what sampling one by one would have been.
 * Source  risk-engine §12, §13
 */
import { expect, test } from 'vitest'
import { dayMs, Exchange, firstDay, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { share } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { expectSound } from './support/soundness.ts'

const contracts: readonly MarketName[] = ['BTCUSDT', 'BTCUSD', 'SOLUSDT']

/** Quotes above and below the index, changed now and then; in between either nothing happens, or a look each second. */
function market(gaps: readonly number[], looks: boolean): Exchange {
  const exchange = traders(new Exchange(), 'ann', 'ben')
  const btc = { impactNotional: undefined, fundingRateCap: share('1'), fundingIntervalHours: 1 }
  exchange.must({
    kind: 'configure-pricing',
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [{ coin: 1, indexAgeMsMax: 70 * secondMs }],
    instruments: [{ instrument: instrumentId('BTCUSDT'), ...btc }],
  })
  let at = firstDay + secondMs
  gaps.forEach((gap, round) => {
    exchange.at = at
    const name = `q${round}`
    for (const [maker, side, away] of [
      ['ann', 'sell', 200],
      ['ben', 'buy', 100],
    ] as const) {
      exchange.given(`${maker}: ${side} 10 BTCUSDT oid:${name} @ ${60000 + away - 40 * round}`)
      exchange.given(`${maker}: ${side} 900000 BTCUSD oid:${name}i @ ${60000 + away}`)
    }
    if (round > 0) {
      exchange.cancel('ann', `q${round - 1}`)
      exchange.cancel('ben', `q${round - 1}`)
    }
    if (round === 2) exchange.prices({ BTC: '60050', ETH: '3001' })
    const end = at + gap
    if (looks) {
      for (let look = at + secondMs; look < end; look += secondMs) {
        exchange.at = look
        exchange.must({ kind: 'set-index-prices', prices: [] })
      }
    }
    at = end
  })
  exchange.at = at
  exchange.given('ben: buy 1 BTCUSDT @ 50000')
  exchange.runTimers().wait(secondMs).runTimers()
  return exchange
}

test.each([
  ['seconds', [7 * secondMs, 1 * secondMs, 13 * secondMs, 4 * secondMs]],
  ['minutes', [61 * secondMs, 180 * secondMs, 299 * secondMs, 305 * secondMs]],
  ['a boundary of one contract', [50 * 60 * secondMs, 25 * 60 * secondMs, 10 * secondMs]],
  ['a boundary to the millisecond', [hourMs - secondMs, 7 * hourMs, 10 * secondMs]],
] as const)('%s', (_name, gaps) => {
  const coarse = market(gaps, false)
  const fine = market(gaps, true)
  for (const name of contracts) {
    const ask = { kind: 'prices', instrument: instrumentId(name) } as const
    expect(coarse.query(ask), name).toEqual(fine.query(ask))
  }
  const settled = (exchange: Exchange) =>
    exchange.applied.flatMap(({ events }) => events.filter(({ kind }) => kind === 'funding-settled'))
  expect(settled(coarse)).toEqual(settled(fine))
  const freezes = (exchange: Exchange) =>
    exchange.applied.flatMap(({ events }) => events.filter(({ kind }) => /frozen/.test(kind)))
  expect(freezes(coarse)).toEqual(freezes(fine))
  expectSound(coarse)
})

test('ninety days of samples cost one step', () => {
  const exchange = traders(new Exchange(), 'ann', 'ben')
  exchange.market = 'BTCUSDT'
  exchange.given('ann: sell 10 @ 60200', 'ben: buy 10 @ 60100')
  exchange.at = firstDay + 90 * dayMs
  const begun = performance.now()
  exchange.must({ kind: 'set-index-prices', prices: [] })
  expect(performance.now() - begun).toBeLessThan(2_000)
})
