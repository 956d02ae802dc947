/**
 * Another venue for a mirror, that says what a test tells it to: instruments over HTTP, and the public socket of v3.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { WebSocket, WebSocketServer } from 'ws'

export type LevelText = readonly [price: string, size: string]

interface Argument {
  readonly instType: string
  readonly topic: string
  readonly symbol: string
}

export class OtherVenue {
  readonly #http = createServer((request, response) => {
    this.headers.push(request.headers)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const data = this.answers[`${pathname.split('/').at(-1)} ${searchParams.get('category')}`]
    const text = data === undefined ? this.instruments : JSON.stringify({ code: '00000', data })
    response.setHeader('content-type', 'application/json').end(text)
  })
  readonly #sockets = new WebSocketServer({ noServer: true })
  /** Headers of every request and of every socket. */
  readonly headers: unknown[] = []
  readonly subscribed: Argument[] = []
  /** By the last word of a path and its category; others are answered with `instruments`. */
  readonly answers: Record<string, readonly object[]> = {}
  instruments = JSON.stringify({
    code: '00000',
    data: [{ symbol: 'BTCUSDT', pricePrecision: '1', quantityPrecision: '4', somethingElse: [] }],
  })
  /** Answers to a subscription to books; undefined: nothing comes. */
  snapshot: { readonly a: readonly LevelText[]; readonly b: readonly LevelText[]; readonly seq: number } | undefined = {
    a: [
      ['60001.0', '4.0000'],
      ['60002.0', '5.0000'],
    ],
    b: [
      ['60000.0', '4.0000'],
      ['59999.0', '5.0000'],
    ],
    seq: 10,
  }
  url = ''

  async open(): Promise<this> {
    this.#http.on('upgrade', (request, socket, head) => {
      this.headers.push(request.headers)
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#meet(opened))
    })
    this.#http.listen(0, '127.0.0.1')
    await once(this.#http, 'listening')
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
    return this
  }

  say(message: object | string): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    for (const socket of this.#sockets.clients) if (socket.readyState === WebSocket.OPEN) socket.send(text)
  }

  push(topic: string, row: object, action = 'update'): void {
    this.say({
      action,
      arg: { instType: 'usdt-futures', topic, symbol: 'BTCUSDT', more: 1 },
      data: [row],
      ts: 1,
      more: {},
    })
  }

  cut(): void {
    for (const socket of this.#sockets.clients) socket.terminate()
  }

  close(): void {
    this.cut()
    this.#http.closeAllConnections()
    this.#http.close()
  }

  #meet(socket: WebSocket): void {
    socket.on('message', (data) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
      const text = data.toString()
      if (text === 'ping') return socket.send('pong')
      const { op, args } = JSON.parse(text) as { op: string; args: readonly Argument[] }
      for (const arg of args) {
        socket.send(JSON.stringify({ event: op, arg, connId: 'x' }))
        if (op !== 'subscribe') continue
        this.subscribed.push(arg)
        if (arg.topic === 'books' && this.snapshot !== undefined) {
          socket.send(
            JSON.stringify({
              action: 'snapshot',
              arg,
              data: [{ ...this.snapshot, pseq: 0, checksum: 0, ts: '1' }],
              ts: 1,
            }),
          )
        }
      }
    })
  }
}

export function checksumOf(bids: readonly LevelText[], asks: readonly LevelText[]): number {
  const texts: string[] = []
  for (let place = 0; place < 25; place++)
    for (const side of [bids, asks]) if (place < side.length) texts.push(...side[place])
  return crc32(texts.join(':')) | 0
}
