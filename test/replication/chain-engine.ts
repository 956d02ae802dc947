/**
 * An engine that remembers everything in one number: each reply tells the number, so a reply that is right cannot have come
 * from another history, nor from other rules. Deposits count, a loan of `brokenCoin` breaks it, and it can be made to break once for no reason.
 */
import { crc32 } from 'node:zlib'
import type { Command, UpgradeRules } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { isWithin, RulesBeyond, type RulesRange } from '../../src/engine/protocol/rules.ts'
import type { StateMachine, StateMachineClass } from '../../src/runtime/ports.ts'
import { brokenCoin } from '../runtime/small-engine.ts'

/** What breaks an engine for no reason. */
export const bitFlipped = 'a bit flipped'

/** What a process has wrong with it. */
export interface Flaw {
  breaksOnce: boolean
  /** The last command on which an engine broke for no reason. */
  brokeOn?: number
}

/** What a release applies that knows the first rules alone, and what the next one does. */
export const earlierRelease: RulesRange = { oldest: 1, newest: 1 }
export const laterRelease: RulesRange = { oldest: 1, newest: 2 }

/** The engine's class of a release, in a process with such a flaw. */
export function engineWith(flaw: Flaw, range: RulesRange = earlierRelease): StateMachineClass {
  class ChainEngine implements StateMachine {
    sequence = 0
    rules = 1
    #chain = 0

    static load(chunks: readonly Uint8Array[]): ChainEngine {
      const engine = new ChainEngine()
      const [sequence, chain, rules] = JSON.parse(Buffer.concat(chunks).toString()) as [number, number, number]
      if (!isWithin(rules, range)) throw new RulesBeyond(rules, range)
      engine.sequence = sequence
      engine.#chain = chain
      engine.rules = rules
      return engine
    }

    save(): Uint8Array[] {
      return [Buffer.from(JSON.stringify([this.sequence, this.#chain, this.rules]))]
    }

    prefetch(commands: readonly Command[]): number {
      return commands.length
    }

    apply(command: Command, sequence: number, at: number): Reply {
      this.skip(sequence, at)
      if (flaw.breaksOnce) {
        flaw.breaksOnce = false
        flaw.brokeOn = sequence
        throw new Error(bitFlipped)
      }
      if (command.kind === 'borrow' && command.coin === brokenCoin) throw new Error('holds are never negative')
      if (command.kind === 'upgrade-rules') return this.#upgrade(command)
      // What later rules make of a command is something else.
      this.#chain = crc32(`${idOf(command) * this.rules}`, this.#chain)
      return { kind: 'done', seen: `${sequence} ${this.#chain}` } as Reply
    }

    #upgrade({ rules, release }: UpgradeRules): Reply {
      if (rules > this.rules && !isWithin(rules, range)) throw new RulesBeyond(rules, range, release)
      this.rules = Math.max(this.rules, rules)
      return { kind: 'done' }
    }

    skip(sequence: number, at: number): void {
      if (sequence !== this.sequence + 1) throw new Error(`command ${sequence} after ${this.sequence}`)
      this.sequence = sequence
      this.#chain = crc32(`${sequence} ${at}`, this.#chain)
    }

    nextTimerAt(): undefined {}

    query(): never {
      return `${this.sequence} ${this.#chain}` as never
    }
  }
  return ChainEngine
}

/** Its sequence and its chain. */
export function stateOf(engine: Pick<StateMachine, 'query'>): string {
  return engine.query({ kind: 'accounts' } as never) as unknown as string
}

/** Each command of a simulation has another. */
export function idOf(command: Command): number {
  return Number((command as { readonly amount: bigint }).amount)
}

export function seenIn(reply: Reply): string | undefined {
  return (reply as { readonly seen?: string }).seen
}
