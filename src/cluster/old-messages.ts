/**
 * What is old in the log goes, while this core leads: who needs it is asked again and again (replication/log-removal.ts).
 *
 * Asked    each other core for its oldest snapshot, and the database of the history for the last command that it has for good
 * Looks    ten times in what is kept, once a minute at most
 * Source   scale.md §3 L8
 */
import type { JetStreamLog } from '../jetstream/jetstream.ts'
import { type Configuration, type Degradation, loadPostgres } from '../operator/operator.ts'
import { spanText } from '../operator/spans.ts'
import { type HolderTold, type LogEnd, type LogHolder, LogRemoval, type Timers } from '../replication/replication.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'
import { askCores } from './peers.ts'

const lookMsLeast = 500
const lookMsMost = 60_000
/** Somebody is told when it is held for so long. */
const heldMsMax = 3_600_000

/** Of what a core says of itself. */
export interface CoreHolds {
  readonly core: string
  /** The last command of its oldest snapshot; zero: it has none. */
  readonly snapshot: number
  readonly sequence: number
}

interface OldMessagesPorts {
  readonly configuration: Pick<
    Configuration,
    'logKeepMs' | 'logWaitMs' | 'postgres' | 'clusterCa' | 'clusterCert' | 'clusterKey'
  >
  readonly shared: Pick<JetStreamLog, 'at' | 'removeBefore' | 'bounds'>
  readonly peers: readonly string[]
  readonly timers: Timers
  readonly leads: () => boolean
  readonly end: () => LogEnd
  readonly own: () => CoreHolds
  readonly log: Pick<RuntimeLog, 'info'>
}

export class OldMessages {
  readonly #ports: OldMessagesPorts
  readonly #removal: LogRemoval
  readonly #looks: NodeJS.Timeout

  constructor(ports: OldMessagesPorts) {
    const { configuration, shared, timers, leads, end } = ports
    const { logKeepMs: keepMs, logWaitMs: waitMs } = configuration
    this.#ports = ports
    this.#removal = new LogRemoval({
      log: shared,
      timers,
      leads,
      end,
      holders: () => this.#holders(),
      keepMs,
      waitMs,
    })
    const lookMs = Math.min(Math.max(keepMs / 10, lookMsLeast), lookMsMost)
    this.#looks = setInterval(() => void this.#look(), lookMs).unref()
  }

  /** Who holds the log, each in a sentence. */
  get held(): readonly string[] {
    return this.#removal.held
  }

  get heldMs(): number {
    return this.#removal.heldMs
  }

  /** What somebody should look into. */
  read(): Degradation[] {
    if (this.heldMs <= heldMsMax) return []
    return [['log-held', `nothing old was removed from the log for ${spanText(this.heldMs)}: ${this.held.join('; ')}`]]
  }

  stop(): void {
    clearInterval(this.#looks)
  }

  async #look(): Promise<void> {
    try {
      await this.#removal.look()
    } catch (error) {
      this.#ports.log.info({ err: error }, 'what is old in the log could not be removed: it is tried again')
    }
  }

  async #holders(): Promise<LogHolder[]> {
    const { configuration, peers, own } = this.#ports
    const [others, database] = await Promise.all([askCores(peers, configuration, 'status'), this.#database()])
    const cores = [own(), ...(others as (CoreHolds | undefined)[])].map((told, place): LogHolder => {
      const name = `the core ${place === 0 ? own().core : peers[place - 1]}`
      return { name, kind: 'core', told: told && { through: told.snapshot, reached: told.sequence } }
    })
    return [...cores, ...database]
  }

  async #database(): Promise<LogHolder[]> {
    const { postgres } = this.#ports.configuration
    if (postgres === '') return []
    const through = await (await loadPostgres()).writtenThrough(postgres).catch(() => undefined)
    const told: HolderTold | undefined = through === undefined ? undefined : { through, reached: through }
    return [{ name: 'PostgreSQL', kind: 'database', told }]
  }
}
