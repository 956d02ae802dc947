/**
 * The handshake of processes on several machines: TLS 1.3, both sides with a certificate of the venue's own authority.
 *
 * Core     its certificate has to be for the host by which it is dialled
 * Comes    its certificate has to be of the same authority. TLS lets it finish before it hears that it is not, so the core says then
 *          whether it is welcome, or why not: one line, before anything else
 * Renewed  files are read for each connection: those that are there go on with what they have
 */
import { connect as connectPlain, isIP } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { type Handshake, handshakeMsMax, StrangerRefused } from './handshake.ts'

/** PEM: who vouches for all processes, what this one shows, and what it proves that with. */
export interface TlsFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const minVersion = 'TLSv1.3'
const welcome = 'tidemark: welcome'
const refusal = 'tidemark: refused: '
const lineBytesMax = 256

export function tlsHandshake(files: () => TlsFiles): Handshake {
  return {
    async dial({ host, port }, withinMs = handshakeMsMax) {
      const plain = connectPlain({ host, port, noDelay: true })
      const socket = connect({ ...files(), socket: plain, host, minVersion, servername: isIP(host) === 0 ? host : '' })
      const late = setTimeout(() => plain.destroy(), withinMs)
      try {
        const said = await firstLine(socket)
        if (said === welcome) return socket
        throw new Error(
          said.startsWith(refusal) ? `does not take --cluster-cert: ${said.slice(refusal.length)}` : noCore,
        )
      } catch (cause) {
        plain.destroy()
        socket.destroy()
        const answered = plain.bytesRead > 0
        const why = answered ? whyNot(cause as NodeJS.ErrnoException, host) : 'does not answer'
        throw new StrangerRefused(`${host}:${port} ${why}`, { cause, answered })
      } finally {
        clearTimeout(late)
      }
    },
    accept(plain) {
      return new Promise((resolve, reject) => {
        const refuse = (cause: unknown) => {
          reject(new StrangerRefused('who came is no process of this venue', { cause, answered: true }))
        }
        plain.on('error', () => {})
        plain.once('close', refuse)
        const options = { ...files(), minVersion, requestCert: true, rejectUnauthorized: false } as const
        // One for each: nothing of another connection is known to it.
        const server = createServer({ ...options, handshakeTimeout: handshakeMsMax }, (socket: TLSSocket) => {
          socket.on('error', () => {})
          if (!socket.authorized) {
            setTimeout(() => plain.destroy(), handshakeMsMax).unref()
            socket.end(`${refusal}${ofOther(String(socket.authorizationError))}\n`)
            return refuse(socket.authorizationError)
          }
          plain.off('close', refuse)
          socket.write(`${welcome}\n`)
          resolve(socket)
        })
        server.on('tlsClientError', (error) => {
          plain.destroy()
          refuse(error)
        })
        server.emit('connection', plain)
      })
    },
  }
}

const noCore = 'is no core'

/** The line that a core says first; what comes behind it stays in the socket. Rejects with what ended the connection. */
function firstLine(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const look = () => {
      for (let byte = socket.read(1) as Buffer | null; byte !== null; byte = socket.read(1) as Buffer | null) {
        if (byte[0] === 0x0a) {
          socket.off('readable', look).off('close', end)
          return resolve(said)
        }
        said += byte.toString('latin1')
        if (said.length > lineBytesMax) return end()
      }
    }
    const end = () => reject(new Error(noCore))
    socket.on('error', reject).on('readable', look).on('close', end)
  })
}

/** Why who comes does not go on, as it stands behind the address. */
function whyNot({ code = '', message }: NodeJS.ErrnoException, host: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `has a certificate that is not for ${host}`
  if (/CERT|SIGN|ISSUER/.test(code)) return `has a certificate that ${ofOther(code)}`
  if (code.startsWith('ERR_SSL') || code === 'ECONNRESET') return `${noCore}, or has no TLS`
  return message
}

/** OpenSSL's word for what is wrong with a certificate. */
function ofOther(code: string): string {
  if (/CERT_HAS_EXPIRED/.test(code)) return 'has expired'
  if (/CERT_NOT_YET_VALID/.test(code)) return 'is not valid yet'
  if (/INVALID_PURPOSE/.test(code)) return 'is not for this use'
  return 'is not of the --cluster-ca'
}
