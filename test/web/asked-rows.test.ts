/** Which rows of a history are shown when somebody asks for a symbol or for days, and how many pages that takes. */
import { describe, expect, test } from 'vitest'
import { askedPage, type Asked } from '../../web/venue/asked-rows.ts'

interface Row {
  readonly id: number
  readonly symbol: string
  readonly at: number
}

const pageSize = 50
const everything: Asked = { symbol: '', from: undefined, to: undefined }
const symbols = ['BTCUSDT', 'ETHUSDT', 'BTCUSDC']

/** The newest first: of 1000 rows the last has number and time 1. */
const rows: readonly Row[] = Array.from({ length: 1_000 }, (_, place) => {
  const id = 1_000 - place
  return { id, symbol: symbols[id % symbols.length], at: id }
})

function venue() {
  const cursors: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    cursors.push(cursor)
    const from = cursor === undefined ? 0 : rows.findIndex(({ id }) => String(id) === cursor) + 1
    const page = rows.slice(from, from + pageSize)
    return { rows: page, next: from + pageSize < rows.length ? String(page.at(-1)?.id) : undefined }
  }
  const ask = (asked: Partial<Asked>, cursor?: string) =>
    askedPage(read, cursor, { ...everything, ...asked }, (row) => row)
  return { cursors, ask }
}

describe('a page of what is asked for', () => {
  test('without a filter is a page of the venue', async () => {
    const { ask, cursors } = venue()
    const page = await ask({})
    expect(page.rows).toEqual(rows.slice(0, pageSize))
    expect(page.next).toBe('951')
    expect(cursors).toEqual([undefined])
  })

  test.each([
    ['btcusdt', ['BTCUSDT']],
    ['BTC', ['BTCUSDT', 'BTCUSDC']],
    ['usdt', ['BTCUSDT', 'ETHUSDT']],
  ])('of %s has those symbols alone, and every one of them when all is read', async (symbol, expected) => {
    const { ask } = venue()
    const found: Row[] = []
    let cursor: string | undefined
    do {
      const page = await ask({ symbol }, cursor)
      found.push(...page.rows)
      cursor = page.next
    } while (cursor !== undefined)
    expect(found).toEqual(rows.filter((row) => expected.includes(row.symbol)))
  })

  test.each([
    [{ from: 990, to: 995 }, [995, 994, 993, 992, 991, 990]],
    [{ from: 999 }, [1000, 999]],
    [{ from: 900, to: 902, symbol: 'ETH' }, [901]],
  ])('%j has both ends, and nothing older is read once all is older', async (asked, expected) => {
    const { ask, cursors } = venue()
    const page = await ask(asked)
    expect(page.rows.map(({ id }) => id)).toEqual(expected)
    expect(page.next).toBeUndefined()
    expect(cursors.length).toBeLessThanOrEqual(4)
  })

  test('that is rare is looked for on ten pages at a time', async () => {
    const { ask, cursors } = venue()
    const first = await ask({ symbol: 'DOGE' })
    expect(first).toEqual({ rows: [], next: '501' })
    expect(cursors).toHaveLength(10)
    expect(await ask({ symbol: 'DOGE' }, first.next)).toEqual({ rows: [], next: undefined })
  })
})
