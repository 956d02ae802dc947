/**
 * Whether everything that was answered holds, while nobody trades: each fault in a sentence.
 *
 * Always   orders against their answers, nobody stands twice, all cores have one state, every process runs
 * At last  the whole log, and the files of all cores against it; the rows of the database
 */
import {
  type ClusterVenue,
  commanded,
  pause,
  type Standing,
  standingAt,
  standTwice,
  type Traders,
} from '../../test/cluster/processes.ts'
import type { Person } from '../../test/support/person.ts'
import { ask } from '../../test/support/postgres.ts'

const patienceMs = 120_000

/** What stood there, when it can be read again after a strike; rejects after two minutes. */
async function standing(person: Person): Promise<Standing> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    try {
      return await standingAt(person)
    } catch (error) {
      if (performance.now() > untilMs) throw error
      await pause(100)
    }
  }
}

export async function faultsNow(venue: ClusterVenue, reader: Person, all: readonly Traders[]): Promise<string[]> {
  const found = await standing(reader)
  const faults = [...all.flatMap((traders) => traders.faultsIn(found)), ...standTwice(found)]
  const hashes = await within('the cores stand at one sequence', venue.hashes())
  if (new Set(hashes).size > 1) faults.push(`the cores have different states: ${hashes.join(', ')}`)
  return [...faults, ...venue.gone().map(({ text }) => text)]
}

export async function faultsAtLast(venue: ClusterVenue, database: string | undefined): Promise<string[]> {
  const directories = venue.addresses.map((_, place) => venue.coreData(place))
  const verified = await commanded('log', 'verify', ...directories, ...venue.logFlags())
  const faults = [...(verified['faults'] as readonly string[]), ...(verified['damaged'] as readonly string[])]
  if (database === undefined) return faults
  const twice = await ask(
    database,
    'select order_id, count(*) as times from orders group by order_id having count(*) > 1',
  )
  return [...faults, ...twice.map((row) => `order ${String(row['order_id'])} has ${String(row['times'])} rows`)]
}

/** Rejects when it takes more than two minutes, with what did. */
export async function within<T>(what: string, done: Promise<T>): Promise<T> {
  const tooLate = new AbortController()
  const late = pauseUntil(patienceMs, tooLate.signal).then(() => {
    throw new Error(`not within ${patienceMs / 1_000} s: ${what}`)
  })
  return Promise.race([done, late]).finally(() => tooLate.abort())
}

function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
