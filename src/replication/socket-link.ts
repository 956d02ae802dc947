/**
 * A connection that frames go over. What is sent within one turn leaves together.
 *
 * Slow   who does not read, until 64 MiB wait, is cut off: he comes back and begins anew
 */
import type { Socket } from 'node:net'
import { encodeFrame, FrameReader, type WireFrame } from './wire.ts'

const waitingBytesMax = 64 * 1024 * 1024

export class SocketLink {
  readonly #socket: Socket
  #gathered: Buffer[] = []
  /** Of a whole state that is on its way: who begins has all of it to take, and is not late by that. */
  #stateBytes = 0

  /** `onEnd` is called once, however it ends; with what could not be read or taken, if that ended it. */
  constructor(socket: Socket, onFrame: (frame: WireFrame) => void, onEnd: (trouble: unknown) => void) {
    this.#socket = socket
    const reader = new FrameReader(onFrame)
    let trouble: unknown
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk)
      } catch (error) {
        trouble = error
        socket.destroy()
      }
    })
    socket.on('drain', () => (this.#stateBytes = 0))
    // Why it ended is of no use: the other side is gone, and `close` follows.
    socket.on('error', () => {})
    socket.on('close', () => onEnd(trouble))
  }

  send(frame: WireFrame): void {
    // Behind all that the sockets of this turn have brought, so that a busy process writes once for many.
    if (this.#gathered.length === 0) setImmediate(() => this.#flush())
    const bytes = encodeFrame(frame)
    if (frame.kind === 'welcome') this.#stateBytes += bytes.length
    this.#gathered.push(bytes)
  }

  /** After what was sent. */
  end(): void {
    this.#flush()
    this.#socket.destroySoon()
  }

  #flush(): void {
    const gathered = this.#gathered
    this.#gathered = []
    if (gathered.length === 0 || this.#socket.destroyed) return
    this.#socket.write(gathered.length === 1 ? gathered[0] : Buffer.concat(gathered))
    if (this.#socket.writableLength > waitingBytesMax + this.#stateBytes) this.#socket.destroy()
  }
}
