/**
 * The envelope: every answer of the interface, good or bad, is one. Written here for whoever has to answer: the edge, what
 * never reached an endpoint, and sockets.
 *
 * Source   interface.md "Response envelope"
 */
import type { Duplex } from 'node:stream'
import { type AnswerHeaders, endSocket, type Outgoing } from '../http/http.ts'
import { type ApiError, type Locale, messageOf } from './errors/errors.ts'
import { jsonOf } from './json-text.ts'

export interface Envelope extends Outgoing {
  readonly code: string
}

export function successEnvelope(requestTime: number, data: unknown): string {
  return `{"code":"00000","msg":"success","requestTime":${requestTime},"data":${jsonOf(data)}}`
}

/** The envelope of an error. */
export function failure(
  error: ApiError,
  locale: Locale,
  requestTime: number,
  headers: Readonly<Record<string, string>> = {},
): Envelope {
  const body = JSON.stringify({ code: error.code, msg: messageOf(error, locale), requestTime, data: null })
  return { httpStatus: error.httpStatus, code: error.code, headers, body }
}

/** The envelope where there is only a socket to write it to, and the last on it. */
export function refuseSocket(socket: Duplex, error: ApiError, requestTime: number, headers?: AnswerHeaders): void {
  endSocket(socket, error.httpStatus, failure(error, 'en-US', requestTime).body, headers)
}
