/**
 * Whether this venue mirrors another, and how that stands: what `GET /health` says of it.
 */
export interface MirrorInfo {
  readonly url: string
  readonly state: 'connecting' | 'live' | 'stale'
}

/** Null: it mirrors none; undefined: the venue cannot be asked. */
export async function readMirror(): Promise<MirrorInfo | null | undefined> {
  const answer = await fetch('/health', { credentials: 'omit', cache: 'no-store' }).catch(() => undefined)
  const health = (await answer?.json().catch(() => undefined)) as { readonly mirror?: MirrorInfo } | undefined
  return health === undefined ? undefined : (health.mirror ?? null)
}
