/** deploy/: what the container files name is there, and the venue takes what they tell it. Nothing is built or run here. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const file = (name: string) => readFileSync(join(checkout, 'deploy', name), 'utf8')

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const compose = parse(file('compose.yaml')) as {
  readonly services: Readonly<Record<'init' | 'venue', Service>>
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
    env: { PATH: process.env['PATH'], ...environmentOfImage(), ...environment },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; source: string }[] }
  const given = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  expect(given).toMatchObject({ host: '0.0.0.0', port: 8080, data: '/data', durability: 'sync' })
})

function environmentOfImage(): Record<string, string> {
  return Object.fromEntries(instructions('ENV').flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split('='))))
}
