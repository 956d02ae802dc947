/**
 * `npm run package -- [--out DIR]`: makes the package that others install, `DIR/tidemark-VERSION.tgz`, from `DIR/package/`. DIR is
 * dist/ unless told otherwise.
 *
 * Code      JavaScript, each file of the sources for itself with its types blanked: lines and columns stay, and so do the ways
 *           from file to file. dist/ of the package mirrors the checkout
 * Types     declarations of what `exports` names, and of what those need
 * Pages     ready (scripts/terminal.js), with the licenses of what is bundled in them
 * Joined    libraries of many files are one file each (joined.js), which the code names: they are no dependencies of the package
 * Needs     what else the code imports, no more and no less, or there is no package. No Node, no install script
 * Source    docs/decisions/0022-the-package.md
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { joined } from './joined.js'
import { ensureTerminal } from './terminal.js'

/** Rooms whose TypeScript the package has, tests aside. */
const rooms = ['src', 'verifier', 'clients/typescript']
/** JavaScript that the package has as it is. */
const scripts = ['scripts/packaged.js', 'scripts/instead.js', 'scripts/joined.js', 'scripts/follow-parent.js']
/** The commands, and what each hands over to. */
const commands = { tidemark: 'src/cli/cli.ts', 'tidemark-verify': 'verifier/cli.ts' }
/** What can be imported, by the name after `tidemark`. What is not in the checkout is not in the package. */
const modules = {
  '.': 'clients/typescript/index.ts',
  './vitest': 'clients/typescript/vitest.ts',
  './jest': 'clients/typescript/jest.ts',
  './node-test': 'clients/typescript/node-test.ts',
  './ccxt': 'clients/typescript/ccxt.ts',
}
/**
 * Packages that a module works with, where its user has them: those of PostgreSQL for who keeps history there, those of NATS for who
 * runs several cores.
 */
const peers: Readonly<Record<string, string>> = {
  vitest: '*',
  '@jest/globals': '*',
  ccxt: '*',
  pg: '8',
  'pg-copy-streams': '7',
  '@nats-io/transport-node': '3',
  '@nats-io/jetstream': '3',
}
/** Texts: what README and messages point to. */
const texts = ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs']
/** What the build has put into the pages, and into files that libraries are joined in. */
const bundled = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'klinecharts',
  'swagger-ui-dist',
  'minisearch',
  'typebox',
  'kysely',
  'yaml',
]
/** What the code reads besides itself. */
const datas = ['flaky', 'hell', 'bitget-bad-day'].map((preset) => `src/lab/faults/presets/${preset}.json`)
/** Files that the code asks for and does without. */
const leftOut = ['bench/bench.ts']

/** An import of a package: a statement, which begins its line or ends a list of names, or a call. */
const packageImport =
  /(?:^import |^(?:import|export) [^'"\n]*\bfrom |^\} from |\bimport\()['"](?<name>(?:@[^/'"]+\/)?[a-z][^/'":]*)(?:\/[^'"]*)?['"]/gm

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: { readonly node: string }
  readonly dependencies: Readonly<Record<string, string>>
}

// Node says of it that it is experimental. The test of the package says whether it still does what is needed.
process.removeAllListeners('warning')

const checkout = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Manifest
const { values } = parseArgs({ options: { out: { type: 'string', default: join(checkout, 'dist') } } })
const target = resolve(values.out)
const root = join(target, 'package')
const code = join(root, 'dist')
const exported = Object.entries(modules).filter(([, file]) => existsSync(join(checkout, file)))

// 1. Empty, then code, types and pages.
rmSync(root, { recursive: true, force: true })
for (const file of rooms.flatMap(sourcesOf))
  write(scriptName(file), pointedToJoined(pointedToScripts(stripped(file)), file))
for (const file of scripts) write(file, read(file))
for (const file of datas) write(file, read(file))
for (const [command, program] of Object.entries(commands)) writeCommand(command, scriptName(program))
if (exported.length > 0) writeDeclarations(exported.map(([, file]) => file))
copyPages()
joinLibraries()

// 2. What a registry and a reader want.
for (const text of texts) cpSync(join(checkout, text), join(root, text), { recursive: true, filter: isForReaders })
writeFileSync(join(root, 'THIRD-PARTY.md'), licensesOfBundled())
writeFileSync(join(root, 'package.json'), `${JSON.stringify(packageJson(), undefined, 2)}\n`)

