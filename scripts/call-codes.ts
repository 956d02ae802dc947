/**
 * `npm run codes:page`: reads out of the source which codes each call may answer, and writes them for the reference
 * (src/api/reference/call-codes.ts). `--check` writes nothing, and exits 1 where they are others now.
 *
 * Reads      the syntax tree of src/: from the handler of a call it follows every name to where that is declared, and so on
 * Collects   codes that are written there · commands and queries that are sent: of those, the refusals that the engine has on
 *            their way, in the code of the call's family
 * Narrows    by `version` and `family`, which the path of a call decides: of `version === 'v3' ? a : b` one branch counts
 * Requests   what the reader of a schema gives is read from the schema as it runs
 * Wide       a code on a branch that this call never takes is listed too; what is answered and not listed fails the tests of
 *            calls (test/support/http.ts)
 * Not here   codes that any call may answer, whatever it does (call-codes.ts is about the others)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { endpoints } from '../src/api/api.ts'
import type { Endpoint } from '../src/api/endpoint.ts'
import { edgeCodes, liveCode, refusalCodes } from '../src/api/errors/dialect.ts'
import { type Code, type Family, isCode, refusalCode } from '../src/api/errors/errors.ts'
import { callCodes } from '../src/api/reference/call-codes.ts'
import { everyCall, everyPrivateCall } from '../src/api/reference/codes.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const target = join(checkout, 'src/api/reference/call-codes.ts')

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

/** Something that is declared at the top of a file, or a part of it. */
interface Unit {
  readonly file: string
  readonly node: Node
}

interface Source {
  readonly declared: Map<string, Node>
  /** Local name: where it comes from. `*`: all of a file. */
  readonly imported: Map<string, { readonly file: string; readonly name: string }>
  /** Exported under another name, or from another file. */
  readonly passedOn: Map<string, { readonly file: string; readonly name: string }>
  readonly passedWhole: string[]
  readonly program: Node
}

const sources = new Map<string, Source>()

function sourceOf(file: string): Source {
  let source = sources.get(file)
  if (source === undefined) sources.set(file, (source = readSource(file)))
  return source
}

function readSource(file: string): Source {
  const program = parseSync(file, readFileSync(join(checkout, file), 'utf8')).program as unknown as Node
  const source: Source = { declared: new Map(), imported: new Map(), passedOn: new Map(), passedWhole: [], program }
  for (const statement of program['body'] as Node[]) readStatement(file, source, statement)
  return source
}

function readStatement(file: string, source: Source, statement: Node): void {
  const from = (statement['source'] as { value: string } | null | undefined)?.value
  const place = from?.startsWith('.') ? join(dirname(file), from) : undefined
  if (statement.type === 'ImportDeclaration') {
    if (place === undefined || statement['importKind'] === 'type') return
    for (const specifier of statement['specifiers'] as Node[]) {
      if (specifier['importKind'] === 'type') continue
      const name = specifier.type === 'ImportNamespaceSpecifier' ? '*' : nameOf(specifier['imported'] as Node)
      source.imported.set(nameOf(specifier['local'] as Node), { file: place, name })
    }
  } else if (statement.type === 'ExportAllDeclaration') {
    if (place === undefined || statement['exportKind'] === 'type') return
    const alias = statement['exported'] as Node | null
    if (alias === null) source.passedWhole.push(place)
    else source.passedOn.set(nameOf(alias), { file: place, name: '*' })
  } else if (statement.type === 'ExportNamedDeclaration') {
    for (const specifier of statement['specifiers'] as Node[]) {
      const local = nameOf(specifier['local'] as Node)
      const alias = nameOf(specifier['exported'] as Node)
      source.passedOn.set(alias, { file: place ?? file, name: local })
    }
    if (statement['declaration'] !== null) readStatement(file, source, statement['declaration'] as Node)
  } else if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    source.declared.set(nameOf(statement['id'] as Node), statement)
  } else if (statement.type === 'VariableDeclaration') {
    for (const declarator of statement['declarations'] as Node[]) {
      for (const name of namesIn(declarator['id'] as Node)) source.declared.set(name, declarator)
    }
  }
}

