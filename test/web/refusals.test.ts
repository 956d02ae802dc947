/** What a person is told of a refusal: what it means and what to do, the venue's own sentence where there is no more to say. */
import { describe, expect, test } from 'vitest'
import { amountFault, priceFault, quantityFault } from '../../web/numbers/faults.ts'
import { meaningOf } from '../../web/venue/refusals.ts'
import { toldOf, VenueError } from '../../web/venue/rest.ts'

test('both versions are told in the same words', () => {
  // Codes of v2 and v3 for one refusal (interface.md, errors)
  for (const [v2, v3] of [
    ['40815', '25206'],
    ['40816', '25205'],
    ['43012', '25202'],
    ['40762', '25203'],
    ['45111', '25207'],
    ['43001', '25204'],
    ['40920', '25010'],
  ] as const) {
    expect(meaningOf(v2)).toBeDefined()
    expect(meaningOf(v3)).toBe(meaningOf(v2))
  }
})

test('an unknown code keeps the venue’s sentence; the code stands for itself', () => {
  expect(toldOf(new VenueError('49999', 'something else'))).toEqual({ text: 'something else.', code: '49999' })
  expect(toldOf(new VenueError('network', 'The venue cannot be reached'))).toEqual({
    text: 'The venue cannot be reached.',
    code: '',
  })
})

describe('what is wrong with what was typed', () => {
  test.each([
    ['', '10', undefined],
    ['10', '10', undefined],
    ['10.00000001', '10', 'More than there is: at most 10'],
    ['0', '10', 'An amount is a number above zero'],
    ['1e3', undefined, 'An amount is a number above zero'],
    ['1000000', undefined, undefined],
  ])('an amount %o of %o: %s', (text, most, fault) => {
    expect(amountFault(text, most)).toBe(fault)
  })

  test.each([
    ['', undefined],
    ['60000.1', undefined],
    ['60000.15', 'Steps of 0.1 USDT'],
    ['abc', 'A price is a number above zero'],
  ])('a price %o: %s', (text, fault) => {
    expect(priceFault(text, 10_000_000n, 'USDT')).toBe(fault)
  })

  test('a quantity has steps of its own', () => {
    expect(quantityFault('0.12', 10_000_000n, 'BTC')).toBe('Steps of 0.1 BTC')
  })
})
