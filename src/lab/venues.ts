/**
 * The venues of a laboratory: the first one, and those that are made and forked from it.
 *
 * Bounded   so many at a time; each has a port, snapshots and a way back of its own
 * Source    lab.md §4.2, §4.4
 */
import type { V3Dialect } from '../api/api.ts'
import { Attached } from './attached.ts'
import { Faults } from './faults/faults.ts'
import type { Branches } from './branches.ts'
import type { Here } from './elsewhere.ts'
import { Hold } from './hold/hold.ts'
import { LabJournal } from './journal-ring.ts'
import { Latency } from './latency/latency.ts'
import { Lockstep } from './lockstep/lockstep.ts'
import type { LockstepSettings } from './lockstep/settings.ts'
import type { OnePort } from './one-port.ts'
import { openMarketFaults } from './market-faults/market-faults.ts'
import { LabRefusal, unknownThing } from './refusals.ts'
import { openScripts } from './script/script.ts'
import { type Beginning, isWhole, type SavedVenue } from './saved.ts'
import { Shelf } from './shelf.ts'
import type { TapeSettings } from './tape/settings.ts'
import { addTape } from './tape/tape.ts'
import { LabVenue, type VenueParts } from './venue.ts'
import { Recorder, type RecorderOptions } from './recording/recorder.ts'
import type { WayLog } from './way/way-log.ts'
import { type Layer, Way } from './way/way.ts'

/** How a further venue is to begin. */
export interface VenueAsk extends Beginning {
  readonly startAt?: number | undefined
  readonly seed?: number | undefined
  readonly simulator?: boolean | undefined
  /** How v3 speaks; absent: as the process was told. */
  readonly v3Dialect?: V3Dialect | undefined
  /** Whether its clock stands still. */
  readonly frozen: boolean
  /** In place of the recorder: somebody who plays a recording. */
  readonly player?: RecordingPlayer | undefined
  /** Where it is kept on disk. */
  readonly kept?: Branches | undefined
}

/** The first layer of a venue that plays a recording; `around` is the runtime that all but the player have. */
export interface RecordingPlayer extends Layer, WayLog {
  around?(runtime: VenueParts['runtime']): VenueParts['runtime']
}

export interface LabOptions {
  readonly version: string
  /** What is read of a venue somewhere else has to fit. */
  readonly here: Here
  /** All unseeded sources are gone: the clock is manual, ids come from the seed. */
  readonly deterministic: boolean
  readonly venuesMax: number
  readonly snapshotsBytesMax: number
  readonly recorder: RecorderOptions
  /** A recorded market that is in the book of each venue; absent: none. */
  readonly market?: TapeSettings | undefined
  /** The clock follows the clients; absent: it does not. */
  readonly lockstep?: LockstepSettings | undefined
  /** Nobody is attached any more; absent: that ends nothing. */
  readonly onNobody?: () => void
  /** Makes a venue and opens its port, with the laboratory on it; `venue` throws until it is there. */
  readonly build: (
    ask: VenueAsk,
    place: {
      readonly isFirst: boolean
      readonly told: LabJournal
      readonly way: Way
      readonly venue: () => LabShelves
    },
  ) => Promise<VenueParts>
}

/** A venue with its snapshots and what it began with. */
export interface LabShelves {
  readonly lab: Lab
  readonly venue: LabVenue
  readonly shelf: Shelf
  readonly hold: Hold
  readonly latency: Latency
  readonly faults: Faults
  /** Undefined: the clock does not follow the clients. */
  readonly lockstep: Lockstep | undefined
  readonly begun: SavedVenue
  /** `Host` of the call that asks, where somebody may reach the venue by another address than it has. */
  readonly reachedAt?: string | undefined
}

export class Lab {
  readonly options: LabOptions
  readonly attached: Attached
  /** Where all venues are reached, if there is one port for all of them; it ends with the laboratory. */
  onePort: OnePort | undefined
  readonly #venues = new Map<string, LabShelves>()
  #counted = 0
  #opening = 0

