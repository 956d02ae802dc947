/**
 * Why the venue is degraded: each reason has a name, for metrics, and a sentence, for people.
 *
 * Cheap   what costs something is looked at once a second, whoever asks how often; open files every five seconds
 * Log     a line when a reason comes and when it goes, of those that nobody else logs
 * Public  sentences are read without a key: they name no files and no accounts
 */
import type { History } from '../history/history.ts'
import type { ClockView, Runtime, RuntimeLog } from '../runtime/runtime.ts'
import { HistoryLag } from './history-lag.ts'
import type { IndexHalts } from './index-halts.ts'
import { spanText } from './spans.ts'

export const degradationNames = [
  'engine-rebuilding',
  'commands-poisoned',
  'clock-leap',
  'stamps-ahead',
  'index-in-doubt',
  'mirror-unheard',
  'replica-differs',
  'no-leader',
  'core-behind',
  'clock-off',
  'log-in-doubt',
  'log-held',
  'link-slow',
  'database-away',
  'history-behind',
  'snapshots-failing',
  'files-short',
] as const
export type DegradationName = (typeof degradationNames)[number]
export type Degradation = readonly [name: DegradationName, sentence: string]

export interface DegradationSources {
  readonly runtime: Pick<Runtime, 'health' | 'stats' | 'clock' | 'canAnswer'>
  readonly history: Pick<History, 'health'>
  readonly indexHalts: Pick<IndexHalts, 'reasons'>
  /** Why the mirrored venue is not followed; undefined: it is, or none is mirrored. */
  readonly mirrorTrouble?: () => string | undefined
  /** What there is besides, of one process of several: its log, its link, its database. */
  readonly more?: () => readonly Degradation[]
  /** That this process may still open; undefined where the system does not tell. */
  readonly filesLeft: () => number | undefined
  readonly log: RuntimeLog
}

const lookEveryMs = 1000
const filesEveryMs = 5000
/** Files that must be free: a segment, a snapshot, the databases and the operator's connections need some at once. */
const filesSpareMin = 64
/** History may be behind by so much before anybody needs to know. */
const historyEventsMax = 100_000
const historyMsMax = 10_000
/** Told by whoever finds them. */
const loggedElsewhere: ReadonlySet<DegradationName> = new Set<DegradationName>([
  'engine-rebuilding',
  'commands-poisoned',
  'clock-leap',
  'stamps-ahead',
  'index-in-doubt',
  'mirror-unheard',
  'snapshots-failing',
])

export class Degradations {
  readonly #sources: DegradationSources
  readonly #lag: HistoryLag
  readonly #looks: NodeJS.Timeout
  #filesAtMs = Number.NEGATIVE_INFINITY
  #filesLeft: number | undefined
  #index: readonly string[] = []
  #logged = new Set<DegradationName>()

  constructor(sources: DegradationSources) {
    this.#sources = sources
    this.#lag = new HistoryLag(sources.history)
    this.look()
    this.#looks = setInterval(() => this.look(), lookEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#looks)
  }

  get filesLeft(): number | undefined {
    return this.#filesLeft
  }

  get historyBehindMs(): number {
    return this.#lag.ms
  }

  /** Those that there are now, the most urgent first. */
  read(): readonly Degradation[] {
    const { runtime } = this.#sources
    const { state, note } = runtime.health()
    const clock = runtime.clock.view()
    const found: (Degradation | undefined)[] = [
      state === 'rebuilding' ? ['engine-rebuilding', 'the engine is being rebuilt'] : undefined,
      note === undefined ? undefined : ['commands-poisoned', note],
      clockLeap(clock),
      stampsAhead(clock),
      ...this.#index.map((sentence): Degradation => ['index-in-doubt', sentence]),
      this.#mirrorUnheard(),
      ...(this.#sources.more?.() ?? []),
      this.#historyBehind(),
      this.#snapshotsFailing(),
      this.#filesShort(),
    ]
    return found.filter((one) => one !== undefined)
  }

  /** The same in words. */
  sentences(): readonly string[] {
    return this.read().map(([, sentence]) => sentence)
  }

  look(): void {
    this.#lag.look()
    // While the engine is rebuilt, what was found last.
    const { runtime, indexHalts } = this.#sources
    if (runtime.canAnswer) this.#index = indexHalts.reasons()
    this.#lookAtFiles()
    this.#log()
  }

  #mirrorUnheard(): Degradation | undefined {
    const trouble = this.#sources.mirrorTrouble?.()
    return trouble === undefined ? undefined : ['mirror-unheard', trouble]
  }

  #historyBehind(): Degradation | undefined {
    const { state, pendingEvents, recordedSequence, committedSequence } = this.#sources.history.health()
    const { ms } = this.#lag
    if (state !== 'working' || (pendingEvents <= historyEventsMax && ms <= historyMsMax)) return undefined
    const behind = `${recordedSequence - committedSequence} commands and ${pendingEvents} events`
    return ['history-behind', `history is behind by ${behind}, ${spanText(ms)}: reads of it wait`]
  }

  #snapshotsFailing(): Degradation | undefined {
    const { snapshotsFailing: failing } = this.#sources.runtime.stats()
    if (failing === undefined) return undefined
    const { times, since, error } = failing
    const tried = `${times} ${times === 1 ? 'has' : 'have'} failed since ${new Date(since).toISOString()}`
    return ['snapshots-failing', `snapshots fail and the journal grows: ${tried}, the last with ${reasonShown(error)}`]
  }

  #filesShort(): Degradation | undefined {
    const left = this.#filesLeft
    if (left === undefined || left >= filesSpareMin) return undefined
    return ['files-short', left <= 0 ? 'no files left' : `nearly no files left: ${left} can still be opened`]
  }

  #lookAtFiles(): void {
    const nowMs = performance.now()
    if (nowMs - this.#filesAtMs < filesEveryMs) return
    this.#filesAtMs = nowMs
    this.#filesLeft = this.#sources.filesLeft()
  }

  #log(): void {
    const { log } = this.#sources
    const now = this.read().filter(([name]) => !loggedElsewhere.has(name))
    for (const [name, sentence] of now) if (!this.#logged.has(name)) log.warn({ degraded: name }, sentence)
    const names = new Set(now.map(([name]) => name))
    for (const name of this.#logged) if (!names.has(name)) log.warn({ degraded: name }, 'this is over')
    this.#logged = names
  }
}

function clockLeap({ leap }: ClockView): Degradation | undefined {
  if (leap === undefined) return undefined
  const where = `the system clock is ${spanText(leap.ms)} ${leap.ms > 0 ? 'ahead of' : 'behind'} the venue's time`
  const what =
    leap.kind === 'refused'
      ? 'this leap was refused: set the clock right before the machine starts again'
      : 'it is not followed until the operator accepts or refuses it'
  return ['clock-leap', `${where}: ${what}`]
}

function stampsAhead({ stampsAheadMs, leapMsMax }: ClockView): Degradation | undefined {
  if (stampsAheadMs <= leapMsMax) return undefined
  const where = `stamps are ahead of the clock by ${spanText(stampsAheadMs)}`
  return ['stamps-ahead', `${where}: they stand, and nothing falls due, until it has caught up`]
}

/** Of the system's errors what it is, without the file that it was met at; nothing of what others say of files. */
function reasonShown(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  const text = error.message.split('\n')[0]
  if (code !== undefined && text.startsWith(`${code}: `)) return text.split(',')[0]
  return text.replace(/(?<![\w.])\/[^\s:,]+/g, '(a file)')
}
