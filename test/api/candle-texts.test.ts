/**
 * Kept texts of candles: at any moment those that are over are as the history has them, whatever is traded, pruned, told late or
 * taken back. The one that runs is the market's.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CandleTexts } from '../../src/api/candle-texts.ts'
import type { Context } from '../../src/api/endpoint.ts'
import { dataOf } from '../../src/api/json-text.ts'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type Candle, type History, openHistoryInMemory } from '../../src/history/history.ts'
import { type Interval, Market, readCandles } from '../../src/market/market.ts'

const minute = 60_000
/** An hour before midnight: what was before it can be pruned soon after. */
const begin = Date.UTC(2026, 8, 22, 23)
const listed = { id: 0 } as Instrument
const shown = (candle: Candle) => [candle.start, candle.openPrice, candle.highPrice, candle.lowPrice, candle.closePrice]

const asks = [
  ['market', '1m', 1],
  ['market', '1m', 30],
  ['market', '15m', 20],
  ['mark', '1m', 5],
  ['index', '1H', 50],
  ['market', '1Dutc', 3],
] as const

interface World {
  readonly history: History
  readonly market: Market
  now: number
  sequence: number
}

async function opened(): Promise<World> {
  return { history: await openHistoryInMemory(), market: new Market(), now: begin, sequence: 0 }
}

/** `late`: so long ago was what is told of now. */
function happens(world: World, price: number, isTrade: boolean, late = 0): void {
  const [at, instrument] = [Math.max(begin, world.now - late), 0]
  const event = isTrade
    ? { kind: 'trade', matchId: ++world.sequence, instrument, price: ticks(price), quantity: lots(2), side: 'buy', at }
    : { kind: 'prices-changed', instrument, markPrice: ticks(price), indexPrice: ticks(price + 1), at }
  world.sequence += 1
  world.history.record(world.sequence, at, [event as Event])
  world.market.record([event as Event])
}

function contextOf({ history, market, now }: World): Context {
  return { history, market, now } as unknown as Context
}

async function isSame(texts: CandleTexts<unknown>, world: World): Promise<void> {
  const { history, market, now } = world
  for (const [priceKind, interval, limit] of asks) {
    const asked = { instrument: 0, priceKind, interval: interval as Interval, limit }
    const answers = await Promise.all([
      texts.listOf(contextOf(world), listed, asked),
      readCandles(market.records(history, now), asked, now),
    ])
    // Pruned up to now, the history forgets the price that the running one began with.
    const running = market.candle(0, priceKind, interval, now)
    const over = answers[1].filter(({ start }) => start < (running?.start ?? now))
    const expected = [...over, ...(running === undefined ? [] : [running])].map(shown)
    expect(dataOf(answers[0]), `${priceKind} ${interval} ${limit}`).toEqual(expected)
  }
}

const steps = fc.array(
  fc.record({
    does: fc.constantFrom('trade', 'trade', 'price', 'late', 'prune', 'save', 'back'),
    wait: fc.oneof(fc.nat(20_000), fc.nat(3 * minute), fc.nat(100 * minute)),
    price: fc.integer({ min: 2, max: 100 }),
  }),
  { minLength: 5, maxLength: 40 },
)

test('as read from the history, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const world = await opened()
      const texts = new CandleTexts(shown)
      let last = begin
      const save = async () => ({ ...world, market: world.market.save(), history: await world.history.save() })
      let saved = await save()
      for (const { does, wait, price } of list) {
        world.now += wait
        // A batch waits for the disk while others ask, and what is told is never older than what was told before.
        if (does === 'late') {
          await isSame(texts, world)
          happens(world, price, true, Math.min(wait, world.now - last))
        } else if (does === 'prune') await world.history.prune(world.now)
        else if (does === 'save') saved = await save()
        else if (does === 'back') {
          await world.history.restore(saved.history)
          world.market.restoreFrom(saved.market)
          Object.assign(world, { now: saved.now, sequence: saved.sequence })
        } else happens(world, price, does === 'trade')
        last = world.now
        await isSame(texts, world)
        await isSame(texts, world)
      }
      await world.history.close()
    }),
    { numRuns: 30 },
  )
})

test('what is over is read and written once in its interval, and anew within another', async () => {
  const world = await opened()
  let written = 0
  const texts = new CandleTexts((candle) => {
    written += 1
    return shown(candle)
  })
  const askFor = (more: object = {}) =>
    texts.listOf(contextOf(world), listed, { priceKind: 'market', interval: '1m', limit: 10, ...more })
  for (let count = 0; count < 5; count++) {
    happens(world, 10 + count, true)
    world.now += minute
  }
  await askFor()
  expect(written).toBe(6)
  happens(world, 99, true)
  expect((dataOf(await askFor()) as number[][]).at(-1)).toEqual([world.now, 99, 99, 99, 99])
  expect(written).toBe(7)
  world.now += minute
  await askFor()
  expect(written).toBe(14)
  // A window is asked of the history.
  await askFor({ endTime: world.now })
  expect(written).toBe(20)
  await world.history.close()
})

test('what was asked for longest ago goes when there is too much', async () => {
  const world = await opened()
  happens(world, 10, true)
  world.now += 5 * minute
  let written = 0
  const show = (candle: Candle) => {
    written += 1
    return shown(candle)
  }
  const texts = new CandleTexts(show, 150)
  const askFor = async (limit: number) => {
    written = 0
    await texts.listOf(contextOf(world), listed, { priceKind: 'market', interval: '1m', limit })
    return written
  }
  expect([await askFor(4), await askFor(4), await askFor(5), await askFor(5), await askFor(4)]).toEqual([4, 1, 5, 1, 4])
  await world.history.close()
})
