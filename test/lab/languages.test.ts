/**
 * The helpers for Python, Rust, Java and Go. Each runs the cases that all helpers run, and is compiled once for that. Some run the
 * test that docs/testing.md shows for their language.
 *
 * Shared    two laboratories, which a command in place of `npx tidemark` names (runners/ready.mjs). The second has one port for all
 *           of its venues
 * Left out  a language without its compiler, and JUnit without its jar (JUNIT_CLASSPATH): standard error says so
 * Source    lab.md §4.12
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import { Laboratory } from './laboratory.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const clients = join(checkout, 'clients')
const casesFile = join(clients, 'cases.json')
const { cases } = JSON.parse(readFileSync(casesFile, 'utf8')) as {
  readonly cases: readonly { readonly name: string }[]
}
const page = readFileSync(join(checkout, 'docs/testing.md'), 'utf8')

const path = [process.env['PATH'], join(homedir(), '.cargo/bin')].join(delimiter)
const plain: NodeJS.ProcessEnv = { ...process.env, PATH: path, TIDEMARK_URL: '', TIDEMARK_LAB_TOKEN: '' }
const junit = process.env['JUNIT_CLASSPATH']

/** For a program that ends soon. */
const briefly = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

interface Ran {
  readonly code: number
  readonly out: string
  readonly errors: string
}

interface Language {
  readonly name: string
  readonly needs: readonly string[]
  /** Into a directory of its own; answers the command that runs cases. */
  compile(into: string): Promise<readonly string[]>
  /** The test of the page, as it stands there; absent: it cannot be run here. */
  readonly runPage?: (into: string, text: string, env: NodeJS.ProcessEnv) => Promise<Ran>
  /** It has a reader of JSON of its own. */
  readonly readsJson: boolean
  readonly hasFaults: boolean
}

const languages: readonly Language[] = [
  {
    name: 'Python',
    needs: ['python3', '--version'],
    readsJson: false,
    hasFaults: false,
    async compile() {
      return ['python3', '-B', join(clients, 'python/run_cases.py')]
    },
  },
  {
    name: 'Rust',
    needs: ['rustc', '--version'],
    readsJson: true,
    hasFaults: true,
    async compile(into) {
      const sources = join(clients, 'rust')
      const library = ['--crate-type', 'rlib', '--crate-name', 'tidemark', join(sources, 'src/lib.rs')]
      await done('rustc', ['--edition', '2021', '-D', 'warnings', '--out-dir', into, ...library])
      await done('rustc', [...rust(into), join(sources, 'examples/run_cases.rs'), '-o', join(into, 'run_cases')])
      return [join(into, 'run_cases')]
    },
    async runPage(into, text, env) {
      writeFileSync(join(into, 'bot.rs'), text)
      await done('rustc', [...rust(into), '--test', join(into, 'bot.rs'), '-o', join(into, 'bot')])
      return run(join(into, 'bot'), [], env)
    },
  },
  {
    name: 'Java',
    needs: ['javac', '--version'],
    readsJson: true,
    hasFaults: true,
    async compile(into) {
      const main = join(clients, 'java/src/main/java/tidemark')
      const sources = readdirSync(main).filter((file) => file !== 'VenueExtension.java' || junit !== undefined)
      const files = [
        ...sources.map((file) => join(main, file)),
        join(clients, 'java/src/test/java/tidemark/RunCases.java'),
      ]
      await done('javac', ['-Xlint:all,-path', '-Werror', '-d', into, '-cp', junit ?? into, ...files])
      return ['java', ...briefly, '-cp', into, 'tidemark.RunCases']
    },
    ...(junit !== undefined && {
      async runPage(into: string, text: string, env: NodeJS.ProcessEnv) {
        const classPath = `${into}${delimiter}${junit}`
        writeFileSync(join(into, 'BotTest.java'), text)
        await done('javac', ['-d', into, '-cp', classPath, join(into, 'BotTest.java')])
        const console = 'org.junit.platform.console.ConsoleLauncher'
        return run(
          'java',
          [...briefly, '-cp', classPath, console, '--select-class', 'BotTest', '--fail-if-no-tests'],
          env,
        )
      },
    }),
  },
  {
    name: 'Go',
    needs: ['go', 'version'],
    readsJson: false,
    hasFaults: true,
    async compile(into) {
      await done('go', ['build', '-o', join(into, 'run_cases'), './run_cases'], { cwd: join(clients, 'go') })
      await done('go', ['vet', './...'], { cwd: join(clients, 'go') })
      return [join(into, 'run_cases')]
    },
    async runPage(into, text, env) {
      const bot = join(into, 'bot')
      mkdirSync(bot)
      const module = `module bot\n\ngo 1.18\n\nrequire tidemark v0.0.0\n\nreplace tidemark => ${join(clients, 'go')}\n`
      writeFileSync(join(bot, 'go.mod'), module)
      writeFileSync(join(bot, 'bot_test.go'), text)
      return run('go', ['test', '-v', './...'], env, bot)
    },
  },
]

