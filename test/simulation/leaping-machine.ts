/**
 * A machine whose system clock leaps, with a venue on it that owes by time: a loan of 100,000 USDT at 0.012 % a day, a
 * position that pays funding every eight hours, and orders with a countdown.
 *
 * Real        runtime, sequencer, journal, recovery, the watched clock, engine
 * Simulated   the disk, and both clocks: the system's and the monotonic one move by hand
 * Noted       the stamp of every command, and what time alone did: interest, funding, orders that a countdown canceled
 */
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { coinId, instrumentId } from '../engine/support/exchange.ts'
import { units } from '../engine/support/figures.ts'
import { placeOrder } from '../engine/support/order-commands.ts'
import { SimulatedDisk } from '../journal/simulated-disk.ts'
import { openMarkets } from './people.ts'

/** Midnight of 1 January 2026, UTC. */
export const midnight = 1_767_225_600_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** What a loan of 100,000 USDT owes for an hour at 0.012 % a day. */
export const interestOfHour = units('0.5')

export class LeapingMachine {
  /** What the log warned of. */
  readonly warnings: { readonly facts: object; readonly text: string }[] = []
  /** Of the commands as the journal has them. */
  readonly stamps: number[] = []
  /** `stamp what`, in the order in which it happened. */
  readonly happened: string[] = []
  /** Time as it truly passes. */
  real = midnight
  #systemAhead = 0
  #bootedAt = midnight - day
  #keptOffset: number | undefined
  #disk = new SimulatedDisk()
  #runtime: Runtime | undefined
  readonly #uids = new Map<string, number>()

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error('the venue is not running')
    return this.#runtime
  }

  /** Starts the venue on what the last run left. */
  async start(): Promise<void> {
    let known = this.stamps.length
    const record = (sequence: number, at: number, events: readonly Event[]) => {
      if (sequence <= known) return
      known = sequence
      this.stamps.push(at)
      for (const event of events) this.#note(at, event)
    }
    this.#runtime = await openRuntime({
      dataDirectory: '/data',
      engineClass: Engine,
      consumers: [{ record }],
      clock: {
        kind: 'system',
        now: () => this.real + this.#systemAhead,
        monotonic: () => this.real - this.#bootedAt,
        keeper: { read: () => this.#keptOffset, write: (offset) => (this.#keptOffset = offset) },
      },
      snapshotEvery: 0,
      replyTimeoutMs: 0,
      disk: this.#disk,
      log: { info() {}, warn: (facts, text) => void this.warnings.push({ facts, text }), error() {} },
    })
  }

  /** Lists the markets, lets Alice owe, and Ben and Cid hold against each other. */
  async open(): Promise<void> {
    await this.start()
    await openMarkets((command) => this.must(command))
    for (const name of ['alice', 'ben', 'cid', 'dan']) {
      const mode = modeOf(name)
      const reply = await this.must({ kind: 'create-account', account: 'main', parentUid: undefined, mode, name })
      if (reply.kind !== 'account-created') throw new Error(`${name} could not join`)
      this.#uids.set(name, reply.uid)
    }
    await this.#pay('alice', 'crossed_margin', 'BTC', '10')
    await this.must({ kind: 'borrow', uid: this.uid('alice'), coin: coinId('USDT'), amount: units('100000') })
    for (const name of ['ben', 'cid']) await this.#pay(name, 'usdt_futures', 'USDT', '50000000')
    await this.#pay('dan', 'uta', 'USDT', '50000000')
    for (const line of ['ben: sell 1 @ 60000', 'cid: buy 1 @ 60000']) await this.place(line)
  }

  /** An order of Dan's that is canceled when so much time has passed. */
  async countDown(ms: number): Promise<void> {
    await this.place('dan: sell 1 oid:waits @ 61000')
    await this.must({ kind: 'set-countdown', uid: this.uid('dan'), ms })
  }

  /** The process ends in order, or is killed. */
  async stop(how: 'ended' | 'killed' = 'ended'): Promise<void> {
    const runtime = this.runtime
    this.#runtime = undefined
    const left = this.#disk.afterKill()
    await runtime.stop()
    if (how === 'killed') this.#disk = left
  }

  /** The machine is switched off and on: its monotonic clock begins anew. */
  boot(): void {
    this.#bootedAt = this.real
    this.#keptOffset = undefined
  }

  /** Time passes in steps of at most ten minutes, and each runs what is due, as the timers of a venue do. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; ) {
      const step = Math.min(left, 10 * minute)
      left -= step
      this.real += step
      await this.runDue()
    }
  }

  async runDue(): Promise<void> {
    await this.must({ kind: 'run-timers' })
  }

  /** Time passes while no venue runs, or none that does anything. */
  sleep(ms: number): void {
    this.real += ms
  }

  /** Somebody sets the system's clock. */
  leap(ms: number): void {
    this.#systemAhead += ms
  }

  /** The machine's memory stands still: Linux leaves that out of its monotonic clock. */
  suspend(ms: number): void {
    this.real += ms
    this.#bootedAt += ms
  }

  get system(): number {
    return this.real + this.#systemAhead
  }

  async must(command: Command): Promise<Reply> {
    const reply = await this.runtime.submit(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
    return reply
  }

  async place(line: string): Promise<Reply> {
    const catalog = this.runtime.query({ kind: 'catalog' })
    const trader = (who: string) => ({ uid: this.uid(who), mode: modeOf(who) })
    return this.must(placeOrder(line, { catalog, market: 'BTCUSDT', trader }))
  }

  uid(name: string): number {
    return this.#uids.get(name) as number
  }

  /** What Alice owes besides the principal. */
  get interest(): bigint {
    const wallet = this.runtime.query({ kind: 'balances', uid: this.uid('alice'), wallet: 'crossed_margin' })
    return wallet[coinId('USDT')].interest
  }

  /** When funding was settled and for when. */
  get fundings(): string[] {
    return this.happened.filter((text) => text.includes('funding'))
  }

  /** Orders that a countdown ended. */
  get canceled(): string[] {
    return this.happened.filter((text) => text.includes('canceled'))
  }

  async #pay(
    name: string,
    wallet: 'crossed_margin' | 'usdt_futures' | 'uta',
    coin: 'BTC' | 'USDT',
    text: string,
  ): Promise<void> {
    await this.must({ kind: 'deposit', uid: this.uid(name), wallet, coin: coinId(coin), amount: units(text) })
  }

  #note(at: number, event: Event): void {
    const since = (moment: number) => `${(moment - midnight) / minute} min`
    if (event.kind === 'interest') this.happened.push(`${since(at)}: interest ${event.amount}`)
    if (event.kind === 'funding-settled' && event.instrument === instrumentId('BTCUSDT')) {
      this.happened.push(`${since(at)}: funding of ${since(event.at)}`)
    }
    if (event.kind === 'order-ended' && event.order.status === 'canceled') {
      this.happened.push(`${since(at)}: canceled ${event.order.clientOid}`)
    }
  }
}

function modeOf(name: string): 'classic' | 'unified' {
  return name === 'dan' ? 'unified' : 'classic'
}
