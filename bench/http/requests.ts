/** What the generators of load share: connections, signed requests as bytes, and when an answer is whole. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface LoadKey {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export interface LoadTarget {
  readonly port: number
  readonly keys: readonly LoadKey[]
}

/** Which key signs it, the path with its query, and the JSON to post; without a body: a GET. */
export interface LoadRequest {
  readonly key: number
  readonly target: string
  readonly body?: string
}

/** A connection that is lost closes; whoever needs it listens to that. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

export function signed({ port, keys }: LoadTarget, { key, target, body }: LoadRequest): Buffer {
  const timestamp = String(Date.now())
  const method = body === undefined ? 'GET' : 'POST'
  const { apiKey, secret, passphrase } = keys[key]
  const sign = createHmac('sha256', secret)
    .update(`${timestamp}${method}${target}${body ?? ''}`)
    .digest('base64')
  const head = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    `ACCESS-KEY: ${apiKey}`,
    `ACCESS-SIGN: ${sign}`,
    `ACCESS-TIMESTAMP: ${timestamp}`,
    `ACCESS-PASSPHRASE: ${passphrase}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** An answer whose envelope, or any of whose entries, carries another code than success, did not succeed. */
export function succeeded(received: string): boolean {
  const first = received.indexOf('"code":"00000"')
  return first >= 0 && !received.includes('"code":', first + 14)
}

export function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received)
  return length !== null && received.length >= end + 4 + Number(length[1])
}
