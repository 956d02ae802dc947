/**
 * One call of the laboratory, as data: where it is, what it takes, what it does with the venue that it came to.
 *
 * Fields    are checked whole, and every wrong one is named
 * Source    lab.md §4.2
 */
import type { StaticDecode, TObject } from 'typebox'
import { Checker } from '../operator/operator.ts'
import { LabRefusal } from './refusals.ts'
import type { LabShelves } from './venues.ts'

export interface LabCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Checks what was sent and does it; throws LabRefusal. */
  readonly run: (sent: unknown, asked: LabShelves, id: string, gone: AbortSignal) => Promise<unknown>
}

/** What is answered as it is, without an envelope. */
export class LabFile {
  readonly contentType: string
  readonly content: string | Buffer

  constructor(contentType: string, content: string | Buffer) {
    this.contentType = contentType
    this.content = content
  }
}

export function call<Schema extends TObject>(
  place: string,
  schema: Schema,
  act: (sent: StaticDecode<Schema>, asked: LabShelves, id: string, gone: AbortSignal) => unknown,
): LabCall {
  const [method, path] = place.split(' ') as [LabCall['method'], string]
  const checker = new Checker(schema)
  return {
    method,
    path,
    async run(sent, asked, id, gone) {
      const given = withoutNulls(sent ?? {})
      const faults = checker.faults(given)
      if (faults.length > 0) {
        const sentences = faults.map(({ field: at, rule }) => (at === '' ? `the body ${rule}` : `${at} ${rule}`))
        throw new LabRefusal(400, 'body-wrong', sentences.join('; '), { field: faults[0].field })
      }
      return act(checker.read(given), asked, id, gone)
    },
  }
}

/** A field that is null is a field that is absent. */
function withoutNulls(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
}
