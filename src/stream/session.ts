/**
 * A conversation with one client: who he is, what he subscribed to, and the answer to each thing he says.
 *
 * Ping      the text `ping` is answered with the text `pong`
 * Either    public and private channels are served on every path; private ones after a login
 * Once      a channel that is subscribed to already is acknowledged again and not begun anew: clients merge a second
 *           snapshot into the first
 * Order     an acknowledgement comes before the first push of its channel; who subscribes and unsubscribes is answered in the
 *           order in which he asked, whatever a first push waits for
 * Key       a socket closes at once when its key is revoked, is no longer for its address, or no longer may watch a channel
 *           that it is subscribed to; nothing that comes in after that is heard
 * Unheard   a copy of the venue that hears nothing new answers what is asked with an error, and the socket stays
 * Source    wire/websocket.md §1, §2, §6; wire/auth.md §6
 */
import {
  type ApiKey,
  ApiError,
  type Authentication,
  authorize,
  type CatalogIndex,
  checkAddress,
  type V3Dialect,
  isUsable,
  type KeyStore,
  type Version,
} from '../api/api.ts'
import { CommandNotSequenced, type Core } from '../runtime/core.ts'
import type { AccountFeeds } from './account-feeds.ts'
import type { SubscribedChannel } from './around-frames.ts'
import type { Connection } from './connection.ts'
import type { StreamCounts } from './counts.ts'
import { errorFacts, loginError, StreamError } from './errors.ts'
import type { PublicFeeds } from './public-feeds.ts'
import { type Argument, type Login, parseRequest } from './requests.ts'
import type { Channel, PrivateChannel, Protocol } from './socket-protocol.ts'
import { trade, type TradingParts } from './trading.ts'

export interface SessionParts {
  readonly core: Core
  readonly authentication: Pick<Authentication, 'authenticateLogin'>
  readonly keys: KeyStore
  readonly catalog: () => CatalogIndex
  readonly protocols: Readonly<Record<Version, Protocol>>
  readonly publicFeeds: PublicFeeds
  readonly accountFeeds: AccountFeeds
  readonly trading: TradingParts
  readonly counts: StreamCounts
  readonly dialects: Readonly<Record<Version, V3Dialect>>
  readonly onTrouble: (trouble: unknown) => void
}

interface Subscription {
  readonly channel: Channel
  /** The argument that its pushes repeat. */
  readonly argument: string
}

export class Session {
  readonly #connection: Connection
  readonly #parts: SessionParts
  readonly #protocol: Protocol
  readonly #subscriptions = new Map<string, Subscription>()
  #left: readonly Subscription[] = []
  #key: ApiKey | undefined
  /** Settles with what was asked last about subscriptions. */
  #asked: Promise<void> = Promise.resolve()

  constructor(connection: Connection, parts: SessionParts) {
    this.#connection = connection
    this.#parts = parts
    this.#protocol = parts.protocols[connection.version]
    connection.loseSubscriptions = (fits) => this.#lose(fits)
    connection.listen(
      (message) => void this.#hear(message).catch((trouble: unknown) => this.#break(trouble)),
      () => this.leaveAll(),
    )
  }