function nameOf(node: Node): string {
  return (node['name'] ?? node['value']) as string
}

function namesIn(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [nameOf(pattern)]
  return childrenOf(pattern).flatMap(namesIn)
}

/** What stands below a node and runs: no types. */
function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([member, value]) => {
    if (member === 'typeAnnotation' || member === 'typeArguments' || member === 'typeParameters') return []
    const parts = (Array.isArray(value) ? value : [value]) as unknown[]
    return parts.filter((part): part is Node => typeof part === 'object' && part !== null && 'type' in part)
  })
}

/** Where a name leads, in the file that uses it. */
function resolve(file: string, name: string, member?: string): Unit | undefined {
  const source = sourceOf(file)
  const declared = source.declared.get(name)
  if (declared !== undefined) return { file, node: declared }
  const from = source.imported.get(name)
  if (from === undefined) return undefined
  if (from.name !== '*') return exported(from.file, from.name, member)
  return member === undefined ? undefined : exported(from.file, member)
}

function exported(file: string, name: string, member?: string): Unit | undefined {
  if (!existsSync(join(checkout, file))) return undefined
  const source = sourceOf(file)
  const passed = source.passedOn.get(name)
  if (passed !== undefined) {
    if (passed.name === '*') return member === undefined ? undefined : exported(passed.file, member)
    return passed.file === file ? resolve(file, passed.name, member) : exported(passed.file, passed.name, member)
  }
  const declared = source.declared.get(name)
  if (declared !== undefined) return { file, node: declared }
  for (const whole of source.passedWhole) {
    const found = exported(whole, name, member)
    if (found !== undefined) return found
  }
  return undefined
}

/** What a path decides. */
interface Circumstances {
  readonly version: string
  readonly family: string
}

/** What was met on the way. */
interface Found {
  readonly codes: Set<Code>
  readonly kinds: Set<string>
  /** Of calls that speak for another family than their path says, by what they are asked. */
  readonly families: Set<string>
}

const testedNames = ['version', 'family'] as const

/** Whether a test of the circumstances holds; undefined: it is about something else. */
function decided(test: Node, circumstances: Circumstances): boolean | undefined {
  if (test.type !== 'BinaryExpression') return undefined
  const left = test['left'] as Node
  const right = test['right'] as Node
  const name = testedNames.find((one) => nameOf(left) === one)
  if (name === undefined || right.type !== 'Literal') return undefined
  const same = circumstances[name] === right['value']
  if (test['operator'] === '===') return same
  return test['operator'] === '!==' ? !same : undefined
}

/** Tables of all codes, of which a reader takes a row: to meet them says nothing. */
const tables = new Set(['codes', 'refusalCodes', 'edgeCodes', 'liveByCode', 'sentences'])

