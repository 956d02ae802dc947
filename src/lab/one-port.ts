/**
 * All venues of a laboratory behind one port (`--one-port`), as a container or a tunnel has one: `/v/ID/...` is the venue ID, and any other
 * path is the first venue's.
 *
 * Prefix    is taken off before the venue sees the request: clients sign the path without it, and it need not know of it
 * Whole     heads and bodies pass as they are, sockets too; each venue has its own port still, on the same host
 * Address   of a client is this machine's, so limits by address count all of them together
 * Source    lab.md §4.2
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** As src/http/node-http.ts says: an import would load the whole of fetch. */
const { Agent, createServer, request: send } = process.getBuiltinModule('node:http')

export interface OnePortOptions {
  readonly host: string
  readonly port: number
  /** Where a venue listens; undefined: there is no such venue. */
  readonly urlOf: (venue: string) => string | undefined
}

export interface OnePort {
  readonly url: string
  close(): Promise<void>
}

export async function openOnePort({ host, port, urlOf }: OnePortOptions): Promise<OnePort> {
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<Duplex>()
  const placeOf = (target: string) => {
    const { venue, path } = takenApart(target)
    const url = urlOf(venue)
    if (url === undefined) return { venue, path }
    const { hostname, port: at } = new URL(url)
    // Who listens on every address is reached on this machine's.
    const on = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '::1' : hostname.replaceAll(/[[\]]/g, '')
    return { venue, path, place: { host: on, port: Number(at) } }
  }
  const server = createServer({ requestTimeout: 0 }, (asked, reply) => {
    const { venue, path, place } = placeOf(asked.url ?? '/')
    if (place === undefined) refuse(reply, venue)
    else forward({ asked, reply, path, place, agent })
  })
  server.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { path, place } = placeOf(asked.url ?? '/')
    if (place === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const venue = connect(place)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    venue.write(`${asked.method} ${path} HTTP/1.1\r\n${headOf(asked.rawHeaders)}\r\n`)
    venue.write(head)
    socket.pipe(venue).pipe(socket)
    for (const [one, other] of [
      [socket, venue],
      [venue, socket],
    ]) {
      one.on('error', () => other.destroy())
      one.once('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

/** `/v/v3/api/...` is `/api/...` of `v3`. */
function takenApart(target: string): { readonly venue: string; readonly path: string } {
  const found = /^\/v\/([a-z0-9]{1,20})(\/[^]*|\?[^]*|)$/.exec(target)
  if (found === null) return { venue: 'main', path: target }
  const [, venue, rest] = found
  return { venue, path: rest.startsWith('/') ? rest : `/${rest}` }
}

function forward(parts: {
  readonly asked: IncomingMessage
  readonly reply: ServerResponse
  readonly path: string
  readonly place: { readonly host: string; readonly port: number }
  readonly agent: InstanceType<typeof Agent>
}): void {
  const { asked, reply, path, place, agent } = parts
  const sent = send({ ...place, method: asked.method, path, headers: asked.rawHeaders, setHost: false, agent })
  sent.on('response', (answer) => {
    reply.sendDate = false
    reply.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
    reply.flushHeaders()
    answer.pipe(reply)
    answer.once('error', () => reply.destroy())
  })
  // A venue that ends the connection without an answer leaves its client without one.
  sent.on('error', () => reply.destroy())
  reply.once('close', () => sent.destroy())
  asked.pipe(sent)
}

function refuse(reply: ServerResponse, venue: string): void {
  const error = { code: 'unknown-venue', message: `there is no venue ${venue}`, field: 'venue' }
  reply.writeHead(404, { 'content-type': 'application/json', 'x-tidemark-lab': '1' })
  reply.end(JSON.stringify({ ok: false, error }))
}

function headOf(raw: readonly string[]): string {
  let head = ''
  for (let place = 0; place < raw.length; place += 2) head += `${raw[place]}: ${raw[place + 1]}\r\n`
  return head
}
