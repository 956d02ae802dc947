/**
 * `tidemark dev` that others can reach, as in a container: the laboratory is behind its token, keys are not handed out, and the
 * addresses that it tells are those by which it was asked.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connection } from '../support/http.ts'

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'bin/tidemark.js')
const flags = ['dev', '--host', '0.0.0.0', '--port', '0', '--deterministic']
const token = 'sixteen-letters!'
const withToken = { authorization: `Bearer ${token}` }

let child: ChildProcess
let printed = ''
let connection: Connection
let port: string

beforeAll(async () => {
  const env = { ...process.env, TIDEMARK_LAB_TOKEN: token }
  child = spawn(process.execPath, [program, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr!.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const url = line.replace(/^ready /, '')
  connection = new Connection(url)
  ;({ port } = new URL(url))
})

afterAll(async () => {
  connection?.close()
  child?.kill('SIGTERM')
  if (child?.exitCode === null) await once(child, 'exit')
})

async function get(target: string, headers: Record<string, string> = {}, method = 'GET') {
  const { status, envelope } = await connection.exchange({
    method,
    target,
    body: method === 'GET' ? undefined : '{}',
    headers: { host: `venue:${port}`, 'content-type': 'application/json', ...headers },
  })
  return { status, envelope }
}

test.each([
  ['fifteen letters', 'fifteen-letters', /--lab-token must have at least 16 characters on another host than loopback/],
  ['none', undefined, /--lab-token must have at least 16 characters on another host than loopback/],
])('a token of %s does not start', (_, given, said) => {
  const { TIDEMARK_LAB_TOKEN: _token, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...flags], {
    env: given === undefined ? env : { ...env, TIDEMARK_LAB_TOKEN: given },
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(said)
})

test('health and the interface need no token', async () => {
  expect((await get('/health')).status).toBe(200)
  expect((await get('/api/v2/public/time')).envelope).toMatchObject({ code: '00000' })
})

test.each([
  ['GET', '/_lab'],
  ['POST', '/_lab/reset'],
  ['POST', '/_lab/fork'],
  ['GET', '/_lab/operator/status'],
])('%s %s is refused without the token and with another one', async (method, path) => {
  const refused = { status: 401, envelope: { ok: false, error: { code: 'token-wrong' } } }
  expect(await get(path, {}, method)).toMatchObject(refused)
  expect(await get(path, { authorization: 'Bearer dev' }, method)).toMatchObject(refused)
  expect(await get(path, { host: `127.0.0.1:${port}` }, method)).toMatchObject(refused)
})

test('demo keys are handed out to nobody, whatever Host says', async () => {
  expect((await get('/terminal/demo-accounts')).status).toBe(404)
  expect((await get('/terminal/demo-accounts', { host: `127.0.0.1:${port}` })).status).toBe(404)
})

test('the addresses are those by which it was asked', async () => {
  const asked = { ...withToken, host: 'venue.example:49152' }
  expect((await get('/_lab', asked)).envelope).toMatchObject({
    data: {
      url: 'http://venue.example:49152',
      ws: { v3: { private: 'ws://venue.example:49152/v3/ws/private' } },
      keys: { 'unified-main': { apiKey: 'dev-unified-main', secret: 'tidemark', passphrase: 'tidemark' } },
    },
  })
  const { envelope } = await get('/_lab/fork', asked, 'POST')
  const { url, venue } = envelope!['data'] as { url: string; venue: string }
  expect(url).toMatch(/^http:\/\/venue\.example:\d+$/)
  expect(url).not.toBe('http://venue.example:49152')
  expect((await get(`/_lab/venues/${venue}`, asked, 'DELETE')).status).toBe(200)
})

test('it says that its keys are open to all who reach the port', () => {
  expect(printed).toContain('Whoever reaches this port can trade with these keys. Only /_lab asks for the token.')
  expect(printed).toContain("curl -X POST -H 'Authorization: Bearer TOKEN' http://")
})
