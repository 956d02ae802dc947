/**
 * A crowd without a key, in a process of its own: connections that ask for one thing over and over.
 *
 * Unread   each connection writes so many bytes of requests at once and reads no answer
 * Readers  each connection has a few requests under way and reads as fast as it can
 * From     an address each, of the loopback network, so that no limit by address helps the venue
 * Gives    way to everybody else on its core
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

export interface Crowd {
  readonly port: number
  readonly connections: number
  readonly reads: boolean
  /** One request as it stands on the wire. */
  readonly request: string
  /** Of requests on each connection that reads nothing. */
  readonly bytes: number
}

export interface CrowdSeen {
  readonly bytesRead: number
  readonly closed: number
}

const underWay = 4
let sockets: Socket[] = []
let bytesRead = 0
let closed = 0

setPriority(constants.priority.PRIORITY_LOW)
process.on('disconnect', () => process.exit(0))
process.on('message', (crowd: Crowd | 'leave') => {
  if (crowd === 'leave') leave()
  else void come(crowd).then(() => process.send?.('come'))
})

async function come({ port, connections, reads, request, bytes }: Crowd): Promise<void> {
  bytesRead = 0
  closed = 0
  sockets = await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.1.0.${index + 1}` })
      socket.on('error', () => {})
      socket.on('close', () => (closed += 1))
      await once(socket, 'connect')
      return socket
    }),
  )
  for (const socket of sockets) {
    if (!reads) {
      socket.write(request.repeat(Math.ceil(bytes / request.length)))
      continue
    }
    socket.on('data', (chunk: Buffer) => {
      bytesRead += chunk.length
      // An answer begins in nearly every piece of small ones; of large ones requests wait in the socket.
      if (socket.writableLength < underWay * request.length) socket.write(request)
    })
    socket.write(request.repeat(underWay))
  }
}

function leave(): void {
  const seen: CrowdSeen = { bytesRead, closed }
  for (const socket of sockets) socket.resetAndDestroy()
  process.send?.(seen)
}
