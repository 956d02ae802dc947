/**
 * The venue's log: one JSON line per event, to standard error. On a terminal a line for people (log-text.ts).
 *
 * Never in the way  lines are written in the background; if nobody reads them, or the disk behind them is full, the newest
 *                   are dropped and the venue goes on
 * Never in it       secrets, passphrases, signatures, tokens, request bodies; nothing per order above level debug,
 *                   where each request is a line with its id and the sequence of its command
 */
import type { WriteStream } from 'node:tty'
import pino, { type Logger } from 'pino'
import type { Answered } from '../api/api.ts'
import { LogLines } from './log-lines.ts'
import { LogTail } from './log-tail.ts'
import { logText } from './log-text.ts'

export interface Log {
  readonly log: Logger
  /** Writes what still waits, as far as that is possible. */
  readonly flush: () => void
}

/** `terminal`: what standard error is, as far as it is one. */
export function openLog(level: string, terminal: Pick<WriteStream, 'isTTY' | 'hasColors'> = process.stderr): Log {
  const lines = new LogLines()
  const tail = new LogTail()
  const hasColors = terminal.isTTY && terminal.hasColors()
  const both = {
    write(line: string) {
      tail.take(line)
      lines.write(terminal.isTTY ? logText(line, hasColors) : line)
    },
  }
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, both)
  tails.set(log, tail)
  return { log, flush: () => lines.flush() }
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
