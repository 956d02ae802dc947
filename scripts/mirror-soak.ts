/**
 * `node scripts/run.js scripts/mirror-soak.ts [MINUTES]`: a lively venue mirrored in another on loopback, two minutes unless told.
 *
 * Venues   the source a process of its own, the mirror in this one; ten symbols; `ACTIVITY` times the usual market (default 40)
 * Faults   every 20 s in turn: a socket is cut, a message is lost, the mirror starts again, the source starts again
 * Holds    outside of the seconds that a fault is given, no book is longer than 250 ms another than the source had within 250 ms.
 *          A look may fall between the trades and the levels of one moment: such looks are counted (`different`)
 * Prints   counts at the end; exits 1 when a book was another
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { startVenue } from '../src/main.ts'
import type { Mirror } from '../src/mirror/mirror.ts'
import { defaults } from '../src/operator/config/settings.ts'
import type { Core } from '../src/runtime/runtime.ts'
import { Equality } from './mirror-soak/equality.ts'
import { Way } from './mirror-soak/way.ts'

const minutes = Number(process.argv[2] ?? '2')
const activity = process.env['ACTIVITY'] ?? '40'
const faultEveryMs = 20_000
/** What each fault is given until books are equal again. */
const excusedMs = { cut: 2_000, lost: 2_000, mirror: 6_000, source: 15_000 } as const
const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT']

const directory = mkdtempSync(join(tmpdir(), 'tidemark-mirror-'))
const port = await freePort()
const sourceUrl = `http://127.0.0.1:${port}`
let source = await startSource()
const way = await Way.open(sourceUrl)
let mirror: Mirror | undefined
let core: Core | undefined
let local = await startMirror()
const { instruments } = core!.query({ kind: 'catalog' })
const followed = instruments.filter(({ symbol }) => symbols.includes(symbol))
const equality = new Equality(followed)
equality.follow(sourceUrl)
equality.mirrorIs(core)
equality.excuse(5_000)

const faults = ['cut', 'lost', 'cut', 'lost', 'mirror', 'cut', 'lost', 'source'] as const
const done: Record<string, number> = {}
const endsAt = performance.now() + minutes * 60_000
await sleep(10_000)
const cpu = process.cpuUsage()
/** How long this process had to wait for its processor: others at work on the machine. */
const waits = monitorEventLoopDelay({ resolution: 5 })
waits.enable()
const measuredFrom = performance.now()
for (let place = 0; performance.now() + faultEveryMs < endsAt; place++) {
  const fault = faults[place % faults.length]
  done[fault] = (done[fault] ?? 0) + 1
  equality.excuse(excusedMs[fault], fault)
  if (fault === 'cut') way.cut()
  else if (fault === 'lost') way.lose()
  else if (fault === 'mirror') {
    equality.mirrorIs(undefined)
    await local.stop()
    local = await startMirror()
    equality.excuse(excusedMs.mirror, fault)
    equality.mirrorIs(core)
  } else {
    await stopSource()
    source = await startSource()
    equality.excuse(excusedMs.source, fault)
    equality.follow(sourceUrl)
  }
  await sleep(faultEveryMs)
}
const seconds = (performance.now() - measuredFrom) / 1_000
const { user, system } = process.cpuUsage(cpu)
const shown = mirror!.shown()
const verified = core!.query({ kind: 'verify' })
equality.close()
console.log({
  seconds: Math.round(seconds),
  symbols: followed.length,
  faults: done,
  pushes: equality.pushes,
  changesPerSecondAndSymbol: Number((equality.changes / seconds / followed.length).toFixed(1)),
  compared: equality.compared,
  different: equality.different,
  differing: Object.fromEntries(equality.differing),
  awayMsMax: Math.round(equality.awayMsMax),
  inFaults: equality.excused,
  awayMsMaxInFaults: Math.round(equality.awayMsMaxInFaults),
  away: [...equality.away]
    .slice(0, 20)
    .map(([name, { ms, fault, afterMs }]) => `${name}: ${ms} ms, ${afterMs} ms after ${fault}`),
  loopDelayMs: { p99: Math.round(waits.percentile(99) / 1e6), max: Math.round(waits.max / 1e6) },
  processorShare: Number(((user + system) / 1e6 / seconds).toFixed(2)),
  refused: shown.markets.reduce((sum, { refused }) => sum + refused, 0),
  lastRefusals: [...new Set(shown.markets.map(({ lastRefusal }) => lastRefusal))],
  resyncs: shown.markets.reduce((sum, { resyncs }) => sum + resyncs, 0),
  state: shown.state,
  balanced: verified.balanced,
})
await local.stop()
way.close()
await stopSource()
rmSync(directory, { recursive: true, force: true })
process.exitCode = equality.awayMsMax < 250 && verified.balanced ? 0 : 1

async function startSource(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./mirror-soak/venue.ts', import.meta.url))
  const child = spawn(process.execPath, [script, join(directory, 'source'), String(port), activity], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function stopSource(): Promise<void> {
  const ended = once(source, 'exit')
  source.kill('SIGTERM')
  await ended
}

async function startMirror() {
  const settings = {
    data: join(directory, 'mirror'),
    port: 0,
    operatorPort: 0,
    durability: 'os',
    mirror: way.url,
  } as const
  return startVenue(
    { ...defaults, ...settings, mirrorSymbols: symbols },
    {
      log: pino({ level: 'error' }),
      onFatal: (error) => {
        throw error
      },
      onMirror: (opened, its) => {
        mirror = opened
        core = its
      },
    },
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address() as { port: number }
  server.close()
  return free
}
