/**
 * Numbers at the edge: what is no plain decimal is refused by name and changes nothing.
 *
 * Source  design §2 "Parsing", §4.3, §4.31, §4.32; interface.md (all numbers are strings)
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { openOrders, openUnifiedOrders, paths, btcSpot, singleOrder, unifiedAsset } from '../support/trading.ts'
import { entryRefused, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const edge = {
  rule: 'design §2 numbers at the edge',
  decision: 'no exponents, signs, blanks, NaN or more decimals than the field allows; a JSON number counts by its text',
} as const

/** Texts that are no positive decimal, whatever the field. */
const notNumbers: readonly (readonly [sentence: string, json: string])[] = [
  ['an exponent', '"1e-2"'],
  ['a capital exponent', '"1E2"'],
  ['a leading plus', '"+1"'],
  ['a minus', '"-1"'],
  ['zero', '"0"'],
  ['zero with decimals', '"0.000"'],
  ['a minus before zero', '"-0"'],
  ['a leading blank', '" 1"'],
  ['a trailing blank', '"1 "'],
  ['a trailing newline', '"1\\n"'],
  ['hexadecimal', '"0x10"'],
  ['a full-width digit', '"１"'],
  ['an Arabic digit', '"١"'],
  ['a thousands separator', '"1,000"'],
  ['a decimal comma', '"0,01"'],
  ['an underscore', '"1_000"'],
  ['two points', '"1.2.3"'],
  ['only a point', '"."'],
  ['NaN', '"NaN"'],
  ['Infinity', '"Infinity"'],
  ['a word', '"ten"'],
  ['four hundred digits', `"${'9'.repeat(400)}"`],
  ['four hundred decimals', `"0.${'1'.repeat(400)}"`],
  ['true', 'true'],
  ['an array', '["1"]'],
  ['an object', '{"value":"1"}'],
  ['a JSON number with an exponent', '1e-2'],
  ['a negative JSON number', '-1'],
  ['a NUL inside', '"1\\u0000"'],
]

/** The text of a body with one field replaced by raw JSON. */
function bodyWith(fields: Readonly<Record<string, string>>, field: string, json: string): string {
  const rest = Object.entries(fields).filter(([name]) => name !== field)
  return JSON.stringify(Object.fromEntries(rest)).replace(/\}$/, `,${JSON.stringify(field)}:${json}}`)
}

/** One account for all rows here: none of them may change it. */
let untouched: Promise<Person> | undefined

function alice(): Promise<Person> {
  untouched ??= at.venue.person('Alice', { funds: { uta: { USDT: '100000', BTC: '1' } } })
  return untouched
}

async function expectUntouched(person: Person): Promise<void> {
  expect(await openOrders(person)).toEqual([])
  expect(await openUnifiedOrders(person, btcSpot)).toEqual([])
  expect(await unifiedAsset(person, 'USDT')).toMatchObject({ available: '100000', locked: '0' })
}

const wrongNumber = 'a parameter or the minimum quantity or the quantity step or the price step'

for (const field of ['size', 'price']) {
  table(
    { ...edge, rule: `E3 table ${field}` },
    notNumbers.map(([sentence, json]) => [`${sentence} is refused`, json] as const),
    async (json) => {
      const person = await alice()
      const body = bodyWith(singleOrder('buy 0.01 @ 59000'), field, json)
      refuses(await person.post(paths.placeOrder, body), wrongNumber)
      await expectUntouched(person)
    },
  )
}

const batchEntry = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  qty: '0.01',
  price: '59000',
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'gtc',
}

table(
  { ...edge, rule: 'E2 table qty' },
  notNumbers.map(([sentence, json]) => [`${sentence} is refused in its entry`, json] as const),
  async (json) => {
    const person = await alice()
    const answer = succeeds(await person.post(paths.placeBatch, `[${bodyWith(batchEntry, 'qty', json)}]`))
    entryRefused(answer.list()[0], wrongNumber)
    await expectUntouched(person)
  },
)

const transfer = {
  fromType: 'uta',
  toType: 'spot',
  amount: '1',
  coin: 'USDT',
  fromUserId: '1',
  toUserId: '1',
  clientOid: 'numbers',
}

table(
  { ...edge, rule: 'E9 table amount' },
  notNumbers.map(([sentence, json]) => [`${sentence} is refused`, json] as const),
  async (json) => {
    const person = await alice()
    const own = { ...transfer, fromUserId: person.uid, toUserId: person.uid }
    refuses(await person.post(paths.subTransfer, bodyWith(own, 'amount', json)), 'a parameter')
    await expectUntouched(person)
  },
)

table(
  { ...edge, rule: 'E11 table repayAmount' },
  notNumbers.map(([sentence, json]) => [`${sentence} is refused`, json] as const),
  async (json) => {
    const person = await alice()
    refuses(await person.post(paths.repay, bodyWith({ coin: 'USDT' }, 'repayAmount', json)), 'a parameter')
  },
)

table(
  { ...edge, rule: 'E12 table leverage' },
  notNumbers.map(([sentence, json]) => [`${sentence} is refused`, json] as const),
  async (json) => {
    const person = await alice()
    const body = bodyWith({ productType: 'USDT-FUTURES' }, 'leverage', json)
    refuses(await person.post(paths.allLeverage, body), 'the leverage or a parameter')
  },
)

