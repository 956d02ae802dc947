/** Books: whoever applies the pushes has the book, whatever happened in between; and the chain of pushes has no gap. */
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import { changesBetween, type Level } from '../../src/stream/levels.ts'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { type Argument, type Message, Socket } from '../support/socket.ts'
import { batchOrder, btcInverse, btcPerpetual, btcSpot, type Market } from '../support/trading.ts'

vi.setConfig({ testTimeout: 120_000 })

test('changes applied to what was shown give what is', () => {
  const side = (direction: 1 | -1) =>
    fc.dictionary(fc.integer({ min: 1, max: 30 }).map(String), fc.integer({ min: 1, max: 3 })).map((found) =>
      Object.entries(found)
        .map(([price, quantity]): Level => [ticks(Number(price)), lots(quantity)])
        .sort(([a], [b]) => (a - b) * direction),
    )
  const sides = fc.record({ bids: side(-1), asks: side(1) })
  fc.assert(
    fc.property(sides, sides, (shown, now) => {
      const changes = changesBetween(shown, now)
      for (const name of ['bids', 'asks'] as const) {
        const book = new Map<number, number>(shown[name])
        for (const [price, quantity] of changes?.[name] ?? []) {
          expect(book.get(price), 'a change changes something').not.toBe(quantity)
          if (quantity === 0) expect(book.delete(price)).toBe(true)
          else book.set(price, quantity)
        }
        expect(book).toEqual(new Map<number, number>(now[name]))
      }
    }),
  )
})

const scene = stage()
let people: Person[] = []

beforeAll(async () => {
  const funds = { uta: { USDT: '10000000', BTC: '100' } }
  people = await Promise.all(['Alice', 'Bob', 'Carol'].map((name) => scene.venue.person(name, { funds })))
})

/** One subscriber's copy of a book, as the protocol tells clients to keep it. */
class Copy {
  readonly asks = new Map<string, string>()
  readonly bids = new Map<string, string>()
  sequence = 0
  updates = 0
  /** Of a level, what stands behind price and size. */
  more: readonly string[] = []

  /** Of all that was heard until now. */
  static of({ heard }: Socket): Copy {
    const copy = new Copy()
    for (const message of heard) if (message.action !== undefined) copy.apply(message)
    return copy
  }

  apply({ action, data }: Message): void {
    const [row] = data as readonly [Readonly<Record<string, unknown>>]
    const sequence = row['seq'] as number
    if (action === 'snapshot') {
      expect(this.sequence, 'one snapshot').toBe(0)
      if ('pseq' in row) expect(row['pseq']).toBe(0)
    } else {
      expect(sequence, 'no gap').toBe(this.sequence + 1)
      if ('pseq' in row) expect(row['pseq']).toBe(this.sequence)
      this.updates += 1
    }
    this.sequence = sequence
    for (const [side, levels] of [
      [this.asks, row['asks'] ?? row['a']],
      [this.bids, row['bids'] ?? row['b']],
    ] as const) {
      for (const [price, size, ...more] of levels as readonly [string, string, ...string[]][]) {
        this.more = more
        if (size === '0') expect(side.delete(price), 'what goes was there').toBe(true)
        else side.set(price, size)
      }
    }
    expect(row['checksum']).toBe(this.checksum())
  }

  side(which: 'asks' | 'bids'): [string, string][] {
    const direction = which === 'asks' ? 1 : -1
    return [...this[which]].sort(([a], [b]) => (Number(a) - Number(b)) * direction)
  }

  checksum(): number {
    const [asks, bids] = [this.side('asks'), this.side('bids')]
    const texts = (level: readonly string[] | undefined) => (level === undefined ? [] : [...level, ...this.more])
    const levels = Array.from({ length: 25 }, (_, index) => [...texts(bids[index]), ...texts(asks[index])])
    return crc32(levels.flat().join(':')) | 0
  }
}

