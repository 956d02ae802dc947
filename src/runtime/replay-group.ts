/**
 * Commands of a journal on their way into an engine: some at a time, so that it can get ready for all of these at once
 * (engine/prefetch.ts).
 *
 * Holds   they are applied in their order; after `flush` all that were added are
 * Broken  after a command that could not be applied those behind it are forgotten: they are read again
 */
import type { Command } from '../engine/protocol/command.ts'
import { decodeCommand } from './command-codec.ts'
import type { StateMachine } from './ports.ts'

const lengthMax = 64

export class ReplayGroup {
  readonly #engine: Pick<StateMachine, 'prefetch'>
  readonly #apply: (command: Command, sequence: number, at: number) => void
  #commands: Command[] = []
  #stamps: number[] = []
  #lastSequence = 0

  constructor(engine: Pick<StateMachine, 'prefetch'>, apply: (command: Command, sequence: number, at: number) => void) {
    this.#engine = engine
    this.#apply = apply
  }

  /** The payload is read at once. Throws RecordUnreadable, and whatever applying throws. */
  add(sequence: number, payload: Uint8Array): void {
    const { command, at } = decodeCommand(payload)
    this.#commands.push(command)
    this.#stamps.push(at)
    this.#lastSequence = sequence
    if (this.#commands.length === lengthMax) this.flush()
  }

  flush(): void {
    const commands = this.#commands
    const stamps = this.#stamps
    const firstSequence = this.#lastSequence - commands.length + 1
    this.#commands = []
    this.#stamps = []
    let prefetched = 0
    for (let place = 0; place < commands.length; place++) {
      if (place === prefetched) prefetched = this.#engine.prefetch(commands, place)
      this.#apply(commands[place], firstSequence + place, stamps[place])
    }
  }
}
