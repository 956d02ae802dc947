/**
 * What a venue of the laboratory says of itself: all that a client needs, so that no file has to be read.
 *
 * Addresses  beyond loopback as the caller reaches them: with the name and the port of its `Host`. A container's port may be
 *            another one outside. The venue that the call did not come to has its own port
 * Source     lab.md §4.1, §4.2
 */
import type { V3Dialect } from '../api/api.ts'
import { shownMarket } from './tape/impact.ts'
import type { DemoKey, LabVenue } from './venue.ts'
import type { LabShelves } from './venues.ts'

/** Which venue a call came to, and by which address. */
type AskedVenue = Pick<LabShelves, 'venue' | 'reachedAt'>

interface Sockets {
  readonly public: string
  readonly private: string
}

interface ShownVenue {
  readonly venue: string
  readonly url: string
  readonly ws: { readonly v2: Sockets; readonly v3: Sockets }
  /** Unix milliseconds. */
  readonly now: number
  readonly clock: LabVenue['clock']
  readonly sequence: number
  readonly simulator: boolean
  readonly v3Dialect: V3Dialect
  readonly deterministic: boolean
  /** Of a venue on disk; null: it is in memory. */
  readonly branch: string | null
  /** A recorded market that it plays; null: none. */
  readonly market: ReturnType<typeof shownMarket>
  /** By role. */
  readonly keys: Readonly<Record<string, DemoKey>>
  readonly version: string
}

/** `asked` is the venue that the call came to, if another one. */
export function shown({ lab, venue }: LabShelves, asked: AskedVenue = { venue }): ShownVenue {
  const { runtime, simulator, v3Dialect, demoKeys } = venue.parts
  const url = addressOf(venue, asked, lab.onePort?.url)
  const socket = (version: string, side: string) => `${url.replace(/^http/, 'ws')}/${version}/ws/${side}`
  const sockets = (version: string) => ({ public: socket(version, 'public'), private: socket(version, 'private') })
  return {
    venue: venue.id,
    url,
    ws: { v2: sockets('v2'), v3: sockets('v3') },
    now: runtime.now(),
    clock: venue.clock,
    sequence: runtime.sequence,
    simulator: simulator !== undefined,
    v3Dialect,
    deterministic: lab.options.deterministic,
    branch: venue.kept?.current ?? null,
    market: shownMarket(venue),
    keys: demoKeys(),
    version: lab.options.version,
  }
}

function addressOf(venue: LabVenue, { venue: asked, reachedAt = '' }: AskedVenue, onePort: string | undefined): string {
  const { url } = venue.parts
  const reached = URL.parse(`http://${reachedAt}`)
  if (onePort !== undefined) {
    const base = reached === null ? onePort : `http://${reached.host}`
    return venue.id === 'main' ? base : `${base}/v/${venue.id}`
  }
  if (reached === null) return url
  return `http://${venue === asked ? reached.host : `${reached.hostname}:${new URL(url).port}`}`
}
