/** Questions to a core on a connection of their own: for who is no gateway of it, or is that of another. */
import type { Socket } from 'node:net'
import type { TcpDoor } from './handshake.ts'
import { SocketLink } from './socket-link.ts'
import type { WireFrame } from './wire.ts'

/** A core that hangs is taken for one that is away. */
const answerMsMax = 2_000
/** A core that works on an answer says meanwhile that it is alive. */
const silenceMsMax = 10_000

/** Rejects when nobody answers there in two seconds, and with what a core says in place of an answer. */
export async function asked(door: TcpDoor, what: string): Promise<unknown> {
  const asking = await Asking.open(door)
  const late = setTimeout(() => asking.close(), answerMsMax)
  try {
    return await asking.ask(what)
  } finally {
    clearTimeout(late)
    asking.close()
  }
}

/** One question after the other, however long answers take. */
export class Asking {
  readonly #socket: Socket
  readonly #link: SocketLink
  readonly #silence: NodeJS.Timeout
  #number = 0
  #waiting: { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void } | undefined
  #isOver = false

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#silence = setTimeout(() => socket.destroy(), silenceMsMax)
    this.#link = new SocketLink(
      socket,
      (frame) => this.#take(frame),
      () => {
        clearTimeout(this.#silence)
        this.#isOver = true
        this.#waiting?.reject(new Error('the core went away'))
      },
    )
    socket.resume()
  }

  /** Rejects when nobody is there in two seconds. */
  static async open(door: TcpDoor): Promise<Asking> {
    return new Asking(await door.handshake.dial(door, answerMsMax))
  }

  /** Rejects when the core goes away, and with what it says in place of an answer. */
  ask(what: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#isOver) return Promise.reject(new Error('the core went away'))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting = { resolve, reject }
    this.#link.send({ kind: 'ask', number: ++this.#number, what, args })
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(frame: WireFrame): void {
    this.#silence.refresh()
    if (frame.kind !== 'answer' || frame.number !== this.#number) return
    if (frame.error === undefined) this.#waiting?.resolve(frame.value)
    else this.#waiting?.reject(new Error(frame.error))
  }
}
