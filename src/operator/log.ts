/**
 * The venue's log: one JSON line per event, to standard error.
 *
 * Never in the way  lines are written in the background; if nobody reads them, or the disk behind them is full, the newest
 *                   are dropped and the venue goes on
 * Never in it       secrets, passphrases, signatures, tokens, request bodies; nothing per order above level debug,
 *                   where each request is a line with its id and the sequence of its command
 */
import pino, { type Logger } from 'pino'
import type { Answered } from '../api/api.ts'
import { LogTail } from './log-tail.ts'

const waitingBytesMax = 1024 * 1024

export interface Log {
  readonly log: Logger
  /** Writes what still waits, as far as that is possible. */
  readonly flush: () => void
}

export function openLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: waitingBytesMax })
  destination.on('error', () => {})
  const tail = new LogTail()
  const both = {
    write(line: string) {
      tail.take(line)
      destination.write(line)
    },
  }
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, both)
  tails.set(log, tail)
  return {
    log,
    flush() {
      try {
        destination.flushSync()
      } catch {
        // Standard error is closed: there is nobody left to tell.
      }
    },
  }
}

const tails = new WeakMap<Logger, LogTail>()

/** The newest lines of a log that was opened here; none of another. */
export function tailOf(log: Logger): LogTail {
  return tails.get(log) ?? new LogTail()
}

/** At level debug each request is a line, with what leads from its id to its command in the journal. */
export function loggingAnswers(log: Logger, onAnswered: (answered: Answered) => void): (answered: Answered) => void {
  if (!log.isLevelEnabled('debug')) return onAnswered
  return (answered) => {
    const { endpoint, httpStatus, code, durationMs, requestId, sequence } = answered
    log.debug({ requestId, endpoint: endpoint?.path, httpStatus, code, durationMs, sequence }, 'answered')
    onAnswered(answered)
  }
}
