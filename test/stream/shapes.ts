/** What the fields of pushes look like, in the words of the tables of this folder. */
import { expect } from 'vitest'
import type { Row } from '../support/socket.ts'

const shapes = {
  decimal: /^-?[0-9]+(?:\.[0-9]+)?$/,
  'decimal or empty': /^(?:-?[0-9]+(?:\.[0-9]+)?)?$/,
  millis: /^[0-9]{13}$/,
  'millis or empty': /^(?:[0-9]{13})?$/,
  id: /^[0-9]+$/,
  text: /^[\s\S]+$/,
  any: /^[\s\S]*$/,
} as const

/** A shape, `= word` for exactly that, `a | b` for one of these, or `number`, `list`, `absent`. */
export type FieldShapes = Readonly<Record<string, string>>

/** Every field of the table is there in its shape, and no other field. */
export function looksLike(row: Row | undefined, fields: FieldShapes): void {
  expect(Object.keys(row ?? {}).sort(), JSON.stringify(row)).toEqual(
    Object.keys(fields)
      .filter((name) => fields[name] !== 'absent')
      .sort(),
  )
  for (const [name, shape] of Object.entries(fields)) {
    const value = row?.[name]
    const where = `${name} of ${JSON.stringify(row)}`
    if (shape === 'number') expect(value, where).toBeTypeOf('number')
    else if (shape === 'list') expect(value, where).toBeInstanceOf(Array)
    else if (shape === 'absent') expect(row, where).not.toHaveProperty(name)
    else if (shape in shapes) expect(value, where).toMatch(shapes[shape as keyof typeof shapes])
    else expect(shape.replace(/^= /, '').split(' | '), where).toContain(value)
  }
}
