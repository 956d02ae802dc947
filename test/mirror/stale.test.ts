/**
 * A mirror whose other venue goes away, or which is itself started again: what stands in the books meanwhile and afterwards.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lots, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Side } from '../../src/engine/vocabulary.ts'
import { limitOrder } from '../../src/house-book/house-book.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import { type LocalVenue, localVenue } from './local.ts'
import { OtherVenue } from './other-venue.ts'

let other: OtherVenue
let venue: LocalVenue
let mirror: Mirror
let lines: string[]

beforeEach(async () => {
  other = await new OtherVenue().open()
  venue = await localVenue()
  lines = []
  mirror = await started()
})

afterEach(async () => {
  await mirror.stop()
  other.close()
})

const whole = '60000 x4 59999 x5 | 60001 x4 60002 x5'

test('unheard for ten looks it is stale: its orders leave, own ones stay, and the index halts as one that is stale', async () => {
  await until(() => book() === whole)
  other.push('ticker', { indexPrice: '60000' })
  await until(() => mirror.shown().markets[0].indexPrice.source === '60000')
  const alice = await venue.person('alice')
  await place(alice, 'buy', 59_000)
  other.snapshot = undefined
  other.cut()
  await until(() => mirror.state === 'stale')
  await until(() => book() === '59000 x1 | ')
  expect(mirror.trouble).toBe(`the mirror of ${other.url} is stale (USDT-FUTURES BTCUSDT): it closed the connection`)
  expect(lines).toContain(mirror.trouble)
  venue.advance(10_001)
  expect(venue.query({ kind: 'prices', instrument: instrument().id }).indexHalt).toBe('stale')
  expect(await place(alice, 'buy', 58_000)).toEqual({ kind: 'refused', refusal: { kind: 'index-stale' } })

  other.snapshot = {
    a: [['60001.0', '4.0000']],
    b: [
      ['60000.0', '3.0000'],
      ['59000.0', '2.0000'],
    ],
    seq: 5,
  }
  other.cut()
  await until(() => mirror.state === 'live')
  await until(() => book() === '60000 x3 59000 x3 | 60001 x4')
  await until(() => venue.query({ kind: 'prices', instrument: instrument().id }).indexHalt === undefined)
  expect(await place(alice, 'buy', 58_000)).toMatchObject({ kind: 'placed' })
  // The own bid was there before the other venue's came back.
  await place(await venue.person('bob'), 'sell', 59_000, 4)
  const open = venue.query({
    kind: 'open-orders',
    uid: alice,
    interface: 'v3',
    category: undefined,
    instrument: undefined,
  })
  expect(open.map(({ price }) => price)).toEqual([580_000])
})

test('a mirror that is started again finds its accounts and orders, and those of others keep their place', async () => {
  await until(() => book() === whole)
  const alice = await venue.person('alice')
  await place(alice, 'buy', 60_000)
  await mirror.stop()
  other.snapshot = { a: [['60001.0', '4.0000']], b: [['60000.0', '6.0000']], seq: 9 }
  const accounts = venue.query({ kind: 'accounts' }).length
  mirror = await started()
  await until(() => book() === '60000 x7 | 60001 x4')
  expect(venue.query({ kind: 'accounts' })).toHaveLength(accounts)
  // Four of the house stand before it, two behind.
  other.push('publicTrade', { p: '60000.0', v: '4', S: 'sell' })
  other.push('books', { a: [], b: [['60000.0', '2.0000']], seq: 10, pseq: 9 })
  await until(() => book() === '60000 x3 | 60001 x4')
  other.push('publicTrade', { p: '60000.0', v: '1', S: 'sell' })
  await until(
    () =>
      venue.query({ kind: 'open-orders', uid: alice, interface: 'v3', category: undefined, instrument: undefined })
        .length === 0,
  )
})

test('journaled commands alone give the same state: a mirrored day replays without the other venue', async () => {
  await until(() => book() === whole)
  other.push('publicTrade', { p: '60000.0', v: '1', S: 'sell' })
  other.push('books', { a: [], b: [['60000.0', '3.0000']], seq: 11, pseq: 10 })
  await until(() => book() === '60000 x3 59999 x5 | 60001 x4 60002 x5')
  await mirror.stop()
  const twin = venue.replayed()
  expect(twin.query({ kind: 'depth', instrument: instrument().id, limit: 5 })).toEqual(
    venue.query({ kind: 'depth', instrument: instrument().id, limit: 5 }),
  )
  expect(twin.saved()).toBe(venue.saved())
})

async function started(): Promise<Mirror> {
  const note = (_facts: object, text: string) => void lines.push(text)
  const made = new Mirror(
    { core: venue, log: { info: note, warn: note, error: note } },
    { url: other.url, stream: '', symbols: ['USDT-FUTURES:BTCUSDT'], queue: 'back', healMs: 2_000, lookEveryMs: 50 },
  )
  await made.start()
  return made
}

async function place(uid: number, side: Side, price: number, size = 1) {
  const wanted = { side, price: (price * 10) as Ticks, quantity: lots(size * 10_000) }
  return venue.submit(limitOrder(uid, instrument(), wanted, 'gtc'))
}

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
