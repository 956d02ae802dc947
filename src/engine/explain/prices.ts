/**
 * An instrument explained: index, mark and its three candidates, funding rate, tiers, and whether its index is halted.
 *
 * Source  risk-engine.md §3, §12, §13
 */
import { bestPrice } from '../book/book.ts'
import { type CoinId, type FuturesInstrument, indexFraction, type Instrument, isFutures } from '../catalog/catalog.ts'
import { slicesOf } from '../margin/margin.ts'
import { divHalfUp, oneCoin, priceTicksMax } from '../numbers/numbers.ts'
import {
  basisFraction,
  haltOf,
  fundingFraction,
  fundingRateOf,
  isCoinHalted,
  markFrom,
  meanPremium,
  nextFundingAt,
  runningRate,
} from '../price-rules/price-rules.ts'
import type { Reading } from '../state/state.ts'
import { coinName, contractOf, type Measures, measuresOf, nameOf } from './contract.ts'
import { type Page, type Part, ratio, textOf, usd } from './lines.ts'

export function explainInstrument(reading: Reading, page: Page, instrument: Instrument): void {
  explainPrices(reading, page, instrument)
  if (!isFutures(instrument)) return
  const part = page.about(nameOf(instrument))
  fundingLines(reading, part, instrument)
  tierLines(reading, part, instrument)
}

/** Index, last and mark price, with what made them. */
export function explainPrices(reading: Reading, page: Page, instrument: Instrument): void {
  const { prices } = reading
  const { id } = instrument
  const measures = measuresOf(reading, instrument)
  const part = page.about(nameOf(instrument))
  const book = reading.book(id)
  part.input('category', instrument.category)
  part.input('status', instrument.status)
  part.input('frozen', haltOf(reading, id) ?? 'no')
  for (const coin of coinsOf(instrument)) coinInputs(reading, part, coin)
  if (prices.lastPrice(id) !== 0) part.amount('lastPrice', measures.price, prices.lastPrice(id))
  for (const side of ['buy', 'sell'] as const) {
    const best = bestPrice(book, side)
    if (best !== 0) part.amount(side === 'buy' ? 'bestBid' : 'bestAsk', measures.price, best)
  }
  if (isFutures(instrument)) {
    const open = reading.futures.openInterest[id] ?? 0
    part.amount('openInterest', measures.quantity, open)
  }
  indexLine(reading, part, instrument, measures)
  if (isFutures(instrument)) markLines(reading, part, instrument, measures)
  else
    part.line('markPrice', {
      ...mark,
      values: {},
      formula: 'mark = I',
      result: markOf(reading, instrument),
      measure: measures.price,
    })
}

const mark = { source: 'Which price is used for what' } as const

function markOf(reading: Reading, { id }: Instrument): bigint {
  return BigInt(reading.prices.markPrice(id))
}

function coinsOf(instrument: Instrument): CoinId[] {
  const settle = isFutures(instrument) ? instrument.settle : instrument.base
  return [...new Set([instrument.base, instrument.quote, settle])].filter((coin) => coin !== -1)
}

function coinInputs(reading: Reading, part: Part, coin: CoinId): void {
  const { prices } = reading
  const name = coinName(reading, coin)
  part.amount(`indexPrice ${name}`, usd, prices.usdE8(coin))
  part.input(`indexPrice ${name} at`, prices.updatedAt[coin])
  if (!isCoinHalted(reading, coin)) return
  if (prices.heldBack[coin] !== 0n) part.amount(`heldBack ${name}`, usd, prices.heldBack[coin])
  else part.input(`stale ${name}`, `older than ${prices.settings.indexAgeMsMax[coin]} ms`)
}

