/**
 * What the process of a venue holds: memory of the process, of both its threads that have a heap, and of its twin; entries of its
 * tables; files.
 *
 * Live   the used heap of the venue's thread right after the last collection of all of it: what is not garbage
 * Twin   the process that makes snapshots, while there is one
 * Units  megabytes of 1,048,576 bytes
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'

export interface Held {
  readonly rssMb: number
  readonly heapMb: number
  readonly liveMb: number
  readonly externalMb: number
  readonly buffersMb: number
  readonly historyHeapMb: number
  readonly twinMb: number
  readonly historyFileMb: number
  readonly journalMb: number
  readonly files: number
  readonly pendingEvents: number
  readonly commands: number
  readonly tables: Readonly<Record<string, number>>
}

/** As Node has them; its types do not say so. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }

const megabyte = 1_048_576

export class HeldWatch {
  readonly #url: string
  readonly #data: string
  readonly #collections: PerformanceObserver
  #liveBytes = 0

  constructor(venue: { readonly url: string; readonly data: string }) {
    this.#url = venue.url
    this.#data = venue.data
    this.#collections = new PerformanceObserver((list) => {
      const isMajor = list
        .getEntries()
        .some((entry) => (entry as Collection).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      if (isMajor) this.#liveBytes = process.memoryUsage().heapUsed
    })
    this.#collections.observe({ entryTypes: ['gc'] })
  }

  rssMb(): number {
    return process.memoryUsage.rss() / megabyte
  }

  async look(): Promise<Held> {
    const text = await (await fetch(`${this.#url}/metrics`)).text()
    const { rss, heapTotal, external, arrayBuffers } = process.memoryUsage()
    const one = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    const tables = [...text.matchAll(/^tidemark_state_entries\{table="([^"]+)"\} (\S+)$/gm)]
    return {
      rssMb: rss / megabyte,
      heapMb: heapTotal / megabyte,
      liveMb: this.#liveBytes / megabyte,
      externalMb: external / megabyte,
      buffersMb: arrayBuffers / megabyte,
      historyHeapMb: one('tidemark_history_heap_bytes') / megabyte,
      twinMb: childrenMb(),
      historyFileMb: statSync(join(this.#data, 'history.sqlite')).size / megabyte,
      journalMb: one('tidemark_journal_bytes') / megabyte,
      files: readdirSync('/proc/self/fd').length,
      pendingEvents: one('tidemark_history_pending_events'),
      commands: one('tidemark_sequence'),
      tables: Object.fromEntries(tables.map(([, table, count]) => [table, Number(count)])),
    }
  }

  close(): void {
    this.#collections.disconnect()
  }
}

/** Resident memory of all processes that this one has begun. */
function childrenMb(): number {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  return pids.filter((pid) => pid !== '').reduce((sum, pid) => sum + residentMb(pid), 0)
}

/** Of a process that may have ended. */
function residentMb(pid: string): number {
  try {
    const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kb) / 1024
  } catch {
    return 0
  }
}
