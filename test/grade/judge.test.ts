/**
 * The judge's six questions, each on journals written by hand: what passes, and what does not by how little.
 *
 * Source  lab.md §4.11; docs/grading.md
 */
import { describe, expect, test } from 'vitest'
import { accountNow, accountStates } from '../../src/grade/account.ts'
import type { Evidence } from '../../src/grade/evidence.ts'
import { judge, letters, type Letter } from '../../src/grade/judge/judge.ts'
import { mostPerSecond } from '../../src/grade/judge/manners.ts'
import { asked, canceled, handshake, key, lost, placed, uid, written } from './written.ts'

const rules = {
  tolerance: { position: 0.01, price: 0.005 },
  maxPosition: 0.06,
  maxOpenOrders: 2,
  recoverMs: 6_000,
}

/** The twin holds 0.04 and quotes both sides, and trades every two seconds. */
const quotes = [
  placed(1_000, 'o1', { fills: 4, lots: 4 }),
  placed(1_100, 'o2', { price: 99 }),
  placed(1_100, 'o3', { price: 101, side: 'sell' }),
]
const twin = written({ journal: [...quotes, canceled(5_000, 'o2'), placed(5_050, 'o4', { price: 99 })], struck: 1_000 })

function found(run: Partial<Evidence>, other = twin): readonly Letter[] {
  return [...new Set(judge(written(run), other, rules).map(({ letter }) => letter))]
}

/** What it does after the fault, as the twin: it quotes anew. */
const anew = [canceled(5_000, 'o2'), placed(5_050, 'o4', { price: 99 })]

test('a run like its twin leaves nothing to find', () => {
  expect(judge(twin, twin, rules)).toEqual([])
  expect(found({ journal: [...quotes, ...anew] })).toEqual([])
})

describe('the account, from the journal', () => {
  test('fills make the position, and what rests is what was not filled', () => {
    const run = written({
      journal: [placed(1, 'o1', { lots: 5, fills: 2 }), placed(2, 'o2', { side: 'sell', lots: 1, fills: 1 })],
    })
    expect(accountNow(run).positions).toEqual({ BTCUSDT: 0.01 })
    expect(accountNow(run).orders).toMatchObject([{ orderId: '1', side: 'buy', price: 99, quantity: 0.03 }])
  })
  test('others are not counted', () => {
    const line = placed(1, 'o1', { lots: 5, fills: 5 })
    const others = { ...line, events: line.events.map((event) => ({ ...event, uid: uid + 1 })) }
    expect(accountNow(written({ journal: [others] })).positions).toEqual({})
  })
  test('states follow each other without a gap', () => {
    const states = accountStates(twin)
    expect(states.map(({ from, until }) => until - from).reduce((sum, ms) => sum + ms)).toBe(9_000)
    for (const [index, state] of states.entries()) if (index > 0) expect(state.from).toBe(states[index - 1].until)
  })
})

describe('T: as the twin has it', () => {
  test.each<readonly [string, number, readonly Letter[]]>([
    ['as large', 4, []],
    ['a lot more is within tolerance', 5, []],
    ['two lots more are not', 6, ['T']],
    ['two lots less are not', 2, ['T']],
  ])('a position %s', (_name, lots, expected) => {
    expect(found({ journal: [placed(1_000, 'o1', { lots, fills: lots }), ...quotes.slice(1), ...anew] })).toEqual(
      expected,
    )
  })
  test('what the twin held at another time is no difference: a bot goes round', () => {
    const round = written({ journal: [...twin.journal, placed(6_000, 'o5', { lots: 4, fills: 4 })] })
    expect(found({ journal: [...quotes, ...anew] }, round)).toEqual([])
  })
  test('an order is missing that the twin always had', () => {
    expect(found({ journal: [...quotes, ...anew, canceled(5_500, 'o3')] })).toEqual(['T'])
  })
  test('what was during the fault is forgiven', () => {
    const astray = [
      placed(2_500, 'o8', { lots: 2, fills: 2 }),
      placed(3_500, 'o9', { side: 'sell', lots: 2, fills: 2 }),
    ]
    expect(found({ journal: [...quotes, ...astray, ...anew] })).toEqual([])
  })
})

