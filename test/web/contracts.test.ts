/** Contracts of coin-margined futures as v2 counts them: what is sent becomes what was meant, by the venue's own rule. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { divFloor, oneE8, units } from '../../web/numbers/decimal.ts'
import { orderedText, sizeText, tradedText } from '../../web/venue/v2/contracts.ts'

const dollars = { kind: 'inverse', quantityStep: oneE8 } as const
const tens = { kind: 'inverse', quantityStep: 10n * oneE8 } as const
const linear = { kind: 'linear', quantityStep: oneE8 / 10_000n } as const

describe('a size in base coin', () => {
  test.each([
    // contracts  price      sent
    ['30000', '60000', '0.50000833'],
    ['100', '60000.5', '0.00167498'],
    ['1', '3000', '0.0005'],
  ])('%s contracts at %s are sent as %s', (quantity, price, size) => {
    expect(sizeText(dollars, quantity, units(price), 8)).toBe(size)
    expect(orderedText(dollars, size, price)).toBe(quantity)
  })

  test('docs/interface.md: 0.5 at a limit of 60,000.5 are 30,000 contracts', () => {
    expect(orderedText(dollars, '0.5', '60000.5')).toBe('30000')
  })

  test('a position is whole contracts, though its size was cut', () => {
    expect(tradedText(dollars, '0.70237704', '60288.132')).toBe('42345')
  })

  test('contracts of ten dollars', () => {
    expect(sizeText(tens, '100', units('50000'), 4)).toBe('0.0021')
    expect(orderedText(tens, '0.0021', '50000')).toBe('100')
  })

  test('linear contracts are base coin anyway', () => {
    expect(sizeText(linear, '0.25', units('60000'), 8)).toBe('0.25')
    expect(orderedText(linear, '0.25', '60000')).toBe('0.25')
    expect(tradedText(linear, '0.25', '60000')).toBe('0.25')
  })

  test('the venue makes of it what was meant, at any price', () => {
    const contracts = fc.bigInt(1n, 5_000_000n)
    const ticks = fc.bigInt(1_000n, 2_000_000n)
    fc.assert(
      fc.property(contracts, ticks, (count, tick) => {
        const price = (tick * oneE8) / 10n
        const size = units(sizeText(dollars, String(count), price, 8))
        expect(divFloor(size * price, oneE8) / oneE8).toBe(count)
      }),
    )
  })
})
