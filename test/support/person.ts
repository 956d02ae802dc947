/**
 * Somebody with an API key: signs requests as the published clients do and sends them to the venue.
 *
 * Signing   base64(HMAC-SHA256(secret, timestamp + METHOD + target + body)) over exactly what goes out; a test that
 *           wants a wrong header gives it in `headers`, and `undefined` leaves one away
 * Source    interface.md Authentication; design §4.1
 */
import { createHmac } from 'node:crypto'
import type { Answer, Exchange } from './http.ts'

/** What a person needs of a venue: where it is, what time it has, and its answers. */
export interface ReachableVenue {
  readonly url: string
  now(): number
  exchange(exchange: Exchange): Promise<Answer>
}

export interface Key {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export type Query = Readonly<Record<string, string | number | undefined>> | string

export interface SendOptions {
  /** Replaces or, with undefined, removes headers after signing. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Signed in place of the text that is sent. */
  readonly signed?: { readonly method?: string; readonly target?: string; readonly body?: string }
  /** Milliseconds that this client's clock is ahead of the venue's. */
  readonly clockAhead?: number
  readonly key?: Key
}

export function sign(secret: string, timestamp: string, method: string, target: string, body: string): string {
  return createHmac('sha256', secret)
    .update(timestamp + method + target + body)
    .digest('base64')
}

export class Person {
  readonly venue: ReachableVenue
  readonly name: string
  readonly uid: string
  readonly key: Key
  /** Whether this person has sent anything that may have left an order behind. */
  hasTraded = false

  constructor(venue: ReachableVenue, name: string, uid: string, key: Key) {
    this.venue = venue
    this.name = name
    this.uid = uid
    this.key = key
  }

  get(path: string, query: Query = {}, options: SendOptions = {}): Promise<Answer> {
    return this.send('GET', withQuery(path, query), undefined, options)
  }

  /** Sends a value as compact JSON, or a text as it is. */
  post(path: string, body: unknown, options: SendOptions = {}): Promise<Answer> {
    if (/order|place|batch/.test(path)) this.hasTraded = true
    return this.send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), options)
  }

  send(method: string, target: string, body: string | undefined, options: SendOptions = {}): Promise<Answer> {
    const { apiKey, secret, passphrase } = options.key ?? this.key
    const timestamp = String(this.venue.now() + (options.clockAhead ?? 0))
    const signed = { method, target, body: body ?? '', ...options.signed }
    return this.venue.exchange({
      method,
      target,
      body,
      headers: {
        'ACCESS-KEY': apiKey,
        'ACCESS-SIGN': sign(secret, timestamp, signed.method, signed.target, signed.body),
        'ACCESS-TIMESTAMP': timestamp,
        'ACCESS-PASSPHRASE': passphrase,
        'Content-Type': body === undefined ? undefined : 'application/json',
        ...options.headers,
      },
    })
  }
}

/** The path with its query in the order given; values percent-encoded, absent ones left away. */
export function withQuery(path: string, query: Query): string {
  const text =
    typeof query === 'string'
      ? query
      : Object.entries(query)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
          .join('&')
  return text === '' ? path : `${path}?${text}`
}
