/**
 * The rules of a venue, in the order in which they were added: which of them fires, and what goes on.
 *
 * First     that fires at a point wins; all of them count what matches
 * Lasting   what goes on strikes whatever its rule matches. It ends by the venue's time, with its rule, or when the venue goes back
 * Alone     a rule of a fault of the venue that says nothing of calls begins when its gate opens
 * Played    a recording says itself what struck a call (WayLog)
 * Source    lab.md §4.5, §4.8
 */
import type { Event } from '../../engine/protocol/event.ts'
import { LabRefusal, unknownThing } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import type { WayLog, StruckAt } from '../way/way-log.ts'
import { type Firing, Firings } from './firings.ts'
import type { FaultKind, Fired } from './kind.ts'
import { Rule, type SavedRule } from './rule.ts'
import { isOpen, isStruck, spanOf } from './when.ts'

const rulesMax = 1_000
/** Of the patterns of all rules: each order of a batch is matched with all of them. */
const placesMax = 16_384

/** A rule that fires. What goes on has the number with which it began. */
export interface Struck {
  readonly rule: Rule
  readonly firing: number
  readonly isLasting: boolean
  /** What it began with is done. */
  readonly begun: Promise<void> | undefined
}

export interface SavedRules {
  readonly rules: readonly SavedRule[]
  readonly counted: number
  readonly firings: ReturnType<Firings['save']>
}

export class Rules {
  readonly firings = new Firings()
  log: WayLog | undefined
  readonly #venue: LabVenue
  #list: Rule[] = []
  #counted = 0

  constructor(venue: LabVenue) {
    this.#venue = venue
  }

  get size(): number {
    return this.#list.length
  }

  get shown() {
    return this.#list.map(({ shown }) => shown)
  }

  /** Resolves when what begins at once has begun. Throws LabRefusal. */
  async add(given: Readonly<Record<string, unknown>>): Promise<Rule> {
    const [rule] = await this.addAll([given])
    return rule
  }

