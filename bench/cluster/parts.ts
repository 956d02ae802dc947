/** What the parts of the bench of several cores share. */
import { ClusterVenue, type ClusterOptions } from '../../test/cluster/processes.ts'
import { NatsCluster } from '../../test/support/nats.ts'
import { launchPostgres, type Postgres } from '../../test/support/postgres.ts'
import { type Figure, quantile, report, rounded } from '../measure.ts'

export interface ClusterAsked {
  readonly quick: boolean
  /** Of the files of cores, and of the venue in one process. */
  readonly durability: 'sync' | 'os'
  /** That rest. */
  readonly orders: number
  /** Of the history. */
  readonly rowsPerSecond: number
}

export interface ClusterHome extends AsyncDisposable {
  readonly nats: NatsCluster
  readonly venue: ClusterVenue
}

/** Ended with it: its processes, and its NATS servers. */
export async function openCluster({ durability }: ClusterAsked, options: ClusterOptions = {}): Promise<ClusterHome> {
  await using opened = new AsyncDisposableStack()
  const nats = await NatsCluster.start()
  opened.defer(() => nats.stop())
  const flags = ['--durability', durability]
  const venue = await ClusterVenue.start(nats, { ...options, each: { ...options.each, core: [flags, flags, flags] } })
  opened.defer(() => venue.stop())
  const ends = opened.move()
  return { nats, venue, [Symbol.asyncDispose]: () => ends.disposeAsync() }
}

/** Undefined: there is none here, and the line was said. */
export async function openPostgres(): Promise<(Postgres & AsyncDisposable) | undefined> {
  try {
    const postgres = await launchPostgres()
    return { ...postgres, [Symbol.asyncDispose]: () => postgres.stop() }
  } catch (error) {
    process.stderr.write(`left out: no PostgreSQL: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}

export function tell(name: string, count: number, figures: Figure['figures']): void {
  const shown = Object.entries(figures).map(([key, value]) => [key, rounded(value)])
  report({ bench: 'cluster', case: name, count, figures: Object.fromEntries(shown) as Figure['figures'] })
}

/** `NAMEP50Ms` and so on. */
export function spread(name: string, ms: readonly number[]): Record<string, number> {
  const shares = { P50Ms: 0.5, P99Ms: 0.99, MaxMs: 1 }
  return Object.fromEntries(Object.entries(shares).map(([key, share]) => [`${name}${key}`, quantile(ms, share)]))
}
