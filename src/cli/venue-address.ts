/**
 * A venue as the command line speaks to it: at an address, and over TLS only to who proves to be it.
 *
 * Own        the venue of a data directory is known by its certificate, which server.json has: it must show that one. Names in
 *            it do not matter, so that a certificate for a public name serves on loopback too
 * Elsewhere  a certificate counts when an authority that Node knows vouches for it; NODE_EXTRA_CA_CERTS names a file of more
 * Never      is a certificate left unchecked
 */
import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import type { ConnectionOptions } from 'node:tls'

/** As src/http/node-http.ts says: an import would load the whole of fetch, also for commands that call nobody. */
const { request: requestPlain } = process.getBuiltinModule('node:http')

/** A call that did not succeed, in one line for whoever typed it. */
export class CallFailed extends Error {
  override name = 'CallFailed'
}

/** Nobody is there to be called. */
export class NoVenue extends CallFailed {
  override name = 'NoVenue'
}

export interface VenueAddress {
  readonly url: string
  /** PEM of the running venue; absent: one that those whom Node trusts vouch for. */
  readonly certificate?: string | undefined
}

export interface JsonRequest {
  readonly method: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** What a connection to the address has to be shown. */
export function trustIn({ certificate }: VenueAddress): ConnectionOptions {
  if (certificate === undefined) return {}
  const { fingerprint256 } = new X509Certificate(certificate)
  return {
    ca: certificate,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, shown) =>
      shown.fingerprint256 === fingerprint256 ? undefined : new Error('it is another than that of the running venue'),
  }
}

/** One request and the JSON that answers it; `absent` says in whose words nobody answers. */
export async function exchangeJson(address: VenueAddress, sent: JsonRequest, absent: string): Promise<unknown> {
  try {
    return JSON.parse((await exchange(address, sent)).content.toString()) as unknown
  } catch (cause) {
    throw troubleWith(address, cause, absent)
  }
}

/** What kept a connection from being made: who is there proves nothing, or nobody is there. */
export function troubleWith({ url }: VenueAddress, cause: unknown, absent: string): CallFailed {
  const { syscall, code, reason, message } = cause as NodeJS.ErrnoException & { readonly reason?: string }
  const isOfNetwork = syscall !== undefined || code === 'ECONNRESET' || cause instanceof SyntaxError
  if (isOfNetwork || !url.startsWith('https:')) return new NoVenue(absent, { cause })
  if (code?.startsWith('ERR_SSL') || code === 'EPROTO') {
    return new CallFailed(`${url} does not speak TLS as it should: ${reason ?? code}`, { cause })
  }
  return new CallFailed(`the certificate of ${url} is not trusted: ${message}`, { cause })
}

export interface Exchanged {
  readonly status: number
  readonly content: Buffer
}

/** One request, however long its answer takes: none of Node's own bounds for `fetch`. */
export function exchange(address: VenueAddress, { method, target, headers, body }: JsonRequest): Promise<Exchanged> {
  const url = new URL(target, address.url)
  // Of some methods Node says no length unless told, and the body would be taken for another request.
  const length = body !== undefined && { 'content-length': Buffer.byteLength(body) }
  const options = { method, headers: { ...headers, ...length, connection: 'close' }, agent: false }
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:' ? request(url, { ...options, ...trustIn(address) }) : requestPlain(url, options)
    sent.on('error', reject)
    sent.on('response', (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, content: Buffer.concat(parts) }))
      answer.on('error', reject)
    })
    sent.end(body)
  })
}
