/** A listener without a certificate and one with it: what the tests of this folder say of one holds for the other. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Tls } from '../../src/http/http.ts'
import { makeCertificate } from '../support/certificate.ts'

const certificate = makeCertificate()
const at = (port: number) => ({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })

export const listeners = [
  {
    over: 'TCP',
    tls: undefined,
    reach: (port: number): Promise<Socket> => when(connect(at(port)), 'connect'),
    leave: (socket: Socket): unknown => socket.resetAndDestroy(),
  },
  {
    over: 'TLS',
    tls: new Tls(certificate),
    reach: (port: number): Promise<Socket> =>
      when(connectSecurely({ ...at(port), ca: certificate.cert }), 'secureConnect'),
    // Node resets only what is not encrypted.
    leave: (socket: Socket): unknown => socket.destroy(),
  },
] as const

async function when(socket: Socket, ready: string): Promise<Socket> {
  await once(socket, ready)
  socket.on('error', () => {})
  return socket
}
