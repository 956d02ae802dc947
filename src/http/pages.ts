/**
 * Pages that need no key: a path and its answer. Most are fixed: all that is sent was made when the venue started, and any
 * number of readers share it. A document that takes long to make is made once, when somebody wants it first.
 *
 * Fixed   bytes as they are, and packed where they were, for whoever takes gzip; an ETag, and 304 for whoever has it
 * Bounds  so many requests a second of one address; who counts them is for those above
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { type IncomingHead, type Outgoing, single } from './requests.ts'

export interface Page {
  readonly path: string
  /** Requests of one address a second. */
  readonly perSecondMax: number
  /** It is refused for its own bound alone, whatever else comes from the address. */
  readonly isAlwaysThere?: boolean
  /** It asks for headers that a plain request does not keep: it goes through node:http. */
  readonly needsWholeHead?: boolean
  readonly answer: (head: IncomingHead) => Outgoing | Promise<Outgoing>
}

export interface FixedContent {
  readonly path: string
  readonly contentType: string
  /** As they are, by gzip, or both. What is there packed alone is unpacked once, for the first who cannot. */
  readonly bytes?: Buffer
  readonly packed?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** A page with all that it loads asks for each file once. */
export const pageRequestsPerSecondMax = 20

export function fixedPage({ path, contentType, bytes, packed, headers = {} }: FixedContent): Page {
  const whole = bytes ?? packed ?? Buffer.alloc(0)
  // Weak: it stands for the bytes and for the packed ones.
  const etag = `W/"${createHash('sha256').update(whole).digest('base64url').slice(0, 22)}"`
  const shared = { ...headers, etag, vary: 'accept-encoding' }
  const typed = { 'content-type': contentType, ...shared }
  const zipped = packed && { httpStatus: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body: packed }
  let unpacked = bytes
  const plain = () => (unpacked ??= gunzipSync(whole))
  const same: Outgoing = { httpStatus: 304, headers: shared, body: '' }
  return {
    path,
    perSecondMax: pageRequestsPerSecondMax,
    answer: ({ headers: asked }) => {
      if (names(single(asked['if-none-match']), etag)) return same
      if (zipped !== undefined && takesGzip(single(asked['accept-encoding']))) return zipped
      return { httpStatus: 200, headers: typed, body: plain() }
    },
  }
}

/** One content at several paths, made when `make` is called first, or a page is asked for. */
export function documentPages(
  contentTypes: Readonly<Record<string, string>>,
  write: () => object,
): { readonly pages: readonly Page[]; readonly make: () => Promise<unknown> } {
  let made: Promise<ReadonlyMap<string, Page>> | undefined
  const make = () => (made ??= madeOf(contentTypes, write))
  const pages = Object.keys(contentTypes).map((path): Page => {
    return {
      path,
      perSecondMax: pageRequestsPerSecondMax,
      answer: async (head) => (await make()).get(path)!.answer(head),
    }
  })
  return { pages, make }
}

async function madeOf(contentTypes: Readonly<Record<string, string>>, write: () => object) {
  const bytes = Buffer.from(JSON.stringify(write()))
  const packed = await promisify(gzip)(bytes)
  const made = Object.entries(contentTypes).map(
    ([path, contentType]) => [path, fixedPage({ path, contentType, bytes, packed })] as const,
  )
  return new Map(made)
}

/** Whether If-None-Match names this tag (RFC 9110, weakly compared). */
function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  const opaque = etag.slice(2)
  return list.split(',').some((tag) => {
    const named = tag.trim()
    return named === '*' || named === etag || named === opaque
  })
}

/** Whether Accept-Encoding takes gzip: named, and not with a weight of nothing. */
function takesGzip(accepted: string | undefined): boolean {
  if (accepted === undefined) return false
  return accepted.split(',').some((entry) => {
    const [name = '', ...weights] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight))
  })
}
