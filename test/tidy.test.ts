/**
 * The house rules that no compiler checks, as one ordinary test over the source. They say which room imports which, what
 * the engine must not know of, which floor only reads, and what no file leaves behind. The rules are the data below;
 * everything after them reads files.
 *
 * Files are read as text: comments are blanked before imports are looked for, and quoted strings too before words are.
 * Tests under src/ are held only to the rules that say so.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The rooms of src/ from top to bottom: a room imports only from rooms below it. */
const rooms = [
  'cli',
  'processes',
  'grade',
  'lab',
  'cluster',
  'operator',
  'gateway',
  'simulator',
  'mirror',
  'tape',
  'house-book',
  'terminal',
  'stream',
  'api',
  'market',
  'history',
  'jetstream',
  'replication',
  'runtime',
  'journal',
  'engine',
  'http',
]

/** The rooms of web/ from top to bottom: a room imports only from rooms below it. Files beside the rooms make the pages. */
const webRooms = [
  'guide',
  'reference',
  'desk',
  'lab',
  'panels',
  'chart',
  'parts',
  'actions',
  'store',
  'trading',
  'venue',
  'numbers',
  'words',
  'styles',
]
const webPages = ['web/main.tsx', 'web/terminal.tsx', 'web/vite.config.ts']

/**
 * The floors of src/engine/ from the ground up, and on each its rooms and loose files from the lowest to the highest.
 * An import, of types too, runs down only.
 */
const engineFloors = {
  ground: ['numbers', 'catalog', 'vocabulary.ts', 'protocol'],
  state: ['storage', 'book', 'state'],
  rules: [
    'records',
    'price-rules',
    'margin',
    'lending',
    'admission',
    'liquidation-rules',
    'account-rules',
    'venue-rules',
  ],
  commands: [
    'pricing',
    'ledger-postings',
    'loans',
    'triggers',
    'positions',
    'settlement',
    'orders',
    'liquidation',
    'accounts',
    'venue',
  ],
  readers: ['explain', 'verify.ts', 'views', 'prefetch.ts'],
  top: ['engine.ts'],
} as const

const engineRooms: readonly string[] = Object.values(engineFloors).flat()

/** Each file of `protocol` is a door. */
const protocol = 'protocol'

/**
 * A room is entered by the file with its own name. The engine has more doors: its protocol, and what that is made of:
 * numbers, the catalogue, and the names of modes and wallets.
 */
const doorsBesides: Record<string, readonly string[]> = {
  engine: [
    'vocabulary.ts',
    'protocol/command.ts',
    'protocol/event.ts',
    'protocol/explanation.ts',
    'protocol/query.ts',
    'protocol/reply.ts',
    'protocol/rules.ts',
    'numbers/numbers.ts',
    'catalog/catalog.ts',
  ],
  runtime: ['core.ts', 'parts.ts'],
  // Those of gateways and of whoever is told of a database: one process for all loads neither.
  history: ['postgres-history.ts', 'read-elsewhere.ts'],
  // The command line asks these without loading a venue.
  operator: [
    // Loaded where a database is named.
    'keys/postgres-keys.ts',
    'config/settings.ts',
    'config/cluster-file.ts',
    'config/address-forms.ts',
    'config/configuration.ts',
    'data-directory.ts',
    'address-range.ts',
    'spans.ts',
    'acceptance.ts',
  ],
  lab: ['settings.ts', 'recording/recordings.ts'],
  // Whoever runs one loads that one.
  processes: ['core.ts', 'doors.ts', 'gateway.ts', 'history.ts', 'laboratory.ts'],
}

/** Composes the rooms, so it imports whichever it likes (by their doors). */
const composition = 'src/main.ts'

/** Imports that the rules would forbid, each with its reason. */
const allowed = [
  // The command line starts the whole.
  { from: 'src/cli/settings.ts', to: composition },
  { from: 'src/cli/dev.ts', to: composition },
  { from: 'src/cli/replay.ts', to: composition },
  // The grader is a client of laboratories like any test: it has no other way to them than the helper.
  { from: 'src/grade/laboratory.ts', to: 'clients/typescript/index.ts' },
]

