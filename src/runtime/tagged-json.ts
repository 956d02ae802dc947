/**
 * JSON that keeps bigints apart from text and writes the same data in the same bytes, for rare nested data in records.
 *
 * Bigints   text that begins with `#`: `"#-12"`; text that begins with `#` itself gets another one in front
 * Order     the names of an object are sorted, so that data decides the bytes and not who built it
 * Refused   what JSON would change on the way: `undefined` in a list or alone, numbers that are not finite, functions
 */
import { RecordUnreadable, RecordUnwritable } from './record-bytes.ts'

export function writeTagged(value: unknown): string {
  return JSON.stringify(tagged(value))
}

/** Throws RecordUnreadable. */
export function parseTagged(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) => (typeof value === 'string' ? untag(value) : value))
  } catch (cause) {
    throw new RecordUnreadable('nested data that is not JSON', { cause })
  }
}

function tagged(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value.startsWith('#') ? `#${value}` : value
    case 'bigint':
      return `#${value}`
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new RecordUnwritable(`not a number: ${value}`)
      return value
    case 'object':
      if (value === null) return null
      return Array.isArray(value) ? value.map(tagged) : taggedObject(value)
    default:
      throw new RecordUnwritable(`a record cannot carry a ${typeof value}`)
  }
}

/** A property that is undefined is the same as none. */
function taggedObject(value: object): unknown {
  const present = Object.entries(value).filter(([, member]) => member !== undefined)
  present.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(present.map(([name, member]) => [name, tagged(member)]))
}

function untag(text: string): string | bigint {
  if (!text.startsWith('#')) return text
  return text.startsWith('##') ? text.slice(1) : BigInt(text.slice(1))
}
