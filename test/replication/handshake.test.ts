/** Two processes show each other that they are of one venue: by its token, or by certificates of its authority. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import {
  asked,
  CoreLinks,
  type Handshake,
  handshakeOf,
  LinkServer,
  SocketLink,
  type WireFrame,
} from '../../src/replication/replication.ts'

const handshake = handshakeOf({ token: 'the token of a venue' })

function links(): CoreLinks {
  return new CoreLinks({
    about: { process: 'core', release: '1', rules: { oldest: 1, newest: 1 } },
    rules: () => 1,
    submitAll: () => Promise.resolve([]),
    sequence: () => 0,
    committed: () => 0,
    fresh: () => Promise.resolve(0),
    save: () => ({ sequence: 0, lastAt: 0, chunks: [] }),
  })
}

async function listening(): Promise<{ readonly host: string; readonly port: number }> {
  const server = new LinkServer(links(), { asks: { ping: () => 'pong' }, greeting: () => ({ keys: [] }) }, handshake)
  onTestFinished(() => server.close())
  return { host: '127.0.0.1', port: (await server.listen({ host: '127.0.0.1', port: 0 }))! }
}

test('who has it is told, and answered', async () => {
  const socket = await handshake.dial(await listening())
  const frames: WireFrame[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const take = (frame: WireFrame) => {
    frames.push(frame)
    if (frame.kind === 'answer') resolve()
  }
  new SocketLink(socket, take, () => {}).send({ kind: 'ask', number: 7, what: 'ping', args: [] })
  socket.resume()
  await promise
  socket.destroy()
  expect(frames).toContainEqual({ kind: 'told', what: 'keys', value: [] })
  expect(frames.at(-1)).toEqual({ kind: 'answer', number: 7, error: undefined, value: 'pong' })
})

test('who has another is told nothing', async () => {
  const address = await listening()
  const other = handshakeOf({ token: 'another token, not the same' })
  await expect(other.dial(address)).rejects.toThrow('has another TIDEMARK_CLUSTER_TOKEN, or is no core')
})

test('who answers without it is no core', async () => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.write(Buffer.alloc(32))
    socket.on('data', () => socket.write(Buffer.alloc(32)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { readonly port: number }
  const dialled = handshake.dial({ host: '127.0.0.1', port })
  await expect(dialled).rejects.toThrow('has another TIDEMARK_CLUSTER_TOKEN, or is no core')
})

test('where nobody listens there is none', async () => {
  const dialled = handshake.dial({ host: '127.0.0.1', port: 1 })
  await expect(dialled).rejects.toThrow('127.0.0.1:1 does not answer')
})

const authority = makeCertificate({ name: 'Authority' })
const files = (made = makeCertificate({ by: authority }), ca = authority.cert) => ({
  ca,
  cert: made.cert,
  key: made.key,
})
const byTls = (given = files()) => handshakeOf({ files: () => given })

/** What is on a core that listens with these, and is dialled with those. */
async function dialledWith(core: Handshake, comes: Handshake, withinMs?: number): Promise<string> {
  const server = createServer((socket: Socket) => void core.accept(socket).catch(() => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { readonly port: number }
  return comes.dial({ host: '127.0.0.1', port }, withinMs).then(
    (socket) => {
      socket.destroy()
      return 'welcome'
    },
    (error: Error) => error.message.replace(/^127.0.0.1:\d+ /, ''),
  )
}

describe('by certificates', () => {
  const past = { from: new Date('2020-01-01'), until: new Date('2021-01-01') }
  const stranger = makeCertificate({ name: 'Stranger' })

  test.each([
    ['both of the authority', files(), files(), 'welcome'],
    [
      'a core of another authority',
      files(makeCertificate({ by: stranger }), stranger.cert),
      files(),
      'has a certificate that is not of the --cluster-ca',
    ],
    [
      'who comes is of another authority',
      files(),
      files(makeCertificate({ by: stranger })),
      'does not take --cluster-cert: is not of the --cluster-ca',
    ],
    [
      'a core whose time is over',
      files(makeCertificate({ by: authority, ...past })),
      files(),
      'has a certificate that has expired',
    ],
    [
      'who comes with one whose time is over',
      files(),
      files(makeCertificate({ by: authority, ...past })),
      'does not take --cluster-cert: has expired',
    ],
    [
      'a core of another host',
      files(makeCertificate({ by: authority, names: ['elsewhere.example'] })),
      files(),
      'has a certificate that is not for 127.0.0.1',
    ],
  ])('%s', async (_name, core, comes, said) => {
    expect(await dialledWith(byTls(core), byTls(comes))).toBe(said)
  })

  test('a core with a token, and who comes with one, are none', async () => {
    expect(await dialledWith(handshake, byTls())).toBe('is no core, or has no TLS')
    // Each waits for the other to begin.
    expect(await dialledWith(byTls(), handshake, 300)).toBe('does not answer')
  })

  test('what is asked is answered, and nothing of it can be read on the way', async () => {
    const server = new LinkServer(links(), { asks: { ping: () => 'pong' }, greeting: () => ({ keys: [] }) }, byTls())
    onTestFinished(() => server.close())
    const port = (await server.listen({ host: '127.0.0.1', port: 0 }))!
    const way = await TcpProxy.before(port)
    onTestFinished(() => way.close())
    const carried: Buffer[] = []
    way.listen((chunk) => carried.push(chunk))
    expect(await asked({ host: '127.0.0.1', port: way.port, handshake: byTls() }, 'ping')).toBe('pong')
    expect(Buffer.concat(carried).length).toBeGreaterThan(100)
    expect(Buffer.concat(carried).toString('latin1')).not.toMatch(/tidemark|ping|pong/)
  })
})