function indexLine(reading: Reading, part: Part, instrument: Instrument, { price }: Measures): void {
  const { prices } = reading
  const base = prices.usdE8(instrument.base)
  const quote = instrument.quote === -1 ? oneCoin : prices.usdE8(instrument.quote)
  const values = { base: textOf(usd, base), quote: textOf(usd, quote) }
  const result = BigInt(prices.indexPrice(instrument.id))
  if (prices.isBeyondRange(instrument.id)) {
    const formula = 'base in USD / quote in USD is out of range: I = as it last was'
    part.line('indexPrice', { source: 'Which price is used for what', formula, values, measure: price, result })
    return
  }
  part.line('indexPrice', {
    source: 'Which price is used for what',
    formula: 'I = base in USD / quote in USD',
    values,
    exact: indexFraction(instrument, base, quote),
    rounding: 'nearest',
    measure: price,
    result,
  })
}

function markLines(reading: Reading, part: Part, instrument: FuturesInstrument, { price }: Measures): void {
  const made = reading.prices.made[instrument.id]
  if (made === undefined) {
    const result = markOf(reading, instrument)
    part.line('markPrice', { ...mark, formula: 'mark = I, until prices come', values: {}, measure: price, result })
    return
  }
  const text = (ticks: number) => textOf(price, ticks)
  const within = [1n, BigInt(priceTicksMax)] as const
  part.input('mark made at', made.at)
  part.input('mark made by command', made.sequence)
  part.line('p1', {
    ...mark,
    formula: 'p1 = last trade, the index when there is none',
    values: {},
    measure: price,
    result: BigInt(made.last),
  })
  part.line('p2', {
    ...mark,
    formula: 'p2 = I × (1 + F × time to funding / interval)',
    values: {
      I: text(made.index),
      F: textOf(ratio, made.fundingRate),
      'time to funding': `${made.fundingLeftMs} ms`,
      interval: `${made.fundingIntervalMs} ms`,
    },
    exact: fundingFraction(made.index, made),
    rounding: 'nearest',
    within,
    measure: price,
    result: BigInt(made.withFunding),
  })
  const samples = { I: text(made.index), samples: String(made.basisCount) }
  const halfTick = { ...price, factor: price.factor * 5n, decimals: price.decimals + 1 }
  part.line('p3', {
    ...mark,
    formula: 'p3 = I + Σ((bid + ask)/2 − I) / samples',
    values: made.basisCount === 0 ? samples : { ...samples, 'Σ((bid + ask)/2 − I)': textOf(halfTick, made.basisSum) },
    ...(made.basisCount === 0 ? {} : { exact: basisFraction(made.index, made), rounding: 'nearest' as const, within }),
    measure: price,
    result: BigInt(made.withBasis),
  })
  if (made.given !== undefined) {
    part.line('markPrice', {
      ...mark,
      formula: 'mark = as given from elsewhere, within I·(1 ± market band)',
      values: { given: text(made.given), I: text(made.index), 'market band': textOf(ratio, instrument.marketBand) },
      exact: [BigInt(markFrom(instrument, made)), 1n],
      rounding: 'nearest',
      measure: price,
      result: markOf(reading, instrument),
    })
    return
  }
  part.line('markPrice', {
    ...mark,
    formula: 'mark = median(p1, p2, p3), within I·(1 ± market band)',
    values: {
      p1: text(made.last),
      p2: text(made.withFunding),
      p3: text(made.withBasis),
      I: text(made.index),
      'market band': textOf(ratio, instrument.marketBand),
    },
    exact: [BigInt(markFrom(instrument, made)), 1n],
    rounding: 'nearest',
    measure: price,
    result: markOf(reading, instrument),
  })
}