// 3. Nothing that it asks for is missing.
const faults = missing()
if (faults.length > 0) fail(faults.join('\n'))
report(pack())

function packageJson(): object {
  const { name, version, description, license, engines } = manifest
  const asked = imported()
  const used = Object.keys(peers).filter((peer) => asked.has(peer))
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: Object.fromEntries(Object.keys(commands).map((command) => [command, `dist/bin/${command}.js`])),
    exports: {
      ...Object.fromEntries(
        exported.map(([module, file]) => {
          const path = `./dist/${scriptName(file)}`
          return [module, { types: path.replace(/\.js$/, '.d.ts'), default: path }]
        }),
      ),
      './package.json': './package.json',
    },
    files: ['dist', 'docs', 'CHANGELOG.md', 'THIRD-PARTY.md'],
    dependencies: Object.fromEntries(
      Object.entries(manifest.dependencies).filter(([asks]) => !isJoined(asks) && peers[asks] === undefined),
    ),
    ...(used.length === 0
      ? {}
      : {
          peerDependencies: Object.fromEntries(used.map((peer) => [peer, peers[peer]])),
          peerDependenciesMeta: Object.fromEntries(used.map((peer) => [peer, { optional: true }])),
        }),
  }
}

/** Figures of every run are for those who make the next. */
function isForReaders(file: string): boolean {
  return !/\.jsonl?$/.test(file)
}

function sourcesOf(room: string): string[] {
  const directory = join(checkout, room)
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.ts$/.test(entry.name))
    .map((entry) => relative(checkout, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes('node_modules'))
}

function stripped(file: string): string {
  return stripTypeScriptTypes(read(file))
}

