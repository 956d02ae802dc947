/**
 * Commands that will be sequenced at a later time of the venue.
 *
 * Saved     a snapshot has them; where the venue goes back to it they come once more, and nobody waits for their answer
 * Source    lab.md §4.4, §4.5 (late-request, unknown)
 */
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { type Core, OutcomeUnknown } from '../../runtime/core.ts'
import type { Agenda } from '../way/agenda.ts'
import type { SentCommands } from './call.ts'
import { submitTo } from './passing.ts'

/** Plain data. */
export interface Waiting {
  readonly at: number
  readonly commands: readonly Command[]
  readonly firing: number
}

export class LateCommands {
  readonly #core: Core
  readonly #agenda: () => Agenda
  readonly #landed: (firing: number, sent: readonly SentCommands[]) => void
  readonly #waiting = new Set<Waiting>()

  /** `landed` is told when they were sequenced. */
  constructor(core: Core, agenda: () => Agenda, landed: (firing: number, sent: readonly SentCommands[]) => void) {
    this.#core = core
    this.#agenda = agenda
    this.#landed = landed
  }

  /** Through a core of its own while the call is there: `core`; rejects with OutcomeUnknown when the venue goes back. */
  submit(waiting: Waiting, submit: (commands: readonly Command[]) => Promise<readonly Reply[]>) {
    return new Promise<readonly Reply[]>((resolve, reject) => {
      this.#waiting.add(waiting)
      this.#agenda().put(
        waiting.at,
        () => {
          this.#waiting.delete(waiting)
          // Not waited for: on its way it may be held, or wait for a later time.
          void submit(waiting.commands).then(resolve, reject)
        },
        () => {
          this.#waiting.delete(waiting)
          reject(new OutcomeUnknown('unexpected'))
        },
      )
    })
  }

  save(): readonly Waiting[] {
    return [...this.#waiting]
  }

  restore(saved: readonly Waiting[]): void {
    for (const waiting of saved) {
      const sent: SentCommands[] = []
      const core = this.#core
      const submit = async (commands: readonly Command[]) => {
        const trace = { sequence: undefined as number | undefined }
        try {
          const replies = await submitTo(core, commands, undefined, trace)
          sent.push({ commands, replies, sequence: trace.sequence })
          return replies
        } finally {
          this.#landed(waiting.firing, sent)
        }
      }
      this.submit(waiting, submit).catch(() => {})
    }
  }
}
