/**
 * Requests to the venue, signed, and what came of each in one of three words.
 *
 *   ok        done, with its data
 *   refused   not done, and the venue says why
 *   unknown   nobody knows: no answer, an unreadable one, an error of the server, or a code that says so itself
 *
 * Pace      trouble makes pauses, each twice the one before, and the first success ends them. Whoever asks waits with the rest
 * Clock     a signature that is refused for its time makes it ask the venue for the time
 */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export type Answer =
  | { readonly kind: 'ok'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly why: string }

export interface ExchangeOptions {
  readonly url: string
  readonly key: string
  readonly secret: string
  readonly passphrase: string
  /** How long a second of the world is here: 1 in earnest. */
  readonly scale: number
}

/** These say that nobody knows, in an answer that looks like a refusal. */
const unknownCodes = ['40010', '40725', '45001']
/** The time of the signature is not the venue's. */
const clockCodes = ['40008', '40005']
/** The key or the address is refused, or it is too much: for now. */
const laterCodes = ['429', '40006', '40009', '40012', '40014', '40018', '40037', '40015', '40200']
const pauseMsMin = 100

export class Exchange {
  readonly options: ExchangeOptions
  readonly pauseMsMax: number
  readonly #timeoutMs: number
  #ahead = 0
  #pauseMs = 0
  #notBefore = 0

  constructor(options: ExchangeOptions) {
    this.options = options
    this.pauseMsMax = Math.max(1_000, 10_000 * options.scale)
    this.#timeoutMs = Math.max(2_000, 10_000 * options.scale)
  }

  sign(text: string): string {
    return createHmac('sha256', this.options.secret).update(text).digest('base64')
  }

  /** The venue's time as we know it. */
  now(): number {
    return Date.now() + this.#ahead
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const text = new URLSearchParams(query).toString()
    return this.#call('GET', text === '' ? path : `${path}?${text}`, '')
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return this.#call('POST', path, JSON.stringify(body))
  }

  async #call(method: string, target: string, body: string): Promise<Answer> {
    await this.pace()
    let answer = await this.#send(method, target, body)
    if (answer.kind === 'refused' && clockCodes.includes(answer.code)) {
      await this.#askTime()
      answer = await this.#send(method, target, body)
    }
    if (answer.kind !== 'ok')
      console.error(
        `${method} ${target.split('?')[0]}: ${answer.kind === 'unknown' ? answer.why : `${answer.code} ${answer.message}`}`,
      )
    if (answer.kind === 'unknown' || (answer.kind === 'refused' && laterCodes.includes(answer.code))) this.trouble()
    else this.#pauseMs = 0
    return answer
  }

  /** Waits for the end of the pause. */
  async pace(): Promise<void> {
    for (let left = this.#notBefore - Date.now(); left > 0; left = this.#notBefore - Date.now()) await sleep(left)
  }

  /** The next request waits, twice as long as the last time. */
  trouble(): void {
    this.#pauseMs = Math.min(this.pauseMsMax, Math.max(pauseMsMin, this.#pauseMs * 2))
    this.#notBefore = Date.now() + this.#pauseMs
  }

  async #send(method: string, target: string, body: string): Promise<Answer> {
    const { url, key, passphrase } = this.options
    const timestamp = String(this.now())
    try {
      const response = await fetch(url + target, {
        method,
        ...(method === 'POST' && { body }),
        headers: {
          'ACCESS-KEY': key,
          'ACCESS-SIGN': this.sign(timestamp + method + target + body),
          'ACCESS-TIMESTAMP': timestamp,
          'ACCESS-PASSPHRASE': passphrase,
          'Content-Type': 'application/json',
        },
        signal: AbortSignal.timeout(this.#timeoutMs),
      })
      const text = await response.text()
      if (response.status >= 500) return { kind: 'unknown', why: `status ${response.status}` }
      const { code, msg, data } = JSON.parse(text) as {
        readonly code: unknown
        readonly msg: unknown
        readonly data: unknown
      }
      if (code === '00000') return { kind: 'ok', data }
      if (typeof code !== 'string' && typeof code !== 'number')
        return { kind: 'unknown', why: `an answer without a code: ${text.slice(0, 80)}` }
      if (unknownCodes.includes(String(code))) return { kind: 'unknown', why: `code ${code}` }
      return { kind: 'refused', code: String(code), message: String(msg) }
    } catch (error) {
      return { kind: 'unknown', why: (error as Error).message }
    }
  }

  async #askTime(): Promise<void> {
    const asked = Date.now()
    const answer = await this.#send('GET', '/api/v2/public/time', '')
    if (answer.kind !== 'ok') return
    const { serverTime } = answer.data as { readonly serverTime: string }
    this.#ahead = Number(serverTime) - (asked + Date.now()) / 2
  }
}
