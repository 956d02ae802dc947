/**
 * A flood: requests at a rate that does not ask whether the answers keep up, from a process of its own.
 *
 * Open       a request is due when its time has come; it leaves on a connection that is free, or waits in here for one
 * Signed     each request anew every ten seconds; venues take the same order again
 * Hears      one Flood at a time over the channel to its parent; answers with what it measured
 */
import { quantile } from '../measure.ts'
import { connected, isWhole, type LoadRequest, type LoadTarget, signed } from './requests.ts'

export interface Flood extends LoadTarget {
  readonly connections: number
  /** In turns, over and over. */
  readonly requests: readonly LoadRequest[]
  readonly seconds: number
  /** Requests a second; zero: as fast as answers come. */
  readonly rate: number
}

export interface FloodMeasured {
  readonly seconds: number
  /** Due by the rate, whether a connection was free or not. */
  readonly offered: number
  readonly taken: number
  readonly refused: number
  readonly broken: number
  /** From leaving to the answer. */
  readonly takenP50Ms: number
  readonly takenP99Ms: number
  readonly refusedP50Ms: number
  readonly refusedP99Ms: number
  /** Of the refusals, by HTTP status and code. */
  readonly codes: Readonly<Record<string, number>>
}

process.on('message', (flood: Flood) => void run(flood).then((measured) => process.send?.(measured)))
process.on('disconnect', () => process.exit(0))

const signEveryMs = 10_000
const tickMs = 2

async function run(flood: Flood): Promise<FloodMeasured> {
  const sockets = await Promise.all(Array.from({ length: flood.connections }, () => connected(flood.port)))
  const taken: number[] = []
  const refused: number[] = []
  const codes: Record<string, number> = {}
  const free: (() => void)[] = []
  let requests: Buffer[] = []
  let signedMs = Number.NEGATIVE_INFINITY
  let next = 0
  let due = 0
  let broken = 0
  const startMs = performance.now()
  const isOver = () => performance.now() - startMs >= flood.seconds * 1_000

  const request = () => {
    if (performance.now() - signedMs > signEveryMs) {
      requests = flood.requests.map((unsigned) => signed(flood, unsigned))
      signedMs = performance.now()
    }
    return requests[next++ % requests.length]
  }

  for (const socket of sockets) {
    let sentMs = 0
    let received = ''
    const send = () => {
      received = ''
      sentMs = performance.now()
      socket.write(request())
    }
    const isDone = () => {
      if (isOver()) return
      if (flood.rate === 0) send()
      else if (due > 0) {
        due -= 1
        send()
      } else free.push(send)
    }
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isWhole(received)) return
      const code = /"code":"(\w+)"/.exec(received)?.[1] ?? ''
      if (code === '00000') taken.push(performance.now() - sentMs)
      else {
        refused.push(performance.now() - sentMs)
        const what = `${received.slice(9, 12)} ${code}`
        codes[what] = (codes[what] ?? 0) + 1
      }
      isDone()
    })
    socket.on('close', () => (broken += isOver() ? 0 : 1))
    isDone()
  }

  let offered = 0
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, tickMs))
    if (flood.rate === 0) continue
    const shouldBe = Math.floor(((performance.now() - startMs) / 1_000) * flood.rate)
    due += shouldBe - offered
    offered = shouldBe
    while (due > 0 && free.length > 0) {
      due -= 1
      free.pop()?.()
    }
  }
  const seconds = (performance.now() - startMs) / 1_000
  for (const socket of sockets) socket.destroy()
  const measured = { seconds, offered: offered || taken.length + refused.length, broken, codes }
  return {
    ...measured,
    taken: taken.length,
    refused: refused.length,
    takenP50Ms: quantile(taken, 0.5),
    takenP99Ms: quantile(taken, 0.99),
    refusedP50Ms: quantile(refused, 0.5),
    refusedP99Ms: quantile(refused, 0.99),
  }
}
