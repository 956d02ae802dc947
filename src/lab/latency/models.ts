/**
 * How long something takes: the models of a latency rule.
 *
 *   constant    always the same                       uniform   anything from `min` to `max`, as likely
 *   lognormal   around `median`, with a long tail     file      as it was measured (curve.ts)
 *   load        `base`, and more for each command that is on its way
 *
 * Draws     come from seed, rule and how often the rule was asked before: the same again in a second run
 * Whole     milliseconds, as the venue's time has them
 * Source    lab.md §4.7
 */
import { body, field, optional } from '../../operator/operator.ts'
import { share } from '../faults/when.ts'
import { readDuration } from '../times.ts'
import { type Curve, delayMsMax, heightOf } from './curve.ts'

const milliseconds = field(`a duration such as 20ms, or milliseconds from 0 to ${delayMsMax}`, (value) => {
  const ms = typeof value === 'number' ? value : readDuration(value)
  return ms !== undefined && ms >= 0 && ms <= delayMsMax ? ms : undefined
})
const spread = field('a number above 0 and up to 5', (value) =>
  typeof value === 'number' && value > 0 && value <= 5 ? value : undefined,
)

/** Exactly one of these makes a rule. */
export const modelFields = {
  constant: optional(milliseconds),
  uniform: optional(body({ min: milliseconds, max: milliseconds })),
  lognormal: optional(body({ median: milliseconds, sigma: spread, max: milliseconds })),
  file: optional(
    field('the path of a file (with a slash in it)', (value) =>
      typeof value === 'string' && value.includes('/') && value.length <= 4_096 && !value.includes('\0')
        ? value
        : undefined,
    ),
  ),
  load: optional(body({ base: milliseconds, perPending: milliseconds })),
}

export const modelNames = ['constant', 'uniform', 'lognormal', 'file', 'load'] as const

export interface Model {
  readonly constant?: number | undefined
  readonly uniform?: { readonly min: number; readonly max: number } | undefined
  readonly lognormal?: { readonly median: number; readonly sigma: number; readonly max: number } | undefined
  readonly curve?: Curve | undefined
  readonly load?: { readonly base: number; readonly perPending: number } | undefined
}

/** What a delay depends on. */
export interface Moment {
  /** Text that no other draw has. */
  readonly draw: string
  /** Unix milliseconds. */
  readonly now: number
  /** Commands on their way. */
  readonly pending: number
}

export function delayOf(model: Model, moment: Moment): number {
  return Math.min(delayMsMax, Math.max(0, Math.round(exactDelay(model, moment))))
}

function exactDelay({ constant, uniform, lognormal, curve, load }: Model, { draw, now, pending }: Moment): number {
  if (uniform !== undefined) return uniform.min + share(draw) * (uniform.max - uniform.min)
  if (lognormal !== undefined) {
    return Math.min(lognormal.max, lognormal.median * Math.exp(lognormal.sigma * normal(draw)))
  }
  if (curve !== undefined) return heightOf(curve, now)
  if (load !== undefined) return load.base + load.perPending * pending
  return constant ?? 0
}

/** Standard normal. */
function normal(draw: string): number {
  const radius = Math.sqrt(-2 * Math.log(1 - share(`${draw} radius`)))
  return radius * Math.cos(2 * Math.PI * share(`${draw} angle`))
}
