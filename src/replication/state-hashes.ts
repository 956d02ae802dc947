/**
 * The hash of the state at every so many commands: of an engine that answers, or by the twin, which computes from the file.
 *
 * Live  copied between two commands, which costs as long as the copy takes; a thread hashes what is large
 * Twin  a snapshot at that command, which has the hash, too: no order waits
 * One   at a time: what falls due meanwhile is left out, and so is a hash that could not be had
 */
import { type EventConsumer, StateHashing } from '../runtime/parts.ts'
import type { SnapshotTaken } from '../runtime/runtime.ts'

type OnHash = (sequence: number, hash: string) => void

abstract class StateHashes implements EventConsumer {
  /** Zero: none. */
  every: number
  readonly #onHash: OnHash
  #isBusy = false

  constructor(every: number, onHash: OnHash) {
    this.every = every
    this.#onHash = onHash
  }

  record(sequence: number): void {
    if (this.every > 0 && sequence % this.every === 0 && !this.#isBusy) void this.#make(sequence)
  }

  /** At once, as the state is after this command; undefined: it could not be had. */
  protected abstract hash(sequence: number): Promise<string | undefined>

  async #make(sequence: number): Promise<void> {
    this.#isBusy = true
    const hash = await this.hash(sequence).catch(() => undefined)
    this.#isBusy = false
    if (hash !== undefined) this.#onHash(sequence, hash)
  }
}

export class LiveHashes extends StateHashes {
  readonly #save: () => readonly Uint8Array[]

  constructor(every: number, save: () => readonly Uint8Array[], onHash: OnHash) {
    super(every, onHash)
    this.#save = save
  }

  protected async hash(): Promise<string> {
    const hashing = new StateHashing()
    for (const chunk of this.#save()) hashing.add(chunk)
    hashing.finish()
    try {
      return await hashing.hash
    } finally {
      await hashing.end()
    }
  }
}

export class TwinHashes extends StateHashes {
  readonly #snapshot: (sequence: number) => Promise<SnapshotTaken>

  constructor(every: number, snapshot: (sequence: number) => Promise<SnapshotTaken>, onHash: OnHash) {
    super(every, onHash)
    this.#snapshot = snapshot
  }

  protected async hash(sequence: number): Promise<string | undefined> {
    const taken = await this.#snapshot(sequence)
    return taken.sequence === sequence ? taken.stateHash : undefined
  }
}
