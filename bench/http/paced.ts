/**
 * Load at a fixed rate, each request timed from when it was due (due-times.ts): a process of its own.
 *
 * Lanes    connections that stay open, one request in flight on each, in turns: a server closes one that says nothing for long.
 *          With none free a request waits, and its time runs
 * Cheap    requests are signed beforehand: what the generator does on a core is not there for the venue
 * Hears    one Pace at a time over the channel to its parent; answers with what it measured
 */
import type { Socket } from 'node:net'
import { atDueTimes } from '../due-times.ts'
import { connected, isWhole, type LoadRequest, type LoadTarget, signed, succeeded } from './requests.ts'
import { sharedNow } from './server.ts'

export interface Pace extends LoadTarget {
  readonly connections: number
  /** In turns, over and over. */
  readonly requests: readonly LoadRequest[]
  readonly perSecond: number
  /** At the same rate, before what is measured. */
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface PaceMeasured {
  /** When the first that is measured was due, on the clock that all processes share. */
  readonly startedMs: number
  /** In the order of due times. */
  readonly tookMs: Float64Array
  readonly failed: number
  /** The first answer that was no success. */
  readonly firstFailure: string
}

/** Half of the time for which a house takes a signature (house.ts). */
const signedForMs = 300_000

process.on('message', (pace: Pace) => void run(pace).then((measured) => process.send?.(measured)))
process.on('disconnect', () => process.exit(0))

async function run(pace: Pace): Promise<PaceMeasured> {
  const { connections, requests, perSecond, warmUpSeconds, seconds } = pace
  const free = await Promise.all(Array.from({ length: connections }, async () => new Lane(await connected(pace.port))))
  const lanes = [...free]
  const waiting: ((lane: Lane) => void)[] = []
  const lane = async () => free.shift() ?? new Promise<Lane>((resolve) => waiting.push(resolve))
  const ready = new SignedRequests(pace)
  let failed = 0
  let firstFailure = ''

  const startedMs = sharedNow() + warmUpSeconds * 1_000
  const warmUp = Math.round(perSecond * warmUpSeconds)
  const count = warmUp + Math.round(perSecond * seconds)
  const tookMs = await atDueTimes({ perSecond, count }, async (index) => {
    const taken = await lane()
    const answer = await taken.exchange(ready.at(index % requests.length))
    const next = waiting.shift()
    if (next === undefined) free.push(taken)
    else next(taken)
    if (succeeded(answer)) return
    failed++
    firstFailure ||= answer.slice(0, 1_000)
  })
  for (const opened of lanes) opened.close()
  return { startedMs, tookMs: tookMs.subarray(warmUp), failed, firstFailure }
}

/** Requests as bytes, each signed for a part of the time for which a house takes it, and never many of them anew at once. */
class SignedRequests {
  readonly #pace: Pace
  readonly #bytes: Buffer[]
  readonly #untilMs: number[]

  constructor(pace: Pace) {
    this.#pace = pace
    this.#bytes = pace.requests.map((request) => signed(pace, request))
    this.#untilMs = this.#bytes.map((_, index, { length }) => performance.now() + (signedForMs * (index + 1)) / length)
  }

  at(index: number): Buffer {
    if (performance.now() > this.#untilMs[index]) {
      this.#bytes[index] = signed(this.#pace, this.#pace.requests[index])
      this.#untilMs[index] += signedForMs
    }
    return this.#bytes[index]
  }
}

/** One connection. */
class Lane {
  readonly #socket: Socket
  #received = ''
  #answered: (answer: string) => void = () => {}

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: string) => {
      this.#received += chunk
      if (isWhole(this.#received)) this.#answered(this.#received)
    })
    socket.once('close', () => process.exit(1))
  }

  exchange(request: Buffer): Promise<string> {
    this.#received = ''
    this.#socket.write(request)
    return new Promise((resolve) => (this.#answered = resolve))
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }
}
