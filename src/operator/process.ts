/**
 * The life of the process that a venue runs in: from its start to the signal or the defect that ends both.
 *
 * Signals  SIGTERM and SIGINT end the venue. SIGHUP has it read its certificate again, and ends one that has none
 * Failed   a start that failed ends the process, whatever of it is left open: somebody may wait for its end
 * Exits    0 after a signal · 1 when the venue cannot start, or when the engine broke for good: those who wait are answered
 *          (45001) and told to go, then a restart replays the journal · 3 when its state is not that of other processes
 */
import type { Logger } from 'pino'
import type { Configuration } from './config/schema.ts'
import type { DataDirectory } from './data-directory.ts'
import { openLog } from './log.ts'
import { startTrouble } from './start-trouble.ts'

const stopMsMax = 35_000
/** How long a venue whose engine broke for good may take to tell those who wait. */
const farewellMsMax = 5_000
/** How long what a failed start has left open may take to close. */
const leftMsMax = 2_000

/** A venue that takes requests. */
export interface RunningVenue {
  readonly url: string
  readonly operatorUrl: string
  readonly isDemo: boolean
  readonly directory: DataDirectory
  stop(): Promise<void>
  /** Reads the certificate again; absent: there is none. */
  renewCertificate?: (() => void) | undefined
}

/** What the process has for the venue. */
export interface ProcessParts {
  readonly log: Logger
  /** The engine broke for good: nothing can be asked of it any more, and those who wait are told so. */
  readonly onFatal: (error: Error) => void
  /** In place of <data>/master.key. */
  readonly masterKey?: string | undefined
}

export interface ProcessOptions<Running> {
  readonly configuration: Configuration
  /** Says that requests are accepted. */
  readonly announce: (running: Running) => void
}

/** Starts a venue and runs it until a signal or a defect ends it, and with it this process. */
export async function runUntilEnded<Running extends Pick<RunningVenue, 'stop' | 'renewCertificate'>>(
  start: (parts: ProcessParts) => Promise<Running>,
  { configuration, announce }: ProcessOptions<Running>,
): Promise<void> {
  const { log, flush } = openLog(configuration.logLevel)
  const end = (code: number): never => {
    flush()
    process.exit(code)
  }
  const dieOf = (error: unknown, what: string) => {
    log.fatal({ err: error }, what)
    end(1)
  }
  process.on('uncaughtException', (error) => dieOf(error, 'a defect: the venue ends, a restart replays its journal'))

  let venue: Running | undefined
  let stopping = false
  const onFatal = async (error: Error) => {
    log.fatal({ err: error }, 'this process cannot go on and ends: a restart brings it back')
    const code = (error as { readonly exitCode?: number }).exitCode ?? 1
    setTimeout(() => end(code), farewellMsMax).unref()
    stopping = true
    await venue?.stop().catch(() => {})
    end(code)
  }
  try {
    venue = await start({
      log,
      onFatal: (error) => void onFatal(error),
      masterKey: process.env['TIDEMARK_MASTER_KEY'],
    })
  } catch (error) {
    flush()
    setTimeout(() => end(Number(process.exitCode ?? 1)), leftMsMax).unref()
    throw startTrouble(error)
  }

  const running = venue
  const stop = async (signal: string) => {
    // A Ctrl-C may arrive twice, from the terminal and from the launcher.
    if (stopping) return
    stopping = true
    log.info({ signal }, 'the venue stops')
    setTimeout(() => dieOf(undefined, 'the venue did not stop in time'), stopMsMax).unref()
    try {
      await running.stop()
    } catch (error) {
      dieOf(error, 'the venue did not stop cleanly')
    }
    log.info('the venue has stopped')
    end(0)
  }
  const hangUp = () => {
    if (running.renewCertificate === undefined) void stop('SIGHUP')
    else if (!stopping) running.renewCertificate()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
  process.on('SIGHUP', hangUp)
  announce(running)
}
