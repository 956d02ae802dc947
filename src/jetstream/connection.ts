/**
 * The connection to the NATS servers, and how long anything may take on it.
 *
 * Quick    a server that stopped is left after a second of silence, and a place of the log is asked again after 300 ms: with the
 *          client's own settings one stopped server costs more than 20 s
 * Anew     for ever, at whichever server answers. `isThere` says whether one does now: what is sent meanwhile would wait and
 *          leave later, when nobody knows any more what became of it
 */
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

  async close(): Promise<void> {
    await this.nats.close()
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.#isThere = false
      else if (type === 'reconnect') this.#isThere = true
    }
  }
}

/** The client takes addresses without a scheme or a user; `tls://` asks for TLS. */
function addressed(urls: readonly string[], tls: ServersTrust | undefined): NodeConnectionOptions {
  const parsed = urls.map((url) => new URL(url))
  const { username, password } = parsed[0]
  return {
    servers: parsed.map(({ host }) => host),
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(parsed.some(({ protocol }) => protocol === 'tls:') && { tls: { ...tls?.() } }),
  }
}

/** Without its password. */
function shown(url: string): string {
  return new URL(url).host
}
