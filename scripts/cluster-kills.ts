/**
 * `npm run cluster-kills [-- KILLS [MINUTES [SEED]]]`: three cores, two gateways and three NATS servers on loopback under load. One of
 * them after the other, drawn by the seed, is killed, stopped for a while or told to go, and comes back.
 *
 * Bounds  200 kills or 20 minutes, whichever comes first
 * Holds   nothing acknowledged is lost, nothing stands twice, nothing refused as never sequenced stands, all cores have one hash
 * Tells   one line of JSON: how often what was done, and the milliseconds until an order was acknowledged that was sent after it
 */
import { NatsCluster, natsServer } from '../test/support/nats.ts'
import { removeTemporaryDirectories } from '../test/support/temporary.ts'
import { Random } from '../test/simulation/random.ts'
import { ClusterVenue, pause, Traders } from '../test/cluster/processes.ts'

const killsMax = Number(process.argv[2] ?? 200)
const minutesMax = Number(process.argv[3] ?? 20)
const seed = Number(process.argv[4] ?? 1)
/** So that whoever came back has caught up before the next. */
const restMs = 1_000

if (natsServer === undefined) process.exit(1)
const random = new Random(seed)
const nats = await NatsCluster.start()
const venue = await ClusterVenue.start(nats, { gateways: 2 })
const log = await nats.open(venue.name)
const traders = new Traders([await venue.person(0), await venue.person(1)], 2)
await traders.until(100)

type Struck = [sinceMs: number, bringBack: () => Promise<void>]

/** Each answers since when nothing of what it took away can answer, and how to bring it back. */
const strikes = {
  'core leader killed': async (): Promise<Struck> => {
    const place = await venue.leader()
    await venue.kill(venue.core(place))
    return [performance.now(), () => venue.startCore(place)]
  },
  'core follower killed': async (): Promise<Struck> => {
    const place = ((await venue.leader()) + 1 + random.below(2)) % 3
    await venue.kill(venue.core(place))
    return [performance.now(), () => venue.startCore(place)]
  },
  'core leader stopped': async (): Promise<Struck> => {
    const core = venue.core(await venue.leader())
    core.kill('SIGSTOP')
    // What it has just answered is on its way.
    await pause(10)
    return [performance.now(), async () => void core.kill('SIGCONT')]
  },
  'core leader resigns': async (): Promise<Struck> => {
    const leader = await venue.leader()
    const askedMs = performance.now()
    await venue.ask(leader, 'resign')
    return [askedMs, async () => {}]
  },
  'gateway killed': async (): Promise<Struck> => {
    const place = random.below(2)
    await venue.kill(venue.gateway(place))
    return [performance.now(), () => venue.startGateway(place)]
  },
  'NATS leader killed': async (): Promise<Struck> => {
    const place = nats.placeOf(await leadsStream())
    await nats.end(place, 'SIGKILL')
    return [performance.now(), () => natsBack(place)]
  },
  'NATS follower killed': async (): Promise<Struck> => {
    const place = (nats.placeOf(await leadsStream()) + 1 + random.below(2)) % 3
    await nats.end(place, 'SIGKILL')
    return [performance.now(), () => natsBack(place)]
  },
}

async function natsBack(place: number): Promise<void> {
  nats.startServer(place)
  await nats.isHealthy(place)
}

async function leadsStream(): Promise<string> {
  for (;;) {
    const leader = await log.leader().catch(() => undefined)
    if (leader !== undefined) return leader
    await pause(50)
  }
}

type Strike = keyof typeof strikes
const names = Object.keys(strikes) as Strike[]
const gaps = new Map<Strike, number[]>(names.map((name) => [name, []]))
const faults: string[] = []
const endMs = performance.now() + minutesMax * 60_000
let kills = 0
try {
  for (; kills < killsMax && performance.now() < endMs; kills++) {
    const name = random.pick(names)
    const [struckMs, bringBack] = await strikes[name]()
    gaps.get(name)!.push(Math.round((await traders.acknowledgedAfter(struckMs)) - struckMs))
    await bringBack()
    await traders.until(traders.answered + 10)
    await pause(restMs)
  }
  await traders.stop()
  faults.push(...(await traders.faults()))
  const hashes = new Set(await venue.hashes())
  if (hashes.size > 1) faults.push(`the cores have ${hashes.size} states`)
  const shown = [...gaps].map(([name, ms]) => [name, { times: ms.length, ...percentiles(ms) }])
  console.log(JSON.stringify({ seed, kills, outcomes: traders.codes(), faults, ...Object.fromEntries(shown) }))
} finally {
  await log.close()
  await venue.stop()
  await nats.stop()
  removeTemporaryDirectories()
}
process.exit(faults.length > 0 ? 1 : 0)

function percentiles(ms: readonly number[]) {
  const sorted = ms.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
  return sorted.length === 0 ? {} : { p50: at(0.5), p90: at(0.9), most: sorted.at(-1) }
}
