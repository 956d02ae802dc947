/**
 * deploy/nginx.conf and deploy/Caddyfile: that they are what their programs read, and that addresses stay right behind them.
 *
 * Everywhere  they are read as text: the blocks close, and the lines are there that addresses and WebSocket depend on
 * Where they  their programs check them, and then stand in front of a venue, with ports and a certificate of the test's own.
 * are         NGINX and CADDY name the programs where they are not on the path
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { keepAliveMs } from '../src/http/requests.ts'
import { makeCertificate } from './support/certificate.ts'
import { sign } from './support/person.ts'
import { freePorts } from './support/ports.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { startVenue, type Venue } from './support/venue.ts'

const deploy = fileURLToPath(new URL('../deploy', import.meta.url))
const nginxText = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
const caddyText = readFileSync(join(deploy, 'Caddyfile'), 'utf8')

/** A directive of nginx with the blocks that it stands in: `http server location listen 443 ssl`. */
function directives(text: string): string[] {
  const tokens = text.replace(/^\s*#.*$/gm, '').match(/"[^"]*"|[{};]|[^\s{};"]+/g) ?? []
  const found: string[] = []
  const blocks: string[] = []
  const words: string[] = []
  for (const token of tokens) {
    if (token === '}') {
      if (words.length > 0) throw new Error(`"${words.join(' ')}" has no end`)
      if (blocks.pop() === undefined) throw new Error('a block ends that never began')
    } else if (token === '{') blocks.push(words.splice(0).join(' '))
    else if (token === ';') found.push([...blocks, words.splice(0).join(' ')].join(' > '))
    else words.push(token)
  }
  if (blocks.length > 0 || words.length > 0) throw new Error(`"${[...blocks, ...words].join(' > ')}" has no end`)
  return found
}

/** Lines of the Caddyfile with the blocks that they stand in. */
function caddyLines(text: string): string[] {
  const found: string[] = []
  const blocks: string[] = []
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    if (line === '}') {
      if (blocks.pop() === undefined) throw new Error('a block ends that never began')
    } else if (line.endsWith(' {')) blocks.push(line.slice(0, -2))
    else found.push([...blocks, line].join(' > '))
  }
  if (blocks.length > 0) throw new Error(`${blocks.join(' > ')} has no end`)
  return found
}

describe('read as text', () => {
  const nginx = directives(nginxText)
  const location = 'http > server > location / > '

  test('nginx: client addresses are those of connections, and WebSocket is passed on', () => {
    for (const line of [
      'proxy_pass http://tidemark',
      'proxy_http_version 1.1',
      'proxy_set_header X-Forwarded-For $remote_addr',
      'proxy_set_header Upgrade $http_upgrade',
      'proxy_set_header Connection $connection_kind',
      'proxy_set_header Host $http_host',
      'proxy_next_upstream off',
      'proxy_buffering off',
    ]) {
      expect(nginx).toContain(location + line)
    }
    // A location with headers of its own would inherit none of these.
    expect(nginx.filter((line) => line.includes('proxy_pass'))).toHaveLength(1)
    expect(nginx).toContain('http > map $http_upgrade $connection_kind > "" ""')
    expect(nginx).toContain('http > server > ssl_protocols TLSv1.2 TLSv1.3')
  })

  test('Caddy: client addresses are those of connections', () => {
    const site = 'venue.example > reverse_proxy 127.0.0.1:8080 > '
    const lines = caddyLines(caddyText)
    for (const line of [
      'header_up X-Forwarded-For {remote_host}',
      'flush_interval -1',
      'transport http > keepalive 60s',
    ]) {
      expect(lines).toContain(site + line)
    }
  })

  test('both close a connection to the venue before the venue does', () => {
    const seconds = (text: string) => Number(/keepalive(?:_timeout)? (\d+)s/.exec(text)?.[1])
    const upstream = nginx.find((line) => line.startsWith('http > upstream tidemark > keepalive_timeout'))!
    const transport = caddyLines(caddyText).find((line) => /keepalive \d/.test(line))!
    for (const line of [upstream, transport]) expect(seconds(line) * 1_000).toBeLessThan(keepAliveMs - 5_000)
  })

  test('a file that is not whole is found', () => {
    expect(() => directives('http { server { listen 1; }')).toThrow('has no end')
    expect(() => directives('http { listen 1 }')).toThrow('has no end')
    expect(() => directives('http { } }')).toThrow('never began')
    expect(() => caddyLines('x {\n')).toThrow('has no end')
    expect(() => caddyLines('}\n')).toThrow('never began')
  })
})

const directory = temporaryDirectory('proxies')
const authority = makeCertificate({ name: 'Authority', names: ['authority.example'] })
const certificate = makeCertificate({ names: ['venue.example'], by: authority })
const files = { cert: join(directory, 'venue.pem'), key: join(directory, 'venue.key') }

interface Proxy {
  readonly name: string
  readonly program: string
  /** The file of deploy/ with nothing changed but ports, paths and where the certificate comes from. */
  readonly text: (ports: { readonly venue: number; readonly secure: number; readonly open: number }) => string
  readonly check: (file: string) => readonly string[]
  readonly run: (file: string) => readonly string[]
}

