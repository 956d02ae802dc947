/**
 * The head of a plain request, read from its bytes: strictly, so that there is only one way to understand it.
 *
 * Plain    GET or POST of HTTP/1.1; a target of the characters that RFC 3986 allows; lines that end with CR LF; names of
 *          tokens; values of visible ASCII; nothing twice that is read; a body of a stated length or none
 * Others   are not judged here: node:http reads them, and refuses what is wrong
 * Read     are the headers that the venue knows; of all others only whether they are well formed
 */

/** Those that are read; `readHeaders` names them in the same order. */
const names = [
  'access-key',
  'access-sign',
  'access-timestamp',
  'access-passphrase',
  'content-type',
  'content-length',
  'connection',
  'locale',
  'x-forwarded-for',
  'x-channel-api-code',
  'x-request-id',
  'accept-encoding',
  'if-none-match',
] as const

type PlainHeaders = Readonly<Record<(typeof names)[number], string | undefined>>

export interface RequestHead {
  readonly method: 'GET' | 'POST'
  /** Path and query as received. */
  readonly target: string
  readonly headers: PlainHeaders
  /** Where the body begins, and how long it is. */
  readonly headBytes: number
  readonly bodyBytes: number
}

/** What fits into no more is left to node:http, which knows the limits. */
export const headBytesMax = 8 * 1024
const linesMax = 100
const targetPattern = /^\/[\w.~%!$&'()*+,;=:@/?-]*$/
const linesPattern = /^(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r\n)*$/
/** Headers that change how a request is read or its connection is used, and one that only a laboratory knows. */
const changing = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'keep-alive',
  'proxy-connection',
  'x-tidemark-fault',
])

/** What becomes of a header, by its name as it was spelled: the place among those that are read, or one of these. */
const ignored = -1
const notPlain = -2
const placesBySpelling = new Map<string, number>()
/** Clients spell names in few ways; whoever makes some up is read, only slower. */
const spellingsMax = 1_000

/** Undefined: it is not plain, or not whole yet. */
export function readHead(bytes: Buffer): RequestHead | undefined {
  const text = bytes.toString('latin1', 0, headBytesMax)
  const method = text.startsWith('POST ') ? 'POST' : text.startsWith('GET ') ? 'GET' : undefined
  if (method === undefined) return undefined
  const lineEnd = text.indexOf('\r\n')
  const end = text.indexOf('\r\n\r\n', lineEnd)
  const targetEnd = lineEnd - ' HTTP/1.1'.length
  if (end < 0 || !text.startsWith(' HTTP/1.1\r\n', targetEnd)) return undefined
  const target = text.slice(method.length + 1, targetEnd)
  if (!targetPattern.test(target) || !linesPattern.test(text.slice(lineEnd + 2, end + 2))) return undefined
  const headers = readHeaders(text, lineEnd + 2, end + 2)
  if (headers === undefined) return undefined
  const { connection = 'keep-alive', 'content-length': length = '0' } = headers
  if (connection.toLowerCase() !== 'keep-alive' || !/^\d{1,7}$/.test(length)) return undefined
  return { method, target, headers, headBytes: end + 4, bodyBytes: Number(length) }
}

function readHeaders(text: string, from: number, to: number): PlainHeaders | undefined {
  const values: (string | undefined)[] = [...noValues]
  for (let at = from, lines = 1; at < to; lines++) {
    if (lines > linesMax) return undefined
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r\n', colon)
    const place = placeOf(text.slice(at, colon))
    at = end + 2
    if (place === ignored) continue
    if (place === notPlain || values[place] !== undefined) return undefined
    values[place] = text.slice(colon + 1, end).trim()
  }
  return {
    'access-key': values[0],
    'access-sign': values[1],
    'access-timestamp': values[2],
    'access-passphrase': values[3],
    'content-type': values[4],
    'content-length': values[5],
    connection: values[6],
    locale: values[7],
    'x-forwarded-for': values[8],
    'x-channel-api-code': values[9],
    'x-request-id': values[10],
    'accept-encoding': values[11],
    'if-none-match': values[12],
  }
}

const noValues = names.map(() => undefined)

function placeOf(spelling: string): number {
  const known = placesBySpelling.get(spelling)
  if (known !== undefined) return known
  const name = spelling.toLowerCase()
  const found = names.indexOf(name as (typeof names)[number])
  const place = found >= 0 ? found : changing.has(name) ? notPlain : ignored
  // A copy: a slice would keep the whole head that it is of.
  if (placesBySpelling.size < spellingsMax)
    placesBySpelling.set(Buffer.from(spelling, 'latin1').toString('latin1'), place)
  return place
}