function follow(start: Unit, circumstances: Circumstances): Found {
  const found: Found = { codes: new Set(), kinds: new Set(), families: new Set() }
  const seen = new Set<Node>()
  const waiting: Unit[] = [start]
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    if (seen.has(unit.node)) continue
    seen.add(unit.node)
    visit(unit.node, unit.file)
  }
  return found

  function visit(node: Node, file: string): void {
    if (node.type.startsWith('TS') && !('expression' in node)) return
    switch (node.type) {
      case 'Literal': {
        const { value } = node
        if (typeof value !== 'string') return
        if (file.startsWith('src/engine/')) found.kinds.add(value)
        else if (file.startsWith('src/api/') && isCode(value)) found.codes.add(value)
        return
      }
      case 'Identifier': {
        reach(resolve(file, nameOf(node)))
        return
      }
      case 'ConditionalExpression':
      case 'IfStatement': {
        const test = node['test'] as Node
        const holds = decided(test, circumstances)
        visit(test, file)
        if (holds !== false) visit(node['consequent'] as Node, file)
        if (holds !== true && node['alternate'] !== null) visit(node['alternate'] as Node, file)
        return
      }
      case 'MemberExpression': {
        const object = node['object'] as Node
        const property = node['property'] as Node
        const member = node['computed'] === true ? undefined : nameOf(property)
        if (object.type === 'Identifier') {
          if (nameOf(object) === 'edgeCodes') takeRows(property)
          else reach(resolve(file, nameOf(object), member))
        } else visit(object, file)
        if (node['computed'] === true) visit(property, file)
        return
      }
      case 'Property': {
        const value = node['value'] as Node
        if (node['computed'] === true) visit(node['key'] as Node, file)
        else if (nameOf(node['key'] as Node) === 'response') return
        else if (nameOf(node['key'] as Node) === 'family')
          for (const family of literalsOf(value)) found.families.add(family)
        else if (nameOf(node['key'] as Node) === 'kind') for (const kind of literalsOf(value)) found.kinds.add(kind)
        visit(value, file)
        return
      }
      default:
        for (const child of childrenOf(node)) visit(child, file)
    }
  }

  function reach(unit: Unit | undefined): void {
    if (unit === undefined) return
    const id = unit.node['id'] as Node | undefined
    if (id !== undefined && id.type === 'Identifier' && tables.has(nameOf(id))) return
    waiting.push(unit)
  }

  /** `edgeCodes['no such coin']`, or with a name in parts: every row that it may be. */
  function takeRows(property: Node): void {
    const pattern = property.type === 'Literal' ? [String(property['value'])] : templateTexts(property)
    for (const [reason, [code]] of Object.entries(edgeCodes)) {
      if (pattern.every((part) => reason.includes(part))) found.codes.add(code)
    }
  }
}

function templateTexts(node: Node): string[] {
  const quasis = node['quasis'] as { value: { cooked: string } }[]
  return quasis.map(({ value }) => value.cooked)
}

function literalsOf(node: Node): string[] {
  if (node.type === 'Literal') return [String(node['value'])]
  if (node.type === 'ConditionalExpression') {
    return [...literalsOf(node['consequent'] as Node), ...literalsOf(node['alternate'] as Node)]
  }
  return 'expression' in node ? literalsOf(node['expression'] as Node) : []
}

/** The cases of a switch over `kind`, in a function of the engine. */
function casesOf(file: string, name: string): Map<string, Unit> {
  const cases = new Map<string, Unit>()
  const search = (node: Node): void => {
    if (node.type === 'SwitchCase' && node['test'] !== null) {
      const test = node['test'] as Node
      if (test.type === 'Literal') cases.set(String(test['value']), { file, node })
    }
    if (node.type === 'Property') cases.set(String(nameOf(node['key'] as Node)), { file, node: node['value'] as Node })
    for (const child of childrenOf(node)) search(child)
  }
  const declared = sourceOf(file).declared.get(name)
  if (declared === undefined) throw new Error(`${file} has no ${name}`)
  search(declared)
  return cases
}

const dispatched = new Map([
  ...casesOf('src/engine/engine.ts', 'apply'),
  ...casesOf('src/engine/views/views.ts', 'answers'),
])
const refusals = new Map<string, readonly string[]>()

/** Reasons that stand on the way of a command or a query through the engine. */
function refusalsOf(kind: string): readonly string[] {
  const known = refusals.get(kind)
  if (known !== undefined) return known
  const start = dispatched.get(kind)
  const kinds = start === undefined ? [] : [...follow(start, { version: '', family: '' }).kinds]
  refusals.set(kind, kinds)
  return kinds
}

interface SchemaFields {
  readonly properties?: Readonly<Record<string, SchemaFields>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly items?: SchemaFields
  readonly 'x-code'?: Code
}

function* schemaCodes(schema: SchemaFields): Generator<Code> {
  if (schema['x-code'] !== undefined) yield schema['x-code']
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) && field.default === undefined) yield '40019'
    yield* schemaCodes(field)
  }
  if (schema.items !== undefined) yield* schemaCodes(schema.items)
}

function familyOf(path: string): Family {
  if (path.startsWith('/api/v3/')) return 'v3'
  if (path.startsWith('/api/v2/mix/')) return 'futures'
  return path.startsWith('/api/v2/margin/') ? 'margin' : 'spot'
}

/** Where a call is written: its definition, or the call of what makes definitions with its path. */
const written = new Map<string, Unit>()

