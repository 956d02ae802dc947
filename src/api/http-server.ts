/**
 * An HTTP server whose end is in its own hands, not in those of its clients.
 *
 * Ends      `close` waits for the answers to what was accepted, then closes every connection, whatever its client is at
 * Accepted  is a request that has arrived whole: not one whose header or body is still on its way, nor a connection on
 *           which nothing was asked
 * Bounds    nobody waits longer than `answerMsMax` for an answer to be made, nor than `partingMsMax` for a client to read its
 *           last one or to close its WebSocket
 * Source    design.md §6 (SIGTERM)
 */
import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A command that is not done by then has been answered 40010 (`replyTimeoutMs`). */
const answerMsMax = 11_000
const partingMsMax = 2_000
const lookEveryMs = 5

export class HttpServer extends Server {
  /**
   * WebSockets too, each with its latest answers, oldest first. By socket, since a set that each request joins and leaves is made anew
   * every hundred requests, and what lives on of the one before holds on to all that was in it.
   */
  readonly #sockets = new Map<Socket, Answer[]>()

  constructor(options: ServerOptions, serve: RequestListener) {
    super(options)
    this.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, [])
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.on('request', (request, response) => {
      const answers = this.#sockets.get(request.socket)
      while (answers !== undefined && answers.length > 0 && isRead(answers[0])) answers.shift()
      answers?.push(response)
      serve(request, response)
    })
  }

  override close(done?: (error?: Error) => void): this {
    super.close(done)
    void this.#end()
    return this
  }

  /** Node's own counts a connection as idle whose answer is made but not yet read, and cuts it off. */
  override closeIdleConnections(): void {}

  async #end(): Promise<void> {
    await holds(() => this.#accepted().every((response) => response.writableEnded), answerMsMax)
    const partBy = performance.now() + partingMsMax
    await holds(() => this.#accepted().length === 0, partBy - performance.now())
    this.closeAllConnections()
    await holds(() => this.#sockets.size === 0, partBy - performance.now())
    for (const socket of this.#sockets.keys()) socket.destroy()
  }

  #accepted(): Answer[] {
    return [...this.#sockets.values()].flat().filter((answer) => answer.req.complete && !isRead(answer))
  }
}

type Answer = ServerResponse<IncomingMessage>

/** All of it has left, or nobody is there to read it. */
function isRead({ writableFinished, destroyed }: Answer): boolean {
  return writableFinished || destroyed
}

/** Resolves when it does, or when the time is over. */
async function holds(condition: () => boolean, msMax: number): Promise<void> {
  const until = performance.now() + msMax
  while (!condition() && performance.now() < until) await sleep(lookEveryMs)
}