/** What is done at random: orders near the price that rest and trade, cancels of what rests. */
async function tradeAtRandom(market: Market, quantities: readonly string[], steps: number): Promise<void> {
  let state = 20261121
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  for (let step = 0; step < steps; step++) {
    const person = people[random(people.length)]
    if (random(6) === 0) {
      await person.post('/api/v3/trade/cancel-symbol-order', { category: market.category, symbol: market.symbol })
      continue
    }
    const orders = Array.from({ length: 1 + random(12) }, () => {
      const side = random(2) === 0 ? 'buy' : 'sell'
      const price = 60_000 + (random(60) - 30) * 10 + (side === 'buy' ? -100 : 100)
      return batchOrder(`${side} ${quantities[random(quantities.length)]} @ ${price}`, market)
    })
    await person.post('/api/v3/trade/place-batch', orders)
    if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(120)))
  }
}

test.each<[Market, readonly string[]]>([
  [btcSpot, ['0.1', '0.25', '1']],
  [btcPerpetual, ['0.1', '0.25', '1']],
  [btcInverse, ['100', '333', '1000']],
])('%j: three subscribers of each version rebuild the book that REST shows', async (market, quantities) => {
  const { venue } = scene
  const { category, symbol } = market
  const spot = category === 'SPOT'
  const args: Argument[] = [
    { instType: category, channel: 'books', instId: symbol },
    { instType: category.toLowerCase(), topic: 'books', symbol },
    { instType: category.toLowerCase(), topic: 'rpi-books', symbol },
  ]
  const open = async (arg: Argument): Promise<Socket> => {
    const socket = await Socket.open(venue, 'topic' in arg ? '/v3/ws/public' : '/v2/ws/public')
    await socket.subscribe(arg)
    return socket
  }
  // The first before anything rests, the others while it is traded: each begins with the book as it is pushed then.
  const watchers = [await Promise.all(args.map(open))]
  for (const steps of [30, 30]) {
    await tradeAtRandom(market, quantities, steps)
    watchers.push(await Promise.all(args.map(open)))
  }
  await tradeAtRandom(market, quantities, 30)

  const v2 = spot
    ? await venue.get('/api/v2/spot/market/orderbook', { symbol, type: 'step0', limit: 150 })
    : await venue.get('/api/v2/mix/market/merge-depth', { productType: category, symbol, limit: 'max' })
  const v3 = await venue.get('/api/v3/market/orderbook', { category, symbol, limit: 200 })
  const shown = { v2: v2.data as Book, v3: v3.data as Book }
  for (const [index, both] of watchers.entries()) {
    for (const [place, socket] of both.entries()) {
      const rest = place === 0 ? shown.v2 : shown.v3
      const copy = await vi.waitFor(() => {
        const all = Copy.of(socket)
        expect(all.side('asks').map(figures)).toEqual((rest.asks ?? rest.a)?.map(figures))
        expect(all.side('bids').map(figures)).toEqual((rest.bids ?? rest.b)?.map(figures))
        return all
      })
      expect(copy.more).toEqual(place === 2 ? ['0'] : [])
      if (index < 2) expect(copy.updates, 'it was pushed in steps').toBeGreaterThan(2)
      socket.close()
    }
  }
  for (const person of people) {
    await person.post('/api/v3/trade/cancel-symbol-order', { category: market.category, symbol: market.symbol })
  }
})

type Rows = readonly (readonly (string | number)[])[]

interface Book {
  readonly asks?: Rows
  readonly bids?: Rows
  readonly a?: Rows
  readonly b?: Rows
}

/** Over HTTP some books have texts and some have numbers. */
function figures(level: readonly (string | number)[]): number[] {
  return level.map(Number)
}

test('sequences rise over a restart', async () => {
  const { venue } = scene
  const arg = { instType: 'SPOT', channel: 'books', instId: 'ETHUSDT' }
  const sequenceNow = async () => {
    const socket = await Socket.open(venue, '/v2/ws/public')
    await socket.subscribe(arg)
    const { data } = await socket.push('books')
    socket.close()
    return data?.[0]?.['seq'] as number
  }
  const before = await sequenceNow()
  await venue.restart()
  expect(await sequenceNow()).toBeGreaterThanOrEqual(before)
})
