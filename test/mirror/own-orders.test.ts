/**
 * Own orders among mirrored ones, reckoned by hand, with levels leaving `back` to front.
 *
 * Book    bids 60000 x 4, 59999 x 5; asks 60001 x 4, 60002 x 5. The own bid of 1 at 60000 stands behind the 4 there
 * Words   `bid 60000=2` the other venue has 2 there · `sell 60000 x1` somebody sells 1 there · `own sell 60000 x1` a local order that
 *         goes at once · `; ` the next moment · `wait 2000` milliseconds: half of what local orders took is back
 * Then    filled of the own bid, and what the local book shows: best bids, then best asks, those of all accounts together
 */
import { expect, test } from 'vitest'
import type { Ticks } from '../../src/engine/numbers/numbers.ts'
import { lots } from '../../src/engine/numbers/numbers.ts'
import { limitOrder } from '../../src/house-book/house-book.ts'
import { MirroredMarket } from '../../src/mirror/mirrored-market.ts'
import { localVenue } from './local.ts'

const examples: readonly (readonly [why: string, words: string, filled: number, book: string])[] = [
  ['nothing happens', '', 0, '60000 x5 59999 x5 | 60001 x4 60002 x5'],
  ['a trade takes what is before it', 'sell 60000 x4; bid 60000=0', 0, '60000 x1 59999 x5 | 60001 x4 60002 x5'],
  ['then it', 'sell 60000 x4; bid 60000=0; sell 60000 x1', 1, '59999 x5 | 60001 x4 60002 x5'],
  ['one trade of five', 'sell 60000 x5, bid 60000=0', 1, '59999 x5 | 60001 x4 60002 x5'],
  ['a part of it', 'sell 60000 x4.4, bid 60000=0', 0.4, '60000 x0.6 59999 x5 | 60001 x4 60002 x5'],
  ['a trade through its price', 'sell 59999 x1, bid 60000=0, bid 59999=5', 1, '59999 x5 | 60001 x4 60002 x5'],
  ['what leaves leaves before it', 'bid 60000=1', 0, '60000 x2 59999 x5 | 60001 x4 60002 x5'],
  ['and then one trade is enough', 'bid 60000=0; sell 60000 x1', 1, '59999 x5 | 60001 x4 60002 x5'],
  [
    'what comes stands behind it',
    'bid 60000=6; sell 60000 x5, bid 60000=2',
    1,
    '60000 x2 59999 x5 | 60001 x4 60002 x5',
  ],
  ['an ask comes to its price', 'bid 60000=0, ask 60000=3', 1, '59999 x5 | 60000 x2 60001 x4'],
  ['a local order takes what is before it', 'own sell 60000 x4', 0, '60000 x1 59999 x5 | 60001 x4 60002 x5'],
  ['a local order takes it too', 'own sell 60000 x5', 1, '59999 x5 | 60001 x4 60002 x5'],
  [
    'half of what was taken is back, behind it',
    'own sell 60000 x4; wait 2000',
    0,
    '60000 x3 59999 x5 | 60001 x4 60002 x5',
  ],
  ['three quarters are back', 'own sell 60000 x4; wait 4000', 0, '60000 x4 59999 x5 | 60001 x4 60002 x5'],
  [
    'what is back is behind it',
    'own sell 60000 x4; wait 2000; own sell 60000 x1',
    1,
    '60000 x2 59999 x5 | 60001 x4 60002 x5',
  ],
  ['a mark on the other side', 'own buy 60001 x1', 0, '60000 x5 59999 x5 | 60001 x3 60002 x5'],
  ['it heals whole', 'own buy 60001 x1; wait 60000', 0, '60000 x5 59999 x5 | 60001 x4 60002 x5'],
  [
    'a level that is said anew keeps its mark',
    'own buy 60001 x2; ask 60001=3',
    0,
    '60000 x5 59999 x5 | 60001 x1 60002 x5',
  ],
  ['what is not said after a trade is put back', 'sell 60000 x4', 0, '60000 x5 59999 x5 | 60001 x4 60002 x5'],
  ['put back it stands behind', 'sell 60000 x4; sell 60000 x1', 1, '60000 x4 59999 x5 | 60001 x4 60002 x5'],
]

