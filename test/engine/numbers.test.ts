/**
 * Numbers: decimal text in and out, every way to round, and the bounds of an amount.
 * Source  design §2, §4.31; risk-engine §1
 */
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  averagePriceE8,
  baseFeeOf,
  baseOf,
  feeOf,
  initialMarginOf,
  valueCeil,
  valueFloor,
} from '../../src/engine/catalog/catalog.ts'
import {
  amount,
  amountMax,
  big,
  cappedAmount,
  ceilQuotient,
  divCeil,
  divFloor,
  divHalfUp,
  formatDecimal,
  InvariantBroken,
  lots,
  maxAmount,
  minAmount,
  numberOf,
  parseDecimal,
  pow10,
  rate,
  rateOne,
  shareCeil,
  shareFloor,
  ticks,
  wideShareCeil,
  worthFloor,
} from '../../src/engine/numbers/numbers.ts'

const spotScale = {
  inverse: false,
  unit: 1n,
  unitNumber: 1,
  baseUnit: 1n,
  baseUnitNumber: 1,
  numerator: 0n,
  numeratorNumber: 0,
  priceStep: 1n,
  priceStepNumber: 1,
  usdUnit: 0n,
  tickE8: 1n,
  averageStepE8: 1n,
}
const Exact = Decimal.clone({ precision: 100, toExpNeg: -50, toExpPos: 50 })

describe('decimal text', () => {
  test.each([
    ['0', 8, 0n],
    ['1', 8, 100_000_000n],
    ['0001', 2, 100n],
    ['60000.1', 1, 600_001n],
    ['60000.10', 1, 600_001n], // trailing zeros beyond the precision (design §4.31)
    ['60000.000000000000', 0, 60_000n],
    ['0.00000001', 8, 1n],
    ['000.50', 8, 50_000_000n],
    ['92233720368.54775807', 8, amountMax],
    ['9223372036854775807', 0, amountMax],
    ['1'.padStart(64, '0'), 0, 1n], // the longest text that is read
    ['1.'.padEnd(64, '0'), 8, 100_000_000n],
    ['100', 0, 100n], // zeros of the whole part stay
    ['0.10', 1, 1n],
    ['0.100', 2, 10n],
  ])('%j with %i decimals is %s', (text, decimals, scaled) => {
    expect(parseDecimal(text, decimals)).toBe(scaled)
  })

  test.each([
    ['', 8, 'not-a-decimal'],
    [' ', 8, 'not-a-decimal'],
    [' 1', 8, 'not-a-decimal'],
    ['1 ', 8, 'not-a-decimal'],
    ['1\n', 8, 'not-a-decimal'],
    ['+1', 8, 'not-a-decimal'],
    ['-1', 8, 'not-a-decimal'],
    ['-0', 8, 'not-a-decimal'],
    ['1e3', 8, 'not-a-decimal'],
    ['1E-3', 8, 'not-a-decimal'],
    ['.5', 8, 'not-a-decimal'],
    ['5.', 8, 'not-a-decimal'],
    ['.', 8, 'not-a-decimal'],
    ['1.2.3', 8, 'not-a-decimal'],
    ['1,5', 8, 'not-a-decimal'],
    ['1_000', 8, 'not-a-decimal'],
    ['0x10', 8, 'not-a-decimal'],
    ['NaN', 8, 'not-a-decimal'],
    ['Infinity', 8, 'not-a-decimal'],
    ['１', 8, 'not-a-decimal'],
    ['٣', 8, 'not-a-decimal'],
    ['1'.padStart(65, '0'), 0, 'not-a-decimal'],
    ['1.'.padEnd(65, '0'), 8, 'not-a-decimal'],
    ['0.000000001', 8, 'too-many-decimals'],
    ['60000.11', 1, 'too-many-decimals'],
    ['1.01', 0, 'too-many-decimals'],
    ['92233720368.54775808', 8, 'out-of-range'],
    ['9223372036854775808', 0, 'out-of-range'],
    ['9'.repeat(60), 8, 'out-of-range'],
  ])('%j with %i decimals is refused: %s', (text, decimals, fault) => {
    expect(parseDecimal(text, decimals)).toBe(fault)
  })

  test.each([
    ['-1.5', -150_000_000n],
    ['-0', 0n],
    ['-92233720368.54775807', -amountMax],
  ])('where signs are allowed %j is %s', (text, scaled) => {
    expect(parseDecimal(text, 8, true)).toBe(scaled)
  })

  test.each([
    ['-92233720368.54775808', 'out-of-range'],
    ['--1', 'not-a-decimal'],
    ['+1', 'not-a-decimal'],
    ['-', 'not-a-decimal'],
    ['-.5', 'not-a-decimal'],
  ])('where signs are allowed %j is refused: %s', (text, fault) => {
    expect(parseDecimal(text, 8, true)).toBe(fault)
  })

  test.each([
    [0n, 8, '0', '0.00000000'],
    [1n, 8, '0.00000001', '0.00000001'],
    [100_000_000n, 8, '1', '1.00000000'],
    [-150_000_000n, 8, '-1.5', '-1.50000000'],
    [-1n, 2, '-0.01', '-0.01'],
    [600_010n, 1, '60001', '60001.0'],
    [0n, 2, '0', '0.00'],
    [100n, 0, '100', '100'],
    [42n, 0, '42', '42'],
    [-42n, 0, '-42', '-42'],
  ])('%s of %i decimals reads %j, in full %j', (scaled, decimals, short, full) => {
    expect(formatDecimal(scaled, decimals)).toBe(short)
    expect(formatDecimal(scaled, decimals, true)).toBe(full)
  })

  const units = fc.bigInt({ min: -amountMax, max: amountMax })
  const decimals = fc.integer({ min: 0, max: 18 })

  test('what is written is read again, short or in full', () => {
    fc.assert(
      fc.property(units, decimals, fc.boolean(), (scaled, places, fixed) => {
        expect(parseDecimal(formatDecimal(scaled, places, fixed), places, true)).toBe(scaled)
      }),
    )
  })

  test('what is written is what another library writes', () => {
    fc.assert(
      fc.property(units, decimals, (scaled, places) => {
        const value = new Exact(scaled.toString()).div(new Exact(10).pow(places))
        expect(formatDecimal(scaled, places)).toBe(value.toString())
        expect(formatDecimal(scaled, places, true)).toBe(value.toFixed(places))
      }),
    )
  })

  test('whatever text comes, the answer is the exact value or a fault', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789.-+e '.split('')), maxLength: 24 })
    fc.assert(
      fc.property(digits, decimals, (text, places) => {
        const answer = parseDecimal(text, places, true)
        if (typeof answer === 'string') return
        const value = new Exact(text).mul(new Exact(10).pow(places))
        expect(answer.toString()).toBe(value.isZero() ? '0' : value.toString())
      }),
      { numRuns: 2000 },
    )
  })
})

