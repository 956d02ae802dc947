/**
 * Reading a request: raw query or body into the typed input of its endpoint, or the first field that is wrong.
 *
 * Lenient   words in any case, symbols and coins in any case, numbers as text and text as numbers, unknown fields
 *           ignored, null and empty text taken as absent
 * Exact     a value outside its field's rule is refused, and the message names the field and the rule; fields that
 *           are missing come before fields that are wrong
 * Numbers   a JSON number counts as its source text (`1.50`, never `1.5e0`), so nothing is rounded on the way in
 * Bounds    a body of more values than any request has is refused before it is parsed: reading them would hold everybody up
 * Unicode   text with half a surrogate pair is no text, and could not be recorded
 * Names     only declared names are ever looked up, as own properties, and the input is a new object: `__proto__`,
 *           `constructor` and the like are unknown fields. A query parameter given twice is refused
 * Source    design.md §4.3, §4.31; style.md §5
 */
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { ApiError, type Code, missingParameter, type Version, wrongParameter } from '../errors/errors.ts'
import { type Attempt, Miswritten } from './fields.ts'

/** What the reader looks at in a schema: JSON Schema keywords and those that fields.ts adds. */
interface Field {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Field>>
  readonly required?: readonly string[]
  readonly items?: Field
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly 'x-case'?: 'upper'
  readonly 'x-number'?: 'id'
  readonly 'x-rule'?: string
  readonly 'x-code'?: Code
  readonly 'x-attempts'?: true
  readonly 'x-ignorable'?: true
}

export type Reader = (raw: unknown) => unknown

type Normaliser = (raw: unknown, path: string) => unknown

/** The reader of one request schema; compiled once, before its first request. */
export function compileReader(schema: TSchema, version: Version): Reader {
  const field = schema as Field
  const normalise = normaliserOf(field, version)
  const validator = Compile(withoutJudged(field) as TSchema)
  return (raw) => {
    const input = normalise(raw, '')
    if (validator.Check(input)) return input
    const at = validator.Errors(input)[0]?.instancePath ?? ''
    throw faultAt(field, at, version)
  }
}

/** The fault at a JSON pointer into the input, in the words of the field that stands there. */
function faultAt(schema: Field, pointer: string, version: Version): ApiError {
  let field: Field | undefined = schema
  let path = ''
  for (const step of pointer.split('/').slice(1)) {
    if (field?.items) {
      path += `[${step}]`
      field = field.items
    } else {
      path = path === '' ? step : `${path}.${step}`
      field = field?.properties?.[step]
    }
  }
  return fault(field ?? {}, path, version)
}

function fault(field: Field, path: string, version: Version): ApiError {
  const name = path === '' ? 'body' : path
  const { 'x-code': code, 'x-rule': rule = 'is not as documented' } = field
  if (code === undefined) return wrongParameter(version, name, rule)
  return code === '400172' ? wrongParameter('v3', name, rule) : new ApiError(code, [name])
}

/** Entries of a batch and fields that may be ignored were checked one by one: the validator of the whole leaves them alone. */
function withoutJudged(field: Field): Field {
  if (field['x-attempts'] || field['x-ignorable']) return {}
  if (field.items) return { ...field, items: withoutJudged(field.items) }
  if (!field.properties) return field
  const properties = Object.entries(field.properties).map(([name, member]) => [name, withoutJudged(member)])
  return { ...field, properties: Object.fromEntries(properties) as Record<string, Field> }
}

function normaliserOf(field: Field, version: Version): Normaliser {
  if (field['x-attempts']) return attemptsOf(field, version)
  if (field['x-ignorable']) return ignorableOf(field, version)
  if (field.properties) return objectOf(field, version)
  if (field.enum) return wordOf(field.enum)
  if (field.type === 'array' && field.items) return listOf(field.items, version)
  if (field.type === 'integer') return field['x-number'] === 'id' ? idOf : integerOf
  if (field['x-case'] === 'upper') return upperCaseOf
  if (field.type === 'string') return textOf(version)
  return (raw) => raw
}

