/**
 * What a call of the laboratory is refused with: `{ok: false, error: {code, message, field?}}` and a status.
 *
 * Source  lab.md §4.2
 */
export class LabRefusal extends Error {
  override name = 'LabRefusal'
  readonly status: number
  readonly code: string
  /** What else the error says: the field that is wrong, the time that was reached. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.facts = facts
  }
}

export function unknownThing(what: 'snapshot' | 'venue' | 'rule' | 'preset', id: string): LabRefusal {
  return new LabRefusal(404, `unknown-${what}`, `there is no ${what} ${id}`, { field: what })
}

/** A field that is wrong for a reason of its own. */
export function fieldWrong(field: string, rule: string): LabRefusal {
  return new LabRefusal(400, 'body-wrong', `${field}: ${rule}`, { field })
}
