/**
 * Who is asking: the signed headers of a private request, checked in the order that wire/auth.md §4 gives.
 *
 * Message    timestamp, method, request target (query as received, or percent-decoded: clients differ; a `?` with nothing
 *            behind it may be left away), raw body
 * Decoded    counts only where it means the same request and no other: encoded again it gives what was received, and read as
 *            a query it has the same fields. `a=1%26b=2` signed as `a=1&b=2` is refused
 * Keys       HMAC-SHA256, RSA (RSASSA-PKCS1-v1_5 with SHA-256) or Ed25519, a property of the key; signatures are base64
 * Time       near the venue's clock or the system's: with a manual clock they differ, and some clients sign with the one
 *            that public/time tells, others with their own. After a leap of the system's, one of the two is right, and so
 *            are clients whose own clock is
 * Constant   secrets and signatures are compared in constant time
 * Windows    receive windows are over by both clocks; where all goes by the venue's time (`isByVenue`), by its clock alone
 * Repeats    two equal orders in one millisecond are legitimate, so an identical request is refused only if asked for; where
 *            there are several gateways, by what each of them was sent
 * Source     wire/auth.md; design.md §4.1, §4.38, §3 (classic accounts)
 */
import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { AccountView } from '../../engine/protocol/query.ts'
import { type IncomingRequest, sameAddress, single } from '../../http/http.ts'
import type { PrivateAccess } from '../endpoint.ts'
import { ApiError, type Version } from '../errors/errors.ts'
import { HmacSha256 } from './hmac.ts'
import { type ApiKey, isUsable, type KeyStore, type Permission } from './keys.ts'
import { type SavedSignatures, SeenSignatures } from './seen-signatures.ts'

export type SignedRequest = Pick<IncomingRequest, 'method' | 'target' | 'headers' | 'body'>

export interface AuthenticationOptions {
  readonly keys: KeyStore
  /** How far a request's timestamp may lie from the clock, either way. */
  readonly windowMs?: number
  /** Refuses an identical signed state-changing request inside the window. */
  readonly refuseRepeats?: boolean
  /** Whether any gateway was sent the request with this hash before; absent: there is no other. */
  readonly seenByAny?: (hash: string) => Promise<boolean>
  /** The venue's clock, Unix milliseconds. */
  readonly venueClock: () => number
  /** The system's, unless it is known to be wrong. */
  readonly systemClock?: () => number
  /** Repeats and receive windows go by the venue's clock alone, so that they do not depend on when a program runs. */
  readonly isByVenue?: boolean
}

/** So many tell any two of a window apart. */
const hashBytes = 16

export class Authentication {
  readonly #keys: KeyStore
  readonly #windowMs: number
  readonly #venueClock: () => number
  readonly #systemClock: () => number
  readonly #isByVenue: boolean
  readonly #seen: SeenSignatures | undefined
  /** Of who is authenticated, and beyond what was seen here. Rejects with 40009. Undefined: there is nothing beyond it. */
  readonly assertNew: ((request: SignedRequest) => Promise<void>) | undefined
  readonly #material = new WeakMap<ApiKey, HmacSha256 | KeyObject>()

