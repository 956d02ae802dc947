/**
 * Which instruments are halted for their index, and why: told to the log as it changes, and kept for whoever asks.
 *
 * Once     a line for each cause and command, however many instruments it halts; those that are halted at the start, too
 * Source   risk-engine.md §12; docs/operations.md, "Bounds"
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { IndexHalt } from '../engine/vocabulary.ts'
import type { Core, EventConsumer, RuntimeLog } from '../runtime/runtime.ts'

/** What is the matter with the index, in words. */
const words: Readonly<Record<IndexHalt, string>> = {
  suspect: 'index jumped and is not confirmed',
  stale: 'index stale',
  'out-of-range': 'index out of range',
}
const causes = Object.keys(words) as IndexHalt[]

/** More are counted. */
const namesMax = 10

export class IndexHalts implements EventConsumer {
  readonly #core: Pick<Core, 'query'>
  readonly #log: Pick<RuntimeLog, 'info' | 'warn'>
  readonly #halted = new Map<InstrumentId, IndexHalt>()

  constructor(core: Pick<Core, 'query'>, log: Pick<RuntimeLog, 'info' | 'warn'>) {
    this.#core = core
    this.#log = log
    this.#tellHalted(this.#found())
  }

  record(_sequence: number, _at: number, events: readonly Event[]): void {
    let halted: Map<InstrumentId, IndexHalt> | undefined
    let free: InstrumentId[] | undefined
    for (const event of events) {
      if (event.kind === 'catalog-changed') {
        for (const found of this.#found()) (halted ??= new Map()).set(...found)
      } else if (event.kind === 'instrument-frozen') {
        this.#halted.set(event.instrument, event.cause)
        ;(halted ??= new Map()).set(event.instrument, event.cause)
      } else if (event.kind === 'instrument-unfrozen') {
        this.#halted.delete(event.instrument)
        ;(free ??= []).push(event.instrument)
      }
    }
    if (halted !== undefined) this.#tellHalted(halted)
    if (free !== undefined) this.#log.info({ instruments: this.#names(free) }, 'halted no more: the index is trusted')
  }

  /** One sentence for each cause, with the instruments that are halted for it. */
  reasons(): string[] {
    return causes.flatMap((cause) => {
      const names = this.#names(haltedBy(cause, this.#halted))
      const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
      return names.length === 0 ? [] : [`${words[cause]}: ${names.slice(0, namesMax).join(', ')}${more}`]
    })
  }

  /** Instruments that are halted and not known to be: at the start, and those that are listed while a coin is in doubt. */
  #found(): Map<InstrumentId, IndexHalt> {
    const found = new Map<InstrumentId, IndexHalt>()
    for (const id of this.#core.query({ kind: 'index-halts' }).instruments) {
      const { indexHalt } = this.#core.query({ kind: 'prices', instrument: id })
      if (indexHalt !== undefined && !this.#halted.has(id)) found.set(id, indexHalt)
    }
    for (const [id, cause] of found) this.#halted.set(id, cause)
    return found
  }

  #tellHalted(halted: ReadonlyMap<InstrumentId, IndexHalt>): void {
    for (const cause of causes) {
      const instruments = this.#names(haltedBy(cause, halted))
      if (instruments.length > 0) this.#log.warn({ instruments }, `halted: ${words[cause]}`)
    }
  }

  #names(ids: readonly InstrumentId[]): string[] {
    const { instruments } = this.#core.query({ kind: 'catalog' })
    return ids.map((id) => `${instruments[id].category} ${instruments[id].symbol}`)
  }
}

function haltedBy(cause: IndexHalt, halted: ReadonlyMap<InstrumentId, IndexHalt>): InstrumentId[] {
  return [...halted].filter(([, why]) => why === cause).map(([id]) => id)
}
