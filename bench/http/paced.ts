/**
 * Load at a fixed rate, each request timed from when it was due (due-times.ts): a process of its own.
 *
 * Lanes    connections that stay open, one request in flight on each, in turns: a server closes one that says nothing for long.
 *          With none free a request waits, and its time runs
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

process.on('message', (pace: Pace) => void run(pace).then((measured) => process.send?.(measured)))
process.on('disconnect', () => process.exit(0))

async function run(pace: Pace): Promise<PaceMeasured> {
  const { connections, requests, perSecond, warmUpSeconds, seconds } = pace
  const free = await Promise.all(Array.from({ length: connections }, async () => new Lane(await connected(pace.port))))
  const lanes = [...free]
  const waiting: ((lane: Lane) => void)[] = []
  const lane = async () => free.shift() ?? new Promise<Lane>((resolve) => waiting.push(resolve))
  let failed = 0
  let firstFailure = ''

  const startedMs = sharedNow() + warmUpSeconds * 1_000
  const warmUp = Math.round(perSecond * warmUpSeconds)
  const count = warmUp + Math.round(perSecond * seconds)
  const tookMs = await atDueTimes({ perSecond, count }, async (index) => {
    const taken = await lane()
    const answer = await taken.exchange(signed(pace, requests[index % requests.length]))
    const next = waiting.shift()
    if (next === undefined) free.push(taken)
    else next(taken)
    if (succeeded(answer)) return
    failed++
    firstFailure ||= answer.slice(0, 1_000)
  })
  for (const one of lanes) one.close()
  return { startedMs, tookMs: tookMs.subarray(warmUp), failed, firstFailure }
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
