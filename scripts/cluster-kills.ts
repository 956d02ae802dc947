/**
 * `npm run cluster-kills [-- --strikes N --minutes M --seed S --check-every N --only WORDS,…]`: three cores, two gateways, three NATS
 * servers, and where there is one a PostgreSQL with two history processes, on loopback under load. One of them after the other is
 * killed, ended, stopped or told to go, and comes back (cluster-kills/strikes.ts). Now and then two are struck at once.
 *
 * Bounds  200 strikes or 30 minutes, whichever comes first. Nothing is waited for longer than two minutes
 * Drawn   by the seed: every kind of strike once in each round, in a new order. How long processes take is not of the seed
 * Holds   after every 20 strikes and at the end: cluster-kills/checks.ts. A read at any gateway has what was acknowledged before it
 * Tells   one line of JSON, and a table: how often what was done, and how long orders waited for it
 * Faults  end it: then it says all that is wrong, and where the files of all processes are. Exits 1; 2 when it is asked wrongly
 */
import { loadavg } from 'node:os'
import { machineAndCommit } from '../bench/stamp.ts'
import { ClusterVenue, pause, Traders } from '../test/cluster/processes.ts'
import { Random } from '../test/simulation/random.ts'
import { NatsCluster, natsServer } from '../test/support/nats.ts'
import { launchPostgres } from '../test/support/postgres.ts'
import { removeTemporaryDirectories } from '../test/support/temporary.ts'
import { readAsked } from './cluster-kills/asked.ts'
import { faultsAtLast, faultsNow, within } from './cluster-kills/checks.ts'
import { groupOf, strike, type StrikeName, type Struck } from './cluster-kills/strikes.ts'
import { spreadOf, Tally } from './cluster-kills/tally.ts'

const asked = readAsked(process.argv.slice(2))
if (typeof asked === 'string') {
  console.error(asked)
  process.exit(2)
}
if (natsServer === undefined) process.exit(1)
const lanes = 2
const restMs = 4
const togetherShare = 1 / 8
/** A NATS server that is behind for longer is started anew. */
const behindMsMax = 30_000
/** Processes compare their states, and cores begin from snapshots, many times in a run. */
const coreFlags = ['--hash-every', '2000', '--snapshot-every', '10000']
process.env['TIDEMARK_MASTER_KEY'] = 'ab'.repeat(32)

const random = new Random(asked.seed)
const postgres = await launchPostgres().catch((error: unknown) => {
  console.error(`without PostgreSQL: ${error instanceof Error ? error.message : String(error)}`)
  return undefined
})
const names = asked.names.filter((name) => postgres !== undefined || !['history', 'PostgreSQL'].includes(groupOf(name)))
const database = await postgres?.database()
const nats = await NatsCluster.start()
const venue = await ClusterVenue.start(nats, {
  gateways: 2,
  each: { core: [coreFlags, coreFlags, coreFlags] },
  ...(database !== undefined && { postgres: database }),
})
if (database !== undefined) await venue.startHistory()
const log = await nats.open(venue.name)
const on = { venue, nats, log, postgres, random }
const people = [await venue.person(0), await venue.person(1)]

const tally = new Tally()
/** How long NATS servers that came back took to have the whole log. */
const currentMs: number[] = []
/** Why processes ended by themselves. */
const begunAnew: string[] = []
const all: Traders[] = []
const faults: string[] = []
const beganMs = performance.now()
const endMs = beganMs + asked.minutes * 60_000
let strikes = 0
try {
  let deck: StrikeName[] = []
  while (strikes < asked.strikes && performance.now() < endMs && faults.length === 0) {
    const traders = new Traders(people, lanes, { name: `b${all.length}`, restMs })
    all.push(traders)
    try {
      await within('the first orders', traders.until(20))
      for (let count = 0; count < asked.checkEvery && strikes < asked.strikes && performance.now() < endMs; count++) {
        if (deck.length === 0) deck = shuffled(names)
        await struck(deck.pop()!, traders)
        await revive()
      }
      await within('traders stop', traders.stop())
      await revive()
      faults.push(...(await faultsNow(venue, people[0], [traders])))
      // An account may have only so many open.
      await people[0].post('/api/v3/trade/cancel-symbol-order', { category: 'SPOT', symbol: 'BTCUSDT' })
    } catch (error) {
      faults.push((error as Error).message)
    }
    console.error(
      `${strikes} strikes, ${traders.answered} orders acknowledged, ${traders.reads} reads: ${faults.length} faults`,
    )
  }
  if (faults.length > 0) await Promise.race([Promise.all(all.map((traders) => traders.stop())), pause(30_000)])
  faults.push(...(await said(faultsNow(venue, people[0], all))), ...(await said(faultsAtLast(venue, database))))
  tell()
} finally {
  await log.close()
  await venue.stop()
  await nats.stop()
  await postgres?.stop()
  if (faults.length === 0) removeTemporaryDirectories()
  else console.error(`files: ${venue.data}, ${nats.directory}`)
}
process.exit(faults.length > 0 ? 1 : 0)

