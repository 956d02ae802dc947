/**
 * The load: a round of requests signed beforehand, sent over connections that stay open, each waiting for its answer
 * before it sends the next. A process of its own, so that it has a core of its own.
 *
 * Hears    one Round at a time over the channel to its parent; answers with what it measured
 * Cheap    raw sockets and whole requests as bytes: signing and composing are done before the clock runs
 * Failed   an answer whose envelope, or any of whose entries, carries another code than success
 */
import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { quantile } from '../measure.ts'

export interface LoadKey {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export interface Round {
  readonly port: number
  readonly connections: number
  readonly path: string
  readonly keys: readonly LoadKey[]
  /** Which key signs it, and the JSON to send. */
  readonly requests: readonly { readonly key: number; readonly body: string }[]
}

export interface RoundMeasured {
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
  /** The first answer that was no success. */
  readonly firstFailure: string
}

process.on('message', (round: Round) => void run(round).then((measured) => process.send?.(measured)))
process.on('disconnect', () => process.exit(0))

async function run(round: Round): Promise<RoundMeasured> {
  const sockets = await Promise.all(Array.from({ length: round.connections }, () => connected(round.port)))
  const requests = compose(round)
  const latencies = new Float64Array(requests.length)
  let failed = 0
  let firstFailure = ''
  let next = 0
  const startMs = performance.now()

  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let index = -1
      let sentMs = 0
      let received = ''
      const send = () => {
        if (next === requests.length) {
          socket.end()
          return resolve()
        }
        index = next++
        received = ''
        sentMs = performance.now()
        socket.write(requests[index])
      }
      socket.on('data', (chunk: string) => {
        received += chunk
        if (!isWhole(received)) return
        latencies[index] = performance.now() - sentMs
        if (!succeeded(received)) {
          failed++
          firstFailure ||= received.slice(0, 1_000)
        }
        send()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      send()
    })

  await Promise.all(sockets.map(drive))
  const seconds = (performance.now() - startMs) / 1_000
  const p50Ms = quantile([...latencies], 0.5)
  return { seconds, p50Ms, p99Ms: quantile([...latencies], 0.99), failed, firstFailure }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  await once(socket, 'connect')
  return socket
}

function compose({ port, path, keys, requests }: Round): Buffer[] {
  const timestamp = String(Date.now())
  return requests.map(({ key, body }) => {
    const { apiKey, secret, passphrase } = keys[key]
    const sign = createHmac('sha256', secret).update(`${timestamp}POST${path}${body}`).digest('base64')
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `ACCESS-KEY: ${apiKey}`,
      `ACCESS-SIGN: ${sign}`,
      `ACCESS-TIMESTAMP: ${timestamp}`,
      `ACCESS-PASSPHRASE: ${passphrase}`,
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received)
  return length !== null && received.length >= end + 4 + Number(length[1])
}

function succeeded(received: string): boolean {
  const first = received.indexOf('"code":"00000"')
  return first >= 0 && !received.includes('"code":', first + 14)
}
