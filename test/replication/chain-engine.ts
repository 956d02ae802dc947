/**
 * An engine that remembers everything in one number: each reply tells the number, so a reply that is right cannot have come
 * from another history. Deposits count, a loan of `brokenCoin` breaks it, and it can be made to break once for no reason.
 */
import { crc32 } from 'node:zlib'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { StateMachine, StateMachineClass } from '../../src/runtime/ports.ts'
import { brokenCoin } from '../runtime/small-engine.ts'

/** What breaks an engine for no reason. */
export const bitFlipped = 'a bit flipped'

/** What a process has wrong with it. */
export interface Flaw {
  breaksOnce: boolean
}

/** The engine's class, in a process with such a flaw. */
export function engineWith(flaw: Flaw): StateMachineClass {
  class ChainEngine implements StateMachine {
    sequence = 0
    #chain = 0

    static load(chunks: readonly Uint8Array[]): ChainEngine {
      const engine = new ChainEngine()
      const [sequence, chain] = JSON.parse(Buffer.concat(chunks).toString()) as [number, number]
      engine.sequence = sequence
      engine.#chain = chain
      return engine
    }

    save(): Uint8Array[] {
      return [Buffer.from(JSON.stringify([this.sequence, this.#chain]))]
    }

    prefetch(commands: readonly Command[]): number {
      return commands.length
    }

    apply(command: Command, sequence: number, at: number): Reply {
      this.skip(sequence, at)
      if (flaw.breaksOnce) {
        flaw.breaksOnce = false
        throw new Error(bitFlipped)
      }
      if (command.kind === 'borrow' && command.coin === brokenCoin) throw new Error('holds are never negative')
      this.#chain = crc32(`${idOf(command)}`, this.#chain)
      return { kind: 'done', seen: `${sequence} ${this.#chain}` } as Reply
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