describe('D: one intent, one order', () => {
  const again = [...quotes, placed(2_000, 'o5', { lots: 1, fills: 1 }), placed(3_000, 'o6', { lots: 1, fills: 1 })]
  const back = [placed(3_500, 'o7', { side: 'sell', lots: 2, fills: 2 }), ...anew]
  const journal = [...again, ...back]
  const firings = [lost(2_000, 'o5', 'filled')]
  test('a second order without having asked', () => {
    expect(found({ journal, firings })).toEqual(['D'])
    expect(judge(written({ journal, firings }), twin, rules)[0].sentence).toBe(
      'buy 0.01 BTCUSDT at 99 twice: o5 and o6. The first one was not asked for',
    )
  })
  test('without an unknown outcome a second order is another order', () => {
    expect(found({ journal })).toEqual([])
    expect(found({ journal, firings: [lost(2_000, 'o7')] })).toEqual([])
  })
  test.each([
    ['asked for the order', asked(2_500, 'GET /api/v3/trade/order-info')],
    ['asked for its open orders', asked(2_500, 'GET /api/v3/trade/unfilled-orders')],
    ['asked for its position', asked(2_500, 'GET /api/v2/mix/position/all-position')],
    ['asked for it to be canceled', asked(2_500, 'POST /api/v3/trade/cancel-order', { text: '{"clientOid":"o5"}' })],
    ['was told by a push', asked(2_500, '', { kind: 'out', uid, text: '{"data":[{"clientOid":"o5"}]}' })],
  ])('whoever %s knows', (_name, line) => {
    expect(found({ journal, firings, traffic: [line] })).toEqual([])
  })
  test.each([
    ['asked for the price only', asked(2_500, 'GET /api/v3/market/tickers', { key: undefined as never })],
    ['was answered too late', asked(2_500, 'GET /api/v3/trade/order-info', { answeredAt: 3_100 })],
    ['was refused', asked(2_500, 'GET /api/v3/trade/order-info', { code: '40010' })],
    ['was told a moment before', asked(2_501, '', { kind: 'out', uid, text: '{"clientOid":"o5"}' })],
    ['asked before', asked(1_900, 'GET /api/v3/trade/order-info')],
    ['is another account', asked(2_500, 'GET /api/v3/trade/order-info', { key: 'other' })],
  ])('whoever %s does not know', (_name, line) => {
    expect(found({ journal, firings, traffic: [line] })).toEqual(['D'])
  })
  test('the same client order id, another price or another size is no duplicate', () => {
    for (const second of [
      placed(3_000, 'o6', { lots: 1, fills: 1, price: 98 }),
      placed(3_000, 'o6', { lots: 3, fills: 1 }),
      placed(3_000, 'o6', { lots: 1, fills: 1, side: 'sell' }),
    ]) {
      const repeated = judge(written({ journal: [...quotes, again[3], second], firings }), twin, rules, ['D'])
      expect(repeated).toEqual([])
    }
  })
  test('each order of a batch counts', () => {
    const batch = { ...lost(2_000, 'o4'), outcomes: ['placed', 'filled'] }
    expect(found({ journal, firings: [batch] })).toEqual(['D'])
  })
})

describe('O: no order is left open', () => {
  test('one that the twin never had', () => {
    expect(
      found({
        journal: [
          ...quotes.slice(0, 2),
          placed(1_200, 'o9', { price: 90 }),
          ...anew,
          placed(5_100, 'o3', { price: 101, side: 'sell' }),
        ],
      }),
    ).toContain('O')
  })
  test('two where the twin has one', () => {
    const left = placed(2_000, 'o9', { price: 99 })
    const orphans = judge(written({ journal: [...quotes, left, ...anew] }), twin, rules, ['O'])
    expect(orphans).toHaveLength(2)
    expect(orphans[0].sentence).toContain('one of 2, and the twin had 1 at most')
  })
  test('a price within tolerance is the same, one beyond it is not', () => {
    const near = (price: number) =>
      judge(written({ journal: [placed(1_000, 'o9', { price })] }), twin, rules, ['O']).length
    expect([near(99.49), near(99.51)]).toEqual([0, 1])
  })
  test('an order follows the price: its distance counts', () => {
    const prices = [{ at: 0, symbol: 'BTCUSDT', price: 200 }]
    expect(judge(written({ prices, journal: [placed(1_000, 'o9', { price: 198 })] }), twin, rules, ['O'])).toEqual([])
  })
  test('what was taken away in time is none', () => {
    expect(
      judge(written({ journal: [placed(1_000, 'o9', { price: 90 }), canceled(6_000, 'o9')] }), twin, rules, ['O']),
    ).toEqual([])
  })
})

