/** Decimals of the terminal: what is sent is exact, what is shown is short. */
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as decimal from '../../web/numbers/decimal.ts'
import * as format from '../../web/numbers/format.ts'

const Exact = Decimal.clone({ precision: 60 })
const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })

describe('decimals', () => {
  test.each([
    ['0', 0n],
    ['1', 100_000_000n],
    ['-0.00000001', -1n],
    ['60000.10', 6_000_010_000_000n],
    ['1.', 100_000_000n],
    ['1.000000000', 100_000_000n],
  ])('%s is %s units', (text, units) => {
    expect(decimal.parseUnits(text)).toBe(units)
  })

  test.each(['', '.5', '1e3', '+1', ' 1', '1,5', '1.000000001', 'NaN', '0x1', '--1'])('"%s" is no decimal', (text) => {
    expect(decimal.parseUnits(text)).toBeUndefined()
  })

  test.each([
    ['60,111.6', '60111.6', 'as the page writes it'],
    [' 1,234,567 ', '1234567', 'groups alone'],
    ['1,5', '1.5', 'a decimal comma'],
    ['0,123', '0.123', 'no group begins with a nought'],
    ['1,2345', '1.2345', 'no group of four'],
    ['60,11.6', '60.11.6', 'no group of two: refused as it stands'],
    ['.5', '0.5', 'nothing before the point'],
    ['1.', '1.', 'not written to its end yet'],
  ])('"%s" typed or pasted is %s: %s', (text, sent) => {
    expect(decimal.typedDecimal(text)).toBe(sent)
  })

  test('text and units are two words for one number', () => {
    fc.assert(fc.property(amount, (value) => decimal.parseUnits(decimal.unitsText(value)) === value))
  })

  test('divisions round the way that they say', () => {
    const divisor = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).filter((value) => value !== 0n)
    fc.assert(
      fc.property(amount, divisor, (a, b) => {
        const exact = new Exact(a.toString()).div(b.toString())
        expect(decimal.divFloor(a, b).toString()).toBe(exact.floor().toFixed())
        expect(decimal.divCeil(a, b).toString()).toBe(exact.ceil().toFixed())
      }),
    )
  })

  test('steps: up and down from where it is, never below zero', () => {
    const step = 10_000_000n
    expect(decimal.unitsText(decimal.stepped(decimal.units('0.25'), step, 1))).toBe('0.3')
    expect(decimal.unitsText(decimal.stepped(decimal.units('0.25'), step, -1))).toBe('0.1')
    expect(decimal.stepped(0n, step, -10)).toBe(0n)
  })

  test('steps of a price for the eye are whole', () => {
    expect(decimal.stepsOf('60016.9', 1)).toBe(600_169)
    expect(decimal.stepsOf('60016', 1)).toBe(600_160)
    expect(decimal.stepsOf('0.00012', 5)).toBe(12)
  })
})

describe('for the eye', () => {
  test.each([
    ['1234567.5', '1,234,567.5'],
    ['-1234', '-1,234'],
    ['0.0001234', '0.0001234'],
  ])('%s in groups', (text, grouped) => {
    expect(format.grouped(text)).toBe(grouped)
  })

  test.each([
    ['12.345', 'USDT', '12.35\u202fUSDT'],
    ['0.00001666', 'BTC', '0.00001666\u202fBTC'],
    ['1.5', 'BTC', '1.50\u202fBTC'],
    ['', 'USDT', '–'],
  ])('money %s %s', (text, coin, shown) => {
    expect(format.money(text, coin)).toBe(shown)
  })

  test('rates, short numbers, times', () => {
    expect(format.percent('0.0001', 4)).toBe('0.0100%')
    expect(format.signedPercent('0.012')).toBe('+1.20%')
    expect(format.short(1_234_567)).toBe('1.23M')
    expect(format.countdown(3_661_000)).toBe('01:01:01')
    expect(format.countdown(-5)).toBe('00:00:00')
  })

  test('what is rounded to zero has no sign', () => {
    for (const share of ['0.00001', '-0.00001', '0']) expect(format.signedPercent(share), share).toBe('0.00%')
    expect(format.signedPercent('-0.012')).toBe('-1.20%')
    expect(format.signed('0')).toBe('0.00')
    expect(format.signed('12.4', 'USDT')).toBe('+12.40\u202fUSDT')
    expect(format.signed('0.00000001', 'BTC')).toBe('+0.00000001\u202fBTC')
  })
})
