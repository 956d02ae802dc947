/**
 * deploy/, action.yml and docs/ci.md: what the container files name is there, venues take what they tell them, and the action's
 * two halves do what it says. No image is built or run here.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { inherited } from './support/inherited.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const file = (name: string) => readFileSync(join(checkout, 'deploy', name), 'utf8')

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly profiles?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const compose = parse(file('compose.yaml')) as {
  readonly services: Readonly<Record<'init' | 'venue' | 'dev', Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
/** Instructions with what follows them, continued lines joined. */
const container = file('Containerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => /^(\w+)\s+(.*)$/.exec(line)?.slice(1) ?? [line, ''])
const instructions = (name: string) => container.filter(([one]) => one === name).map(([, rest]) => rest)

function command(words: readonly string[]): string[] {
  return [...(JSON.parse(instructions('ENTRYPOINT')[0]) as string[]).slice(1), ...words]
}

test('what the image copies, and what it starts, is in the checkout', () => {
  const copied = instructions('COPY').filter((rest) => !rest.startsWith('--from'))
  const sources = copied.flatMap((rest) => rest.split(/\s+/).slice(0, -1))
  expect(sources.length).toBeGreaterThan(4)
  expect(sources.filter((source) => !existsSync(join(checkout, source)))).toEqual([])
  const [entry] = command([])
  expect(existsSync(join(checkout, entry))).toBe(true)
  expect(sources.some((source) => entry.startsWith(`${source}/`))).toBe(true)
  expect(instructions('USER')).toEqual(['node'])
})

test('the image has every package that the sources ask for', () => {
  expect(instructions('RUN')[0]).toBe('npm ci --omit=dev --omit=optional')
  const { dependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const asked = new Set<string>()
  for (const name of readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    const text = readFileSync(join(checkout, 'src', name), 'utf8')
    for (const [, found] of text.matchAll(/(?:from|import\() ?'((?:@[^/']+\/)?[a-z][^/':]*)(?:\/[^']*)?'/g))
      asked.add(found)
  }
  expect(asked.size).toBeGreaterThan(5)
  // What a test that it writes asks for.
  asked.delete('tidemark')
  expect([...asked].filter((one) => !(one in dependencies))).toEqual([])
})

test('the services build what is there, share one directory, and wait for one another', () => {
  const { init, venue } = compose.services
  expect(existsSync(join(checkout, 'deploy', init.build!.context, init.build!.dockerfile))).toBe(true)
  expect(venue.image).toBe(init.image)
  expect(venue.depends_on).toEqual({ init: { condition: 'service_completed_successfully' } })
  const { TIDEMARK_DATA: data } = environmentOfImage()
  for (const { volumes } of [init, venue]) expect(volumes).toEqual([`data:${data}`])
  expect(Object.keys(compose.volumes)).toEqual(['data'])
  expect(instructions('VOLUME')).toEqual([data])
  expect(venue.ports).toEqual([`127.0.0.1:8080:${instructions('EXPOSE')[0]}`])
})

test.each([
  ['the image', JSON.parse(instructions('CMD')[0]) as string[], {}],
  ['compose', compose.services.venue.command, compose.services.venue.environment ?? {}],
])('the venue takes what %s tells it', (_, [start, ...options], environment) => {
  expect(start).toBe('start')
  const { stdout, stderr, status } = spawnSync(process.execPath, command(['config', 'show', ...options]), {
    cwd: checkout,
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...inherited, ...environmentOfImage(), ...environment },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; source: string }[] }
  const given = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  expect(given).toMatchObject({ host: '0.0.0.0', port: 8080, data: '/data', durability: 'sync' })
})

function environmentOfImage(): Record<string, string> {
  return Object.fromEntries(instructions('ENV').flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split('='))))
}

test('what the image has above its base stays below 250 MB with it', () => {
  // Debian says of bookworm-slim that it has 75 MB; nothing here can weigh it.
  const baseBytes = 75e6
  const copied = instructions('COPY').filter((rest) => !rest.startsWith('--from'))
  const ours = copied.slice(-4).flatMap((rest) => rest.split(/\s+/).slice(0, -1))
  expect(ours).toEqual(['package.json', 'LICENSE', 'deploy/healthy.js', 'src', 'verifier'])
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>
  }
  const needed = Object.keys(packages).filter((path) => {
    const { dev, optional, devOptional } = packages[path]
    return path !== '' && dev !== true && optional !== true && devOptional !== true
  })
  const pages = existsSync(join(checkout, 'dist/terminal')) ? ['dist/terminal'] : []
  const bytes = [...ours, ...needed, ...pages].map(bytesOf)
  const node = statSync(process.execPath).size
  expect(baseBytes + node + bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(250e6)
})

