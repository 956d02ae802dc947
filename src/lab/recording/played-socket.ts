/**
 * A socket that a recording plays: what a client said comes out of it, and what the venue says is kept.
 *
 * As    the part of `ws` that the venue uses
 */
import { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'

export class PlayedSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  readonly bufferedAmount = 0

  /** What the venue takes it for. */
  get asSocket(): WebSocket {
    return this as unknown as WebSocket
  }

  hear(message: string): void {
    if (this.readyState === this.OPEN) this.emit('message', Buffer.from(message), false)
  }

  send(): void {}

  pong(): void {}

  close(): void {
    this.terminate()
  }

  terminate(): void {
    if (this.readyState !== this.OPEN) return
    this.readyState = 3
    this.emit('close')
  }
}