/** Almost all of it is in upper case already, and looking is cheaper than making it so. */
function upperCaseOf(raw: unknown): unknown {
  return typeof raw === 'string' && /[^0-9A-Z_-]/.test(raw) ? raw.toUpperCase() : raw
}

function textOf(version: Version): Normaliser {
  return (raw, path) => {
    if (typeof raw === 'string' && !raw.isWellFormed()) throw wrongParameter(version, path, 'should be Unicode text')
    return raw
  }
}

/** One field of an object. */
interface Member {
  readonly name: string
  readonly optional: boolean
  readonly fallback: unknown
  readonly normalise: Normaliser
}

function objectOf(field: Field, version: Version): Normaliser {
  const optional = (name: string, member: Field) => member.default !== undefined || !field.required?.includes(name)
  const members = Object.entries(field.properties ?? {}).map(([name, member]): Member => {
    return {
      name,
      optional: optional(name, member),
      fallback: member.default,
      normalise: normaliserOf(member, version),
    }
  })
  const usual = usualObject(members)
  return (raw, path) => {
    if (!isObject(raw)) throw wrongParameter(version, path === '' ? 'body' : path, 'should be an object')
    const input = usual(raw, path)
    if (input !== undefined) return input
    const made: Record<string, unknown> = {}
    for (const { name, optional: mayBeAbsent, fallback, normalise } of members) {
      const value = Object.hasOwn(raw, name) ? raw[name] : undefined
      const at = placeOf(name, path)
      if (isAbsent(value)) {
        if (!mayBeAbsent) throw missingParameter(at)
        if (fallback !== undefined) made[name] = fallback
      } else {
        made[name] = normalise(value, at)
      }
    }
    return made
  }
}

/**
 * Reads an object as almost all are: it has nothing but fields of the schema, each with a value, and all that are required.
 * Copying it whole is faster than looking for every field that it might have. Undefined: it is not like that, or wrong in a
 * way that is told in the order of the fields.
 */
