/**
 * Steps of the manual clock over HTTP: a second of a venue without agents, a second and an hour of the simulated market.
 *
 * Client    in this process, over one connection; the venue is a process beside it
 * Figures   milliseconds of a step, at the median and at worst, and how much faster than real time it is
 * Options   `--quick` takes fewer steps
 */
import { once } from 'node:events'
import { spawnChild } from './child.ts'
import { connected, isWhole } from './http/requests.ts'
import { report, rounded } from './measure.ts'

const isQuick = process.argv.includes('--quick')
const cli = new URL('../src/cli/cli.ts', import.meta.url).pathname

await stepping('a second, no agents', 'off', 1_000, isQuick ? 200 : 2_000)
await stepping('a second of the simulated market', 'on', 1_000, isQuick ? 100 : 1_000)
await stepping('an hour of the simulated market', 'on', 3_600_000, isQuick ? 2 : 5)

async function stepping(name: string, simulator: 'on' | 'off', ms: number, count: number): Promise<void> {
  const venue = spawnChild([cli, 'dev', '--deterministic', '--simulator', simulator, '--port', '0', '--json'], {
    environment: { TIDEMARK_LOG_LEVEL: 'silent' },
  })
  const [line] = (await once(venue.stdout!, 'data')) as [Buffer]
  const { url } = (JSON.parse(line.toString().split('\n')[0]) as { ready: { url: string } }).ready
  const step = await stepper(Number(new URL(url).port), ms)
  // The first steps compile the code, and the first hour fills the histories.
  for (let warm = 0; warm < Math.max(1, count / 10); warm++) await step()
  const taken: number[] = []
  for (let done = 0; done < count; done++) {
    const startedMs = performance.now()
    await step()
    taken.push(performance.now() - startedMs)
  }
  taken.sort((a, b) => a - b)
  const sum = taken.reduce((total, one) => total + one, 0)
  report({
    bench: 'steps',
    case: name,
    count,
    figures: {
      medianMs: rounded(taken[taken.length >> 1]),
      p99Ms: rounded(taken[Math.floor(taken.length * 0.99)]),
      timesRealTime: rounded((ms * count) / sum),
    },
  })
  venue.kill('SIGTERM')
  await once(venue, 'exit')
}

/** A function that moves the clock by so many milliseconds. */
async function stepper(port: number, ms: number): Promise<() => Promise<void>> {
  const socket = await connected(port)
  const body = JSON.stringify({ step: ms })
  const request = `POST /_lab/clock HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  let received = ''
  let heard: (() => void) | undefined
  socket.on('data', (chunk: string) => {
    received += chunk
    if (isWhole(received)) heard?.()
  })
  return async () => {
    received = ''
    const answered = new Promise<void>((resolve) => (heard = resolve))
    socket.write(request)
    await answered
    if (!received.startsWith('HTTP/1.1 200')) throw new Error(`the clock did not move: ${received}`)
  }
}
