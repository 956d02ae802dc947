/**
 * One call past the points of its way: read, admitted, answered. At each of them one rule may strike it.
 *
 * Cut       a fault may answer a call whose commands never come to an end: whoever served it waits for ever, and nobody for them
 * Source    lab.md §4.5
 */
import type { Inside } from '../../api/api.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../../runtime/core.ts'
import type { LabVenue } from '../venue.ts'
import type { Answer, Call } from './call.ts'
import { sendsCommands } from './endpoints.ts'
import { factsOf, truthOf } from './firings.ts'
import type { AtAnswer, AtCommands, AtRead, FaultKind, FiredAtCall } from './kind.ts'
import { GatedCore, type Submit } from './passing.ts'
import type { Rule } from './rule.ts'
import type { Rules, Struck } from './rules.ts'
import type { LateCommands } from './waiting.ts'

export interface JourneyParts {
  readonly venue: LabVenue
  readonly rules: Rules
  readonly late: LateCommands
}

type Serve = (inside: Inside) => Promise<Answer>

export class Journey {
  readonly #call: Call
  readonly #parts: JourneyParts
  readonly #serve: Serve
  /** What the request itself asks for; undefined: nothing, or it was struck. */
  #own: Rule | undefined
  readonly #cut = Promise.withResolvers<Answer>()
  #retouch: ((answer: Answer) => Answer) | undefined
  /** Commands are struck once in a call. */
  #isAdmitted = false

  constructor(call: Call, parts: JourneyParts, serve: Serve, own: Rule | undefined) {
    this.#call = call
    this.#parts = parts
    this.#serve = serve
    this.#own = own
  }

  /** Never rejects but for a defect. */
  async go(inside: Inside): Promise<Answer> {
    try {
      const struck = this.#strike(['read', 'venue'])
      if (struck === undefined) return await this.#pass(inside)
      await struck.begun
      const kind = struck.rule.kind as AtRead
      if (struck.rule.kind.point === 'answered') return await this.#replaced(struck)
      if (kind.strike === undefined) return await this.#pass(inside)
      const next = async (within = inside) => {
        const answer = await this.#pass(within)
        if (!struck.isLasting) this.#note(struck, answer)
        return answer
      }
      return await kind.strike({ ...this.#fired(struck), inside, next })
    } catch (error) {
      if (error instanceof OutcomeUnknown) return this.#call.refusal('45001', { httpStatus: 500 })
      if (error instanceof CommandNotSequenced) return this.#call.refusal('40015', { httpStatus: 503 })
      throw error
    }
  }

  /** A fault of answers that came before there was one: the call is not served. */
  #replaced(struck: Struck): Promise<Answer> {
    const answer = { httpStatus: 200, headers: {}, body: '' }
    return (struck.rule.kind as AtAnswer).strike({ ...this.#fired(struck), answer })
  }

  async #pass(inside: Inside): Promise<Answer> {
    const answer = await Promise.race([this.#admit(inside), this.#cut.promise])
    if (answer.settled !== undefined && 'lost' in answer.settled) return answer
    if (sendsCommands(this.#call.endpoint) && this.#call.sent.length === 0) return answer
    const struck = this.#strike(['answered'], (kind) => (kind as AtAnswer).fits?.(answer) !== false)
    if (struck === undefined) return answer
    this.#note(struck, answer)
    return (struck.rule.kind as AtAnswer).strike({ ...this.#fired(struck), answer })
  }

  async #admit(inside: Inside): Promise<Answer> {
    if (!sendsCommands(this.#call.endpoint)) {
      const struck = this.#strike(['admitted'])
      if (struck !== undefined) await this.#strikeCommands(struck, [], async () => [])
      return this.#serve(inside)
    }
    const gate = async (commands: readonly Command[], submit: Submit) => {
      const struck = this.#isAdmitted ? undefined : this.#strike(['admitted'])
      this.#isAdmitted = true
      return struck === undefined ? submit(commands) : this.#strikeCommands(struck, commands, submit)
    }
    const answer = await this.#serve({ ...inside, core: new GatedCore(inside.core, this.#call, gate) })
    return this.#retouch?.(answer) ?? answer
  }

  #strikeCommands(struck: Struck, commands: readonly Command[], submit: Submit): Promise<readonly Reply[]> {
    const { venue, late } = this.#parts
    const kind = struck.rule.kind as AtCommands
    const { firing } = struck
    const submitted = async (chosen: readonly Command[]) => {
      try {
        return await submit(chosen)
      } finally {
        this.#note(struck)
      }
    }
    if (kind.retouch !== undefined) this.#retouch = (answer) => kind.retouch!(answer, struck.rule.with, this.#call)
    return kind.strike({
      ...this.#fired(struck),
      commands,
      submit: (chosen = commands) => submitted(chosen),
      retell: () => this.#note(struck),
      submitLater: (ms) => late.submit({ at: venue.parts.runtime.now() + ms, commands, firing }, submitted),
      answer: (answer) => {
        this.#cut.resolve(answer)
        return new Promise<never>(() => {})
      },
    })
  }

  #strike(points: readonly FaultKind['point'][], fits: (kind: FaultKind) => boolean = () => true): Struck | undefined {
    const call = this.#call
    const facts = () => factsOf(call)
    if (this.#own !== undefined && points.includes(this.#own.point) && fits(this.#own.kind)) {
      const rule = this.#own
      this.#own = undefined
      return this.#parts.rules.strikeOnce(rule, facts())
    }
    const { rules } = this.#parts
    if (rules.size === 0) return undefined
    return rules.strike(points, {
      at: call.asked,
      matches: (rule) => rule.matches(call) && fits(rule.kind),
      get clientOid() {
        return call.orders[0]?.clientOid
      },
      facts,
    })
  }

  #fired(struck: Struck): FiredAtCall<never> {
    const { rules, venue } = this.#parts
    const wait = (ms: number) =>
      new Promise<void>((resolve, reject) => {
        const wentBack = () => reject(new OutcomeUnknown('unexpected'))
        venue.agenda.put(venue.parts.runtime.now() + ms, () => resolve(), wentBack)
      })
    return { ...rules.fired(struck), call: this.#call, wait }
  }

  /** The truth, as far as it is known. */
  #note({ firing }: Struck, answer?: Answer): void {
    const { rules, venue } = this.#parts
    const { endpoint, sent } = this.#call
    if (sendsCommands(endpoint)) return rules.firings.note(firing, truthOf(sent, venue))
    if (answer !== undefined) rules.firings.note(firing, { outcome: answer.httpStatus < 400 ? 'done' : 'refused' })
  }
}
