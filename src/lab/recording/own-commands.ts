/**
 * Commands that the laboratory sends by itself while a recording is played: they are in the journal, so each waits until it is its
 * turn there, and nothing is carried out twice.
 *
 * Source  lab.md §4.5, §4.8
 */
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { Trace } from '../../runtime/core.ts'
import { encodedCommand, type Runtime } from '../../runtime/runtime.ts'
import type { Submission } from './gate.ts'

export class OwnCommands {
  #waiting: Submission[] = []
  #isOver = false

  /** The same runtime to whoever asks it, but that what is sent to it waits here. */
  around(runtime: Runtime): Runtime {
    const sent = {
      submit: async (command: Command, trace?: Trace) => (await this.#submit([command], trace))[0],
      submitAll: (commands: readonly Command[], trace?: Trace) => this.#submit(commands, trace),
    }
    const isOver = () => this.#isOver
    return new Proxy(runtime, {
      get(target, name) {
        if (!isOver() && (name === 'submit' || name === 'submitAll')) return sent[name]
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value
      },
    })
  }

  /** From now on everything is carried out. */
  end(): void {
    this.#isOver = true
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** What waits and is these records, from the first on; undefined: nothing is. */
  take(record: (place: number) => Uint8Array | undefined, at: number): Submission | undefined {
    const found = this.#waiting.find(({ commands }) =>
      commands.every((command, place) => {
        const known = record(place)
        return known !== undefined && encodedCommand(command, at).equals(known)
      }),
    )
    if (found !== undefined) this.#waiting = this.#waiting.filter((one) => one !== found)
    return found
  }

  #submit(commands: readonly Command[], trace: Trace | undefined): Promise<readonly Reply[]> {
    if (commands.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => this.#waiting.push({ commands, trace, resolve, reject }))
  }
}
