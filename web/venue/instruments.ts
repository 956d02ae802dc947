/**
 * What can be traded: the venue's instrument records, read once into what the terminal needs.
 *
 * Kinds     `spot` and `margin` share a book (and its streams); `linear` is margined in its quote coin; `inverse` counts
 *           USD contracts and is margined in its base coin
 */
import { units } from '../numbers/decimal.ts'
import { categories, type Category } from './categories.ts'
import { publicGet } from './rest.ts'

export interface Instrument {
  /** `USDT-FUTURES/BTCUSDT` */
  readonly key: string
  readonly category: Category
  readonly symbol: string
  readonly kind: 'spot' | 'margin' | 'linear' | 'inverse'
  readonly base: string
  readonly quote: string
  /** The coin of margin, profit and fees of a contract; what a pair is paid in. */
  readonly settle: string
  /** What a quantity counts: the base coin, or USD contracts. */
  readonly quantityUnit: string
  readonly pricePrecision: number
  readonly quantityPrecision: number
  /** In units of 1e-8, like all of the following. */
  readonly priceStep: bigint
  readonly quantityStep: bigint
  readonly quantityMin: bigint
  /** Of the value, in quote coin. */
  readonly notionalMin: bigint
  readonly makerFeeRate: bigint
  readonly takerFeeRate: bigint
  readonly leverageMax: number
  readonly status: string
}

interface InstrumentRecord {
  readonly symbol: string
  readonly category: Category
  readonly baseCoin: string
  readonly quoteCoin: string
  readonly minOrderQty: string
  readonly minOrderAmount: string
  readonly pricePrecision: string
  readonly quantityPrecision: string
  readonly priceMultiplier: string
  readonly quantityMultiplier: string
  readonly makerFeeRate: string
  readonly takerFeeRate: string
  readonly maxLeverage?: string
  readonly maxCrossedLeverage?: string
  readonly status: string
}

export function isFutures({ kind }: Pick<Instrument, 'kind'>): boolean {
  return kind === 'linear' || kind === 'inverse'
}

/** The name of an instrument's streams. */
export function streamType({ category }: Instrument): string {
  return category === 'MARGIN' ? 'SPOT' : category
}

export function instrumentOf(record: InstrumentRecord): Instrument {
  const { category, symbol, baseCoin, quoteCoin } = record
  const kind =
    category === 'SPOT' ? 'spot' : category === 'MARGIN' ? 'margin' : category === 'COIN-FUTURES' ? 'inverse' : 'linear'
  return {
    key: `${category}/${symbol}`,
    category,
    symbol,
    kind,
    base: baseCoin,
    quote: quoteCoin,
    settle: kind === 'inverse' ? baseCoin : quoteCoin,
    quantityUnit: kind === 'inverse' ? 'USD' : baseCoin,
    pricePrecision: Number(record.pricePrecision),
    quantityPrecision: Number(record.quantityPrecision),
    priceStep: units(record.priceMultiplier),
    quantityStep: units(record.quantityMultiplier),
    quantityMin: units(record.minOrderQty),
    notionalMin: units(record.minOrderAmount),
    makerFeeRate: units(record.makerFeeRate),
    takerFeeRate: units(record.takerFeeRate),
    leverageMax: Number(record.maxLeverage ?? record.maxCrossedLeverage ?? 1),
    status: record.status,
  }
}

let loading: Promise<readonly Instrument[]> | undefined

/** Read once; anew after a failure. */
export function loadInstruments(): Promise<readonly Instrument[]> {
  loading ??= Promise.all(
    categories.map((category) => publicGet<InstrumentRecord[]>('/api/v3/market/instruments', { category })),
  ).then((lists) => lists.flat().map(instrumentOf))
  loading.catch(() => (loading = undefined))
  return loading
}

/** A maintenance tier of a contract, in units of 1e-8. */
export interface Tier {
  readonly from: bigint
  readonly to: bigint
  readonly leverageMax: number
  readonly maintenanceRate: bigint
}

export async function loadTiers({ category, symbol }: Instrument): Promise<Tier[]> {
  const records = await publicGet<{ minTierValue: string; maxTierValue: string; leverage: string; mmr: string }[]>(
    '/api/v3/market/position-tier',
    { category, symbol },
  )
  return records.map((tier) => ({
    from: units(tier.minTierValue),
    to: units(tier.maxTierValue),
    leverageMax: Number(tier.leverage),
    maintenanceRate: units(tier.mmr),
  }))
}
