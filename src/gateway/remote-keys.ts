/**
 * Keys as a gateway has them: a copy of those that the core keeps, brought up to date as they change. What makes or changes a key is
 * done by the core, and done when it has answered.
 *
 * Revoked   at every gateway as soon as the core tells it: before whoever revoked it is answered, by the order of the link
 * Unknown   is what became of a change whose answer was lost: the core may have made it
 * Secrets   go over the socket in the data directory, and are in memory here
 */
import type { ApiKey, DraftKey, KeyChange, KeyIssuer, KeyKeeper, NewKey } from '../api/api.ts'
import type { Uid } from '../engine/vocabulary.ts'
import { OutcomeUnknown } from '../runtime/core.ts'
import { AnswerLost } from './core-connection.ts'

type Ask = (what: string, ...args: readonly unknown[]) => Promise<unknown>

export class RemoteKeys implements KeyIssuer {
  readonly #ask: Ask
  #keys = new Map<string, ApiKey>()
  readonly #watchers = new Set<(uid: Uid) => void>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** All there are, or those of an account, as the core tells them. */
  take(keys: readonly ApiKey[]): void {
    const changed = new Set<Uid>()
    for (const key of keys) {
      const known = this.#keys.get(key.apiKey)
      // Whoever knows a key knows it by its object, as long as it is the same.
      if (known !== undefined && JSON.stringify(known) === JSON.stringify(key)) continue
      this.#keys.set(key.apiKey, key)
      changed.add(key.uid)
    }
    for (const uid of changed) this.#tell(uid)
  }

  find(apiKey: string): ApiKey | undefined {
    return this.#keys.get(apiKey)
  }

  of(uid: Uid): readonly ApiKey[] {
    return [...this.#keys.values()].filter((key) => key.uid === uid)
  }

  watch(heard: (uid: Uid) => void): () => void {
    this.#watchers.add(heard)
    return () => this.#watchers.delete(heard)
  }

  /** Told to all gateways by the command that limits it: those who watch look anew. */
  limited(uid: Uid): void {
    this.#tell(uid)
    void this.#ask('keys', 'limited', uid).catch(() => {})
  }

  reserve(uid: Uid): Promise<boolean> {
    return this.#ask('keys', 'reserve', uid) as Promise<boolean>
  }

  release(uid: Uid, apiKey?: string): void {
    void this.#ask('keys', 'release', uid, apiKey).catch(() => {})
  }

  draft(asked: NewKey): Promise<DraftKey> {
    return this.#ask('keys', 'draft', asked) as Promise<DraftKey>
  }

  async keep(draft: DraftKey): Promise<void> {
    await this.#make('keep', draft)
  }

  change(apiKey: string, change: KeyChange): Promise<ApiKey> {
    return this.#make('change', apiKey, change) as Promise<ApiKey>
  }

  revoke(apiKey: string): Promise<boolean> {
    return this.#make('revoke', apiKey) as Promise<boolean>
  }

  async #make(what: string, ...args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#ask('keys', what, ...args)
    } catch (error) {
      throw error instanceof AnswerLost ? new OutcomeUnknown('link-failed') : error
    }
  }

  #tell(uid: Uid): void {
    for (const heard of this.#watchers) heard(uid)
  }
}

/** Longer than anybody waits for a key. */
const placeMsMax = 60_000

/** A place for one more key of an account, which a gateway holds. */
interface Place {
  readonly timeout: NodeJS.Timeout
  /** What is to have it, once that has a name. */
  apiKey: string | undefined
}

/**
 * What the core answers of them. The place of a key is given back when the key is kept, so that no key counts twice, and after a minute
 * whatever became of the gateway.
 */
export function keyAnswers(keys: KeyKeeper): (what: string, ...args: readonly never[]) => unknown {
  const held = new Map<Uid, Place[]>()
  const release = (uid: Uid, apiKey?: string) => {
    const places = held.get(uid) ?? []
    const given = places.find((place) => place.apiKey === apiKey)
    if (given === undefined) return
    clearTimeout(given.timeout)
    if (places.length > 1)
      held.set(
        uid,
        places.filter((place) => place !== given),
      )
    else held.delete(uid)
    keys.release(uid)
  }
  const answers = {
    release,
    reserve(uid: Uid): boolean {
      if (!keys.reserve(uid)) return false
      const timeout = setTimeout(() => release(uid, place.apiKey), placeMsMax).unref()
      const place: Place = { timeout, apiKey: undefined }
      held.set(uid, [...(held.get(uid) ?? []), place])
      return true
    },
    draft(wanted: NewKey): DraftKey {
      const draft = keys.draft(wanted)
      const place = held.get(wanted.uid)?.find(({ apiKey }) => apiKey === undefined)
      if (place !== undefined) place.apiKey = draft.key.apiKey
      return draft
    },
    keep(draft: DraftKey): void {
      keys.keep(draft)
      release(draft.key.uid, draft.key.apiKey)
    },
    change: (apiKey: string, change: KeyChange) => keys.change(apiKey, change),
    revoke: (apiKey: string) => keys.revoke(apiKey),
    limited: (uid: Uid) => keys.limited(uid),
  }
  return (what, ...args) => {
    if (!Object.hasOwn(answers, what)) throw new Error(`keys have no ${what}`)
    const answer: (...given: readonly never[]) => unknown = answers[what as keyof typeof answers]
    return answer(...args)
  }
}
