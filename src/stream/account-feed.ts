/**
 * One account that somebody watches: what happens to it is pushed at once, how it stands shortly after.
 *
 *   command applied → updates gathered → end of the turn: each channel's rows, then the account's state
 *
 * Order     updates in the engine's order; state is read after them, so that it is never older
 * Pace      state at most every 100 ms: a burst of orders is one push
 * Prices    channels that follow prices push their state at most every second when prices have changed
 * Same      state that reads as it did is not pushed again, unless a position has closed meanwhile that it pushes
 */
import type { CatalogIndex } from '../api/api.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Core } from '../runtime/core.ts'
import { accountUpdatesOf } from './account-updates.ts'
import type { StreamCounts } from './counts.ts'
import { Due } from './due.ts'
import type { AccountPicture, AccountUpdate, ChannelState, PrivateChannel } from './socket-protocol.ts'
import { type Member, type Push, Topic } from './topic.ts'

const statePaceMs = 100
const pricesPaceMs = 1_000

export interface AccountFeedParts {
  readonly core: Core
  readonly catalog: () => CatalogIndex
  readonly counts: StreamCounts
}

interface Room {
  readonly channel: PrivateChannel
  readonly topic: Topic
  readonly channelState: ChannelState
  /** The state pushed last. */
  shown: Push | undefined
}

export class AccountFeed {
  readonly #uid: number
  readonly #parts: AccountFeedParts
  readonly #rooms = new Map<string, Room>()
  readonly #stateDue: Due
  readonly #pricesDue: Due
  #updates: AccountUpdate[] = []
  #stateChanged = false
  #pricesChanged = false

  constructor(uid: number, parts: AccountFeedParts) {
    this.#uid = uid
    this.#parts = parts
    this.#stateDue = new Due(parts.core, statePaceMs, () => this.#pushState())
    this.#pricesDue = new Due(parts.core, pricesPaceMs, () => this.#pushPriced())
  }

  get isEmpty(): boolean {
    return this.#rooms.size === 0
  }

  get followsPrices(): boolean {
    return [...this.#rooms.values()].some(({ channel }) => channel.followsPrices)
  }

  /** Events of one command that concern the account, right after it. */
  record(events: readonly Event[]): void {
    const { core, catalog } = this.#parts
    this.#updates.push(...accountUpdatesOf(events, this.#uid, core, (id) => catalog().instrument(id)))
    this.#stateChanged = true
  }

  /** Mark or index prices have changed. */
  recordPrices(): void {
    this.#pricesChanged = true
  }

  /** Pushes what was recorded; `onTrouble`: state that is due later could not be read. */
  flush(onTrouble: (trouble: unknown) => void): void {
    this.#publish()
    if (this.#stateChanged) this.#stateDue.ask(onTrouble)
    if (this.#pricesChanged) this.#pricesDue.ask(onTrouble)
  }

  /** Pushes the state at once if it waits to be pushed. */
  pushDue(onTrouble: (trouble: unknown) => void): void {
    this.#stateDue.now(onTrouble)
    this.#pricesDue.now(onTrouble)
  }

  join(channel: PrivateChannel, member: Member, argument: string): void {
    let room = this.#rooms.get(channel.key)
    if (room === undefined) {
      room = {
        channel,
        topic: new Topic(this.#parts.counts),
        channelState: { coins: new Set(), closed: [] },
        shown: undefined,
      }
      this.#rooms.set(channel.key, room)
    }
    if (channel.state !== undefined) {
      const push = this.#stateOf(room, this.#picture())
      room.shown ??= push
      room.topic.greet(member, argument, push)
    }
    room.topic.add(member, argument)
  }

  leave(channel: PrivateChannel, member: Member, argument: string): void {
    const room = this.#rooms.get(channel.key)
    if (room === undefined) return
    room.topic.remove(member, argument)
    if (room.topic.isEmpty) this.#rooms.delete(channel.key)
  }

  close(): void {
    this.#stateDue.close()
    this.#pricesDue.close()
  }

  #picture(): AccountPicture {
    const { core, catalog } = this.#parts
    const account = core.query({ kind: 'account', uid: this.#uid })
    if (account === undefined) throw new Error(`no account ${this.#uid}`)
    return { core, catalog: catalog(), account, now: core.now() }
  }

  #publish(): void {
    if (this.#updates.length === 0) return
    const updates = this.#updates
    this.#updates = []
    const picture = this.#picture()
    const closed = updates.flatMap((update) => (update.kind === 'position-closed' ? [update.position] : []))
    for (const { channel, topic, channelState } of this.#rooms.values()) {
      if (channel.pushesClosed) channelState.closed = [...channelState.closed, ...closed.filter(channel.pushesClosed)]
      const { rowOf } = channel
      if (rowOf === undefined) continue
      const rows = updates.map((update) => rowOf(update, picture)).filter((row) => row !== undefined)
      const action = channel.action ?? 'snapshot'
      if (rows.length > 0) topic.publish({ action, at: picture.now, data: JSON.stringify(rows) })
    }
  }

  #pushState(): void {
    this.#stateChanged = false
    this.#pushRooms([...this.#rooms.values()])
  }

  #pushPriced(): void {
    this.#pricesChanged = false
    this.#pushRooms([...this.#rooms.values()].filter(({ channel }) => channel.followsPrices))
  }

  #pushRooms(rooms: readonly Room[]): void {
    const picture = this.#picture()
    for (const room of rooms) {
      if (room.channel.state === undefined) continue
      if (this.#readsAsShown(room, picture)) continue
      const push = this.#stateOf(room, picture)
      room.shown = push
      room.channelState.closed = []
      room.topic.publish(push)
    }
  }

  #readsAsShown(room: Room, picture: AccountPicture): boolean {
    const { shown, channelState } = room
    if (shown === undefined || channelState.closed.length > 0) return false
    return this.#stateOf(room, { ...picture, now: shown.at }).data === shown.data
  }

  #stateOf({ channel, channelState }: Room, picture: AccountPicture): Push {
    return { action: 'snapshot', at: picture.now, data: JSON.stringify(channel.state?.(picture, channelState) ?? []) }
  }
}
