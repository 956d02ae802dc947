/**
 * The venue over HTTP: one call, its envelope opened. The terminal knows no other way to ask or to order than this and the
 * streams, as any client.
 *
 * Clock      signed with the venue's time, as its answers tell it: a machine whose clock is off can trade
 * Language   the venue is asked to answer in that of the page
 * Failures   everything that is no success is a VenueError with the venue's own code and sentence
 */
import { noteLab } from './lab.ts'
import { meaningOf } from './refusals.ts'
import { type Query, withQuery } from './query.ts'
import { type Credentials, loginText, requestText, type Signer, signerOf } from './signing.ts'
import { t } from '../words/words.ts'

export class VenueError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }

  /** What it means and what to do, else the venue's own sentence. */
  get inWords(): string {
    return meaningOf(this.code) ?? t.common.sentence(this.message.replace(/[.。]$/, ''))
  }

  /** What was named so is there already. */
  get isRepeated(): boolean {
    return this.code === '40786' || this.code === '25212'
  }

  /** The request may have been carried out: ask before trying again. */
  get isUnknown(): boolean {
    return ['40010', '40725', '45001', 'network'].includes(this.code)
  }
}

/** What a person is told of a failure: what it means and what to do; the code beside it, where there is one. */
export function toldOf(error: unknown): { readonly text: string; readonly code: string } {
  if (!(error instanceof VenueError)) return { text: error instanceof Error ? error.message : String(error), code: '' }
  return { text: error.inWords, code: error.code === 'network' ? '' : error.code }
}

/** The venue counts calls in windows of a second. */
const tooSoonMs = 1_100

/** The venue says itself after ten seconds that it does not know; later nothing is to be expected. */
const answerMsMax = 15_000

/** Milliseconds that the venue's clock is ahead of ours. */
let clockAhead = 0

export function venueNow(): number {
  return Date.now() + clockAhead
}

export function publicGet<T>(path: string, query: Query = {}): Promise<T> {
  return send<T>('GET', withQuery(path, query), '', {})
}

/** Who calls with one key. What came too soon was not carried out: it is sent once more. */
export class Caller {
  readonly credentials: Credentials
  readonly #signer: Signer

  private constructor(credentials: Credentials, signer: Signer) {
    this.credentials = credentials
    this.#signer = signer
  }

  static async open(credentials: Credentials): Promise<Caller> {
    return new Caller(credentials, await signerOf(credentials.secret))
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#sendInTime<T>('GET', withQuery(path, query), '')
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#sendInTime<T>('POST', path, JSON.stringify(body))
  }

  /** The first message of a private socket. */
  async login(): Promise<object> {
    const timestamp = String(Math.floor(venueNow() / 1000))
    const { apiKey, passphrase } = this.credentials
    return { op: 'login', args: [{ apiKey, passphrase, timestamp, sign: await this.#signer(loginText(timestamp)) }] }
  }

  async #sendInTime<T>(method: 'GET' | 'POST', target: string, body: string): Promise<T> {
    try {
      return await this.#send<T>(method, target, body)
    } catch (error) {
      if (!(error instanceof VenueError) || error.code !== '429') throw error
      await new Promise((resolve) => setTimeout(resolve, tooSoonMs))
      return this.#send<T>(method, target, body)
    }
  }

  async #send<T>(method: 'GET' | 'POST', target: string, body: string): Promise<T> {
    const timestamp = String(venueNow())
    const { apiKey, passphrase } = this.credentials
    return send<T>(method, target, body, {
      'ACCESS-KEY': apiKey,
      'ACCESS-SIGN': await this.#signer(requestText({ timestamp, method, target, body })),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': passphrase,
    })
  }
}

interface Envelope {
  readonly code: string
  readonly msg: string
  readonly requestTime: number
  readonly data: unknown
}

async function send<T>(method: string, target: string, body: string, headers: Record<string, string>): Promise<T> {
  const envelope = await exchange(method, target, body, headers)
  if (envelope.code !== '00000') throw new VenueError(envelope.code, envelope.msg)
  return envelope.data as T
}

async function exchange(
  method: string,
  target: string,
  body: string,
  headers: Record<string, string>,
): Promise<Envelope> {
  const signal = AbortSignal.timeout(answerMsMax)
  const told = { ...headers, locale: t.locale }
  const request: RequestInit = { method, headers: told, credentials: 'omit', cache: 'no-store', signal }
  if (method === 'POST') Object.assign(request, { body, headers: { ...told, 'Content-Type': 'application/json' } })
  try {
    const sentAt = Date.now()
    const response = await fetch(target, request)
    noteLab(response.headers)
    const envelope = (await response.json()) as Envelope
    noteClock(envelope.requestTime, sentAt, Date.now())
    return envelope
  } catch {
    throw new VenueError('network', signal.aborted ? t.venue.noAnswer : t.venue.unreachable)
  }
}

/** The nearer the two ends of an exchange, the better it tells the difference; half a second off does not matter. */
function noteClock(venueTime: number, sentAt: number, receivedAt: number): void {
  if (!Number.isFinite(venueTime) || receivedAt - sentAt > 2_000) return
  const ahead = venueTime - (sentAt + receivedAt) / 2
  clockAhead = Math.abs(ahead) < 500 ? 0 : Math.round(ahead)
}
