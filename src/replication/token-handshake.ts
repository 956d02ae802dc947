/**
 * The handshake of processes on one machine: both prove that they know the venue's token.
 *
 * Proof     core: 32 random bytes · who comes: 32 of its own, and the HMAC-SHA256 of both under the token · core: another HMAC of both
 * Not here  secrecy: it is for loopback and tests, beyond which links need TLS
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { type Handshake, handshakeMsMax, StrangerRefused } from './handshake.ts'

const nonceBytes = 32
const proofBytes = 32

export function tokenHandshake(token: string): Handshake {
  return {
    async dial({ host, port }, withinMs = handshakeMsMax) {
      const socket = connect({ host, port, noDelay: true })
      try {
        await inTime(socket, withinMs, () => greetAsGateway(socket, token))
      } catch (cause) {
        const answered = socket.bytesRead > 0
        const what = answered ? 'has another TIDEMARK_CLUSTER_TOKEN, or is no core' : 'does not answer'
        throw new StrangerRefused(`${host}:${port} ${what}`, { cause, answered })
      }
      return socket
    },
    async accept(socket) {
      await inTime(socket, handshakeMsMax, () => greetAsCore(socket, token))
      return socket
    },
  }
}

async function greetAsCore(socket: Socket, token: string): Promise<void> {
  const own = randomBytes(nonceBytes)
  socket.write(own)
  const answer = await taken(socket, nonceBytes + proofBytes)
  const both = Buffer.concat([own, answer.subarray(0, nonceBytes)])
  if (!timingSafeEqual(answer.subarray(nonceBytes), proofOf('gateway', both, token))) throw unknownToken()
  socket.write(proofOf('core', both, token))
}

async function greetAsGateway(socket: Socket, token: string): Promise<void> {
  const asked = await taken(socket, nonceBytes)
  const own = randomBytes(nonceBytes)
  const both = Buffer.concat([asked, own])
  socket.write(Buffer.concat([own, proofOf('gateway', both, token)]))
  const answer = await taken(socket, proofBytes)
  if (!timingSafeEqual(answer, proofOf('core', both, token))) throw unknownToken()
}

function unknownToken(): StrangerRefused {
  return new StrangerRefused('it does not know the token of this venue', { answered: true })
}

function proofOf(role: 'gateway' | 'core', both: Buffer, token: string): Buffer {
  return createHmac('sha256', token).update(role).update(both).digest()
}

/** The next bytes, and none behind them. Rejects with StrangerRefused when the other side ends before. */
function taken(socket: Socket, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const chunk = socket.read(bytes) as Buffer | null
      if (chunk === null) return
      socket.off('readable', look).off('close', end)
      if (chunk.length === bytes) resolve(chunk)
      else end()
    }
    const end = () => reject(new StrangerRefused('it ended the connection', { answered: true }))
    socket.on('readable', look).on('close', end)
    look()
  })
}

async function inTime(socket: Socket, withinMs: number, greet: () => Promise<void>): Promise<void> {
  // What breaks it is told by its end.
  const ignore = () => undefined
  socket.on('error', ignore)
  const late = setTimeout(() => socket.destroy(), withinMs)
  try {
    await greet()
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(late)
  }
}
