/**
 * The OpenAPI 3.1 document, made from the table: what is served is what is written here.
 *
 * Holds    every endpoint with its parameters, body, answer, permission and limit; schemas are the ones that validate
 * Wire     numbers of requests are written as digits in queries and accepted as text or number in bodies
 */
import type { Endpoint } from '../endpoint.ts'
import { windowSeconds } from '../rate-limits.ts'

interface SchemaObject {
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly items?: SchemaObject | readonly SchemaObject[]
  readonly anyOf?: readonly SchemaObject[]
  readonly description?: string
  readonly [keyword: string]: unknown
}

type Json = { readonly [name: string]: unknown }

const privateHeaders = ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-TIMESTAMP', 'ACCESS-PASSPHRASE'] as const

export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of endpoints) {
    const operations = (paths[endpoint.path] ??= {})
    operations[endpoint.method.toLowerCase()] = operation(endpoint)
  }
  const schemes = privateHeaders.map((name) => [name, { type: 'apiKey', in: 'header', name }])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidemark',
      version,
      description: [
        'Trading and account interface: spot, margin and futures.',
        'Every answer is `{code, msg, requestTime, data}`, a refusal too; `00000` means done.',
        'Private calls carry a key, its passphrase, the time in milliseconds, and a signature: the base64 of HMAC-SHA256,',
        "with the key's secret, over timestamp, method, path with query, and body, one after the other.",
      ].join(' '),
    },
    paths,
    components: {
      securitySchemes: Object.fromEntries(schemes) as Json,
      schemas: { Failure: envelope({ type: 'null' }) },
    },
  }
}

function operation(endpoint: Endpoint): Json {
  const { access, limit, method } = endpoint
  const request = endpoint.request as SchemaObject
  return {
    summary: endpoint.summary,
    description: [
      `Source: ${endpoint.source}.`,
      `Limit: ${limitText(limit)}.`,
      access === 'public'
        ? 'Public.'
        : `Permission: ${access.permission}, ${access.level === 'read' ? 'read' : 'read and write'}${access.mainAccount ? '; key of a main account' : ''}.`,
    ].join(' '),
    operationId: `${method.toLowerCase()}${endpoint.path.slice(4).replace(/[/-]+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    tags: [endpoint.path.split('/').slice(2, 4).join(' ')],
    ...(access === 'public' ? {} : { security: [Object.fromEntries(privateHeaders.map((name) => [name, []]))] }),
    ...(method === 'GET'
      ? { parameters: queryParameters(request) }
      : { requestBody: { required: true, content: { 'application/json': { schema: published(request) } } } }),
    responses: {
      200: answer('Done', envelope(published(endpoint.response as SchemaObject))),
      default: answer('Refused or failed: `code` says why', { $ref: '#/components/schemas/Failure' }),
    },
  }
}

export function limitText({ perSecond, per, copyTraderPerSecond }: Endpoint['limit']): string {
  const seconds = windowSeconds(perSecond)
  const usual = seconds > 1 ? `1 per ${seconds} seconds` : `${perSecond} per second`
  const traders = copyTraderPerSecond === undefined ? '' : `, ${copyTraderPerSecond} per second for copy traders`
  return `${usual} per ${per === 'uid' ? 'UID' : 'IP'}${traders}`
}

function answer(meaning: string, schema: Json): Json {
  return { description: meaning, content: { 'application/json': { schema } } }
}

function envelope(data: Json): Json {
  return {
    type: 'object',
    required: ['code', 'msg', 'requestTime', 'data'],
    properties: { code: { type: 'string' }, msg: { type: 'string' }, requestTime: { type: 'integer' }, data },
  }
}

function queryParameters({ properties = {}, required = [] }: SchemaObject): readonly Json[] {
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...schema } = published(field)
    const needed = required.includes(name) && field.default === undefined
    return { name, in: 'query', required: needed, ...(description === undefined ? {} : { description }), schema }
  })
}

/**
 * A schema without the words that only the reader uses; its rule in words serves as description, and fields with a default
 * are not required of the client.
 */
function published({ properties, required, items, anyOf, ...rest }: SchemaObject): Json {
  const schema: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(rest)) {
    if (!keyword.startsWith('x-') && !keyword.startsWith('~')) schema[keyword] = value
  }
  schema['description'] ??= rest['x-rule']
  if (schema['description'] === undefined) delete schema['description']
  if (properties !== undefined) {
    const fields = Object.entries(properties)
    schema['properties'] = Object.fromEntries(fields.map(([name, field]) => [name, published(field)]))
    const needed = fields.filter(([name, field]) => required?.includes(name) && field.default === undefined)
    if (needed.length > 0) schema['required'] = needed.map(([name]) => name)
  }
  if (anyOf !== undefined) schema['anyOf'] = anyOf.map(published)
  if (items !== undefined && !isTuple(items)) schema['items'] = published(items)
  if (items !== undefined && isTuple(items)) {
    // JSON Schema's word for the places of a tuple.
    schema['prefixItems'] = items.map(published)
    schema['items'] = false
    delete schema['additionalItems']
  }
  return schema
}

function isTuple(items: SchemaObject | readonly SchemaObject[]): items is readonly SchemaObject[] {
  return Array.isArray(items)
}
