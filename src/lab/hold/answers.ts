/**
 * What a client is answered whose command was dropped.
 *
 * Code      of the interface, with its sentence and the status that goes with it, or another one
 * Status    alone: a page of a proxy, over HTTP only
 * None      the connection ends without a byte; a socket stays open and silent
 * Source    lab.md §4.6
 */
import { STATUS_CODES } from 'node:http'
import { type Code, isCode } from '../../api/api.ts'
import { field } from '../../operator/operator.ts'
import { type Answer, type Call, errorIn } from '../faults/call.ts'

/** Neither: no answer. */
export interface Dropped {
  readonly code: Code | undefined
  readonly status: number | undefined
}

/** Those that the venue gives with another status than 400. */
const usualStatus: Partial<Record<Code, number>> = {
  '429': 429,
  '40010': 500,
  '40015': 503,
  '40725': 500,
  '45001': 500,
}

const rule = '"none", a code of the interface such as "40010", or {"code", "status"} with at least one of them'

export const droppedAnswer = field<Dropped>(rule, (value) => {
  if (value === 'none') return { code: undefined, status: undefined }
  if (typeof value !== 'object') return readAnswer({ code: value })
  if (value === null || Array.isArray(value)) return undefined
  return readAnswer(value as Readonly<Record<string, unknown>>)
})

function readAnswer({ code, status, ...others }: Readonly<Record<string, unknown>>): Dropped | undefined {
  const text = typeof code === 'number' ? String(code) : code
  if (Object.keys(others).length > 0 || (text === undefined && status === undefined)) return undefined
  if (text !== undefined && !(typeof text === 'string' && isCode(text))) return undefined
  const isStatus = typeof status === 'number' && status >= 200 && STATUS_CODES[status] !== undefined
  if (status !== undefined && !isStatus) return undefined
  return { code: text, status }
}

/** In place of the answer that the request came to. */
export function answerTo(call: Call, { code, status }: Dropped, { headers }: Answer): Answer {
  if (code !== undefined) return call.refusal(code, { httpStatus: status ?? usualStatus[code] ?? 400, headers })
  if (status === undefined) return call.lost('fin')
  const title = `${status} ${STATUS_CODES[status]}`
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  return { httpStatus: status, headers: { ...headers, 'content-type': 'text/html' }, body }
}

/** The same for an order over a socket. */
export async function answerOverSocket(call: Call, { code }: Dropped): Promise<never> {
  if (code === undefined) return new Promise(() => {})
  throw errorIn(call.refusal(code))
}
