/**
 * The trail of what operators did: who, what, when, and the commands that it became. The newest `actionsMax` are kept.
 *
 * Who       a name that the caller gives. It is a claim: whoever holds the token may give any
 * File      <data>/operator-trail.jsonl (lines-file.ts); it is written before the answer leaves
 * Secrets   never get here: noted.ts leaves them out
 */
import type { Logger } from 'pino'
import { LinesFile } from './lines-file.ts'

export const trailFile = 'operator-trail.jsonl'

const actionsMax = 10_000

export interface Action {
  readonly id: number
  /** The venue's time. */
  readonly at: number
  /** Null: nobody said. */
  readonly who: string | null
  /** Address that the call came from. */
  readonly from: string
  readonly call: string
  readonly body: Readonly<Record<string, unknown>>
  /** Unknown: it may have been done. */
  readonly outcome: 'done' | 'refused' | 'unknown'
  /** Why it was not done. */
  readonly code: string | null
  readonly commands: readonly { readonly sequence: number | null; readonly kind: string }[]
}

interface Asked {
  /** Behind this one. */
  readonly before?: number | undefined
  readonly limit: number
  readonly who?: string | undefined
}

export class Trail {
  readonly #actions: Action[]
  readonly #file: LinesFile<Action> | undefined

  /** Without a file it ends with the process. */
  constructor(file?: LinesFile<Action>) {
    this.#file = file
    this.#actions = file?.read() ?? []
  }

  note(action: Omit<Action, 'id'>): void {
    const noted = { id: (this.#actions.at(-1)?.id ?? 0) + 1, ...action }
    this.#actions.push(noted)
    if (this.#actions.length >= 2 * actionsMax) this.#actions.splice(0, this.#actions.length - actionsMax)
    this.#file?.append(noted, this.#actions)
  }

  /** Newest first; `next` is the `before` of the next page. */
  page({ before = Infinity, limit, who }: Asked): {
    readonly actions: readonly Action[]
    readonly next: number | null
  } {
    const kept = this.#actions.slice(-actionsMax)
    const found = kept.filter((action) => action.id < before && (who === undefined || action.who === who)).toReversed()
    const actions = found.slice(0, limit)
    return { actions, next: found.length > limit ? (actions.at(-1)?.id ?? null) : null }
  }

  close(): void {
    this.#file?.close()
  }
}

/** With what its file has. */
export function openTrail(path: string, log: Pick<Logger, 'warn'>): Trail {
  const isOne = ({ id, call }: Partial<Action>) => Number.isSafeInteger(id) && typeof call === 'string'
  return new Trail(new LinesFile<Action>(path, { name: 'the trail of operator actions', max: actionsMax, isOne }, log))
}
