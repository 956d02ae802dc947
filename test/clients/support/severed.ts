/**
 * A way to a venue that can be cut: a TCP port that passes everything on, until it is told not to.
 *
 * Swallows   the answer to the first order: it reaches the venue, and its sender never hears of it
 * Cut        every connection ends, and new ones are ended at once, until it is mended
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export class Severed {
  readonly #server
  readonly #open = new Set<Socket>()
  #isCut = false
  /** Orders whose answer was swallowed. */
  swallowed = 0

  private constructor(port: number) {
    this.#server = createServer((client) => {
      client.on('error', () => {})
      if (this.#isCut) {
        client.destroy()
        return
      }
      const venue = connect(port, '127.0.0.1')
      let swallows = false
      for (const [one, other] of [
        [client, venue],
        [venue, client],
      ] as const) {
        this.#open.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          this.#open.delete(one)
          other.destroy()
        })
      }
      client.on('data', (sent) => {
        if (this.swallowed === 0 && sent.includes('/api/v3/trade/place-order')) {
          this.swallowed++
          swallows = true
        }
        venue.write(sent)
      })
      venue.on('data', (answer) => {
        if (swallows) client.destroy()
        else client.write(answer)
      })
    })
  }

  static async from(url: string): Promise<Severed> {
    const severed = new Severed(Number(new URL(url).port))
    severed.#server.listen(0, '127.0.0.1')
    await once(severed.#server, 'listening')
    return severed
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    for (const one of this.#open) one.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
