/**
 * A mirror and a venue that says what it is told: what is followed, what is tolerated, what is nonsense and what becomes of it.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Mirror } from '../../src/mirror/mirror.ts'
import { type LocalVenue, localVenue } from './local.ts'
import { checksumOf, OtherVenue } from './other-venue.ts'

let other: OtherVenue
let venue: LocalVenue
let mirror: Mirror
let lines: string[]

const settings = {
  stream: '',
  symbols: ['USDT-FUTURES:BTCUSDT'],
  queue: 'back',
  healMs: 2_000,
  lookEveryMs: 1_000,
} as const

beforeEach(async () => {
  other = await new OtherVenue().open()
  venue = await localVenue()
  lines = []
  const note = (_facts: object, text: string) => void lines.push(text)
  mirror = new Mirror({ core: venue, log: { info: note, warn: note, error: note } }, { ...settings, url: other.url })
  await mirror.start()
  await until(() => mirror.state === 'live')
})

afterEach(async () => {
  await mirror.stop()
  other.close()
})

const whole = '60000 x4 59999 x5 | 60001 x4 60002 x5'

test('the book of the other venue stands in the local one, as orders of the house', async () => {
  await until(() => book() === whole)
  const { bids } = venue.query({ kind: 'depth', instrument: instrument().id, limit: 5 })
  expect(bids).toHaveLength(2)
  const resting = venue
    .query({ kind: 'accounts' })
    .filter(({ name }) => name.startsWith('mirror-USDT-FUTURES-BTCUSDT-'))
  expect(resting.map(({ name }) => name).toSorted()).toEqual([
    'mirror-USDT-FUTURES-BTCUSDT-1',
    'mirror-USDT-FUTURES-BTCUSDT-taker',
  ])
  expect(mirror.trouble).toBeUndefined()
})

test('no key is sent: not one header of authentication, and no login', () => {
  expect(other.headers.length).toBeGreaterThanOrEqual(2)
  expect(JSON.stringify(other.headers).toLowerCase()).not.toMatch(
    /access-key|access-sign|authorization|passphrase|cookie/,
  )
  expect(other.subscribed.map(({ topic }) => topic).toSorted()).toEqual(['books', 'publicTrade', 'ticker'])
})

test('changes, their checksum, trades and prices are followed', async () => {
  other.push('books', {
    a: [['60001.0', '0']],
    b: [['60000.0', '3.5000']],
    seq: 11,
    pseq: 10,
    checksum: checksumOf(
      [
        ['60000.0', '3.5000'],
        ['59999.0', '5.0000'],
      ],
      [['60002.0', '5.0000']],
    ),
  })
  await until(() => book() === '60000 x3.5 59999 x5 | 60002 x5')
  other.push('publicTrade', { i: '1', p: '60000.0', v: '0.5', S: 'sell', T: '1', isRPI: 'no' })
  await until(() => venue.query({ kind: 'prices', instrument: instrument().id }).lastPrice === 600_000)
  other.push(
    'ticker',
    { indexPrice: '60500.1', markPrice: '60490', fundingRate: '-0.0002', lastPrice: '1' },
    'snapshot',
  )
  await until(() => venue.query({ kind: 'prices', instrument: instrument().id }).indexPrice === 605_001)
  const [shown] = mirror.shown().markets
  expect(shown.markPrice).toEqual({ source: '60490', venue: '60490' })
  expect(shown.fundingRate).toEqual({ source: '-0.0002', venue: '-0.0002' })
  // Not heard any more they follow from the formulas: last 60,000, index 60,500.1, and a book around 60,001.
  venue.advance(11_000)
  expect(mirror.shown().markets[0]).toMatchObject({
    markPrice: { venue: '60001' },
    fundingRate: { venue: '0.0001' },
  })
})

test('trades of before, unknown channels, events and fields are tolerated', async () => {
  other.push('publicTrade', { i: '1', p: '50000.0', v: '9', S: 'buy' }, 'snapshot')
  other.push('rpi-books', { x: 1 })
  other.say({ event: 'notice', msg: 'maintenance' })
  other.say({ action: 'snapshot', arg: { instType: 'spot', topic: 'books', symbol: 'XYZUSDT' }, data: 7 })
  other.push('books', { a: [], b: [['60000.0', '4.5000', '0', 'x']], seq: 11, pseq: 10, maxDepth: '500' })
  await until(() => book() === '60000 x4.5 59999 x5 | 60001 x4 60002 x5')
  expect(mirror.shown()).toMatchObject({ connections: 1, state: 'live' })
})

describe('a book that broke begins anew, the others go on', () => {
  test.each([
    [
      'a push went missing',
      { a: [], b: [['59999.0', '6.0000']], seq: 12, pseq: 11 },
      'books USDT-FUTURES BTCUSDT: push 12 follows 11, and 10 was the last',
    ],
    [
      'its checksum is another',
      { a: [], b: [['59999.0', '6.0000']], seq: 11, pseq: 10, checksum: 7 },
      /^books USDT-FUTURES BTCUSDT: checksum of push 11 is 7, and the book has -?\d+$/,
    ],
  ])('%s', async (_, push, line) => {
    await until(() => book() === whole)
    other.snapshot = { a: [['60003.0', '1.0000']], b: [['60000.0', '2.0000']], seq: 30 }
    other.push('books', push)
    await until(() => book() === '60000 x2 | 60003 x1')
    expect(lines).toContainEqual(typeof line === 'string' ? line : expect.stringMatching(line))
    expect(mirror.shown()).toMatchObject({ connections: 1, state: 'live' })
    expect(mirror.shown().markets[0].resyncs).toBe(1)
  })
})

describe('nonsense is one line with topic and field, nothing of it is applied, and it is tried again', () => {
  const level = (b: unknown) => ({ a: [['60001.0', '0']], b, seq: 11, pseq: 10 })
  const books = 'books USDT-FUTURES BTCUSDT: data[0]'
  test.each<readonly [topic: string, row: object | string, line: string]>([
    ['', '<html>', 'socket: "<html>" is not JSON'],
    ['', '[1]', 'socket: [1] must be an object'],
    ['books', level([['ten', '1']]), `${books}: b[0][0]: "ten" must be a price above 0 of whole ticks`],
    ['books', level([['60000.05', '1']]), `${books}: b[0][0]: "60000.05" must be a price above 0 of whole ticks`],
    ['books', level([['0.0', '1']]), `${books}: b[0][0]: "0.0" must be a price above 0 of whole ticks`],
    ['books', level([['60000.0', '-1']]), `${books}: b[0][1]: "-1" must be a size of whole lots`],
    ['books', level([['60000.0', '1e3']]), `${books}: b[0][1]: "1e3" must be a size of whole lots`],
    ['books', level([60_000]), `${books}: b[0]: 60000 must be a price and a size`],
    ['books', level('x'), `${books}: b: "x" must be a list of levels`],
    ['books', { a: [], b: [], seq: 'x', pseq: 10 }, `${books}: seq: "x" must be a whole number`],
    ['books', { a: [], b: [], seq: 11 }, `${books}: pseq: nothing must be a whole number`],
    ['books', { a: [], b: [], seq: 11, pseq: 10, checksum: '7' }, `${books}: checksum: "7" must be a whole number`],
    [
      'books',
      { a: [], b: [['60001.5', '1.0000']], seq: 11, pseq: 10 },
      'books USDT-FUTURES BTCUSDT: b: "60001.5:1.0000" crosses the best ask 60001.0:4.0000',
    ],
    [
      'publicTrade',
      { p: '60000.0', v: '0', S: 'buy' },
      'publicTrade USDT-FUTURES BTCUSDT: data[0]: v: "0" must be above 0',
    ],
    [
      'publicTrade',
      { p: '60000.0', v: '1', S: 'up' },
      'publicTrade USDT-FUTURES BTCUSDT: data[0]: S: "up" must be buy or sell',
    ],
    [
      'ticker',
      { indexPrice: 'NaN' },
      'ticker USDT-FUTURES BTCUSDT: data[0]: indexPrice: "NaN" must be a decimal above 0',
    ],
  ])('%s %j', async (topic, row, line) => {
    await until(() => book() === whole)
    const before = venue.commands.length
    if (typeof row === 'string') other.say(row)
    else other.push(topic, row)
    await until(() => mirror.shown().connections === 2)
    const told = lines.filter((text) => text.includes(line))
    expect(told).toEqual([`the mirrored venue is not heard: ${line}`])
    expect(lines.join('\n')).not.toMatch(/\n\s+at /)
    expect(venue.commands.slice(before).filter(({ kind }) => kind !== 'set-index-prices')).toEqual([])
    await until(() => mirror.state === 'live')
    expect(book()).toBe(whole)
  })
})

test('a cut socket is opened again, and the book is the one of the other venue', async () => {
  await until(() => book() === whole)
  other.snapshot = { a: [['60004.0', '1.0000']], b: [['60003.0', '2.0000']], seq: 3 }
  other.cut()
  await until(() => book() === '60003 x2 | 60004 x1')
  expect(mirror.shown()).toMatchObject({ connections: 2, state: 'live', reason: null })
})

test('where it is unknown what came about, orders are read from the engine and the book begins anew', async () => {
  await until(() => book() === whole)
  other.snapshot = { a: [['60001.0', '4.0000']], b: [['60000.0', '1.0000']], seq: 20 }
  venue.fault = new Error('no room')
  other.push('books', { a: [], b: [['60000.0', '3.0000']], seq: 11, pseq: 10 })
  await until(() => book() === '60000 x1 | 60001 x4')
})

test('rules that do not fit are told, and such a book is not asked for', async () => {
  other.instruments = JSON.stringify({
    code: '00000',
    data: [{ symbol: 'BTCUSDT', pricePrecision: '2', quantityPrecision: '4' }],
  })
  other.subscribed.length = 0
  other.cut()
  await until(() => mirror.shown().notMirrored.length > 0)
  expect(mirror.shown().notMirrored).toEqual([
    'instruments USDT-FUTURES BTCUSDT: pricePrecision: steps of 0.01 there, of 0.1 here',
  ])
  expect(other.subscribed).toEqual([])
})

test('symbols that this venue does not have are refused', () => {
  const log = { info() {}, warn() {}, error() {} }
  const make = () => new Mirror({ core: venue, log }, { ...settings, url: other.url, symbols: ['NOPE'] })
  expect(make).toThrow('--mirror-symbols: "NOPE" is no instrument of this venue')
})

function instrument() {
  return venue.instrument('USDT-FUTURES', 'BTCUSDT')
}

function book(): string {
  const { bids, asks } = venue.query({ kind: 'depth', instrument: instrument().id, limit: 5 })
  const texts = (levels: typeof bids) =>
    levels.map(([price, quantity]) => `${price / 10} x${quantity / 10_000}`).join(' ')
  return `${texts(bids)} | ${texts(asks)}`
}

async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(holds()).toBe(true), { timeout: 8_000, interval: 5 })
}
