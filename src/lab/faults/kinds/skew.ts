/**
 * A venue whose clock is wrong: the times that it tells, and the window in which it takes a signature.
 *
 * Engine   keeps its time: orders have the right one
 * Not here the Date of an answer, and logins of sockets
 * Source   lab.md §4.5
 */
import { body, field, optional } from '../../../operator/operator.ts'
import type { Command } from '../../../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../../../engine/protocol/query.ts'
import type { Core, Trace } from '../../../runtime/core.ts'
import { atRead } from '../kind.ts'
import { calls, span } from './fields.ts'

const aheadMax = 86_400_000
const ahead = field(`milliseconds from -${aheadMax} to ${aheadMax}, ahead if above 0`, (value) =>
  Number.isSafeInteger(value) && Math.abs(value as number) <= aheadMax ? (value as number) : undefined,
)

export const skew = [
  atRead({
    name: 'clock-skew',
    meaning: 'times of the server are shifted, and signatures judged by them ¦ right',
    point: 'venue',
    with: body({ ms: ahead, for: optional(span) }),
    over: calls,
    usual: 'any',
    lasts: (given) => given.for ?? Number.POSITIVE_INFINITY,
    strike: ({ given, inside, next }) =>
      next({ ...inside, core: new SkewedCore(inside.core, given.ms), clockAhead: given.ms }),
  }),
]

class SkewedCore implements Core {
  readonly #core: Core
  readonly #ahead: number

  constructor(core: Core, aheadMs: number) {
    this.#core = core
    this.#ahead = aheadMs
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#core.rebuilt
  }

  submit(command: Command, trace?: Trace) {
    return this.#core.submit(command, trace)
  }

  submitAll(commands: readonly Command[], trace?: Trace) {
    return this.#core.submitAll(commands, trace)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#core.query(query)
  }

  now(): number {
    return this.#core.now() + this.#ahead
  }
}