const nginx: Proxy = {
  name: 'nginx',
  program: process.env['NGINX'] ?? 'nginx',
  text: ({ venue, secure, open }) =>
    nginxText
      .replace('worker_processes auto', 'worker_processes 1')
      .replace('/run/nginx-tidemark.pid', join(directory, 'nginx.pid'))
      .replace(/^ *listen \[::\].*$/gm, '')
      .replace('listen 443', `listen 127.0.0.1:${secure}`)
      .replace('listen 80', `listen 127.0.0.1:${open}`)
      .replace('127.0.0.1:8080', `127.0.0.1:${venue}`)
      .replace('/etc/tidemark/venue.pem', files.cert)
      .replace('/etc/tidemark/venue.key', files.key)
      .replace(
        'access_log off;',
        ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
          .map((kind) => `${kind}_temp_path ${join(directory, kind)};`)
          .join('\n'),
      )
      .replace('server_tokens', `access_log off;\nserver_tokens`),
  check: (file) => ['-t', '-e', 'stderr', '-c', file],
  run: (file) => ['-e', 'stderr', '-g', 'daemon off;', '-c', file],
}

const caddy: Proxy = {
  name: 'Caddy',
  program: process.env['CADDY'] ?? 'caddy',
  text: ({ venue, secure, open }) => {
    const global = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${open}\n\thttps_port ${secure}\n\tdefault_bind 127.0.0.1\n}\n`
    return (global + caddyText)
      .replace('127.0.0.1:8080', `127.0.0.1:${venue}`)
      .replace('venue.example {', `venue.example {\n\ttls ${files.cert} ${files.key}`)
  },
  check: (file) => ['validate', '--config', file, '--adapter', 'caddyfile'],
  run: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
}

const present = [nginx, caddy].filter(({ program }) => spawnSync(program, ['version']).error === undefined)

describe.skipIf(present.length === 0).each(present)('$name in front of a venue', ({ program, text, check, run }) => {
  let venue: Venue
  let proxy: ChildProcess | undefined
  let said = ''
  let secure: number
  let open: number
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }

  beforeAll(async () => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(files.cert, certificate.cert + authority.cert)
    writeFileSync(files.key, certificate.key)
    venue = await startVenue({ environment: { TIDEMARK_TRUSTED_PROXIES: '127.0.0.1' } })
    ;[secure, open] = await freePorts(2)
    const file = join(directory, 'proxy.conf')
    writeFileSync(file, text({ venue: Number(new URL(venue.url).port), secure, open }))
    const checked = spawnSync(program, check(file), { encoding: 'utf8', env: { ...process.env, ...home } })
    expect([checked.status, checked.stderr]).toEqual([0, expect.anything()])
    proxy = spawn(program, run(file), { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...home } })
    proxy.stderr!.on('data', (chunk) => (said = (said + String(chunk)).slice(-4_000)))
    await vi.waitFor(async () => expect(await ask('127.0.0.1', '/health')).toMatchObject({ status: 200 }), 10_000)
  })

  afterAll(async () => {
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM')
      await once(proxy, 'exit')
    }
    await venue?.remove()
  })

  const trust = { ca: authority.cert, servername: 'venue.example' }

  /** From one of this machine's addresses. */
  function ask(from: string, path: string, headers: Readonly<Record<string, string | undefined>> = {}) {
    const given = Object.entries(headers).filter(([, value]) => value !== undefined)
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const options = { ...trust, host: '127.0.0.1', port: secure, path, localAddress: from, agent: false as const }
      const all = { host: 'venue.example', ...Object.fromEntries(given) } as Record<string, string>
      request({ ...options, headers: all }, (answer) => {
        let heard = ''
        answer.on('data', (chunk) => (heard += String(chunk)))
        answer.on('end', () => resolve({ status: answer.statusCode, text: heard }))
      })
        .on('error', reject)
        .end()
    })
  }

  test('a key for one address serves that address alone, whatever a client says of itself', async () => {
    const { uid } = await venue.person('Alice')
    const key = await venue.makeKey(uid, ['read'], ['127.0.0.2'])
    const path = '/api/v3/account/settings'
    const codeFrom = async (from: string, more: Record<string, string> = {}) => {
      const time = String(venue.now())
      const signed = {
        'access-key': key.apiKey,
        'access-sign': sign(key.secret, time, 'GET', path, ''),
        'access-timestamp': time,
        'access-passphrase': key.passphrase,
      }
      return (JSON.parse((await ask(from, path, { ...signed, ...more })).text) as { code: string }).code
    }
    expect(await codeFrom('127.0.0.2')).toBe('00000')
    expect(await codeFrom('127.0.0.3')).toBe('40018')
    expect(await codeFrom('127.0.0.3', { 'x-forwarded-for': '127.0.0.2' })).toBe('40018')
    expect(await codeFrom('127.0.0.3', { 'x-forwarded-for': '127.0.0.2, 127.0.0.1' })).toBe('40018')
    expect(await codeFrom('127.0.0.2', { 'x-forwarded-for': '127.0.0.3' })).toBe('00000')
  })

  test('WebSocket is passed on', async () => {
    const options = { ...trust, headers: { host: 'venue.example' } }
    const socket = new WebSocket(`wss://127.0.0.1:${secure}/v3/ws/public`, options)
    await once(socket, 'open')
    socket.send('ping')
    expect(String((await once(socket, 'message'))[0])).toBe('pong')
    socket.terminate()
  })

  test('metrics stay inside, demo accounts too', async () => {
    expect((await ask('127.0.0.1', '/metrics')).status).toBe(404)
    expect((await ask('127.0.0.1', '/terminal/demo-accounts')).status).toBe(403)
    const named = await ask('127.0.0.1', '/terminal/demo-accounts', { host: `127.0.0.1:${secure}` })
    expect(named.text).not.toContain('apiKey')
  })

  test('nothing older than TLS 1.2', async () => {
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const socket = connect({ ...trust, host: '127.0.0.1', port: secure, ...old })
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toMatch(/protocol version|unsupported protocol/)
  })
})
