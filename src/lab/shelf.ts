/**
 * The snapshots of one venue: kept in memory, good in any order and as often as they are used, until they are deleted.
 *
 * Bounded   so many, and so many bytes together; one more is refused
 * Source    lab.md §4.4
 */
import { LabRefusal, unknownThing } from './refusals.ts'
import type { SavedVenue } from './saved.ts'

const snapshotsMax = 64

export interface KeptSnapshot {
  readonly snapshot: string
  readonly name: string | undefined
  readonly saved: SavedVenue
}

export class Shelf {
  readonly #bytesMax: number
  readonly #kept = new Map<string, KeptSnapshot>()
  #counted = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Throws LabRefusal when there is no room. */
  keep(saved: SavedVenue, name: string | undefined): KeptSnapshot {
    this.#checkRoom(saved.bytes)
    if (name !== undefined && this.#named(name) !== undefined) {
      throw new LabRefusal(409, 'name-taken', `name: there is a snapshot ${name}`, { field: 'name' })
    }
    const kept = { snapshot: `s${++this.#counted}`, name, saved }
    this.#kept.set(kept.snapshot, kept)
    return kept
  }

  /** By its id or its name. */
  find(idOrName: string): KeptSnapshot {
    const found = this.#kept.get(idOrName) ?? this.#named(idOrName)
    if (found === undefined) throw unknownThing('snapshot', idOrName)
    return found
  }

  list(): readonly KeptSnapshot[] {
    return [...this.#kept.values()]
  }

  remove(idOrName: string): void {
    this.#kept.delete(this.find(idOrName).snapshot)
  }

  #named(name: string): KeptSnapshot | undefined {
    return this.list().find((kept) => kept.name === name)
  }

  #checkRoom(bytes: number): void {
    if (this.#kept.size >= snapshotsMax) {
      throw new LabRefusal(409, 'snapshots-max', `${snapshotsMax} snapshots are kept already: delete one`)
    }
    const sum = this.list().reduce((total, { saved }) => total + saved.bytes, bytes)
    if (sum <= this.#bytesMax) return
    const message = `snapshots would take ${sum} bytes of ${this.#bytesMax} (--snapshots-bytes-max): delete one`
    throw new LabRefusal(409, 'snapshots-bytes-max', message)
  }
}
