/**
 * The load: a round of requests signed beforehand, sent over connections that stay open, each waiting for its answer
 * before it sends the next. A process of its own, so that it has a core of its own.
 *
 * Hears    one Round at a time over the channel to its parent; answers with what it measured
 * Cheap    raw sockets and whole requests as bytes: signing and composing are done before the clock runs
 */
import type { Socket } from 'node:net'
import { quantile } from '../measure.ts'
import { connected, isWhole, type LoadRequest, type LoadTarget, signed, succeeded } from './requests.ts'

export interface Round extends LoadTarget {
  readonly connections: number
  readonly requests: readonly LoadRequest[]
}

export interface RoundMeasured {
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
  /** The first answer that was no success. */
  readonly firstFailure: string
}

process.on('message', (round: Round) => void run(round).then((measured) => process.send?.(measured)))
process.on('disconnect', () => process.exit(0))

async function run(round: Round): Promise<RoundMeasured> {
  const sockets = await Promise.all(Array.from({ length: round.connections }, () => connected(round.port)))
  const requests = round.requests.map((request) => signed(round, request))
  const latencies = new Float64Array(requests.length)
  let failed = 0
  let firstFailure = ''
  let next = 0
  const startMs = performance.now()

  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let index = -1
      let sentMs = 0
      let received = ''
      const send = () => {
        if (next === requests.length) {
          socket.end()
          return resolve()
        }
        index = next++
        received = ''
        sentMs = performance.now()
        socket.write(requests[index])
      }
      socket.on('data', (chunk: string) => {
        received += chunk
        if (!isWhole(received)) return
        latencies[index] = performance.now() - sentMs
        if (!succeeded(received)) {
          failed++
          firstFailure ||= received.slice(0, 1_000)
        }
        send()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      send()
    })

  await Promise.all(sockets.map(drive))
  const seconds = (performance.now() - startMs) / 1_000
  return { seconds, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), failed, firstFailure }
}
