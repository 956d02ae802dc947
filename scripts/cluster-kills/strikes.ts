/**
 * What can befall a process of a venue: killed (SIGKILL), ended (SIGTERM), stopped (SIGSTOP) until others have taken over or only
 * briefly, and continued. Each says since when it counts, and how the process comes back.
 *
 * Briefly   50 to 1,600 ms: around the silence after which another core claims, and the lease of who leads
 * History   either of two: one writes and one stands by
 */
import type { ChildProcess } from 'node:child_process'
import type { JetStreamLog } from '../../src/jetstream/jetstream.ts'
import { type ClusterVenue, pause } from '../../test/cluster/processes.ts'
import { end } from '../../test/gateway/processes.ts'
import type { Random } from '../../test/simulation/random.ts'
import type { NatsCluster } from '../../test/support/nats.ts'
import type { Postgres } from '../../test/support/postgres.ts'

export interface Struck {
  /** What it took away answers nothing that is sent after this. */
  readonly sinceMs: number
  readonly bringBack: () => Promise<void>
}

/** What is struck. `postgres` is absent where there is none: then nobody writes a history there either. */
export interface Struckable {
  readonly venue: ClusterVenue
  readonly nats: NatsCluster
  readonly log: JetStreamLog
  readonly postgres: Postgres | undefined
  readonly random: Random
}

/** Of these groups two may be struck at once; within one of them most would be gone. */
export const groups = ['core', 'gateway', 'NATS', 'history', 'PostgreSQL'] as const
export type Group = (typeof groups)[number]

const gatewayCount = 2
const historyCount = 2

const strikes = {
  'core leader killed': (on) => leader(on, killed),
  'core leader ended': (on) => leader(on, ended),
  'core leader stopped': (on) => leader(on, stopped),
  'core leader stopped briefly': (on) => leader(on, stoppedBriefly),
  'core leader resigns': async ({ venue }) => {
    const place = await venue.leader()
    const sinceMs = performance.now()
    // On a machine that is too busy to answer in time it has been asked all the same.
    await venue.ask(place, 'resign').catch(() => {})
    return { sinceMs, bringBack: async () => {} }
  },
  'core follower killed': (on) => follower(on, killed),
  'core follower ended': (on) => follower(on, ended),
  'core follower stopped': (on) => follower(on, stopped),
  'gateway killed': (on) => gateway(on, killed),
  'gateway ended': (on) => gateway(on, ended),
  'gateway stopped': (on) => gateway(on, stopped),
  'NATS leader killed': (on) => natsServer(on, 0, 'SIGKILL'),
  'NATS leader ended': (on) => natsServer(on, 0, 'SIGTERM'),
  'NATS leader stopped': (on) => natsServer(on, 0, 'SIGSTOP'),
  'NATS leader stopped briefly': async (on) => {
    const struck = await natsServer(on, 0, 'SIGSTOP')
    await pause(brieflyMs(on))
    await struck.bringBack()
    return { ...struck, bringBack: async () => {} }
  },
  'NATS follower killed': (on) => natsServer(on, 1 + on.random.below(2), 'SIGKILL'),
  'NATS follower ended': (on) => natsServer(on, 1 + on.random.below(2), 'SIGTERM'),
  'NATS follower stopped': (on) => natsServer(on, 1 + on.random.below(2), 'SIGSTOP'),
  'history process killed': (on) => history(on, killed),
  'history process ended': (on) => history(on, ended),
  'history process stopped': (on) => history(on, stopped),
  'PostgreSQL killed': (on) => database(on, (postgres) => postgres.kill()),
  'PostgreSQL ended': (on) => database(on, (postgres) => postgres.stop()),
  'PostgreSQL stopped': async ({ postgres }) => {
    postgres!.signal('SIGSTOP')
    return { sinceMs: performance.now(), bringBack: async () => postgres!.signal('SIGCONT') }
  },
} as const satisfies Record<string, (on: Struckable) => Promise<Struck>>

export type StrikeName = keyof typeof strikes
export const strikeNames = Object.keys(strikes) as readonly StrikeName[]

export function strike(name: StrikeName, on: Struckable): Promise<Struck> {
  return strikes[name](on)
}

export function groupOf(name: StrikeName): Group {
  return groups.find((group) => name.startsWith(group))!
}

/** Takes a process away; `start` makes it anew. */
type Act = (child: ChildProcess, start: () => Promise<unknown>, on: Struckable) => Promise<Struck>

const killed: Act = async (child, start) => {
  await end(child, 'SIGKILL')
  return { sinceMs: performance.now(), bringBack: async () => void (await start()) }
}

const ended: Act = async (child, start) => {
  const sinceMs = performance.now()
  const code = await end(child, 'SIGTERM')
  if (code !== 0) throw new Error(`a process that was told to end did so with ${code ?? child.signalCode}`)
  return { sinceMs, bringBack: async () => void (await start()) }
}

const stopped: Act = async (child) => {
  child.kill('SIGSTOP')
  // What it has just answered is on its way.
  await pause(10)
  return { sinceMs: performance.now(), bringBack: async () => void child.kill('SIGCONT') }
}

const stoppedBriefly: Act = async (child, start, on) => {
  const struck = await stopped(child, start, on)
  await pause(brieflyMs(on))
  await struck.bringBack()
  return { ...struck, bringBack: async () => {} }
}

function brieflyMs({ random }: Struckable): number {
  return 50 + random.below(1_550)
}

async function leader(on: Struckable, act: Act): Promise<Struck> {
  const place = await on.venue.leader()
  return act(on.venue.core(place), () => on.venue.startCore(place), on)
}

async function follower(on: Struckable, act: Act): Promise<Struck> {
  const count = on.venue.addresses.length
  const place = ((await on.venue.leader()) + 1 + on.random.below(count - 1)) % count
  return act(on.venue.core(place), () => on.venue.startCore(place), on)
}

function gateway(on: Struckable, act: Act): Promise<Struck> {
  const place = on.random.below(gatewayCount)
  return act(on.venue.gateway(place), () => on.venue.startGateway(place), on)
}

function history(on: Struckable, act: Act): Promise<Struck> {
  const place = on.random.below(historyCount)
  return act(on.venue.history(place), () => on.venue.startHistory(place), on)
}

/** The server that leads the stream, or so many behind it. */
async function natsServer(
  { nats, log }: Struckable,
  behind: number,
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP',
): Promise<Struck> {
  const place = (nats.placeOf(await streamLeader(log)) + behind) % nats.ports.length
  const askedMs = performance.now()
  if (signal === 'SIGSTOP') {
    nats.signal(place, signal)
    await pause(10)
    return { sinceMs: performance.now(), bringBack: async () => nats.signal(place, 'SIGCONT') }
  }
  await nats.end(place, signal)
  return {
    sinceMs: signal === 'SIGTERM' ? askedMs : performance.now(),
    bringBack: async () => nats.startServer(place),
  }
}

async function database({ postgres }: Struckable, act: (postgres: Postgres) => Promise<void>): Promise<Struck> {
  const sinceMs = performance.now()
  await act(postgres!)
  return { sinceMs, bringBack: () => postgres!.start() }
}

async function streamLeader(log: JetStreamLog): Promise<string> {
  for (;;) {
    const found = await log.leader().catch(() => undefined)
    if (found !== undefined) return found
    await pause(50)
  }
}
