/**
 * The reference: the document has what is served and nothing else. (The page that shows it: test/terminal/terminal.test.ts.)
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints, referencePages } from '../../src/api/api.ts'
import { type Edge, openEdge } from './edge.ts'

let edge: Edge

beforeAll(async () => {
  edge = await openEdge({ endpoints, pages: referencePages().pages })
})
afterAll(async () => {
  await edge?.api.close()
})

async function ask(method: string, path: string) {
  const answer = await fetch(new URL(path, edge.url), { method })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >
}

test('its version is that of the release', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as object
  const { info } = JSON.parse((await ask('GET', '/api/openapi.json')).text) as { info: object }
  expect(info).toMatchObject({ version: (manifest as { version: string }).version })
})

async function documented(): Promise<[method: string, path: string, operation: Operation][]> {
  const { status, text } = await ask('GET', '/api/openapi.json')
  expect(status).toBe(200)
  const { openapi, paths } = JSON.parse(text) as {
    openapi: string
    paths: Record<string, Record<string, Operation>>
  }
  expect(openapi).toBe('3.1.0')
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, string, Operation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  )
}

test('every documented path exists', async () => {
  for (const [method, path] of await documented()) {
    expect([200, 400], path).toContain((await ask(method, path)).status)
  }
})

test('every existing path is documented', async () => {
  const named = new Set((await documented()).map(([, path]) => path))
  expect(endpoints.length).toBeGreaterThan(100)
  expect(endpoints.map(({ path }) => path).filter((path) => !named.has(path))).toEqual([])
})

test('every operation says what its answer carries', async () => {
  for (const [, path, { responses }] of await documented()) {
    const { schema } = responses['200']?.content['application/json'] ?? {}
    const { data } = (schema as { properties: { data: object } }).properties
    expect(Object.keys(data), path).not.toEqual([])
  }
})

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

/** Everything in a schema that has a name or a place, with where it stands. */
function* partsOf(schema: Schema, at: string): Generator<readonly [at: string, part: Schema]> {
  const parts = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.prefixItems ?? []).map((part, place): [string, Schema] => [String(place), part]),
  ]
  for (const [name, part] of parts) {
    yield [`${at}.${name}`, part]
    yield* partsOf(part, `${at}.${name}`)
  }
  for (const part of [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])]) yield* partsOf(part, at)
}

test('every field of every answer says what it means, in more than its name', async () => {
  const wordless: string[] = []
  let count = 0
  for (const [method, path, { responses }] of await documented()) {
    const { schema } = responses['200'].content['application/json'] as { schema: Schema }
    for (const [at, { description = '' }] of partsOf(schema, `${method} ${path}`)) {
      count++
      const name = at.split('.').at(-1)!.toLowerCase()
      const said = description.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
      // A level of a book is a price and a quantity: these two words are all there is to say.
      if (said === '' || said === name || said.length < 5) wordless.push(`${at}: "${description}"`)
    }
  }
  expect(wordless).toEqual([])
  expect(count).toBeGreaterThan(2_400)
})

test('no two fields of an answer mean the same, but for spellings of one name', async () => {
  const found: string[] = []
  for (const [method, path, { responses }] of await documented()) {
    const look = (schema: object): void => {
      const { properties = {} } = schema as { properties?: Record<string, { description?: string }> }
      const meanings = Map.groupBy(Object.keys(properties), (name) => properties[name]?.description)
      for (const [words, names] of meanings) {
        const isOne = new Set(names.map((name) => name.toLowerCase())).size === 1
        if (words !== undefined && !isOne) found.push(`${method} ${path}: ${names.join(', ')}: ${words}`)
      }
      for (const inner of Object.values(schema)) {
        if (Array.isArray(inner)) inner.filter((one) => typeof one === 'object' && one !== null).forEach(look)
        else if (typeof inner === 'object' && inner !== null) look(inner as object)
      }
    }
    look(responses['200']?.content['application/json']?.schema ?? {})
  }
  expect(found).toEqual([])
})

test('no description names a document that the reader does not have', async () => {
  const { text } = await ask('GET', '/api/openapi.json')
  expect(text.match(/Source:|interface\.md|design\.md|risk-engine\.md|wire\//g)).toBeNull()
})

test.each([
  ['/docs/json', 'application/json'],
  ['/docs/yaml', 'application/x-yaml'],
])('the document is at %s too, as %s', async (path, contentType) => {
  const { status, headers, text } = await ask('GET', path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain(contentType)
  expect(JSON.parse(text)).toEqual(JSON.parse((await ask('GET', '/api/openapi.json')).text))
})
