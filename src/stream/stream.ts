/**
 * WebSocket: the market and the accounts as they change, and orders over the same socket. This is the door of the room.
 *
 *   1  listener.ts, connection.ts   sockets on the HTTP port, within bounds
 *   2  session.ts, requests.ts      what a client says, who he is, what he subscribes to
 *   3  public-feeds.ts              tickers, books, trades, candles: *-feed.ts
 *   4  account-feeds.ts             what happens to an account, and how it stands after it
 *   5  v2/, v3/                     the words of each version, on the dictionaries of api/
 *   6  trading.ts                   orders, through the endpoints that take them over HTTP
 *   7  reference/                   every channel described, for the page at /docs
 *
 * Order     events come right after their command was applied; pushes leave at the end of that turn, in the same order.
 *           Everything pushed is durable, and later reads have it
 * Once      a push is written once, however many read it
 * Clock     limits, silence and life of sockets follow the system's monotonic clock, or the venue's if told so. The pace of
 *           pushes is real time always; `pushAll` does not wait for it
 * Trouble   a defect in here ends sockets, never the venue: whoever watched connects again and begins anew
 * Source    design.md §1, §5; wire/websocket.md
 */
import type { Server } from 'node:http'
import type { WebSocket } from 'ws'
import type { Api, ChangingKeys, V3Dialect, Version } from '../api/api.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { History } from '../history/history.ts'
import type { Market } from '../market/market.ts'
import type { Core, EventConsumer } from '../runtime/runtime.ts'
import { AccountFeeds } from './account-feeds.ts'
import type { AroundFrames } from './around-frames.ts'
import { Connection, type ConnectionBounds } from './connection.ts'
import { StreamCounts } from './counts.ts'
import { Listener, type SavedOpenings } from './listener.ts'
import { PublicFeeds } from './public-feeds.ts'
import { onceAnswering } from './rebuilt.ts'
import { notHeard, Session, type SessionParts } from './session.ts'
import { v2Protocol } from './v2/v2.ts'
import { v3Protocol } from './v3/v3.ts'

export type { AroundFrames, FramedSocket, MessageKind, SubscribedChannel } from './around-frames.ts'
export { type StreamCounts } from './counts.ts'
export { isStreamPath } from './listener.ts'
export { type ChannelEntry, channelEntries, subscribed } from './reference/channels.ts'
export { channelPages, type DescribedField, describedChannels } from './reference/reference.ts'

export interface StreamOptions {
  readonly api: Pick<Api, 'authentication' | 'call' | 'catalog' | 'clientAddress'> & { readonly server: Server }
  readonly core: Core
  readonly history: History
  readonly market: Market
  readonly keys: ChangingKeys
  readonly connectionsPerAddressMax: number
  readonly bounds: ConnectionBounds
  /** By which clock sockets are silent and old, and messages and openings are counted; the system's if absent. */
  readonly clock?: 'system' | 'venue'
  /** How v3 sockets say what the interface refuses; absent: as the interface has it. */
  readonly v3Dialect?: V3Dialect
  /** What stands around messages; absent: nothing. */
  readonly around?: AroundFrames
  readonly onTrouble: (trouble: unknown) => void
}

/** How often it is looked for sockets that have lasted too long. */
const checkEveryMs = 5_000

export class Stream implements EventConsumer {
  readonly counts = new StreamCounts()
  readonly #options: StreamOptions
  readonly #publicFeeds: PublicFeeds
  readonly #accountFeeds: AccountFeeds
  readonly #listener: Listener
  readonly #sessions = new Set<Session>()
  readonly #parts: SessionParts
  readonly #clock: () => number
  readonly #checks: NodeJS.Timeout | undefined
  readonly #endWatching: () => void
  #gathers = false
  #flushing = false
  #opened = 0

