/**
 * What a hazard has in hand while it acts: the venue, the market, the bot, and waiting for what it needs of them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabError, Venue } from './laboratory.ts'
import type { OpenOrder } from './account.ts'
import type { Bot } from './bot.ts'
import type { Configuration } from './config.ts'
import type { Firing, TrafficLine } from './evidence.ts'
import type { Market } from './market.ts'
import type { Witness } from './witness.ts'

/** For a venue that is down to be there again. */
const backMsMax = 60_000
const retryMs = 100

/** For the news of a fill. */
const filledMsMax = 700

export type Rule = Readonly<Record<string, unknown>> & { readonly fault: string }

/** A line of what the venue did, for the report. */
export interface Note {
  readonly at: number
  readonly text: string
}

export interface SceneParts {
  readonly venue: Venue
  readonly market: Market
  readonly bot: Bot
  readonly witness: Witness
  readonly configuration: Configuration
  readonly scale: number
  /** How long it waits for what it needs, milliseconds. */
  readonly reachMs: number
}

export class Scene {
  readonly notes: Note[] = []
  /** When it struck, if it did not do so at the first rule that fired. */
  struckAt: number | undefined
  readonly #parts: SceneParts
  #rules: string[] = []

  constructor(parts: SceneParts) {
    this.#parts = parts
  }

  get venue(): Venue {
    return this.#parts.venue
  }

  get market(): Market {
    return this.#parts.market
  }

  get bot(): Bot {
    return this.#parts.bot
  }

  get role(): Configuration['role'] {
    return this.#parts.configuration.role
  }

  get symbol(): string {
    return this.#parts.configuration.symbols[0]
  }

  get category(): string {
    return this.#parts.configuration.category
  }