  constructor(options: AuthenticationOptions) {
    this.#keys = options.keys
    this.#windowMs = options.windowMs ?? 30_000
    this.#venueClock = options.venueClock
    this.#systemClock = options.systemClock ?? Date.now
    this.#isByVenue = options.isByVenue ?? false
    this.#seen = options.refuseRepeats ? new SeenSignatures(2 * this.#windowMs) : undefined
    const { seenByAny } = options
    if (seenByAny === undefined || this.#seen === undefined) return
    this.assertNew = async ({ method, headers }) => {
      if (method === 'GET') return
      const signed = `${single(headers['access-key'])} ${single(headers['access-sign'])}`
      if (await seenByAny(hash('sha256', signed, 'buffer').toString('base64', 0, hashBytes)))
        throw new ApiError('40009')
    }
  }

  /** The key that signed the request, or the first check that it fails. `clockAhead`: so many ms, for both clocks. */
  authenticate(request: SignedRequest, clockAhead = 0): ApiKey {
    const { headers } = request
    const name = single(headers['access-key'])
    if (name === undefined || name === '') throw new ApiError('40001')
    const signature = single(headers['access-sign'])
    if (signature === undefined) throw new ApiError('40002')
    if (signature === '') throw new ApiError('40003')
    const timestamp = single(headers['access-timestamp']) ?? ''
    if (!/^[0-9]{13}$/.test(timestamp)) throw new ApiError('40005')
    const key = this.#keys.find(name)
    if (key === undefined) throw new ApiError('40006')
    if (!isUsable(key)) throw new ApiError('40037')
    checkContentType(request)
    if (!this.#isRecent(Number(timestamp) - clockAhead, this.#windowMs)) throw new ApiError('40008')
    if (!this.#signedBy(key, timestamp, request, signature)) throw new ApiError('40009')
    const passphrase = single(headers['access-passphrase'])
    if (passphrase === undefined || passphrase === '') throw new ApiError('40011')
    if (!sameText(passphrase, key.passphrase)) throw new ApiError('40012')
    const nowMs = this.#isByVenue ? this.#venueClock() : performance.now()
    if (request.method !== 'GET' && this.#seen?.before(`${name} ${signature}`, nowMs)) throw new ApiError('40009')
    return key
  }

  /**
   * The key behind a WebSocket login from an address; the signed message is the timestamp (in the unit as sent), `GET` and
   * a fixed path.
   */
  authenticateLogin(
    login: { apiKey: string; passphrase: string; timestamp: string; sign: string },
    ip: string,
  ): ApiKey {
    const key = this.#keys.find(login.apiKey)
    if (key === undefined || !isUsable(key)) throw new ApiError('40006')
    if (!/^(?:[0-9]{10}|[0-9]{13})$/.test(login.timestamp)) throw new ApiError('40005')
    const sentAt = Number(login.timestamp) * (login.timestamp.length === 10 ? 1000 : 1)
    // Whole seconds were cut off, not rounded.
    if (!this.#isRecent(sentAt, this.#windowMs + 999)) throw new ApiError('40008')
    if (!this.#verify(key, `${login.timestamp}GET/user/verify`, undefined, login.sign)) throw new ApiError('40009')
    if (!sameText(login.passphrase, key.passphrase)) throw new ApiError('40012')
    checkAddress(key, ip)
    return key
  }

  /** Whether a moment lies in the past by either clock. */
  isOver(moment: number): boolean {
    return this.#venueClock() > moment && (this.#isByVenue || this.#systemClock() > moment)
  }

  /** What was signed before, as plain data; undefined where repeats are not refused. */
  save(): SavedSignatures | undefined {
    return this.#seen?.save()
  }

  /** In place of what was signed since; `saved` can be restored again. */
  restore(saved: SavedSignatures | undefined): void {
    if (saved !== undefined) this.#seen?.restore(saved)
  }

  #isRecent(sentAt: number, windowMs: number): boolean {
    return Math.abs(this.#venueClock() - sentAt) <= windowMs || Math.abs(this.#systemClock() - sentAt) <= windowMs
  }

  #signedBy(key: ApiKey, timestamp: string, { method, target, body }: SignedRequest, signature: string): boolean {
    const start = timestamp + method
    if (this.#verify(key, start + target, body, signature)) return true
    const decoded = decodedTarget(target)
    if (decoded !== undefined && this.#verify(key, start + decoded, body, signature)) return true
    // Clients add the query only when there is one (wire/auth.md §1).
    return target.indexOf('?') === target.length - 1 && this.#verify(key, start + target.slice(0, -1), body, signature)
  }

  #verify(key: ApiKey, start: string, body: Buffer | undefined, signature: string): boolean {
    const material = this.#materialOf(key)
    if (material instanceof HmacSha256) return sameText(material.digest(start, body), signature)
    const message = body === undefined ? Buffer.from(start) : Buffer.concat([Buffer.from(start), body])
    const bytes = Buffer.from(signature, 'base64')
    if (bytes.toString('base64') !== signature) return false // one spelling only, so that repeats are recognised
    try {
      return verify(key.kind === 'rsa' ? 'sha256' : null, message, material, bytes)
    } catch {
      return false // a signature of the wrong length or form
    }
  }

  #materialOf(key: ApiKey): HmacSha256 | KeyObject {
    let material = this.#material.get(key)
    if (material === undefined) {
      material = key.kind === 'hmac' ? new HmacSha256(key.secret) : createPublicKey(key.secret)
      this.#material.set(key, material)
    }
    return material
  }
}

/**
 * Whether the key may do this for this account from this address: no more than the account's owner lets any of its keys
 * do, and a frozen account only reads. A classic account has no business on v3 at all, and
 * learns that before anything else: clients use the answer to find out which version to speak.
 */
export function authorize(
  access: PrivateAccess,
  version: Version,
  { key, account, ip }: { readonly key: ApiKey; readonly account: AccountView; readonly ip: string },
): void {
  if (version === 'v3' && account.mode === 'classic') throw new ApiError('40084')
  checkPermission({ key, account }, access, version)
  checkAddress(key, ip)
  if (access.mainAccount && account.kind !== 'main') throw new ApiError('40048')
  if (access.level === 'write' && account.frozen) throw new ApiError('40024')
}

/** Whether the key may be used from this address at all. */
export function checkAddress({ ipList }: ApiKey, ip: string): void {
  if (ipList.length > 0 && !ipList.some((entry) => sameAddress(entry, ip))) throw new ApiError('40018')
}

/** A permission that turned out to be needed besides the endpoint's own. */
export function checkPermission(
  { key, account }: { readonly key: ApiKey; readonly account: AccountView },
  access: PrivateAccess,
  version: Version,
): void {
  if (!permits(key, access, version, account)) throw new ApiError('40014', [access.permission])
}

function permits(key: ApiKey, access: PrivateAccess, version: Version, account: AccountView): boolean {
  if (access.level === 'write' && key.readOnly) return false
  const { permissions: most } = account
  const held = (permission: Permission) =>
    key.permissions.includes(permission) && (most === undefined || most.includes(permission))
  if (held(access.permission) || (access.level === 'read' && held('read'))) return true
  // One key of a unified account serves the whole interface, but to withdraw: its v2 calls go to the same wallet.
  const servesAll = version === 'v2' && account.mode === 'unified' && access.permission !== 'withdraw'
  return servesAll && (held('uta_trade') || held('uta_mgt'))
}

/** A POST with a body has to say that it is JSON. */
export function checkContentType({ method, body, headers }: SignedRequest): void {
  if (method !== 'POST' || body === undefined || body.length === 0) return
  const type = headers['content-type']
  if (typeof type !== 'string' || !/^application\/json\s*(?:;|$)/i.test(type)) throw new ApiError('40007')
}

/**
 * The target with its query percent-decoded, as some clients sign it. Undefined: there is nothing to decode, or the decoded
 * text could mean another request, or what was received is not how its fields are encoded.
 */
function decodedTarget(target: string): string | undefined {
  const mark = target.indexOf('?')
  if (mark < 0 || !target.includes('%', mark) || target.lastIndexOf('%', mark) >= 0) return undefined
  const pairs = target.slice(mark + 1).split('&')
  const decoded: string[] = []
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
    const [plainName, plainValue] = [decodedOnce(name), decodedOnce(value)]
    // What ends a field, a name or the encoding of a byte would be read as that.
    if (plainName === undefined || plainValue === undefined) return undefined
    if (/[&=#]|%[0-9A-Fa-f]{2}/.test(plainName) || /[&#]|%[0-9A-Fa-f]{2}/.test(plainValue)) return undefined
    decoded.push(equals < 0 ? plainName : `${plainName}=${plainValue}`)
  }
  return target.slice(0, mark + 1) + decoded.join('&')
}

/** The plain text; undefined: encoded again it would not give the same bytes, whatever a client spares of encoding. */
function decodedOnce(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    const plain = decodeURIComponent(text)
    return everythingEncoded(encodeURIComponent(plain)) === everythingEncoded(text) ? plain : undefined
  } catch {
    return undefined
  }
}

/** What some encoders spare and others do not is encoded too: all but letters, digits, `-`, `.` and `_`. */
function everythingEncoded(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._%]/g, (spared) => `%${spared.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Equal or not, in a time that tells nothing but whether the lengths are. */
export function sameText(expected: string, given: string): boolean {
  const bytes = Buffer.from(expected)
  const givenBytes = Buffer.from(given)
  return bytes.length === givenBytes.length && timingSafeEqual(bytes, givenBytes)
}
