/**
 * `npm run fuzz -- [--minutes N] [--seed S] [--requests N] [--hashes SHARE]`: the grammar fuzz of test/hostile/ for as long
 * as one likes, on fresh venues with fresh seeds; five minutes unless told otherwise.
 *
 * Rounds     100,000 requests to one venue, then 300 conversations over sockets, then the next seed: the seed of the round
 *            and the number of requests repeat what broke
 * Exits      1 when something did not hold, with what it was
 */
import { parseArgs } from 'node:util'
import { endpoints } from '../src/api/api.ts'
import { Broken, Fuzz } from '../test/hostile/fuzz.ts'
import { House } from '../test/hostile/house.ts'
import { rawFrames, SocketFuzz } from '../test/hostile/socket-fuzz.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string' },
    hashes: { type: 'string', default: '0.01' },
  },
})
const roundRequests = Number(values.requests ?? 100_000)
const untilMs = performance.now() + Number(values.minutes) * 60_000
let seed = Number(values.seed)
let total = 0
const succeeded = new Set<unknown>()
const codes = new Set<string>()

for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(kind, (error) => fail(error, `${kind} with seed ${seed}`))
}

do {
  const house = await House.open()
  const fuzz = new Fuzz(house, seed, { compareShare: Number(values.hashes) })
  const { figures } = fuzz
  try {
    const goesOn = () => values.requests !== undefined || performance.now() < untilMs
    while (figures.requests < roundRequests && goesOn()) await fuzz.step()
    const url = await house.api.listen({ host: '127.0.0.1', port: 0 })
    const sockets = new SocketFuzz(house, url, seed)
    for (let count = 0; count < 300; count++) await sockets.talk(30)
    await rawFrames(url, seed, 300)
    const { balanced } = await house.runtime.verify()
    if (!balanced) throw new Error('the books do not balance')
    if (!(await house.replaysAlike())) throw new Error('the journal gives another state')
    total += figures.requests + sockets.figures.messages
  } catch (error) {
    fail(error, `seed ${seed}; to repeat: npm run fuzz -- --seed ${seed} --requests ${figures.requests}`)
  }
  for (const endpoint of figures.succeeded) succeeded.add(endpoint)
  for (const code of figures.codes.keys()) codes.add(code)
  const { ms, what } = figures.worst
  process.stdout.write(
    `seed ${seed}: ${figures.requests} requests, ${figures.compared} states compared, worst ${ms.toFixed(1)} ms of processor: ${what}\n`,
  )
  await house.close()
  seed += 1
} while (performance.now() < untilMs && values.requests === undefined)
process.stdout.write(
  `${total} requests and messages, ${succeeded.size} of ${endpoints.length} endpoints succeeded, ${codes.size} codes: nothing broke\n`,
)

function fail(error: unknown, where: string): never {
  process.stderr.write(
    `${where}\n${error instanceof Broken ? error.message : ((error as Error).stack ?? String(error))}\n`,
  )
  process.exit(1)
}