function usualObject(members: readonly Member[]) {
  const byName = new Map(members.map((member) => [member.name, member]))
  const requiredCount = members.filter((member) => !member.optional).length
  const fallbacks = members.filter(({ fallback }) => fallback !== undefined)
  return (raw: Record<string, unknown>, path: string): Record<string, unknown> | undefined => {
    const input = { ...raw }
    let missing = requiredCount
    try {
      for (const name in raw) {
        const member = byName.get(name)
        const value = raw[name]
        if (member === undefined || isAbsent(value)) return undefined
        if (!member.optional) missing -= 1
        const normal = member.normalise(value, placeOf(name, path))
        if (normal !== value) input[name] = normal
      }
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
    if (missing > 0) return undefined
    for (const { name, fallback } of fallbacks) input[name] ??= fallback
    return input
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function placeOf(name: string, path: string): string {
  return path === '' ? name : `${path}.${name}`
}

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

function entriesOf(raw: unknown, field: Field, path: string, version: Version): readonly unknown[] {
  if (!Array.isArray(raw)) throw wrongParameter(version, path === '' ? 'body' : path, 'should be a list')
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = field
  if (raw.length > maxItems) throw fault(field, path, version)
  if (raw.length < minItems) throw wrongParameter(version, path === '' ? 'body' : path, field['x-rule'] ?? '')
  return raw
}

/** A list whose entries are right or wrong together: only their spelling is made canonical. */
function listOf(items: Field, version: Version): Normaliser {
  const normalise = normaliserOf(items, version)
  return (raw, path) => (Array.isArray(raw) ? raw.map((item, index) => normalise(item, `${path}[${index}]`)) : raw)
}

function attemptsOf(field: Field, version: Version): Normaliser {
  const read = compileReader(field.items ?? {}, version)
  return (raw, path) =>
    entriesOf(raw, field, path, version).map((entry, index): Attempt<unknown> => {
      // An entry without fields cannot be told by its ids: the list itself is malformed.
      if (!isObject(entry)) throw wrongParameter(version, `${path}[${index}]`, 'should be an object')
      try {
        return { ok: true, value: read(entry) }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const ids = { orderId: sent(entry, 'orderId'), clientOid: sent(entry, 'clientOid') }
        return { ok: false, fault: error, raw: entry, ...ids }
      }
    })
}

/** A field of a faulty entry as it was sent. */
function sent(entry: Record<string, unknown>, name: string): string {
  return repeatable(Object.hasOwn(entry, name) ? entry[name] : undefined)
}

/** Text as it was sent, cut to a length that is safe to repeat. */
function repeatable(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 64) : ''
}

/** A single value that is right, or how it is wrong. */
function ignorableOf({ 'x-ignorable': _, ...field }: Field, version: Version): Normaliser {
  const normalise = normaliserOf(field, version)
  const validator = Compile(field as TSchema)
  return (raw, path) => {
    try {
      const value = normalise(raw, path)
      return validator.Check(value) ? value : new Miswritten(fault(field, path, version), repeatable(raw))
    } catch (error) {
      if (error instanceof ApiError) return new Miswritten(error, '')
      throw error
    }
  }
}

/** In any case; two words that differ in nothing else (`1m`, `1M`) have to be spelled as they are. */
function wordOf(words: readonly string[]): Normaliser {
  const exact = new Set(words)
  const spelling = new Map(words.map((word) => [word.toLowerCase(), word]))
  return (raw) => (typeof raw === 'string' && !exact.has(raw) ? (spelling.get(raw.toLowerCase()) ?? raw) : raw)
}

const digits = /^[0-9]{1,20}$/

function integerOf(raw: unknown): unknown {
  return typeof raw === 'string' && digits.test(raw) ? Number(raw) : raw
}

function idOf(raw: unknown): unknown {
  return typeof raw === 'string' && digits.test(raw) ? Math.min(Number(raw), Number.MAX_SAFE_INTEGER) : raw
}

/** Fields of a query string; the text is what stands after `?` in the request target. */
export function parseQuery(query: string, version: Version): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  if (query === '') return fields
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals), version)
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1), version)
    if (name in fields) throw wrongParameter(version, name.slice(0, 64), 'should be given once')
    fields[name] = value
  }
  return fields
}

function decoded(text: string, version: Version): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrongParameter(version, 'query', 'should be percent-encoded UTF-8')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** A digit or minus where a value may begin; text that looks alike only costs the slower parse. */
const mayHoldNumbers = /[:[,]\s*[-0-9]/

/** The largest batch, with every field of every entry, is a fifth of this. */
const valuesMax = 5_000
/** A body this short cannot hold so many. */
const shortBytes = 2 * valuesMax

/** The value of a JSON body, its numbers as their source text. An absent body is an empty object. */
export function parseBody(body: Buffer | undefined, version: Version): unknown {
  if (body === undefined || body.length === 0) return {}
  if (body.length > shortBytes && mayHoldMore(body, valuesMax)) {
    throw wrongParameter(version, 'body', `should have at most ${valuesMax} values`)
  }
  try {
    const text = utf8.decode(body)
    return mayHoldNumbers.test(text) ? (JSON.parse(text, numbersAsText) as unknown) : (JSON.parse(text) as unknown)
  } catch (cause) {
    throw new ApiError(version === 'v3' ? '400172' : '40017', ['body should be JSON'], 400, { cause })
  }
}

/** Whether more than so many values may stand in a text of JSON. Each begins behind one of these, in or outside of strings. */
function mayHoldMore(body: Buffer, maximum: number): boolean {
  let left = maximum
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if ((byte === comma || byte === openList || byte === openObject) && --left < 0) return true
  }
  return false
}

const [comma, openList, openObject] = [0x2c, 0x5b, 0x7b]

function numbersAsText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value
}
