/**
 * An engine small enough to reason about: accounts with one balance, an hourly timer, a way to break. The runtime's tests
 * drive it in place of the real one.
 */
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { EventConsumer, HistoryConsumer } from '../../src/runtime/ports.ts'

type Deposit = Extract<Command, { kind: 'deposit' | 'withdraw' }>

const hourMs = 3_600_000

/** A loan of this coin breaks the engine half-way: after the money moved and an event was emitted. */
export const brokenCoin = 666

export class SmallEngine {
  sequence = 0
  readonly rules = 1
  #balances = new Map<number, bigint>()
  #timerRuns: number[] = []
  #nextTimerAt: number | undefined
  readonly #emit: (event: Event) => void

  constructor(emit: (event: Event) => void) {
    this.#emit = emit
  }

  static load(chunks: readonly Uint8Array[], emit: (event: Event) => void): SmallEngine {
    const engine = new this(emit)
    const saved = JSON.parse(Buffer.concat(chunks).toString())
    engine.sequence = saved.sequence
    engine.#balances = new Map(saved.balances.map(([uid, units]: [number, string]) => [uid, BigInt(units)]))
    engine.#timerRuns = saved.timerRuns
    engine.#nextTimerAt = saved.nextTimerAt ?? undefined
    return engine
  }

  save(): Uint8Array[] {
    const balances = [...this.#balances].map(([uid, units]) => [uid, units.toString()])
    const state = { sequence: this.sequence, balances, timerRuns: this.#timerRuns, nextTimerAt: this.#nextTimerAt }
    const bytes = Buffer.from(JSON.stringify(state))
    return [bytes.subarray(0, 10), bytes.subarray(10)]
  }

  prefetch(commands: readonly Command[]): number {
    return commands.length
  }

  apply(command: Command, sequence: number, at: number): Reply {
    this.skip(sequence)
    this.#nextTimerAt ??= at + hourMs
    switch (command.kind) {
      case 'deposit':
      case 'withdraw':
        return this.#move(command, sequence, at)
      case 'borrow':
        this.#move({ ...command, kind: 'deposit', wallet: 'spot' }, sequence, at)
        if (command.coin === brokenCoin) throw new Error('holds are never negative')
        return { kind: 'done' }
      case 'run-timers':
        while (this.#nextTimerAt <= at) {
          this.#timerRuns.push(this.#nextTimerAt)
          this.#nextTimerAt += hourMs
        }
        return { kind: 'done' }
      default:
        return { kind: 'done' }
    }
  }

  skip(sequence: number): void {
    if (sequence !== this.sequence + 1) throw new Error(`command ${sequence} after ${this.sequence}`)
    this.sequence = sequence
  }

  nextTimerAt(): number | undefined {
    return this.#nextTimerAt
  }

  query(query: { readonly kind: string; readonly uid?: number }): never {
    const answers: Record<string, unknown> = {
      account: this.#balances.get(query.uid!) ?? 0n,
      accounts: this.#timerRuns,
      verify: { balanced: true, faults: [], coins: [] },
    }
    return answers[query.kind] as never
  }

  #move(command: Deposit, sequence: number, at: number): Reply {
    const before = this.#balances.get(command.uid) ?? 0n
    const after = command.kind === 'deposit' ? before + command.amount : before - command.amount
    if (after < 0n) return { kind: 'refused', refusal: { kind: 'amount-not-positive' } }
    this.#balances.set(command.uid, after)
    this.#emitMove(command, sequence, at)
    return { kind: 'done' }
  }

  #emitMove(command: Omit<Deposit, 'kind'> & { kind: Deposit['kind'] }, id: number, at: number): void {
    const { uid, wallet, coin, amount } = command
    this.#emit({ kind: command.kind === 'deposit' ? 'deposit' : 'withdrawal', id, uid, wallet, coin, amount, at })
  }
}

/** As a twin looks for it. */
export { SmallEngine as Engine }
export const smallEngineModule = import.meta.filename

export const alice = 1001
export const bob = 1002

export function deposit(uid: number, units: bigint): Command {
  return { kind: 'deposit', uid, wallet: 'spot', coin: 0, amount: units as Deposit['amount'] }
}

export function withdraw(uid: number, units: bigint): Command {
  return { ...deposit(uid, units), kind: 'withdraw' } as Command
}

export function poison(): Command {
  return { kind: 'borrow', uid: alice, coin: brokenCoin, amount: 1n as Deposit['amount'] }
}

export interface Recorded {
  readonly sequence: number
  readonly at: number
  readonly events: readonly Event[]
}

export class Recorder implements EventConsumer {
  readonly commands: Recorded[] = []

  record(sequence: number, at: number, events: readonly Event[]): void {
    this.commands.push({ sequence, at, events })
  }

  get events(): Event[] {
    return this.commands.flatMap((command) => [...command.events])
  }
}

/** Like the real one it drops what it has, and it says when it was asked to flush. */
export class SmallHistory extends Recorder implements HistoryConsumer {
  readonly appliedSequence: number
  /** Says that this much waits, until it is flushed. */
  pendingEvents = 0
  readonly flushes: number[] = []

  constructor(appliedSequence = 0) {
    super()
    this.appliedSequence = appliedSequence
  }

  override record(sequence: number, at: number, events: readonly Event[]): void {
    if (sequence > this.appliedSequence) super.record(sequence, at, events)
  }

  async flush(): Promise<void> {
    this.pendingEvents = 0
  }

  async flushDurably(): Promise<number> {
    const sequence = this.commands.at(-1)?.sequence ?? this.appliedSequence
    this.flushes.push(sequence)
    return sequence
  }
}
