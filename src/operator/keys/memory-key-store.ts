/**
 * API keys of a venue in memory, that goes back: nobody keeps them but who is told of each change.
 *
 * Random    what a key is made of comes from where the venue says: on a deterministic one from its seed
 * Named     keys of the demo accounts have names and secrets that never change, so that tests can have them written down
 * Source    lab.md §4.1
 */
import type { ApiKey, IssuedKey, NewKey } from '../../api/api.ts'
import { KeyTable } from './key-table.ts'

export interface MemoryKeyOptions {
  /** The venue's time. */
  readonly now: () => number
  /** A number from zero, below that. */
  readonly random: (bound: number) => number
  readonly nameFor?: (asked: NewKey) => IssuedKey | undefined
  /** Told all keys before one of them counts that is new or has changed. */
  readonly onChange?: (keys: readonly ApiKey[]) => void
}

export class MemoryKeyStore extends KeyTable {
  readonly #options: MemoryKeyOptions

  constructor(options: MemoryKeyOptions, saved: readonly ApiKey[] = []) {
    super()
    this.#options = options
    this.fill(saved)
  }

  /** All of them, for `goBackTo` and for another store. A key is never changed, only replaced. */
  save(): readonly ApiKey[] {
    return [...this.all()]
  }

  goBackTo(saved: readonly ApiKey[]): void {
    const before = this.save()
    this.fill(saved)
    for (const uid of new Set([...before, ...saved].map((key) => key.uid))) this.limited(uid)
  }

  protected now(): number {
    return this.#options.now()
  }

  protected randomHex(bytes: number): string {
    return Array.from({ length: bytes }, () => this.randomBelow(256).toString(16).padStart(2, '0')).join('')
  }

  protected randomBelow(bound: number): number {
    return this.#options.random(bound)
  }

  protected nameFor(asked: NewKey): IssuedKey | undefined {
    return this.#options.nameFor?.(asked)
  }

  protected keepForGood(key: ApiKey): void {
    this.#options.onChange?.([...this.save().filter(({ apiKey }) => apiKey !== key.apiKey), key])
  }
}