  /** All of them, or none. Throws LabRefusal. */
  async addAll(given: readonly Readonly<Record<string, unknown>>[]): Promise<readonly Rule[]> {
    if (this.#list.length + given.length > rulesMax) {
      throw new LabRefusal(409, 'rules-max', `there are ${this.#list.length} of ${rulesMax} rules: delete some`)
    }
    const added = given.map((one, place) => new Rule(one, this.#venue, `r${this.#counted + place + 1}`))
    const places = [...this.#list, ...added].reduce((all, { selector }) => all + selector.places, 0)
    if (places > placesMax) {
      const message = `on.clientOid: the patterns of all rules have ${places} places, and ${placesMax} at most`
      throw new LabRefusal(409, 'rules-max', message, { field: 'on.clientOid' })
    }
    const ids = [...this.#list, ...added].map(({ id }) => id)
    const twice = ids.find((id, place) => ids.indexOf(id) !== place)
    if (twice !== undefined) throw new LabRefusal(409, 'name-taken', `id: there is a rule ${twice}`, { field: 'id' })
    this.#counted += added.length
    this.#list.push(...added)
    try {
      for (const rule of added) await this.#await(rule)
    } catch (error) {
      // What cannot begin is not there.
      for (const rule of added) await this.remove(rule.id)
      throw error
    }
    return added
  }

  /** Throws LabRefusal. */
  async remove(id: string): Promise<void> {
    const rule = this.#list.find((known) => known.id === id)
    if (rule === undefined) throw unknownThing('rule', id)
    this.#list = this.#list.filter((known) => known !== rule)
    await this.#leave(rule)
  }

  /** Answers how many there were. */
  async clear(): Promise<number> {
    const rules = this.#list
    this.#list = []
    for (const rule of rules) await this.#leave(rule)
    return rules.length
  }

  /** Counts what matches at a point, and finds the rule that strikes it. */
  strike(
    points: readonly FaultKind['point'][],
    {
      at,
      matches,
      clientOid,
      facts,
    }: {
      /** Undefined: nothing that a log is told of. */
      readonly at: StruckAt | undefined
      readonly matches: (rule: Rule) => boolean
      readonly clientOid?: string | undefined
      readonly facts: () => Partial<Firing>
    },
  ): Struck | undefined {
    const now = this.#venue.parts.runtime.now()
    let found: { readonly rule: Rule; readonly isLasting: boolean } | undefined
    for (const rule of this.#list) {
      if (!points.includes(rule.point)) continue
      const isLasting = goesOn(rule, now)
      const mayStrike = !rule.isSpent && !rule.beginsAlone && this.#isOpen(rule, now)
      if (isLasting ? found !== undefined : !mayStrike) continue
      if (!matches(rule)) continue
      if (isLasting) found = { rule, isLasting }
      else {
        rule.matched += 1
        const drawn = { seed: rule.seed, rule: rule.id, clientOid }
        if (found === undefined && isStruck(rule.when, rule.matched, drawn)) found = { rule, isLasting }
      }
    }
    const [point] = points
    const recorded = at && this.log?.recorded?.(point, at)
    if (recorded !== undefined) {
      const rule = this.#list.find(({ id }) => id === recorded.rule)
      found = rule && { rule, isLasting: goesOn(rule, now) }
    }
    if (found === undefined) return undefined
    const { rule, isLasting } = found
    if (at !== undefined && !(at === 'push' && isLasting)) this.log?.struck?.(rule.id, point, at)
    if (!isLasting) return this.#told(this.#fire(rule, facts()))
    const { firing } = rule.lasting!
    this.firings.struck(firing)
    return { rule, firing, isLasting, begun: undefined }
  }

  /** What a push made fire once, without the push. */
  fireAgain(id: string): void {
    const rule = this.#list.find((known) => known.id === id)
    if (rule !== undefined) this.#told(this.#fire(rule, {}))
  }

  /** A rule that is in no list: one call asked for it. */
  strikeOnce(rule: Rule, facts: Partial<Firing>): Struck {
    return this.#told(this.#fire(rule, facts))
  }

  /** Those that go on now. */
  lasting(): readonly Rule[] {
    const now = this.#venue.parts.runtime.now()
    return this.#list.filter((rule) => goesOn(rule, now))
  }

  /** What a kind is told of a firing. */
  fired({ rule, firing }: Pick<Struck, 'rule' | 'firing'>): Fired<never> {
    const note = (facts: { readonly note?: string; readonly sequence?: number }) => this.firings.note(firing, facts)
    return { given: rule.with, rule: rule.id, firing, venue: this.#venue, selector: rule.selector, note }
  }

  record(events: readonly Event[]): void {
    if (this.#list.length === 0 || !events.some(({ kind }) => kind === 'funding-settled')) return
    for (const rule of this.#list) {
      if (rule.when.after !== 'funding' || rule.isFunded) continue
      rule.isFunded = true
      if (rule.beginsAlone) void this.#begin(rule)
    }
  }

  save(): SavedRules {
    return { rules: this.#list.map((rule) => rule.save()), counted: this.#counted, firings: this.firings.save() }
  }

  /** `saved` undefined: as at the beginning. `keepRules`: rules and firings stay as they are. */
  restore(saved: SavedRules | undefined, keepRules: boolean): void {
    for (const rule of this.#list) void this.#end(rule, true)
    if (!keepRules) {
      const { rules = [], counted = 0, firings = { list: [], counted: 0 } } = saved ?? {}
      this.#counted = counted
      this.firings.restore(firings)
      this.#list = rules.map((one) => {
        const rule = new Rule(one.given, this.#venue, one.id)
        rule.restore(one)
        return rule
      })
    }
    for (const rule of this.#list) {
      // The venue's time may be an earlier one now.
      if (keepRules && rule.dueAt !== undefined) rule.dueAt = Math.min(rule.dueAt, this.#soonest(rule))
      if (rule.lasting === undefined) void this.#await(rule)
      else void this.#start(rule, rule.lasting.firing)
    }
  }

  #soonest(rule: Rule): number {
    return this.#venue.parts.runtime.now() + (spanOf(rule.when) ?? 0)
  }

  #isOpen({ when, isFunded, dueAt }: Rule, now: number): boolean {
    if (dueAt !== undefined && now < dueAt) return false
    return isOpen(when, now, { funding: isFunded, firing: this.firings.counted })
  }

  /** Of a rule that begins by itself: now, or when its gate opens. */
  async #await(rule: Rule): Promise<void> {
    if (!rule.beginsAlone || rule.isSpent) return
    if (rule.dueAt !== undefined) return this.#comeBack(rule)
    const { between } = rule.when
    const now = this.#venue.parts.runtime.now()
    if (this.#isOpen(rule, now)) return this.#fire(rule, {}).begun
    if (between === undefined || between[0] <= now) return
    this.#venue.agenda.put(between[0], () => this.#begin(rule))
  }

  /** Of a rule that begins by itself, and again and again: when it is due, if its gate is open then. */
  #comeBack(rule: Rule): void {
    if (rule.dueAt === undefined) return
    this.#venue.agenda.put(rule.dueAt, async () => {
      if (!this.#list.includes(rule) || rule.isSpent) return
      await this.#begin(rule)
      this.#postpone(rule)
      this.#comeBack(rule)
    })
  }

  #postpone(rule: Rule): void {
    const ms = spanOf(rule.when)
    if (ms === undefined || rule.dueAt === undefined) return
    const now = this.#venue.parts.runtime.now()
    if (now >= rule.dueAt) rule.dueAt += ms * (Math.floor((now - rule.dueAt) / ms) + 1)
  }

  #begin(rule: Rule): Promise<void> | undefined {
    const isThere = this.#list.includes(rule) && rule.lasting === undefined && !rule.isSpent
    if (!isThere || !this.#isOpen(rule, this.#venue.parts.runtime.now())) return undefined
    return this.#told(this.#fire(rule, {})).begun
  }

  /** A fault that cannot begin is told in its firing: nobody is there to be refused. */
  #told(struck: Struck): Struck {
    const begun = struck.begun?.catch((error: unknown) => {
      if (!(error instanceof LabRefusal)) throw error
      this.firings.note(struck.firing, { note: `it could not begin: ${error.message}` })
    })
    return { ...struck, begun }
  }

  async #leave(rule: Rule): Promise<void> {
    await this.#end(rule, false)
    await rule.kind.removed?.(this.fired({ rule, firing: 0 }))
  }

  #fire(rule: Rule, facts: Partial<Firing>): Struck {
    const now = this.#venue.parts.runtime.now()
    rule.fired += 1
    if (!rule.beginsAlone) this.#postpone(rule)
    const firing = this.firings.add({ rule: rule.id, fault: rule.kind.name, at: now, ...facts })
    const lastsMs = rule.kind.lasts?.(rule.with)
    if (lastsMs !== undefined) {
      const until = Math.min(now + lastsMs, rule.beginsAlone ? (rule.when.between?.[1] ?? Infinity) : Infinity)
      rule.lasting = { firing, from: now, until }
    }
    const begun = this.#start(rule, firing)
    for (const other of this.#list) {
      if (other !== rule && other.beginsAlone && typeof other.when.after === 'number') void this.#begin(other)
    }
    return { rule, firing, isLasting: false, begun }
  }

  /** What it begins with, and its end on the agenda. */
  #start(rule: Rule, firing: number): Promise<void> | undefined {
    const begun = rule.kind.begin?.(this.fired({ rule, firing }))
    const { lasting } = rule
    if (lasting !== undefined && Number.isFinite(lasting.until)) {
      this.#venue.agenda.put(lasting.until, () => (rule.lasting === lasting ? this.#end(rule, false) : undefined))
    }
    return begun === undefined ? undefined : begun
  }

  async #end(rule: Rule, isBack: boolean): Promise<void> {
    const { lasting } = rule
    if (lasting === undefined) return
    rule.lasting = undefined
    await rule.kind.end?.(this.fired({ rule, firing: lasting.firing }), isBack)
  }
}

function goesOn({ lasting }: Rule, now: number): boolean {
  return lasting !== undefined && now >= lasting.from && now < lasting.until
}
