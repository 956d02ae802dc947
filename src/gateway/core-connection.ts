/**
 * A gateway's connection to the core of its machine: made again and again until the gateway ends.
 *
 * Commands   over the RemoteCore that it carries for
 * Asks       beside them; those that are under way when a connection ends are refused, as nobody answers them any more
 */
import { connect, type Socket } from 'node:net'
import { type RemoteCore, SocketLink, type WireFrame } from '../replication/replication.ts'
import { CommandNotSequenced } from '../runtime/core.ts'

const againMs = 50
/** Longer than any read takes. */
const answerMsMax = 10_000

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly timeout: NodeJS.Timeout
}

export class CoreConnection {
  readonly #path: string
  readonly #remote: RemoteCore
  readonly #onTold: (what: string, value: unknown) => void
  readonly #onTrouble: (trouble: unknown) => void
  readonly #waiting = new Map<number, Waiting>()
  #number = 0
  #link: SocketLink | undefined
  #socket: Socket | undefined
  #again: NodeJS.Timeout | undefined
  #closed = false

  /** `onTrouble`: what the core said could not be taken. The connection is made again. */
  constructor(
    path: string,
    remote: RemoteCore,
    onTold: (what: string, value: unknown) => void,
    onTrouble: (trouble: unknown) => void,
  ) {
    this.#path = path
    this.#onTrouble = onTrouble
    this.#remote = remote
    this.#onTold = onTold
  }

  open(): void {
    if (this.#closed) return
    const socket = connect(this.#path)
    this.#socket = socket
    const link: SocketLink = new SocketLink(
      socket,
      (frame) => this.#take(link, frame),
      (trouble) => {
        if (trouble !== undefined) this.#onTrouble(trouble)
        this.#over(link)
      },
    )
    this.#link = link
    // Before the socket is connected frames wait in it.
    this.#remote.connected(link)
  }

  /** Asks what the core alone knows. Rejects with CommandNotSequenced while there is none: whatever it was, it did not happen. */
  ask(what: string, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#link === undefined) return reject(new CommandNotSequenced('the core is away'))
      const number = ++this.#number
      const timeout = setTimeout(() => this.#settle(number)?.reject(new Error(`${what} had no answer`)), answerMsMax)
      this.#waiting.set(number, { resolve, reject, timeout })
      this.#link.send({ kind: 'ask', number, what, args })
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
    this.#remote.close()
    this.#socket?.destroy()
  }

  #take(link: SocketLink, frame: WireFrame): void {
    if (link !== this.#link) return
    if (frame.kind === 'told') return this.#onTold(frame.what, frame.value)
    if (frame.kind === 'answer') {
      const waiting = this.#settle(frame.number)
      return frame.error === undefined ? waiting?.resolve(frame.value) : waiting?.reject(new Error(frame.error))
    }
    if (frame.kind === 'ask' || frame.kind === 'hello' || frame.kind === 'submit' || frame.kind === 'barrier') return
    this.#remote.take(link, frame)
  }

  #settle(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    clearTimeout(waiting?.timeout)
    return waiting
  }

  #over(link: SocketLink): void {
    if (link !== this.#link) return
    this.#link = undefined
    this.#remote.disconnected(link)
    for (const number of this.#waiting.keys())
      this.#settle(number)?.reject(new CommandNotSequenced('the core went away'))
    if (!this.#closed) this.#again = setTimeout(() => this.open(), againMs)
  }
}
