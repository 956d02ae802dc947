/**
 * Reading requests: what is accepted and as what, what is refused and how (design §4.3, §4.31, §4.32).
 */
import Type from 'typebox'
import { expect, test } from 'vitest'
import { ApiError, messageOf } from '../../src/api/errors/errors.ts'
import * as field from '../../src/api/parsing/fields.ts'
import { compileReader, parseBody, parseQuery } from '../../src/api/parsing/input.ts'

const order = Type.Object({
  category: field.category(),
  symbol: field.symbol(),
  qty: field.decimal(),
  side: field.oneOf(['buy', 'sell']),
  force: field.oneOfOr(['gtc', 'post_only'], 'gtc'),
  reduceOnly: Type.Optional(field.oneOf(['YES', 'NO'])),
  clientOid: Type.Optional(field.clientOidV3()),
  limit: field.limit(100, 100),
  orderId: Type.Optional(field.id()),
})
const good = { category: 'SPOT', symbol: 'BTCUSDT', qty: '1', side: 'buy' }
const read = compileReader(order, 'v3')
const filled = { ...good, force: 'gtc', limit: 100 }

/** The body as a client writes it: `fields` are raw JSON texts. */
function body(fields: Readonly<Record<string, string>>): unknown {
  const raw = {
    ...Object.fromEntries(Object.entries(good).map(([name, value]) => [name, JSON.stringify(value)])),
    ...fields,
  }
  return parseBody(
    Buffer.from(
      `{${Object.entries(raw)
        .map(([name, json]) => `"${name}":${json}`)
        .join()}}`,
    ),
    'v3',
  )
}

test.each([
  // what                                fields                                          input
  ['defaults are filled in', {}, filled],
  [
    'enumerations in any case',
    { side: '"BUY"', force: '"Post_Only"', reduceOnly: '"yes"' },
    { ...filled, force: 'post_only', reduceOnly: 'YES' },
  ],
  ['symbols and categories in any case', { symbol: '"btcUsdt"', category: '"spot"' }, filled],
  ['a number by its source text', { qty: '1.50' }, { ...filled, qty: '1.50' }],
  [
    'a number beyond doubles by its source text',
    { qty: '0.10000000000000000001' },
    { ...filled, qty: '0.10000000000000000001' },
  ],
  ['digits where a number is meant', { limit: '"7"' }, { ...filled, limit: 7 }],
  ['a number where a number is meant', { limit: '7' }, { ...filled, limit: 7 }],
  ['null and empty text are absent', { force: 'null', clientOid: '""', limit: '""' }, filled],
  [
    'an id beyond what the venue can give',
    { orderId: '"99999999999999999999"' },
    { ...filled, orderId: Number.MAX_SAFE_INTEGER },
  ],
  ['unknown fields', { colour: '"green"', nested: '{"a":[1]}' }, filled],
  [
    '__proto__ and constructor',
    { __proto__x: '1', constructor: '{"prototype":{"side":"sell"}}', toString: '1' },
    filled,
  ],
])('accepted: %s', (_what, fields, input) => {
  expect(read(body(fields))).toEqual(input)
})

test('__proto__ carries nothing into the input', () => {
  const raw = parseBody(Buffer.from('{"__proto__":{"category":"SPOT"},"symbol":"BTCUSDT"}'), 'v3')
  expect(() => read(raw)).toThrow(new ApiError('40019', ['category']))
})

test.each([
  // what                          fields                         code      what the message names
  ['a missing field', { symbol: 'null' }, '40019', 'symbol'],
  ['missing before wrong', { category: '"X"', side: '""' }, '40019', 'side'],
  ['a word outside its set', { side: '"hold"' }, '400172', 'side should be one of buy, sell'],
  ['a word of another type', { side: '{"a":1}' }, '400172', 'side'],
  ['a number outside its range', { limit: '101' }, '400172', 'limit should be between 1 and 100'],
  ['a fraction', { limit: '"1.5"' }, '400172', 'limit'],
  ['an exponent in a number', { qty: '1e2' }, '400172', 'qty should be a decimal number'],
  ['an exponent in text', { qty: '"1e2"' }, '400172', 'qty'],
  ['a sign', { qty: '-1' }, '400172', 'qty'],
  ['a plus', { qty: '"+1"' }, '400172', 'qty'],
  ['blanks', { qty: '" 1"' }, '400172', 'qty'],
  ['a newline at the end', { qty: '"1\\n"' }, '400172', 'qty'],
  ['true for a number', { qty: 'true' }, '400172', 'qty'],
  ['a clientOid of 33 characters', { clientOid: `"${'a'.repeat(33)}"` }, '400172', 'clientOid'],
  ['a clientOid with a blank', { clientOid: '"a b"' }, '400172', 'clientOid'],
])('refused: %s', (_what, fields, code, named) => {
  let thrown: unknown
  try {
    read(body(fields))
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ApiError)
  expect(thrown).toMatchObject({ code, httpStatus: 400 })
  expect(messageOf(thrown as ApiError, 'en-US')).toContain(named)
})

