/**
 * The kinds of request fields: for each its schema, the spellings that are accepted and the rule in words.
 *
 * Schemas    typebox, so one object gives the handler's type, the compiled validator and the OpenAPI parameter
 * `x-…`      what plain JSON Schema cannot say and input.ts reads: how to normalise (`x-case`, `x-number`), the rule in
 *            words (`x-rule`), a code of its own (`x-code`), entries that may fail one by one (`x-attempts`)
 * `examples` what the reference page shows in place of something that only matches the pattern
 * Optional   wrap in `Type.Optional`; a field with a `default` is never absent in the input
 * Ignored    names that count only in some cases, and are ignored in the others whatever they say, are `ignorable`. Words of
 *            a set are not: one outside of it is refused also where it has no effect
 * Source     design.md §4.3, §4.31, §4.32; interface.md E2; wire/errors.md
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { productLines } from '../../engine/catalog/catalog.ts'
import type { ApiError, Code } from '../errors/errors.ts'

export const categories = ['SPOT', 'MARGIN', ...productLines] as const

interface FieldOptions {
  readonly description?: string
  readonly code?: Code
}

function extras(rule: string, { description, code }: FieldOptions): Record<string, string> {
  return {
    'x-rule': rule,
    ...(description === undefined ? {} : { description }),
    ...(code === undefined ? {} : { 'x-code': code }),
  }
}

/** One of a set of words, in any case; the input carries the word as it is written here. */
export function oneOf<const Words extends readonly string[]>(words: Words, options: FieldOptions = {}) {
  return Type.Unsafe<Words[number]>(wordSchema(words, options))
}

/** One of a set of words, `fallback` when absent. */
export function oneOfOr<const Words extends readonly string[]>(
  words: Words,
  fallback: Words[number],
  options: FieldOptions = {},
) {
  return Type.Unsafe<Words[number]>({ ...wordSchema(words, options), default: fallback })
}

function wordSchema(words: readonly string[], options: FieldOptions) {
  return { type: 'string', enum: words, ...extras(`should be one of ${words.join(', ')}`, options) }
}

/** Product type of v3. */
export function category(options: FieldOptions = {}) {
  return oneOf(categories, options)
}

