/**
 * One account that somebody watches: what happens to it is pushed at once, how it stands shortly after.
 *
 *   command applied → updates gathered → end of the turn: each channel's rows, then the account's state
 *
 * Order     updates in the engine's order; state is read after them, so that it is never older
 * Pace      state at most every 100 ms: a burst of orders is one push
 * Same      state that reads as it did is not pushed again, unless a position has closed meanwhile that it pushes
 */
import type { CatalogIndex } from '../api/api.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Core } from '../runtime/core.ts'
import { accountUpdatesOf } from './account-updates.ts'
import type { StreamCounts } from './counts.ts'
import { onceAnswering } from './rebuilt.ts'
import type { AccountPicture, AccountUpdate, ChannelState, PrivateChannel } from './socket-protocol.ts'
import { type Member, type Push, Topic } from './topic.ts'

const statePaceMs = 100

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
  #updates: AccountUpdate[] = []
  #stateChanged = false
  /** On the monotonic clock. */
  #statePushedMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(uid: number, parts: AccountFeedParts) {
    this.#uid = uid
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#rooms.size === 0
  }

  /** Events of one command that concern the account, right after it. */
  record(events: readonly Event[]): void {
    const { core, catalog } = this.#parts
    this.#updates.push(...accountUpdatesOf(events, this.#uid, core, (id) => catalog().instrument(id)))
    this.#stateChanged = true
  }

  /** Pushes what was recorded; `onTrouble`: state that is due later could not be read. */
  flush(onTrouble: (trouble: unknown) => void): void {
    this.#publish()
    if (!this.#stateChanged || this.#timer !== undefined) return
    const waitMs = this.#statePushedMs + statePaceMs - performance.now()
    if (waitMs <= 0) return this.#pushState()
    const push = () => this.pushDue(onTrouble)
    this.#timer = setTimeout(() => onceAnswering(this.#parts.core, push), waitMs).unref()
  }

  /** Pushes the state at once if it waits to be pushed. */
  pushDue(onTrouble: (trouble: unknown) => void): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      this.#pushState()
    } catch (trouble) {
      onTrouble(trouble)
    }
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
    clearTimeout(this.#timer)
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
      if (rows.length > 0) topic.publish({ action: 'snapshot', at: picture.now, data: JSON.stringify(rows) })
    }
  }

  #pushState(): void {
    this.#stateChanged = false
    this.#statePushedMs = performance.now()
    const picture = this.#picture()
    for (const room of this.#rooms.values()) {
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