  constructor(options: LabOptions) {
    this.options = options
    this.attached = new Attached(options.onNobody)
  }

  /** The first one is `main`, which stays; the others go when they are deleted, or with the process. */
  async open(ask: VenueAsk): Promise<LabShelves> {
    if (this.#venues.size + this.#opening >= this.options.venuesMax) {
      const message = `there are ${this.options.venuesMax} venues already (--venues-max): delete one`
      throw new LabRefusal(409, 'venues-max', message)
    }
    const isFirst = this.#counted === 0
    const id = isFirst ? 'main' : `v${this.#counted}`
    this.#counted += 1
    this.#opening += 1
    try {
      const told = new LabJournal()
      if (ask.from?.told !== undefined) told.goBackTo(ask.from.told)
      const way = new Way()
      const recorder = ask.player === undefined ? new Recorder(this.options.recorder) : undefined
      way.add(ask.player ?? recorder!)
      const follows = this.options.lockstep
      const lockstep = follows === undefined || ask.player !== undefined ? undefined : new Lockstep(follows)
      if (lockstep !== undefined) way.add(lockstep)
      const built = await this.options.build(ask, { isFirst, told, way, venue: () => this.find(id) })
      const parts = ask.player?.around === undefined ? built : { ...built, runtime: ask.player.around(built.runtime) }
      const venue = new LabVenue(id, parts, { told, way, recorder, kept: ask.kept })
      lockstep?.begin(venue)
      const faults = new Faults(venue)
      const [hold, latency] = [new Hold(venue), new Latency(venue)]
      faults.rules.log = hold.log = ask.player ?? recorder
      // A command passes them the other way round: what strikes it first is a fault.
      for (const layer of [hold, latency, faults]) way.add(layer)
      if (ask.from?.way !== undefined) way.restore(ask.from.way, false)
      const { from, through } = ask
      openMarketFaults(venue)
      openScripts(venue)
      const { market } = this.options
      const tape = market === undefined || ask.player !== undefined ? undefined : addTape(venue, market)
      if (from !== undefined) lockstep?.collect()
      if (from?.agenda !== undefined) venue.agenda.restore(from.agenda, through?.now)
      if (from === undefined) {
        await tape?.begin()
        lockstep?.collect()
      }
      const isAsBefore = through === undefined && from !== undefined && isWhole(from) && ask.isFromElsewhere !== true
      const begun = ask.begun ?? (isAsBefore ? from : await venue.save())
      await ask.kept?.begin(begun)
      recorder?.begin(venue, isAsBefore ? from : ask.begun === undefined ? begun : await venue.save())
      const shelves = {
        lab: this,
        venue,
        shelf: new Shelf(this.options.snapshotsBytesMax),
        hold,
        latency,
        faults,
        lockstep,
        begun,
      }
      this.#venues.set(id, shelves)
      return shelves
    } finally {
      this.#opening -= 1
    }
  }

  find(id: string): LabShelves {
    const found = this.#venues.get(id)
    if (found === undefined) throw unknownThing('venue', id)
    return found
  }

  /** The port of a venue's own; undefined: there is none. */
  urlOf(id: string): string | undefined {
    return this.#venues.get(id)?.venue.parts.url
  }

  list(): readonly LabShelves[] {
    return [...this.#venues.values()]
  }

  async remove(id: string): Promise<void> {
    const { venue } = this.find(id)
    if (id === 'main') throw new LabRefusal(409, 'venue-main', 'main is the first venue and stays')
    this.#venues.delete(id)
    await venue.inTurn(() => venue.stop())
  }

  async close(): Promise<void> {
    this.attached.close()
    await this.onePort?.close()
    const venues = this.list()
    this.#venues.clear()
    for (const { venue } of venues.toReversed()) await venue.stop()
  }
}