/** What befalls the venue, and until orders go on as before. */
async function struck(name: StrikeName, traders: Traders): Promise<void> {
  if (groupOf(name) === 'NATS') await natsCurrent()
  const away = [await within(name, strike(name, on))]
  strikes += 1
  try {
    if (random.happens(togetherShare)) away.push(...(await another(name)))
    const sinceMs = away.at(-1)!.sinceMs
    const next = traders.acknowledgedAfter(sinceMs).then(async (ms) => {
      await traders.until(traders.answered + 10)
      return ms - sinceMs
    })
    const nextMs = Math.round(await within(`an order is acknowledged after ${name}`, next))
    const silenceMs = Math.round(traders.silenceMs(sinceMs, performance.now()))
    if (away.length === 1) tally.note(name, { nextMs, silenceMs })
    else tally.noteTogether(name)
    console.error(`${strikes} ${name}${away.length === 1 ? '' : ' with another'}: ${nextMs} ms`)
    // How long it stays away.
    await pause(random.below(1_500))
  } finally {
    await within(`what was struck comes back: ${name}`, Promise.all(away.map(({ bringBack }) => bringBack())))
  }
  await within(`orders go on after ${name}`, traders.until(traders.answered + 20))
}

/** One of another group, up to two seconds later. */
async function another(name: StrikeName): Promise<Struck[]> {
  const others = names.filter((other) => groupOf(other) !== groupOf(name))
  if (others.length === 0) return []
  const other = random.pick(others)
  if (groupOf(other) === 'NATS') await natsCurrent()
  await pause(random.below(2_000))
  const found = await within(other, strike(other, on))
  tally.noteTogether(other)
  strikes += 1
  return [found]
}

/** As whoever runs them does: a gateway or a history process may end by itself when it says that it begins anew. A core may not. */
async function revive(): Promise<void> {
  for (const { role, place, text } of venue.gone()) {
    if (role === 'core' || !text.includes('this process begins anew')) throw new Error(text)
    begunAnew.push(/this process begins anew: [^"\\]*/.exec(text)![0])
    console.error(`${role} ${place}: ${begunAnew.at(-1)}`)
    await (role === 'gateway' ? venue.startGateway(place) : venue.startHistory(place))
  }
}

/**
 * All three servers have the log: the next may go. Now and then one that came back stays behind for minutes (docs/scale.md): after half
 * a minute it is started anew, once.
 */
async function natsCurrent(): Promise<void> {
  const sinceMs = performance.now()
  const away = async () => {
    const { copies } = await log.copies()
    return copies.filter(({ isAway, lag }) => isAway || lag > 100).map(({ server }) => server)
  }
  const current = (async () => {
    for (let isRestarted = false; ; await pause(50)) {
      const found = await away().catch(() => ['unknown'])
      if (found.length === 0) return
      if (isRestarted || found.includes('unknown') || performance.now() - sinceMs < behindMsMax) continue
      isRestarted = true
      for (const server of found) {
        begunAnew.push(`the NATS server ${server} was behind for ${behindMsMax / 1_000} s, and was started anew`)
        console.error(begunAnew.at(-1))
        await nats.end(nats.placeOf(server), 'SIGTERM')
        nats.startServer(nats.placeOf(server))
      }
    }
  })()
  await within('all NATS servers have the log', current)
  currentMs.push(Math.round(performance.now() - sinceMs))
}

function shuffled<T>(list: readonly T[]): T[] {
  const left = [...list]
  return list.map(() => left.splice(random.below(left.length), 1)[0])
}

/** The faults that a check finds, or why it could not be made. */
function said(check: Promise<string[]>): Promise<string[]> {
  return check.catch((error: unknown) => [String(error)])
}

function tell(): void {
  const outcomes: Record<string, number> = {}
  for (const traders of all)
    for (const [code, count] of Object.entries(traders.codes())) outcomes[code] = (outcomes[code] ?? 0) + count
  const reads = all.reduce((sum, traders) => sum + traders.reads, 0)
  const minutes = Math.round((performance.now() - beganMs) / 6_000) / 10
  const { seed } = asked as Exclude<typeof asked, string>
  const seen = {
    seed,
    strikes,
    minutes,
    outcomes,
    reads,
    faults,
    begunAnew,
    natsCurrentMs: spreadOf(currentMs),
    load: loadavg()[0],
  }
  console.log(JSON.stringify({ ...seen, ...machineAndCommit(), rows: tally.rows(names) }))
  console.error(`\n${tally.text(names)}`)
  for (const fault of new Set(faults)) console.error(fault)
}
