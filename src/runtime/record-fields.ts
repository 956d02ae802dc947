/**
 * The kinds of field that a command's record is made of. A field writes one value and reads the same value back.
 *
 * Holds     a kind's bytes never change: another spelling of the same values is another kind
 *           · choices are numbered by their place, so a list only ever grows at its end
 * Typing    the two functions make `Field` invariant: a list of choices that lacks one does not compile
 * Source    record-bytes.ts (the bytes), command-layout.ts (who uses what)
 */
import { parseTagged, writeTagged } from './tagged-json.ts'
import { type RecordReader, RecordUnreadable, RecordUnwritable, type RecordWriter } from './record-bytes.ts'

export interface Field<Value> {
  readonly write: (to: RecordWriter, value: Value) => void
  readonly read: (from: RecordReader) => Value
}

/** A number below 2^53 without a fraction, as a double. */
export function integer<Value extends number>(): Field<Value> {
  return {
    write(to, value) {
      if (!Number.isSafeInteger(value)) throw new RecordUnwritable(`not a safe integer: ${value}`)
      to.f64(value)
    },
    read: (from) => from.f64() as Value,
  }
}

/** Any finite number, as a double. */
export const finite: Field<number> = {
  write(to, value) {
    if (!Number.isFinite(value)) throw new RecordUnwritable(`not a number: ${value}`)
    to.f64(value)
  },
  read: (from) => from.f64(),
}

/** A handle of the catalogue. */
export const handle: Field<number> = {
  write: (to, value) => to.u32(value),
  read: (from) => from.u32(),
}

/** Money or a rate: 64 bits. */
export function units<Value extends bigint>(): Field<Value> {
  return { write: (to, value) => to.i64(value), read: (from) => from.i64() as Value }
}

export const text: Field<string> = {
  write: (to, value) => to.text(value),
  read: (from) => from.text(),
}

export const flag: Field<boolean> = {
  write: (to, value) => to.u8(value ? 1 : 0),
  read: (from) => from.u8() === 1,
}

/** One of at most 255 values, by its place in the list. */
export function oneOf<const Values extends readonly (string | undefined)[]>(...values: Values): Field<Values[number]> {
  return {
    write(to, value) {
      const place = values.indexOf(value)
      if (place < 0) throw new RecordUnwritable(`${value} is not one of ${values.join(', ')}`)
      to.u8(place)
    },
    read(from) {
      const place = from.u8()
      if (place >= values.length) throw new RecordUnreadable(`choice ${place} of ${values.join(', ')}`)
      return values[place]
    },
  }
}

export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return {
    write(to, value) {
      to.u8(value === undefined ? 0 : 1)
      if (value !== undefined) field.write(to, value)
    },
    read: (from) => (from.u8() === 0 ? undefined : field.read(from)),
  }
}

export function listOf<Value>(field: Field<Value>): Field<readonly Value[]> {
  return {
    write(to, values) {
      to.u32(values.length)
      for (const value of values) field.write(to, value)
    },
    read: (from) => Array.from({ length: from.u32() }, () => field.read(from)),
  }
}

/** Two values, one after the other. */
export function pair<First, Second>(first: Field<First>, second: Field<Second>): Field<readonly [First, Second]> {
  return {
    write(to, [firstValue, secondValue]) {
      first.write(to, firstValue)
      second.write(to, secondValue)
    },
    read: (from) => [first.read(from), second.read(from)],
  }
}

/** An object by its fields, in the order in which they are named. */
export function group<Value extends object>(
  fields: { readonly [Name in keyof Value]-?: Field<Value[Name]> },
): Field<Value> {
  const names = Object.keys(fields) as (keyof Value)[]
  return {
    write(to, value) {
      for (const name of names) fields[name].write(to, value[name])
    },
    read(from) {
      const value: Partial<Value> = {}
      for (const name of names) value[name] = fields[name].read(from)
      return value as Value
    },
  }
}

/** Nested data of rare commands, as canonical JSON. */
export function json<Value>(): Field<Value> {
  return {
    write: (to, value) => to.longText(writeTagged(value)),
    read: (from) => parseTagged(from.longText()) as Value,
  }
}