/**
 * Words that were replaced by the trade's own (docs/glossary.md): no name in code. In the engine a few more meant something that
 * has another name now. What is saved or on the wire keeps its spelling: columns, keys, fields of records.
 */
const retiredWords = words(`
  unionStanding UnionStanding unionEquity unionSpendable unionLiquidationPrice standingOf domainStanding domainEquity
  domainAvailable domainTransferable refuseByStanding orderFreeze mayFreeze isCoinFrozen isPoolFrozen coinFreeze
  announceFreezes notionalFine maintenanceFine pnlFine neededFine shedOrders carriesMaker carriesSpotMaker leavePlace
  stopAtOnce endOrder planSweep emptyPlan lookAtReached workOff tellInsurance tellConversion announceFill announceTrade
  guardRow spotGuardRow endGuards nearestGuards growPresets growSpotPresets fireTriggers fireTraded doubtfulOf everyCoin
  glance FillsAsk orderStory liquidationStory Happening happeningsOf tellsClosed Dialect usualWeather weatherOf Whipsaw
  MarketPulse Chance RoomQuestion hindrance one_ Guard guard guards
`)
const retiredInEngine = words(`
  Venue Standing Asked Taken Plan SpotGuard Preset Presets Waiting openRow handOver goOn lessen readmit displaced
  isFrozen freeze freezes fine fire lights unionRatio union unions domain domains standing preset nobody one
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

interface TextRule {
  readonly name: string
  /** Files under one of these paths … */
  readonly under: string | readonly string[]
  /** … but not under this one … */
  readonly except?: string
  /** … hold nothing that matches. */
  readonly forbids: RegExp
  /** Comments, strings and tests count too. */
  readonly everywhere?: true
}

/** Paths of the rooms and loose files of a floor. */
function floor(name: keyof typeof engineFloors): string[] {
  return engineFloors[name].map((room) => `src/engine/${room}${room.endsWith('.ts') ? '' : '/'}`)
}

/** The state, its parts and its rows, as those see them who may write. */
const writable = /\b(State|Prices|Loans|Ledger|Futures|OrderTable|TriggerTable|(Account|Exposure|Position)Row)\b/

const textRules: readonly TextRule[] = [
  {
    name: 'rules only read: they take Reading',
    under: floor('rules'),
    forbids: writable,
  },
  {
    name: 'readers only read: they take Reading',
    under: floor('readers'),
    forbids: writable,
  },
  {
    name: 'the state tells nothing and decides nothing',
    under: floor('state'),
    except: 'src/engine/state/state.ts',
    forbids: /\b(Event|Reply|Refusal|emit)\b/,
  },
  { name: 'the engine has no clock', under: 'src/engine/', forbids: /\b(Date|performance|Temporal)\b/ },
  { name: 'the engine has no randomness', under: 'src/engine/', forbids: /\b(Math\.random|crypto)\b/ },
  { name: 'the engine is synchronous', under: 'src/engine/', forbids: /\b(async|await|Promise|queueMicrotask)\b/ },
  { name: 'the engine sets no timers', under: 'src/engine/', forbids: /\bset(Timeout|Interval|Immediate)\b/ },
  {
    name: 'the engine touches nothing outside',
    under: 'src/engine/',
    forbids: /\b(process\.|globalThis\b|console\b|fetch\s*\()/,
  },
  {
    name: 'the engine has no floating-point functions that differ between machines',
    under: 'src/engine/',
    forbids: /\bMath\.(a?(sin|cos|tan)h?|atan2|exp|expm1|log|log2|log10|log1p|pow|cbrt|hypot)\b/,
  },
  { name: 'the engine has no locale', under: 'src/engine/', forbids: /\b(toLocale\w*|localeCompare|Intl)\b/ },
  { name: 'only the command line prints', under: 'src/', except: 'src/cli/', forbids: /\bconsole\.\w+/ },
  {
    name: 'only the process of the command changes V8',
    under: 'src/',
    except: 'src/cli/cli.ts',
    forbids: /(?<!function )\bsetV8\b/,
  },
  { name: 'nothing is left to do', under: 'src/', forbids: /\b(TODO|FIXME)\b/, everywhere: true },
]

/** What is wrong with these files (path from the checkout to text), one sentence each. */
function findings(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  for (const [path, text] of files) {
    const isTest = path.endsWith('.test.ts')
    const code = blank(text, { strings: true })
    for (const rule of textRules) {
      const isUnder = [rule.under].flat().some((under) => path.startsWith(under))
      if (!isUnder || (rule.except !== undefined && path.startsWith(rule.except))) continue
      if (isTest && !rule.everywhere) continue
      const match = rule.forbids.exec(rule.everywhere ? text : code)
      if (match) found.push(`${path}:${lineAt(rule.everywhere ? text : code, match.index)} ${rule.name}: ${match[0]}`)
    }
    if (isTest) continue
    if (!text.startsWith('/**')) found.push(`${path}:1 a file begins with its header comment`)
    for (const { specifier, line } of importsOf(blank(text, { strings: false }))) {
      const fault = importFault(path, specifier)
      if (fault !== undefined) found.push(`${path}:${line} ${fault}: ${specifier}`)
    }
  }
  return found
}

/** What is wrong with these files of web/: headers and imports alone. */
function webFindings(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  for (const [path, text] of files) {
    if (!text.startsWith('/**')) found.push(`${path}:1 a file begins with its header comment`)
    for (const { specifier, line } of importsOf(blank(text, { strings: false }))) {
      const fault = webImportFault(path, specifier)
      if (fault !== undefined) found.push(`${path}:${line} ${fault}: ${specifier}`)
    }
  }
  return found
}

interface Import {
  readonly specifier: string
  readonly line: number
}

/** Which rule an import breaks, if any. */
function importFault(from: string, specifier: string): string | undefined {
  const room = roomOf(from)
  if (!specifier.startsWith('.')) {
    return room === 'engine' ? 'the engine imports nothing from outside' : undefined
  }
  const to = join(dirname(from), specifier)
  if (allowed.some((exception) => exception.from === from && exception.to === to)) return undefined
  if (!to.startsWith('src/')) return 'src imports nothing from outside src'
  const target = roomOf(to)
  if (room === target) return room === 'engine' ? engineImportFault(from, to) : undefined
  if (from !== composition) {
    if (room === 'engine') return 'the engine imports nothing from outside'
    if (target === undefined || rooms.indexOf(target) <= rooms.indexOf(room ?? '')) {
      return 'a room imports only from rooms below it'
    }
  }
  return isDoor(to, target ?? '') ? undefined : 'a room is entered by its door'
}

function isDoor(path: string, room: string): boolean {
  return [`${room}.ts`, ...(doorsBesides[room] ?? [])].some((door) => path === `src/${room}/${door}`)
}

/** Inside the engine: down only, and into rooms by their doors. */
function engineImportFault(from: string, to: string): string | undefined {
  const room = engineRoomOf(from)
  const target = engineRoomOf(to)
  if (room === target) return undefined
  if (engineRooms.indexOf(target) >= engineRooms.indexOf(room)) return 'imports of the engine run down only'
  const isLoose = target.endsWith('.ts')
  return isLoose || target === protocol || to === `src/engine/${target}/${target}.ts`
    ? undefined
    : 'a room is entered by its door'
}

/** The room of src/ or web/ that a file is in; undefined for src/main.ts and the pages. */
function roomOf(path: string): string | undefined {
  const [, room, rest] = path.split('/')
  return rest === undefined ? undefined : room
}

/** The room of src/engine/ that a file is in, or its own name for a file beside the rooms. */
function engineRoomOf(path: string): string {
  return path.split('/')[2]
}

/** Rooms of web/ have no doors; a type that is imported counts as any import does. */
function webImportFault(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const to = join(dirname(from), specifier)
  if (!to.startsWith('web/')) return 'web imports nothing from outside web'
  const room = roomOf(from)
  const target = roomOf(to)
  if (room === undefined || room === target) return undefined
  return target === undefined || webRooms.indexOf(target) <= webRooms.indexOf(room)
    ? 'a room imports only from rooms below it'
    : undefined
}

/** Directories that no rule knows: a new room needs its place in the lists above. */
function strangers(files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  for (const path of files.keys()) {
    const room = roomOf(path)
    if (room === undefined ? path !== composition : !rooms.includes(room)) found.add(path)
    if (room === 'engine' && !engineRooms.includes(engineRoomOf(path))) found.add(path)
  }
  return [...found]
}

function webStrangers(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((path) => {
    const room = roomOf(path)
    return room === undefined ? !webPages.includes(path) : !webRooms.includes(room)
  })
}

function importsOf(code: string): Import[] {
  const statement =
    /^[ \t]*(?:import|export)\s+(?:type\s+)?(?:(?:(?!\b(?:import|export)\b)[\w\s{},*$])*?\bfrom\s*)?['"](?<specifier>[^'"\n]+)['"]/gm
  const call = /\bimport\s*\(\s*['"](?<specifier>[^'"\n]+)['"]/g
  return [...code.matchAll(statement), ...code.matchAll(call)].map((match) => ({
    specifier: match.groups?.['specifier'] ?? '',
    line: lineAt(code, match.index),
  }))
}

/** Files that import each other in a circle, types counted, each circle sorted. */
function circles(files: ReadonlyMap<string, string>): string[][] {
  const targets = new Map<string, string[]>()
  for (const [path, text] of files) {
    const imports = importsOf(blank(text, { strings: false })).filter(({ specifier }) => specifier.startsWith('.'))
    targets.set(
      path,
      imports.map(({ specifier }) => join(dirname(path), specifier)).filter((target) => files.has(target)),
    )
  }
  // Tarjan: a file whose lowest reachable index is its own closes a circle.
  const found: string[][] = []
  const index = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (path: string) => {
    index.set(path, index.size)
    lowest.set(path, index.size - 1)
    open.push(path)
    for (const target of targets.get(path) ?? []) {
      if (!index.has(target)) visit(target)
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(target) ?? 0))
    }
    if (lowest.get(path) !== index.get(path)) return
    const circle = open.splice(open.indexOf(path))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const path of targets.keys()) if (!index.has(path)) visit(path)
  return found
}

/** Retired words that are names in these files, as `file:line word`. */
function retiredNames(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  for (const [path, text] of files) {
    const retired = path.startsWith('src/engine/') ? [...retiredWords, ...retiredInEngine] : retiredWords
    const code = blank(text, { strings: true })
    // What follows a dot, or names a field of a record, may be saved or on the wire under that name.
    for (const match of code.matchAll(new RegExp(`(?<![.\\w])(${retired.join('|')})\\b(?!\\??:)`, 'g'))) {
      found.push(`${path}:${lineAt(code, match.index)} ${match[0]}`)
    }
  }
  return found
}

const parametersMax = 5

/** Functions with more positional parameters than a reader keeps apart, as `file:line name`. */
function longParameterLists(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  for (const [path, text] of files) {
    const code = blank(text, { strings: true })
    for (const match of code.matchAll(
      /\bfunction\*?\s+(\w+)\s*(?:<[^(]*>)?\(|^ {2}(?:\w+ )*#?(\w+)\((?=[^()]*\)[^\n]*\{$)/gm,
    )) {
      const name = match[1] ?? match[2]
      if (parameterCount(code, match.index + match[0].length) > parametersMax) {
        found.push(`${path}:${lineAt(code, match.index)} ${name}`)
      }
    }
  }
  return found
}

/** Parameters of the list that begins here: its commas that are in no bracket, a last one left out. */
function parameterCount(code: string, from: number): number {
  let depth = 0
  let count = 0
  let isEmpty = true
  for (let at = from; at < code.length; at++) {
    const character = code[at]
    if (depth === 0 && character === ')') break
    if ('([{<'.includes(character)) depth++
    else if (')]}'.includes(character) || (character === '>' && code[at - 1] !== '=')) depth--
    if (depth === 0 && character === ',') {
      count++
      isEmpty = true
    } else if (character.trim() !== '') isEmpty = false
  }
  return isEmpty ? count : count + 1
}

/** Comments, and strings if asked, become spaces; every line stays where it is. Templates stay: they may hold code. */
function blank(text: string, { strings }: { readonly strings: boolean }): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (match) =>
    match.startsWith('/') || (strings && !match.startsWith('`')) ? match.replace(/[^\n]/g, ' ') : match,
  )
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const checkout = fileURLToPath(new URL('..', import.meta.url))

