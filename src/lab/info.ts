/**
 * What a venue of the laboratory says of itself: all that a client needs, so that no file has to be read.
 *
 * Source  lab.md §4.1, §4.2
 */
import type { LabShelves } from './venues.ts'

export function shown({ lab, venue }: LabShelves) {
  const { url, runtime, simulator, demoKeys } = venue.parts
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
    deterministic: lab.options.deterministic,
    keys: demoKeys(),
    version: lab.options.version,
  }
}
