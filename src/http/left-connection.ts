/**
 * A connection as node:http sees it: the same bytes both ways, but read a small piece at a time, and none while requests wait
 * to be served. node:http reads all requests of a piece at once and keeps an object or two for each; of 64 KB that would be
 * thousands.
 *
 * Unread   an answer that nobody reads for `unreadMsMax` ends the connection
 * Upgrade  `release` gives the socket itself to whoever goes on with it, with what was read and not understood yet
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { sliceBytes, writeInSlices } from './slices.ts'
import type { TurnShare } from './turn-share.ts'

/**
 * A piece ends with the first head that ends behind so many bytes: a head has 18 at least, so that it holds at most 29. What
 * holds no end of a head is one piece, as long as it comes.
 */
const pieceBytes = 512
const headEnd = '\r\n\r\n'
const unreadMsMax = 72_000
const ignoreMsMax = 5_000

interface Chunk {
  readonly chunk: Buffer | string
  readonly encoding: BufferEncoding
}

type Written = (error?: Error | null) => void

export class LeftConnection extends Duplex {
  readonly socket: Socket
  readonly #share: TurnShare
  #isHeld = false
  #isWanted = false
  #isIgnoring = false
  /** The client has closed its side. */
  #isEnded = false
  /** Read from the socket and not fed yet. */
  #rest: Buffer | undefined
  /** What node:http asked to be told after; 0: nothing. */
  #timeoutMs = 0
  readonly #listeners: readonly (readonly [event: string, listener: (error: Error) => void])[]

  constructor(socket: Socket, share: TurnShare) {
    super({ allowHalfOpen: true, decodeStrings: false, readableHighWaterMark: 0 })
    this.socket = socket
    this.#share = share
    this.#listeners = [
      ['readable', () => this.#feed()],
      ['end', () => this.#end()],
      ['error', (error) => void this.destroy(error)],
      ['close', () => void this.destroy()],
      ['timeout', () => this.#late()],
    ]
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
    socket.setTimeout(unreadMsMax)
  }

  get localAddress(): string | undefined {
    return this.socket.localAddress
  }

  get localPort(): number | undefined {
    return this.socket.localPort
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.socket.remotePort
  }

  /** Reads no further until the next `go`. */
  hold(): void {
    this.#isHeld = true
  }

  go(): void {
    this.#isHeld = false
    this.#feed()
  }

  setTimeout(ms: number): this {
    this.#timeoutMs = ms
    this.socket.setTimeout(ms || unreadMsMax)
    return this
  }

  /** As a socket does it: what was written leaves first. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /**
   * Lets what still comes run out unread, for a while: what it was part of is refused. A client that is still writing when
   * the connection closes would see a reset instead of its answer.
   */
  ignore(): void {
    const { socket } = this
    if (this.#isIgnoring) return
    this.#isIgnoring = true
    for (const [event, listener] of this.#listeners) {
      if (event === 'readable' || event === 'end') socket.off(event, listener)
    }
    socket.resume()
    const late = setTimeout(() => this.destroy(), ignoreMsMax)
    socket.once('close', () => clearTimeout(late))
  }

  /** The socket itself, no longer read or written here; `rest` of its bytes comes before what it reads next. */
  release(): { readonly socket: Socket; readonly rest: Buffer } {
    const { socket } = this
    for (const [event, listener] of this.#listeners) socket.off(event, listener)
    socket.setTimeout(0)
    // As node:http leaves a socket: reading goes on with the next listener.
    Object.assign(socket, { readableFlowing: null })
    const nothing = Buffer.alloc(0)
    const fed = (this.read() as Buffer | null) ?? nothing
    return { socket, rest: Buffer.concat([fed, this.#rest ?? nothing]) }
  }

  override _read(): void {
    this.#isWanted = true
    this.#feed()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, written: Written): void {
    if (chunk.length <= sliceBytes) this.socket.write(chunk, encoding, written)
    else writeInSlices(this.socket, asBytes(chunk, encoding), this.#share, written)
  }

  override _writev(chunks: Chunk[], written: Written): void {
    if (chunks.every(({ chunk }) => chunk.length <= sliceBytes)) return this.#writeTogether(chunks, written)
    const [{ chunk, encoding }, ...more] = chunks
    const next =
      more.length === 0 ? written : (error?: Error | null) => (error ? written(error) : this._writev(more, written))
    this._write(chunk, encoding, next)
  }

  override _final(ended: Written): void {
    this.socket.end(ended)
  }

  override _destroy(error: Error | null, destroyed: Written): void {
    this.socket.destroy()
    destroyed(error)
  }

  #writeTogether(chunks: Chunk[], written: Written): void {
    this.socket.cork()
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      this.socket.write(chunk, encoding, index === chunks.length - 1 ? written : undefined)
    }
    this.socket.uncork()
  }

  #end(): void {
    this.#isEnded = true
    this.#feed()
  }

  #feed(): void {
    if (!this.#isWanted || this.#isHeld || this.#isIgnoring) return
    const { socket } = this
    // Of nothing: asks for more.
    const bytes = this.#rest ?? (socket.read() as Buffer | null)
    if (bytes === null) {
      if (this.#isEnded) this.push(null)
      return
    }
    const end = bytes.indexOf(headEnd, pieceBytes - headEnd.length)
    const isWhole = end < 0 || end + headEnd.length === bytes.length
    this.#rest = isWhole ? undefined : bytes.subarray(end + headEnd.length)
    this.#isWanted = false
    this.push(isWhole ? bytes : bytes.subarray(0, end + headEnd.length))
  }

  #late(): void {
    if (this.#timeoutMs > 0) this.emit('timeout')
    else if (this.socket.writableLength > 0) this.destroy()
  }
}

function asBytes(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
}