describe('rounding', () => {
  const dividend = fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n })
  const divisor = fc.bigInt({ min: 1n, max: 2n ** 90n })

  test('down, up and to the nearest, by their definitions', () => {
    fc.assert(
      fc.property(dividend, divisor, (a, b) => {
        const down = divFloor(a, b)
        expect(down * b <= a && a < (down + 1n) * b).toBe(true)
        const up = divCeil(a, b)
        expect((up - 1n) * b < a && a <= up * b).toBe(true)
        expect(up).toBe(-divFloor(-a, b))
        const off = divHalfUp(a, b) * b - a
        expect(2n * (off < 0n ? -off : off) <= b).toBe(true)
      }),
    )
  })

  test.each([
    [7n, 2n, 3n, 4n, 4n],
    [-7n, 2n, -4n, -3n, -4n],
    [6n, 3n, 2n, 2n, 2n],
    [-6n, 3n, -2n, -2n, -2n],
    [1n, 3n, 0n, 1n, 0n],
    [-1n, 3n, -1n, 0n, 0n],
    [5n, 10n, 0n, 1n, 1n],
    [-5n, 10n, -1n, 0n, -1n],
    [0n, 3n, 0n, 0n, 0n],
  ])('%s / %s is %s down, %s up, %s to the nearest', (a, b, down, up, nearest) => {
    expect([divFloor(a, b), divCeil(a, b), divHalfUp(a, b)]).toEqual([down, up, nearest])
  })

  test('shares of an amount, against another library', () => {
    const money = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
    const share = fc.bigInt({ min: -rateOne, max: rateOne })
    fc.assert(
      fc.property(money, share, (value, part) => {
        const exact = new Exact(value.toString()).mul(part.toString()).div(rateOne.toString())
        expect(shareFloor(value, rate(part)).toString()).toBe(exact.floor().toFixed())
        expect(shareCeil(value, rate(part)).toString()).toBe(exact.ceil().toFixed().replace('-0', '0'))
      }),
    )
  })
})

