/**
 * The operator's record of an instrument: decimals in the interface's own names, turned into the catalogue's steps.
 *
 * Steps    priceMultiplier and sizeMultiplier are whole multiples of the last decimal; absent they are one of it
 * Absent   maximums: none; bands: 50 % for limit orders of pairs, 20 % of contracts, 5 % for market orders; the
 *          settlement coin follows from the kind (quote of a linear contract, base of an inverse one)
 * Holds    what is parsed here fits together field by field; what the venue as a whole allows (known coins, free symbol,
 *          tiers without gaps) the engine judges
 * Range    judged here, before anything is journaled: journals of before this rule list what they list
 * Source   interface.md "Contract configuration values"; wire/rate-limits-and-filters.md §5-§7
 */
import Type from 'typebox'
import type { StaticDecode } from 'typebox'
import {
  type Coin,
  type CoinId,
  type FuturesInstrument,
  listingRangeFault,
  type MaintenanceTier,
  type SpotInstrument,
} from '../../engine/catalog/catalog.ts'
import { lots, type Lots, oneCoin, parseDecimal, rate } from '../../engine/numbers/numbers.ts'
import type { ListInstrument } from '../../engine/protocol/command.ts'
import {
  amountOrZero,
  body,
  category,
  coinName,
  decimalText,
  feeRate,
  field,
  optional,
  positiveAmount,
  share,
  symbol,
  wholeNumber,
  word,
} from './fields.ts'
import { fieldWrong } from './refusals.ts'

export const tiers = Type.Array(
  body({ from: amountOrZero, to: positiveAmount, maxLeverage: wholeNumber(1, 1_000), maintenanceRate: share }),
  { minItems: 1, maxItems: 100, description: 'a list of {from, to, maxLeverage, maintenanceRate}' },
)

export const instrumentRecord = body({
  category,
  symbol,
  baseCoin: coinName,
  quoteCoin: coinName,
  settleCoin: optional(coinName),
  pricePrecision: wholeNumber(0, 8),
  priceMultiplier: optional(decimalText),
  quantityPrecision: wholeNumber(0, 8),
  sizeMultiplier: optional(decimalText),
  quotePrecision: optional(wholeNumber(0, 8)),
  sizePrecision: optional(wholeNumber(0, 8)),
  minOrderQty: decimalText,
  maxOrderQty: optional(decimalText),
  maxMarketOrderQty: optional(decimalText),
  minOrderAmount: amountOrZero,
  makerFeeRate: feeRate,
  takerFeeRate: feeRate,
  limitPriceRatio: optional(share),
  marketPriceRatio: optional(share),
  marginable: optional(
    field('true or false', (value): boolean | undefined => (typeof value === 'boolean' ? value : undefined)),
  ),
  minLeverage: optional(wholeNumber(1, 1_000)),
  maxLeverage: optional(wholeNumber(1, 1_000)),
  defaultLeverage: optional(wholeNumber(1, 1_000)),
  tiers: optional(tiers),
  fundInterval: optional(word(['1', '2', '4', '8'])),
  fundingRateCap: optional(share),
  status: optional(word(['online', 'cancel_only', 'halted'])),
})

export type InstrumentRecord = StaticDecode<typeof instrumentRecord>
type Listing = ListInstrument['instrument']

const marketBandDefault = rate(50_000_000_000n) // 5 %
/** How far beyond the mark a limit price may lie when the record does not say; `0` asks for no limit. */
const limitBandDefaults = { spot: rate(500_000_000_000n), futures: rate(200_000_000_000n) }
const fundingCapDefault = rate(3_000_000_000n) // 0.3 %
const leverageDefault = 20
/** Decimals in which v2 shows an inverse size, which is base coin there. */
const inverseSizeDecimals = 8

