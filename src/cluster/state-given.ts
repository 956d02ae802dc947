/**
 * The state of this core for another one that begins with it: files as they stood at one moment, read a piece at a time.
 *
 *   positions · newest snapshot · history · journal from there on · what is passed over · keys that are revoked
 *
 * Order    each is taken before the next, so that the history has what the snapshot has, and the journal all that the history has.
 *          The newest place is written before: what is old in the log goes meanwhile
 * Open     files stay readable when this core removes or replaces them meanwhile. The history is a copy, which has no name
 * One      at a time. Who asks for nothing more for a minute is forgotten
 * Holds    the log from its snapshot on, until some time after: the other one has still to begin
 */
import { existsSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ApiKey } from '../api/api.ts'
import { copyHistoryTo, type History } from '../history/history.ts'
import { type DataDirectory, historyFile, type VenueRecord } from '../operator/operator.ts'
import type { Recovered } from '../runtime/parts.ts'
import { monotonicNow } from '../runtime/runtime.ts'
import type { PlacesFile } from './log-place.ts'
import { besideFiles, placesFile } from './state-files.ts'

/** What another core begins with. */
export interface StateGiven {
  readonly number: number
  readonly kind: VenueRecord['kind']
  /** Of the snapshot. */
  readonly sequence: number
  readonly stateHash: string
  /** By their names in the directory. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** Undefined: they are not in the directory. */
  readonly keys: readonly ApiKey[] | undefined
}

interface StatePorts extends Pick<Recovered, 'journal' | 'snapshots'> {
  readonly directory: DataDirectory
  readonly kind: VenueRecord['kind']
  readonly places: Pick<PlacesFile, 'write'>
  readonly history: Pick<History, 'flush'>
  readonly keys: () => readonly ApiKey[] | undefined
}

interface OpenFile {
  readonly name: string
  readonly handle: FileHandle
  readonly bytes: number
}

const idleMsMax = 60_000
const holdsMs = 600_000
const pieceBytes = 1024 * 1024

export class StateGiving {
  readonly #ports: StatePorts
  #files: OpenFile[] = []
  #number = 0
  #idle: NodeJS.Timeout | undefined
  #isTaking = false
  #held: { readonly sequence: number; readonly untilMs: number } | undefined

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  readonly asks = {
    state: () => this.#give(),
    statePiece: (number: number, name: string, from: number) => this.#piece(number, name, from),
  }

  /** The oldest snapshot that is needed, of this one and that which was given. */
  oldest(own: number): number {
    const held = this.#held
    return held === undefined || held.untilMs < monotonicNow() ? own : Math.min(own, held.sequence)
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const files = this.#files
    this.#files = []
    await Promise.all(files.map(({ handle }) => handle.close()))
  }

  async #give(): Promise<StateGiven> {
    if (this.#isTaking || this.#files.length > 0) throw new Error('this core gives its state to another one')
    this.#isTaking = true
    try {
      return await this.#take()
    } catch (error) {
      await this.close()
      throw error
    } finally {
      this.#isTaking = false
    }
  }

  async #take(): Promise<StateGiven> {
    const { directory, snapshots, journal, history, kind, keys, places } = this.#ports
    places.write()
    await this.#open(placesFile)
    const { snapshot } = await snapshots.newest()
    if (snapshot === undefined) throw new Error('this core has no snapshot')
    const { sequence, stateHash, file } = snapshot
    this.#hold(sequence)
    await this.#open(`snapshots/${basename(file)}`)
    await this.#openHistory(history)
    const segments = journal.segments()
    for (const [place, { path, lastSequence, bytes }] of segments.entries()) {
      if (lastSequence > sequence || place === segments.length - 1) await this.#open(`journal/${basename(path)}`, bytes)
    }
    for (const name of besideFiles) if (existsSync(directory.file(name))) await this.#open(name)
    this.#stay()
    const files = this.#files.map(({ name, bytes }) => ({ name, bytes }))
    return { number: ++this.#number, kind, sequence, stateHash, files, keys: keys() }
  }

  async #openHistory(history: Pick<History, 'flush'>): Promise<void> {
    const { directory } = this.#ports
    const copy = directory.file(`${historyFile}.given`)
    await history.flush()
    rmSync(copy, { force: true })
    try {
      await copyHistoryTo(directory.file(historyFile), copy)
      await this.#open(historyFile, undefined, copy)
    } finally {
      rmSync(copy, { force: true })
    }
  }

  async #open(name: string, bytes?: number, path = this.#ports.directory.file(name)): Promise<void> {
    const handle = await open(path, 'r')
    this.#files.push({ name, handle, bytes: bytes ?? (await handle.stat()).size })
  }

  async #piece(number: number, name: string, from: number): Promise<Uint8Array> {
    const file = number === this.#number ? this.#files.find((one) => one.name === name) : undefined
    if (file === undefined) throw new Error('nobody asked for this state for a minute')
    this.#stay()
    const piece = Buffer.alloc(Math.min(pieceBytes, file.bytes - from))
    const { bytesRead } = await file.handle.read(piece, 0, piece.length, from)
    if (bytesRead < piece.length) throw new Error(`${name} is shorter than it was`)
    if (from + bytesRead >= file.bytes && file === this.#files.at(-1)) await this.close()
    return piece
  }

  #hold(sequence: number): void {
    this.#held = { sequence, untilMs: monotonicNow() + holdsMs }
  }

  #stay(): void {
    if (this.#held !== undefined) this.#hold(this.#held.sequence)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.close(), idleMsMax)
  }
}
