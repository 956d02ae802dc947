/**
 * The small syntaxes of the edge, with valid and invalid samples: cursors, time windows, prices and quantities.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError, refusalError, troubleError } from '../../src/api/errors/errors.ts'
import { makeCursor, readCursor } from '../../src/api/parsing/cursor.ts'
import { parseAmount, parsePrice, parseQuantity } from '../../src/api/parsing/orders.ts'
import { dayMs, timeWindow } from '../../src/api/parsing/time-window.ts'
import type { FuturesInstrument, SpotInstrument } from '../../src/engine/catalog/catalog.ts'
import type { Refusal } from '../../src/engine/protocol/reply.ts'

function outcome(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

describe('cursors', () => {
  test('come back as they went', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (id) => {
        expect(readCursor('fills', makeCursor('fills', id), 'v3')).toBe(id)
      }),
    )
  })

  const made = makeCursor('fills', 12_345)
  test.each([
    ['of another list', makeCursor('orders', 12_345)],
    ['with another first letter', `${made.startsWith('B') ? 'A' : 'B'}${made.slice(1)}`],
    ['with another last letter', `${made.slice(0, -1)}${made.endsWith('A') ? 'B' : 'A'}`],
    ['cut', made.slice(1)],
    ['padded', `${made}=`],
    ['a number', '12345'],
    ['empty', ''],
  ])('%s is refused', (_what, text) => {
    expect(outcome(() => readCursor('fills', text, 'v3'))).toBe('400172')
  })
})

describe('time windows (design §4.7, §4.42)', () => {
  const now = 1000 * dayMs
  const minute = 60_000 / dayMs
  const moment = 1 / dayMs
  test.each([
    // what                              start, end in days before now    from, to or code
    ['both absent: 90 days', [undefined, undefined], [90, undefined]],
    ['only a start: 30 days after it', [60, undefined], [60, 30]],
    ['only an end: 30 days before it', [undefined, 10], [40, 10]],
    ['only an end, long ago: not beyond 90 days', [undefined, 80], [90, 80]],
    ['30 days', [30, 0], [30, 0]],
    ['a moment', [5, 5], [5, 5]],
    ['90 days ago', [90, 60], [90, 60]],
    ['more than 30 days', [30.5, 0], '00001'],
    ['a minute more than 90 days ago', [90 + minute, 80], [90 + minute, 80]],
    ['a minute and a millisecond more than 90 days ago', [90 + minute + moment, 80], '40704'],
    ['an end a minute more than 90 days ago', [undefined, 90 + minute], [90 + minute, 90 + minute]],
    ['an end a minute and a millisecond more than 90 days ago', [undefined, 90 + minute + moment], '40704'],
    ['reversed', [1, 2], '40707'],
  ] as const)('%s', (_what, [start, end], expected) => {
    const at = (days: number | undefined) => (days === undefined ? undefined : Math.round(now - days * dayMs))
    const found = outcome(() => timeWindow({ startTime: at(start), endTime: at(end) }, { now, spanDays: 30 }))
    expect(found).toEqual(typeof expected === 'string' ? expected : { from: at(expected[0]), to: at(expected[1]) })
  })

  test.each([
    // what                              start, end in days before now    from, to or code
    ['both absent: 90 days', [undefined, undefined], [90, undefined]],
    ['only a start: all after it', [60, undefined], [60, undefined]],
    ['only an end: all before it', [undefined, 10], [90, 10]],
    ['a span over 90 days, into the future', [90, -1], [90, -1]],
    ['a minute more than 90 days ago', [90 + minute, -1], [90 + minute, -1]],
    ['a minute and a millisecond more than 90 days ago', [90 + minute + moment, -1], '40704'],
    ['reversed', [1, 2], '40707'],
  ] as const)('of a list that bounds no span: %s', (_what, [start, end], expected) => {
    const at = (days: number | undefined) => (days === undefined ? undefined : Math.round(now - days * dayMs))
    const found = outcome(() => timeWindow({ startTime: at(start), endTime: at(end) }, { now }))
    expect(found).toEqual(typeof expected === 'string' ? expected : { from: at(expected[0]), to: at(expected[1]) })
  })
})

describe('prices and quantities', () => {
  const scales = { priceDecimals: 1, priceStep: 5, quantityDecimals: 3, quantityStep: 2 }
  const spot = { kind: 'spot', quoteDecimals: 2, ...scales } as SpotInstrument
  const linear = { kind: 'linear', ...scales } as FuturesInstrument

  test.each([
    // text          spot          futures
    ['60000.5', 120_001, 120_001],
    ['60000.50', 120_001, 120_001],
    ['060000.5', 120_001, 120_001],
    ['60000.3', '45115', '45115'],
    ['60000.55', '41103', '40808'],
    ['0', '40706', '40706'],
    ['0.0', '40706', '40706'],
    ['9'.repeat(40), '40706', '40706'],
  ])('price %s', (text, onSpot, onFutures) => {
    expect(outcome(() => parsePrice(text, spot))).toBe(onSpot)
    expect(outcome(() => parsePrice(text, linear))).toBe(onFutures)
  })

  test('a long text is read like a short one', () => {
    const figure = fc.stringMatching(/^[0-9]{0,8}[.]?[0-9]{0,5}$/)
    fc.assert(
      fc.property(figure, (text) => {
        const long = text.replace(/^(?=[0-9])/, '0'.repeat(20))
        for (const parse of [parsePrice, parseQuantity]) {
          expect(outcome(() => parse(text, linear))).toBe(outcome(() => parse(long, linear)))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    // text       spot       futures
    ['0.01', 5, 5],
    ['0.010', 5, 5],
    ['0', 0, 0],
    ['0.011', '22038', '22038'],
    ['0.0101', '41103', '40808'],
    ['9'.repeat(40), '43007', '45112'],
  ])('quantity %s', (text, onSpot, onFutures) => {
    expect(outcome(() => parseQuantity(text, spot))).toBe(onSpot)
    expect(outcome(() => parseQuantity(text, linear))).toBe(onFutures)
  })

  test.each([
    ['1', '100000000'],
    ['0.00000001', '1'],
    ['1.000000000', '100000000'],
    ['0.000000001', '43125'],
    ['0', '400172'],
    ['9'.repeat(30), '400172'],
  ])('amount %s', (text, expected) => {
    expect(String(outcome(() => parseAmount(text, 'v3')))).toBe(expected)
  })
})

describe('errors', () => {
  test.each([
    // refusal                      spot     margin   futures  v3
    ['order-unknown', ['43001', '43001', '40768', '43001']],
    ['insufficient-available', ['43012', '50020', '40762', '43012']],
    ['insufficient-margin', ['43012', '50020', '40762', '40762']],
    ['position-tier-exceeded', ['40762', '40762', '40762', '40762']],
    ['duplicate-client-order-id', ['40786', '40786', '40786', '40786']],
    ['nothing-to-reduce', ['22002', '22002', '22002', '22002']],
    ['poisoned', ['45001', '45001', '45001', '45001']],
  ])('%s', (kind, codes) => {
    const families = ['spot', 'margin', 'futures', 'v3'] as const
    expect(families.map((family) => refusalError({ kind } as Refusal, family).code)).toEqual(codes)
  })

  test('an error of the edge stays what it is', () => {
    const error = new ApiError('40020', ['x'])
    expect(troubleError(error, true)).toBe(error)
  })
})
