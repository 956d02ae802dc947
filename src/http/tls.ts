/**
 * TLS in front of a listener: what comes out of it is a connection like a plain one, only that nobody reads along.
 *
 * Versions   1.2 and newer, no HTTP beyond 1.1, no renegotiation
 * Slow       a client has 10 s for its first byte and 10 s more for the handshake, at whatever pace its bytes come. Until
 *            then it counts as a connection like any other
 * Plain      who speaks HTTP without TLS is answered by those above, and has to leave. Other bytes end the connection
 * Renewed    a new certificate is for the connections that come behind it. Those that are there go on
 * Not here   whether a certificate is in order (operator/config/certificate.ts)
 */
import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createServer, type SecureContextOptions, type Server as TlsServer, type TLSSocket } from 'node:tls'

/** What a listener shows its clients, with those who vouch for it behind it, and what it proves it with. PEM both. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface HandshakeEnds {
  /** The client speaks TLS, and all of it is agreed. */
  readonly onSecure: (socket: TLSSocket) => void
  /** The client speaks HTTP as it is: answers it and ends the connection. */
  readonly onPlain: (socket: Socket) => void
}

const handshakeMsMax = 10_000
/** The first byte of a handshake (RFC 8446 §5.1), and of every method of HTTP. */
const handshakeRecord = 0x16
const [letterFirst, letterLast] = [0x41, 0x5a]

/** The certificate of a venue's listeners. */
export class Tls {
  readonly #servers = new Set<TlsServer>()
  readonly #handshakeMs: number
  #certificate: Certificate

  /** `handshakeMs` in place of the usual time (tests). */
  constructor(certificate: Certificate, handshakeMs = handshakeMsMax) {
    this.#certificate = certificate
    this.#handshakeMs = handshakeMs
  }

  /** Throws, and keeps what it has, when nobody could agree on the new one. */
  renew(certificate: Certificate): void {
    for (const server of this.#servers) server.setSecureContext(contextOf(certificate))
    this.#certificate = certificate
  }

  /** Takes each new connection of one listener. */
  handshakes({ onSecure, onPlain }: HandshakeEnds): (socket: Socket) => void {
    const server = createServer({
      ...contextOf(this.#certificate),
      ALPNProtocols: ['http/1.1', 'http/1.0'],
      handshakeTimeout: this.#handshakeMs,
    })
    server.on('secureConnection', onSecure)
    // Late, or no handshake: there is nobody to answer.
    server.on('tlsClientError', (_error, socket) => socket.destroy())
    this.#servers.add(server)
    return (socket) => {
      const end = () => socket.destroy()
      socket.on('error', end)
      socket.setTimeout(this.#handshakeMs, end)
      socket.once('end', end)
      socket.once('data', (chunk: Buffer) => {
        if (chunk[0] !== handshakeRecord) {
          if (chunk[0] < letterFirst || chunk[0] > letterLast) return end()
          return onPlain(socket)
        }
        socket.off('end', end)
        socket.setTimeout(0, end)
        socket.pause()
        socket.unshift(chunk)
        server.emit('connection', socket)
      })
    }
  }
}

function contextOf({ cert, key }: Certificate): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION }
}
