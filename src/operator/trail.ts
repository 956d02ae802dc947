/**
 * The trail of what operators did: who, what, when, and the commands that it became. The newest `actionsMax` are kept.
 *
 * Who       a name that the caller gives. It is a claim: whoever holds the token may give any
 * File      <data>/operator-trail.jsonl, a line of JSON each, oldest first. It is written before the answer leaves, so that it
 *           survives the end of the process; a power failure may take the newest lines
 * Damaged   lines that cannot be read are passed over; a file that cannot be written is told in the log, and the venue goes on
 * Secrets   never get here: noted.ts leaves them out
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Logger } from 'pino'
import { reasonOf, writeWholeFile } from './data-directory.ts'

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
  readonly #file: TrailFile | undefined

  /** Without a file it ends with the process. */
  constructor(file?: TrailFile) {
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

/** It grows to twice of what is kept, then begins anew with that. */
export class TrailFile {
  readonly #path: string
  readonly #log: Pick<Logger, 'warn'>
  #descriptor: number | undefined
  #lines = 0
  #isBroken = false

  constructor(path: string, log: Pick<Logger, 'warn'>) {
    this.#path = path
    this.#log = log
  }

  read(): Action[] {
    try {
      const text = existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : ''
      const lines = text.split('\n').filter((line) => line !== '')
      const actions = lines.flatMap(actionIn).slice(-actionsMax)
      // What is no action, such as half a line of a full disk, does not stay.
      if (actions.length < lines.length || (text !== '' && !text.endsWith('\n'))) this.#begin(actions)
      else this.#lines = actions.length
      return actions
    } catch (cause) {
      this.#broken(cause)
      return []
    }
  }

  append(action: Action, all: readonly Action[]): void {
    try {
      if (this.#lines >= 2 * actionsMax) return this.#begin(all.slice(-actionsMax))
      this.#descriptor ??= openSync(this.#path, 'a', 0o600)
      writeSync(this.#descriptor, lineOf(action))
      this.#lines += 1
      this.#isBroken = false
    } catch (cause) {
      this.#broken(cause)
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #begin(actions: readonly Action[]): void {
    this.close()
    writeWholeFile(this.#path, actions.map(lineOf).join(''))
    this.#lines = actions.length
  }

  /** Once, until it can be written again. */
  #broken(cause: unknown): void {
    if (!this.#isBroken) this.#log.warn({ reason: reasonOf(cause) }, 'the trail of operator actions cannot be kept')
    this.#isBroken = true
  }
}

function lineOf(action: Action): string {
  return `${JSON.stringify(action)}\n`
}

function actionIn(line: string): Action[] {
  try {
    const action = JSON.parse(line) as Partial<Action> | null
    return Number.isSafeInteger(action?.id) && typeof action?.call === 'string' ? [action as Action] : []
  } catch {
    return []
  }
}
