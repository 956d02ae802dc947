/**
 * Requests that are none, or too large: what both listeners do about them, each in its own words.
 *
 * Status   what the HTTP parser gave up on: a target that is too long 414, headers too large 431, late 408, else 400
 * Body     one that is too large is read to its end, within bounds, or its sender would not see the answer
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { STATUS_CODES } from './node-http.ts'
import { contentType } from './requests.ts'

export const targetBytesMax = 8 * 1024

const drainBytesMax = 64 * 1024 * 1024
const drainMsMax = 5000

export interface BrokenRequest extends Error {
  readonly code?: string
  /** What the parser had in hand when it gave up. */
  readonly rawPacket?: Buffer
}

export function brokenRequestStatus({ code, rawPacket: packet }: BrokenRequest): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  if (code !== 'HPE_HEADER_OVERFLOW') return 400
  // The parser counts the request line as a header: it was that line if the packet begins with one that is too long.
  if (packet === undefined || !/^[A-Z]+ /.test(packet.toString('latin1', 0, 16))) return 431
  const lineBytes = packet.indexOf('\r\n')
  return lineBytes < 0 || lineBytes > targetBytesMax ? 414 : 431
}

export type AnswerHeaders = Readonly<Record<string, string>>

/** An answer where there is only a socket to write it to, and the last one on it. */
export function endSocket(socket: Duplex, status: number, body: string | Buffer, headers: AnswerHeaders = {}): void {
  const all = {
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => socket.destroy())
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
}

/**
 * Lets a body that is too large run out, within bounds. A client that is still writing when the connection closes would
 * see a reset instead of its answer.
 */
export async function drain(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let bytes = 0
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > drainBytesMax) resolve()
  })
  for (const end of ['end', 'close', 'error']) body.once(end, () => resolve())
  const late = setTimeout(resolve, drainMsMax)
  await promise
  clearTimeout(late)
}