test('a field that may be ignored is right, absent or its fault: the handler decides whether it counts', () => {
  const named = compileReader(
    Type.Object({
      symbol: Type.Optional(field.ignorable(field.symbol())),
      mode: field.ignorable(field.oneOfOr(['NO', 'YES'], 'NO')),
    }),
    'v2',
  )
  expect(named({ symbol: 'btcusdt' })).toEqual({ symbol: 'BTCUSDT', mode: 'NO' })
  expect(named({ symbol: '', mode: 'yes' })).toEqual({ mode: 'YES' })
  const rule = new ApiError('40017', ['symbol should be a symbol of letters, digits, - and _'])
  for (const wrong of ['no such', ['BTCUSDT'], {}, '\ud800']) {
    const { symbol } = named({ symbol: wrong }) as { symbol: field.Miswritten }
    expect(() => field.counted(symbol)).toThrow(rule)
    expect(symbol.sent).toBe(typeof wrong === 'string' ? wrong : '')
  }
})

test('the entries of a batch are read one by one', () => {
  const batch = compileReader(
    field.batch(Type.Object({ qty: field.decimal(), clientOid: Type.Optional(field.clientOidV3()) }), 2),
    'v3',
  )
  const raw = parseBody(Buffer.from('[{"qty":1},{"qty":"x","clientOid":"mine"}]'), 'v3')
  expect(batch(raw)).toMatchObject([
    { ok: true, value: { qty: '1' } },
    { ok: false, fault: { code: '400172' }, clientOid: 'mine', orderId: '' },
  ])
  for (const malformed of [{}, [], [{ qty: '1' }, { qty: '1' }, { qty: '1' }], [null], ['1']]) {
    expect(() => batch(malformed)).toThrow(ApiError)
  }
})

test.each([
  // query                               fields
  ['', {}],
  ['a=1&b=', { a: '1', b: '' }],
  ['a=x%3Ay%2Fz', { a: 'x:y/z' }],
  ['a=1+2', { a: '1+2' }],
  ['a=b=c', { a: 'b=c' }],
  ['&&a', { a: '' }],
  ['__proto__=1&constructor=2', { ['__proto__']: '1', constructor: '2' }],
])('query %j', (query, fields) => {
  expect({ ...parseQuery(query, 'v3') }).toEqual(fields)
})

test.each(['a=1&a=2', 'a=%zz', 'a=%ff'])('query %j is refused', (query) => {
  expect(() => parseQuery(query, 'v3')).toThrow(ApiError)
})

test.each(['{', 'hello', '{"a":1,}', '\ufeff', '\u0000'])('body %j is refused', (text) => {
  expect(() => parseBody(Buffer.from(text), 'v3')).toThrow(new ApiError('400172', ['body should be JSON']))
})

test('bytes that are no UTF-8 are no JSON', () => {
  expect(() => parseBody(Buffer.from([0x22, 0xff, 0x22]), 'v2')).toThrow(new ApiError('40017', ['body should be JSON']))
})

test('half a surrogate pair is no text: it could not be recorded', () => {
  const readNote = compileReader(Type.Object({ note: field.text(8) }), 'v3')
  expect(readNote({ note: 'a\u{1F600}' })).toEqual({ note: 'a\u{1F600}' })
  for (const note of ['\ud800', 'a\udc00', '\udc00\ud800']) {
    expect(() => readNote({ note })).toThrow('note should be Unicode text')
  }
})

test.each([
  ['5,000 numbers, at great length', `[${'1'.repeat(100)}${`,${'1'.repeat(100)}`.repeat(4_999)}]`, true],
  ['half a million numbers', `[${'1,'.repeat(500_000)}1]`, false],
  ['a million lists in each other', '['.repeat(1_000_000), false],
  ['half a million objects in each other', '{"":'.repeat(250_000), false],
  ['one text of a million characters', `"${'a'.repeat(1_000_000)}"`, true],
])('a body is counted before it is parsed: %s', (_, text, taken) => {
  const parse = () => parseBody(Buffer.from(text), 'v3')
  if (taken) expect(parse).not.toThrow()
  else expect(parse).toThrow('body should have at most 5000 values')
})
