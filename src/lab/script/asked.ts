/**
 * The call that begins a script: `{text, file}` for what stands in a file, or its fields as JSON.
 *
 * Source  lab.md §4.10
 */
import type { StaticDecode } from 'typebox'
import { body, field, optional } from '../../operator/operator.ts'
import { fieldWrong } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import { scriptsOf } from './script.ts'

const some = field('a value', (value) => (value === undefined ? undefined : { value }))
const fileText = field('the text of a script', (value) => (typeof value === 'string' ? value : undefined))
const fileName = field('a name of at most 200 characters', (value) => {
  return typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : undefined
})
const scriptName = field('a word of 1 to 32 letters, digits and hyphens', (value) => {
  return typeof value === 'string' && /^[A-Za-z0-9-]{1,32}$/.test(value) ? value : undefined
})

export const scriptBody = body({
  text: optional(fileText),
  file: optional(fileName),
  name: optional(scriptName),
  symbol: optional(some),
  category: optional(some),
  makers: optional(some),
  steps: optional(some),
})

/** Throws LabRefusal. */
export function beginScript(sent: StaticDecode<typeof scriptBody>, venue: LabVenue) {
  const { text, file, name, symbol, category, makers, steps } = sent
  const fields = Object.entries({ symbol, category, makers, steps }).filter(([, given]) => given !== undefined)
  if (text === undefined) {
    if (file !== undefined) throw fieldWrong('file', 'goes with text')
    const values = Object.fromEntries(fields.map(([named, given]) => [named, given?.value]))
    return scriptsOf(venue).begin({ text: JSON.stringify(values), file: undefined }, name)
  }
  if (fields.length > 0) throw fieldWrong(fields[0][0], 'goes without text, which has all of it')
  return scriptsOf(venue).begin({ text, file: file ?? 'script' }, name)
}