  /** A long time as it is in this run, in whole milliseconds. */
  readonly ms = (unscaled: number): number => Math.max(100, Math.round(unscaled * this.#parts.scale))

  wait(ms: number): Promise<unknown> {
    return sleep(ms)
  }

  note(text: string): void {
    this.notes.push({ at: this.#parts.witness.now(), text })
  }

  /** From here on the bot meets it. */
  strike(text: string): void {
    this.struckAt ??= this.#parts.witness.now()
    this.note(text)
  }

  async fault(...rules: readonly Rule[]): Promise<void> {
    for (const rule of rules) {
      const added = await this.venue.call<{ readonly rule: string }>('POST', '/faults', rule)
      this.#rules.push(added.rule)
    }
  }

  async noFaults(): Promise<void> {
    if (this.#rules.length === 0) return
    this.#rules = []
    for (const last = Date.now() + backMsMax; ; ) {
      try {
        return void (await this.venue.call('DELETE', '/faults'))
      } catch (error) {
        // A venue that was to refuse connections may do so a moment longer.
        if ((error as LabError).status !== 0 || Date.now() > last) throw error
        await sleep(retryMs)
      }
    }
  }

  /** In place of those that there were. */
  latency(rules: readonly object[]): Promise<unknown> {
    return this.venue.call('POST', '/latency', { rules })
  }

  /** Whether the bot has a socket that has logged in. */
  async listens(): Promise<boolean> {
    const { witness } = this.#parts
    const uid = Number(this.venue.keys[this.role].uid)
    return (await witness.traffic()).some((line) => line.kind === 'out' && line.uid === uid)
  }

  /** Until a private socket is subscribed anew; false: that did not come about. */
  async subscribes(): Promise<boolean> {
    const { witness, reachMs } = this.#parts
    const uid = Number(this.venue.keys[this.role].uid)
    const since = witness.now()
    for (const last = since + reachMs; witness.now() < last; await sleep(retryMs)) {
      const lines = await witness.traffic()
      const isNew = (line: TrafficLine) => line.kind === 'out' && line.uid === uid && line.at > since
      if (lines.some((line) => isNew(line) && /"event":"subscribe"/.test(line.text ?? ''))) return true
    }
    return false
  }

  cheat(body: object): Promise<unknown> {
    return this.venue.call('POST', '/cheats', body)
  }

  get firings(): readonly Firing[] {
    return this.#parts.witness.firings
  }

  /** The first that strikes from here on. */
  fired(accepts: (firing: Firing) => boolean = () => true): Promise<Firing | undefined> {
    const { witness, reachMs } = this.#parts
    return witness.until(() => witness.firings.find(accepts), reachMs)
  }

  /** Waits until the bot has placed one more order. */
  async placesAgain(): Promise<void> {
    const { witness, reachMs } = this.#parts
    const { placed } = witness
    await witness.until(() => (witness.placed > placed ? true : undefined), reachMs)
  }

  /** An order of the bot that rests, once there is one. */
  resting(accepts: (order: OpenOrder) => boolean = () => true): Promise<OpenOrder | undefined> {
    const { witness, reachMs } = this.#parts
    return witness.until(() => witness.resting(this.symbol).find(accepts), reachMs)
  }

  /**
   * Fills a part of an order that rests. One that went meanwhile is no order: then the next one. Undefined: none was filled. `before`
   * is done first, when there is one.
   */
  async takes(
    part: number,
    before: (order: OpenOrder) => Promise<void> | void = () => {},
  ): Promise<OpenOrder | undefined> {
    const { witness, reachMs } = this.#parts
    const seen = new Set<string>()
    const last = Date.now() + reachMs
    while (Date.now() < last) {
      const order = await this.resting(({ orderId }) => !seen.has(orderId))
      if (order === undefined) return undefined
      seen.add(order.orderId)
      await before(order)
      await this.market.take(order, part)
      const isFilled = () => witness.filledOf(order.orderId) > 0 || undefined
      if ((await witness.until(isFilled, filledMsMax)) === true) return order
    }
    return undefined
  }

  /** What the bot holds, once it holds something; short ones negative. */
  async position(): Promise<number | undefined> {
    const { witness, reachMs } = this.#parts
    const isHeld = () => witness.account.positions[this.symbol]
    return witness.until(isHeld, reachMs)
  }

  /** Until the bot holds something and nothing of it rests; false: that did not come about. */
  async holdsOnly(): Promise<boolean> {
    const { witness, reachMs } = this.#parts
    const isSo = () => {
      const { positions, orders } = witness.account
      return (positions[this.symbol] !== undefined && orders.length === 0) || undefined
    }
    return (await witness.until(isSo, reachMs)) === true
  }

  /** Until there were so many more fills of the bot; false: there were not. */
  async filledMore(count: number): Promise<boolean> {
    const { witness, reachMs } = this.#parts
    const wanted = witness.fills + count
    return (await witness.until(() => (witness.fills >= wanted ? true : undefined), reachMs)) === true
  }

  /** Until an order is open no more. */
  async ends({ orderId, symbol }: OpenOrder): Promise<boolean> {
    const { witness, reachMs } = this.#parts
    const isGone = () => !witness.resting(symbol).some((order) => order.orderId === orderId) || undefined
    return (await witness.until(isGone, reachMs)) === true
  }

  /** Lets time pass; answers whether the bot did such a thing meanwhile. */
  async sees(what: keyof typeof looks, ms: number): Promise<boolean> {
    const before = (await this.#parts.witness.traffic()).at(-1)?.number ?? 0
    await sleep(ms)
    return (await this.#parts.witness.traffic(before)).some(looks[what])
  }

  /** A cheat that may be refused: then the report says so. */
  async tried(body: object): Promise<boolean> {
    try {
      await this.cheat(body)
      return true
    } catch (error) {
      this.note(`is refused: ${(error as Error).message}`)
      return false
    }
  }
}

const isCall = ({ kind }: TrafficLine) => kind === 'request' || kind === 'call'

/** What a bot can be seen to do. */
const looks = {
  order: (line: TrafficLine) => isCall(line) && /place|batch/.test(line.endpoint ?? ''),
  page: (line: TrafficLine) => isCall(line) && /[?&](?:cursor|idLessThan|pageNo)=/.test(line.target ?? ''),
  handshake: ({ kind }: TrafficLine) => kind === 'handshake',
} as const
