/**
 * Orders and fills of cross margin at the terminal: the venue tells them pair by pair and takes ten calls of a list in a
 * second; the terminal shows one list.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Query } from '../../web/venue/query.ts'
import type { Caller } from '../../web/venue/rest.ts'
import { MarginLists } from '../../web/venue/v2/margin-lists.ts'

interface Asked {
  readonly at: number
  readonly path: string
  readonly query: Query
}

let asked: Asked[]

/** A venue on which each of these pairs has its orders, and a fill of each. */
function listsOf(orders: Readonly<Record<string, readonly number[]>>): MarginLists {
  const get = async (path: string, query: Query) => {
    asked.push({ at: Date.now(), path, query })
    const { symbol = '', limit = 100, idLessThan = Number.POSITIVE_INFINITY } = query
    const numbers = (orders[symbol] ?? []).filter((number) => number < Number(idLessThan)).slice(0, Number(limit))
    const orderList = numbers.map((number) => ({ orderId: String(number), symbol }))
    return { orderList, fills: numbers.map((number) => ({ tradeId: String(number), orderId: '1', feeDetail: [] })) }
  }
  return new MarginLists({ get } as unknown as Caller, Object.keys(orders))
}

const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index)
const twelve = Object.fromEntries(down(12, 12).map((number) => [`C${number}USDT`, [number]]))

beforeEach(() => {
  asked = []
  vi.useFakeTimers({ now: 1_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

async function settled<T>(found: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(60_000)
  return found
}

test('every question names a pair and a time', async () => {
  const lists = listsOf({ BTCUSDT: [3], ETHUSDT: [4] })
  await settled(
    Promise.all([lists.open(), lists.ended(undefined), lists.fills(undefined), lists.fillsOf('3', 'BTCUSDT')]),
  )
  expect(asked).toHaveLength(7)
  for (const { query } of asked) {
    expect(query).toMatchObject({ symbol: expect.stringMatching(/^(BTC|ETH)USDT$/), startTime: 0 })
  }
})

test('pairs make one list, newest first, a page long; the next page begins where it ends', async () => {
  const lists = listsOf({ BTCUSDT: down(100, 40), ETHUSDT: down(60, 40) })
  const first = await settled(lists.fills(undefined))
  expect(first.map(({ id, symbol }) => `${symbol} ${id}`)).toEqual([
    ...down(100, 40).map((number) => `BTCUSDT ${number}`),
    ...down(60, 10).map((number) => `ETHUSDT ${number}`),
  ])
  const second = await settled(lists.fills(first.at(-1)?.id))
  expect(second.map(({ id }) => Number(id))).toEqual(down(50, 30))
})

test('all that rests is read, whole pages too', async () => {
  const lists = listsOf({ BTCUSDT: down(1000, 250), ETHUSDT: down(500, 100) })
  expect(await settled(lists.open())).toHaveLength(350)
})

describe('how often it asks', () => {
  test('never more than ten times in a second', async () => {
    const lists = listsOf(twelve)
    await settled(Promise.all([lists.open(), lists.open(), lists.open()]))
    const times = asked.map(({ at }) => at)
    expect(times).toHaveLength(36)
    for (const at of times)
      expect(times.filter((time) => time >= at && time <= at + 1_000).length).toBeLessThanOrEqual(10)
    expect(Math.max(...times) - 1_000_000).toBeLessThan(4_000)
  })

  test('who asks while it is read shares the next read', async () => {
    const lists = listsOf(twelve)
    const reads = [lists.fills(undefined), lists.fills(undefined), lists.fills(undefined), lists.fills(undefined)]
    const found = await settled(Promise.all(reads))
    expect(asked).toHaveLength(24)
    expect(found[3]).toBe(found[1])
    expect(found[0]).not.toBe(found[1])
  })

  test('a read that failed is not shared with who comes after it', async () => {
    let failing = true
    const get = async () => {
      if (failing) throw new Error('the venue is away')
      return { fills: [] }
    }
    const lists = new MarginLists({ get } as unknown as Caller, ['BTCUSDT'])
    await expect(lists.fills(undefined)).rejects.toThrow('away')
    failing = false
    expect(await lists.fills(undefined)).toEqual([])
  })
})
