/** risk-engine §12, docs/operations.md "Bounds": the operator hears of what is halted, and of prices that no book carries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IndexHalts } from '../../src/operator/index-halts.ts'
import { Exchange, secondMs } from '../engine/support/exchange.ts'
import { markets } from '../engine/support/listings.ts'
import { startVenue, type Venue } from '../support/venue.ts'

describe('halts', () => {
  function followed(exchange: Exchange) {
    const lines: string[] = []
    const note = (facts: object, text: string) => {
      lines.push(`${text}: ${(facts as { instruments: string[] }).instruments.join(', ')}`)
    }
    const core = { query: exchange.query.bind(exchange) } as ConstructorParameters<typeof IndexHalts>[0]
    const halts = new IndexHalts(core, { info: note, warn: note })
    const heard = () => {
      halts.record(0, exchange.at, exchange.lastEvents)
      return lines.splice(0)
    }
    return { halts, heard, lines }
  }

  test('each begins and ends with one line, and is a reason as long as it lasts', () => {
    const exchange = new Exchange()
    const { halts, heard, lines } = followed(exchange)
    expect([lines, halts.reasons()]).toEqual([[], []])
    exchange.prices({ SOL: '2000000000' })
    const sol = 'SPOT SOLUSDT, USDT-FUTURES SOLUSDT'
    expect(heard()).toEqual([`halted: index jumped and is not confirmed: ${sol}`])
    exchange.prices({ SOL: '2000000000' })
    expect(heard()).toEqual([`halted: index out of range: ${sol}`])
    expect(halts.reasons()).toEqual([`index out of range: ${sol}`])
    exchange.prices({ SOL: '2000000001' })
    expect(heard()).toEqual([])
    exchange.leap({ SOL: '100' })
    expect(heard()).toEqual([`halted no more: the index is trusted: ${sol}`])
    expect(halts.reasons()).toEqual([])
  })

  test('what is halted at the start, or listed while it is, is told as well', () => {
    const exchange = new Exchange()
    exchange.prices({ SOL: '2000000000' })
    const { halts, heard, lines } = followed(exchange)
    expect(lines).toEqual(['halted: index jumped and is not confirmed: SPOT SOLUSDT, USDT-FUTURES SOLUSDT'])
    lines.length = 0
    exchange.must({ kind: 'list-instrument', instrument: { ...markets.SOLUSDT, symbol: 'SOLTWO' } })
    expect(heard()).toEqual(['halted: index jumped and is not confirmed: USDT-FUTURES SOLTWO'])
    expect(halts.reasons()).toEqual([
      'index jumped and is not confirmed: SPOT SOLUSDT, USDT-FUTURES SOLUSDT, USDT-FUTURES SOLTWO',
    ])
  })

  test('a long list of reasons is cut', () => {
    const exchange = new Exchange()
    for (let number = 10; number < 20; number++) {
      exchange.must({ kind: 'list-instrument', instrument: { ...markets.SOLUSDT, symbol: `SOL${number}` } })
    }
    exchange.prices({ SOL: '2000000000' }).wait(secondMs)
    const [reason] = followed(exchange).halts.reasons()
    expect(reason).toMatch(/^index jumped .*: SPOT SOLUSDT, .*, USDT-FUTURES SOL17 and 2 more$/)
  })
})

describe('a venue', () => {
  let venue: Venue
  beforeAll(async () => {
    venue = await startVenue({ clock: 'manual' })
    await venue.operator('coins', { coin: 'PEAK', price: '60000' })
  })
  afterAll(() => venue.remove())

  const pair = {
    category: 'SPOT',
    symbol: 'PEAKUSDT',
    baseCoin: 'PEAK',
    quoteCoin: 'USDT',
    pricePrecision: 4,
    quantityPrecision: 4,
    minOrderQty: '0.0001',
    minOrderAmount: '1',
    makerFeeRate: '0',
    takerFeeRate: '0',
  }

  test('refuses a listing beyond a tenth of the range, with the precision that fits', async () => {
    await expect(venue.operator('instruments', pair)).rejects.toThrow(
      '400 {"ok":false,"error":{"code":"body-wrong","message":"pricePrecision must be at most 3: the index price is 600000000 steps, a tenth of the range is 107374182",',
    )
    const instruments = await venue.operator<{ symbol: string }[]>('instruments')
    expect(instruments.filter(({ symbol }) => symbol === 'PEAKUSDT')).toEqual([])
    await venue.operator('instruments', { ...pair, pricePrecision: 3 })
  })

  test('takes a price that no book carries, names what it halts, and tells no other price', async () => {
    await venue.operator('prices', { prices: { PEAK: '1200000' } })
    const prices = { PEAK: '1200000' }
    expect(await venue.operator('prices', { prices })).toEqual({ coins: 1, outOfRange: ['SPOT PEAKUSDT'] })
    const shown = await venue.operator<Record<string, unknown>[]>('markets')
    expect(shown.find(({ symbol }) => symbol === 'PEAKUSDT')).toMatchObject({
      indexPrice: '60000',
      markPrice: '60000',
      frozen: 'out-of-range',
    })
    await venue.operator('prices', { prices: { PEAK: '60000' } })
    expect(await venue.operator('prices', { prices: { PEAK: '60000' } })).toEqual({ coins: 1 })
  })
})
