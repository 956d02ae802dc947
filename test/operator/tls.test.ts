/**
 * A venue with a certificate, as its operator meets it: the whole process, its command line, and a certificate that changes
 * while it runs.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeCertificate, type MadeCertificate } from '../support/certificate.ts'
import { sooner } from '../support/sooner.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { inherited } from '../support/inherited.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(checkout, 'src/cli/cli.ts')
const home = temporaryDirectory('tls')
const data = join(home, 'data')
const files = { cert: join(home, 'venue.cert'), key: join(home, 'venue.key') }
/** For a name that is not this machine's. */
const names = ['venue.example']
const authority = makeCertificate({ name: 'Authority' })
const [first, second] = [makeCertificate({ names, by: authority }), makeCertificate({ names, by: authority })]
const expired = makeCertificate({ names, from: new Date('2021-01-01'), until: new Date('2022-03-04') })

let venue: ChildProcess
let log = ''
let out = ''
let url: string
let operatorUrl: string

function write({ cert, key }: MadeCertificate): void {
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
}

function server() {
  return JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as Record<string, string>
}

async function tidemark(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...sooner, cli, ...args], { env: { ...inherited, ...environment } })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += String(chunk)))
  child.stderr.on('data', (chunk) => (said.err += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, ...said }
}

/** The serial number of what is shown to who connects now. */
async function shown(): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** An answer, over TLS that trusts the authority alone. */
async function ask(address: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const options = { ca: authority.cert, servername: names[0], headers, agent: false as const }
  const [answer] = (await once(request(address, options).end(), 'response')) as [IncomingMessage]
  return answer
}

async function statusOf(address: string, headers?: Record<string, string>): Promise<number | undefined> {
  return (await ask(address, headers)).resume().statusCode
}

async function textOf(address: string): Promise<string> {
  return text(await ask(address))
}

const logged = () => log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

beforeAll(async () => {
  write(first)
  expect(spawnSync(process.execPath, [...sooner, cli, 'init', '--data', data], { env: inherited }).status).toBe(0)
  const listening = ['--port', '0', '--operator-port', '0', '--operator-host', '0.0.0.0', '--durability', 'os']
  const certificate = ['--tls-cert', files.cert, '--tls-key', files.key]
  venue = spawn(process.execPath, [...sooner, cli, 'start', '--data', data, ...listening, ...certificate], {
    env: inherited,
  })
  venue.stderr!.on('data', (chunk) => (log += String(chunk)))
  venue.stdout!.on('data', (chunk) => (out += String(chunk)))
  await vi.waitFor(() => expect(out).toContain('\n'), 30_000)
  ;({ url, operatorUrl } = server())
})

afterAll(async () => {
  if (venue.exitCode !== null) return
  venue.kill('SIGKILL')
  await once(venue, 'exit')
})

test('the ready line and server.json say https, of the operator’s listener beyond loopback too', async () => {
  expect(out).toMatch(/^ready https:\/\/127\.0\.0\.1:\d+\n$/)
  expect(out).toBe(`ready ${url}\n`)
  expect(operatorUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(server()['certificate']).toBe(first.cert)
  expect(await statusOf(`${url}/health`)).toBe(200)
})

test('the operator’s listener needs the token as ever, and HTTP as it is learns nothing', async () => {
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  expect(await statusOf(`${operatorUrl}/operator/status`)).toBe(401)
  expect(await statusOf(`${operatorUrl}/operator/status`, { authorization: `Bearer ${token}` })).toBe(200)
  const plain = await fetch(`${operatorUrl.replace('https', 'http')}/operator/status`)
  expect({ status: plain.status, answer: await plain.json() }).toEqual({
    status: 400,
    answer: { ok: false, error: { code: 'request-wrong', message: 'the address begins with https' } },
  })
})

test('the command line knows the venue by its certificate', async () => {
  const status = await tidemark(['status', '--data', data])
  expect(status).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(status.out)).toMatchObject({ kind: 'empty', status: 'ok' })
  expect(await tidemark(['accounts', 'create', '--data', data])).toMatchObject({ code: 0, err: '' })
})

