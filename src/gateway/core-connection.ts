/**
 * A gateway's connection to the core: made again and again until the gateway ends, or the core does not take it. Where there are
 * several, the next is tried each time. One that does not lead says so, and which one does: that is tried at once.
 *
 * Begins     with the state of a core that follows, where one does: one that copies a large state does nothing else meanwhile
 * Commands   over the RemoteCore that it carries for
 * Cut off    a core that leads and cannot reach the log does not know whether another one leads. Where it says that its log takes
 *            nothing, the others are asked, and left for is who leads in a later epoch
 * Asks       beside them; those that are under way when a connection ends are AnswerLost
 */
import { connect, type Socket } from 'node:net'
import { basename } from 'node:path'
import {
  type Alive,
  asked,
  type RemoteCore,
  SocketLink,
  StrangerRefused,
  type TcpDoor,
  type WireFrame,
} from '../replication/replication.ts'
import { CommandNotSequenced } from '../runtime/core.ts'

const againMs = 50
const dialMsMax = 500
/** Longer than any read takes. */
const answerMsMax = 10_000

/** Of several cores: one says something more often than that, or it hangs. */
const silenceMsMax = 1_000
/** One that copies a large state says nothing meanwhile. */
const copiesMsMax = 10_000

/** As long as nobody claims. */
const looksAfterMs = 1_000
const looksEveryMs = 500

/** The socket in a data directory, or where the core listens over TCP; several cores of one log are tried in turn. */
export type CorePlace = string | TcpDoor | readonly TcpDoor[]

/** What a core of several says of itself, as far as is asked here. */
interface CoreStatus {
  readonly role: string
  readonly epoch: number
  readonly sequence: number
}

/** Nobody answers any more. What only reads may be asked again; of what changes something it is not known whether it was done. */
export class AnswerLost extends CommandNotSequenced {
  override name = 'AnswerLost'
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly timeout: NodeJS.Timeout
}

export class CoreConnection {
  readonly #place: CorePlace
  readonly #remote: RemoteCore
  readonly #onTold: (what: string, value: unknown) => void
  readonly #onTrouble: (trouble: unknown) => void
  readonly #waiting = new Map<number, Waiting>()
  #number = 0
  #link: SocketLink | undefined
  #socket: Socket | undefined
  #again: NodeJS.Timeout | undefined
  #closed = false
  /** Ends a connection on which nothing comes. */
  #silence: NodeJS.Timeout | undefined
  #turn = 0
  #hasLookedForFollower = false
  /** Where a core that does not lead sent this gateway. */
  #sentTo: number | undefined
  #wasSent = false
  /** Who listens at the other end, as it was named here. */
  #core = ''
  #lookedMs = 0
  /** Who answers there and is no core of this venue. */
  readonly #strange = new Set<TcpDoor>()
  readonly #refused = Promise.withResolvers<never>()

  /** `onTrouble`: what the core said could not be taken. The connection is made again. */
  constructor(
    place: CorePlace,
    remote: RemoteCore,
    onTold: (what: string, value: unknown) => void,
    onTrouble: (trouble: unknown) => void,
  ) {
    this.#place = place
    this.#onTrouble = onTrouble
    // Who waits for nothing else is not told.
    this.refused.catch(() => undefined)
    this.#remote = remote
    this.#onTold = onTold
  }

  open(): void {
    if (this.#closed) return
    const place = this.#place
    if (typeof place === 'string') {
      const socket = connect(place)
      this.#socket = socket
      this.#core = basename(place)
      // Before it is connected frames wait in it.
      this.#speakOver(socket)
    } else void this.#openNext(isSeveral(place) ? place : [place])
  }

  async #openNext(doors: readonly TcpDoor[]): Promise<void> {
    if (this.#remote.needsState && !this.#hasLookedForFollower) await this.#turnToFollower(doors)
    // Who was sent goes no further by hearsay: what one core knows of another may be old.
    this.#wasSent = this.#sentTo !== undefined
    this.#turn = this.#sentTo ?? this.#turn
    this.#sentTo = undefined
    const door = doors[this.#turn++ % doors.length]
    let socket: Socket
    try {
      // Of several one that hangs is left for another.
      socket = await door.handshake.dial(door, doors.length > 1 ? dialMsMax : undefined)
      this.#strange.delete(door)
    } catch (error) {
      this.#noteStranger(door, error, doors.length)
      return this.#openLater()
    }
    if (this.#closed) return void socket.destroy()
    this.#socket = socket
    this.#core = `${door.host}:${door.port}`
    if (doors.length > 1) {
      this.#watchSilence(socket, this.#remote.needsState ? copiesMsMax : silenceMsMax)
      socket.on('data', () => this.#silence?.refresh())
    }
    this.#speakOver(socket)
    socket.resume()
  }

  /** Once: if it gives no state, whichever core is next does. */
  async #turnToFollower(doors: readonly TcpDoor[]): Promise<void> {
    this.#hasLookedForFollower = true
    if (doors.length === 1) return
    const statuses = await statusesOf(doors)
    const sequences = statuses.map((status) => (status?.role === 'follower' ? status.sequence : -1))
    const furthest = sequences.indexOf(Math.max(...sequences))
    if (sequences[furthest] >= 0) this.#turn = furthest
  }

  #watchSilence(socket: Socket, msMax: number): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#leaveIfSilent(socket), msMax)
  }

  /** Own work, such as to take a whole state, keeps this process from reading: what has come meanwhile counts. */
  #leaveIfSilent(socket: Socket): void {
    const { bytesRead } = socket
    setImmediate(() =>
      setImmediate(() => {
        if (socket.bytesRead === bytesRead) socket.destroy()
      }),
    )
  }

  /** Where all that are named are strangers, somebody has to look. */
  #noteStranger(door: TcpDoor, error: unknown, doors: number): void {
    if (!(error instanceof StrangerRefused) || !error.answered) return void this.#strange.delete(door)
    this.#strange.add(door)
    if (this.#strange.size === doors) this.#refused.reject(error)
  }

  #speakOver(socket: Socket): void {
    const link: SocketLink = new SocketLink(
      socket,
      (frame) => this.#take(link, frame),
      (trouble) => {
        if (trouble !== undefined) this.#onTrouble(trouble)
        this.#over(link)
      },
    )
    this.#link = link
    this.#remote.connected(link)
  }

