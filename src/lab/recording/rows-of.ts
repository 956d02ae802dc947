/**
 * Entries as rows: headers that matter, and no secret of a key.
 *
 * Secrets   what a right signature was made with is left away, and a passphrase that is not a demo account's is never there
 * Bodies    of answers only where they were asked for
 * Source    lab.md §4.8
 */
import { createHmac } from 'node:crypto'
import type { ApiKey } from '../../api/api.ts'
import { roleOfKey } from '../../operator/operator.ts'
import { digestOf, lasting } from './digests.ts'
import type { Entry, Moment, RecordedRequest, Sent, Strike } from './entries.ts'
import type { Piece } from './recorder.ts'
import type { HeardRow, RequestRow, Row, SentRow, Signed } from './rows.ts'

/** Headers that decide an answer, besides those of a signature. */
const headersKept = new Set([
  'access-key',
  'access-sign',
  'access-timestamp',
  'access-passphrase',
  'content-type',
  'locale',
  'x-channel-api-code',
  'x-forwarded-for',
  'x-tidemark-fault',
])
const wrongPassphrase = 'wrong'

export interface RowsOptions {
  readonly find: (apiKey: string) => ApiKey | undefined
  readonly fullBodies: boolean
}

/** Those of the first piece's beginning, then what happened in all of them. */
export function* rowsOf(pieces: readonly Piece[], options: RowsOptions): Generator<Row> {
  const [{ base, sockets }] = pieces
  const { now, sequence } = base!.runtime
  for (const { socket, login } of sockets) {
    const moment = { at: now, system: now, before: sequence }
    const { id, version, ip } = socket
    yield { kind: 'opened', ...moment, socket: id, version, ip, apiKey: login && loginIn(login)?.apiKey }
  }
  for (const { entries } of pieces) for (const entry of entries) yield rowOf(entry, options)
}

function rowOf(entry: Entry, options: RowsOptions): Row {
  const { at, system, before } = entry
  const moment = { at, system, before }
  switch (entry.kind) {
    case 'request':
      return requestRow(entry, moment, options)
    case 'call':
      return { kind: 'call', ...moment, socket: entry.socket, ...senderOf(entry) }
    case 'lab': {
      const { method, path, body } = entry
      return { kind: 'lab', ...moment, method, path, body, ...senderOf(entry) }
    }
    case 'beside': {
      const { kind, named, request } = entry.asked
      const headers = headersOf(request.headers)
      for (const name of Object.keys(headers)) if (name !== 'x-forwarded-for') delete headers[name]
      return { kind: 'beside', ...moment, asked: { kind, named }, socketAddress: request.socketAddress, headers }
    }
    case 'opened': {
      const { id, version, ip } = entry.socket
      return { kind: 'opened', ...moment, socket: id, version, ip, apiKey: undefined }
    }
    case 'let-go':
      return { kind: 'let-go', ...moment, ids: entry.ids }
    case 'struck':
      return { kind: 'struck', ...moment, rule: entry.rule }
    case 'closed':
      return { kind: 'closed', ...moment, socket: entry.socket }
    case 'heard':
      return { kind: 'heard', ...moment, socket: entry.socket, ...heardOf(entry.message.toString(), options) }
    case 'said': {
      const { socket, as, digest, text } = entry
      const said = text === undefined ? digest.toString(16) : lasting(text)
      return { kind: 'said', ...moment, socket, as, digest: said }
    }
  }
}

