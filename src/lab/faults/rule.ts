/**
 * A rule: which fault, at what, when. Read and checked whole.
 *
 * Wrong     each wrong field is named with its rule; a rule that can match nothing is refused with the nearest that there is
 * Source    lab.md §4.5
 */
import type { StaticDecode, TObject } from 'typebox'
import { type Endpoint, endpoints } from '../../api/api.ts'
import { body, Checker, field, optional, text, wholeNumber } from '../../operator/operator.ts'
import { LabRefusal } from '../refusals.ts'
import { name } from '../values.ts'
import type { LabVenue } from '../venue.ts'
import type { Call } from './call.ts'
import { sendsCommands, takesBatch } from './endpoints.ts'
import type { FaultKind } from './kind.ts'
import { faultKinds } from './kinds.ts'
import { nearestText } from './nearest.ts'
import { matchesNothing, onBody, Selector } from './selector.ts'
import { checkWhen, isCounted, spanOf, timesUsual, type When, whenBody } from './when.ts'

const timesMax = 1_000_000_000

const ruleBody = body({
  fault: text(64),
  id: optional(name),
  on: optional(onBody),
  when: optional(whenBody),
  with: optional(
    field<Readonly<Record<string, unknown>>>('a JSON object', (value) => (isFields(value) ? value : undefined)),
  ),
  seed: optional(wholeNumber(0, 2 ** 32 - 1)),
  times: optional(wholeNumber(1, timesMax)),
})

type Sent = StaticDecode<typeof ruleBody>

/** A fault that goes on: from one time of the venue until another one. */
export interface Lasting {
  readonly firing: number
  readonly from: number
  readonly until: number
}

/** A rule as it was given, and how far it has come: plain data. */
export interface SavedRule {
  readonly id: string
  /** The body that it was read from. */
  readonly given: Readonly<Record<string, unknown>>
  readonly matched: number
  readonly fired: number
  readonly isFunded: boolean
  readonly lasting: Lasting | undefined
  /** When it may strike again, where that goes by time. */
  readonly dueAt: number | undefined
}

export class Rule {
  readonly id: string
  readonly kind: FaultKind
  readonly with: never
  readonly when: When
  readonly selector: Selector
  readonly seed: number
  readonly times: number
  readonly given: Readonly<Record<string, unknown>>
  /** Calls or messages that were counted. */
  matched = 0
  fired = 0
  /** A funding was settled since it was added. */
  isFunded = false
  lasting: Lasting | undefined
  dueAt: number | undefined

  /** `id` where the rule says none. Throws LabRefusal. */
  constructor(given: Readonly<Record<string, unknown>>, venue: LabVenue, id: string) {
    const sent = read(ruleBody, withoutNulls(given), '')
    this.given = given
    this.id = sent.id ?? id
    this.kind = kindOf(sent.fault)
    this.with = read(this.kind.with, withoutNulls(sent.with ?? {}), 'with') as never
    this.when = sent.when ?? {}
    checkWhen(this.when)
    this.kind.check?.(this.with, venue)
    this.selector = new Selector(sent.on ?? {}, venue, { at: 'on', usual: this.kind.usual })
    checkReach(this.kind, this.selector, sent)
    checkCounted(this.kind, this.when)
    this.seed = sent.seed ?? 0
    this.times = sent.times ?? timesUsual(this.when)
    const ms = spanOf(this.when)
    if (ms !== undefined) this.dueAt = venue.parts.runtime.now() + ms
  }

  get point(): FaultKind['point'] {
    return this.kind.pointOf?.(this.with) ?? this.kind.point
  }

  get isSpent(): boolean {
    return this.fired >= this.times
  }

  /** It begins by itself, and not at a call: nothing is said of calls. */
  get beginsAlone(): boolean {
    if (isCounted(this.when)) return false
    return this.kind.beginsAtOnce === true || (this.kind.point === 'venue' && this.given['on'] === undefined)
  }

