/**
 * Holds every answer of a venue to what its endpoint documents: no field missing, none extra, each of its type.
 *
 * Schemas    those of the table of endpoints, with every object closed to fields that are not documented
 * Failures   have `data` null
 */
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { type Endpoint, endpoints } from '../../src/api/api.ts'
import type { Answer } from './http.ts'

type Schema = Readonly<Record<string, unknown>>

/** The same schema, its objects and tuples without room for anything that it does not name. */
function closed(schema: Schema): Schema {
  const inside = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, closedPart(value)]))
  if (schema['type'] === 'object') return { ...inside, additionalProperties: false }
  return inside
}

function closedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedPart)
  return typeof value === 'object' && value !== null ? closed(value as Schema) : value
}

const byName = new Map<string, Endpoint>(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
const validators = new Map<Endpoint, ReturnType<typeof Compile>>()

function validatorOf(endpoint: Endpoint): ReturnType<typeof Compile> {
  let validator = validators.get(endpoint)
  if (validator === undefined) {
    validator = Compile(closed(endpoint.response as unknown as Schema) as TSchema)
    validators.set(endpoint, validator)
  }
  return validator
}

/** What an answer has that its endpoint does not document, or lacks that it does; undefined: nothing. */
export function undocumented(method: string, target: string, answer: Answer): string | undefined {
  const endpoint = byName.get(`${method} ${target.split('?', 1)[0] ?? ''}`)
  if (endpoint === undefined) return undefined
  const { code, data, envelope = {} } = answer
  const members = Object.keys(envelope).sort().join(' ')
  if (members !== 'code data msg requestTime') return `an envelope of ${members}`
  if (code !== '00000') return data === null ? undefined : 'a failure with data'
  const validator = validatorOf(endpoint)
  if (validator.Check(data)) return undefined
  const [fault] = validator.Errors(data)
  return `${fault?.instancePath ?? ''} ${fault?.message ?? ''} ${JSON.stringify(fault?.params ?? {})}`
}
