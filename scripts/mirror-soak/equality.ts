/**
 * Whether a mirrored book is one that the other venue had within the last 250 ms, by the checksum of the best 25 levels.
 *
 * Source  its own pushes of `books`, by a socket that no fault meets; each has the checksum of the whole book after it
 * Mirror  the local engine's book, looked at every 25 ms
 */
import { WebSocket } from 'ws'
import { formatLots, formatTicks } from '../../src/api/api.ts'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import type { Core } from '../../src/runtime/runtime.ts'
import { checksum } from '../../src/stream/checksum.ts'

const behindMsMax = 250
/** Two sockets bring the same push at different moments. */
const aheadMsMax = 100

interface Had {
  readonly sum: number
  readonly from: number
}

export class Equality {
  readonly #instruments: readonly Instrument[]
  readonly #had = new Map<Instrument, Had[]>()
  #socket: WebSocket | undefined
  #core: Core | undefined
  readonly #looks: NodeJS.Timeout
  #fault = { fault: 'begin', at: 0 }
  /** Books that were away for longer than they may be: how long, and how long after which fault. */
  readonly away = new Map<string, { readonly ms: number; readonly fault: string; readonly afterMs: number }>()
  /** Until this moment a fault may still be seen. */
  #excusedUntil = 0
  #worstSince = new Map<Instrument, number>()
  compared = 0
  different = 0
  excused = 0
  changes = 0
  pushes = 0
  /** How long a book was another at most, outside of faults and after them. */
  awayMsMax = 0
  awayMsMaxInFaults = 0
  readonly differing = new Map<string, number>()

  constructor(instruments: readonly Instrument[]) {
    this.#instruments = instruments
    this.#looks = setInterval(() => this.#look(), 25)
  }

  follow(url: string): void {
    this.#socket?.terminate()
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v3/ws/public`)
    this.#socket = socket
    for (const instrument of this.#instruments) this.#had.set(instrument, [])
    socket.on('open', () => {
      const args = this.#instruments.map(({ category, symbol }) => ({
        instType: category.toLowerCase(),
        topic: 'books',
        symbol,
      }))
      socket.send(JSON.stringify({ op: 'subscribe', args }))
    })
    socket.on('error', () => {})
    socket.on('message', (data) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, whose text is meant
      const message = JSON.parse(data.toString()) as Push
      if (message.action === undefined) return
      const { instType, symbol } = message.arg
      const instrument = this.#instruments.find(
        (one) => one.symbol === symbol && one.category.toLowerCase() === instType,
      )
      if (instrument === undefined) return
      const [row] = message.data
      this.pushes += 1
      if (message.action === 'update') this.changes += row.a.length + row.b.length
      const had = this.#had.get(instrument) ?? []
      had.push({ sum: row.checksum, from: performance.now() })
      if (had.length > 200) had.shift()
      this.#had.set(instrument, had)
    })
  }

  mirrorIs(core: Core | undefined): void {
    this.#core = core
  }

  excuse(ms: number, fault = 'begin'): void {
    this.#fault = { fault, at: performance.now() }
    this.#excusedUntil = Math.max(this.#excusedUntil, performance.now() + ms)
  }

  close(): void {
    clearInterval(this.#looks)
    this.#socket?.terminate()
  }

  #look(): void {
    if (this.#core === undefined || this.#socket?.readyState !== WebSocket.OPEN) return
    for (const instrument of this.#instruments) {
      const depth = this.#core.query({ kind: 'depth', instrument: instrument.id, limit: 25 })
      const sum = checksum(depth, ([price, size]) => [formatTicks(price, instrument), formatLots(size, instrument)])
      const at = performance.now()
      setTimeout(() => this.#compare(instrument, sum, at), aheadMsMax)
    }
  }

  #compare(instrument: Instrument, sum: number, at: number): void {
    const had = this.#had.get(instrument) ?? []
    if (had.length === 0) return
    const isEqual = had.some(({ sum: one, from }, place) => {
      const until = had[place + 1]?.from ?? Number.POSITIVE_INFINITY
      return one === sum && from <= at + aheadMsMax && until >= at - behindMsMax
    })
    if (isEqual) {
      this.#worstSince.delete(instrument)
      this.compared += 1
      return
    }
    const since = this.#worstSince.get(instrument) ?? at
    this.#worstSince.set(instrument, since)
    if (at < this.#excusedUntil) {
      this.excused += 1
      this.awayMsMaxInFaults = Math.max(this.awayMsMaxInFaults, at - since)
      return
    }
    this.compared += 1
    this.different += 1
    this.awayMsMax = Math.max(this.awayMsMax, at - since)
    if (at - since > behindMsMax) {
      const { fault, at: faultAt } = this.#fault
      const name = `${instrument.category} ${instrument.symbol} at ${Math.round(since)}`
      this.away.set(name, { ms: Math.round(at - since), fault, afterMs: Math.round(since - faultAt) })
    }
    const name = `${instrument.category} ${instrument.symbol}`
    this.differing.set(name, (this.differing.get(name) ?? 0) + 1)
  }
}

interface Push {
  readonly action?: 'snapshot' | 'update'
  readonly arg: { readonly instType: string; readonly symbol: string }
  readonly data: readonly {
    readonly checksum: number
    readonly a: readonly unknown[]
    readonly b: readonly unknown[]
  }[]
}