  /** Who is at the other end; undefined: nobody. */
  get core(): string | undefined {
    return this.#link === undefined ? undefined : this.#core
  }

  /** Rejects with StrangerRefused when none of those who answer where cores are named is a core of this venue. */
  get refused(): Promise<never> {
    return this.#refused.promise
  }

  /** Asks what the core alone knows. Rejects with CommandNotSequenced while there is none, and with AnswerLost when it goes away. */
  ask(what: string, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#link === undefined) return reject(new CommandNotSequenced('the core is away'))
      const number = ++this.#number
      const timeout = setTimeout(
        () => this.#settle(number)?.reject(new AnswerLost(`${what} had no answer`)),
        answerMsMax,
      )
      this.#waiting.set(number, { resolve, reject, timeout })
      this.#link.send({ kind: 'ask', number, what, args })
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
    this.#remote.close()
    this.#socket?.destroy()
  }

  #take(link: SocketLink, frame: WireFrame): void {
    if (link !== this.#link) return
    this.#silence?.refresh()
    if (frame.kind === 'told' && frame.what === 'alive')
      return this.#takeAlive(link, frame.value as Partial<Alive> | undefined)
    if (frame.kind === 'told') return this.#onTold(frame.what, frame.value)
    if (frame.kind === 'answer') {
      const waiting = this.#settle(frame.number)
      return frame.error === undefined ? waiting?.resolve(frame.value) : waiting?.reject(new Error(frame.error))
    }
    if (frame.kind === 'goodbye' && !this.#wasSent) this.#noteLeader(frame.leader)
    if (frame.kind === 'ask' || frame.kind === 'hello' || frame.kind === 'submit' || frame.kind === 'barrier') return
    this.#remote.take(link, frame)
    // With its state it has copied what it had to; a link that was of no use is over.
    const isWatched = isSeveral(this.#place) && this.#place.length > 1 && link === this.#link
    if (frame.kind === 'welcome' && isWatched) this.#watchSilence(this.#socket!, silenceMsMax)
  }

  #noteLeader(leader: string | undefined): void {
    if (leader === undefined || leader === this.#core || !isSeveral(this.#place)) return
    const place = this.#place.findIndex(({ host, port }) => `${host}:${port}` === leader)
    if (place >= 0) this.#sentTo = place
  }

  /** A core that follows does not say since when the log takes nothing; the only core says nothing at all. */
  #takeAlive(link: SocketLink, alive: Partial<Alive> | undefined): void {
    const silentMs = alive?.silentMs
    if (silentMs === undefined) return
    this.#remote.tellLog(link, silentMs)
    if (isSeveral(this.#place) && silentMs > looksAfterMs) void this.#lookAtOthers(this.#place)
  }

  async #lookAtOthers(doors: readonly TcpDoor[]): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#lookedMs < looksEveryMs) return
    this.#lookedMs = nowMs
    const socket = this.#socket
    const statuses = await statusesOf(doors)
    const leads = statuses.findIndex((status) => status?.role === 'leader' && status.epoch > this.#remote.epoch)
    if (leads < 0 || socket !== this.#socket) return
    this.#turn = leads
    socket?.destroy()
  }

  #settle(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    clearTimeout(waiting?.timeout)
    return waiting
  }

  #over(link: SocketLink): void {
    if (link !== this.#link) return
    this.#link = undefined
    clearTimeout(this.#silence)
    this.#remote.disconnected(link)
    for (const number of this.#waiting.keys()) this.#settle(number)?.reject(new AnswerLost('the core went away'))
    this.#openLater()
  }

  #openLater(): void {
    if (!this.#closed) this.#again = setTimeout(() => this.open(), this.#sentTo === undefined ? againMs : 0)
  }
}

/** Undefined: it does not answer. */
async function statusesOf(doors: readonly TcpDoor[]): Promise<(CoreStatus | undefined)[]> {
  const statuses = doors.map((door) => asked(door, 'status').catch(() => undefined))
  return (await Promise.all(statuses)) as (CoreStatus | undefined)[]
}

function isSeveral(place: CorePlace): place is readonly TcpDoor[] {
  return Array.isArray(place)
}
