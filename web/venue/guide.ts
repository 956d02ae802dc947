/**
 * Where the guide says more: `/docs/guide/PAGE#CHAPTER` on the port of the interface. Chapters have ids as the guide makes them.
 *
 * Source  scripts/guide/pages.ts
 */
export function chapterAddress(page: string, chapter: string): string {
  const id = chapter
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')
  return `/docs/guide/${page}#${id}`
}

/** Page and chapter of `docs/risk.md § Isolated`; undefined: it is another text. */
export function citedIn(source: string): { readonly page: string; readonly chapter: string } | undefined {
  const [, page, chapter] = /^docs\/([a-z-]+)\.md § (.+)$/.exec(source) ?? []
  return page === undefined || chapter === undefined ? undefined : { page, chapter }
}

/** Where clients reach the venue; one that listens on every address is where this page is. Undefined: it is told no address of the web. */
export function interfaceAt(address: string, here: string): string | undefined {
  const [, scheme, host, port] = /^(https?):\/\/(.+):(\d+)$/.exec(address) ?? []
  if (host === undefined) return undefined
  return `${scheme}://${host === '0.0.0.0' || host === '[::]' ? here : host}:${port}`
}
