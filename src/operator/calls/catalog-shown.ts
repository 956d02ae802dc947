/**
 * Coins and instruments as they are in force now, in the words of the bodies that list and change them.
 *
 * Source   instrument-record.ts, loan-terms.ts, collateral.ts, pricing.ts
 */
import { type Catalog, chainsOf, type Coin, type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import { amountDecimals, formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import { chainShown } from './chain.ts'

type Pricing = Answer<'settings'>['pricing']

/** `priceE8`: its index price in USD as it is now. */
export function coinShown(coin: Coin, pricing: Pricing, priceE8: bigint) {
  return {
    coin: coin.name,
    price: formatDecimal(priceE8, 8),
    borrowable: coin.borrowable ? 'yes' : 'no',
    dailyInterestRate: rateText(coin.dailyInterestRate),
    borrowLimit: amountText(coin.borrowLimit),
    lendingPoolLimit: amountText(coin.lendingPoolLimit),
    maxLeverage: coin.marginLeverageMax,
    collateral: coin.collateral.map(({ to, ratio }) => ({ to: amountText(to), ratio: rateText(ratio) })),
    debtInitialRate: rateText(coin.debtInitialRate),
    debtMaintenanceRate: rateText(coin.debtMaintenanceRate),
    indexAgeMsMax: pricing.indexAgeMsMax[coin.id] ?? 0,
    chains: chainsOf(coin).map(chainShown),
  }
}

export function instrumentShown(instrument: Instrument, { coins }: Catalog, pricing: Pricing) {
  const nameOf = (coin: number) => coins[coin]?.name ?? 'USD'
  const quantityText = (lots: number) => formatDecimal(lots * instrument.quantityStep, instrument.quantityDecimals)
  const shared = {
    category: instrument.category,
    symbol: instrument.symbol,
    baseCoin: nameOf(instrument.base),
    quoteCoin: nameOf(instrument.quote),
    status: instrument.status,
    pricePrecision: instrument.priceDecimals,
    priceMultiplier: formatDecimal(instrument.priceStep, instrument.priceDecimals),
    quantityPrecision: instrument.quantityDecimals,
    sizeMultiplier: quantityText(1),
    minOrderQty: quantityText(instrument.quantityMin),
    maxOrderQty: mostText(instrument.quantityMax),
    maxMarketOrderQty: mostText(instrument.marketQuantityMax),
    minOrderAmount: amountText(instrument.notionalMin),
    makerFeeRate: rateText(instrument.makerFeeRate),
    takerFeeRate: rateText(instrument.takerFeeRate),
    limitPriceRatio: rateText(instrument.limitBand),
    marketPriceRatio: rateText(instrument.marketBand),
  }
  if (!isFutures(instrument)) return { ...shared, marginable: instrument.marginable }
  return {
    ...shared,
    settleCoin: nameOf(instrument.settle),
    minLeverage: instrument.leverageMin,
    maxLeverage: instrument.leverageMax,
    defaultLeverage: instrument.leverageDefault,
    tiers: instrument.tiers.map((tier) => ({
      from: amountText(tier.from),
      to: amountText(tier.to),
      maxLeverage: tier.leverageMax,
      maintenanceRate: rateText(tier.maintenanceRate),
    })),
    fundInterval: String(instrument.fundingIntervalHours),
    fundingRateCap: rateText(instrument.fundingRateCap),
    impactNotional: amountText(pricing.impactNotional[instrument.id] ?? 0n),
  }

  /** None without a maximum, as a listing leaves it out. */
  function mostText(lots: number): string | null {
    return lots === 0 ? null : quantityText(lots)
  }
}

function amountText(units: bigint): string {
  return formatDecimal(units, amountDecimals)
}

function rateText(rate: bigint): string {
  return formatDecimal(rate, rateDecimals)
}
