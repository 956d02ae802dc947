/**
 * Who is nearest to being liquidated, and what is open in each contract.
 * Source  docs/operations.md, operator calls (`house near-liquidation`, `house exposure`)
 */
import { expect, test } from 'vitest'
import { emptyHeap, inOrder, removeItem, setKey } from '../../src/engine/storage/storage.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

const near = (exchange: Exchange, limit = 50) => {
  const { pools, more } = exchange.query({ kind: 'near-liquidation', limit })
  return { names: pools.map(({ uid }) => exchange.name(uid)), pools, more }
}

/** Bob takes the other side of whatever the others want. */
function market(exchange: Exchange, symbol: MarketName = 'BTCUSDT'): Exchange {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units('10000000') })
  const joined = traders(exchange, 'bob')
  joined.market = symbol
  return joined
}

function longs(exchange: Exchange, name: string, funds: string, mode: 'classic' | 'unified' = 'classic'): void {
  exchange.join(name, { mode, funds: { [mode === 'unified' ? 'uta' : 'usdt_futures']: `${funds} USDT` } })
  exchange.given('bob: sell 0.5 @ 60000', `${name}: buy 0.5 @ 60000`)
}

scenario('by margin ratio, whatever they trade from; of an account the pool that is nearest', (exchange) => {
  market(exchange)
  longs(exchange, 'easy', '20000')
  longs(exchange, 'tight', '3100', 'unified')
  longs(exchange, 'tighter', '3000')
  exchange.join('debtor', { funds: { crossed_margin: '2 BTC' } })
  exchange.must({ kind: 'borrow', uid: exchange.uid('debtor'), coin: coinId('USDT'), amount: units('100000') })
  exchange.join('idle', { funds: { spot: '1 BTC' } })
  // Before anybody was looked at, and after.
  expect(near(exchange).names).toEqual(['debtor', 'tighter', 'tight', 'easy', 'bob'])
  exchange.wait(2000).runTimers()
  expect(near(exchange).names).toEqual(['debtor', 'tighter', 'tight', 'easy', 'bob'])
  expect(near(exchange).more).toBe(false)
  expect(near(exchange).pools[0]).toMatchObject({ wallet: 'crossed_margin' })
  expect(near(exchange, 2)).toMatchObject({ names: ['debtor', 'tighter'], more: true })
})

scenario(
  'what comes nearer rises, what is liquidated is gone, and the fund that took it over is not in it',
  (exchange) => {
    market(exchange)
    longs(exchange, 'easy', '20000')
    longs(exchange, 'tight', '3100')
    exchange.prices({ BTC: '54200' }).wait(2000).runTimers()
    const [first] = near(exchange).pools
    expect(first?.uid).toBe(exchange.uid('tight'))
    expect(Number(first?.ratio) / 1e12).toBeGreaterThan(0.5)
    exchange.prices({ BTC: '53800' }).wait(2000).runTimers()
    expect(exchange.holds('tight')).toBe('flat')
    expect(near(exchange).names).toEqual(['easy', 'bob'])
    const [exposure] = exchange.query({ kind: 'exposure' }).filter(({ fundLots }) => fundLots !== 0)
    expect(exposure).toMatchObject({ instrument: instrumentId('BTCUSDT') })
    expect(exchange.quantity(exposure?.fundLots ?? 0)).toBe('0.5')
  },
)

scenario('of more accounts than are looked at, those whose prices are nearest are there', (exchange) => {
  market(exchange)
  // All far from their prices but the last.
  for (let count = 0; count < 310; count++) longs(exchange, `far${count}`, '20000')
  longs(exchange, 'last', '3000')
  exchange.wait(2000).runTimers()
  const found = near(exchange, 300)
  expect(found.names[0]).toBe('last')
  expect(found.names).toHaveLength(300)
  expect(found.more).toBe(true)
})

scenario('accounts of a contract without a trusted price come after all others', (exchange) => {
  market(exchange, 'SOLUSDT')
  for (let count = 0; count < 300; count++) {
    exchange.join(`halted${count}`, { funds: { usdt_futures: '1000 USDT' } })
    exchange.given('bob: sell 1 @ 100', `halted${count}: buy 1 @ 100`)
  }
  exchange.market = 'BTCUSDT'
  longs(exchange, 'live', '3000')
  exchange.prices({ SOL: '900' }).wait(2000).runTimers()
  expect(near(exchange).names[0]).toBe('live')
  expect(near(exchange).pools.filter(({ halted }) => halted).length).toBeGreaterThan(0)
})

scenario('what is open: value at the mark, who holds it, and the largest on each side', (exchange) => {
  market(exchange)
  longs(exchange, 'small', '20000')
  exchange.join('large', { funds: { usdt_futures: '900000 USDT' } })
  exchange.given('bob: sell 3 @ 60000', 'large: buy 3 @ 60000')
  const all = exchange.query({ kind: 'exposure' })
  const [open] = all.filter(({ openInterest }) => openInterest > 0)
  expect(open).toMatchObject({ instrument: instrumentId('BTCUSDT'), holdersLong: 2, holdersShort: 1, fundLots: 0 })
  expect(coins(open?.notionalUsd ?? 0n)).toBe('210000')
  expect(open?.largestLong?.uid).toBe(exchange.uid('large'))
  expect(open?.largestShort?.uid).toBe(exchange.uid('bob'))
  expect(exchange.quantity(open?.largestLong?.quantity ?? 0)).toBe('3')
  const empty = all.find(({ instrument }) => instrument === instrumentId('SOLUSDT'))
  expect(empty).toMatchObject({ largestLong: undefined, largestShort: undefined, notionalUsd: 0n })
})

test('a heap is told in the order of its keys, and stays as it is', () => {
  const heap = emptyHeap()
  for (let item = 0; item < 200; item++) setKey(heap, item, (item * 7919) % 100)
  for (let item = 0; item < 200; item += 3) removeItem(heap, item)
  const before = structuredClone(heap)
  const told = [...inOrder(heap)]
  expect(told).toHaveLength(heap.items.length)
  expect(told).toEqual(told.toSorted(([, one], [, other]) => one - other))
  expect(heap).toEqual(before)
})
