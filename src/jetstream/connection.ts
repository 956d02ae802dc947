/**
 * The connection to the NATS servers, and how long anything may take on it.
 *
 * Quick    a server that stopped is left after a second of silence, and a place of the log is asked again after 300 ms: with the
 *          client's own settings one stopped server costs more than 20 s
 * Lost     what was asked over a connection that ends has no answer at once, and not when its time is over
 * Anew     for ever, at whichever server answers. `isThere` says whether one does now: what is sent meanwhile would wait and
 *          leave later, when nobody knows any more what became of it
 */
import { isIP } from 'node:net'
import { checkServerIdentity, type ConnectionOptions } from 'node:tls'
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'

/** Of anything that is asked. */
export const answerMsMax = 300

const connectionSettings = {
  timeout: 500,
  pingInterval: 500,
  maxPingOut: 2,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 50,
  reconnectJitter: 50,
  reconnectJitterTLS: 50,
} as const satisfies NodeConnectionOptions

/** No NATS server answers, or what answers is not as it must be. The message names every fault. */
export class ClusterWrong extends Error {
  override name = 'ClusterWrong'
}

/** PEM: who vouches for the servers, and what this side shows them. Asked when it connects. */
export type ServersTrust = () => { readonly ca: string; readonly cert: string; readonly key: string }

export class NatsLink {
  readonly nats: NatsConnection
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
  #isThere = true
  readonly #asked = new LostTogether()

  private constructor(nats: NatsConnection, manager: JetStreamManager) {
    this.nats = nats
    this.client = jetstream(nats, { timeout: answerMsMax })
    this.manager = manager
    void this.#watch()
  }

  /** `name`: what the servers know the connection by. Rejects with ClusterWrong when no server answers. */
  static async open(urls: readonly string[], name: string, tls?: ServersTrust): Promise<NatsLink> {
    let nats: NatsConnection
    try {
      nats = await connect({ ...connectionSettings, ...addressed(urls, tls), name })
    } catch (cause) {
      throw new ClusterWrong(`no NATS server answers at ${urls.map(shown).join(', ')}: ${(cause as Error).message}`, {
        cause,
      })
    }
    return new NatsLink(nats, await jetstreamManager(nats, { timeout: answerMsMax, checkAPI: false }))
  }

  get isThere(): boolean {
    return this.#isThere && !this.nats.isClosed()
  }

  /** The name of the server that it is connected to. */
  get server(): string {
    return this.nats.info?.server_name ?? ''
  }

  /** An answer; rejects as soon as the connection is lost, as it comes no more then. */
  answer<T>(asked: Promise<T>): Promise<T> {
    return this.#asked.add(asked)
  }

  async close(): Promise<void> {
    await this.nats.close()
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        this.#isThere = false
        this.#asked.lose(new Error('the connection to the NATS server was lost'))
      } else if (type === 'reconnect') this.#isThere = true
    }
  }
}

/** Promises that are waited for until all of them are given up. */
export class LostTogether {
  readonly #waiting = new Set<(error: Error) => void>()

  add<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const over = () => this.#waiting.delete(reject)
      this.#waiting.add(reject)
      promise.then(resolve, reject).then(over, over)
    })
  }

  lose(error: Error): void {
    for (const reject of this.#waiting) reject(error)
    this.#waiting.clear()
  }
}

/** The client takes addresses without a scheme or a user; `tls://` asks for TLS. */
function addressed(urls: readonly string[], tls: ServersTrust | undefined): NodeConnectionOptions {
  const parsed = urls.map((url) => new URL(url))
  const { username, password } = parsed[0]
  return {
    servers: parsed.map(({ host }) => host),
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(parsed.some(({ protocol }) => protocol === 'tls:') && { tls: { ...tls?.(), ...identity(parsed) } }),
  }
}

/**
 * Where a server is named by an address, the client does not tell Node which, and Node would look for `localhost` in its
 * certificate. It has to be for one of the hosts that were named instead.
 */
function identity(named: readonly URL[]): Pick<ConnectionOptions, 'checkServerIdentity'> {
  const addresses = named.map(({ hostname }) => hostname.replace(/^\[|\]$/g, '')).filter((host) => isIP(host) !== 0)
  return {
    checkServerIdentity: (host, certificate) => {
      const hosts = host === 'localhost' && addresses.length > 0 ? [host, ...addresses] : [host]
      const faults = hosts.map((one) => checkServerIdentity(one, certificate))
      return faults.includes(undefined) ? undefined : faults.at(-1)
    },
  }
}

/** Without its password. */
function shown(url: string): string {
  return new URL(url).host
}