describe('numbers do what bigints do', () => {
  const scales = ['unit', 'unit', 'thousand', 'million', 'end'] as const
  const around = { unit: 1, thousand: 1_000, million: 1_000_000, end: Number.MAX_SAFE_INTEGER } as const
  const size = fc.constantFrom(...scales).chain((scale) => fc.nat({ max: around[scale] }))

  test('a quotient rounded up: anywhere, and beside whole multiples', () => {
    const divisor = fc.oneof(size, fc.constantFrom(3, 125, 1_000_000)).map((number) => number || 1)
    fc.assert(
      fc.property(size, divisor, fc.integer({ min: -1, max: 1 }), (dividend, by, off) => {
        const beside = Math.max(0, Math.floor(dividend / by) * by + off)
        for (const value of [dividend, beside].filter(Number.isSafeInteger)) {
          expect(BigInt(ceilQuotient(value, by))).toBe(divCeil(BigInt(value), BigInt(by)))
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test('a share rounded up: whole millionths and finer ones, small and beyond 2^53, either sign', () => {
    const value = fc.oneof(size.map(BigInt), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
    const share = fc.oneof(
      fc.integer({ min: -2_000_000, max: 2_000_000 }).map((millionths) => BigInt(millionths) * 1_000_000n),
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      fc.bigInt({ min: 0n, max: 2n ** 70n }).map((millionths) => millionths * 1_000_000n),
    )
    fc.assert(
      fc.property(value, share, (units, part) => {
        expect(wideShareCeil(units, part)).toBe(divCeil(units * part, rateOne))
      }),
      { numRuns: 5_000 },
    )
  })

  test('what lots at a price are worth, on both sides of 2^53', () => {
    const unit = fc.constantFrom(1n, 100n, 10n ** 9n, 2n ** 60n)
    fc.assert(
      fc.property(size, size, unit, (quantity, price, value) => {
        const scale = {
          ...spotScale,
          unit: value,
          unitNumber: value <= Number.MAX_SAFE_INTEGER ? Number(value) : Infinity,
        }
        const exact = BigInt(quantity) * BigInt(price) * value
        expect(valueFloor(scale, quantity, price)).toBe(exact)
        expect(valueCeil(scale, quantity, price)).toBe(exact)
      }),
      { numRuns: 5_000 },
    )
  })

  test('whole numbers as bigints, of either sign and at every power of two', () => {
    for (let power = 0; power <= 53; power++) {
      for (const off of [-1, 0, 1]) {
        const whole = Math.min(2 ** power + off, Number.MAX_SAFE_INTEGER)
        expect(big(whole)).toBe(BigInt(whole))
        expect(big(-whole)).toBe(-BigInt(whole))
      }
    }
    fc.assert(
      fc.property(fc.maxSafeInteger(), (whole) => {
        expect(big(whole)).toBe(BigInt(whole))
        expect(numberOf(BigInt(whole))).toBe(whole)
      }),
    )
  })

  test('bigints as whole numbers: exact below 2^53, and not a number beyond', () => {
    const edge = 2n ** 53n
    for (const units of [0n, 1n, -1n, 2n ** 32n - 1n, 2n ** 32n, -(2n ** 32n), edge - 1n, -edge + 1n]) {
      expect(numberOf(units)).toBe(Number(units))
    }
    for (const units of [edge, edge + 1n, -edge - 1n, amountMax, -amountMax]) expect(numberOf(units)).toBeNaN()
  })

  test('what units are worth at a price, on both sides of 2^53', () => {
    const units = fc.oneof(
      fc.bigInt({ min: 0n, max: amountMax }),
      fc.maxSafeNat().map(BigInt),
      // Around whole coins, where quotients are nearly whole.
      fc.tuple(fc.bigInt({ min: 0n, max: 90_000_000n }), fc.bigInt({ min: -2n, max: 2n })).map(([coins, off]) => {
        const near = coins * 100_000_000n + off
        return near < 0n ? 0n : near
      }),
    )
    fc.assert(
      fc.property(units, units, (some, price) => {
        expect(worthFloor(some, price)).toBe((some * price) / 100_000_000n)
      }),
      { numRuns: 20_000 },
    )
  })

  const feeRate = fc.oneof(
    fc.integer({ min: -2_000, max: 100_000 }).map((millionths) => BigInt(millionths) * 1_000_000n),
    fc.bigInt({ min: -(10n ** 10n), max: rateOne }),
  )
  // Within what an order may be worth, 2^60 units.
  const worth = fc.tuple(size, size).filter(([count, price]) => BigInt(count) * BigInt(price) <= 2n ** 60n)

  test('fees of what changes hands, on both sides of 2^53', () => {
    fc.assert(
      fc.property(worth, feeRate, ([quantity, price], part) => {
        const scale = { ...spotScale, baseUnit: BigInt(price), baseUnitNumber: price }
        const exact = BigInt(quantity) * BigInt(price)
        const fee = divCeil(exact * part, rateOne)
        expect(feeOf(spotScale, lots(quantity), ticks(price), rate(part))).toBe(fee)
        expect(baseOf(scale, quantity)).toBe(exact)
        expect(baseFeeOf(scale, quantity, rate(part))).toBe(fee)
      }),
      { numRuns: 5_000 },
    )
  })

  test('inverse contracts: what they are worth, their fee and margin, on both sides of 2^53', () => {
    const shape = fc.constantFrom([10n ** 9n, 1], [10n ** 8n, 5], [10n ** 15n, 1_000], [10n ** 17n, 1])
    const leverage = fc.integer({ min: 1, max: 150 })
    fc.assert(
      fc.property(worth, shape, feeRate, leverage, ([quantity, other], [numerator, step], part, by) => {
        const price = Math.min(other || 1, 2 ** 30)
        const numeratorNumber = numerator <= Number.MAX_SAFE_INTEGER ? Number(numerator) : Infinity
        const inverse = { ...spotScale, inverse: true, numerator, numeratorNumber }
        const scale = { ...inverse, priceStep: BigInt(step), priceStepNumber: step }
        const [dividend, divisor] = [BigInt(quantity) * numerator, BigInt(price) * BigInt(step)]
        expect(valueFloor(scale, quantity, price)).toBe(dividend / divisor)
        expect(valueCeil(scale, quantity, price)).toBe(divCeil(dividend, divisor))
        const margin = divCeil(dividend, divisor * BigInt(by))
        expect(initialMarginOf(scale, lots(quantity), ticks(price), by)).toBe(cappedAmount(margin))
        const fee = divCeil(dividend * part, divisor * rateOne)
        if (fee === cappedAmount(fee)) expect(feeOf(scale, lots(quantity), ticks(price), rate(part))).toBe(fee)
      }),
      { numRuns: 5_000 },
    )
  })

  test('an average price: of one price, beside one, and of any', () => {
    const shape = fc.constantFrom(
      { unit: 1n, unitNumber: 1, baseUnit: 100n, tickE8: 1_000_000n },
      { unit: 1_000n, unitNumber: 1_000, baseUnit: 10_000n, tickE8: 10_000_000n },
      { unit: 10n ** 16n, unitNumber: Infinity, baseUnit: 10n ** 8n, tickE8: 10n ** 16n },
    )
    fc.assert(
      fc.property(
        worth,
        shape,
        fc.integer({ min: -1, max: 1 }),
        fc.bigInt(0n, 2n ** 62n),
        ([some, price], own, off, any) => {
          const quantity = some || 1
          const scale = { ...spotScale, ...own }
          const notional = BigInt(quantity) * BigInt(price) * own.unit
          for (const value of [notional, notional + BigInt(off), any].filter((each) => each >= 0n)) {
            const exact = divHalfUp(value * 10n ** 8n, BigInt(quantity) * own.baseUnit)
            expect(averagePriceE8(scale, value, quantity)).toBe(exact)
          }
        },
      ),
      { numRuns: 5_000 },
    )
  })
})

test('an amount never wraps, a price and a quantity are whole numbers', () => {
  expect(amount(amountMax)).toBe(amountMax)
  expect(amount(-amountMax)).toBe(-amountMax)
  for (const beyond of [amountMax + 1n, -amountMax - 1n, 2n ** 64n])
    expect(() => amount(beyond)).toThrow(InvariantBroken)
  for (const whole of [0, 1, -1, 2 ** 53 - 1]) expect([ticks(whole), lots(whole)]).toEqual([whole, whole])
  for (const odd of [0.5, Number.NaN, Infinity, 2 ** 53]) {
    expect(() => ticks(odd)).toThrow(InvariantBroken)
    expect(() => lots(odd)).toThrow(InvariantBroken)
  }
})

test('what is only shown ends where an amount ends', () => {
  for (const [units, shown] of [
    [amountMax + 1n, amountMax],
    [amountMax, amountMax],
    [0n, 0n],
    [-1n, -1n],
    [-amountMax, -amountMax],
    [-amountMax - 1n, -amountMax],
  ] as const) {
    expect(cappedAmount(units)).toBe(shown)
  }
})

test('the smaller and the larger of two amounts, and powers of ten', () => {
  const [less, more] = [amount(-2n), amount(1n)]
  expect([minAmount(less, more), minAmount(more, less)]).toEqual([less, less])
  expect([maxAmount(less, more), maxAmount(more, less)]).toEqual([more, more])
  expect([0, 1, 8, 18].map(pow10)).toEqual([1n, 10n, 100_000_000n, 10n ** 18n])
})

test('a broken invariant says so by its name', () => {
  expect(() => ticks(0.5)).toThrow(expect.objectContaining({ name: 'InvariantBroken' }))
})