  /** Whether a call is one that it is about. */
  matches(call: Call): boolean {
    const { kind, selector } = this
    return selector.matches(call) && canStrike(kind, call.over, call.endpoint) && kind.isFit?.(call) !== false
  }

  save(): SavedRule {
    const { id, given, matched, fired, isFunded, lasting, dueAt } = this
    return { id, given, matched, fired, isFunded, lasting, dueAt }
  }

  restore({ matched, fired, isFunded, lasting, dueAt }: SavedRule): void {
    Object.assign(this, { matched, fired, isFunded, lasting, dueAt })
  }

  /** For `GET /_lab/faults`. */
  get shown() {
    const { id: rule, kind, given, matched, fired, times, isSpent, lasting } = this
    const { on = {}, when = {}, with: having = {}, seed = 0 } = given
    return {
      rule,
      fault: kind.name,
      on,
      when,
      with: having,
      seed,
      times: times === Number.POSITIVE_INFINITY ? null : times,
      matched,
      fired,
      isSpent,
      /** When what goes on is over, in Unix milliseconds; null: nothing goes on, or until the rule goes. */
      until: lasting === undefined || lasting.until === Number.POSITIVE_INFINITY ? null : lasting.until,
      lasts: lasting !== undefined,
    }
  }
}

const checkers = new WeakMap<TObject, Checker<TObject>>()

function read<Schema extends TObject>(schema: Schema, value: unknown, at: string): StaticDecode<Schema> {
  let checker = checkers.get(schema)
  if (checker === undefined) checkers.set(schema, (checker = new Checker<TObject>(schema)))
  const faults = checker.faults(value)
  if (faults.length === 0) return checker.read(value) as StaticDecode<Schema>
  const placed = faults.map((fault) => ({ ...fault, field: [at, fault.field].filter((part) => part !== '').join('.') }))
  const sentences = placed.map((fault) => `${fault.field === '' ? 'the rule' : fault.field} ${fault.rule}`)
  throw new LabRefusal(400, 'body-wrong', sentences.join('; '), { field: placed[0].field })
}

/** Throws LabRefusal. */
function kindOf(fault: string): FaultKind {
  const kind = faultKinds.get(fault)
  if (kind !== undefined) return kind
  throw matchesNothing('fault', `there is no fault ${fault}${nearestText(fault, [...faultKinds.keys()])}`)
}

function canStrike(kind: FaultKind, over: Call['over'], endpoint: Endpoint): boolean {
  if (!kind.over.includes(over)) return false
  if (kind.commandsOnly && !sendsCommands(endpoint)) return false
  if (kind.keyedOnly && endpoint.access === 'public') return false
  return !kind.batchesOnly || takesBatch(endpoint)
}

/** Throws LabRefusal for a fault that never comes where the rule waits for it. */
function checkReach(kind: FaultKind, { endpoint }: Selector, { on }: Sent): void {
  const isReached = endpoint.over.some((over) =>
    over === 'message'
      ? kind.over.includes('message')
      : endpoints.some((one) => endpoint.has(one) && canStrike(kind, over, one)),
  )
  if (isReached) return
  const what = kind.batchesOnly ? 'batches' : kind.commandsOnly ? 'calls that change something' : kind.over.join(', ')
  throw matchesNothing(
    on?.endpoint === undefined ? 'on' : 'on.endpoint',
    `${kind.name} is a fault of ${what}, and ${endpoint.name} is none; the nearest is ${kind.usual}`,
  )
}

/** Throws LabRefusal for messages that are counted by nobody. */
function checkCounted(kind: FaultKind, when: When): void {
  if (kind.point !== 'pushed' || 'out' in kind || 'in' in kind || !isCounted(when)) return
  throw matchesNothing('when', `${kind.name} begins at once and strikes no message that could be counted`)
}

/** A field that is null is a field that is absent. */
function withoutNulls(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      isFields(value) && (key === 'on' || key === 'when') ? withoutNulls(value) : value,
    ]),
  )
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
