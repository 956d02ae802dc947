/**
 * What a gateway's sockets are told when nothing new comes: an error when what is public is too old, and the end later.
 *
 * Once    each time that it stands still. A socket that was told stays, and goes on when the log does
 */
import type { RuntimeLog } from '../runtime/runtime.ts'
import type { Staleness } from './gateway-runtime.ts'

interface StandstillPorts {
  readonly staleness: () => Staleness
  /** Tells all sockets that what they have is too old. */
  readonly warn: () => void
  /** Ends all sockets. */
  readonly end: () => void
  readonly log: Pick<RuntimeLog, 'warn'>
}

const order: readonly Staleness[] = ['none', 'private', 'public', 'sockets']

export class Standstill {
  readonly #ports: StandstillPorts
  readonly #looks: NodeJS.Timeout | undefined
  #was: Staleness = 'none'

  /** `everyMs`: how often it is looked at; zero: whenever `look` is called. */
  constructor(ports: StandstillPorts, everyMs: number) {
    this.#ports = ports
    if (everyMs > 0) this.#looks = setInterval(() => this.look(), everyMs).unref()
  }

  look(): void {
    const { staleness, warn, end, log } = this.#ports
    const is = staleness()
    const was = this.#was
    if (is === was) return
    this.#was = is
    log.warn({ stale: is }, is === 'none' ? 'the log goes on' : 'nothing new comes: what is here gets old')
    const passes = (stage: Staleness) =>
      order.indexOf(was) < order.indexOf(stage) && order.indexOf(stage) <= order.indexOf(is)
    if (passes('public')) warn()
    if (passes('sockets')) end()
  }

  stop(): void {
    clearInterval(this.#looks)
  }
}
