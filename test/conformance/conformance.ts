/**
 * What the tables of this folder are made of: a rule, its rows, and what an answer must look like.
 *
 * A row       one test: its first cell is a sentence, the others go to the table's check. Rows of words and order lines are
 *             aligned text (support/text-table.ts), of which the check gets the whole row
 * The page    rule, decision and endpoint travel as the test's metadata to scripts/conformance-page.ts
 * After each  row every coin's postings sum to zero and no order of the row's people is left in a book
 * Refusals    400 with the envelope, a code of the family that the row names, and `data` null (design §4.4)
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { venueAsAsked } from '../support/gateways-venue.ts'
import { type Row, textTable } from '../support/text-table.ts'
import type { PersonOptions, Venue, VenueOptions } from '../support/venue.ts'

declare module 'vitest' {
  interface TaskMeta {
    rule?: string
    /** What the house decided where the interface is silent or says two things. */
    decision?: string
  }
}

export interface Rule {
  /** Where it stands: `E2 rule 4`, `design §4.9`. */
  readonly rule: string
  readonly decision?: string
}

type Cells<Case> = Case extends readonly [string, ...infer Rest] ? Rest : never

export function table<const Table extends string>(
  rule: string | Rule,
  rows: Table,
  check: (row: Row<Table>) => Promise<void>,
): void
export function table<const Case extends readonly [sentence: string, ...cells: unknown[]]>(
  rule: string | Rule,
  rows: readonly Case[],
  check: (...cells: Cells<Case>) => Promise<void>,
): void
export function table(
  rule: string | Rule,
  rows: string | readonly (readonly [sentence: string, ...cells: unknown[]])[],
  check: (...cells: never) => Promise<void>,
): void {
  const meta = typeof rule === 'string' ? { rule } : rule
  const cases: readonly (readonly [sentence: string, ...cells: unknown[]])[] =
    typeof rows === 'string' ? textTable(rows).map((cells) => [Object.values<string>(cells)[0] ?? '', cells]) : rows
  for (const [sentence, ...cells] of cases) {
    // oxlint-disable-next-line vitest/expect-expect -- the checks of the rows expect
    test(`${meta.rule}: ${sentence}`, { meta }, () => check(...(cells as never)))
  }
}

/** One row whose check is written out. */
export function row(rule: string | Rule, sentence: string, check: () => Promise<void>): void {
  table(rule, [[sentence]], check)
}

/** The venue of a test file, shared by its rows, and its people. */
export interface Stage {
  readonly venue: Venue
  /** A fresh account for this row alone. */
  person(name: string, options?: PersonOptions): Promise<Person>
}

export function stage(options: VenueOptions = {}): Stage {
  let venue: Venue | undefined
  let people: Person[] = []

  beforeAll(async () => {
    venue = await venueAsAsked(options)
  })

  afterAll(async () => {
    await venue?.remove()
  })

  afterEach(async () => {
    const gone = people
    people = []
    if (venue === undefined) return
    for (const person of gone) if (person.hasTraded) await clearOrders(person)
    const books = await venue.operator<{ balanced: boolean }>('verify')
    expect(books, 'every coin sums to zero').toMatchObject({ balanced: true })
  })

  return {
    get venue() {
      if (venue === undefined) throw new Error('the venue did not start')
      return venue
    },
    async person(name, personOptions) {
      const person = await this.venue.person(name, personOptions)
      people.push(person)
      return person
    },
  }
}

/** Takes every order of a person out of the books, in either version of the interface, and every trigger order. */
async function clearOrders(person: Person): Promise<void> {
  for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
    const answer = await person.post('/api/v3/trade/cancel-symbol-order', { category })
    if (answer.code === '40084') break // a classic account: the second version below
  }
  for (const productType of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
    await person.post('/api/v2/mix/order/cancel-plan-order', { productType })
    await person.post('/api/v2/mix/order/cancel-all-orders', { productType })
  }
  const lent = '/api/v2/margin/crossed'
  const open = await person.get(`${lent}/open-orders`, { symbol: 'BTCUSDT', startTime: 0 })
  const orderIdList = open.code === '00000' ? open.list('orderList').map(({ orderId }) => ({ orderId })) : []
  if (orderIdList.length > 0) await person.post(`${lent}/batch-cancel-order`, { symbol: 'BTCUSDT', orderIdList })
  await person.post('/api/v2/spot/trade/batch-cancel-plan-order', {})
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    await person.post('/api/v2/spot/trade/cancel-symbol-order', { symbol })
  }
}

