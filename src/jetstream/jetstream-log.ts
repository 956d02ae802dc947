/**
 * The shared log as a JetStream stream: `Log` for cores on several machines.
 *
 *   position = sequence of the stream
 *
 * Append    names the last sequence that it expects, of the whole stream. One that is refused for it is Fenced; whatever else
 *           comes in place of an answer is LogUnknown
 * Read      by the server that leads the stream. What it does not have is *behind the end*, or a *hole* of its: a server whose files
 *           were damaged lacks messages that the others have. Another one is made to lead then, and `damaged` names it
 * Lost      an end before what was seen here: for a moment it may be a server that was cut off, after ten seconds it is LogBroken.
 *           So is a message that no server has
 * Not here  how the stream has to be (stream.ts), what stands in it (replication/message.ts)
 */
import { JetStreamApiCodes, JetStreamApiError, type StreamInfo } from '@nats-io/jetstream'
import { Fenced, type Log, LogBroken, LogDown, type LogEntry, LogUnknown } from '../replication/replication.ts'
import { answerMsMax, ClusterWrong, NatsLink, type ServersTrust } from './connection.ts'
import { following } from './following.ts'
import { payloadFaults, seeServers, serverFaults, versionFaults } from './servers.ts'
import { faultsOf, streamInfo, streamOf, subjectOf, venueIdOf } from './stream.ts'

export interface JetStreamLogOptions {
  /** `nats://host:port`, as many as there are servers. */
  readonly urls: readonly string[]
  readonly venue: string
  /** What the servers know this process by. */
  readonly name: string
  /** `http://host:port` of each server's monitor; undefined: nobody checks that they sync. */
  readonly monitors: readonly string[] | undefined
  /** By which servers with `tls://` and monitors with `https://` are known; absent: by those that the system trusts. */
  readonly tls?: ServersTrust | undefined
  /** How long the stream may be without a server that leads it; default 30 s. */
  readonly startMsMax?: number | undefined
  /** How long servers may say that the log ends before what was seen; default 10 s. */
  readonly shortMsMax?: number | undefined
}

export interface DamagedServer {
  readonly server: string
  /** Positions that it does not have: the first and the last that were asked for. */
  readonly from: number
  readonly to: number
}

export interface LogBounds {
  readonly first: number
  readonly last: number
  readonly bytes: number
  /** When that was so, by the clock of the server that leads, Unix milliseconds. */
  readonly at: number | undefined
}

/** What one server has of the log, as the one that leads sees it. */
export interface LogCopy {
  readonly server: string
  readonly leads: boolean
  /** It is not reached. */
  readonly isAway: boolean
  readonly isCurrent: boolean
  /** Messages that it has not yet. */
  readonly lag: number
}

/** What is false or zero a server leaves out. */
interface Replica {
  readonly name: string
  readonly current?: boolean
  readonly offline?: boolean
  readonly lag?: number
}

const againMs = 100
const startMsMaxDefault = 30_000
const shortMsMaxDefault = 10_000
const leaderMsMax = 10_000
const stepDownsMax = 10

export class JetStreamLog implements Log {
  /** Whose log it is. */
  readonly venueId: string
  readonly #link: NatsLink
  readonly #venue: string
  readonly #stream: string
  readonly #shortMsMax: number
  readonly #monitors: readonly string[] | undefined
  readonly #tls: ServersTrust | undefined
  /** The furthest position that stood in the log. */
  #seen = 0
  #shortSinceMs: number | undefined
  readonly #damaged = new Map<string, DamagedServer>()

  private constructor(
    link: NatsLink,
    venueId: string,
    { venue, monitors, tls, shortMsMax = shortMsMaxDefault }: Omit<JetStreamLogOptions, 'urls' | 'name' | 'startMsMax'>,
  ) {
    this.venueId = venueId
    this.#link = link
    this.#venue = venue
    this.#monitors = monitors
    this.#tls = tls
    this.#stream = streamOf(venue)
    this.#shortMsMax = shortMsMax
  }

  /**
   * Rejects with ClusterWrong, which names every fault, and when no server leads the stream in time. Servers whose monitor does not
   * answer are no fault while more than half of them are as they must be.
   */
  static async open({
    urls,
    name,
    tls,
    startMsMax = startMsMaxDefault,
    ...options
  }: JetStreamLogOptions): Promise<JetStreamLog> {
    const { venue, monitors } = options
    const link = await NatsLink.open(urls, name, tls)
    try {
      const { config, cluster } = await leadStream(link, venue, startMsMax)
      const of = `of the NATS server ${link.server}`
      const { version, max_payload: payload } = link.nats.info ?? {}
      const faults = faultsOf(config, venue).map((fault) => `stream ${streamOf(venue)}: ${fault}`)
      if (monitors === undefined) faults.push(...versionFaults(version, of), ...payloadFaults(payload, of))
      else {
        const { wrong, silent, isMost } = await seeServers(monitors, peersOf(cluster), tls)
        // Who is away says so no more than one that ends later: the log does without it as long as most are there.
        faults.push(...wrong, ...(isMost ? [] : silent))
      }
      if (faults.length > 0) throw new ClusterWrong(faults.join('; '))
      return new JetStreamLog(link, venueIdOf(config)!, { ...options, tls })
    } catch (error) {
      await link.close()
      throw error
    }
  }

