/**
 * The house rules that no compiler checks, as one ordinary test over the source: which room imports which, what the
 * engine must not know of, and what no file leaves behind. The rules are the data below; everything after them reads
 * files.
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
  'operator',
  'simulator',
  'terminal',
  'stream',
  'api',
  'market',
  'history',
  'runtime',
  'journal',
  'engine',
]

/** The rooms inside src/engine/: any of them may import another, but only by its door. */
const engineRooms = [
  'numbers',
  'catalog',
  'protocol',
  'storage',
  'state',
  'ledger',
  'accounts',
  'book',
  'pricing',
  'orders',
  'triggers',
  'futures',
  'loans',
  'margin',
  'liquidation',
  'explain',
]

/**
 * A room is entered by the file with its own name; the engine also by the words that are spoken to it, and by what
 * those words are made of: numbers, the catalogue, and the names of modes and wallets.
 */
const doorsBesides: Record<string, readonly string[]> = {
  engine: [
    'vocabulary.ts',
    'protocol/command.ts',
    'protocol/event.ts',
    'protocol/explanation.ts',
    'protocol/query.ts',
    'protocol/reply.ts',
    'numbers/numbers.ts',
    'catalog/catalog.ts',
  ],
  runtime: ['core.ts'],
  // The command line asks these without loading a venue.
  operator: ['settings.ts', 'configuration.ts', 'data-directory.ts'],
}

/** Composes the rooms, so it imports whichever it likes (by their doors). */
const composition = 'src/main.ts'

/** Imports that the rules would forbid, each with its reason. */
const allowed = [
  { from: 'src/cli/settings.ts', to: composition }, // the command line starts the whole
]

interface TextRule {
  readonly name: string
  /** Files under this path … */
  readonly under: string
  /** … but not under this one … */
  readonly except?: string
  /** … hold nothing that matches. */
  readonly forbids: RegExp
  /** Comments, strings and tests count too. */
  readonly everywhere?: true
}

const textRules: readonly TextRule[] = [
  { name: 'the engine has no clock', under: 'src/engine/', forbids: /\b(Date|performance|Temporal)\b/ },
  { name: 'the engine has no chance', under: 'src/engine/', forbids: /\b(Math\.random|crypto)\b/ },
  { name: 'the engine is synchronous', under: 'src/engine/', forbids: /\b(async|await|Promise|queueMicrotask)\b/ },
  { name: 'the engine sets no timers', under: 'src/engine/', forbids: /\bset(Timeout|Interval|Immediate)\b/ },
  {
    name: 'the engine sees no world',
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
  { name: 'nothing is left to do', under: 'src/', forbids: /\b(TODO|FIXME)\b/, everywhere: true },
]

/** What is wrong with these files (path from the checkout to text), one sentence each. */
function findings(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  for (const [path, text] of files) {
    const isTest = path.endsWith('.test.ts')
    const code = blank(text, { strings: true })
    for (const rule of textRules) {
      if (!path.startsWith(rule.under) || (rule.except !== undefined && path.startsWith(rule.except))) continue
      if (isTest && !rule.everywhere) continue
      const match = rule.forbids.exec(rule.everywhere ? text : code)
      if (match) found.push(`${path}:${lineAt(rule.everywhere ? text : code, match.index)} ${rule.name}: ${match[0]}`)
    }
    if (isTest) continue
    if (!text.startsWith('/**')) found.push(`${path}:1 a file begins with its header comment`)
    for (const one of importsOf(blank(text, { strings: false }))) {
      const fault = importFault(path, one)
      if (fault !== undefined) found.push(`${path}:${one.line} ${fault}: ${one.specifier}`)
    }
  }
  return found
}

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly line: number
}

