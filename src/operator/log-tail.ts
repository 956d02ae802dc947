/**
 * The newest lines of the venue's log, for whoever does not sit at its standard error.
 *
 * Same     lines as they were written: what is below the log's level is not there, and nothing secret ever is (log.ts)
 * Bounds   `linesMax` lines; what is long in a line is cut
 */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof logLevels)[number]

/** Of pino's number. */
export function levelOf(number: number): LogLevel {
  return logLevels[Math.min(logLevels.length, Math.max(1, Math.floor(number / 10))) - 1]
}

const linesMax = 1_000
const factsLengthMax = 2_000

export interface LogLine {
  readonly id: number
  readonly at: string
  readonly level: LogLevel
  readonly message: string
  /** What else the line says, as JSON. */
  readonly facts: string
}

interface Asked {
  readonly level?: LogLevel | undefined
  /** Behind this one. */
  readonly before?: number | undefined
  readonly limit: number
}

export class LogTail {
  readonly #lines: LogLine[] = []
  #newest = 0

  /** A line as pino writes it. */
  take(text: string): void {
    const line = JSON.parse(text) as { level: number; time: string; msg?: string }
    const { level, time, msg = '', ...facts } = line
    const said = JSON.stringify(facts)
    this.#newest += 1
    this.#lines.push({
      id: this.#newest,
      at: time,
      level: levelOf(level),
      message: msg,
      facts: said === '{}' ? '' : said.length > factsLengthMax ? `${said.slice(0, factsLengthMax)}…` : said,
    })
    if (this.#lines.length > linesMax) this.#lines.shift()
  }

  /** Newest first, of this level and above; `next` is the `before` of the next page. */
  page({ level = 'trace', before = Infinity, limit }: Asked) {
    const least = logLevels.indexOf(level)
    const found = this.#lines.filter((line) => line.id < before && logLevels.indexOf(line.level) >= least).toReversed()
    const lines = found.slice(0, limit)
    return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null }
  }
}
