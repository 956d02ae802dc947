/**
 * `startVenue`: a venue of one's own in the process that all workers of a test run share, in the one that TIDEMARK_URL names, or in
 * this one.
 */
import { Calls, LabError } from './calls.ts'
import { holdHere } from './in-process.ts'
import { type Held, holdAt, holdLab } from './lab-process.ts'
import { type Shown, Venue } from './venue.ts'

export interface VenueOptions {
  /** The clock stands still, nobody else trades, and the same calls give the same bytes. */
  readonly deterministic?: boolean
  /** The venue's first moment: ISO 8601 with a zone. */
  readonly startAt?: string
  /** What the simulated market and ids are drawn from. */
  readonly seed?: number
  /** Simulated traders; unless told: where the clock runs. */
  readonly simulator?: boolean
  /** A snapshot of the process's first venue by its name, or the path of a snapshot file. */
  readonly from?: string
  /** How v3 speaks where recorded messages and the interface differ; unless told: as the interface has it. */
  readonly v3Dialect?: 'interface' | 'live'
  /** Limits of requests as the interface states them; unless told: yes. */
  readonly rateLimits?: boolean
  /** In this process, to debug it. */
  readonly inProcess?: boolean
}

/**
 * What runners give the start of a laboratory before the first test. A test's own limit, often five seconds, is for what it does: on a
 * busy machine the start alone may take longer.
 */
export const startMsMax = 60_000

/** Starts the laboratory of such venues, or finds it; what comes back lets it go. Throws LabError `no-start`. */
export async function holdLaboratory(options: VenueOptions): Promise<() => Promise<void>> {
  const held = await laboratoryOf(options)
  return async () => held.leave()
}

async function laboratoryOf({
  deterministic = false,
  rateLimits = true,
  inProcess = false,
}: VenueOptions): Promise<Held> {
  const { TIDEMARK_URL: named, TIDEMARK_LAB_TOKEN: token } = process.env
  if (named && !inProcess) return heldAt(named, token)
  return (inProcess ? holdHere : holdLab)({ deterministic, rateLimits })
}

/** Throws LabError: `no-start`, `venues-max`, or whatever field is wrong. */
export async function startVenue(options: VenueOptions = {}): Promise<Venue> {
  const { startAt, seed, from, v3Dialect, deterministic = false, inProcess = false } = options
  const { TIDEMARK_URL: named, TIDEMARK_LAB_TOKEN: token } = process.env
  const isNamed = named !== undefined && named !== '' && !inProcess
  const held = await laboratoryOf(options)
  const calls = new Calls(held.url, isNamed ? token : undefined)
  try {
    if (isNamed) await checkSettings(calls, options)
    const simulator = options.simulator ?? (from === undefined && !isNamed ? !deterministic : undefined)
    const shown = await calls.lab<Shown>('POST', '/venues', { startAt, seed, from, simulator, v3Dialect })
    return new Venue(shown, { calls, leave: async () => held.leave() })
  } catch (error) {
    await held.leave()
    throw error
  }
}

async function heldAt(url: string, token: string | undefined): Promise<Held> {
  const base = url.replace(/\/+$/, '')
  const held = await holdAt(base, token)
  if (held !== undefined) return held
  // Says why.
  await new Calls(base, token).lab('GET', '')
  throw new LabError(0, { code: 'unreachable', message: `TIDEMARK_URL: the laboratory at ${base} lets nobody attach` })
}

/** What a process that somebody else has started does not do cannot be asked of it. */
async function checkSettings(calls: Calls, { deterministic }: VenueOptions): Promise<void> {
  const shown = await calls.lab<{ readonly deterministic: boolean }>('GET', '')
  if (deterministic === undefined || deterministic === shown.deterministic) return
  const message = `deterministic: the venue at ${calls.url} (TIDEMARK_URL) was started ${shown.deterministic ? 'with' : 'without'} --deterministic`
  throw new LabError(0, { code: 'option-wrong', field: 'deterministic', message })
}
