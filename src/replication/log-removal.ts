/**
 * What is old is removed from the log, by the core that leads.
 *
 * Kept      what a core needs to go on from its oldest snapshot, what the database of the history lacks, and what came lately (`keepMs`)
 * Gone      who does not answer counts with what it said last. A core is waited for a while (`waitMs`): after that it begins with
 *           another one's state. A database is waited for without end
 * Looked up the position of a command, in the log itself: nothing is to be remembered over a change of who leads
 * Steps     few messages at a time, so that what is written meanwhile waits for none of it
 * Held      what keeps the log from getting shorter beyond that, and since when
 * Source    scale.md §3 L8
 */
import { decodeMessage } from './message.ts'
import { type Log, LogBroken } from './log.ts'
import type { LogEnd } from './log-check.ts'
import { sleep, type Timers } from './timers.ts'

/** Who needs something of the log. */
export interface LogHolder {
  readonly name: string
  readonly kind: 'core' | 'database'
  /** Undefined: it does not answer. */
  readonly told: HolderTold | undefined
}

export interface HolderTold {
  /** It needs no command up to here any more; zero: it needs all. */
  readonly through: number
  /** The last command that it has. */
  readonly reached: number
}

export interface LogRemovalPorts {
  readonly log: Pick<Log, 'at' | 'removeBefore'> & { bounds(): Promise<{ readonly first: number }> }
  readonly timers: Timers
  readonly leads: () => boolean
  /** The log up to here is taken. */
  readonly end: () => LogEnd
  readonly holders: () => Promise<readonly LogHolder[]>
  readonly keepMs: number
  readonly waitMs: number
}

interface Stood {
  readonly ms: number
  readonly position: number
  readonly lastSequence: number
}

interface Heard extends HolderTold {
  readonly ms: number
  /** When `through` rose last. */
  readonly risenMs: number
}

const stepMessages = 5_000
const stepMs = 20
/** A core takes a snapshot once an hour and keeps two. */
const unmovedMsMax = 3 * 3_600_000

export class LogRemoval {
  readonly #ports: LogRemovalPorts
  readonly #begunMs: number
  /** Ends of the log, oldest first: the first is as old as what is kept, once this was looked at for so long. */
  #stood: Stood[] = []
  readonly #heard = new Map<string, Heard>()
  #held: readonly string[] = []
  #heldSinceMs: number | undefined
  #isLooking = false

  constructor(ports: LogRemovalPorts) {
    this.#ports = ports
    this.#begunMs = ports.timers.now()
  }

  /** Who holds the log, and why, each in a sentence; of a core that does not lead: nobody. */
  get held(): readonly string[] {
    return this.#ports.leads() ? this.#held : []
  }

  get heldMs(): number {
    return this.#heldSinceMs === undefined || !this.#ports.leads() ? 0 : this.#ports.timers.now() - this.#heldSinceMs
  }

  /** To be called again and again. Rejects with LogDown; then nothing is lost. */
  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await this.#look()
    } finally {
      this.#isLooking = false
    }
  }

  async #look(): Promise<void> {
    const { leads, holders } = this.#ports
    const old = this.#noteEnd()
    if (!leads()) return this.#noteHeld([])
    const found = await holders()
    for (const { name, told } of found) if (told !== undefined) this.#hear(name, told)
    this.#noteHeld(found.flatMap((holder) => this.#whyHeld(holder, old) ?? []))
    if (old === undefined) return
    const counted = found.filter((holder) => !this.#isWaitedOut(holder))
    const through = Math.min(...counted.map(({ name }) => this.#heard.get(name)?.through ?? 0))
    if (through === 0) return
    const { first } = await this.#ports.log.bounds()
    const position = await this.#positionBehind(through, first, old.position)
    for (let before = first; before < position && leads(); ) {
      before = Math.min(before + stepMessages, position)
      await this.#ports.log.removeBefore(before)
      if (before < position) await sleep(this.#ports.timers, stepMs)
    }
  }

  /** Answers where the log ended `keepMs` ago; undefined: that is not known yet. */
  #noteEnd(): Stood | undefined {
    const { timers, end, keepMs } = this.#ports
    const ms = timers.now()
    const { position, lastSequence } = end()
    this.#stood.push({ ms, position, lastSequence })
    const oldFrom = this.#stood.findLastIndex((stood) => ms - stood.ms >= keepMs)
    if (oldFrom < 0) return undefined
    this.#stood = this.#stood.slice(oldFrom)
    return this.#stood[0]
  }

  #hear(name: string, told: HolderTold): void {
    const ms = this.#ports.timers.now()
    const before = this.#heard.get(name)
    const isAsBefore = before !== undefined && before.through >= told.through && before.reached < told.reached
    this.#heard.set(name, { ...told, ms, risenMs: isAsBefore ? before.risenMs : ms })
  }

  #whyHeld(holder: LogHolder, old: Stood | undefined): string | undefined {
    const { name, told } = holder
    if (this.#isWaitedOut(holder)) return undefined
    if (told === undefined) return `${name} does not answer`
    if (old !== undefined && told.reached < old.lastSequence) {
      return `${name} is behind: it has commands up to ${told.reached}`
    }
    const { risenMs } = this.#heard.get(name)!
    const isStuck = told.reached > told.through && this.#ports.timers.now() - risenMs > unmovedMsMax
    return isStuck ? `${name} needs what is behind command ${told.through} since long` : undefined
  }

  #isWaitedOut({ name, kind, told }: LogHolder): boolean {
    if (told !== undefined || kind === 'database') return false
    return this.#ports.timers.now() - (this.#heard.get(name)?.ms ?? this.#begunMs) >= this.#ports.waitMs
  }

  #noteHeld(held: readonly string[]): void {
    this.#held = held
    if (held.length === 0) this.#heldSinceMs = undefined
    else this.#heldSinceMs ??= this.#ports.timers.now()
  }

  /** The last position, up to `last`, before which no message has commands behind `through`. */
  async #positionBehind(through: number, first: number, last: number): Promise<number> {
    let [sure, beyond] = [first, last + 1]
    while (beyond - sure > 1) {
      const middle = (sure + beyond) >> 1
      if ((await this.#sequenceBefore(middle, last)) <= through) sure = middle
      else beyond = middle
    }
    return sure
  }

  /** The last command that stands before a position; as far as that is needed. */
  async #sequenceBefore(position: number, last: number): Promise<number> {
    for (let at = position; at <= last; at++) {
      const bytes = await this.#ports.log.at(at)
      const message = bytes === undefined ? 'nothing stands there' : decodeMessage(bytes)
      if (typeof message === 'string') throw new LogBroken(at, message)
      // It names a command of before, and has none.
      if (message.kind !== 'skip') return message.firstSequence - 1
    }
    return Number.POSITIVE_INFINITY
  }
}