function rust(into: string): readonly string[] {
  return ['--edition', '2021', '-L', into, '--extern', `tidemark=${join(into, 'libtidemark.rlib')}`]
}

/** Whatever it comes to. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<Ran> {
  const ran = await promisify(execFile)(command, args, { env, cwd }).catch((failed: unknown) => failed)
  const {
    code = 0,
    stdout,
    stderr,
  } = ran as { readonly code?: number; readonly stdout: string; readonly stderr: string }
  return { code, out: stdout, errors: stderr }
}

async function done(command: string, args: readonly string[], { cwd }: { readonly cwd?: string } = {}): Promise<void> {
  const { code, out, errors } = await run(command, args, plain, cwd)
  expect(code, `${command} ${args.join(' ')}\n${out}${errors}`).toBe(0)
}

/** The test of the page below a language's heading. */
function shown(language: string): string {
  const section = page.slice(page.indexOf(`## ${language}\n`))
  const [, text = ''] = new RegExp(`^\`\`\`${language.toLowerCase()}\n(.*?)^\`\`\`$`, 'ms').exec(section) ?? []
  expect(text).toContain('funding')
  return text
}

let still: Laboratory
let running: Laboratory
/** A command that says where they are. */
let ready: string

beforeAll(async () => {
  const flags = ['--no-rate-limits', '--simulator', 'off']
  ;[still, running] = await Promise.all([
    Laboratory.open('--deterministic', ...flags),
    Laboratory.open('--one-port', ...flags),
  ])
  const words = [process.execPath, join(checkout, 'test/lab/runners/ready.mjs'), still.main.url, running.main.url]
  ready = words.map((word) => `'${word}'`).join(' ')
})
afterAll(() => Promise.all([still?.close(), running?.close()]))

function isThere([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { env: plain }).status === 0
}