  constructor(options: StreamOptions) {
    const { api, core, history, market, keys, bounds } = options
    const { counts } = this
    const catalog = () => api.catalog()
    const protocols = { v2: v2Protocol, v3: v3Protocol }
    const letGo = (trouble: unknown) => this.#letGo(trouble)
    const feedParts = { core, history, market, catalog, protocols, counts }
    this.#options = options
    this.#clock = options.clock === 'venue' ? () => core.now() : () => performance.now()
    this.#publicFeeds = new PublicFeeds(feedParts, letGo, options.onTrouble)
    this.#accountFeeds = new AccountFeeds({ core, catalog, counts }, letGo)
    this.#parts = {
      core,
      authentication: api.authentication,
      keys,
      catalog,
      protocols,
      publicFeeds: this.#publicFeeds,
      accountFeeds: this.#accountFeeds,
      trading: {
        call: (...asked) => api.call(...asked),
        symbolOf: (uid, named) => {
          const order = core.query({ kind: 'order', uid, order: named })
          return order === undefined ? '' : catalog().instrument(order.instrument).symbol
        },
        symbolOfEnded: async (uid, orderId) => {
          const order = await history.order({ uid, orderId })
          return order === undefined ? '' : catalog().instrument(order.instrument).symbol
        },
        now: () => core.now(),
      },
      counts,
      dialects: { v2: 'interface', v3: options.v3Dialect ?? 'interface' },
      onTrouble: options.onTrouble,
    }
    this.#listener = new Listener(api.server, {
      clientAddress: api.clientAddress,
      connectionsPerAddressMax: options.connectionsPerAddressMax,
      limited: bounds.limited,
      counts,
      now: () => core.now(),
      clock: this.#clock,
      mayOpen: (path) => isHeard(core) && (options.around?.mayOpen(path) ?? true),
      onOpen: (socket, from) => this.take(socket, from),
    })
    if (options.clock !== 'venue') this.#checks = setInterval(() => this.check(), checkEveryMs).unref()
    this.#endWatching = keys.watch((uid) => {
      for (const session of this.#sessions) session.keyChanged(uid)
    })
  }

  /**
   * Ends sockets that have been silent or open for too long. By the venue's clock it is for whoever moves that to call, when
   * pushes of the time that has passed are out: else a long step would end a socket before it has them.
   */
  check(): void {
    const now = this.#clock()
    for (const session of this.#sessions) session.check(now)
  }

  /** Pushes at once whatever has changed and waits for its pace. */
  pushAll(): void {
    onceAnswering(this.#options.core, () => {
      this.#flush()
      this.#publicFeeds.lookAtAll()
      this.#accountFeeds.pushAll()
    })
  }

  /** Whether what changes waits for `pushAll`: one push of each channel for all of it. */
  gather(isOn: boolean): void {
    this.#gathers = isOn
  }

  /** What outlives a socket. */
  save(): SavedOpenings {
    return this.#listener.save()
  }

  restore(saved: SavedOpenings): void {
    this.#listener.restore(saved)
  }

  /** Takes the events of a command right after it; pushes leave when this turn of the event loop is over. */
  record(_sequence: number, _at: number, events: readonly Event[]): void {
    if (events.length === 0 || this.#sessions.size === 0) return
    try {
      const recorded = [this.#publicFeeds.record(events), this.#accountFeeds.record(events)]
      if (!recorded.includes(true) || this.#flushing || this.#gathers) return
      this.#flushing = true
      setImmediate(() => onceAnswering(this.#options.core, () => this.#flush()))
    } catch (trouble) {
      this.#letGo(trouble)
    }
  }

  /** The venue stands somewhere else: sockets end with 1012, or get what each of their channels begins with. */
  async beginAnew(sockets: 'close' | 'keep'): Promise<void> {
    const sessions = [...this.#sessions]
    if (sockets === 'close') for (const session of sessions) session.close('anew')
    // No feed may go on from what it knew: each ends with the last that leaves it.
    for (const session of sessions) session.leaveAll()
    if (sockets === 'close') return
    for (const session of sessions) await session.joinAgain()
  }

  /** What sockets have is too old: they are told so, and may wait for more. */
  warnStale(): void {
    for (const session of this.#sessions) session.warn(notHeard())
  }

  /** Nothing more is to be waited for here. */
  endStale(): void {
    for (const session of this.#sessions) session.close('later')
  }

  /** Ends every socket and opens no more. */
  close(): void {
    clearInterval(this.#checks)
    this.#endWatching()
    this.#listener.close()
    for (const session of this.#sessions) session.close()
    this.#publicFeeds.close()
    this.#accountFeeds.close()
  }

  /** A socket that is open: the listener's, or one that somebody plays. */
  take(socket: WebSocket, from: { readonly version: Version; readonly ip: string }): void {
    this.#opened += 1
    const numbered = { id: this.#opened, ...from }
    const { bounds, around } = this.#options
    const connection = new Connection(socket, numbered, bounds, this.counts, this.#clock, around)
    const session = new Session(connection, this.#parts)
    this.#sessions.add(session)
    socket.on('close', () => this.#sessions.delete(session))
  }

  #flush(): void {
    this.#flushing = false
    try {
      this.#publicFeeds.flush()
      this.#accountFeeds.flush()
    } catch (trouble) {
      this.#letGo(trouble)
    }
  }

  /** What was pushed may have a gap: nobody is to go on from there. */
  #letGo(trouble: unknown): void {
    this.#options.onTrouble(trouble)
    for (const session of this.#sessions) session.terminate()
  }
}

function isHeard({ assertHeard }: Core): boolean {
  try {
    assertHeard?.()
    return true
  } catch {
    return false
  }
}
