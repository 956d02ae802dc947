/**
 * A rule of latency: which leg of the way, of whom, and how long it takes.
 *
 *   entry     of a command, from its request to when it is sequenced
 *   ack       of the answer to a call that changes something
 *   read      of a call that changes nothing, before it is served
 *   public    of a push of a market channel, from its event to the socket
 *   private   of a push of an account's channel, likewise
 *
 * First     the first rule of a leg that matches counts
 * Source    lab.md §4.7
 */
import Type, { type StaticDecode } from 'typebox'
import { body, optional, wholeNumber, word } from '../../operator/operator.ts'
import type { Call } from '../faults/call.ts'
import { sendsCommands } from '../faults/endpoints.ts'
import type { Message } from '../faults/message.ts'
import { matchesNothing, onBody, Selector } from '../faults/selector.ts'
import { fieldWrong } from '../refusals.ts'
import { bool } from '../values.ts'
import type { LabVenue } from '../venue.ts'
import { type Curve, readCurve } from './curve.ts'
import { delayOf, modelFields, modelNames, type Moment } from './models.ts'

export const legs = ['entry', 'ack', 'read', 'public', 'private'] as const
export type Leg = (typeof legs)[number]

const rulesMax = 100

const ruleBody = body({
  leg: word(legs),
  on: optional(onBody),
  reorder: optional(bool),
  seed: optional(wholeNumber(0, 2 ** 32 - 1)),
  ...modelFields,
})

export const rulesBody = body({
  rules: Type.Array(ruleBody, { maxItems: rulesMax, description: `a list of at most ${rulesMax} rules` }),
})

/** As it was given, with its fields read. */
export type Given = StaticDecode<typeof ruleBody>

/** Plain data. */
export interface SavedRule {
  readonly given: Given
  readonly curve: Curve | undefined
  readonly matched: number
}

/** What a rule is about that names no endpoint. */
const usual: Readonly<Record<Leg, string>> = {
  entry: 'write',
  ack: 'write',
  read: 'read',
  public: 'ws:public',
  private: 'ws:private',
}

export class LatencyRule {
  readonly leg: Leg
  /** What comes later may overtake it. */
  readonly reorder: boolean
  readonly #given: Given
  readonly #curve: Curve | undefined
  readonly #selector: Selector
  readonly #number: number
  #matched: number

  /** The `number`th of its list. Throws LabRefusal. */
  constructor({ given, curve, matched }: SavedRule, venue: LabVenue, number: number) {
    const { leg, on = {}, reorder = false } = given
    const at = `rules.${number}`
    this.leg = leg
    this.reorder = reorder
    this.#given = given
    this.#curve = curve
    this.#matched = matched
    this.#number = number
    this.#selector = new Selector(on, venue, { at: `${at}.on`, usual: usual[leg] })
    const { over } = this.#selector.endpoint
    const isOfMessages = leg === 'public' || leg === 'private'
    if (over.includes('message') !== isOfMessages) {
      throw matchesNothing(
        `${at}.on.endpoint`,
        `the leg ${leg} has none of ${on.endpoint}; the nearest is ${usual[leg]}`,
      )
    }
  }

  matches(call: Call): boolean {
    return sendsCommands(call.endpoint) !== (this.leg === 'read') && this.#selector.matches(call)
  }

  matchesMessage(message: Message): boolean {
    return message.scope === this.leg && this.#selector.matchesMessage(message)
  }

  /** Milliseconds of the next one that matches. */
  delay({ now, pending }: Omit<Moment, 'draw'>): number {
    this.#matched += 1
    const draw = `${this.#given.seed ?? 0} latency ${this.#number} #${this.#matched}`
    return delayOf({ ...this.#given, curve: this.#curve }, { draw, now, pending })
  }

  save(): SavedRule {
    return { given: this.#given, curve: this.#curve, matched: this.#matched }
  }

  get shown() {
    const { on = {}, reorder = false, seed = 0, ...model } = this.#given
    return { ...model, on, reorder, seed, matched: this.#matched }
  }
}

/** Reads what the fields alone do not say. Throws LabRefusal. */
export async function readRules(given: readonly Given[], venue: LabVenue): Promise<readonly LatencyRule[]> {
  return Promise.all(
    given.map(async (rule, number) => {
      const at = `rules.${number}`
      const models = modelNames.filter((name) => rule[name] !== undefined)
      if (models.length !== 1) {
        const what = models.length === 0 ? 'none' : models.join(' and ')
        throw fieldWrong(at, `exactly one of ${modelNames.join(', ')} is wanted, not ${what}`)
      }
      const { uniform, file } = rule
      if (uniform !== undefined && uniform.min > uniform.max) throw fieldWrong(`${at}.uniform.min`, 'is above max')
      const curve = file === undefined ? undefined : await readCurve(file, `${at}.file`)
      return new LatencyRule({ given: rule, curve, matched: 0 }, venue, number)
    }),
  )
}