/** In imports and in `new URL(…, import.meta.url)`: the only ways from file to file. */
function pointedToScripts(text: string): string {
  return text.replace(/(\b(?:from|import)\s*\(?\s*|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/g, '$1$2$3.js$2')
}

/** Imports of libraries that are joined, from where the file is in the package. */
function pointedToJoined(text: string, file: string): string {
  return text.replace(
    /(\b(?:from|import)\s*\(?\s*)(['"])([a-z][^'"\n]*)\2/g,
    (whole, before: string, quote: string, name: string) => {
      const path = (joined as Readonly<Record<string, string>>)[name]
      return path === undefined ? whole : `${before}${quote}${relative(dirname(file), join('joined', path))}${quote}`
    },
  )
}

function isJoined(dependency: string): boolean {
  return Object.hasOwn(joined, dependency)
}

function scriptName(file: string): string {
  return file.replace(/\.ts$/, '.js')
}

function writeCommand(command: string, program: string): void {
  const file = `bin/${command}.js`
  write(
    file,
    [
      '#!/usr/bin/env node',
      `/** The \`${command}\` command of the package: hands over to ${program} (scripts/packaged.js). */`,
      "import { begin } from '../scripts/packaged.js'",
      '',
      `begin('${command}', new URL('../${program}', import.meta.url), new URL('../..', import.meta.url))`,
      '',
    ].join('\n'),
  )
  chmodSync(join(code, file), 0o755)
}

/** The compiler makes them of all that it has to read; those that a user's compiler reads are kept. */
function writeDeclarations(files: readonly string[]): void {
  const made = mkdtempSync(join(tmpdir(), 'tidemark-declarations-'))
  try {
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: checkout,
      outDir: join(made, 'out'),
      typeRoots: [join(checkout, 'node_modules', '@types')],
    }
    const config = join(made, 'tsconfig.json')
    const given = {
      extends: join(checkout, 'tsconfig.json'),
      compilerOptions,
      files: files.map((file) => join(checkout, file)),
      include: [],
    }
    writeFileSync(config, JSON.stringify(given))
    runTool(process.execPath, [join(checkout, 'node_modules/typescript/lib/tsc.js'), '--project', config], checkout)
    const waiting = files.map((file) => file.replace(/\.ts$/, '.d.ts'))
    const seen = new Set<string>()
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      const text = readFileSync(join(made, 'out', file), 'utf8')
      for (const specifier of relativeImports(text)) {
        waiting.push(join(dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts'))
      }
      write(file, pointedToScripts(text))
    }
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** The build that counts, and no other. */
function copyPages(): void {
  if (!ensureTerminal()) fail('the pages could not be built')
  const builds = join(checkout, 'dist', 'terminal')
  const current = readFileSync(join(builds, 'current'), 'utf8')
  cpSync(join(builds, current), join(code, 'terminal', current), { recursive: true })
  write('terminal/current', current)
}

function joinLibraries(): void {
  runTool(process.execPath, [join(checkout, 'scripts/join-libraries.js'), join(code, 'joined')], checkout)
}

function licensesOfBundled(): string {
  const parts = bundled.map((name) => {
    const directory = join(checkout, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
    const notices = readdirSync(directory)
      .filter((file) => /^(licen[cs]e|notice)(\.\w+)?$/i.test(file) || file === 'swagger-ui-es-bundle.js.LICENSE.txt')
      .map((file) => readFileSync(join(directory, file), 'utf8').trim())
    if (license === undefined) fail(`${name} has no license`)
    return [`## ${name} ${version} (${license})`, ...notices.map((notice) => `\`\`\`\n${notice}\n\`\`\``)].join('\n\n')
  })
  return ['# What the web pages and the joined files of this package have in them', ...parts, ''].join('\n\n')
}

/** Files and packages that the code asks for and that are not there, and packages that it does not ask for. */
function missing(): string[] {
  const found: string[] = []
  for (const [file, text] of scriptsOfPackage()) {
    for (const specifier of [...relativeImports(text), ...relativeUrls(text)]) {
      const path = join(dirname(file), specifier)
      if (leftOut.some((one) => path === scriptName(one))) continue
      if (!existsSync(join(code, path))) found.push(`${file} asks for ${specifier}, which the package has not`)
    }
    if (/(?:from|import|URL\()\s*\(?['"]\.[^'"\n]*\.ts['"]/.test(text)) found.push(`${file} asks for TypeScript`)
  }
  const asked = imported()
  const needed = Object.keys(manifest.dependencies).filter((name) => !isJoined(name))
  const known = new Set([...needed, ...Object.keys(peers), manifest.name])
  for (const name of asked) if (!known.has(name)) found.push(`the code imports ${name}, which is no dependency`)
  for (const name of Object.keys(manifest.dependencies)) {
    if (!asked.has(name) && !isJoined(name)) found.push(`the code does not import ${name}, which is a dependency`)
  }
  return found
}

/** Names of the packages that the code and its declarations import. */
function imported(): Set<string> {
  const names = new Set<string>()
  for (const [, text] of scriptsOfPackage()) {
    for (const { groups } of text.matchAll(packageImport)) names.add(groups?.['name'] ?? '')
  }
  return names
}

function scriptsOfPackage(): [file: string, text: string][] {
  return readdirSync(code, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:js|d\.ts)$/.test(entry.name))
    .map((entry) => relative(code, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(?:terminal|joined)\//.test(file))
    .map((file) => [file, withoutComments(readFileSync(join(code, file), 'utf8'))])
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, '')
}

function relativeImports(text: string): string[] {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*['"](?<specifier>\.{1,2}\/[^'"\n]*)['"]/g
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.['specifier'] ?? '')
}

function relativeUrls(text: string): string[] {
  const pattern = /\bnew URL\(\s*['"](?<specifier>\.{1,2}\/[^'"\n]*\.\w+)['"], import\.meta\.url/g
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.['specifier'] ?? '')
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly entryCount: number
}

function pack(): Packed {
  const [packed] = JSON.parse(runTool('npm', ['pack', '--json', '--pack-destination', target], root)) as Packed[]
  return packed
}

function report({ filename, size, unpackedSize, entryCount }: Packed): void {
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  const absent = Object.entries(modules).filter(([module]) => !exported.some(([name]) => name === module))
  for (const [module, file] of absent) console.error(`${join('tidemark', module)} is not in it: there is no ${file}`)
  console.log(`${join(target, basename(filename))}: ${mb(size)}, ${entryCount} files of ${mb(unpackedSize)}`)
}

function runTool(tool: string, args: readonly string[], cwd: string): string {
  const { error, status, stdout } = spawnSync(tool, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
  if (error !== undefined || status !== 0) fail(`${tool} failed: ${error?.message ?? stdout}`)
  return stdout
}

function read(file: string): string {
  return readFileSync(join(checkout, file), 'utf8')
}

function write(file: string, text: string): void {
  const path = join(code, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function fail(why: string): never {
  console.error(`no package: ${why}`)
  process.exit(1)
}
