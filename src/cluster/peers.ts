/**
 * The other cores, as this one hears them: the keys that the core which leads has, so that they are here when this one does, and the
 * hash that each has of its state, what its clock says, and what the leader's messages are as they stand in the log.
 *
 * Keys  the leader tells all of them when it begins to lead and to each that connects, and each change after it is kept. What it was
 *       answering when it died may not have reached anybody: that key is not known later
 * About each says what it applies, while it is heard
 * Told  the log says who is a stranger, each time that the reason is another
 */
import type { Socket } from 'node:net'
import { addressOf, CannotStart, type ClusterFiles, clusterTrust } from '../operator/operator.ts'
import {
  asked,
  coreAsk,
  handshakeOf,
  type ProcessAbout,
  SocketLink,
  StrangerRefused,
  type TcpDoor,
  type WireFrame,
} from '../replication/replication.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'

const againMs = 500
/** One that hangs is tried again. */
const dialMsMax = 2_000

type OnTold = (what: string, value: unknown, core: string) => void

export class Peers {
  readonly #log: Pick<RuntimeLog, 'warn'>
  readonly #strange = new Map<TcpDoor, string>()
  readonly #onTold: OnTold
  /** Of those that are heard; undefined: of a release that did not say it. */
  readonly abouts = new Map<string, ProcessAbout | undefined>()
  readonly #sockets = new Set<Socket>()
  readonly #again = new Set<NodeJS.Timeout>()
  #closed = false

  constructor(doors: readonly TcpDoor[], onTold: OnTold, log: Pick<RuntimeLog, 'warn'>) {
    this.#log = log
    this.#onTold = onTold
    for (const door of doors) void this.#hear(door)
  }

  close(): void {
    this.#closed = true
    for (const socket of this.#sockets) socket.destroy()
    for (const timeout of this.#again) clearTimeout(timeout)
  }

  async #hear(door: TcpDoor): Promise<void> {
    try {
      const socket = await door.handshake.dial(door, dialMsMax)
      this.#strange.delete(door)
      if (this.#closed) return void socket.destroy()
      this.#sockets.add(socket)
      const core = `${door.host}:${door.port}`
      this.abouts.set(core, undefined)
      const take = (frame: WireFrame) => {
        if (frame.kind !== 'told') return
        if (frame.what === 'about') this.abouts.set(core, frame.value as ProcessAbout)
        else this.#onTold(frame.what, frame.value, core)
      }
      const link = new SocketLink(socket, take, () => {
        this.#sockets.delete(socket)
        this.abouts.delete(core)
        this.#later(door)
      })
      link.send({ kind: 'ask', number: 1, what: coreAsk, args: [] })
      socket.resume()
    } catch (error) {
      if (error instanceof StrangerRefused && error.answered && this.#strange.get(door) !== error.message) {
        this.#strange.set(door, error.message)
        this.#log.warn({}, `--peers: ${error.message}`)
      }
      this.#later(door)
    }
  }

  #later(door: TcpDoor): void {
    if (this.#closed) return
    const timeout = setTimeout(() => {
      this.#again.delete(timeout)
      void this.#hear(door)
    }, againMs)
    this.#again.add(timeout)
  }
}

/** One question to one core (`HOST:PORT`). Rejects with CannotStart: with what it says in place of an answer. */
export function askCore(core: string, files: ClusterFiles, what: string): Promise<unknown> {
  return asked({ ...addressOf(core), handshake: handshakeOf(clusterTrust(files)) }, what).catch((cause: unknown) => {
    throw new CannotStart((cause as Error).message, { cause })
  })
}

/**
 * One question to each core (`HOST:PORT`), on a connection of its own; undefined: nobody answered there. `onStranger` hears who answered,
 * and does not belong to the venue.
 */
export function askCores(
  cores: readonly string[],
  files: ClusterFiles,
  what: string,
  onStranger: (why: string) => void = () => {},
): Promise<unknown[]> {
  const handshake = handshakeOf(clusterTrust(files))
  const ask = (core: string) =>
    asked({ ...addressOf(core), handshake }, what).catch((cause: unknown) => {
      if (cause instanceof StrangerRefused && cause.answered) onStranger(cause.message)
    })
  return Promise.all(cores.map(ask))
}