/** Throws what is wrong; `usdE8`: the index of each coin, in 1e-8. */
export function parseInstrument(record: InstrumentRecord, coins: readonly Coin[], usdE8: readonly bigint[]): Listing {
  const shared = sharedFields(record, coins)
  const outOfRange = listingRangeFault(shared, usdE8[shared.base], shared.quote === -1 ? oneCoin : usdE8[shared.quote])
  if (outOfRange !== undefined) throw fieldWrong(outOfRange.field, outOfRange.rule)
  if (record.category === 'SPOT' || record.category === 'MARGIN') {
    const spot: Omit<SpotInstrument, 'id' | 'listedAt'> = {
      ...shared,
      kind: 'spot',
      category: 'SPOT',
      limitBand: record.limitPriceRatio ?? limitBandDefaults.spot,
      quoteDecimals: record.quotePrecision ?? 8,
      marginable: record.marginable ?? record.category === 'MARGIN',
    }
    return spot
  }
  const inverse = record.quoteCoin === 'USD'
  const leverageMax = required(record.maxLeverage, 'maxLeverage')
  const futures: Omit<FuturesInstrument, 'id' | 'listedAt'> = {
    ...shared,
    kind: inverse ? 'inverse' : 'linear',
    limitBand: record.limitPriceRatio ?? limitBandDefaults.futures,
    category: record.category,
    settle: coinId(coins, record.settleCoin ?? (inverse ? record.baseCoin : record.quoteCoin), 'settleCoin'),
    sizeDecimals: record.sizePrecision ?? (inverse ? inverseSizeDecimals : record.quantityPrecision),
    leverageMin: record.minLeverage ?? 1,
    leverageMax,
    leverageDefault: record.defaultLeverage ?? Math.min(leverageDefault, leverageMax),
    tiers: parseTiers(required(record.tiers, 'tiers')),
    fundingIntervalHours: Number(record.fundInterval ?? '8'),
    fundingRateCap: record.fundingRateCap ?? fundingCapDefault,
  }
  return futures
}

export function parseTiers(asked: StaticDecode<typeof tiers>): MaintenanceTier[] {
  return asked.map((tier) => ({
    from: tier.from,
    to: tier.to,
    leverageMax: tier.maxLeverage,
    maintenanceRate: tier.maintenanceRate,
  }))
}

function sharedFields(record: InstrumentRecord, coins: readonly Coin[]) {
  const quantityStep = stepOf('sizeMultiplier', record.sizeMultiplier, record.quantityPrecision)
  const quantity = (name: string, text: string) => lotsOf(name, text, record.quantityPrecision, quantityStep)
  const none = lots(0)
  return {
    symbol: record.symbol,
    base: coinId(coins, record.baseCoin, 'baseCoin'),
    quote: record.quoteCoin === 'USD' ? (-1 as const) : coinId(coins, record.quoteCoin, 'quoteCoin'),
    priceDecimals: record.pricePrecision,
    priceStep: stepOf('priceMultiplier', record.priceMultiplier, record.pricePrecision),
    quantityDecimals: record.quantityPrecision,
    quantityStep,
    quantityMin: quantity('minOrderQty', record.minOrderQty),
    quantityMax: record.maxOrderQty === undefined ? none : quantity('maxOrderQty', record.maxOrderQty),
    marketQuantityMax:
      record.maxMarketOrderQty === undefined ? none : quantity('maxMarketOrderQty', record.maxMarketOrderQty),
    notionalMin: record.minOrderAmount,
    makerFeeRate: record.makerFeeRate,
    takerFeeRate: record.takerFeeRate,
    marketBand: record.marketPriceRatio ?? marketBandDefault,
    status: record.status ?? 'online',
  }
}

/** The step in units of the last decimal: 0.5 with one decimal is 5. */
function stepOf(name: string, text: string | undefined, decimals: number): number {
  if (text === undefined) return 1
  const step = parseDecimal(text, decimals)
  if (typeof step === 'bigint' && step > 0n && step <= 1_000_000_000n) return Number(step)
  throw fieldWrong(name, `must be above 0 with at most ${decimals} decimals`)
}

function lotsOf(name: string, text: string, decimals: number, step: number): Lots {
  const scaled = parseDecimal(text, decimals)
  if (typeof scaled === 'bigint' && scaled % BigInt(step) === 0n) {
    const whole = Number(scaled / BigInt(step))
    if (Number.isSafeInteger(whole)) return lots(whole)
  }
  throw fieldWrong(name, 'must be a multiple of sizeMultiplier')
}

function coinId(coins: readonly Coin[], name: string, fieldName: string): CoinId {
  const coin = coins.find((listed) => listed.name === name)
  if (coin === undefined) throw fieldWrong(fieldName, `must be a listed coin; ${name} is not`)
  return coin.id
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw fieldWrong(name, 'is required for futures')
  return value
}
