/**
 * One account that somebody watches: what happens to it is told at once, how it stands shortly after.
 *
 *   command applied → happenings gathered → end of the turn: each channel's rows, then the account's state
 *
 * Order     happenings in the engine's order; state is read after them, so that it is never older
 * Pace      state at most every 100 ms: a burst of orders is one push
 * Same      state that reads as it did is not pushed again, unless a position has closed meanwhile that it tells of
 */
import type { CatalogIndex } from '../api/api.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Core } from '../runtime/core.ts'
import type { StreamCounts } from './counts.ts'
import type { AccountPicture, Happening, Memory, PrivateChannel } from './dialect.ts'
import { happeningsOf } from './happenings.ts'
import { onceAnswering } from './rebuilt.ts'
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
  readonly memory: Memory
  /** The state pushed last. */
  shown: Push | undefined
}

export class AccountFeed {
  readonly #uid: number
  readonly #parts: AccountFeedParts
  readonly #rooms = new Map<string, Room>()
  #happenings: Happening[] = []
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
    this.#happenings.push(...happeningsOf(events, this.#uid, core, (id) => catalog().instrument(id)))
    this.#stateChanged = true
  }

  /** Pushes what was recorded; `onTrouble`: state that is due later could not be read. */
  flush(onTrouble: (trouble: unknown) => void): void {
    this.#tell()
    if (!this.#stateChanged || this.#timer !== undefined) return
    const waitMs = this.#statePushedMs + statePaceMs - performance.now()
    if (waitMs <= 0) return this.#pushState()
    const push = () => {
      this.#timer = undefined
      try {
        this.#pushState()
      } catch (trouble) {
        onTrouble(trouble)
      }
    }
    this.#timer = setTimeout(() => onceAnswering(this.#parts.core, push), waitMs).unref()
  }

  join(channel: PrivateChannel, member: Member, argument: string): void {
    let room = this.#rooms.get(channel.key)
    if (room === undefined) {
      room = {
        channel,
        topic: new Topic(this.#parts.counts),
        memory: { coins: new Set(), closed: [] },
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

  #tell(): void {
    if (this.#happenings.length === 0) return
    const happenings = this.#happenings
    this.#happenings = []
    const picture = this.#picture()
    const closed = happenings.flatMap((one) => (one.kind === 'position-closed' ? [one.position] : []))
    for (const { channel, topic, memory } of this.#rooms.values()) {
      if (channel.tellsClosed) memory.closed = [...memory.closed, ...closed.filter(channel.tellsClosed)]
      const { tell } = channel
      if (tell === undefined) continue
      const rows = happenings.map((one) => tell(one, picture)).filter((row) => row !== undefined)
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
      room.memory.closed = []
      room.topic.publish(push)
    }
  }

  #readsAsShown(room: Room, picture: AccountPicture): boolean {
    const { shown, memory } = room
    if (shown === undefined || memory.closed.length > 0) return false
    return this.#stateOf(room, { ...picture, now: shown.at }).data === shown.data
  }

  #stateOf({ channel, memory }: Room, picture: AccountPicture): Push {
    return { action: 'snapshot', at: picture.now, data: JSON.stringify(channel.state?.(picture, memory) ?? []) }
  }
}