function requestRow(entry: RecordedRequest, moment: Moment, { find, fullBodies }: RowsOptions): RequestRow {
  const { request, answer } = entry
  const { requestId, connection, isLater, socketAddress, method, target } = request
  const headers = headersOf(request.headers)
  const key = find(headers['access-key'] ?? '')
  const body = request.body?.toString()
  const timestamp = headers['access-timestamp'] ?? ''
  const isRight =
    key?.kind === 'hmac' && isSignedBy(key, timestamp, { method, target, body: request.body }, headers['access-sign'])
  let signed: Signed | undefined
  if (isRight && headers['access-passphrase'] === key.passphrase && /^\d{13}$/.test(timestamp)) {
    signed = { apiKey: key.apiKey, timestamp }
    for (const name of ['access-key', 'access-sign', 'access-timestamp', 'access-passphrase']) delete headers[name]
  } else if (key !== undefined && !isDemoKey(key) && headers['access-passphrase'] !== undefined) {
    headers['access-passphrase'] = wrongPassphrase
  }
  const answered =
    answer === undefined || 'digest' in answer
      ? answer
      : {
          httpStatus: answer.httpStatus,
          digest: digestOf(answer),
          ...(fullBodies && { text: answer.body.toString() }),
        }
  return {
    kind: 'request',
    ...moment,
    requestId,
    connection,
    isLater,
    socketAddress,
    method,
    target,
    headers,
    body,
    signed,
    ...senderOf(entry),
    answer: answered,
  }
}

function isSignedBy(
  { secret }: ApiKey,
  timestamp: string,
  { method, target, body }: { readonly method: string; readonly target: string; readonly body: Buffer | undefined },
  signature: string | undefined,
): boolean {
  if (signature === undefined) return false
  const decoded = target.includes('%') ? [decodedOrSame(target)] : []
  // A query that is empty may be left away (authentication.ts); whoever plays it signs all of the target.
  const targets = [target, ...decoded, ...(target.endsWith('?') ? [target.slice(0, -1)] : [])]
  return targets.some((signedTarget) => {
    const hmac = createHmac('sha256', secret).update(timestamp + method + signedTarget)
    if (body !== undefined) hmac.update(body)
    return hmac.digest('base64') === signature
  })
}

function decodedOrSame(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

export function isDemoKey({ apiKey, label }: ApiKey): boolean {
  return apiKey === `dev-${roleOfKey(label)}`
}

interface LoginSeen extends Signed {
  readonly passphrase: string
  readonly sign: string
}

/** What a message logs in with, first of all. */
function loginIn(message: Buffer | string): LoginSeen | undefined {
  try {
    const { op, args } = JSON.parse(message.toString()) as { op?: unknown; args?: readonly Record<string, unknown>[] }
    const [login] = args ?? []
    if (op !== 'login' || login === undefined) return undefined
    const [apiKey, passphrase, timestamp, sign] = ['apiKey', 'passphrase', 'timestamp', 'sign'].map((name) =>
      typeof login[name] === 'string' ? login[name] : '',
    )
    return { apiKey, passphrase, timestamp, sign }
  } catch {
    return undefined
  }
}

function heardOf(message: string, { find }: RowsOptions): Pick<HeardRow, 'message' | 'signed'> {
  const login = message.includes('"login"') ? loginIn(message) : undefined
  const key = login && find(login.apiKey)
  if (login === undefined || key === undefined) return { message, signed: undefined }
  const { apiKey, timestamp } = login
  const isRight =
    key.kind === 'hmac' &&
    login.passphrase === key.passphrase &&
    createHmac('sha256', key.secret).update(`${timestamp}GET/user/verify`).digest('base64') === login.sign
  if (isRight) return { message: '', signed: { apiKey, timestamp } }
  if (isDemoKey(key)) return { message, signed: undefined }
  const args = [{ apiKey, timestamp, sign: login.sign, passphrase: wrongPassphrase }]
  return { message: JSON.stringify({ op: 'login', args }), signed: undefined }
}

function headersOf(sent: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value === 'string' && headersKept.has(name)) kept[name] = value
  }
  return kept
}

function senderOf({
  sent,
  nows,
  strikes,
}: {
  readonly sent: readonly Sent[] | undefined
  readonly nows: readonly number[] | undefined
  readonly strikes: readonly Strike[] | undefined
}) {
  const places = (sent ?? []).map(({ sequence, count }): SentRow => [sequence, count])
  return { sent: places, nows: nows ?? [], strikes: strikes ?? [] }
}
