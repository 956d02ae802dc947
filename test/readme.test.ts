/**
 * The README's first orders, run as they stand there: only the port is another one.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVenue, type Venue } from './support/venue.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
let venue: Venue
let directory: string
let readme: string

beforeAll(async () => {
  venue = await startVenue({ simulator: true })
  const { url } = JSON.parse(await readFile(join(venue.directory, 'server.json'), 'utf8')) as { url: string }
  readme = (await readFile(join(checkout, 'README.md'), 'utf8')).replaceAll('http://127.0.0.1:8080', url)
  directory = await mkdtemp(join(tmpdir(), 'tidemark-readme-'))
  await symlink(venue.directory, join(directory, 'data'))
  await symlink(join(checkout, 'node_modules'), join(directory, 'node_modules'))
})

afterAll(async () => {
  await venue.remove()
  await rm(directory, { recursive: true, force: true })
})

/** The first block of a language after a heading. */
function block(language: string, heading: string): string {
  const after = readme.slice(readme.indexOf(heading))
  const match = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(after)
  if (match?.[1] === undefined) throw new Error(`no ${language} block after "${heading}"`)
  return match[1]
}

async function run(command: string, file: string, text: string): Promise<string> {
  await writeFile(join(directory, file), text)
  const { stdout, stderr, status } = spawnSync(command, [file], { cwd: directory, encoding: 'utf8', timeout: 100_000 })
  expect(status, stderr).toBe(0)
  return stdout
}

test('the signed order with curl is taken, and refused when it is sent again', async () => {
  const shell = block('sh', '## A first order')
  expect(JSON.parse(await run('bash', 'first.sh', shell))).toMatchObject({
    code: '00000',
    data: { clientOid: 'my-first-order' },
  })
  expect(JSON.parse(await run('bash', 'again.sh', shell))).toMatchObject({ code: '40786' })
})

test('the order with ccxt fills, and the position is there', async () => {
  const printed = await run(process.execPath, 'first.mjs', block('js', '## A first order'))
  expect(printed).toMatch(/^\d+ \[/)
  expect(printed).toContain("symbol: 'BTC/USDT:USDT'")
})
