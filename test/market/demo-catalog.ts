/** The catalogue of the demo venue as far as a past is made of it, listed at a moment. */
import type { Catalog, Coin, Instrument } from '../../src/engine/catalog/catalog.ts'
import { demoCoins, demoInstruments } from '../../src/operator/demo/catalog.ts'

export function demoCatalog(listedAt: number): Catalog {
  const coins = demoCoins.map(({ coin: name, price }, id) => {
    return { id, name, listingPriceE8: BigInt(Math.round(Number(price) * 1e8)) } as Coin
  })
  const idOf = (name: string) => coins.findIndex((coin) => coin.name === name)
  const instruments = demoInstruments.map((record, id) => {
    const { category, symbol, baseCoin, quoteCoin, pricePrecision, quantityPrecision, minOrderQty } = record
    const kind = category === 'SPOT' ? 'spot' : category === 'COIN-FUTURES' ? 'inverse' : 'linear'
    return {
      id,
      kind,
      category,
      symbol,
      base: idOf(baseCoin),
      quote: idOf(quoteCoin),
      priceDecimals: pricePrecision,
      priceStep: 1,
      quantityDecimals: quantityPrecision,
      quantityStep: 1,
      quantityMin: Math.round(Number(minOrderQty) * 10 ** quantityPrecision),
      fundingIntervalHours: 8,
      fundingRateCap: 3_000_000_000n,
      listedAt,
    } as unknown as Instrument
  })
  return { version: 1, coins, instruments }
}
