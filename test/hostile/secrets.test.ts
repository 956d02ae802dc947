/**
 * What is secret leaves the venue once, in the answer that issues it: no file, no line of output and no other answer has it.
 *
 * Looked for  the secret and the passphrase of a key, the operator's token and the master key: as text, as bytes, in base64
 * Looked in   every byte of the data directory while the venue runs, after a crash, after a stop with a snapshot (packed
 *             state is unpacked) · everything that was printed, at the most talkative level · every answer
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { endpoints } from '../../src/api/api.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { sign } from '../support/person.ts'
import { sooner } from '../support/sooner.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
const passphrase = 'correcthorse42staple'
let data: string
let child: ChildProcess | undefined
let printed = ''
const answers: string[] = []
let url = ''
let operatorUrl = ''
let token = ''
let key = { apiKey: '', secret: '' }

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'tidemark-secrets-'))
  await start()
})

afterAll(async () => {
  await end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const flags = [
    '--data',
    data,
    '--port',
    '0',
    '--operator-port',
    '0',
    '--simulator',
    'off',
    '--durability',
    'os',
    '--log-level',
    'trace',
  ]
  const started = spawn(process.execPath, [...sooner, cli, 'start', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  child = started
  let out = ''
  started.stdout.on('data', (chunk) => {
    out += String(chunk)
    printed += String(chunk)
  })
  started.stderr.on('data', (chunk) => (printed += String(chunk)))
  await vi.waitFor(() => expect(out).toContain('ready http://'), 30_000)
  const server = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { url: string; operatorUrl: string }
  url = server.url
  operatorUrl = server.operatorUrl
  token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

async function operator(path: string, body?: unknown, bearer = token): Promise<string> {
  const init =
    body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  const answer = await fetch(`${operatorUrl}${path}`, { ...init, headers: { authorization: `Bearer ${bearer}` } })
  return answer.text()
}

async function ask(
  method: string,
  path: string,
  body: string | undefined,
  change: Record<string, string> = {},
): Promise<void> {
  const timestamp = String(Date.now())
  const headers = {
    'access-key': key.apiKey,
    'access-sign': sign(key.secret, timestamp, method, path, body ?? ''),
    'access-timestamp': timestamp,
    'access-passphrase': passphrase,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...change,
  }
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  answers.push(JSON.stringify([...answer.headers]), await answer.text())
}

/** What must be nowhere, by name. */
function secrets(): Record<string, readonly Buffer[]> {
  const forms = (text: string) =>
    [text, text.toUpperCase(), Buffer.from(text).toString('base64').replaceAll('=', '')].map((spelling) =>
      Buffer.from(spelling),
    )
  const hex = (text: string) => [...forms(text), Buffer.from(text, 'hex')]
  return {
    secret: hex(key.secret),
    passphrase: forms(passphrase),
    'operator-token': hex(token),
    'master.key': hex(readFileSync(join(data, 'master.key'), 'utf8').trim()),
  }
}

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
}

function expectNoneIn(what: string, content: Buffer): void {
  for (const [name, forms] of Object.entries(secrets())) {
    if (what === join(data, name)) continue // the file that is there to keep it
    for (const form of forms) expect(content.includes(form), `${name} in ${what}`).toBe(false)
  }
}

function expectNoneInDirectory(): void {
  const files = filesUnder(data)
  expect(files.length).toBeGreaterThan(5)
  for (const path of files) expectNoneIn(path, readFileSync(path))
  for (const name of ['master.key', 'operator-token', 'keys.sqlite'])
    expect(statSync(join(data, name)).mode & 0o077, name).toBe(0)
}

test('a key is issued, and the only answer that has its secret is that one', async () => {
  const account = JSON.parse(
    await operator('/operator/accounts', { kind: 'main', mode: 'unified', name: 'Alice' }),
  ) as { data: { uid: string } }
  const { uid } = account.data
  const issued = await operator('/operator/keys', { uid, passphrase, label: 'bot' })
  key = (JSON.parse(issued) as { data: typeof key }).data
  expect(key.secret).toMatch(/^[0-9a-f]{64}$/)

  for (const { method, path } of endpoints) {
    const body = method === 'POST' ? '{}' : undefined
    await ask(method, path, body)
    await ask(method, path, body, { 'access-passphrase': `${passphrase}x` })
    await ask(method, path, body, { 'access-sign': key.secret })
  }
  await ask('POST', '/api/v3/trade/place-order', `{"secret":"x","category":"SPOT","qty":[`)
  for (const path of ['/health', '/metrics', '/docs', '/docs/json', '/docs/openapi.json', '/nothing']) {
    const answer = await fetch(url + path)
    answers.push(await answer.text())
  }
  for (const { method, path } of operatorCalls) {
    if (/clock/.test(path)) continue
    answers.push(await operator(path, method === 'POST' ? { uid, nothing: 1 } : undefined))
    answers.push(await operator(path, method === 'POST' ? '{' : undefined, `${token}x`))
  }
  // Refused for its label: the passphrase beside it is not repeated.
  answers.push(await operator('/operator/keys', { uid, passphrase, label: 7 }))
  answers.push(await operator('/operator/keys', { uid, passphrase: `${passphrase}!`, label: 'x' }))
  await overSocket()
  for (const answer of answers) expectNoneIn('an answer', Buffer.from(answer))
})

/** Logs in rightly and wrongly. */
async function overSocket(): Promise<void> {
  for (const wrong of ['', 'x']) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v3/ws/private`)
    await once(socket, 'open')
    const timestamp = String(Date.now())
    const signature = createHmac('sha256', key.secret).update(`${timestamp}GET/user/verify`).digest('base64')
    socket.send(
      JSON.stringify({
        op: 'login',
        args: [{ apiKey: key.apiKey, passphrase: passphrase + wrong, timestamp, sign: signature }],
      }),
    )
    const [message] = (await once(socket, 'message')) as [Buffer]
    answers.push(message.toString())
    socket.terminate()
  }
}

test('nothing of it is in a file while the venue runs', () => {
  expectNoneInDirectory()
})

test('nor after a crash, nor after a stop with a snapshot', async () => {
  await end('SIGKILL')
  expectNoneInDirectory()
  await start()
  await operator('/operator/snapshots', {})
  await end('SIGTERM')
  expectNoneInDirectory()
  const { snapshot } = await (await openSnapshots(join(data, 'snapshots'))).newest()
  const chunks: Uint8Array[] = []
  for await (const chunk of snapshot?.chunks() ?? []) chunks.push(chunk)
  expect(Buffer.concat(chunks).includes('Alice'), 'the state is unpacked').toBe(true)
  expectNoneIn('the saved state', Buffer.concat(chunks))
})

test('nor in anything that was printed', () => {
  expect(printed).toContain('operator call')
  expectNoneIn('the output', Buffer.from(printed))
})
