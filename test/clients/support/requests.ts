/**
 * Requests exactly as a client sends them, written down as facts: a client that cannot be installed here, or whose licence
 * does not allow it, is held to the venue by what it sends.
 *
 * A row      the client's own name for the call, method and path, and the fields of its query or body
 * <words>    in a field stand for what is only known when it is sent: `<now>`, `<a spot order>`, `<the sub-account>`
 * Succeeds   a row is answered with 00000, every field it sends is one that the endpoint knows, and the answer has what
 *            the client reads; rows that are not so say what they are instead
 */

export type RequestLine = `${'GET' | 'POST'} /api/v${1 | 2 | 3}/${string}` | `GET /api/${string}`

export interface Otherwise {
  /** Fields of an answer, or of its first row, that the client cannot do without. */
  readonly reads?: string
  /** Fields that it sends and that the endpoint passes over. */
  readonly passedOver?: string
  /** The code that it is refused with, here and elsewhere. */
  readonly refused?: string
  /** Why there is nothing at this path. */
  readonly notOffered?: string
  /** What the client does wrong. */
  readonly fault?: string
  /** What somebody should know who relies on it. */
  readonly note?: string
}

export type ListedRequest = readonly [
  call: string,
  line: RequestLine,
  fields: Readonly<Record<string, unknown>>,
  otherwise?: Otherwise,
]

export interface RequestList {
  readonly client: string
  readonly mode: 'v2' | 'v3'
  readonly headers?: Readonly<Record<string, string>>
  readonly requests: readonly ListedRequest[]
}

/** What stands for each `<word>`; asked once for each time that it is sent. */
export type Words = Readonly<Record<string, () => Promise<string> | string>>

/** The fields with every `<word>` in them said. */
export async function said<Value>(value: Value, words: Words): Promise<Value> {
  if (typeof value === 'string') {
    const word = /^<(.+)>$/.exec(value)?.[1]
    if (word === undefined) return value
    const say = words[word]
    if (say === undefined) throw new Error(`no such word: ${word}`)
    return (await say()) as Value
  }
  if (Array.isArray(value)) {
    const parts: unknown[] = []
    for (const part of value as readonly unknown[]) parts.push(await said(part, words))
    return parts as Value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) fields[name] = await said(part, words)
  return fields as Value
}
