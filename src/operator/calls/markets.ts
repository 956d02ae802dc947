/**
 * Every market as it stands: prices, open interest, funding. What is in force by rule is in catalog-shown.ts.
 */
import { formatLots, formatRate, formatTicks } from '../../api/api.ts'
import { type CoinId, instrumentsUsing, isFutures } from '../../engine/catalog/catalog.ts'
import type { Core } from '../../runtime/runtime.ts'

/**
 * Of every instrument, in the order of their listing.
 * Units    prices in the quote coin; open interest in `openInterestUnit`: base coin, of inverse contracts USD; times in milliseconds
 * Null     `lastPrice` until the first trade · `fundingRate`, `nextFundingAt`, `openInterest` and its unit of spot pairs ·
 *          `frozen` while the index can be believed
 */
export function marketsShown(core: Core) {
  const { instruments, coins } = core.query({ kind: 'catalog' })
  return instruments.map((instrument) => {
    const prices = core.query({ kind: 'prices', instrument: instrument.id })
    const futures = isFutures(instrument)
    return {
      category: instrument.category,
      symbol: instrument.symbol,
      status: instrument.status,
      lastPrice: prices.lastPrice === 0 ? null : formatTicks(prices.lastPrice, instrument),
      markPrice: formatTicks(prices.markPrice, instrument),
      indexPrice: formatTicks(prices.indexPrice, instrument),
      fundingRate: futures ? formatRate(prices.fundingRate) : null,
      nextFundingAt: futures ? prices.nextFundingAt : null,
      openInterest: futures ? formatLots(prices.openInterest, instrument) : null,
      openInterestUnit: !futures ? null : instrument.kind === 'inverse' ? 'USD' : coins[instrument.base].name,
      frozen: prices.indexHalt ?? null,
    }
  })
}

/** The instruments that use any of these coins and whose index their books do not carry, by category and symbol. */
export function outOfRange(core: Core, coins: readonly CoinId[]): string[] {
  const catalog = core.query({ kind: 'catalog' })
  return instrumentsUsing(catalog, coins)
    .filter((instrument) => core.query({ kind: 'prices', instrument }).indexHalt === 'out-of-range')
    .map((id) => `${catalog.instruments[id].category} ${catalog.instruments[id].symbol}`)
}