function fundingLines(reading: Reading, part: Part, instrument: FuturesInstrument): void {
  const { prices } = reading
  const samples = prices.samples[instrument.id]
  const { premiumMean, impactNotional } = prices.settings
  const { value } = contractOf(reading, instrument.id)
  const known = meanPremium(samples, premiumMean)
  const weight = known.weight === 0n ? 1n : known.weight
  const hours = instrument.fundingIntervalHours
  part.input('fundingInterval', `${hours} h`)
  part.input('nextFundingAt', nextFundingAt(instrument, reading.at))
  part.input('premiums so far', samples.premiums)
  part.input('premiumMean', premiumMean)
  part.amount('impactNotional', value, impactNotional[instrument.id])
  part.amount('latest fundingRate', ratio, samples.latestRate)
  part.line('meanPremium', {
    source: 'Funding',
    formula: premiumMean === 'plain' ? 'P̄ = Σ premium / n' : 'P̄ = Σ i·premium / Σ i',
    values: { Σ: textOf(ratio, known.sum), 'Σ weights': String(known.weight) },
    exact: [known.sum, weight],
    rounding: 'nearest',
    measure: ratio,
    result: divHalfUp(known.sum, weight),
  })
  const { fundingInterestRate, fundingClamp } = prices.settings
  const pull = clamp(fundingInterestRate * weight - known.sum, fundingClamp * weight)
  part.line('pull', {
    source: 'Funding',
    formula: 'pull = clamp(interest − P̄, −bound, +bound)',
    values: {
      P̄: fractionText(known.sum, weight),
      interest: textOf(ratio, fundingInterestRate),
      bound: textOf(ratio, fundingClamp),
    },
    exact: [pull, weight],
    rounding: 'nearest',
    measure: ratio,
    result: divHalfUp(pull, weight),
  })
  const cap = instrument.fundingRateCap
  const scaled = [(known.sum + pull) * BigInt(hours), 8n * weight] as const
  if (samples.dueRate !== undefined) part.amount('fundingRate due', ratio, samples.dueRate)
  // The same function without a premium: the rate while the book gives no prices.
  part.amount('fundingRate without premium', ratio, fundingRateOf(instrument, { sum: 0n, weight: 0n }, prices.settings))
  const given = prices.given.get(instrument.id)?.fundingRate
  if (given !== undefined) {
    const formula = 'F = as given from elsewhere, in place of the formula'
    part.line('fundingRate', { source: 'Funding', formula, values: {}, measure: ratio, result: given })
    return
  }
  part.line('fundingRate', {
    source: 'Funding',
    formula: 'F = clamp((P̄ + pull) / (8 / Nh), −cap, +cap)',
    values: { 'P̄ + pull': fractionText(known.sum + pull, weight), Nh: String(hours), cap: textOf(ratio, cap) },
    exact: scaled,
    rounding: 'nearest',
    within: [-cap, cap],
    measure: ratio,
    result: runningRate(reading, instrument),
  })
}

function fractionText(dividend: bigint, divisor: bigint): string {
  return dividend % divisor === 0n ? textOf(ratio, dividend / divisor) : `${textOf(ratio, dividend)} / ${divisor}`
}

function clamp(value: bigint, bound: bigint): bigint {
  if (value > bound) return bound
  return value < -bound ? -bound : value
}

function tierLines(reading: Reading, part: Part, instrument: FuturesInstrument): void {
  const { value } = contractOf(reading, instrument.id)
  part.amount('takerFeeRate', ratio, instrument.takerFeeRate)
  part.amount('makerFeeRate', ratio, instrument.makerFeeRate)
  let before = { rate: 0n, deduction: 0n }
  for (const [index, slice] of slicesOf(instrument).entries()) {
    const tier = instrument.tiers[index]
    part.amount(`tier ${index + 1} from`, value, tier.from)
    part.amount(`tier ${index + 1} to`, value, tier.to)
    part.input(`tier ${index + 1} leverageMax`, tier.leverageMax)
    part.amount(`tier ${index + 1} mmr`, ratio, tier.maintenanceRate)
    const { maintenanceRate } = tier
    part.line(`tier ${index + 1} cum`, {
      source: 'Initial and maintenance margin',
      formula: 'cum_k = cum_{k−1} + lower_k × (mmr_k − mmr_{k−1})',
      values: {
        'cum_{k−1}': textOf({ ...value, decimals: 20 }, before.deduction),
        lower_k: textOf(value, tier.from),
        mmr_k: textOf(ratio, maintenanceRate),
        'mmr_{k−1}': textOf(ratio, before.rate),
      },
      exact: [before.deduction + tier.from * (maintenanceRate - before.rate), 1n],
      rounding: 'nearest',
      measure: { ...value, decimals: 20 },
      result: slice.deduction,
    })
    before = { rate: maintenanceRate, deduction: slice.deduction }
  }
}