/** Product type of v2, and of v3 where only futures are meant. */
export function productType(options: FieldOptions = {}) {
  return oneOf(productLines as ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'], options)
}

/** A symbol, in any case; upper case in the input. Whether it exists is the catalogue's business. */
export function symbol(options: FieldOptions = {}) {
  return upperCase('should be a symbol of letters, digits, - and _', 'BTCUSDT', options)
}

/** A coin, in any case; upper case in the input. */
export function coin(options: FieldOptions = {}) {
  return upperCase('should be a coin of letters, digits, - and _', 'USDT', options)
}

function upperCase(rule: string, example: string, options: FieldOptions) {
  return Type.String({
    pattern: '^[0-9A-Z_-]{1,32}$',
    examples: [example],
    'x-case': 'upper',
    ...extras(rule, options),
  })
}

/**
 * A decimal number as text: digits with at most one point; a JSON number is taken by its source text. Precision and
 * range are checked where the instrument or coin is known (orders.ts).
 */
export function decimal(options: FieldOptions = {}) {
  return Type.String({
    pattern: '^[0-9]{1,40}([.][0-9]{1,40})?$',
    examples: ['0.01'],
    ...extras('should be a decimal number', options),
  })
}

/** As decimal, below zero too. */
export function signedDecimal(options: FieldOptions = {}) {
  return Type.String({
    pattern: '^-?[0-9]{1,40}([.][0-9]{1,40})?$',
    examples: ['-0.01'],
    ...extras('should be a decimal number', options),
  })
}

/** Free text of bounded length. */
export function text(lengthMax: number, options: FieldOptions = {}) {
  return Type.String({ maxLength: lengthMax, ...extras(`should have at most ${lengthMax} characters`, options) })
}

/** Text of a form, told in words. */
export function matching(pattern: string, rule: string, options: FieldOptions = {}) {
  return Type.String({ pattern, ...extras(rule, options) })
}

/** An IPv4 address. */
export function ipv4(options: FieldOptions = {}) {
  const part = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
  return matching(`^${part}([.]${part}){3}$`, 'should be an IPv4 address', options)
}

/** What protects a new key. */
export function passphrase() {
  return matching('^[A-Za-z0-9]{8,32}$', 'should have 8 to 32 letters and digits', { code: '40070' })
}

/** A list that is right as a whole or wrong at one entry. */
export function list<Entry extends TSchema>(entry: Entry, minimum: number, maximum: number) {
  const rule = minimum === 0 ? `at most ${maximum}` : `${minimum} to ${maximum}`
  return Type.Array(entry, {
    minItems: minimum,
    maxItems: maximum,
    ...extras(`should be a list of ${rule} entries`, {}),
  })
}

/** Client order id of v3 (interface E2). */
export function clientOidV3(options: FieldOptions = {}) {
  return Type.String({
    pattern: '^[.A-Z:/a-z0-9_-]{1,32}$',
    examples: ['my-order-1'],
    ...extras('should match ^[\\.A-Z\\:/a-z0-9_-]{1,32}$', options),
  })
}

/** Client order id of v2: the same characters, up to 64 of them (clients send 36-character uuids). */
export function clientOidV2(options: FieldOptions = {}) {
  return Type.String({
    pattern: '^[.A-Z:/a-z0-9_-]{1,64}$',
    examples: ['my-order-1'],
    ...extras('should have 1 to 64 letters, digits, . : / _ -', { code: '40305', ...options }),
  })
}

/** A whole number between two bounds, as digits or as a JSON number; a number in the input. */
export function whole(minimum: number, maximum: number, options: FieldOptions = {}) {
  return Type.Integer({
    minimum,
    maximum,
    examples: [minimum],
    ...extras(`should be between ${minimum} and ${maximum}`, options),
  })
}

/** Page size. */
export function limit(fallback: number, maximum: number) {
  return Type.Integer({ minimum: 1, maximum, default: fallback, ...extras(`should be between 1 and ${maximum}`, {}) })
}

/** Page number. */
export function page(maximum: number) {
  return Type.Integer({ minimum: 1, maximum, default: 1, ...extras(`should be between 1 and ${maximum}`, {}) })
}

/** Unix milliseconds. */
export function timestamp(options: FieldOptions = {}) {
  return Type.Integer({
    minimum: 0,
    maximum: 9_999_999_999_999,
    examples: [Date.UTC(2026, 0, 1)],
    ...extras('should be Unix milliseconds', options),
  })
}

/**
 * Number of an account, an order or another record. Digits beyond what the venue can have given become the largest safe
 * integer, which nothing has: such an id is well formed and unknown.
 */
export function id(options: FieldOptions = {}) {
  return Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    examples: [1_000_000_001],
    'x-number': 'id',
    ...extras('should be a number of at most 20 digits', options),
  })
}

/** Place in a list, made by the venue and opaque to clients (cursor.ts reads it). */
export function cursor(options: FieldOptions = {}) {
  return Type.String({ maxLength: 128, ...extras('should be the cursor of an earlier answer', options) })
}

/** One entry of a batch that was read on its own: what it says, or why it says nothing. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly fault: ApiError
      /** The entry as sent, numbers as text. */
      readonly raw: Readonly<Record<string, unknown>>
      /** As sent, to recognise the entry by; empty when absent. */
      readonly orderId: string
      readonly clientOid: string
    }

/** A list whose entries may be wrong one by one: 1 to `maximum` entries, each an `Attempt` in the input. */
export function batch<Entry extends TObject>(entry: Entry, maximum: number, options: FieldOptions = {}) {
  return Type.Unsafe<readonly Attempt<Static<Entry>>[]>({
    type: 'array',
    items: entry,
    minItems: 1,
    maxItems: maximum,
    'x-attempts': true,
    ...extras(`should have 1 to ${maximum} entries`, options),
  })
}

/** What stands in the input for a wrong value of a field that does not always count. */
export class Miswritten {
  readonly fault: ApiError
  /** As sent, if it was text, cut to a length that is safe to repeat. */
  readonly sent: string

  constructor(fault: ApiError, sent: string) {
    this.fault = fault
    this.sent = sent
  }
}

/** A field that is ignored in some cases, right or wrong; where it counts the handler reads it with `counted`. */
export function ignorable<Field extends TSchema>(field: Field) {
  return Type.Unsafe<Static<Field> | Miswritten>({ ...field, 'x-ignorable': true })
}

/** The value of an ignorable field where it counts. */
export function counted<T>(value: T | Miswritten): T {
  if (value instanceof Miswritten) throw value.fault
  return value
}

/** A request without fields. */
export const nothing = Type.Object({})

/** An object of an answer whose fields are all strings. */
export function texts<const Names extends readonly string[]>(...names: Names) {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<
      Names[number],
      ReturnType<typeof Type.String>
    >,
  )
}
