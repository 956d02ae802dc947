/**
 * The commands of one call, on their way: a core that lets somebody see and change them before they are sequenced.
 *
 * Sequenced  what was, and what came of it, is written into the call
 * Source     lab.md §4.5, §6
 */
import type { Command } from '../../engine/protocol/command.ts'
import type { Answer as QueryAnswer, Query, QueryKind } from '../../engine/protocol/query.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { Core, Trace } from '../../runtime/core.ts'
import type { Call } from './call.ts'

export type Submit = (commands: readonly Command[]) => Promise<readonly Reply[]>

/** What stands in the way of commands; `submit` sequences some. */
export type Gate = (commands: readonly Command[], submit: Submit) => Promise<readonly Reply[]>

/** Sequences commands and writes into the call what came of them. */
export async function submitTo(core: Core, commands: readonly Command[], call: Call | undefined, trace?: Trace) {
  if (commands.length === 0) return []
  const own = { sequence: undefined as number | undefined }
  let replies: readonly Reply[] = []
  try {
    replies = commands.length === 1 ? [await core.submit(commands[0], own)] : await core.submitAll(commands, own)
    return replies
  } finally {
    if (trace !== undefined) trace.sequence ??= own.sequence
    if (own.sequence !== undefined || replies.length > 0) {
      call?.sent.push({ commands, replies, sequence: own.sequence })
    }
  }
}

export class GatedCore implements Core {
  readonly #core: Core
  readonly #call: Call
  readonly #gate: Gate

  constructor(core: Core, call: Call, gate: Gate) {
    this.#core = core
    this.#call = call
    this.#gate = gate
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#core.rebuilt
  }

  async submit(command: Command, trace?: Trace): Promise<Reply> {
    const [reply] = await this.#pass([command], trace)
    return reply
  }

  submitAll(commands: readonly Command[], trace?: Trace): Promise<readonly Reply[]> {
    return commands.length === 0 ? this.#core.submitAll(commands, trace) : this.#pass(commands, trace)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): QueryAnswer<K> {
    return this.#core.query(query)
  }

  now(): number {
    return this.#core.now()
  }

  #pass(commands: readonly Command[], trace: Trace | undefined): Promise<readonly Reply[]> {
    return this.#gate(commands, (chosen) => submitTo(this.#core, chosen, this.#call, trace))
  }
}
