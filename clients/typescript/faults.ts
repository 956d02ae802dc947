/**
 * Faults of a venue: rules that say what goes wrong, and firings that tell the truth of it.
 *
 * Short    what says when may stand beside the rest: `add('lost-ack', { nth: 1 })` is `add('lost-ack', { when: { nth: 1 } })`
 * Source   docs/lab.md, faults
 */
import type { Calls } from './calls.ts'
import type { Duration } from './clock.ts'

/** Which of the calls that match are struck. */
export interface FaultWhen {
  readonly nth?: number | readonly number[]
  readonly every?: number
  readonly first?: number
  readonly between?: readonly [string | number, string | number]
  readonly after?: 'funding' | number
  readonly chance?: number
}

/** Which calls match; `endpoint` is one of `GET /_lab/faults/endpoints`. */
export interface FaultOn {
  readonly endpoint?: string
  readonly key?: string
  readonly role?: string
  readonly uid?: string | number
  readonly symbol?: string
  readonly side?: 'buy' | 'sell'
  /** A regular expression. */
  readonly clientOid?: string
  readonly connection?: number
  /** Of a push, such as books or orders. */
  readonly channel?: string
}

export interface FaultRule extends FaultWhen {
  readonly id?: string
  readonly on?: FaultOn
  readonly when?: FaultWhen
  /** What the fault is told, such as `ms`, `code`, `how`. */
  readonly with?: Readonly<Record<string, string | number | boolean | Duration | readonly number[]>>
  readonly seed?: number
  readonly times?: number
}

/** A rule, and how far it has come. */
export interface Rule {
  readonly rule: string
  readonly fault: string
  readonly matched: number
  readonly fired: number
  readonly isSpent: boolean
}

export interface Firing {
  readonly firing: number
  readonly rule: string
  readonly fault: string
  readonly at: number
  readonly endpoint?: string
  readonly uid?: string
  readonly requestId?: string
  readonly sequence?: number
  /** What became of the order in truth. */
  readonly outcome?: 'placed' | 'filled' | 'done' | 'refused' | 'not-sequenced'
}

const whenNames = ['nth', 'every', 'first', 'between', 'after', 'chance'] as const

export class Faults {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  add(fault: string, rule: FaultRule = {}): Promise<Rule> {
    const { when = {}, ...others } = rule
    const beside = whenNames.filter((name) => rule[name] !== undefined).map((name) => [name, rule[name]] as const)
    const rest = Object.entries(others).filter(([name]) => !(whenNames as readonly string[]).includes(name))
    const whole = { ...Object.fromEntries(rest), fault, when: { ...when, ...Object.fromEntries(beside) } }
    return this.#calls.lab('POST', '/faults', whole)
  }

  /** The rules of `flaky`, `hell` or `bitget-bad-day`. */
  async preset(preset: string): Promise<Rule[]> {
    const { rules } = await this.#calls.lab<{ readonly rules: Rule[] }>('POST', '/faults', { preset })
    return rules
  }

  list(): Promise<Rule[]> {
    return this.#calls.lab('GET', '/faults')
  }

  remove(rule: string): Promise<unknown> {
    return this.#calls.lab('DELETE', `/faults/${encodeURIComponent(rule)}`)
  }

  clear(): Promise<unknown> {
    return this.#calls.lab('DELETE', '/faults')
  }

  /** Oldest first; behind the one with this number. */
  firings(after = 0): Promise<Firing[]> {
    return this.#calls.lab('GET', `/firings?after=${after}`)
  }
}
