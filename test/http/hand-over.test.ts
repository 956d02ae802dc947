/**
 * What becomes of a connection whose request only node:http can read: with a key it goes there at once, without one it waits
 * for its share of a turn. Real sockets; the turns are the test's.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { plainRequests } from '../../src/http/plain-requests.ts'
import { TurnShare } from '../../src/http/turn-share.ts'

let server: Server
let client: Socket
afterEach(() => {
  client.destroy()
  server.close()
})

/** A listener with this share; `left` has what node:http would read of each connection that it got. */
async function open(share: TurnShare): Promise<{ readonly left: string[] }> {
  const left: string[] = []
  const take = plainRequests({
    routes: [],
    refuse: () => undefined,
    mayWait: () => false,
    answer: () => Promise.reject(new Error('there is no route')),
    onTrouble: () => {},
    requestId: () => '',
    isClosing: () => false,
    dateNow: () => 0,
    markLine: '',
    share,
    onCutOff: (socket) => socket.destroy(),
  })
  server = createServer((socket) => {
    take(socket, () => left.push((socket.read() as Buffer).toString('latin1')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  await once(client, 'connect')
  return { left }
}

/** Turns that begin when they are told to. */
function turns(): { readonly share: TurnShare; readonly next: () => void } {
  const begins: (() => void)[] = []
  const share = new TurnShare({
    clock: () => 0,
    afterReading: (over) => void begins.push(over),
    afterThis: (over) => over(),
  })
  return { share, next: () => begins.shift()?.() }
}

const request = (more: string) => `GET /nothing HTTP/1.1\r\nhost: x\r\nte: trailers\r\n${more}\r\n`

test.each([
  ['a key', 'ACCESS-KEY: mine\r\n'],
  ['a key in other letters', 'Access-Key: mine\r\n'],
])('with %s it goes to node:http at once', async (_what, more) => {
  const { left } = await open(turns().share)
  client.write(request(more))
  await vi.waitFor(() => expect(left).toEqual([request(more)]))
})

test.each([
  ['no key', ''],
  ['a key in another header', 'x-note: access-key: mine\r\n'],
])('with %s it waits for its share, and nothing of it is lost', async (_what, more) => {
  const { share, next } = turns()
  const { left } = await open(share)
  client.write(request(more))
  await vi.waitFor(() => expect(share.waiting).toBe(1))
  expect(left).toEqual([])
  next()
  expect(left).toEqual([request(more)])
})

test('whoever has gone while waiting is not handed over', async () => {
  const { share, next } = turns()
  const { left } = await open(share)
  client.write(request(''))
  await vi.waitFor(() => expect(share.waiting).toBe(1))
  client.resetAndDestroy()
  await vi.waitFor(async () => expect(await connectionsOf(server)).toBe(0))
  next()
  expect(left).toEqual([])
})

function connectionsOf(of: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    of.getConnections((trouble, count) => (trouble === null ? resolve(count) : reject(trouble)))
  })
}
