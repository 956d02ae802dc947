/**
 * A venue in one process for a mirror: the real engine with the demo catalogue, a clock that a test moves, and consumers that hear
 * each command as those of the runtime do.
 */
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../../src/engine/protocol/query.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { operatorCalls, type OperatorPorts } from '../../src/operator/calls/calls.ts'
import { demoCoins, demoInstruments } from '../../src/operator/demo/catalog.ts'
import type { Trace } from '../../src/runtime/core.ts'
import type { Core, EventConsumer } from '../../src/runtime/runtime.ts'

export class LocalVenue implements Core {
  readonly commands: Command[] = []
  readonly #times: number[] = []
  #events: Event[] = []
  #consumers: EventConsumer[] = []
  readonly #engine = new Engine((event) => this.#events.push(event))
  #sequence = 0
  #at = Date.UTC(2026, 0, 5)
  /** Thrown in place of the next run of commands. */
  fault: Error | undefined

  async submit(command: Command, trace?: Trace): Promise<Reply> {
    return (await this.submitAll([command], trace))[0]
  }

  async submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    const { fault } = this
    this.fault = undefined
    if (fault !== undefined) throw fault
    if (trace !== undefined) trace.sequence = this.#sequence + 1
    return commands.map((command) => this.#apply(command))
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#engine.query(query)
  }

  now(): number {
    return this.#at
  }

  addConsumer(consumer: EventConsumer): () => void {
    this.#consumers.push(consumer)
    return () => (this.#consumers = this.#consumers.filter((one) => one !== consumer))
  }

  advance(ms: number): void {
    const until = this.#at + ms
    for (
      let next = this.#engine.nextTimerAt();
      next !== undefined && next <= until;
      next = this.#engine.nextTimerAt()
    ) {
      this.#at = Math.max(this.#at, next)
      this.#apply({ kind: 'run-timers' })
    }
    this.#at = until
  }

  async operator(path: string, sent: unknown): Promise<unknown> {
    return this.#call('POST', path, sent)
  }

  async read(path: string): Promise<unknown> {
    return this.#call('GET', path, {})
  }

  async #call(method: string, path: string, sent: unknown): Promise<unknown> {
    const found = operatorCalls.find((call) => call.method === method && call.path === `/operator/${path}`)
    return await found!.run(sent, { core: this } as unknown as OperatorPorts)
  }

  instrument(category: string, symbol: string) {
    const { instruments } = this.query({ kind: 'catalog' })
    return instruments.find((instrument) => instrument.category === category && instrument.symbol === symbol)!
  }

  /** A unified main account with a million USDT. */
  async person(name: string): Promise<number> {
    const made = await this.operator('accounts', { kind: 'main', mode: 'unified', name })
    const { uid } = made as { readonly uid: string }
    await this.operator('deposits', { uid, wallet: 'uta', coin: 'USDT', amount: '1000000' })
    return Number(uid)
  }

  /** Another one, from the commands of this one alone. */
  replayed(): LocalVenue {
    const twin = new LocalVenue()
    for (const [place, command] of this.commands.entries()) {
      twin.#at = this.#times[place]
      twin.#apply(command)
    }
    return twin
  }

  /** Its whole state, as text. */
  saved(): string {
    return Buffer.concat(this.#engine.save()).toString('base64')
  }

  #apply(command: Command): Reply {
    this.#sequence += 1
    this.commands.push(command)
    this.#times.push(this.#at)
    this.#events = []
    const reply = this.#engine.apply(command, this.#sequence, this.#at)
    const events = this.#events
    for (const consumer of this.#consumers) consumer.record(this.#sequence, this.#at, events, command.kind, reply)
    return reply
  }
}

export async function localVenue(): Promise<LocalVenue> {
  const venue = new LocalVenue()
  for (const { insurance: _insurance, ...record } of demoCoins) await venue.operator('coins', record)
  for (const record of demoInstruments.filter(({ baseCoin }) => baseCoin === 'BTC')) {
    await venue.operator('instruments', record)
  }
  return venue
}