/** Codes that say the same thing on different paths (wire/errors.md); a row names a family, a code, or several with `or`. */
const families: Readonly<Record<string, readonly string[]>> = {
  'a parameter': [
    '40017',
    '400172',
    '00171',
    '00172',
    '40019',
    '40020',
    '40034',
    '40053',
    '40057',
    '40058',
    '40064',
    '40724',
    '40811',
    '40812',
    '40813',
    '40808',
    '41101',
    '41103',
    '43111',
    '43011',
    '43125',
    '48001',
    '48002',
    '50061',
    '50063',
    '01001',
    '01002',
    '25200',
    '25238',
    '40402',
    '40409',
    '40408',
    '40304',
    '40305',
    '40706',
    '43117',
    '50034',
    '50040',
    '40799',
    '45044',
    '40913',
    '40924',
  ],
  'a missing parameter': ['40019', '40017', '400172', '40811', '40813', '48002', '40724', '25200', '40913', '40924'],
  'an unknown symbol': ['40034', '40072', '42016', '40102', '25100', '50024', '40017', '40020', '400172'],
  'an unknown coin': ['25201', '40034', '50032', '43129', '40806', '40017', '40020', '400172', '43049'],
  'a time window': ['00001', '20001', '40707', '42072', '40704', '40705', '40408', '40017', '40020', '40053', '400172'],
  'the price step': ['40808', '41103', '45115', '25244', '45035', '40020', '40017', '40706'],
  'the quantity step': ['40808', '41103', '22038', '25610', '40020', '40017'],
  'the minimum quantity': ['45111', '45110', '43006', '25207', '25611', '50016', '40808', '45114', '40020', '40017'],
  'the minimum value': ['45110', '43010', '45114', '25611', '22034', '43042', '43037', '50016'],
  'the price band': ['43008', '43009', '40815', '40816', '25205', '25206', '40706', '41117'],
  'no balance': ['43012', '50020', '40762', '40754', '25202', '25203'],
  'no free position': [
    '40757',
    '40755',
    '45003',
    '45005',
    '45006',
    '25225',
    '25226',
    '25231',
    '40804',
    '40717',
    '43029',
  ],
  'no position': ['22002', '25227', '43043'],
  'the position side': ['40774', '45021', '45109', '25236', '40017', '40019', '40020', '400172'],
  'an unknown order': ['43001', '40768', '40109', '25204', '43004', '22001', '45057', '31007'],
  'too many orders': ['40723', '40761', '43005', '43128', '45118', '25211', '25567'],
  'too many entries': ['40306', '40912', '40058', '40017', '40020', '40053'],
  'a key': ['40006', '40037', '40041', '40012'],
  'no signature': ['40002', '40003'],
  'a passphrase': ['40012', '40036'],
  'an address': ['40018', '40038'],
  'no main account': ['40048', '40068', '43127', '40061', '40014'],
  'unrelated accounts': ['43127', '40028', '40066', '25005', '40017', '40020'],
  'the transferable amount': ['43117', '43152', '40801'],
  'the account type': [
    '43127',
    '43129',
    '25110',
    '40017',
    '40020',
    '40806',
    '42013',
    '40057',
    '40812',
    '25240',
    '400172',
  ],
  'the wallet of a coin': ['43129', '40806', '25110', '42013', '50059', '40017', '40020', '40812'],
  'no broker': ['40029'],
  'no sub-account of the caller': ['40028', '40066', '43127', '40017', '40020', '25005'],
  'the leverage': ['40017', '40020', '40053', '43050', '45044', '45045', '25223', '40057', '40019'],
  'the margin coin': ['43049', '40778', '40017', '40020', '40034'],
  'the account mode': ['40084', '40085', '25006', '25245', '40022', '40013', '25101', '40013', '40200', '25009'],
  'no debt': ['50041', '50042', '50021', '43012', '50061', '40812', '25217', '40017'],
  'the trading pair': ['22004', '25013', '40022', '40025', '40072'],
  'a closed instrument': [
    '25101',
    '25102',
    '40844',
    '41114',
    '43119',
    '43120',
    '41113',
    '45043',
    '25106',
    '40309',
    '40845',
  ],
  'a used transfer id': ['40786', '01003', '40017', '40020', '43118', '45034', '25212'],
  'the shape of the body': ['40017', '400172', '40020', '40409', '48001', '00172', '40064', '40019', '40306', '40007'],
}

/** A definite success: 200, `00000`, `success`. Answers the answer. */
export function succeeds(answer: Answer): Answer {
  const { status, code, msg } = answer
  expect({ status, code, msg }, answer.text.slice(0, 600)).toEqual({ status: 200, code: '00000', msg: 'success' })
  return answer
}

/** A refusal with one of the codes that a row names. */
export function refuses(answer: Answer, expected: string, status = 400): Answer {
  const found = { status: answer.status, data: answer.data }
  expect(found, answer.text.slice(0, 600)).toEqual({ status, data: null })
  expect(codesOf(expected), `${expected}: ${answer.text.slice(0, 600)}`).toContain(answer.code)
  expect(answer.msg).not.toBe('')
  expect(answer.msg).not.toBe('success')
  expect(answer.requestTime).toBeTypeOf('number')
  return answer
}

/** Either of the two, as a row says: `ok` or what refuses it. */
export function answers(answer: Answer, expected: string): Answer {
  return expected === 'ok' ? succeeds(answer) : refuses(answer, expected)
}

/** One entry of a batch that was refused. */
export function entryRefused(entry: Readonly<Record<string, unknown>> | undefined, expected: string): void {
  expect(codesOf(expected), `${expected}: ${JSON.stringify(entry)}`).toContain(entry?.['code'])
  expect(entry?.['msg'], JSON.stringify(entry)).toEqual(expect.stringMatching(/./))
}

/** One entry of a batch that was taken. */
export function entryTaken(entry: Readonly<Record<string, unknown>> | undefined): void {
  expect(entry, JSON.stringify(entry)).toMatchObject({
    orderId: expect.stringMatching(/^\d+$/),
    clientOid: expect.any(String),
  })
  expect(entry).not.toHaveProperty('code')
  expect(entry).not.toHaveProperty('msg')
}

function codesOf(expected: string): readonly string[] {
  return expected.split(' or ').flatMap((family) => families[family] ?? family.split('|'))
}
