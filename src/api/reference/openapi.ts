/**
 * The OpenAPI 3.1 document, made from the table: what is served is what is written here.
 *
 * Holds    every endpoint with its parameters, body, answer, permission and limit; schemas are the ones that validate
 * Wire     numbers of requests are written as digits in queries and accepted as text or number in bodies
 */
import type { Endpoint } from '../endpoint.ts'
import { windowSeconds } from '../rate-limits.ts'
import { codeTable, everyCall, everyPrivateCall, ownCodesText } from './codes.ts'
import { exampleOf, namesAnOrder } from './words/examples.ts'
import { placeWords, wordsOf } from './words/words.ts'

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
        `\n\nEvery call may answer:\n\n${codeTable(everyCall)}`,
        `\n\nEvery private call may answer besides:\n\n${codeTable(everyPrivateCall)}`,
        '\n\nCodes of 25xxx are of venues that speak the live dialect of v3.',
      ].join(' '),
    },
    paths,
    components: {
      securitySchemes: Object.fromEntries(schemes) as Json,
      schemas: { Failure: envelope({ type: 'null', description: 'Nothing' }) },
    },
  }
}

function operation(endpoint: Endpoint): Json {
  const { access, limit, method } = endpoint
  const request = endpoint.request as SchemaObject
  return {
    summary: endpoint.summary,
    description: [
      `Limit: ${limitText(limit)}.`,
      access === 'public'
        ? 'Public.'
        : `Permission: ${access.permission}, ${access.level === 'read' ? 'read' : 'read and write'}${access.mainAccount ? '; key of a main account' : ''}.`,
      `\n\nCodes of its own:\n\n${ownCodesText(method, endpoint.path)}`,
    ].join(' '),
    operationId: `${method.toLowerCase()}${endpoint.path.replace(/^\/api/, '').replace(/[/-]+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    tags: [
      endpoint.path
        .replace(/^\/api/, '')
        .split('/')
        .slice(1, -1)
        .slice(0, 2)
        .join(' '),
    ],
    ...(access === 'public' ? {} : { security: [Object.fromEntries(privateHeaders.map((name) => [name, []]))] }),
    ...(method === 'GET'
      ? { parameters: queryParameters(endpoint.path, request) }
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { title: 'Body', ...published(request) },
                ...bodyExample(endpoint.path, request),
              },
            },
          },
        }),
    responses: {
      200: answer(
        'Done',
        envelope({
          description: endpoint.summary,
          ...published(endpoint.response as SchemaObject, (field) => wordsOf(endpoint.path, field)),
        }),
      ),
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
    title: 'Answer',
    type: 'object',
    required: ['code', 'msg', 'requestTime', 'data'],
    properties: {
      code: { type: 'string', description: '00000: done; else why not' },
      msg: { type: 'string', description: 'success, or why not in words' },
      requestTime: { type: 'integer', description: 'When it was answered, Unix milliseconds' },
      data,
    },
  }
}

function queryParameters(path: string, { properties = {}, required = [] }: SchemaObject): readonly Json[] {
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...schema } = published(field)
    const needed = required.includes(name) && field.default === undefined
    const example = exampleOf(path, name, needed)
    return {
      name,
      in: 'query',
      required: needed,
      ...(description === undefined ? {} : { description }),
      schema,
      ...(example === undefined ? {} : { example }),
    }
  })
}

/** Of a body that can be sent as it stands; else the reader sees the fields. */
function bodyExample(path: string, { properties = {}, required = [] }: SchemaObject): Json {
  if (namesAnOrder(path)) return {}
  const given = Object.entries(properties).map(([name, field]): [string, unknown] => {
    const needed = required.includes(name) && field.default === undefined
    return [name, exampleOf(path, name, needed) ?? (needed ? missing : undefined)]
  })
  if (given.some(([, value]) => value === missing)) return {}
  const example = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  return Object.keys(example).length === 0 ? {} : { example }
}

const missing = Symbol('missing')

/**
 * A schema with what its fields mean, and without the words that only the reader uses; its rule in words serves as description, and fields with a default
 * are not required of the client.
 */
function published(
  { properties, required, items, anyOf, ...rest }: SchemaObject,
  wordsOfField: (field: string) => string | undefined = () => undefined,
): Json {
  const schema: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(rest)) {
    if (!keyword.startsWith('x-') && !keyword.startsWith('~')) schema[keyword] = value
  }
  schema['description'] ??= rest['x-rule']
  if (schema['description'] === undefined) delete schema['description']
  if (properties !== undefined) {
    const fields = Object.entries(properties)
    schema['properties'] = Object.fromEntries(fields.map(([name, field]) => [name, described(name, field)]))
    const needed = fields.filter(([name, field]) => required?.includes(name) && field.default === undefined)
    if (needed.length > 0) schema['required'] = needed.map(([name]) => name)
  }
  if (anyOf !== undefined) schema['anyOf'] = anyOf.map((one) => published(one, wordsOfField))
  if (items !== undefined && !isTuple(items)) schema['items'] = published(items, wordsOfField)
  if (items !== undefined && isTuple(items)) {
    // JSON Schema's word for the places of a tuple.
    const places = placeWords[items.length] ?? []
    schema['prefixItems'] = items.map((one, at) => ({ ...published(one, wordsOfField), description: places[at] }))
    schema['items'] = false
    delete schema['additionalItems']
  }
  return schema

  function described(name: string, field: SchemaObject): Json {
    const shown = published(field, wordsOfField)
    const description = shown['description'] ?? wordsOfField(name)
    return description === undefined ? shown : { ...shown, description }
  }
}

function isTuple(items: SchemaObject | readonly SchemaObject[]): items is readonly SchemaObject[] {
  return Array.isArray(items)
}
