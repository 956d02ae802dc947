/**
 * A market for the clients to look at, in each kind of instrument: one trade at 60000, a book around it, one settled
 * funding interval, and an index that has moved.
 *
 * Book     1 to sell at 60100 and 60200, 1 to buy at 59900 and 59800; of the inverse contract 60000 USD each
 */
import { btcInverse, btcPerpetual, btcSpot, btcUsdc, takenInBatch } from '../../support/trading.ts'
import { venueAsAsked } from '../../support/gateways-venue.ts'
import type { Venue } from '../../support/venue.ts'

/** What ccxt calls the instruments, and how much of one lies at each level. */
export const markets = [
  { kind: 'spot', symbol: 'BTC/USDT', market: btcSpot },
  { kind: 'linear', symbol: 'BTC/USDT:USDT', market: btcPerpetual },
  { kind: 'USDC', symbol: 'BTC/USDC:USDC', market: btcUsdc },
  { kind: 'inverse', symbol: 'BTC/USD:BTC', market: btcInverse },
] as const

export const contracts = markets.filter(({ kind }) => kind !== 'spot')

export async function startMarket(): Promise<Venue> {
  const venue = await venueAsAsked()
  const funds = { uta: { USDT: '10000000', BTC: '100', USDC: '10000000' } }
  const [alice, bob] = [await venue.person('Alice', { funds }), await venue.person('Bob', { funds })]
  for (const { market } of markets) {
    const one = market === btcInverse ? '60000' : '1'
    await takenInBatch(bob, `sell ${one} @ 60000`, market)
    await takenInBatch(alice, `buy ${one} @ 60000`, market)
    for (const price of ['60100', '60200']) await takenInBatch(bob, `sell ${one} @ ${price}`, market)
    for (const price of ['59900', '59800']) await takenInBatch(bob, `buy ${one} @ ${price}`, market)
    const { category, symbol } = market
    if (category !== 'SPOT') await venue.operator('funding/settle', { productType: category, symbol })
  }
  await venue.setIndexPrices({ BTC: '60010' })
  return venue
}