test.each(examples)('%s', async (_why, words, filled, shown) => {
  const { market, venue, uid, orderId, size } = await openMarket()
  for (const moment of words === '' ? [] : words.split('; ')) await play(moment)
  const order = venue.query({ kind: 'order', uid, order: { orderId, clientOid: '' } })
  expect((order === undefined ? size : order.filled) / 10_000).toBe(filled)
  expect(bookShown()).toBe(shown)
  expect(market.refused).toBe(0)
  expect(venue.query({ kind: 'verify' })).toMatchObject({ balanced: true, faults: [] })

  async function play(moment: string): Promise<void> {
    for (const word of moment.split(', ')) {
      const waits = /^wait (\d+)$/.exec(word)
      const level = /^(bid|ask) (\d+)=(.+)$/.exec(word)
      const trade = /^(own )?(buy|sell) (\d+) x(.+)$/.exec(word)
      if (waits !== null) {
        venue.advance(Number(waits[1]))
        market.heal()
      } else if (level !== null) {
        market.change(
          [{ isBid: level[1] === 'bid', price: Number(level[2]) * 10, lots: Math.round(Number(level[3]) * 10_000) }],
          false,
        )
      } else if (trade !== null) {
        const [, own, side, price, quantity] = trade
        const traded = { isBuy: side === 'buy', price: Number(price) * 10, lots: Math.round(Number(quantity) * 10_000) }
        if (own === undefined) market.trade([traded])
        else await take(traded)
      } else throw new Error(word)
    }
    await market.settled()
  }

  async function take({
    isBuy,
    price,
    lots: quantity,
  }: {
    isBuy: boolean
    price: number
    lots: number
  }): Promise<void> {
    const wanted = { side: isBuy ? 'buy' : 'sell', price: price as Ticks, quantity: lots(quantity) } as const
    const reply = await venue.submit(limitOrder(await venue.person('taker'), market.instrument, wanted, 'ioc'))
    expect(reply.kind).toBe('placed')
  }

  function bookShown(): string {
    const { bids, asks } = venue.query({ kind: 'depth', instrument: market.instrument.id, limit: 2 })
    const texts = (levels: typeof bids) =>
      levels.map(([price, quantity]) => `${price / 10} x${quantity / 10_000}`).join(' ')
    return `${texts(bids)} | ${texts(asks)}`
  }
})

async function openMarket() {
  const venue = await localVenue()
  const market = new MirroredMarket(
    venue,
    venue.instrument('USDT-FUTURES', 'BTCUSDT'),
    { queue: 'back', healMs: 2_000 },
    {
      begins: async () => {},
      lost: (error) => {
        throw error
      },
    },
  )
  await market.open()
  venue.addConsumer({ record: (sequence, at, events, _kind, reply) => market.record(sequence, at, events, reply) })
  const level = (isBid: boolean, price: number, size: number) => ({ isBid, price: price * 10, lots: size * 10_000 })
  const book = [level(true, 60_000, 4), level(true, 59_999, 5), level(false, 60_001, 4), level(false, 60_002, 5)]
  const texts = book.map(({ isBid, price, lots: size }) => ({
    isBid,
    level: { price, lots: size, texts: `${price}:${size}` },
  }))
  market.source.take(
    {
      isSnapshot: true,
      bids: texts.filter(({ isBid }) => isBid).map((one) => one.level),
      asks: texts.filter(({ isBid }) => !isBid).map((one) => one.level),
      sequence: 1,
      previous: 0,
      checksum: undefined,
    },
    'books',
  )
  market.change(book, true)
  await market.settled()
  const uid = await venue.person('alice')
  const size = 10_000
  const reply = await venue.submit(
    limitOrder(uid, market.instrument, { side: 'buy', price: 600_000 as Ticks, quantity: lots(size) }, 'gtc'),
  )
  if (reply.kind !== 'placed') throw new Error(`the own order was answered with ${JSON.stringify(reply)}`)
  await market.settled()
  return { venue, market, uid, orderId: reply.orderId, size }
}