const limits: readonly (readonly [sentence: string, limit: string])[] = [
  ['0', '0'],
  ['101', '101'],
  ['-1', '-1'],
  ['a fraction', '1.5'],
  ['an exponent', '1e1'],
  ['a word', 'ten'],
  ['a huge number', '99999999999999999999'],
]

const limited: readonly (readonly [endpoint: string, path: string, query: Record<string, string>])[] = [
  ['E1', paths.fills, {}],
  ['E8', paths.publicFills, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }],
  ['E10', paths.fundingHistory, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }],
  ['E13', paths.orderHistory, { productType: 'USDT-FUTURES' }],
]

for (const [endpoint, path, query] of limited) {
  table(
    { rule: `${endpoint} table limit`, decision: 'outside 1 to 100 is refused, not cut (design §4.32)' },
    limits.map(([sentence, limit]) => [`${sentence} is refused`, limit] as const),
    async (limit) => {
      const person = await alice()
      expect(refuses(await person.get(path, { ...query, limit }), 'a parameter').msg).toMatch(/limit/)
    },
  )
  table(
    `${endpoint} table limit`,
    [
      ['1 is the smallest', '1'],
      ['100 is the largest', '100'],
    ] as const,
    async (limit) => {
      const person = await alice()
      succeeds(await person.get(path, { ...query, limit }))
    },
  )
}

for (const [endpoint, path, query] of [limited[0], limited[3]]) {
  for (const field of ['startTime', 'endTime']) {
    table(
      { ...edge, rule: `${endpoint} table ${field}` },
      [
        ['a word is refused', 'yesterday'],
        ['a date is refused', '2026-01-01'],
        ['a minus is refused', '-1'],
        ['a fraction is refused', '1750000000000.5'],
        ['an exponent is refused', '1.75e12'],
        ['a number too large for a time is refused', '9'.repeat(30)],
      ] as const,
      async (value) => {
        const person = await alice()
        refuses(await person.get(path, { ...query, [field]: value }), 'a parameter or a time window')
      },
    )
  }
}

row(
  { rule: 'E3 table size', decision: 'trailing zeros beyond the precision are accepted (design §4.31)' },
  'trailing zeros change nothing',
  async () => {
    const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
    succeeds(await bob.post(paths.placeOrder, singleOrder('buy 0.010000000 @ 59000.100000')))
    expect(await openOrders(bob)).toEqual(['buy 0.01 @ 59000.1'])
  },
)

row({ ...edge, rule: 'E3 table size' }, 'a JSON number counts by its text: 0.0100 is 0.01', async () => {
  const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
  succeeds(await bob.post(paths.placeOrder, bodyWith(singleOrder('buy 0.01 @ 59000'), 'size', '0.0100')))
  expect(await openOrders(bob)).toEqual(['buy 0.01 @ 59000'])
})

table(
  { ...edge, rule: 'design §2 range', decision: 'exact within the range, refused beyond it, never wrapped' },
  [
    // what                                   path              body
    ['E3 size near 2^53', paths.placeOrder, { ...singleOrder('buy 9007199254740993 @ 59000') }],
    ['E3 size near 2^63', paths.placeOrder, { ...singleOrder('buy 9223372036854775808 @ 59000') }],
    ['E3 size whose units pass 2^64', paths.placeOrder, { ...singleOrder('buy 184467440737.1 @ 59000') }],
    ['E3 price near 2^53', paths.placeOrder, { ...singleOrder('sell 0.01 @ 9007199254740993') }],
    ['E3 price near 2^63', paths.placeOrder, { ...singleOrder('sell 0.01 @ 922337203685477580.8') }],
    ['E3 size and price both large', paths.placeOrder, { ...singleOrder('buy 1000000000 @ 1000000000') }],
    ['E9 amount near 2^63 units', paths.subTransfer, { ...transfer, amount: '92233720368.54775808' }],
    ['E9 amount beyond 2^64 units', paths.subTransfer, { ...transfer, amount: '184467440737.09551617' }],
    ['E11 amount near 2^63 units', paths.repay, { coin: 'USDT', repayAmount: '92233720368.54775808' }],
  ],
  async (path, body) => {
    const person = await alice()
    const whole = path === paths.subTransfer ? { ...body, fromUserId: person.uid, toUserId: person.uid } : body
    const answer = await person.post(path, whole)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.code).not.toBe('45001')
    await expectUntouched(person)
  },
)

table(
  { ...edge, rule: 'design §2 range' },
  [
    ['E2 qty near 2^53', { qty: '9007199254740993' }],
    ['E2 qty near 2^63', { qty: '9223372036854775808' }],
    ['E2 price near 2^53', { price: '9007199254740993' }],
    ['E2 qty and price both large', { qty: '1000000000', price: '1000000000' }],
    [
      'E2 a market buy for more than there is in the world',
      { orderType: 'market', price: undefined, qty: '92233720368.54' },
    ],
  ],
  async (fields) => {
    const person = await alice()
    const answer = succeeds(await person.post(paths.placeBatch, [{ ...batchEntry, ...fields }]))
    expect(answer.list()[0]?.['code']).toMatch(/^\d+$/)
    expect(answer.list()[0]?.['code']).not.toBe('45001')
    await expectUntouched(person)
  },
)