/** Which rule an import breaks, if any. */
function importFault(from: string, { specifier, typeOnly }: Import): string | undefined {
  const room = roomOf(from)
  if (!specifier.startsWith('.')) {
    return room === 'engine' ? 'the engine imports nothing from outside' : undefined
  }
  const to = join(dirname(from), specifier)
  if (allowed.some((one) => one.from === from && one.to === to)) return undefined
  if (!to.startsWith('src/')) return 'src imports nothing from outside src'
  const target = roomOf(to)
  if (room === target) return room === 'engine' ? engineImportFault(from, to, typeOnly) : undefined
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

/** Inside the engine: rooms by their doors; the files beside the rooms by anyone, the engine's own door as types. */
function engineImportFault(from: string, to: string, typeOnly: boolean): string | undefined {
  const room = engineRoomOf(from)
  const target = engineRoomOf(to)
  if (room === target) return undefined
  if (target === undefined) {
    return to === 'src/engine/engine.ts' && !typeOnly ? 'rooms of the engine know its door only as types' : undefined
  }
  return to === `src/engine/${target}/${target}.ts` || target === 'protocol'
    ? undefined
    : 'a room is entered by its door'
}

/** The room of src/ that a file is in; undefined for src/main.ts. */
function roomOf(path: string): string | undefined {
  const [, room, rest] = path.split('/')
  return rest === undefined ? undefined : room
}

/** The room of src/engine/ that a file is in; undefined for the files beside the rooms. */
function engineRoomOf(path: string): string | undefined {
  const [, , room, rest] = path.split('/')
  return rest === undefined ? undefined : room
}

/** Directories that no rule knows: a new room needs its place in the lists above. */
function strangers(files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  for (const path of files.keys()) {
    const room = roomOf(path)
    const engineRoom = room === 'engine' ? engineRoomOf(path) : undefined
    if (room === undefined ? path !== composition : !rooms.includes(room)) found.add(path)
    if (engineRoom !== undefined && !engineRooms.includes(engineRoom)) found.add(path)
  }
  return [...found]
}

function importsOf(code: string): Import[] {
  const statement =
    /^[ \t]*(?:import|export)\s+(?<type>type\s+)?(?:(?:(?!\b(?:import|export)\b)[\w\s{},*$])*?\bfrom\s*)?['"](?<specifier>[^'"\n]+)['"]/gm
  const call = /\bimport\s*\(\s*['"](?<specifier>[^'"\n]+)['"]/g
  return [...code.matchAll(statement), ...code.matchAll(call)].map((match) => ({
    specifier: match.groups?.['specifier'] ?? '',
    typeOnly: match.groups?.['type'] !== undefined,
    line: lineAt(code, match.index),
  }))
}

/** Comments, and strings if asked, become spaces; every line stays where it is. Templates stay: they may hold code. */
function blank(text: string, { strings }: { readonly strings: boolean }): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (one) =>
    one.startsWith('/') || (strings && !one.startsWith('`')) ? one.replace(/[^\n]/g, ' ') : one,
  )
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const checkout = fileURLToPath(new URL('..', import.meta.url))

function sources(): Map<string, string> {
  const files = readdirSync(join(checkout, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return new Map(files.map((file) => [relative(checkout, file), readFileSync(file, 'utf8')]))
}

test('the source keeps the rules of the house', () => {
  expect(findings(sources())).toEqual([])
})

test('every file of the source is in a room that the rules know', () => {
  expect(strangers(sources())).toEqual([])
})

const header = '/** What it is. */\n'

test.each([
  // file                            one line of it                                      the rule it breaks
  ['src/engine/engine.ts', "import { readFileSync } from 'node:fs'", 'the engine imports nothing from outside'],
  ['src/engine/book/book.ts', "import pino from 'pino'", 'the engine imports nothing from outside'],
  ['src/engine/book/book.ts', "import { at } from '../../journal/journal.ts'", 'the engine imports nothing'],
  ['src/engine/book/book.ts', "import {\n  take,\n} from '../ledger/holds.ts'", 'a room is entered by its door'],
  ['src/engine/book/book.ts', "export * from '../ledger/holds.ts'", 'a room is entered by its door'],
  ['src/engine/book/book.ts', "import { apply } from '../engine.ts'", 'only as types'],
  ['src/engine/book/book.ts', 'const at = Date.now()', 'no clock'],
  ['src/engine/book/book.ts', 'const id = Math.random()', 'no chance'],
  ['src/engine/book/book.ts', 'export async function match() {}', 'synchronous'],
  ['src/engine/book/book.ts', 'setTimeout(match, 1)', 'no timers'],
  ['src/engine/book/book.ts', 'const home = process.env', 'sees no world'],
  ['src/engine/book/book.ts', 'const rate = Math.exp(1)', 'floating-point'],
  ['src/engine/book/book.ts', 'const text = `${price.toLocaleString()}`', 'no locale'],
  ['src/journal/journal.ts', "import { submit } from '../runtime/runtime.ts'", 'only from rooms below'],
  ['src/journal/journal.ts', "const late = await import('../api/api.ts')", 'only from rooms below'],
  ['src/journal/journal.ts', "import { start } from '../main.ts'", 'only from rooms below'],
  ['src/runtime/runtime.ts', "import type { Level } from '../engine/book/book.ts'", 'a room is entered by its door'],
  ['src/main.ts', "import { open } from './journal/segment.ts'", 'a room is entered by its door'],
  ['src/runtime/runtime.ts', "import { table } from '../../test/table.ts'", 'nothing from outside src'],
  ['src/journal/journal.ts', "console.log('here')", 'only the command line prints'],
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
  ['src/engine/engine.ts', "import { match } from './book/book.ts'\nimport type { Command } from './command.ts'"],
  ['src/engine/book/book.ts', "import { level } from './levels.ts'\nimport type { Reply } from '../engine.ts'"],
  ['src/engine/book/book.ts', '// The Date is the command’s; no await here.\nexport const kind = "async"'],
  ['src/engine/book/book.test.ts', "import { test } from 'vitest'\nimport { take } from '../ledger/holds.ts'"],
])('a good sample is left alone: %s with %j', (path, line) => {
  const files = new Map([[path, `${header}${line}\n`]])
  expect([...findings(files), ...strangers(files)]).toEqual([])
})

test('what the package names as a program can be run', () => {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  for (const file of Object.values(bin))
    expect([file, statSync(join(checkout, file)).mode & 0o777]).toEqual([file, 0o755])
})
