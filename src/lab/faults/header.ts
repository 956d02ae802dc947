/**
 * A fault for one request, without a rule: the header `x-tidemark-fault`.
 *
 * Form      the name of the fault and what it is told: `lost-ack`, `unknown code=40725 order=filled`
 * Signed    it is no part of what is signed: whoever stands between may add it
 * Source    lab.md §4.5
 */
import type { AskedByRequest } from '../../api/api.ts'
import { LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import { Rule } from './rule.ts'

export const headerName = 'x-tidemark-fault'
const valueLengthMax = 200

/** Throws LabRefusal for a header that is wrong, or a fault that is none of this request. */
export function headerRule({ request, endpoint }: AskedByRequest, venue: LabVenue): Rule | undefined {
  const value = request.headers[headerName]
  if (value === undefined) return undefined
  const [fault = '', ...words] = String(value)
    .trim()
    .split(/[\s;]+/)
  if (typeof value !== 'string' || value.length > valueLengthMax || !words.every((word) => /^\w+=.+$/.test(word))) {
    const rule = `is a fault and what it is told, such as "lost-ack how=rst", up to ${valueLengthMax} characters`
    throw new LabRefusal(400, 'body-wrong', `${headerName} ${rule}`, { field: headerName })
  }
  const given = words.map((word) => {
    const equals = word.indexOf('=')
    return [word.slice(0, equals), valueOf(word.slice(equals + 1))]
  })
  try {
    const on = { endpoint: `${endpoint.method} ${endpoint.path}` }
    const rule = new Rule({ fault, on, with: Object.fromEntries(given) }, venue, 'header')
    if (rule.point === 'venue' || rule.point === 'pushed') throw notOfRequests(fault)
    if (rule.kind.lasts?.(rule.with) !== undefined) throw notOfRequests(fault)
    return rule
  } catch (error) {
    if (!(error instanceof LabRefusal)) throw error
    throw new LabRefusal(error.status, error.code, `${headerName}: ${error.message}`, { field: headerName })
  }
}

function notOfRequests(fault: string): LabRefusal {
  return new LabRefusal(400, 'rule-matches-nothing', `${fault} is no fault of one request: add a rule`)
}

function valueOf(text: string): unknown {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  return text.includes(',') ? text.split(',').map(valueOf) : text
}