for (const path of readdirSync(join(checkout, 'src/api'), { recursive: true, encoding: 'utf8' })) {
  const file = join('src/api', path)
  if (!file.endsWith('.ts') || file.startsWith('src/api/reference/')) continue
  const { program, declared } = sourceOf(file)
  findDefinitions(file, program)
  for (const node of declared.values()) findLists(file, node, node)
}

function findDefinitions(file: string, node: Node): void {
  if (node.type === 'CallExpression') {
    const [first] = node['arguments'] as (Node | undefined)[]
    for (const argument of [
      ...(node['arguments'] as Node[]),
      ...((first?.['properties'] as Node[] | undefined) ?? []),
    ]) {
      const text = argument.type === 'Property' ? (argument['value'] as Node)['value'] : argument['value']
      const method = methodIn(first)
      if (typeof text === 'string' && /^\/(api\/v|terminal\/)/.test(text))
        written.set(`${method} ${text}`, { file, node })
    }
  }
  for (const child of childrenOf(node)) findDefinitions(file, child)
}

/** Paths of a list that definitions are made of: all of what is declared there. */
function findLists(file: string, declared: Node, node: Node): void {
  if (node.type === 'ArrayExpression') {
    for (const { type, value } of node['elements'] as Node[]) {
      if (type === 'Literal' && typeof value === 'string' && !written.has(`any ${value}`))
        written.set(`any ${value}`, { file, node: declared })
    }
  }
  for (const child of childrenOf(node)) findLists(file, declared, child)
}

function methodIn(definition: Node | undefined): string {
  const properties = (definition?.['properties'] as Node[] | undefined) ?? []
  const method = properties.find((one) => one.type === 'Property' && nameOf(one['key'] as Node) === 'method')
  const word = (method?.['value'] as Node | undefined)?.['value']
  return typeof word === 'string' ? word : 'any'
}

const anywhere: ReadonlySet<string> = new Set([...everyCall, ...everyPrivateCall])

function codesOf(endpoint: Endpoint): readonly Code[] {
  const { method, path } = endpoint
  const start = written.get(`${method} ${path}`) ?? written.get(`any ${path}`)
  if (start === undefined) throw new Error(`${method} ${path} is not found in the source`)
  const family = familyOf(path)
  const version = family === 'v3' ? 'v3' : 'v2'
  const { codes, kinds, families } = follow(start, { version, family })
  const reasons = [...kinds].flatMap((kind) => [kind, ...refusalsOf(kind)])
  for (const code of schemaCodes(endpoint.request)) codes.add(code)
  codes.add(version === 'v3' ? '400172' : '40017')
  for (const reason of reasons) {
    for (const one of new Set([family, ...families])) {
      const code = refusalCode(reason, one as Family)
      if (code !== undefined) codes.add(code)
    }
    if (version === 'v3' && Object.hasOwn(refusalCodes, reason))
      codes.add(refusalCodes[reason as keyof typeof refusalCodes][1])
  }
  if (version === 'v3') for (const code of Array.from(codes)) codes.add(liveCode(code))
  return [...codes].filter((code) => !anywhere.has(code)).sort()
}

const made = Object.fromEntries(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, codesOf(endpoint)]))

if (process.argv.includes('--check')) {
  const stale = Object.keys({ ...made, ...callCodes }).filter((call) => String(made[call]) !== String(callCodes[call]))
  for (const call of stale) console.error(`${call}: its codes are others now, npm run codes:page`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  const rows = Object.entries(made).map(([call, codes]) => `  '${call}': ${JSON.stringify(codes)},`)
  const text = [
    '/** Codes that each call may answer besides those of every call, read out of the source: `npm run codes:page` writes them. */',
    "import type { Code } from '../errors/errors.ts'",
    '',
    'export const callCodes: Readonly<Record<string, readonly Code[]>> = {',
    ...rows,
    '}',
    '',
  ].join('\n')
  writeFileSync(target, text)
  spawnSync('node_modules/.bin/biome', ['format', '--write', target], { cwd: checkout, stdio: 'ignore' })
}
