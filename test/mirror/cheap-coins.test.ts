/**
 * Levels of a coin that costs a thousandth of a cent: billions of it are more than one account may have, so several hold them.
 *
 * Source  docs/mirror.md; design.md §2 (amounts have 64 bits)
 */
import { expect, test } from 'vitest'
import { MirroredMarket } from '../../src/mirror/mirrored-market.ts'
import { localVenue } from './local.ts'

/** Lots of 1,000 coins; an account takes 11,529,215 of them on a side. */
const billion = 1_000_000

test('the book is equal, whatever comes, goes and moves', async () => {
  const venue = await localVenue()
  await venue.operator('coins', { coin: 'PEPE', price: '0.00001215' })
  await venue.operator('instruments', {
    category: 'USDT-FUTURES',
    symbol: 'PEPEUSDT',
    baseCoin: 'PEPE',
    quoteCoin: 'USDT',
    pricePrecision: 8,
    quantityPrecision: 0,
    sizeMultiplier: '1000',
    minOrderQty: '1000',
    minOrderAmount: '5',
    makerFeeRate: '0.0001',
    takerFeeRate: '0.0005',
    maxLeverage: 75,
    tiers: [{ from: '0', to: '150000', maxLeverage: 75, maintenanceRate: '0.0065' }],
  })
  const instrument = venue.instrument('USDT-FUTURES', 'PEPEUSDT')
  const lost: unknown[] = []
  const market = new MirroredMarket(
    venue,
    instrument,
    { queue: 'pro-rata', healMs: 2_000 },
    { begins: async () => {}, lost: (error) => lost.push(error) },
  )
  await market.open()
  venue.addConsumer({ record: (sequence, at, events, _kind, reply) => market.record(sequence, at, events, reply) })
  const there = new Map<number, number>()
  const say = async (changes: readonly (readonly [price: number, billions: number])[], isSnapshot = false) => {
    for (const [price, billions] of changes) there.set(price, billions * billion)
    market.change(
      changes.map(([price, billions]) => ({ isBid: price < 1_215, price, lots: billions * billion })),
      isSnapshot,
    )
    // An account that is missing is there with the next look.
    for (let look = 0; look < 6; look++) {
      await market.settled()
      market.retry()
    }
    await market.settled()
    const { bids, asks } = venue.query({ kind: 'depth', instrument: instrument.id, limit: 50 })
    const wanted = [...there].filter(([, lots]) => lots > 0).sort(([a], [b]) => a - b)
    expect([...bids, ...asks].map(([price, lots]) => [price, lots]).sort(([a], [b]) => a - b)).toEqual(wanted)
  }
  market.source.take({ isSnapshot: true, bids: [], asks: [], sequence: 1, previous: 0, checksum: undefined }, 'books')
  const far = [1_206, 1_207, 1_208, 1_209].map((price): [number, number] => [price, 9])
  await say([...far, [1_213, 3], [1_214, 1], [1_216, 2], [1_217, 20], [1_223, 8]], true)
  await say([[1_213, 9]])
  await say([
    [1_206, 0],
    [1_214, 12],
  ]) // what is gone moves
  await say([
    [1_217, 1],
    [1_223, 0],
    [1_222, 30],
  ])
  await say([...far.map(([price]): [number, number] => [price, 0]), [1_212, 36]])
  expect(lost).toEqual([])
  expect(venue.query({ kind: 'verify' })).toMatchObject({ balanced: true, faults: [] })
})
