/**
 * A balancer of the tests' own on loopback: each request goes to the next of its targets, in turn, and each socket as well, whatever
 * connection they came on. So whoever asks twice asks two.
 */
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class RoundRobin {
  readonly #agent = new http.Agent({ keepAlive: true })
  readonly #server = http.createServer((request, response) => this.#carry(request, response))
  readonly #targets: readonly number[]
  readonly #sockets = new Set<Socket>()
  #turn = 0
  /** How many requests and sockets each target was given. */
  readonly given: number[]

  private constructor(targets: readonly number[]) {
    this.#targets = targets
    this.given = targets.map(() => 0)
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#server.on('connection', (socket: Socket) => {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /** `targets`: ports of loopback. */
  static async before(...targets: readonly number[]): Promise<RoundRobin> {
    const made = new RoundRobin(targets)
    made.#server.listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  get port(): number {
    return (this.#server.address() as { readonly port: number }).port
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #next(): number {
    const place = this.#turn++ % this.#targets.length
    this.given[place] += 1
    return this.#targets[place]
  }

  #carry(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, rawHeaders } = request
    const to = { host: '127.0.0.1', port: this.#next(), method, path: url, agent: this.#agent, headers: rawHeaders }
    const asked = http.request(to, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    // Never repeated: it may have been carried out.
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  }

  #upgrade({ method, url, rawHeaders }: IncomingMessage, from: Duplex, head: Buffer): void {
    const to = connect({ host: '127.0.0.1', port: this.#next(), noDelay: true })
    const lines = [`${method} ${url} HTTP/1.1`]
    for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
    to.write(`${lines.join('\r\n')}\r\n\r\n`)
    to.write(head)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  }
}