/** Of a file, or of all files below a directory but those of packages within. */
function bytesOf(path: string): number {
  const top = join(checkout, path)
  if (!statSync(top).isDirectory()) return statSync(top).size
  return readdirSync(top, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => bytesOf(join(path, entry.name)))
    .reduce((sum, one) => sum + one, 0)
}

describe('a venue for tests', () => {
  const token = 'sixteen-letters!'
  const { profiles, image, command: words, environment, ports, volumes } = compose.services.dev

  test('the profile is apart from the venue on disk', () => {
    expect({ profiles, image, volumes }).toEqual({ profiles: ['dev'], image: 'tidemark', volumes: undefined })
    expect(environment).toEqual({ TIDEMARK_LAB_TOKEN: '${TIDEMARK_LAB_TOKEN:-}' })
    expect(ports).toEqual([`127.0.0.1:8082:${instructions('EXPOSE')[0]}`])
    expect(compose.services.venue.ports).not.toEqual(ports)
  })

  test('the last stage is the venue on disk, and the one before it starts dev', () => {
    const stages = instructions('FROM').slice(-3)
    expect(stages).toEqual(['debian:bookworm-slim AS venue', 'venue AS dev', 'venue'])
    expect(instructions('CMD').map((rest) => (JSON.parse(rest) as string[])[0])).toEqual(['start', 'dev'])
  })

  test.each([
    ['compose', words, {}],
    ['the image', JSON.parse(instructions('CMD')[1]) as string[], { TIDEMARK_DETERMINISTIC: 'true' }],
  ])('starts as %s says, and the image sees that it is well', async (_, given, more) => {
    const env = { ...inherited, ...environmentOfImage(), ...more, TIDEMARK_LAB_TOKEN: token }
    const args = command([...given, '--port', '0'])
    const venue = spawn(process.execPath, args, { cwd: checkout, env, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const [line] = (await once(createInterface({ input: venue.stdout }), 'line')) as [string]
      const { port } = new URL(line.replace(/^ready /, ''))
      expect(await healthSeen({ TIDEMARK_PORT: port })).toBe(0)
      const asked = await fetch(`http://127.0.0.1:${port}/_lab`, { headers: { authorization: `Bearer ${token}` } })
      const { data } = (await asked.json()) as { data: object }
      const isDeterministic = 'TIDEMARK_DETERMINISTIC' in more
      expect(data).toMatchObject({ deterministic: isDeterministic, simulator: !isDeterministic })
    } finally {
      venue.kill('SIGTERM')
      await once(venue, 'exit')
    }
  })

  test('the image sees that nobody answers', async () => {
    expect(await healthSeen({ TIDEMARK_PORT: '1' })).toBe(1)
  })

  async function healthSeen(env: Record<string, string>): Promise<number> {
    const args = JSON.parse(instructions('HEALTHCHECK')[0].replace(/^.*CMD /, '')) as string[]
    expect(args[0]).toBe('node')
    const data = mkdtempSync(join(tmpdir(), 'tidemark-healthy-'))
    const child = spawn(process.execPath, args.slice(1), { cwd: checkout, env: { TIDEMARK_DATA: data, ...env } })
    const [code] = (await once(child, 'exit')) as [number]
    rmSync(data, { recursive: true })
    return code
  }
})

describe('the action', () => {
  const action = parse(readFileSync(join(checkout, 'action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: string; readonly description: string }>>
    readonly outputs: Readonly<Record<string, unknown>>
    readonly runs: { readonly using: string; readonly main: string; readonly post: string }
  }
  const page = readFileSync(join(checkout, 'docs/ci.md'), 'utf8')
  let directory: string

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'tidemark-action-'))
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  /** One half of it as the runner would run it, with this checkout in place of npx. */
  async function half(program: string, given: Record<string, string>) {
    const inputs = { command: `${process.execPath} ${join(checkout, 'bin/tidemark.js')}`, port: '0', ...given }
    const env: Record<string, string> = { PATH: process.env['PATH'] ?? '', RUNNER_TEMP: directory }
    for (const [name, { default: byDefault }] of Object.entries(action.inputs)) {
      env[`INPUT_${name.toUpperCase()}`] = inputs[name as keyof typeof inputs] ?? byDefault
    }
    for (const name of ['env', 'output', 'state']) {
      env[`GITHUB_${name.toUpperCase()}`] = join(directory, name)
      if (!existsSync(join(directory, name))) writeFileSync(join(directory, name), '')
    }
    for (const [name, value] of Object.entries(told('state'))) env[`STATE_${name}`] = value
    const child = spawn(process.execPath, [join(checkout, program)], { cwd: directory, env })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    return { code, stdout }
  }

  function told(name: string): Record<string, string> {
    const lines = readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean)
    return Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
  }

  test('reads the inputs that it has, and the page names each', () => {
    const text = readFileSync(join(checkout, action.runs.main), 'utf8')
    const read = [...text.matchAll(/\binput\('(\w+)'\)/g)].map(([, name]) => name)
    expect([...new Set(read)].sort()).toEqual(Object.keys(action.inputs).sort())
    for (const name of Object.keys(action.inputs)) expect(page).toContain(`| \`${name}\` |`)
    expect(Object.keys(action.outputs)).toEqual(['url'])
  })

  test('starts a venue that is well, tells where it is, and stops it', async () => {
    const options = '--start-at 2026-03-01T00:00:00Z --no-rate-limits'
    const { code, stdout } = await half(action.runs.main, { options, role: 'classic-main' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Tidemark listens on ') as string })
    const { TIDEMARK_URL: url, TIDEMARK_PID: pid, ...key } = told('env')
    expect(told('output')).toEqual({ url })
    expect(key).toEqual({
      TIDEMARK_API_KEY: 'dev-classic-main',
      TIDEMARK_SECRET: 'tidemark',
      TIDEMARK_PASSPHRASE: 'tidemark',
    })
    const { data } = (await (await fetch(`${url}/_lab`)).json()) as { data: object }
    expect(data).toMatchObject({ url, deterministic: true, simulator: false, now: Date.UTC(2026, 2, 1) })

    const stopped = await half(action.runs.post, {})
    expect(stopped).toEqual({ code: 0, stdout: expect.stringContaining('Tidemark listens on ') as string })
    await expect.poll(() => fetch(url).catch(() => 'gone'), { timeout: 10_000 }).toBe('gone')
    expect(Number(pid)).toBeGreaterThan(0)
    expect(await half(action.runs.post, {})).toMatchObject({ code: 0 })
  })

  test.each([
    ['an option that there is not', { options: '--nothing' }, /--nothing: there is no such option/],
    ['a role that there is not', { role: 'nobody' }, /::error title=Tidemark::role: there is no nobody; there are un/],
    ['a command that there is not', { command: 'no-such-program' }, /::error title=Tidemark::no-such-program cannot/],
  ])('%s fails the step with one line', async (_, given, said) => {
    const { code, stdout } = await half(action.runs.main, given)
    expect(code).toBe(1)
    expect(stdout).toMatch(said)
    expect(stdout.match(/::error/g)).toHaveLength(1)
    await half(action.runs.post, {})
  })
})

describe('docs/ci.md', () => {
  const page = readFileSync(join(checkout, 'docs/ci.md'), 'utf8')
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text)

  test('its workflows are YAML, and the action is that of the root', () => {
    const [action, upload, service] = blocks('yaml').map((text) => parse(text) as Record<string, unknown>)
    expect(upload).toMatchObject([{ if: 'failure()', with: { path: '**/*.tide' } }])
    expect(action['steps']).toContainEqual({ uses: 'OWNER/tidemark@main' })
    expect(service).toEqual({
      services: {
        tidemark: {
          image: 'ghcr.io/OWNER/tidemark:dev',
          env: { TIDEMARK_LAB_TOKEN: '16-characters-or-more', TIDEMARK_DETERMINISTIC: 'true' },
          ports: ['8080:8080'],
        },
      },
    })
  })

  test('its commands have the options that dev has', () => {
    const { stdout } = spawnSync(process.execPath, command(['dev', '--help']), { cwd: checkout, encoding: 'utf8' })
    const asked = new Set(
      [...page.matchAll(/\bdev['", ]+(--host[^`\n\])]*)/g)].flatMap(([, rest]) => rest.match(/--[a-z-]+/g)),
    )
    expect(asked).toContain('--deterministic')
    for (const option of asked) expect(stdout).toContain(`${option} `)
  })

  test('its containers are those of Python and TypeScript', () => {
    const [typescript] = blocks('ts')
    expect(stripTypeScriptTypes(typescript)).toBe(typescript)
    const [python] = blocks('python')
    const { status, error, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: python,
      encoding: 'utf8',
    })
    if (error === undefined) expect(status, stderr).toBe(0)
  })
})
