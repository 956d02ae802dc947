/**
 * Instruments that only the other venue has are listed here with its rules before they are mirrored.
 * Source  docs/mirror.md; interface.md (instruments, position tiers)
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listMissing } from '../../src/operator/mirror-listing.ts'
import { type LocalVenue, localVenue } from './local.ts'
import { OtherVenue } from './other-venue.ts'

const pepe = {
  symbol: 'PEPEUSDT',
  category: 'USDT-FUTURES',
  baseCoin: 'PEPE',
  quoteCoin: 'USDT',
  buyLimitPriceRatio: '0.02',
  sellLimitPriceRatio: '0.02',
  minOrderQty: '1000',
  maxOrderQty: '50000000000',
  maxMarketOrderQty: '',
  pricePrecision: '8',
  quantityPrecision: '0',
  quotePrecision: '',
  priceMultiplier: '0.00000005',
  quantityMultiplier: '1000',
  minOrderAmount: '5',
  makerFeeRate: '0.0001',
  takerFeeRate: '0.0005',
  status: 'online',
  fundInterval: '4',
  minLeverage: '1',
  maxLeverage: '75',
  somethingElse: {},
}
const tiers = [
  { tier: '1', minTierValue: '0', maxTierValue: '150000', leverage: '75', mmr: '0.0065' },
  { tier: '2', minTierValue: '150000', maxTierValue: '900000', leverage: '20', mmr: '0.025' },
]

let other: OtherVenue
let venue: LocalVenue

beforeEach(async () => {
  other = await new OtherVenue().open()
  other.instruments = JSON.stringify({ code: '00000', data: [] })
  other.answers['instruments USDT-FUTURES'] = [pepe]
  other.answers['position-tier USDT-FUTURES'] = tiers
  other.answers['tickers USDT-FUTURES'] = [{ symbol: 'PEPEUSDT', indexPrice: '0.00001215', lastPrice: '0.00001216' }]
  venue = await localVenue()
})
afterEach(() => other.close())

test('a contract and its coin come with the rules of the other venue, once', async () => {
  await listMissing(venue, other.url, ['pepeusdt', 'BTCUSDT'])
  const listed = venue.commands.filter(({ kind }) => kind === 'list-instrument').length
  await listMissing(venue, other.url, ['PEPEUSDT', 'USDT-FUTURES:PEPEUSDT'])
  expect(venue.commands.filter(({ kind }) => kind === 'list-instrument').length).toBe(listed)
  const shown = (await venue.read('instruments')) as readonly Record<string, unknown>[]
  expect(shown.find(({ symbol }) => symbol === 'PEPEUSDT')).toMatchObject({
    category: 'USDT-FUTURES',
    baseCoin: 'PEPE',
    settleCoin: 'USDT',
    pricePrecision: 8,
    priceMultiplier: '0.00000005',
    quantityPrecision: 0,
    sizeMultiplier: '1000',
    minOrderQty: '1000',
    maxOrderQty: '50000000000',
    minOrderAmount: '5',
    makerFeeRate: '0.0001',
    takerFeeRate: '0.0005',
    limitPriceRatio: '0.02',
    maxLeverage: 75,
    fundInterval: '4',
    tiers: [
      { from: '0', to: '150000', maxLeverage: 75, maintenanceRate: '0.0065' },
      { from: '150000', to: '900000', maxLeverage: 20, maintenanceRate: '0.025' },
    ],
  })
  // 0.00001215 of USDT at 1 USD: 1,215 units of 1e-8.
  expect(venue.query({ kind: 'index-prices' }).at(-1)).toBe(1_215n)
})

test('a pair is asked for by its category', async () => {
  other.answers['instruments SPOT'] = [{ ...pepe, category: 'SPOT', quotePrecision: '8', maxOrderQty: '0' }]
  other.answers['tickers SPOT'] = [{ symbol: 'PEPEUSDT', lastPrice: '0.00001216' }]
  await listMissing(venue, other.url, ['SPOT:PEPEUSDT'])
  expect(venue.instrument('SPOT', 'PEPEUSDT')).toMatchObject({ kind: 'spot', quantityMax: 0, marginable: false })
  expect(venue.instrument('USDT-FUTURES', 'PEPEUSDT')).toBeUndefined()
})

test.each([
  [
    'neither venue has it',
    'XYZUSDT',
    {},
    '--mirror-symbols: "XYZUSDT" is no instrument of this venue, nor of the other',
  ],
  [
    'a rule that cannot be had here',
    'PEPEUSDT',
    { fundInterval: '3' },
    'instruments USDT-FUTURES PEPEUSDT: "PEPEUSDT" cannot be listed here: fundInterval must be one of 1, 2, 4, 8',
  ],
  [
    'a quote coin that is not there',
    'PEPEUSDT',
    { quoteCoin: 'EURX' },
    'instruments USDT-FUTURES PEPEUSDT: quoteCoin: "EURX" is no coin of this venue: list it first',
  ],
])('one line: %s', async (_, symbol, changed, line) => {
  other.answers['instruments USDT-FUTURES'] = [{ ...pepe, ...changed }]
  await expect(listMissing(venue, other.url, [symbol])).rejects.toThrow(line)
})

test('one line: the other venue is not there', async () => {
  const { url } = other
  other.close()
  await expect(listMissing(venue, url, ['PEPEUSDT'])).rejects.toThrow(
    'GET /api/v3/market/instruments SPOT: "ECONNREFUSED" came in place of an answer',
  )
})