describe.each(languages.filter(({ needs }) => isThere(needs)))('$name', (language) => {
  let into: string
  let program: readonly string[]

  beforeAll(async () => {
    into = temporaryDirectory(language.name.toLowerCase())
    program = await language.compile(into)
  })

  const runCases = (args: readonly string[], env: NodeJS.ProcessEnv) => {
    const [command = '', ...before] = program
    return run(command, [...before, ...args], { ...plain, ...env })
  }
  /** A file of cases, each named by its place. */
  const file = (...given: readonly { readonly options: object; readonly steps?: readonly object[] }[]) => {
    const at = join(into, 'cases.json')
    const named = given.map(({ options, steps = [] }, place) => ({ name: `${place}`, options, steps }))
    writeFileSync(at, JSON.stringify({ cases: named }))
    return [at]
  }

  test('runs the same cases', async () => {
    const { out, errors } = await runCases([casesFile], { TIDEMARK_BIN: ready })
    expect(out.trim().split('\n'), errors).toEqual(cases.map(({ name }) => `ok ${name}`))
  })

  test('says loudly what it does not know, and what is not as a case wants it', async () => {
    const wrong = [
      { call: 'clock.rewind', with: ['8h'] },
      { call: 'orders', with: ['unified-main'], count: 1 },
      { call: 'clock.now', gives: 1 },
      { call: 'clock.step', with: ['soon'], fails: { code: 'clock-backwards' } },
      { call: 'clock.step', with: ['1s'], fails: { code: 'body-wrong' } },
      { call: 'clock.step', with: ['1s'], gives: { past: true } },
      { call: 'clock.step', with: ['1s'], gives: { fired: [{}] } },
      { call: 'clock.step', with: ['soon'] },
    ].map((step) => ({ options: { deterministic: true }, steps: [step] }))
    const { code, out } = await runCases(file(...wrong), { TIDEMARK_BIN: ready })
    expect({ code, out }).toEqual({ code: 1, out: wrong.map((_, place) => `failed ${place}\n`).join('') })
  })

  test.runIf(language.hasFaults)('makes faults, sets books, and holds what comes', async () => {
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' }
    const place = ['unified-main', 'POST', '/api/v3/trade/place-order']
    const rule = { nth: 1, on: { endpoint: 'place', role: 'unified-main' } }
    const steps = [
      {
        call: 'book',
        with: ['BTCUSDT', { bids: [['59990', '1']], asks: [['60010', '1']] }],
        gives: { symbol: 'BTCUSDT' },
      },
      { call: 'faults.add', with: ['lost-ack'], options: rule, gives: { rule: {} } },
      { call: 'faults.add', with: ['lost-answer'], fails: { status: 400, field: 'fault' } },
      { call: 'faults.list', count: 1 },
      // It is not sent again by the library, which would be a second order.
      { call: 'request', with: [...place, { ...order, price: '50000' }], fails: { status: 0, code: 'unreachable' } },
      { call: 'orders', with: ['unified-main'], count: 1 },
      { call: 'faults.firings', gives: [{ fault: 'lost-ack', outcome: 'placed' }] },
      { call: 'faults.firings', with: [1], count: 0 },
      { call: 'request', with: [...place, { ...order, price: '60010' }] },
      { call: 'orders', with: ['unified-main'], options: { open: false }, gives: [{ avgPrice: '60010' }] },
      { call: 'faults.clear' },
      { call: 'faults.list', count: 0 },
      { call: 'hold', options: { role: 'unified-main' } },
      { call: 'pending', count: 0 },
      { call: 'pending', options: { atLeast: 1, timeout: '10ms' }, fails: { code: 'until-not-reached' } },
      { call: 'release', with: ['shuffle'], options: { seed: 7 } },
      { call: 'release', with: [['a1', 'b2']], fails: { status: 404 } },
      { call: 'drop', with: ['a1', '40010'], fails: { status: 404 } },
      { call: 'latency', with: [[{ leg: 'read', constant: '1ms' }]] },
      { call: 'latency', with: [[]] },
      { call: 'cheats.market', options: { fault: 'halt', symbol: 'BTCUSDT' }, gives: { market: { fault: 'halt' } } },
    ]
    const { out, errors } = await runCases(file({ options: { deterministic: true }, steps }), { TIDEMARK_BIN: ready })
    expect(out, errors).toBe('ok 0\n')
  })

  test('says why there is no laboratory', async () => {
    const { code, out, errors } = await runCases(file({ options: {} }), { TIDEMARK_BIN: `${ready} otherwise` })
    expect({ code, out }).toEqual({ code: 1, out: 'failed 0\n' })
    expect(errors).toContain('asked otherwise: otherwise dev')
    const missing = await runCases(file({ options: {} }), { TIDEMARK_BIN: '/nowhere/tidemark' })
    expect(missing.errors).toContain('/nowhere/tidemark does not start: ')
  })

  test('uses the laboratory that TIDEMARK_URL names', async () => {
    const named = { TIDEMARK_URL: `${still.main.url}/`, TIDEMARK_BIN: '/nowhere/tidemark' }
    const begun = { call: 'clock.now', gives: Date.UTC(2026, 2, 1) }
    const good = { options: { deterministic: true, startAt: '2026-03-01T00:00:00Z' }, steps: [begun] }
    const one = await runCases(file(good, { options: { deterministic: false } }), named)
    expect(one.out, one.errors).toBe('ok 0\nfailed 1\n')
    expect(one.errors).toContain('was not started so')
    // All of its venues are behind its own port.
    const steps = [
      { call: 'fork', as: 'fork' },
      { of: 'fork', call: 'orders', with: ['classic-main'], count: 0 },
    ]
    const other = await runCases(file({ options: {}, steps }), { ...named, TIDEMARK_URL: running.main.url })
    expect(other.out, other.errors).toBe('ok 0\n')
    const stranger = await runCases(file({ options: {} }), { ...named, TIDEMARK_LAB_TOKEN: 'wrong' })
    expect(stranger.errors).toContain('Authorization: Bearer with the token')
  })

  test.runIf(language.readsJson)('reads and writes JSON', () => {
    const texts = ['', 'a"b\\c/d', '\n\t\r\b\f\u0000\u001f', 'é ☂ 😀']
    const numbers = [0, -1, 1767225600000, 1.5, -2.5e-7, 1e21]
    const values = [texts, numbers, [true, false, null], {}, { '': { a: [[], [{ b: null }]] } }]
    const good = [
      ...values.map((value) => JSON.stringify(value)),
      ' { "a" : [ 1 , 2 ] } ',
      String.raw`"\u00e9\ud83d\ude00\/\b\f"`,
    ]
    const wrong = ['', '{', '[1,]', '{"a" 1}', '{"a":1,}', '"a', '"\\u12"', 'nul', '1 2', '-', '[1 2]', "'a'", '01x']
    const [command = '', ...before] = program
    const input = [...good, ...wrong].map((line) => `${line}\n`).join('')
    const lines = spawnSync(command, [...before, 'echo'], { input, encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n')
    expect(lines.slice(0, good.length).map((line) => JSON.parse(line) as unknown)).toEqual(
      good.map((line) => JSON.parse(line) as unknown),
    )
    for (const [place, line] of lines.slice(good.length).entries())
      expect([wrong[place], line]).toEqual([wrong[place], expect.stringMatching(/^(no JSON|more after the end)/)])
    expect(lines).toHaveLength(good.length + wrong.length)
  })

  test.runIf(language.runPage !== undefined)('the test of docs/testing.md passes', async () => {
    const { code, out, errors } = await language.runPage!(into, shown(language.name), { ...plain, TIDEMARK_BIN: ready })
    expect(code, out + errors).toBe(0)
  })
})

/** A line on standard error, and a test that is counted as skipped. */
function leftOut(what: string): void {
  process.stderr.write(`\nNOT RUN: ${what}\n\n`)
  test(`not run: ${what}`, ({ skip }) => skip(what))
}
for (const { name, needs } of languages) {
  if (!isThere(needs)) leftOut(`the helper for ${name}, as there is no ${needs[0]} here`)
}
if (junit === undefined) leftOut('the JUnit extension, as JUNIT_CLASSPATH names no jars of JUnit 5')
else expect(junit.split(delimiter).every((jar) => existsSync(jar))).toBe(true)