test('the metrics say when the certificate ends, and the container file finds the venue in health', async () => {
  const ends = new X509Certificate(first.cert).validToDate.getTime() / 1000
  expect(await textOf(`${url}/metrics`)).toContain(`\ntidemark_tls_certificate_expires_seconds ${ends}\n`)
  const container = readFileSync(join(checkout, 'deploy/Containerfile'), 'utf8')
  const [, command] = /^HEALTHCHECK[^[]*(\[.*\])$/m.exec(container.replaceAll('\\\n', ' ')) ?? []
  const [, ...args] = JSON.parse(command) as string[]
  // Nobody listens on port 1: what is not in the directory is nowhere.
  const env = (at: string) => ({ ...inherited, TIDEMARK_DATA: at, TIDEMARK_PORT: '1' })
  const check = (at: string) => spawnSync(process.execPath, args, { cwd: checkout, env: env(at) }).status
  expect(check(data)).toBe(0)
  expect(check(join(home, 'nowhere'))).toBe(1)
})

test('another certificate than the venue’s is not spoken to', async () => {
  const other = join(home, 'other')
  const listener = createServer({ cert: second.cert, key: second.key })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const asked = vi.fn<() => void>()
  listener.on('request', asked)
  const { port } = listener.address() as { port: number }
  const fake = { url: `https://127.0.0.1:${port}`, operatorUrl: `https://127.0.0.1:${port}`, certificate: first.cert }
  mkdirSync(other)
  writeFileSync(join(other, 'server.json'), JSON.stringify(fake))
  writeFileSync(join(other, 'operator-token'), 'secret')
  const status = await tidemark(['status', '--data', other])
  expect(status).toMatchObject({ code: 1, out: '' })
  expect(status.err).toMatch(/^tidemark: the certificate of https:\S+ is not trusted: .*\n$/)
  const book = await tidemark(['book', 'SPOT', 'BTCUSDT', '--once', '--data', other])
  expect(book).toMatchObject({ code: 1, out: '' })
  expect(book.err).toContain('is not trusted')
  expect(asked).not.toHaveBeenCalled()
  listener.close()
})

test('elsewhere a certificate counts by who vouches for it and by its name', async () => {
  const key = ['--api-key', 'k', '--passphrase', 'p', '--secret', 's']
  const list = ['order', 'list', 'SPOT', ...key, '--url']
  const unknown = await tidemark([...list, url])
  expect(unknown).toMatchObject({ code: 1, out: '' })
  expect(unknown.err).toContain(`the certificate of ${url} is not trusted: `)
  const ca = join(home, 'authority.pem')
  writeFileSync(ca, authority.cert)
  const trusting = await tidemark([...list, url], { NODE_EXTRA_CA_CERTS: ca })
  expect(trusting.err).toContain("IP: 127.0.0.1 is not in the cert's list")
  const plain = await tidemark([...list, url.replace('https', 'http')])
  expect(plain.err).toContain('the URL should begin with https')
})

test('SIGHUP: a new certificate is shown to who comes, a wrong one is not, and the log says so once', async () => {
  const before = await shown()
  writeFileSync(files.key, second.key)
  venue.kill('SIGHUP')
  await vi.waitFor(() => expect(log).toContain('the new certificate is wrong'), 5_000)
  const wrong = logged().filter(({ msg }) => msg === 'the new certificate is wrong, the old one stays')
  expect(wrong).toMatchObject([
    { level: 50, why: `--tls-key "${files.key}": must belong to the first certificate of --tls-cert` },
  ])
  expect(await shown()).toBe(before)
  expect(server()['certificate']).toBe(first.cert)

  write(second)
  venue.kill('SIGHUP')
  await vi.waitFor(() => expect(log).toContain('the venue has a new certificate'), 5_000)
  expect(await shown()).not.toBe(before)
  expect(server()['certificate']).toBe(second.cert)
  expect(await tidemark(['status', '--data', data])).toMatchObject({ code: 0, err: '' })
})

test('an expired certificate is a warning with its date, and the command line says what is wrong', async () => {
  write(expired)
  venue.kill('SIGHUP')
  await vi.waitFor(() => expect(log).toContain('has expired on 2022-03-04T00:00:00.000Z'), 5_000)
  const status = await tidemark(['status', '--data', data])
  expect(status).toMatchObject({ code: 1, out: '' })
  expect(status.err).toMatch(/^tidemark: the certificate of https:\S+ is not trusted: certificate has expired\n$/)
})

test('it stops in order, clients in the middle of a handshake or not', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  venue.kill('SIGTERM')
  const [code] = (await once(venue, 'exit')) as [number]
  expect(code).toBe(0)
  expect(out).toBe(`ready ${url}\n`)
})

test.each([
  [['--operator-host', '0.0.0.0'], 'needs --tls-cert and --tls-key'],
  [['--tls-cert', files.cert], '--tls-cert: needs --tls-key'],
  [['--tls-cert', files.cert, '--tls-key', join(home, 'none')], 'there is no such file'],
])('a wrong configuration starts nothing: %j', async (options, fault) => {
  const { code, out: said, err } = await tidemark(['start', '--data', data, ...options])
  expect({ code, said }).toEqual({ code: 2, said: '' })
  expect(err).toContain(fault)
  expect(err).not.toContain('    at ')
})

test('a demo venue has its operator’s listener on loopback alone', async () => {
  write(first)
  const certificate = ['--tls-cert', files.cert, '--tls-key', files.key]
  const demo = join(home, 'demo')
  const { code, err } = await tidemark(['start', '--data', demo, '--operator-host', '0.0.0.0', ...certificate])
  expect(code).toBe(1)
  expect(err).toContain('a demo venue has public keys and listens on loopback only, not on 0.0.0.0')
})
