/**
 * A line of the log for a person at a terminal: `01:02:03.456 warn  index stale  symbol=BTCUSDT`. Files and programs have JSON.
 *
 * Time     of day, where the person is
 * Errors   the stack comes below, indented
 */
import { styleText } from 'node:util'
import { levelOf, type LogLevel } from './log-tail.ts'

type Style = Parameters<typeof styleText>[0]

const styles: Partial<Record<LogLevel, Style>> = { warn: 'yellow', error: 'red', fatal: 'red' }
const levelLength = 5

interface LoggedError {
  readonly message?: string
  readonly stack?: string
}

/** `line` is JSON as pino writes it; what comes out ends with a line break. */
export function logText(line: string, hasColors: boolean): string {
  const { level: number, time, msg = '', err, ...facts } = JSON.parse(line) as LoggedLine
  const level = levelOf(number)
  const paint = (style: Style, text: string) => (hasColors ? styleText(style, text, { validateStream: false }) : text)
  const at = new Date(time)
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  const moment = `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
  const shown = Object.entries(facts).map(([name, value]) => `${paint('dim', `${name}=`)}${valueText(value)}`)
  const head = [paint('dim', moment), paint(styles[level] ?? 'dim', level.padEnd(levelLength)), msg].join(' ')
  const stack = err === undefined ? '' : `\n${(err.stack ?? err.message ?? '').replaceAll(/^/gm, '    ')}`
  return `${[head, ...shown].join('  ')}${stack}\n`
}

interface LoggedLine {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly err?: LoggedError
}

/** A text without spaces stands as it is. Signs that would steer the terminal never do: a client may have sent them. */
function valueText(value: unknown): string {
  return typeof value === 'string' && /^[!#-~]+$/.test(value) ? value : JSON.stringify(value)
}
