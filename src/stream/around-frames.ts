/**
 * What may stand around the messages of sockets: a laboratory slows, loses and repeats them here. Without one nothing is in the
 * way.
 *
 * Cheap     while `isActive` is false a message passes by it
 * Source    lab.md §4.5 (ws-*), §4.7, §4.8, §6
 */
import type { Version } from '../api/api.ts'

/** A channel that a socket is subscribed to. */
export interface SubscribedChannel {
  /** As the version spells it: `ticker`, `orders`. */
  readonly name: string
  readonly scope: 'public' | 'private'
  /** Empty: of no one instrument. */
  readonly symbol: string
}

/** A socket, to whoever stands around its messages. */
export interface FramedSocket {
  /** Counted from 1 on, by a venue. */
  readonly id: number
  readonly version: Version
  readonly ip: string
  /** Of the account that has logged in. */
  uid: number | undefined
  close(code: number): void
  terminate(): void
  /** Ends the subscriptions that fit, without a word to the client. */
  loseSubscriptions(fits: (channel: SubscribedChannel) => boolean): void
}

/** Whether a message answers what its client said, or tells what happened. */
export type MessageKind = 'answer' | 'push'

export interface AroundFrames {
  readonly isActive: boolean
  /** False: the handshake is refused (429 would be the venue's own word; this is 503). Silent: it is not answered. */
  mayOpen(path: string): boolean | 'silent'
  opened(socket: FramedSocket): void
  closed(socket: FramedSocket): void
  /** A message on its way out; `send` may be called now, later, more than once or never. */
  out(socket: FramedSocket, message: Buffer, send: (message: Buffer) => void, kind: MessageKind): void
  /** A message that came in; the same of `hear`. */
  in(socket: FramedSocket, message: Buffer, hear: (message: Buffer) => void): void
  /** Whether a ping of the protocol is answered. */
  pongs(socket: FramedSocket): boolean
}
