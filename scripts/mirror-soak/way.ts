/**
 * The way between a mirror and the venue that it follows: passes everything, and on demand cuts sockets or loses a message.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

export class Way {
  readonly #source: string
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #http = createServer((request, response) => {
    fetch(`${this.#source}${request.url}`)
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy())
  })
  #losesNext = false

  private constructor(source: string) {
    this.#source = source
  }

  static async open(source: string): Promise<Way> {
    const way = new Way(source)
    way.#http.on('upgrade', (request, socket, head) => {
      way.#sockets.handleUpgrade(request, socket, head, (opened) => way.#pass(opened, request.url ?? ''))
    })
    way.#http.listen(0, '127.0.0.1')
    await once(way.#http, 'listening')
    return way
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  cut(): void {
    for (const socket of this.#sockets.clients) socket.terminate()
  }

  /** The next change of a book never arrives. */
  lose(): void {
    this.#losesNext = true
  }

  close(): void {
    this.cut()
    this.#http.closeAllConnections()
    this.#http.close()
  }

  #pass(mirror: WebSocket, path: string): void {
    const source = new WebSocket(this.#source.replace(/^http/, 'ws') + path)
    const waiting: string[] = []
    mirror.on('message', (data) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
      const text = data.toString()
      if (source.readyState === WebSocket.OPEN) source.send(text)
      else waiting.push(text)
    })
    source.on('open', () => {
      for (const text of waiting) source.send(text)
    })
    source.on('message', (data) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
      const text = data.toString()
      if (this.#losesNext && text.startsWith('{"action":"update"') && text.includes('"topic":"books"')) {
        this.#losesNext = false
        return
      }
      mirror.send(text)
    })
    for (const [one, other] of [
      [mirror, source],
      [source, mirror],
    ]) {
      one.on('close', () => other.terminate())
      one.on('error', () => other.terminate())
    }
  }
}
