/**
 * The only core of a venue, as its gateways on the same machine find it: a socket in the data directory, which only the user of
 * the venue can open. Where it is told to listen as well, who passes the handshake comes over TCP.
 *
 * Links    batches, submissions and barriers (core-links.ts); what is asked and told beside them (link-server.ts)
 */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal } from '../journal/journal.ts'
import type { EventConsumer } from '../runtime/parts.ts'
import type { Core } from '../runtime/core.ts'
import { CoreLinks } from './core-links.ts'
import type { ProcessAbout, SavedState } from './frames.ts'
import type { TcpDoor } from './handshake.ts'
import { type Asks, LinkServer } from './link-server.ts'
import { LinkedJournal } from './linked-journal.ts'
import type { Origin } from './message.ts'
import { OriginFile } from './origin-file.ts'

export const coreSocketFile = 'core.sock'

/** Records that a gateway which comes back is told one by one. */
const keptMax = 200_000
const batchLength = 1_000

interface CoreRuntime extends Pick<Core, 'submitAll'> {
  readonly sequence: number
  savedState(): SavedState
}

export interface CoreServicePorts extends Pick<Asks, 'asks' | 'greeting'> {
  readonly runtime: CoreRuntime
}

export class CoreService {
  readonly #dataDirectory: string
  readonly #links: CoreLinks
  #journal: Journal | undefined
  #origins: OriginFile | undefined
  #ports: CoreServicePorts | undefined
  readonly #servers: LinkServer[] = []
  #isTelling = false

  constructor(dataDirectory: string, about: ProcessAbout) {
    this.#dataDirectory = dataDirectory
    this.#links = new CoreLinks({
      about,
      rules: () => about.rules.newest,
      submitAll: (commands, trace) => this.#ports!.runtime.submitAll(commands, trace),
      sequence: () => this.#ports!.runtime.sequence,
      committed: () => this.#journal!.lastSequence,
      fresh: async () => this.#ports!.runtime.sequence,
      save: () => this.#ports!.runtime.savedState(),
    })
  }

  /** The runtime's journal is this one. */
  async wrap(file: Journal): Promise<Journal> {
    const { firstSequence, lastSequence } = file.stats()
    const from = Math.max(firstSequence, lastSequence - keptMax + 1)
    const origins = new OriginFile(join(this.#dataDirectory, 'origins.log'), from, lastSequence)
    await this.#keepTail(file, from, origins)
    this.#origins = origins
    this.#journal = new LinkedJournal(file, {
      originsOf: (first, records) => this.#links.originsOf(first, records),
      note: (first, of) => origins.note(first, of),
      committed: (batch) => this.#links.committed(batch),
    })
    return this.#journal
  }

  /** Hears what the runtime applies. */
  readonly consumer: EventConsumer = {
    record: (sequence, _at, _events, command) => {
      if (command === '') this.#links.skipped(sequence)
      if (this.#isTelling) return
      this.#isTelling = true
      // Once for all that are applied in this turn.
      queueMicrotask(() => {
        this.#isTelling = false
        this.#links.applied(this.#ports!.runtime.sequence)
      })
    },
  }

  /** From now on gateways are served. */
  async open(ports: CoreServicePorts, door?: TcpDoor): Promise<string> {
    this.#ports = ports
    this.#links.leads(1)
    const path = join(this.#dataDirectory, coreSocketFile)
    rmSync(path, { force: true })
    await this.#serve(ports).listen({ path })
    chmodSync(path, 0o600)
    if (door !== undefined) {
      const { host, port, handshake } = door
      await this.#serve(ports, handshake).listen({ host, port })
    }
    return path
  }

  #serve(asks: Asks, handshake?: TcpDoor['handshake']): LinkServer {
    const server = new LinkServer(this.#links, asks, handshake)
    this.#servers.push(server)
    return server
  }

  get gateways(): number {
    return this.#links.gateways
  }

  tell(what: string, value: unknown): void {
    for (const server of this.#servers) server.tell(what, value)
  }

  /** Nobody is served any more. */
  async close(): Promise<void> {
    this.#links.follows()
    await Promise.all(this.#servers.map((server) => server.close()))
    this.#origins?.close()
  }

  /** What gateways that come back after a restart of this core have missed. */
  async #keepTail(file: Journal, from: number, { known }: OriginFile): Promise<void> {
    let firstSequence = from
    let records: Uint8Array[] = []
    const flush = () => {
      if (records.length > 0) {
        this.#links.committed({ firstSequence, records, origins: originsAt(known, firstSequence, records.length) })
      }
      firstSequence += records.length
      records = []
    }
    if (file.lastSequence < from) return
    await file.replay(from, (sequence, payload) => {
      // Batches begin where their origins do.
      if (records.length >= batchLength || known.has(sequence)) flush()
      records.push(Uint8Array.from(payload))
    })
    flush()
  }
}

/** Of records whose batch is not known nobody asks any more. */
function originsAt(known: ReadonlyMap<number, readonly Origin[]>, firstSequence: number, records: number): Origin[] {
  const origins = known.get(firstSequence) ?? []
  const covered = origins.reduce((sum, origin) => sum + origin.records, 0)
  return covered >= records ? [...origins] : [...origins, { session: 0, counter: 0, records: records - covered }]
}
