/** docs/operations.md: its script takes an empty venue to a first trade as it stands, and it leaves no call or setting out. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { operatorCalls } from '../src/operator/calls/calls.ts'
import { settingNames } from '../src/operator/config/settings.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(join(checkout, 'docs/operations.md'), 'utf8')

test('from an empty venue to a first trade', { timeout: 120_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-operations-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await symlink(join(checkout, 'bin'), join(directory, 'bin'))
  const [, script = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
  await writeFile(join(directory, 'first-trade.sh'), script)

  const { stdout, stderr, status } = spawnSync('bash', ['-e', 'first-trade.sh'], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 110_000,
    env: { ...process.env, HOME: directory, TIDEMARK_PORT: '0', TIDEMARK_OPERATOR_PORT: '0' },
  })
  expect(status, stderr).toBe(0)
  expect(stdout.match(/"code":"00000"/g)).toHaveLength(3)
  expect(stdout).toMatch(/"price":"60000","size":"0.01"/)
  expect(stdout).toContain('entryPrice = 60000 USDT')
  expect(stdout).toContain('"balanced": true')
  expect(stderr).toContain('tidemark coins add FILE')
  expect(stderr).not.toContain('curl ')
  const kept = join(directory, 'tidemark')
  expect(existsSync(join(kept, 'my-venue/server.json'))).toBe(false)
  expect(JSON.parse(await readFile(join(kept, 'my-venue/venue.json'), 'utf8'))).toMatchObject({ kind: 'empty' })
  for (const name of ['alice.json', 'bob.json']) expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600)
})

test.each([
  ...operatorCalls.map(({ method, path }) => `\`${method} ${path}\``),
  ...settingNames.map((name) => `| \`${name}\` |`),
])('%s is there', (mention) => {
  expect(page).toContain(mention)
})
