/** Saved state: what goes in comes out equal, and equal data has equal bytes. Source: design §2, §5. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import { Exchange } from './support/exchange.ts'
import { coinListings, markets } from './support/listings.ts'
import { traders } from './support/people.ts'

function bytes(value: unknown): Buffer {
  return Buffer.concat(encode(value))
}

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(undefined, null, true, false, -0, NaN, Infinity, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 0.1),
    fc.integer(),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')).map((record) => ({ ...record })),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
    fc.uniqueArray(fc.integer()).map((items) => new Set(items)),
    fc.float64Array({ maxLength: 20 }),
    fc.int32Array({ maxLength: 20 }),
    fc.uint16Array({ maxLength: 20 }),
    fc.uint8Array({ maxLength: 20 }),
    fc.bigInt64Array({ maxLength: 20 }),
  ),
})).value

test('any plain data comes back equal, of its chunks or of all as one, and encodes to the same bytes again', () => {
  fc.assert(
    fc.property(plain, (value) => {
      const chunks = encode(value)
      const whole = Buffer.concat(chunks)
      for (const given of [chunks, [whole]]) {
        const decoded = decode(given)
        expect(decoded).toEqual(value)
        expect(bytes(decoded).equals(whole)).toBe(true)
      }
    }),
    { numRuns: 300, examples: [[JSON.parse('{"__proto__":1}')]] },
  )
})

test('data larger than a chunk, and text longer than one, comes back', () => {
  const value = [
    'x'.repeat(3_000_000),
    new Float64Array(300_000).fill(1.5),
    Array.from({ length: 200_000 }, (_, i) => i),
  ]
  expect(decode(encode(value))).toEqual(value)
})

test('bytes that are not a saved state are refused', () => {
  expect(() => decode([Buffer.from([250])])).toThrow('unknown tag')
  expect(() => decode([bytes([1, 2]), Buffer.from([0])])).toThrow('left over')
  expect(() => encode({ run: () => 1 })).toThrow('function')
  expect(() => encode(new Date(0))).toThrow('class')
  expect(() => Engine.load(encode({ version: 99 }), () => {})).toThrow('version')
})

test('a saved engine does not change when the engine goes on', () => {
  const exchange = traders(new Exchange(), 'alice', 'bob')
  exchange.given('alice: buy 5 @ 99', 'bob: sell 3 @ 99')
  const saved = exchange.save()
  const copy = Buffer.from(saved)
  exchange.given('bob: sell 3 @ 98').prices({ SOL: '97' })
  expect(saved.equals(copy)).toBe(true)
})

test('the order of the names in a listed record does not matter', () => {
  const backwards = <T extends object>(record: T) => Object.fromEntries(Object.entries(record).reverse()) as T
  const [part, other] = [false, true].map((turned) => {
    const engine = new Engine(() => {})
    const coins = coinListings.map((coin) =>
      turned ? backwards({ ...coin, collateral: coin.collateral.map(backwards) }) : coin,
    )
    const records = Object.values(markets).map((record) => {
      if (!turned || record.kind === 'spot') return turned ? backwards(record) : record
      return backwards({ ...record, tiers: record.tiers.map(backwards) })
    })
    let sequence = 0
    for (const coin of coins) engine.apply({ kind: 'list-coin', coin }, ++sequence, 0)
    for (const instrument of records) engine.apply({ kind: 'list-instrument', instrument }, ++sequence, 0)
    return Buffer.concat(engine.save())
  })
  expect(part?.equals(other ?? Buffer.alloc(0))).toBe(true)
})

test('commands come without a gap, and time does not go backwards', () => {
  const engine = new Engine(() => {})
  const command = { kind: 'run-timers' } as const
  engine.apply(command, 1, 1000)
  expect(() => engine.apply(command, 3, 1000)).toThrow('gap')
  expect(() => engine.apply(command, 1, 1000)).toThrow('gap')
  expect(() => engine.apply(command, 2, 999)).toThrow('backwards')
  engine.apply(command, 2, 1000)
  expect(engine.sequence).toBe(2)
})
