/**
 * Who speaks over TCP to a core of a venue, and whether that is a core: each side makes sure of the other before anything else is said.
 *
 * By  a token (token-handshake.ts), or certificates (tls-handshake.ts): whoever connects and whoever listens know of a Handshake alone
 */
import type { Socket } from 'node:net'

interface Place {
  readonly host: string
  readonly port: number
}

export interface Handshake {
  /** A connection to a core, paused. Rejects with StrangerRefused when there is none within that time. */
  dial(where: Place, withinMs?: number): Promise<Socket>
  /** Of the side that listens: the connection to speak on, paused. Rejects with StrangerRefused, when it has been ended. */
  accept(socket: Socket): Promise<Socket>
}

/** Where a core listens over TCP, and how it and those who come make sure of each other. */
export interface TcpDoor extends Place {
  readonly handshake: Handshake
}

/** Longer than any handshake takes. */
export const handshakeMsMax = 5_000

/** The other side is no process of this venue. `answered`: somebody is there; else nobody is. */
export class StrangerRefused extends Error {
  override name = 'StrangerRefused'
  readonly answered: boolean

  constructor(message: string, { answered, ...options }: ErrorOptions & { readonly answered: boolean }) {
    super(message, options)
    this.answered = answered
  }
}
