/**
 * The demo venue in one process: the real engine with the demo catalogue, the simulated agents with their accounts, and a
 * clock that a test moves. No journal, no history, nothing of the wall clock.
 */
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../../src/engine/protocol/query.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { operatorCalls, type OperatorPorts } from '../../src/operator/calls/calls.ts'
import { demoCoins, demoInstruments } from '../../src/operator/demo/catalog.ts'
import { expectFeed, openSimulatorAccounts, simulatorUids } from '../../src/operator/demo/venue.ts'
import type { Core } from '../../src/runtime/runtime.ts'
import { Simulator, type SimulatorOptions } from '../../src/simulator/simulator.ts'

/** Called with every command that is about to be applied, with its stamp: those of the set-up and of timers too. */
export type OnCommand = (command: Command, at: number) => void

export class WholeVenue implements Core {
  readonly commands: Command[] = []
  readonly replies: Reply[] = []
  /** Of the kinds that are asked for. */
  readonly events: Event[] = []
  #engine: Engine
  readonly #onCommand: OnCommand
  readonly #kept: ReadonlySet<Event['kind']>
  #sequence = 0
  #at = Date.UTC(2026, 0, 5)

  constructor(kinds: readonly Event['kind'][], onCommand: OnCommand = () => {}) {
    this.#kept = new Set(kinds)
    this.#onCommand = onCommand
    this.#engine = new Engine((event) => this.#emit(event))
  }

  async submit(command: Command): Promise<Reply> {
    return this.tell(command)
  }

  /** The same at once. */
  tell(command: Command): Reply {
    this.commands.push(command)
    const reply = this.#apply(command)
    this.replies.push(reply)
    return reply
  }

  async submitAll(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies: Reply[] = []
    for (const command of commands) replies.push(await this.submit(command))
    return replies
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#engine.query(query)
  }

  now(): number {
    return this.#at
  }

  /** Lets time pass, with every timer that falls due. */
  advance(ms: number): void {
    const until = this.#at + ms
    for (;;) {
      const next = this.#engine.nextTimerAt()
      if (next === undefined || next > until) break
      this.#at = Math.max(this.#at, next)
      this.#apply({ kind: 'run-timers' })
    }
    this.#at = until
  }

  #emit(event: Event): void {
    if (this.#kept.has(event.kind)) this.events.push(event)
  }

  #apply(command: Command): Reply {
    this.#sequence += 1
    this.#onCommand(command, this.#at)
    return this.#engine.apply(command, this.#sequence, this.#at)
  }

  save() {
    return { state: this.#engine.save(), sequence: this.#sequence, at: this.#at }
  }

  /** Back to that moment; also of another venue. */
  restore({ state, sequence, at }: ReturnType<WholeVenue['save']>): void {
    // The engine goes on in the very bytes that it is loaded from.
    const copy = state.map((chunk) => chunk.slice())
    this.#engine = Engine.load(copy, (event) => this.#emit(event))
    this.#sequence = sequence
    this.#at = at
    this.commands.length = 0
    this.replies.length = 0
  }

  /** An operator's call. */
  async operator(path: string, sent: unknown): Promise<unknown> {
    const found = operatorCalls.find((call) => call.method === 'POST' && call.path === `/operator/${path}`)
    return await found!.run(sent, this.#ports)
  }

  get #ports(): OperatorPorts {
    return { core: this } as unknown as OperatorPorts
  }

  async setUp(coins: readonly string[] | undefined): Promise<void> {
    for (const { insurance, ...record } of demoCoins) {
      await this.operator('coins', record)
      await this.operator('house-funds', { coin: record.coin, amount: insurance })
    }
    const wanted = demoInstruments.filter(({ baseCoin }) => coins?.includes(baseCoin) ?? true)
    for (const record of wanted) await this.operator('instruments', record)
    await openSimulatorAccounts(this.#ports)
    await expectFeed(this.#ports, true)
    this.commands.length = 0
    this.replies.length = 0
  }

  instrument(category: string, symbol: string) {
    const { instruments } = this.query({ kind: 'catalog' })
    return instruments.find((instrument) => instrument.category === category && instrument.symbol === symbol)!
  }

  coin(name: string) {
    return this.query({ kind: 'catalog' }).coins.find((coin) => coin.name === name)!
  }

  /** As last set by a command, in dollars. */
  indexPrices(coin: number): number[] {
    return this.commands.flatMap((command) => {
      if (command.kind !== 'set-index-prices') return []
      return command.prices.filter(([priced]) => priced === coin).map(([, units]) => Number(units) / 1e8)
    })
  }
}

export interface Played {
  readonly venue: WholeVenue
  readonly simulator: Simulator
  /** Lets this much time pass, in steps; `watch` is called after each. */
  readonly play: (seconds: number, watch?: () => void) => Promise<void>
}

/** `coins`: whose pairs and contracts are listed; all. */
export async function wholeVenue(
  options: Partial<SimulatorOptions> & {
    readonly events?: readonly Event['kind'][]
    readonly stepMs?: number
    readonly coins?: readonly string[]
    readonly onCommand?: OnCommand
  } = {},
): Promise<Played> {
  const { events = [], stepMs = 500, coins, onCommand, ...rest } = options
  const venue = new WholeVenue(events, onCommand)
  await venue.setUp(coins)
  const parameters = { stepMs, stepsPerPrice: 1, visitsPerStep: 4, ...rest.parameters }
  const simulator = new Simulator({ core: venue, seed: 1, ...simulatorUids(venue), ...rest, parameters })
  await simulator.open()
  const play = async (seconds: number, watch?: () => void) => {
    for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
      venue.advance(stepMs)
      await simulator.step()
      watch?.()
    }
  }
  return { venue, simulator, play }
}