describe('L: its own limits', () => {
  const both = (lots: number) => [
    placed(2_100, 'o8', { lots, fills: lots }),
    placed(2_200, 'o9', { lots, fills: lots, side: 'sell' }),
  ]
  test('a position at the limit, and one lot beyond it, even for a moment', () => {
    expect(found({ journal: [...quotes, ...both(2), ...anew] })).toEqual([])
    expect(found({ journal: [...quotes, ...both(3), ...anew] })).toEqual(['L'])
  })
  test('as many orders as it may have, and one more', () => {
    const one = [placed(2_100, 'o8', { price: 98 }), canceled(2_110, 'o8')]
    expect(found({ journal: [...quotes, ...one, ...anew] })).toEqual(['L'])
  })
  test('whoever sets none passes none', () => {
    const run = written({ journal: [...quotes, ...both(50), ...anew] })
    expect(judge(run, twin, { ...rules, maxPosition: undefined, maxOpenOrders: undefined })).toEqual([])
  })
})

describe('M: manners', () => {
  const journal = [...quotes, ...anew]
  const outages = [{ from: 2_000, until: 4_000 }]
  const rows = (count: number, ms: number) =>
    Array.from({ length: count }, (_, n) => asked(2_000 + n * ms, 'GET /x', { status: 503 }))
  test('twenty requests in a second while the venue is down, and one more', () => {
    expect(found({ journal, outages, traffic: rows(20, 10) })).toEqual([])
    expect(found({ journal, outages, traffic: rows(21, 10) })).toEqual(['M'])
    expect(found({ journal, outages: [], traffic: rows(21, 10) })).toEqual([])
    const served = rows(21, 10).map((line) => ({ ...line, status: 200 }))
    expect(found({ journal, outages, traffic: served })).toEqual([])
    expect(found({ journal, outages, traffic: rows(21, 10).map((line) => ({ ...line, key: 'other' })) })).toEqual([])
  })
  test('ten requests in a second after a 429, and one more', () => {
    const limited = (count: number) => [
      asked(2_000, 'POST /p', { status: 429 }),
      ...Array.from({ length: count }, (_, n) => asked(2_010 + n * 10, 'POST /p')),
    ]
    expect(found({ journal, traffic: limited(10) })).toEqual([])
    expect(found({ journal, traffic: limited(11) })).toEqual(['M'])
    expect(
      found({ journal, traffic: limited(11).map((line, n) => (n === 0 ? line : { ...line, endpoint: 'POST /q' })) }),
    ).toEqual([])
  })
  test.each<readonly [string, readonly number[], readonly Letter[]]>([
    ['double', [0, 100, 300, 700, 1_500], []],
    ['stay the same', [0, 300, 600, 900, 1_200], ['M']],
    ['stay the same, but are few', [0, 300, 600], []],
    ['shrink', [0, 500, 900, 1_200], ['M']],
  ])('pauses before a socket is asked for anew %s', (_name, times, expected) => {
    expect(found({ journal, outages, traffic: times.map((at) => handshake(2_000 + at)) })).toEqual(expected)
  })
  test('long pauses need not grow, and at a tenth of the time a tenth is long', () => {
    const steady = (ms: number) => [0, 1, 2, 3].map((n) => handshake(2_000 + n * ms))
    expect(found({ journal, outages, traffic: steady(550) })).toEqual(['M'])
    expect(found({ journal, outages, traffic: steady(550), scale: 0.1 })).toEqual([])
    expect(found({ journal, outages, traffic: steady(450), scale: 0.1 })).toEqual(['M'])
  })
  test('the busiest second', () => {
    expect(mostPerSecond([0, 999, 1_000, 1_001, 5_000])).toBe(3)
    expect(mostPerSecond([])).toBe(0)
  })
})

describe('A: alive', () => {
  test('the process ended', () => {
    const exits = [{ at: 3_000, code: 1, signal: null }]
    expect(found({ journal: [...quotes, ...anew], exits })).toEqual(['A'])
  })
  test('nothing is placed any more', () => {
    expect(found({ journal: quotes })).toEqual(['A'])
  })
  test('what was placed during the fault does not count, nor what was refused', () => {
    const during = [canceled(3_000, 'o2'), placed(3_500, 'o4')]
    expect(found({ journal: [...quotes, ...during] })).toEqual(['A'])
    const refused = { ...placed(6_000, 'o6'), reply: { kind: 'refused' }, events: [] }
    expect(found({ journal: [...quotes, refused] })).toEqual(['A'])
  })
  test('a twin that trades seldom says nothing', () => {
    const seldom = { ...twin, ended: 30_000 }
    expect(judge(written({ journal: quotes }), seldom, rules, ['A'])).toEqual([])
  })
})

test('only the questions that are asked are answered', () => {
  expect(letters.join('')).toBe('TDOLMA')
  const exits = [{ at: 3_000, code: 1, signal: null }]
  expect(judge(written({ journal: [...quotes, ...anew], exits }), twin, rules, ['T', 'L'])).toEqual([])
  expect(key).toBe('bot')
})
