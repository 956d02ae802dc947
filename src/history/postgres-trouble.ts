/**
 * What can go wrong with PostgreSQL, and whether waiting helps.
 *
 * Away     the server is not there, is starting or stopping, or has no room: whoever waits and asks again is served. What was under
 *          way has an unknown outcome
 * Refused  anything else: asking again changes nothing
 * Slow     a machine that starts everything at once answers late: at a start a server is asked some times before that counts
 * Told     in one line that names the option, where it points to and the rule; never with a password
 */
import pg from 'pg'

/** Classes of SQLSTATE that pass: connections, resources, an operator's intervention, transactions to be tried again. */
const passing = ['08', '53', '57', '40']
/** A standby that is not yet, or not any more, what it was. */
const readOnly = '25006'

export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError) return passing.includes(code?.slice(0, 2) ?? '') || code === readOnly
  // Of the socket, of its name, or of a stream that it broke under.
  if (code !== undefined && /^E[A-Z]|^ERR_STREAM/.test(code)) return true
  if (error instanceof AggregateError) return error.errors.some(isAway)
  // What the driver itself says has no code.
  return /Connection terminated|connection error|timeout|not queryable|was closed/i.test(error.message)
}

const triesMax = 4
const statementTimeout = '57014'

/** Of a start: does it again where there was no answer in time. What was done by then has to be as if it had not been. */
export async function unlessSlow<Done>(work: () => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (tries === triesMax || !(code === statementTimeout || /timeout/i.test(message))) throw error
    }
  }
}

/** `host:port/database`, without who and by which password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host || 'localhost'}${pathname === '/' ? '' : pathname}`
}

/** One line for whoever gave the address. */
export function postgresTrouble(url: string, error: unknown): string {
  return `--postgres ${placeOf(url)}: ${ruleOf(url, error)}`
}

function ruleOf(url: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const { pathname, username } = new URL(url)
  switch (code) {
    case '3D000':
      return `there is no such database: "createdb ${pathname.slice(1)}" makes it`
    case '28P01':
    case '28000':
      return `PostgreSQL does not let ${username || 'this user'} in: ${message}`
    case '42501':
      return `the user may not do all that is needed there: ${message}`
    case 'ECONNREFUSED':
      return 'nobody listens there: PostgreSQL is not running, or elsewhere'
    case 'ENOTFOUND':
      return 'there is no such host'
    default:
      return error instanceof AggregateError ? ruleOf(url, error.errors[0]) : message
  }
}
