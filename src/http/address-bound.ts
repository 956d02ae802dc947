/**
 * How many connections one address may have at a time, so that nobody alone takes all that there is room for.
 *
 * Proxies  are as many as they like: behind them are many clients
 * Sockets  of the WebSocket count too, and have a bound of their own (stream/listener.ts), behind proxies by client
 * Source   docs/decisions/0016-strangers-wait.md
 */
import type { Socket } from 'node:net'
import { canonicalAddress, proxyFinder } from './addresses.ts'

export class AddressBound {
  readonly #max: number
  readonly #isProxy: (address: string) => boolean
  readonly #open = new Map<string, number>()

  constructor(max: number, proxies: readonly string[]) {
    this.#max = max
    this.#isProxy = proxyFinder(proxies)
  }

  /** Counts a connection until it closes; false: one too many. */
  admits(socket: Socket): boolean {
    const address = canonicalAddress(socket.remoteAddress ?? '')
    if (this.#isProxy(address)) return true
    const open = this.#open.get(address) ?? 0
    if (open >= this.#max) return false
    this.#open.set(address, open + 1)
    socket.once('close', () => this.#leave(address))
    return true
  }

  #leave(address: string): void {
    const open = (this.#open.get(address) ?? 1) - 1
    if (open === 0) this.#open.delete(address)
    else this.#open.set(address, open)
  }
}
