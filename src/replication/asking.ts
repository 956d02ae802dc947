/** One question to a core on a connection of its own: for who is no gateway of it, or is that of another. */
import type { TcpDoor } from './handshake.ts'
import { SocketLink } from './socket-link.ts'
import type { WireFrame } from './wire.ts'

/** A core that hangs is taken for one that is away. */
const answerMsMax = 2_000

/** Rejects when nobody answers there in two seconds, and with what a core says in place of an answer. */
export async function asked(door: TcpDoor, what: string): Promise<unknown> {
  const socket = await door.handshake.dial(door, answerMsMax)
  const late = setTimeout(() => socket.destroy(), answerMsMax)
  try {
    return await new Promise((resolve, reject) => {
      const take = (frame: WireFrame) => {
        if (frame.kind !== 'answer') return
        if (frame.error === undefined) resolve(frame.value)
        else reject(new Error(frame.error))
      }
      const link = new SocketLink(socket, take, () => reject(new Error('the core went away')))
      link.send({ kind: 'ask', number: 1, what, args: [] })
      socket.resume()
    })
  } finally {
    clearTimeout(late)
    socket.destroy()
  }
}
