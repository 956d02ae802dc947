/**
 * Boundaries of every number in every request, in one table that is made from the schemas: the smallest and the largest,
 * one beyond either, and what only looks like a number. A field that is added has its rows by itself.
 *
 * Taken      the reader answers, or refuses the request for another field
 * Refused    with a code and a sentence that names the field
 * Elsewhere  steps and precision of instruments: test/conformance/order-limits.test.ts and its neighbours; that a refusal
 *            changes nothing: fuzz.test.ts
 */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { ApiError, messageOf } from '../../src/api/errors/errors.ts'
import { parseBody } from '../../src/api/parsing/input.ts'
import { prepareRoute, type Route } from '../../src/api/edge.ts'
import type { Field } from './grammar.ts'
import { isDecimal } from './grammar.ts'

type Outcome = 'taken' | 'refused' | 'absent'

interface NumericField {
  readonly route: Route
  /** Names from the request to the field; `[]` is one entry of a list. */
  readonly path: readonly string[]
  readonly field: Field
}

function numericFields(route: Route): NumericField[] {
  const found: NumericField[] = []
  const visit = (field: Field, path: readonly string[]) => {
    if (field.properties) for (const [name, inner] of Object.entries(field.properties)) visit(inner, [...path, name])
    else if (field.items) visit(field.items, [...path, '[]'])
    else if (field.type === 'integer' || isDecimal(field)) found.push({ route, path, field })
  }
  visit(route.endpoint.request, [])
  return found
}

const fields = endpoints.flatMap((endpoint) => numericFields(prepareRoute(endpoint)))

/** JSON texts, and what becomes of each. */
function rowsOf(field: Field): readonly (readonly [what: string, json: string, outcome: Outcome])[] {
  const shapes = [
    ['blank', '" "', 'refused'],
    ['empty', '""', 'absent'],
    ['null', 'null', 'absent'],
    ['a plus', '"+1"', 'refused'],
    ['an exponent', '1e0', 'refused'],
    ['an exponent as text', '"1e0"', 'refused'],
    ['hexadecimal', '"0x1"', 'refused'],
    ['digits of Arabic', '"١"', 'refused'],
    ['wide digits', '"１"', 'refused'],
    ['1,000 digits', `"${'1'.repeat(1_000)}"`, 'refused'],
    ['1,000 digits as a number', '1'.repeat(1_000), 'refused'],
    ['1,000 decimals', `"0.${'1'.repeat(1_000)}"`, 'refused'],
    ['a blank behind', '"1 "', 'refused'],
    ['a line behind', '"1\\n"', 'refused'],
    ['grouping', '"1,000"', 'refused'],
    ['no number', '"NaN"', 'refused'],
    ['infinity', '"Infinity"', 'refused'],
    ['true', 'true', 'refused'],
    ['a list', '[1]', 'refused'],
    ['an object', '{"a":1}', 'refused'],
  ] as const
  return [...shapes, ...(field.type === 'integer' ? wholeRows(field) : decimalRows(field))]
}

function wholeRows({
  minimum = 0,
  maximum = 0,
  'x-number': number,
}: Field): readonly (readonly [string, string, Outcome])[] {
  const beyond = BigInt(maximum) + 1n
  return [
    ['the smallest', String(minimum), 'taken'],
    ['the smallest as text', `"${minimum}"`, 'taken'],
    ['one below', String(minimum - 1), 'refused'],
    ['the largest', String(maximum), 'taken'],
    ['the largest as text', `"${maximum}"`, 'taken'],
    // An id beyond what the venue can have given is well formed and unknown.
    ['one beyond', `"${beyond}"`, number === 'id' ? 'taken' : 'refused'],
    ['21 digits', `"${'9'.repeat(21)}"`, 'refused'],
    ['half', `${minimum + 1}.5`, 'refused'],
    ['a decimal that is none', `"${minimum + 1}.0"`, 'refused'],
  ]
}

