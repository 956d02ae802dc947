/** Recorded prices: which files are read, what is said of a wrong one, and how prices follow them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readRecordings } from '../../src/simulator/simulator.ts'
import { wholeVenue } from './whole-venue.ts'

const directory = mkdtempSync(join(tmpdir(), 'tidemark-prices-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
function file(text: string): string {
  files += 1
  const path = join(directory, `prices-${files}.csv`)
  writeFileSync(path, text)
  return path
}

const coins: Record<string, string> = { BTC: 'BTC', ETH: 'ETH', BTCUSDT: 'BTC', ETHUSDT: 'ETH' }
const coinOf = (name: string) => coins[name.toUpperCase()]
const candles = 'time,open,high,low,close,volume'

describe('a wrong file is named with line, field and rule', () => {
  test.each([
    ['BTC=', '', 'is empty, it must have a header line'],
    ['BTC=', '\ufeff\n\n', 'is empty, it must have a header line'],
    ['BTC=', candles, 'has no line after its header'],
    ['', 'time,open\n', 'line 1: column high, low, close is missing: candles need'],
    ['', 'price,size\n', 'line 1: column time is missing'],
    ['', 'time,price,PRICE\n', 'line 1: column price is there twice'],
    ['', 'time,price\n', 'line 1: column coin or symbol is missing: or give the file as COIN=FILE'],
    ['BTC=', 'time,price,coin\n', 'line 1: column coin is not expected in a file given as COIN=FILE'],
    ['', 'time,price,coin,symbol\n', 'line 1: columns coin and symbol are both there'],
    ['', 'time,price,symbol\n1,2,GOLDUSDT', 'line 2: symbol "GOLDUSDT" must be a listed symbol'],
    ['', 'time,price,coin\n1,2,BTC\n1,2,', 'line 3: coin "" must be a listed coin'],
    ['BTC=', 'time,price\nyesterday,2', 'line 2: time "yesterday" must be Unix seconds or milliseconds, or ISO 8601'],
    ['BTC=', 'time,price\n2026-01-01T00:00:00,2', 'line 2: time "2026-01-01T00:00:00" must be Unix seconds'],
    ['BTC=', 'time,price\n2,2\n1,2', 'line 3: time "1" must not be before the line before it'],
    ['BTC=', 'time,price\n1,0', 'line 2: price "0" must be a plain decimal above 0'],
    ['BTC=', 'time,price\n1,-5', 'line 2: price "-5" must be a plain decimal above 0'],
    [
      'BTC=',
      `time,price\n1,${'9'.repeat(1000)}`,
      `line 2: price "${'9'.repeat(40)} …" must be a plain decimal above 0`,
    ],
    ['BTC=', 'time,price\n1,"2\n2,3\n', 'Quote Not Closed'],
    ['BTC=', 'time,price\n1,1e5', 'line 2: price "1e5" must be a plain decimal above 0'],
    ['BTC=', 'time,price\n1,10000001', 'line 2: price "10000001" must be at most 10000000'],
    ['BTC=', 'time,price,size\n1,5,-1', 'line 2: size "-1" must be a plain decimal, 0 or more'],
    ['BTC=', `${candles}\n1,5,4,3,4,1`, 'line 2: high "4" must be the highest of the four prices'],
    ['BTC=', `${candles}\n1,5,6,5,4,1`, 'line 2: low "5" must be the lowest of the four prices'],
    ['BTC=', `${candles}\n1,5,6,4,5,x`, 'line 2: volume "x" must be a plain decimal, 0 or more'],
    ['BTC=', `${candles}\n60,5,6,4,5,1\n60,5,6,4,5,1`, 'line 3: time "60" must be after the line before it'],
    ['BTC=', 'time,price\n1,2\n\n3', 'line 4: Invalid Record Length'],
    ['GOLD=', 'time,price\n1,2', 'there is no coin GOLD'],
  ])('%s %j: %s', async (coin, text, message) => {
    await expect(readRecordings([`${coin}${file(text)}`], coinOf)).rejects.toThrow(message)
  })

  test('one that is not there, and a coin that has two', async () => {
    await expect(readRecordings(['BTC=/nowhere.csv'], coinOf)).rejects.toThrow('/nowhere.csv: there is no such file')
    await expect(readRecordings([`BTC=${directory}`], coinOf)).rejects.toThrow('illegal operation on a directory')
    await expect(readRecordings(['BTC='], coinOf)).rejects.toThrow('BTC=: the name of a file is missing')
    const path = file('time,price\n1,2')
    await expect(readRecordings([`BTC=${path}`, `btc=${path}`], coinOf)).rejects.toThrow('BTC has a recording already')
  })
})

describe('a right file', () => {
  test('may have its columns in any order and case, a byte order mark, times of three kinds and several coins', async () => {
    const text = '\ufeffPrice,note,SYMBOL,Time\r\n50000,x,btcusdt,1767225600\r\n3000,y,ETHUSDT,2026-01-01T00:00:01Z\r\n'
    const { of, beginsAt } = await readRecordings([file(`${text}50001,z,BTCUSDT,1767225602000\r\n`)], coinOf)
    expect(beginsAt).toBe(1_767_225_600_000)
    expect([...(of.get('BTC')!.times as Float64Array)]).toEqual([1_767_225_600_000, 1_767_225_602_000])
    expect([...(of.get('ETH')!.prices as Float64Array)]).toEqual([3_000])
    expect([...(of.get('BTC')!.prices as Float64Array)]).toEqual([50_000, 50_001])
  })
})

async function follow(sources: readonly string[], seconds: number) {
  const recordings = await readRecordings(sources, coinOf)
  const venue = await wholeVenue({
    coins: ['BTC', 'ETH'],
    stepMs: 1_000,
    recordings,
    parameters: { takesPerS: 0.2, visitsPerStep: 1 },
  })
  await venue.play(seconds)
  const of = (name: string) => venue.venue.indexPrices(venue.venue.coin(name).id)
  return { ...venue, of }
}

describe('followed', () => {
  test('trades: each price holds until the next one, the second coin waits for its first', async () => {
    const { of } = await follow(
      [
        `BTC=${file('time,price\n100,50000\n103,51000\n103,52000\n1000,53000\n')}`,
        `ETH=${file('time,price\n102,2900\n104,2950\n1000,1\n')}`,
      ],
      5,
    )
    expect(of('BTC')).toEqual([50_000, 50_000, 50_000, 52_000, 52_000, 52_000])
    expect(of('ETH')).toEqual([2_900, 2_900, 2_900, 2_900, 2_950, 2_950])
  })

  test('candles: open, the far extreme, the other one, close, and on to the next', async () => {
    const text = `${candles}\n0,60000,63000,57000,61500,1\n6,61500,62000,58000,59000,1\n12,59000,59000,59000,59000,1\n`
    const { of } = await follow([`BTC=${file(text)}`], 11)
    const at = of('BTC')
    expect(at[0]).toBe(60_000)
    expect(at[2]).toBeCloseTo(57_000, -1)
    expect(at[4]).toBeCloseTo(63_000, -1)
    expect(at[6]).toBeCloseTo(61_500, -1)
    expect(at[8]).toBeCloseTo(62_000, -1)
    expect(at[10]).toBeCloseTo(58_000, -1)
  })

  test('where candles are missing the price stands', async () => {
    const candle = (time: number, price: number) => `${time},${price},${price},${price},${price},1`
    const { of } = await follow(
      [`BTC=${file([candles, candle(0, 60_000), candle(3, 61_000), candle(12, 62_000)].join('\n'))}`],
      13,
    )
    const at = of('BTC')
    expect([at[0], at[2], at[3], at[5], at[8], at[11], at[12], at[13]]).toEqual([
      60_000, 60_000, 61_000, 61_000, 61_000, 61_000, 62_000, 62_000,
    ])
  })

  test('at its end the simulated process goes on from the last price', async () => {
    const { of } = await follow([`BTC=${file('time,price\n0,50000\n5,40000\n')}`], 60)
    const after = of('BTC').slice(6)
    expect(new Set(after).size).toBeGreaterThan(40)
    for (const price of after) expect(Math.abs(price / 40_000 - 1)).toBeLessThan(0.02)
  })

  test('a scenario pushes it away', async () => {
    const { simulator, play, of } = await follow([`BTC=${file('time,price\n0,50000\n100000,50000\n')}`], 1)
    simulator.begin('crash', undefined, 1)
    await play(60)
    expect(of('BTC').at(-1)).toBeLessThan(46_500)
    expect(of('BTC').at(-1)).toBeGreaterThan(44_000)
  })
})
