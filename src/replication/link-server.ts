/**
 * The connections of gateways to a core: links (core-links.ts), and beside them what is asked and told.
 *
 * Asks    who asks is known by name alone; a name that is none is refused
 * Told    unasked: what `tell` is called with, to each in order with everything else, and at its beginning `greeting`. Other cores, as
 *         they say it (`coreAsk`), what `tellCores` is called with
 * Alive   with a handshake each hears something every 150 ms: a core that hangs without dying is noticed by its silence, and one whose
 *         log stands still by what it says
 * Shown   on a port that others could reach, both sides show first who they are (handshake.ts)
 */
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { CoreLinks } from './core-links.ts'
import type { Handshake } from './handshake.ts'
import { SocketLink } from './socket-link.ts'

const aliveMs = 150

/** Who asks this is a core; it has no answer. */
export const coreAsk = 'core'

/** What a core says of itself while it is alive. */
export interface Alive {
  /** Its wall clock. */
  readonly wallMs: number
  /** Of the one that leads: since when the log has taken nothing. */
  readonly silentMs?: number
}

export interface Asks {
  readonly asks: Readonly<Record<string, (...args: never[]) => unknown>>
  /** What one who connects is told first, by name. */
  readonly greeting: () => Readonly<Record<string, unknown>>
  /** What is said with `alive`; absent: nothing. */
  readonly alive?: () => Alive
}

export class LinkServer {
  readonly #links: CoreLinks
  readonly #ports: Asks
  readonly #handshake: Handshake | undefined
  readonly #connected = new Set<SocketLink>()
  readonly #cores = new Set<SocketLink>()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #alive: NodeJS.Timeout | undefined

  /** `handshake`: absent, whoever can connect is welcome. */
  constructor(links: CoreLinks, ports: Asks, handshake?: Handshake) {
    this.#links = links
    this.#ports = ports
    this.#handshake = handshake
  }

  /** Answers the port, where it is one. */
  async listen(where: ListenOptions): Promise<number | undefined> {
    // Else what follows a frame waits until the other side has said that it has that one: 40 ms for each order.
    const server = createServer({ noDelay: true }, (socket) => void this.#greet(socket))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(where, resolve)
    })
    if (this.#handshake !== undefined)
      this.#alive = setInterval(() => this.tell('alive', this.#ports.alive?.()), aliveMs).unref()
    const address = server.address()
    return address === null || typeof address === 'string' ? undefined : address.port
  }

  tell(what: string, value: unknown): void {
    tellAll(this.#connected, what, value)
  }

  tellCores(what: string, value: unknown): void {
    tellAll(this.#cores, what, value)
  }

  /** Nobody is served any more. */
  async close(): Promise<void> {
    clearInterval(this.#alive)
    const server = this.#server
    if (server === undefined) return
    for (const link of this.#connected) link.end()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroySoon()
    await closed
  }

  async #greet(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // It closes then.
    socket.on('error', () => {})
    if (this.#handshake === undefined) return this.#serve(socket)
    const taken = await this.#handshake.accept(socket).catch(() => undefined)
    // A stranger has been cut off.
    if (taken !== undefined) this.#serve(taken)
  }

  #serve(socket: Socket): void {
    const link = new SocketLink(
      socket,
      (frame) => {
        if (frame.kind === 'ask' && frame.what === coreAsk) this.#cores.add(link)
        else if (frame.kind === 'ask') void this.#answer(link, frame.number, frame.what, frame.args)
        else if (frame.kind === 'hello' || frame.kind === 'submit' || frame.kind === 'barrier') ends.take(frame)
        else socket.destroy()
      },
      () => {
        this.#connected.delete(link)
        this.#cores.delete(link)
        ends.over()
      },
    )
    const ends = this.#links.connect(link)
    this.#connected.add(link)
    for (const [what, value] of Object.entries(this.#ports.greeting())) link.send({ kind: 'told', what, value })
    socket.resume()
  }

  async #answer(link: SocketLink, number: number, what: string, args: readonly unknown[]): Promise<void> {
    const { asks } = this.#ports
    const answer = Object.hasOwn(asks, what) ? (asks[what] as (...given: readonly unknown[]) => unknown) : undefined
    try {
      if (answer === undefined) throw new Error(`nobody answers ${what}`)
      link.send({ kind: 'answer', number, error: undefined, value: await answer(...args) })
    } catch (error) {
      link.send({ kind: 'answer', number, error: (error as Error).message, value: undefined })
    }
  }
}

function tellAll(links: ReadonlySet<SocketLink>, what: string, value: unknown): void {
  // One for all, so that it is encoded once.
  const frame = { kind: 'told', what, value } as const
  for (const link of links) link.send(frame)
}
