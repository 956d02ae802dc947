/**
 * What the venue serves for the terminal and for the operator's desk: the page and its files, and on a demo venue the keys of
 * its demo accounts to nobody but this machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureTerminal } from '../../scripts/terminal.js'
import type { Page } from '../../src/http/http.ts'
import { peerUser } from '../../src/terminal/peer-user.ts'
import { deskPages, terminalPages } from '../../src/terminal/terminal.ts'

let directory: string
let keysFile: string
let app: FastifyInstance

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-terminal-'))
  keysFile = join(directory, 'keys.json')
  await mkdir(join(directory, 'builds', 'one', 'assets'), { recursive: true })
  await writeFile(join(directory, 'builds', 'current'), 'one')
  await writeFile(join(directory, 'builds', 'one', 'index.html'), '<!doctype html><title>Tidemark</title>')
  await writeFile(join(directory, 'builds', 'one', 'desk.html'), '<!doctype html><title>Desk</title>')
  await writeFile(join(directory, 'builds', 'one', 'reference.html'), '<!doctype html><title>Reference</title>')
  await mkdir(join(directory, 'builds', 'one', 'guide', 'more'), { recursive: true })
  for (const name of ['index', 'risk', 'more/deep'])
    await writeFile(join(directory, 'builds', 'one', 'guide', `${name}.html`), `<!doctype html><title>${name}</title>`)
  await writeFile(join(directory, 'builds', 'one', 'assets', 'a-1.js.gz'), gzipSync(`${'//'.repeat(1000)}\n`))
  await writeFile(keysFile, '[{"role":"unified-main","secret":"open"}]')
  app = await venue(keysFile)
})

afterAll(async () => {
  await app.close()
  await rm(directory, { recursive: true, force: true })
})

async function venue(demoKeysFile: string | undefined, builds = join(directory, 'builds')): Promise<FastifyInstance> {
  const demoKeys = demoKeysFile === undefined ? undefined : () => readFileSync(demoKeysFile, 'utf8')
  return served(terminalPages({ demoKeys, demoKeysTo: 'open', directory: builds }))
}

async function served(pages: readonly Page[]): Promise<FastifyInstance> {
  const made = Fastify()
  for (const { path, answer } of pages) {
    made.get(path, async (request, reply) => {
      const { httpStatus, headers, body } = await answer({
        method: 'GET',
        target: request.url,
        headers: request.headers,
        ends: request.socket,
      })
      return reply.code(httpStatus).headers(headers).send(body)
    })
  }
  await made.ready()
  return made
}

test('the page may reach nothing but the venue and runs no script of its own', async () => {
  const { statusCode, headers, body } = await app.inject('/')
  expect(statusCode).toBe(200)
  expect(body).toContain('<title>Tidemark</title>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['cache-control']).toBe('no-cache')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})

test('files are kept for ever, and smaller for those who can unpack them', async () => {
  const plain = await app.inject('/assets/a-1.js')
  const packed = await app.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': 'gzip, br' } })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers['cache-control']).toContain('immutable')
  expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length)
  expect(gunzipSync(packed.rawPayload)).toEqual(plain.rawPayload)
})

test.each(['/docs', '/docs/'])('the reference is at %s, and loads nothing from elsewhere', async (path) => {
  const { statusCode, headers, body } = await app.inject(path)
  expect(statusCode).toBe(200)
  expect(body).toContain('<title>Reference</title>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'self'")
})

test.each([
  ['/docs/guide', 'index'],
  ['/docs/guide/', 'index'],
  ['/docs/guide/risk', 'risk'],
  ['/docs/guide/more/deep', 'more/deep'],
])('a page of the guide is at %s, under the policy of the terminal', async (path, title) => {
  const { statusCode, headers, body } = await app.inject(path)
  expect([statusCode, body]).toEqual([200, expect.stringContaining(`<title>${title}</title>`)])
  expect(headers['content-security-policy']).toBe((await app.inject('/')).headers['content-security-policy'])
})

test('without documents there is no reference and no guide', async () => {
  const bare = await served(terminalPages({ demoKeys: undefined, docs: false, directory: join(directory, 'builds') }))
  for (const path of ['/docs', '/docs/', '/docs/guide', '/docs/guide/risk'])
    expect((await bare.inject(path)).statusCode).toBe(404)
  expect((await bare.inject('/')).statusCode).toBe(200)
  await bare.close()
})

test('what was built has every page with all that it loads, packed where it is large', async () => {
  expect(ensureTerminal()).toBe(true)
  const venueNow = await served(terminalPages({ demoKeys: undefined }))
  for (const page of ['/', '/docs', '/docs/guide']) {
    const { body } = await venueNow.inject(page)
    const loaded = [...body.matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="(?<file>[^"]+)"/g)].map(
      ({ groups }) => groups?.['file'] ?? '',
    )
    expect(loaded.length).toBeGreaterThan(2)
    for (const file of loaded) {
      expect(file).toMatch(/^\/[^/]/)
      const { statusCode, headers, rawPayload } = await venueNow.inject({
        url: file,
        headers: { 'accept-encoding': 'gzip' },
      })
      expect([file, statusCode]).toEqual([file, 200])
      if (rawPayload.length > 2_000) expect(headers['content-encoding'], file).toBe('gzip')
    }
  }
  await venueNow.close()
})

test('the terminal’s page is at most 90 kB as it is sent, and the chart is loaded beside it', async () => {
  expect(ensureTerminal()).toBe(true)
  const venueNow = await served(terminalPages({ demoKeys: undefined }))
  const { body } = await venueNow.inject('/')
  let bytes = gzipSync(body).length
  for (const { groups } of body.matchAll(/(?:src|href)="(?<file>[^"]+)"/g)) {
    const { rawPayload, body: text } = await venueNow.inject({
      url: groups?.['file'] ?? '',
      headers: { 'accept-encoding': 'gzip' },
    })
    bytes += rawPayload.length
    expect(text).not.toContain('KLineChart')
  }
  expect(bytes).toBeLessThan(90_000)
  await venueNow.close()
})

test('the desk is another page of the same build, under the same policy', async () => {
  const listener = await served(deskPages(join(directory, 'builds')))
  const { statusCode, headers, body } = await listener.inject('/')
  expect(statusCode).toBe(200)
  expect(body).toContain('<title>Desk</title>')
  expect(headers['content-security-policy']).toBe((await app.inject('/')).headers['content-security-policy'])
  expect((await listener.inject('/assets/a-1.js')).statusCode).toBe(200)
  for (const page of ['/index.html', '/desk.html']) expect((await listener.inject(page)).statusCode, page).toBe(404)
  await listener.close()
})

test.each([
  '/current',
  '/index.html',
  '/desk.html',
  '/reference.html',
  '/guide/index.html',
  '/assets/a-1.js.gz',
  '/assets/',
  '/assets/../keys.json',
  '/assets/%2e%2e/%2e%2e/keys.json',
  '/keys.json',
])('%s is not served', async (path) => {
  expect((await app.inject(path)).statusCode).toBe(404)
})

test('a venue without a build says how to make one', async () => {
  const bare = await venue(undefined, join(directory, 'absent'))
  for (const page of ['/', '/docs']) {
    const { statusCode, body } = await bare.inject(page)
    expect(statusCode).toBe(503)
    expect(body).toContain('npm run build')
  }
  await bare.close()
})

const path = '/terminal/demo-accounts'

test.each([
  ['127.0.0.1:8080', {}],
  ['localhost:8080', {}],
  ['[::1]:8080', {}],
  ['127.0.0.1:8080', { 'sec-fetch-site': 'same-origin' }],
  ['127.0.0.1:8080', { origin: 'http://127.0.0.1:8080' }],
])('demo accounts: Host %s %o gets the keys, and nothing keeps them', async (host, headers) => {
  const { statusCode, body, headers: said } = await app.inject({ url: path, headers: { host, ...headers } })
  expect(statusCode).toBe(200)
  expect(body).toBe(await readFile(keysFile, 'utf8'))
  expect(said['cache-control']).toBe('no-store')
  expect(said['access-control-allow-origin']).toBeUndefined()
})

test.each([
  // who asks                                            header that is wrong
  [{ host: 'rebound.example' }, 'Host'],
  [{ host: 'localhost.rebound.example:8080' }, 'Host'],
  [{ host: '127.0.0.1.example' }, 'Host'],
  [{ host: '192.168.1.10:8080' }, 'Host'],
  [{ host: '127.0.0.1:8080', origin: 'https://elsewhere.example' }, 'Origin'],
  [{ host: '127.0.0.1:8080', origin: 'http://127.0.0.1:9090' }, 'Origin'],
  [{ host: '127.0.0.1:8080', 'sec-fetch-site': 'cross-site' }, 'Sec-Fetch-Site'],
  [{ host: '127.0.0.1:8080', 'sec-fetch-site': 'same-site' }, 'Sec-Fetch-Site'],
  [{ host: '127.0.0.1:8080', 'x-forwarded-for': '10.0.0.1' }, 'x-forwarded-for'],
  [{ host: '127.0.0.1:8080', forwarded: 'for=10.0.0.1' }, 'forwarded'],
])('demo accounts: %o is refused, and the answer names the header', async (headers, named) => {
  const { statusCode, body } = await app.inject({ url: path, headers })
  expect(statusCode).toBe(403)
  expect(body.startsWith(`${named}: `)).toBe(true)
  expect(body).not.toContain('secret')
})

test('a venue that is no demo venue has no such path', async () => {
  const other = await venue(undefined)
  expect((await other.inject({ url: path, headers: { host: '127.0.0.1:8080' } })).statusCode).toBe(404)
  await other.close()
})

describe('to the user who runs the venue alone', () => {
  let listening: FastifyInstance
  let url: string

  beforeAll(async () => {
    const pages = terminalPages({ demoKeys: () => '[]', directory: join(directory, 'builds') })
    listening = await served(pages)
    await listening.listen({ host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${(listening.server.address() as AddressInfo).port}${path}`
  })

  afterAll(() => listening.close())

  test('a program of this user gets the keys, over a socket of either family', async () => {
    expect((await fetch(url)).status).toBe(200)
    const mapped = ask({
      host: '::ffff:127.0.0.1',
      port: new URL(url).port,
      path,
      headers: { host: '127.0.0.1' },
    }).end()
    const [answer] = (await once(mapped, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
  })

  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'a program of another user does not',
    async () => {
      const program = `
      process.setgid(65534); process.setuid(65534)
      const answer = await fetch(${JSON.stringify(url)})
      console.log(answer.status, await answer.text())`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [said] = (await once(child.stdout, 'data')) as [Buffer]
      expect(said.toString()).toMatch(
        /^403 demo accounts are for the user who runs the venue, not for user 65534: .*--demo-keys-over-http open/,
      )
    },
  )

  test('a connection that the system does not know is nobody’s', async () => {
    const ends = { localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1', remotePort: 2 }
    expect(await peerUser(ends)).toBe(process.platform === 'linux' ? 'unknown' : undefined)
    expect((await listening.inject({ url: path, headers: { host: '127.0.0.1' } })).statusCode).toBe(
      process.platform === 'linux' ? 403 : 200,
    )
  })
})