  /** Servers that lack what others have: each is to be taken out, its store emptied, and let in again. */
  get damaged(): readonly DamagedServer[] {
    return [...this.#damaged.values()]
  }

  /** What is wrong with the servers of the stream now, as they say it; where nobody checks them, nothing. Rejects with LogDown. */
  async serverFaults(): Promise<readonly string[]> {
    return this.#monitors === undefined ? [] : serverFaults(this.#monitors, await this.servers(), this.#tls)
  }

  /** The server that leads the stream. Rejects with LogDown. */
  async leader(): Promise<string | undefined> {
    return (await this.#info()).cluster?.leader
  }

  /** The servers that keep the stream. Rejects with LogDown. */
  async servers(): Promise<readonly string[]> {
    return peersOf((await this.#info()).cluster)
  }

  /** The end of the log, and what each server has of it. Rejects with LogDown. */
  async copies(): Promise<{ readonly last: number; readonly copies: readonly LogCopy[] }> {
    const { state, cluster } = await this.#info()
    const { leader } = cluster ?? {}
    const copies = ((cluster?.replicas ?? []) as readonly Replica[]).map(
      ({ name: server, offline: isAway = false, current: isCurrent = false, lag = 0 }) => {
        return { server, leads: false, isAway, isCurrent, lag }
      },
    )
    const leading = { leads: true, isAway: false, isCurrent: true, lag: 0 }
    return { last: state.last_seq, copies: leader === undefined ? copies : [{ server: leader, ...leading }, ...copies] }
  }

  /** Has a server lead the stream; answers whether it came to that. */
  async leadBy(server: string): Promise<boolean> {
    for (let tries = 0; tries < stepDownsMax; tries++) {
      const leader = await this.leader()
      if (leader === server) return true
      if (leader !== undefined) await this.#handOver(leader, server)
    }
    return false
  }

  /** The first and the last position that are there; `last` is before `first` where nothing is. Rejects with LogDown. */
  async bounds(): Promise<LogBounds> {
    const { state, ts: at } = await this.#info()
    const { first_seq: first, last_seq: last, bytes } = state
    return { first: Math.max(1, first), last, bytes, at: at === undefined ? undefined : Date.parse(at) }
  }

  /** A position that stood in the log, as a core's own file proves: an end before it is a loss. */
  noteSeen(position: number): void {
    this.#seen = Math.max(this.#seen, position)
  }

  async append(expected: number, message: Uint8Array): Promise<number> {
    const { client, nats } = this.#link
    if (!this.#link.isThere) throw new LogDown('no NATS server answers')
    const most = nats.info?.max_payload ?? 0
    if (message.length > most) throw new LogBroken(expected + 1, `${message.length} bytes are more than max_payload`)
    let stored: number
    try {
      const expect = { streamName: this.#stream, lastSequence: expected }
      const asked = client.publish(subjectOf(this.#venue), message, { timeout: answerMsMax, expect })
      stored = (await this.#link.answer(asked)).seq
    } catch (cause) {
      throw this.#faultOfAppend(cause, expected)
    }
    if (stored !== expected + 1) throw new LogBroken(stored, `it was stored there, and ${expected + 1} was expected`)
    this.#noteThere(stored)
    return stored
  }

  async at(position: number): Promise<Uint8Array | undefined> {
    return (await this.#read(position)) ?? this.#whyAbsent(position)
  }

  follow(from: number): AsyncIterableIterator<LogEntry> {
    return following(from, {
      read: (position) => this.#read(position),
      at: (position) => this.at(position),
      last: async () => (await this.bounds()).last,
    })
  }

  async removeBefore(position: number): Promise<void> {
    try {
      await this.#link.manager.streams.purge(this.#stream, { seq: position })
    } catch (cause) {
      throw new LogDown('what is before a position could not be removed', { cause })
    }
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  /** The place behind what was expected says the rest. */
  #faultOfAppend(cause: unknown, expected: number): Error {
    if (cause instanceof JetStreamApiError && cause.code === JetStreamApiCodes.StreamWrongLastSequence) {
      const last = Number(/wrong last sequence: (\d+)/.exec(cause.message)?.[1] ?? Number.NaN)
      // An end before what was seen is of a server that was cut off, or a loss: whoever looks at the place finds out.
      if (last > expected) return new Fenced(undefined, { cause })
    }
    return new LogUnknown('an append had no answer', { cause })
  }

  /** It stands there now. A server that has all that was seen ends what was short. */
  #noteThere(position: number): void {
    if (position >= this.#seen) this.#shortSinceMs = undefined
    this.noteSeen(position)
  }

  /** Undefined: the server that leads does not have it. */
  async #read(position: number): Promise<Uint8Array | undefined> {
    if (!this.#link.isThere) throw new LogDown('no NATS server answers')
    try {
      const found = await this.#link.answer(this.#link.manager.streams.getMessage(this.#stream, { seq: position }))
      if (found === null) return undefined
      this.#noteThere(position)
      return found.data
    } catch (cause) {
      throw new LogDown('a position had no answer', { cause })
    }
  }

  async #info(): Promise<StreamInfo> {
    try {
      return await this.#link.answer(this.#link.manager.streams.info(this.#stream))
    } catch (cause) {
      throw new LogDown('the stream had no answer', { cause })
    }
  }

  async #whyAbsent(position: number): Promise<Uint8Array | undefined> {
    const { first, last } = await this.bounds()
    if (last < this.#seen) return this.#tooShort(last)
    this.#shortSinceMs = undefined
    if (position > last) return undefined
    if (position < first) throw new LogBroken(position, `it was removed; the log begins with ${first}`)
    // It may have been stored while the end was asked for.
    return (await this.#read(position)) ?? this.#fromAnother(position)
  }

  #tooShort(last: number): never {
    const nowMs = performance.now()
    this.#shortSinceMs ??= nowMs
    if (nowMs - this.#shortSinceMs < this.#shortMsMax) throw new LogDown(`a server's log ends with ${last}`)
    throw new LogBroken(last + 1, `records were lost: ${this.#seen} stood in the log, and it ends with ${last}`)
  }

  /** The server that leads has a hole there: others are made to lead until one has it. */
  async #fromAnother(position: number): Promise<Uint8Array> {
    for (let tries = 0; tries < stepDownsMax; tries++) {
      const { cluster } = await this.#info()
      const leader = cluster?.leader
      const peers = peersOf(cluster)
      if (leader === undefined) throw new LogDown('the stream has no leader')
      const found = await this.#read(position)
      if (found !== undefined) return found
      this.#noteDamaged(leader, position)
      const lacking = (peer: string) => this.#lacks(peer, position)
      if (peers.every(lacking)) throw new LogBroken(position, `none of ${peers.join(', ')} has it`)
      await this.#handOver(leader, peers.find((peer) => !lacking(peer))!)
    }
    throw new LogDown(`no server with position ${position} could be made to lead`)
  }

  #noteDamaged(server: string, position: number): void {
    const { from = position, to = position } = this.#damaged.get(server) ?? {}
    this.#damaged.set(server, { server, from: Math.min(from, position), to: Math.max(to, position) })
  }

  #lacks(server: string, position: number): boolean {
    const known = this.#damaged.get(server)
    return known !== undefined && known.from <= position && position <= known.to
  }

  /** Resolves when another server leads, whichever it is. */
  async #handOver(leader: string, preferred: string): Promise<void> {
    const { nats } = this.#link
    const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${this.#stream}`
    // Servers before 2.11 do not know whom one prefers.
    for (const asked of [JSON.stringify({ placement: { preferred } }), '']) {
      const answer = await nats.request(subject, asked, { timeout: 2_000 }).catch(() => undefined)
      if (answer !== undefined && !('error' in answer.json<object>())) break
    }
    const untilMs = performance.now() + leaderMsMax
    while (performance.now() < untilMs) {
      const now = await this.leader().catch(() => undefined)
      if (now !== undefined && now !== leader) return
      await pause(againMs)
    }
  }
}

/** The stream, once it has a leader: servers that start together need a while. */
async function leadStream(link: NatsLink, venue: string, startMsMax: number): Promise<StreamInfo> {
  const untilMs = performance.now() + startMsMax
  for (let cause: unknown; ; ) {
    try {
      const info = await streamInfo(link, venue)
      if (info.cluster === undefined || info.cluster.leader !== undefined) return info
    } catch (error) {
      if (error instanceof ClusterWrong) throw error
      cause = error
    }
    if (performance.now() > untilMs) {
      const forS = Math.ceil(startMsMax / 1_000)
      throw new ClusterWrong(
        `no NATS server has led the stream ${streamOf(venue)} for ${forS} s: most of its servers have to be there`,
        { cause },
      )
    }
    await pause(againMs)
  }
}

function peersOf(cluster: StreamInfo['cluster']): string[] {
  const { leader, replicas = [] } = cluster ?? {}
  return [...(leader === undefined ? [] : [leader]), ...replicas.map(({ name }) => name)]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