  /** Ends what has lasted too long, or speaks with a key that may do so no more. */
  check(nowMs: number): void {
    if (this.#connection.isOver(nowMs)) this.#connection.close()
    else this.#checkKey()
  }

  /** A key of this account has changed, or what its keys may do. */
  keyChanged(uid: number): void {
    if (this.#key?.uid === uid) this.#checkKey()
  }

  #checkKey(): void {
    if (this.#key === undefined || !this.#connection.isOpen) return
    try {
      const fault = this.#whyNotEntitled(this.#key)
      if (fault === undefined) return
      this.#refuse(fault)
      this.#connection.close()
    } catch (trouble) {
      this.#break(trouble)
    }
  }

  /** Why a key may not be used from here, or may not watch what this socket watches. */
  #whyNotEntitled(asked: ApiKey): ApiError | StreamError | undefined {
    try {
      const key = this.#knownKey(asked)
      checkAddress(key, this.#connection.ip)
      // While the engine is being rebuilt nobody can say what its account may do; the next check does.
      if (this.#parts.core.rebuilt !== undefined) return undefined
      for (const { channel } of this.#subscriptions.values()) {
        if (channel.scope === 'private') this.#admit(channel, key)
      }
      return undefined
    } catch (error) {
      if (error instanceof ApiError || error instanceof StreamError) return error
      throw error
    }
  }

  /** Tells something that nobody asked for. */
  warn(error: ApiError): void {
    this.#refuse(error)
  }

  close(why?: Parameters<Connection['close']>[0]): void {
    this.#connection.close(why)
  }

  terminate(): void {
    this.#connection.terminate()
  }

  async #hear(message: Buffer): Promise<void> {
    if (!this.#connection.isOpen) return
    if (!this.#connection.mayAsk()) return this.#refuse(new StreamError(30007))
    if (message.equals(ping)) return this.#connection.send(pong, 'answer')
    const { core } = this.#parts
    try {
      const request = parseRequest(message)
      if (core.rebuilt !== undefined) await core.rebuilt
      // What is pushed goes on from a state that has what the client was answered elsewhere; so do keys.
      if (core.fresh !== undefined) await core.fresh()
      if (request.op === 'login') return this.#login(request.login)
      if (request.op === 'trade') return await this.#trade(request.message)
      const { op, args } = request
      if (op === 'subscribe' && !this.#connection.maySubscribe()) throw new StreamError(30006)
      this.#asked = this.#asked.then(async () => {
        for (const argument of args)
          await (op === 'subscribe' ? this.#subscribe(argument) : this.#unsubscribe(argument))
      })
      await this.#asked
    } catch (error) {
      this.#refuse(error instanceof CommandNotSequenced ? notHeard(error) : error)
    }
  }

  #login(login: Login): void {
    try {
      const key = this.#parts.authentication.authenticateLogin(login, this.#connection.ip)
      const goesOn = this.#key?.uid === key.uid && this.#whyNotEntitled(key) === undefined
      if (this.#key !== undefined && !goesOn) this.#leavePrivate()
      this.#key = key
      this.#connection.uid = key.uid
      this.#connection.sendText('{"event":"login","code":0,"msg":""}')
    } catch (error) {
      const { code, text } = loginError(error)
      this.#connection.sendText(JSON.stringify({ event: 'error', code, msg: text }))
      this.#connection.close('refused')
    }
  }

  async #trade(message: Readonly<Record<string, unknown>>): Promise<void> {
    const caller = () => ({ key: this.#knownKey(), ip: this.#connection.ip, socket: this.#connection })
    const answers = await trade(this.#connection.version, message, caller, this.#parts.trading)
    for (const answer of answers) this.#connection.sendText(answer)
  }

  async #subscribe(argument: Argument): Promise<void> {
    // Who has left meanwhile is not let in any more: nobody would see him out.
    if (!this.#connection.isOpen) return
    try {
      const channel = this.#channelOf(argument)
      const uid = channel.scope === 'private' ? this.#admit(channel, this.#knownKey()) : undefined
      const known = this.#subscriptions.has(channel.key)
      if (!known && this.#subscriptions.size >= this.#connection.bounds.subscriptionsMax) throw new StreamError(30006)
      this.#acknowledge('subscribe', argument)
      if (!known) await this.#join(channel, uid, this.#protocol.echo(argument))
    } catch (error) {
      this.#refuse(error, argument)
    }
  }

  async #join(channel: Channel, uid: number | undefined, argument: string): Promise<void> {
    const { publicFeeds, accountFeeds, counts } = this.#parts
    const subscription = { channel, argument }
    this.#subscriptions.set(channel.key, subscription)
    counts.subscriptions += 1
    if (channel.scope === 'private') {
      if (uid !== undefined) accountFeeds.join(uid, channel, this.#connection, argument)
      return
    }
    const stays = () => this.#connection.isOpen && this.#subscriptions.get(channel.key) === subscription
    await publicFeeds.join(channel, this.#connection, argument, stays)
  }

  #unsubscribe(argument: Argument): void {
    try {
      const { key } = this.#channelOf(argument)
      const subscription = this.#subscriptions.get(key)
      if (subscription !== undefined) this.#leave(key, subscription)
      this.#acknowledge('unsubscribe', argument)
    } catch (error) {
      this.#refuse(error, argument)
    }
  }

  #channelOf(argument: Argument): Channel {
    const channel = this.#protocol.channelOf(argument, this.#parts.catalog())
    if (channel !== undefined) return channel
    const named = Object.entries(argument).map(([name, value]) => `${name}:${value.slice(0, 64)}`)
    throw new StreamError(30001, named.join(','))
  }

  /** The account whose channel it is; throws why it may not be watched. */
  #admit({ access, version }: PrivateChannel, key: ApiKey): number {
    const account = this.#parts.core.query({ kind: 'account', uid: key.uid })
    if (account === undefined) throw new StreamError(30004)
    authorize(access, version, { key, account, ip: this.#connection.ip })
    return key.uid
  }

  /** As it is in the store now; it may have been revoked since the login. */
  #knownKey(known = this.#key): ApiKey {
    const key = known && this.#isGood(known.apiKey)
    if (!key) throw new StreamError(30004)
    return key
  }

  #isGood(apiKey: string): ApiKey | undefined {
    const key = this.#parts.keys.find(apiKey)
    return key !== undefined && isUsable(key) ? key : undefined
  }

  #acknowledge(event: 'subscribe' | 'unsubscribe', argument: Argument): void {
    this.#connection.sendText(JSON.stringify({ event, arg: argument }))
  }

  /** Says what was wrong; whatever was no refusal ends the conversation. */
  #refuse(error: unknown, argument?: Argument): void {
    const { code, text } = errorFacts(error, this.#parts.dialects[this.#connection.version])
    this.#connection.sendText(JSON.stringify({ event: 'error', arg: argument, code: Number(code), msg: text }))
    if (error instanceof StreamError && error.closes) this.#connection.close('refused')
  }

  #break(trouble: unknown): void {
    this.#parts.onTrouble(trouble)
    this.#connection.terminate()
  }

  #leave(key: string, { channel, argument }: Subscription): void {
    const { publicFeeds, accountFeeds, counts } = this.#parts
    this.#subscriptions.delete(key)
    counts.subscriptions -= 1
    if (channel.scope === 'public') publicFeeds.leave(channel, this.#connection, argument)
    else if (this.#key !== undefined) accountFeeds.leave(this.#key.uid, channel, this.#connection, argument)
  }

  #lose(fits: (channel: SubscribedChannel) => boolean): void {
    for (const [key, subscription] of this.#subscriptions) {
      const { scope } = subscription.channel
      const named = JSON.parse(subscription.argument) as Readonly<Record<string, string | undefined>>
      const [name = '', symbol = ''] = [named['channel'] ?? named['topic'], named['instId'] ?? named['symbol']]
      if (fits({ name, scope, symbol })) this.#leave(key, subscription)
    }
  }

  #leavePrivate(): void {
    for (const [key, subscription] of this.#subscriptions) {
      if (subscription.channel.scope === 'private') this.#leave(key, subscription)
    }
  }

  /** Of every channel; what it was subscribed to is known for `joinAgain`. */
  leaveAll(): void {
    this.#left = [...this.#subscriptions.values()]
    for (const [key, subscription] of this.#subscriptions) this.#leave(key, subscription)
  }

  /** To the channels that it left: each begins with what a new one begins with. A key that is no longer good ends it. */
  async joinAgain(): Promise<void> {
    this.#checkKey()
    for (const { channel, argument } of this.#left) {
      if (!this.#connection.isOpen) return
      await this.#join(channel, this.#key?.uid, argument)
    }
    this.#left = []
  }
}

/** A copy of the venue that hears nothing new: to what is asked then, nothing was done. */
export function notHeard(cause?: CommandNotSequenced): ApiError {
  return new ApiError('40015', [], 503, { cause })
}

const ping = Buffer.from('ping')
const pong = Buffer.from('pong')
