/**
 * The operator's interface over HTTP: one call, its answer opened. The desk knows no other way to ask or to do anything.
 *
 * Failures   everything that is no success is an OperatorError with the interface's own code and sentence
 */
import { signal } from '@preact/signals'
import { type Query, withQuery } from '../venue/query.ts'
import { desk } from '../words/desk.ts'
import { sentence } from '../words/venue.ts'
import { t } from '../words/words.ts'
import { meaningOf } from './refusals.ts'

interface FieldFault {
  readonly field: string
  readonly rule: string
}

class OperatorError extends Error {
  readonly code: string
  readonly fields: readonly FieldFault[]

  constructor(code: string, message: string, fields: readonly FieldFault[] = []) {
    super(message)
    this.code = code
    this.fields = fields
  }
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof OperatorError && error.code === 'network'
}

/** What to show of a failure: the sentence of the venue with its code. In a language without words for it, what it means stands behind. */
export function faultText(error: unknown): string {
  if (!(error instanceof OperatorError)) return error instanceof Error ? error.message : String(error)
  if (isUnreachable(error)) return error.message
  const meaning = meaningOf(error.code)
  const isFields = error.code === 'body-wrong' && error.fields.length > 0
  const spoken = isFields ? meaning : sentence(error.message.replace(/^[A-Za-z][\w.]* ?: /, ''))
  if (spoken !== undefined) return `${spoken} (${error.code})`
  return `${error.message} (${error.code})${meaning === undefined ? '' : ` ${meaning}`}`
}

/** What is wrong with fields, by their names. */
export function fieldFaults(error: unknown): ReadonlyMap<string, string> {
  const fields = error instanceof OperatorError ? error.fields : []
  return new Map(fields.map(({ field, rule }) => [field, sentence(rule) ?? rule]))
}

/** Where the calls are: on the operator's listener, or on the port of a laboratory's venue. */
export const isLabDesk = location.pathname.startsWith('/_lab/')
const callsAt = isLabDesk ? '/_lab/operator/' : '/operator/'

/** Of this tab's operator; empty: nobody is signed in. */
export const token = signal('')

/** Who it is, as they say themselves: it goes with every call, for the trail. */
export const operatorName = signal('')

/** Grows with everything that was done here: who shows something reads it anew. */
export const deeds = signal(0)

export function read<T>(path: string, query: Query = {}): Promise<T> {
  return call<T>(withQuery(callsAt + path, query), { method: 'GET' })
}

/** Changes something. */
export async function act<T>(path: string, body: object): Promise<T> {
  try {
    return await call<T>(callsAt + path, { method: 'POST', body: JSON.stringify(body) })
  } finally {
    deeds.value += 1
  }
}

/** One line of a stream: the answer of a call, opened. */
export interface Told {
  readonly of: string
  readonly data: unknown
  /** Empty: there is data. */
  readonly fault: string
}

/** Reads lines until the stream ends, or `ended` is aborted, which throws. */
export async function openLines(
  path: string,
  query: Query,
  ended: AbortSignal,
  take: (told: Told) => void,
): Promise<void> {
  const response = await send(withQuery(callsAt + path, query), { method: 'GET', signal: ended })
  if (!response.ok || response.body === null) throw refusedBy((await response.json()) as Envelope)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw unreachable()
    })
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(toldIn(JSON.parse(line) as Envelope & { readonly of: string }))
  }
}

function toldIn(envelope: Envelope & { readonly of: string }): Told {
  const { of, ok, data } = envelope
  return { of, data, fault: ok ? '' : faultText(refusedBy(envelope)) }
}

interface Envelope {
  readonly ok: boolean
  readonly data?: unknown
  readonly error?: { readonly code: string; readonly message: string; readonly fields?: readonly FieldFault[] }
}

async function call<T>(target: string, init: RequestInit): Promise<T> {
  const envelope = await exchange(target, init)
  if (envelope.ok) return envelope.data as T
  throw refusedBy(envelope)
}

function refusedBy({ error }: Envelope): OperatorError {
  const { code = 'unexpected', message = desk.page.noReason, fields } = error ?? {}
  if (code === 'token-wrong') token.value = ''
  return new OperatorError(code, message, fields)
}

async function exchange(target: string, init: RequestInit): Promise<Envelope> {
  const response = await send(target, init)
  try {
    return (await response.json()) as Envelope
  } catch {
    throw unreachable()
  }
}

async function send(target: string, init: RequestInit): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token.value}`,
    'content-type': 'application/json',
    ...(operatorName.value !== '' && { 'x-operator': encodeURIComponent(operatorName.value) }),
  }
  try {
    return await fetch(target, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  } catch {
    throw unreachable()
  }
}

function unreachable(): OperatorError {
  return new OperatorError('network', t.venue.unreachable)
}