/** The files of these directories of the checkout; packages that are installed in them (scripts/mutation) are not ours. */
function sources(...directories: readonly string[]): Map<string, string> {
  const files = directories
    .flatMap((directory) => readdirSync(join(checkout, directory), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/node_modules/'))
    .sort()
  return new Map(files.map((file) => [relative(checkout, file), readFileSync(file, 'utf8')]))
}

test('the source keeps the rules of the house', () => {
  expect(findings(sources('src'))).toEqual([])
})

test('every file of the source is in a room that the rules know', () => {
  expect(strangers(sources('src'))).toEqual([])
})

test('no files import each other in a circle, types counted', () => {
  expect(circles(sources('src', 'web', 'verifier'))).toEqual([])
})

test('a circle is found, of types too', () => {
  const files = new Map([
    ['src/a.ts', "import type { B } from './b.ts'\n"],
    ['src/b.ts', "export { c } from './c.ts'\n"],
    ['src/c.ts', "import './a.ts'\n"],
    ['src/d.ts', "import { a } from './a.ts'\n"],
  ])
  expect(circles(files)).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']])
})

test('no name is a word that was retired', () => {
  const files = sources('src', 'web', 'verifier', 'test', 'bench', 'scripts')
  // This file holds the lists, and samples of what they forbid.
  files.delete('test/tidy.test.ts')
  expect(retiredNames(files)).toEqual([])
})

test('a retired word is found where it is a name, and left alone in prose, texts and fields', () => {
  const files = new Map([
    ['src/engine/a.ts', '// the guard of a preset\nexport const preset = 1\n'],
    ['src/engine/b.ts', "const kept = { preset: row.guard, why: 'the standing' }\n"],
    ['src/api/c.ts', 'function fireTriggers(preset: Preset) {}\n'],
    ['test/d.ts', 'const guards = presets\n'],
  ])
  expect(retiredNames(files)).toEqual(['src/engine/a.ts:2 preset', 'src/api/c.ts:1 fireTriggers', 'test/d.ts:1 guards'])
})

test(`no function of the engine has more than ${parametersMax} positional parameters`, () => {
  expect(longParameterLists(sources('src/engine'))).toEqual([])
})

test('a long list of parameters is found', () => {
  const found = longParameterLists(
    new Map([
      [
        'src/a.ts',
        'export function five(a: A, b: (x: X, y: Y) => Z, c: Map<K, V>, d: { e: E; f: F }, g = [1, 2]): void {}',
      ],
      ['src/b.ts', 'function* six(\n  a: A,\n  b: B,\n  c: C,\n  d: D,\n  e: E,\n  f: F,\n): void {}'],
      ['src/c.ts', 'class C {\n  private six(a: A, b: B, c: C, d: D, e: E, f: F): void {\n  }\n}'],
    ]),
  )
  expect(found).toEqual(['src/b.ts:1 six', 'src/c.ts:2 six'])
})

const header = '/** What it is. */\n'

test.each([
  // file                            one line of it                                      the rule it breaks
  ['src/engine/engine.ts', "import { readFileSync } from 'node:fs'", 'the engine imports nothing from outside'],
  ['src/engine/book/book.ts', "import pino from 'pino'", 'the engine imports nothing from outside'],
  ['src/engine/book/book.ts', "import { at } from '../../journal/journal.ts'", 'the engine imports nothing'],
  [
    'src/engine/orders/place.ts',
    "import {\n  closeLeg,\n} from '../positions/legs.ts'",
    'a room is entered by its door',
  ],
  ['src/engine/orders/place.ts', "export * from '../positions/legs.ts'", 'a room is entered by its door'],
  ['src/engine/book/book.ts', "import { apply } from '../engine.ts'", 'run down only'],
  ['src/engine/book/book.ts', "import type { State } from '../state/state.ts'", 'run down only'],
  ['src/engine/margin/bounds.ts', "import type { Leg } from '../positions/positions.ts'", 'run down only'],
  ['src/engine/vocabulary.ts', "import type { Command } from './protocol/command.ts'", 'run down only'],
  ['src/engine/margin/bounds.ts', 'export function hold(state: State) {}', 'rules only read'],
  ['src/engine/margin/bounds.ts', 'export function hold(ledger: Ledger) {}', 'rules only read'],
  ['src/engine/explain/explain.ts', 'export function explain(state: State) {}', 'readers only read'],
  ['src/engine/state/loans.ts', 'export function told(event: Event) {}', 'the state tells nothing'],
  ['src/engine/state/loans.ts', 'export function tell() { state.emit(loan) }', 'the state tells nothing'],
  ['src/engine/book/book.ts', 'const at = Date.now()', 'no clock'],
  ['src/engine/book/book.ts', 'const id = Math.random()', 'no randomness'],
  ['src/engine/book/book.ts', 'export async function match() {}', 'synchronous'],
  ['src/engine/book/book.ts', 'setTimeout(match, 1)', 'no timers'],
  ['src/engine/book/book.ts', 'const home = process.env', 'touches nothing outside'],
  ['src/engine/book/book.ts', 'const rate = Math.exp(1)', 'floating-point'],
  ['src/engine/book/book.ts', 'const text = `${price.toLocaleString()}`', 'no locale'],
  ['src/journal/journal.ts', "import { submit } from '../runtime/runtime.ts'", 'only from rooms below'],
  ['src/journal/journal.ts', "const late = await import('../api/api.ts')", 'only from rooms below'],
  ['src/journal/journal.ts', "import { start } from '../main.ts'", 'only from rooms below'],
  ['src/http/http.ts', "import type { Uid } from '../engine/vocabulary.ts'", 'only from rooms below'],
  ['src/runtime/runtime.ts', "import type { Level } from '../engine/book/book.ts'", 'a room is entered by its door'],
  ['src/main.ts', "import { open } from './journal/segment.ts'", 'a room is entered by its door'],
  ['src/runtime/runtime.ts', "import { table } from '../../test/table.ts'", 'nothing from outside src'],
  ['src/journal/journal.ts', "console.log('here')", 'only the command line prints'],
  ['src/cli/replay.ts', 'setV8()', 'changes V8'],
  ['src/journal/journal.test.ts', '// TODO: more', 'nothing is left to do'],
])('a bad sample is found: %s with %j', (path, line, rule) => {
  const found = findings(new Map([[path, `${header}${line}\n`]]))
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(rule)
  expect(found[0]).toContain(`${path}:2 `)
})

test('a file without its header is found, and so is a room that nobody knows', () => {
  expect(findings(new Map([['src/journal/journal.ts', 'export const a = 1\n']]))).toHaveLength(1)
  const paths = ['src/utils/utils.ts', 'src/engine/helpers/helpers.ts', 'src/stray.ts']
  expect(strangers(new Map(paths.map((path) => [path, header])))).toEqual(paths)
})

test.each([
  ['src/main.ts', "import { open } from './journal/journal.ts'"],
  ['src/cli/settings.ts', "import { start } from '../main.ts'\nconsole.log(start)"],
  ['src/runtime/runtime.ts', "import { apply } from '../engine/engine.ts'\nimport { setTimeout } from 'node:timers'"],
  ['src/runtime/core.ts', "import type { Command } from '../engine/protocol/command.ts'"],
  [
    'src/engine/engine.ts',
    "import { match } from './book/book.ts'\nimport type { Command } from './protocol/command.ts'",
  ],
  ['src/engine/book/book.ts', "import { level } from './levels.ts'\nimport type { Side } from '../vocabulary.ts'"],
  ['src/engine/margin/bounds.ts', "import type { Reading } from '../state/state.ts'"],
  ['src/engine/state/state.ts', 'export class State { constructor(readonly emit: Emit) {} }'],
  ['src/engine/book/book.ts', '// The Date is the command’s; no await here.\nexport const kind = "async"'],
  ['src/engine/book/book.test.ts', "import { test } from 'vitest'\nimport { take } from '../ledger/holds.ts'"],
])('a good sample is left alone: %s with %j', (path, line) => {
  const files = new Map([[path, `${header}${line}\n`]])
  expect([...findings(files), ...strangers(files)]).toEqual([])
})

test('the terminal and the desk keep the rules of the house', () => {
  expect(webFindings(sources('web'))).toEqual([])
  expect(webStrangers(sources('web'))).toEqual([])
})

test.each([
  // file                     one line of it                                              the rule it breaks
  ['web/trading/preview.ts', "import { orders } from '../store/account.ts'", 'only from rooms below'],
  ['web/trading/preview.ts', "import type { Wallet } from '../store/account.ts'", 'only from rooms below'],
  ['web/store/ticket.ts', "import { placeOrder } from '../actions/orders.ts'", 'only from rooms below'],
  ['web/actions/orders.ts', "export * from '../panels/ticket.tsx'", 'only from rooms below'],
  ['web/panels/ticket.tsx', "import { Terminal } from '../terminal.tsx'", 'only from rooms below'],
  ['web/venue/rest.ts', "import { at } from '../../src/journal/journal.ts'", 'nothing from outside web'],
])('a bad sample of web is found: %s with %j', (path, line, rule) => {
  const found = webFindings(new Map([[path, `${header}${line}\n`]]))
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(rule)
  expect(found[0]).toContain(`${path}:2 `)
})

test('a file of web without its header is found, and so is a room that nobody knows', () => {
  expect(webFindings(new Map([['web/main.tsx', 'export const a = 1\n']]))).toHaveLength(1)
  const paths = ['web/utils/utils.ts', 'web/stray.tsx']
  expect(webStrangers(new Map(paths.map((path) => [path, header])))).toEqual(paths)
})

test.each([
  ['web/main.tsx', "import { Terminal } from './terminal.tsx'\nimport './styles/all.css'"],
  ['web/panels/ticket.tsx', "import { render } from 'preact'\nimport { placeOrder } from '../actions/orders.ts'"],
  ['web/store/ticket.ts', "import { book } from './market.ts'\nimport type { Preview } from '../trading/preview.ts'"],
])('a good sample of web is left alone: %s with %j', (path, line) => {
  const files = new Map([[path, `${header}${line}\n`]])
  expect([...webFindings(files), ...webStrangers(files)]).toEqual([])
})

test('the page on architecture has every room, in the same order', () => {
  const page = readFileSync(join(checkout, 'docs/architecture.md'), 'utf8')
  const order = /only from rooms below it\*\*, in the order `([^`]+)`/.exec(page)?.[1]
  expect(order?.split(/\s+/)).toEqual(rooms)
  for (const room of rooms) expect(page).toContain(`\n| \`${room}/\` |`)
})

test('what the package names as a program can be run', () => {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  for (const file of Object.values(bin))
    expect([file, statSync(join(checkout, file)).mode & 0o777]).toEqual([file, 0o755])
})
