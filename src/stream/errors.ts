/**
 * What a socket says when something is wrong, and the codes it says it with.
 *
 * Codes    30xxx of the socket protocol are JSON numbers; what an endpoint refuses (permissions, orders) keeps the code
 *          that HTTP answers it with
 * Login    a refused login names its cause, then the socket closes
 * Source   wire/websocket.md §6; wire/auth.md §6
 */
import { ApiError, type V3Dialect, inDialect, messageOf } from '../api/api.ts'

const sentences = {
  30001: "{0} doesn't exist",
  30002: 'Illegal request',
  30003: 'Invalid op',
  30004: 'User needs to log in',
  30005: 'Login failed{0}',
  30006: 'Too many requests',
  30007: 'Request over limit, the connection closes',
  30011: 'Invalid ACCESS_KEY',
  30012: 'Invalid ACCESS_PASSPHRASE',
  30013: 'Invalid ACCESS_TIMESTAMP',
  30014: 'Request timestamp expired',
  30015: 'Invalid sign',
  30016: 'Parameter error: {0}',
} as const

type StreamCode = keyof typeof sentences

export class StreamError extends Error {
  override name = 'StreamError'
  /** As the socket writes it. */
  readonly code: number
  /** Nothing more is to be said on this socket. */
  readonly closes: boolean

  constructor(code: StreamCode, fact = '') {
    super(sentences[code].replace('{0}', fact))
    this.code = code
    this.closes = code === 30007
  }
}

const loginCodes: Readonly<Record<string, StreamCode>> = {
  '40005': 30013,
  '40006': 30011,
  '40008': 30014,
  '40009': 30015,
  '40012': 30012,
}

/** What a refused login says. */
export function loginError(error: unknown): { readonly code: number; readonly text: string } {
  if (!(error instanceof ApiError)) throw error
  const { code, message } = new StreamError(loginCodes[error.code] ?? 30005, `: ${messageOf(error, 'en-US')}`)
  return { code, text: message }
}

/** Code and sentence of whatever refused a message; throws what is no refusal. Endpoints have chosen their dialect themselves. */
export function errorFacts(
  error: unknown,
  dialect: V3Dialect = 'interface',
): { readonly code: string; readonly text: string } {
  if (error instanceof StreamError) return { code: String(error.code), text: error.message }
  if (!(error instanceof ApiError)) throw error
  const said = inDialect(error, dialect)
  return { code: said.code, text: messageOf(said, 'en-US') }
}
