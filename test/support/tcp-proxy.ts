/**
 * A proxy on loopback that carries connections as they are: each to the next of its targets, in turn.
 *
 * Cut     ends all connections, and every new one at once, until it is mended
 * Silent  keeps connections and carries nothing, in neither direction, until it is mended
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly #server: Server
  readonly #targets: readonly number[]
  readonly #sockets = new Set<Socket>()
  #turn = 0
  #heard: ((chunk: Buffer) => void) | undefined
  #state: 'carries' | 'cut' | 'silent' = 'carries'
  /** How many connections each target was given. */
  readonly given: number[]

  private constructor(targets: readonly number[]) {
    this.#targets = targets
    this.given = targets.map(() => 0)
    this.#server = createServer((socket) => this.#carry(socket))
  }

  /** `targets`: ports of loopback. */
  static async before(...targets: readonly number[]): Promise<TcpProxy> {
    const proxy = new TcpProxy(targets)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as { readonly port: number }).port
  }

  /** Hears what is carried, in both directions. */
  listen(heard: (chunk: Buffer) => void): void {
    this.#heard = heard
  }

  cut(): void {
    this.#state = 'cut'
    this.#end()
  }

  silence(): void {
    this.#state = 'silent'
    for (const socket of this.#sockets) socket.pause()
  }

  mend(): void {
    const wasSilent = this.#state === 'silent'
    this.#state = 'carries'
    if (wasSilent) for (const socket of this.#sockets) socket.resume()
  }

  async close(): Promise<void> {
    this.#end()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #carry(from: Socket): void {
    from.on('error', () => {})
    if (this.#state === 'cut') return void from.destroy()
    const place = this.#turn++ % this.#targets.length
    this.given[place] += 1
    const to = connect({ host: '127.0.0.1', port: this.#targets[place], noDelay: true })
    to.on('error', () => {})
    from.setNoDelay(true)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(one)
      one.on('data', (chunk: Buffer) => this.#heard?.(chunk))
      one.pipe(other)
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      if (this.#state === 'silent') one.pause()
    }
  }
}