function decimalRows({ pattern = '' }: Field): readonly (readonly [string, string, Outcome])[] {
  return [
    ['nothing', '0', 'taken'],
    ['the most digits', `"${'9'.repeat(40)}.${'9'.repeat(40)}"`, 'taken'],
    ['one digit more', `"${'9'.repeat(41)}"`, 'refused'],
    ['one decimal more', `"0.${'9'.repeat(41)}"`, 'refused'],
    ['below zero', '"-1"', pattern.startsWith('^-?') ? 'taken' : 'refused'],
    ['no digit before', '".5"', 'refused'],
    ['no digit behind', '"5."', 'refused'],
    ['two points', '"1.1.1"', 'refused'],
  ]
}

/** A request in which this field alone is given. */
function bodyOf(path: readonly string[], json: string): string {
  const [first, ...rest] = path
  if (first === undefined) return json
  return first === '[]' ? `[${bodyOf(rest, json)}]` : `{${JSON.stringify(first)}:${bodyOf(rest, json)}}`
}

/** Every other required field, so that this one is what is looked at. */
function filled(field: Field, given: unknown): unknown {
  if (field.items)
    return Array.isArray(given) ? given.map((item) => filled(field.items!, item)) : [filled(field.items, {})]
  if (!field.properties) return given === undefined ? sampleOf(field) : given
  const sent = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const whole: Record<string, unknown> = { ...sent }
  for (const [name, inner] of Object.entries(field.properties)) {
    if (Object.hasOwn(sent, name)) {
      if (inner.properties || inner.items) whole[name] = filled(inner, sent[name])
    } else if (field.required?.includes(name) && inner.default === undefined) {
      whole[name] = wordsOfFormat[name] ?? filled(inner, undefined)
    }
  }
  return whole
}

/** What not any word will do for. */
const wordsOfFormat: Readonly<Record<string, unknown>> = { passphrase: 'Passphrase1', permissions: ['read'] }

function sampleOf(field: Field): unknown {
  if (field.enum) return field.enum[0]
  if (field.type === 'integer') return field.minimum ?? 1
  return isDecimal(field) ? '1' : 'BTCUSDT'
}

/** The refusal, of the request or of its one entry that could be wrong by itself. */
function faultOf(route: Route, raw: unknown): ApiError | undefined {
  try {
    return attemptFault(route.read(raw))
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function attemptFault(input: unknown): ApiError | undefined {
  if (Array.isArray(input)) return input.map(attemptFault).find((fault) => fault !== undefined)
  if (typeof input !== 'object' || input === null) return undefined
  if ('fault' in input && input.fault instanceof ApiError) return input.fault
  return Object.values(input)
    .map(attemptFault)
    .find((fault) => fault !== undefined)
}

let rows = 0

describe.each(
  fields.map(
    (field) => [`${field.route.endpoint.method} ${field.route.endpoint.path} ${field.path.join('.')}`, field] as const,
  ),
)('%s', (_, { route, path, field }) => {
  test.each(rowsOf(field))('%s', (_what, json, outcome) => {
    rows += 1
    const sent = parseBody(Buffer.from(bodyOf(path, json)), route.version)
    const fault = faultOf(route, filled(route.endpoint.request, sent))
    const name = path.filter((part) => part !== '[]').at(-1) ?? 'body'
    const blamed = fault !== undefined && messageOf(fault, 'en-US').includes(name)
    if (outcome === 'refused') {
      expect(blamed, `${json.slice(0, 60)}: ${fault === undefined ? 'taken' : messageOf(fault, 'en-US')}`).toBe(true)
      expect(fault?.httpStatus).toBe(400)
      return
    }
    const isMissing = outcome === 'absent' && fault?.code === '40019'
    expect(blamed && !isMissing, fault && messageOf(fault, 'en-US')).toBe(false)
  })
})

test('the table is as long as it should be', () => {
  process.stdout.write(
    `boundaries: ${rows} rows for ${fields.length} numeric fields of ${endpoints.length} endpoints\n`,
  )
  expect(fields.length).toBeGreaterThan(150)
})
