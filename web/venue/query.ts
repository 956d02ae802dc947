/** Queries of requests as text. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** Values percent-encoded in the order given; absent ones left away. The text that is sent is the text that is signed. */
export function withQuery(path: string, query: Query): string {
  const text = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  return text === '' ? path : `${path}?${text}`
}
