/**
 * Days of a demo venue, as fast as they pass: what its process holds at the end of each, and whether that grows.
 *
 * Market   on the first day as always, so that caches and heap get as large as a day makes them; then with a share of its actions,
 *          so that a month takes minutes. Prices, funding, interest, expiry, candles and timers are always those of any venue
 * Holds    memory after the first day stays within its bound (growth.ts) · no more files than after the first day, but a few that
 *          come and go · the books balance
 * Memory   is looked at eight times a day; the line of a day has the most
 */
import { DayVenue } from './day-venue.ts'
import { growthFault } from './growth.ts'
import { type Held, HeldWatch } from './held.ts'

interface DaysAsked {
  readonly days: number
  readonly seed: number
  /** What the market does after the first day, of what it usually does. */
  readonly activity: number
  /** Of clients, each day. */
  readonly requests: number
}

const dayMs = 86_400_000
const looksPerDay = 8
/** Segments, snapshots and connections that come and go. */
const filesMoreMax = 16

/** Prints a line for each day, and the tables at the end; rejects when something did not hold. */
export async function soakDays({ days, seed, activity, requests }: DaysAsked): Promise<void> {
  console.log(
    `seed ${seed}, after the first day ${activity} of the market's usual activity, ${requests} requests of clients a day`,
  )
  console.log(columns.map(({ name }) => name.padStart(width(name))).join(''))
  await using venue = await DayVenue.open(seed)
  const watch = new HeldWatch(venue)
  const startedMs = performance.now()
  const ends: Held[] = []
  const mostMb: number[] = []
  for (let day = 1; day <= days; day++) {
    if (day === 2) venue.market.setActivity(activity)
    let most = 0
    for (let look = 0; look < looksPerDay; look++) {
      await venue.pass(dayMs / looksPerDay, Math.ceil(requests / looksPerDay))
      most = Math.max(most, watch.rssMb())
    }
    const held = { ...(await watch.look()), rssMb: most }
    ends.push(held)
    mostMb.push(most)
    const seconds = (performance.now() - startedMs) / 1_000
    console.log(columns.map(({ name, of }) => of(held, day, seconds).toFixed(0).padStart(width(name))).join(''))
  }
  watch.close()
  console.log(tablesText(ends))
  const faults = [
    growthFault(mostMb),
    filesFault(ends),
    (await venue.balances()) ? undefined : 'the books do not balance',
  ].filter((fault) => fault !== undefined)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  console.log('held: memory stays where it was after the first day')
}

const columns: readonly { readonly name: string; readonly of: (held: Held, day: number, seconds: number) => number }[] =
  [
    { name: 'day', of: (_held, day) => day },
    { name: 'rss', of: ({ rssMb }) => rssMb },
    { name: 'heap', of: ({ heapMb }) => heapMb },
    { name: 'live', of: ({ liveMb }) => liveMb },
    { name: 'external', of: ({ externalMb }) => externalMb },
    { name: 'buffers', of: ({ buffersMb }) => buffersMb },
    { name: 'history heap', of: ({ historyHeapMb }) => historyHeapMb },
    { name: 'twin', of: ({ twinMb }) => twinMb },
    { name: 'history file', of: ({ historyFileMb }) => historyFileMb },
    { name: 'journal', of: ({ journalMb }) => journalMb },
    { name: 'files', of: ({ files }) => files },
    { name: 'pending', of: ({ pendingEvents }) => pendingEvents },
    { name: 'commands', of: ({ commands }) => commands },
    { name: 'seconds', of: (_held, _day, seconds) => seconds },
  ]

function width(name: string): number {
  return Math.max(7, name.length) + 2
}

/** Entries of each table after the first day, in the middle and at the end. */
function tablesText(ends: readonly Held[]): string {
  const shown = [...new Set([0, Math.floor(ends.length / 2), ends.length - 1])]
  const lines = Object.keys(ends[0].tables).map((table) => {
    return table.padEnd(24) + shown.map((day) => String(ends[day].tables[table]).padStart(12)).join('')
  })
  return ['entries'.padEnd(24) + shown.map((day) => `day ${day + 1}`.padStart(12)).join(''), ...lines].join('\n')
}

function filesFault([first, ...later]: readonly Held[]): string | undefined {
  const last = later.at(-1)
  if (last === undefined || last.files <= first.files + filesMoreMax) return undefined
  return `files stay open: ${first.files} after the first day, ${last.files} after the last`
}
